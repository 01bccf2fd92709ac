//! What open-addressing maps and sets share: buckets of slots and their filter, or their locks, in device memory.

use super::scheme::{bucket_slots, family};
use crate::arguments::{Argument, Head};
use crate::device::Device;
use crate::error::Error;
use crate::layout::Layout;
use crate::table::{Fill, Placed, Plan, Table, Tuning};
use cudarc::driver::{CudaSlice, DevicePtr};
use warpproof_model::host::{OpenGeometry, OpenStats};

/// Numbers that the `stats` kernel adds up: live, tombstones.
const NUMBERS: usize = 2;

/// Where an open-addressing table lies in device memory, for kernels of the caller's own: what `OpenTable::new` and
/// `Passed::new` take there.
///
/// Addresses are those of the device's primary context. The memory is the table's: it is accessed by atomic
/// instructions alone, and it ends with the table. A bucket is 8 slots, or 4 of u64 pairs that do not move, and has 16 bits of the
/// filter. Where keys move these are those of `Locks::new`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenParts {
    /// Address of the slots: u32 and u64 keys in one each, u32 pairs in a u64, u64 pairs in 128 bits.
    pub slots: u64,
    /// Number of slots.
    pub len: u64,
    /// Address of the filter, in u32 words.
    pub filter: u64,
    /// Words of the filter.
    pub filter_len: u64,
    /// Number of buckets.
    pub buckets: u32,
}

impl OpenParts {
    /// What the kernels take first.
    pub(crate) fn head(&self) -> Head {
        let list = vec![
            Argument::Pointer(self.slots),
            Argument::U64(self.len),
            Argument::Pointer(self.filter),
            Argument::U64(self.filter_len),
            Argument::U32(self.buckets),
        ];
        Head { list, parts: self.buckets, numbers: NUMBERS }
    }

    /// What makes the table empty: every slot is all ones, and nothing has passed a bucket.
    fn fills(&self, layout: Layout) -> Vec<Fill> {
        let words = self.len as usize * (layout.slot_bytes() as usize / size_of::<u32>());
        vec![
            Fill { address: self.slots, words, word: u32::MAX },
            Fill { address: self.filter, words: self.filter_len as usize, word: 0 },
        ]
    }
}

/// An open-addressing table of any layout.
pub(super) type Buckets = Placed<OpenGeometry, OpenParts>;

impl Buckets {
    /// An empty table; `moves` as [`OpenScheme::MOVES`](super::OpenScheme::MOVES).
    pub(super) fn empty(
        device: &Device,
        (layout, moves): (Layout, bool),
        geometry: OpenGeometry,
        tuning: Tuning,
    ) -> Result<Self, Error> {
        geometry.admit(bucket_slots(layout, moves))?;
        device.admit(layout)?;
        let (len, filter_len) = (geometry.slots() as u64, geometry.filter_words() as u64);
        let slots = device.array("the table's slots", len * layout.slot_bytes() as u64)?;
        let filter = device.array("the table's filter", filter_len * size_of::<u32>() as u64)?;
        let address = |array: &CudaSlice<u8>| array.device_ptr(device.stream()).0;
        let (at, filter_at) = (address(&slots), address(&filter));
        let parts = OpenParts { slots: at, len, filter: filter_at, filter_len, buckets: geometry.buckets };
        let (head, fills) = (parts.head(), parts.fills(layout));
        let plan = Plan {
            family: family(layout, moves, len * layout.slot_bytes() as u64),
            head,
            fills,
            memory: vec![slots, filter],
        };
        // SAFETY: the slots and the filter are the arrays of the memory, with the lengths that they were allocated with,
        // and the family is that of the layout.
        let table = unsafe { Table::new(device, plan, tuning)? };
        Ok(Self::new(table, geometry, parts))
    }

    /// Moves the entries to a table of another size, or of the same without tombstones, and waits.
    pub(super) fn rehash(&mut self, geometry: OpenGeometry) -> Result<(), Error> {
        let device = self.table().device().clone();
        let moves = self.table().family().structure == family(self.layout(), true, 0).structure;
        let mut moved = Self::empty(&device, (self.layout(), moves), geometry, self.table().tuning())?;
        let OpenParts { slots, len, .. } = self.parts();
        let left_out = moved.table_mut().absorb(self.table_mut(), (slots, len))?;
        if left_out > 0 {
            let pairs = moved.table().live()? + left_out;
            return Err(Error::TableFull { pairs, left_out });
        }
        *self = moved;
        Ok(())
    }

    /// Device memory of the table.
    pub(super) fn bytes(&self) -> u64 {
        let OpenParts { len, filter_len, .. } = self.parts();
        len * self.layout().slot_bytes() as u64 + filter_len * size_of::<u32>() as u64
    }

    /// What the table holds.
    pub(super) fn stats(&self) -> Result<OpenStats, Error> {
        Ok(match self.table().numbers()?.as_slice() {
            [live, tombstones, ..] => OpenStats { live: *live, tombstones: *tombstones },
            _ => OpenStats::default(),
        })
    }
}

/// Bytes of the slots up to which one lane is the fastest that reads all slots of a bucket. Measured (BENCHMARKS.md): in a
/// larger table the addresses of its loads, which are as many as its lanes are few, are too many to translate.
pub(super) const ONE_LANE_BYTES: u64 = 256 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_cover_the_slots_and_the_filter() {
        let geometry = OpenGeometry { bucket_slots: 8, buckets: 1009 };
        let (len, filter_len) = (geometry.slots() as u64, geometry.filter_words() as u64);
        let parts = OpenParts { slots: 1 << 20, len, filter: 1 << 22, filter_len, buckets: geometry.buckets };
        assert_eq!(parts.head().parts, geometry.buckets, "a tile for each bucket");
        let fills = parts.fills(Layout::Map32).into_iter();
        let fills: Vec<_> = fills.map(|fill| (fill.address, fill.words, fill.word)).collect();
        assert_eq!(fills, [(1 << 20, 1009 * 8 * 2, u32::MAX), (1 << 22, 505, 0)]);
        let words = [Layout::Set32, Layout::Set64, Layout::Map64].map(|layout| parts.fills(layout)[0].words);
        assert_eq!(words, [1, 2, 4].map(|words| 1009 * 8 * words));
    }

    #[test]
    fn more_slots_than_32_bits_count_are_counted() {
        let geometry = OpenGeometry::for_pairs(1 << 34).expect("a large table");
        let len = geometry.slots() as u64;
        let parts = OpenParts { slots: 0, len, filter: 0, filter_len: 1, buckets: geometry.buckets };
        assert_eq!(parts.head().list[1], Argument::U64(geometry.buckets as u64 * 8));
        assert!(parts.fills(Layout::Map32)[0].words > u32::MAX as usize);
    }
}
