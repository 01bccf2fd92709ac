//! A batch on a paged table, in device memory.

use super::board::beside;
use super::partition::{Columns, Partitioner, Shape};
use super::{LEAST, MOST, State};
use crate::arguments::Head;
use crate::arguments::Span;
use crate::arguments::paged::Operations;
use crate::error::Error;
use crate::host::room;
use crate::launch::{Arrays, Launch, Listed};
use crate::layout::Scalar;
use crate::row::Row;
use core::ops::Range;
use cudarc::driver::CudaStream;
use std::sync::Arc;
use warpproof_model::Seed;
use warpproof_model::host::{BulkTable, OpenStats};
use warpproof_model::outcome::{Insert, Op};
use warpproof_model::paged::host::ChildSlots;
use warpproof_model::paged::partition::TALLIES;
use warpproof_model::paged::{Access, Place, Stream, Way};

/// Threads of a block that runs operations.
const THREADS: u32 = 64;
/// The same where there is a board, and a thread has an operation.
const BOARD_THREADS: u32 = 128;
/// Searches of a batch that say whether most keys are absent.
const SAMPLE: usize = 1 << 16;

/// What the operations of a batch may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Effect {
    /// They read.
    Reads,
    /// They are of this kind.
    Of(Op),
    /// Each is of a kind of its own.
    Mixed,
}

/// A batch in device memory.
#[derive(Clone, Copy)]
pub(super) struct Given<R: Row> {
    pub(super) keys: Span<R::Key>,
    pub(super) values: Option<Span<R::Value>>,
    pub(super) ops: Option<Span<u8>>,
}

/// Where its answers go, in device memory: codes; values that are found, or counts.
#[derive(Clone, Copy)]
pub(super) struct Wanted<N> {
    pub(super) codes: Option<Span<u8>>,
    pub(super) numbers: Option<Span<N>>,
}

impl<R: Row> State<R> {
    /// Operations of a batch that run at a time, if each takes so many bytes of device memory besides those
    /// of its columns.
    pub(super) fn operations(&self, shape: Shape, beside: u64) -> usize {
        self.geometry.operations(shape.operation_bytes::<R>() + beside, LEAST).min(MOST)
    }

