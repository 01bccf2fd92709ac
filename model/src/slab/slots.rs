//! The representation of a slot of a slab: the part of the slab hash that differs between entry types.
//!
//! A slot belongs to one key from the moment it is taken until a flush: its life is *empty -> pair -> (pair
//! of the same key)\* -> tombstone*. All claims of the chain protocol rest on that and on slots being taken
//! in chain order.

use super::multiplicity::Multiplicity;
use crate::key::Key;
use crate::memory::{Word, Words};
use crate::reclaim::NodeIndex;

/// The last word of a slab: the next slab of the chain, or nil.
///
/// Layout: the low 32 bits of the word; all ones is nil. Wider words keep their other bits set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link(u32);

impl Link {
    /// No next slab.
    pub const NIL: Self = Self(u32::MAX);

    /// A link to `slab`.
    #[inline(always)]
    pub const fn to(slab: NodeIndex) -> Self {
        Self(slab.0)
    }

    /// The next slab, if there is one.
    #[inline(always)]
    pub const fn next(self) -> Option<NodeIndex> {
        if self.0 == Self::NIL.0 { None } else { Some(NodeIndex(self.0)) }
    }

    /// The link in a slab's last word.
    #[inline(always)]
    pub fn from_word<T: Word>(word: T) -> Self {
        Self(word.to_bits() as u32)
    }

    /// The slab's last word for this link.
    #[inline(always)]
    pub fn into_word<T: Word>(self) -> T {
        T::from_bits(u128::MAX << 32 | self.0 as u128)
    }
}

/// A change of a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// Empty to a pair.
    Fill,
    /// A pair to another pair of the same key.
    Assign,
    /// A pair to a tombstone.
    Erase,
}

/// One way to store entries in slabs.
///
/// The methods with a place run in one lane. `at` is the index of a slot: slab index times slots per slab
/// plus the slot's number. `seen` is the slot's word as this warp read it.
pub trait Slots: Copy {
    /// Key of an entry.
    type Key: Key;
    /// Value of an entry; `()` in a set.
    type Value: Word;
    /// The word that a probe reads of a slot.
    type Word: Word;
    /// Whether a key may have several pairs.
    type Multiplicity: Multiplicity;
    /// The handle that probes read.
    type Probe: Words<Self::Word>;

    /// Whether [`Slots::is_pending`] can ever be true.
    const PENDING: bool;

    /// Whether [`Slots::value`] depends only on the word, so that every lane may call it.
    const VALUE_IN_WORD: bool;

    /// The words that probes read: one per slot, the last of each slab its link.
    fn probe(self) -> Self::Probe;

    /// The slot was never taken.
    fn is_empty(word: Self::Word) -> bool;

    /// The slot holds a live entry of `key`.
    fn holds(word: Self::Word, key: Self::Key) -> bool;

    /// An insert, of some key, has taken the slot and has not made the entry visible yet.
    fn is_pending(word: Self::Word) -> bool;

    /// The slot's entry was deleted.
    fn is_tombstone(word: Self::Word) -> bool;

    /// The key of a live entry; a reserved one for every other word.
    fn key(seen: Self::Word) -> Self::Key;

    /// The value of the live entry `seen`.
    fn value(self, at: usize, seen: Self::Word) -> Self::Value;

    /// Changes the slot, which held `seen`: fills it with the entry of `key` and `value`, gives its entry
    /// that value, or makes it a tombstone. False: the slot had changed, and this call changed nothing.
    fn change(self, at: usize, seen: Self::Word, change: Change, key: Self::Key, value: Self::Value) -> bool;

    /// Sets the link at `at` from nil to `slab`. Returns the link that is there afterwards.
    fn publish(self, at: usize, slab: NodeIndex) -> Link;

    /// Flush only, one warp per bucket: copies the live entry `seen` from one slot to another.
    fn relocate(self, from: usize, to: usize, seen: Self::Word);

    /// Flush only: makes a slot empty, or a link nil.
    fn reset(self, at: usize);
}
