//! A batch on a paged table, in device memory.

use super::parting::{Columns, Shape, download, upload};
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
use warpproof_model::outcome::{Insert, Op};
use warpproof_model::paged::{Access, Place, Stream, Way};

/// Threads of a block that runs operations.
const THREADS: u32 = 64;

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
    /// Operations of a batch that run at a time.
    pub(super) fn operations(&self, shape: Shape) -> usize {
        self.geometry.operations(shape.operation_bytes::<R>(), LEAST).min(MOST)
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
        run.join(stream).map_err(Error::driver("waiting for the stream of a batch"))?;
        let most = self.operations(shape(&given));
        let (mut first, mut ran) = (0, Ok(()));
        while first < given.keys.len() && ran.is_ok() {
            let n = most.min(given.keys.len() - first);
            // SAFETY: the contract of this function, of a part.
            ran = unsafe { self.run_part((launch, effect), &given, &wanted, (first, n)) };
            ran = ran.map_err(|error| error.after(first));
            first += n;
        }
        let waits = stream.join(&run).map_err(Error::driver("making the stream of a batch wait"));
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
        let children = self.parting.children();
        if effect == Effect::Reads && (0..children).all(|child| self.pager.is_resident(child)) {
            // All in device memory: no order is better than another one.
            self.choice.note_in_frames(children.into(), (Access::Reads, n as u64));
            let arrays = Arrays {
                keys: part(given.keys, first, n),
                codes: wanted.codes.map_or(Span::new(0, 0), |codes| part(codes, first, n)),
                numbers: wanted.numbers.map_or(Span::new(0, 0), |numbers| part(numbers, first, n)),
                ..Arrays::NONE
            };
            let children: Vec<u32> = (0..children).collect();
            // SAFETY: the contract of this function.
            return unsafe { self.run_where_they_are(launch, &children, Access::Reads, &arrays) };
        }
        let columns = self.parting.columns::<R>(n, shape(given))?;
        let batch = Operations {
            n: n as u32,
            keys: at(given.keys, first),
            values: given.values.map(|values| at(values, first)),
            ops: given.ops.map_or(0, |ops| at(ops, first)),
            numbers: 0,
        };
        let starts = self.parting.count(batch, &run)?;
        let range = |child: u32| starts[child as usize]..starts[child as usize + 1];
        // All memory of the host, before anything runs.
        let mut jobs = room("jobs of a batch", children as usize)?;
        for child in 0..children {
            let operations = range(child).len() as u64;
            self.choice.note(child, operations);
            if operations > 0 {
                self.memory.need(child)?;
                let access = if effect == Effect::Reads { Access::Reads } else { Access::Writes };
                let way = self.choice.way(&self.pager, child, (access, operations));
                jobs.push((!self.pager.is_resident(child), child, (access, way)));
            }
        }
        jobs.sort_unstable_by_key(|&(comes_later, child, _)| (comes_later, child));
        if self.rebuild_crowded(&jobs, effect, &range)? {
            // A rebuild may change the seed that orders a child's operations. Each child has as many as before.
            self.parting.count(batch, &run)?;
        }

        let [parted, arranged] = columns.sides;
        // SAFETY: columns of these rows, in memory that lives until the device was waited for.
        unsafe { self.parting.scatter(batch, parted, &run)? };
        let in_place = jobs.iter().any(|&(_, child, (_, way))| {
            !self.pager.is_resident(child) && (way == Way::InPlace || self.pager.frames() == 0)
        });
        let from = if in_place {
            // SAFETY: as above.
            unsafe { self.parting.arrange(parted, arranged, &run)? };
            arranged
        } else {
            parted
        };
        // All of them at once where none is copied first.
        let where_they_are = self.pager.frames() == 0
            || jobs.iter().all(|&(comes_later, _, (_, way))| !comes_later || way == Way::InPlace);
        if where_they_are {
            let children: Vec<u32> = jobs.iter().map(|&(_, child, _)| child).collect();
            let access = jobs.first().map_or(Access::Reads, |&(_, _, (access, _))| access);
            let arrays = arrays::<R, N>(from, &columns, 0..n as u32);
            // SAFETY: columns of these rows, in memory that lives until the device was waited for.
            unsafe { self.run_where_they_are(launch, &children, access, &arrays)? };
            jobs.clear();
        }
        for (_, child, how) in jobs {
            let arrays = arrays::<R, N>(from, &columns, range(child));
            self.pager.run(&mut self.memory, child, how, |memory, place| {
                let table = memory.table(child, place)?.on_device();
                let arguments = launch.arguments(table.head(), &arrays)?;
                table.ready()?;
                // SAFETY: made by the function of the operation, from arrays of the table's types, which live
                // until the device was waited for. Jobs wait for each other as the pager says.
                unsafe { table.queue(launch.operation(), memory.stream(Stream::Run), &arguments) }
            })?;
        }
        if effect != Effect::Reads {
            // SAFETY: the contract of this function.
            unsafe { self.settle((launch, effect), (from, &columns), &starts)? };
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
        unsafe { self.parting.answer(Span::new(from.numbers, n), size_of::<N>(), from_to, &run) }
    }

    /// Runs operations on child tables where these are, by one launch.
    ///
    /// # Safety
    ///
    /// The arrays are of device memory that lives until the device was waited for, as many elements as keys;
    /// the kernels of `launch` write these answers.
    unsafe fn run_where_they_are<N: Scalar, L>(
        &mut self,
        launch: &Launch<L>,
        children: &[u32],
        access: Access,
        arrays: &Arrays<R::Key, R::Value, N>,
    ) -> Result<(), Error>
    where
        L: Fn(&Head, &Arrays<R::Key, R::Value, N>) -> Listed,
    {
        let Some(&any) = children.first() else { return Ok(()) };
        let mut places = room("places of child tables", children.len())?;
        places.resize(children.len(), Place::Image);
        let mut at = room("places of child tables", self.parting.children() as usize)?;
        at.resize(self.parting.children() as usize, Place::Image);
        let parting = &self.parting;
        let of = (children, &mut places[..]);
        self.pager.run_where_they_are(&mut self.memory, of, access, |memory, places| {
            for (&child, &place) in children.iter().zip(places) {
                at[child as usize] = place;
            }
            let parts = memory.table(any, at[any as usize])?.parts();
            let run = memory.stream(Stream::Run);
            let size = (parts.len, parts.filter_len, parts.buckets);
            let head = parting.set_heads(&memory.heads(|child| at[child as usize]), size, run)?;
            let in_frames = places.iter().all(|place| matches!(place, Place::Frame(_)));
            let kernel = parting.routed(launch.operation(), in_frames)?;
            // SAFETY: made by the function of the operation, from arrays of the table's types; heads are
            // those of child tables, each of which has memory if it has a key of the batch.
            unsafe { kernel.launch(run, THREADS, &launch.arguments(&head, arrays)?) }
        })
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
        let mut done = false;
        self.pager.run(&mut self.memory, child, (Access::Writes, Way::InPlace), |memory, place| {
            let table = memory.table_mut(child, place)?;
            let seeds = [table.seed(), Seed::random()];
            for seed in &seeds[usize::from(other_seed)..] {
                match table.rebuild(*seed) {
                    Ok(true) => {
                        done = true;
                        break;
                    }
                    Ok(false) => {}
                    Err(Error::OutOfMemory { .. }) => break,
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        })?;
        if done {
            self.rebuilt += 1;
            if let Some(known) = self.slots.get_mut(child as usize) {
                known.note_rebuilt();
            }
            let seeds: Vec<Seed> = self.memory.seeds().collect();
            self.parting.set_seeds(&seeds, self.memory.stream(Stream::Run))?;
        }
        Ok(done)
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
        starts: &[u32],
    ) -> Result<(), Error>
    where
        L: Fn(&Head, &Arrays<R::Key, R::Value, N>) -> Listed,
    {
        let run = self.memory.stream(Stream::Run).clone();
        let kind = if let Effect::Of(kind) = effect { kind } else { Op::Search };
        // SAFETY: the columns live until the device was waited for.
        let tallies = unsafe { self.parting.tally((from.ops, columns.codes, kind as u8), &run)? };
        for (child, [stored, deleted, full]) in (0u32..).zip(tallies) {
            let Some(known) = self.slots.get_mut(child as usize) else { continue };
            known.note(stored, deleted);
            let (known, slots) = (*known, self.geometry.child.slots() as u64);
            if full > 0 && known.may_have_room(slots) && self.rebuild(child, known.needs_a_seed())? {
                let range = starts[child as usize]..starts[child as usize + 1];
                // SAFETY: the contract of this function.
                unsafe { self.run_full(launch, (from, columns), (child, range))? };
            }
        }
        Ok(())
    }

    /// Runs the operations of a child table once more that found no room, and takes their codes.
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
        let (start, n) = (range.start as usize, range.len());
        let mut codes = room("codes", n)?;
        codes.resize(n, 0u8);
        download(&mut codes, columns.codes + start as u64, &run)?;
        let mut ops = room("operations", n)?;
        ops.resize(n, Op::Insert as u8);
        if from.ops != 0 {
            download(&mut ops, from.ops + start as u64, &run)?;
        }
        let stores = |op: u8| op != Op::Delete as u8 && op != Op::Search as u8;
        let full: Vec<usize> =
            (0..n).filter(|&i| codes[i] == Insert::Full.code() && stores(ops[i])).collect();
        // They go to the other side, which is not needed any more, and their answers to the end of that.
        let other = columns.sides[usize::from(from.keys == columns.sides[0].keys)];
        let other = Operations { n: full.len() as u32, ..other };
        gather::<R::Key>((from.keys, other.keys), start, &full, n, &run)?;
        if let (Some(values), Some(to)) = (from.values, other.values) {
            gather::<R::Value>((values, to), start, &full, n, &run)?;
        }
        if from.ops != 0 {
            gather::<u8>((from.ops, other.ops), start, &full, n, &run)?;
        }
        // The numbers of that side have four bytes for each.
        let answers = Columns { codes: other.numbers, ..*columns };
        let mut found = room("values", n)?;
        let found_at = columns.found + (start * size_of::<N>()) as u64;
        found.resize(n, N::ONES);
        download(&mut found, found_at, &run)?;
        let arrays = Arrays {
            numbers: Span::new(found_at, full.len()),
            ..arrays::<R, N>(other, &answers, 0..other.n)
        };
        self.pager.run(&mut self.memory, child, (Access::Writes, Way::InPlace), |memory, place| {
            let table = memory.table(child, place)?.on_device();
            let arguments = launch.arguments(table.head(), &arrays)?;
            table.ready()?;
            // SAFETY: as of the first time.
            unsafe { table.queue(launch.operation(), memory.stream(Stream::Run), &arguments) }
        })?;
        let mut again = room("codes", full.len())?;
        again.resize(full.len(), 0u8);
        download(&mut again, other.numbers, &run)?;
        let mut stored = 0;
        for (&i, &code) in full.iter().zip(&again) {
            codes[i] = code;
            stored += u64::from(code == Insert::Inserted.code());
        }
        if let Some(known) = self.slots.get_mut(child as usize) {
            known.note(stored, 0);
        }
        upload(found_at, &found, &run)?;
        upload(columns.codes + start as u64, &codes, &run)?;
        run.synchronize().map_err(Error::driver("copying codes"))
    }
}

/// Copies some of `n` elements from number `start` on to other memory, next to each other.
fn gather<T: Copy + Default>(
    (from, to): (u64, u64),
    start: usize,
    which: &[usize],
    n: usize,
    stream: &CudaStream,
) -> Result<(), Error> {
    let mut all = room("operations", n)?;
    all.resize(n, T::default());
    download(&mut all, from + (start * size_of::<T>()) as u64, stream)?;
    let some: Vec<T> = which.iter().map(|&i| all[i]).collect();
    upload(to, &some, stream)
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
