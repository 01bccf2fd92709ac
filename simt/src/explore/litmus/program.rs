//! The instructions of the threads of a litmus program.

use crate::check::{Anything, Array, Memory, SimWarp, Subject};
use warpproof_model::spec::{Call, Op, Ret};
use warpproof_model::{Block, IntegerWords, Order, ReadOrder, Words, WriteOrder};

/// What a thread does. Unless said otherwise one lane acts, and all lanes learn what it read: a collective
/// follows.
#[derive(Clone, Debug)]
pub(super) enum Ins {
    Read(usize, ReadOrder),
    /// Reads, and forgets what it read.
    Look(usize),
    Write(usize, u64, WriteOrder),
    Add(usize, u64, Order),
    Swap(usize, u64, Order),
    /// Writes the last value if the word holds the one before it.
    Cas(usize, u64, u64, Order),
    /// Reads the first word, writes one more to the second.
    Next(usize, usize, ReadOrder, WriteOrder),
    /// Reads the first word, writes the same to the second.
    Copy(usize, usize),
    /// Reads the word and those before it, down to one that is 0.
    Down(usize, ReadOrder),
    /// In one `each`, every lane runs its list: there is no collective in between, nor after it.
    Each(Vec<Vec<Ins>>),
    Fence,
    FenceAcquire,
    Sync,
    Ballot,
    Barrier,
    /// The instructions that follow are this lane's.
    Lane(u32),
    /// Reads until the word holds the value.
    Await(usize, u64, ReadOrder),
    /// Reads until the word holds what the thread has read last.
    AwaitTurn(usize, ReadOrder),
    /// Ends the thread, unless it has read this last.
    Unless(u64),
    /// Reads these words in turn, at most so often, until one is not 0: which one was it, or [`GAVE_UP`].
    Poll(&'static [usize], usize),
    /// Exchanges 0 for 1 until that succeeds.
    Lock(usize, Order),
    /// Writes 1 until what it overwrites is 0.
    SwapLock(usize, Order),
    /// Writes 0.
    Unlock(usize, WriteOrder),
}

/// The answer of a poll that saw nothing.
pub(super) const GAVE_UP: u64 = 99;

/// Number of words.
pub(super) const WORDS: usize = 16;

/// The operation of a thread, whose number is the key.
pub(super) const RUN: Op = Op::Other(0);
/// Reads the first words.
pub(super) const LAST: Op = Op::Other(1);

pub(super) const X: usize = 0;
pub(super) const Y: usize = 1;
pub(super) const Z: usize = 2;

pub(super) const fn read(word: usize) -> Ins {
    Ins::Read(word, ReadOrder::Relaxed)
}
pub(super) const fn acquire(word: usize) -> Ins {
    Ins::Read(word, ReadOrder::Acquire)
}
pub(super) const fn write(word: usize, value: u64) -> Ins {
    Ins::Write(word, value, WriteOrder::Relaxed)
}
pub(super) const fn release(word: usize, value: u64) -> Ins {
    Ins::Write(word, value, WriteOrder::Release)
}
pub(super) const fn add(word: usize, order: Order) -> Ins {
    Ins::Add(word, 1, order)
}
pub(super) const fn next(from: usize, to: usize) -> Ins {
    Ins::Next(from, to, ReadOrder::Relaxed, WriteOrder::Relaxed)
}
pub(super) fn each(lanes: &[&[Ins]]) -> Ins {
    Ins::Each(lanes.iter().map(|lane| lane.to_vec()).collect())
}

/// Threads, one per warp.
#[derive(Clone, Debug)]
pub(super) struct Threads {
    pub(super) threads: Vec<Vec<Ins>>,
    pub(super) in_block: bool,
    /// Warps that run the same thread are twins.
    pub(super) twins: bool,
}

impl Subject for Threads {
    type Spec = Anything;

    fn spec(&self) -> Anything {
        Anything
    }

