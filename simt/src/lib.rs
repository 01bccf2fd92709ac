//! The CPU side of Warpproof.
//!
//! - [`cpu`]: the production backend, std atomics and rayon.
//!
//! Everything else checks (feature `check`, which is on by default): it runs the same source under an engine
//! that decides what every read returns.
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

#[cfg(feature = "check")]
pub mod check;
pub mod cpu;
#[cfg(feature = "check")]
pub mod engine;
#[cfg(feature = "check")]
pub mod engines;
#[cfg(feature = "check")]
pub mod explore;
#[cfg(feature = "loom")]
pub mod loom;
#[cfg(feature = "check")]
pub mod own;
#[cfg(feature = "check")]
pub mod scenarios;
#[cfg(feature = "shuttle")]
pub mod shuttle;
#[cfg(feature = "check")]
pub mod stateful;
