//! A grid of warps over rayon's threads.

use super::batch::{Batch, Beside, Record, Run};
use arrayvec::ArrayVec;
use core::mem::MaybeUninit;
use rayon::prelude::*;
use warpproof_model::bits::TableKey;

/// Operations that a thread runs one after the other before it asks for more.
const CHUNK: usize = 1024;

/// Runs the operations of a batch in its order, in parallel, and appends their answers to `out`, which has
/// room for them. Allocates no memory.
pub(super) fn launch<K: TableKey, B: Beside, T: Send>(
    batch: Batch<'_, K, B>,
    run: &dyn Run<Record<K, B>, T>,
    out: &mut Vec<T>,
) {
    let len = batch.keys.len();
    let room = &mut out.spare_capacity_mut()[..len];
    room.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, answers)| run_chunk(batch, run, chunk, answers));
    // SAFETY: the chunks have all places, and `run` has written every place of a chunk.
    unsafe { out.set_len(out.len() + len) };
}

/// Runs the operations of a chunk. Its records are in the stack frame of this function only: rayon's own
/// frames, of which there may be many, stay small.
#[inline(never)]
fn run_chunk<K: TableKey, B: Beside, T>(
    batch: Batch<'_, K, B>,
    run: &dyn Run<Record<K, B>, T>,
    chunk: usize,
    answers: &mut [MaybeUninit<T>],
) {
    let first = chunk * CHUNK;
    let records: ArrayVec<_, CHUNK> = (first..first + answers.len()).map(|i| batch.record(i)).collect();
    run.run(chunk as u32, &records, answers);
}

#[cfg(test)]
mod tests {
    use super::super::batch::Operations;
    use super::super::warp::{CpuWarp, Own};
    use super::*;
    use warpproof_model::Warp;

    #[test]
    fn launch_runs_every_operation_once_at_every_width() {
        fn check<const L: usize>() {
            // Miri takes a second for a hundred.
            let keys: Vec<u64> = (0..if cfg!(miri) { 200 } else { 5000 }).collect();
            let operations = Operations::new(
                |number| Own(CpuWarp::<L>::new(number)),
                |_| {},
                |w: &mut CpuWarp<L>, (key, ())| {
                    let lanes = w.each(|lane| lane);
                    let last = w.shfl(lanes, L as u32 - 1);
                    key * 100 + last as u64
                },
            );
            let mut out = Vec::with_capacity(1 + keys.len());
            out.push(7);
            launch(Batch { keys: &keys, beside: () }, &operations, &mut out);
            assert_eq!(out.remove(0), 7);
            assert!(out.iter().enumerate().all(|(i, &v)| v == i as u64 * 100 + L as u64 - 1));
            assert_eq!(out.len(), keys.len());
        }
        check::<1>();
        check::<2>();
        check::<4>();
        check::<8>();
        check::<16>();
        check::<32>();
    }
}
