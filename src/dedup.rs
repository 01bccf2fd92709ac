//! `warpproof dedup`: one row of each key.

use crate::failure::Failure;
use crate::keyed::{As, Columns, Header, Index, Reader, Source, TableArgs};
use crate::output::Progress;
use clap::ValueEnum;
use std::path::PathBuf;

/// Keep one row of each key
///
/// Writes the header of the file, and of all rows whose cells in the columns are equal the first or the last
/// one. Rows stay in the order of the file. Time and memory grow linearly with the file.
///
/// The file is CSV, or has tabs between cells if its name ends in .tsv or .tab; it may be packed with gzip or
/// zstd. It is Parquet if its name ends in .parquet, as `join` explains. It is kept in memory, unpacked.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The file
    file: PathBuf,
    /// The columns of the key, with commas between [default: all columns]
    ///
    /// A name with a comma is quoted as in CSV.
    #[arg(long, value_name = "COLUMNS")]
    by: Option<Columns>,
    /// Which row of each key is kept
    #[arg(long, value_enum, default_value_t)]
    keep: Keep,
    /// How cells of the key are compared
    #[arg(long = "as", value_name = "TYPE", value_enum, default_value_t)]
    compare: As,
    #[command(flatten)]
    table: TableArgs,
}

/// Which row of several is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum Keep {
    /// The first one
    #[default]
    First,
    /// The last one
    Last,
}

const EXAMPLES: &str = "\
Example:
  $ cat orders.csv
  order,customer_id
  100,7
  101,8
  102,7
  $ warpproof dedup orders.csv --by customer_id --keep last
  order,customer_id
  101,8
  102,7

A row of another length than the header, a missing column, with --as integer a cell that is no integer: an
error with file, line (in Parquet, row) and column, exit code 2, and the output file is as it was.";

/// Keeps one row of each key.
pub(crate) fn dedup(args: &Args) -> Result<(), Failure> {
    let on = args.table.open()?;
    let by = args.by.as_ref().map_or(&[][..], |by| &by.0);
    let mut source = Source::read(&args.file, by, &args.compare.coder())?;
    let index = Index::build(&on, &mut source.rows, &args.table)?;
    let groups = index.groups()?;
    let mut kept = groups.first_rows().to_vec();
    if args.keep == Keep::Last {
        (0u32..).zip(groups.numbers()).for_each(|(row, &number)| kept[number as usize] = row);
        kept.sort_unstable();
    }
    drop(groups);
    let rows = &source.rows;
    let header = Header::new(rows.header().to_vec());
    let mut target = args.table.target(&args.file, &header, || source.kinds())?;
    let mut progress = Progress::new("writing", kept.len() as u64);
    let mut reader = Reader::NEW;
    for (done, row) in kept.into_iter().enumerate() {
        target.row(rows.row(row as usize, &mut reader).cells())?;
        progress.now_and_then(done as u64);
    }
    drop(progress);
    target.finish()?;
    index.report(&args.table);
    Ok(())
}
