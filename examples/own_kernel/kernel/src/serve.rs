//! Calls of CPU threads on a wait-free set, run by a kernel that goes on running.
//!
//! A CPU thread has a mailbox in host memory that both sides see: a word for its call, and one for the
//! answer. Each word has one writer, as a CPU and a GPU cannot exchange a word atomically over PCIe. A tile
//! of the kernel announces each call at once, so any tile that changes the same bucket may be the one that
//! runs it. Every call is a turn of the pool, so the nodes of the set are used again while the kernel runs.
//!
//! | Bits | Call | Answer |
//! |---|---|---|
//! | 0..32 | the key | the code of the outcome |
//! | 32..36 | the code of the operation | as in the call |
//! | 36..64 | the number of the call | as in the call |

use crate::EPOCH_WORDS;
use core::arch::asm;
use warpproof_device::{Global, Tile};
use warpproof_model::entry::Key32;
use warpproof_model::outcome::{Delete, Insert, Op};
use warpproof_model::reclaim::{EPOCH_BITMAPS, EpochPool, Epochs, Pool};
use warpproof_model::waitfree::{WaitFreeTable, WaitFreeWords};
use warpproof_model::{IntegerWords, Order, ReadOrder, Seed, UserKey, Warp, Words};

/// Lanes of a tile, and words that each reads of a node, which has 16 in a `warpproof_gpu::WaitFreeSet<u32>`.
const LANES: u32 = 16;
const WORDS: usize = 1;

/// Threads of a hardware warp. The first tile of each works alone: no tile waits for another one.
const THREADS: u32 = 32;

/// The operation that ends the service of a mailbox. No operation of a table has this code.
const STOP: u8 = 15;
/// The answer to an unknown operation, for one of the two highest keys, which this table has no slots for, or
/// if there is no free node.
const NOT_DONE: u8 = 255;

type Table = WaitFreeTable<Key32, Global<u32>, Global<u64>, EpochPool<Global<u32>, Global<u64>>, WORDS>;

/// Serves `boxes` mailboxes until each says stop. Until then each of `rivals` warps inserts and deletes the
/// keys `1..=range`, `most` times at most. It adds to `net[key]` how often a key came in less how often it
/// went out, and to `net[0]` how many operations it has run.
///
/// # Safety
///
/// The first fourteen arguments are the parts of a set of u32 keys, which nothing else uses, with an array of
/// five times `states` words in place of the retired nodes. `epochs` has 48 words. Both are zero. `calls` and
/// `answers` are host memory of `boxes` words that both sides access atomically, and the CPU writes no
/// answers. `net` has `range + 1` words, and `stopped` one, all zero. A block is a hardware warp, the grid
/// has `boxes + rivals` of them, and the table has room for twice as many tiles.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn serve(
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
    stash: u32,
    mask: u64,
    factor: u64,
    epochs: *mut u64,
    calls: *const u64,
    answers: *mut u64,
    boxes: u32,
    net: *mut u32,
    stopped: *mut u32,
    range: u32,
    rivals: u32,
    most: u32,
) {
    // SAFETY: all control flow below is the same for the lanes of a tile.
    let w = &mut unsafe { Tile::<LANES>::new() };
    let warp = w.id() / (THREADS / LANES);
    if w.rank_in_warp() != 0 || warp >= boxes + rivals {
        return;
    }
    // SAFETY: the contract of this function.
    let (words, net, stopped) = unsafe {
        let pool = EpochPool::new(
            Global::new(used, states),
            Global::new(retired, EPOCH_BITMAPS * states),
            Global::new(stashes, warps),
            Epochs::new(Global::new(epochs, EPOCH_WORDS)),
            stash,
        );
        let nodes = Global::new(nodes, nodes_len);
        let (requests, heads) = (Global::new(requests, warps), Global::new(heads, buckets));
        let announcements = Global::new(announcements, warps);
        let words = WaitFreeWords { nodes, heads, announcements, requests, pool };
        (words, Global::new(net, range as usize + 1), Global::new(stopped, 1))
    };
    let pool = words.pool;
    // A lane that serves a thread asks at once. The others ask when they have lost 64 exchanges.
    let table = Table::new(words, if warp < boxes { 0 } else { 64 }, Seed::from_words([mask, factor]));
    let run = |w: &mut Tile<LANES>, op: Op, key: u32| {
        let Some(key) = UserKey::new(key) else { return NOT_DONE };
        pool.turn(w, |w, stash| {
            let said = table.mixed(w, (op, key, ()), stash);
            said.map_or(NOT_DONE, |said| said.tell(w).code)
        })
    };
    if warp < boxes {
        // SAFETY: `warp` is the number of a mailbox, and its words are these.
        let (call, answer) = unsafe { (calls.add(warp as usize), answers.add(warp as usize)) };
        let mut last = 0;
        loop {
            let now = w.elect(0, || load(call));
            if now == last {
                continue;
            }
            last = now;
            let code = (now >> 32) as u8 & 15;
            if code == STOP {
                // Relaxed, here and below: nothing but the number matters.
                w.elect(0, || stopped.fetch_add(0, 1, Order::Relaxed));
                break;
            }
            let said = match Op::from_code(code) {
                Some(op) => run(w, op, now as u32),
                None => NOT_DONE,
            };
            w.elect(0, || store(answer, now >> 32 << 32 | said as u64));
        }
    } else {
        for i in 0..most {
            if w.elect(0, || stopped.load(0, ReadOrder::Relaxed)) == boxes {
                break;
            }
            // A kernel has no panic: not even one for a range of nothing.
            let step = i.wrapping_mul(7 + 2 * warp);
            let (Some(turn), Some(key)) = (i.checked_div(range), step.checked_rem(range)) else { break };
            let (key, op) = (1 + key, if turn % 2 == warp % 2 { Op::InsertUnique } else { Op::Delete });
            let code = run(w, op, key);
            let change = match op {
                Op::Delete if code == Delete::Deleted.code() => u32::MAX,
                Op::InsertUnique if code == Insert::Inserted.code() => 1,
                _ => 0,
            };
            w.elect(0, || {
                if change != 0 {
                    net.fetch_add(key as usize, change, Order::Relaxed);
                }
                net.fetch_add(0, u32::from(code != NOT_DONE), Order::Relaxed)
            });
        }
    }
}

/// A word that a CPU writes.
fn load(word: *const u64) -> u64 {
    let value;
    // SAFETY: the word is there (contract of `serve`). Acquire, at the scope of the system.
    unsafe { asm!("ld.acquire.sys.b64 {0}, [{1}];", out(reg64) value, in(reg64) word, options(nostack)) }
    value
}

/// A word that a CPU reads.
fn store(word: *mut u64, value: u64) {
    // SAFETY: as above; this tile alone writes the word. Release, at the scope of the system.
    unsafe { asm!("st.release.sys.b64 [{0}], {1};", in(reg64) word, in(reg64) value, options(nostack)) }
}
