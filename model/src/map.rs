//! The operations of every map of this crate, whatever its structure.

use crate::at_lane::AtLane;
use crate::entry::Packed;
use crate::key::{Key, UserKey};
use crate::memory::Word;
use crate::open::OpenSlots;
use crate::outcome::{Add, Assign, Delete, Insert, Mixed, Op};
use crate::retrieve::SlotArray;
use crate::update::Update;
use crate::warp::Warp;

/// The code of an operation that the kernel of [`WarpMap::try_mixed`] defers to a second kernel. It is not
/// the code of an outcome.
pub const DEFERRED: u8 = 253;

/// Operations among which a tile of that second kernel looks for deferred ones, one after the other.
pub const DEFERRED_SPAN: u32 = 32;

/// A handle to a concurrent map on which warps work, one operation each: a Copy view. With values of `()` it
/// is a set.
///
/// Kernels, grids of CPU warps and checkers are written against this if they work with several structures.
/// The meaning of an operation is common to all. The documentation of the structure says what it costs and
/// when it waits.
pub trait WarpMap: Copy {
    /// Key of an entry.
    type Key: Key;
    /// Value of an entry; `()` in a set.
    type Value: Word;

    /// Adds a pair if the key is absent.
    fn insert_unique<W: Warp>(self, w: &mut W, key: UserKey<Self::Key>, value: Self::Value) -> Insert;

    /// Adds a pair if the key is absent, otherwise replaces a value.
    fn insert_or_assign<W: Warp>(self, w: &mut W, key: UserKey<Self::Key>, value: Self::Value) -> Assign;

    /// The value of one pair of `key`, or `None` if it is absent.
    fn search<W: Warp>(self, w: &mut W, key: UserKey<Self::Key>) -> Option<Self::Value>;

    /// How many pairs of `key` there are: 0 or 1 in a map of unique keys.
    #[inline(always)]
    fn count<W: Warp>(self, w: &mut W, key: UserKey<Self::Key>) -> u32 {
        self.search(w, key).is_some().into()
    }

    /// Deletes one pair of `key`.
    fn delete<W: Warp>(self, w: &mut W, key: UserKey<Self::Key>) -> Delete;

    /// Runs an operation whose kind is a value. Returns the answer at the lane that has it. In a map of
    /// unique keys [`Op::Insert`] is a unique insert.
    ///
    /// Before another call of this warp, or a message about this one to another warp, call
    /// [`Warp::fence_acquire`], or end the launch. The operations of a batch have no order, so a kernel that
    /// runs several in a warp needs no fence between them.
    fn mixed<W: Warp>(
        self,
        w: &mut W,
        op: Op,
        key: UserKey<Self::Key>,
        value: Self::Value,
    ) -> AtLane<W, Mixed<Self::Value>>;

    /// Runs an operation like [`mixed`](Self::mixed), but only the common part of its code. `None` if the
    /// rest is needed: nothing has changed then, and `mixed` runs the operation whole. A kernel without that
    /// rest needs fewer registers and is faster; another kernel runs the few operations that are left.
    #[inline(always)]
    fn try_mixed<W: Warp>(
        self,
        w: &mut W,
        op: Op,
        key: UserKey<Self::Key>,
        value: Self::Value,
    ) -> Option<AtLane<W, Mixed<Self::Value>>> {
        Some(self.mixed(w, op, key, value))
    }

    /// Prefetches the memory that an operation on `key` accesses first. A hint.
    fn prefetch<W: Warp>(self, key: UserKey<Self::Key>);

    /// How many parts [`visit`](Self::visit) has: together they hold every entry once.
    fn parts(self) -> u32;

    /// How many entries part `part` holds.
    fn live<W: Warp>(self, w: &mut W, part: u32) -> u32;

    /// Passes every entry of part `part` to `sink` as (warp, number, key, value), numbered from 0. Exact if
    /// nothing changes meanwhile.
    fn visit<W: Warp>(self, w: &mut W, part: u32, sink: impl FnMut(&mut W, u32, Self::Key, Self::Value));
}

/// A map of unique keys that adds to values, and updates them in other ways.
pub trait CounterMap: WarpMap {
    /// Adds a pair if the key is absent, otherwise changes its value as `update` says, atomically.
    fn insert_or_update<W: Warp>(
        self,
        w: &mut W,
        update: Update,
        key: UserKey<Self::Key>,
        value: Self::Value,
    ) -> Add;

