//! `warpproof kmers`: counts of canonical k-mers in FASTA and FASTQ files.

mod bins;
mod counts;
mod extract;
mod input;
mod kmer;
mod report;
mod sorted;
mod spill;
mod superkmers;
mod tally;

use crate::backend::{Choice, Opened};
use crate::failure::Failure;
use crate::output::{self, Effort, Progress};
use crate::packed::Input;
use crate::paging::Paging;
use crate::target::{Bytes, Target};
use counts::Counts;
use extract::Extractor;
use input::sizes;
use kmer::{Kmer, LONGEST, distinct, text};
use report::{Counted, Report};
use sorted::{Format, Sorted};
use spill::Spill;
use std::path::PathBuf;
use std::time::Instant;
use tally::Tally;
use warpproof::files::Letters;
use warpproof::model::Seed;

/// K-mers of a bulk call.
const BATCH: usize = 1 << 20;

/// The largest K of a table: 62 bits, of the 64 that a key has.
const LONGEST_IN_TABLE: u32 = 31;

/// Count the canonical k-mers of sequences
///
/// A k-mer is K consecutive letters of a sequence. The smaller one of the k-mer and its reverse complement,
/// in the order of the alphabet, is canonical. Counts are exact. Files are FASTA or FASTQ, plain, gzip or
/// zstd, and are read in pieces: memory does not hold the files. One thread unpacks, while the others go on;
/// the blocks of a file of bgzip are unpacked by all.
///
/// Lower case is upper case. A k-mer with a letter other than A, C, G and T (N, say, or U) is left out, as
/// `jellyfish count -C` does.
///
/// On a CPU k-mers are distributed to bins by their minimizers, in memory and, beyond --memory, in a
/// temporary file; then each bin is counted for itself. On a GPU, and with a --budget, they are counted in
/// one table.
///
/// Prints how many distinct k-mers occur how often, and the most frequent k-mers.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// FASTA or FASTQ files, plain, gzip or zstd
    #[arg(required = true, value_name = "FILE.fa[.gz]")]
    files: Vec<PathBuf>,
    /// Letters of a k-mer, 1 to 64; on a GPU and with a --budget, 1 to 31
    #[arg(short, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=LONGEST as i64))]
    k: u32,
    /// Where the table lives
    #[arg(long, value_enum, default_value_t)]
    backend: Choice,
    /// Count in shards, one on each of the first N GPUs of this machine
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64), conflicts_with_all = ["backend", "budget"])]
    gpus: Option<u32>,
    /// How many of the most frequent k-mers to print
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Write all k-mers with their counts to this file, sorted, whole or not at all; packed if its name ends
    /// in .gz or .zst
    #[arg(short, long, value_name = "OUT.tsv")]
    output: Option<PathBuf>,
    /// How they are written
    #[arg(long, value_enum, default_value_t, requires = "output")]
    format: Format,
    /// Neither write nor list k-mers that occur less often
    #[arg(long, value_name = "N", default_value_t = 1)]
    min_count: u64,
    /// Write to this file how many distinct k-mers occur how often: a plot if it ends in .svg, else lines of
    /// two numbers
    #[arg(long, value_name = "FILE")]
    histogram: Option<PathBuf>,
    /// The seed of the hash of tables [default: chosen at random]
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
    /// On a CPU: keep up to so many bytes of k-mers in memory that wait to be counted, and of those that
    /// wait to be written; more go to a temporary file
    #[arg(long, value_name = "BYTES", value_parser = crate::bytes::bytes, default_value = "256M")]
    memory: u64,
    /// The folder of temporary files [default: that of the system]
    #[arg(long, value_name = "DIR")]
    temp: Option<PathBuf>,
    /// Show for how many operations on a paged table a child table was copied, and why
    #[arg(long, requires = "budget")]
    explain: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    effort: Effort,
}

const EXAMPLES: &str = "\
Examples:
  warpproof kmers genome.fa.gz -k 21
  warpproof kmers reads_1.fq.gz reads_2.fq.gz -k 31 --top 0 -o counts.tsv
  warpproof kmers reads.fq.gz -k 45 --min-count 2 --histogram spectrum.svg
  warpproof kmers genome.fa.zst -k 15 --json
  samtools fasta reads.bam | warpproof kmers /dev/stdin -k 15
  warpproof kmers genome.fa.gz -k 31 --budget 1G --explain -o counts.tsv
  warpproof kmers reads.fq.gz -k 31 --gpus 2

The letters of a sequence are those of the nucleotide code of IUPAC, and - or . for a gap. These are errors:
another letter; a file that is empty, or neither FASTA nor FASTQ; packed data that is broken or cut off, or gzip data
that is followed by anything but zeros; a quality of another length than its sequence. The message names file and line, or byte, the
exit code is 2, and the output file stays as it was.";

/// Counts.
pub(crate) fn kmers(args: &Args) -> Result<(), Failure> {
    args.effort.begin()?;
    // Finds an error now that would otherwise come at the end.
    let outputs = [&args.output, &args.histogram];
    outputs.into_iter().flatten().try_for_each(|path| Target::admit(path))?;
    let on = open(args)?;
    on.admit_budget(args.budget)?;
    if args.k <= u64::BITS / 2 { run::<u64>(args, &on) } else { run::<u128>(args, &on) }
}

