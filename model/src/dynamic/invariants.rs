//! Invariants of a dynamic table, to be checked on a copy of its words.

use super::table::{DynamicTable, Submaps};
use crate::entry::Packed;
use crate::memory::IntegerWords;
use crate::open::Broken;
use crate::warp::Warp;

impl<D: Submaps<S>, B: IntegerWords<u32>, const S: usize> DynamicTable<D, B, S> {
    /// Checks the invariants of every state: each submap by itself; a key is in one of them, and all buckets
    /// that it probes in the earlier ones are full of others.
    ///
    /// # Errors
    /// The violated invariant, with the bucket of its submap.
    pub fn check_state<W: Warp>(self, w: &mut W) -> Result<(), Broken> {
        self.each(w, |w, table, index| table.submap(index).check_state(w))?;
        self.each_passed(w, |w, table, before, key| table.submap(before).check_passed(w, key, false))
    }

    /// Checks the additional invariants of a state in which no operation runs: every bucket that a key went
    /// on from records it in its filter.
    ///
    /// # Errors
    /// As [`check_state`](Self::check_state).
    pub fn check_quiescent<W: Warp>(self, w: &mut W) -> Result<(), Broken> {
        self.check_state(w)?;
        self.each(w, |w, table, index| table.submap(index).check_quiescent(w))?;
        self.each_passed(w, |w, table, before, key| table.submap(before).check_passed(w, key, true))
    }

    fn each<W: Warp>(
        self,
        w: &mut W,
        check: impl Fn(&mut W, Self, u32) -> Result<(), Broken>,
    ) -> Result<(), Broken> {
        (0..self.submaps()).try_for_each(|index| check(w, self, index))
    }

    /// Runs `check` for every key and every submap before its own.
    fn each_passed<W: Warp>(
        self,
        w: &mut W,
        check: impl Fn(&mut W, Self, u32, <D::Entry as Packed>::Key) -> Result<(), Broken>,
    ) -> Result<(), Broken> {
        self.each(w, |w, table, index| {
            let check = |w: &mut W, key| (0..index).try_for_each(|before| check(w, table, before, key));
            table.submap(index).each_entry(w, |w, _, bucket, key| {
                check(w, key).map_err(|broken| match broken {
                    // Of the two, the later one should not be there.
                    Broken::DuplicateKey { .. } => Broken::DuplicateKey { bucket },
                    broken => broken,
                })
            })
        })
    }
}
