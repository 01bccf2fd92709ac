//! Super-k-mers: pieces of sequences whose k-mers have one minimizer, sent to the bin of that minimizer.
//!
//! A *minimizer* of a k-mer is the one of its canonical m-mers that comes first in an order that looks
//! random. A k-mer and its reverse complement have the same, so all occurrences of a canonical k-mer come to
//! one bin. Neighbours mostly share their minimizer: n of them in a row are one super-k-mer of n + k - 1
//! letters, of 2 bits each. So a k-mer takes about a byte in place of 8 or 16.
//!
//! Li, Y. et al. (2013), Memory efficient minimum substring partitioning; Deorowicz, S. et al. (2015), KMC 2.

use super::kmer::{BREAK, CODES, Kmer, Window};

/// The most letters of a minimizer: there are 2 million canonical ones.
const MOST_LETTERS: u32 = 11;

/// The most k-mers of a super-k-mer.
const MOST_KMERS: usize = u8::MAX as usize;

/// Cuts letters into super-k-mers.
pub(super) struct Cutter {
    k: usize,
    /// Letters of a minimizer.
    m: usize,
    /// The bits of a bin's number.
    bits: u32,
    codes: Vec<u8>,
    /// The place of each m-mer in the order.
    ranks: Vec<u32>,
    /// The super-k-mers of each bin: a byte for the number of their k-mers, then four letters a byte.
    pub(super) bins: Vec<Vec<u8>>,
    /// All k-mers that were found.
    pub(super) kmers: u64,
}

impl Cutter {
    /// For k-mers of `k` letters and so many bins, a power of two.
    pub(super) fn new(k: u32, bins: usize) -> Self {
        Self {
            k: k as usize,
            m: k.div_ceil(2).min(MOST_LETTERS) as usize,
            bits: bins.ilog2(),
            codes: Vec::new(),
            ranks: Vec::new(),
            bins: vec![Vec::new(); bins],
            kmers: 0,
        }
    }

    /// Cuts the runs of A, C, G, T in these letters.
    pub(super) fn cut(&mut self, letters: &[u8]) {
        let mut codes = std::mem::take(&mut self.codes);
        codes.clear();
        codes.extend(letters.iter().map(|&letter| CODES[letter as usize]));
        let k = self.k;
        for run in codes.split(|&code| code == BREAK).filter(|run| run.len() >= k) {
            self.rank(run);
            self.cut_run(run);
        }
        self.codes = codes;
    }

    /// Ranks the m-mers of a run.
    fn rank(&mut self, run: &[u8]) {
        let mut window = Window::<u64>::new(self.m as u32);
        let (first, rest) = run.split_at(self.m - 1);
        first.iter().for_each(|&code| window.push(code));
        self.ranks.clear();
        self.ranks.extend(rest.iter().map(|&code| {
            window.push(code);
            rank(window.canonical() as u32)
        }));
    }

    fn cut_run(&mut self, run: &[u8]) {
        // M-mers of a k-mer.
        let width = self.k - self.m + 1;
        let (mut lowest, mut at) = (u32::MAX, None);
        // The first k-mer of the super-k-mer, and its minimizer.
        let (mut from, mut minimizer) = (0, None);
        for kmer in 0..=run.len() - self.k {
            let newest = kmer + width - 1;
            if at.is_none_or(|at| at < kmer) {
                let all = self.ranks[kmer..=newest].iter().copied().zip(kmer..);
                // Of equal ones the last stays the longest.
                let least = all.reduce(|least, next| if next.0 <= least.0 { next } else { least });
                (lowest, at) = least.map_or((lowest, at), |(rank, place)| (rank, Some(place)));
            } else if self.ranks[newest] <= lowest {
                (lowest, at) = (self.ranks[newest], Some(newest));
            }
            if minimizer != Some(lowest) || kmer - from == MOST_KMERS {
                if let Some(rank) = minimizer {
                    self.push(rank, &run[from..kmer + self.k - 1]);
                }
                (from, minimizer) = (kmer, Some(lowest));
            }
        }
        if let Some(rank) = minimizer {
            self.push(rank, &run[from..]);
        }
    }

