//! The carrier of a rank with a GPU: columns in device memory.

use super::memory::{Move, RankMemory};
use crate::arguments::paged::Operations;
use crate::arguments::{Head, Listed, Span};
use crate::error::Error;
use crate::handle::Table;
use crate::operations::launch::{Arrays, Launch};
use crate::row::Row;
use crate::sorter::{Columns, Shape};
use crate::structures::Holds;
use core::ops::Range;
use cudarc::driver::CudaStream;
use std::sync::Arc;
use warpproof_model::partition::HashPartitions;
use warpproof_model::sharded::{Cargo, Carrier, PLACE_WORDS, Part};

/// A batch of a rank in device memory.
#[derive(Clone, Copy)]
pub(super) struct Given<R: Row> {
    pub(super) keys: Span<R::Key>,
    pub(super) values: Option<Span<R::Value>>,
    pub(super) ops: Option<Span<u8>>,
}

/// Runs one batch on a rank.
pub(super) struct DeviceCarrier<'a, R: Row, S: Holds<R>, L> {
    pub(super) table: &'a Table<R, S>,
    pub(super) memory: Arc<RankMemory>,
    pub(super) launch: &'a Launch<L>,
    /// Whether answers have a value besides their code.
    pub(super) valued: bool,
    pub(super) shape: Shape,
    pub(super) rank: usize,
    /// This rank's items, and those of others in this round.
    pub(super) own: Option<Columns<1>>,
    pub(super) others: Option<Columns<1>>,
    /// This rank's own part of the round: among its own items, and among those of all ranks.
    pub(super) mine: [Part; 2],
}

impl<'a, R: Row, S: Holds<R>, L> DeviceCarrier<'a, R, S, L> {
    /// Sorts a batch by owner. Returns where the items of each begin, and last where they end.
    ///
    /// # Safety
    /// The spans are of device memory that lives until the batch has ended, with as many elements as keys.
    /// They are written when `stream` has run what it has now.
    pub(super) unsafe fn sort(
        &mut self,
        given: &Given<R>,
        owners: HashPartitions,
        stream: &Arc<CudaStream>,
    ) -> Result<Vec<usize>, Error> {
        let run = &self.memory.stream;
        run.join(stream).map_err(Error::driver("waiting for the stream of a batch"))?;
        let n = given.keys.len();
        let mut used = self.memory.used();
        let own = used.own.columns::<R, 1>(n, self.shape)?;
        self.own = Some(own);
        self.memory.mover().tell(0, used.own.region());
        let ranks = owners.count() as usize;
        let mut starts = crate::host::room("starts of a batch", ranks + 1)?;
        if n == 0 {
            starts.resize(ranks + 1, 0);
            return Ok(starts);
        }
        let batch = Operations {
            n: n as u32,
            keys: given.keys.at(0),
            values: given.values.map(|values| values.at(0)),
            ops: given.ops.map_or(0, |ops| ops.at(0)),
            numbers: 0,
        };
        let seeds = (owners, self.table.seed());
        let sorter = used.sorter(&self.memory.device, seeds, (size_of::<R::Key>(), run))?;
        starts.extend(sorter.count(batch, run)?.into_iter().map(|start| start as usize));
        let [sorted] = own.sides;
        // SAFETY: columns of these rows, with room for the batch; they are freed after the device was waited
        // for.
        unsafe { sorter.scatter(batch, (sorted, true), run)? };
        Ok(starts)
    }

    /// Brings the answers into the order of the batch, and waits: codes and numbers, where there is a target
    /// for them.
    ///
    /// # Safety
    /// The targets are of device memory with as many elements as keys, or 0.
    pub(super) unsafe fn answer(self, n: usize, to: [u64; 2], owners: HashPartitions) -> Result<(), Error> {
        let Some(own) = self.own else { return Ok(()) };
        let run = &self.memory.stream;
        if n > 0 {
            let from = [own.codes, own.found];
            let from = core::array::from_fn(|column| if to[column] == 0 { 0 } else { from[column] });
            let places = Span::new(own.sides[0].numbers, n);
            let bytes = size_of::<R::Key>();
            let mut used = self.memory.used();
            let seeds = (owners, self.table.seed());
            let sorter = used.sorter(&self.memory.device, seeds, (bytes, run))?;
            // SAFETY: columns of these rows; the rest is the contract of this function.
            unsafe { sorter.gather(places, bytes, (from, to), run)? };
        }
        self.memory.mover().wait(run)
    }

    /// Queues the operation on some items of columns, with answers beside them.
    ///
    /// # Safety
    /// These items are in the columns when the stream has run what it has now.
    unsafe fn run_some(&self, columns: &Columns<1>, items: Range<usize>) -> Result<(), Error>
    where
        L: Fn(&Head, &Arrays<R::Key, R::Value, R::Value>) -> Listed,
    {
        let (start, n) = (items.start, items.len());
        if n == 0 {
            return Ok(());
        }
        let [side] = columns.sides;
        let at = |column: u64, bytes: usize| column + (start * bytes) as u64;
        let (key, value) = (size_of::<R::Key>(), size_of::<R::Value>());
        let some = |there: bool| if there { n } else { 0 };
        let arrays = Arrays {
            ops: Span::new(at(side.ops, 1), some(self.shape.ops)),
            keys: Span::new(at(side.keys, key), n),
            values: Span::new(at(side.values.unwrap_or(0), value), some(self.shape.values)),
            codes: Span::new(at(columns.codes, 1), n),
            numbers: Span::new(at(columns.found, value), some(self.valued)),
        };
        let table = self.table.on_device();
        let arguments = self.launch.arguments(table.head(), &arrays)?;
        // SAFETY: a `Launch` has the arguments of its operation; the columns are of the table's rows, and are
        // freed after the device was waited for.
        unsafe { table.launch(self.launch.operation(), &self.memory.stream, &arguments) }
    }

