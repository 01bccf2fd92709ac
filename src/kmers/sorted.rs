//! All k-mers with their counts, sorted: distributed by their first letters, then each part is sorted by one
//! thread and written in its turn.

use super::kmer::{Kmer, push_text};
use super::spill::Spill;
use crate::failure::Failure;
use crate::output::Progress;
use crate::target::Bytes;
use rayon::prelude::*;
use std::io::Write;
use std::marker::PhantomData;

/// Bits of a part's number: five letters.
const BITS: u32 = 10;

/// K-mers that a thread holds back, about.
const HELD: usize = 1 << 16;

/// How k-mers are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub(crate) enum Format {
    /// Lines of k-mer, tab and count
    #[default]
    Tsv,
    /// Lines of k-mer, space and count, as `jellyfish dump -c`
    Columns,
    /// FASTA records of a k-mer with its count as name, as `jellyfish dump`
    Fasta,
}

/// K-mers with their counts, distributed by their first letters.
pub(super) struct Sorted<K> {
    k: u32,
    parts: usize,
    spill: Spill,
    kmers: PhantomData<K>,
}

/// Distributes k-mers for one thread.
pub(super) struct Sorter<'a, K> {
    all: &'a Sorted<K>,
    parts: Vec<Vec<u8>>,
    held: usize,
}

impl<K: Kmer> Sorted<K> {
    /// Of no k-mers yet. At most `limit` bytes are in memory; the rest is in a file in `folder`.
    pub(super) fn new(k: u32, limit: usize, folder: std::path::PathBuf) -> Self {
        let parts = 1 << BITS.min(2 * k);
        Self { k, parts, spill: Spill::new(parts, limit, folder), kmers: PhantomData }
    }

    pub(super) fn sorter(&self) -> Sorter<'_, K> {
        Sorter { all: self, parts: vec![Vec::new(); self.parts], held: 0 }
    }

    /// Writes all k-mers in their order.
    ///
    /// # Errors
    /// There is no memory; a file cannot be read or written.
    pub(super) fn write(&self, target: &mut Bytes, format: Format) -> Result<(), Failure> {
        let mut progress = Progress::new("writing", self.parts as u64);
        let at_once = 2 * rayon::current_num_threads();
        let texts = |from: usize| {
            let part = from..self.parts.min(from + at_once);
            part.into_par_iter().map(|part| self.text(part, format)).collect::<Result<Vec<_>, _>>()
        };
        let mut next = texts(0)?;
        for from in (0..self.parts).step_by(at_once) {
            let ready = std::mem::take(&mut next);
            let wrote = std::thread::scope(|scope| {
                // Made while this thread writes.
                let texts = std::thread::Builder::new().spawn_scoped(scope, || texts(from + at_once));
                let texts = texts.map_err(|e| Failure::input(format_args!("cannot start a thread: {e}")))?;
                ready.iter().try_for_each(|text| target.write(text))?;
                texts.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            next = wrote?;
            progress.at(from as u64);
        }
        Ok(())
    }

    /// The text of a part.
    fn text(&self, part: usize, format: Format) -> Result<Vec<u8>, Failure> {
        let bytes = self.spill.take(part)?;
        let size = K::BITS as usize / 8;
        let mut pairs = Vec::new();
        // A pair takes more than the bytes of its k-mer.
        pairs.try_reserve_exact(bytes.len() / (size + 1)).map_err(|_| no_memory(bytes.len()))?;
        let mut rest = &bytes[..];
        while let Some(pair) = take_pair::<K>(&mut rest) {
            pairs.push(pair);
        }
        drop(bytes);
        pairs.sort_unstable();
        // Names, separators and a count of up to 20 digits.
        let most =
            pairs.len() * (self.k as usize + 3) + pairs.iter().map(|pair| digits(pair.1)).sum::<usize>();
        let mut text = Vec::new();
        text.try_reserve_exact(most).map_err(|_| no_memory(most))?;
        for (kmer, count) in pairs {
            push_pair(kmer, count, self.k, format, &mut text);
        }
        Ok(text)
    }
}

impl<K: Kmer> Sorter<'_, K> {
    /// Adds a k-mer.
    #[inline]
    pub(super) fn add(&mut self, kmer: K, count: u64) -> Result<(), Failure> {
        let bits = kmer.bits();
        let part = (bits >> (2 * self.all.k - self.parts.len().ilog2())) as usize;
        let bytes = &mut self.parts[part];
        bytes.extend_from_slice(&bits.to_le_bytes()[..K::BITS as usize / 8]);
        let mut rest = count;
        // Seven bits a byte; the highest one says that more follow.
        while rest >= 1 << 7 {
            bytes.push(rest as u8 | 1 << 7);
            rest >>= 7;
        }
        bytes.push(rest as u8);
        self.held += 1;
        if self.held < HELD {
            return Ok(());
        }
        self.held = 0;
        self.all.spill.append(&mut self.parts)
    }

    /// Ends the k-mers of this thread.
    pub(super) fn finish(mut self) -> Result<(), Failure> {
        self.all.spill.append(&mut self.parts)
    }
}

