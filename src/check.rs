//! `warpproof check`: explores scenarios of a structure.

use crate::both::Comparison;
use crate::depth::{self, Row};
use crate::failure::Failure;
use crate::output::{self, Progress, grouped};
use crate::registry::Structure;
use crate::target::write_whole;
use crate::{page, select, worker};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use warpproof::simt::check::{Report, Scenario, Verdict, Violation};
use warpproof::simt::engine::{Engine, Limits, Mode, Options, Workers, minimise, run_set};
use warpproof::simt::engines::{engine, engines};
use warpproof::simt::scenarios::coverage::coverage;
use warpproof::simt::scenarios::{self, Checked};

/// Explore interleavings of small programs on a structure: all of them, or a sample
///
/// A scenario is a structure of a few slots, some calls that run first, and one program per warp. The engine
/// runs it in every way that its memory model allows, and checks each execution: some order of the calls
/// explains the answers, the invariants hold in every state, every warp finishes, and every index is in its
/// array. On two cores the default set takes less than a second for the slab hash and for retrieving all
/// entries, some seconds for open addressing, forty seconds for the hopscotch table.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// What to check
    #[arg(value_parser = select::structures())]
    structure: &'static Checked,
    /// The engine
    #[arg(long, value_name = "ENGINE", default_value = DEFAULT_ENGINE, value_parser = known_engine)]
    engine: &'static dyn Engine,
    /// Let a second engine, loom, explore the same scenarios, and compare the outcomes of both: five seconds
    /// for each scenario, unless --limit says otherwise
    #[arg(long, conflicts_with_all = ["html", "no_minimise", "schedules", "seed", "fail_fast"])]
    both: bool,
    #[command(flatten)]
    which: select::Which,
    /// Try random executions instead of all (engine explore): for scenarios that have too many
    #[arg(long, conflicts_with = "both")]
    random: bool,
    /// Only executions in which warps that could go on are interrupted at most K times (engine explore)
    #[arg(long, value_name = "K", conflicts_with_all = ["both", "random"])]
    preemptions: Option<u32>,
    /// How many schedules of each scenario an engine tries, if it samples
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    schedules: Option<u64>,
    /// The seed of an engine that samples: the same seed and number of schedules give the same schedules
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
    /// Explore nothing: print the coverage of the scenarios, for each operation of each table
    #[arg(long, conflicts_with_all = ["both", "html", "json", "depth"])]
    list: bool,
    /// Stop at the first violation: other scenarios under way are not explored to their end
    #[arg(long)]
    fail_fast: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Also write the results as a page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Keep counterexamples as they are found. Otherwise warps and calls that a violation does not need are
    /// left out, and the shortest trace is searched, for ten seconds at most
    #[arg(long)]
    no_minimise: bool,
    /// Where counterexamples are saved, for `warpproof replay`
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    save: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  warpproof check slab
  warpproof check slab --scenario map32/insert_unique
  warpproof check slab --deep --json > report.json
  warpproof check slab --depth 3 --table lock64
  warpproof check slab --both
  warpproof check cuckoo --engine stateful --depth 4 --warps 2
  warpproof check retrieve
  warpproof check open --list
  warpproof check slab --depth 6 --random --schedules 20 --seed 7
  warpproof check slab --engine shuttle --schedules 2000 --seed 7

The engine `stateful` visits each state once. It is for larger programs, where `explore` has too many executions.
Its memory is sequentially consistent: it finds no missing acquire, release or sync.

The engine `shuttle` samples: it tries random schedules of scenarios that are too large to explore (up to eight
warps of 32 lanes). Its answer is `no violation in N schedules`, which proves nothing. The same holds for --random
and --preemptions.

Exit codes: 0 no violation, and every scenario was explored to its end or sampled as often as asked for;
1 a violation was found, or a scenario was not explored to its end; 2 bad usage.";

/// The default engine.
pub(crate) const DEFAULT_ENGINE: &str = "explore";
/// Seconds of each engine for one scenario with `--both`, unless told otherwise. Loom takes hours for some.
const BOTH: u64 = 5;
/// The second engine of `--both`.
const SECOND_ENGINE: &str = "loom";

