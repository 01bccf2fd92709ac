//! Exhaustive exploration by [loom](https://docs.rs/loom), used as a type: no `cfg(loom)` anywhere.
//!
//! Every warp is a thread of its own and the main thread only starts them: loom does not explore what the
//! main thread does (its issue 392). A load of a word that the thread just stored removes outcomes
//! (issue 166), so each scenario is explored twice, with loads as loads and with loads as
//! read-modify-writes. Each pass must see every outcome of the programs run one call at a time, otherwise it
//! is *blind*.
//!
//! What this engine cannot see: a missing `Warp::sync` (the lanes of a warp are one thread), load buffering,
//! `SeqCst` accesses (they are treated as `AcqRel`; the structures have none), more than four warps. A fence
//! is a little stronger than in C++20: what precedes one fence happens before what follows a later one, as in
//! PTX. Of concurrent plain stores to one word each reader may see another order (issue 282).
//!
//! A capped exploration is reported as capped. There is no bound on preemptions. `holes` shows what loom
//! lacks with loom itself.

#[cfg(test)]
mod canaries;
mod explore;
#[cfg(test)]
mod holes;
mod machine;
#[cfg(test)]
mod mutants;
mod plan;
#[cfg(test)]
mod reduced;

pub use explore::Loom;
