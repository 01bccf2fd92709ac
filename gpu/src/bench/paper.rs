//! Tables on a device that ours are compared with: baselines that the explorer does not check. A bench that
//! measures them checks their answers.

use crate::arguments::{Argument, Arguments, Head, Span};
use crate::device::{Device, Extra};
use crate::error::Error;
use crate::module::{Kernel, Modules};
use crate::slices::{Call, Input, Output};
use crate::table::Tuning;
use core::fmt;
use cudarc::driver::{CudaSlice, CudaStream, DevicePtr};
use std::sync::Arc;
use warpproof_model::host::Refused;

mod lock_list;
mod starfish;

pub use lock_list::{LockMap, LockSet};
pub use starfish::{StarfishMap, StarfishSize};

/// The kernels of the baselines, loaded.
#[derive(Clone)]
pub struct Baselines {
    modules: Modules,
    device: Device,
}

/// A table of u32 pairs that is filled once and then searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Static {
    /// Linear probing.
    Linear,
    /// Quadratic probing.
    Quadratic,
    /// Cuckoo hashing with four places per key.
    Cuckoo,
}

impl Static {
    const fn kernels(self) -> [&'static str; 2] {
        match self {
            Self::Linear => ["linear_insert", "linear_search"],
            Self::Quadratic => ["quadratic_insert", "quadratic_search"],
            Self::Cuckoo => ["cuckoo_insert", "cuckoo_search"],
        }
    }
}

impl Baselines {
    /// Loads the kernels ([`Extra::Paper`]), which the driver compiles the first time.
    ///
    /// # Errors
    /// [`Error::NotBuilt`], [`Error::DriverTooOld`], [`Error::Driver`].
    pub fn new(device: &Device) -> Result<Self, Error> {
        Ok(Self { modules: device.extra(Extra::Paper)?, device: device.clone() })
    }

    /// A kernel that tiles of `lanes` lanes run.
    fn kernel(&self, name: &str, lanes: u32) -> Result<Kernel, Error> {
        self.modules.kernel(name, lanes)?.ok_or_else(|| Error::NoKernel { kernel: name.into() })
    }

    /// Memory filled with one byte.
    fn filled<T: cudarc::driver::DeviceRepr>(
        &self,
        what: &'static str,
        len: usize,
        byte: u8,
    ) -> Result<CudaSlice<T>, Error> {
        let mut buffer = self.device.buffer(what, len)?;
        self.device.fill(&mut buffer, byte)?;
        Ok(buffer)
    }

    fn address<T>(&self, buffer: &CudaSlice<T>) -> u64 {
        buffer.device_ptr(self.device.stream()).0
    }

    /// Chains with `buckets` buckets and a pool of `nodes` nodes, at least one of each. Allocates and fills
    /// the memory before it returns.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::Driver`]; [`Error::Refused`] for more than 2^32 - 2 buckets or nodes.
    pub fn chained(&self, buckets: usize, nodes: usize) -> Result<ChainedMap, Error> {
        let (buckets, nodes) = (buckets.max(1), nodes.max(1));
        for (what, found) in [("buckets", buckets), ("nodes", nodes)] {
            let (found, most) = (found as u64, u32::MAX as u64 - 1);
            if found > most {
                return Err(Refused::TooLarge { what, found, most }.into());
            }
        }
        let map = ChainedMap {
            kernel: self.kernel("chain_mixed", 1)?,
            pairs: self.filled("the nodes' pairs", nodes, 0)?,
            next: self.filled("the nodes' indices", nodes, u8::MAX)?,
            heads: self.filled("the heads", buckets, u8::MAX)?,
            taken: self.filled("the pool's counter", 1, 0)?,
            of: self.clone(),
        };
        self.device.synchronize()?;
        Ok(map)
    }

    /// An empty table of 2^`power` slots.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::Driver`]; [`Error::Refused`] for more than 2^31 slots.
    pub fn table(&self, kind: Static, power: u32) -> Result<StaticMap, Error> {
        if power > 31 {
            return Err(Refused::TooLarge {
                what: "slots",
                found: 1u64.checked_shl(power).unwrap_or(u64::MAX),
                most: 1 << 31,
            }
            .into());
        }
        let [insert, search] = kind.kernels();
        let slots = self.filled("the slots", 1 << power, u8::MAX)?;
        let (insert, search) = (self.kernel(insert, 1)?, self.kernel(search, 1)?);
        self.device.synchronize()?;
        Ok(StaticMap { kind, insert, search, slots, of: self.clone() })
    }
}

/// Chaining with a pool of nodes: a map of u32 pairs.
pub struct ChainedMap {
    kernel: Kernel,
    pairs: CudaSlice<u64>,
    next: CudaSlice<u32>,
    heads: CudaSlice<u32>,
    taken: CudaSlice<u32>,
    of: Baselines,
}

