//! The operations, and the tables that have them.

use super::Structure;

/// Capabilities of tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Can {
    /// The operations of every map.
    Map,
    /// The operations of every set.
    Set,
    /// Work on all pairs of a key.
    Matches,
    /// Keep several pairs of a key.
    Multimap,
    /// Add to values.
    Counter,
    /// Copy entries in the order of their slots.
    Order,
    /// Reclaim the slots of deleted entries, with exclusive use.
    Flush,
    /// Move all entries to a table of another size, with exclusive use.
    Rehash,
    /// Grow while other threads use the table.
    Grow,
    /// Be saved to a file, and opened.
    Save,
    /// Keep a part of a table in memory of a limited size.
    Paged,
}

/// The capabilities of every table.
const ALL: &[Can] = &[Can::Map, Can::Set];

/// Each operation, with the capabilities of which it needs one.
const OPERATIONS: &[(&str, &[Can])] = &[
    ("insert", &[Can::Multimap, Can::Set]),
    ("insert_unique", &[Can::Map]),
    ("insert_or_assign", &[Can::Map]),
    ("insert_or_add", &[Can::Counter]),
    ("insert_if", ALL),
    ("insert_and_find", &[Can::Map]),
    ("try_extend", ALL),
    ("search", &[Can::Map]),
    ("search_all", &[Can::Matches]),
    ("contains", ALL),
    ("contains_if", ALL),
    ("count", &[Can::Map]),
    ("delete", ALL),
    ("delete_all", &[Can::Matches]),
    ("mixed", &[Can::Map]),
    ("retrieve_all", ALL),
    ("for_each", ALL),
    ("retrieve_all_in_order", &[Can::Order]),
    ("len", ALL),
    ("is_empty", ALL),
    ("stats", ALL),
    ("geometry", ALL),
    ("clear", ALL),
    ("flush", &[Can::Flush]),
    ("rehash", &[Can::Rehash]),
    ("reserve", &[Can::Grow]),
    ("shrink", &[Can::Grow]),
    ("save", &[Can::Save]),
    ("paging", &[Can::Paged]),
    ("retrieve_to", &[Can::Paged]),
];

/// The operations of a structure: those of any of its tables.
pub(crate) fn operations(structure: &Structure) -> Vec<&'static str> {
    let can = |needs: &[Can]| {
        let mut all = structure.tables.iter().flat_map(|tables| tables.can);
        all.any(|can| needs.contains(can))
    };
    let all = OPERATIONS.iter().filter(|(_, needs)| can(needs)).map(|&(name, _)| name);
    all.chain(structure.on_one.iter().copied()).collect()
}
