//! The rate of false positives of a filter, and the size for a rate.

use super::bloom::BLOCK_WORDS;
use crate::host::Refused;

/// Bits of a word.
const BITS: f64 = 64.0;
/// The most keys of a block in a filter that is made for a rate.
const MOST: f64 = 512.0;

/// The expected rate of false positives of a filter of so many blocks, into which so many different keys were
/// inserted: the part of other keys that it takes for inserted. `blocks` is at least 1.
pub fn rate_of(keys: u64, blocks: u32) -> f64 {
    rate_at(keys as f64 / f64::from(blocks.max(1)))
}

/// How many blocks a filter needs, so that so many keys make a rate of false positives of at most `rate`.
///
/// # Errors
/// [`Refused::Rate`] unless the rate is above 0 and below 1; [`Refused::TooLarge`].
pub fn blocks_for(keys: u64, rate: f64) -> Result<u32, Refused> {
    if !(rate > 0.0 && rate < 1.0) {
        return Err(Refused::Rate { rate });
    }
    // The rate grows with the keys of a block: the most keys for this rate, by halving.
    let (mut low, mut high) = (0.0, MOST);
    for _ in 0..64 {
        let middle = (low + high) / 2.0;
        if rate_at(middle) <= rate { low = middle } else { high = middle }
    }
    let blocks = (keys as f64 / low).ceil().max(1.0);
    let most = u64::from(u32::MAX);
    if blocks > most as f64 {
        return Err(Refused::TooLarge { what: "blocks", found: blocks as u64, most });
    }
    Ok(blocks as u32)
}

/// The rate of false positives at a mean number of keys in a block.
///
/// How many keys a block has is distributed as Poisson says. A key is taken for inserted if its bit is set in
/// each word of its block; with `i` keys there, a bit is clear with a probability of (63/64)^i.
fn rate_at(mean: f64) -> f64 {
    let last = (mean + 12.0 * mean.sqrt() + 30.0) as u32;
    let (mut probability, mut clear, mut sum) = ((-mean).exp(), 1.0, 0.0);
    for keys in 0..=last {
        sum += probability * (1.0f64 - clear).powi(BLOCK_WORDS as i32);
        probability *= mean / f64::from(keys + 1);
        clear *= 1.0 - 1.0 / BITS;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_for_a_rate_keeps_it_and_a_smaller_one_does_not() {
        for keys in [1, 100, 12_345, 10_000_000] {
            for rate in [1e-9, 1e-6, 0.001, 0.01, 0.1, 0.5, 0.9] {
                let blocks = blocks_for(keys, rate).expect("a rate");
                assert!(rate_of(keys, blocks) <= rate, "{keys} keys at {rate}");
                assert!(blocks == 1 || rate_of(keys, blocks - 1) > rate, "{keys} keys at {rate}");
            }
        }
        assert_eq!(blocks_for(0, 0.01), Ok(1));
        assert_eq!(rate_of(0, 1), 0.0);
    }

    /// By the binomial theorem the mean of `(1 - (63/64)^i)^8` over numbers `i` of keys, distributed as
    /// Poisson says, is a sum of nine exponential functions.
    #[test]
    fn the_rate_is_the_mean_over_all_numbers_of_keys() {
        const CHOOSE: [f64; 9] = [1.0, -8.0, 28.0, -56.0, 70.0, -56.0, 28.0, -8.0, 1.0];
        for mean in [16u32, 25, 50, 100, 256, 400, 511] {
            let term = |(j, choose)| choose * (-f64::from(mean) * (1.0 - (63.0f64 / 64.0).powi(j))).exp();
            let expected: f64 = (0..).zip(CHOOSE).map(term).sum();
            let found = rate_of(mean.into(), 1);
            assert!((found / expected - 1.0).abs() < 1e-8, "{mean} keys: {found} and not {expected}");
        }
    }

    /// 256 keys of a block are half of the most, so that halving meets them exactly.
    #[test]
    fn the_size_for_the_rate_of_a_size_is_that_size() {
        let rate = rate_of(256, 1);
        for blocks in [1, 1000, u32::MAX] {
            assert_eq!(blocks_for(256 * u64::from(blocks), rate), Ok(blocks));
        }
        let found = Err(Refused::TooLarge { what: "blocks", found: 1 << 32, most: u32::MAX.into() });
        assert_eq!(blocks_for(256 << 32, rate), found);
    }

    #[test]
    fn no_block_is_as_one_block() {
        assert_eq!(rate_of(100, 0), rate_of(100, 1));
    }

    /// A filter without blocks takes 9.6 bits for a key at a rate of 0.01, and 14.4 at 0.001.
    #[test]
    fn a_key_takes_little_more_than_in_a_filter_without_blocks() {
        for (rate, bits) in [(0.01, 10.7), (0.001, 16.4)] {
            let blocks = blocks_for(1_000_000, rate).expect("a rate");
            assert!(f64::from(blocks) * 512.0 / 1e6 < bits, "{}", f64::from(blocks) * 512.0 / 1e6);
        }
    }

    #[test]
    fn rates_and_sizes_that_cannot_be_are_refused() {
        for rate in [0.0, 1.0, -0.1, 1.5, f64::NAN, f64::INFINITY] {
            assert!(matches!(blocks_for(10, rate), Err(Refused::Rate { .. })), "{rate}");
        }
        for (keys, rate) in [(u64::MAX, 0.01), (1 << 40, 1e-300), (1 << 50, 0.99999)] {
            assert!(matches!(blocks_for(keys, rate), Err(Refused::TooLarge { .. })), "{keys} at {rate}");
        }
    }
}
