//! `warpproof join`: joins of two files on columns.

mod rows;

use crate::backend::Opened;
use crate::failure::Failure;
use crate::keyed::{As, Header, Index, Pairs, Parts, Reader, Rows, Source, TableArgs};
use crate::output::Progress;
use crate::parquet::{Kind, NO_ROW};
use crate::target::{Block, Target};
use clap::ValueEnum;
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// Left rows that are looked up in one bulk call.
const BATCH: usize = 1 << 18;
/// Left rows that a thread writes at a time.
const PART: usize = 1 << 13;
/// Rows of the output whose right rows are brought to the cache together.
const NEAR: usize = 1 << 7;
/// Bytes of rows after which a block is written, so that a key with many rows takes no more memory.
const MOST: usize = 1 << 22;

/// Join two files on one or several columns
///
/// Writes a row for every pair of a left and a right row whose cells in the columns are equal: all columns
/// of the left file, then those of the right file without its columns of the join (`--how` has other joins).
/// Rows come in the order of the left file, those for one left row in the order of the right file.
/// Duplicates may be on both sides; time and memory grow linearly with the files and the result.
///
/// Files are CSV, or have tabs between cells if their name ends in .tsv or .tab; they may be packed with gzip
/// or zstd. They are Parquet if their name ends in .parquet. Each has a header. A column of the right file
/// whose name is taken gets the first free of the suffixes `_right`, `_right2`, `_right3` and so on. Fields
/// with commas, quotes or line ends are quoted in the output. The right file is read first
/// and kept in memory, unpacked. The left file need not fit in memory. It is read in parts, of 16 MiB of text
/// or of a few groups of Parquet rows. If it is text and the output is Parquet, it is kept in memory too, as
/// each column of the output needs a type.
///
/// Cells of Parquet files are compared, and written to other files, as the text that CSV would have. A cell
/// without a value is empty, in all kinds of files. Dates, times, decimal numbers and UUIDs become text; a
/// column of lists or groups is an error. An output has columns of truth values, of integers or
/// floating-point numbers of 64 bits, of text, or of bytes. A column of a Parquet file keeps its type. One of
/// a text file has the type that all its cells have if they are as a program writes them: 007 is text.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The file that gives the order of the rows
    left: PathBuf,
    /// The file that is kept in a table
    right: PathBuf,
    /// The columns that have to be equal: a name for both files, or one for each as in left=right; more after
    /// commas
    ///
    /// A name with a comma or an equals sign is quoted as in CSV.
    #[arg(long, value_name = "COLUMNS")]
    on: Pairs,
    /// Which rows are written
    #[arg(long, value_enum, default_value_t)]
    how: How,
    /// How cells of the columns are compared
    #[arg(long = "as", value_name = "TYPE", value_enum, default_value_t)]
    compare: As,
    #[command(flatten)]
    table: TableArgs,
}

/// The kinds of joins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum How {
    /// Pairs of a left and a right row
    #[default]
    Inner,
    /// Pairs, and left rows without a right one: its cells are empty
    Left,
    /// Pairs, and rows without another one, whose cells are empty: those of the right file last, with their
    /// key in the columns of the left file
    Outer,
    /// Left rows that have a right one, each once and by itself
    Semi,
    /// Left rows that have no right one, by themselves
    Anti,
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
  $ warpproof join orders.csv customers.csv --on customer_id --how anti
  order,customer_id
  101,8
  $ warpproof join sales.tsv.gz shops.csv --on country,city=town --how left -o joined.csv.zst
  $ warpproof join orders.csv customers.csv --on customer_id --as integer --budget 1G -o joined.csv
  $ warpproof join orders.parquet customers.csv --on customer_id -o joined.parquet
  $ warpproof join orders.csv customers.csv --on customer_id --gpus 2 -o joined.csv

A row of another length than the header, a missing column, with --as integer a cell that is no integer: an
error with file, line (in Parquet, row) and column, exit code 2, and the output file is as it was. On stdout
there may be rows from before the error.";

/// Joins.
pub(crate) fn join(args: &Args) -> Result<(), Failure> {
    let on = args.table.open()?;
    let coder = args.compare.coder();
    let keys = &args.on.left;
    let right = Source::read(&args.right, &args.on.right, &coder)?;
    let left = if args.table.needs_kinds(&args.left)? {
        Parts::whole(Source::read(&args.left, keys, &coder)?)
    } else {
        Parts::begin(&args.left, keys, &coder)?
    };
    write(args, &on, left, right)
}

