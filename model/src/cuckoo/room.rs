//! Making room: choosing the keys that move, and moving one.

use super::{CHAIN, CuckooTable, mark};
use crate::entry::Packed;
use crate::memory::{IntegerWords, Word, Words};
use crate::row::{self, Row};
use crate::warp::Warp;

/// Where a chain of moves ends.
enum End<E: Packed> {
    /// A key is in `from`, its first bucket, and a slot of `to`, its second one, is free.
    Move { key: E::Key, from: u32, to: u32 },
    /// A slot of an earlier bucket has become free.
    Sooner,
}

impl<E: Packed, H: Words<E::Word>, B: IntegerWords<u32>, const S: usize> CuckooTable<E, H, B, S> {
    /// Moves a key, so that there is room for `key` in its buckets or nearer to them. `false` if it saw no
    /// key that it may move. It takes no lock to look, so a key that it saw may be gone; then nothing has
    /// moved, and the caller tries again.
    ///
    /// Looks for chains of one key before chains of two. Reads some 200 buckets for chains of two keys, and
    /// 1500 for those of three, in tables of eight slots per bucket.
    #[inline(always)]
    pub(super) fn make_room<W: Warp>(self, w: &mut W, key: E::Key) -> bool {
        let first = self.slots.probe(key);
        let second = self.slots.next(first);
        for length in 1..=CHAIN {
            let mut root = Some(first);
            while let Some(from) = root {
                if self.shorten(w, from.bucket, length) {
                    return true;
                }
                root = if from.bucket == first.bucket { second } else { None };
            }
        }
        false
    }

    /// Makes the last move of a chain of so many keys that begins in a bucket, if there is one.
    #[inline(always)]
    fn shorten<W: Warp>(self, w: &mut W, root: u32, length: u32) -> bool {
        let end = self.end_of_chain(w, root, length);
        if let Some(End::Move { key, from, to }) = end {
            self.shift(w, key, (from, to));
        }
        end.is_some()
    }

    /// The end of a chain of so many keys. The first is in bucket `root`, each of the others in the second
    /// bucket of the one before, and all of them in their own first bucket.
    #[inline(always)]
    fn end_of_chain<W: Warp>(self, w: &mut W, root: u32, length: u32) -> Option<End<E>> {
        let slots = W::LANES * S as u32;
        // The keys before the last, by the numbers of their slots.
        for mut path in 0..slots.pow(length - 1) {
            w.mark(mark::ROOM + length, (root as u64) << 32 | path as u64);
            let mut bucket = Some(root);
            for _ in 1..length {
                bucket = bucket.and_then(|bucket| {
                    let row = self.slots.read(w, bucket);
                    let key = self.movable(w, bucket, row, path % slots)?;
                    self.second(key)
                });
                path /= slots;
            }
            let end = bucket.and_then(|bucket| self.end_at(w, bucket));
            if end.is_some() {
                return end;
            }
        }
        None
    }

    /// A key of a bucket that can move now.
    #[inline(always)]
    fn end_at<W: Warp>(self, w: &mut W, from: u32) -> Option<End<E>> {
        let row = self.slots.read(w, from);
        if row::any(w, row, |_, _, word| Self::is_free(word)) {
            return Some(End::Sooner);
        }
        for number in 0..W::LANES * S as u32 {
            let Some(key) = self.movable(w, from, row, number) else { continue };
            let Some(to) = self.second(key) else { continue };
            if self.has_room(w, to) {
                return Some(End::Move { key, from, to });
            }
        }
        None
    }

    /// Moves a key, if it is still where it was seen and there is room: copies it to its second bucket, then
    /// erases it in the first.
    #[inline(always)]
    fn shift<W: Warp>(self, w: &mut W, key: E::Key, (from, to): (u32, u32)) {
        w.mark(mark::SHIFT, key.to_bits() as u64);
        self.locks.lock(w, from);
        w.mark(mark::SHIFT_LOCKED, key.to_bits() as u64);
        let row = self.slots.read(w, from);
        let base = Self::slot(W::LANES, from);
        if let Some(slot) = row::first(w, base, row, |_, _, word| Self::holds(word, key)) {
            let entry = E::pack(key, E::value(Self::seen(w, &slot)));
            if self.copy(w, to, entry) {
                // The lane that erases differs from the lane that copied.
                w.sync();
                self.write(w, &slot, None);
            }
        }
        self.locks.unlock(w, from);
    }

    /// Puts an entry into the lowest free slot of a bucket. Returns whether there was one.
    #[inline(always)]
    fn copy<W: Warp>(self, w: &mut W, bucket: u32, entry: E::Word) -> bool {
        loop {
            let row = self.slots.read(w, bucket);
            let base = Self::slot(W::LANES, bucket);
            let Some(slot) = row::first(w, base, row, |_, _, word| Self::is_free(word)) else { return false };
            if self.take(w, &slot, entry) {
                return true;
            }
        }
    }

    /// Whether a slot of a bucket is free.
    #[inline(always)]
    fn has_room<W: Warp>(self, w: &mut W, bucket: u32) -> bool {
        let row = self.slots.read(w, bucket);
        row::any(w, row, |_, _, word| Self::is_free(word))
    }

    /// The key in slot `number` of a bucket as read, if there is one whose first bucket this is.
    #[inline(always)]
    fn movable<W: Warp>(
        self,
        w: &mut W,
        bucket: u32,
        row: Row<W, E::Word, S>,
        number: u32,
    ) -> Option<E::Key> {
        let base = Self::slot(W::LANES, bucket);
        // This key alone is hashed, not those of all slots.
        let slot = row::first(w, base, row, |lane, i, _| lane * S as u32 + i as u32 == number)?;
        let word = Self::seen(w, &slot);
        let key = E::key(word);
        (!Self::is_free(word) && self.slots.probe(key).bucket == bucket).then_some(key)
    }

    /// The second bucket of a key, if there are two.
    #[inline(always)]
    fn second(self, key: E::Key) -> Option<u32> {
        Some(self.slots.next(self.slots.probe(key))?.bucket)
    }
}
