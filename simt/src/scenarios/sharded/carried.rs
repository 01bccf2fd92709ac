//! The memory of ranks whose items a carrier moves.

use super::subject::{ANSWERS, ITEMS, Refused, ShardedSubject};
use crate::check::Memory;
use std::cell::RefCell;
use warpproof_model::sharded::{Cargo, Carrier, PLACE_WORDS, Part, Said};
use warpproof_model::{ReadOrder, Words, WriteOrder};

/// The most items of a batch.
const MOST: usize = 6;

/// Words for the items of so many ranks.
pub(super) const fn item_words(ranks: u32) -> usize {
    MOST * ranks as usize
}

/// Words for the answers of so many ranks to at most `most` items of each: a code and a value.
pub(super) const fn answer_words(ranks: u32, most: usize) -> usize {
    2 * most * ranks as usize * ranks as usize
}

/// When a carrier does what it is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Carry {
    /// In the call.
    AtOnce,
    /// When it is waited for, as the queue of a device may.
    Late,
}

/// What a carrier is asked for.
#[derive(Clone, Debug)]
enum Asked {
    Take(Cargo, Vec<Part>),
    Run,
}

/// The carrier of one rank.
pub(super) struct Carried<M> {
    memory: M,
    rank: u32,
    ranks: u32,
    most: usize,
    carry: Carry,
    own: RefCell<Own>,
}

/// What only its rank knows.
#[derive(Default)]
struct Own {
    /// The place in the batch of each item, sorted by owner.
    places: Vec<usize>,
    /// Items of others.
    taken: Vec<u64>,
    /// Answers to own items, in their order.
    said: Said,
    asked: Vec<Asked>,
}

impl<M: Memory> Carried<M> {
    pub(super) fn new(memory: M, (rank, ranks, most): (u32, u32, usize), carry: Carry) -> Self {
        Self { memory, rank, ranks, most, carry, own: RefCell::default() }
    }

    /// Writes the items of a batch, each with its owner, sorted by owner. Returns where those of each begin.
    pub(super) fn put(&self, items: impl Iterator<Item = (u32, u64)>) -> Vec<usize> {
        let mut items: Vec<_> =
            items.enumerate().map(|(place, (owner, word))| (owner, place, word)).collect();
        items.sort_unstable();
        for (at, (_, _, word)) in items.iter().enumerate() {
            // Relaxed, here and below: messages order them.
            self.memory.w64(ITEMS).store(self.item(at), *word, WriteOrder::Relaxed);
        }
        let mut own = self.own.borrow_mut();
        own.places = items.iter().map(|(_, place, _)| *place).collect();
        let none = vec![0; items.len()];
        own.said = Said { codes: vec![0; items.len()], values: none };
        (0..=self.ranks).map(|rank| items.partition_point(|(owner, ..)| *owner < rank)).collect()
    }

    /// The answers to the items of the batch.
    pub(super) fn said(mut self) -> Said {
        // The device's queue may end after the batch has returned.
        let _ = self.wait();
        self.own.take().said
    }

    /// The word of this rank's item.
    fn item(&self, at: usize) -> usize {
        item_words(1) * self.rank as usize + at
    }

    /// The first word of this rank's answer.
    fn answer(&self, at: usize) -> usize {
        answer_words(self.ranks, self.most) / self.ranks as usize * self.rank as usize + 2 * at
    }

    fn ask(&self, asked: Asked) -> Result<(), Refused> {
        self.own.borrow_mut().asked.push(asked);
        if self.carry == Carry::AtOnce { self.do_all() } else { Ok(()) }
    }

    fn do_all(&self) -> Result<(), Refused> {
        let asked = std::mem::take(&mut self.own.borrow_mut().asked);
        asked.into_iter().try_for_each(|asked| match asked {
            Asked::Take(Cargo::Items, parts) => {
                self.take_items(&parts);
                Ok(())
            }
            Asked::Take(Cargo::Answers, parts) => {
                self.take_answers(&parts);
                Ok(())
            }
            Asked::Run => self.run_taken(),
        })
    }

    fn take_items(&self, parts: &[Part]) {
        let words = self.memory.w64(ITEMS);
        let all = parts.iter().map(|part| part.first + part.items).max().unwrap_or(0);
        let taken = &mut self.own.borrow_mut().taken;
        taken.clear();
        taken.resize(all, 0);
        for part in parts {
            for at in 0..part.items {
                taken[part.first + at] = words.load(part.place[0] as usize + at, ReadOrder::Relaxed);
            }
        }
    }

    fn run_taken(&self) -> Result<(), Refused> {
        let said = ShardedSubject::run_items(self.memory, &self.own.borrow().taken)?;
        let words = self.memory.w64(ANSWERS);
        for (at, (&code, &value)) in said.codes.iter().zip(&said.values).enumerate() {
            words.store(self.answer(at), code.into(), WriteOrder::Relaxed);
            words.store(self.answer(at) + 1, value, WriteOrder::Relaxed);
        }
        Ok(())
    }

    fn take_answers(&self, parts: &[Part]) {
        let words = self.memory.w64(ANSWERS);
        let own = &mut *self.own.borrow_mut();
        for part in parts {
            for at in 0..part.items {
                let word = part.place[0] as usize + 2 * at;
                let place = own.places[part.first + at];
                own.said.codes[place] = words.load(word, ReadOrder::Relaxed) as u8;
                own.said.values[place] = words.load(word + 1, ReadOrder::Relaxed);
            }
        }
    }
}

impl<M: Memory> Carrier for Carried<M> {
    type Error = Refused;

    fn place(&self, cargo: Cargo, first: usize) -> [u64; PLACE_WORDS] {
        let word = match cargo {
            Cargo::Items => self.item(first),
            Cargo::Answers => self.answer(first),
        };
        [word as u64, 0, 0]
    }

    fn take(&mut self, cargo: Cargo, _: &[Part], taken: &[Part]) -> Result<(), Refused> {
        self.ask(Asked::Take(cargo, taken.to_vec()))
    }

    fn run(&mut self, _: usize) -> Result<(), Refused> {
        self.ask(Asked::Run)
    }

    fn wait(&mut self) -> Result<(), Refused> {
        self.do_all()
    }
}
