//! Two kernels that call tables: sums per key, and calls of CPU threads.
#![cfg(target_arch = "nvptx64")]
#![no_std]
#![feature(abi_ptx, asm_experimental_arch)]

mod serve;
mod sums;

// The panic handler and the name of the shared memory.
warpproof_device::kernel_crate!();
