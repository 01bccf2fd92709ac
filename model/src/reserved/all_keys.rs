//! A table, and the reserved keys beside it, as one map of all keys.

use crate::at_lane::AtLane;
use crate::key::{Key, UserKey};
use crate::map::{CounterMap, WarpMap};
use crate::memory::Word;
use crate::outcome::{Add, Assign, Delete, Insert, Mixed, Op};
use crate::update::Update;
use crate::warp::Warp;

/// A handle to a concurrent map in which every word is a key: a Copy view that every warp carries.
///
/// The operations have the meaning of those of [`WarpMap`]. Entries are visited with their own keys.
pub trait AllKeys: Copy {
    /// Key of an entry.
    type Key: Key;
    /// Value of an entry; `()` in a set.
    type Value: Word;

    /// Inserts a pair if the key, reserved or not, is absent: [`WarpMap::insert_unique`] for all keys.
    fn insert_unique<W: Warp>(self, w: &mut W, key: Self::Key, value: Self::Value) -> Insert;

    /// Inserts a pair or replaces the value: [`WarpMap::insert_or_assign`] for all keys.
    fn insert_or_assign<W: Warp>(self, w: &mut W, key: Self::Key, value: Self::Value) -> Assign;

    /// Returns the value of a key: [`WarpMap::search`] for all keys.
    fn search<W: Warp>(self, w: &mut W, key: Self::Key) -> Option<Self::Value>;

    /// Counts the pairs of a key: [`WarpMap::count`] for all keys.
    fn count<W: Warp>(self, w: &mut W, key: Self::Key) -> u32;

    /// Deletes the pair of a key: [`WarpMap::delete`] for all keys.
    fn delete<W: Warp>(self, w: &mut W, key: Self::Key) -> Delete;

    /// Runs an operation whose kind is known at run time: [`WarpMap::mixed`] for all keys.
    fn mixed<W: Warp>(
        self,
        w: &mut W,
        op: Op,
        key: Self::Key,
        value: Self::Value,
    ) -> AtLane<W, Mixed<Self::Value>>;

    /// Tries such an operation: [`WarpMap::try_mixed`] for all keys.
    fn try_mixed<W: Warp>(
        self,
        w: &mut W,
        op: Op,
        key: Self::Key,
        value: Self::Value,
    ) -> Option<AtLane<W, Mixed<Self::Value>>>;

    /// Prefetches what an operation on a key reads first: [`WarpMap::prefetch`] for all keys.
    fn prefetch<W: Warp>(self, key: Self::Key);

    /// Number of parts ([`WarpMap::parts`]): the part of the reserved keys, then those of the table.
    fn parts(self) -> u32;

    /// Number of live entries of a part: [`WarpMap::live`] for all keys.
    fn live<W: Warp>(self, w: &mut W, part: u32) -> u32;

    /// Passes the entries of a part to `sink`: [`WarpMap::visit`] for all keys.
    fn visit<W: Warp>(self, w: &mut W, part: u32, sink: impl FnMut(&mut W, u32, Self::Key, Self::Value));
}

/// Parts of the reserved keys, the first ones.
const RESERVED_PARTS: u32 = 1;

/// A map of all keys that adds to values, and updates them in other ways.
pub trait AllKeysCounter: AllKeys {
    /// Inserts a pair or changes the value: [`CounterMap::insert_or_update`] for all keys.
    fn insert_or_update<W: Warp>(self, w: &mut W, update: Update, key: Self::Key, value: Self::Value) -> Add;

    /// Inserts a pair or adds to the value: [`CounterMap::insert_or_add`] for all keys.
    #[inline(always)]
    fn insert_or_add<W: Warp>(self, w: &mut W, key: Self::Key, value: Self::Value) -> Add {
        self.insert_or_update(w, Update::Add, key, value)
    }
}

/// A table, and the reserved keys in slots of their own, by their [numbers](UserKey::of_reserved).
#[derive(Clone, Copy, Debug)]
pub struct WithSlots<T, R> {
    table: T,
    reserved: R,
}

impl<T, R> WithSlots<T, R> {
    /// All keys: the reserved ones in `reserved`, the others in `table`.
    #[inline(always)]
    pub const fn new(table: T, reserved: R) -> Self {
        Self { table, reserved }
    }
}

impl<T: Copy, R: Copy> WithSlots<T, R> {
    /// The table.
    #[inline(always)]
    pub const fn table(self) -> T {
        self.table
    }

    /// The map of the reserved keys.
    #[inline(always)]
    pub const fn reserved(self) -> R {
        self.reserved
    }
}

/// A table, and the reserved keys in a chain of their own, a table of the same kind, by their
/// [numbers](UserKey::of_reserved). An operation is compiled once, for both.
#[derive(Clone, Copy, Debug)]
pub struct WithChain<T> {
    table: T,
    reserved: T,
}

impl<T: WarpMap> WithChain<T> {
    /// All keys: the reserved ones in `reserved`, the others in `table`.
    #[inline(always)]
    pub const fn new(table: T, reserved: T) -> Self {
        Self { table, reserved }
    }

    /// The table.
    #[inline(always)]
    pub const fn table(self) -> T {
        self.table
    }

    /// The table of the reserved keys.
    #[inline(always)]
    pub const fn reserved(self) -> T {
        self.reserved
    }

