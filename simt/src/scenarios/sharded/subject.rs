//! Ranks and their exchange as a subject.

use super::carried::{Carried, Carry, answer_words, item_words};
use crate::check::{Array, Breach, Config, Kind as Invariant, Memory, Scenario, SimWarp, Subject};
use std::collections::{BTreeMap, BTreeSet};
use warpproof_model::sharded::{
    BATCH, Echo, Exchange, Failed, Item, Kind, Lost, MailboxEnd, Mailboxes, Pace, Prepared, Rounds, Route,
    Said, Why, data_words, flag_words,
};
use warpproof_model::spec::{Call, Ret};
use warpproof_model::{ReadOrder, Words, WriteOrder};

/// Ranks that exchange batches through mailboxes.
///
/// The configuration says: `buckets` is the number of ranks, `slots` that of words in a bin, `pool` the
/// number of the last message before the scenario. `bitmap` is how often a rank waits before it gives up (0:
/// as often as necessary); the rank that vanishes, counted from 1 (0: none); before which message; the
/// ranks that never give up by themselves, a bit for each; and how items are moved: by messages (0), by a
/// carrier at once (1) or when it is waited for (2), and how many from one rank for another one in a round.
#[derive(Clone, Debug)]
pub struct ShardedSubject {
    config: Config,
    refused: Vec<u64>,
    /// How often each key is sent.
    sent: BTreeMap<u64, u64>,
}

const FLAGS: usize = 0;
const DATA: usize = 1;
/// How often a shard has run an item with a key: only its owner changes it.
const RAN: usize = 2;
/// How many messages each rank has exchanged: only the rank itself changes it.
const NUMBER: usize = 3;
/// Why each rank has first found the exchange lost: only the rank itself changes it.
const REASON: usize = 4;
/// The items of the ranks, and the answers to those that they took, if a carrier moves them.
pub(super) const ITEMS: usize = 5;
pub(super) const ANSWERS: usize = 6;

/// Keys are digits.
const KEYS: usize = 10;

/// The call of all programs.
const ECHO: Kind = Kind { code: 1, width: 1, valued: true };

/// A shard has been asked to run an item that it refuses.
#[derive(Debug)]
pub(super) struct Refused;

impl ShardedSubject {
    /// The name in scenarios.
    pub const STRUCTURE: &'static str = "sharded";

    /// The subject of a scenario.
    pub fn new(scenario: &Scenario) -> Self {
        let (mut refused, mut sent) = (Vec::new(), BTreeMap::new());
        for item in scenario.calls().filter(|call| call.op == BATCH).flat_map(Item::of_call) {
            *sent.entry(item.key).or_default() += 1;
            if item.key == Item::REFUSED {
                refused.push(item.batch);
            }
        }
        Self { config: scenario.config.clone(), refused, sent }
    }

    fn ranks(&self) -> u32 {
        self.config.buckets
    }

    fn bin(&self) -> usize {
        self.config.slots as usize
    }

    fn owner(&self, key: u64) -> u32 {
        (key % u64::from(self.ranks())) as u32
    }

    fn of_bitmap(&self, at: usize) -> u32 {
        self.config.bitmap.get(at).copied().unwrap_or(0)
    }

    /// How a carrier moves items, and how many for one rank in a round; `None` if messages have them.
    fn carry(&self) -> Option<(Carry, usize)> {
        let carry = [None, Some(Carry::AtOnce), Some(Carry::Late)];
        carry[self.of_bitmap(4) as usize % carry.len()].map(|carry| (carry, self.of_bitmap(5) as usize))
    }

    /// Whether the exchange may be lost.
    fn may_lose(&self) -> bool {
        self.of_bitmap(0) != 0
    }

    fn mailboxes<M: Memory>(&self, m: M) -> Mailboxes<M::W32, M::W64> {
        Mailboxes::new(m.w32(FLAGS), m.w64(DATA), self.ranks(), self.bin())
    }

