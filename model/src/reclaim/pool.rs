//! Pools of nodes that are replaced and never changed: each warp takes some for itself. In a [`NodePool`] it
//! gives nothing back before the launch ends.
//!
//! A node is in one of four states:
//!
//! | State | Used bit | Retired bit | Who has it |
//! |---|---|---|---|
//! | free | clear | clear | nobody |
//! | private | set | clear | one warp, in its stash or in what it is about to publish |
//! | reachable | set | clear | every warp, by a link |
//! | retired | set | set | warps that came to it before it was replaced |
//!
//! A warp takes several free nodes of a word of the bitmap at once: its *stash*. To take a node from it is no
//! access at all. A warp that replaces a node sets its retired bit, and the node stays as it is until the
//! launch has ended. So no warp that reads it is wrong about its content. No address is used twice, so an
//! exchange that expects a link to a node cannot mistake another one for it. [`NodePool::reclaim`] frees the
//! retired nodes, one word of the bitmap at a time.
//!
//! Every call is bounded, whatever other warps do.

use super::counters::{Counters, Wide};
use super::epoch::Turn;
use super::{Allocator, NODES_PER_WORD, NodeIndex};
use crate::memory::{IntegerWords, Order, ReadOrder, WriteOrder};
use crate::warp::Warp;

/// The nodes that a warp has for itself: some of those of one word of the bitmap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stash {
    /// Index of the word.
    pub(super) word: u32,
    /// A set bit is a node.
    pub(super) nodes: u32,
    /// The turn of the warp. In a pool without epochs all turns are equal.
    pub(super) turn: Turn,
}

/// A pool of nodes, as the warps of a structure use it. A warp opens its stash, runs some calls, and closes
/// it: that is its *turn*.
///
/// Every call is bounded, whatever other warps do.
pub trait Pool: Copy {
    /// The width of the counters in the words of the structure: none may wrap while a node of this pool is
    /// out of use.
    type Counters: Counters;

    /// How many warps may have a stash. Their numbers ([`Warp::id`]) are below it, and differ.
    fn warps(self) -> usize;

    /// Begins a turn. Returns the stash of this warp.
    fn open<W: Warp>(self, w: &mut W) -> Stash;

    /// Ends the turn, and keeps the stash until the warp opens it again.
    fn close<W: Warp>(self, w: &mut W, stash: Stash);

    /// Runs `f` as a turn.
    fn turn<W: Warp, T>(self, w: &mut W, f: impl FnOnce(&mut W, &mut Stash) -> T) -> T;

    /// Runs `f`, which reads nodes and takes none.
    fn reading<W: Warp, T>(self, w: &mut W, f: impl FnOnce(&mut W) -> T) -> T;

    /// A stash with nodes, for a warp that has none left. `None` if no node was found.
    fn fill<W: Warp>(self, w: &mut W, old: Stash) -> Option<Stash>;

    /// Records that no link leads to a node any longer. A single lane calls it.
    fn retire_by_lane(self, stash: &Stash, node: NodeIndex);

    /// Takes a node out of the stash, which is filled first if it is empty. `None` if there is no free node:
    /// each word of the bitmap was seen full once.
    #[inline(always)]
    fn take<W: Warp>(self, w: &mut W, stash: &mut Stash) -> Option<NodeIndex> {
        if stash.is_empty() {
            *stash = self.fill(w, *stash)?;
        }
        let bit = stash.nodes.trailing_zeros();
        stash.nodes &= stash.nodes - 1;
        Some(NodeIndex(stash.word * NODES_PER_WORD + bit))
    }

    /// Puts back a node that was never published. If the stash has gone on to another word meanwhile, the
    /// node is retired: no bit of the bitmap is cleared while operations run, so that a pass over it ends.
    #[inline(always)]
    fn put_back<W: Warp>(self, w: &mut W, stash: &mut Stash, node: NodeIndex) {
        let (index, bit) = place(node);
        if index as u32 == stash.word {
            stash.nodes |= 1 << bit;
        } else {
            self.retire(w, stash, node);
        }
    }

    /// Records that no link leads to a node any longer.
    #[inline(always)]
    fn retire<W: Warp>(self, w: &mut W, stash: &Stash, node: NodeIndex) {
        let _ = w.each(|lane| {
            // No lane waits for the old word.
            if lane == 0 {
                self.retire_by_lane(stash, node);
            }
        });
    }

    /// How many stashes contain a node. For checks.
    fn stashes(self, node: NodeIndex) -> u32;

    /// Whether a node is not free. For checks.
    fn is_used(self, node: NodeIndex) -> bool;

