//! A batch on a paged table, in device memory.

use super::board::beside;
use super::{LEAST, MOST, State};
use crate::arguments::paged::Operations;
use crate::arguments::{Head, Listed, Span};
use crate::error::Error;
use crate::host::room;
use crate::layout::Scalar;
use crate::operations::launch::{Arrays, Launch};
use crate::row::Row;
use crate::sorter::{Columns, Shape};
use core::ops::Range;
use cudarc::driver::CudaStream;
use std::sync::Arc;
use warpproof_model::outcome::Op;
use warpproof_model::paged::host::ChildSlots;
use warpproof_model::paged::partition::TALLIES;
use warpproof_model::paged::{Access, Place, Stream, Way};

/// Threads of a block that runs operations.
const THREADS: u32 = 64;
/// Threads of a block that runs operations where there is a board, and each thread has an operation.
const BOARD_THREADS: u32 = 128;
/// Searches of a batch that are sampled for the share of absent keys.
const SAMPLE: usize = 1 << 16;

/// What the operations of a batch may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Effect {
    /// They read.
    Reads,
    /// They are all of this kind.
    Of(Op),
    /// They are of several kinds.
    Mixed,
}

/// The operations of a batch on a child table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    pub(super) child: u32,
    /// Whether the table is copied to a frame first.
    pub(super) copied: bool,
    /// Whether the operations run in place or in a frame.
    pub(super) way: Way,
}

/// A batch in device memory.
#[derive(Clone, Copy)]
pub(super) struct Given<R: Row> {
    pub(super) keys: Span<R::Key>,
    pub(super) values: Option<Span<R::Value>>,
    pub(super) ops: Option<Span<u8>>,
}

/// Where the answers of a batch go, in device memory: codes; found values, or counts.
#[derive(Clone, Copy)]
pub(super) struct Wanted<N> {
    pub(super) codes: Option<Span<u8>>,
    pub(super) numbers: Option<Span<N>>,
}

impl<R: Row> State<R> {
    /// How many operations of a batch run at a time, if each takes `beside` bytes of device memory besides
    /// its columns.
    pub(super) fn operations(&self, shape: Shape, beside: u64) -> usize {
        self.geometry.operations(shape.operation_bytes::<R>(2) + beside, LEAST).min(MOST)
    }

    /// Runs a batch, after everything queued on `stream`. Work queued there later runs after the batch.
    ///
    /// # Safety
    ///
    /// The spans are of device memory, with as many elements as keys, that nothing else uses before `stream`
    /// is waited for; the kernels of `launch` write these answers.
    pub(super) unsafe fn run<N: Scalar, L>(
        &mut self,
        (launch, effect): (&Launch<L>, Effect),
        given: Given<R>,
        wanted: Wanted<N>,
        stream: &Arc<CudaStream>,
    ) -> Result<(), Error>
    where
        L: Fn(&Head, &Arrays<R::Key, R::Value, N>) -> Listed,
    {
        let run = self.memory.stream(Stream::Run).clone();
        let faults = self.memory.faults().clone();
        let joined = |to: &CudaStream, from: &CudaStream| faults.call().and_then(|()| to.join(from));
        joined(&run, stream).map_err(Error::driver("waiting for the stream of a batch"))?;
        let most = self.operations(shape(&given), 0);
        let (mut first, mut ran) = (0, Ok(()));
        while first < given.keys.len() && ran.is_ok() {
            let n = most.min(given.keys.len() - first);
            // SAFETY: the contract of this function, of a part.
            ran = unsafe { self.run_part((launch, effect), &given, &wanted, (first, n)) };
            ran = ran.map_err(|error| error.after(first));
            first += n;
        }
        let waits = joined(stream, &run).map_err(Error::driver("making the stream of a batch wait"));
        if ran.is_err() || waits.is_err() {
            // The memory of the spans may be freed when this returns, so nothing may be running then.
            let _ = run.synchronize();
        }
        ran.and(waits)
    }

