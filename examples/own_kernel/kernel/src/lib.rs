//! Kernels that call tables: sums per key, calls of CPU threads, and changes without end.
#![cfg(target_arch = "nvptx64")]
#![no_std]
#![feature(abi_ptx, asm_experimental_arch)]

mod churn;
mod serve;
mod sums;

// The panic handler and the name of the shared memory.
warpproof_device::kernel_crate!();