    /// Runs the items that a rank owns on its shard.
    pub(super) fn run_items<M: Memory>(m: M, items: &[u64]) -> Result<Said, Refused> {
        if items.iter().any(|&word| Item::key_of(word) == Item::REFUSED) {
            return Err(Refused);
        }
        let mut said = Said::default();
        for &word in items {
            let key = Item::key_of(word) as usize;
            // Relaxed, both: only the owner accesses the word.
            let ran = m.w32(RAN).load(key, ReadOrder::Relaxed);
            m.w32(RAN).store(key, ran + 1, WriteOrder::Relaxed);
            let (code, value) = Item::answer(word);
            said.codes.push(code);
            said.values.push(value);
        }
        Ok(said)
    }

    /// What a batch returns in which a rank finds the exchange lost. All ranks learn the same reason, and it
    /// stays.
    fn reason<M: Memory>(m: M, rank: u32, lost: Lost) -> Ret {
        let Lost { why, rank: of, message } = lost;
        let word = (why as u64) << 56 | u64::from(of) << 32 | u64::from(message);
        // Relaxed, both: only this rank accesses the word.
        match m.w64(REASON).load(rank as usize, ReadOrder::Relaxed) {
            0 => m.w64(REASON).store(rank as usize, word, WriteOrder::Relaxed),
            before if before != word => return Ret::Done,
            _ => {}
        }
        Ret::Absent
    }

    fn batch<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let (rank, items) = (call.key as u32, Item::of_call(call));
        // Relaxed: only this rank accesses the word.
        let number = m.w32(NUMBER).load(rank as usize, ReadOrder::Relaxed);
        let vanishes = (self.of_bitmap(1) == rank + 1).then(|| self.of_bitmap(2));
        let limited = self.may_lose() && self.of_bitmap(3) >> rank & 1 == 0;
        let waits = Waits { warp: w, left: self.of_bitmap(0), limited, vanishes };
        let end = MailboxEnd::new(rank, self.ranks(), number);
        let Ok(mut rounds) = Rounds::new(Mailed { mailboxes: self.mailboxes(m), end, waits }) else {
            return Ret::Done;
        };
        let said = match self.carry() {
            None => {
                let route = Route::new(self.ranks(), items.len(), |item| self.owner(items[item].key));
                let put = |place: usize, message: &mut Vec<u64>| message.push(items[place].word(rank));
                rounds.run(ECHO, route, put, |items| Self::run_items(m, items))
            }
            Some((carry, most)) => {
                let carried = Carried::new(m, (rank, self.ranks(), most), carry);
                let words = items.iter().map(|item| (self.owner(item.key), item.word(rank)));
                let prepare = |_: &Mailed<'_, _, _, _>| {
                    let starts = Ok(carried.put(words));
                    Prepared { carrier: carried, starts, most }
                };
                rounds.carry(ECHO, prepare).map(|carried| carried.said())
            }
        };
        let ret = match said {
            Ok(said) => Echo::ret(&said),
            Err(Failed::Lost(lost)) if vanishes.is_some() && lost.why == Why::Failed => Ret::Absent,
            Err(Failed::Lost(lost)) => Self::reason(m, rank, lost),
            Err(Failed::Shard(Refused) | Failed::Peer(_)) => Ret::Full,
            Err(Failed::Refused(_)) => Ret::Done,
        };
        m.w32(NUMBER).store(rank as usize, rounds.exchange().end.number(), WriteOrder::Relaxed);
        ret
    }
}

/// How a rank waits for another one.
struct Waits<'a, W> {
    warp: &'a mut W,
    left: u32,
    limited: bool,
    vanishes: Option<u32>,
}

impl<W: SimWarp> Pace for Waits<'_, W> {
    fn begin(&mut self, number: u32, _: &mut [u32]) -> bool {
        self.vanishes.is_none_or(|before| number < before)
    }

    fn wait(&mut self) -> bool {
        if self.limited {
            // A rank that waits a limited number of times does not wait for a change.
            let more = self.left > 0;
            self.left = self.left.saturating_sub(1);
            return more;
        }
        self.warp.pause();
        true
    }
}

/// One end of the exchange.
struct Mailed<'a, W, F, D> {
    mailboxes: Mailboxes<F, D>,
    end: MailboxEnd,
    waits: Waits<'a, W>,
}