    /// Runs the operations from number `first` on.
    ///
    /// # Safety
    /// As [`run`](Self::run).
    unsafe fn run_part<N: Scalar, L>(
        &mut self,
        (launch, effect): (&Launch<L>, Effect),
        given: &Given<R>,
        wanted: &Wanted<N>,
        (first, n): (usize, usize),
    ) -> Result<(), Error>
    where
        L: Fn(&Head, &Arrays<R::Key, R::Value, N>) -> Listed,
    {
        let run = self.memory.stream(Stream::Run).clone();
        let children = self.partitioner.sorter.children();
        self.refresh_board()?;
        if effect == Effect::Reads && (0..children).all(|child| self.pager.is_resident(child)) {
            // All are in device memory: no order is better than another one.
            self.choice.note_in_frames(children.into(), (Access::Reads, n as u64));
            let arrays = Arrays {
                keys: part(given.keys, first, n),
                codes: wanted.codes.map_or(Span::new(0, 0), |codes| part(codes, first, n)),
                numbers: wanted.numbers.map_or(Span::new(0, 0), |numbers| part(numbers, first, n)),
                ..Arrays::NONE
            };
            let mut tables = room("places of child tables", children as usize)?;
            tables.extend((0..children).map(|child| (child, Place::Image)));
            // SAFETY: the contract of this function.
            return unsafe { self.run_where_they_are(launch, (&mut tables, false), Access::Reads, &arrays) };
        }
        let columns = self.partitioner.columns.columns::<R, 2>(n, shape(given))?;
        let mut batch = Operations {
            n: n as u32,
            keys: given.keys.at(first),
            values: given.values.map(|values| values.at(first)),
            ops: given.ops.map_or(0, |ops| ops.at(first)),
            numbers: 0,
        };
        if effect == Effect::Reads {
            // SAFETY: the contract of this function.
            batch = unsafe { self.sift(launch, batch, (wanted, first), &columns)? };
        }
        let n = batch.n as usize;
        if n == 0 {
            return Ok(());
        }
        let starts = self.partitioner.sorter.count(batch, &run)?;
        let range = |child: u32| starts[child as usize]..starts[child as usize + 1];
        // Allocates all host memory before anything runs.
        let mut jobs = room("jobs of a batch", children as usize)?;
        let mut tables = room("places of child tables", children as usize)?;
        let mut tallies = room("counters", children as usize)?;
        let access = if effect == Effect::Reads { Access::Reads } else { Access::Writes };
        for child in 0..children {
            let operations = range(child).len() as u64;
            self.choice.note(child, operations);
            if operations > 0 {
                self.memory.need(child)?;
                if access == Access::Writes {
                    self.know(child)?;
                }
                let way = self.choice.way(&self.pager, child, (access, operations));
                let copied = way == Way::Resident && !self.pager.is_resident(child);
                jobs.push(Job { copied, child, way });
            }
        }
        // Tables that are copied come last: they displace others.
        jobs.sort_unstable_by_key(|job| (job.copied, job.child));
        if self.rebuild_crowded(&jobs, effect, &range)? {
            // A rebuild may change the seed that orders the operations of a child table, but not their
            // number.
            self.partitioner.sorter.count(batch, &run)?;
        }

        if access == Access::Writes {
            // After an error before the operations have ended, the tables are counted.
            jobs.iter().for_each(|job| self.known_of(job.child).for_each(ChildSlots::begin));
        }
        let [partitioned, arranged] = columns.sides.map(|side| Operations { n: batch.n, ..side });
        // SAFETY: columns of these rows, in memory that lives until the device was waited for.
        unsafe { self.partitioner.sorter.scatter(batch, (partitioned, false), &run)? };
        let in_place = jobs.iter().any(|job| job.way == Way::InPlace);
        let from = if in_place {
            // SAFETY: as above.
            unsafe { self.partitioner.sorter.arrange(partitioned, arranged, &run)? };
            arranged
        } else {
            partitioned
        };
        let (stay, copied) = jobs.split_at(jobs.partition_point(|job| !job.copied));
        // Nothing is copied, and operations are sorted by their homes.
        let runs = access == Access::Reads && copied.is_empty() && in_place;
        // Tables that stay in place: one launch for neighbours, as the operations between are of other
        // tables.
        let mut rest = stay;
        while let Some(&Job { child: first, .. }) = rest.first() {
            let next = copied.get(copied.partition_point(|job| job.child < first));
            let end = next.map_or(children, |job| job.child);
            let (these, others) = rest.split_at(rest.partition_point(|job| job.child < end));
            rest = others;
            tables.clear();
            tables.extend(these.iter().map(|job| (job.child, Place::Image)));
            let arrays = arrays::<R, N>(from, &columns, range(first).start..starts[end as usize]);
            // SAFETY: columns of these rows, in memory that lives until the device was waited for.
            unsafe { self.run_where_they_are(launch, (&mut tables, runs), access, &arrays)? };
        }
        for &Job { child, way, .. } in copied {
            let arrays = arrays::<R, N>(from, &columns, range(child));
            // SAFETY: as above.
            unsafe { self.run_on_child(launch, child, (access, way), &arrays)? };
        }
        if access == Access::Writes {
            tallies.resize(children as usize, [0; TALLIES]);
            // SAFETY: the contract of this function.
            unsafe { self.settle((launch, effect), (from, &columns), (&starts, &mut tallies))? };
        }
        let answers = [
            wanted.codes.map(|codes| (columns.codes, codes.at(first))),
            wanted.numbers.map(|numbers| (columns.found, numbers.at(first))),
        ];
        let from_to = (
            answers.map(|answer| answer.map_or(0, |(from, _)| from)),
            answers.map(|answer| answer.map_or(0, |(_, to)| to)),
        );
        // SAFETY: as above.
        unsafe {
            let keys = if runs { from.keys } else { 0 };
            let numbers = Span::new(from.numbers, n);
            self.partitioner.sorter.answer((numbers, keys), size_of::<R::Key>(), from_to, &run)
        }
    }

