//! `warpproof bench`: the published workloads, every answer checked.

mod cells;
#[cfg(feature = "gpu")]
pub(crate) mod device;
#[cfg(feature = "gpu")]
mod gpus;
mod host;
mod keys;
mod memory;
#[cfg(feature = "gpu")]
mod paged;
mod paper;
mod published;
mod record;
mod retrieve;
mod row;
#[cfg(feature = "gpu")]
mod timed;

use crate::backend::{Choice, Opened};
use crate::entry::Entry;
use crate::failure::Failure;
use crate::output::{self, Progress};
use crate::plot::{Axis, Chart};
use crate::registry::room::Rooms;
use crate::registry::{PAGED, Points, Structure};
use crate::target::{Target, write_whole};
use cells::Cells;
use memory::Memory;
use record::Record;
use retrieve::Retrieve;
use row::Row;
use serde::Serialize;
use std::path::PathBuf;
#[cfg(feature = "gpu")]
use {
    device::Bench,
    warpproof::gpu::bench::Extra,
    warpproof::gpu::{RetrieveMethod, Tuning},
};

/// Measure the published workloads
///
/// Pairs of u32: build, searches of present keys, searches of absent keys, delete of half the keys, and the
/// concurrent mixes 20,20,60 and 40,40,20 (percent of unique inserts, deletes, searches; half of the key
/// range is inserted before). Sizes and loads, by structure:
///
/// Slab hash: sizes from 2^16 on at a load of 0.6 pairs per slot of the base slabs, as published; loads from
/// 0.2 to 0.9 at one size; with the bytes of a pair, also in the published layout.
///
/// Hopscotch: sizes at a load of 0.8 pairs per slot of the homes, and loads from 0.5 to 0.95; with the bytes
/// of a pair, and how far pairs are from their homes. Inserts that found the table full are counted and
/// shown, and their keys are absent afterwards.
///
/// Open addressing: sizes and loads as for hopscotch, per slot; with the bytes of a pair, the filter
/// included. On a GPU also copies of all entries to device slices, in any order and in that of their
/// slots, and sums (`insert_or_add`) of keys that occur once and often.
///
/// Tables that grow: one batch into a table of a sixteenth of its pairs, or a million slots if that is less,
/// and searches afterwards.
///
/// Other entries than u32 pairs: build, searches, delete. The median of the rounds is reported. Every answer
/// is checked, outside of the measured time.
///
/// On a CPU bulk calls on slices are timed. On a GPU the kernels are timed by events, with keys, values
/// and answers in device memory, in fresh tables, beside the floors of random access (a find, an insert,
/// a look and an insert, without a protocol). The rows `from host` are calls on host slices through
/// staging buffers, in chunks of up to 2^22 operations: wall-clock time, from the input in host memory to
/// the answers there. Those `from page-locked memory` are such calls on slices that the device copies by
/// itself.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// What to measure
    #[arg(value_parser = Structure::parser())]
    structure: &'static Structure,
    /// Where to run
    #[arg(long, value_enum, default_value_t)]
    backend: Choice,
    /// Entries of the table
    #[arg(long, value_enum, default_value_t)]
    entry: Entry,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// The smallest size, one load and one round
    #[arg(long)]
    quick: bool,
    /// Pairs of the largest table, as a number or as 2^K [default: 2^22 on a CPU, 2^26 on a GPU]
    #[arg(long, value_name = "PAIRS", value_parser = size)]
    max_size: Option<u32>,
    /// Only one size, at one load
    #[arg(long, value_name = "PAIRS", value_parser = size, conflicts_with_all = ["quick", "max_size"])]
    pairs: Option<u32>,
    /// The load of that size [default: 0.6, or 0.8 for a hopscotch or open-addressing table]
    #[arg(long, requires = "pairs")]
    load: Option<f64>,
    /// Measure only the row of this name, as "search present"; several rows if it is given several times
    ///
    /// Only what these rows need is prepared. They alone are shown and recorded. If there is no such row, an
    /// error lists those that there are.
    // An option that excludes `--pairs` would lift the requirement.
    #[arg(long, value_name = "ROW", requires = "pairs")]
    #[arg(conflicts_with_all = ["quick", "max_size", "paper", "table"])]
    cell: Vec<String>,
    /// The range of keys of the mixes, for which their table is made: hot keys, in maps of u32 pairs
    #[arg(long, value_name = "KEYS", value_parser = clap::value_parser!(u32).range(1..))]
    #[arg(requires = "pairs", conflicts_with_all = ["record", "paper"])]
    keys: Option<u32>,
    /// The seed that decides the places of keys [default: chosen at random for each table]
    #[arg(long, value_name = "S", conflicts_with_all = ["paper", "table"])]
    seed: Option<u64>,
    /// Rounds after the first, which warms up
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Lanes per tile of the kernels, if there are kernels of that width [default: the fastest]
    ///
    /// A map of u32 pairs has kernels for 1, 2, 4 and 8 lanes, after `cargo xtask ptx tuning`. On a CPU it
    /// has no
    /// effect.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=32))]
    lanes: Option<u32>,
    /// The published method by which a map, in which pairs do not move, copies all its entries on a GPU
    #[arg(long, value_enum, value_name = "METHOD", default_value_t)]
    retrieve: Retrieve,
    /// Run the experiments of the paper instead, and write their plots into a folder
    ///
    /// Hopscotch, wait-free and paged tables only.
    ///
    /// Hopscotch tables. Static: build and searches at a load of 0.8 against linear probing, quadratic
    /// probing and cuckoo hashing, 2^20 to 2^26 slots, on a GPU. Dynamic: the mixes 20,20,60 and 40,40,20 on
    /// ranges of 10^2 to 10^7 keys, 10^5 and 10^8 operations (10^7 on a CPU), against hopscotch with locks on
    /// all cores, and chaining with a pool of nodes, with and without its allocation counted.
    ///
    /// Wait-free tables, against a list of ours with a lock for each bucket and the same nodes. Sets of 2^20
    /// to 2^26 u64 keys on a GPU: build, searches, delete of half the keys, and insert of half the keys into
    /// a table of the others; open addressing beside them. The same mixes of u32 pairs on the same ranges,
    /// 10^5 and 10^7 operations.
    ///
    /// Paged tables, on a GPU, against Starfish as published, with two and with four child tables of 64 MiB
    /// in device memory: u32 pairs in 1, 4 and 8 GiB of slots at a load of 0.8, our budget 512 MiB. Build,
    /// inserts and searches of 10^6 to 10^8 keys, present and absent, by calls on host slices.
    ///
    /// With --quick at most 10^5 operations and keys of a range, 2^20 slots or keys of a set, and 512 MiB and
    /// 10^7 operations of a paged table.
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "paper-plots")]
    #[arg(conflicts_with_all = ["entry", "max_size", "pairs"])]
    paper: Option<PathBuf>,
    /// Bytes of a table of u64 pairs that is larger than a budget of device memory, as 16G
    ///
    /// Paged tables on a GPU. Batches of 10^6 to 10^9 operations on device slices: inserts and searches, in
    /// place, in frames, and as chosen; absent keys; skewed keys, by Zipf's law (0.99). Beside them: the copy
    /// engine, a table that is all in frames, one of open addressing, and one on the CPU with all threads.
    /// With --quick 10^7 operations at most, and no table on the CPU.
    #[arg(long, value_name = "BYTES", value_parser = crate::bytes::bytes)]
    #[arg(conflicts_with_all = ["entry", "max_size", "pairs", "paper", "json"])]
    table: Option<u64>,
    /// Memory for frames and batches of paged tables [default: 64M, or 1G with --table]
    #[arg(long, value_name = "BYTES", value_parser = crate::bytes::bytes, conflicts_with = "paper")]
    budget: Option<u64>,
    /// Ranks of a table in shards: threads with a shard each [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64), conflicts_with = "paper")]
    ranks: Option<u32>,
    /// Measure a table in shards on so many GPUs, with batches of u64 pairs in device memory
    ///
    /// Unique inserts and searches of 2 x 10^6, 10^7 and 10^8 keys in all, at a load of 0.8; batches that are
    /// routed already; one table on one GPU.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    #[arg(conflicts_with_all = ["paper", "ranks", "table", "json", "plot", "max_size", "entry", "cell"])]
    gpus: Option<u32>,
    /// Device memory for its batches, besides that for frames [default: a fourth of the budget]
    #[arg(long, value_name = "BYTES", value_parser = crate::bytes::bytes, requires = "table")]
    batch: Option<u64>,
    /// A board of fingerprints, with a byte for each slot, as part of the budget
    #[arg(long, requires = "table")]
    board: bool,
    /// Save that table to a file, open it again and search it: rows of pairs per second
    #[arg(long, value_name = "FILE", requires = "table")]
    save: Option<PathBuf>,
    /// After each row with --table, show for how many operations a child table was copied, and why
    #[arg(long, requires = "table")]
    explain: bool,
    /// Append the rows to a file of the structure in a folder, with the machine, the date and the commit
    ///
    /// benches/record/README.md describes its columns.
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "benches/record", conflicts_with = "paper")]
    record: Option<PathBuf>,
    /// Write a plot to this file, as SVG: the operations per second of each workload by the size of the
    /// table, at the load of the first size
    #[arg(long, value_name = "FILE.svg", conflicts_with_all = ["paper", "table"])]
    plot: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  warpproof bench slab --quick
  warpproof bench slab --backend cpu --max-size 2^24 --json > cpu.json
  warpproof bench slab --entry map64 --pairs 2^20
  warpproof bench hopscotch --backend cpu --pairs 2^20
  warpproof bench open --backend cpu --pairs 2^20 --load 0.95 --rounds 3
  warpproof bench open --backend cpu --pairs 2^20 --cell 'search present' --cell 'search absent'
  warpproof bench open --backend cpu --entry set64 --quick
  warpproof bench dynamic --backend cpu --entry map64 --quick
  warpproof bench waitfree --backend cpu --pairs 2^16 --keys 10 --rounds 1
  warpproof bench hopscotch --paper=plots --quick
  warpproof bench waitfree --paper=plots --quick
  warpproof bench paged --paper=plots --quick
  warpproof bench open --backend cpu --pairs 2^20 --record
  warpproof bench sharded --backend cpu --ranks 3 --quick
  warpproof bench sharded --gpus 2
  warpproof bench slab --backend cpu --plot slab.svg
  warpproof bench paged --table 16G --budget 1G
  warpproof bench paged --table 16G --budget 3G --board
  warpproof bench paged --table 16G --budget 1G --quick --save pairs.table";

