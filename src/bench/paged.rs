//! `warpproof bench paged --table`: a table larger than the budget of device memory, on a GPU. Also measured,
//! as bounds: the bus, each way that jobs may take, a table that is all in device memory, and one on the CPU.

use super::Args;
use super::keys::Number;
use super::record::Record;
use super::row::{Fallible, Row};
use super::timed::Timed;
use crate::backend::Opened;
use crate::bytes;
use crate::entry::Entry;
use crate::failure::Failure;
use crate::output;
use crate::paging::explained;
use rayon::prelude::*;
use std::path::Path;
use std::time::Instant;
use warpproof::gpu::cudarc::driver::CudaSlice;
use warpproof::gpu::{Device, OpenMap, PagedMap, Tuning};
use warpproof::model::Seed;
use warpproof::model::outcome::Insert;
use warpproof::model::paged::{Choices, Choose, Way};
use warpproof::{BulkMap, BulkPaged, BulkSave, BulkTable, OpenGeometry, PagedGeometry, simt};

/// Pairs of u64 in a paged table.
type Map = PagedMap<u64, u64>;

/// The value that a search writes for an absent key.
const MISSING: u64 = 1;
/// The content of an output before.
const POISON: u64 = 0xa5a5_a5a5_a5a5_a5a5;
/// The exponent of the skewed keys.
const SKEW: f64 = 0.99;
/// Rounds of a search; their median is reported.
const ROUNDS: usize = 3;

/// The least pairs of an insert that are on the device at a time.
const CHUNK: u64 = 1 << 28;
/// Bytes of such a pair: a key, a value, and a code.
const PAIR: u64 = 17;
/// Bytes of device memory that are left free.
const SPARE: u64 = 4 << 30;

/// The names of the rows of a size.
macro_rules! names {
    ($size:literal) => {
        [names!("" $size), names!("board: " $size)]
    };
    ($of:literal $size:literal) => {
        Names {
            present: [
                concat!($of, "search ", $size, " in place"),
                concat!($of, "search ", $size, " in frames"),
                concat!($of, "search ", $size),
            ],
            absent: concat!($of, "search absent ", $size),
            skewed: concat!($of, "search Zipf ", $size),
            insert: [
                concat!($of, "insert ", $size, " in place"),
                concat!($of, "insert ", $size, " in frames"),
                concat!($of, "insert ", $size),
            ],
        }
    };
}

/// The sizes of batches, and the names of their rows, without a board and with one.
const BATCHES: [(u64, [Names; 2]); 4] = [
    (1_000_000, names!("10^6")),
    (10_000_000, names!("10^7")),
    (100_000_000, names!("10^8")),
    (1_000_000_000, names!("10^9")),
];

