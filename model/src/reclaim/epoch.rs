//! A pool whose nodes are used again while operations run.
//!
//! A [`NodePool`](super::NodePool) frees retired nodes when a launch has ended. A kernel that goes on
//! running, and a batch that is larger than the pool, need them earlier. Here every warp marks the beginning
//! and the end of its *turns*, and a retired node is used again when all turns have ended that may have come
//! to it.
//!
//! | Word | Meaning |
//! |---|---|
//! | epoch | a number that only grows, for 2^62 epochs |
//! | inside, of even epochs | turns that run and began in an even epoch |
//! | inside, of odd epochs | turns that run and began in an odd epoch |
//! | retired, of each of five epochs | the nodes that were retired in turns of this epoch, modulo five |
//!
//! **Enter.** A warp guesses the epoch, adds one to the count of that parity, and then reads the epoch `t` by
//! an addition of zero: its turn is one of `t`. If the guess had the other parity, it also adds one to the
//! other count and reads the epoch once more, and its turn is one of that epoch.
//!
//! **The next epoch.** A warp that has entered in `t`, and then finds that no turn of the other parity runs,
//! exchanges `t` for `t + 1`.
//!
//! **Leave.** A warp subtracts one from each count that it has added to.
//!
//! **Take.** A turn of `t` takes free nodes, and nodes that were retired in turns of `t - 3`.
//!
//! Why that is right:
//!
//! 1. *While a turn of `t` runs, the epoch is `t` or `t + 1`.* A warp that advances the epoch from `t + 1`
//!    has read `t + 1` by an addition before it reads the count. Additions to one word have one order. If its
//!    addition comes after that of the turn, it sees the turn's count, and does not advance. If it comes
//!    before, the turn has read `t + 1` or more.
//! 2. *A warp that can be at a node that was retired in a turn of `r` runs in a turn of `r + 1` or less.*
//!    When the node was replaced, the epoch was at most `r + 1`. A turn of `r + 2` has read an epoch that was
//!    exchanged after that turn had left, so it sees the link that replaced the node.
//! 3. *All these warps have left when a turn of `r + 3` begins*: the epoch became `r + 3` after the turns of
//!    `r + 1` had left, and the counts and the epoch release their leaving. So their reads come before the
//!    present writes.
//! 4. *No warp retires into the word that a turn of `t` takes from*: running turns are of `t - 1`, `t` and
//!    `t + 1`, and none of these is `t - 3` modulo five.
//! 5. *No exchange mistakes a new link for an old one*: a link that was read in a turn leads to a node that
//!    is not used again before that turn ends.
//!
//! **Epochs wrap.** The word has 64 bits, and a turn keeps 62. Line 4 needs consecutive numbers modulo five,
//! which ends where the bits do: a turn of the first epoch of a new round would take nodes of the epoch
//! before the last, at which a turn of the last one may still be. So a pool lasts for 2^62 epochs; at one in
//! a nanosecond that is a century. Scenarios with turns of two and three bits show both sides of the limit.
//! The counts are of running turns, so they are no more than the warps.
//!
//! Every call is bounded, and searches are too. A warp that stops within a turn blocks no other warp: from
//! then on retired nodes stay retired, and a call that finds none returns `Full`.

use super::pool::{lowest, place, stashes_with};
use super::{Allocator, NodeIndex, Pool, Stash, Wide};
use crate::key::{fastrange, mix};
use crate::memory::{IntegerWords, Order, ReadOrder, WriteOrder};
use crate::warp::Warp;

/// A turn: its epoch, and the counts to which it was added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Turn(u64);

impl Turn {
    /// The turn of a pool without epochs.
    pub(super) const ONLY: Self = Self(0);

    /// A turn of an epoch, of which it keeps `BITS` bits, and the parities of the counts to which it was
    /// added.
    #[inline(always)]
    const fn new<const BITS: u32>(epoch: u64, counts: u64) -> Self {
        Self(epoch << (u64::BITS - BITS) >> (MOST_BITS - BITS) | counts)
    }

    const fn epoch(self) -> u64 {
        self.0 >> 2
    }

    pub(super) const fn bits(self) -> u64 {
        self.0
    }
}

/// The bits of an epoch for which a turn has room, beside two bits for counts.
const MOST_BITS: u32 = u64::BITS - 2;