impl ChainedMap {
    /// Runs operations by the codes of [`Op`](warpproof_model::outcome::Op): unique inserts, deletes and
    /// searches of keys below 2^31. Queues them on `stream`.
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
        let mut call = Call::new(self.of.device.context(), stream)?;
        let ops = call.input("operations", ops.view())?;
        let keys = call.input("keys", keys.view())?;
        let values = call.input("values", values.view())?;
        let outcomes = call.output("outcomes", outcomes.view_mut())?;
        let found = call.output("found values", found.view_mut())?;
        let arguments = self.head().mixed(ops, keys, values, outcomes, found)?;
        // SAFETY: the arguments are those of `chain_mixed`, with the lengths of the arrays; `drop` waits for
        // the device, and `Call` keeps the order of the other slices.
        let launched = unsafe { self.kernel.launch(call.stream(), Tuning::default().threads, &arguments) };
        call.finish().and(launched)
    }

    fn head(&self) -> Head {
        chain_head(
            [self.of.address(&self.pairs), self.of.address(&self.next)],
            self.pairs.len(),
            (self.of.address(&self.heads), self.heads.len()),
            self.of.address(&self.taken),
        )
    }
}

impl Drop for ChainedMap {
    fn drop(&mut self) {
        // Callers' streams may still use the memory; it is freed in the order of our own stream.
        self.of.device.wait_idle();
    }
}

/// A table that is filled once.
pub struct StaticMap {
    kind: Static,
    insert: Kernel,
    search: Kernel,
    slots: CudaSlice<u64>,
    of: Baselines,
}

impl StaticMap {
    /// Adds pairs. Their keys are distinct and below 2^31. Where an outcome is `Full`, a key has no place. In
    /// a cuckoo table that key is written to `left`; it may be the key of another insert. Tables that probe
    /// leave out the key of the insert itself, and do not write `left`. Queues it on `stream`.
    ///
    /// # Errors
    /// As [`OnStream`](crate::OnStream).
    pub fn insert(
        &self,
        stream: &Arc<CudaStream>,
        keys: &impl Input<u32>,
        values: &impl Input<u32>,
        outcomes: &mut impl Output<u8>,
        left: &mut impl Output<u32>,
    ) -> Result<(), Error> {
        let mut call = Call::new(self.of.device.context(), stream)?;
        let keys = call.input("keys", keys.view())?;
        let values = call.input("values", values.view())?;
        let outcomes = call.output("outcomes", outcomes.view_mut())?;
        let left = call.output("left keys", left.view_mut())?;
        let head = slots_head(self.of.address(&self.slots), self.slots.len());
        let arguments = insert_arguments(self.kind, &head, (keys, values), outcomes, left)?;
        // SAFETY: the arguments are those of the kind's insert; else as in `ChainedMap::mixed`.
        let launched = unsafe { self.insert.launch(call.stream(), Tuning::default().threads, &arguments) };
        call.finish().and(launched)
    }

    /// The values of keys; `missing` for absent keys. Queues it on `stream`.
    ///
    /// # Errors
    /// As [`OnStream`](crate::OnStream).
    pub fn search(
        &self,
        stream: &Arc<CudaStream>,
        keys: &impl Input<u32>,
        values: &mut impl Output<u32>,
        missing: u32,
    ) -> Result<(), Error> {
        let mut call = Call::new(self.of.device.context(), stream)?;
        let keys = call.input("keys", keys.view())?;
        let values = call.output("values", values.view_mut())?;
        let head = slots_head(self.of.address(&self.slots), self.slots.len());
        let arguments = search_arguments(&head, keys, values, missing)?;
        // SAFETY: the arguments are those of a search; else as in `ChainedMap::mixed`.
        let launched = unsafe { self.search.launch(call.stream(), Tuning::default().threads, &arguments) };
        call.finish().and(launched)
    }
}

impl Drop for StaticMap {
    fn drop(&mut self) {
        // Callers' streams may still use the slots; they are freed in the order of our own stream.
        self.of.device.wait_idle();
    }
}

/// Pairs, next, nodes, heads, buckets, counter.
fn chain_head(nodes: [u64; 2], number: usize, (heads, buckets): (u64, usize), taken: u64) -> Head {
    let list = vec![
        Argument::Pointer(nodes[0]),
        Argument::Pointer(nodes[1]),
        Argument::U64(number as u64),
        Argument::Pointer(heads),
        Argument::U64(buckets as u64),
        Argument::Pointer(taken),
    ];
    Head { list, parts: 0, numbers: 0, slots: 0 }
}

/// Slots, their number.
fn slots_head(address: u64, len: usize) -> Head {
    let list = vec![Argument::Pointer(address), Argument::U64(len as u64)];
    Head { list, parts: 0, numbers: 0, slots: 0 }
}

