//! `warpproof kmers`: counts of canonical k-mers in FASTA and FASTQ files.

mod extract;
mod gzip;
mod input;
mod report;

use crate::backend::{Choice, Opened};
use crate::failure::Failure;
use crate::output::{self, Progress};
use crate::registry::DYNAMIC;
use crate::registry::room::Room;
use crate::target::Target;
use extract::{Extractor, LONGEST, distinct};
use input::{Input, sizes};
use report::{Report, histogram, top};
use std::path::PathBuf;
use std::time::Instant;
use warpproof::any::Counter;
use warpproof::model::Seed;
use warpproof::{Add, BulkTable};

/// K-mers of a bulk call.
const BATCH: usize = 1 << 20;

/// Pairs that a table has room for at first, at most. The size of the input says how many k-mers there may
/// be, not how many distinct ones: from there on the table grows with what is counted.
const FIRST: u64 = 1 << 20;

/// Count the canonical k-mers of sequences
///
/// A k-mer is K letters of a sequence that follow each other; canonical is the smaller, in the order of the alphabet, of
/// the k-mer and its reverse complement. Counts are exact. Files are FASTA or FASTQ, plain or gzip (also of many members,
/// as bgzip writes it), and are read in pieces: memory holds the distinct k-mers, not the files.
///
/// Lower case is upper case. A k-mer with a letter other than A, C, G and T (N, say, or U) is left out, as `jellyfish
/// count -C` does.
///
/// Prints how many distinct k-mers occur how often, and the most frequent ones.
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
    /// What the table's hash depends on [default: chosen at random]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  warpproof kmers genome.fa.gz -k 21
  warpproof kmers reads_1.fq.gz reads_2.fq.gz -k 31 --top 0 -o counts.tsv
  zstd -dc genome.fa.zst | warpproof kmers /dev/stdin -k 15 --json

The letters of a sequence are those of the nucleotide code of IUPAC, and - or . for a gap. Another letter, a file that is
empty or neither FASTA nor FASTQ, gzip data that is broken, cut off or followed by anything but zeros, a quality of another length than its sequence: an
error with file and line, or byte, exit code 2, and the output file is as it was.";

/// Counts.
pub(crate) fn kmers(args: &Args) -> Result<(), Failure> {
    // What would be an error at the end is one now.
    args.output.as_deref().map(Target::admit).transpose()?;
    run(args, &Opened::open(args.backend)?)
}

/// Counts in a table that grows, on a backend.
fn run(args: &Args, on: &Opened) -> Result<(), Failure> {
    let start = Instant::now();
    let (bytes, letters) = sizes(&args.files)?;
    let first = letters.clamp(1, FIRST).min(distinct(args.k));
    let seed = args.seed.map_or_else(Seed::random, Seed::new);
    let room = Room { seed, ..DYNAMIC.capacity.whole(first, DYNAMIC.loads.default) };
    let counts = DYNAMIC.map64(on, room)?;
    let total = count(args, bytes, counts.counter().ok_or_else(|| DYNAMIC.has_no("counter"))?)?;
    let mut pairs = counts.retrieve_all().map_err(Failure::backend)?;
    drop(counts);
    verify(total, &pairs)?;
    let report = Report {
        k: args.k,
        backend: on.name(),
        device: on.device(),
        seconds: start.elapsed().as_secs_f64(),
        total,
        distinct: pairs.len() as u64,
        histogram: histogram(&pairs),
        top: top(&pairs, args.top, args.k),
    };
    if let Some(path) = &args.output {
        report::write(path, &mut pairs, args.k)?;
    }
    if args.json { output::json(&report) } else { report.print() }
}

/// Counts the k-mers of all files; how many there were.
fn count(args: &Args, bytes: u64, counts: &dyn Counter<u64, u64>) -> Result<u64, Failure> {
    let mut progress = Progress::new("counting", bytes);
    let mut extractor = Extractor::new(args.k);
    let (mut total, mut before, mut ones) = (0, 0, Vec::new());
    let mut flush = |extractor: &mut Extractor| {
        ones.resize(extractor.found.len(), 1);
        let added = counts.insert_or_add(&extractor.found, &ones).map_err(Failure::backend)?;
        if added.contains(&Add::Full) {
            return Err(Failure::input(
                "no place of a k-mer is free, as if k-mers were chosen for the seed: give another --seed",
            ));
        }
        total += extractor.found.len() as u64;
        extractor.found.clear();
        Ok(())
    };
    for path in &args.files {
        let mut read = 0;
        Input::open(path)?.read(&mut extractor, |extractor, now| {
            read = now;
            progress.at(before + read);
            if extractor.found.len() < BATCH { Ok(()) } else { flush(extractor) }
        })?;
        before += read;
    }
    flush(&mut extractor)?;
    Ok(total)
}

/// Every k-mer was counted, and once.
fn verify(total: u64, pairs: &[(u64, u64)]) -> Result<(), Failure> {
    let counted: u64 = pairs.iter().map(|(_, count)| count).sum();
    if counted == total {
        Ok(())
    } else {
        Err(Failure::Violation(format!("of {total} k-mers the table counted {counted}")))
    }
}
