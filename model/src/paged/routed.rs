//! Child tables as one table: each key goes to its own.

use crate::at_lane::AtLane;
use crate::key::Key;
use crate::memory::Word;
use crate::outcome::{Add, Assign, Delete, Insert, Mixed, Op};
use crate::reserved::{AllKeys, AllKeysCounter};
use crate::update::Update;
use crate::warp::Warp;

/// The words of a child table: the addresses of its slots, of their values if those are separate words, and
/// of its filter; the two words of its seed.
pub const HEAD: usize = 5;

/// The child tables of a paged table.
pub trait Tables: Copy {
    /// Key of an entry.
    type Key: Key;
    /// Value of an entry.
    type Value: Word;
    /// A child table.
    type Table: AllKeys<Key = Self::Key, Value = Self::Value>;

    /// The child table to which a key belongs.
    fn of(self, key: Self::Key) -> Self::Table;
}

/// Child tables as one table: an operation on a key is that of its child table. It has no parts: to visit it,
/// visit the child tables, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Routed<C>(pub C);

/// Implements operations on a key by those of its child table.
macro_rules! routed {
    ($(fn $operation:ident$(<$w:ident>)?($($argument:ident: $type:ty),*) -> $to:ty;)*) => {
        $(#[inline(always)]
        fn $operation<W: Warp>(self, w: &mut W, $($argument: $type),*) -> $to {
            routed!(@call self, w, $operation, $($argument),*)
        })*
    };
    (@call $self:ident, $w:ident, mixed, $op:ident, $key:ident, $value:ident) => {
        $self.0.of($key).mixed($w, $op, $key, $value)
    };
    (@call $self:ident, $w:ident, try_mixed, $op:ident, $key:ident, $value:ident) => {
        $self.0.of($key).try_mixed($w, $op, $key, $value)
    };
    (@call $self:ident, $w:ident, $operation:ident, $key:ident $(, $value:ident)?) => {
        $self.0.of($key).$operation($w, $key $(, $value)?)
    };
}

impl<C: Tables> AllKeys for Routed<C> {
    type Key = C::Key;
    type Value = C::Value;

    routed! {
        fn insert_unique(key: C::Key, value: C::Value) -> Insert;
        fn insert_or_assign(key: C::Key, value: C::Value) -> Assign;
        fn search(key: C::Key) -> Option<C::Value>;
        fn count(key: C::Key) -> u32;
        fn delete(key: C::Key) -> Delete;
        fn mixed(op: Op, key: C::Key, value: C::Value) -> AtLane<W, Mixed<C::Value>>;
        fn try_mixed(op: Op, key: C::Key, value: C::Value) -> Option<AtLane<W, Mixed<C::Value>>>;
    }

    #[inline(always)]
    fn prefetch<W: Warp>(self, key: C::Key) {
        self.0.of(key).prefetch::<W>(key);
    }

    #[inline(always)]
    fn parts(self) -> u32 {
        0
    }

    #[inline(always)]
    fn live<W: Warp>(self, _: &mut W, _: u32) -> u32 {
        0
    }

    #[inline(always)]
    fn visit<W: Warp>(self, _: &mut W, _: u32, _: impl FnMut(&mut W, u32, C::Key, C::Value)) {}
}

impl<C: Tables<Table: AllKeysCounter>> AllKeysCounter for Routed<C> {
    #[inline(always)]
    fn insert_or_update<W: Warp>(self, w: &mut W, update: Update, key: C::Key, value: C::Value) -> Add {
        self.0.of(key).insert_or_update(w, update, key, value)
    }
}
