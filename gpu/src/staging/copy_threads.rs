//! The threads of the host that copy between its memory and staging buffers.

use core::mem::MaybeUninit;
use core::ops::Range;
use rayon::prelude::*;

/// The threads that copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CopyThreads {
    /// The calling thread.
    One,
    /// All threads of rayon.
    Many,
}

/// Elements that a thread takes at a time. Not measured.
const SHARE: usize = 1 << 14;

impl CopyThreads {
    /// The threads that copy `n` elements for this thread. A thread of rayon copies alone: while it waits for
    /// others it would run any other job, and that job may need a lock that its caller holds.
    fn of(self, n: usize) -> Self {
        let few = n < 2 * SHARE || rayon::current_thread_index().is_some();
        if few { Self::One } else { self }
    }

    /// Copies elements, as many as there are places.
    pub(super) fn copy<A: Send, B: Sync>(self, to: &mut [A], from: &[B], made: impl Fn(&B) -> A + Sync) {
        let each =
            |(to, from): (&mut [A], &[B])| to.iter_mut().zip(from).for_each(|(to, from)| *to = made(from));
        match self.of(to.len()) {
            Self::One => each((to, from)),
            Self::Many => to.par_chunks_mut(SHARE).zip(from.par_chunks(SHARE)).for_each(each),
        }
    }

    /// Whether `holds` is true of all of `n` elements; it is called with ranges of them.
    pub(super) fn all(self, n: usize, holds: impl Fn(Range<usize>) -> bool + Sync) -> bool {
        match self.of(n) {
            Self::One => holds(0..n),
            Self::Many => (0..n.div_ceil(SHARE)).into_par_iter().all(|share| holds(range(share, n))),
        }
    }

    /// Overwrites places with answers, from number 0 on.
    pub(crate) fn overwrite<T: Send, I: Iterator<Item = T>>(
        self,
        places: &mut [T],
        answers: impl Fn(Range<usize>) -> I + Sync,
    ) {
        let n = places.len();
        let share = |places: &mut [T], range| {
            places.iter_mut().zip(answers(range)).for_each(|(place, answer)| *place = answer);
        };
        match self.of(n) {
            Self::One => share(places, 0..n),
            Self::Many => {
                let shares = places.par_chunks_mut(SHARE).enumerate();
                shares.for_each(|(number, places)| share(places, range(number, n)));
            }
        }
    }

    /// Extends a `Vec` by `n` answers; the threads that write its memory also touch it first.
    pub(crate) fn extend<T: Send, I: Iterator<Item = T>>(
        self,
        vec: &mut Vec<T>,
        n: usize,
        answers: impl Fn(Range<usize>) -> I + Sync,
    ) {
        if self.of(n) == Self::One {
            return vec.extend(answers(0..n));
        }
        vec.reserve(n);
        let places = &mut vec.spare_capacity_mut()[..n];
        let share = |(number, places): (usize, &mut [MaybeUninit<T>])| {
            let mut answers = answers(range(number, n));
            places.iter_mut().all(|place| answers.next().map(|answer| place.write(answer)).is_some())
        };
        let written = places.par_chunks_mut(SHARE).enumerate().map(share).reduce(|| true, |a, b| a & b);
        if written {
            // SAFETY: the `n` places after the last element have all been written.
            unsafe { vec.set_len(vec.len() + n) };
        }
    }
}

/// The elements of a share of `n`.
fn range(share: usize, n: usize) -> Range<usize> {
    share * SHARE..((share + 1) * SHARE).min(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: [usize; 6] = [0, 1, SHARE, 2 * SHARE - 1, 2 * SHARE, 5 * SHARE + 3];

    #[test]
    fn each_element_is_copied_once_whoever_does_it() {
        for (threads, n) in
            [CopyThreads::One, CopyThreads::Many].into_iter().flat_map(|threads| SIZES.map(|n| (threads, n)))
        {
            let from: Vec<u64> = (0..n as u64).collect();
            let mut to = vec![u64::MAX; n];
            threads.copy(&mut to, &from, |&number| number + 1);
            assert!(to.iter().zip(&from).all(|(to, from)| *to == from + 1), "{threads:?} {n}");
            threads.overwrite(&mut to, |range| range.map(|number| 3 * number as u64));
            assert!(to.iter().zip(&from).all(|(to, from)| *to == 3 * from), "{threads:?} {n}");
            let mut vec = vec![7];
            threads.extend(&mut vec, n, |range| range.map(|number| number as u64));
            assert_eq!((vec[0], &vec[1..]), (7, &from[..]), "{threads:?}");
        }
    }

    #[test]
    fn what_does_not_hold_of_one_does_not_hold_of_all() {
        for (threads, n) in
            [CopyThreads::One, CopyThreads::Many].into_iter().flat_map(|threads| SIZES.map(|n| (threads, n)))
        {
            let mut keys = vec![5u32; n];
            assert!(threads.all(n, |range| keys[range].iter().all(|&key| key == 5)));
            for index in [n.checked_sub(1), n.checked_sub(n / 3 + 1)].into_iter().flatten() {
                keys[index] = u32::MAX;
                assert!(!threads.all(n, |range| keys[range].iter().all(|&key| key == 5)), "{threads:?} {n}");
            }
        }
    }

    /// A thread of rayon copies alone.
    #[test]
    fn a_thread_that_would_run_other_work_copies_alone() {
        assert_eq!(CopyThreads::Many.of(1 << 20), CopyThreads::Many);
        assert_eq!(rayon::join(|| CopyThreads::Many.of(1 << 20), || ()).0, CopyThreads::One);
    }
}
