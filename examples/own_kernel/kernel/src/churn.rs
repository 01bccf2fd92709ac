//! A kernel that changes a wait-free set for as long as it likes, by two pools.
//!
//! With the first pool, a replaced node is used again only after the kernel has ended, so the pool must have
//! a node for each update. With the second pool, a warp marks where each of its turns begins and ends, and
//! nodes are used again while the kernel runs.

use crate::EPOCH_WORDS;
use warpproof_device::{Global, Tile};
use warpproof_model::entry::Key32;
use warpproof_model::outcome::{Delete, Insert, Mixed, Op};
use warpproof_model::reclaim::{EPOCH_BITMAPS, EpochPool, Epochs, NodePool, Pool};
use warpproof_model::waitfree::{Company, WaitFreeTable, WaitFreeWords};
use warpproof_model::{IntegerWords, Order, Seed, UserKey, Warp};

/// Lanes of a tile, and words that each reads of a node, which has 16 in a `warpproof_gpu::WaitFreeSet<u32>`.
const LANES: u32 = 4;
const WORDS: usize = 4;

/// Exchanges that a call loses before it is announced.
const PATIENCE: u32 = 64;

/// The tiles of one hardware warp, all of which run the same loop.
struct HardwareWarp;

impl Company<Tile<LANES>> for HardwareWarp {
    fn again(&mut self, w: &mut Tile<LANES>, busy: bool) -> bool {
        // SAFETY: this answers the same to all threads of the hardware warp, so they run as many rounds.
        unsafe { w.meet_any(busy) }
    }

    fn meet(&mut self, w: &mut Tile<LANES>) {
        // SAFETY: as above, and each round meets as often.
        unsafe { w.meet() }
    }
}

/// What the tiles do.
#[derive(Clone, Copy)]
struct Work {
    /// Adds up how often each of the keys `1..=range` came in less how often it went out.
    net: Global<u32>,
    /// Adds up the operations that were run, and those that found no node.
    counts: Global<u64>,
    /// Of the set.
    seed: Seed,
    range: u32,
    /// Turns of each tile, and operations of each lane in a turn.
    turns: u32,
    ops: u32,
    /// Updates, of 256 operations.
    updates: u32,
}

/// An operation of a lane: its key, and in the two highest bits which one it is. Keys are below 2^30.
const SEARCH: u32 = 1 << 30;
const DELETE: u32 = 1 << 31;
/// No operation.
const NONE: u32 = u32::MAX;

const fn op_of(call: u32) -> Op {
    if call & SEARCH != 0 {
        Op::Search
    } else if call & DELETE != 0 {
        Op::Delete
    } else {
        Op::InsertUnique
    }
}

/// Counts a change of the set.
fn add_up(net: Global<u32>, call: u32, code: u8) {
    let change = match op_of(call) {
        Op::Delete if code == Delete::Deleted.code() => u32::MAX,
        Op::InsertUnique if code == Insert::Inserted.code() => 1,
        _ => return,
    };
    // Relaxed: a sum, read after the launch.
    net.fetch_add((call & !(SEARCH | DELETE)) as usize, change, Order::Relaxed);
}