fn write(
    args: &Args,
    on: &Opened,
    (left, mut rest): (Source, Parts),
    mut right: Source,
) -> Result<(), Failure> {
    let index = Index::build(on, &mut right.rows, &args.table)?;
    let mut output = Output::new(args, (&left, &right))?;
    let mut progress = Progress::new("joining", rest.position().0);
    let (mut next, mut before) = (Some(left), 0);
    while let Some(left) = next {
        // By so much the bar moves while these rows are joined.
        let read = rest.position().1 - before;
        for (batch, codes) in left.rows.codes().chunks(BATCH).enumerate() {
            let from = batch * BATCH;
            let found = index.find((&left.rows, from, codes), &right.rows)?;
            output.batch((&left.rows, from), &found, &index)?;
            let share = (from + codes.len()) as f64 / left.rows.len() as f64;
            progress.at(before + (read as f64 * share) as u64);
            progress.say(|| index.copied());
        }
        before += read;
        drop(left);
        next = rest.next()?;
    }
    output.alone()?;
    drop(progress);
    output.target.finish()?;
    index.report(&args.table);
    Ok(())
}

/// Writes the rows of a join.
struct Output<'a> {
    joined: Joined<'a>,
    /// How many columns the left file has, and which of them are the key.
    left: (usize, Vec<usize>),
    target: Target,
}

/// The rows of a join.
struct Joined<'a> {
    how: How,
    right: &'a Rows,
    /// The columns of the right file that are written.
    columns: Vec<usize>,
    /// Whether each right row was written, if that is of interest.
    written: Vec<AtomicBool>,
}

impl<'a> Output<'a> {
    /// Begins the output with its header.
    fn new(args: &Args, (left, right): (&Source, &'a Source)) -> Result<Self, Failure> {
        let (how, sources) = (args.how, (left, right));
        let (left, right) = (&left.rows, &right.rows);
        let columns: Vec<usize> = match how {
            How::Semi | How::Anti => Vec::new(),
            _ => {
                let mut written = vec![true; right.header().len()];
                right.columns().iter().for_each(|&column| written[column] = false);
                (0..written.len()).filter(|&column| written[column]).collect()
            }
        };
        let mut header = Header::new(left.header().to_vec());
        columns.iter().for_each(|&column| header.add(&right.header()[column], "_right"));
        let target = args.table.target(&args.left, &header, || kinds(how, sources, &columns))?;
        let rows = if how == How::Outer { right.len() } else { 0 };
        let written = (0..rows).map(|_| AtomicBool::new(false)).collect();
        let left = (left.header().len(), left.columns().to_vec());
        Ok(Self { joined: Joined { how, right, columns, written }, left, target })
    }

    /// Writes what becomes of the left rows from `from` on, whose keys have these numbers. All threads fill a
    /// block each, up to [`MOST`] bytes; what is left of a part is filled when its turn has come.
    fn batch(&mut self, (left, from): (&Rows, usize), numbers: &[u32], index: &Index) -> Result<(), Failure> {
        let Self { joined, target, .. } = self;
        let none = target.block();
        let part = |(at, numbers)| Part { row: from + at * PART, numbers, done: 0 };
        let mut parts: Vec<Part<'_>> = numbers.chunks(PART).enumerate().map(part).collect();
        let fill = |part: &mut Part<'_>| {
            let mut block = none.clone();
            joined.fill(left, part, index, &mut block).map(|()| block)
        };
        let blocks = parts.par_iter_mut().map(fill).collect::<std::io::Result<Vec<Block>>>();
        for (block, mut part) in blocks.map_err(|error| target.failed(&error))?.into_iter().zip(parts) {
            target.extend(block)?;
            while !part.numbers.is_empty() {
                let block = fill(&mut part).map_err(|error| target.failed(&error))?;
                target.extend(block)?;
            }
        }
        Ok(())
    }

