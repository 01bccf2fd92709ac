//! The size and the statistics of a wait-free table.

use super::{MOST_NODES, MOST_WARPS};
use crate::host::{Refused, at_most};

/// The number of buckets and nodes of a table, the size of a node, and how many warps run at one time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaitFreeGeometry {
    /// Words per node, including the link: the lanes of a warp times the words that each lane reads.
    pub node_words: u32,
    /// Buckets, each a chain of nodes.
    pub buckets: u32,
    /// Nodes of the pool: those in chains, and those that updates need for replacements.
    pub nodes: u32,
    /// Warps that can run at one time.
    pub warps: u32,
    /// The expected number of entries, or 0 if unknown; the table may hold more. A batch on a GPU needs fewer
    /// passes if most chains are expected to have one node.
    pub entries: u64,
}

impl WaitFreeGeometry {
    /// The load factor of the first nodes that [`new`](Self::new) aims at. If a node has room for seven
    /// entries, one chain in 120 then has two nodes.
    pub const DEFAULT_LOAD: f64 = 0.4;

    /// Fewest warps that [`new`](Self::new) makes a table for. If a CPU has more threads, some of them wait.
    pub const FEWEST_WARPS: u32 = 256;
    /// Most warps that [`new`](Self::new) makes a table for: as many tiles of four lanes as run at one time
    /// on an H100.
    pub const DEFAULT_WARPS: u32 = 1 << 15;

    /// Nodes per warp in addition to those of the entries: each warp keeps a stash of free nodes.
    const NODES_PER_WARP: u64 = 4;

    /// Fewest warps that [`for_batches`](Self::for_batches) makes a table for.
    const FEWEST_TILES: u32 = 1 << 12;
    /// Nodes of such a table in addition to those of the entries.
    const NODES_OF_BATCHES: u64 = Self::DEFAULT_WARPS as u64 * Self::NODES_PER_WARP;

    /// A table for `entries` entries, with a load factor of `load` in the first nodes.
    ///
    /// The pool has a node for each bucket, and three times as many as the entries fill. If entries are only
    /// inserted, all of them find room, whatever their keys are, unless chains are long: an update copies the
    /// nodes of a chain up to its own. A chain keeps a node that has lost most of its entries. So a table
    /// that was emptied unevenly may be full earlier. `load` is clamped to 0.01..=100.
    ///
    /// # Errors
    /// [`Refused::Nothing`] if a node has no room for an entry; [`Refused::TooLarge`] if the number of nodes
    /// overflows.
    pub fn new(entries: u64, load: f64, node_words: u32) -> Result<Self, Refused> {
        let warps = Self::of_entries(entries);
        Self::with(entries, load, node_words, (warps, warps as u64 * Self::NODES_PER_WARP))
    }

    /// A table for a GPU. However few the entries are, it has at least 4,096 warps, and 131,072 nodes for
    /// updates in addition to those of the entries. A batch is cut into parts with as many updates as there
    /// are nodes for, and small parts would be slow.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn for_batches(entries: u64, load: f64, node_words: u32) -> Result<Self, Refused> {
        let warps = Self::of_entries(entries).max(Self::FEWEST_TILES);
        Self::with(entries, load, node_words, (warps, Self::NODES_OF_BATCHES))
    }

    /// Number of warps of a table for so many entries.
    fn of_entries(entries: u64) -> u32 {
        (entries / 64).clamp(Self::FEWEST_WARPS.into(), Self::DEFAULT_WARPS.into()) as u32
    }

    /// A table for so many warps, with so many nodes for unpublished chains.
    fn with(
        entries: u64,
        load: f64,
        node_words: u32,
        (warps, of_warps): (u32, u64),
    ) -> Result<Self, Refused> {
        let load = if load.is_nan() { Self::DEFAULT_LOAD } else { load.clamp(0.01, 100.0) };
        if node_words < 2 {
            return Err(Refused::Nothing { what: "place" });
        }
        let places = node_words as u64 - 1;
        let buckets = ((entries as f64 / load) as u64).div_ceil(places).max(1);
        let nodes =
            buckets.saturating_add(entries.div_ceil(places).saturating_mul(3)).saturating_add(of_warps);
        countable(nodes)?;
        Ok(Self { node_words, buckets: buckets as u32, nodes: nodes as u32, warps, entries })
    }

    /// Checks that a table with nodes of `node_words` words can have this size.
    ///
    /// # Errors
    /// [`Refused::NodeWords`] if the size is for other nodes; [`Refused::Nothing`] if a number is 0;
    /// [`Refused::TooLarge`] if one is too large.
    pub fn admit(self, node_words: u32) -> Result<(), Refused> {
        if self.node_words != node_words {
            return Err(Refused::NodeWords { found: self.node_words, expected: node_words });
        }
        for (what, found) in [("bucket", self.buckets), ("node", self.nodes), ("warp", self.warps)] {
            if found == 0 {
                return Err(Refused::Nothing { what });
            }
        }
        at_most("warps", self.warps as u64, MOST_WARPS as u64)?;
        countable(self.nodes as u64)
    }

    /// Number of entries that fit a node.
    pub const fn node_entries(self) -> u32 {
        self.node_words - 1
    }

    /// Places for entries in all nodes.
    pub const fn places(self) -> u64 {
        self.nodes as u64 * self.node_entries() as u64
    }

    /// Whether chains of more than one node are expected: at least seven entries for twelve places of the
    /// first nodes, or an unknown number of entries.
    pub const fn has_chains(self) -> bool {
        let places = self.buckets as u64 * self.node_entries() as u64;
        self.entries == 0 || self.entries.saturating_mul(12) >= places.saturating_mul(7)
    }

    /// Number of nodes that a warp takes for its stash at once: at least one, and otherwise so many that the
    /// stashes of all warps together hold at most a quarter of the pool.
    pub const fn stash(self) -> u32 {
        let nodes = self.nodes / (4 * self.warps);
        if nodes < 1 {
            1
        } else if nodes > 32 {
            32
        } else {
            nodes
        }
    }
}

