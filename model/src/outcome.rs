//! The outcomes of operations. Their numbers are the codes that a GPU kernel writes per operation.

use crate::memory::Word;

macro_rules! outcome {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $code:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum $name { $($(#[$vdoc])* $variant = $code),* }

        impl $name {
            /// The code of this value.
            #[inline(always)]
            pub const fn code(self) -> u8 {
                self as u8
            }

            /// The value of a code, if it has one.
            #[inline(always)]
            pub const fn from_code(code: u8) -> Option<Self> {
                match code { $($code => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

pub(crate) use outcome;

outcome! {
    /// Outcome of an insert.
    Insert {
        /// The pair was stored.
        Inserted = 0,
        /// The key was there; nothing changed. Only for a unique insert.
        Present = 1,
        /// There was no room: no slab in the pool, or no slot for the key. No pair changed.
        Full = 2,
    }
}

outcome! {
    /// Outcome of an insert-or-assign.
    Assign {
        /// The key was absent; the pair was stored.
        Inserted = 0,
        /// The key was there; its value was replaced.
        Replaced = 1,
        /// There was no room: no slab in the pool, or no slot for the key. No pair changed.
        Full = 2,
    }
}

outcome! {
    /// Outcome of an insert-or-add, or of an insert-or-update.
    Add {
        /// The key was absent; the pair was stored.
        Inserted = 0,
        /// The key was there; the value was added to its value, or changed it as the
        /// [`Update`](crate::Update) says.
        Added = 1,
        /// There was no room: no slot for the key was empty. No pair changed.
        Full = 2,
    }
}

outcome! {
    /// Outcome of a delete.
    Delete {
        /// One pair of the key was deleted.
        Deleted = 0,
        /// The key was absent.
        Absent = 1,
    }
}

outcome! {
    /// An operation whose kind is a value. The numbers are the codes that a kernel reads.
    Op {
        /// Add a pair.
        Insert = 0,
        /// Add a pair if the key is absent.
        InsertUnique = 1,
        /// Add a pair or replace the value.
        Assign = 2,
        /// Delete one pair.
        Delete = 3,
        /// Look for a value.
        Search = 4,
    }
}

/// The answer to an [`Op`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mixed<V> {
    /// The code of the [`Insert`], [`Assign`] or [`Delete`] outcome; for a search 1 if it found its key,
    /// otherwise 0.
    pub code: u8,
    /// The value that a search found, otherwise zero.
    pub value: V,
}

impl<V: Word> Mixed<V> {
    /// The answer to an operation that has no value.
    #[inline(always)]
    pub(crate) const fn of(code: u8) -> Self {
        Self { code, value: V::ZERO }
    }

    /// The answer to a search with this result.
    #[inline(always)]
    pub(crate) fn of_search(found: Option<V>) -> Self {
        match found {
            Some(value) => Self { code: 1, value },
            None => Self::of(0),
        }
    }
}

/// The code of an operation that a baseline has not run, as it cannot hold the key.
pub const RESERVED_KEY: u8 = 255;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_says_whether_it_found_its_key() {
        assert_eq!(Mixed::of_search(Some(7u32)), Mixed { code: 1, value: 7 });
        assert_eq!(Mixed::of_search(None), Mixed { code: 0, value: 0u32 });
    }

    #[test]
    fn codes_round_trip() {
        for code in 0..=255 {
            if let Some(o) = Insert::from_code(code) {
                assert_eq!(o.code(), code);
            }
            if let Some(o) = Assign::from_code(code) {
                assert_eq!(o.code(), code);
            }
            if let Some(o) = Add::from_code(code) {
                assert_eq!(o.code(), code);
            }
            if let Some(o) = Delete::from_code(code) {
                assert_eq!(o.code(), code);
            }
        }
        assert_eq!(Insert::from_code(RESERVED_KEY), None);
        assert_eq!(Delete::from_code(2), None);
    }
}
