//! The memory of a table after its build, and what it left out.

use super::entry::Entry;
use super::published;
use crate::output::grouped;
use serde::Serialize;
use std::collections::BTreeMap;
use warpproof::model::host::{HopscotchStats, OpenStats, SlabStats};
use warpproof::{HopscotchGeometry, OpenGeometry, SlabGeometry};

/// The memory of a table.
#[derive(Serialize)]
pub(crate) struct Memory {
    size: u32,
    load: f64,
    /// Inserts that found no room and stored nothing, in the round with most of them, by workload.
    full: BTreeMap<&'static str, u64>,
    #[serde(flatten)]
    held: Held,
}

/// What it is, by structure.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Held {
    Slabs {
        /// Slabs in chains.
        bytes_per_pair: f64,
        /// The same in the published layout, if that has such entries.
        published_bytes_per_pair: Option<f64>,
        /// Slabs in chains and in the pool.
        reserved_bytes_per_pair: f64,
        longest_chain: u32,
    },
    Groups {
        /// All groups, home words included.
        bytes_per_pair: f64,
        /// How many pairs stand 0, 1, ... groups behind their home.
        distances: Vec<u64>,
    },
    Buckets {
        /// All slots, and the filter.
        bytes_per_pair: f64,
        /// Slots that are taken, per slot.
        taken: f64,
    },
}

/// What a table says of its contents.
pub(crate) trait Contents {
    /// Its size.
    type Geometry: Copy;

    /// The memory of a table of this size with these contents.
    fn held(&self, entry: Entry, load: f64, geometry: Self::Geometry) -> Held;
}

impl Contents for SlabStats {
    type Geometry = SlabGeometry;

    fn held(&self, entry: Entry, load: f64, geometry: SlabGeometry) -> Held {
        let slot = entry.slot();
        Held::Slabs {
            bytes_per_pair: self.bytes_per_pair(geometry, slot),
            published_bytes_per_pair: published::bytes_per_pair(entry, load),
            reserved_bytes_per_pair: geometry.slots() as f64 * slot as f64 / self.live.max(1) as f64,
            longest_chain: self.longest,
        }
    }
}

impl Contents for HopscotchStats {
    type Geometry = HopscotchGeometry;

    fn held(&self, entry: Entry, _: f64, geometry: HopscotchGeometry) -> Held {
        let bytes = geometry.words() as f64 * entry.slot() as f64;
        Held::Groups { bytes_per_pair: bytes / self.live.max(1) as f64, distances: self.distances.to_vec() }
    }
}

impl Contents for OpenStats {
    type Geometry = OpenGeometry;

    fn held(&self, entry: Entry, _: f64, geometry: OpenGeometry) -> Held {
        let bytes = geometry.slots() as f64 * entry.slot() as f64 + geometry.filter_bytes() as f64;
        Held::Buckets { bytes_per_pair: bytes / self.live.max(1) as f64, taken: self.load(geometry) }
    }
}

impl Memory {
    /// The memory of a table that was built for `size` pairs at a load.
    pub(crate) fn new<C: Contents>(
        entry: Entry,
        (size, load): (u32, f64),
        geometry: C::Geometry,
        contents: &C,
    ) -> Self {
        Self { size, load, full: BTreeMap::new(), held: contents.held(entry, load, geometry) }
    }

    /// So many inserts of a workload found no room.
    pub(super) fn left_out(&mut self, workload: &'static str, full: u64) {
        if full > 0 {
            let most = self.full.entry(workload).or_default();
            *most = full.max(*most);
        }
    }

    /// Inserts of a workload that found no room, in words.
    pub(super) fn full(&self, workload: &str) -> String {
        self.full.get(workload).map_or(String::new(), |&full| format!(", {} said Full", grouped(full)))
    }

    /// In one line.
    pub(super) fn text(&self) -> String {
        let of = format!("{} pairs, load {}", grouped(self.size as u64), self.load);
        match &self.held {
            Held::Slabs {
                bytes_per_pair,
                published_bytes_per_pair,
                reserved_bytes_per_pair,
                longest_chain,
            } => {
                let published = published_bytes_per_pair
                    .map_or(String::new(), |bytes| format!(" (published layout {bytes:.2})"));
                format!(
                    "{of}: {bytes_per_pair:.2} bytes per pair in chains{published}, \
                     {reserved_bytes_per_pair:.2} with the pool, longest chain {longest_chain} slabs"
                )
            }
            Held::Groups { bytes_per_pair, distances } => {
                let live = distances.iter().sum::<u64>().max(1) as f64;
                let parts: Vec<String> =
                    distances.iter().map(|&n| format!("{:.1}", 100.0 * n as f64 / live)).collect();
                format!(
                    "{of}: {bytes_per_pair:.2} bytes per pair, {} % of them 0, 1, ... groups behind their home",
                    parts.join(" ")
                )
            }
            Held::Buckets { bytes_per_pair, taken } => {
                let percent = 100.0 * taken;
                format!("{of}: {bytes_per_pair:.2} bytes per pair, {percent:.1} % of the slots are taken")
            }
        }
    }
}