/// Opens the backend. Tables take shorter k-mers than the CPU without a table does.
fn open(args: &Args) -> Result<Opened, Failure> {
    let long = args.k > LONGEST_IN_TABLE;
    let refused = |what: &str| {
        let k = args.k;
        Err(Failure::input(format_args!("-k {k}: {what} counts k-mers of up to {LONGEST_IN_TABLE} letters")))
    };
    match args.backend {
        _ if long && args.budget.is_some() => refused("a table with a --budget"),
        _ if long && args.gpus.is_some() => refused("a table on several GPUs"),
        Choice::Gpu if long => refused("a GPU"),
        Choice::Auto if long => Opened::open(Choice::Cpu),
        choice => args.gpus.map_or_else(|| Opened::open(choice), Opened::open_gpus),
    }
}

/// Counts on a backend, and reports.
fn run<K: Kmer>(args: &Args, on: &Opened) -> Result<(), Failure> {
    let start = Instant::now();
    let sizes = sizes(&args.files)?;
    let folder = args.temp.clone().unwrap_or_else(std::env::temp_dir);
    let memory = usize::try_from(args.memory).unwrap_or(usize::MAX);
    let sorted = args.output.as_ref().map(|_| Sorted::new(args.k, memory, folder.clone()));
    let tally = Tally::<K>::new(args.top, args.min_count, sorted);
    let (total, paging) = if matches!(on, Opened::Cpu) && args.budget.is_none() {
        let bins = bins::bins(sizes.1);
        let spill = Spill::new(bins, memory, folder);
        let go_on = |to: &mut bins::Sender<'_>| to.go_on().map(|()| None);
        let total = bins::fill(args.k, bins, &spill, |to| read(args, sizes.0, to, go_on))?;
        let seed = args.seed.map_or_else(Seed::random, Seed::new);
        bins::count(args.k, bins, &spill, seed, &tally)?;
        (total, None)
    } else {
        count_in_table(args, on, sizes, &tally)?
    };
    let (mut sums, sorted) = tally.into_parts();
    verify(total, sums.counted)?;
    if let (Some(path), Some(sorted)) = (&args.output, sorted) {
        let mut target = Bytes::open(path)?;
        sorted.write(&mut target, args.format)?;
        target.finish()?;
    }
    if let Some(path) = &args.histogram {
        report::write_histogram(path, &sums.histogram, args.k)?;
    }
    let top = sums.top().into_iter();
    let report = Report {
        k: args.k,
        backend: on.name(),
        device: on.device(),
        seconds: start.elapsed().as_secs_f64(),
        total,
        distinct: sums.distinct,
        top: top.map(|(kmer, count)| Counted { kmer: text(kmer, args.k), count }).collect(),
        histogram: report::binned(&sums.histogram),
        paging: paging.map(|paging| paging.object(args.explain)),
    };
    if args.json {
        output::json(&report)
    } else {
        report.print(&paging.map_or_else(Vec::new, |paging| paging.lines(args.explain)))
    }
}

/// Counts in a table: on a GPU, or with a budget. Returns the number of k-mers, and the statistics of copies.
fn count_in_table<K: Kmer>(
    args: &Args,
    on: &Opened,
    (bytes, letters): (u64, u64),
    tally: &Tally<K>,
) -> Result<(u64, Option<Paging>), Failure> {
    let mut counts = Counts::new(on, args.seed, args.budget, (letters, distinct(args.k)))?;
    let mut extractor = Extractor::<u64>::new(args.k);
    let mut total = 0;
    let mut flush = |extractor: &mut Extractor<u64>| {
        counts.add(&extractor.found)?;
        total += extractor.found.len() as u64;
        extractor.found.clear();
        Ok(counts.paging())
    };
    read(args, bytes, &mut extractor, |extractor| {
        if extractor.found.len() < BATCH { Ok(None) } else { flush(extractor) }
    })?;
    flush(&mut extractor)?;
    counts.tally(tally)?;
    Ok((total, counts.paging()))
}

/// Reads the letters of all files. After each piece `step` may do more, and tell what was copied until then.
fn read<L: Letters>(
    args: &Args,
    bytes: u64,
    to: &mut L,
    mut step: impl FnMut(&mut L) -> Result<Option<Paging>, Failure>,
) -> Result<(), Failure> {
    let mut progress = Progress::new("reading", bytes);
    let mut before = 0;
    for path in &args.files {
        let mut read = 0;
        input::read(Input::open(path)?, to, |to, now| {
            read = now;
            progress.at(before + read);
            let paging = step(to)?;
            progress.say(|| paging.map(|paging| paging.copied()));
            Ok(())
        })?;
        before += read;
    }
    Ok(())
}

/// Checks that every k-mer was counted once.
fn verify(total: u64, counted: u64) -> Result<(), Failure> {
    if counted == total {
        Ok(())
    } else {
        Err(Failure::Violation(format!("the files have {total} k-mers, but {counted} were counted")))
    }
}
