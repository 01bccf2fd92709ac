//! The elements of a batch that a mask chooses.

use super::{Refused, same_length};
use alloc::vec::Vec;

/// A mask of a batch.
pub(super) struct Mask<'a>(&'a [bool]);

impl<'a> Mask<'a> {
    /// The mask of a batch of these keys.
    pub(super) fn of<K>(keys: &[K], mask: &'a [bool]) -> Result<Self, Refused> {
        same_length(keys, "elements of the mask", mask)?;
        Ok(Self(mask))
    }

    /// The chosen ones of these elements.
    pub(super) fn chosen<T: Copy>(&self, elements: &[T]) -> Result<Vec<T>, Refused> {
        let mut chosen = room(self.0.iter().filter(|&&chosen| chosen).count())?;
        chosen
            .extend(elements.iter().zip(self.0).filter(|&(_, &chosen)| chosen).map(|(&element, _)| element));
        Ok(chosen)
    }

    /// A list with room for an answer to each element, chosen or not.
    pub(super) fn room<A>(&self) -> Result<Vec<A>, Refused> {
        room(self.0.len())
    }

    /// Writes the answers of the chosen elements to a list with room for all: `None` for the others.
    pub(super) fn spread<A, B>(
        &self,
        answers: impl IntoIterator<Item = A>,
        mut to: Vec<B>,
        answer: impl Fn(Option<A>) -> B,
    ) -> Vec<B> {
        let mut answers = answers.into_iter();
        to.extend(self.0.iter().map(|&chosen| answer(if chosen { answers.next() } else { None })));
        to
    }
}

/// An empty list with room for `len` elements.
pub(crate) fn room<T>(len: usize) -> Result<Vec<T>, Refused> {
    let mut list = Vec::new();
    let bytes = len.saturating_mul(size_of::<T>()) as u64;
    list.try_reserve_exact(len).map_err(|_| Refused::OutOfMemory { bytes })?;
    Ok(list)
}