    /// Adds a super-k-mer to the bin of its minimizer.
    fn push(&mut self, rank: u32, letters: &[u8]) {
        let kmers = letters.len() + 1 - self.k;
        self.kmers += kmers as u64;
        // A minimizer has a low rank: another hash spreads them over the bins.
        let bin = (u64::from(rank).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32 << self.bits >> 32) as usize;
        let bytes = &mut self.bins[bin];
        bytes.push(kmers as u8);
        let four = letters.chunks(4);
        bytes.extend(four.map(|four| four.iter().rev().fold(0, |byte, code| byte << 2 | code)));
    }
}

/// The place of an m-mer in the order. Different ones have different places.
#[inline(always)]
fn rank(m_mer: u32) -> u32 {
    let mixed = m_mer.wrapping_mul(0x9e37_79b1);
    (mixed ^ mixed >> 15).wrapping_mul(0x85eb_ca77)
}

/// A super-k-mer of a bin.
pub(super) struct SuperKmer<'a> {
    k: u32,
    /// How many k-mers it has.
    pub(super) kmers: usize,
    /// Its letters, four a byte.
    letters: &'a [u8],
}

/// The super-k-mers of a bin.
pub(super) fn super_kmers(bin: &[u8], k: u32) -> impl Iterator<Item = SuperKmer<'_>> {
    let mut rest = bin;
    std::iter::from_fn(move || {
        let (&kmers, letters) = rest.split_first()?;
        let kmers = kmers as usize;
        let (letters, next) = letters.split_at_checked((k as usize - 1 + kmers).div_ceil(4))?;
        rest = next;
        Some(SuperKmer { k, kmers, letters })
    })
}

impl SuperKmer<'_> {
    /// Passes its canonical k-mers to `each`.
    #[inline(always)]
    pub(super) fn each<K: Kmer>(&self, mut each: impl FnMut(K)) {
        let first = self.k as usize - 1;
        let code = |i: usize| self.letters[i / 4] >> (i % 4 * 2) & 3;
        let mut window = Window::<K>::new(self.k);
        (0..first).for_each(|i| window.push(code(i)));
        for i in first..first + self.kmers {
            window.push(code(i));
            each(window.canonical());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::kmer::{definition, text};
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// The k-mers of each bin.
    fn bins(pieces: &[String], k: u32, bins: usize) -> Vec<Vec<String>> {
        let mut cutter = Cutter::new(k, bins);
        pieces.iter().for_each(|piece| cutter.cut(piece.as_bytes()));
        let found = cutter.bins.iter().map(|bin| {
            let mut found = Vec::new();
            for piece in super_kmers(bin, k) {
                if k <= 32 {
                    piece.each(|kmer: u64| found.push(text(kmer, k)));
                } else {
                    piece.each(|kmer: u128| found.push(text(kmer, k)));
                }
            }
            found
        });
        let found: Vec<Vec<String>> = found.collect();
        assert_eq!(cutter.kmers, found.iter().map(|bin| bin.len() as u64).sum::<u64>());
        found
    }

    proptest! {
        #[test]
        fn each_kmer_is_in_one_bin_as_often_as_in_the_letters(
            pieces in prop::collection::vec("[ACGTacgt]{0,400}(N[ACGT]{0,90}){0,3}", 0..4),
            repeats in 0usize..600,
            k in 1u32..=64,
            bits in 0u32..5,
        ) {
            let pieces: Vec<String> = pieces.into_iter().chain([["A", "GC"][repeats % 2].repeat(repeats)]).collect();
            let mut home = HashMap::new();
            let mut found = Vec::new();
            for (bin, kmers) in bins(&pieces, k, 1 << bits).into_iter().enumerate() {
                for kmer in kmers {
                    prop_assert_eq!(*home.entry(kmer.clone()).or_insert(bin), bin, "{}", kmer);
                    found.push(kmer);
                }
            }
            let mut expected: Vec<String> =
                pieces.iter().flat_map(|piece| definition::kmers(piece, k as usize)).collect();
            found.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn random_kmers_take_about_a_byte_and_fill_the_bins() {
        let mut state = 1u64;
        let letters: String = (0..1_000_000)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                char::from(b"ACGT"[(state >> 62) as usize])
            })
            .collect();
        let mut cutter = Cutter::new(31, 64);
        cutter.cut(letters.as_bytes());
        let sizes: Vec<usize> = cutter.bins.iter().map(Vec::len).collect();
        assert!(sizes.iter().sum::<usize>() < 1_200_000, "{sizes:?}");
        assert!(sizes.iter().all(|size| (8_000..32_000).contains(size)), "{sizes:?}");
    }
}
