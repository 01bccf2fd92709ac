//! The outcomes of a batch that stores entries, and the error that some were not stored.

use super::Answer;
use crate::outcome::{Add, Assign, Insert};
use alloc::vec::Vec;
use core::fmt;
use core::ops::Deref;

/// The outcome of an operation that may find no room.
pub trait Outcome {
    /// Whether there was no room, so that the entry is not stored.
    fn is_full(&self) -> bool;
}

macro_rules! outcome {
    ($($outcome:ident),*) => { $(
        impl Outcome for $outcome {
            fn is_full(&self) -> bool {
                *self == Self::Full
            }
        }
    )* };
}
outcome!(Insert, Assign, Add);

impl<V> Outcome for Answer<V> {
    fn is_full(&self) -> bool {
        match self {
            Self::Insert(said) => said.is_full(),
            Self::Assign(said) => said.is_full(),
            Self::Delete(_) | Self::Search(_) => false,
        }
    }
}

/// The outcome of an operation that a mask may leave out.
impl<T: Outcome> Outcome for Option<T> {
    fn is_full(&self) -> bool {
        self.as_ref().is_some_and(T::is_full)
    }
}

/// The outcomes of a batch that stores entries, one for each. An entry whose outcome is `Full` is not stored.
///
/// They are a slice ([`Deref`]) and an iterator. [`all_stored`](Self::all_stored) makes an error of a missing
/// entry. A statement that drops them is warned of, as it may overlook an entry that is not stored:
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// use warpproof_model::Insert;
/// use warpproof_model::host::{NotStored, Outcomes};
///
/// fn insert() -> Result<Outcomes<Insert>, NotStored> {
///     Ok(Outcomes::from(vec![Insert::Full]))
/// }
///
/// fn caller() -> Result<(), NotStored> {
///     insert()?; // `insert()?.all_stored()?` compiles, and returns the error.
///     Ok(())
/// }
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[must_use = "an entry may be missing, and only its outcome says so: look at them, or call `all_stored`"]
pub struct Outcomes<T>(Vec<T>);

impl<T> Outcomes<T> {
    /// The outcomes as a list.
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }
}

impl<T: Outcome> Outcomes<T> {
    /// The outcomes, if none of them is `Full`: then every key of the batch is in the table.
    ///
    /// # Errors
    /// [`NotStored`] if there was no room for some entries. All others are stored.
    pub fn all_stored(self) -> Result<Vec<T>, NotStored> {
        // Without an early return: the compiler then looks at many at once.
        if !self.iter().fold(false, |any, outcome| any | outcome.is_full()) {
            return Ok(self.0);
        }
        let first = self.iter().position(T::is_full).unwrap_or_default();
        let (entries, left_out) = (self.len() as u64, left_out(&self));
        Err(NotStored { entries, left_out, first: first as u64 })
    }
}

impl<T> From<Vec<T>> for Outcomes<T> {
    fn from(outcomes: Vec<T>) -> Self {
        Self(outcomes)
    }
}

impl<T> From<Outcomes<T>> for Vec<T> {
    fn from(outcomes: Outcomes<T>) -> Self {
        outcomes.0
    }
}

impl<T> Deref for Outcomes<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> AsRef<[T]> for Outcomes<T> {
    fn as_ref(&self) -> &[T] {
        self
    }
}

impl<T> IntoIterator for Outcomes<T> {
    type Item = T;
    type IntoIter = alloc::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a Outcomes<T> {
    type Item = &'a T;
    type IntoIter = core::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: PartialEq> PartialEq<[T]> for Outcomes<T> {
    fn eq(&self, other: &[T]) -> bool {
        **self == *other
    }
}

impl<T: PartialEq> PartialEq<&[T]> for Outcomes<T> {
    fn eq(&self, other: &&[T]) -> bool {
        **self == **other
    }
}

impl<T: PartialEq, const N: usize> PartialEq<[T; N]> for Outcomes<T> {
    fn eq(&self, other: &[T; N]) -> bool {
        **self == *other
    }
}

impl<T: PartialEq> PartialEq<Vec<T>> for Outcomes<T> {
    fn eq(&self, other: &Vec<T>) -> bool {
        self.0 == *other
    }
}

/// What [`BulkMap::insert_and_find`](super::BulkMap::insert_and_find) answers: the outcome of each insert,
/// and the value that the key has.
pub type InsertedAndFound<V> = (Outcomes<Insert>, Vec<Option<V>>);

/// A table had no room for some entries of a batch. All others are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotStored {
    /// Entries of the batch.
    pub entries: u64,
    /// How many of them are not stored.
    pub left_out: u64,
    /// The place in the batch of the first that is not stored, counted from 0.
    pub first: u64,
}

impl fmt::Display for NotStored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { entries, left_out, first } = self;
        write!(f, "the table had no room for {left_out} of {entries} entries, the first at index {first}")?;
        if left_out < entries {
            f.write_str("; all others are stored")?;
        }
        Ok(())
    }
}

impl core::error::Error for NotStored {}

/// How many entries found no room.
pub fn left_out<T: Outcome>(outcomes: &[T]) -> u64 {
    outcomes.iter().filter(|outcome| outcome.is_full()).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use alloc::vec;

    #[test]
    fn a_missing_entry_is_an_error_that_says_which() {
        let said = Outcomes::from(vec![Insert::Inserted, Insert::Full, Insert::Present, Insert::Full]);
        let error = said.all_stored().expect_err("two are missing");
        assert_eq!(error, NotStored { entries: 4, left_out: 2, first: 1 });
        assert_eq!(
            error.to_string(),
            "the table had no room for 2 of 4 entries, the first at index 1; all others are stored"
        );
        let none = NotStored { entries: 3, left_out: 3, first: 0 };
        assert_eq!(none.to_string(), "the table had no room for 3 of 3 entries, the first at index 0");
    }

    #[test]
    fn outcomes_without_a_missing_entry_are_a_list() {
        let said = Outcomes::from(vec![Add::Inserted, Add::Added]);
        assert_eq!(said, [Add::Inserted, Add::Added]);
        assert_eq!(said.all_stored(), Ok(vec![Add::Inserted, Add::Added]));
        assert_eq!(Outcomes::<Insert>::from(vec![]).all_stored(), Ok(vec![]));
    }

    #[test]
    fn only_what_stores_can_be_full() {
        let said = [
            Answer::Search(None),
            Answer::Delete(crate::Delete::Absent),
            Answer::Assign(Assign::Full),
            Answer::Insert(Insert::Full),
            Answer::Search(Some(2u32)),
        ];
        assert_eq!(left_out(&said), 2);
    }
}
