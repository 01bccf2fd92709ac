//! Keys and values of either width, and random ones from a fixed seed.

use warpproof::model::Key;

/// A key or value that the suite can make from a u64.
pub(crate) trait Number: Key {
    /// The number, cut to the width.
    fn of(n: u64) -> Self;
    /// The largest value.
    const MAX: Self;
}

macro_rules! number {
    ($($number:ident)+) => {
        $(impl Number for $number {
            fn of(n: u64) -> Self {
                n as Self
            }
            const MAX: Self = $number::MAX;
        })+
    };
}
number! { u32 u64 }

/// SplitMix64 (Steele, Lea, Flood, 2014).
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    /// The next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

/// `n` distinct keys spread over the whole range: an odd multiplier permutes the numbers of any width. Keys
/// number 0 and 1 are the highest one and the lowest one that no slot can hold.
pub(crate) fn distinct<K: Number>(n: usize, from: u64) -> Vec<K> {
    let key = |number: u64| K::of(!number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let exchanged = |number| match number {
        1 => K::FIRST_RESERVED,
        _ if key(number) == K::FIRST_RESERVED => key(1),
        _ => key(number),
    };
    (from..).take(n).map(exchanged).collect()
}

/// `n` distinct keys from the number `from` on, without the keys that no slot can hold.
pub(crate) fn slot_keys<K: Number>(n: usize, from: u64) -> Vec<K> {
    distinct(n, from + 2)
}

/// A value for each key, which is not the key.
pub(crate) fn values<K: Number>(keys: &[K]) -> Vec<K> {
    keys.iter().map(|k| K::of(!(k.to_bits() as u64))).collect()
}

/// The numbers 0 to `n - 1`.
pub(crate) fn numbers<K: Number>(n: usize) -> Vec<K> {
    (0..n as u64).map(K::of).collect()
}

/// All items, so often one after the other.
pub(crate) fn repeat<T: Copy>(items: &[T], times: usize) -> Vec<T> {
    (0..times).flat_map(|_| items.iter().copied()).collect()
}
