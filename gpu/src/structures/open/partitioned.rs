//! Inserting a batch partition by partition.

use super::Open;
use super::levels::{Level, levels, partition_bytes};
use super::partitions::{Memory, Partitions};
use crate::arguments::{Arguments, Columns, Said};
use crate::error::Error;
use crate::handle::Table;
use crate::host::room;
use crate::layout::{Entry, KeyScalar, Scalar};
use crate::operations::Operation;
use crate::row::Row;
use crate::slices::{Call, Input, Output};
use crate::table::{DeviceTable, SCATTER_BYTES, scatter_entries, scatter_threads};
use cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;
use warpproof_model::host::{Outcomes, Tally, same_length};
use warpproof_model::open::bulk::TALLY;
use warpproof_model::outcome::Insert;

impl<R: Row> Table<R, Open> {
    /// Device memory on `stream` for partitioned inserts of up to `entries` entries into this table.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::OtherDevice`].
    pub fn partitions_on(&self, stream: &Arc<CudaStream>, entries: usize) -> Result<Partitions, Error> {
        self.partitions(stream, entries, false)
    }

    /// Device memory on `stream` for partitioned inserts of up to `entries` entries, with outcomes or
    /// without.
    ///
    /// # Errors
    /// As [`partitions_on`](Self::partitions_on).
    pub fn partitions_with_outcomes_on(
        &self,
        stream: &Arc<CudaStream>,
        entries: usize,
    ) -> Result<Partitions, Error> {
        self.partitions(stream, entries, true)
    }

    fn partitions(&self, stream: &Arc<CudaStream>, n: usize, told: bool) -> Result<Partitions, Error> {
        Call::new(self.device().context(), stream)?;
        // Partitions for outcomes also serve batches without.
        let levels: Vec<_> =
            [false, true][..1 + told as usize].iter().map(|&told| self.levels(n, told)).collect();
        Partitions::new(stream, (&levels, told), self.layout().slot_bytes())
    }

    /// The levels of a batch of `n` entries whose operations are `told` their outcomes, or not.
    fn levels(&self, n: usize, told: bool) -> Vec<Level> {
        let (layout, parts) = (self.layout(), self.parts());
        levels(parts.buckets, (parts.bucket_slots, layout.slot_bytes()), (n as u64, told))
    }

    /// Queues the inserts of a batch, and reports how they ended.
    ///
    /// # Safety
    ///
    /// The columns are those of a batch of this table's keys and values. `call` took them, the memory, and
    /// the words of the report.
    unsafe fn queue_partitioned(
        &mut self,
        call: &Call<'_>,
        columns: Columns,
        memory: Memory,
        said: Said,
    ) -> Result<(), Error> {
        let (layout, stream, n) = (self.layout(), call.stream(), columns.len());
        let (levels, slot_bytes) = (self.levels(n, said.is_told()), layout.slot_bytes());
        if n > 0 {
            memory.admit((&levels, said.is_told()), slot_bytes, n)?;
        }
        let level = |at| memory.level(&levels, at, slot_bytes);
        // SAFETY: `call` took them.
        unsafe { call.zero(said.words()).and_then(|()| call.zero(memory.taken))? };
        if n == 0 {
            return Ok(());
        }
        self.on_device_mut().run_alone(stream, |table: &DeviceTable| {
            // SAFETY: made by the functions of `Head` that belong to them, from slices that `call` took.
            let run =
                |operation, arguments: &Arguments| unsafe { table.launch(operation, stream, arguments) };
            let head = table.head();
            let entries = scatter_entries(layout);
            let fan = |at: usize| (levels[at].of.fan_out(0), SCATTER_BYTES, entries);
            run(Operation::Scatter, &head.scatter(&columns, fan(0), level(0), said))?;
            for at in 1..levels.len() {
                let blocks = levels[at - 1].room.div_ceil(entries);
                let grid = (levels[at - 1].of.partitions * blocks as u64, scatter_threads(layout));
                let arguments = head.scatter_again((level(at - 1), blocks), fan(at), level(at), said, grid);
                run(Operation::ScatterAgain, &arguments)?;
            }
            let last = levels.len() - 1;
            let (full, overflow) = (level(last), level(last + 1));
            let bytes = partition_bytes(slot_bytes, said.is_told());
            let partition = (levels[last].of.partitioning.shift(), bytes, bytes / slot_bytes);
            run(Operation::Fill, &head.fill(partition, (full, overflow), said))?;
            run(Operation::InsertOverflow, &head.insert_overflow(overflow, said))?;
            run(Operation::InsertLost, &head.insert_lost(&columns, said))
        })
    }