    /// Runs a batch, after all that was queued on `stream`. What is queued there later comes after it.
    ///
    /// # Safety
    ///
    /// The spans are of device memory that nobody else uses before `stream` is waited for, as many elements
    /// as keys; `launch` is of an operation whose kernels write these answers.
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
            // What the spans are of may be freed when this returns, so nothing may be running then.
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
        let children = self.partitioner.children();
        self.refresh_board()?;
        if effect == Effect::Reads && (0..children).all(|child| self.pager.is_resident(child)) {
            // All in device memory: no order is better than another one.
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
        let columns = self.partitioner.columns::<R>(n, shape(given))?;
        let mut batch = Operations {
            n: n as u32,
            keys: at(given.keys, first),
            values: given.values.map(|values| at(values, first)),
            ops: given.ops.map_or(0, |ops| at(ops, first)),
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
        let starts = self.partitioner.count(batch, &run)?;
        let range = |child: u32| starts[child as usize]..starts[child as usize + 1];
        // All memory of the host, before anything runs.
        let mut jobs = room("jobs of a batch", children as usize)?;
        let mut tables = room("places of child tables", children as usize)?;
        let mut tallies = room("counters", children as usize)?;
        for child in 0..children {
            let operations = range(child).len() as u64;
            self.choice.note(child, operations);
            if operations > 0 {
                self.memory.need(child)?;
                if effect != Effect::Reads {
                    self.know(child)?;
                }
                let access = if effect == Effect::Reads { Access::Reads } else { Access::Writes };
                let way = self.choice.way(&self.pager, child, (access, operations));
                let copied =
                    way == Way::Resident && self.pager.frames() > 0 && !self.pager.is_resident(child);
                jobs.push((copied, child, (access, way)));
            }
        }
        // Those that are copied come later: they displace others.
        jobs.sort_unstable_by_key(|&(copied, child, _)| (copied, child));
        if self.rebuild_crowded(&jobs, effect, &range)? {
            // A rebuild may change the seed that orders a child's operations. Each child has as many as before.
            self.partitioner.count(batch, &run)?;
        }

        if effect != Effect::Reads {
            // If an error comes before they have ended, the tables are looked at.
            jobs.iter().for_each(|&(_, child, _)| self.known_of(child).for_each(ChildSlots::begin));
        }
        let [partitioned, arranged] = columns.sides.map(|side| Operations { n: batch.n, ..side });
        // SAFETY: columns of these rows, in memory that lives until the device was waited for.
        unsafe { self.partitioner.scatter(batch, partitioned, &run)? };
        let in_place = jobs.iter().any(|&(_, child, (_, way))| {
            !self.pager.is_resident(child) && (way == Way::InPlace || self.pager.frames() == 0)
        });
        let from = if in_place {
            // SAFETY: as above.
            unsafe { self.partitioner.arrange(partitioned, arranged, &run)? };
            arranged
        } else {
            partitioned
        };
        let (stay, copied) = jobs.split_at(jobs.partition_point(|&(copied, ..)| !copied));
        // Where nothing is copied, and operations stand by their homes.
        let runs = effect == Effect::Reads && copied.is_empty() && in_place;
        // Those that stay where they are, by one launch for neighbours: the operations between are of others.
        let mut rest = stay;
        while let Some(&(_, first, (access, _))) = rest.first() {
            let next = copied.get(copied.partition_point(|&(_, child, _)| child < first));
            let end = next.map_or(children, |&(_, child, _)| child);
            let (these, others) = rest.split_at(rest.partition_point(|&(_, child, _)| child < end));
            rest = others;
            tables.clear();
            tables.extend(these.iter().map(|&(_, child, _)| (child, Place::Image)));
            let arrays = arrays::<R, N>(from, &columns, range(first).start..starts[end as usize]);
            // SAFETY: columns of these rows, in memory that lives until the device was waited for.
            unsafe { self.run_where_they_are(launch, (&mut tables, runs), access, &arrays)? };
        }
        for &(_, child, how) in copied {
            let arrays = arrays::<R, N>(from, &columns, range(child));
            // SAFETY: as above.
            unsafe { self.run_on_child(launch, child, how, &arrays)? };
        }
        if effect != Effect::Reads {
            tallies.resize(children as usize, [0; TALLIES]);
            // SAFETY: the contract of this function.
            unsafe { self.settle((launch, effect), (from, &columns), (&starts, &mut tallies))? };
        }
        let answers = [
            wanted.codes.map(|codes| (columns.codes, at(codes, first))),
            wanted.numbers.map(|numbers| (columns.found, at(numbers, first))),
        ];
        let from_to = (
            answers.map(|answer| answer.map_or(0, |(from, _)| from)),
            answers.map(|answer| answer.map_or(0, |(_, to)| to)),
        );
        // SAFETY: as above.
        unsafe {
            let keys = if runs { from.keys } else { 0 };
            let numbers = Span::new(from.numbers, n);
            self.partitioner.answer((numbers, keys), size_of::<R::Key>(), from_to, &run)
        }
    }

    /// Answers searches of keys of which a board knows that they are absent, if many are: the others, which
    /// are left.
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
        // Some say whether that is worth it.
        if n > SAMPLE && sifted(SAMPLE)? as usize > SAMPLE / 2 {
            return Ok(batch);
        }
        Ok(Operations { n: sifted(n)?, keys: to.keys, numbers: to.numbers, ..batch })
    }