/// As a map's arguments, and for cuckoo hashing an array for the keys left out, as long as the keys.
fn insert_arguments(
    kind: Static,
    head: &Head,
    (keys, values): (Span<u32>, Span<u32>),
    outcomes: Span<u8>,
    left: Span<u32>,
) -> Result<Arguments, Refused> {
    // Refuses an array of keys left out that is not as long as the values.
    let with = head.mixed(outcomes, keys, values, outcomes, left)?;
    let mut arguments = head.put(keys, values, outcomes)?;
    if kind == Static::Cuckoo {
        let at = arguments.list.len() - 1;
        let left = with.list[with.list.len() - 2];
        arguments.list.insert(at, &[left]);
    }
    Ok(arguments)
}

/// Keys, values, missing value, n.
fn search_arguments(
    head: &Head,
    keys: Span<u32>,
    values: Span<u32>,
    missing: u32,
) -> Result<Arguments, Refused> {
    let mut arguments = head.search(keys, Some(values), None, missing)?;
    // These searches take no array for which keys were found.
    let found = arguments.list.len() - 3;
    arguments.list.remove(found);
    Ok(arguments)
}

impl fmt::Debug for Baselines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Baselines").field("device", &self.device).finish_non_exhaustive()
    }
}

impl fmt::Debug for ChainedMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (buckets, nodes) = (self.heads.len(), self.pairs.len());
        f.debug_struct("ChainedMap").field("buckets", &buckets).field("nodes", &nodes).finish_non_exhaustive()
    }
}

impl fmt::Debug for StaticMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slots = self.slots.len();
        f.debug_struct("StaticMap").field("kind", &self.kind).field("slots", &slots).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of the kernels, unless they are not built.
    pub(super) fn built() -> Option<String> {
        if let Some(missing) = Extra::Paper.missing() {
            println!("skipped: {missing}");
            return None;
        }
        Some(Extra::Paper.images(false).unwrap_or_else(|error| panic!("{error}")).concat())
    }

    /// The sizes of a kernel's parameters in bits, as the PTX declares them.
    pub(super) fn declared(ptx: &str, name: &str) -> Vec<u32> {
        let start = ptx.find(&format!(".entry {name}(")).expect("it is there");
        let list = ptx[start..].split(['(', ')']).nth(1).expect("a list");
        list.split(',').map(|p| if p.contains(".u64") { 64 } else { 32 }).collect()
    }

    pub(super) fn passed(arguments: &Arguments) -> Vec<u32> {
        let bits = |argument: &Argument| match argument {
            Argument::Each { .. } | Argument::Pointer(_) | Argument::U64(_) => 64,
            Argument::U32(_) | Argument::Count => 32,
        };
        arguments.list.iter().map(bits).collect()
    }

    #[test]
    fn arguments_are_those_of_the_kernels() {
        let Some(ptx) = built() else { return };
        let (keys, codes) = (Span::<u32>::new(1 << 10, 3), Span::<u8>::new(1 << 12, 3));
        let head = chain_head([1 << 20, 1 << 21], 7, (1 << 22, 5), 1 << 23);
        let mixed = head.mixed(codes, keys, keys, codes, keys).expect("the lengths are right");
        assert_eq!(passed(&mixed), declared(&ptx, "chain_mixed"));
        let (head, wide) = (lock_list::head((1 << 20, 64), 5, 1 << 23), Span::<u64>::new(1 << 13, 3));
        let mixed = head.mixed(codes, keys, keys, codes, keys).expect("the lengths are right");
        assert_eq!(passed(&mixed), declared(&ptx, "lock_list_mixed"));
        let per_key = head.per_key(wide, codes).expect("the lengths are right");
        for name in ["lock_list_insert", "lock_list_delete", "lock_list_contains"] {
            assert_eq!(passed(&per_key), declared(&ptx, name), "{name}");
        }
        let head = slots_head(1 << 20, 8);
        for kind in [Static::Linear, Static::Quadratic, Static::Cuckoo] {
            let [insert, search] = kind.kernels();
            let arguments = insert_arguments(kind, &head, (keys, keys), codes, keys);
            assert_eq!(
                passed(&arguments.expect("the lengths are right")),
                declared(&ptx, insert),
                "{insert}"
            );
            let arguments = search_arguments(&head, keys, keys, 9).expect("the lengths are right");
            assert_eq!(passed(&arguments), declared(&ptx, search), "{search}");
            // The missing value comes before the number of operations.
            assert_eq!(arguments.list[4..], [Argument::U32(9), Argument::Count]);
        }
        let short = Span::<u32>::new(1 << 10, 2);
        assert!(insert_arguments(Static::Linear, &head, (keys, keys), codes, short).is_err());
    }
}
