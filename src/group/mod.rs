//! `warpproof group`: what the rows of each key add up to.

mod state;

use crate::failure::Failure;
use crate::keyed::number::Number;
use crate::keyed::{As, Columns, Header, Index, Reader, Rows, Source, TableArgs};
use crate::output::Progress;
use crate::parquet::Kind;
use state::State;
use std::path::PathBuf;
use warpproof::files::Malformed;

/// Count, add and compare the rows of each key
///
/// Writes a row for each key, in the order of the keys' first rows: its cells in the columns of --by, and
/// then what was asked for, counts first, then sums, minima, maxima and means. Such a column is named
/// `count`, `sum_price` and so on; if the name is taken, it gets the first free of the suffixes `_group`,
/// `_group2` and so on. Time and memory grow linearly with the file.
///
/// Cells of the columns that are added or compared are numbers: integers, or decimal numbers such as -0.5 or
/// 1e6. An empty cell is no value, and is left out; where no value is left, the result is empty. Sums of
/// integers of 64 bits are exact. If one of a group's values is not such an integer, they are added as
/// floating-point numbers of 64 bits, in the order of the file. A minimum or maximum is written as it is in
/// the file.
///
/// The file is CSV, or has tabs between cells if its name ends in .tsv or .tab; it may be packed with gzip or
/// zstd. It is Parquet if its name ends in .parquet, as `join` explains; there a column of sums is one of
/// floating-point numbers unless all are integers of 64 bits. The file is kept in memory, unpacked.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(true))]
pub(crate) struct Args {
    /// The file
    file: PathBuf,
    /// The columns of the key, with commas between
    ///
    /// A name with a comma is quoted as in CSV.
    #[arg(long, value_name = "COLUMNS")]
    by: Columns,
    /// Count the rows
    #[arg(long, group = "what")]
    count: bool,
    /// Add the values of these columns
    #[arg(long, value_name = "COLUMNS", group = "what")]
    sum: Vec<Columns>,
    /// Find the lowest value of these columns
    #[arg(long, value_name = "COLUMNS", group = "what")]
    min: Vec<Columns>,
    /// Find the highest value of these columns
    #[arg(long, value_name = "COLUMNS", group = "what")]
    max: Vec<Columns>,
    /// Find the mean value of these columns
    #[arg(long, value_name = "COLUMNS", group = "what")]
    mean: Vec<Columns>,
    /// How cells of the key are compared
    #[arg(long = "as", value_name = "TYPE", value_enum, default_value_t)]
    compare: As,
    #[command(flatten)]
    table: TableArgs,
}

const EXAMPLES: &str = "\
Example:
  $ cat sales.csv
  country,shop,price
  de,1,2.50
  fr,2,4
  de,3,1.25
  $ warpproof group sales.csv --by country --count --sum price --max price
  country,count,sum_price,max_price
  de,2,3.75,2.50
  fr,1,4,4

A value that is no number, a row of another length than the header, a missing column: an error with file,
line (in Parquet, row) and column, exit code 2, and the output file is as it was.";

/// What is computed for each group.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Sum,
    Min,
    Max,
    Mean,
}

/// The columns that are computed.
struct Wanted {
    /// The columns of the file that have values, each once.
    values: Vec<usize>,
    /// What is computed of which of the values.
    results: Vec<(What, usize)>,
}

/// Groups.
pub(crate) fn group(args: &Args) -> Result<(), Failure> {
    let on = args.table.open()?;
    let mut source = Source::read(&args.file, &args.by.0, &args.compare.coder())?;
    let (wanted, header) = wanted(args, &source.rows).map_err(|error| source.malformed(&error))?;
    let index = Index::build(&on, &mut source.rows, &args.table)?;
    let rows = &source.rows;
    let groups = index.groups()?;
    let states = states(rows, &wanted.values, (groups.numbers(), groups.len()));
    let states = states.map_err(|error| source.malformed(&error))?;
    let kinds = || kinds(args, &source, &wanted, &states);
    let mut target = args.table.target(&args.file, &header, kinds)?;
    let mut progress = Progress::new("writing", groups.len() as u64);
    let (mut reader, mut other) = (Reader::NEW, Reader::NEW);
    let mut cells = Vec::new();
    for (number, (&first, size)) in groups.first_rows().iter().zip(groups.sizes()).enumerate() {
        cells.clear();
        let mut ends = Vec::with_capacity(wanted.results.len() + 1);
        if args.count {
            cells.extend_from_slice(size.to_string().as_bytes());
            ends.push(cells.len());
        }
        for &(what, value) in &wanted.results {
            let state = &states[number * wanted.values.len() + value];
            result(&mut cells, (state, what), (rows, wanted.values[value]), &mut other);
            ends.push(cells.len());
        }
        let first = rows.row(first as usize, &mut reader);
        let key = rows.columns().iter().map(|&column| first.cell(column));
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let results = starts.zip(&ends).map(|(from, &to)| &cells[from..to]);
        target.row(key.chain(results))?;
        progress.now_and_then(number as u64);
    }
    drop(progress);
    target.finish()?;
    index.report(&args.table);
    Ok(())
}