pub(crate) fn known_engine(name: &str) -> Result<&'static dyn Engine, String> {
    engine(name).ok_or_else(|| {
        let names: Vec<_> = engines().iter().map(|engine| engine.name()).collect();
        format!("the engines are {}", names.join(", "))
    })
}

/// The object of `--json`.
#[derive(Serialize)]
pub(crate) struct Summary {
    structure: &'static str,
    engine: &'static str,
    /// The memory model that the engine assumes.
    model: &'static str,
    scenarios: usize,
    /// What the engine counts as `executions`.
    counts: &'static str,
    executions: u64,
    /// Scenarios whose schedules were sampled without a violation: neither proved nor refuted.
    sampled: usize,
    capped: usize,
    blind: usize,
    /// Rounds of the longest call, among calls that have a bound.
    #[serde(skip_serializing_if = "no_call")]
    longest: u32,
    violations: usize,
    seconds: f64,
    counterexamples: Vec<PathBuf>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    depths: Vec<Row>,
    results: Vec<Line>,
}

/// One scenario of the object.
#[derive(Serialize)]
struct Line {
    scenario: String,
    executions: u64,
    seconds: f64,
    verdict: String,
}

/// Explores.
pub(crate) fn check(args: &Args) -> Result<(), Failure> {
    let batches = select::batches(args.structure, args.engine.samples(), &args.which)?;
    if args.list {
        return output::line(list(&batches));
    }
    let started = Instant::now();
    let shown = |report: &Report| {
        if !args.json {
            // If the output is closed, the exit code still gives the verdict.
            drop(output::line(text(report)));
        }
    };
    let options = options(args)?;
    if args.both {
        return both(args, &batches, &options);
    }
    let (mut reports, mut depths) = (Vec::new(), Vec::new());
    for batch in &batches {
        let begun = Instant::now();
        let done = explore(args.engine, &batch.scenarios, &options, &shown)?;
        depths.extend(batch.depth.map(|depth| Row::of(depth, &done, begun.elapsed())));
        reports.extend(done);
        if args.fail_fast && violations(&reports).next().is_some() {
            break;
        }
    }
    let mut summary =
        Summary { depths, ..Summary::of(args.structure.name, args.engine, &reports, started.elapsed()) };
    if !args.no_minimise {
        minimise_all(args.engine, &mut reports, &options);
    }
    for violation in violations(&reports) {
        summary.counterexamples.push(save(args, violation)?);
    }
    if let Some(path) = &args.html {
        write_whole(path, &summary.on(&reports).page())?;
    }
    if args.json {
        output::json(&summary)?;
    } else {
        show(&reports, &summary.counterexamples)?;
        if !summary.depths.is_empty() {
            output::line(depth::table(&summary.depths, summary.counts))?;
        }
        output::line(summary.text())?;
    }
    summary.outcome()
}

/// The coverage of scenarios: each counts once for each operation that it calls.
fn list(batches: &[select::Batch]) -> String {
    let scenarios: Vec<Scenario> = batches.iter().flat_map(|batch| batch.scenarios.iter().cloned()).collect();
    let mut text = format!("{:<36}{:>10}{:>9}  lanes x words\n", "operation", "scenarios", "stalled");
    let mut table = String::new();
    for of_op in &coverage(&scenarios) {
        if of_op.table != table {
            table.clone_from(&of_op.table);
            text += &format!("{table}\n");
        }
        let widths =
            of_op.widths.iter().map(|((lanes, words), n)| format!("{lanes}x{words}: {}", grouped(*n as u64)));
        let widths = widths.collect::<Vec<_>>().join(", ");
        let all = |has: &BTreeSet<String>| has.iter().cloned().collect::<Vec<_>>().join(", ");
        text += &format!("  {:<34}{:>10}{:>9}  {widths}\n", of_op.op, of_op.scenarios(), of_op.stalled);
        if let Some(progress) = of_op.progress {
            text += &format!("    promises      {progress}\n");
        }
        for (what, others) in [("beside", &of_op.beside), ("in a row with", &of_op.in_row)] {
            if !others.is_empty() {
                text += &format!("    {what:<14}{}\n", all(others));
            }
        }
    }
    text + &format!("{} scenarios", grouped(scenarios.len() as u64))
}