impl<W: SimWarp, F: Words<u32>, D: Words<u64>> Exchange for Mailed<'_, W, F, D> {
    fn rank(&self) -> u32 {
        self.end.rank()
    }
    fn ranks(&self) -> u32 {
        self.mailboxes.ranks()
    }
    fn bin_words(&self) -> usize {
        self.mailboxes.bin()
    }
    fn all_to_all(&mut self, messages: &mut [Vec<u64>]) -> Result<(), Lost> {
        self.end.all_to_all(self.mailboxes, &mut self.waits, messages)
    }
    fn lose(&mut self, why: Why, rank: u32) -> Lost {
        self.end.lose(self.mailboxes, why, rank)
    }
}

impl Subject for ShardedSubject {
    type Spec = Echo;

    fn spec(&self) -> Echo {
        Echo { refused: self.refused.clone(), may_lose: self.may_lose() }
    }

    fn arrays(&self) -> Vec<Array> {
        let (ranks, number) = (self.ranks(), self.config.pool.into());
        let filled = |name, width, words, value: u128| Array::new(name, width, vec![value; words]);
        let mut arrays = vec![
            filled("flag", 32, flag_words(ranks), number),
            filled("data", 64, data_words(ranks, self.bin()), 0),
            filled("ran", 32, KEYS, 0),
            filled("number", 32, ranks as usize, number),
            filled("reason", 64, ranks as usize, 0),
        ];
        if let Some((_, most)) = self.carry() {
            arrays.push(filled("item", 64, item_words(ranks), 0));
            arrays.push(filled("answer", 64, answer_words(ranks, most), 0));
        }
        arrays
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        self.batch(w, m, call)
    }

    /// No item is run more often than it was sent; without errors, as often. Ranks know one reason why the
    /// exchange is lost.
    fn check_quiescent<W: SimWarp, M: Memory>(&self, _: &mut W, m: M) -> Result<(), Breach> {
        let sent = |key| self.sent.get(&(key as u64)).copied().unwrap_or(0);
        for key in 0..KEYS {
            // Relaxed: no rank runs.
            let ran = u64::from(m.w32(RAN).load(key, ReadOrder::Relaxed));
            let whole = !self.may_lose() && self.refused.is_empty();
            if ran > sent(key) || whole && ran < sent(key) {
                let said = format!("key {key} was sent {} times and run {ran} times", sent(key));
                return Err(Breach::new(Invariant::Invariant, said));
            }
        }
        let reasons = (0..self.ranks() as usize).map(|rank| m.w64(REASON).load(rank, ReadOrder::Relaxed));
        let known: BTreeSet<u64> = reasons.filter(|reason| *reason != 0).collect();
        if known.len() > 1 {
            let said = format!("ranks know {} reasons why the exchange is lost", known.len());
            return Err(Breach::new(Invariant::Invariant, said));
        }
        Ok(())
    }

    fn word(&self, array: usize, index: usize) -> String {
        let ranks = self.ranks() as usize;
        let mailbox = |at: usize| format!("mailbox {} to {}", at / ranks, at % ranks);
        match (array, index) {
            (FLAGS, _) => {
                let what = if index.is_multiple_of(2) { "sent" } else { "taken" };
                format!("{}, {what}", mailbox(index / 2))
            }
            (DATA, 0) => "lost".to_string(),
            (DATA, _) => match ((index - 1) / (1 + self.bin()), (index - 1) % (1 + self.bin())) {
                (at, 0) => format!("{}, length", mailbox(at)),
                (at, word) => format!("{}, word {}", mailbox(at), word - 1),
            },
            (RAN, _) => format!("shard of rank {}, key {index}", self.owner(index as u64)),
            (NUMBER, _) => format!("number of rank {index}"),
            (REASON, _) => format!("why rank {index} found the exchange lost"),
            (ITEMS, _) => {
                let each = item_words(1);
                format!("item {} of rank {}", index % each, index / each)
            }
            _ => {
                let each = answer_words(self.ranks(), self.of_bitmap(5) as usize) / ranks;
                format!("answer of rank {}, word {}", index / each, index % each)
            }
        }
    }

    fn about(&self) -> Vec<String> {
        vec![
            "Ranks send items to the ranks that own their keys, through mailboxes, and get answers back."
                .to_string(),
            "A message is written when the one before it was taken, and read when it was sent.".to_string(),
        ]
    }
}
