//! Memory of nodes that warps take and give back.
//!
//! A structure whose nodes are linked has a *pool* of them. A warp takes a node, fills it and links it; when
//! no link leads to it any longer, a warp gives it back, and another one takes it again. A reuse must
//! guarantee:
//!
//! 1. *One owner.* Between being taken and being given back a node is given to nobody else.
//! 2. *Nobody is still there.* When a node is taken again, no warp that came to it by its old link reads or
//!    writes it any more, nor compares an old link to it with a new one.
//! 3. *A known state.* Who takes a node finds in it what he expects, for example that it is empty, and what
//!    was written to it before does not come after that.
//!
//! An allocator guarantees the first one. The other two hold by the protocol of who gives a node back: that
//! of the slab hash gives back nodes that were never linked, or in a flush, while nobody else runs; a
//! [`NodePool`] gives back what was replaced when the launch has ended, and an [`EpochPool`] when all turns
//! have ended that may have come to it.
//!
//! - [`Allocator`]: a bitmap with one bit per node of the pool.
//! - [`NodePool`]: nodes that warps take several at a time and retire when they have replaced them.
//! - [`EpochPool`]: the same for kernels that go on running.
//! - [`Pool`]: what a structure uses of either.

mod bitmap;
mod counters;
mod epoch;
mod pool;

pub use bitmap::{Allocator, NODES_PER_WORD, NodeIndex, bitmap_words, free_word};
pub use counters::{Counters, Wide};
pub use epoch::{EPOCH_BITMAPS, EPOCH_WORDS, EpochPool, Epochs};
pub use pool::{NodePool, Pool, Stash};