    /// Waits for our own stream, and reads a tally.
    fn said(&self, tally: &CudaSlice<u64>) -> Result<Tally, Error> {
        let device = self.device();
        device.stream().synchronize().map_err(Error::driver("waiting for a batch"))?;
        let mut words = [0; TALLY];
        device.download_to(tally, &mut words)?;
        Ok(Tally::of(words))
    }

    /// Waits for our own stream, and reads the outcomes of a batch. `told` are lists with room for them.
    fn told(&self, outcomes: &CudaSlice<u8>, told: Told) -> Result<Outcomes<Insert>, Error> {
        let Told { mut codes, outcomes: mut list } = told;
        codes.resize(outcomes.len(), 0);
        self.device().download_to(outcomes, &mut codes)?;
        let kernel = self.on_device().kernel(Operation::InsertLost)?;
        for (index, &code) in codes.iter().enumerate() {
            let unknown = || Error::Code { kernel: kernel.name().into(), index, code };
            list.push(Insert::from_code(code).ok_or_else(unknown)?);
        }
        Ok(list.into())
    }
}

/// Host memory for the outcomes of a batch, allocated before it runs.
struct Told {
    codes: Vec<u8>,
    outcomes: Vec<Insert>,
}

impl Told {
    fn with_room(n: usize) -> Result<Self, Error> {
        Ok(Self { codes: room("codes", n)?, outcomes: room("outcomes", n)? })
    }
}