    /// Adds a pair if the key is absent, otherwise adds `value` to its value, modulo 2 to the bits of a
    /// value.
    #[inline(always)]
    fn insert_or_add<W: Warp>(self, w: &mut W, key: UserKey<Self::Key>, value: Self::Value) -> Add {
        self.insert_or_update(w, Update::Add, key, value)
    }
}

/// A map of unique keys in one array of slots, divided into buckets of equal size. A bucket is a part of
/// [`WarpMap::visit`].
pub trait BucketMap: CounterMap {
    /// The entry in a slot.
    type Entry: Packed<Key = Self::Key, Value = Self::Value>;
    /// The slots.
    type Slots: OpenSlots<Self::Entry>;

    /// The slots as one array.
    fn array(self) -> SlotArray<Self::Entry, Self::Slots>;

    /// Adds the entry of a slot of another table, none of whose keys is here. A slot without an entry adds
    /// nothing. `false` if there is no room for it.
    fn absorb<W: Warp>(self, w: &mut W, slot: <Self::Entry as Packed>::Word) -> bool;

    /// How many tombstones a bucket holds.
    fn bucket_tombstones<W: Warp>(self, w: &mut W, bucket: u32) -> u32;
}

/// Implements the operations of a [`WarpMap`] by the type's own methods of the same names; `tried`: it has a
/// `try_mixed`. `counter`, `buckets`: also those of a [`CounterMap`], of a [`BucketMap`].
macro_rules! by_own_methods {
    (buckets) => {
        #[inline(always)]
        fn array(self) -> SlotArray<Self::Entry, Self::Slots> {
            self.array()
        }
        #[inline(always)]
        fn absorb<W: Warp>(self, w: &mut W, slot: <Self::Entry as Packed>::Word) -> bool {
            self.absorb(w, slot)
        }
        #[inline(always)]
        fn bucket_tombstones<W: Warp>(self, w: &mut W, bucket: u32) -> u32 {
            self.bucket_tombstones(w, bucket)
        }
    };
    (counter) => {
        #[inline(always)]
        fn insert_or_update<W: Warp>(
            self,
            w: &mut W,
            update: $crate::update::Update,
            key: UserKey<Self::Key>,
            value: Self::Value,
        ) -> Add {
            self.insert_or_update(w, update, key, value)
        }
    };
    (tried) => {
        by_own_methods! {}
        #[inline(always)]
        fn try_mixed<W: Warp>(
            self,
            w: &mut W,
            op: Op,
            key: UserKey<Self::Key>,
            value: Self::Value,
        ) -> Option<AtLane<W, Mixed<Self::Value>>> {
            self.try_mixed(w, op, key, value)
        }
    };
    () => {
        #[inline(always)]
        fn insert_unique<W: Warp>(self, w: &mut W, key: UserKey<Self::Key>, value: Self::Value) -> Insert {
            self.insert_unique(w, key, value)
        }
        #[inline(always)]
        fn insert_or_assign<W: Warp>(self, w: &mut W, key: UserKey<Self::Key>, value: Self::Value) -> Assign {
            self.insert_or_assign(w, key, value)
        }
        #[inline(always)]
        fn search<W: Warp>(self, w: &mut W, key: UserKey<Self::Key>) -> Option<Self::Value> {
            self.search(w, key)
        }
        #[inline(always)]
        fn delete<W: Warp>(self, w: &mut W, key: UserKey<Self::Key>) -> Delete {
            self.delete(w, key)
        }
        #[inline(always)]
        fn mixed<W: Warp>(
            self,
            w: &mut W,
            op: Op,
            key: UserKey<Self::Key>,
            value: Self::Value,
        ) -> AtLane<W, Mixed<Self::Value>> {
            self.mixed(w, op, key, value)
        }
        #[inline(always)]
        fn prefetch<W: Warp>(self, key: UserKey<Self::Key>) {
            self.prefetch::<W>(key);
        }
        #[inline(always)]
        fn visit<W: Warp>(self, w: &mut W, part: u32, sink: impl FnMut(&mut W, u32, Self::Key, Self::Value)) {
            self.visit(w, part, sink);
        }
    };
}
pub(crate) use by_own_methods;
