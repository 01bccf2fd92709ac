//! Reports of counts: a histogram, the most frequent k-mers, all of them in a file.

use super::extract::text;
use crate::failure::Failure;
use crate::output::{Progress, grouped, line};
use crate::paging;
use crate::target::Target;
use rayon::slice::ParallelSliceMut;
use serde::Serialize;
use std::cmp::Reverse;
use std::path::Path;

/// Each count up to this has its own line in the histogram; a later line ends at twice its beginning.
const SINGLE: u64 = 16;

/// Rows between two reports of progress.
const STEP: usize = 1 << 16;

/// The object of `--json`.
#[derive(Serialize)]
pub(crate) struct Report {
    pub(crate) k: u32,
    pub(crate) backend: &'static str,
    pub(crate) device: String,
    pub(crate) seconds: f64,
    /// The number of k-mers, repeated ones counted.
    pub(crate) total: u64,
    pub(crate) distinct: u64,
    pub(crate) histogram: Vec<Bin>,
    pub(crate) top: Vec<Counted>,
    /// Of a paged table.
    pub(crate) paging: Option<paging::Object>,
}

/// Sums over all counts.
pub(crate) struct Sums {
    pub(crate) histogram: Vec<Bin>,
    pub(crate) distinct: u64,
    /// The sum of all counts.
    pub(crate) counted: u64,
    /// How many of the most frequent k-mers are wanted, and these k-mers, in no order.
    most: usize,
    best: Vec<(u64, u64)>,
}

/// How many distinct k-mers occur `from` to `to` times.
#[derive(Serialize, PartialEq, Eq, Debug)]
pub(crate) struct Bin {
    from: u64,
    to: u64,
    distinct: u64,
}

/// A k-mer and how often it occurs.
#[derive(Serialize, PartialEq, Eq, Debug)]
pub(crate) struct Counted {
    kmer: String,
    count: u64,
}

impl Report {
    /// Prints it as text.
    ///
    /// `more` are lines that follow the first ones.
    pub(crate) fn print(&self, more: &[String]) -> Result<(), Failure> {
        line(format_args!("backend  {}: {}", self.backend, self.device))?;
        let (total, distinct) = (grouped(self.total), grouped(self.distinct));
        line(format_args!("counted  {total} {}-mers in {:.2} s: {distinct} distinct", self.k, self.seconds))?;
        more.iter().try_for_each(line)?;
        if self.distinct > 0 {
            line(format_args!("\n{:>23}  {:>15}", "occurrences", "distinct k-mers"))?;
        }
        for bin in &self.histogram {
            let (from, to) = (grouped(bin.from), grouped(bin.to));
            let range = if bin.from == bin.to { from } else { format!("{from} - {to}") };
            line(format_args!("{range:>23}  {:>15}", grouped(bin.distinct)))?;
        }
        if !self.top.is_empty() {
            line(format_args!("\n{:>23}  most frequent", "occurrences"))?;
        }
        for Counted { kmer, count } in &self.top {
            line(format_args!("{:>23}  {kmer}", grouped(*count)))?;
        }
        Ok(())
    }
}

impl Sums {
    /// Sums of no counts yet; `most` of the most frequent k-mers are wanted.
    pub(crate) fn new(most: usize) -> Self {
        Self { histogram: Vec::new(), distinct: 0, counted: 0, most, best: Vec::new() }
    }

    /// Adds counts of other k-mers.
    pub(crate) fn add(&mut self, pairs: &[(u64, u64)]) {
        self.distinct += pairs.len() as u64;
        for &(_, count) in pairs {
            self.counted += count;
            let (from, to) = bin(count);
            match self.histogram.binary_search_by_key(&from, |bin| bin.from) {
                Ok(i) => self.histogram[i].distinct += 1,
                Err(i) => self.histogram.insert(i, Bin { from, to, distinct: 1 }),
            }
        }
        for batch in pairs.chunks(STEP) {
            self.best.extend_from_slice(batch);
            if self.best.len() > self.most {
                self.best.select_nth_unstable_by_key(self.most, order);
                self.best.truncate(self.most);
            }
        }
    }

    /// The most frequent k-mers; those with equal counts are in the order of their texts.
    pub(crate) fn top(&mut self, k: u32) -> Vec<Counted> {
        self.best.sort_unstable_by_key(order);
        self.best.drain(..).map(|(kmer, count)| Counted { kmer: text(kmer, k), count }).collect()
    }
}

/// The most frequent first.
fn order(&(kmer, count): &(u64, u64)) -> (Reverse<u64>, u64) {
    (Reverse(count), kmer)
}

/// The range of a count in the histogram: itself, or a power of two plus one to the next power.
fn bin(count: u64) -> (u64, u64) {
    if count <= SINGLE {
        return (count, count);
    }
    let above = u64::BITS - (count - 1).leading_zeros();
    (1 + (1 << (above - 1)), 1u64.checked_shl(above).unwrap_or(u64::MAX))
}

/// Writes all k-mers with their counts, sorted.
pub(crate) fn write(path: &Path, pairs: &mut [(u64, u64)], k: u32) -> Result<(), Failure> {
    pairs.par_sort_unstable();
    let mut target = Target::open(Some(path), b'\t')?;
    let mut progress = Progress::new("writing", pairs.len() as u64);
    for (i, &(kmer, count)) in pairs.iter().enumerate() {
        target.row([text(kmer, k).as_bytes(), count.to_string().as_bytes()].into_iter())?;
        if i.is_multiple_of(STEP) {
            progress.at(i as u64);
        }
    }
    target.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_cover_all_counts_once() {
        assert_eq!([1, 16, 17, 32, 33].map(bin), [(1, 1), (16, 16), (17, 32), (17, 32), (33, 64)]);
        assert_eq!(bin(u64::MAX), ((1 << 63) + 1, u64::MAX));
        let mut next = 1;
        while next < 1 << 40 {
            let (from, to) = bin(next);
            assert_eq!(from, next);
            assert_eq!(bin(to), (from, to));
            next = to + 1;
        }
    }

    #[test]
    fn a_histogram_counts_kmers() {
        let pairs = [(0, 20), (1, 1), (2, 30), (3, 1), (4, 2)];
        let bins = [(1, 1, 2), (2, 2, 1), (17, 32, 2)].map(|(from, to, distinct)| Bin { from, to, distinct });
        for parts in 1..=5 {
            let mut sums = Sums::new(0);
            pairs.chunks(parts).for_each(|part| sums.add(part));
            assert_eq!((&sums.histogram[..], sums.distinct, sums.counted), (&bins[..], 5, 54));
        }
        assert_eq!(Sums::new(3).histogram, []);
    }

    #[test]
    fn the_most_frequent_come_first() {
        let pairs: Vec<(u64, u64)> = (0..200_000).map(|kmer| (kmer, 1 + kmer % 7)).collect();
        let counted = |kmer, count| Counted { kmer: text(kmer, 9), count };
        let top = |pairs: &[(u64, u64)], n| {
            let mut sums = Sums::new(n);
            pairs.rchunks(1000).for_each(|part| sums.add(part));
            sums.top(9)
        };
        assert_eq!(top(&pairs, 3), [counted(6, 7), counted(13, 7), counted(20, 7)]);
        assert_eq!(top(&pairs[..2], 3), [counted(1, 2), counted(0, 1)]);
        assert_eq!(top(&pairs, 0), []);
    }
}
