//! Keys whose sums have lost an exchange.

use crate::hash::Hash64;
use crate::memory::{ReadOrder, Words, WriteOrder};
use crate::warp::Warp;

/// Words of [`Contended`] on a device: 16 KiB.
pub const CONTENDED_WORDS: usize = 1 << 12;

/// Of so many warps one notes the keys of its sums.
const NOTING: u32 = 4;

/// Keys whose sums have lost an exchange. A sum of such a key would probably lose its exchange too, so it is
/// left at once.
///
/// A word has the key that was noted last of those that share it, also after the batch has ended. Another
/// key may pass for a noted one: 43 of the 64 bits of their hashes are compared if there are
/// [`CONTENDED_WORDS`]. Neither makes a sum wrong, as any sum may be left. Several tables may share the
/// words.
#[derive(Clone, Copy, Debug)]
pub struct Contended<H> {
    words: H,
}

impl<H: Words<u32>> Contended<H> {
    /// The keys in these words, which are zero at first. Their number is a power of two.
    #[inline(always)]
    pub const fn new(words: H) -> Self {
        Self { words }
    }

    /// The word of a key, and what it has if the key was noted last.
    #[inline(always)]
    fn place(self, hash: Hash64) -> (usize, u32) {
        let last = self.words.len().wrapping_sub(1);
        (hash.low() as usize & last, (hash.bits() >> u32::BITS) as u32 | 1)
    }

    /// Whether the key with this hash is noted.
    #[inline(always)]
    pub fn has<W: Warp>(self, w: &mut W, hash: Hash64) -> bool {
        let (at, noted) = self.place(hash);
        // Relaxed, here and below: whatever is read, the sum is right.
        w.elect(0, || self.words.load(at, ReadOrder::Relaxed) == noted)
    }

    /// Notes that a sum of the key with this hash lost an exchange. Only one warp of four does so: of
    /// the many that lose, one suffices, and a store takes the word out of the caches of others.
    #[inline(always)]
    pub fn note<W: Warp>(self, w: &mut W, hash: Hash64) {
        if !w.id().is_multiple_of(NOTING) {
            return;
        }
        let (at, noted) = self.place(hash);
        w.elect(0, || {
            self.words.store(at, noted, WriteOrder::Relaxed);
            true
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::noted::Noted;
    use crate::warp::two_lanes::TwoLanes;

    #[test]
    fn a_word_has_the_key_that_was_noted_last() {
        let (words, mut w) = (Noted::<u32, 4>::new(), TwoLanes);
        let keys = Contended::new(&words);
        // The first two share word 1, and the third has word 3.
        let [first, second, third] = [7 << 32 | 5, 9 << 32 | 1, 7 << 32 | 3].map(Hash64::new);
        assert!([first, second, third].iter().all(|&hash| !keys.has(&mut w, hash)));
        keys.note(&mut w, first);
        keys.note(&mut w, third);
        assert_eq!([first, second, third].map(|hash| keys.has(&mut w, hash)), [true, false, true]);
        keys.note(&mut w, second);
        assert_eq!([first, second, third].map(|hash| keys.has(&mut w, hash)), [false, true, true]);
        assert_eq!(words.words(), [0, 9, 0, 7]);
    }

    #[test]
    fn a_key_whose_high_half_is_zero_can_be_noted() {
        let (words, mut w) = (Noted::<u32, 4>::new(), TwoLanes);
        let keys = Contended::new(&words);
        assert!(!keys.has(&mut w, Hash64::new(2)));
        keys.note(&mut w, Hash64::new(2));
        assert!(keys.has(&mut w, Hash64::new(2)));
    }
}
