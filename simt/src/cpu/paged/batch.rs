//! The bulk calls of paged tables.

use super::memory::Device;
use super::partitioned::Partitioned;
use super::{Paged, State};
use crate::cpu::apart::apart;
use crate::cpu::batch::{Batch, Beside};
use crate::cpu::error::Error;
use crate::cpu::grid::{CpuTable as _, room_for, room_for_answers, run_in};
use crate::cpu::held::{AllKeysOf, Done, Effect, Held, KeyOf, Says, WarpOf};
use crate::cpu::open::Fixed;
use core::ops::Range;
use warpproof_model::bits::TableKey;
use warpproof_model::host::{BulkPaged, BulkTable, OpenStats, PagedGeometry, PagedStats, SinkOf, structure};
use warpproof_model::paged::host::{ChildSlots, Paging};
use warpproof_model::paged::{Access, Way};

/// The least operations of a batch that run at a time, whatever the budget is.
const LEAST: usize = 1 << 16;

impl<T: Fixed> Held for Paged<T> {
    type Table = T;

    fn batch<K: TableKey<Bits = KeyOf<T>>, B: Beside, A: Says>(
        &self,
        keys: &[K],
        beside: B,
        effect: Effect,
        f: impl Fn(AllKeysOf<'_, T>, &mut WarpOf<T>, KeyOf<T>, B::Item) -> A + Sync,
    ) -> Result<Vec<A>, Error> {
        let mut answers = room_for_answers(keys)?;
        let mut state = self.state();
        let state = &mut *state;
        let operation = size_of::<K>() + size_of::<B::Item>() + size_of::<A>();
        let most = self.geometry.operations(operation as u64, LEAST).min(keys.len());
        let mut partitioned = Partitioned::with_room(most, self.children)?;
        let mut said = room_for(self.geometry.children as usize)?;
        said.resize_with(self.geometry.children as usize, Vec::new);
        let ran = apart(|| {
            for (number, keys) in keys.chunks(most.max(1)).enumerate() {
                let first = number * most;
                partitioned.take(keys, beside.part(first..first + keys.len()))?;
                state.run(&partitioned, effect, &f, &mut said)?;
                partitioned.put_in_order(keys, &said, &mut answers);
            }
            Ok(())
        });
        ran.map_err(|error: Error| error.after(answers.len()))?;
        Ok(answers)
    }
}

impl<T: Fixed> State<T> {
    /// Bytes of a child table.
    fn child_bytes(&self) -> u64 {
        self.memory.images.first().map_or(1, |image| image.words().bytes() as u64)
    }

    /// Slots of a child table.
    fn child_slots(&self) -> u64 {
        self.memory.images.first().map_or(0, |image| BulkTable::geometry(image).slots() as u64)
    }

