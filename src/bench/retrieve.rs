//! How a table on a GPU copies all its entries.

use clap::ValueEnum;

/// What `--retrieve` accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Retrieve {
    /// Every entry adds to the count
    PerSlot,
    /// Every lane adds to a counter of its block
    SharedCounter,
    /// The totals of a block's warps are added up
    BlockScan,
    /// Every warp adds to a counter of its block
    #[default]
    WarpCounter,
    /// Every tile of 8 lanes adds to a counter of its block
    TileCounter,
}

#[cfg(feature = "gpu")]
impl From<Retrieve> for warpproof::gpu::RetrieveMethod {
    fn from(retrieve: Retrieve) -> Self {
        match retrieve {
            Retrieve::PerSlot => Self::PerSlot,
            Retrieve::SharedCounter => Self::SharedCounter,
            Retrieve::BlockScan => Self::BlockScan,
            Retrieve::WarpCounter => Self::WarpCounter,
            Retrieve::TileCounter => Self::TileCounter,
        }
    }
}