    /// Queues this rank's own items, of which one half runs while the items of others come (0), and the other
    /// one while their answers go back (1). Without values answers are small, and all of them run first.
    fn run_own(&self, half: usize) -> Result<(), Error>
    where
        L: Fn(&Head, &Arrays<R::Key, R::Value, R::Value>) -> Listed,
    {
        let Some(columns) = self.own else { return Ok(()) };
        let Part { first, items, .. } = self.mine[0];
        let end = first + items;
        let middle = if self.valued { first + items / 2 } else { end };
        let some = if half == 0 { first..middle } else { middle..end };
        // SAFETY: of this rank's own items, which it has sorted.
        unsafe { self.run_some(&columns, some) }
    }

    /// Bytes of an item, or of an answer, in each of its columns; 0 where the batch has none.
    fn bytes(&self, cargo: Cargo) -> [usize; PLACE_WORDS] {
        let value = size_of::<R::Value>();
        match cargo {
            Cargo::Items => {
                let Shape { values, ops } = self.shape;
                [size_of::<R::Key>(), if values { value } else { 0 }, usize::from(ops)]
            }
            Cargo::Answers => [size_of::<u8>(), if self.valued { value } else { 0 }, 0],
        }
    }

    /// The addresses of the columns.
    fn columns(cargo: Cargo, of: Option<&Columns<1>>) -> [u64; PLACE_WORDS] {
        match (cargo, of) {
            (_, None) => [0; PLACE_WORDS],
            (Cargo::Items, Some(Columns { sides: [side], .. })) => {
                [side.keys, side.values.unwrap_or(0), side.ops]
            }
            (Cargo::Answers, Some(of)) => [of.codes, of.found, 0],
        }
    }
}

impl<R: Row, S: Holds<R>, L> Carrier for DeviceCarrier<'_, R, S, L>
where
    L: Fn(&Head, &Arrays<R::Key, R::Value, R::Value>) -> Listed,
{
    type Error = Error;

    fn place(&self, cargo: Cargo, first: usize) -> [u64; PLACE_WORDS] {
        let of = if cargo == Cargo::Items { &self.own } else { &self.others };
        let (columns, bytes) = (Self::columns(cargo, of.as_ref()), self.bytes(cargo));
        core::array::from_fn(|column| columns[column] + (first * bytes[column]) as u64)
    }

    /// A rank's own items and answers stay where they are.
    fn take(&mut self, cargo: Cargo, given: &[Part], taken: &[Part]) -> Result<(), Error> {
        let part = |of: &[Part]| of.get(self.rank).copied().unwrap_or_default();
        let (mine, run) = (self.rank, &self.memory.stream);
        if cargo == Cargo::Items {
            self.mine = [part(given), part(taken)];
            let items = taken.iter().map(|part| part.items).sum();
            let mut used = self.memory.used();
            self.others = Some(used.others.columns::<R, 1>(items, self.shape)?);
            self.memory.mover().tell(1, used.others.region());
        }
        let to = if cargo == Cargo::Items { &self.others } else { &self.own };
        let to = Self::columns(cargo, to.as_ref());
        let mut gives = crate::host::room("columns", PLACE_WORDS)?;
        let mut takes = crate::host::room("columns", PLACE_WORDS)?;
        for (column, bytes) in self.bytes(cargo).into_iter().enumerate().filter(|(_, bytes)| *bytes > 0) {
            let moved = |(rank, part): (usize, &Part)| Move {
                from: part.place[column],
                to: to[column] + (part.first * bytes) as u64,
                bytes: if rank == mine { 0 } else { part.items * bytes },
            };
            gives.push(given.iter().enumerate().map(moved).collect::<Vec<_>>());
            takes.push(taken.iter().enumerate().map(moved).collect::<Vec<_>>());
        }
        let copies = &self.memory.copies;
        if cargo == Cargo::Items {
            // Columns that were freed may be in use until here.
            copies.join(run).map_err(Error::driver("waiting for the items of a batch"))?;
        }
        // SAFETY: what ranks give is in columns of theirs, at the places that they have told, and stays there
        // as `Rounds::carry` says; what this rank takes goes to its own columns, which are as long.
        let moved = unsafe { self.memory.mover().columns(copies, &gives, &takes) };
        if cargo == Cargo::Answers {
            self.run_own(1)?;
            run.join(copies).map_err(Error::driver("waiting for the answers of other ranks"))?;
        }
        moved
    }

    fn run(&mut self, items: usize) -> Result<(), Error> {
        let mine = self.mine[1];
        self.run_own(0)?;
        let run = &self.memory.stream;
        run.join(&self.memory.copies).map_err(Error::driver("waiting for the items of other ranks"))?;
        if let Some(columns) = self.others {
            // SAFETY: of the items of other ranks, which are before and after those of this one.
            unsafe {
                self.run_some(&columns, 0..mine.first)?;
                self.run_some(&columns, mine.first + mine.items..items)?;
            }
        }
        Ok(())
    }

    fn wait(&mut self) -> Result<(), Error> {
        self.memory.mover().wait(&self.memory.copies)?;
        self.memory.mover().wait(&self.memory.stream)
    }
}

/// Also after an error nothing of the batch is left to run when the caller's slices are free again.
impl<R: Row, S: Holds<R>, L> Drop for DeviceCarrier<'_, R, S, L> {
    fn drop(&mut self) {
        for stream in [&self.memory.copies, &self.memory.stream] {
            let _ = self.memory.mover().wait(stream);
        }
    }
}
