//! The order in which a key probes the buckets of a table.

use crate::key::fastrange;
use core::marker::PhantomData;

/// A probing scheme: the distance between the buckets that a key probes.
pub trait Probing: Copy + Send + Sync + 'static {
    /// The distance from a bucket to the next one, for a key whose hash has this low half, modulo `buckets`:
    /// at least one, and less than `buckets` if there are several. If it has no common factor with `buckets`,
    /// all buckets are probed in turn.
    fn stride(hash: u32, buckets: u32) -> u32;

    /// The most buckets that a key probes: at least one, and no more than there are.
    #[inline(always)]
    fn most(buckets: u32) -> u32 {
        buckets
    }
}

/// The next bucket: all keys of a bucket probe the same ones. Two buckets of 64 bytes that are read one after
/// the other are often in one line.
#[derive(Clone, Copy, Debug)]
pub struct Linear;

impl Probing for Linear {
    #[inline(always)]
    fn stride(_: u32, _: u32) -> u32 {
        1
    }
}

/// A distance from the low half of the hash: keys of a bucket probe different ones. All buckets are probed if
/// their number is prime.
#[derive(Clone, Copy, Debug)]
pub struct DoubleHashing;

impl Probing for DoubleHashing {
    #[inline(always)]
    fn stride(hash: u32, buckets: u32) -> u32 {
        // The home comes from the other half of the hash.
        1 + fastrange(hash, buckets - 1)
    }
}

/// The most buckets that a key probes by [`BoundedStride`].
pub const MOST_PROBES: u32 = 512;

/// [`DoubleHashing`] with distances up to `N`, and at most [`MOST_PROBES`] buckets: keys of a bucket probe
/// different ones, all near it. If a batch runs region by region of a table, the next bucket is nearly always
/// in the same region. With `N` = 256, keys probe as few buckets as with [`DoubleHashing`], within 0.5 %, up
/// to a load of 0.97, and 1 % more at 0.99 (`notes/cpu.md`, *Near buckets*).
///
/// An insert that finds them all full returns `Full` after 512 buckets, however large the table is. In tables
/// of 2^21 slots, in buckets of four and of eight, that happened to no key up to a load of 0.98
/// (`cargo test --test bounded_probes`). In a table of up to [`MOST_PROBES`] buckets, a prime number of them,
/// all are probed.
#[derive(Clone, Copy, Debug)]
pub struct BoundedStride<const N: u32 = 256>;

impl<const N: u32> Probing for BoundedStride<N> {
    #[inline(always)]
    fn stride(hash: u32, buckets: u32) -> u32 {
        const { assert!(N >= 1, "the next bucket is another one") };
        DoubleHashing::stride(hash, if buckets <= N { buckets } else { N + 1 })
    }

    #[inline(always)]
    fn most(buckets: u32) -> u32 {
        if buckets < MOST_PROBES { buckets } else { MOST_PROBES }
    }
}

/// The first `N` buckets of another scheme, or all if there are fewer. An insert that finds them full returns
/// `Full`, even if there is room elsewhere: for tables in which the key then has another place.
#[derive(Clone, Copy, Debug)]
pub struct Bounded<P, const N: u32>(PhantomData<P>);

impl<P: Probing, const N: u32> Probing for Bounded<P, N> {
    #[inline(always)]
    fn stride(hash: u32, buckets: u32) -> u32 {
        P::stride(hash, buckets)
    }

    #[inline(always)]
    fn most(buckets: u32) -> u32 {
        const { assert!(N >= 1, "a key probes one bucket at least") };
        if buckets < N { P::most(buckets) } else { N }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_no_more_than_there_is() {
        type Two = Bounded<DoubleHashing, 2>;
        assert_eq!([1, 2, 3, 1000].map(Two::most), [1, 2, 2, 2]);
        assert_eq!([1, 1000].map(Linear::most), [1, 1000]);
        assert_eq!([1, 511, 512, 513, u32::MAX].map(<BoundedStride>::most), [1, 511, 512, 512, 512]);
        assert_eq!(Two::stride(7 << 24, 1000), DoubleHashing::stride(7 << 24, 1000));
    }

    #[test]
    fn a_stride_is_within_the_table() {
        for buckets in [1, 2, 3, 7, 65_537, u32::MAX] {
            for hash in [0, 1, 0xdead_beef, u32::MAX] {
                let near = BoundedStride::<256>::stride(hash, buckets);
                assert!(near <= 256, "{near} of {buckets}");
                let strides = [Linear::stride(hash, buckets), DoubleHashing::stride(hash, buckets), near];
                assert!(
                    strides.iter().all(|&s| s >= 1 && (s < buckets || buckets == 1)),
                    "{strides:?} of {buckets}"
                );
            }
        }
    }
}
