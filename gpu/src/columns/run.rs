//! The launches that make the groups of a column.

use super::plan::{HOT, HOT_ROWS, Layout, SAMPLE, SAMPLED_ROWS, fan};
use super::{Kernels, Outputs};
use crate::arguments::columns::{
    GroupColumns, Level, RowColumns, SAMPLE_THREADS, TASK, TASK_ROWS, Tasks, shape,
};
use crate::arguments::{Arguments, Span};
use crate::error::Error;
use crate::host::room;
use crate::layout::KeyScalar;
use crate::module::Kernel;
use cudarc::driver::{CudaStream, result};
use std::collections::HashMap;
use warpproof_model::aggregate::{FULL, HOT_WORDS, HotKeys, MOST_HOT, TOTAL, TOTALS};
use warpproof_model::host::Refused;
use warpproof_model::{Hash64, Seed};

/// How often all is done again, by another seed, if a block had too few slots. That never happens unless
/// someone chose the keys for the seed.
const TRIES: usize = 4;

/// A call: the input, the scratch memory, whose parts the layout names, and the output.
pub(super) struct Run<'a, K> {
    pub(super) kernels: &'a Kernels,
    pub(super) stream: &'a CudaStream,
    pub(super) layout: Layout,
    pub(super) keys: Span<K>,
    pub(super) values: Option<Span<u64>>,
    pub(super) scratch: Span<u8>,
    pub(super) to: Outputs<K>,
}

/// Rows in memory, by partitions that follow one another: where each begins, and last where they end.
struct Partitioned {
    rows: RowColumns,
    starts: Vec<u32>,
    /// The ends of the partitions on the device.
    ends: u64,
}

impl Partitioned {
    fn partitions(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    fn len(&self) -> u32 {
        self.starts.last().copied().unwrap_or(0)
    }
}

/// The groups of hot keys.
#[derive(Default)]
struct Hot<K> {
    keys: Vec<K>,
    rows: Vec<u64>,
    sums: Vec<u64>,
}

impl<K: KeyScalar> Run<'_, K> {
    /// Makes the groups, and waits for their number.
    ///
    /// # Safety
    ///
    /// All spans are live until the stream has run what this queues. They are of the kernels' types, there
    /// are as many values as keys, as many numbers and sums to write as keys to write, and the scratch memory
    /// has the bytes of the layout.
    pub(super) unsafe fn groups(&self) -> Result<usize, Error> {
        if self.keys.len() == 0 {
            return Ok(0);
        }
        for _ in 0..TRIES {
            // SAFETY: the contract of this function.
            if let Some(groups) = unsafe { self.groups_by(Seed::random())? } {
                let most = self.to.keys.len();
                if groups > most {
                    let (found, most) = (groups as u64, most as u64);
                    return Err(Refused::TooLarge { what: "distinct keys", found, most }.into());
                }
                return Ok(groups);
            }
        }
        // More seeds would not help: the keys were chosen for all of them.
        let most = u64::from(shape(self.to.told()).0);
        let what = "distinct keys in one part of a column, by each of four seeds";
        Err(Refused::TooLarge { what, found: most + 1, most }.into())
    }

    /// Makes the groups by this seed; `None` if a block has too few slots.
    ///
    /// # Safety
    ///
    /// As [`groups`](Self::groups).
    unsafe fn groups_by(&self, seed: Seed) -> Result<Option<usize>, Error> {
        let values = self.values.map_or(0, |values| values.at(0));
        let n = self.keys.len() as u32;
        let input = RowColumns { keys: self.keys.at(0), values };
        let to = self.to.columns();
        let mut part = Partitioned { rows: input, starts: vec![0, n], ends: self.at(self.layout.next) };
        self.upload(part.ends, &[n])?;
        // SAFETY: the contract of this function.
        let mut hot = unsafe { self.hot_keys(seed)? };
        let (mut before, mut side) = (1, 0);
        while let Some(fan) = fan(part.len(), before, to.told) {
            let level = Level {
                fan,
                before,
                hot: if before == 1 { hot.keys.len() as u32 } else { 0 },
                hot_keys: self.at(self.layout.hot_keys),
                index: self.at(self.layout.index),
                seed,
            };
            // SAFETY: the contract of this function; rows go from one side of the memory to the other.
            part = unsafe { self.partition(&part, level, side, &mut hot)? };
            before *= fan;
            side = 1 - side;
        }
        let totals = self.at(self.layout.totals);
        let first = hot.keys.len() as u32;
        let mut zero = [0u32; TOTALS];
        zero[TOTAL] = first;
        self.upload(totals, &zero)?;
        if part.len() != 0 {
            let ends = (0, part.ends, part.partitions());
            let arguments = Arguments::columns_group(part.rows, ends, seed, (to, totals));
            // SAFETY: the kernel's arguments; the rest is the contract of this function.
            unsafe { self.launch(&self.kernels.group, &arguments)? };
        }
        self.write_hot(&hot)?;
        let mut found = [0u32; TOTALS];
        self.download(&mut found, totals)?;
        Ok(if found[FULL] == 0 { Some(found[TOTAL] as usize) } else { None })
    }