/// Words of [`Epochs`].
pub const EPOCH_WORDS: usize = 3;

/// Bitmaps of retired nodes of an [`EpochPool`]: one for each of five consecutive epochs.
pub const EPOCH_BITMAPS: usize = 5;

/// The epoch, and counts of the turns that began in it: a Copy view. A turn keeps `BITS` bits of its epoch.
#[derive(Clone, Copy, Debug)]
pub struct Epochs<T, const BITS: u32 = MOST_BITS> {
    words: T,
}

impl<T: IntegerWords<u64>> Epochs<T> {
    /// Epochs in these words, which are all zero at first: [`EPOCH_WORDS`], or a multiple. With 48 words,
    /// each of the three has a cache line of its own.
    #[inline(always)]
    pub const fn new(words: T) -> Self {
        Self { words }
    }

    /// These epochs, with turns that keep `BITS` bits. For the checkers: so few that they wrap.
    #[inline(always)]
    pub const fn with_bits<const BITS: u32>(self) -> Epochs<T, BITS> {
        Epochs { words: self.words }
    }
}

impl<T: IntegerWords<u64>, const BITS: u32> Epochs<T, BITS> {
    /// The index of the epoch.
    const EPOCH: usize = 0;

    /// The index of the count of turns of epochs with this parity.
    #[inline(always)]
    fn inside(self, epoch: u64) -> usize {
        self.words.len() / EPOCH_WORDS * (1 + (epoch & 1) as usize)
    }

    /// Begins a turn. Three additions and two loads; at most three more additions.
    #[inline(always)]
    fn enter<W: Warp>(self, w: &mut W) -> Turn {
        let turn = w.elect(0, || {
            // Relaxed: a guess.
            let guess = self.words.load(Self::EPOCH, ReadOrder::Relaxed);
            let mut epoch = self.count(guess);
            let mut counts = 1 << (guess & 1);
            if (guess ^ epoch) & 1 != 0 {
                epoch = self.count(epoch);
                counts = 0b11;
            }
            self.advance(epoch);
            Turn::new::<BITS>(epoch, counts).bits()
        });
        // What the other lanes do comes after this.
        w.sync();
        Turn(turn)
    }

    /// Counts a turn for the epochs of a parity. Returns the epoch after that.
    #[inline(always)]
    fn count(self, parity: u64) -> u64 {
        // Relaxed: the addition to the epoch releases it.
        self.words.fetch_add(self.inside(parity), 1, Order::Relaxed);
        // An addition, not a load: a warp that has read the epoch by an earlier addition has not seen this
        // count, and this turn sees what that warp does next. AcqRel: it releases the count, and acquires
        // what turns did that ended before this epoch began.
        self.words.fetch_add(Self::EPOCH, 0, Order::AcqRel)
    }

    /// Begins the next epoch, if no turn of the one before runs.
    #[inline(always)]
    fn advance(self, epoch: u64) {
        // Acquire: what those turns did comes before the next epoch.
        if self.words.load(self.inside(epoch.wrapping_sub(1)), ReadOrder::Acquire) == 0 {
            // Release: as above.
            self.words.compare_exchange(Self::EPOCH, epoch, epoch.wrapping_add(1), Order::Release);
        }
    }

    /// Ends a turn.
    #[inline(always)]
    fn leave<W: Warp>(self, w: &mut W, turn: Turn) {
        // What the other lanes did comes before this.
        w.sync();
        let leave = |parity: u64| {
            if turn.0 & 1 << parity != 0 {
                // Release: what this turn did comes before the epoch after the next one.
                self.words.fetch_add(self.inside(parity), u64::MAX, Order::Release);
            }
        };
        w.elect(0, || {
            leave(0);
            leave(1);
        });
    }
}

/// A handle to the nodes of a pool that are used again while operations run: a Copy view.
#[derive(Clone, Copy, Debug)]
pub struct EpochPool<B, T, const BITS: u32 = MOST_BITS> {
    used: Allocator<B>,
    retired: B,
    stashes: T,
    epochs: Epochs<T, BITS>,
    most: u32,
}

