//! A batch of a rank: its items go to their owners, and the answers come back.

use super::entry::ShardEntry;
use super::exchange::Exchange;
use super::header::{Header, Kind};
use super::lost::{Lost, Why};
use super::route::{Route, zeros};
use crate::host::{Refused, room};
use alloc::vec::Vec;

/// Answers to items, in their order: a code of each and, if the call has such, a value of each.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Said {
    /// A code of each item.
    pub codes: Vec<u8>,
    /// A value of each item; empty if the call has none.
    pub values: Vec<u64>,
}

/// Why a batch failed.
#[derive(Clone, PartialEq, Debug)]
pub enum Failed<E> {
    /// The exchange is lost.
    Lost(Lost),
    /// The shard of this rank could not run its part. All ranks know, and go on together.
    Shard(E),
    /// The shard of this rank could not run its part: what was wrong, it told its own caller.
    Peer(u32),
    /// This rank's batch was refused. It took part in the exchange without items.
    Refused(Refused),
}

impl<E> From<Lost> for Failed<E> {
    fn from(lost: Lost) -> Self {
        Self::Lost(lost)
    }
}

/// What a rank has exchanged.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Exchanged {
    /// Batches.
    pub batches: u64,
    /// Rounds of batches: one for each, and more if a bin could not hold what one rank had for another.
    pub rounds: u64,
    /// Items that other ranks own.
    pub items: u64,
    /// Words of messages to other ranks.
    pub words: u64,
}

/// One rank's end of an exchange, with the memory for its messages: twice as many bins as there are ranks.
#[derive(Debug)]
pub struct Rounds<X> {
    exchange: X,
    messages: Vec<Vec<u64>>,
    /// What ranks sent in a round, one after the other, and how many items of each.
    items: Vec<u64>,
    counts: Vec<usize>,
    exchanged: Exchanged,
    /// Why the exchange is lost, since this rank knows.
    lost: Option<Lost>,
}

impl<X: Exchange> Rounds<X> {
    /// The fewest words of a bin.
    pub const LEAST_BIN: usize = 1 + Kind::MOST_WIDTH as usize;

    /// The rounds of this end.
    ///
    /// # Errors
    /// [`Refused::Nothing`] if there is no rank or a bin has too few words, or [`Refused::OutOfMemory`].
    pub fn new(exchange: X) -> Result<Self, Refused> {
        let (ranks, bin) = (exchange.ranks(), exchange.bin_words());
        if ranks == 0 {
            return Err(Refused::Nothing { what: "rank" });
        }
        if bin < Self::LEAST_BIN {
            return Err(Refused::Nothing { what: "bin with room for a header and an item" });
        }
        let mut messages = room(ranks as usize)?;
        for _ in 0..ranks {
            messages.push(room(bin)?);
        }
        Ok(Self {
            items: room(bin.saturating_mul(ranks as usize))?,
            counts: zeros(ranks as usize)?,
            exchange,
            messages,
            exchanged: Exchanged::default(),
            lost: None,
        })
    }

    /// The exchange.
    pub const fn exchange(&self) -> &X {
        &self.exchange
    }

    /// What this rank has exchanged so far.
    pub const fn exchanged(&self) -> Exchanged {
        self.exchanged
    }

    /// Runs a batch. `put` appends the words of the item at a place in the batch to a message, as many as the
    /// kind says. `run` runs the items that this rank owns, of which it gets the words, and answers each.
    ///
    /// Every rank calls it with the same kind. If one of them has more items for an owner than a bin holds,
    /// all go through more rounds.
    ///
    /// # Errors
    /// [`Failed`]. After [`Failed::Lost`] every later call returns the same. After the others, items of
    /// earlier rounds have been run.
    pub fn run<E>(
        &mut self,
        kind: Kind,
        route: Result<Route, Refused>,
        put: impl Fn(usize, &mut Vec<u64>),
        mut run: impl FnMut(&[u64]) -> Result<Said, E>,
    ) -> Result<Said, Failed<E>> {
        let prepared = route.and_then(|route| Ok((Said::of(kind, route.len())?, route)));
        let (mut said, route, refused) = match prepared {
            Ok((said, route)) => (said, route, None),
            Err(refused) => (Said::default(), Route::empty(), Some(refused)),
        };
        let ran = self.rounds(kind, &route, &put, &mut run, &mut said);
        match (ran, refused) {
            (Err(Failed::Lost(lost)), _) => Err(Failed::Lost(lost)),
            // The caller's own mistake comes first.
            (_, Some(refused)) => Err(Failed::Refused(refused)),
            (ran, None) => {
                ran?;
                self.count_batch();
                Ok(said)
            }
        }
    }

