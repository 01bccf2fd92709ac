//! `warpproof kmers`: counts of canonical k-mers in FASTA and FASTQ files.

mod counts;
mod extract;
mod input;
mod report;

use crate::backend::{Choice, Opened};
use crate::failure::Failure;
use crate::output::{self, Progress};
use crate::target::Target;
use counts::Counts;
use extract::{Extractor, LONGEST, distinct};
use input::{Input, sizes};
use report::{Report, Sums};
use std::path::PathBuf;
use std::time::Instant;

/// K-mers of a bulk call.
const BATCH: usize = 1 << 20;

/// Count the canonical k-mers of sequences
///
/// A k-mer is K consecutive letters of a sequence. The smaller one of the k-mer and its reverse complement,
/// in the order of the alphabet, is canonical. Counts are exact. Files are FASTA or FASTQ, plain or gzip
/// (also of many members, as bgzip writes it), and are read in pieces: memory holds the distinct k-mers, not
/// the files.
///
/// Lower case is upper case. A k-mer with a letter other than A, C, G and T (N, say, or U) is left out, as
/// `jellyfish count -C` does.
///
/// Prints how many distinct k-mers occur how often, and the most frequent k-mers.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// FASTA or FASTQ files, plain or gzip
    #[arg(required = true, value_name = "FILE.fa[.gz]")]
    files: Vec<PathBuf>,
    /// Letters of a k-mer, 1 to 31
    #[arg(short, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=LONGEST as i64))]
    k: u32,
    /// Where the table lives
    #[arg(long, value_enum, default_value_t)]
    backend: Choice,
    /// How many of the most frequent k-mers to print
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Write all k-mers with their counts to this file, whole or not at all: lines of kmer<TAB>count, sorted
    #[arg(short, long, value_name = "OUT.tsv")]
    output: Option<PathBuf>,
    /// The seed of the table's hash [default: chosen at random]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Count in a paged table, which may be larger than the memory of a GPU, with this budget: 64M, 1G
    ///
    /// Counts are the same as without a budget. The table is in the memory of the host; parts of it are
    /// copied to frames in the memory of the device. A fourth of the budget is for batches. If it is too
    /// small for a frame, nothing is copied, and all work is done in place. The number of k-mers need not be
    /// known: the pairs of a table that gets too small wait in host memory and move to a larger one. On a CPU
    /// frames are ordinary memory: there a table without a budget is faster.
    #[arg(long, value_name = "BYTES", value_parser = crate::bytes::bytes)]
    budget: Option<u64>,
    /// Show for how many operations on a paged table a child table was copied, and why
    #[arg(long, requires = "budget")]
    explain: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  warpproof kmers genome.fa.gz -k 21
  warpproof kmers reads_1.fq.gz reads_2.fq.gz -k 31 --top 0 -o counts.tsv
  zstd -dc genome.fa.zst | warpproof kmers /dev/stdin -k 15 --json
  warpproof kmers genome.fa.gz -k 31 --budget 1G --explain -o counts.tsv

The letters of a sequence are those of the nucleotide code of IUPAC, and - or . for a gap. These are errors:
another letter; a file that is empty, or neither FASTA nor FASTQ; gzip data that is broken, cut off or followed by
anything but zeros; a quality of another length than its sequence. The message names file and line, or byte, the
exit code is 2, and the output file stays as it was.";

/// Counts.
pub(crate) fn kmers(args: &Args) -> Result<(), Failure> {
    // Finds an error now that would otherwise come at the end.
    args.output.as_deref().map(Target::admit).transpose()?;
    let on = Opened::open(args.backend)?;
    on.admit_budget(args.budget)?;
    run(args, &on)
}

/// Counts in a table that grows, on a backend.
fn run(args: &Args, on: &Opened) -> Result<(), Failure> {
    let start = Instant::now();
    let (bytes, letters) = sizes(&args.files)?;
    let mut counts = Counts::new(on, args.seed, args.budget, (letters, distinct(args.k)))?;
    let total = count(args, bytes, &mut counts)?;
    let mut sums = Sums::new(args.top);
    // All pairs are kept only if all of them are written.
    let mut pairs = match args.output {
        Some(_) => counts.pairs()?,
        None => Vec::new(),
    };
    if args.output.is_some() {
        sums.add(&pairs);
    } else {
        counts.each(|some| sums.add(&some))?;
    }
    let paging = counts.paging();
    drop(counts);
    verify(total, sums.counted)?;
    let report = Report {
        k: args.k,
        backend: on.name(),
        device: on.device(),
        seconds: start.elapsed().as_secs_f64(),
        total,
        distinct: sums.distinct,
        top: sums.top(args.k),
        histogram: sums.histogram,
        paging: paging.map(|paging| paging.object(args.explain)),
    };
    if let Some(path) = &args.output {
        report::write(path, &mut pairs, args.k)?;
    }
    if args.json {
        output::json(&report)
    } else {
        report.print(&paging.map_or_else(Vec::new, |paging| paging.lines(args.explain)))
    }
}

/// Counts the k-mers of all files. Returns their number.
fn count(args: &Args, bytes: u64, counts: &mut Counts<'_>) -> Result<u64, Failure> {
    let mut progress = Progress::new("counting", bytes);
    let mut extractor = Extractor::new(args.k);
    let (mut total, mut before) = (0, 0);
    let mut flush = |extractor: &mut Extractor, progress: &mut Progress| {
        counts.add(&extractor.found)?;
        progress.say(|| counts.paging().map(|paging| paging.copied()));
        total += extractor.found.len() as u64;
        extractor.found.clear();
        Ok(())
    };
    for path in &args.files {
        let mut read = 0;
        Input::open(path)?.read(&mut extractor, |extractor, now| {
            read = now;
            progress.at(before + read);
            if extractor.found.len() < BATCH { Ok(()) } else { flush(extractor, &mut progress) }
        })?;
        before += read;
    }
    flush(&mut extractor, &mut progress)?;
    Ok(total)
}

/// Checks that every k-mer was counted once.
fn verify(total: u64, counted: u64) -> Result<(), Failure> {
    if counted == total {
        Ok(())
    } else {
        Err(Failure::Violation(format!("the files have {total} k-mers, but the table counted {counted}")))
    }
}
