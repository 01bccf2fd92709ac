//! Wait-free tables: chains of nodes from a pool, which never change.

use super::kernels::sealed::Sealed;
use super::kernels::{Holds, Kernels};
use crate::arguments::{Argument, Head};
use crate::device::{Array, Device};
use crate::error::Error;
use crate::handle::{Map, Set, Table};
use crate::layout::Layout;
use crate::row::Row;
use crate::table::{Family, Fill, Plan, Replaced, Tuning};
use warpproof_model::Seed;
use warpproof_model::host::structure::WaitFree;
use warpproof_model::host::{Refused, WaitFreeGeometry, WaitFreeStats};
use warpproof_model::reclaim::{bitmap_words, free_word};

/// A concurrent map in device memory. Each operation ends in a bounded number of steps, whatever other tiles
/// do.
///
/// `WaitFreeMap<u32, f32>`, or `WaitFreeMap<u64, u64>` where the device has 128-bit words
/// ([`Device::wide`](crate::Device::wide)). A search reads a head and the nodes of a chain. An update
/// replaces nodes. It runs in two kernels, a fast one and one for the operations that the fast one defers.
/// Together they make at most 64 exchanges more than [`warpproof_model::waitfree::rounds`] gives for a
/// patience of 64; after that, faster tiles run the operation.
///
/// A batch of updates is cut into parts, and after each part the replaced nodes are free again. So calls on
/// one table run one after the other, whatever their streams are. An insert that finds no free node is
/// [`Insert::Full`](warpproof_model::Insert::Full) and changes nothing; a delete always succeeds.
///
/// `with_capacity` makes a table of 8 MiB or more (u64 pairs: 16 MiB), as small parts would be slow.
///
/// ```no_run
/// use warpproof_gpu::{Device, WaitFreeMap};
/// use warpproof_model::host::{BulkMap, BulkTable};
///
/// let device = Device::open(0)?;
/// let map = WaitFreeMap::<u64, u64>::with_capacity(&device, 1_000_000)?;
/// map.insert_unique(&[1, 2, 3], &[10, 20, 30])?.all_stored()?;
/// assert_eq!(map.search(&[2, 4])?, [Some(20), None]);
/// println!("{} nodes", map.stats()?.nodes);
/// # Ok::<(), warpproof_gpu::Error>(())
/// ```
pub type WaitFreeMap<K, V> = Map<K, V, WaitFree>;

/// A concurrent set of 32-bit or 64-bit keys in device memory, with the properties of [`WaitFreeMap`].
pub type WaitFreeSet<K> = Set<K, WaitFree>;

/// Bytes of a node that a lane reads.
const LANE_BYTES: u32 = 16;

/// Lanes of a tile, which reads a node at once: four, or more where seven entries need more room.
const fn lanes(layout: Layout) -> u32 {
    if layout.slot_bytes() < LANE_BYTES { 4 } else { 8 }
}

/// Numbers that the `stats` kernel adds up: live entries, nodes, and nodes of the longest chain.
const NUMBERS: usize = 3;

/// The place of a wait-free table in device memory, for your own kernels: the arguments of
/// `WaitFreeTable::new`.
///
/// Addresses are those of the device's primary context. The table owns the memory: access it only by atomic
/// instructions, and only as long as the table lives. Tiles that update have numbers below `warps`, and no
/// other kernel uses the table meanwhile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaitFreeParts {
    /// Address of the nodes. The slots of the [reserved keys](warpproof_model::reserved) follow.
    pub nodes: u64,
    /// Words of the nodes, without those of the reserved keys.
    pub nodes_len: u64,
    /// Address of the entries of announced calls, one per warp.
    pub requests: u64,
    /// Address of the heads, in u64 words.
    pub heads: u64,
    /// Number of buckets.
    pub buckets: u32,
    /// Address of the announcements, in u64 words, one per warp.
    pub announcements: u64,
    /// Address of the stashes, in u64 words, one per warp.
    pub stashes: u64,
    /// The most warps that may run at one time.
    pub warps: u32,
    /// Address of the bitmap of the nodes that are in use, in u32 words.
    pub used: u64,
    /// Address of the bitmap of the nodes that are retired.
    pub retired: u64,
    /// Words of each bitmap.
    pub states: u64,
    /// Nodes that a warp allocates for itself at once.
    pub stash: u32,
    /// The seed that decides the places of keys. A kernel takes its two words ([`Seed::words`]).
    pub seed: Seed,
}

impl WaitFreeParts {
    /// The first arguments of the kernels.
    pub(crate) fn head(&self) -> Head {
        let [mask, factor] = self.seed.words();
        let list = vec![
            Argument::Pointer(self.nodes),
            Argument::U64(self.nodes_len),
            Argument::Pointer(self.requests),
            Argument::Pointer(self.heads),
            Argument::U64(self.buckets.into()),
            Argument::Pointer(self.announcements),
            Argument::Pointer(self.stashes),
            Argument::U64(self.warps.into()),
            Argument::Pointer(self.used),
            Argument::Pointer(self.retired),
            Argument::U64(self.states),
            Argument::U32(self.stash),
            Argument::U64(mask),
            Argument::U64(factor),
        ];
        // One more part for the reserved keys.
        Head { list, parts: self.buckets + 1, numbers: NUMBERS, slots: 0 }
    }