    /// Whether a node is retired. For checks.
    fn is_retired(self, node: NodeIndex) -> bool;

    /// Checks the invariants of every state for the first `nodes` nodes: a node that is in a stash or retired
    /// is in use, and none is in two stashes. (A warp that has published a node of its stash removes it when
    /// it closes the stash: until then the node is in both.)
    ///
    /// # Errors
    /// The first node that violates them.
    fn check(self, nodes: u32) -> Result<(), NodeIndex> {
        let wrong = |&node: &NodeIndex| {
            let stashes = self.stashes(node);
            stashes > 1 || (stashes > 0 || self.is_retired(node)) && !self.is_used(node)
        };
        (0..nodes).map(NodeIndex).find(wrong).map_or(Ok(()), Err)
    }
}

impl Stash {
    /// A stash from its bits.
    #[inline(always)]
    pub const fn from_bits(bits: u64) -> Self {
        Self { word: (bits >> 32) as u32, nodes: bits as u32, turn: Turn::ONLY }
    }

    /// The bits: the index of the word above, the nodes below.
    #[inline(always)]
    pub const fn bits(self) -> u64 {
        (self.word as u64) << 32 | self.nodes as u64
    }

    /// Its turn, in few bits if epochs have few: for [`Warp::mark`].
    #[inline(always)]
    pub const fn turn(self) -> u32 {
        self.turn.bits() as u32
    }

    /// Whether it has no nodes.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.nodes == 0
    }

    /// Whether node `number` of the pool is in it.
    #[inline(always)]
    pub const fn has(self, number: u32) -> bool {
        number / NODES_PER_WORD == self.word && self.nodes & 1 << (number % NODES_PER_WORD) != 0
    }
}

/// A handle to the nodes of a pool, by their states: a Copy view.
#[derive(Clone, Copy, Debug)]
pub struct NodePool<B, T> {
    used: Allocator<B>,
    retired: B,
    stashes: T,
    most: u32,
}

impl<B: IntegerWords<u32>, T: IntegerWords<u64>> NodePool<B, T> {
    /// A pool whose states are in `used` and `retired`, a bit for each node, with a word of `stashes` for
    /// each warp. A stash is filled with up to `most` nodes at once, 1 to 32. At first a word of `used` holds
    /// [`free_word`](super::free_word), and all others are zero.
    #[inline(always)]
    pub const fn new(used: B, retired: B, stashes: T, most: u32) -> Self {
        Self { used: Allocator::new(used, 0), retired, stashes, most }
    }

    /// Frees the retired nodes of a word of the bitmap. Returns how many there were. A phase of its own,
    /// while no operation runs.
    #[inline(always)]
    pub fn reclaim(self, index: usize) -> u32 {
        // Relaxed, all: the only other accesses are those of a release of a stash of the same word.
        let retired = self.retired.load(index, ReadOrder::Relaxed);
        if retired != 0 {
            self.retired.store(index, 0, WriteOrder::Relaxed);
            self.used.bitmap().fetch_and(index, !retired, Order::Relaxed);
        }
        retired.count_ones()
    }

    /// Words of the bitmap.
    #[inline(always)]
    pub fn words(self) -> usize {
        self.used.bitmap().len()
    }

    /// How many nodes are free. Exact if no operation runs.
    pub fn free(self) -> u64 {
        // Relaxed: counted while no warp changes it.
        let free = |word| self.used.bitmap().load(word, ReadOrder::Relaxed).count_zeros() as u64;
        (0..self.words()).map(free).sum()
    }

    /// Frees the nodes in the stash of a warp. A phase of its own, while no operation runs.
    #[inline(always)]
    pub fn release(self, warp: usize) {
        // Relaxed, all: the only others release another stash of the same word, or reclaim it.
        let stash = Stash::from_bits(self.stashes.load(warp, ReadOrder::Relaxed));
        if !stash.is_empty() {
            self.stashes.store(warp, 0, WriteOrder::Relaxed);
            self.used.bitmap().fetch_and(stash.word as usize, !stash.nodes, Order::Relaxed);
        }
    }
}

impl<B: IntegerWords<u32>, T: IntegerWords<u64>> Pool for NodePool<B, T> {
    type Counters = Wide;

    #[inline(always)]
    fn warps(self) -> usize {
        self.stashes.len()
    }

    #[inline(always)]
    fn open<W: Warp>(self, w: &mut W) -> Stash {
        let warp = w.id() as usize;
        // Relaxed, here and below: one warp at a time has this number.
        Stash::from_bits(w.elect(0, || self.stashes.load(warp, ReadOrder::Relaxed)))
    }

