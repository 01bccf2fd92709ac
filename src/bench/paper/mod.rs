//! `warpproof bench hopscotch --paper`: the experiments of the paper. Every operation is run, and every
//! answer checked.
//!
//! Static: build, searches of present and of absent keys, at a load of 0.8, against linear probing, quadratic
//! probing and cuckoo hashing on the same GPU. Dynamic: mixes on ranges of keys, against hopscotch with locks
//! and chaining.
//!
//! `warpproof bench waitfree --paper`: the wait-free table against a list with a lock for each bucket and the
//! same nodes. Sets: u64 keys, by the steps of `bench waitfree --entry set64`, beside open addressing.
//! Dynamic: the mixes, on maps of u32 pairs.
//!
//! `warpproof bench paged --paper`: the paged table beside the published Starfish, only on a GPU.

mod chained;
mod contender;
#[cfg(feature = "gpu")]
mod device;
mod dynamic;
mod lock_list;
mod locked;
#[cfg(feature = "gpu")]
mod paged;
mod point;
#[cfg(feature = "gpu")]
mod sets;
#[cfg(feature = "gpu")]
mod static_;

use crate::backend::Opened;
use crate::failure::Failure;
use crate::output;
use crate::plot::{Axis, Chart};
use crate::registry::{HOPSCOTCH, PAGED, Structure, WAITFREE};
use crate::target::write_whole;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// How much is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scale {
    /// Few operations on small tables.
    Quick,
    /// As published, and larger.
    Whole,
}

/// The structures that have experiments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Subject {
    Hopscotch,
    WaitFree,
    Paged,
}

/// The structures that have mixes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mixed {
    Hopscotch,
    WaitFree,
}

impl Subject {
    /// The structure of its mixes, if it has any.
    fn mixed(self) -> Option<Mixed> {
        match self {
            Self::Hopscotch => Some(Mixed::Hopscotch),
            Self::WaitFree => Some(Mixed::WaitFree),
            Self::Paged => None,
        }
    }

    /// The experiments of a structure.
    ///
    /// # Errors
    /// If it has none.
    pub(crate) fn of(structure: &Structure) -> Result<Self, Failure> {
        let of = |subject: &Self| subject.structure() == structure.name;
        [Self::Hopscotch, Self::WaitFree, Self::Paged].into_iter().find(of).ok_or_else(|| {
            Failure::input(format_args!(
                "--paper: there are experiments for {}, {} and {} only, not for {}",
                HOPSCOTCH.name, WAITFREE.name, PAGED.name, structure.name
            ))
        })
    }

    /// The structure's name.
    fn structure(self) -> &'static str {
        match self {
            Self::Hopscotch => HOPSCOTCH.name,
            Self::WaitFree => WAITFREE.name,
            Self::Paged => PAGED.name,
        }
    }

    /// The measurements that only run on a GPU.
    fn on_gpu_alone(self) -> &'static str {
        match self {
            Self::Hopscotch => "static tables against probing and cuckoo",
            Self::WaitFree => "sets against a lock-based list",
            Self::Paged => "tables larger than device memory",
        }
    }
}