const SMALLEST: u32 = 1 << 16;
const LARGEST: u32 = 1 << 27;
/// The largest size on a GPU, unless --max-size gives another.
const LARGEST_OF_GPU: u32 = 1 << 26;
/// The size at which loads are compared.
const LOADS_AT: u32 = 1 << 22;

#[derive(Serialize)]
struct Object<'a> {
    structure: &'static str,
    entry: &'static str,
    backend: &'static str,
    device: String,
    verified: bool,
    rows: &'a [Row],
    memory: &'a [Memory],
}

fn size(text: &str) -> Result<u32, String> {
    let number = match text.strip_prefix("2^") {
        Some(power) => power.parse().ok().and_then(|power| 1u32.checked_shl(power)),
        None => text.parse().ok(),
    };
    match number {
        Some(number) if (SMALLEST..=LARGEST).contains(&number) => Ok(number),
        _ => Err("expected a number of pairs from 2^16 to 2^27".into()),
    }
}

/// Measures.
pub(crate) fn bench(args: &Args) -> Result<(), Failure> {
    let structure = args.structure;
    if let Some(folder) = &args.paper {
        let subject = paper::Subject::of(structure)?;
        let scale = if args.quick { paper::Scale::Quick } else { paper::Scale::Whole };
        return paper::paper(subject, &Opened::open(args.backend)?, folder, scale, args.json);
    }
    if args.budget.is_some() && structure.name != PAGED.name {
        return Err(Failure::input(format_args!("--budget: {} tables are not paged", structure.name)));
    }
    structure.admit_ranks(args.ranks.or(args.gpus))?;
    if let Some(gpus) = args.gpus {
        return on_gpus(args, gpus);
    }
    if let Some(table) = args.table {
        return larger(args, table);
    }
    structure.tables(args.entry)?;
    if args.keys.is_some() && args.entry != Entry::Map32 {
        return Err(Failure::input("--keys works only with --entry map32"));
    }
    if let (Some(keys), Some(pairs)) = (args.keys, args.pairs)
        && keys > pairs
    {
        return Err(Failure::input(format_args!(
            "--keys: {keys} keys need a table of at least {keys} pairs, not {pairs}"
        )));
    }
    let on = Opened::open(args.backend)?;
    on.admit_budget(args.budget)?;
    measure(args, &on)
}

