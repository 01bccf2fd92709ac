//! The child tables of a paged table, as in [`paged`](super::paged), with a board of fingerprints in device
//! memory for all of them.

use super::paged::Heads;
use crate::entry::Sifts;
use crate::store::{Reserved, Store, slots, store};
use core::marker::PhantomData;
use warpproof_model::entry::Packed;
use warpproof_model::open::{BoardSlots, BoundedStride, OpenSlots, OpenTable, board_words};
use warpproof_model::paged::routed::{Routed, Tables};
use warpproof_model::reserved::{AllKeys, WithSlots};
use warpproof_model::slab::Multiplicity;
use warpproof_model::{Seed, UserKey, Words};

/// Slots of a child table, with their part of the board.
type Slots<E> = BoardSlots<Store<u32>, Store<<E as Packed>::Word>>;
/// A child table. It has a board instead of a filter.
type Child<E, const S: usize> = WithSlots<OpenTable<E, Slots<E>, (), BoundedStride, S>, Reserved<E>>;

/// Child tables of entries in one word each.
#[derive(Clone, Copy)]
pub(crate) struct BoardTables<E, const S: usize> {
    heads: Heads,
    board: *mut u32,
    entry: PhantomData<E>,
}

impl<E: Packed, const S: usize> Tables for BoardTables<E, S>
where
    Store<E::Word>: Words<E::Word>,
    Slots<E>: OpenSlots<E>,
    Child<E, S>: AllKeys<Key = E::Key, Value = E::Value>,
{
    type Key = E::Key;
    type Value = E::Value;
    type Table = Child<E, S>;

    #[inline(always)]
    fn of(self, key: E::Key) -> Child<E, S> {
        let (child, [words, _, _, mask, factor]) = self.heads.of(key);
        let words_of_each = board_words(self.heads.len);
        // SAFETY: the memory of a child table, and so many words of the board for each, as the contract of
        // the kernel says.
        let ((words, reserved), board) = unsafe {
            let board = store(self.board.add(child * words_of_each), words_of_each);
            (slots::<E>(words as *mut E::Word, self.heads.len), board)
        };
        let seed = Seed::from_words([mask, factor]);
        WithSlots::new(OpenTable::new(BoardSlots::new(board, words), (), self.heads.buckets, seed), reserved)
    }
}

/// Child tables of entries in one word each. `len` is the number of words of one child table.
#[inline(always)]
pub(crate) fn packed<E: Packed, M: Multiplicity, const S: usize>(
    heads: *const u64,
    (children, seed): (u32, Seed),
    (len, board, buckets): (usize, *mut u32, u32),
) -> Routed<BoardTables<E, S>> {
    const { assert!(!M::MULTI, "this structure has no multimaps") };
    let heads = Heads { heads, children, seed, len, filter_len: 0, buckets };
    Routed(BoardTables { heads, board, entry: PhantomData })
}

impl<E: Packed, const S: usize> Sifts for Routed<BoardTables<E, S>>
where
    Store<E::Word>: Words<E::Word>,
    Slots<E>: OpenSlots<E>,
    Child<E, S>: AllKeys<Key = E::Key, Value = E::Value>,
{
    #[inline(always)]
    fn may_hold(self, key: E::Key) -> bool {
        // The board has no reserved keys.
        UserKey::new(key).is_none_or(|of_user| self.0.of(key).table().may_hold(of_user))
    }
}