    /// Answers searches of keys that a board shows to be absent, if there are many. The other searches are
    /// left.
    ///
    /// # Safety
    /// As [`run`](Self::run).
    unsafe fn sift<N: Scalar, L>(
        &mut self,
        launch: &Launch<L>,
        batch: Operations,
        (wanted, first): (&Wanted<N>, usize),
        columns: &Columns,
    ) -> Result<Operations, Error>
    where
        L: Fn(&Head, &Arrays<R::Key, R::Value, N>) -> Listed,
    {
        let Self { memory, board: Some(board), partitioner, geometry, .. } = self else { return Ok(batch) };
        let run = memory.stream(Stream::Run).clone();
        // The second side is free until operations are arranged.
        let to = columns.sides[1];
        // Slots are not read.
        let mut heads = room("seeds of child tables", memory.seeds().len())?;
        heads.extend(memory.seeds().iter().map(|seed| {
            let [mask, factor] = seed.words();
            [0, 0, 0, mask, factor]
        }));
        let size = (geometry.child.slots() as u64, beside(Some(board), 0), geometry.child.buckets);
        let head = partitioner.set_heads((0, &heads), size, &run)?;
        let sifted = |n: usize| -> Result<u32, Error> {
            let arrays = Arrays {
                keys: Span::new(batch.keys, n),
                codes: wanted.codes.map_or(Span::new(0, 0), |codes| part(codes, first, n)),
                numbers: wanted.numbers.map_or(Span::new(0, 0), |numbers| part(numbers, first, n)),
                ..Arrays::NONE
            };
            // SAFETY: the contract of this function.
            unsafe { partitioner.sift(board.sifts(), launch.arguments(&head, &arrays)?, to, &run) }
        };
        let n = batch.n as usize;
        // A sample decides whether that is worth it.
        if n > SAMPLE && sifted(SAMPLE)? as usize > SAMPLE / 2 {
            return Ok(batch);
        }
        Ok(Operations { n: sifted(n)?, keys: to.keys, numbers: to.numbers, ..batch })
    }