fn options(args: &Args) -> Result<Options, Failure> {
    let max_time = args.which.limit.or(args.both.then_some(BOTH)).map(Duration::from_secs);
    let options = Options { fail_fast: args.fail_fast, max_time, ..Options::default() };
    let name = args.engine.name();
    if (args.random || args.preemptions.is_some()) && name != DEFAULT_ENGINE {
        return Err(Failure::input(format_args!(
            "--random and --preemptions are for the engine {DEFAULT_ENGINE}, not for {name}"
        )));
    }
    let samples = args.random || args.engine.samples();
    if !samples && (args.schedules.is_some() || args.seed.is_some()) {
        return Err(Failure::input(format_args!(
            "--schedules and --seed are for random schedules: with the engine {name} they need --random"
        )));
    }
    let (schedules, seed) = (args.schedules.unwrap_or(options.schedules), args.seed.unwrap_or(options.seed));
    let mode = match args.preemptions {
        Some(most) => Mode::Preemptions(most),
        None if args.random => Mode::Random,
        None => Mode::All,
    };
    Ok(Options { mode, schedules, seed, ..options })
}

/// Explores with two engines.
fn both(args: &Args, batches: &[select::Batch], options: &Options) -> Result<(), Failure> {
    let second = if args.engine.name() == SECOND_ENGINE { DEFAULT_ENGINE } else { SECOND_ENGINE };
    let engines = [args.engine, known_engine(second).map_err(Failure::Input)?];
    let scenarios: Vec<_> = batches.iter().flat_map(|batch| batch.scenarios.iter().cloned()).collect();
    let reports = |engine| explore(engine, &scenarios, options, &|_: &Report| {});
    let (first, second) = (reports(engines[0])?, reports(engines[1])?);
    Comparison::of(engines, [&first, &second]).show(args.json)
}

/// Makes the violations small, within [`Limits::default`] in all. Violations for which no time is left stay
/// as they are.
fn minimise_all(engine: &dyn Engine, reports: &mut [Report], options: &Options) {
    let (started, limits) = (Instant::now(), Limits::default());
    let found = reports.iter().filter(|report| report.violation.is_some()).count();
    let mut progress = Progress::new("reducing", found as u64);
    let violations = reports.iter_mut().filter_map(|report| report.violation.as_mut());
    for (violation, done) in violations.zip(1..) {
        let time = limits.time.saturating_sub(started.elapsed());
        if time.is_zero() {
            return;
        }
        let limits = Limits { time, ..limits };
        **violation =
            minimise(violation, options, &limits, &|scenario, options| engine.explore(scenario, options));
        progress.at(done);
    }
}

/// Prints the smallest counterexample, and where the others are.
fn show(reports: &[Report], saved: &[PathBuf]) -> Result<(), Failure> {
    let mut all: Vec<_> = violations(reports).zip(saved).collect();
    all.sort_by_key(|(violation, _)| violation.size());
    for (number, (violation, path)) in all.into_iter().enumerate() {
        let text = if number == 0 { violation.timeline() } else { violation.headline() };
        output::line(format_args!("\n{text}\nsaved: warpproof replay {}", path.display()))?;
    }
    Ok(())
}

/// Explores with a process per core and a progress bar. Shows the reports in the order of the scenarios.
fn explore(
    engine: &dyn Engine,
    scenarios: &[Scenario],
    options: &Options,
    shown: &(impl Fn(&Report) + Sync),
) -> Result<Vec<Report>, Failure> {
    let progress = Mutex::new((Progress::new("exploring", scenarios.len() as u64), 0));
    let done = |report: &Report| {
        let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.1 += 1;
        let done = progress.1;
        progress.0.above(|| shown(report));
        progress.0.at(done);
    };
    let workers = Workers::processes(&[worker::NAME]).map_err(Failure::input)?;
    run_set(engine, scenarios, options, &workers, done).map_err(Failure::input)
}

