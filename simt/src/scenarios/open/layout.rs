//! The layouts of slots: which arrays an entry type needs.

use crate::check::{Array, Memory, SimWarp};
use crate::scenarios::applied::applied;
use crate::scenarios::entry::Entry;
use crate::scenarios::home::show;
pub use crate::scenarios::slab::Lock64;
use std::marker::PhantomData;
use warpproof_model::entry::{Key32, Key64, Packed, Pair32, Pair64};
use warpproof_model::open::{
    Applying, BOARD_SLOTS, BoardSlots, DoubleHashing, Filter, LockWordSlots, OpenSlots, OpenTable,
    SummingSlots, board_words,
};
use warpproof_model::reserved::KeySlots;
use warpproof_model::{Add, ReadOrder, UserKey, Word, Words};

/// How entries lie in arrays of some memory.
pub trait Layout: Copy + Send + Sync + 'static {
    /// What a slot holds.
    type Entry: Packed;
    /// Its slots over some memory.
    type Slots<M: Memory>: OpenSlots<Self::Entry>;

    /// Name and width of every array but that of the filter; the first one is of slots.
    const ARRAYS: &'static [(&'static str, u32)];
    /// Whether the first word of a slot says that it is being filled.
    const LOCKS: bool = false;
    /// Whether a sum may be added to the value of a tombstone.
    const SUMS: bool = false;
    /// Whether an `insert_or_add` applies a function in place of the addition.
    const APPLIES: bool = false;

    /// The slots.
    fn slots<M: Memory>(m: M) -> Self::Slots<M>;
    /// Whether a slot is taken, or being filled. It is not asked of the table: one that takes no slot for
    /// empty is wrong.
    fn is_taken<M: Memory>(m: M, at: usize) -> bool;
    /// An entry of which this was read, in words.
    fn show(probed: u128) -> String;

    /// Runs an `insert_or_add`.
    fn add<W: SimWarp, M: Memory, F: Filter, const S: usize>(
        table: OpenTable<Self::Entry, Self::Slots<M>, F, DoubleHashing, S>,
        w: &mut W,
        (key, value): Pair<Self::Entry>,
    ) -> Add {
        table.insert_or_add(w, key, value)
    }
    /// An array of so many slots.
    fn array((name, width): (&'static str, u32), slots: usize) -> Array {
        Array::ones(name, width, slots)
    }
    /// Whether a word of another array than the first one may change so.
    fn changes(_old: u128, _new: u128) -> bool {
        true
    }
}

/// A key and the value beside it, as calls have them.
pub(super) type Pair<E> = (UserKey<<E as Packed>::Key>, <E as Packed>::Value);

/// A layout whose slots can also be those of reserved keys.
pub trait ReservedLayout: Layout {
    /// Slots of keys that have one each.
    type Reserved<M: Memory>: KeySlots<Self::Entry>;
    /// These slots.
    fn reserved<M: Memory>(m: M) -> Self::Reserved<M>;
}

impl<E: Entry> Layout for E {
    type Entry = E;
    type Slots<M: Memory> = E::Words<M>;

    const ARRAYS: &'static [(&'static str, u32)] = &[("slots", E::WIDTH)];

    fn slots<M: Memory>(m: M) -> E::Words<M> {
        E::words(m, 0)
    }
    fn is_taken<M: Memory>(m: M, at: usize) -> bool {
        // Relaxed, here and below: read alone.
        E::key(E::words(m, 0).load(at, ReadOrder::Relaxed)) != E::key(E::EMPTY)
    }
    fn show(probed: u128) -> String {
        show::<E>(Word::from_bits(probed))
    }
}

impl<E: Entry> ReservedLayout for E {
    type Reserved<M: Memory> = E::Words<M>;
    fn reserved<M: Memory>(m: M) -> E::Words<M> {
        E::words(m, 0)
    }
}

impl Layout for Lock64 {
    type Entry = Pair64;
    type Slots<M: Memory> = LockWordSlots<M::W64>;

    const ARRAYS: &'static [(&'static str, u32)] = &[("keys", 64), ("values", 64)];
    const LOCKS: bool = true;

    fn slots<M: Memory>(m: M) -> LockWordSlots<M::W64> {
        LockWordSlots::new(m.w64(0), m.w64(1))
    }
    fn is_taken<M: Memory>(m: M, at: usize) -> bool {
        m.w64(0).load(at, ReadOrder::Relaxed) != Pair64::key(Pair64::EMPTY)
    }
    fn show(probed: u128) -> String {
        probed.to_string()
    }
}

impl ReservedLayout for Lock64 {
    type Reserved<M: Memory> = LockWordSlots<M::W64>;
    fn reserved<M: Memory>(m: M) -> LockWordSlots<M::W64> {
        Self::slots(m)
    }
}

/// Entries `E` in one word, to whose values a function is applied.
#[derive(Clone, Copy, Debug)]
pub struct Applied<E>(PhantomData<E>);

impl<E: Entry> Layout for Applied<E> {
    type Entry = E;
    type Slots<M: Memory> = E::Words<M>;

    const ARRAYS: &'static [(&'static str, u32)] = <E as Layout>::ARRAYS;
    const APPLIES: bool = true;

    fn slots<M: Memory>(m: M) -> E::Words<M> {
        <E as Layout>::slots(m)
    }
    fn is_taken<M: Memory>(m: M, at: usize) -> bool {
        <E as Layout>::is_taken(m, at)
    }
    fn show(probed: u128) -> String {
        <E as Layout>::show(probed)
    }
    fn add<W: SimWarp, M: Memory, F: Filter, const S: usize>(
        table: OpenTable<E, E::Words<M>, F, DoubleHashing, S>,
        w: &mut W,
        (key, value): Pair<E>,
    ) -> Add {
        let applying = |words| Applying::<E, _, _>::new(words, |old| applied(old, value));
        table.with_slots(applying).insert_or_add(w, key, value)
    }
}

