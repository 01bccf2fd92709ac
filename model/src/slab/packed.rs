//! Slots whose entries fit one atomic word ([`Packed`]). Every change of a slot is one compare-and-swap of
//! the whole entry, so a pair is never seen torn. A tombstone is the word [`Packed::MARK`].

use super::multiplicity::{Multi, Multiplicity};
use super::slots::{Change, Link, Slots};
use crate::entry::Packed;
use crate::memory::{Order, ReadOrder, Word, Words, WriteOrder};
use crate::reclaim::NodeIndex;
use core::marker::PhantomData;

/// Slots that hold one packed entry each.
#[derive(Clone, Copy, Debug)]
pub struct PackedSlots<P, H, M = Multi> {
    words: H,
    kind: PhantomData<(P, M)>,
}

impl<P: Packed, H: Words<P::Word>, M: Multiplicity> PackedSlots<P, H, M> {
    /// Slots over `words`: one word per slot, the last of each slab its link.
    #[inline(always)]
    pub const fn new(words: H) -> Self {
        Self { words, kind: PhantomData }
    }
}

impl<P: Packed, H: Words<P::Word>, M: Multiplicity> Slots for PackedSlots<P, H, M> {
    type Key = P::Key;
    type Value = P::Value;
    type Word = P::Word;
    type Multiplicity = M;
    type Probe = H;

    const PENDING: bool = false;
    const VALUE_IN_WORD: bool = true;

    #[inline(always)]
    fn probe(self) -> H {
        self.words
    }
    #[inline(always)]
    fn is_empty(word: P::Word) -> bool {
        P::key(word) == P::key(P::EMPTY)
    }
    #[inline(always)]
    fn holds(word: P::Word, key: P::Key) -> bool {
        P::key(word) == key
    }
    #[inline(always)]
    fn is_pending(_: P::Word) -> bool {
        false
    }
    #[inline(always)]
    fn is_tombstone(word: P::Word) -> bool {
        P::key(word) == P::key(P::MARK)
    }
    #[inline(always)]
    fn key(seen: P::Word) -> P::Key {
        P::key(seen)
    }
    #[inline(always)]
    fn value(self, _: usize, seen: P::Word) -> P::Value {
        P::value(seen)
    }
    #[inline(always)]
    fn change(self, at: usize, seen: P::Word, change: Change, key: P::Key, value: P::Value) -> bool {
        let new = match change {
            Change::Fill | Change::Assign => P::pack(key, value),
            Change::Erase => P::MARK,
        };
        // Relaxed or Release: by the multiplicity, see there.
        self.words.compare_exchange(at, seen, new, M::CHANGE) == seen
    }
    #[inline(always)]
    fn publish(self, at: usize, slab: NodeIndex) -> Link {
        publish(self.words, at, slab)
    }
    #[inline(always)]
    fn relocate(self, _: usize, to: usize, seen: P::Word) {
        // Relaxed: a flush owns its bucket; `Warp::sync` orders its steps among the lanes.
        self.words.store(to, seen, WriteOrder::Relaxed);
    }
    #[inline(always)]
    fn reset(self, at: usize) {
        // Relaxed: as in `relocate`.
        self.words.store(at, P::EMPTY, WriteOrder::Relaxed);
    }
}

/// Sets a link from nil to `slab`. Returns the link that is there afterwards.
#[inline(always)]
pub(super) fn publish<T: Word>(words: impl Words<T>, at: usize, slab: NodeIndex) -> Link {
    let nil = Link::NIL.into_word::<T>();
    let new = Link::to(slab);
    // Relaxed: a slab is all empty before it is linked and changes only by compare-and-swap, so nothing is
    // published with it. A warp that reaches it early sees empty slots; its exchange then finds the truth.
    let old = words.compare_exchange(at, nil, new.into_word(), Order::Relaxed);
    if old == nil { new } else { Link::from_word(old) }
}

/// The order of every probe.
///
/// Relaxed: a slot belongs to one key, so coherence alone orders what a probe sees of it. Of several slots
/// the lowest decides, for which all lower ones must have been read. Conclusions that need two slots at one
/// instant go through the fence of `settle`.
pub(super) const PROBE: ReadOrder = ReadOrder::Relaxed;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::{Key32, Pair32, Pair64};

    #[test]
    fn an_empty_slab_is_all_ones() {
        assert_eq!(Link::NIL.into_word::<u32>(), Key32::EMPTY);
        assert_eq!(Link::NIL.into_word::<u64>(), Pair32::EMPTY);
        assert_eq!(Link::NIL.into_word::<u128>(), Pair64::EMPTY);
    }
}
