//! Batches whose items stay in the memory of their rank. Messages say how many there are and where; a
//! [`Carrier`] moves them.

use super::exchange::Exchange;
use super::header::{Header, Kind};
use super::lost::{Lost, Why};
use super::rounds::{Failed, Rounds};
use crate::host::{Refused, room};
use alloc::vec::Vec;

/// Words that say where items or answers are.
pub const PLACE_WORDS: usize = 3;

/// What a [`Carrier`] moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cargo {
    /// The items of a batch, to their owners.
    Items,
    /// The answers of an owner, to the ranks that sent the items.
    Answers,
}

/// What one rank has for another one in a round.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Part {
    /// Where it is in the memory of the rank that has it: what that rank's carrier says
    /// ([`Carrier::place`]).
    pub place: [u64; PLACE_WORDS],
    /// Its first item, or first answer, in the memory of the rank that this belongs to: among the items of
    /// its own batch, sorted by owner, or among those that others have sent it in this round.
    pub first: usize,
    /// How many items or answers.
    pub items: usize,
}

/// Moves the items of batches and their answers between the memories of ranks, and runs items on a rank's
/// shard. A carrier belongs to one rank, and has four arrays: the items of its own batch, sorted by owner,
/// and their answers; the items that others have sent in a round, and their answers.
///
/// What it does may go on after a call, until [`wait`](Self::wait) returns. An error is one of its own rank.
pub trait Carrier {
    /// What can go wrong.
    type Error;

    /// Where the part from number `first` on is, of the items of the own batch or of the answers to others'.
    fn place(&self, cargo: Cargo, first: usize) -> [u64; PLACE_WORDS];

    /// Takes from each rank what it has for this one (`taken`), and gives what this one has for it (`given`),
    /// a part for each rank. Every rank calls it at this point of the batch, also with parts of nothing.
    ///
    /// # Errors
    /// What was taken may be incomplete then.
    fn take(&mut self, cargo: Cargo, given: &[Part], taken: &[Part]) -> Result<(), Self::Error>;

    /// Runs so many items that were taken, and answers them.
    ///
    /// # Errors
    /// Some items may have been run.
    fn run(&mut self, items: usize) -> Result<(), Self::Error>;

    /// Waits until all that was begun is done: what was taken is here, and answers are written.
    ///
    /// # Errors
    /// Something that was begun has failed.
    fn wait(&mut self) -> Result<(), Self::Error>;
}

/// What one rank has in a batch.
#[derive(Debug)]
pub struct Prepared<C: Carrier> {
    /// Its carrier. It runs the items of others also if this rank has none.
    pub carrier: C,
    /// Where the items of each owner begin among those of the batch, and last where they end; or why this
    /// rank has no items.
    pub starts: Result<Vec<usize>, C::Error>,
    /// The most items that one rank has for another one in a round, at least one. All ranks say the same.
    pub most: usize,
}

