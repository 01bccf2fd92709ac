//! Chains of nodes with a lock for each bucket, on a device, to compare the wait-free table with. Its nodes
//! and tiles are those of the wait-free table.

use super::Baselines;
use crate::arguments::{Argument, Arguments, Head};
use crate::error::Error;
use crate::module::Kernel;
use crate::slices::{Call, Input, Output};
use crate::table::Tuning;
use core::fmt;
use cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;
use warpproof_model::host::Refused;

/// Lanes of a tile.
const LANES: u32 = 4;
/// Words of a node: seven entries and a link.
const NODE_WORDS: usize = 8;
/// The value of every byte of the nodes of an empty table.
const EMPTY: u8 = u8::MAX;

impl Baselines {
    /// A set of u64 keys on chains with locks: `buckets` buckets, at least one, each with its first node, and
    /// a pool of `pool` more nodes. Allocates and fills the memory before it returns.
    ///
    /// A pool of a seventh of the keys, rounded up, is always enough.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::Driver`]; [`Error::Refused`] for more than 2^32 - 2 nodes.
    pub fn lock_set(&self, buckets: u32, pool: u32) -> Result<LockSet, Error> {
        let kernel = |name| self.kernel(name, LANES);
        Ok(LockSet {
            insert: kernel("lock_list_insert")?,
            delete: kernel("lock_list_delete")?,
            contains: kernel("lock_list_contains")?,
            nodes: Nodes::new(self, buckets, pool)?,
        })
    }

    /// A lock list as a map of u32 pairs, with `buckets` buckets and memory for `pool` nodes.
    ///
    /// # Errors
    /// As [`lock_set`](Self::lock_set).
    pub fn lock_map(&self, buckets: u32, pool: u32) -> Result<LockMap, Error> {
        let mixed = self.kernel("lock_list_mixed", LANES)?;
        Ok(LockMap { mixed, nodes: Nodes::new(self, buckets, pool)? })
    }
}

/// The memory of a table.
struct Nodes {
    nodes: CudaSlice<u64>,
    taken: CudaSlice<u64>,
    buckets: u32,
    of: Baselines,
}

impl Nodes {
    fn new(of: &Baselines, buckets: u32, pool: u32) -> Result<Self, Error> {
        let buckets = buckets.max(1);
        let (found, most) = (buckets as u64 + pool as u64, u32::MAX as u64 - 1);
        if found > most {
            return Err(Refused::TooLarge { what: "nodes", found, most }.into());
        }
        let nodes = of.filled("the lists' nodes", found as usize * NODE_WORDS, EMPTY)?;
        let taken = of.filled("the pool's counter", 1, 0)?;
        of.device.synchronize()?;
        Ok(Self { nodes, taken, buckets, of: of.clone() })
    }

    fn head(&self) -> Head {
        let nodes = (self.of.address(&self.nodes), self.nodes.len());
        head(nodes, self.buckets, self.of.address(&self.taken))
    }

    fn clear(&mut self) -> Result<(), Error> {
        let device = &self.of.device;
        // Callers' streams may use the memory; our own stream fills it.
        device.synchronize()?;
        device.fill(&mut self.nodes, EMPTY)?;
        device.fill(&mut self.taken, 0)?;
        device.synchronize()
    }

    /// Queues a kernel whose arguments after those of the table are `arguments`.
    ///
    /// # Safety
    ///
    /// `arguments` are those of the kernel, and `call` made their spans.
    unsafe fn run(&self, call: Call<'_>, kernel: &Kernel, arguments: &Arguments) -> Result<(), Error> {
        // SAFETY: the contract of this function. The table's memory lives until `drop` has waited for the
        // device, and `Call` keeps the order of the other slices.
        let launched = unsafe { kernel.launch(call.stream(), Tuning::default().threads, arguments) };
        call.finish().and(launched)
    }
}

impl Drop for Nodes {
    fn drop(&mut self) {
        // Callers' streams may still use the nodes; they are freed in the order of our own stream.
        self.of.device.wait_idle();
    }
}

/// Nodes, their words, buckets, counter.
pub(super) fn head((nodes, len): (u64, usize), buckets: u32, taken: u64) -> Head {
    let list = vec![
        Argument::Pointer(nodes),
        Argument::U64(len as u64),
        Argument::U32(buckets),
        Argument::Pointer(taken),
    ];
    Head { list, parts: buckets, numbers: 0, slots: 0 }
}

/// A set of u64 keys on chains of nodes with a lock for each bucket. A tile of four lanes runs an operation.
/// An operation on a reserved key does nothing; its outcome is
/// [`RESERVED_KEY`](warpproof_model::outcome::RESERVED_KEY).
pub struct LockSet {
    insert: Kernel,
    delete: Kernel,
    contains: Kernel,
    nodes: Nodes,
}