    fn exchangeable(&self) -> bool {
        self.twins
    }

    fn arrays(&self) -> Vec<Array> {
        let words = Array::new("word", 64, vec![0; WORDS]);
        vec![if self.in_block { words.in_block() } else { words }]
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let words = m.w64(0);
        if call.op == LAST {
            // The newest value of the first words, asked for alone.
            return Ret::Values((0..3).map(|word| words.load(word, ReadOrder::Relaxed)).collect());
        }
        let mut seen = Vec::new();
        let mut lane = 0;
        for ins in &self.threads[call.key as usize] {
            match *ins {
                Ins::Each(ref lanes) => {
                    w.each(|lane| {
                        for ins in &lanes[lane as usize] {
                            access(words, ins, &mut seen);
                        }
                    });
                }
                Ins::Fence => w.fence(),
                Ins::FenceAcquire => w.fence_acquire(),
                Ins::Sync => w.sync(),
                Ins::Ballot => {
                    let votes = w.each(|_| true);
                    w.ballot(votes);
                }
                Ins::Barrier => w.block().sync(),
                Ins::Lane(next) => lane = next,
                Ins::Await(word, value, order) => {
                    while w.elect(lane, || words.load(word, order)) != value {
                        w.pause();
                    }
                }
                Ins::AwaitTurn(word, order) => {
                    while Some(w.elect(lane, || words.load(word, order))) != seen.last().copied() {
                        w.pause();
                    }
                }
                Ins::Unless(value) => {
                    if seen.last() != Some(&value) {
                        break;
                    }
                }
                Ins::Poll(polled, turns) => {
                    let mut turn = (0..turns).zip(polled.iter().cycle());
                    let mut found = || {
                        turn.find(|(_, word)| {
                            let some = w.elect(lane, || words.load(**word, ReadOrder::Relaxed)) != 0;
                            if !some {
                                w.pause();
                            }
                            some
                        })
                    };
                    seen.push(found().map_or(GAVE_UP, |(_, &word)| word as u64));
                }
                Ins::SwapLock(word, order) => {
                    while w.elect(lane, || words.swap(word, 1, order)) != 0 {
                        w.pause();
                    }
                }
                Ins::Lock(word, order) => {
                    while w.elect(lane, || words.compare_exchange(word, 0, 1, order)) != 0 {
                        w.pause();
                    }
                }
                _ => {
                    w.elect(lane, || {
                        access(words, ins, &mut seen);
                        0_u64
                    });
                }
            }
        }
        Ret::Values(seen)
    }
}

/// The accesses of one lane, and what they read.
fn access(words: impl IntegerWords<u64>, ins: &Ins, seen: &mut Vec<u64>) {
    match *ins {
        Ins::Read(word, order) => seen.push(words.load(word, order)),
        Ins::Look(word) => {
            words.load(word, ReadOrder::Relaxed);
        }
        Ins::Write(word, value, order) => words.store(word, value, order),
        Ins::Unlock(word, order) => words.store(word, 0, order),
        Ins::Add(word, value, order) => seen.push(words.fetch_add(word, value, order)),
        Ins::Swap(word, value, order) => seen.push(words.swap(word, value, order)),
        Ins::Cas(word, current, new, order) => seen.push(words.compare_exchange(word, current, new, order)),
        Ins::Next(from, to, read, write) => {
            let value = words.load(from, read);
            words.store(to, value + 1, write);
            seen.push(value);
        }
        Ins::Copy(from, to) => {
            let value = words.load(from, ReadOrder::Relaxed);
            words.store(to, value, WriteOrder::Relaxed);
            seen.push(value);
        }
        Ins::Down(word, order) => {
            for word in (0..=word).rev() {
                let value = words.load(word, order);
                seen.push(value);
                if value == 0 {
                    break;
                }
            }
        }
        _ => unreachable!("no access: {ins:?}"),
    }
}
