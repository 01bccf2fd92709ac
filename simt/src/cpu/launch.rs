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

#[cfg(test)]
mod tests {
    use super::super::warp::CpuWarp;
    use super::*;
    use warpproof_model::Warp;

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
