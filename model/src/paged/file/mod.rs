//! Files of paged tables: a table is saved, and can be opened again on any backend with any budget.
//!
//! # Format
//!
//! All numbers are little-endian. There is nothing between the parts, and nothing after the last one.
//!
//! | From byte | Bytes | Holds |
//! |---|---|---|
//! | 0 | 16 | [`MAGIC`]: `warpproof paged` and a line feed |
//! | 16 | 4 | [`VERSION`]: 1 |
//! | 20 | 2 | type of the keys, by the table below |
//! | 22 | 2 | type of the values, 0 in a set |
//! | 24 | 4 | slots of a bucket of the child tables |
//! | 28 | 4 | buckets of a child table: one, or a prime number of them |
//! | 32 | 4 | number of child tables, *n*: one at least |
//! | 36 | 16 | the two [words](Seed::words) of the table's seed |
//! | 52 | 12 *n* | for each child table: its number of entries (8), the checksum of its entries (4) |
//! | 52 + 12 *n* | 4 | the checksum of all bytes before |
//! | 56 + 12 *n* | | the entries of each child table: key and value of one, then of the next |
//!
//! | Number | 1 | 2 | 3 | 4 | 5 | 6 |
//! |---|---|---|---|---|---|---|
//! | Type | `u32` | `i32` | `u64` | `i64` | `f32` | `f64` |
//!
//! An entry of child table *i* has a key whose hash, with the table's seed, has the leading
//! [digit](crate::Hash64::digit) *i* to the base *n*. No key occurs twice. A checksum is a CRC-32 (that of
//! gzip).
//!
//! # Why it holds entries
//!
//! A file could hold the slots of child tables as they are, and be opened without an insert. But then it
//! would fit one backend: buckets, filters and lock words differ between them, and even between GPUs. It
//! would be larger. And a damaged file of slots with the right checksums could be a table in which a probe
//! never ends. Entries fit every table. They are inserted like all entries, so an opened table is sound
//! whatever is in the file. That costs an insert for each entry. Those of a child table come together, so the
//! table is in a frame, or in the cache. An opened table has no slots of deleted entries, even if the saved
//! one had. The seeds of rebuilt child tables need not be known: a child table whose keys were chosen for its
//! first seed is rebuilt again.
//!
//! # What a file cannot do
//!
//! A checksum detects accidents; it is not a signature. So no number in a file is trusted: all are compared
//! with the file's length before memory is allocated, and a table that is large beside its file needs
//! permission ([`Opening::most_bytes`]). Whatever its bytes are, a file is read once, from its beginning to
//! its end.
//! end.

mod entry;
mod error;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use entry::{FileEntry, FileKey, FileNumber};
pub use error::{FileError, Part, Problem};
pub use read::{Reader, TakesIn, fill, open};
pub use write::{Writer, save};

use crate::hash::Seed;
use crate::host::{OpenGeometry, PagedGeometry, Refused};
use crate::paged::Choose;
use crate::paged::host::Slots;
use std::vec::Vec;

/// The first bytes of a file.
pub const MAGIC: [u8; 16] = *b"warpproof paged\n";
/// The version that is written, and the only one that is read.
pub const VERSION: u32 = 1;

/// Bytes before those of the child tables.
const FIXED: usize = 52;
/// Bytes of the header for each child table.
const OF_CHILD: usize = 12;
/// Bytes of a checksum.
const CHECKSUM: usize = 4;
/// Bytes that are read or written at a time.
const BUFFER: usize = 256 << 10;

/// How a table is opened.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Opening {
    /// Bytes for frames and batches, as for a new table.
    pub budget: u64,
    /// How the ways of jobs are chosen.
    pub choose: Choose,
    /// The most bytes that the slots of all child tables may take. The table of a small file may be large, as
    /// that of an empty table is. If this is `None`, slots may take [`TIMES_FILE`](Self::TIMES_FILE) times as
    /// much as the file, and at least [`LEAST_MOST`](Self::LEAST_MOST).
    pub most_bytes: Option<u64>,
    /// Whether the table gets a board of fingerprints, as by [`PagedGeometry::with_board`]. The file does not
    /// decide that: the saved table may have had one or not.
    pub board: bool,
}

impl Opening {
    /// How many times as much as the file slots may take by default.
    pub const TIMES_FILE: u64 = 64;
    /// Bytes that slots may take by default, whatever the file's length is.
    pub const LEAST_MOST: u64 = 1 << 30;

    /// Opens with this budget and choice of ways, and without a board.
    pub const fn new(budget: u64, choose: Choose) -> Self {
        Self { budget, choose, most_bytes: None, board: false }
    }
}

/// The header of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// The size of each child table.
    pub child: OpenGeometry,
    /// The seed that decides the child tables of keys.
    pub seed: Seed,
    /// For each child table: the number of its entries, and their checksum.
    of_children: Vec<(u64, u32)>,
}

impl Header {
    /// How many child tables there are.
    pub fn children(&self) -> u32 {
        self.of_children.len() as u32
    }

    /// How many entries a child table has; 0 if there is no such child table.
    pub fn entries_of(&self, child: u32) -> u64 {
        self.of_children.get(child as usize).map_or(0, |&(entries, _)| entries)
    }

    /// How many entries there are.
    pub fn entries(&self) -> u64 {
        self.of_children.iter().map(|&(entries, _)| entries).sum()
    }

    /// The size of a table for the entries, with these buckets and slots and this budget.
    ///
    /// Its child tables have at least as many slots as the saved ones. They have more if one of these was
    /// filled to more than 0.98: inserts in another order might find no room then.
    ///
    /// # Errors
    /// If no child table can be so large.
    pub fn geometry(&self, slots: Slots, budget: u64) -> Result<PagedGeometry, Refused> {
        /// The highest load at which all entries find room, and the load of a child table that is made
        /// larger.
        const LOADS: (f64, f64) = (0.98, 0.95);
        let fullest = self.of_children.iter().map(|&(entries, _)| entries).max().unwrap_or(0);
        let mut child = self.child.in_buckets_of(slots.bucket_slots)?;
        if fullest as f64 > child.slots() as f64 * LOADS.0 {
            child = OpenGeometry::new(fullest, LOADS.1, slots.bucket_slots)?;
        }
        let geometry = PagedGeometry::of_children(self.children(), child, slots, budget);
        geometry.admit(slots.bucket_slots)?;
        Ok(geometry)
    }

    /// The bytes of a header in a file.
    fn bytes(children: u32) -> u64 {
        FIXED as u64 + OF_CHILD as u64 * u64::from(children) + CHECKSUM as u64
    }
}