    fn rounds<E>(
        &mut self,
        kind: Kind,
        route: &Route,
        put: &impl Fn(usize, &mut Vec<u64>),
        run: &mut impl FnMut(&[u64]) -> Result<Said, E>,
        to: &mut Said,
    ) -> Result<(), Failed<E>> {
        let per_bin = kind.per_bin(self.exchange.bin_words());
        let last = route.rounds(per_bin) - 1;
        for round in 0.. {
            self.put_items(kind, route, (round, per_bin), round < last, put);
            self.send()?;
            let more = self.take_items(kind)?;
            let ran = run(&self.items);
            let whole = ran.as_ref().map_or(true, |said| said.is_of(kind, self.counts.iter().sum()));
            if !whole {
                return Err(self.lose(Why::Malformed, self.exchange.rank()).into());
            }
            self.put_answers(kind, ran.as_ref().ok());
            self.send()?;
            let failed = self.take_answers(kind, route, (round, per_bin), to)?;
            self.exchanged.rounds += 1;
            match (ran, failed) {
                (Err(error), _) => return Err(Failed::Shard(error)),
                (_, Some(rank)) => return Err(Failed::Peer(rank)),
                _ if more => {}
                _ => break,
            }
        }
        Ok(())
    }

    /// Sends the messages, and gets those of others in their place.
    pub(super) fn send(&mut self) -> Result<(), Lost> {
        let own = self.exchange.rank() as usize;
        let others = self.messages.iter().enumerate().filter(|(rank, _)| *rank != own);
        self.exchanged.words += others.map(|(_, message)| message.len() as u64).sum::<u64>();
        let sent = self.exchange.all_to_all(&mut self.messages);
        self.lost = self.lost.or(sent.err());
        sent
    }

    /// Loses the exchange for all ranks: [`Exchange::lose`].
    pub fn lose(&mut self, why: Why, rank: u32) -> Lost {
        let lost = self.exchange.lose(why, rank);
        *self.lost.get_or_insert(lost)
    }

    /// Why the exchange is lost, if this rank knows that it is.
    pub(super) const fn lost(&self) -> Option<Lost> {
        self.lost
    }

    /// The messages to all ranks, or from them.
    pub(super) const fn messages_mut(&mut self) -> &mut Vec<Vec<u64>> {
        &mut self.messages
    }

    /// Counts a batch.
    pub(super) const fn count_batch(&mut self) {
        self.exchanged.batches += 1;
    }

    /// Counts a round of items to other ranks that were moved beside the messages, and their words.
    pub(super) const fn count(&mut self, items: u64, words: u64) {
        self.exchanged.rounds += 1;
        self.exchanged.items += items;
        self.exchanged.words += words;
    }

    /// Writes the messages of a round: a header, and the items of the round.
    fn put_items(
        &mut self,
        kind: Kind,
        route: &Route,
        (round, per_bin): (usize, usize),
        more: bool,
        put: &impl Fn(usize, &mut Vec<u64>),
    ) {
        let own = self.exchange.rank();
        for (to, message) in (0..).zip(&mut self.messages) {
            let part = route.part(to, round, per_bin);
            message.clear();
            message
                .push(Header { kind, more, answers: false, failed: false, items: part.len() as u32 }.word());
            part.iter().for_each(|&place| put(place as usize, message));
            self.exchanged.items += if to == own { 0 } else { part.len() as u64 };
        }
    }