/// One measurement.
#[derive(Serialize)]
struct Row {
    experiment: &'static str,
    table: &'static str,
    workload: &'static str,
    /// The range of keys of a mix, the slots of a static table, the keys of a set, or the pairs of a paged
    /// table.
    size: u64,
    ops: u64,
    /// The median of the rounds.
    seconds: f64,
    mops: f64,
    rounds: usize,
    /// Inserts that found no room.
    full: u64,
    verified: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Row {
    fn new(
        experiment: &'static str,
        table: &'static str,
        workload: &'static str,
        size: u64,
        ops: u64,
        mut times: Vec<f64>,
    ) -> Self {
        times.sort_by(f64::total_cmp);
        let (seconds, rounds) = (times.get(times.len() / 2).copied().unwrap_or(0.0), times.len());
        let mops = output::mops(ops, seconds);
        let (full, verified, error) = (0, true, None);
        Self { experiment, table, workload, size, ops, seconds, mops, rounds, full, verified, error }
    }

    /// The row with the number of inserts that found no room, and its error.
    fn with(self, full: u64, error: Option<String>) -> Self {
        Self { full, verified: error.is_none(), error, ..self }
    }

    /// The error of the row.
    fn wrong(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// The table and the plot that show it.
    fn group(&self) -> (&'static str, &'static str, u64) {
        // The tables of the CPU run fewer operations than those of the GPU.
        let ops = if self.ops >= point::MOST_ON_CPU as u64 { u64::MAX } else { self.ops };
        (self.experiment, self.workload, if self.experiment == "dynamic" { ops } else { 0 })
    }
}

#[derive(Serialize)]
struct Object<'a> {
    structure: &'static str,
    experiments: &'static str,
    backend: &'static str,
    device: String,
    cpu: String,
    /// The most operations of a table on the CPU.
    cpu_operations: usize,
    /// Why measurements that need a GPU were not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<&'static str>,
    verified: bool,
    rows: &'a [Row],
    plots: &'a [PathBuf],
}

/// Runs the experiments, prints each table when it is measured, and writes the plots into a folder. Makes the
/// folder if it does not exist.
pub(crate) fn paper(
    subject: Subject,
    on: &Opened,
    folder: &Path,
    scale: Scale,
    json: bool,
) -> Result<(), Failure> {
    if subject.mixed().is_none() && on.name() == "cpu" {
        let what = subject.on_gpu_alone();
        return Err(Failure::input(format_args!("--paper: {what} are measured only on a GPU")));
    }
    std::fs::create_dir_all(folder).map_err(|error| Failure::write(folder.display(), &error))?;
    let (name, device) = (on.name(), on.device());
    let cpu = format!("{} threads", rayon::current_num_threads());
    let cpu_operations = point::MOST_ON_CPU;
    if !json {
        let most = output::grouped(cpu_operations as u64);
        output::line(format_args!("{name}: {device}; CPU: {cpu}, at most {most} operations"))?;
    }
    let mut report = Report { folder, json, rows: Vec::new(), plots: Vec::new() };
    let skipped = static_tables(subject, on, scale, &mut report)?;
    if let (Some(why), false) = (skipped, json) {
        output::line(format_args!("\n{}: skipped: {why}", subject.on_gpu_alone()))?;
    }
    if let Some(mixed) = subject.mixed() {
        dynamic::run(mixed, on, scale, &mut report)?;
    }

    let Report { rows, plots, .. } = &report;
    let verified = rows.iter().all(|row| row.verified);
    if json {
        let (structure, experiments, backend) = (subject.structure(), "paper", name);
        output::json(&Object {
            structure,
            experiments,
            backend,
            device,
            cpu,
            cpu_operations,
            skipped,
            verified,
            rows,
            plots,
        })?;
    }
    if verified {
        Ok(())
    } else {
        Err(Failure::Violation("an answer is wrong; see the lines marked WRONG".into()))
    }
}

/// The measurements.
struct Report<'a> {
    folder: &'a Path,
    json: bool,
    rows: Vec<Row>,
    plots: Vec<PathBuf>,
}

impl Report<'_> {
    /// Shows whole tables, and plots them.
    fn add(&mut self, rows: Vec<Row>) -> Result<(), Failure> {
        for group in groups(&rows) {
            let path = self.folder.join(file_name(&group));
            let svg = chart(&group).svg().map_err(Failure::input)?;
            write_whole(&path, &svg)?;
            if !self.json {
                show(&group)?;
                output::line(format_args!("wrote {}", path.display()))?;
            }
            self.plots.push(path);
        }
        self.rows.extend(rows);
        Ok(())
    }
}

/// The static experiment or that of sets, or the reason why there is none.
#[cfg(feature = "gpu")]
fn static_tables(
    subject: Subject,
    on: &Opened,
    scale: Scale,
    report: &mut Report<'_>,
) -> Result<Option<&'static str>, Failure> {
    let Some(device) = on.kernels() else { return Ok(Some("no CUDA device")) };
    report.add(match subject {
        Subject::Hopscotch => static_::run(device, scale)?,
        Subject::WaitFree => sets::run(device, scale)?,
        Subject::Paged => paged::run(device, scale)?,
    })?;
    Ok(None)
}