impl<B: IntegerWords<u32>, T: IntegerWords<u64>, const BITS: u32> EpochPool<B, T, BITS> {
    /// A pool whose states are in `used` and `retired`, with a word of `stashes` for each warp. `retired` has
    /// [`EPOCH_BITMAPS`] times as many words as `used`. A stash is filled with up to `most` nodes at once, 1
    /// to 32. At first a word of `used` holds [`free_word`](super::free_word), and all others are zero.
    #[inline(always)]
    pub const fn new(used: B, retired: B, stashes: T, epochs: Epochs<T, BITS>, most: u32) -> Self {
        Self { used: Allocator::new(used, 0), retired, stashes, epochs, most }
    }

    /// The index of the word where turns of an epoch retire the nodes of word `index`.
    #[inline(always)]
    fn bin(self, epoch: u64, index: usize) -> usize {
        (epoch % EPOCH_BITMAPS as u64) as usize * self.used.bitmap().len() + index
    }

    /// Takes up to `most` nodes of a word. Some of them were seen free, others retired for long enough. A set
    /// bit is a node.
    #[inline(always)]
    fn get(self, epoch: u64, index: usize, [free, retired]: [u32; 2]) -> u32 {
        let mut got = 0;
        if free != 0 {
            let want = lowest(free, self.most);
            // Relaxed: no warp has read a free node.
            got = want & !self.used.bitmap().fetch_or(index, want, Order::Relaxed);
        }
        if retired != 0 && got == 0 {
            let want = lowest(retired, self.most);
            // Relaxed: the warps that retired them have left, and this turn has seen that.
            got = want & self.retired.fetch_and(self.bin(epoch, index), !want, Order::Relaxed);
        }
        got
    }
}

impl<B: IntegerWords<u32>, T: IntegerWords<u64>, const BITS: u32> Pool for EpochPool<B, T, BITS> {
    type Counters = Wide;

    #[inline(always)]
    fn warps(self) -> usize {
        self.stashes.len()
    }

    #[inline(always)]
    fn open<W: Warp>(self, w: &mut W) -> Stash {
        let (warp, turn) = (w.id() as usize, self.epochs.enter(w));
        // Relaxed, here and below: one warp at a time has this number.
        let stash = Stash::from_bits(w.elect(0, || self.stashes.load(warp, ReadOrder::Relaxed)));
        Stash { turn, ..stash }
    }

    #[inline(always)]
    fn close<W: Warp>(self, w: &mut W, stash: Stash) {
        let warp = w.id() as usize;
        w.elect(0, || self.stashes.store(warp, stash.bits(), WriteOrder::Relaxed));
        self.epochs.leave(w, stash.turn);
    }

    #[inline(always)]
    fn turn<W: Warp, R>(self, w: &mut W, f: impl FnOnce(&mut W, &mut Stash) -> R) -> R {
        let mut stash = self.open(w);
        let result = f(w, &mut stash);
        self.close(w, stash);
        result
    }

    #[inline(always)]
    fn reading<W: Warp, R>(self, w: &mut W, f: impl FnOnce(&mut W) -> R) -> R {
        let turn = self.epochs.enter(w);
        let result = f(w);
        self.epochs.leave(w, turn);
        result
    }

    /// Looks at the words of the bitmap, as many at a time as there are lanes, and tries each one that has a
    /// node once.
    #[inline(always)]
    fn fill<W: Warp>(self, w: &mut W, old: Stash) -> Option<Stash> {
        let words = self.used.bitmap().len();
        let blocks = (words as u32).div_ceil(W::LANES);
        // Three epochs before this one.
        let epoch = old.turn.epoch() + (EPOCH_BITMAPS as u64 - 3);
        // Each time it begins at another word.
        let hint = w.id().wrapping_add(old.word.wrapping_mul(0x9e37_79b9));
        let mut block = if blocks == 0 { 0 } else { fastrange(mix(hint), blocks) };
        for _ in 0..blocks {
            let base = block as usize * W::LANES as usize;
            let seen = w.each(|lane| {
                let index = base + lane as usize;
                if index >= words {
                    return [0; 2];
                }
                // Relaxed: guesses, confirmed when they are taken.
                let used = self.used.bitmap().load(index, ReadOrder::Relaxed);
                [!used, self.retired.load(self.bin(epoch, index), ReadOrder::Relaxed)]
            });
            let some = w.map(seen, |_, [free, retired]: [u32; 2]| free | retired != 0);
            let mut some = w.ballot(some);
            while let Some(lane) = some.ffs() {
                let index = base + lane as usize;
                let nodes = w.elect_with(lane, seen, |seen| self.get(epoch, index, seen));
                if nodes != 0 {
                    return Some(Stash { word: index as u32, nodes, ..old });
                }
                some = some.without(lane);
            }
            block = if block + 1 == blocks { 0 } else { block + 1 };
        }
        None
    }

