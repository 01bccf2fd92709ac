//! A grid of warps over rayon's threads.

use super::warp::GridWarp;
use rayon::prelude::*;

/// Operations that a thread runs one after the other before it asks for more.
const CHUNK: usize = 1024;

/// How many operations ahead a thread asks for the memory of the next one. Measured between 0 and 64 (BENCHMARKS.md).
pub const LOOKAHEAD: usize = 24;

/// Runs `f(warp, index)` for every index of `out` and stores what it returns, in parallel.
///
/// `prefetch(index)` is called [`LOOKAHEAD`] operations ahead of `f(_, index)`, to hide the latency of the
/// memory that it will touch.
pub fn launch<W: GridWarp, T: Send>(
    out: &mut [T],
    prefetch: impl Fn(usize) + Sync,
    f: impl Fn(&mut W, usize) -> T + Sync,
) {
    out.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, out)| {
        let base = chunk * CHUNK;
        let mut warp = W::numbered(chunk as u32);
        for i in 0..LOOKAHEAD.min(out.len()) {
            prefetch(base + i);
        }
        for i in 0..out.len() {
            if i + LOOKAHEAD < out.len() {
                prefetch(base + i + LOOKAHEAD);
            }
            out[i] = f(&mut warp, base + i);
        }
    });
}

/// Bytes of a table from which on a batch is sorted: as large as the cache that all cores share where it was measured. Other sizes
/// were not.
const LARGE: usize = 32 << 20;
/// The highest bits of the hash, as many, say in which region of a table a key's home is. From 6 to 11 are as fast (BENCHMARKS.md).
const REGION_BITS: u32 = 8;
/// Operations that a thread sorts at a time, at most: their input is some megabytes, whose pages a core can translate without
/// looking them up. Measured from 2^17 to 2^22 (BENCHMARKS.md).
const SORTED: usize = 1 << 19;

/// Whether `n` operations on a table of so many bytes are to be run region by region: if the table is large, and there is an
/// operation for each four of its lines.
pub(super) const fn by_region(bytes: usize, n: usize) -> bool {
    bytes >= LARGE && n >= bytes / 256
}

/// [`launch`] in another order: a thread runs the operations of its part of the batch by the regions of their homes.
///
/// `near(index)` asks for the memory of the operation's input, twice [`LOOKAHEAD`] operations ahead, as that is read in any order.
pub(super) fn launch_by_region<W: GridWarp, T: Send>(
    out: &mut [T],
    hash: impl Fn(usize) -> u32 + Sync,
    near: impl Fn(usize) + Sync,
    prefetch: impl Fn(usize) + Sync,
    f: impl Fn(&mut W, usize) -> T + Sync,
) {
    let part = out.len().div_ceil(rayon::current_num_threads()).clamp(1, SORTED);
    out.par_chunks_mut(part).enumerate().for_each(|(number, out)| {
        let base = number * part;
        let order = order(out.len(), |i| hash(base + i));
        let mut warp = W::numbered(number as u32);
        for j in 0..order.len() + 2 * LOOKAHEAD {
            if let Some(&i) = order.get(j) {
                near(base + i as usize);
            }
            if let Some(&i) = j.checked_sub(LOOKAHEAD).and_then(|j| order.get(j)) {
                prefetch(base + i as usize);
            }
            if let Some(&i) = j.checked_sub(2 * LOOKAHEAD).and_then(|j| order.get(j)) {
                out[i as usize] = f(&mut warp, base + i as usize);
            }
        }
    });
}

/// The numbers below `n`, of which there are no more than [`SORTED`], by the regions of their hashes, those of one region in their own
/// order.
fn order(n: usize, hash: impl Fn(usize) -> u32) -> Vec<u32> {
    let region = |i| (hash(i) >> (u32::BITS - REGION_BITS)) as usize;
    let mut next = [0u32; 1 << REGION_BITS];
    for i in 0..n {
        next[region(i)] += 1;
    }
    let mut before = 0;
    for next in &mut next {
        before += core::mem::replace(next, before);
    }
    let mut order = vec![0; n];
    for i in 0..n {
        let next = &mut next[region(i)];
        order[*next as usize] = i as u32;
        *next += 1;
    }
    order
}

#[cfg(test)]
mod tests {
    use super::super::warp::CpuWarp;
    use super::*;
    use warpproof_model::Warp;

    #[test]
    fn a_sorted_batch_runs_every_index_once() {
        for n in [0, 1, 1000, 5000] {
            let hash = |i: usize| (i as u32).wrapping_mul(0x9e37_79b9);
            let mut out = vec![0u64; n];
            let quiet = |_| {};
            launch_by_region::<CpuWarp<2>, _>(&mut out, hash, quiet, quiet, |_, i| i as u64 + 7);
            assert!(out.iter().enumerate().all(|(i, &said)| said == i as u64 + 7), "{n}");
            let order = order(n, hash);
            let key = |&i: &u32| (hash(i as usize) >> (32 - REGION_BITS), i);
            assert!(order.is_sorted_by_key(key) && order.len() == n);
        }
    }

    #[test]
    fn large_batches_on_large_tables_are_sorted() {
        assert!(by_region(LARGE, 1 << 20) && by_region(1 << 38, 1 << 31));
        assert!(!by_region(LARGE - 1, 1 << 20) && !by_region(LARGE, 1000) && !by_region(1 << 40, 1 << 31));
    }

    #[test]
    fn launch_runs_every_index_once_at_every_width() {
        fn check<const L: usize>() {
            let mut out = vec![0u64; 5000];
            launch::<CpuWarp<L>, _>(
                &mut out,
                |_| {},
                |w, i| {
                    let lanes = w.each(|lane| lane);
                    let last = w.shfl(lanes, L as u32 - 1);
                    i as u64 * 100 + last as u64
                },
            );
            assert!(out.iter().enumerate().all(|(i, &v)| v == i as u64 * 100 + L as u64 - 1));
        }
        check::<1>();
        check::<2>();
        check::<4>();
        check::<8>();
        check::<16>();
        check::<32>();
    }
}