    /// Runs the operations of a part of a batch. `said` gets the answers of each child table.
    fn run<K: TableKey<Bits = KeyOf<T>>, I: Copy + Send + Sync, A: Says>(
        &mut self,
        partitioned: &Partitioned<K, I>,
        effect: Effect,
        f: &(impl Fn(AllKeysOf<'_, T>, &mut WarpOf<T>, KeyOf<T>, I) -> A + Sync),
        said: &mut [Vec<A>],
    ) -> Result<(), Error> {
        self.know()?;
        let access = if effect == Effect::Reads { Access::Reads } else { Access::Writes };
        let stores = matches!(effect, Effect::Stores | Effect::Any);
        let slots = self.child_slots();
        // All memory is allocated before anything runs.
        let mut jobs = room_for(said.len())?;
        for (child, answers) in (0u32..).zip(&mut *said) {
            let n = partitioned.range(child).len();
            answers.clear();
            answers.try_reserve_exact(n).map_err(|_| Error::no_memory_for::<A>(n))?;
            self.choice.note(child, n as u64);
            if n > 0 {
                jobs.push((child, answers));
            }
        }
        let queue = room_for(jobs.len())?;
        // Tables in frames come first, before they are displaced.
        jobs.sort_unstable_by_key(|&(child, _)| (!self.pager.is_resident(child), child));

        let Self { pager, choice, memory, slots: known, rebuilt } = self;
        if access == Access::Writes {
            // After a panic, the tables are counted.
            jobs.iter().for_each(|(child, _)| known[*child as usize].begin());
        }
        let run = |table: &T, (range, answers): (Range<usize>, &mut Vec<A>)| {
            let batch = Batch { keys: &partitioned.keys[range.clone()], beside: &partitioned.items[range] };
            run_in(table.words(), batch, f, answers);
        };
        let mut device = Device::new(memory, queue, run);
        for (child, answers) in jobs {
            let (range, of_child) = (partitioned.range(child), &mut known[child as usize]);
            let way = choice.way(pager, child, (access, range.len() as u64));
            pager.run(&mut device, child, (access, way), |device, place| {
                if stores
                    && of_child.are_crowded(slots, range.len() as u64)
                    && let Some(table) = device.table_mut(child, place)
                {
                    *rebuilt += u64::from(rebuild(table, of_child, false));
                }
                device.put(child, place, (range, answers));
                Ok(())
            })?;
        }
        device.run_all();
        drop(device);
        self.run_again(partitioned, f, said)
    }

    /// Records the outcomes of a part of a batch. Runs operations that found no room once more, if a rebuilt
    /// child table may have it.
    fn run_again<K: TableKey<Bits = KeyOf<T>>, I: Copy + Send + Sync, A: Says>(
        &mut self,
        partitioned: &Partitioned<K, I>,
        f: &(impl Fn(AllKeysOf<'_, T>, &mut WarpOf<T>, KeyOf<T>, I) -> A + Sync),
        said: &mut [Vec<A>],
    ) -> Result<(), Error> {
        let slots = self.child_slots();
        let mut device = Device::new(&mut self.memory, Vec::new(), |_: &T, (): ()| {});
        for (child, answers) in (0u32..).zip(said) {
            let of_child = &mut self.slots[child as usize];
            if note(of_child, answers) == 0 || !of_child.may_have_room(slots) {
                continue;
            }
            self.pager.run(&mut device, child, (Access::Writes, Way::InPlace), |device, place| {
                let Some(table) = device.table_mut(child, place) else { return Ok(()) };
                let other_seed = of_child.needs_a_seed();
                if rebuild(table, of_child, other_seed) {
                    self.rebuilt += 1;
                    // If there is no memory for that, they stay without room.
                    if let Ok(again) = run_full(table, partitioned, partitioned.range(child), f, answers) {
                        note(of_child, &again);
                    }
                }
                Ok(())
            })?;
        }
        self.slots.iter_mut().for_each(ChildSlots::end);
        Ok(())
    }

    /// Counts the taken slots of child tables if a batch that panicked has left their number unknown.
    fn know(&mut self) -> Result<(), Error> {
        let mut device = Device::new(&mut self.memory, Vec::new(), |_: &T, (): ()| {});
        for (child, known) in (0u32..).zip(&mut self.slots).filter(|(_, known)| !known.are_known()) {
            self.pager.run(&mut device, child, (Access::Reads, Way::InPlace), |device, place| {
                if let Some(table) = device.table_mut(child, place) {
                    *known = ChildSlots::of_stats(&BulkTable::stats(table)?);
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Runs `f` on each child table, at its place.
    pub(super) fn each(
        &mut self,
        access: Access,
        mut f: impl FnMut(u32, &mut T) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut device = Device::new(&mut self.memory, Vec::new(), |_: &T, (): ()| {});
        for child in 0..self.pager.children() {
            self.pager.run(&mut device, child, (access, Way::InPlace), |device, place| {
                device.table_mut(child, place).map_or(Ok(()), |table| f(child, table))
            })?;
        }
        Ok(())
    }
}

/// Rebuilds a child table, if there is memory for that. Returns whether it did.
fn rebuild<T: Fixed>(table: &mut T, known: &mut ChildSlots, other_seed: bool) -> bool {
    let done = table.rebuild(other_seed).is_ok();
    if done {
        known.note_rebuilt();
    }
    done
}

/// Records the outcomes of operations on a child table. Returns how many found no room.
fn note<A: Says>(known: &mut ChildSlots, answers: &[A]) -> usize {
    let count = |done| answers.iter().filter(|answer| answer.done() == done).count();
    known.note(count(Done::Stored) as u64, count(Done::Deleted) as u64);
    count(Done::Full)
}

/// Runs the operations of a child table that found no room once more. Returns their answers, which replace
/// the first ones.
fn run_full<T: Fixed, K: TableKey<Bits = KeyOf<T>>, I: Copy + Send + Sync, A: Says>(
    table: &T,
    partitioned: &Partitioned<K, I>,
    range: Range<usize>,
    f: &(impl Fn(AllKeysOf<'_, T>, &mut WarpOf<T>, KeyOf<T>, I) -> A + Sync),
    answers: &mut [A],
) -> Result<Vec<A>, Error> {
    let full = || answers.iter().enumerate().filter(|(_, answer)| answer.done() == Done::Full);
    let count = full().count();
    let (mut keys, mut items) = (room_for(count)?, room_for(count)?);
    for (at, _) in full() {
        keys.push(partitioned.keys[range.start + at]);
        items.push(partitioned.items[range.start + at]);
    }
    let mut again = room_for(count)?;
    run_in(table.words(), Batch { keys: &keys, beside: &items[..] }, f, &mut again);
    let places = answers.iter_mut().filter(|answer| answer.done() == Done::Full);
    places.zip(&again).for_each(|(answer, &said)| *answer = said);
    Ok(again)
}

impl<T: Fixed> BulkTable for Paged<T> {
    type Error = Error;
    type Structure = structure::Paged;
    type Entry = T::Entry;

    fn retrieve_all(&self) -> Result<Vec<T::Entry>, Error> {
        let mut all = Vec::new();
        self.retrieve_to(|mut entries| {
            all.try_reserve_exact(entries.len())
                .map_err(|_| Error::no_memory_for::<T::Entry>(entries.len()))?;
            all.append(&mut entries);
            Ok(())
        })?;
        Ok(all)
    }

    /// Time proportional to the number of child tables.
    fn len(&self) -> Result<u64, Error> {
        let mut state = self.state();
        let state = &mut *state;
        apart(|| state.know())?;
        Ok(state.slots.iter().map(ChildSlots::live).sum())
    }

    fn stats(&self) -> Result<PagedStats, Error> {
        let mut state = self.state();
        let state = &mut *state;
        let (traffic, choices) = (state.pager.traffic(), state.choice.choices());
        let resident = (0..state.pager.children()).filter(|&child| state.pager.is_resident(child)).count();
        let mut slots = OpenStats::default();
        apart(|| {
            state.each(Access::Reads, |_, table| {
                slots = slots.merge(&BulkTable::stats(table)?);
                Ok(())
            })
        })?;
        let (rebuilt, child_bytes) = (state.rebuilt, state.child_bytes());
        Ok(PagedStats { slots, resident: resident as u32, rebuilt, traffic, choices, child_bytes })
    }

    fn geometry(&self) -> PagedGeometry {
        self.geometry
    }

    fn clear(&mut self) -> Result<(), Error> {
        let mut state = self.state();
        let state = &mut *state;
        state.slots.iter_mut().for_each(ChildSlots::begin);
        apart(|| state.each(Access::Writes, |_, table| BulkTable::clear(table)))?;
        state.slots.fill(ChildSlots::default());
        Ok(())
    }
}

impl<T: Fixed> Paged<T> {
    /// Passes all entries to `sink`, one child table at a time; takes memory for up to three times its
    /// entries. Nothing else uses the table meanwhile, and neither may the sink.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; any error of the sink, after which it is not called again.
    pub fn retrieve_to(
        &self,
        mut sink: impl FnMut(Vec<T::Entry>) -> Result<(), Error> + Send,
    ) -> Result<(), Error> {
        let mut state = self.state();
        let state = &mut *state;
        apart(|| state.each(Access::Reads, |_, table| sink(table.retrieve_all()?)))
    }
}

impl<T: Fixed> BulkPaged for Paged<T> {
    fn paging(&self) -> Paging {
        let state = self.state();
        let (traffic, choices) = (state.pager.traffic(), state.choice.choices());
        Paging { traffic, choices, child_bytes: state.choice.child_bytes() }
    }

    fn retrieve_to(&self, sink: SinkOf<'_, Self>) -> Result<(), Error> {
        Self::retrieve_to(self, sink)
    }
}