    #[inline(always)]
    fn retire_by_lane(self, stash: &Stash, node: NodeIndex) {
        let (index, bit) = place(node);
        // Relaxed: it is read after this turn has ended.
        self.retired.fetch_or(self.bin(stash.turn.epoch(), index), 1 << bit, Order::Relaxed);
    }

    fn stashes(self, node: NodeIndex) -> u32 {
        stashes_with(self.stashes, node)
    }

    fn is_used(self, node: NodeIndex) -> bool {
        self.used.in_use(node)
    }

    fn is_retired(self, node: NodeIndex) -> bool {
        let (index, bit) = place(node);
        let is_in = |epoch| self.retired.load(self.bin(epoch, index), ReadOrder::Relaxed) & 1 << bit != 0;
        (0..EPOCH_BITMAPS as u64).any(is_in)
    }
}

#[cfg(all(test, feature = "host"))]
mod tests {
    use super::*;
    use crate::memory::Words;
    use crate::memory::noted::{Noted, NotedCells};
    use crate::reclaim::free_word;
    use crate::warp::two_lanes::TwoLanes;
    use core::cell::Cell;
    use std::vec::Vec;

    /// Nodes of three words of a bitmap: a warp of two lanes looks at two words, and then at one.
    const NODES: u32 = 65;
    const MOST: u32 = 4;

    struct State {
        used: Noted<u32, 3>,
        retired: Noted<u32, { 3 * EPOCH_BITMAPS }>,
        stashes: Noted<u64, 2>,
        epochs: Noted<u64, EPOCH_WORDS>,
    }

    type TestPool<'a> = EpochPool<&'a NotedCells<[Cell<u32>]>, &'a NotedCells<[Cell<u64>]>>;

    impl State {
        fn new() -> Self {
            let used = Noted::of([0, 1, 2].map(|index| free_word(NODES, index)));
            Self { used, retired: Noted::new(), stashes: Noted::new(), epochs: Noted::new() }
        }

