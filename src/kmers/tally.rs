//! What is asked of all counts: sums, a histogram, the most frequent k-mers, and all of them sorted.

use super::kmer::Kmer;
use super::sorted::Sorted;
use crate::failure::Failure;
use parking_lot::Mutex;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Counts of k-mers, as they come in from several threads.
pub(super) struct Tally<K> {
    sums: Mutex<Sums<K>>,
    /// Where the k-mers go that are written.
    sorted: Option<Sorted<K>>,
    /// K-mers that occur less often are neither written nor listed.
    min_count: u64,
    most: usize,
}

/// Sums over all counts.
pub(super) struct Sums<K> {
    /// How many k-mers have each count that occurs.
    pub(super) histogram: BTreeMap<u64, u64>,
    pub(super) distinct: u64,
    /// The sum of all counts.
    pub(super) counted: u64,
    /// How many of the most frequent k-mers are wanted, and these k-mers, in no order.
    most: usize,
    best: Vec<(K, u64)>,
}

impl<K: Kmer> Tally<K> {
    /// Of no counts yet; `most` of the most frequent k-mers are wanted.
    pub(super) fn new(most: usize, min_count: u64, sorted: Option<Sorted<K>>) -> Self {
        Self { sums: Mutex::new(Sums::new(most)), sorted, min_count, most }
    }

    /// Adds counts of other k-mers.
    ///
    /// # Errors
    /// Those of the k-mers that are written.
    pub(super) fn add(&self, pairs: impl Iterator<Item = (K, u64)>) -> Result<(), Failure> {
        let mut sums = Sums::new(self.most);
        let mut sorter = self.sorted.as_ref().map(Sorted::sorter);
        for (kmer, count) in pairs {
            sums.add(kmer, count, count >= self.min_count);
            if let Some(sorter) = &mut sorter
                && count >= self.min_count
            {
                sorter.add(kmer, count)?;
            }
        }
        sorter.map_or(Ok(()), |sorter| sorter.finish())?;
        self.sums.lock().merge(sums);
        Ok(())
    }

    /// The sums, and the k-mers that are written.
    pub(super) fn into_parts(self) -> (Sums<K>, Option<Sorted<K>>) {
        (self.sums.into_inner(), self.sorted)
    }
}

impl<K: Kmer> Sums<K> {
    fn new(most: usize) -> Self {
        Self { histogram: BTreeMap::new(), distinct: 0, counted: 0, most, best: Vec::new() }
    }

    #[inline]
    fn add(&mut self, kmer: K, count: u64, listed: bool) {
        self.distinct += 1;
        self.counted += count;
        *self.histogram.entry(count).or_default() += 1;
        if listed && self.most > 0 {
            self.best.push((kmer, count));
            // Twice as many as are wanted: half of them go at a time.
            if self.best.len() >= self.most.saturating_mul(2).max(1 << 10) {
                self.cut();
            }
        }
    }

    fn merge(&mut self, other: Self) {
        self.distinct += other.distinct;
        self.counted += other.counted;
        for (count, kmers) in other.histogram {
            *self.histogram.entry(count).or_default() += kmers;
        }
        self.best.extend(other.best);
        self.cut();
    }

    /// Leaves the most frequent ones.
    fn cut(&mut self) {
        if self.best.len() > self.most {
            self.best.select_nth_unstable_by_key(self.most, order);
            self.best.truncate(self.most);
        }
    }

    /// The most frequent k-mers; those with equal counts are in the order of their texts.
    pub(super) fn top(&mut self) -> Vec<(K, u64)> {
        self.cut();
        self.best.sort_unstable_by_key(order);
        std::mem::take(&mut self.best)
    }
}

/// The most frequent first.
fn order<K: Kmer>(&(kmer, count): &(K, u64)) -> (Reverse<u64>, K) {
    (Reverse(count), kmer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(pairs: &[(u64, u64)], most: usize, min_count: u64, part: usize) -> Sums<u64> {
        let tally = Tally::new(most, min_count, None);
        pairs.rchunks(part).for_each(|part| tally.add(part.iter().copied()).unwrap());
        tally.into_parts().0
    }

    #[test]
    fn a_histogram_counts_kmers() {
        let pairs = [(0, 20), (1, 1), (2, 30), (3, 1), (4, 2)];
        for part in 1..=5 {
            let sums = sums(&pairs, 0, 2, part);
            assert!(sums.histogram.iter().eq([(&1, &2), (&2, &1), (&20, &1), (&30, &1)]));
            assert_eq!((sums.distinct, sums.counted), (5, 54));
        }
    }

    #[test]
    fn the_most_frequent_come_first() {
        let pairs: Vec<(u64, u64)> = (0..200_000).map(|kmer| (kmer, 1 + kmer % 7)).collect();
        assert_eq!(sums(&pairs, 3, 1, 1000).top(), [(6, 7), (13, 7), (20, 7)]);
        assert_eq!(sums(&pairs, 3, 1, 200_000).top(), [(6, 7), (13, 7), (20, 7)]);
        assert_eq!(sums(&pairs[..2], 3, 1, 1).top(), [(1, 2), (0, 1)]);
        assert_eq!(sums(&pairs[..2], 3, 2, 1).top(), [(1, 2)]);
        assert_eq!(sums(&pairs, 0, 1, 1000).top(), []);
    }
}