    /// Makes the table empty: no chain, no call, every node free, and no reserved key.
    fn fills(&self, layout: Layout, nodes: u32) -> Vec<Fill> {
        let slot = layout.slot_bytes() as usize;
        let zeros = |address, words| Fill { address, words, word: 0 };
        let (warps, states) = (2 * self.warps as usize, self.states as usize);
        let last = states - 1;
        vec![
            zeros(self.heads, 2 * self.buckets as usize),
            zeros(self.announcements, warps),
            zeros(self.stashes, warps),
            zeros(self.used, states),
            zeros(self.retired, states),
            // Of the words of free nodes, only the last may be other than zero.
            Fill {
                address: self.used + (last * size_of::<u32>()) as u64,
                words: 1,
                word: free_word(nodes, last),
            },
            Fill {
                address: self.nodes + self.nodes_len * slot as u64,
                words: layout.reserved_keys() as usize * (slot / size_of::<u32>()),
                word: u32::MAX,
            },
        ]
    }
}

#[cfg(test)]
impl WaitFreeParts {
    /// A table of five buckets and 40 nodes, somewhere.
    pub(crate) const SMALL: Self = Self {
        nodes: 1 << 20,
        nodes_len: 8 * 40,
        requests: 1 << 21,
        heads: 1 << 22,
        buckets: 5,
        announcements: 1 << 23,
        stashes: 1 << 24,
        warps: 3,
        used: 1 << 25,
        retired: 1 << 26,
        states: 2,
        stash: 1,
        seed: Seed::new(1),
    };
}

impl Sealed for WaitFree {}

impl Kernels for WaitFree {
    type Structure = Self;
    type Parts = WaitFreeParts;

    fn size(layout: Layout, entries: u64) -> Result<WaitFreeGeometry, Refused> {
        WaitFreeGeometry::for_batches(entries, WaitFreeGeometry::DEFAULT_LOAD, node_words(layout))
    }

    fn wide(device: &Device, _: Tuning) -> bool {
        // There is no lock-word protocol to choose.
        device.wide()
    }

    fn place(
        device: &Device,
        layout: Layout,
        geometry: WaitFreeGeometry,
        seed: Seed,
    ) -> Result<(WaitFreeParts, Plan), Error> {
        geometry.admit(node_words(layout))?;
        device.admit(layout)?;
        let WaitFreeGeometry { buckets, nodes, warps, .. } = geometry;
        let states = bitmap_words(nodes) as u64;
        let reserved = layout.reserved_keys() * layout.slot_bytes() as u64;
        let of_warps = |what, bytes: usize| device.array(what, warps as u64 * bytes as u64);
        let memory = vec![
            device
                .array("the table's nodes", nodes as u64 * (lanes(layout) * LANE_BYTES) as u64 + reserved)?,
            of_warps("the table's requests", layout.slot_bytes() as usize)?,
            device.array("the table's heads", buckets as u64 * size_of::<u64>() as u64)?,
            of_warps("the table's announcements", size_of::<u64>())?,
            of_warps("the table's stashes", size_of::<u64>())?,
            device.array("the table's used nodes", states * size_of::<u32>() as u64)?,
            device.array("the table's retired nodes", states * size_of::<u32>() as u64)?,
        ];
        let address = |at: usize| memory.get(at).map_or(0, Array::address);
        let parts = WaitFreeParts {
            nodes: address(0),
            nodes_len: nodes as u64 * node_words(layout) as u64,
            requests: address(1),
            heads: address(2),
            buckets,
            announcements: address(3),
            stashes: address(4),
            warps,
            used: address(5),
            retired: address(6),
            states,
            stash: geometry.stash(),
            seed,
        };
        let (head, fills) = (parts.head(), parts.fills(layout, nodes));
        // A node for each bucket; the others are for updates. Most updates take one, but in long chains they
        // take more. An update that finds none runs again.
        let spare = nodes.saturating_sub(buckets);
        let (of_spare, passes) = if geometry.has_chains() { (8, 4) } else { (2, 1) };
        let (part, states) = ((spare / of_spare).max(1), states.max(warps.into()));
        let replaced = Replaced { warps, part, passes, states };
        Ok((parts, Plan { family: family(layout), head, fills, memory, replaced: Some(replaced) }))
    }

    fn seed(parts: &WaitFreeParts) -> Seed {
        parts.seed
    }

    fn stats(numbers: &[u64]) -> WaitFreeStats {
        match *numbers {
            [live, nodes, longest, ..] => WaitFreeStats { live, nodes, longest: longest as u32 },
            _ => WaitFreeStats::default(),
        }
    }
}

impl<R: Row> Holds<R> for WaitFree {}

impl<R: Row> Table<R, WaitFree> {
    /// Words of a node.
    pub const NODE_WORDS: u32 = node_words(R::PACKED);
}

/// Words of a node.
const fn node_words(layout: Layout) -> u32 {
    lanes(layout) * LANE_BYTES / layout.slot_bytes()
}

/// The kernels of a layout.
pub(crate) fn family(layout: Layout) -> Family {
    let lanes = lanes(layout);
    Family::new("waitfree", layout, lanes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fills_cover_all_but_nodes_and_requests() {
        let parts = WaitFreeParts::SMALL;
        let fills: Vec<_> = parts
            .fills(Layout::Map32, 40)
            .into_iter()
            .map(|fill| (fill.address, fill.words, fill.word))
            .collect();
        let last = ((1 << 25) + 4, 1, free_word(40, 1));
        let zeros = [(1 << 22, 10, 0), (1 << 23, 6, 0), (1 << 24, 6, 0), (1 << 25, 2, 0), (1 << 26, 2, 0)];
        let reserved = ((1 << 20) + 8 * 40 * 8, 2 * 2, u32::MAX);
        assert_eq!(fills, [&zeros[..], &[last, reserved]].concat());
        assert_eq!(parts.head().parts, 6, "a tile for each bucket, and the reserved keys");
    }

    #[test]
    fn nodes_have_room_for_seven_entries_or_more() {
        let words = [Layout::Set32, Layout::Set64, Layout::Map32, Layout::Map64].map(node_words);
        assert_eq!(words, [16, 8, 8, 8]);
    }
}
