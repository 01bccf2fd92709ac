//! The operations of tables: here their names, and in a file for each family all ways to call them.
//!
//! A file of a family has the record of each operation ([`launch`]) and its forms: on device slices
//! ([`OnStream`](crate::OnStream)), on host slices through staging buffers ([`Staged`](crate::Staged)), and
//! those of tables that grow ([`dynamic`](crate::dynamic)). A trait of the interface that a family has to
//! itself is implemented there, too; those of all maps and of all sets are in `map.rs`, `set.rs` and
//! `dynamic/bulk.rs`. Operations of one structure only, and those of paged tables and of tables in shards,
//! are in the folders of these.
//!
//! Tables, staging buffers and ways of access use this file and `launch.rs`, and nothing else of the folder.

pub(crate) mod frozen;
pub(crate) mod launch;
pub(crate) mod mixed;
pub(crate) mod per_key;
pub(crate) mod put;
mod retrieve;
pub(crate) mod search;
pub(crate) mod update;

macro_rules! operations {
    ($($operation:ident $name:literal)*) => {
        /// An operation of a table.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Operation { $($operation),* }

        impl Operation {
            /// Whether it changes the table, one entry of a batch at a time.
            pub(crate) const fn updates(self) -> bool {
                matches!(self, Self::InsertUnique | Self::InsertOrAssign | Self::Delete | Self::Mixed)
            }

            /// All operations.
            pub(crate) const ALL: [Self; [$($name),*].len()] = [$(Self::$operation),*];

            /// The operation's part of a kernel's name.
            pub(crate) const fn name(self) -> &'static str {
                match self { $(Self::$operation => $name),* }
            }
        }
    };
}

operations! {
    Insert "insert"
    InsertUnique "insert_unique"
    InsertOrAssign "insert_or_assign"
    InsertOrUpdate "insert_or_update"
    Absorb "absorb"
    Delete "delete"
    DeleteAll "delete_all"
    Count "count"
    Search "search"
    SearchFrozen "search_frozen"
    FillFilter "fill_filter"
    SearchAll "search_all"
    Mixed "mixed"
    Flush "flush"
    Stats "stats"
    RetrieveAll "retrieve_all"
    RetrieveAllInOrder "retrieve_all_in_order"
    Scatter "scatter"
    ScatterAgain "scatter_again"
    Fill "fill"
    InsertOverflow "insert_overflow"
    InsertLost "insert_lost"
}

/// For the test that compares arguments with the PTX: the arguments of each operation, and the tables that
/// have it.
#[cfg(test)]
pub(crate) mod cases {
    use super::Operation::{self, *};
    use crate::arguments::{Arguments, Binned, Columns, Head, Said, Span};
    use crate::layout::{Layout, Scalar};
    use crate::table::Family;
    use warpproof_model::Update;
    use warpproof_model::open::bulk::TALLY;
    use warpproof_model::partition::{FanOut, Partitioning};

    /// Bins of a level, the bytes and number of entries of a block, and a tally.
    pub(crate) const FAN: (FanOut, u32, u32) = (FanOut::new(0, 2, Partitioning::new(9)), 1 << 14, 1 << 11);
    /// A bin of the last level: buckets, bytes and slots.
    pub(crate) const BIN: (u32, u32, u32) = (9, 1 << 15, 1 << 12);
    pub(crate) fn binned() -> Binned {
        Binned { words: 1 << 17, numbers: 1 << 20, len: 8, taken: Span::new(1 << 18, 2), room: 4 }
    }
    pub(crate) fn said() -> Said {
        Said::tally(Span::new(1 << 19, TALLY)).expect("the words of a tally")
    }

    /// The arguments of an operation, as the launches make them, on a table of values of type `V`, or on a
    /// set.
    pub(crate) fn of<V: Scalar>(head: &Head, set: bool, operation: Operation) -> Arguments {
        let keys = Span::<V>::new(1 << 10, 3);
        let (codes, counts) = (Span::<u8>::new(1 << 12, 3), Span::<u32>::new(1 << 13, 3));
        let (one, values) = (Span::<u64>::new(1 << 14, 1), (!set).then_some(keys));
        let columns = || if set { Ok(Columns::of_keys(keys)) } else { Columns::of_pairs(keys, keys) };
        match operation {
            InsertUnique | Search if set => head.per_key(keys, codes),
            SearchFrozen if set => head.per_key(keys, codes).map(|on| on.filtered(one)),
            Insert | InsertUnique | InsertOrAssign => head.put(keys, keys, codes),
            InsertOrUpdate => head.update(Update::Add, keys, keys, codes),
            // As many arrays as the table itself has.
            Absorb => head.absorb(&[(1 << 20, 8), (1 << 22, 8)][..head.list.len() - 6], 3, one),
            Delete => head.per_key(keys, codes),
            DeleteAll | Count => head.number(keys, counts),
            Search => head.search(keys, values, Some(codes), V::ONES),
            SearchFrozen => head.search(keys, values, Some(codes), V::ONES).map(|on| on.filtered(one)),
            FillFilter => Ok(head.fill_filter(one)),
            SearchAll => head.search_all(keys, Span::new(1 << 15, 4), keys, counts),
            Mixed => head.mixed(codes, keys, keys, codes, keys),
            Flush => head.flush(one),
            Stats => head.stats(Span::new(1 << 15, head.numbers)),
            RetrieveAll => head.retrieve_all(keys, values, one, None),
            RetrieveAllInOrder => {
                head.retrieve_all(keys, values, one, Some(Span::new(1 << 16, head.chunk_words())))
            }
            Scatter => columns().map(|columns| head.scatter(&columns, FAN, binned(), said())),
            ScatterAgain => Ok(head.scatter_again((binned(), 1), FAN, binned(), said(), (2, 512))),
            Fill => Ok(head.fill(BIN, (binned(), binned()), said())),
            InsertOverflow => Ok(head.insert_overflow(binned(), said())),
            InsertLost => columns().map(|columns| head.insert_lost(&columns, said())),
        }
        .expect("the lengths are right")
    }

    pub(crate) fn is_multi(layout: Layout) -> bool {
        matches!(layout, Layout::Multi32 | Layout::Multi64 | Layout::Multi64Lock)
    }

    /// Whether the tables of a family have an operation.
    pub(crate) fn has(family: &Family, operation: Operation) -> bool {
        let (slabs, buckets) = (family.structure == "slab", matches!(family.structure, "open" | "cuckoo"));
        let set = family.layout.is_set();
        match operation {
            Insert => slabs && is_multi(family.layout),
            InsertOrAssign | Mixed => !set,
            DeleteAll | Count | SearchAll => slabs && !set,
            Flush => slabs,
            InsertOrUpdate => (buckets || matches!(family.structure, "paged" | "board")) && !set,
            Absorb | RetrieveAllInOrder => buckets,
            SearchFrozen | FillFilter => family.structure == "open" && !family.layout.lock_word(),
            Scatter | ScatterAgain | Fill | InsertOverflow | InsertLost => family.structure == "open",
            InsertUnique | Delete | Search | Stats | RetrieveAll => true,
        }
    }
}