/// Runs the work of a tile: each lane an operation at one time, then the whole tile what that leaves.
fn churn<P: Pool>(w: &mut Tile<LANES>, words: WaitFreeWords<Global<u32>, Global<u64>, P>, work: Work) {
    let pool = words.pool;
    let table = WaitFreeTable::<Key32, _, _, P, WORDS>::new(words, PATIENCE, work.seed);
    let first = w.id() as u64 * LANES as u64 + 1;
    // Of this thread: the lanes draw different keys.
    let mut state = w.each(|lane| 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(first + lane as u64));
    let (mut ran, mut full) = (0_u64, 0_u64);
    for _ in 0..work.turns {
        pool.turn(w, |w, stash| {
            for _ in 0..work.ops {
                let (mut drawn, mut left) = (false, NONE);
                let next = |_: u32| {
                    if drawn {
                        return None;
                    }
                    drawn = true;
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    let key = 1 + ((state >> 32) * work.range as u64 >> 32) as u32;
                    let call = match (state as u32 & 255 < work.updates, state >> 8 & 1) {
                        (false, _) => key | SEARCH,
                        (true, 0) => key,
                        (true, _) => key | DELETE,
                    };
                    Some((call, op_of(call), UserKey::new(key)?, ()))
                };
                let done = |_: u32, call: u32, said: Option<Mixed<()>>| match said {
                    Some(said) => add_up(work.net, call, said.code),
                    None => left = call,
                };
                table.each_lane(w, (None, &mut *stash, &mut HardwareWarp), next, done);
                for lane in 0..LANES {
                    let call = w.shfl(left, lane);
                    let Some(key) = UserKey::new(call & !(SEARCH | DELETE)) else { continue };
                    if call == NONE {
                        continue;
                    }
                    match table.mixed(w, (op_of(call), key, ()), stash) {
                        Some(said) => {
                            let code = said.tell(w).code;
                            w.elect(0, || add_up(work.net, call, code));
                        }
                        None => full += 1,
                    }
                }
                ran += LANES as u64;
            }
        });
    }
    w.elect(0, || {
        // Relaxed: sums, read after the launch.
        work.counts.fetch_add(0, ran, Order::Relaxed);
        work.counts.fetch_add(1, full, Order::Relaxed)
    });
}

/// The kernel by one pool: `retired` is a number of bitmaps.
macro_rules! kernel {
    ($(#[$about:meta])* $name:ident, $bitmaps:expr, |$used:ident, $retired:ident, $stashes:ident, $epochs:ident, $stash:ident| $pool:expr) => {
        $(#[$about])*
        ///
        /// # Safety
        ///
        /// The first fourteen arguments are the parts of a set of u32 keys, which nothing else uses, with an
        /// array of its own in place of the retired nodes: zero at first, as many bitmaps as the pool has.
        /// `epochs` has 48 words, `net` has `range + 1`, and `counts` two; all are zero. Blocks have a
        /// multiple of 32 threads, and the table has room for all tiles of the grid.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $name(
            nodes: *mut u32,
            nodes_len: usize,
            requests: *mut u32,
            heads: *mut u64,
            buckets: usize,
            announcements: *mut u64,
            stashes: *mut u64,
            warps: usize,
            used: *mut u32,
            retired: *mut u32,
            states: usize,
            $stash: u32,
            mask: u64,
            factor: u64,
            epochs: *mut u64,
            net: *mut u32,
            counts: *mut u64,
            range: u32,
            turns: u32,
            ops: u32,
            updates: u32,
        ) {
            // SAFETY: the contract of this function; control flow is the same for the lanes of a tile, and
            // tiles of a hardware warp meet equally often.
            unsafe {
                let w = &mut Tile::<LANES>::new();
                let ($used, $stashes) = (Global::new(used, states), Global::new(stashes, warps));
                let $retired = Global::new(retired, $bitmaps * states);
                let $epochs = Epochs::new(Global::new(epochs, EPOCH_WORDS));
                let work = Work {
                    net: Global::new(net, range as usize + 1),
                    counts: Global::new(counts, 2),
                    seed: Seed::from_words([mask, factor]),
                    range,
                    turns,
                    ops,
                    updates,
                };
                let words = WaitFreeWords {
                    nodes: Global::new(nodes, nodes_len),
                    heads: Global::new(heads, buckets),
                    announcements: Global::new(announcements, warps),
                    requests: Global::new(requests, warps),
                    pool: $pool,
                };
                churn(w, words, work);
            }
        }
    };
}

kernel! {
    /// Changes a set; a node is used again when the kernel has ended.
    churn_at_end, 1, |used, retired, stashes, _epochs, stash| NodePool::new(used, retired, stashes, stash)
}
kernel! {
    /// Changes a set; a node is used again when all turns have ended that may have come to it.
    churn_by_epochs, EPOCH_BITMAPS,
    |used, retired, stashes, epochs, stash| EpochPool::new(used, retired, stashes, epochs, stash)
}