    #[inline(always)]
    fn close<W: Warp>(self, w: &mut W, stash: Stash) {
        let warp = w.id() as usize;
        w.elect(0, || self.stashes.store(warp, stash.bits(), WriteOrder::Relaxed));
    }

    #[inline(always)]
    fn turn<W: Warp, R>(self, w: &mut W, f: impl FnOnce(&mut W, &mut Stash) -> R) -> R {
        let had = self.open(w);
        let mut stash = had;
        let result = f(w, &mut stash);
        if stash != had {
            self.close(w, stash);
        }
        result
    }

    /// Nodes are not used again before the launch ends.
    #[inline(always)]
    fn reading<W: Warp, R>(self, w: &mut W, f: impl FnOnce(&mut W) -> R) -> R {
        f(w)
    }

    /// A node from the allocator, and others of the same word.
    #[inline(always)]
    fn fill<W: Warp>(self, w: &mut W, old: Stash) -> Option<Stash> {
        // Each time it begins at another word.
        let hint = w.id().wrapping_add(old.word.wrapping_mul(0x9e37_79b9));
        let (index, bit) = place(self.used.allocate(w, hint)?);
        let first = 1 << bit;
        let more = lowest(!first, self.most - 1);
        // Relaxed: a free node was written only in earlier launches.
        let get = || self.used.bitmap().fetch_or(index, more, Order::Relaxed);
        let used = if more == 0 { 0 } else { w.elect(0, get) };
        Some(Stash { word: index as u32, nodes: first | more & !used, ..old })
    }

    #[inline(always)]
    fn retire_by_lane(self, _: &Stash, node: NodeIndex) {
        let (index, bit) = place(node);
        // Relaxed: it is read after the launch has ended.
        self.retired.fetch_or(index, 1 << bit, Order::Relaxed);
    }

    fn stashes(self, node: NodeIndex) -> u32 {
        stashes_with(self.stashes, node)
    }

    fn is_used(self, node: NodeIndex) -> bool {
        self.used.in_use(node)
    }

    fn is_retired(self, node: NodeIndex) -> bool {
        let (index, bit) = place(node);
        self.retired.load(index, ReadOrder::Relaxed) & 1 << bit != 0
    }
}

/// How many stashes contain a node.
pub(super) fn stashes_with<T: IntegerWords<u64>>(stashes: T, node: NodeIndex) -> u32 {
    let has = |&warp: &usize| Stash::from_bits(stashes.load(warp, ReadOrder::Relaxed)).has(node.0);
    (0..stashes.len()).filter(has).count() as u32
}

/// The word of a node, and its bit there.
#[inline(always)]
pub(super) const fn place(node: NodeIndex) -> (usize, u32) {
    ((node.0 / NODES_PER_WORD) as usize, node.0 % NODES_PER_WORD)
}

/// The lowest set bits, at most `most` of them.
#[inline(always)]
pub(super) const fn lowest(bits: u32, most: u32) -> u32 {
    if most >= u32::BITS {
        return bits;
    }
    let mut rest = bits;
    let mut taken = 0;
    while taken < most {
        rest &= rest.wrapping_sub(1);
        taken += 1;
    }
    bits & !rest
}

#[cfg(all(test, feature = "host"))]
mod tests {
    use super::*;
    use crate::memory::noted::Noted;
    use crate::reclaim::free_word;
    use crate::warp::two_lanes::TwoLanes;
    use std::vec::Vec;

    #[test]
    fn the_lowest_bits_are_so_many() {
        assert_eq!(lowest(0b1011_0100, 2), 0b1_0100);
        assert_eq!(lowest(0b1011_0100, 9), 0b1011_0100);
        assert_eq!(lowest(u32::MAX, 32), u32::MAX);
        assert_eq!(lowest(0, 3), 0);
    }

    #[test]
    fn a_stash_is_its_bits() {
        let stash = Stash { word: 7, nodes: 0b101, turn: Turn::ONLY };
        assert_eq!(Stash::from_bits(stash.bits()), stash);
        assert!(!stash.is_empty());
        assert!(stash.has(7 * 32) && stash.has(7 * 32 + 2));
        assert!(!stash.has(7 * 32 + 1) && !stash.has(2));
    }

    /// Nodes of three words of a bitmap, some at a time.
    const NODES: u32 = 70;

    struct State {
        used: Noted<u32, 3>,
        retired: Noted<u32, 3>,
        stashes: Noted<u64, 2>,
    }

    impl State {
        fn new() -> Self {
            let used = Noted::of([0, 1, 2].map(|index| free_word(NODES, index)));
            Self { used, retired: Noted::new(), stashes: Noted::new() }
        }