    /// The keys that a sample has several times, on the host and on the device, with their index.
    ///
    /// # Safety
    ///
    /// As [`groups`](Self::groups).
    unsafe fn hot_keys(&self, seed: Seed) -> Result<Hot<K>, Error> {
        let n = self.keys.len() as u32;
        if n < SAMPLED_ROWS {
            return Ok(Hot::default());
        }
        let at = self.at(self.layout.sample);
        let keys = (self.keys.at(0), (size_of::<K>() / size_of::<u32>()) as u32);
        let arguments = Arguments::columns_sample(keys, n, Seed::random(), (at, SAMPLE));
        // SAFETY: the kernel's arguments; the rest is the contract of this function.
        unsafe { self.kernels.sample.launch(self.stream, SAMPLE_THREADS, &arguments)? };
        let mut sample = room("a sample of a column", SAMPLE as usize)?;
        sample.resize(SAMPLE as usize, K::default());
        self.download(&mut sample, at)?;
        let keys = hottest(sample);
        self.upload_hot(&keys, seed)?;
        Ok(Hot { rows: vec![0; keys.len()], sums: vec![0; keys.len()], keys })
    }

    /// Brings hot keys and their index to the device.
    fn upload_hot(&self, keys: &[K], seed: Seed) -> Result<(), Error> {
        let mut index = [0; HOT_WORDS as usize];
        HotKeys::fill(&mut index, keys.iter().map(|&key| hash(key, seed)));
        self.upload(self.at(self.layout.hot_keys), keys)?;
        self.upload(self.at(self.layout.index), &index)
    }

    /// Queues the look-up of all rows among a few keys.
    ///
    /// # Safety
    ///
    /// All spans are live until the stream has run what this queues, the scratch memory has the bytes of the
    /// layout, and there are as many rows to write as keys, and not more few keys than can be hot.
    pub(super) unsafe fn among(&self, few: &[K], found: Span<u8>) -> Result<(), Error> {
        if self.keys.len() == 0 {
            return Ok(());
        }
        let seed = Seed::random();
        self.upload_hot(few, seed)?;
        let level = Level {
            fan: 0,
            before: 1,
            hot: few.len() as u32,
            hot_keys: self.at(self.layout.hot_keys),
            index: self.at(self.layout.index),
            seed,
        };
        let keys = (self.keys.at(0), self.keys.len() as u32);
        let arguments = Arguments::columns_among(keys, level, found.at(0));
        // SAFETY: the kernel's arguments; the rest is the contract of this function.
        unsafe { self.launch(&self.kernels.among, &arguments) }
    }