/// Checks that a head can count so many nodes.
const fn countable(nodes: u64) -> Result<(), Refused> {
    at_most("nodes", nodes, MOST_NODES as u64)
}

/// Statistics of a table.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct WaitFreeStats {
    /// Live entries.
    pub live: u64,
    /// Nodes in chains.
    pub nodes: u64,
    /// Nodes of the longest chain.
    pub longest: u32,
}

impl WaitFreeStats {
    /// Adds a chain of so many entries and nodes.
    pub fn add(&mut self, entries: u32, nodes: u32) {
        self.live += entries as u64;
        self.nodes += nodes as u64;
        self.longest = self.longest.max(nodes);
    }

    /// Adds the chains of other statistics.
    #[must_use]
    pub fn merge(self, other: &Self) -> Self {
        Self {
            live: self.live + other.live,
            nodes: self.nodes + other.nodes,
            longest: self.longest.max(other.longest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_a_node_for_each_bucket_and_three_times_those_of_the_entries() {
        let size = WaitFreeGeometry::new(10_000_000, WaitFreeGeometry::DEFAULT_LOAD, 8).unwrap();
        assert_eq!((size.buckets, size.warps), (3_571_429, 1 << 15));
        assert_eq!(size.nodes, 3_571_429 + 3 * 1_428_572 + 4 * (1 << 15));
        assert!(size.stash() == 32 && size.stash() * size.warps * 4 <= size.nodes);
        assert_eq!(size.admit(8), Ok(()));
        let none = WaitFreeGeometry::new(0, 0.5, 8).unwrap();
        assert_eq!((none.buckets, none.warps, none.stash()), (1, 256, 1));
    }

    #[test]
    fn a_table_for_batches_has_spare_nodes_however_few_its_entries() {
        let size = WaitFreeGeometry::for_batches(10, 0.5, 8).unwrap();
        assert_eq!((size.buckets, size.nodes, size.warps), (3, 3 + 3 * 2 + (1 << 17), 1 << 12));
        assert_eq!(size.stash(), 8);
        let large = WaitFreeGeometry::new(10_000_000, 0.5, 8);
        assert_eq!(WaitFreeGeometry::for_batches(10_000_000, 0.5, 8), large);
        let has_chains = |load| WaitFreeGeometry::for_batches(1_000_000, load, 8).unwrap().has_chains();
        assert_eq!([0.1, 0.4, 0.55, 0.6, 2.0].map(has_chains), [false, false, false, true, true]);
        let few = |entries| WaitFreeGeometry::for_batches(entries, 0.4, 8).unwrap().has_chains();
        assert_eq!([1, 2, 3, 8, 10].map(few), [false; 5]);
        assert!(WaitFreeGeometry { entries: 0, ..size }.has_chains(), "nothing is known of them");
    }

    #[test]
    fn sizes_that_no_table_has_are_refused() {
        let new = |entries, load, words| WaitFreeGeometry::new(entries, load, words).unwrap_err();
        assert_eq!(new(1, 0.5, 1), Refused::Nothing { what: "place" });
        assert!(matches!(new(u64::MAX, 0.5, 8), Refused::TooLarge { what: "nodes", .. }));
        let size = WaitFreeGeometry { node_words: 8, buckets: 1, nodes: 1, warps: 1, entries: 1 };
        assert_eq!(size.admit(8), Ok(()));
        assert_eq!(size.admit(16), Err(Refused::NodeWords { found: 8, expected: 16 }));
        assert_eq!(
            WaitFreeGeometry { buckets: 0, ..size }.admit(8),
            Err(Refused::Nothing { what: "bucket" })
        );
        let many = WaitFreeGeometry { warps: MOST_WARPS + 1, ..size };
        assert!(matches!(many.admit(8), Err(Refused::TooLarge { what: "warps", .. })));
        let nodes = WaitFreeGeometry { nodes: MOST_NODES + 1, ..size };
        assert!(matches!(nodes.admit(8), Err(Refused::TooLarge { what: "nodes", .. })));
    }
}
