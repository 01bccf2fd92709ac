//! In which order the buckets of a table are probed.

use crate::key::{fastrange, mix};

/// A probing scheme: how far apart the buckets are that a key probes.
pub trait Probing: Copy {
    /// The distance from one bucket to the next that a key with this hash probes, modulo `buckets`: at least one, and less than
    /// `buckets` if there are several. All buckets are probed in turn if it has no common factor with `buckets`.
    fn stride(hash: u32, buckets: u32) -> u32;
}

/// The next bucket: all keys of a bucket probe the same ones. Two buckets of 64 bytes that are read one after the other are
/// often in one line.
#[derive(Clone, Copy, Debug)]
pub struct Linear;

impl Probing for Linear {
    #[inline(always)]
    fn stride(_: u32, _: u32) -> u32 {
        1
    }
}

/// A distance by another hash of the key: keys of a bucket probe different ones. In a prime number of buckets all are
/// probed.
#[derive(Clone, Copy, Debug)]
pub struct DoubleHashing;

impl Probing for DoubleHashing {
    #[inline(always)]
    fn stride(hash: u32, buckets: u32) -> u32 {
        // Any odd constant will do: the home is from the hash itself.
        1 + fastrange(mix(hash ^ 0x9e37_79b9), buckets - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stride_is_within_the_table() {
        for buckets in [1, 2, 3, 7, 65_537, u32::MAX] {
            for hash in [0, 1, 0xdead_beef, u32::MAX] {
                let strides = [Linear::stride(hash, buckets), DoubleHashing::stride(hash, buckets)];
                assert!(
                    strides.iter().all(|&s| s >= 1 && (s < buckets || buckets == 1)),
                    "{strides:?} of {buckets}"
                );
            }
        }
    }
}