    /// Runs operations on one child table.
    ///
    /// # Safety
    ///
    /// The arrays are of device memory that lives until the device was waited for, as many elements as keys,
    /// which are this child table's; the kernels of `launch` write these answers.
    unsafe fn run_on_child<N: Scalar, L>(
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
                    partitioner.launch(kernel, BOARD_THREADS, &launch.arguments(&head, arrays)?, run)
                };
            }
            let table = memory.table(child, place)?.on_device();
            let arguments = launch.arguments(table.head(), arrays)?;
            table.ready()?;
            memory.faults().call().map_err(Error::driver("starting a kernel"))?;
            // SAFETY: made by the function of the operation, from arrays of the table's types, which live
            // until the device was waited for. Jobs wait for each other as the pager says.
            unsafe { table.queue(launch.operation(), memory.stream(Stream::Run), &arguments) }
        })
    }

    /// Runs operations on child tables where these are, by one launch; or, if they are searches that stand by
    /// their homes, the first of each run of operations on one key. Says where they are.
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
        let Some(&(any, _)) = tables.first() else { return Ok(()) };
        let children = self.partitioner.children() as usize;
        let mut at = room("places of child tables", children)?;
        at.resize(children, Place::Image);
        let mut heads = room("places of child tables", children)?;
        let Self { pager, memory, board, partitioner, .. } = self;
        pager.run_where_they_are(memory, tables, access, |memory, tables| {
            for &(child, place) in tables {
                at[child as usize] = place;
            }
            let (size, _) = memory.head(any, at[any as usize], board.as_ref())?;
            let run = memory.stream(Stream::Run);
            heads.extend(memory.heads(&at));
            let head = partitioner.set_heads((0, &heads), size, run)?;
            let in_frames = tables.iter().all(|(_, place)| matches!(place, Place::Frame(_)));
            let (kernel, threads) = match board {
                Some(board) if runs => (board.runs(), BOARD_THREADS),
                Some(board) => (board.kernel(launch.operation())?, BOARD_THREADS),
                None if runs => (partitioner.runs(), THREADS),
                None => (partitioner.routed(launch.operation(), in_frames)?, THREADS),
            };
            // SAFETY: made by the function of the operation, from arrays of the table's types; heads are
            // those of child tables, each of which has memory if it has a key of the batch.
            unsafe { partitioner.launch(kernel, threads, &launch.arguments(&head, arrays)?, run) }
        })
    }

    /// Has the board say what all child tables hold.
    fn refresh_board(&mut self) -> Result<(), Error> {
        let Self { pager, memory, board: Some(board), partitioner, .. } = self else { return Ok(()) };
        while let Some(child) = board.any_stale() {
            // One that has no memory never held anything.
            if memory.has(child) {
                pager.run(memory, child, (Access::Reads, Way::InPlace), |memory, place| {
                    let parts = memory.table(child, place)?.parts();
                    board.note((child, &parts), (partitioner, memory.stream(Stream::Run)))
                })?;
            }
            board.set_stale(Some(child), false);
        }
        Ok(())
    }

    /// Rebuilds child tables that might get too full.
    fn rebuild_crowded(
        &mut self,
        jobs: &[(bool, u32, (Access, Way))],
        effect: Effect,
        range: &impl Fn(u32) -> Range<u32>,
    ) -> Result<bool, Error> {
        let rebuilt = self.rebuilt;
        let stores = !matches!(effect, Effect::Reads | Effect::Of(Op::Delete | Op::Search));
        let slots = self.geometry.child.slots() as u64;
        for &(_, child, _) in jobs {
            let known = self.slots.get(child as usize).copied().unwrap_or_default();
            if stores && known.are_crowded(slots, range(child).len() as u64) {
                self.rebuild(child, false)?;
            }
        }
        Ok(self.rebuilt != rebuilt)
    }

    /// Rebuilds a child table, where it is: whether that was possible. Without memory for that it is not.
    fn rebuild(&mut self, child: u32, other_seed: bool) -> Result<bool, Error> {
        let mut rebuilt = None;
        let Self { pager, memory, board, .. } = self;
        if let Some(board) = board {
            board.set_stale(Some(child), true);
        }
        pager.run(memory, child, (Access::Writes, Way::InPlace), |memory, place| {
            let faults = memory.faults().clone();
            let table = memory.table_mut(child, place)?;
            let seeds = [table.seed(), Seed::random()];
            let mut done = Ok(false);
            for seed in &seeds[usize::from(other_seed)..] {
                done = table.rebuild(*seed, &faults);
                if !matches!(done, Ok(false)) {
                    break;
                }
            }
            // Also after an error.
            let seed = table.seed();
            memory.set_seed(child, seed);
            match done {
                Ok(true) => rebuilt = Some(seed),
                Ok(false) | Err(Error::OutOfMemory { .. }) => {}
                Err(error) => return Err(error),
            }
            Ok(())
        })?;
        match &mut self.board {
            Some(board) if rebuilt.is_none() => board.set_stale(Some(child), false),
            _ => self.refresh_board()?,
        }
        if let Some(seed) = rebuilt {
            self.rebuilt += 1;
            if let Some(known) = self.slots.get_mut(child as usize) {
                known.note_rebuilt();
            }
            self.partitioner.set_seeds(child, &[seed.words()], self.memory.stream(Stream::Run))?;
        }
        Ok(rebuilt.is_some())
    }

    /// Notes what operations have done, and runs those once more that found no room, where a rebuilt child
    /// table may have it.
    ///
    /// # Safety
    /// As [`run`](Self::run).
    unsafe fn settle<N: Scalar, L>(
        &mut self,
        (launch, effect): (&Launch<L>, Effect),
        (from, columns): (Operations, &Columns),
        (starts, tallies): (&[u32], &mut [[u64; TALLIES]]),
    ) -> Result<(), Error>
    where
        L: Fn(&Head, &Arrays<R::Key, R::Value, N>) -> Listed,
    {
        let run = self.memory.stream(Stream::Run).clone();
        let kind = if let Effect::Of(kind) = effect { kind } else { Op::Search };
        // SAFETY: the columns live until the device was waited for.
        unsafe { self.partitioner.tally((from.ops, columns.codes, kind as u8), tallies, &run)? };
        for (child, &mut [stored, deleted, full]) in (0u32..).zip(tallies) {
            let Some(known) = self.slots.get_mut(child as usize) else { continue };
            known.note(stored, deleted);
            let (known, slots) = (*known, self.geometry.child.slots() as u64);
            if full > 0 && known.may_have_room(slots) && self.rebuild(child, known.needs_a_seed())? {
                let range = starts[child as usize]..starts[child as usize + 1];
                // SAFETY: the contract of this function.
                unsafe { self.run_full(launch, (from, columns), (child, range))? };
            }
        }
        self.slots.iter_mut().for_each(ChildSlots::end);
        Ok(())
    }

    /// What is known of the slots of a child table.
    fn known_of(&mut self, child: u32) -> impl Iterator<Item = &mut ChildSlots> {
        self.slots.get_mut(child as usize).into_iter()
    }

    /// Looks at a child table if an error has left unknown how many slots are taken.
    pub(super) fn know(&mut self, child: u32) -> Result<(), Error> {
        if self.slots.get(child as usize).is_none_or(ChildSlots::are_known) {
            return Ok(());
        }
        let mut seen = OpenStats::default();
        if !self.memory.has(child) {
            self.known_of(child).for_each(|known| *known = ChildSlots::default());
            return Ok(());
        }
        self.pager.run(&mut self.memory, child, (Access::Reads, Way::InPlace), |memory, place| {
            seen = BulkTable::stats(memory.table_mut(child, place)?)?;
            Ok(())
        })?;
        self.known_of(child).for_each(|known| *known = ChildSlots::of_stats(&seen));
        Ok(())
    }

    /// Runs the operations of a child table once more that found no room, and takes their codes. Without
    /// memory of the host for that, they have found none.
    ///
    /// # Safety
    /// As [`run`](Self::run).
    unsafe fn run_full<N: Scalar, L>(
        &mut self,
        launch: &Launch<L>,
        (from, columns): (Operations, &Columns),
        (child, range): (u32, Range<u32>),
    ) -> Result<(), Error>
    where
        L: Fn(&Head, &Arrays<R::Key, R::Value, N>) -> Listed,
    {
        let run = self.memory.stream(Stream::Run).clone();
        // They go to the other side, which is not needed any more.
        let other = columns.sides[usize::from(from.keys == columns.sides[0].keys)];
        let Full { mut codes, which, mut again } =
            match gather_full::<R>(&self.partitioner, (from, other), (columns, &range), &run) {
                Err(Error::OutOfMemory { .. }) => return Ok(()),
                gathered => gathered?,
            };
        // Their codes go where that side has four bytes for each. What mixed operations have found as well
        // goes where their values were: inserts find nothing.
        let other = Operations { n: which.len() as u32, ..other };
        let (start, n) = (u64::from(range.start), which.len());
        let of_values = from.values.map_or(0, |values| values + start * size_of::<R::Value>() as u64);
        let answers = Columns { codes: other.numbers, ..*columns };
        let arrays =
            Arrays { numbers: Span::new(of_values, n), ..arrays::<R, N>(other, &answers, 0..other.n) };
        // SAFETY: columns of these rows, in memory that lives until the device was waited for.
        unsafe { self.run_on_child(launch, child, (Access::Writes, Way::InPlace), &arrays)? };
        self.partitioner.download(&mut again, other.numbers, &run)?;
        let mut stored = 0;
        for (&at, &code) in which.iter().zip(&again) {
            codes[at as usize] = code;
            stored += u64::from(code == Insert::Inserted.code());
        }
        if let Some(known) = self.slots.get_mut(child as usize) {
            known.note(stored, 0);
        }
        self.partitioner.upload(columns.codes + start, &codes, &run)?;
        run.synchronize().map_err(Error::driver("copying codes"))
    }
}

