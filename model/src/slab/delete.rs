//! delete, delete_all.

use super::chain::SlabTable;
use super::slots::Slots;
use crate::key::UserKey;
use crate::memory::IntegerWords;
use crate::outcome::Delete;
use crate::warp::Warp;

impl<C: Slots, B: IntegerWords<u32>, const S: usize> SlabTable<C, B, S> {
    /// Takes out one pair of `key`.
    #[inline(always)]
    pub fn delete<W: Warp>(self, w: &mut W, key: UserKey<C::Key>) -> Delete {
        if self.erase(w, key, 1) == 0 { Delete::Absent } else { Delete::Deleted }
    }

    /// Takes out pairs of `key` until it is absent; returns how many. Each pair is a delete of its own: other
    /// warps may see the key with some of its pairs gone.
    #[inline(always)]
    pub fn delete_all<W: Warp>(self, w: &mut W, key: UserKey<C::Key>) -> u32 {
        self.erase(w, key, u32::MAX)
    }

    /// Takes out up to `most` pairs; fewer only if the key was absent after the last.
    #[inline(always)]
    fn erase<W: Warp>(self, w: &mut W, key: UserKey<C::Key>, most: u32) -> u32 {
        // Orders what other lanes of this warp did in earlier operations before the releases of this one.
        w.sync();
        let mut erased = 0;
        let mut before = None;
        let mut scan = self.begin(w, key);
        loop {
            match self.advance(w, key, &mut scan) {
                Ok(found) => {
                    if w.elect_with(found.lane, found.places, |p| self.slots.erase(p.at, p.seen)) {
                        erased += 1;
                        if erased == most {
                            return erased;
                        }
                    }
                }
                Err(end) if Self::absent(w, &scan, &end, &mut before) => return erased,
                Err(_) => scan = self.begin(w, key),
            }
        }
    }
}
