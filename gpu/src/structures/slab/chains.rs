//! Operations that only chains of slabs have: all pairs of a key, several pairs with one key, and flushes.

use super::Slab;
use crate::access::{OnStream, Staged};
use crate::arguments::Span;
use crate::error::Error;
use crate::handle::{Map, Table};
use crate::host::room;
use crate::layout::{Entry, Scalar};
use crate::operations::launch::Arrays;
use crate::operations::{Operation, search};
use crate::row::Row;
use crate::sink::Sink;
use crate::slices::{Input, Output};
use crate::structures::Holds;
use cudarc::driver::DevicePtr;
use warpproof_model::host::{BulkFlush, BulkMap, BulkMatches, BulkMultimap, Matches, Outcomes};
use warpproof_model::outcome::Insert;
use warpproof_model::slab::{Multi, Multiplicity};

impl<K: Scalar, V: Scalar, M: Multiplicity> OnStream<'_, Map<K, V, Slab<M>>>
where
    (K, V): Entry,
{
    /// The values of all pairs of each key: those of key `i` from `values[offsets[i]]` on, as many as fit
    /// before `offsets[i + 1]`. `counts[i]` is their present number. If it differs from the room between the
    /// offsets, the table changed since the offsets were made.
    ///
    /// # Safety
    ///
    /// `offsets` ascend, and the last is at most the number of `values`.
    pub unsafe fn search_all(
        &self,
        keys: &impl Input<K>,
        offsets: &impl Input<u64>,
        values: &mut impl Output<V>,
        counts: &mut impl Output<u32>,
    ) -> Result<(), Error> {
        let mut call = self.begin()?;
        let keys = call.input("keys", keys.view())?;
        let offsets = call.input("offsets", offsets.view())?;
        let on_values = call.output("values", values.view_mut())?;
        let numbers = call.output("counts", counts.view_mut())?;
        let arrays = Arrays { keys, numbers, ..Arrays::NONE };
        // SAFETY: spans that `call` gave, of the map's types; the offsets are the contract of this function.
        unsafe { self.run(call, &search::search_all(offsets, on_values), arrays) }
    }

    /// How many pairs each key has.
    pub fn count(&self, keys: &impl Input<K>, counts: &mut impl Output<u32>) -> Result<(), Error> {
        self.number(Operation::Count, keys, counts)
    }

    /// Deletes all pairs of each key, and writes how many there were.
    pub fn delete_all(&self, keys: &impl Input<K>, counts: &mut impl Output<u32>) -> Result<(), Error> {
        self.number(Operation::DeleteAll, keys, counts)
    }

    fn number(
        &self,
        operation: Operation,
        keys: &impl Input<K>,
        counts: &mut impl Output<u32>,
    ) -> Result<(), Error> {
        let mut call = self.begin()?;
        let keys = call.input("keys", keys.view())?;
        let numbers = call.output("counts", counts.view_mut())?;
        let arrays = Arrays::<K, V, u32> { keys, numbers, ..Arrays::NONE };
        // SAFETY: spans that `call` gave, of the map's types.
        unsafe { self.run(call, &search::number(operation), arrays) }
    }
}

impl<K: Scalar, V: Scalar> OnStream<'_, Map<K, V, Slab<Multi>>>
where
    (K, V): Entry,
{
    /// Adds pairs, whether or not their keys are there. Outcomes: [`Insert`](warpproof_model::Insert).
    pub fn insert(
        &self,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        self.put(Operation::Insert, keys, values, outcomes)
    }
}

impl<K: Scalar, V: Scalar, M: Multiplicity> Staged<'_, Map<K, V, Slab<M>>>
where
    (K, V): Entry,
{
    /// How many pairs each key has.
    pub fn count(&mut self, keys: &[K], counts: impl Sink<u32>) -> Result<(), Error> {
        self.number(Operation::Count, keys, counts)
    }

    /// Deletes all pairs of each key, and returns how many there were.
    pub fn delete_all(&mut self, keys: &[K], counts: impl Sink<u32>) -> Result<(), Error> {
        self.number(Operation::DeleteAll, keys, counts)
    }
}

impl<K: Scalar, V: Scalar> Staged<'_, Map<K, V, Slab<Multi>>>
where
    (K, V): Entry,
{
    /// Adds pairs, whether or not their keys are there.
    pub fn insert(&mut self, keys: &[K], values: &[V], outcomes: impl Sink<Insert>) -> Result<(), Error> {
        self.put(Operation::Insert, keys, values, outcomes, Insert::from_code)
    }
}

impl<K: Scalar, V: Scalar, M: Multiplicity> BulkMatches<K, V> for Map<K, V, Slab<M>>
where
    (K, V): Entry,
{
    fn search_all(&self, keys: &[K]) -> Result<Matches<V>, Error> {
        if keys.is_empty() {
            let mut offsets = room("offsets", 1)?;
            offsets.push(0);
            return Ok(Matches { offsets, values: Vec::new() });
        }
        let device = self.device();
        let first = self.count(keys)?;
        let mut offsets = room("offsets", keys.len() + 1)?;
        let mut end = 0u64;
        offsets.push(end);
        for &count in &first {
            end += count as u64;
            offsets.push(end);
        }
        if end == 0 {
            return Ok(Matches { offsets, values: Vec::new() });
        }
        // The keys are not cut into chunks: a chunk would have as many values as its keys have pairs.
        let on_keys = device.upload("keys", keys)?;
        let on_offsets = device.upload("offsets", &offsets)?;
        let mut counts = device.buffer::<u32>("counts", keys.len())?;
        let mut values = device.buffer("values", end as usize)?;
        let on_stream = self.on_stream(device.stream());
        // SAFETY: the offsets are sums, so they ascend, and the last is the number of values.
        unsafe { on_stream.search_all(&on_keys, &on_offsets, &mut values, &mut counts)? };
        self.on_device().wait(Operation::SearchAll)?;
        let second = device.download(&counts)?;
        if let Some(at) = (0..keys.len()).find(|&at| first[at] != second[at]) {
            let (first, second) = (first[at] as u64, second[at] as u64);
            return Err(Error::Changed { what: "the number of pairs of a key", first, second });
        }
        Ok(Matches { offsets, values: device.download(&values)? })
    }

    fn delete_all(&self, keys: &[K]) -> Result<Vec<u32>, Error> {
        self.answers(|mut map, counts| map.delete_all(keys, counts))
    }
}

impl<K: Scalar, V: Scalar> BulkMultimap<K, V> for Map<K, V, Slab<Multi>>
where
    (K, V): Entry,
{
    fn insert(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Insert>, Error> {
        self.answers(|mut map, outcomes| map.insert(keys, values, outcomes)).map(Outcomes::from)
    }
}

impl<R: Row, M: Multiplicity> BulkFlush for Table<R, Slab<M>>
where
    Slab<M>: Holds<R>,
{
    /// Reclaims deleted entries. `&mut`, as nothing else may run; waits for the device before and after.
    fn flush(&mut self) -> Result<u64, Error> {
        let (device, table) = (self.device(), self.on_device());
        device.synchronize()?;
        let mut freed = device.buffer::<u64>("a counter", 1)?;
        device.fill(&mut freed, 0)?;
        let stream = device.stream();
        let arguments = table.head().flush(Span::new(freed.device_ptr(stream).0, 1))?;
        // SAFETY: from `Head::flush`; `freed` is freed on this stream, after the kernel.
        unsafe { table.launch(Operation::Flush, stream, &arguments)? };
        table.wait(Operation::Flush)?;
        Ok(device.download(&freed)?.first().copied().unwrap_or(0))
    }
}