/// u32 pairs, to which sums are added without an exchange.
#[derive(Clone, Copy, Debug)]
pub struct Summed;

impl Layout for Summed {
    type Entry = Pair32;
    type Slots<M: Memory> = SummingSlots<M::W64>;

    const ARRAYS: &'static [(&'static str, u32)] = <Pair32 as Layout>::ARRAYS;
    const SUMS: bool = true;

    fn slots<M: Memory>(m: M) -> SummingSlots<M::W64> {
        SummingSlots::new(m.w64(0))
    }
    fn is_taken<M: Memory>(m: M, at: usize) -> bool {
        <Pair32 as Layout>::is_taken(m, at)
    }
    fn show(probed: u128) -> String {
        <Pair32 as Layout>::show(probed)
    }
}

/// Entries `E` in slots with a board of fingerprints, and no filter.
#[derive(Clone, Copy, Debug)]
pub struct Board<E>(PhantomData<E>);

/// What slots with a board are made of, for each entry: their trait is not for all at once.
macro_rules! boards {
    ($($entry:ident)*) => { $(
        impl Layout for Board<$entry> {
            type Entry = $entry;
            type Slots<M: Memory> = BoardSlots<M::W32, <$entry as Entry>::Words<M>>;

            const ARRAYS: &'static [(&'static str, u32)] = &[("slots", $entry::WIDTH), ("board", 32)];

            fn slots<M: Memory>(m: M) -> Self::Slots<M> {
                BoardSlots::new(m.w32(1), $entry::words(m, 0))
            }
            /// Its byte of the board says so.
            fn is_taken<M: Memory>(m: M, at: usize) -> bool {
                m.w32(1).load(at / BOARD_SLOTS, ReadOrder::Relaxed) >> (8 * (at % BOARD_SLOTS)) & 0xff != 0
            }
            fn show(probed: u128) -> String {
                show::<$entry>(Word::from_bits(probed))
            }
            /// Nothing is said of any slot at first.
            fn array((name, width): (&'static str, u32), slots: usize) -> Array {
                match name {
                    "board" => Array::new(name, width, vec![0; board_words(slots)]),
                    _ => Array::ones(name, width, slots),
                }
            }
            /// A fingerprint stays.
            fn changes(old: u128, new: u128) -> bool {
                let byte = |word: u128, slot: usize| word >> (8 * slot) & 0xff;
                (0..BOARD_SLOTS).all(|slot| [0, byte(new, slot)].contains(&byte(old, slot)))
            }
        }
    )* };
}
boards! { Key32 Key64 Pair32 Pair64 }

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::View;
    use crate::check::seq::{SeqMemory, SeqWarp};
    use crate::scenarios::home::SEED;
    use warpproof_model::open::{Change, OnPresent, write_board};
    use warpproof_model::retrieve::{SlotArray, Source};
    use warpproof_model::{Delete, Insert, Update, WriteOrder};

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
            assert_eq!(
                slots.change(0, 5, Change::Put(Pair64::pack(5, u64::MAX), OnPresent::Update(Update::Add))),
                5
            );
            // Relaxed: no other warp runs.
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

    /// What a board says by itself: of each key whether it may be there, and as it is written anew from
    /// slots. Three buckets of four slots, keys that go on to others, and some that were deleted.
    #[test]
    fn a_board_says_what_its_slots_hold() {
        const BUCKETS: u32 = 3;
        const SLOTS: usize = 4 * BUCKETS as usize;
        let board = |name| Array::new(name, 32, vec![0; board_words(SLOTS)]);
        let memory = SeqMemory::new(&[Array::ones("slots", 128, SLOTS), board("board"), board("anew")]);
        let checked = memory.guard(|m| {
            let (w, user) =
                (&mut SeqWarp::<1>::default(), |key: u64| UserKey::new(key).expect("a user's key"));
            let slots = Board::<Pair64>::slots(m);
            let table = OpenTable::<Pair64, _, (), DoubleHashing, 4>::new(slots, (), BUCKETS, SEED);
            for key in 0..10 {
                assert!(!table.may_hold(user(key)) || table.search(w, user(key)).is_none(), "key {key}");
                assert_eq!(table.insert_unique(w, user(key), key), Insert::Inserted);
                assert!((0..=key).all(|key| table.may_hold(user(key))), "after key {key}");
            }
            assert_eq!(table.delete(w, user(3)), Delete::Deleted);
            // Two slots are empty, so a key that is absent comes to an end; most of them at once.
            let absent = (10..1000).filter(|&key| !table.may_hold(user(key))).count();
            assert!(absent > 900, "{absent} of 990 absent keys");
            assert!((10..1000).all(|key| table.search(w, user(key)).is_none()));

            // Relaxed: no other warp runs.
            let words = |array: usize| {
                (0..board_words(SLOTS))
                    .map(|word| m.w32(array).load(word, ReadOrder::Relaxed))
                    .collect::<Vec<_>>()
            };
            (0..board_words(SLOTS)).for_each(|word| write_board::<Pair64>(m.w128(0), m.w32(2), word, SEED));
            let bytes = |words: Vec<u32>| words.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<_>>();
            let (written, anew) = (bytes(words(1)), bytes(words(2)));
            for (at, (written, anew)) in written.into_iter().zip(anew).enumerate() {
                // The key of a tombstone is not known any more: no other one takes its slot.
                let tombstone = m.w128(0).load(at, ReadOrder::Relaxed) == Pair64::MARK;
                assert!(if tombstone { written != 0 && anew != 0 } else { written == anew }, "slot {at}");
            }
        });
        checked.expect("no error");
    }
}
