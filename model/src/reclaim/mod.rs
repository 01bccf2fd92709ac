//! Allocation of nodes by warps.
//!
//! A structure with linked nodes has a *pool* of them. A warp takes a node, fills it and links it. When no
//! link leads to it any longer, a warp gives it back, and another one takes it again. A reuse must guarantee:
//!
//! 1. *One owner.* From being taken to being given back, a node is given to no other warp.
//! 2. *Nobody is still there.* When a node is taken again, no warp that came to it by its old link reads or
//!    writes it any more, nor compares an old link to it with a new one.
//! 3. *A known state.* A warp that takes a node finds the expected content, for example that it is empty, and
//!    no earlier write to it takes effect later.
//!
//! An allocator guarantees the first one. The protocol of the structure guarantees the other two. The slab
//! hash gives back nodes that were never linked, or in a flush, while nothing else runs. A [`NodePool`] gives
//! back replaced nodes when the launch has ended, and an [`EpochPool`] when all turns have ended that may
//! have come to them.
//!
//! - [`Allocator`]: a bitmap with one bit per node of the pool.
//! - [`NodePool`]: nodes that warps take several at a time and retire when they have replaced them.
//! - [`EpochPool`]: such nodes for kernels that go on running.
//! - [`Pool`]: the interface of both.

mod bitmap;
mod counters;
mod epoch;
mod pool;

pub use bitmap::{Allocator, NODES_PER_WORD, NodeIndex, bitmap_words, free_word};
pub use counters::{Counters, Wide};
pub use epoch::{EPOCH_BITMAPS, EPOCH_WORDS, EpochPool, Epochs};
pub use pool::{NodePool, Pool, Stash};
