//! The layouts of slots: which arrays an entry type needs.

use crate::check::Memory;
use crate::scenarios::entry::Entry;
use crate::scenarios::home::show;
pub use crate::scenarios::slab::Lock64;
use warpproof_model::Word;
use warpproof_model::entry::{Packed, Pair64};
use warpproof_model::open::{LockWordSlots, OpenSlots};
use warpproof_model::reserved::KeySlots;

/// How entries lie in arrays of some memory.
pub trait Layout: Copy + Send + Sync + 'static {
    /// What a slot holds.
    type Entry: Packed;
    /// Its slots over some memory.
    type Slots<M: Memory>: OpenSlots<Self::Entry> + KeySlots<Self::Entry>;

    /// Name and width of every array of slots; the first one is probed.
    const ARRAYS: &'static [(&'static str, u32)];

    /// The slots.
    fn slots<M: Memory>(m: M) -> Self::Slots<M>;
    /// An entry of which this was read, in words.
    fn show(probed: u128) -> String;
}

impl<E: Entry> Layout for E {
    type Entry = E;
    type Slots<M: Memory> = E::Words<M>;

    const ARRAYS: &'static [(&'static str, u32)] = &[("slots", E::WIDTH)];

    fn slots<M: Memory>(m: M) -> E::Words<M> {
        E::words(m, 0)
    }
    fn show(probed: u128) -> String {
        show::<E>(Word::from_bits(probed))
    }
}

impl Layout for Lock64 {
    type Entry = Pair64;
    type Slots<M: Memory> = LockWordSlots<M::W64>;

    const ARRAYS: &'static [(&'static str, u32)] = &[("keys", 64), ("values", 64)];

    fn slots<M: Memory>(m: M) -> LockWordSlots<M::W64> {
        LockWordSlots::new(m.w64(0), m.w64(1))
    }
    fn show(probed: u128) -> String {
        probed.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::seq::SeqMemory;
    use crate::check::{Array, View};
    use warpproof_model::open::{Change, OnPresent};
    use warpproof_model::retrieve::{SlotArray, Source};
    use warpproof_model::{Words, WriteOrder};

    /// An entry, a tombstone, a pending slot and an empty one.
    #[test]
    fn slots_of_two_words_are_copied_as_entries() {
        let array = |name| Array::new(name, 64, vec![u64::MAX.into(); 4]);
        let memory = SeqMemory::new(&[array("keys"), array("values")]);
        let copied = memory.guard(|m| {
            let slots = Lock64::slots(m);
            for (at, key) in [(0, 5), (1, 6)] {
                let put = Change::Put(Pair64::pack(key, 10 * key), OnPresent::Keep);
                assert_eq!([(); 2].map(|()| slots.change(at, u64::MAX, put)), [u64::MAX, key]);
            }
            assert_eq!([(); 2].map(|()| slots.change(1, 6, Change::Erase)), [6, Pair64::MARK as u64]);
            assert_eq!(slots.change(0, 5, Change::Put(Pair64::pack(5, u64::MAX), OnPresent::Add)), 5);
            // Relaxed: nobody else is here.
            m.w64(0).store(2, u64::MAX - 1, WriteOrder::Relaxed);
            let array = SlotArray::new(slots);
            let (row, alone) = (array.load_row::<4>(0), [0, 1, 2, 3].map(|slot| array.load(slot)));
            let entries = |words: [u128; 4]| {
                words.map(|word| {
                    SlotArray::<Pair64, <Lock64 as Layout>::Slots<View<'_>>>::is_entry(word).then_some(word)
                })
            };
            assert_eq!(entries(row), entries(alone));
            entries(row)
        });
        assert_eq!(copied.expect("no error"), [Some(Pair64::pack(5, 49)), None, None, None]);
    }
}