/// Measures a table in shards on several GPUs.
fn on_gpus(args: &Args, gpus: u32) -> Result<(), Failure> {
    #[cfg(feature = "gpu")]
    {
        gpus::gpus(args, &Opened::open(args.backend)?, gpus)
    }
    #[cfg(not(feature = "gpu"))]
    {
        let _ = (args, gpus);
        Err(Failure::input("--gpus: this program was built without the feature `gpu`"))
    }
}

/// Measures a table that is larger than a budget of device memory.
fn larger(args: &Args, table: u64) -> Result<(), Failure> {
    if args.structure.name != PAGED.name {
        return Err(Failure::input(format_args!("--table: {} tables are not paged", args.structure.name)));
    }
    if let Some(path) = &args.save {
        Target::admit(path)?;
    }
    #[cfg(feature = "gpu")]
    {
        let on = Opened::open(args.backend)?;
        on.admit_budget(args.budget)?;
        paged::page(args, &on, table)
    }
    #[cfg(not(feature = "gpu"))]
    {
        let _ = (table, args.batch, args.board, args.explain);
        Err(Failure::input("--table: this program was built without the feature `gpu`"))
    }
}

fn measure(args: &Args, on: &Opened) -> Result<(), Failure> {
    let cells = cells(args, on)?;
    let Structure { points: compared, loads, .. } = args.structure;
    let largest = args.max_size.unwrap_or(if on.name() == "cpu" { 1 << 22 } else { LARGEST_OF_GPU });
    let (points, rounds) = match args.pairs {
        _ if args.quick => (vec![(SMALLEST, compared.load)], 1),
        Some(size) => (vec![(size, loads.admit(args.load.or(Some(compared.load)))?)], args.rounds),
        None => (points(compared, largest), args.rounds),
    };
    args.plot.as_deref().map(Target::admit).transpose()?;
    let record =
        args.record.as_deref().map(|folder| Record::open(folder, args.structure.name)).transpose()?;
    if !args.json {
        output::line(format_args!("{}: {}, {}", on.name(), on.device(), args.entry.name()))?;
        if let Some(keys) = args.keys {
            output::line(format_args!("mixes of {keys} keys"))?;
        }
    }
    let (mut rows, mut memory) = (Vec::new(), Vec::new());
    let mut progress = Progress::new("measuring", points.len() as u64);
    for (done, &(size, load)) in points.iter().enumerate() {
        let from = rows.len();
        memory.push(point(args, on, (size, load), rounds as usize, &cells, &mut rows)?);
        if !args.json {
            progress.above(|| show(&rows[from..], &memory[done]))?;
        }
        progress.at(done as u64 + 1);
    }
    drop(progress);
    cells.admit(&rows)?;
    if let Some(record) = record {
        let beside = if cells.are_all() { &memory[..] } else { &[] };
        let added = record.add(on, args.entry, &rows, beside)?;
        if !args.json {
            output::line(format_args!("\nrecorded {added} rows in {}", record.text()))?;
        }
    }
    if let Some(path) = &args.plot {
        let svg = plot(args, on, &rows).svg();
        write_whole(path, &svg.map_err(|why| Failure::input(format_args!("{}: {why}", path.display())))?)?;
    }
    let verified = rows.iter().all(|row| row.verified);
    if args.json {
        let (structure, entry) = (args.structure.name, args.entry.name());
        let (rows, memory) = (&rows[..], &memory[..]);
        let (backend, device) = (on.name(), on.device());
        output::json(&Object { structure, entry, backend, device, verified, rows, memory })?;
    }
    if verified {
        Ok(())
    } else {
        Err(Failure::Violation("an answer is wrong; see the lines marked WRONG".into()))
    }
}

