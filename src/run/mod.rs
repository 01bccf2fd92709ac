//! `warpproof run`: checks a structure, runs a workload on it, verifies the result.

pub(crate) mod account;
mod files;
pub(crate) mod mixed;
mod oracle;
pub(crate) mod phase;
pub(crate) mod replay;
pub(crate) mod workload;

use crate::backend::{Choice, Opened};
use crate::check::{self, Summary};
use crate::failure::Failure;
use crate::output::{self, grouped, mops};
use crate::paging::{self, Paging};
use crate::plot::{Bar, Bars};
use crate::registry::{PAGED, Structure};
use crate::target::{Target, write_whole};
use phase::Phase;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Duration;
use warpproof::files::Trace;
use workload::{Mix, Workload};

/// Time that the scenarios before a run may take.
const QUICK: Duration = Duration::from_secs(5);

/// Check a structure, run a workload on it, verify every answer
///
/// First the quick scenarios of the structure are explored (at most 5 s). Then the workload runs: half of the
/// key range is inserted, all of it is looked up, and a mix of unique inserts, deletes and searches runs
/// concurrently. If the outcome is determined, the answers are compared with it. If operations race, the
/// answers must add up: for each key, inserts less deletes is what is there at the end, and every value found
/// is one that was stored for its key.
///
/// A hopscotch table has a fixed size: an insert may return Full, and then it has stored nothing. Such
/// answers are counted, shown, and verified as well. An open-addressing table is made with a slot for every
/// insert, as it does not reuse the slots of deleted pairs.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// What to run
    #[arg(value_parser = Structure::parser())]
    structure: &'static Structure,
    /// Where to run
    #[arg(long, value_enum, default_value_t)]
    backend: Choice,
    /// Percentages of insert_unique, delete and search
    #[arg(long, value_name = "I,D,S", default_value = "20,20,60")]
    mix: Mix,
    /// Size of the key range; half of it is inserted before the mix
    #[arg(long, value_name = "N", default_value_t = 1 << 20, value_parser = clap::value_parser!(u32).range(2..))]
    keys: u32,
    /// Operations of the mix
    #[arg(long, value_name = "N", default_value_t = 1 << 22)]
    ops: u32,
    /// The seed of the random numbers and of the table's hash
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Pairs per slot when the mix begins: of the base slabs, 0.01 to 100 [default: 0.65], or of the homes of
    /// a hopscotch table, 0.01 to 1 [default: 0.8]. For an open-addressing table: inserts before and in the
    /// mix per slot, 0.01 to 0.98, or 0.99 where keys move [default: 0.8]
    #[arg(long, value_name = "F", value_parser = load)]
    load: Option<f64>,
    /// Run the operations in a file instead: lines of op,key[,value]
    #[arg(long, value_name = "FILE.csv", conflicts_with_all = ["mix", "keys", "ops"])]
    trace: Option<PathBuf>,
    /// Memory for frames and batches of a paged table, part of which is in frames: 64M, 1G [default: 64M]
    ///
    /// A fourth is for batches. If it is too small for a frame, nothing is copied, and all work is done in
    /// place.
    #[arg(long, value_name = "BYTES", value_parser = crate::bytes::bytes)]
    budget: Option<u64>,
    /// Ranks of a table in shards: threads with a shard each [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    ranks: Option<u32>,
    /// At the end save the paged table to a file, open the file and compare
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Begin with the paged table in a file; the operations of the trace run on it
    #[arg(long, value_name = "FILE", requires = "trace")]
    open: Option<PathBuf>,
    /// Show for how many operations on a paged table a child table was copied, and why
    #[arg(long)]
    explain: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Skip the scenarios
    #[arg(long)]
    no_check: bool,
    /// Write a plot of the phases' operations per second to this file, as SVG
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  warpproof run slab
  warpproof run slab --backend cpu --mix 40,40,20 --keys 1000000 --ops 20000000 --load 0.7
  warpproof run slab --trace operations.csv --json
  warpproof run hopscotch --load 0.95 --mix 40,40,20
  warpproof run open --load 0.95
  warpproof run paged --trace first.csv --save pairs.table
  warpproof run paged --open pairs.table --trace second.csv --save pairs.table
  warpproof run paged --budget 1M --explain
  warpproof run sharded --ranks 3
  warpproof run slab --plot phases.svg

A trace is CSV, `op,key[,value]`, with the operations insert, insert_unique, assign (with a value), delete and
search (without). Keys and values are integers of 32 bits. It runs in the order of the file; consecutive
operations on different keys run concurrently. Every answer is verified. Hopscotch and open-addressing tables keep
one pair of each key: they have insert_unique and assign, but no insert.

A file of a paged table holds its entries. An opened table is at least as large as the saved one. An older file of
the same name is replaced when the new one is complete.

Exit codes: 0 verified, 1 a violation or a wrong answer, 2 bad usage or a bad line.";

/// The object of `--json`.
#[derive(Serialize)]
struct Object<'a> {
    structure: &'static str,
    backend: &'static str,
    device: String,
    ops: u64,
    seconds: f64,
    mops: f64,
    verified: bool,
    phases: &'a [Phase],
    /// Of a paged table.
    paging: Option<paging::Object>,
    check: Option<Summary>,
}