#[cfg(not(feature = "gpu"))]
fn static_tables(
    _: Subject,
    _: &Opened,
    _: Scale,
    _: &mut Report<'_>,
) -> Result<Option<&'static str>, Failure> {
    Ok(Some("no CUDA device"))
}

/// The rows in groups, in the order in which they were measured.
fn groups(rows: &[Row]) -> Vec<Vec<&Row>> {
    let mut groups: Vec<Vec<&Row>> = Vec::new();
    for row in rows {
        match groups.iter_mut().find(|group| group[0].group() == row.group()) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    groups
}

/// The distinct elements, in the order of their first occurrence.
fn once<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut once = Vec::new();
    all.for_each(|element| {
        if !once.contains(&element) {
            once.push(element);
        }
    });
    once
}

/// The most operations of a group, and those of the CPU if it ran fewer.
fn title(group: &[&Row]) -> String {
    let most = group.iter().map(|row| row.ops).max().unwrap_or(0);
    let least = group.iter().map(|row| row.ops).min().unwrap_or(0);
    let workload = group[0].workload;
    match group[0].experiment {
        "dynamic" if least < most => {
            let (most, least) = (output::grouped(most), output::grouped(least));
            format!("{workload}, {most} operations on the GPU, {least} on the CPU")
        }
        "dynamic" => format!("{workload}, {} operations", output::grouped(most)),
        "sets" => format!("{workload}, sets of u64 keys"),
        "paged" => format!("{workload}, maps of u32 pairs, load {}", point::LOAD),
        _ => format!("{workload}, load {}", point::LOAD),
    }
}

/// The meaning of the sizes of a group.
fn sizes_are(group: &[&Row]) -> &'static str {
    match group[0].experiment {
        "dynamic" => "range of keys",
        "sets" => "keys",
        "paged" => "pairs",
        _ => "slots",
    }
}

/// Prints a group as a table: a line per contender, a column per size.
fn show(group: &[&Row]) -> Result<(), Failure> {
    let sizes = once(group.iter().map(|row| row.size));
    let what = sizes_are(group);
    output::line(format_args!("\n{}; millions of operations per second\n", title(group)))?;
    let columns: String = sizes.iter().map(|&size| format!("{:>13}", output::grouped(size))).collect();
    output::line(format_args!("  {what:36}{columns}"))?;
    for table in once(group.iter().map(|row| row.table)) {
        let mut line = format!("  {table:36}");
        let (mut full, mut wrong) = (0, Vec::new());
        for &size in &sizes {
            match group.iter().find(|row| row.table == table && row.size == size) {
                Some(row) => {
                    line += &format!("{:>13.2}", row.mops);
                    full += row.full;
                    wrong.extend(row.wrong());
                }
                None => line += &format!("{:>13}", "-"),
            }
        }
        let verdict = if wrong.is_empty() { "verified" } else { "WRONG" };
        let full =
            if full > 0 { format!(", {} found no room", output::grouped(full)) } else { String::new() };
        output::line(format_args!("{line}  {verdict}{full}"))?;
        wrong.iter().try_for_each(|error| output::line(format_args!("    {error}")))?;
    }
    Ok(())
}

fn file_name(group: &[&Row]) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let workload: String = group[0].workload.chars().map(plain).collect();
    match group[0].experiment {
        "dynamic" => {
            let most = group.iter().map(|row| row.ops).max().unwrap_or(0);
            format!("dynamic-{workload}-{most}.svg")
        }
        other => format!("{other}-{workload}.svg"),
    }
}

/// A line per contender.
fn chart(group: &[&Row]) -> Chart {
    let what = sizes_are(group);
    let points = |table| {
        let of_it = group.iter().filter(move |row| row.table == table && row.mops > 0.0);
        of_it.map(|row| (row.size as f64, row.mops)).collect()
    };
    Chart {
        title: title(group),
        x: if what == "slots" { Axis::Binary(what) } else { Axis::Decimal(what) },
        y: "Mop/s",
        lines: once(group.iter().map(|row| row.table))
            .into_iter()
            .map(|t| (t.to_owned(), points(t)))
            .collect(),
    }
}