/// What is computed, and the header of the output.
fn wanted(args: &Args, rows: &Rows) -> Result<(Wanted, Header), Malformed> {
    let mut header = Header::new(Vec::new());
    rows.columns().iter().for_each(|&column| header.add(&rows.header()[column], "_group"));
    if args.count {
        header.add(b"count", "_group");
    }
    let mut wanted = Wanted { values: Vec::new(), results: Vec::new() };
    let all = [
        (What::Sum, "sum_", &args.sum),
        (What::Min, "min_", &args.min),
        (What::Max, "max_", &args.max),
        (What::Mean, "mean_", &args.mean),
    ];
    for (what, prefix, columns) in all {
        for name in columns.iter().flat_map(|columns| &columns.0) {
            let column = rows.column(name)?;
            let place = wanted.values.iter().position(|&other| other == column).unwrap_or_else(|| {
                wanted.values.push(column);
                wanted.values.len() - 1
            });
            wanted.results.push((what, place));
            header.add(format!("{prefix}{name}").as_bytes(), "_group");
        }
    }
    Ok((wanted, header))
}

/// What the cells of each column of the output are.
fn kinds(args: &Args, source: &Source, wanted: &Wanted, states: &[State]) -> Vec<Kind> {
    let ours = source.kinds();
    let mut kinds: Vec<Kind> = source.rows.columns().iter().map(|&column| ours[column]).collect();
    kinds.extend(args.count.then_some(Kind::Integer));
    kinds.extend(wanted.results.iter().map(|&(what, value)| match what {
        What::Sum if states.iter().skip(value).step_by(wanted.values.len()).all(State::is_integer) => {
            Kind::Integer
        }
        What::Sum | What::Mean => Kind::Float,
        What::Min | What::Max => ours[wanted.values[value]],
    }));
    kinds
}

/// The states of the values of each group: those of one group after each other.
fn states(
    rows: &Rows,
    values: &[usize],
    (numbers, groups): (&[u32], usize),
) -> Result<Vec<State>, Malformed> {
    let mut states = vec![State::default(); groups * values.len()];
    if values.is_empty() {
        return Ok(states);
    }
    let mut progress = Progress::new("adding", numbers.len() as u64);
    let mut reader = Reader::NEW;
    for (row, &number) in numbers.iter().enumerate() {
        let cells = rows.row(row, &mut reader);
        let states = &mut states[number as usize * values.len()..];
        for (&column, state) in values.iter().zip(states) {
            let cell = cells.cell(column);
            if cell.is_empty() {
                continue;
            }
            let value =
                Number::parse(cell).ok_or_else(|| rows.malformed(row, column, cell, "not a number"))?;
            state.add(value, row as u32);
        }
        progress.now_and_then(row as u64);
    }
    Ok(states)
}

/// Appends a result, as text.
fn result(
    out: &mut Vec<u8>,
    (state, what): (&State, What),
    (rows, column): (&Rows, usize),
    reader: &mut Reader,
) {
    match what {
        What::Sum => out.extend(state.sum().map(String::into_bytes).unwrap_or_default()),
        What::Mean => out.extend(state.mean().map(String::into_bytes).unwrap_or_default()),
        What::Min | What::Max => {
            let row = if what == What::Min { state.lowest() } else { state.highest() };
            if let Some(row) = row {
                out.extend_from_slice(rows.row(row as usize, reader).cell(column));
            }
        }
    }
}
