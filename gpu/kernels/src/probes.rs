//! One kernel per memory access and order, so that a test can read the ordering table in the emitted PTX.
//!
//! Names: `probe_ACCESS_ORDER_WORD`, `probe_shared_...` for the words of a block, and `probe_nearby_...` for
//! words that may be read as they were before.

use warpproof_device::{CtaBlock, Global, Nearby, Tile};
use warpproof_model::{Block, IntegerWords, Order, ReadOrder, Warp, Words, WriteOrder};

/// A kernel that makes one access to word 1 of two words, in device memory or of a block, and writes what it
/// returned.
macro_rules! access {
    ([device $word:ident] $access:ident $order:ident |$words:ident, $value:ident| $made:expr) => {
        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn ${concat(probe_, $access, _, $order, _, $word)}(
            words: *mut $word,
            input: *const $word,
            out: *mut $word,
        ) {
            // SAFETY: never launched. If it were: with two words, one input and one output.
            unsafe {
                let ($words, $value) = (Global::<$word>::new(words, 2), input.read());
                out.write($made);
            }
        }
    };
    ([nearby] $access:ident $order:ident |$words:ident, $value:ident| $made:expr) => {
        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn ${concat(probe_nearby_, $access, _, $order)}(
            words: *mut u32,
            input: *const u32,
            out: *mut u32,
        ) {
            // SAFETY: never launched. If it were: with two words, one input and one output.
            unsafe {
                let ($words, $value) = (Nearby::new(Global::<u32>::new(words, 2)), input.read());
                out.write($made);
            }
        }
    };
    ([block] $access:ident $order:ident |$words:ident, $value:ident| $made:expr) => {
        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn ${concat(probe_shared_, $access, _, $order)}(
            input: *const u32,
            out: *mut u32,
        ) {
            // SAFETY: never launched. If it were: with two shared words, one input and one output.
            unsafe {
                let ($words, $value) = (CtaBlock::<32>::new().shared(), input.read());
                out.write($made);
            }
        }
    };
}

macro_rules! reads_and_writes {
    ($of:tt) => {
        access! { $of load relaxed |w, v| w.load(1, ReadOrder::Relaxed) ^ v }
        access! { $of load acquire |w, v| w.load(1, ReadOrder::Acquire) ^ v }
        access! { $of store relaxed |w, v| { w.store(1, v, WriteOrder::Relaxed); v } }
        access! { $of store release |w, v| { w.store(1, v, WriteOrder::Release); v } }
        exchanges! { $of relaxed Relaxed, acquire Acquire, release Release, acq_rel AcqRel }
    };
}

macro_rules! exchanges {
    ($of:tt $($order:ident $variant:ident),*) => {$(
        access! { $of cas $order |w, v| w.compare_exchange(1, v, !v, Order::$variant) }
        access! { $of swap $order |w, v| w.swap(1, v, Order::$variant) }
    )*};
}

macro_rules! counts {
    ($of:tt $($order:ident $variant:ident),*) => {$(
        access! { $of add $order |w, v| w.fetch_add(1, v, Order::$variant) }
        access! { $of or $order |w, v| w.fetch_or(1, v, Order::$variant) }
        access! { $of and $order |w, v| w.fetch_and(1, v, Order::$variant) }
    )*};
}

reads_and_writes! { [device u32] }
reads_and_writes! { [device u64] }
reads_and_writes! { [block] }
reads_and_writes! { [nearby] }
counts! { [device u32] relaxed Relaxed, acquire Acquire, release Release, acq_rel AcqRel }
counts! { [device u64] relaxed Relaxed, acquire Acquire, release Release, acq_rel AcqRel }
counts! { [block] relaxed Relaxed, acquire Acquire, release Release, acq_rel AcqRel }
#[cfg(feature = "b128")]
reads_and_writes! { [device u128] }

/// Rows as a probe of a slab reads them: as few vector loads as their alignment allows.
macro_rules! rows {
    ($($name:ident $word:ident $n:literal $order:ident,)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn $name(words: *mut $word, out: *mut $word) {
            // SAFETY: never launched. If it were: with one row and one output.
            unsafe {
                let row = Global::<$word>::new(words, $n).load_row::<$n>(0, ReadOrder::$order);
                out.write(row.iter().fold(0, |sum, word| sum ^ word));
            }
        }
    )*};
}
rows! {
    probe_row_relaxed_u32_2 u32 2 Relaxed,
    probe_row_relaxed_u32_4 u32 4 Relaxed,
    probe_row_relaxed_u64_2 u64 2 Relaxed,
    probe_row_relaxed_u64_4 u64 4 Relaxed,
    probe_row_acquire_u32_2 u32 2 Acquire,
    probe_row_acquire_u32_4 u32 4 Acquire,
    probe_row_acquire_u64_2 u64 2 Acquire,
    probe_row_acquire_u64_4 u64 4 Acquire,
}

/// One collective each of a tile of 4 lanes.
macro_rules! collectives {
    ($($name:ident |$tile:ident, $value:ident| $made:expr;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn $name(input: *const u64, out: *mut u64) {
            // SAFETY: never launched. If it were: by whole tiles, with one input and one output.
            unsafe {
                let ($tile, $value) = (&mut Tile::<4>::new(), input.read());
                out.write($made);
            }
        }
    )*};
}
collectives! {
    probe_ballot |w, v| w.ballot(v != 0).bits() as u64;
    probe_shfl_u32 |w, v| w.shfl(v as u32, 1) as u64;
    probe_shfl_u64 |w, v| w.shfl(v, 1);
    probe_shfl_bool |w, v| w.shfl(v != 0, 1) as u64;
    probe_sync |w, v| { w.sync(); v };
    probe_fence |w, v| { w.fence(); v };
    probe_fence_acquire |w, v| { w.fence_acquire(); v };
    probe_pause |w, v| { w.pause(); v };
}

/// One lane acts, and all learn the result: each shuffle is emitted once, after the branch.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn probe_elect(words: *mut u64, input: *const u64, out: *mut u64) {
    // SAFETY: never launched. If it were: by whole tiles, with two words, one input and one output.
    unsafe {
        let (w, words, value) = (&mut Tile::<4>::new(), Global::<u64>::new(words, 2), input.read());
        let lane = value as u32 % 4;
        out.write(w.elect(lane, || words.swap(1, value, Order::Relaxed)));
    }
}
