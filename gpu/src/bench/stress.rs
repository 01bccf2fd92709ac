//! Operations for stress tests: with time stamps of a clock on the device, from which histories are made, and
//! with the number of exchanges that they lose.

use crate::WaitFreeMap;
use crate::arguments::{Arguments, Head, Span, Stamps};
use crate::device::{Device, Extra};
use crate::error::Error;
use crate::handle::{Map, Set};
use crate::layout::{Entry, KeyScalar, Scalar};
use crate::module::{Kernel, Modules};
use crate::structures::Holds;
use crate::table::DeviceTable;
use core::fmt;
use cudarc::driver::{CudaSlice, DevicePtr};
use warpproof_model::host::{Answer, Op, Refused, same_length};
use warpproof_model::outcome::Mixed;

/// A clock that counts: each read of it is one tick.
pub struct StressClock {
    ticks: CudaSlice<u64>,
    modules: Modules,
    device: Device,
}

/// An operation with the times right before and right after it. All times of one clock differ, and the
/// effects of an operation are visible to every operation that began later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamped<V> {
    /// The time before.
    pub start: u64,
    /// The time after.
    pub end: u64,
    /// The answer.
    pub answer: Answer<V>,
}

/// The arrays of a call, shared by the launches of maps and sets.
struct Arrays<K> {
    ops: CudaSlice<u8>,
    keys: CudaSlice<K>,
    outcomes: CudaSlice<u8>,
    starts: CudaSlice<u64>,
    ends: CudaSlice<u64>,
}

impl StressClock {
    /// A clock at 0. Loads the kernels of stress tests ([`Extra::Stress`]), which the driver compiles the
    /// first
    /// time.
    ///
    /// # Errors
    /// [`Error::NotBuilt`], [`Error::OutOfMemory`], [`Error::DriverTooOld`], [`Error::Driver`].
    pub fn new(device: &Device) -> Result<Self, Error> {
        let mut ticks = device.buffer("a clock", 1)?;
        device.fill(&mut ticks, 0)?;
        Ok(Self { ticks, modules: device.extra(Extra::Stress)?, device: device.clone() })
    }

    /// Runs operations of all kinds on a map, all concurrent, each with time stamps; otherwise as
    /// [`mixed`](warpproof_model::host::BulkMap::mixed). Waits for the device before and after.
    ///
    /// # Errors
    /// As `mixed`. [`Error::OtherDevice`] if map and clock are on different devices; [`Error::NoKernel`] for
    /// slabs of 16 slots, and for multimaps.
    pub fn map<K: Scalar, V: Scalar, S: Holds<(K, V)>>(
        &mut self,
        map: &Map<K, V, S>,
        ops: &[Op],
        keys: &[K],
        values: &[V],
    ) -> Result<Vec<Stamped<V>>, Error>
    where
        (K, V): Entry,
    {
        same_length(keys, "values", values)?;
        let Some(arrays) = self.begin(map.on_device(), ops, keys)? else {
            return Ok(Vec::new());
        };
        let values = self.device.upload("values", values)?;
        let mut found = self.device.buffer::<V>("found values", keys.len())?;
        // Only searches write a value, and all values are copied back.
        self.device.fill(&mut found, 0)?;
        let (on_values, on_found) = (self.span(&values), self.span(&found));
        let arguments = |head: &Head, ops, keys, outcomes, stamps| {
            head.stamped(ops, keys, Some((on_values, on_found)), outcomes, stamps)
        };
        // SAFETY: the kernel of a map of such keys and values, whose arguments `Head::stamped` gives.
        let kernel = unsafe { self.run("stamped", map.on_device(), &arrays, arguments)? };
        let found = self.device.download(&found)?;
        self.answers(&kernel, ops, &arrays, |at| found[at])
    }

    /// Runs operations on a set, all concurrent, each with time stamps: [`Op::InsertUnique`], [`Op::Delete`]
    /// and [`Op::Search`]. [`Op::Insert`] is a unique insert, and [`Op::Assign`] inserts a key or replaces it
    /// by itself.
    ///
    /// # Errors
    /// As [`map`](Self::map).
    pub fn set<K: KeyScalar, S: Holds<(K,)>>(
        &mut self,
        set: &Set<K, S>,
        ops: &[Op],
        keys: &[K],
    ) -> Result<Vec<Stamped<()>>, Error> {
        let Some(arrays) = self.begin(set.on_device(), ops, keys)? else {
            return Ok(Vec::new());
        };
        let arguments = |head: &Head, ops, keys, outcomes, stamps| {
            head.stamped(ops, keys, None::<(Span<()>, Span<()>)>, outcomes, stamps)
        };
        // SAFETY: the kernel of a set of such keys, whose arguments `Head::stamped` gives.
        let kernel = unsafe { self.run("stamped", set.on_device(), &arrays, arguments)? };
        self.answers(&kernel, ops, &arrays, |_| ())
    }

