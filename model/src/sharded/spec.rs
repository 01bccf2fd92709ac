//! The sequential specification of an exchange: each item comes to its owner once, and the answer to its
//! place.

use super::rounds::Said;
use crate::spec::{Call, Op, Ret, Spec};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A batch of a rank. The key of the call is the rank, its value the number of the batch and the keys of the
/// items: [`Item::call`].
pub const BATCH: Op = Op::Other(0);

/// An item of a batch. A shard counts it under its key, and answers with its word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Item {
    /// The number of the batch, from 1.
    pub batch: u64,
    /// The place in the batch.
    pub place: u64,
    /// The key: a digit, not 0.
    pub key: u64,
}

impl Item {
    /// The key of an item that no shard can run.
    pub const REFUSED: u64 = 9;

    /// Digits of the keys in a value, below the number of the batch.
    const KEYS: u64 = 1_000_000;

    /// A batch of a rank: its number, and at most six keys.
    pub fn call(rank: u32, batch: u64, keys: &[u64]) -> Call {
        let keys = keys.iter().fold(0, |value, key| 10 * value + key);
        Call::new(BATCH, rank.into(), Self::KEYS * batch + keys)
    }

    /// The items of such a call.
    pub fn of_call(call: &Call) -> Vec<Self> {
        let (batch, mut left) = (call.value / Self::KEYS, call.value % Self::KEYS);
        let mut keys = Vec::new();
        while left != 0 {
            keys.push(left % 10);
            left /= 10;
        }
        keys.reverse();
        (0..).zip(keys).map(|(place, key)| Self { batch, place, key }).collect()
    }

    /// The item of a rank as a word: no two items of a program have the same.
    pub const fn word(self, rank: u32) -> u64 {
        self.batch << 24 | (rank as u64) << 16 | self.place << 8 | self.key
    }

    /// The key of an item's word.
    pub const fn key_of(word: u64) -> u64 {
        word & 0xff
    }

    /// The answer of a shard to an item.
    pub const fn answer(word: u64) -> (u8, u64) {
        ((word & 0xff) as u8, !word)
    }
}

/// Ranks that send items and are answered. The histories of ranks are separate. The state is whether the
/// exchange is lost.
///
/// | Batch | Returns |
/// |---|---|
/// | all of whose items were run | the answers, item after item |
/// | one of whose items, or another rank's, is refused | `full` |
/// | in which the exchange is lost, and every later one | `absent` |
#[derive(Clone, Debug)]
pub struct Echo {
    /// The batches in which some rank has an item that is refused.
    pub refused: Vec<u64>,
    /// Whether the exchange may be lost.
    pub may_lose: bool,
}

impl Echo {
    /// What a batch returns if all of its items were run.
    pub fn ret(said: &Said) -> Ret {
        let pairs = said.codes.iter().zip(&said.values);
        Ret::Values(pairs.flat_map(|(&code, &value)| [code.into(), value]).collect())
    }
}

impl Spec for Echo {
    type State = bool;

    fn initial(&self, _: u64) -> bool {
        false
    }

    fn step(&self, &lost: &bool, call: &Call, ret: Option<&Ret>, next: &mut Vec<bool>) {
        let items = Item::of_call(call);
        let batch = call.value / Item::KEYS;
        let answers = || {
            let answers = items.iter().map(|item| Item::answer(item.word(call.key as u32)));
            answers.flat_map(|(code, value)| [code.into(), value]).collect::<Vec<_>>()
        };
        let refused = self.refused.contains(&batch);
        match ret {
            None => next.push(lost),
            Some(Ret::Absent) if self.may_lose => next.push(true),
            Some(Ret::Full) if refused && !lost => next.push(false),
            Some(Ret::Values(said)) if !refused && !lost && *said == answers() => next.push(false),
            _ => {}
        }
    }

    fn show(&self, _: u64, lost: &bool) -> String {
        format!("the exchange is {}", if *lost { "lost" } else { "open" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_a_call_and_back() {
        let call = Item::call(2, 3, &[1, 4, 9]);
        let items = Item::of_call(&call);
        assert_eq!((call.op, call.key, items.len()), (BATCH, 2, 3));
        assert_eq!(items[1], Item { batch: 3, place: 1, key: 4 });
        assert!(Item::of_call(&Item::call(0, 1, &[])).is_empty());
        assert_eq!(Item::key_of(items[2].word(2)), Item::REFUSED);
    }

    #[test]
    fn answers_are_those_of_the_items_unless_a_batch_is_refused_or_lost() {
        let call = Item::call(1, 1, &[2, 1]);
        let words = [0, 1].map(|at| Item::of_call(&call)[at].word(1));
        let right: Vec<u64> = words.iter().flat_map(|&word| [word & 0xff, !word]).collect();
        let swapped = [&right[2..], &right[..2]].concat();
        let states = |spec: &Echo, lost: bool, ret: Ret| {
            let mut next = Vec::new();
            spec.step(&lost, &call, Some(&ret), &mut next);
            next
        };
        let spec = Echo { refused: Vec::new(), may_lose: false };
        assert_eq!(states(&spec, false, Ret::Values(right.clone())), [false]);
        assert!(states(&spec, false, Ret::Values(swapped)).is_empty());
        assert!(states(&spec, false, Ret::Full).is_empty() && states(&spec, false, Ret::Absent).is_empty());
        let losing = Echo { may_lose: true, ..spec.clone() };
        assert_eq!(states(&losing, false, Ret::Absent), [true]);
        assert!(states(&losing, true, Ret::Values(right.clone())).is_empty());
        let refusing = Echo { refused: alloc::vec![1], ..spec };
        assert_eq!(states(&refusing, false, Ret::Full), [false]);
        assert!(states(&refusing, false, Ret::Values(right)).is_empty());
    }
}
