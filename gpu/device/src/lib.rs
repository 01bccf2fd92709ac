//! The Warp, Block and memory contracts on NVIDIA PTX.
//!
//! A library for kernels written in Rust: our own entry points (`warpproof-kernels`) and a user's. It builds
//! only for `nvptx64-nvidia-cuda` and is empty elsewhere.
//!
//! - [`Tile`]: a [`Warp`](warpproof_model::Warp) of 1 to 32 neighbouring threads.
//! - [`Global`]: words in device memory, at `.gpu` scope. [`Frozen`]: those that nobody writes for a while.
//!   [`Kept`]: those that the L2 cache keeps. [`Nearby`]: hints, which may be read as they were before.
//! - [`CtaBlock`], [`Shared`]: a thread block and its shared words, at `.cta` scope. [`ScratchBlock`]: a
//!   block that also has scratch words.
//! - [`Staged`]: words that one launch writes and the next one reads.
//! - [`kernel_crate!`]: what each crate with entry points needs once.
//!
//! # Atomics are inline PTX, collectives are not
//!
//! The compiler's own atomics are no use here: its PTX back end writes a read-modify-write as a bare `atom`,
//! without order and scope, and everything else at system scope. So every access here is one inline PTX
//! instruction with its scope and order spelled out, and a test reads the emitted text.
//!
//! Ballots, shuffles and barriers are LLVM intrinsics, never inline PTX: an intrinsic is marked *convergent*
//! and stays in its place; inline PTX may be moved across a branch.
//!
//! Nearly everything is `#[inline(always)]`: then a kernel has no calls left, each per-lane value is a
//! register, and there is no function that the compiler could treat as not convergent.
#![cfg(target_arch = "nvptx64")]
#![no_std]
#![feature(asm_experimental_arch, link_llvm_intrinsics)]
#![expect(internal_features, reason = "the collectives are LLVM intrinsics")]

mod access;
mod block;
mod frozen;
mod global;
mod intrinsics;
mod module;
mod scratch;
mod shared;
mod tile;

pub use block::CtaBlock;
pub use frozen::Frozen;
pub use global::{Global, Kept, Nearby};
pub use module::trap;
pub use scratch::{ScratchBlock, ScratchWords, Staged};
pub use shared::Shared;
pub use tile::Tile;
