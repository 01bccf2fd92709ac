//! The memory model: which writes a read may read, where a write may go in the order of its word, and what a
//! lane learns.
//!
//! It is RC11 (Lahav, Vafeiadis, Kang, Hur, Dreyer, "Repairing sequential consistency in C/C++11", PLDI 2017)
//! without sequentially consistent accesses, with the lanes of a warp as threads. Section 3 of that paper,
//! clause by clause:
//!
//! - *Happens-before* (`hb`) is what clocks say: the order of one lane, and what an acquire learns from a
//!   release. [`released`] and [`acquired`] are its synchronizes-with: a release is carried on by the
//!   read-modify-writes that read it, one from another (a release sequence), and fences release and acquire
//!   for relaxed accesses beside them.
//! - *Coherence* (`hb ; eco?` is irreflexive): [`oldest`] is the newest write of a word that a lane must know
//!   of: it happened before, or a read that happened before has read it. A read reads nothing older; a write
//!   is placed after it.
//! - *Atomicity*: nothing comes between a read-modify-write's two halves: [`places`] leaves that place out.
//! - *No thin air* (`sb ∪ rf` is acyclic): a read reads a write that is in the graph already. What a lane
//!   depends on includes everything that its warp did before the last collective, because a ballot or shuffle
//!   is answered by all lanes; that is not happens-before.
//!
//! Beyond it, after the PTX memory model ("PTX ISA", chapter 8): `Warp::sync` and the block barrier are
//! synchronization among the lanes that take part, and sequentially consistent fences are in one order
//! ([`super::fences`]). An access whose scope is the block synchronizes within its block alone.

use super::graph::{Graph, Id, Lane, NONE};
use crate::check::Access;
use crate::explore::clock::Clock;
use warpproof_model::{Order, ReadOrder, WriteOrder};

/// The rank of the newest write of `word` that a lane with this clock must know of.
pub(super) fn oldest(graph: &Graph, word: u16, hb: &Clock) -> u16 {
    let known = graph.accesses(word).map(|id| (id, graph.event(id))).filter(|(_, event)| event.is_known(hb));
    known.map(|(id, event)| graph.rank(if event.is_write { id } else { event.from })).max().unwrap_or(0)
}

/// The writes that a read may read, newest first; [`NONE`] stands for the initial value.
pub(super) fn readable(graph: &Graph, word: u16, hb: &Clock) -> impl Iterator<Item = Id> {
    let oldest = oldest(graph, word, hb);
    backwards(graph, word).take_while(move |&write| graph.rank(write) >= oldest)
}

/// The writes after which a write may be placed that is not half of a read-modify-write, newest first: those
/// of rank `oldest` and above that no read-modify-write has read.
pub(super) fn places(graph: &Graph, word: u16, oldest: u16) -> impl Iterator<Item = Id> {
    let free = move |&write: &Id| {
        let next = graph.next(word, write);
        next == NONE || !graph.event(next).exclusive
    };
    backwards(graph, word).take_while(move |&write| graph.rank(write) >= oldest).filter(free)
}

fn backwards(graph: &Graph, word: u16) -> impl Iterator<Item = Id> {
    let before = |&write: &Id| (write != NONE).then(|| graph.event(write).before);
    std::iter::successors(Some(graph.last(word)), before)
}

/// What a write releases, whose lane knows `lane`; the write itself is known to it.
pub(super) fn released(access: Access, hb: &Clock, lane_fenced: &Clock, read_from: Option<&Clock>) -> Clock {
    let mut released = if releases(access) { *hb } else { *lane_fenced };
    if let Some(sequence) = read_from {
        released.join(sequence);
    }
    released
}

/// Learns from a write that was read.
pub(super) fn acquired(lane: &mut Lane, access: Access, released: &Clock) {
    if acquires(access) {
        lane.hb.join(released);
    } else {
        lane.pending.join(released);
    }
}

/// Whether an access to a word that holds `value` is a write of its own. A read-modify-write that leaves the
/// value and does not release is a read: a thread that reads from it reads the same value, and learns what is
/// learned from the write that it read, because it carries that one's release on.
pub(super) fn writes(access: Access, value: u128, width: u32) -> bool {
    let written = access.apply(value, width);
    written.is_some_and(|written| written != value || releases(access))
}

/// Whether an access acquires what it reads.
pub(super) const fn acquires(access: Access) -> bool {
    match access {
        Access::Load(order) => matches!(order, ReadOrder::Acquire),
        Access::Store(..) => false,
        Access::Exchange { order, .. }
        | Access::Swap(_, order)
        | Access::Add(_, order)
        | Access::Or(_, order)
        | Access::And(_, order) => matches!(order, Order::Acquire | Order::AcqRel),
    }
}

/// Whether an access releases what its lane knows.
pub(super) const fn releases(access: Access) -> bool {
    match access {
        Access::Load(_) => false,
        Access::Store(_, order) => matches!(order, WriteOrder::Release),
        Access::Exchange { order, .. }
        | Access::Swap(_, order)
        | Access::Add(_, order)
        | Access::Or(_, order)
        | Access::And(_, order) => matches!(order, Order::Release | Order::AcqRel),
    }
}
