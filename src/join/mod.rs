//! `warpproof join`: inner join of two CSV files on an integer column.

mod index;

use crate::backend::{Choice, Opened};
use crate::failure::Failure;
use crate::output::{self, Progress};
use crate::target::Target;
use index::Index;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use warpproof::files::{RowReader, Table};

/// Left rows that are looked up in one bulk call.
const BATCH: usize = 1 << 18;

/// Join two CSV files on an integer column
///
/// Writes a row for every pair of a left and a right row with equal integers in the column: all columns of
/// the left file, then those of the right file without the column. Rows come in the order of the left file,
/// those for one left row in the order of the right file. Exact for all 64-bit integers; duplicates may be on
/// both sides; time and memory grow linearly with the files and the result.
///
/// Both files have a header. A column of the right file whose name is taken gets the first free of the
/// suffixes `_right`, `_right2`, `_right3` and so on. Fields with commas, quotes or line ends are quoted in
/// the output.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The file that gives the order of the rows
    left: PathBuf,
    /// The file that is kept in a table
    right: PathBuf,
    /// The column that both files have
    #[arg(long, value_name = "COLUMN")]
    on: String,
    /// Where the table lives
    #[arg(long, value_enum, default_value_t)]
    backend: Choice,
    /// Output file, written whole or not at all [default: stdout]
    #[arg(short, long, value_name = "OUT.csv")]
    output: Option<PathBuf>,
    /// What the table's hash depends on [default: chosen at random]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Keep the keys in a paged table, which may be larger than the memory of a GPU, with this budget: 64M,
    /// 1G
    ///
    /// The result is the same as without a budget. The table is in the memory of the host; parts of it are
    /// copied to frames in the memory of the device. A fourth of the budget is for batches. If it is too
    /// small for a frame, nothing is copied, and all work is done in place. What was copied is told on
    /// stderr. On a CPU frames are ordinary memory: there a table without a budget is faster.
    #[arg(long, value_name = "BYTES", value_parser = crate::bytes::bytes)]
    budget: Option<u64>,
    /// Tell for how many operations on a paged table a child table was copied, and why, on stderr
    #[arg(long, requires = "budget")]
    explain: bool,
}

const EXAMPLES: &str = "\
Example:
  $ cat orders.csv            $ cat customers.csv
  order,customer_id           customer_id,name
  100,7                       7,\"Doe, Jane\"
  101,8                       9,Roe
  102,7
  $ warpproof join orders.csv customers.csv --on customer_id
  order,customer_id,name
  100,7,\"Doe, Jane\"
  102,7,\"Doe, Jane\"
  $ warpproof join orders.csv customers.csv --on customer_id --budget 1G -o joined.csv

A cell that is no integer, a row of another length than the header, a missing column: an error with file,
line and column, exit code 2, and the output file is as it was.";

/// Joins.
pub(crate) fn join(args: &Args) -> Result<(), Failure> {
    // Finds an error now that would otherwise come at the end.
    args.output.as_deref().map(Target::admit).transpose()?;
    let on = Opened::open(args.backend)?;
    on.admit_budget(args.budget)?;
    let left = read(&args.left, &args.on)?;
    let right = read(&args.right, &args.on)?;
    write(args, &on, &left, right)
}

/// Reads a file and the integers of column `on`. An error names file, line and column.
fn read(path: &Path, on: &str) -> Result<Table, Failure> {
    let name = path.display();
    let bytes = std::fs::read(path).map_err(|e| Failure::input(format_args!("{name}: {e}")))?;
    let mut progress = Progress::new("reading", bytes.len() as u64);
    let table = Table::parse(bytes, on, |read| progress.at(read));
    table.map_err(|malformed| Failure::input(format_args!("{name}:{malformed}")))
}

fn write(args: &Args, on: &Opened, left: &Table, mut right: Table) -> Result<(), Failure> {
    let index = Index::build(on, &right.take_keys(), (args.seed, args.budget))?;
    let mut target = Target::open(args.output.as_deref(), b',')?;
    target.row(header(left, &right).iter().map(Vec::as_slice))?;
    let mut progress = Progress::new("writing", left.rows() as u64);
    let (mut ours, mut theirs) = (RowReader::new(), RowReader::new());
    for (batch, keys) in left.keys().chunks(BATCH).enumerate() {
        let matched = index.matching(keys)?;
        for i in 0..keys.len() {
            let rows = matched.of(i);
            if rows.is_empty() {
                continue;
            }
            let ours: Vec<&[u8]> = left.row(batch * BATCH + i, &mut ours).collect();
            for &row in rows {
                let theirs = right.row(row as usize, &mut theirs);
                target.row(ours.iter().copied().chain(without(right.column(), theirs)))?;
            }
        }
        progress.at((batch * BATCH + keys.len()) as u64);
        progress.say(|| Some(index.paging()?.copied()));
    }
    drop(progress);
    target.finish()?;
    if let Some(paging) = index.paging() {
        paging.lines(args.explain).iter().for_each(output::aside);
    }
    Ok(())
}

/// The names of the output's columns. A taken name gets the first free one of the suffixes `_right`,
/// `_right2`, `_right3` and so on. Time proportional to the header: a suffix that was taken for a name is not
/// tried again for it.
fn header(left: &Table, right: &Table) -> Vec<Vec<u8>> {
    let mut names = left.header().to_vec();
    let mut taken: HashSet<Vec<u8>> = names.iter().cloned().collect();
    let mut tried: HashMap<&[u8], u32> = HashMap::new();
    for name in without(right.column(), right.header().iter().map(Vec::as_slice)) {
        let mut unique = name.to_vec();
        while !taken.insert(unique.clone()) {
            let number = tried.entry(name).or_insert(0);
            *number += 1;
            unique = [name, b"_right"].concat();
            if *number > 1 {
                unique.extend_from_slice(number.to_string().as_bytes());
            }
        }
        names.push(unique);
    }
    names
}

/// All cells but one.
fn without<'a>(column: usize, cells: impl Iterator<Item = &'a [u8]>) -> impl Iterator<Item = &'a [u8]> {
    cells.enumerate().filter(move |&(i, _)| i != column).map(|(_, cell)| cell)
}
