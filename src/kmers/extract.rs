//! All canonical k-mers of sequences, one after the other, for a table.

use super::kmer::{BREAK, CODES, Kmer, Window};
use warpproof::files::Letters;

/// Collects the canonical k-mers of sequences. Leaves out k-mers with a letter other than A, C, G, T, in
/// either case.
pub(super) struct Extractor<K> {
    k: u32,
    window: Window<K>,
    /// Letters since the last one that broke k-mers, at most `k`.
    run: u32,
    /// K-mers that were found and not yet taken.
    pub(super) found: Vec<K>,
}

impl<K: Kmer> Extractor<K> {
    /// An extractor for k-mers of `k` letters, from 1 to half of the bits of the number.
    pub(super) fn new(k: u32) -> Self {
        Self { k, window: Window::new(k), run: 0, found: Vec::new() }
    }
}

impl<K: Kmer> Letters for Extractor<K> {
    fn letters(&mut self, piece: &[u8]) {
        for &letter in piece {
            let code = CODES[letter as usize];
            if code == BREAK {
                self.run = 0;
                continue;
            }
            self.window.push(code);
            self.run = (self.run + 1).min(self.k);
            if self.run == self.k {
                self.found.push(self.window.canonical());
            }
        }
    }

    fn end(&mut self) {
        self.run = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::super::kmer::{definition, text};
    use super::*;
    use proptest::prelude::*;

    fn extract<K: Kmer>(sequences: &[&[&str]], k: u32) -> Vec<String> {
        let mut extractor = Extractor::<K>::new(k);
        for pieces in sequences {
            pieces.iter().for_each(|piece| extractor.letters(piece.as_bytes()));
            extractor.end();
        }
        extractor.found.iter().map(|&kmer| text(kmer, k)).collect()
    }

    proptest! {
        #[test]
        fn kmers_are_those_of_the_definition(
            sequences in prop::collection::vec("[ACGTacgt]{0,90}([NnRU-][ACGTacgt]{0,40}){0,3}", 0..4),
            k in 1u32..=64,
            cut in 0usize..80,
        ) {
            let pieces: Vec<[&str; 2]> = sequences.iter().map(|s| s.split_at(cut.min(s.len())).into()).collect();
            let pieces: Vec<&[&str]> = pieces.iter().map(|both| &both[..]).collect();
            let all = sequences.iter().flat_map(|s| definition::kmers(s, k as usize));
            let expected: Vec<String> = all.collect();
            prop_assert_eq!(extract::<u128>(&pieces, k), expected.clone());
            if k <= 32 {
                prop_assert_eq!(extract::<u64>(&pieces, k), expected);
            }
        }
    }

    #[test]
    fn letters_that_break_kmers_and_ends_of_sequences_are_not_crossed() {
        assert_eq!(extract::<u64>(&[&["ACNGT"], &["T", "G"]], 2), ["AC", "AC", "CA"]);
        assert_eq!(extract::<u64>(&[&["AC"], &["GT"]], 3), [""; 0]);
        assert_eq!(extract::<u64>(&[&["tTtT"]], 4), ["AAAA"]);
    }
}
