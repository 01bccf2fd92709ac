//! Random schedules by [shuttle](https://docs.rs/shuttle), for scenarios that are too large to explore: warps
//! of up to 32 lanes, up to eight of them.
//!
//! A portfolio of schedulers shares the schedules of a scenario evenly: uniform choice at each step, a
//! uniform walk over the interleavings, and PCT (Burckhardt and others, ASPLOS 2010) of depth 2 and 3, which
//! finds a fault that needs so many ordered steps with a probability that has a bound. The same seed and the
//! same number of schedules give the same schedules (unless the environment sets `SHUTTLE_RANDOM_SEED`, which
//! shuttle prefers).
//!
//! Memory is sequentially consistent: this engine sees no stale value, so no missing acquire or release (see
//! `canaries`). It does not see a missing `Warp::sync` either. What it does not find may exist: its best
//! verdict is *sampled*, never *passed*.
//!
//! A warp's access to a word that no other warp was seen to write is not a separate step: the
//! time of such an access makes no difference. In a slab of 32 lanes that leaves a few words of many.

#[cfg(test)]
mod canaries;
mod explore;
mod machine;
mod portfolio;

pub use explore::Shuttle;