/// Operations of a child table that found no room.
struct Full {
    /// The codes of all of its operations.
    codes: Vec<u8>,
    /// The numbers of those that found none.
    which: Vec<u32>,
    /// Room for their next codes.
    again: Vec<u8>,
}

/// Copies the operations in a range that found no room to other columns.
///
/// # Errors
/// [`Error::OutOfMemory`] if the host has none for four times their columns; [`Error::Driver`].
fn gather_full<R: Row>(
    with: &Partitioner,
    (from, to): (Operations, Operations),
    (columns, range): (&Columns, &Range<u32>),
    stream: &CudaStream,
) -> Result<Full, Error> {
    let n = range.len();
    let codes = copy_of::<u8>(with, columns.codes, range, stream)?;
    let ops = if from.ops == 0 { Vec::new() } else { copy_of::<u8>(with, from.ops, range, stream)? };
    let stores = |at: usize| {
        // Of one kind, they all store.
        ops.get(at).is_none_or(|&op| op != Op::Delete as u8 && op != Op::Search as u8)
    };
    let mut which = room("operations", n)?;
    which
        .extend((0..n as u32).filter(|&at| codes[at as usize] == Insert::Full.code() && stores(at as usize)));
    gather::<R::Key>(with, (from.keys, to.keys), (range, &which), stream)?;
    if let (Some(values), Some(to)) = (from.values, to.values) {
        gather::<R::Value>(with, (values, to), (range, &which), stream)?;
    }
    if from.ops != 0 {
        gather::<u8>(with, (from.ops, to.ops), (range, &which), stream)?;
    }
    let mut again = room("codes", which.len())?;
    again.resize(which.len(), 0);
    Ok(Full { codes, which, again })
}