/// Takes the first pair from bytes that [`Sorter::add`] wrote.
fn take_pair<K: Kmer>(bytes: &mut &[u8]) -> Option<(K, u64)> {
    let (kmer, rest) = bytes.split_at_checked(K::BITS as usize / 8)?;
    let mut bits = [0; 16];
    bits[..kmer.len()].copy_from_slice(kmer);
    let last = rest.iter().position(|byte| byte >> 7 == 0)?;
    let (count, rest) = rest.split_at(last + 1);
    *bytes = rest;
    let count = count.iter().rev().fold(0, |count, byte| count << 7 | u64::from(byte & 0x7f));
    Some((K::of_bits(u128::from_le_bytes(bits)), count))
}

/// Appends a pair as text.
fn push_pair<K: Kmer>(kmer: K, count: u64, k: u32, format: Format, text: &mut Vec<u8>) {
    let separator = match format {
        Format::Fasta => {
            let _ = writeln!(text, ">{count}");
            push_text(kmer, k, text);
            return text.push(b'\n');
        }
        Format::Tsv => b'\t',
        Format::Columns => b' ',
    };
    push_text(kmer, k, text);
    text.push(separator);
    match count {
        0..=9 => text.push(b'0' + count as u8),
        _ => drop(write!(text, "{count}")),
    }
    text.push(b'\n');
}

/// How many digits a count has.
fn digits(count: u64) -> usize {
    count.checked_ilog10().map_or(1, |log| log as usize + 1)
}

fn no_memory(bytes: usize) -> Failure {
    Failure::input(format_args!("out of memory for {bytes} bytes of sorted k-mers"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text<K: Kmer>(pairs: &[(K, u64)], k: u32, format: Format, limit: usize) -> String {
        let sorted = Sorted::new(k, limit, std::env::temp_dir());
        for part in pairs.chunks(3) {
            let mut sorter = sorted.sorter();
            part.iter().for_each(|&(kmer, count)| sorter.add(kmer, count).unwrap());
            sorter.finish().unwrap();
        }
        let texts =
            (0..sorted.parts).map(|part| String::from_utf8(sorted.text(part, format).unwrap()).unwrap());
        texts.collect()
    }

    proptest! {
        #[test]
        fn kmers_come_out_in_their_order(
            pairs in prop::collection::btree_map(any::<u128>(), 1u64.., 0..40),
            k in 1u32..=64,
            limit in 0usize..400,
        ) {
            let pairs: std::collections::BTreeMap<u128, u64> =
                pairs.into_iter().map(|(kmer, count)| (kmer >> (128 - 2 * k), count)).collect();
            let line = |kmer: u128, count: u64| format!("{}\t{count}\n", super::super::kmer::text(kmer, k));
            let expected: String = pairs.iter().map(|(&kmer, &count)| line(kmer, count)).collect();
            let long: Vec<_> = pairs.iter().rev().map(|(&kmer, &count)| (kmer, count)).collect();
            prop_assert_eq!(text(&long, k, Format::Tsv, limit), expected.clone());
            if k <= 32 {
                let short: Vec<_> = long.iter().map(|&(kmer, count)| (kmer as u64, count)).collect();
                prop_assert_eq!(text(&short, k, Format::Tsv, limit), expected);
            }
        }
    }

    #[test]
    fn formats_are_those_of_jellyfish() {
        let pairs = [(0b0001u64, 12), (0, 1)];
        assert_eq!(text(&pairs, 2, Format::Tsv, 9), "AA\t1\nAC\t12\n");
        assert_eq!(text(&pairs, 2, Format::Columns, 9), "AA 1\nAC 12\n");
        assert_eq!(text(&pairs, 2, Format::Fasta, 9), ">1\nAA\n>12\nAC\n");
    }
}