    /// Writes the right rows without a left one, if they are wanted.
    fn alone(&mut self) -> Result<(), Failure> {
        let Joined { right, columns, written, .. } = &self.joined;
        let (width, left) = &self.left;
        let keys: Vec<(usize, usize)> = left.iter().copied().zip(right.columns().iter().copied()).collect();
        let mut reader = Reader::NEW;
        // Relaxed: the threads that wrote it have ended.
        for (row, _) in written.iter().enumerate().filter(|(_, written)| !written.load(Ordering::Relaxed)) {
            let row = right.row(row, &mut reader);
            let mut ours: Vec<&[u8]> = vec![&[]; *width];
            keys.iter().for_each(|&(left, right)| ours[left] = row.cell(right));
            let theirs = columns.iter().map(|&column| row.cell(column));
            self.target.row(ours.into_iter().chain(theirs))?;
        }
        Ok(())
    }
}

/// Left rows that are still to be joined.
#[derive(Clone, Copy)]
struct Part<'a> {
    /// The first one.
    row: usize,
    /// The numbers of their keys.
    numbers: &'a [u32],
    /// With how many right rows the first one was joined.
    done: usize,
}

impl Joined<'_> {
    /// Joins rows of a part, until none is left or the block has [`MOST`] bytes.
    fn fill(
        &self,
        left: &Rows,
        part: &mut Part<'_>,
        index: &Index,
        block: &mut Block,
    ) -> std::io::Result<()> {
        let mut readers = [Reader::NEW, Reader::NEW];
        let mut pairs = Vec::with_capacity(NEAR);
        while !part.numbers.is_empty() && block.bytes() < MOST {
            let before = *part;
            self.pairs(part, index, NEAR, &mut pairs);
            let fit = self.fitting(left, &pairs, MOST - block.bytes());
            if fit < pairs.len() {
                *part = before;
                self.pairs(part, index, fit, &mut pairs);
            }
            rows::append(block, (left, self.right), &self.columns, &pairs, &mut readers)?;
        }
        Ok(())
    }

    /// The next rows of the output, up to so many: a left row each, and a right one or [`NO_ROW`].
    fn pairs(&self, part: &mut Part<'_>, index: &Index, most: usize, pairs: &mut Vec<(usize, usize)>) {
        pairs.clear();
        while let Some((&number, rest)) = part.numbers.split_first() {
            let (is_alone, others) = self.joined(index.rows(number));
            let alone = is_alone.then_some(NO_ROW);
            for row in alone.into_iter().chain(others[part.done..].iter().map(|&row| row as usize)) {
                if pairs.len() == most {
                    return;
                }
                if let Some(written) = self.written.get(row) {
                    // Relaxed: it is read after all threads have ended.
                    written.store(true, Ordering::Relaxed);
                }
                pairs.push((part.row, row));
                part.done += usize::from(row != NO_ROW);
            }
            *part = Part { row: part.row + 1, numbers: rest, done: 0 };
        }
    }

    /// How many of these rows fit so many bytes; one at least. Brings what they are made of to the cache:
    /// else each row would be waited for by itself.
    fn fitting(&self, left: &Rows, pairs: &[(usize, usize)], most: usize) -> usize {
        let mut bytes = 0;
        let sizes = pairs.iter().map(|&(row, other)| left.row_bytes(row) + self.right.row_bytes(other));
        let fit = sizes.take_while(|size| {
            let fits = bytes < most;
            bytes += size;
            fits
        });
        let fit = fit.count();
        self.right.touch(pairs[..fit].iter().map(|pair| pair.1).filter(|&row| row != NO_ROW));
        fit
    }

    /// Whether a left row that matches these right ones is written by itself, and with which it is joined.
    const fn joined<'m>(&self, matching: &'m [u32]) -> (bool, &'m [u32]) {
        match (self.how, matching) {
            (How::Inner | How::Semi, []) | (How::Anti, [_, ..]) => (false, &[]),
            (How::Semi | How::Anti, _) | (How::Left | How::Outer, []) => (true, &[]),
            (How::Inner | How::Left | How::Outer, _) => (false, matching),
        }
    }
}

/// What the cells of each column of the output are.
fn kinds(how: How, (left, right): (&Source, &Source), columns: &[usize]) -> Vec<Kind> {
    let mut kinds = left.kinds();
    let theirs = if columns.is_empty() && how != How::Outer { Vec::new() } else { right.kinds() };
    if how == How::Outer {
        // These columns have cells of both files.
        for (&ours, &their) in left.rows.columns().iter().zip(right.rows.columns()) {
            kinds[ours] = kinds[ours].with(theirs[their]);
        }
    }
    kinds.extend(columns.iter().map(|&column| theirs[column]));
    kinds
}