        fn pool(&self, most: u32) -> NodePool<&Noted<u32, 3>, &Noted<u64, 2>> {
            NodePool::new(&self.used, &self.retired, &self.stashes, most)
        }
    }

    #[test]
    fn every_node_is_taken_once_and_again_when_it_was_reclaimed() {
        for most in [1, 4, 32] {
            let (state, mut w) = (State::new(), TwoLanes);
            let pool = state.pool(most);
            assert_eq!((pool.warps(), pool.words(), pool.free()), (2, 3, NODES.into()));
            let (mut taken, mut fullest) = (Vec::new(), 0);
            pool.turn(&mut w, |w, stash| {
                while let Some(node) = pool.take(w, stash) {
                    taken.push(node.0);
                    fullest = fullest.max(stash.nodes.count_ones() + 1);
                }
            });
            taken.sort_unstable();
            assert_eq!(taken, (0..NODES).collect::<Vec<_>>());
            assert_eq!((fullest, pool.free()), (most, 0));
            // One of each word, and all of the last.
            let again = [0, 33].into_iter().chain(64..NODES);
            pool.turn(&mut w, |w, stash| {
                again.clone().for_each(|node| pool.retire(w, stash, NodeIndex(node)))
            });
            assert!(
                (0..NODES).all(|node| pool.is_retired(NodeIndex(node)) == again.clone().any(|n| n == node))
            );
            assert_eq!([0, 1, 2].map(|index| pool.reclaim(index)), [1, 1, NODES - 64]);
            assert_eq!([0, 1, 2].map(|index| pool.reclaim(index)), [0; 3]);
            assert_eq!((pool.free(), state.retired.words()), (u64::from(NODES - 62), [0; 3]));
        }
    }

    #[test]
    fn a_node_that_was_not_published_goes_back_to_its_stash() {
        let (state, mut w) = (State::new(), TwoLanes);
        let pool = state.pool(4);
        let mut stash = pool.open(&mut w);
        let node = pool.take(&mut w, &mut stash).expect("a free node");
        let other = NodeIndex((node.0 + 32) % 64);
        let before = stash;
        pool.put_back(&mut w, &mut stash, node);
        assert!(stash.has(node.0) && !pool.is_retired(node));
        assert_eq!(pool.take(&mut w, &mut stash), Some(node));
        assert_eq!(stash, before);
        // One of another word is retired.
        pool.put_back(&mut w, &mut stash, other);
        assert!(stash == before && pool.is_retired(other));
        // A stash that is as it was is not written.
        pool.close(&mut w, stash);
        let writes = state.stashes.writes.get();
        pool.turn(&mut w, |_, _| ());
        assert_eq!(state.stashes.writes.get(), writes);
        let free = pool.free();
        pool.release(0);
        assert_eq!(
            (pool.free(), state.stashes.words()),
            (free + u64::from(stash.nodes.count_ones()), [0; 2])
        );
        pool.release(0);
        pool.release(1);
        assert_eq!(pool.free(), free + u64::from(stash.nodes.count_ones()));
    }

    #[test]
    fn states_that_cannot_be_are_found() {
        const IN_USE: [u32; 3] = [u32::MAX; 3];
        let check = |used, retired, stashes: [(u32, u32); 2]| {
            let stashes = stashes.map(|(word, nodes)| u64::from(word) << 32 | u64::from(nodes));
            let (used, retired) = (Noted::of(used), Noted::of(retired));
            NodePool::new(&used, &retired, &Noted::of(stashes), 1).check(NODES)
        };
        assert_eq!(check(IN_USE, [1, 2, 4], [(0, 0b1010), (0, 0b101)]), Ok(()));
        assert_eq!(check([0, 0, 0], [0, 0, 0], [(0, 0), (1, 0)]), Ok(()));
        assert_eq!(check([0, 0, 0], [0, 0, 0], [(0, 1), (0, 0)]), Err(NodeIndex(0)));
        // In two stashes; in one, and free; retired, and free; beyond the nodes that are asked about.
        assert_eq!(check(IN_USE, [0, 0, 0], [(1, 0b1010), (1, 0b1000)]), Err(NodeIndex(35)));
        assert_eq!(check([u32::MAX, 1, 0], [0, 0, 0], [(1, 0b10), (0, 0)]), Err(NodeIndex(33)));
        assert_eq!(check([u32::MAX, 1, 0], [0, 0b10, 0], [(0, 0), (0, 0)]), Err(NodeIndex(33)));
        assert_eq!(check([0, 0, 0], [0, 0, 1 << 6], [(0, 0), (0, 0)]), Ok(()));
    }
}