/// The calls for a map, or for a set, which has no values.
macro_rules! partitioned {
    ($row:ty, [$key:ident: $of:ident $($values:ident: $value:ident)?], $columns:expr) => {
        impl<$key: $of $(, $value: Scalar)?> Table<$row, Open>
        $(where ($key, $value): Entry)?
        {
            /// Adds entries whose keys are absent, and returns how many were. Faster than single inserts for
            /// a batch that is not small beside the table, as it first sorts the entries by their places. No
            /// other call runs meanwhile. Entries that find no room in a full table are only counted.
            ///
            /// Takes time proportional to the entries and the slots, and device memory for the entries twice,
            /// besides the batch.
            ///
            /// # Errors
            /// Those of the other inserts of host slices, and of
            /// [`insert_partitioned_on`](Self::insert_partitioned_on); after [`Error::OutOfMemory`] nothing
            /// has changed.
            pub fn insert_partitioned(
                &mut self,
                keys: &[$key],
                $($values: &[$value],)?
            ) -> Result<Tally, Error> {
                $(same_length(keys, "values", $values)?;)?
                if keys.is_empty() {
                    return Ok(Tally::default());
                }
                let device = self.device().clone();
                let on_keys = device.upload("keys", keys)?;
                $(let $values = device.upload("values", $values)?;)?
                let mut tally = device.buffer::<u64>("a tally", TALLY)?;
                let mut partitions = self.partitions_on(device.stream(), keys.len())?;
                let stream = device.stream();
                self.insert_partitioned_on(stream, &on_keys, $(&$values,)? &mut partitions, &mut tally)?;
                self.said(&tally)
            }

            /// Adds entries as [`insert_partitioned`](Self::insert_partitioned) does, with an outcome for
            /// each. Each entry carries its number in the batch, which takes 4 bytes more, twice.
            ///
            /// # Errors
            /// Those of [`insert_partitioned`](Self::insert_partitioned); [`Error::Refused`] if there are
            /// more than 2^31 entries.
            pub fn insert_partitioned_with_outcomes(
                &mut self,
                keys: &[$key],
                $($values: &[$value],)?
            ) -> Result<Outcomes<Insert>, Error> {
                $(same_length(keys, "values", $values)?;)?
                if keys.is_empty() {
                    return Ok(Vec::new().into());
                }
                let device = self.device().clone();
                let on_keys = device.upload("keys", keys)?;
                $(let $values = device.upload("values", $values)?;)?
                let told = Told::with_room(keys.len())?;
                let mut outcomes = device.buffer::<u8>("outcomes", keys.len())?;
                let stream = device.stream();
                let mut partitions = self.partitions_with_outcomes_on(stream, keys.len())?;
                self.insert_partitioned_with_outcomes_on(
                    stream,
                    &on_keys,
                    $(&$values,)?
                    &mut partitions,
                    &mut outcomes,
                )?;
                self.told(&outcomes, told)
            }

            /// Adds entries of device slices as [`insert_partitioned`](Self::insert_partitioned) does, on
            /// `stream`, without waiting for it. Stores the [`TALLY`] words of `tally`; [`Tally::of`] gives
            /// their meaning. Allocates nothing.
            ///
            /// # Errors
            /// [`Error::Refused`] if the batch has 2^32 entries or more, `partitions` are too small for it,
            /// there are not as many values as keys, or `tally` does not have [`TALLY`] words;
            /// [`Error::NoKernel`] for u64 pairs by the lock-word protocol; [`Error::OtherDevice`],
            /// [`Error::Kernel`], [`Error::Driver`].
            pub fn insert_partitioned_on(
                &mut self,
                stream: &Arc<CudaStream>,
                keys: &impl Input<$key>,
                $($values: &impl Input<$value>,)?
                partitions: &mut Partitions,
                tally: &mut impl Output<u64>,
            ) -> Result<(), Error> {
                let mut call = Call::new(self.device().context(), stream)?;
                let keys = call.input("keys", keys.view())?;
                let columns = $columns(keys $(, call.input("values", $values.view())?)?)?;
                let said = Said::tally(call.output("tally", tally.view_mut())?)?;
                let memory = partitions.take(&mut call)?;
                // SAFETY: columns of the table's types, and slices that `call` took.
                let queued = unsafe { self.queue_partitioned(&call, columns, memory, said) };
                call.finish().and(queued)
            }

            /// Adds entries of device slices as [`insert_partitioned_on`](Self::insert_partitioned_on) does,
            /// with an outcome for each: the code of an [`Insert`]. `partitions` are from
            /// [`partitions_with_outcomes_on`](Self::partitions_with_outcomes_on).
            ///
            /// # Errors
            /// As [`insert_partitioned_on`](Self::insert_partitioned_on); [`Error::Refused`] if there are
            /// more than 2^31 entries, there are not as many `outcomes` as keys, or the partitions are not
            /// for outcomes.
            pub fn insert_partitioned_with_outcomes_on(
                &mut self,
                stream: &Arc<CudaStream>,
                keys: &impl Input<$key>,
                $($values: &impl Input<$value>,)?
                partitions: &mut Partitions,
                outcomes: &mut impl Output<u8>,
            ) -> Result<(), Error> {
                let mut call = Call::new(self.device().context(), stream)?;
                let keys = call.input("keys", keys.view())?;
                let columns = $columns(keys $(, call.input("values", $values.view())?)?)?;
                let outcomes = call.output("outcomes", outcomes.view_mut())?;
                let memory = partitions.take(&mut call)?;
                let said = Said::tally(memory.tally)?.outcomes(columns.len(), outcomes)?;
                // SAFETY: columns of the table's types, and slices that `call` took.
                let queued = unsafe { self.queue_partitioned(&call, columns, memory, said) };
                call.finish().and(queued)
            }
        }
    };
}
partitioned!((K, V), [K: Scalar values: V], Columns::of_pairs);
partitioned!((K,), [K: KeyScalar], |keys| Ok::<_, Error>(Columns::of_keys(keys)));
