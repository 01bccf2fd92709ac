//! Kernels that call tables: sums per key, an update of one's own, calls of CPU threads, and changes without
//! end.
#![cfg(target_arch = "nvptx64")]
#![no_std]
#![feature(abi_ptx, asm_experimental_arch)]

mod churn;
mod ranges;
mod serve;
mod sums;

/// Words of the epochs: each of the three in a cache line of its own.
const EPOCH_WORDS: usize = 48;

// The panic handler and the name of the shared memory.
warpproof_device::kernel_crate!();