    /// Runs operations on one child table.
    ///
    /// # Safety
    ///
    /// The arrays are of device memory that lives until the device was waited for, with as many elements as
    /// keys. All keys belong to this child table. The kernels of `launch` write these answers.
    pub(super) unsafe fn run_on_child<N: Scalar, L>(
        &mut self,
        launch: &Launch<L>,
        child: u32,
        how: (Access, Way),
        arrays: &Arrays<R::Key, R::Value, N>,
    ) -> Result<(), Error>
    where
        L: Fn(&Head, &Arrays<R::Key, R::Value, N>) -> Listed,
    {
        let Self { pager, memory, board, partitioner, .. } = self;
        pager.run(memory, child, how, |memory, place| {
            if let Some(board) = board {
                let (size, head) = memory.head(child, place, Some(board))?;
                let run = memory.stream(Stream::Run);
                let head = partitioner.set_heads((child, &[head]), size, run)?;
                let kernel = board.kernel(launch.operation())?;
                // SAFETY: as below.
                return unsafe {
                    partitioner.sorter.launch(kernel, BOARD_THREADS, &launch.arguments(&head, arrays)?, run)
                };
            }
            let table = memory.table(child, place)?.on_device();
            let arguments = launch.arguments(table.head(), arrays)?;
            table.ready()?;
            memory.faults().call().map_err(Error::driver("starting a kernel"))?;
            // SAFETY: made by the function of the operation, from arrays of the table's types, which live
            // until the device was waited for. The pager orders jobs.
            unsafe { table.queue(launch.operation(), memory.stream(Stream::Run), &arguments) }
        })
    }

    /// Runs operations on child tables at their places, by one launch; of searches that are sorted by their
    /// homes, only the first of each run of operations on one key. Passes the places to the kernel. Tables
    /// ascend.
    ///
    /// # Safety
    ///
    /// The arrays are of device memory that lives until the device was waited for, as many elements as keys;
    /// the kernels of `launch` write these answers.
    unsafe fn run_where_they_are<N: Scalar, L>(
        &mut self,
        launch: &Launch<L>,
        (tables, runs): (&mut [(u32, Place)], bool),
        access: Access,
        arrays: &Arrays<R::Key, R::Value, N>,
    ) -> Result<(), Error>
    where
        L: Fn(&Head, &Arrays<R::Key, R::Value, N>) -> Listed,
    {
        let (Some(&(first, _)), Some(&(last, _))) = (tables.first(), tables.last()) else { return Ok(()) };
        let between = (last - first) as usize + 1;
        let mut at = room("places of child tables", between)?;
        at.resize(between, Place::Image);
        let mut heads = room("places of child tables", between)?;
        let Self { pager, memory, board, partitioner, .. } = self;
        pager.run_where_they_are(memory, tables, access, |memory, tables| {
            for &(child, place) in tables {
                at[(child - first) as usize] = place;
            }
            let (size, _) = memory.head(first, at[0], board.as_ref())?;
            let run = memory.stream(Stream::Run);
            heads.extend(memory.heads(first, &at));
            let head = partitioner.set_heads((first, &heads), size, run)?;
            let in_frames = tables.iter().all(|(_, place)| matches!(place, Place::Frame(_)));
            let (kernel, threads) = match board {
                Some(board) if runs => (board.runs(), BOARD_THREADS),
                Some(board) => (board.kernel(launch.operation())?, BOARD_THREADS),
                None if runs => (partitioner.runs(), THREADS),
                None => (partitioner.routed(launch.operation(), in_frames)?, THREADS),
            };
            // SAFETY: made by the function of the operation, from arrays of the table's types; heads are
            // those of child tables, each of which has memory if it has a key of the batch.
            unsafe { partitioner.sorter.launch(kernel, threads, &launch.arguments(&head, arrays)?, run) }
        })
    }
}

/// The columns of a batch.
fn shape<R: Row>(given: &Given<R>) -> Shape {
    Shape { values: given.values.is_some(), ops: given.ops.is_some() }
}

/// Some elements.
fn part<T>(span: Span<T>, first: usize, n: usize) -> Span<T> {
    Span::new(span.at(first), n)
}

/// The arrays of some operations, in columns.
pub(super) fn arrays<R: Row, N>(
    from: Operations,
    columns: &Columns,
    range: Range<u32>,
) -> Arrays<R::Key, R::Value, N> {
    let n = range.len();
    let part = |column: u64, bytes: usize| column + u64::from(range.start) * bytes as u64;
    let values =
        from.values.map_or(Span::new(0, 0), |values| Span::new(part(values, size_of::<R::Value>()), n));
    Arrays {
        ops: if from.ops == 0 { Span::new(0, 0) } else { Span::new(part(from.ops, 1), n) },
        keys: Span::new(part(from.keys, size_of::<R::Key>()), n),
        values,
        codes: Span::new(part(columns.codes, 1), n),
        numbers: Span::new(part(columns.found, size_of::<N>()), n),
    }
}