/// The rows that are asked for.
///
/// # Errors
/// If the tables have no such row on this backend.
fn cells<'a>(args: &'a Args, on: &Opened) -> Result<Cells<'a>, Failure> {
    let (structure, entry) = (args.structure, args.entry);
    let tables = format_args!("bench {} --entry {} --backend {}", structure.name, entry.name(), on.name());
    #[cfg(feature = "gpu")]
    if on.kernels().is_some() {
        return Cells::new(&args.cell, &(structure.tables(entry)?.names)(), tables);
    }
    Cells::new(&args.cell, &host::names(entry), tables)
}

/// The speed of each workload by the size of the table, at the first load.
fn plot(args: &Args, on: &Opened, rows: &[Row]) -> Chart {
    let load = rows.first().map_or(0.0, |row| row.load);
    let mut lines: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    for row in rows.iter().filter(|row| row.load == load && row.mops > 0.0) {
        let point = (f64::from(row.size), row.mops);
        match lines.iter_mut().find(|(name, _)| name == row.workload) {
            Some((_, points)) => points.push(point),
            None => lines.push((row.workload.to_owned(), vec![point])),
        }
    }
    let (structure, entry) = (args.structure.name, args.entry.name());
    let title = format!("{structure}, {entry}, load {load}, {}: {}", on.name(), on.device());
    Chart { title, x: Axis::Binary("pairs"), y: "Mop/s", lines }
}