impl LockSet {
    /// Adds keys that are absent. Outcomes: [`Insert`](warpproof_model::Insert). Queues it on `stream`.
    ///
    /// # Errors
    /// As [`OnStream`](crate::OnStream).
    pub fn insert(
        &self,
        stream: &Arc<CudaStream>,
        keys: &impl Input<u64>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        self.per_key(&self.insert, stream, keys, outcomes)
    }

    /// Deletes keys. Outcomes: [`Delete`](warpproof_model::Delete). Queues it on `stream`.
    ///
    /// # Errors
    /// As [`OnStream`](crate::OnStream).
    pub fn delete(
        &self,
        stream: &Arc<CudaStream>,
        keys: &impl Input<u64>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        self.per_key(&self.delete, stream, keys, outcomes)
    }

    /// Whether each key is there: 1 or 0. Queues it on `stream`.
    ///
    /// # Errors
    /// As [`OnStream`](crate::OnStream).
    pub fn contains(
        &self,
        stream: &Arc<CudaStream>,
        keys: &impl Input<u64>,
        found: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        self.per_key(&self.contains, stream, keys, found)
    }

    /// Deletes everything. Waits for the device before and after.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn clear(&mut self) -> Result<(), Error> {
        self.nodes.clear()
    }

    /// Number of keys, counted on the host in a copy of all nodes. Waits for the device.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn len(&self) -> Result<u64, Error> {
        let Nodes { nodes, of, .. } = &self.nodes;
        of.device.synchronize()?;
        let words = of.device.stream().clone_dtoh(nodes).map_err(Error::driver("copying nodes"))?;
        let is_key = |word: &&u64| **word != u64::MAX;
        let keys =
            words.chunks(NODE_WORDS).map(|node| node.iter().take(NODE_WORDS - 1).filter(is_key).count());
        Ok(keys.sum::<usize>() as u64)
    }

    /// Whether the set is empty.
    ///
    /// # Errors
    /// As [`len`](Self::len).
    pub fn is_empty(&self) -> Result<bool, Error> {
        Ok(self.len()? == 0)
    }

    /// Insert, delete or contains; called only with those kernels.
    fn per_key(
        &self,
        kernel: &Kernel,
        stream: &Arc<CudaStream>,
        keys: &impl Input<u64>,
        codes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        let mut call = Call::new(self.nodes.of.device.context(), stream)?;
        let keys = call.input("keys", keys.view())?;
        let codes = call.output("outcomes", codes.view_mut())?;
        let arguments = self.nodes.head().per_key(keys, codes)?;
        // SAFETY: the arguments are those of each of these kernels, with the lengths of the arrays.
        unsafe { self.nodes.run(call, kernel, &arguments) }
    }
}

/// A map of u32 pairs on chains of nodes with a lock for each bucket. A tile of four lanes runs an operation.
pub struct LockMap {
    mixed: Kernel,
    nodes: Nodes,
}

impl LockMap {
    /// Runs operations by the codes of [`Op`](warpproof_model::outcome::Op): unique inserts, deletes and
    /// searches. Queues them on `stream`.
    ///
    /// # Errors
    /// As [`OnStream`](crate::OnStream).
    pub fn mixed(
        &self,
        stream: &Arc<CudaStream>,
        ops: &impl Input<u8>,
        keys: &impl Input<u32>,
        values: &impl Input<u32>,
        outcomes: &mut impl Output<u8>,
        found: &mut impl Output<u32>,
    ) -> Result<(), Error> {
        let mut call = Call::new(self.nodes.of.device.context(), stream)?;
        let ops = call.input("operations", ops.view())?;
        let keys = call.input("keys", keys.view())?;
        let values = call.input("values", values.view())?;
        let outcomes = call.output("outcomes", outcomes.view_mut())?;
        let found = call.output("found values", found.view_mut())?;
        let arguments = self.nodes.head().mixed(ops, keys, values, outcomes, found)?;
        // SAFETY: the arguments are those of `lock_list_mixed`, with the lengths of the arrays.
        unsafe { self.nodes.run(call, &self.mixed, &arguments) }
    }
}

impl fmt::Debug for Nodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes = self.nodes.len() / NODE_WORDS;
        f.debug_struct("Nodes").field("buckets", &self.buckets).field("nodes", &nodes).finish_non_exhaustive()
    }
}

impl fmt::Debug for LockSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LockSet").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}

impl fmt::Debug for LockMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LockMap").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}
