//! The interface of a structure, and its capabilities.

use crate::device::Device;
use crate::error::Error;
use crate::layout::Layout;
use crate::row::Row;
use crate::table::{Plan, Tuning};
use core::fmt::Debug;
use warpproof_model::Seed;
use warpproof_model::host::{OpenGeometry, OpenStats, Refused, Structure};

pub(super) mod sealed {
    /// Implemented only here: each structure needs kernels.
    pub trait Sealed {}
}

/// A structure with kernels, as a type without values: [`Slab`](super::Slab), and
/// [`Hopscotch`](warpproof_model::host::structure::Hopscotch),
/// [`Open`](warpproof_model::host::structure::Open), [`Cuckoo`](warpproof_model::host::structure::Cuckoo) and
/// [`WaitFree`](warpproof_model::host::structure::WaitFree).
pub trait Kernels: sealed::Sealed + 'static {
    /// Its name on the host side.
    type Structure: Structure;
    /// The place of a table in device memory, for kernels of the caller.
    type Parts: Copy + PartialEq + Debug + Send + Sync + 'static;
    /// Whether a key may have several pairs.
    const MULTI: bool = false;
    /// Whether there is a kernel that counts the pairs of a key.
    const COUNTS: bool = false;

    /// The size for `entries` entries of a layout at the default load.
    #[doc(hidden)]
    fn size(packed: Layout, entries: u64) -> Result<Geometry<Self>, Refused>;

    /// Whether pairs of u64 are in 128-bit words.
    #[doc(hidden)]
    fn wide(device: &Device, tuning: Tuning) -> bool {
        device.wide() && !tuning.lock_word
    }

    /// Allocates the memory of a table. The plan's family is that of the structure and layout, its head has
    /// the first arguments of those kernels, and head and fills name only memory of the plan, with the
    /// lengths that it was allocated with.
    #[doc(hidden)]
    fn place(
        device: &Device,
        layout: Layout,
        geometry: Geometry<Self>,
        seed: Seed,
    ) -> Result<(Self::Parts, Plan), Error>;

    /// The seed that decides the places of a table's keys.
    #[doc(hidden)]
    fn seed(parts: &Self::Parts) -> Seed;

    /// The meaning of the numbers of the `stats` kernel.
    #[doc(hidden)]
    fn stats(numbers: &[u64]) -> Stats<Self>;
}

/// The size of a table of a structure.
pub type Geometry<S> = <<S as Kernels>::Structure as Structure>::Geometry;
/// The statistics of a table of a structure.
pub type Stats<S> = <<S as Kernels>::Structure as Structure>::Stats;

/// A structure whose tables hold rows `R`. There are no slabs of u64 keys without values, nor a set in which
/// a key occurs several times:
///
/// ```compile_fail,E0599
/// use warpproof_gpu::{Device, Set, structures::Slab};
///
/// let set = Set::<u64, Slab>::with_capacity(&Device::open(0)?, 100);
/// # Ok::<(), warpproof_gpu::Error>(())
/// ```
pub trait Holds<R: Row>: Kernels {}

/// A structure whose maps add to values.
pub trait Counter: Kernels {}

/// A structure whose slots are numbered: its entries can be copied to device slices, also in the order of
/// their slots.
pub trait Ordered: Kernels {}

/// A structure of one array of buckets: sized by a load, and rehashed to another size.
pub trait Buckets:
    Counter + Ordered + Kernels<Structure: Structure<Geometry = OpenGeometry, Stats = OpenStats>>
{
    /// Whether keys move between their buckets.
    const MOVES: bool;

    /// The addresses of the arrays that hold the slots, and the number of slots.
    #[doc(hidden)]
    fn slots(parts: &Self::Parts) -> (Vec<u64>, u64);
}
