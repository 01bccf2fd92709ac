//! One kernel per memory access and order: what the ordering table promises, to be read in the emitted PTX.
//!
//! Names: `probe_ACCESS_ORDER_WORD`, and `probe_shared_...` for the words of a block.

use warpproof_device::{CtaBlock, Global, Tile};
use warpproof_model::{Block, IntegerWords, Order, ReadOrder, Warp, Words, WriteOrder};

/// A kernel that makes one access to word 1 of an array of two and writes what it returned.
macro_rules! probe {
    ($access:ident $order:ident $word:ident, |$words:ident, $value:ident| $made:expr) => {
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
}

/// As [`probe!`] for the shared words of a block.
macro_rules! probe_shared {
    ($access:ident $order:ident, |$words:ident, $value:ident| $made:expr) => {
        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn ${concat(probe_shared_, $access, _, $order)}(input: *const u32, out: *mut u32) {
            // SAFETY: never launched. If it were: with two shared words, one input and one output.
            unsafe {
                let ($words, $value) = (CtaBlock::<32>::new().shared(), input.read());
                out.write($made);
            }
        }
    };
}

macro_rules! reads_and_writes {
    ($probe:ident $($word:ident)?) => {
        $probe!(load relaxed $($word)?, |w, v| w.load(1, ReadOrder::Relaxed) ^ v);
        $probe!(load acquire $($word)?, |w, v| w.load(1, ReadOrder::Acquire) ^ v);
        $probe!(store relaxed $($word)?, |w, v| { w.store(1, v, WriteOrder::Relaxed); v });
        $probe!(store release $($word)?, |w, v| { w.store(1, v, WriteOrder::Release); v });
        exchanges!($probe $($word)?, relaxed Relaxed, acquire Acquire, release Release, acq_rel AcqRel);
    };
}

macro_rules! exchanges {
    ($probe:ident $word:ident, $($order:ident $variant:ident),*) => {$(
        $probe!(cas $order $word, |w, v| w.compare_exchange(1, v, !v, Order::$variant));
        $probe!(swap $order $word, |w, v| w.swap(1, v, Order::$variant));
    )*};
    ($probe:ident, $($order:ident $variant:ident),*) => {$(
        $probe!(cas $order, |w, v| w.compare_exchange(1, v, !v, Order::$variant));
        $probe!(swap $order, |w, v| w.swap(1, v, Order::$variant));
    )*};
}

macro_rules! counts {
    ($probe:ident $word:ident, $($order:ident $variant:ident),*) => {$(
        $probe!(add $order $word, |w, v| w.fetch_add(1, v, Order::$variant));
        $probe!(or $order $word, |w, v| w.fetch_or(1, v, Order::$variant));
        $probe!(and $order $word, |w, v| w.fetch_and(1, v, Order::$variant));
    )*};
    ($probe:ident, $($order:ident $variant:ident),*) => {$(
        $probe!(add $order, |w, v| w.fetch_add(1, v, Order::$variant));
        $probe!(or $order, |w, v| w.fetch_or(1, v, Order::$variant));
        $probe!(and $order, |w, v| w.fetch_and(1, v, Order::$variant));
    )*};
}

reads_and_writes!(probe u32);
reads_and_writes!(probe u64);
reads_and_writes!(probe_shared);
counts!(probe u32, relaxed Relaxed, acquire Acquire, release Release, acq_rel AcqRel);
counts!(probe u64, relaxed Relaxed, acquire Acquire, release Release, acq_rel AcqRel);
counts!(probe_shared, relaxed Relaxed, acquire Acquire, release Release, acq_rel AcqRel);
#[cfg(feature = "b128")]
reads_and_writes!(probe u128);

/// A row as a probe of a slab reads it: as few vector loads as its alignment allows.
macro_rules! probe_row {
    ($name:ident $word:ident $n:literal $order:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn $name(words: *mut $word, out: *mut $word) {
            // SAFETY: never launched. If it were: with one row and one output.
            unsafe {
                let row = Global::<$word>::new(words, $n).load_row::<$n>(0, ReadOrder::$order);
                out.write(row.iter().fold(0, |sum, word| sum ^ word));
            }
        }
    };
}
probe_row!(probe_row_relaxed_u32_2 u32 2 Relaxed);
probe_row!(probe_row_relaxed_u32_4 u32 4 Relaxed);
probe_row!(probe_row_relaxed_u64_2 u64 2 Relaxed);
probe_row!(probe_row_relaxed_u64_4 u64 4 Relaxed);
probe_row!(probe_row_acquire_u32_2 u32 2 Acquire);
probe_row!(probe_row_acquire_u32_4 u32 4 Acquire);
probe_row!(probe_row_acquire_u64_2 u64 2 Acquire);
probe_row!(probe_row_acquire_u64_4 u64 4 Acquire);

/// A kernel that makes one collective of a tile of 4 lanes.
macro_rules! probe_tile {
    ($name:ident |$tile:ident, $value:ident| $made:expr) => {
        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn $name(input: *const u64, out: *mut u64) {
            // SAFETY: never launched. If it were: by whole tiles, with one input and one output.
            unsafe {
                let ($tile, $value) = (&mut Tile::<4>::new(), input.read());
                out.write($made);
            }
        }
    };
}
probe_tile!(probe_ballot | w, v | w.ballot(v != 0).bits() as u64);
probe_tile!(probe_shfl_u32 | w, v | w.shfl(v as u32, 1) as u64);
probe_tile!(probe_shfl_u64 | w, v | w.shfl(v, 1));
probe_tile!(probe_shfl_bool | w, v | w.shfl(v != 0, 1) as u64);
probe_tile!(
    probe_sync | w,
    v | {
        w.sync();
        v
    }
);
probe_tile!(
    probe_fence | w,
    v | {
        w.fence();
        v
    }
);
probe_tile!(
    probe_fence_acquire | w,
    v | {
        w.fence_acquire();
        v
    }
);
probe_tile!(
    probe_pause | w,
    v | {
        w.pause();
        v
    }
);

/// One lane acts, all learn: each shuffle stands once, behind the branch.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn probe_elect(words: *mut u64, input: *const u64, out: *mut u64) {
    // SAFETY: never launched. If it were: by whole tiles, with two words, one input and one output.
    unsafe {
        let (w, words, value) = (&mut Tile::<4>::new(), Global::<u64>::new(words, 2), input.read());
        let lane = value as u32 % 4;
        out.write(w.elect(lane, || words.swap(1, value, Order::Relaxed)));
    }
}
