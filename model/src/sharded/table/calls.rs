//! The collective calls.

use super::error::Error;
use crate::sharded::lost::Lost;
use crate::update::Update;

macro_rules! calls {
    ($($(#[$doc:meta])* $call:ident = $name:literal, $width:literal $valued:literal;)*) => {
        /// A collective call of a table in shards. Its number is the code in messages.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Call { $($(#[$doc])* $call),* }

        impl Call {
            /// Its name, as users write it.
            pub(super) const fn name(self) -> &'static str {
                match self { $(Self::$call => $name),* }
            }

            /// The words of an item, and whether an answer has a value.
            pub(super) const fn shape(self) -> (u8, bool) {
                match self { $(Self::$call => ($width, $valued)),* }
            }
        }
    };
}
calls! {
    /// Ranks compare their seeds.
    New = "new", 1 false;
    /// Pairs.
    InsertUnique = "insert_unique", 2 false;
    /// Pairs.
    InsertOrAssign = "insert_or_assign", 2 false;
    /// Pairs.
    InsertOrAdd = "insert_or_add", 2 false;
    /// Pairs.
    InsertOrMin = "insert_or_update (min)", 2 false;
    /// Pairs.
    InsertOrMax = "insert_or_update (max)", 2 false;
    /// Pairs.
    InsertOrOr = "insert_or_update (or)", 2 false;
    /// Pairs.
    InsertOrAnd = "insert_or_update (and)", 2 false;
    /// Pairs.
    InsertOrXor = "insert_or_update (xor)", 2 false;
    /// Pairs.
    InsertOrFirst = "insert_or_update (first)", 2 false;
    /// Pairs.
    InsertOrLast = "insert_or_update (last)", 2 false;
    /// Pairs.
    Insert = "insert", 2 false;
    /// Keys of a set.
    InsertKey = "insert", 1 false;
    /// Keys.
    Search = "search", 1 true;
    /// Keys.
    Contains = "contains", 1 false;
    /// Keys.
    Count = "count", 1 true;
    /// Keys.
    Delete = "delete", 1 false;
    /// Keys.
    DeleteAll = "delete_all", 1 true;
    /// Keys, and which of their values.
    SearchAll = "search_all", 2 true;
    /// Keys, values and operations.
    Mixed = "mixed", 3 true;
    /// Numbers of entries.
    Len = "len", 1 false;
    /// Numbers of entries.
    Stats = "stats", 1 false;
    /// All entries of all shards.
    RetrieveAll = "retrieve_all", 2 false;
    /// Ranks have cleared their shards.
    Clear = "clear", 1 false;
    /// Ranks save their shards.
    #[cfg_attr(not(feature = "file"), expect(dead_code, reason = "files are a feature"))]
    Save = "save", 1 false;
}

impl Call {
    /// The call that changes values so. Each has a number of its own, so that ranks agree on it.
    pub(super) const fn updating(update: Update) -> Self {
        match update {
            Update::Add => Self::InsertOrAdd,
            Update::Min => Self::InsertOrMin,
            Update::Max => Self::InsertOrMax,
            Update::Or => Self::InsertOrOr,
            Update::And => Self::InsertOrAnd,
            Update::Xor => Self::InsertOrXor,
            Update::First => Self::InsertOrFirst,
            Update::Last => Self::InsertOrLast,
        }
    }

    /// The exchange is lost in this call.
    pub(super) const fn lost<E>(self, lost: Lost) -> Error<E> {
        Error::Lost { call: self.name(), lost }
    }
}
