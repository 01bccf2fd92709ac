//! Sinks for the answers of a batch.

use crate::error::Error;
use crate::host;
use crate::staging::CopyThreads;
use core::ops::Range;

mod sealed {
    /// Implemented only here, so that the methods of a sink may change.
    pub trait Sealed<T> {}
    impl<T> Sealed<T> for &mut [T] {}
    impl<T, const N: usize> Sealed<T> for &mut [T; N] {}
    impl<T> Sealed<T> for &mut Vec<T> {}
    impl<T, F: FnMut(T)> Sealed<T> for F {}
}

/// A sink for the answers of a batch through [`Staging`](crate::Staging), in the order of its elements.
///
/// - A slice, an array: overwritten. Its length is that of the keys, or the call is refused.
/// - A `Vec`: extended. Its memory is allocated before the batch runs.
/// - A closure: called with each answer. Its argument needs a type, as in `|found: bool| ...`.
///
/// Answers come chunk by chunk, when the device has finished the chunk and while it runs the next ones. A
/// call always runs its whole batch; so there is no iterator that runs the batch as answers are taken.
pub trait Sink<T>: sealed::Sealed<T> {
    /// How many answers it takes, if that is fixed.
    #[doc(hidden)]
    fn room(&self) -> Option<usize>;

    /// Makes room for `n` answers, before the batch runs.
    #[doc(hidden)]
    fn reserve(&mut self, n: usize) -> Result<(), Error> {
        let _ = n;
        Ok(())
    }

    /// Takes `n` answers, from number `first` on. `answers` makes a range of them; its numbers are relative
    /// to `first`.
    #[doc(hidden)]
    fn take<I: Iterator<Item = T>>(
        &mut self,
        first: usize,
        n: usize,
        answers: impl Fn(Range<usize>) -> I + Sync,
        threads: CopyThreads,
    );
}

impl<T: Send> Sink<T> for &mut [T] {
    fn room(&self) -> Option<usize> {
        Some(self.len())
    }

    fn take<I: Iterator<Item = T>>(
        &mut self,
        first: usize,
        n: usize,
        answers: impl Fn(Range<usize>) -> I + Sync,
        threads: CopyThreads,
    ) {
        if let Some(places) = self.get_mut(first..first + n) {
            threads.overwrite(places, answers);
        }
    }
}

impl<T: Send, const N: usize> Sink<T> for &mut [T; N] {
    fn room(&self) -> Option<usize> {
        Some(N)
    }

    fn take<I: Iterator<Item = T>>(
        &mut self,
        first: usize,
        n: usize,
        answers: impl Fn(Range<usize>) -> I + Sync,
        threads: CopyThreads,
    ) {
        (&mut self[..]).take(first, n, answers, threads);
    }
}

impl<T: Send> Sink<T> for &mut Vec<T> {
    fn room(&self) -> Option<usize> {
        None
    }

    fn reserve(&mut self, n: usize) -> Result<(), Error> {
        host::reserve(self, "answers", n)
    }

    fn take<I: Iterator<Item = T>>(
        &mut self,
        _: usize,
        n: usize,
        answers: impl Fn(Range<usize>) -> I + Sync,
        threads: CopyThreads,
    ) {
        threads.extend(self, n, answers);
    }
}

impl<T, F: FnMut(T)> Sink<T> for F {
    fn room(&self) -> Option<usize> {
        None
    }

    fn take<I: Iterator<Item = T>>(
        &mut self,
        _: usize,
        n: usize,
        answers: impl Fn(Range<usize>) -> I + Sync,
        _: CopyThreads,
    ) {
        answers(0..n).for_each(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Passes the numbers from 0 to 4 in two chunks.
    fn count(mut sink: impl Sink<u32>) -> Option<usize> {
        let room = sink.room();
        sink.take(0, 2, |range| range.map(|number| number as u32), CopyThreads::Many);
        sink.take(2, 3, |range| range.map(|number| 2 + number as u32), CopyThreads::Many);
        room
    }

    #[test]
    fn answers_go_where_they_belong() {
        let (mut array, mut slice, mut vec, mut sum) = ([9; 5], [9; 6], vec![9], 0);
        assert_eq!(count(&mut array), Some(5));
        assert_eq!(count(&mut slice[..5]), Some(5));
        assert_eq!(count(&mut vec), None);
        assert_eq!(count(|number: u32| sum += number), None);
        assert_eq!((array, slice), ([0, 1, 2, 3, 4], [0, 1, 2, 3, 4, 9]));
        assert_eq!((vec, sum), (vec![9, 0, 1, 2, 3, 4], 10));
    }
}