/// The workloads that are asked for, at one size and load.
fn point(
    args: &Args,
    on: &Opened,
    at: (u32, f64),
    rounds: usize,
    cells: &Cells<'_>,
    rows: &mut Vec<Row>,
) -> Result<Memory, Failure> {
    let (structure, entry) = (args.structure, args.entry);
    let keys = args.keys.unwrap_or(at.0);
    let rooms =
        Rooms { capacity: structure.capacity, seed: args.seed, budget: args.budget, ranks: args.ranks };
    #[cfg(feature = "gpu")]
    if let Some(gpu) = on.kernels() {
        let tuning = Tuning { lanes: args.lanes, retrieve: args.retrieve.into(), ..entry.tuning() };
        if (tuning.lanes, tuning.retrieve) != (None, RetrieveMethod::default())
            && let Some(missing) = Extra::Tuning.missing()
        {
            return Err(Failure::input(format!("--lanes and --retrieve: {missing}")));
        }
        let bench = Bench::new(gpu, rooms, entry, (at, keys), rounds, (tuning, cells))?;
        let measure = structure.tables(entry)?.measure;
        return measure(&bench, rows).map_err(|error| Failure::input(error.to_string()));
    }
    host::point((structure, rooms), on, entry, (at, keys), rounds, cells, rows)
}

/// Sizes at one load, and loads at one size.
fn points(points: &Points, largest: u32) -> Vec<(u32, f64)> {
    let sizes = (16..=26).step_by(2).map(|power| 1 << power).chain(points.also);
    let sizes = sizes.filter(|&size| size <= largest).map(|size| (size, points.load));
    let loads = points.loads.iter().filter(|&&load| load != points.load);
    sizes.chain(loads.map(|&load| (LOADS_AT.min(largest), load))).collect()
}

fn show(rows: &[Row], memory: &Memory) -> Result<(), Failure> {
    output::line(format_args!("\n{}", memory.text()))?;
    for row in rows {
        let verdict = if row.verified { "verified" } else { "WRONG" };
        let full = memory.full(row.workload);
        output::line(format_args!("  {:16} {:>10.2} Mop/s  {verdict}{full}", row.workload, row.mops))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::ALL;

    #[test]
    fn sizes_are_numbers_or_powers() {
        assert_eq!(size("2^16"), Ok(1 << 16));
        assert_eq!(size("100000"), Ok(100_000));
        for wrong in ["2^15", "2^28", "2^32", "2^x", "", "65535", "-1"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn each_load_and_size_is_measured_once() {
        let of = |structure: &&Structure| points(&structure.points, LARGEST_OF_GPU);
        let of: Vec<_> = ALL.iter().map(of).collect();
        assert_eq!(
            of.iter().map(Vec::len).collect::<Vec<_>>(),
            [7 + 8, 7 + 5, 6 + 5, 6 + 4, 6 + 4, 6 + 4, 6 + 4, 6 + 4]
        );
        for points in of {
            for (i, point) in points.iter().enumerate() {
                assert!(!points[i + 1..].contains(point));
            }
        }
    }
}