/// The names of rows of one size.
#[derive(Clone, Copy)]
struct Names {
    /// Searches of keys that are there: in place, in frames, chosen.
    present: [&'static str; 3],
    /// Searches of keys that are not there.
    absent: &'static str,
    /// Searches of skewed keys: some come far more often than others.
    skewed: &'static str,
    /// Inserts: in place, in frames, chosen.
    insert: [&'static str; 3],
}

/// The ways that are measured; the chosen one comes last.
fn ways(chosen: Choose) -> [Choose; 3] {
    [Choose::Always(Way::InPlace), Choose::Always(Way::Resident), chosen]
}

/// The state of the measurement.
struct Page<'a> {
    timed: Timed,
    device: &'a Device,
    /// Pairs of the table at the end.
    pairs: u64,
    /// Pairs whose keys and values are on the device at a time, beside the table.
    chunk: u64,
    load: f64,
    /// How the ways of jobs are chosen.
    chosen: Choose,
    rows: Vec<Row>,
    /// Whether choices are explained, and how many were explained already.
    explain: bool,
    explained: Choices,
}

/// Measures a table of so many bytes of slots, with a budget of device memory.
pub(super) fn page(args: &Args, on: &Opened, table: u64) -> Result<(), Failure> {
    let Some(device) = on.kernels() else {
        return Err(Failure::input("--table: tables larger than device memory are measured only on a GPU"));
    };
    let record = args.record.as_deref().map(|folder| Record::open(folder, "paged")).transpose()?;
    let load = OpenGeometry::DEFAULT_LOAD;
    let pairs = (table as f64 / 16.0 * load) as u64;
    let timed = Timed::new(device).map_err(Failure::backend)?;
    let (explain, explained) = (args.explain, Choices::default());
    let mut page = Page {
        timed,
        device,
        pairs,
        chunk: 0,
        load,
        chosen: Map::CHEAPER,
        rows: Vec::new(),
        explain,
        explained,
    };
    let measured = page.measure(args).map_err(|error| Failure::input(error.to_string()));
    let rows = page.rows;
    if let Some(record) = record {
        let added = record.add(on, Entry::Map64, &rows, &[])?;
        output::line(format_args!("\nrecorded {added} rows in {}", record.text()))?;
    }
    measured?;
    if rows.iter().all(|row| row.verified) {
        Ok(())
    } else {
        Err(Failure::Violation("an answer is wrong; see the lines marked WRONG".into()))
    }
}

/// Key number `i`, and the keys from `from` on.
fn key(i: u64) -> u64 {
    i.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A number that depends on all bits of `i`.
fn mix(i: u64) -> u64 {
    Seed::new(7).hash(i).bits()
}

fn keys(from: u64, to: u64) -> Vec<u64> {
    (from..to).into_par_iter().map(key).collect()
}

impl Page<'_> {
    fn measure(&mut self, args: &Args) -> Fallible<()> {
        let budget = args.budget.unwrap_or(1 << 30);
        let mut size = Map::size(self.pairs, self.load, PagedGeometry::CHILD_BYTES, budget)?;
        if args.board {
            size = size.with_board()?;
        }
        size.batch_bytes = args.batch.unwrap_or(size.batch_bytes);
        let largest = if args.quick { 10_000_000 } else { 1_000_000_000 };
        let before = self.device.memory()?.0;
        let table = size.frame_bytes + size.batch_bytes + size.board_bytes();
        self.chunk = CHUNK.max(before.saturating_sub(table + SPARE) / PAIR);
        self.chosen = Map::cheaper(&size);
        let mut map = Map::with_seed(self.device, size, self.chosen, Tuning::default(), Seed::new(1))?;
        say(format_args!(
            "{}: {} pairs at a load of {} in {} child tables; {} for frames, {} for batches, {} for a board",
            self.device.name(),
            output::grouped(self.pairs),
            self.load,
            size.children,
            bytes::text(size.frame_bytes),
            bytes::text(size.batch_bytes),
            bytes::text(size.board_bytes())
        ))?;
        self.copies()?;
        let named = |(n, names): (u64, [Names; 2])| (n, names[usize::from(args.board)]);
        let batches = || BATCHES.into_iter().map(named).filter(|(n, _)| *n <= largest);
        self.build(&mut map, batches())?;
        for (n, names) in batches() {
            self.searches(&map, n, names)?;
        }
        let taken = map.bytes();
        let free = self.device.memory()?.0;
        say(format_args!(
            "device memory: the table says {}, the driver {} with what it keeps; host memory {}",
            bytes::text(taken),
            bytes::text(before.saturating_sub(free)),
            bytes::text(map.host_bytes())
        ))?;
        if taken > table {
            return Err("the table takes more device memory than its budget".into());
        }
        say(format_args!("{:?}", map.stats()?))?;
        match &args.save {
            Some(path) => self.file(map, path, budget)?,
            None => drop(map),
        }
        self.in_core(args.quick)?;
        if !args.quick {
            self.on_cpu()?;
        }
        Ok(())
    }

    /// Saves the map, drops it, opens the file and searches the new map: the host may have memory for only
    /// one.
    fn file(&mut self, map: Map, path: &Path, budget: u64) -> Fallible<()> {
        /// Keys of a search.
        const KEYS: u64 = 10_000_000;
        let start = Instant::now();
        map.save(path)?;
        self.row("save", self.pairs, start.elapsed().as_secs_f64(), true)?;
        say(format_args!("{}: {}", path.display(), bytes::text(std::fs::metadata(path)?.len())))?;
        drop(map);
        let start = Instant::now();
        let opened = Map::open(self.device, path, budget)?;
        let seconds = start.elapsed().as_secs_f64();
        self.row("open", self.pairs, seconds, opened.len()? == self.pairs)?;
        let n = KEYS.min(self.pairs);
        let present: Vec<u64> = (0..n).into_par_iter().map(|i| key(mix(i) % self.pairs)).collect();
        self.search(&opened, "search opened", &present, true, Map::CHEAPER)?;
        let absent = keys(self.pairs, self.pairs + n);
        self.search(&opened, "search absent opened", &absent, false, Map::CHEAPER)
    }

    /// Adds a row and shows it.
    fn row(&mut self, workload: &'static str, ops: u64, seconds: f64, verified: bool) -> Fallible<()> {
        let (size, load, mops) = (self.pairs as u32, self.load, output::mops(ops, seconds));
        let verdict = if verified { "verified" } else { "WRONG" };
        say(format_args!("  {workload:24} {ops:>13} {mops:>10.1} Mop/s  {verdict}"))?;
        self.rows.push(Row { size, load, workload, ops, seconds, mops, verified });
        Ok(())
    }

    /// Explains the choices since the last time.
    fn explain(&mut self, map: &Map) -> Fallible<()> {
        if self.explain {
            let choices = map.paging().choices;
            for line in explained(&choices.since(&self.explained)) {
                say(format_args!("    {line}"))?;
            }
            self.explained = choices;
        }
        Ok(())
    }

    /// The copy engine, in each direction. In these rows an operation is a byte.
    fn copies(&mut self) -> Fallible<()> {
        const BYTES: usize = 256 << 20;
        let stream = self.timed.stream.clone();
        // SAFETY: written below, before anything reads it.
        let mut host = unsafe { self.device.context().alloc_pinned::<u8>(BYTES)? };
        host.as_mut_slice()?.fill(1);
        let mut on_device = stream.alloc_zeros::<u8>(BYTES)?;
        for (name, inwards) in [("floor: bytes in", true), ("floor: bytes out", false)] {
            let mut times = Vec::new();
            for _ in 0..=ROUNDS {
                stream.synchronize()?;
                let start = Instant::now();
                if inwards {
                    stream.memcpy_htod(&host, &mut on_device)?;
                } else {
                    stream.memcpy_dtoh(&on_device, &mut host)?;
                }
                stream.synchronize()?;
                times.push(start.elapsed().as_secs_f64());
            }
            self.row(name, BYTES as u64, median(times), true)?;
        }
        Ok(())
    }

    /// Inserts all pairs. The last ones are inserted in measured batches, one of each size in each way. The
    /// first ones are inserted twice, as new host memory takes most of the time at first.
    fn build(&mut self, map: &mut Map, batches: impl Iterator<Item = (u64, Names)>) -> Fallible<()> {
        let mut last: Vec<(u64, &str, Choose)> = Vec::new();
        for (n, names) in batches {
            for (name, way) in names.insert.into_iter().zip(ways(self.chosen)) {
                // All batches must leave half of the table to be built before them.
                if last.iter().map(|(n, ..)| n).sum::<u64>() + n <= self.pairs / 2 {
                    last.push((n, name, way));
                }
            }
        }
        let measured: u64 = last.iter().map(|(n, ..)| n).sum();
        let mut at = self.pairs - measured;
        self.insert(map, "build", (0, at), self.chosen)?;
        map.clear()?;
        self.insert(map, "build after clear", (0, at), self.chosen)?;
        for (n, name, way) in last {
            self.insert(map, name, (at, at + n), way)?;
            at += n;
        }
        Ok(())
    }

    fn insert(&mut self, map: &Map, name: &'static str, (from, to): (u64, u64), way: Choose) -> Fallible<()> {
        map.set_choose(way);
        let stream = self.timed.stream.clone();
        let (mut seconds, mut right, mut first) = (0.0, true, from);
        while first < to {
            let end = to.min(first + self.chunk);
            let keys = keys(first, end);
            let values: Vec<u64> = keys.par_iter().map(|key| key.value()).collect();
            let (on_keys, on_values) = (stream.clone_htod(&keys)?, stream.clone_htod(&values)?);
            let mut codes = stream.clone_htod(&vec![POISON as u8; keys.len()])?;
            seconds += self
                .timed
                .time_whole(|| map.on_stream(&stream).insert_unique(&on_keys, &on_values, &mut codes))?;
            let codes = stream.clone_dtoh(&codes)?;
            right &= codes.par_iter().all(|&code| code == Insert::Inserted.code());
            first = end;
        }
        right &= map.len()? == to;
        self.row(name, to - from, seconds, right)?;
        self.explain(map)
    }

    /// Searches of `n` keys.
    fn searches(&mut self, map: &Map, n: u64, names: Names) -> Fallible<()> {
        let present: Vec<u64> = (0..n).into_par_iter().map(|i| key(mix(i) % self.pairs)).collect();
        for (name, way) in names.present.into_iter().zip(ways(self.chosen)) {
            self.search(map, name, &present, true, way)?;
        }
        drop(present);
        let absent = keys(self.pairs, self.pairs + n);
        self.search(map, names.absent, &absent, false, self.chosen)?;
        drop(absent);
        let zipf = Zipf::new(self.pairs, SKEW);
        let skewed: Vec<u64> = (0..n).into_par_iter().map(|i| key(mix(zipf.rank(i)) % self.pairs)).collect();
        self.search(map, names.skewed, &skewed, true, self.chosen)
    }

    fn search(
        &mut self,
        map: &Map,
        name: &'static str,
        keys: &[u64],
        there: bool,
        way: Choose,
    ) -> Fallible<()> {
        map.set_choose(way);
        let stream = self.timed.stream.clone();
        let on_keys = stream.clone_htod(keys)?;
        let mut found = stream.clone_htod(&vec![POISON; keys.len()])?;
        let mut times = Vec::new();
        for _ in 0..if keys.len() > 100_000_000 { 1 } else { ROUNDS } {
            times.push(
                self.timed
                    .time_whole(|| map.on_stream(&stream).search_or(&on_keys, &mut found, MISSING, None))?,
            );
        }
        let right = answers(&stream.clone_dtoh(&found)?, keys, there);
        self.row(name, keys.len() as u64, median(times), right)?;
        self.explain(map)
    }

    /// A table that is all in frames, and one of open addressing with the same pairs.
    fn in_core(&mut self, quick: bool) -> Fallible<()> {
        let pairs: u64 = if quick { 5_000_000 } else { 50_000_000 };
        let stream = self.timed.stream.clone();
        let present = keys(0, pairs);
        let values: Vec<u64> = present.par_iter().map(|key| key.value()).collect();
        let (on_keys, on_values) = (stream.clone_htod(&present)?, stream.clone_htod(&values)?);
        let mut codes: CudaSlice<u8> = stream.alloc_zeros(present.len())?;
        let mut found = stream.clone_htod(&vec![POISON; present.len()])?;
        let size = Map::size(pairs, self.load, PagedGeometry::CHILD_BYTES, 1 << 33)?;
        let all = Choose::Always(Way::Resident);
        let paged = Map::with_seed(self.device, size, all, Tuning::default(), Seed::new(1))?;
        paged.on_stream(&stream).insert_unique(&on_keys, &on_values, &mut codes)?;
        let open =
            OpenMap::<u64, u64>::with_geometry(self.device, OpenMap::<u64, u64>::size(pairs, self.load)?)?;
        open.on_stream(&stream).insert_unique(&on_keys, &on_values, &mut codes)?;
        for paged_one in [false, true] {
            let mut times = Vec::new();
            for _ in 0..=ROUNDS {
                times.push(self.timed.time_whole(|| match paged_one {
                    true => paged.on_stream(&stream).search_or(&on_keys, &mut found, MISSING, None),
                    false => open.on_stream(&stream).search_or(&on_keys, &mut found, MISSING, None),
                })?);
            }
            let right = answers(&stream.clone_dtoh(&found)?, &present, true);
            let name = if paged_one { "in core: search" } else { "open table: search" };
            self.row(name, pairs, median(times), right)?;
        }
        Ok(())
    }

    /// The open-addressing table of the CPU backend with all threads: keys and answers in host memory.
    fn on_cpu(&mut self) -> Fallible<()> {
        type OnCpu = simt::cpu::OpenMap<u64, u64>;
        let map = OnCpu::with_geometry(OnCpu::size(self.pairs, self.load)?)?;
        let (mut first, mut seconds, mut right) = (0, 0.0, true);
        while first < self.pairs {
            let end = self.pairs.min(first + 100_000_000);
            let keys = keys(first, end);
            let values: Vec<u64> = keys.par_iter().map(|key| key.value()).collect();
            let start = Instant::now();
            let done = map.insert_unique(&keys, &values)?;
            seconds += start.elapsed().as_secs_f64();
            right &= done.par_iter().all(|&outcome| outcome == Insert::Inserted);
            first = end;
        }
        self.row("CPU: build", self.pairs, seconds, right)?;
        for (n, name) in [(10_000_000, "CPU: search 10^7"), (100_000_000, "CPU: search 10^8")] {
            if n > self.pairs {
                continue;
            }
            let keys: Vec<u64> = (0..n).into_par_iter().map(|i| key(mix(i) % self.pairs)).collect();
            let mut times = Vec::new();
            let mut right = true;
            for _ in 0..ROUNDS {
                let start = Instant::now();
                let found = map.search(&keys)?;
                times.push(start.elapsed().as_secs_f64());
                right &= found.par_iter().zip(&keys).all(|(found, key)| *found == Some(key.value()));
            }
            self.row(name, n, median(times), right)?;
        }
        Ok(())
    }
}

/// Prints a line.
pub(super) fn say(text: std::fmt::Arguments<'_>) -> Fallible<()> {
    output::line(text).map_err(|_| "the output cannot be written".into())
}

/// Whether these are the answers to searches of keys that are all there, or all absent.
fn answers(found: &[u64], keys: &[u64], there: bool) -> bool {
    let answer = |key: &u64| if there { key.value() } else { MISSING };
    found.par_iter().zip(keys).all(|(found, key)| *found == answer(key))
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Ranks below `n` by a law of Zipf, as YCSB draws them: Gray, Sundaresan, Englert, Baclawski, Weinberger,
/// "Quickly generating billion-record synthetic databases", 1994.
struct Zipf {
    n: f64,
    theta: f64,
    alpha: f64,
    zeta: f64,
    eta: f64,
}

impl Zipf {
    fn new(n: u64, theta: f64) -> Self {
        // The sum to a million, and the integral from there on.
        let exact = n.min(1_000_000);
        let head: f64 = (1..=exact).map(|i| (i as f64).powf(-theta)).sum();
        let tail = ((n as f64).powf(1.0 - theta) - (exact as f64).powf(1.0 - theta)) / (1.0 - theta);
        let zeta = head + tail;
        let (n, two) = (n as f64, 1.0 + 0.5f64.powf(theta));
        let eta = (1.0 - (2.0 / n).powf(1.0 - theta)) / (1.0 - two / zeta);
        Self { n, theta, alpha: 1.0 / (1.0 - theta), zeta, eta }
    }

    /// The rank of draw number `i`.
    fn rank(&self, i: u64) -> u64 {
        let u = (mix(i ^ 0x5eed) >> 11) as f64 / (1u64 << 53) as f64;
        let scaled = u * self.zeta;
        if scaled < 1.0 {
            0
        } else if scaled < 1.0 + 0.5f64.powf(self.theta) {
            1
        } else {
            ((self.n * (self.eta * u - self.eta + 1.0).powf(self.alpha)) as u64).min(self.n as u64 - 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each of the first hundred ranks occurs about as often as the law says.
    #[test]
    fn ranks_follow_the_law() {
        let zipf = Zipf::new(100, SKEW);
        let mut counts = [0u32; 100];
        (0..100_000).for_each(|i| counts[zipf.rank(i) as usize] += 1);
        let first = 100_000.0 / zipf.zeta;
        assert!((f64::from(counts[0]) - first).abs() < 0.05 * first, "{counts:?}");
        assert!(counts[0] > counts[1] && counts[1] > counts[10] && counts[10] > counts[90], "{counts:?}");
        assert!(counts.iter().all(|&count| count > 0));
    }
}
