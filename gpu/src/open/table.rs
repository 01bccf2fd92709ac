//! What open-addressing maps and sets share: buckets of slots and their filter, or their locks, in device memory.

use super::scheme::{admit, family};
use crate::arguments::{Argument, Head};
use crate::device::{Array, Device};
use crate::error::Error;
use crate::layout::Layout;
use crate::table::{Fill, Placed, Plan, Table, Tuning};
use warpproof_model::host::{OpenGeometry, OpenStats};

/// Numbers that the `stats` kernel adds up: live, tombstones.
const NUMBERS: usize = 2;

/// Where an open-addressing table lies in device memory, for kernels of the caller's own: what `OpenTable::new` and
/// `Passed::new` take there.
///
/// Addresses are those of the device's primary context. The memory is the table's: it is accessed by atomic
/// instructions alone, and it ends with the table. A bucket has 16 bits of the
/// filter. Slots with `values` are `LockBitSlots`. Where keys move the filter is `Locks`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenParts {
    /// Address of the words that probes read, one for each slot: u32 and u64 keys, u32 pairs in a u64, u64 pairs in 128 bits, and
    /// in the lock-bit layout the keys.
    pub slots: u64,
    /// Address of the values, in the lock-bit layout.
    pub values: Option<u64>,
    /// Number of slots.
    pub len: u64,
    /// Address of the filter, in u32 words.
    pub filter: u64,
    /// Words of the filter.
    pub filter_len: u64,
    /// Number of buckets.
    pub buckets: u32,
    /// Slots of a bucket: 8, or 4 of u64 pairs and of u32 pairs in a small table, where they do not move.
    pub bucket_slots: u32,
    /// Whether keys move: it is of the scheme `Cuckoo`.
    pub moves: bool,
}

impl OpenParts {
    /// What the kernels take first.
    pub(crate) fn head(&self) -> Head {
        let mut list = vec![Argument::Pointer(self.slots)];
        list.extend(self.values.map(Argument::Pointer));
        list.extend([
            Argument::U64(self.len),
            Argument::Pointer(self.filter),
            Argument::U64(self.filter_len),
            Argument::U32(self.buckets),
        ]);
        Head { list, parts: self.buckets, numbers: NUMBERS, slots: self.len }
    }

    /// What makes the table empty: every slot is all ones, and nothing has passed a bucket. Values without a key are never
    /// read, so they stay.
    fn fills(&self, layout: Layout) -> Vec<Fill> {
        let words = self.len as usize * (layout.probe_bytes() as usize / size_of::<u32>());
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
        admit((layout, moves), geometry)?;
        if moves {
            // A key moves with its value.
            device.admit(layout)?;
        }
        let (len, filter_len) = (geometry.slots() as u64, geometry.filter_words() as u64);
        let probed = len * layout.probe_bytes() as u64;
        let slots = device.array("the table's slots", probed)?;
        let values = if layout.lock_bit() { Some(device.array("the table's values", probed)?) } else { None };
        let filter = device.array("the table's filter", filter_len * size_of::<u32>() as u64)?;
        let parts = OpenParts {
            slots: slots.address(),
            values: values.as_ref().map(Array::address),
            len,
            filter: filter.address(),
            filter_len,
            buckets: geometry.buckets,
            bucket_slots: geometry.bucket_slots,
            moves,
        };
        let (head, fills) = (parts.head(), parts.fills(layout));
        let plan = Plan {
            family: family((layout, moves), (len, geometry.bucket_slots)),
            head,
            fills,
            memory: [slots, filter].into_iter().chain(values).collect(),
        };
        // SAFETY: the slots, values and filter are the arrays of the memory, with the lengths that they were allocated with,
        // and the family is that of the layout.
        let table = unsafe { Table::new(device, plan, tuning)? };
        Ok(Self::new(table, geometry, parts))
    }

    /// Moves the entries to a table of another size, or of the same without tombstones, and waits.
    pub(super) fn rehash(&mut self, geometry: OpenGeometry) -> Result<(), Error> {
        let device = self.table().device().clone();
        let layout = (self.layout(), self.parts().moves);
        let mut moved = Self::empty(&device, layout, geometry, self.table().tuning())?;
        let OpenParts { slots, values, len, .. } = self.parts();
        let arrays: Vec<u64> = [slots].into_iter().chain(values).collect();
        let left_out = moved.table_mut().absorb(self.table_mut(), &arrays, len)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_cover_the_slots_and_the_filter() {
        let geometry = OpenGeometry { bucket_slots: 8, buckets: 1009 };
        let (len, filter_len) = (geometry.slots() as u64, geometry.filter_words() as u64);
        let (slots, filter, values) = (1 << 20, 1 << 22, Some(1 << 23));
        let OpenGeometry { bucket_slots, buckets } = geometry;
        let parts = OpenParts { slots, values, len, filter, filter_len, buckets, bucket_slots, moves: false };
        assert_eq!(parts.head().parts, geometry.buckets, "a tile for each bucket");
        let fills = parts.fills(Layout::Map32).into_iter();
        let fills: Vec<_> = fills.map(|fill| (fill.address, fill.words, fill.word)).collect();
        assert_eq!(fills, [(1 << 20, 1009 * 8 * 2, u32::MAX), (1 << 22, 505, 0)]);
        // Of the lock-bit layout the keys alone.
        let layouts = [Layout::Set32, Layout::Set64, Layout::Map64, Layout::Map64Lock];
        let words = layouts.map(|layout| parts.fills(layout)[0].words);
        assert_eq!(words, [1, 2, 4, 2].map(|words| 1009 * 8 * words));
    }

    #[test]
    fn more_slots_than_32_bits_count_are_counted() {
        let geometry = OpenGeometry::for_pairs(1 << 34).expect("a large table");
        let len = geometry.slots() as u64;
        let (filter, filter_len) = (0, 1);
        let parts = OpenParts {
            slots: 0,
            values: None,
            len,
            filter,
            filter_len,
            buckets: geometry.buckets,
            bucket_slots: geometry.bucket_slots,
            moves: false,
        };
        assert_eq!(parts.head().list[1], Argument::U64(geometry.buckets as u64 * 8));
        assert!(parts.fills(Layout::Map32)[0].words > u32::MAX as usize);
    }
}