    /// Takes the items of all ranks out of their messages. Returns whether a rank has more.
    fn take_items(&mut self, kind: Kind) -> Result<bool, Lost> {
        let mut any_more = false;
        self.items.clear();
        for from in 0..self.messages.len() {
            let header = self.header(kind, false, from)?;
            let words = &self.messages[from][1..];
            if words.len() != header.items as usize * usize::from(kind.width) {
                return Err(self.lose(Why::Malformed, from as u32));
            }
            self.items.extend_from_slice(words);
            self.counts[from] = header.items as usize;
            any_more |= header.more;
        }
        Ok(any_more)
    }

    /// Writes the answers to the items of each rank, or that there are none as they could not be run.
    fn put_answers(&mut self, kind: Kind, said: Option<&Said>) {
        let mut first = 0;
        for (message, &count) in self.messages.iter_mut().zip(&self.counts) {
            let items = if said.is_some() { count as u32 } else { 0 };
            message.clear();
            message.push(Header { kind, more: false, answers: true, failed: said.is_none(), items }.word());
            if let Some(said) = said {
                said.put(first..first + count, message);
            }
            first += count;
        }
    }

    /// Takes the answers to this rank's items out of the messages, each to its place. Returns the first rank
    /// that could not run its items.
    fn take_answers(
        &mut self,
        kind: Kind,
        route: &Route,
        (round, per_bin): (usize, usize),
        to: &mut Said,
    ) -> Result<Option<u32>, Lost> {
        let mut failed = None;
        for from in 0..self.messages.len() {
            let header = self.header(kind, true, from)?;
            if header.failed {
                failed = failed.or(Some(from as u32));
                continue;
            }
            let part = route.part(from as u32, round, per_bin);
            if header.items as usize != part.len() || !to.take(kind, part, &self.messages[from][1..]) {
                return Err(self.lose(Why::Malformed, from as u32));
            }
        }
        Ok(failed)
    }

    /// The header of the message of a rank, if it is of this kind.
    pub(super) fn header(&mut self, kind: Kind, answers: bool, from: usize) -> Result<Header, Lost> {
        match self.messages[from].first().and_then(|&word| Header::of_word(word)) {
            Some(header) if header.kind == kind && header.answers == answers => Ok(header),
            Some(_) => Err(self.lose(Why::Differs, from as u32)),
            None => Err(self.lose(Why::Malformed, from as u32)),
        }
    }

    /// A word of each rank, in their order. Every rank calls it with the same kind.
    ///
    /// # Errors
    /// [`Lost`].
    pub fn words(&mut self, kind: Kind, word: u64) -> Result<&[u64], Lost> {
        let header = Header { kind, more: false, answers: false, failed: false, items: 1 }.word();
        for message in &mut self.messages {
            message.clear();
            message.extend([header, word]);
        }
        self.send()?;
        self.items.clear();
        for from in 0..self.messages.len() {
            self.header(kind, false, from)?;
            let Some(&word) = self.messages[from].get(1) else {
                return Err(self.lose(Why::Malformed, from as u32));
            };
            self.items.push(word);
        }
        Ok(&self.items)
    }

    /// Passes the entries of all ranks, of two words each, to `take`: those of this rank are `entries`. Every
    /// rank calls it with the same kind. Each gets all entries, a bin of every rank at a time.
    ///
    /// # Errors
    /// [`Lost`].
    pub fn gather<E: ShardEntry>(
        &mut self,
        kind: Kind,
        entries: &[E],
        mut take: impl FnMut(&[u64]),
    ) -> Result<(), Lost> {
        let mut parts = entries.chunks(kind.per_bin(self.exchange.bin_words()));
        loop {
            let part = parts.next().unwrap_or(&[]);
            let more = parts.len() > 0;
            for message in &mut self.messages {
                message.clear();
                message.push(
                    Header { kind, more, answers: false, failed: false, items: part.len() as u32 }.word(),
                );
                part.iter().for_each(|entry| message.extend(entry.to_words()));
            }
            self.send()?;
            let more = self.take_items(kind)?;
            take(&self.items);
            if !more {
                return Ok(());
            }
        }
    }
}
