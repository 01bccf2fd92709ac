//! The CPU side of Warpproof.
//!
//! - [`cpu`]: the production backend, std atomics and rayon.
//!
//! Everything else checks: it runs the same source under an engine that decides what every read returns.
//!
//! - [`mod@check`]: subjects, scenarios, histories, violations; no engine.
//! - [`engine`]: what every engine offers, and scenarios explored side by side.
//! - [`engines`]: which engines there are.
//! - [`scenarios`]: what is checked of every structure.
//! - [`own`]: families of programs on a structure of your own.
//! - [`check::seq`]: one warp alone.
//! - [`explore`]: the exhaustive engine: scoped weak memory, every lane a thread.
//! - [`stateful`]: every interleaving, each state once: larger programs.
//! - `loom` (feature `loom`): a second exhaustive engine.
//! - `shuttle` (feature `shuttle`): random schedules of larger scenarios.

pub mod check;
pub mod cpu;
pub mod engine;
pub mod engines;
pub mod explore;
#[cfg(feature = "loom")]
pub mod loom;
pub mod own;
pub mod scenarios;
#[cfg(feature = "shuttle")]
pub mod shuttle;
pub mod stateful;
