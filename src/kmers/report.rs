//! Reports of counts: a histogram, and the most frequent k-mers.

use crate::failure::Failure;
use crate::output::{grouped, line};
use crate::paging;
use crate::plot::{Axis, Chart};
use crate::target::write_whole;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Each count up to this has its own line in the histogram; a later line ends at twice its beginning.
const SINGLE: u64 = 16;

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
    pub(crate) kmer: String,
    pub(crate) count: u64,
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

/// The lines of a histogram of exact counts.
pub(crate) fn binned(histogram: &BTreeMap<u64, u64>) -> Vec<Bin> {
    let mut bins: Vec<Bin> = Vec::new();
    for (&count, &distinct) in histogram {
        let (from, to) = bin(count);
        match bins.last_mut() {
            Some(bin) if bin.from == from => bin.distinct += distinct,
            _ => bins.push(Bin { from, to, distinct }),
        }
    }
    bins
}

/// Writes a histogram to a file: a plot if its name ends in .svg, else lines of a count and how many distinct
/// k-mers have it, as `jellyfish histo` does.
pub(crate) fn write_histogram(path: &Path, histogram: &BTreeMap<u64, u64>, k: u32) -> Result<(), Failure> {
    let text = if path.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("svg")) {
        let points = histogram.iter().map(|(&count, &distinct)| (count as f64, distinct as f64));
        let lines = vec![(format!("{k}-mers"), points.collect())];
        let title = format!("How often {k}-mers occur");
        let chart = Chart { title, x: Axis::Decimal("occurrences"), y: "distinct k-mers", lines };
        chart.svg().map_err(|why| Failure::input(format_args!("{}: {why}", path.display())))?
    } else {
        histogram.iter().map(|(count, distinct)| format!("{count} {distinct}\n")).collect()
    };
    write_whole(path, &text)
}

/// The range of a count in the histogram: itself, or a power of two plus one to the next power.
fn bin(count: u64) -> (u64, u64) {
    if count <= SINGLE {
        return (count, count);
    }
    let above = u64::BITS - (count - 1).leading_zeros();
    (1 + (1 << (above - 1)), 1u64.checked_shl(above).unwrap_or(u64::MAX))
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
    fn a_histogram_has_a_line_for_each_range() {
        let exact = BTreeMap::from([(1, 2), (2, 1), (20, 1), (30, 1)]);
        let bins = [(1, 1, 2), (2, 2, 1), (17, 32, 2)].map(|(from, to, distinct)| Bin { from, to, distinct });
        assert_eq!(binned(&exact), bins);
        assert_eq!(binned(&BTreeMap::new()), []);
    }
}