/// The quick scenarios of a structure, for at most `limit`.
pub(crate) fn quick(structure: &Structure, limit: Duration) -> Result<Summary, Failure> {
    let started = Instant::now();
    let name = structure.name;
    let checked =
        scenarios::structure(name).ok_or_else(|| Failure::input(format_args!("{name} has no scenarios")))?;
    let scenarios = (checked.quick)();
    let options = Options { deadline: Some(started + limit), ..Options::default() };
    let engine = known_engine(DEFAULT_ENGINE).map_err(Failure::Input)?;
    let reports = explore(engine, &scenarios, &options, &|_: &Report| {})?;
    let summary = Summary::of(name, engine, &reports, started.elapsed());
    match violations(&reports).next() {
        Some(violation) => Err(Failure::Violation(format!(
            "{}\nthe quick check found this violation, so nothing was run; see `warpproof check {}`",
            violation.timeline(),
            name
        ))),
        None => Ok(summary),
    }
}

fn violations(reports: &[Report]) -> impl Iterator<Item = &Violation> {
    reports.iter().filter_map(|report| report.violation.as_deref())
}

fn save(args: &Args, violation: &Violation) -> Result<PathBuf, Failure> {
    let name: String =
        violation.scenario.name.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let path = args.save.join(format!("counterexample-{name}.json"));
    let text = violation.to_json().map_err(|e| Failure::write(path.display(), &e))?;
    write_whole(&path, &text)?;
    Ok(path)
}

fn text(report: &Report) -> String {
    let executions = grouped(report.executions);
    let unseen = match report.unseen.iter().next() {
        Some(first) => format!("  ({} outcomes not seen, one is {first})", report.unseen.len()),
        None => String::new(),
    };
    let verdict = match report.verdict {
        Verdict::Sampled => format!("no violation in {executions} schedules"),
        verdict => verdict.to_string(),
    };
    format!("{:56} {executions:>12} {:>8.2} s  {verdict}{unseen}", report.scenario, report.seconds)
}

/// Whether no call had a bound, or no call began a round.
const fn no_call(longest: &u32) -> bool {
    *longest == 0
}

impl Summary {
    fn of(structure: &'static str, engine: &dyn Engine, reports: &[Report], took: Duration) -> Self {
        let with = |verdict| reports.iter().filter(|r| r.verdict == verdict).count();
        let line = |r: &Report| Line {
            scenario: r.scenario.clone(),
            executions: r.executions,
            seconds: r.seconds,
            verdict: r.verdict.to_string().to_lowercase(),
        };
        Self {
            structure,
            engine: engine.name(),
            model: engine.model(),
            scenarios: reports.len(),
            counts: engine.counts(),
            executions: reports.iter().map(|r| r.executions).sum(),
            sampled: with(Verdict::Sampled),
            capped: with(Verdict::Capped),
            blind: with(Verdict::Blind),
            longest: reports.iter().map(|r| r.longest).max().unwrap_or(0),
            violations: with(Verdict::Violated),
            seconds: took.as_secs_f64(),
            counterexamples: Vec::new(),
            depths: Vec::new(),
            results: reports.iter().map(line).collect(),
        }
    }

    /// What a page shows.
    fn on<'a>(&'a self, reports: &'a [Report]) -> page::Checked<'a> {
        let Self { structure, engine, model, counts, seconds, .. } = self;
        page::Checked { structure, engine, model, counts, seconds: *seconds, reports }
    }

    /// The total, in one line.
    pub(crate) fn text(&self) -> String {
        let Self { scenarios, sampled, capped, blind, violations, seconds, .. } = self;
        let per_second = grouped((self.executions as f64 / seconds.max(1e-9)) as u64);
        let mut text = format!(
            "{scenarios} scenarios, {} {} in {seconds:.1} s ({per_second}/s): {violations} violations",
            grouped(self.executions),
            self.counts
        );
        if self.longest > 0 {
            text += &format!(", the longest call took {} rounds", self.longest);
        }
        if *sampled > 0 {
            text += &format!(", {sampled} sampled: nothing is proved");
        }
        if *capped > 0 {
            text += &format!(", {capped} CAPPED: not explored to their end");
        }
        if *blind > 0 {
            text += &format!(", {blind} BLIND: an outcome that exists was not seen");
        }
        text
    }

    fn outcome(&self) -> Result<(), Failure> {
        if self.violations > 0 {
            return Err(Failure::Violation(format!("violations in {} scenarios", self.violations)));
        }
        match self.capped + self.blind {
            0 => Ok(()),
            open => Err(Failure::Violation(format!("{open} scenarios were not explored to their end"))),
        }
    }
}
