//! K-mers as numbers: 2 bits a letter, A 0, C 1, G 2, T 3, with the first letter in the highest bits. Their
//! order is that of their text.

use core::ops::{BitAnd, BitOr, Not, Shl, Shr};
use std::hash::Hash;

/// The largest K: 128 bits.
pub(crate) const LONGEST: u32 = 64;

/// A number that holds a k-mer: `u64` of up to 32 letters, `u128` of up to 64.
pub(super) trait Kmer:
    Copy
    + Ord
    + Hash
    + Send
    + Sync
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Not<Output = Self>
    + From<u8>
{
    /// Its bits.
    const BITS: u32;

    /// Its lowest eight bits.
    fn low(self) -> u8;

    /// Its bits.
    fn bits(self) -> u128;

    /// The number of these bits.
    fn of_bits(bits: u128) -> Self;
}

impl Kmer for u64 {
    const BITS: u32 = u64::BITS;

    #[inline(always)]
    fn low(self) -> u8 {
        self as u8
    }

    #[inline(always)]
    fn bits(self) -> u128 {
        self.into()
    }

    #[inline(always)]
    fn of_bits(bits: u128) -> Self {
        bits as u64
    }
}

impl Kmer for u128 {
    const BITS: u32 = u128::BITS;

    #[inline(always)]
    fn low(self) -> u8 {
        self as u8
    }

    #[inline(always)]
    fn bits(self) -> u128 {
        self
    }

    #[inline(always)]
    fn of_bits(bits: u128) -> Self {
        bits
    }
}

/// The last K letters of a sequence.
#[derive(Clone)]
pub(super) struct Window<K> {
    k: u32,
    /// The letters, and their reverse complement.
    forward: K,
    reverse: K,
    /// Ones at the letters.
    mask: K,
}

impl<K: Kmer> Window<K> {
    /// A window of `k` letters, from 1 to half of the bits of the number.
    pub(super) fn new(k: u32) -> Self {
        let (zero, all) = (K::from(0), !K::from(0));
        Self { k, forward: zero, reverse: zero, mask: all >> (K::BITS - 2 * k) }
    }

    /// Moves on by the letter with this code.
    #[inline(always)]
    pub(super) fn push(&mut self, code: u8) {
        self.forward = (self.forward << 2 | K::from(code)) & self.mask;
        // The codes of a letter and its complement add up to 3.
        self.reverse = self.reverse >> 2 | K::from(3 - code) << (2 * (self.k - 1));
    }

    /// The canonical k-mer: the smaller one of the letters and their reverse complement.
    #[inline(always)]
    pub(super) fn canonical(&self) -> K {
        self.forward.min(self.reverse)
    }
}

/// Appends the text of a k-mer.
#[inline]
pub(super) fn push_text<K: Kmer>(kmer: K, k: u32, text: &mut Vec<u8>) {
    text.extend((0..k).rev().map(|i| b"ACGT"[((kmer >> (2 * i)).low() & 3) as usize]));
}

/// The text of a k-mer.
pub(super) fn text<K: Kmer>(kmer: K, k: u32) -> String {
    let mut text = Vec::new();
    push_text(kmer, k, &mut text);
    text.into_iter().map(char::from).collect()
}

/// How many canonical k-mers of up to 31 letters there are: half of all k-mers, and half of those that are
/// their own reverse complement, which exist for an even K.
pub(super) const fn distinct(k: u32) -> u64 {
    let own = if k.is_multiple_of(2) { 1 << k } else { 0 };
    ((1 << (2 * k)) + own) / 2
}

/// The code of a letter that breaks k-mers.
pub(super) const BREAK: u8 = 4;

/// The code of each letter, in either case.
pub(super) const CODES: [u8; 256] = {
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

/// The definitions, on text, for tests.
#[cfg(test)]
pub(super) mod definition {
    /// The canonical k-mers of a sequence.
    pub(crate) fn kmers(sequence: &str, k: usize) -> Vec<String> {
        let sequence: Vec<char> = sequence.to_uppercase().chars().collect();
        let whole = sequence.windows(k).filter(|kmer| kmer.iter().all(|letter| "ACGT".contains(*letter)));
        whole.map(canonical).collect()
    }

    pub(crate) fn canonical(kmer: &[char]) -> String {
        let complement = |letter: &char| match letter {
            'A' => 'T',
            'C' => 'G',
            'G' => 'C',
            _ => 'A',
        };
        let reverse: String = kmer.iter().rev().map(complement).collect();
        reverse.min(kmer.iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    proptest! {
        #[test]
        fn the_order_of_numbers_is_that_of_texts(a: u128, b: u128) {
            prop_assert_eq!(a.cmp(&b), text(a, 64).cmp(&text(b, 64)));
            let (a, b) = (a as u64, b as u64);
            prop_assert_eq!(a.cmp(&b), text(a, 32).cmp(&text(b, 32)));
        }
    }

    #[test]
    fn there_are_so_many_canonical_kmers() {
        for k in 1..=6 {
            let all = (0..1u64 << (2 * k))
                .map(|kmer| definition::canonical(&text(kmer, k).chars().collect::<Vec<_>>()));
            assert_eq!(distinct(k), all.collect::<HashSet<_>>().len() as u64, "K = {k}");
        }
        assert_eq!(distinct(31), 1 << 61);
    }
}