    /// Divides each partition by the digits of a level. Takes out the rows of hot keys, if the level has
    /// such.
    ///
    /// # Safety
    ///
    /// As [`groups`](Self::groups). The rows are not in side `side` of the scratch memory.
    unsafe fn partition(
        &self,
        part: &Partitioned,
        level: Level,
        side: usize,
        hot: &mut Hot<K>,
    ) -> Result<Partitioned, Error> {
        let tasks = self.tasks(part)?;
        let all = level.digits() as usize * part.partitions() as usize;
        let (counters, next) = (self.at(self.layout.counters), self.at(self.layout.next));
        self.zero(counters, all)?;
        let arguments = Arguments::columns_count(part.rows.keys, tasks, level, counters);
        // SAFETY: the kernel's arguments; the rest is the contract of this function.
        unsafe { self.launch(&self.kernels.count, &arguments)? };
        let mut starts = room("counters", all + 1)?;
        starts.resize(all, 0u32);
        self.download(&mut starts, counters)?;
        let mut sum = 0;
        for start in &mut starts {
            let n = core::mem::replace(start, sum);
            sum += n;
        }
        starts.push(sum);
        // Only the first level has hot keys, and one partition before it: their rows come last.
        let fan = level.fan as usize * part.partitions() as usize;
        let rest = starts[fan];
        for (rows, ends) in hot.rows.iter_mut().zip(starts[fan..].windows(2)) {
            if level.hot != 0 {
                *rows = u64::from(ends[1] - ends[0]);
            }
        }
        let to = self.side(side);
        self.upload(next, &starts[..all])?;
        let room = if to.values == 0 { rest } else { sum };
        if room != 0 {
            let arguments = Arguments::columns_scatter(part.rows, tasks, level, (next, to, room));
            // SAFETY: the kernel's arguments; places are those that were counted. The rest is the contract
            // of this function.
            unsafe { self.launch(&self.kernels.scatter, &arguments)? };
        }
        if level.hot != 0 && to.values != 0 && rest != sum {
            // SAFETY: the rows of hot keys are in this side.
            unsafe { self.sum_hot(to, &starts[fan..], level.seed, hot)? };
        }
        starts.truncate(fan + 1);
        Ok(Partitioned { rows: to, starts, ends: next })
    }

    /// Adds up the values of hot keys, whose rows begin at `starts`: blocks make the groups of parts of them.
    ///
    /// # Safety
    ///
    /// As [`groups`](Self::groups).
    unsafe fn sum_hot(
        &self,
        rows: RowColumns,
        starts: &[u32],
        seed: Seed,
        hot: &mut Hot<K>,
    ) -> Result<(), Error> {
        let layout = &self.layout;
        let first = starts.first().copied().unwrap_or(0);
        let most = self.keys.len() / HOT_ROWS as usize + starts.len();
        let mut ends = room("parts of hot keys", most)?;
        for range in starts.windows(2) {
            let (mut from, end) = (range[0], range[1]);
            while from < end {
                from += (end - from).min(HOT_ROWS);
                ends.push(from);
            }
        }
        let parts = ends.len();
        let (at, totals) = (self.at(layout.parts), self.at(layout.totals));
        self.upload(at, &ends)?;
        self.zero(totals, TOTALS)?;
        let to = GroupColumns {
            told: self.to.told(),
            keys: self.at(layout.part_keys),
            rows: self.at(layout.part_rows),
            sums: self.at(layout.part_sums),
            room: parts as u32,
        };
        let arguments = Arguments::columns_group(rows, (first, at, parts as u32), seed, (to, totals));
        // SAFETY: the kernel's arguments; there are places for a group of each part, and each part has one
        // key. The rest is the contract of this function.
        unsafe { self.launch(&self.kernels.group, &arguments)? };
        let (mut keys, mut sums) = (room("hot keys", parts)?, room("sums of hot keys", parts)?);
        keys.resize(parts, K::default());
        sums.resize(parts, 0u64);
        self.download(&mut keys, to.keys)?;
        self.download(&mut sums, to.sums)?;
        let numbers: HashMap<K, usize> = hot.keys.iter().copied().zip(0..).collect();
        for (key, sum) in keys.iter().zip(sums) {
            if let Some(total) = numbers.get(key).and_then(|&number| hot.sums.get_mut(number)) {
                *total = total.wrapping_add(sum);
            }
        }
        Ok(())
    }

    /// Writes the groups of hot keys to the first places, as far as there is room.
    fn write_hot(&self, hot: &Hot<K>) -> Result<(), Error> {
        let n = hot.keys.len().min(self.to.keys.len());
        self.upload(self.to.keys.at(0), &hot.keys[..n])?;
        if let Some(rows) = self.to.rows {
            self.upload(rows.at(0), &hot.rows[..n])?;
        }
        if let Some(sums) = self.to.sums {
            self.upload(sums.at(0), &hot.sums[..n])?;
        }
        Ok(())
    }