impl<X: Exchange> Rounds<X> {
    /// Runs a batch whose items lie in the memory of this rank's carrier, which `prepare` makes. Returns the
    /// carrier: it has begun to take the last answers.
    ///
    /// Every rank calls it with the same kind. Of a rank's memory, others read its items between the first
    /// message of a round and the second one, and its answers after the second one until the next message:
    /// so the rank may change its items after the last round, and its answers after the first message of the
    /// next one.
    ///
    /// # Errors
    /// [`Failed`], as [`run`](Self::run).
    pub fn carry<C: Carrier>(
        &mut self,
        kind: Kind,
        prepare: impl FnOnce(&X) -> Prepared<C>,
    ) -> Result<C, Failed<C::Error>> {
        // After the exchange was lost, a rank that does not know yet may still read the items of the last
        // batch.
        if let Some(lost) = self.lost() {
            return Err(lost.into());
        }
        let kind = kind.carried();
        let ranks = self.exchange().ranks() as usize;
        let parts = room(ranks).and_then(|given| Ok([given, room(ranks)?]));
        let [mut given, mut taken] = match parts {
            Ok(parts) => parts,
            // The others would wait for this rank.
            Err(refused) => return Err(self.give_up(refused)),
        };
        let Prepared { mut carrier, starts, most } = prepare(self.exchange());
        let (starts, mut failed) = match starts {
            Ok(starts) => (starts, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        let most = most.max(1);
        let of = |rank: usize| match starts.get(rank..rank + 2) {
            Some(&[first, end]) => first..end.max(first),
            _ => 0..0,
        };
        let rounds = (0..ranks).map(|rank| of(rank).len().div_ceil(most)).max().unwrap_or(0);
        for round in 0.. {
            // Here the answers of the last round have come, and others may write the next ones.
            failed = failed.or(carrier.wait().err());
            given.clear();
            given.extend((0..ranks).map(|rank| {
                let first = of(rank).start.saturating_add(round * most).min(of(rank).end);
                let items = if failed.is_some() { 0 } else { most.min(of(rank).end - first) };
                Part { place: carrier.place(Cargo::Items, first), first, items }
            }));
            let more = failed.is_none() && round + 1 < rounds;
            self.tell(Header { kind, more, answers: false, failed: false, items: 0 }, &given);
            self.send()?;
            let more = self.hear((kind, most), false, &mut taken)?.more;
            let all = in_a_row(&mut taken);

            let ran = carrier
                .take(Cargo::Items, &given, &taken)
                .and_then(|()| carrier.run(all))
                .and_then(|()| carrier.wait());
            // From here on, `given` are the answers to what was taken, and `taken` those to what was given.
            core::mem::swap(&mut given, &mut taken);
            for part in &mut given {
                part.place = carrier.place(Cargo::Answers, part.first);
                // There are no answers to items that could not be run.
                part.items = if ran.is_ok() { part.items } else { 0 };
            }
            let own = Header { kind, more: false, answers: true, failed: ran.is_err(), items: 0 };
            self.tell(own, &given);
            self.send()?;
            let peer = self.hear((kind, most), true, &mut taken)?.failed;
            let took = carrier.take(Cargo::Answers, &given, &taken);
            self.count_carried(kind, &given, &taken);
            failed = failed.or(ran.err()).or(took.err());
            match (failed, peer) {
                (Some(error), Some(_)) => return Err(Failed::Shard(error)),
                (None, Some(rank)) => return Err(Failed::Peer(rank)),
                // Others have more, and do not know of this rank's error.
                (error, None) => failed = error,
            }
            if !more {
                break;
            }
        }
        if let Some(error) = failed {
            return Err(Failed::Shard(error));
        }
        self.count_batch();
        Ok(carrier)
    }

    /// Gives up in a call: the exchange is lost.
    fn give_up<E>(&mut self, refused: Refused) -> Failed<E> {
        let rank = self.exchange().rank();
        let _lost = self.lose(Why::Failed, rank);
        Failed::Refused(refused)
    }

    /// Writes a message to each rank: a header, and where its part is.
    fn tell(&mut self, header: Header, parts: &[Part]) {
        for (message, part) in self.messages_mut().iter_mut().zip(parts) {
            message.clear();
            message.push(Header { items: part.items as u32, ..header }.word());
            message.extend(part.place);
        }
    }

    /// Reads the message of each rank: where its part is. Parts of answers are known but for their place.
    fn hear(
        &mut self,
        (kind, most): (Kind, usize),
        answers: bool,
        parts: &mut Vec<Part>,
    ) -> Result<Heard, Lost> {
        let mut heard = Heard { more: false, failed: None };
        if !answers {
            parts.clear();
        }
        for from in 0..self.messages_mut().len() {
            let header = self.header(kind, answers, from)?;
            let items = header.items as usize;
            let place = self.messages_mut()[from].get(1..).and_then(|words| words.try_into().ok());
            let expected = parts.get(from).filter(|_| !header.failed).map_or(items, |part| part.items);
            let Some(place) = place.filter(|_| items <= most && items == expected) else {
                return Err(self.lose(Why::Malformed, from as u32));
            };
            heard.more |= header.more;
            if header.failed {
                heard.failed = heard.failed.or(Some(from as u32));
            }
            match parts.get_mut(from) {
                Some(part) => *part = Part { place, items, ..*part },
                None => parts.push(Part { place, first: 0, items }),
            }
        }
        Ok(heard)
    }

    /// Counts what was moved in a round: answers given and taken.
    fn count_carried(&mut self, kind: Kind, given: &[Part], taken: &[Part]) {
        let own = self.exchange().rank() as usize;
        let of_others = |parts: &[Part]| {
            let others = parts.iter().enumerate().filter(|(rank, _)| *rank != own);
            others.map(|(_, part)| part.items as u64).sum::<u64>()
        };
        let (sent, answered) = (of_others(taken), of_others(given));
        let values = if kind.valued { answered } else { 0 };
        self.count(sent, sent * u64::from(kind.width) + answered.div_ceil(8) + values);
    }
}

/// What the headers of all ranks say.
struct Heard {
    /// Whether one has more items.
    more: bool,
    /// The first one whose shard could not run its items.
    failed: Option<u32>,
}

/// Puts parts one after the other. Returns how many items they have.
fn in_a_row(parts: &mut [Part]) -> usize {
    let mut all = 0;
    for part in parts {
        part.first = all;
        all += part.items;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    const DELETE: Kind = Kind { code: 3, width: 1, valued: false };

    /// Rank 0 of two. Rank 1 sends three items in messages, as many words as a place has.
    struct Other(Option<Lost>);

    impl Exchange for Other {
        fn rank(&self) -> u32 {
            0
        }
        fn ranks(&self) -> u32 {
            2
        }
        fn bin_words(&self) -> usize {
            8
        }
        fn all_to_all(&mut self, messages: &mut [Vec<u64>]) -> Result<(), Lost> {
            let header = Header { kind: DELETE, more: false, answers: false, failed: false, items: 3 };
            messages[1] = vec![header.word(), 10, 11, 12];
            self.0.map_or(Ok(()), Err)
        }
        fn lose(&mut self, why: Why, rank: u32) -> Lost {
            *self.0.get_or_insert(Lost { why, rank, message: 1 })
        }
    }

    /// Must not be asked for anything that others have.
    struct Nothing;

    impl Carrier for Nothing {
        type Error = ();

        fn place(&self, _: Cargo, _: usize) -> [u64; PLACE_WORDS] {
            [0; PLACE_WORDS]
        }
        fn take(&mut self, _: Cargo, _: &[Part], _: &[Part]) -> Result<(), ()> {
            panic!("items of another call are no places")
        }
        fn run(&mut self, _: usize) -> Result<(), ()> {
            panic!("nothing was taken")
        }
        fn wait(&mut self) -> Result<(), ()> {
            Ok(())
        }
    }

    #[test]
    fn a_rank_that_sends_items_makes_another_call() {
        let mut rounds = Rounds::new(Other(None)).expect("rounds");
        let prepare = |_: &Other| Prepared { carrier: Nothing, starts: Ok(vec![0, 0, 0]), most: 4 };
        let lost = Lost { why: Why::Differs, rank: 1, message: 1 };
        for _ in 0..2 {
            let failed = rounds.carry(DELETE, prepare).err().expect("an error");
            assert_eq!(failed, Failed::Lost(lost));
        }
    }
}
