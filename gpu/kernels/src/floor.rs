//! Kernels that measure the floors of random access: they make only the accesses to memory that any operation
//! of a table must make.

use crate::entry::{Count, In, Out, Tiles};
use crate::store::store;
use warpproof_model::key::{fastrange, mix};
use warpproof_model::{Order, ReadOrder, Warp, Words};

/// Keeps a stream busy: one lane sleeps `naps` times, 20 ns or a little more each.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hold(naps: u32) {
    // SAFETY: the launch is of one block; nothing is read or written.
    let tiles = unsafe { Tiles::<1>::new() };
    tiles.per_number(1, |w, _| {
        for _ in 0..naps {
            w.pause();
        }
    });
}

/// Floor of a find: a key in, one 8-byte slot at random, a value out. One lane per operation.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn floor_find_u32(
    slots: *mut u64,
    len: u32,
    keys: In<u32>,
    values: Out<u32>,
    n: Count,
) {
    // SAFETY: the launch passes `len` slots and keeps to the types of its arguments.
    let (slots, tiles) = unsafe { (store(slots, len as usize), Tiles::<1>::new()) };
    tiles.per_tile(n, |w, op| {
        let slot = fastrange(mix(keys.read(op)), len) as usize;
        // Relaxed: only this word matters.
        values.write(w, op, (slots.load(slot, ReadOrder::Relaxed) >> 32) as u32);
    });
}

/// Floor of an insert: a key and a value in, one compare-and-swap of an 8-byte slot at random. One lane per
/// operation.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn floor_insert_u32(
    slots: *mut u64,
    len: u32,
    keys: In<u32>,
    values: In<u32>,
    n: Count,
) {
    // SAFETY: the launch passes `len` slots and keeps to the types of its arguments.
    let (slots, tiles) = unsafe { (store(slots, len as usize), Tiles::<1>::new()) };
    tiles.per_tile(n, |_, op| {
        let key = keys.read(op);
        let pair = key as u64 | (values.read(op) as u64) << 32;
        // Relaxed: only this word matters.
        slots.compare_exchange(fastrange(mix(key), len) as usize, u64::MAX, pair, Order::Relaxed);
    });
}

/// Floor of an insert that looks first: a tile of 4 reads a bucket of 64 bytes at random, then one of its
/// lanes replaces the first word that it read.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn floor_bucket_cas(
    slots: *mut u64,
    buckets: u32,
    keys: In<u32>,
    values: In<u32>,
    n: Count,
) {
    // SAFETY: the launch passes 8 slots per bucket and keeps to the types of its arguments.
    let (slots, tiles) = unsafe { (store(slots, buckets as usize * 8), Tiles::<4>::new()) };
    tiles.per_tile(n, |w, op| {
        let key = keys.read(op);
        let pair = key as u64 | (values.read(op) as u64) << 32;
        let bucket = fastrange(mix(key), buckets) as usize;
        // Relaxed, both: only this word matters.
        let row = w.each(|lane| slots.load_row::<2>(bucket * 4 + lane as usize, ReadOrder::Relaxed));
        // The vote makes the exchange wait for the whole bucket, as an insert does.
        let same = w.map(row, |_, [a, b]| a == pair || b == pair);
        if !w.ballot(same).any() {
            let lane = key % 4;
            let _ = w.map(row, |l, [seen, _]| {
                if l == lane {
                    slots.compare_exchange(bucket * 8 + l as usize * 2, seen, pair, Order::Relaxed);
                }
            });
        }
    });
}