    /// Divides the rows of each partition into tasks.
    fn tasks(&self, part: &Partitioned) -> Result<Tasks, Error> {
        let most = part.len() / TASK_ROWS + part.partitions() + 1;
        let mut tasks: Vec<[u32; TASK]> = room("tasks", most as usize)?;
        for (range, partition) in part.starts.windows(2).zip(0..) {
            let (mut from, end) = (range[0], range[1]);
            while from < end {
                let to = from + (end - from).min(TASK_ROWS);
                tasks.push([from, to, partition]);
                from = to;
            }
        }
        let address = self.at(self.layout.tasks);
        self.upload(address, &tasks)?;
        Ok(Tasks { address, count: tasks.len() as u32 })
    }

    /// One of the two sides of the memory that rows are moved to.
    fn side(&self, side: usize) -> RowColumns {
        let values = if self.values.is_some() { self.at(self.layout.values[side]) } else { 0 };
        RowColumns { keys: self.at(self.layout.keys[side]), values }
    }

    /// The address of a part of the scratch memory.
    fn at(&self, part: u64) -> u64 {
        Layout::begin(self.scratch.at(0)) + part
    }

    /// Queues a kernel.
    ///
    /// # Safety
    ///
    /// As [`Kernel::launch`].
    unsafe fn launch(&self, kernel: &Kernel, (arguments, threads): &(Arguments, u32)) -> Result<(), Error> {
        // SAFETY: the contract of this function.
        unsafe { kernel.launch(self.stream, *threads, arguments) }
    }

    fn zero(&self, address: u64, words: usize) -> Result<(), Error> {
        let failed = Error::driver("filling device memory");
        self.stream.context().bind_to_thread().map_err(&failed)?;
        let bytes = words * size_of::<u32>();
        // SAFETY: a part of the scratch memory, which lives until the stream has run this.
        unsafe { result::memset_d8_async(address, 0, bytes, self.stream.cu_stream()) }.map_err(&failed)
    }

    fn upload<T: Copy>(&self, address: u64, numbers: &[T]) -> Result<(), Error> {
        let failed = Error::driver("copying to the device");
        self.stream.context().bind_to_thread().map_err(&failed)?;
        if numbers.is_empty() {
            return Ok(());
        }
        // SAFETY: there is memory for as many; the driver has copied pageable memory when this returns.
        unsafe { result::memcpy_htod_async(address, numbers, self.stream.cu_stream()) }.map_err(&failed)
    }

    /// Copies from the device, and waits.
    fn download<T: Copy>(&self, numbers: &mut [T], address: u64) -> Result<(), Error> {
        let failed = Error::driver("copying from the device");
        self.stream.context().bind_to_thread().map_err(&failed)?;
        if !numbers.is_empty() {
            // SAFETY: there are as many, and this waits.
            unsafe { result::memcpy_dtoh_async(numbers, address, self.stream.cu_stream()) }
                .map_err(&failed)?;
        }
        self.stream.synchronize().map_err(&failed)
    }
}

/// The hash of a key on the device.
fn hash<K: KeyScalar>(key: K, seed: Seed) -> Hash64 {
    if size_of::<K>() == size_of::<u32>() { seed.hash32(key.bits() as u32) } else { seed.hash(key.bits()) }
}

/// The keys that a sample has most often, at least [`HOT`] times.
fn hottest<K: KeyScalar>(mut sample: Vec<K>) -> Vec<K> {
    sample.sort_unstable();
    let runs = sample.chunk_by(|a, b| a == b).filter(|run| run.len() >= HOT as usize);
    let mut runs: Vec<_> = runs.map(|run| (run.len(), run[0])).collect();
    runs.sort_unstable_by_key(|&(times, key)| (core::cmp::Reverse(times), key));
    runs.into_iter().take(MOST_HOT as usize).map(|(_, key)| key).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_most_rows_are_hot() {
        assert_eq!(hottest(vec![7u32, 5, 7, 5, 7, 5, 7, 9, 5, 5]), [5, 7]);
        assert_eq!(hottest(vec![1u32, 1, 1, 2, 3]), []);
        let many = (0..300u64).flat_map(|key| [key; 5]).collect();
        assert_eq!(hottest(many), (0..256).collect::<Vec<u64>>());
    }
}
