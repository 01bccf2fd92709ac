//! Child tables that get too full: the known state of their slots, rebuilding them, and operations that found
//! no room.

use super::State;
use super::batch::{Effect, Job, arrays};
use super::partition::Partitioner;
use crate::arguments::paged::Operations;
use crate::arguments::{Head, Listed, Span};
use crate::error::Error;
use crate::host::room;
use crate::layout::Scalar;
use crate::operations::launch::{Arrays, Launch};
use crate::row::Row;
use crate::sorter::Columns;
use core::ops::Range;
use cudarc::driver::CudaStream;
use warpproof_model::Seed;
use warpproof_model::host::{BulkTable, OpenStats};
use warpproof_model::outcome::{Insert, Op};
use warpproof_model::paged::host::ChildSlots;
use warpproof_model::paged::partition::TALLIES;
use warpproof_model::paged::{Access, Stream, Way};

impl<R: Row> State<R> {
    /// Rewrites the stale parts of a board.
    pub(super) fn refresh_board(&mut self) -> Result<(), Error> {
        let Self { pager, memory, board: Some(board), partitioner, .. } = self else { return Ok(()) };
        while let Some(child) = board.any_stale() {
            // A child table without memory never held anything.
            if memory.has(child) {
                pager.run(memory, child, (Access::Reads, Way::InPlace), |memory, place| {
                    let parts = memory.table(child, place)?.parts();
                    board.write((child, &parts), (partitioner, memory.stream(Stream::Run)))
                })?;
            }
            board.set_stale(Some(child), false);
        }
        Ok(())
    }

    /// Rebuilds child tables that might get too full.
    pub(super) fn rebuild_crowded(
        &mut self,
        jobs: &[Job],
        effect: Effect,
        range: &impl Fn(u32) -> Range<u32>,
    ) -> Result<bool, Error> {
        let rebuilt = self.rebuilt;
        let stores = !matches!(effect, Effect::Reads | Effect::Of(Op::Delete | Op::Search));
        let slots = self.geometry.child.slots() as u64;
        for &Job { child, .. } in jobs {
            let known = self.slots.get(child as usize).copied().unwrap_or_default();
            if stores && known.are_crowded(slots, range(child).len() as u64) {
                self.rebuild(child, false)?;
            }
        }
        Ok(self.rebuilt != rebuilt)
    }

    /// Rebuilds a child table in its place. Returns whether that was possible; it is not if there is no
    /// memory.
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
        let Some(seed) = rebuilt else {
            if let Some(board) = &mut self.board {
                board.set_stale(Some(child), false);
            }
            return Ok(false);
        };
        self.rebuilt += 1;
        self.known_of(child).for_each(ChildSlots::note_rebuilt);
        self.partitioner.sorter.set_seeds(child, &[seed.words()], self.memory.stream(Stream::Run))?;
        self.refresh_board()?;
        Ok(true)
    }

    /// Records the outcomes of operations. Runs operations that found no room once more, if a rebuilt child
    /// table may have it.
    ///
    /// # Safety
    /// As [`run`](Self::run).
    pub(super) unsafe fn settle<N: Scalar, L>(
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

    /// The known state of the slots of a child table.
    pub(super) fn known_of(&mut self, child: u32) -> impl Iterator<Item = &mut ChildSlots> {
        self.slots.get_mut(child as usize).into_iter()
    }

    /// Counts the taken slots of a child table if an error has left their number unknown.
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

    /// Runs the operations of a child table that found no room once more, and takes their codes. If there is
    /// no host memory for that, they stay without room.
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
        // They go to the other side, which is free now.
        let other = columns.sides[usize::from(from.keys == columns.sides[0].keys)];
        let Full { mut codes, which, mut again } =
            match gather_full::<R>(&self.partitioner, (from, other), (columns, &range), &run) {
                Err(Error::OutOfMemory { .. }) => return Ok(()),
                gathered => gathered?,
            };
        // The codes go to that side, which has four bytes for each. Values that mixed operations would find
        // go where their values were: inserts find nothing.
        let other = Operations { n: which.len() as u32, ..other };
        let (start, n) = (u64::from(range.start), which.len());
        let of_values = from.values.map_or(0, |values| values + start * size_of::<R::Value>() as u64);
        let answers = Columns { codes: other.numbers, ..*columns };
        let arrays =
            Arrays { numbers: Span::new(of_values, n), ..arrays::<R, N>(other, &answers, 0..other.n) };
        // SAFETY: columns of these rows, in memory that lives until the device was waited for.
        unsafe { self.run_on_child(launch, child, (Access::Writes, Way::InPlace), &arrays)? };
        self.partitioner.sorter.download(&mut again, other.numbers, &run)?;
        let mut stored = 0;
        for (&at, &code) in which.iter().zip(&again) {
            codes[at as usize] = code;
            stored += u64::from(code == Insert::Inserted.code());
        }
        if let Some(known) = self.slots.get_mut(child as usize) {
            known.note(stored, 0);
        }
        self.partitioner.sorter.upload(columns.codes + start, &codes, &run)?;
        run.synchronize().map_err(Error::driver("copying codes"))
    }
}

/// Operations of a child table that found no room.
struct Full {
    /// The codes of all of its operations.
    codes: Vec<u8>,
    /// The numbers of the operations that found none.
    which: Vec<u32>,
    /// Room for their next codes.
    again: Vec<u8>,
}

/// Copies the operations of a range that found no room to other columns.
///
/// # Errors
/// [`Error::OutOfMemory`] if the host lacks memory for four times their columns; [`Error::Driver`].
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
        // In a batch of one kind, all of them store.
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
    with.sorter.download(&mut all, column + u64::from(range.start) * size_of::<T>() as u64, stream)?;
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
    with.sorter.upload(to, &some, stream)
}