        fn pool(&self) -> TestPool<'_> {
            EpochPool::new(&self.used, &self.retired, &self.stashes, Epochs::new(&self.epochs), MOST)
        }
    }

    /// All nodes that a turn can take, in ascending order.
    fn all(pool: TestPool<'_>, w: &mut TwoLanes) -> Vec<u32> {
        let taken = pool.turn(w, |w, stash| {
            let mut taken = Vec::new();
            while let Some(node) = pool.take(w, stash) {
                assert!(stash.nodes.count_ones() < MOST && pool.is_used(node), "{node:?} {stash:?}");
                taken.push(node.0);
            }
            taken
        });
        let mut sorted = taken;
        sorted.sort_unstable();
        sorted
    }

    #[test]
    fn every_node_is_taken_once_and_again_three_epochs_after_it_was_retired() {
        let (state, mut w) = (State::new(), TwoLanes);
        let pool = state.pool();
        assert!(pool.warps() == 2 && !pool.is_used(NodeIndex(0)));
        let nodes: Vec<u32> = (0..NODES).collect();
        assert_eq!(all(pool, &mut w), nodes);
        assert_eq!(all(pool, &mut w), []);
        for _ in 0..2 * EPOCH_BITMAPS {
            pool.turn(&mut w, |w, stash| {
                nodes.iter().for_each(|&node| pool.retire(w, stash, NodeIndex(node)));
            });
            assert!(nodes.iter().all(|&node| pool.is_retired(NodeIndex(node))));
            // A turn that reads is one as any other.
            assert_eq!(all(pool, &mut w), []);
            pool.reading(&mut w, |_| ());
            assert_eq!(all(pool, &mut w), nodes);
            assert!(!nodes.iter().any(|&node| pool.is_retired(NodeIndex(node))));
            assert_eq!(pool.check(NODES), Ok(()));
            let [_, even, odd] = state.epochs.words();
            assert_eq!([even, odd], [0, 0], "turns run");
        }
    }

    /// Nodes that were never taken, and those that were retired for long enough.
    #[test]
    fn no_node_is_lost_while_others_are_free() {
        let (state, mut w) = (State::new(), TwoLanes);
        let pool = state.pool();
        let mut taken = 0;
        for _ in 0..100 {
            pool.turn(&mut w, |w, stash| {
                for _ in 0..3 {
                    taken += u32::from(pool.take(w, stash).map(|node| pool.retire(w, stash, node)).is_some());
                }
            });
        }
        assert_eq!(taken, 300);
        let retired = (0..NODES).filter(|&node| pool.is_retired(NodeIndex(node))).count();
        let used = (0..NODES).filter(|&node| pool.is_used(NodeIndex(node))).count();
        let stashed: u32 = (0..NODES).map(|node| pool.stashes(NodeIndex(node))).sum();
        assert_eq!(used, retired + stashed as usize);
    }

    /// Wherever the search begins, which the last word of the stash decides.
    #[test]
    fn the_only_free_node_is_found_in_every_word() {
        for (word, before) in (0..3).flat_map(|word| (0..8).map(move |before| (word, before))) {
            let used = Noted::of([0, 1, 2].map(|index| if index == word { u32::MAX - 1 } else { u32::MAX }));
            let state = State { used, stashes: Noted::of([before << 32, 0]), ..State::new() };
            assert_eq!(all(state.pool(), &mut TwoLanes), [32 * word as u32]);
        }
    }

    #[test]
    fn a_stash_tells_its_turn() {
        let of = |bits| Stash { word: 7, nodes: 1, turn: Turn(bits) }.turn();
        assert_eq!([0, 1, 6].map(of), [0, 1, 6]);
    }

    /// The words of epochs, for a warp that has read the epoch before it was added to the count.
    #[derive(Clone, Copy)]
    struct Late<'a>(&'a NotedCells<[Cell<u64>]>);

    impl Words<u64> for Late<'_> {
        fn len(self) -> usize {
            self.0.len()
        }
        fn load(self, index: usize, order: ReadOrder) -> u64 {
            let word: u64 = self.0.load(index, order);
            if index == 0 { word.wrapping_sub(1) } else { word }
        }
        fn store(self, index: usize, value: u64, order: WriteOrder) {
            self.0.store(index, value, order);
        }
        fn compare_exchange(self, index: usize, current: u64, new: u64, order: Order) -> u64 {
            self.0.compare_exchange(index, current, new, order)
        }
        fn swap(self, index: usize, value: u64, order: Order) -> u64 {
            self.0.swap(index, value, order)
        }
    }

    impl IntegerWords<u64> for Late<'_> {
        fn fetch_add(self, index: usize, value: u64, order: Order) -> u64 {
            self.0.fetch_add(index, value, order)
        }
        fn fetch_or(self, index: usize, value: u64, order: Order) -> u64 {
            self.0.fetch_or(index, value, order)
        }
        fn fetch_and(self, index: usize, value: u64, order: Order) -> u64 {
            self.0.fetch_and(index, value, order)
        }
    }

    #[test]
    fn a_turn_whose_guess_was_late_is_counted_twice() {
        for epoch in [1, 2, 7, 8] {
            let words = Noted::of([epoch, 0, 0]);
            let (late, epochs) = (Epochs::new(Late(&words)), Epochs::new(&words));
            let turn = late.enter(&mut TwoLanes);
            assert_eq!((turn.epoch(), words.words()), (epoch, [epoch, 1, 1]));
            // Neither it nor the next turn goes on to another epoch.
            let next = epochs.enter(&mut TwoLanes);
            assert_eq!((next.epoch(), words.words()[0]), (epoch, epoch));
            late.leave(&mut TwoLanes, turn);
            epochs.leave(&mut TwoLanes, next);
            assert_eq!(words.words(), [epoch, 0, 0]);
            let last = epochs.enter(&mut TwoLanes);
            assert_eq!((last.epoch(), words.words()[0]), (epoch, epoch + 1));
            epochs.leave(&mut TwoLanes, last);
        }
    }
}