    /// Runs operations of all kinds on a map of u32 pairs, each by a whole tile. Returns the answers, where
    /// the value of a search is always 0, and how many exchanges of a head each operation has lost.
    /// [`warpproof_model::waitfree::rounds`] bounds that number. Waits for the device before and after.
    /// # Errors
    /// As `mixed`; [`Error::OtherDevice`]; [`Error::Code`] if an operation found no free node, as nothing
    /// runs it again here.
    pub fn exchanges(
        &mut self,
        map: &WaitFreeMap<u32, u32>,
        ops: &[Op],
        keys: &[u32],
        values: &[u32],
    ) -> Result<(Vec<Answer<u32>>, Vec<u32>), Error> {
        same_length(keys, "values", values)?;
        let Some(arrays) = self.begin(map.on_device(), ops, keys)? else {
            return Ok((Vec::new(), Vec::new()));
        };
        let values = self.device.upload("values", values)?;
        let mut lost = self.device.buffer::<u32>("exchanges", keys.len())?;
        self.device.fill(&mut lost, 0)?;
        let (on_values, on_lost) = (self.span(&values), self.span(&lost));
        let arguments =
            |head: &Head, ops, keys, outcomes, _| head.mixed(ops, keys, on_values, outcomes, on_lost);
        // SAFETY: the kernel takes what a mixed batch takes, with u32 in place of the values that it found.
        let kernel = unsafe { self.run("mixed_counted", map.on_device(), &arrays, arguments)? };
        let answers = self.answers(&kernel, ops, &arrays, |_| 0)?;
        Ok((answers.into_iter().map(|stamped| stamped.answer).collect(), self.device.download(&lost)?))
    }

    fn span<T>(&self, slice: &CudaSlice<T>) -> Span<T> {
        Span::new(slice.device_ptr(self.device.stream()).0, slice.len())
    }

    /// Checks the input and copies it to the device. `None` if it is empty.
    fn begin<K: Scalar>(
        &self,
        table: &DeviceTable,
        ops: &[Op],
        keys: &[K],
    ) -> Result<Option<Arrays<K>>, Error> {
        same_length(keys, "operations", ops)?;
        if table.device().ordinal() != self.device.ordinal() {
            return Err(Error::OtherDevice { what: "clock" });
        }
        if keys.is_empty() {
            return Ok(None);
        }
        let codes: Vec<u8> = ops.iter().map(|&op| op as u8).collect();
        let (device, len) = (&self.device, keys.len());
        Ok(Some(Arrays {
            ops: device.upload("operations", &codes)?,
            keys: device.upload("keys", keys)?,
            outcomes: device.buffer("outcomes", len)?,
            starts: device.buffer("starts", len)?,
            ends: device.buffer("ends", len)?,
        }))
    }

    /// Runs only the operations of `arrays` on `table`.
    ///
    /// # Safety
    ///
    /// `arguments` are those of `operation` of the table's family, for its key and value types.
    unsafe fn run<K>(
        &self,
        operation: &str,
        table: &DeviceTable,
        arrays: &Arrays<K>,
        arguments: impl FnOnce(&Head, Span<u8>, Span<K>, Span<u8>, Stamps) -> Result<Arguments, Refused>,
    ) -> Result<Kernel, Error> {
        let (family, head) = (table.family(), table.head());
        let lanes = table.tuning().lanes.unwrap_or(family.lanes);
        let name = family.name(operation, lanes);
        let Some(kernel) = self.modules.kernel(&name, lanes)? else {
            return Err(Error::NoKernel { kernel: name });
        };
        let kernel = table.bounded(kernel)?;
        let stamps = Stamps {
            clock: self.span(&self.ticks),
            starts: self.span(&arrays.starts),
            ends: self.span(&arrays.ends),
        };
        let (ops, keys, outcomes) =
            (self.span(&arrays.ops), self.span(&arrays.keys), self.span(&arrays.outcomes));
        let arguments = arguments(head, ops, keys, outcomes, stamps)?;
        // Other streams may use the table: a clear of it, or operations without stamps.
        self.device.synchronize()?;
        let stream = self.device.stream();
        // SAFETY: the contract of this function; the arrays are freed on the same stream, and the table is
        // borrowed until the stream was waited for.
        let launched = unsafe { table.queue_kernels((&kernel, None), true, stream, &arguments) };
        let waited = stream.synchronize().map_err(|error| kernel.fault(error));
        launched.and(waited)?;
        Ok(kernel)
    }

    /// The answers that the kernel wrote.
    fn answers<K, V: Copy>(
        &self,
        kernel: &Kernel,
        ops: &[Op],
        arrays: &Arrays<K>,
        found: impl Fn(usize) -> V,
    ) -> Result<Vec<Stamped<V>>, Error> {
        let codes = self.device.download(&arrays.outcomes)?;
        let (starts, ends) = (self.device.download(&arrays.starts)?, self.device.download(&arrays.ends)?);
        let answer = |index: usize| {
            let code = codes[index];
            match Answer::new(ops[index], Mixed { code, value: found(index) }) {
                Some(answer) => Ok(Stamped { start: starts[index], end: ends[index], answer }),
                None => Err(Error::Code { kernel: kernel.name().into(), index, code }),
            }
        };
        (0..ops.len()).map(answer).collect()
    }
}

impl fmt::Debug for StressClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StressClock").field("device", &self.device).finish_non_exhaustive()
    }
}
