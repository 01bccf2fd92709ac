//! Canonical k-mers of a sequence, as numbers: 2 bits a letter, A 0, C 1, G 2, T 3, with the first letter in
//! the highest bits. Their order is that of their text.

use warpproof::files::Letters;

/// The largest K: 62 bits, of the 64 that a number has.
pub(crate) const LONGEST: u32 = 31;

/// Collects the canonical k-mers of sequences. Leaves out k-mers with a letter other than A, C, G, T, in
/// either case.
pub(crate) struct Extractor {
    k: u32,
    /// The last `k` letters, and their reverse complement.
    forward: u64,
    reverse: u64,
    /// Letters since the last one that broke k-mers, at most `k`.
    run: u32,
    /// K-mers that were found and not yet taken.
    pub(crate) found: Vec<u64>,
}

impl Extractor {
    /// An extractor for k-mers of `k` letters, 1 to [`LONGEST`].
    pub(crate) fn new(k: u32) -> Self {
        Self { k, forward: 0, reverse: 0, run: 0, found: Vec::new() }
    }
}

impl Letters for Extractor {
    fn letters(&mut self, piece: &[u8]) {
        let (mask, top) = (u64::MAX >> (64 - 2 * self.k), 2 * (self.k - 1));
        for &letter in piece {
            let code = CODES[letter as usize];
            if code == BREAK {
                self.run = 0;
                continue;
            }
            self.forward = (self.forward << 2 | code as u64) & mask;
            // The codes of a letter and its complement add up to 3.
            self.reverse = self.reverse >> 2 | ((3 - code) as u64) << top;
            self.run = (self.run + 1).min(self.k);
            if self.run == self.k {
                self.found.push(self.forward.min(self.reverse));
            }
        }
    }

    fn end(&mut self) {
        self.run = 0;
    }
}

/// The text of a k-mer.
pub(crate) fn text(kmer: u64, k: u32) -> String {
    (0..k).rev().map(|i| char::from(b"ACGT"[(kmer >> (2 * i) & 3) as usize])).collect()
}

/// How many canonical k-mers there are: half of all k-mers, and half of those that are their own reverse
/// complement, which exist for an even K.
pub(crate) const fn distinct(k: u32) -> u64 {
    let own = if k.is_multiple_of(2) { 1 << k } else { 0 };
    ((1 << (2 * k)) + own) / 2
}

/// The code of a letter that breaks k-mers.
const BREAK: u8 = 4;

const CODES: [u8; 256] = {
    let mut codes = [BREAK; 256];
    let mut code = 0;
    while code < 4 {
        let letter = b"ACGT"[code as usize];
        codes[letter as usize] = code;
        codes[letter.to_ascii_lowercase() as usize] = code;
        code += 1;
    }
    codes
};

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    /// The definition, on text.
    fn naive(sequence: &str, k: usize) -> Vec<String> {
        let sequence: Vec<char> = sequence.to_uppercase().chars().collect();
        let whole = sequence.windows(k).filter(|kmer| kmer.iter().all(|letter| "ACGT".contains(*letter)));
        whole.map(canonical).collect()
    }

    fn canonical(kmer: &[char]) -> String {
        let complement = |letter: &char| match letter {
            'A' => 'T',
            'C' => 'G',
            'G' => 'C',
            _ => 'A',
        };
        let reverse: String = kmer.iter().rev().map(complement).collect();
        reverse.min(kmer.iter().collect())
    }

    fn extract(sequences: &[&[&str]], k: u32) -> Vec<String> {
        let mut extractor = Extractor::new(k);
        for pieces in sequences {
            pieces.iter().for_each(|piece| extractor.letters(piece.as_bytes()));
            extractor.end();
        }
        extractor.found.iter().map(|&kmer| text(kmer, k)).collect()
    }

    proptest! {
        #[test]
        fn kmers_are_those_of_the_definition(
            sequences in prop::collection::vec("[ACGTacgt]{0,70}([NnRU-][ACGTacgt]{0,40}){0,3}", 0..4),
            k in 1..=LONGEST,
            cut in 0usize..80,
        ) {
            let pieces: Vec<[&str; 2]> = sequences.iter().map(|s| s.split_at(cut.min(s.len())).into()).collect();
            let pieces: Vec<&[&str]> = pieces.iter().map(|both| &both[..]).collect();
            let expected: Vec<String> = sequences.iter().flat_map(|s| naive(s, k as usize)).collect();
            prop_assert_eq!(extract(&pieces, k), expected);
        }

        #[test]
        fn the_order_of_numbers_is_that_of_texts(a in 0u64..1 << 62, b in 0u64..1 << 62) {
            prop_assert_eq!(a.cmp(&b), text(a, LONGEST).cmp(&text(b, LONGEST)));
        }
    }

    #[test]
    fn letters_that_break_kmers_and_ends_of_sequences_are_not_crossed() {
        assert_eq!(extract(&[&["ACNGT"], &["T", "G"]], 2), ["AC", "AC", "CA"]);
        assert_eq!(extract(&[&["AC"], &["GT"]], 3), [""; 0]);
        assert_eq!(extract(&[&["tTtT"]], 4), ["AAAA"]);
    }

    #[test]
    fn there_are_so_many_canonical_kmers() {
        for k in 1..=6 {
            let all = (0..1u64 << (2 * k)).map(|kmer| canonical(&text(kmer, k).chars().collect::<Vec<_>>()));
            assert_eq!(distinct(k), all.collect::<HashSet<_>>().len() as u64, "K = {k}");
        }
        assert_eq!(distinct(LONGEST), 1 << 61);
    }
}
