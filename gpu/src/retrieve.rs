//! The methods to copy all entries of a table.

use crate::operations::Operation;

/// How entries get their places in the output of [`retrieve_all`](crate::OnStream::retrieve_all): the methods
/// published for cuCollections' `dynamic_map`, as `warpproof_model::retrieve` implements them. In all of them
/// a lane reads 8 slots.
///
/// They differ only in speed: `notes/retrieve.md` compares them. All tables have the default. With kernels
/// that are not part of the library ([`Extra::Tuning`](crate::bench::Extra::Tuning)), maps of u32 and u64
/// pairs whose keys do not move have all methods.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RetrieveMethod {
    /// Every entry adds one to the count. Variant 1.
    PerSlot,
    /// Every lane adds its entries to a counter of its block. Variant 2a.
    SharedCounter,
    /// The totals of a block's warps are added up in order. Variant 2b.
    BlockScan,
    /// Every warp adds its entries to a counter of its block. Variant 3a; as fast as the scan, with fewer
    /// shared words.
    #[default]
    WarpCounter,
    /// Every tile of 8 lanes adds its entries to a counter of its block. Variant 3b.
    TileCounter,
}

impl RetrieveMethod {
    /// All methods.
    pub const ALL: [Self; 5] =
        [Self::PerSlot, Self::SharedCounter, Self::BlockScan, Self::WarpCounter, Self::TileCounter];

    /// The operation's part of its kernels' names, and their lanes.
    pub(crate) const fn kernel(self) -> (&'static str, u32) {
        match self {
            Self::PerSlot => ("retrieve_all_per_slot", 32),
            Self::SharedCounter => ("retrieve_all_shared_counter", 32),
            Self::BlockScan => ("retrieve_all_block_scan", 32),
            Self::WarpCounter => (Operation::RetrieveAll.name(), 32),
            Self::TileCounter => (Operation::RetrieveAll.name(), 8),
        }
    }
}