/// The parameters of a table, besides its entries.
#[derive(Clone, Copy)]
pub(crate) struct Made<'a> {
    /// Entries per slot.
    pub(crate) load: f64,
    /// The seed that decides the places of keys.
    pub(crate) seed: u64,
    /// Bytes for frames and batches.
    pub(crate) budget: Option<u64>,
    /// The ranks of a table in shards.
    pub(crate) ranks: Option<u32>,
    /// The file that it is opened from.
    pub(crate) open: Option<&'a Path>,
    /// The file that it is saved to at the end.
    pub(crate) save: Option<&'a Path>,
}

fn load(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(load) if load.is_finite() && load > 0.0 => Ok(load),
        _ => Err("expected a number above 0".into()),
    }
}

/// Runs.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let structure = args.structure;
    // Bad input is an error before anything runs.
    let load = structure.loads.admit(args.load)?;
    let of_paged =
        [("budget", args.budget.is_some()), ("save", args.save.is_some()), ("open", args.open.is_some())];
    if let Some((option, _)) = of_paged.iter().find(|(_, given)| *given && structure.name != PAGED.name) {
        return Err(Failure::input(format_args!("--{option}: {} tables are not paged", structure.name)));
    }
    structure.admit_ranks(args.ranks)?;
    [&args.save, &args.plot].into_iter().flatten().try_for_each(|path| Target::admit(path))?;
    if args.explain && structure.name != PAGED.name {
        return Err(Failure::input(format_args!("--explain: {} tables are not paged", structure.name)));
    }
    let trace = args.trace.as_deref().map(|path| read(structure, path)).transpose()?;
    if trace.is_none() && args.keys as u64 + args.ops as u64 >= u32::MAX as u64 {
        return Err(Failure::input(
            "--keys and --ops together must be below 2^32 - 1, as each gets a value of its own",
        ));
    }
    let on = Opened::open(args.backend)?;
    on.admit_budget(args.budget)?;
    let check = if args.no_check { None } else { Some(check::quick(structure, QUICK)?) };
    if let (Some(check), false) = (&check, args.json) {
        output::line(format_args!("check    {}", check.text()))?;
    }
    let (open, save) = (args.open.as_deref(), args.save.as_deref());
    let made = Made { load, seed: args.seed, budget: args.budget, ranks: args.ranks, open, save };
    let (phases, paging) = match &trace {
        Some(trace) => replay::run(structure, &on, trace, made)?,
        None => {
            let work = Workload::new(args.mix, args.keys, args.ops as usize, args.seed);
            mixed::run(structure, &on, &work, made)?
        }
    };
    report(args, &on, (&phases, paging), check)
}

/// Reads a trace. An error names file, line and field.
fn read(structure: &Structure, path: &Path) -> Result<Trace, Failure> {
    let name = path.display();
    let bytes = std::fs::read(path).map_err(|e| Failure::input(format_args!("{name}: {e}")))?;
    let trace = Trace::parse(&bytes);
    let trace = trace.map_err(|malformed| Failure::input(format_args!("{name}:{malformed}")))?;
    replay::admit(structure, &trace).map_err(|refused| Failure::input(format_args!("{name}: {refused}")))?;
    Ok(trace)
}

fn report(
    args: &Args,
    on: &Opened,
    (phases, paging): (&[Phase], Option<Paging>),
    check: Option<Summary>,
) -> Result<(), Failure> {
    if let Some(path) = &args.plot {
        let svg = plot(args.structure, on, phases).svg();
        write_whole(path, &svg.map_err(|why| Failure::input(format_args!("{}: {why}", path.display())))?)?;
    }
    let wrong: Vec<_> = phases.iter().filter_map(Phase::wrong).collect();
    if args.json {
        let main = phases.iter().find(|phase| phase.main);
        let (ops, seconds) = main.map_or((0, 0.0), |phase| (phase.ops, phase.seconds));
        output::json(&Object {
            structure: args.structure.name,
            backend: on.name(),
            device: on.device(),
            ops,
            seconds,
            mops: mops(ops, seconds),
            verified: wrong.is_empty(),
            phases,
            paging: paging.map(|paging| paging.object(args.explain)),
            check,
        })?;
    } else {
        output::line(format_args!("backend  {}: {}", on.name(), on.device()))?;
        for phase in phases {
            let verdict = if phase.verified { "verified" } else { "WRONG" };
            let full = match phase.full {
                0 => String::new(),
                full => format!(", {} inserts said Full", grouped(full)),
            };
            output::line(format_args!(
                "{:16} {:>14} operations {:>9.4} s {:>10.2} Mop/s  {verdict}{full}",
                phase.name,
                grouped(phase.ops),
                phase.seconds,
                phase.mops
            ))?;
        }
        if let Some(paging) = paging {
            paging.lines(args.explain).iter().try_for_each(output::line)?;
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(Failure::Violation(wrong.join("\n"))) }
}

/// The speed of each phase.
fn plot(structure: &Structure, on: &Opened, phases: &[Phase]) -> Bars {
    let bar = |phase: &Phase| {
        let wrong = if phase.verified { "" } else { ", WRONG" };
        let note = format!("{:.1} Mop/s, {:.3} s{wrong}", phase.mops, phase.seconds);
        Bar { name: phase.name.to_owned(), value: phase.mops, note }
    };
    let title = format!("{}, {}: {}", structure.name, on.name(), on.device());
    Bars { title, y: "Mop/s", bars: phases.iter().map(bar).collect() }
}
