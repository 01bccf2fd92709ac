//! Which operations there are, and which tables have them.

use super::Structure;

/// What tables can do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Can {
    /// What every map does.
    Map,
    /// What every set does.
    Set,
    /// Work on all pairs of a key.
    Matches,
    /// Keep several pairs of a key.
    Multimap,
    /// Add to values.
    Counter,
    /// Copy entries in the order of their slots.
    Order,
    /// Reclaim the slots of deleted entries, alone.
    Flush,
    /// Move all entries to a table of another size, alone.
    Rehash,
    /// Grow, beside other threads.
    Grow,
    /// Be saved to a file, and opened.
    Save,
    /// Keep a part of a table in memory of a limited size.
    Paged,
}

/// What every table does.
const ALL: &[Can] = &[Can::Map, Can::Set];

/// Each operation, with what tables can do of which one is needed for it.
const OPERATIONS: &[(&str, &[Can])] = &[
    ("insert", &[Can::Multimap, Can::Set]),
    ("insert_unique", &[Can::Map]),
    ("insert_or_assign", &[Can::Map]),
    ("insert_or_add", &[Can::Counter]),
    ("search", &[Can::Map]),
    ("search_all", &[Can::Matches]),
    ("contains", ALL),
    ("count", &[Can::Map]),
    ("delete", ALL),
    ("delete_all", &[Can::Matches]),
    ("mixed", &[Can::Map]),
    ("retrieve_all", ALL),
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
