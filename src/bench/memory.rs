//! The memory of a table after its build, and the inserts that found no room.

use super::published;
use crate::entry::Entry;
use crate::output::grouped;
use serde::Serialize;
use std::collections::BTreeMap;
use warpproof::any::{Geometry, Stats};
use warpproof::{BulkTable, Structure};

/// The memory of a table.
#[derive(Serialize)]
pub(crate) struct Memory {
    size: u32,
    load: f64,
    /// Inserts that found no room and stored nothing, in the round with most of them, by workload.
    full: BTreeMap<&'static str, u64>,
    #[serde(flatten)]
    held: Option<Held>,
}

/// The memory, by structure.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Held {
    Slabs {
        /// Bytes per pair of the slabs in chains.
        bytes_per_pair: f64,
        /// Bytes per pair in the published layout, if that layout has such entries.
        published_bytes_per_pair: Option<f64>,
        /// Bytes per pair of the slabs in chains and in the pool.
        reserved_bytes_per_pair: f64,
        longest_chain: u32,
    },
    Groups {
        /// All groups, home words included.
        bytes_per_pair: f64,
        /// How many pairs are 0, 1, ... groups after their home.
        distances: Vec<u64>,
    },
    Buckets {
        /// All slots, and the filter.
        bytes_per_pair: f64,
        /// The share of slots that are taken.
        taken: f64,
    },
    Nodes {
        /// Nodes in chains, and heads.
        bytes_per_pair: f64,
        /// Heads, and all nodes of the pool.
        reserved_bytes_per_pair: f64,
        longest_chain: u32,
    },
}

impl Held {
    /// The memory of a table of this size with these statistics; `None` if they are of different structures.
    fn new(entry: Entry, load: f64, geometry: Geometry, stats: &Stats) -> Option<Self> {
        let slot = entry.slot() as f64;
        let per_pair = |bytes: f64| bytes / stats.live().max(1) as f64;
        match (geometry, stats) {
            (Geometry::Slab(size), Stats::Slab(stats)) => Some(Self::Slabs {
                bytes_per_pair: stats.bytes_per_pair(size, entry.slot()),
                published_bytes_per_pair: published::bytes_per_pair(entry, load),
                reserved_bytes_per_pair: per_pair(size.slots() as f64 * slot),
                longest_chain: stats.longest,
            }),
            (Geometry::Hopscotch(size), Stats::Hopscotch(stats)) => Some(Self::Groups {
                bytes_per_pair: per_pair(size.words() as f64 * slot),
                distances: stats.distances.to_vec(),
            }),
            (Geometry::Open(size), Stats::Open(stats)) => Some(Self::Buckets {
                bytes_per_pair: per_pair(size.slots() as f64 * slot + size.filter_bytes() as f64),
                taken: stats.load(size),
            }),
            (Geometry::Paged(size), Stats::Paged(stats)) => Some(Self::Buckets {
                bytes_per_pair: per_pair((stats.child_bytes * u64::from(size.children)) as f64),
                taken: (stats.slots.live + stats.slots.tombstones) as f64 / size.slots() as f64,
            }),
            (Geometry::WaitFree(size), Stats::WaitFree(stats)) => {
                let heads = size.buckets as f64 * size_of::<u64>() as f64;
                let nodes = |nodes: u64| per_pair(nodes as f64 * size.node_words as f64 * slot + heads);
                Some(Self::Nodes {
                    bytes_per_pair: nodes(stats.nodes),
                    reserved_bytes_per_pair: nodes(size.nodes.into()),
                    longest_chain: stats.longest,
                })
            }
            _ => None,
        }
    }

    fn bytes_per_pair(&self) -> f64 {
        match *self {
            Self::Slabs { bytes_per_pair, .. }
            | Self::Groups { bytes_per_pair, .. }
            | Self::Buckets { bytes_per_pair, .. }
            | Self::Nodes { bytes_per_pair, .. } => bytes_per_pair,
        }
    }
}

impl Memory {
    /// The memory of a table that was built for `size` pairs at a load.
    pub(crate) fn new<T>(entry: Entry, (size, load): (u32, f64), table: &T) -> Result<Self, T::Error>
    where
        T: BulkTable<Structure: Structure<Geometry: Into<Geometry>, Stats: Into<Stats>>>,
    {
        let held = Held::new(entry, load, table.geometry().into(), &table.stats()?.into());
        Ok(Self { size, load, full: BTreeMap::new(), held })
    }

    /// The memory of a table that reports no statistics, or that nothing needed.
    pub(super) fn unknown((size, load): (u32, f64)) -> Self {
        Self { size, load, full: BTreeMap::new(), held: None }
    }

    /// Bytes of memory for each pair.
    pub(super) fn bytes_per_pair(&self) -> Option<f64> {
        self.held.as_ref().map(Held::bytes_per_pair)
    }

    /// The number of pairs, and the load.
    pub(super) fn at(&self) -> (u32, f64) {
        (self.size, self.load)
    }

    /// Records how many inserts of a workload found no room.
    pub(super) fn left_out(&mut self, workload: &'static str, full: u64) {
        if full > 0 {
            let most = self.full.entry(workload).or_default();
            *most = full.max(*most);
        }
    }

    /// The inserts of a workload that found no room, as text.
    pub(super) fn full(&self, workload: &str) -> String {
        match self.number_left_out(workload) {
            0 => String::new(),
            full => format!(", {} said Full", grouped(full)),
        }
    }

    /// Inserts of a workload that found no room.
    pub(super) fn number_left_out(&self, workload: &str) -> u64 {
        self.full.get(workload).copied().unwrap_or(0)
    }

    /// The memory in one line.
    pub(super) fn text(&self) -> String {
        let of = format!("{} pairs, load {}", grouped(self.size as u64), self.load);
        match &self.held {
            Some(Held::Slabs {
                bytes_per_pair,
                published_bytes_per_pair,
                reserved_bytes_per_pair,
                longest_chain,
            }) => {
                let published = published_bytes_per_pair
                    .map_or(String::new(), |bytes| format!(" (published layout {bytes:.2})"));
                format!(
                    "{of}: {bytes_per_pair:.2} bytes per pair in chains{published}, \
                     {reserved_bytes_per_pair:.2} with the pool, longest chain {longest_chain} slabs"
                )
            }
            Some(Held::Groups { bytes_per_pair, distances }) => {
                let live = distances.iter().sum::<u64>().max(1) as f64;
                let parts: Vec<String> =
                    distances.iter().map(|&n| format!("{:.1}", 100.0 * n as f64 / live)).collect();
                format!(
                    "{of}: {bytes_per_pair:.2} bytes per pair, {} % of them 0, 1, ... groups after their home",
                    parts.join(" ")
                )
            }
            Some(Held::Buckets { bytes_per_pair, taken }) => {
                let percent = 100.0 * taken;
                format!("{of}: {bytes_per_pair:.2} bytes per pair, {percent:.1} % of the slots are taken")
            }
            Some(Held::Nodes { bytes_per_pair, reserved_bytes_per_pair, longest_chain }) => format!(
                "{of}: {bytes_per_pair:.2} bytes per pair in chains, {reserved_bytes_per_pair:.2} with the pool, \
                 longest chain {longest_chain} nodes"
            ),
            None => of,
        }
    }
}
