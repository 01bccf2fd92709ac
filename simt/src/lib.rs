//! The CPU side of Warpproof.
//!
//! - [`cpu`]: the production backend, std atomics and rayon.
//!
//! Everything else checks: the same source, explored by an engine that decides what every read returns.

pub mod cpu;