    /// The table that has a part of [`AllKeys::visit`], and its number there.
    #[inline(always)]
    pub fn part(self, part: u32) -> (T, u32) {
        match part.checked_sub(RESERVED_PARTS) {
            None => (self.reserved, part),
            Some(part) => (self.table, part),
        }
    }

    /// The table that has a key, and the key there.
    #[inline(always)]
    pub fn of(self, key: T::Key) -> (T, UserKey<T::Key>) {
        match UserKey::new(key) {
            Some(key) => (self.table, key),
            None => (self.reserved, UserKey::of_reserved(key)),
        }
    }
}

/// The map that has a key, and the key in it, for an operation.
macro_rules! by_key {
    (slots $all:ident, $key:ident, |$map:ident, $own:ident| $operation:expr) => {
        match UserKey::new($key) {
            Some($own) => {
                let $map = $all.table;
                $operation
            }
            None => {
                let ($map, $own) = ($all.reserved, UserKey::of_reserved($key));
                $operation
            }
        }
    };
    (chain $all:ident, $key:ident, |$map:ident, $own:ident| $operation:expr) => {{
        let ($map, $own) = $all.of($key);
        $operation
    }};
}

/// Implements the operations of [`AllKeys`] by the map that has the key.
macro_rules! all_keys {
    ($how:ident) => {
        type Key = T::Key;
        type Value = T::Value;

        #[inline(always)]
        fn insert_unique<W: Warp>(self, w: &mut W, key: T::Key, value: T::Value) -> Insert {
            by_key!($how self, key, |map, key| map.insert_unique(w, key, value))
        }
        #[inline(always)]
        fn insert_or_assign<W: Warp>(self, w: &mut W, key: T::Key, value: T::Value) -> Assign {
            by_key!($how self, key, |map, key| map.insert_or_assign(w, key, value))
        }
        #[inline(always)]
        fn search<W: Warp>(self, w: &mut W, key: T::Key) -> Option<T::Value> {
            by_key!($how self, key, |map, key| map.search(w, key))
        }
        #[inline(always)]
        fn count<W: Warp>(self, w: &mut W, key: T::Key) -> u32 {
            by_key!($how self, key, |map, key| map.count(w, key))
        }
        #[inline(always)]
        fn delete<W: Warp>(self, w: &mut W, key: T::Key) -> Delete {
            by_key!($how self, key, |map, key| map.delete(w, key))
        }
        #[inline(always)]
        fn mixed<W: Warp>(
            self,
            w: &mut W,
            op: Op,
            key: T::Key,
            value: T::Value,
        ) -> AtLane<W, Mixed<T::Value>> {
            by_key!($how self, key, |map, key| map.mixed(w, op, key, value))
        }
        #[inline(always)]
        fn try_mixed<W: Warp>(
            self,
            w: &mut W,
            op: Op,
            key: T::Key,
            value: T::Value,
        ) -> Option<AtLane<W, Mixed<T::Value>>> {
            by_key!($how self, key, |map, key| map.try_mixed(w, op, key, value))
        }
        #[inline(always)]
        fn prefetch<W: Warp>(self, key: T::Key) {
            if let Some(key) = UserKey::new(key) {
                self.table.prefetch::<W>(key);
            }
        }
        #[inline(always)]
        fn parts(self) -> u32 {
            self.table.parts() + RESERVED_PARTS
        }
        #[inline(always)]
        fn live<W: Warp>(self, w: &mut W, part: u32) -> u32 {
            match part.checked_sub(RESERVED_PARTS) {
                None => self.reserved.live(w, part),
                Some(part) => self.table.live(w, part),
            }
        }
        #[inline(always)]
        fn visit<W: Warp>(
            self,
            w: &mut W,
            part: u32,
            sink: impl FnMut(&mut W, u32, T::Key, T::Value),
        ) {
            match part.checked_sub(RESERVED_PARTS) {
                None => visit_reserved(self.reserved, w, sink),
                Some(part) => self.table.visit(w, part, sink),
            }
        }
    };
}

impl<T: WarpMap, R: WarpMap<Key = T::Key, Value = T::Value>> AllKeys for WithSlots<T, R> {
    all_keys! { slots }
}

impl<T: WarpMap> AllKeys for WithChain<T> {
    all_keys! { chain }
}

impl<T: CounterMap, R: CounterMap<Key = T::Key, Value = T::Value>> AllKeysCounter for WithSlots<T, R> {
    #[inline(always)]
    fn insert_or_update<W: Warp>(self, w: &mut W, update: Update, key: T::Key, value: T::Value) -> Add {
        by_key!(slots self, key, |map, key| map.insert_or_update(w, update, key, value))
    }
}

/// Passes every entry of a map of reserved keys, which has one part, to `sink` as (warp, number, key, value),
/// with its own key.
#[inline(always)]
pub fn visit_reserved<R: WarpMap, W: Warp>(
    reserved: R,
    w: &mut W,
    mut sink: impl FnMut(&mut W, u32, R::Key, R::Value),
) {
    reserved.visit(w, 0, |w, number, key, value| sink(w, number, reserved_key(key), value));
}

/// The reserved key with a number.
#[inline(always)]
fn reserved_key<K: Key>(number: K) -> K {
    K::from_bits(K::FIRST_RESERVED.to_bits().wrapping_add(number.to_bits()))
}