/// A range of elements of a column, in the host's memory.
fn copy_of<T: Copy + Default>(
    with: &Partitioner,
    column: u64,
    range: &Range<u32>,
    stream: &CudaStream,
) -> Result<Vec<T>, Error> {
    let mut all = room("operations", range.len())?;
    all.resize(range.len(), T::default());
    with.download(&mut all, column + u64::from(range.start) * size_of::<T>() as u64, stream)?;
    Ok(all)
}

/// Copies some elements of a range to another column, next to each other.
fn gather<T: Copy + Default>(
    with: &Partitioner,
    (from, to): (u64, u64),
    (range, which): (&Range<u32>, &[u32]),
    stream: &CudaStream,
) -> Result<(), Error> {
    let all = copy_of::<T>(with, from, range, stream)?;
    let mut some = room("operations", which.len())?;
    some.extend(which.iter().map(|&at| all[at as usize]));
    with.upload(to, &some, stream)
}

/// The columns of a batch.
fn shape<R: Row>(given: &Given<R>) -> Shape {
    Shape { values: given.values.is_some(), ops: given.ops.is_some() }
}

/// Some elements.
fn part<T>(span: Span<T>, first: usize, n: usize) -> Span<T> {
    Span::new(at(span, first), n)
}

/// The address of an element.
fn at<T>(span: Span<T>, first: usize) -> u64 {
    span.bytes().0 + (first * size_of::<T>()) as u64
}

/// The arrays of some operations that stand in columns.
fn arrays<R: Row, N>(from: Operations, columns: &Columns, range: Range<u32>) -> Arrays<R::Key, R::Value, N> {
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
