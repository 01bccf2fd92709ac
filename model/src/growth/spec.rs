//! The sequential specification of a table that grows: a map under batches.

use crate::spec::{Call, Op, Ret, Spec};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A batch through [`Growing::mixed`](super::Growing::mixed), as a call.
pub const MIXED: Op = Op::Insert;
/// A batch whose first chunk fails after it ran, as a call.
pub const FAIL: Op = Op::Other(0);
/// A batch through [`Growing::insert`](super::Growing::insert) that gives back what it did not need
/// ([`between_batches`](super::Growing::between_batches)), as a call.
pub const AHEAD: Op = Op::Other(1);
/// A call that deletes everything.
pub const CLEAR: Op = Op::DeleteAll;

/// A map under batches of inserts.
///
/// | Call | Does | Returns |
/// |---|---|---|
/// | `insert_unique k n` | inserts `n` keys from `k` on, in chunks | the [`outcome_digits`] |
/// | `insert k n` ([`MIXED`]) | the same as a batch of all kinds of operations | the same |
/// | `op1 k n` ([`AHEAD`]) | the same, and gives back what it did not need | the same |
/// | `op0 k n` ([`FAIL`]) | the same, but the first chunk fails after it ran | `done`; any key may be there |
/// | `search k`, `delete k` | | the value, [`value_of`] the key; `deleted` or `absent` |
/// | `delete_all 0` ([`CLEAR`]) | takes out everything | `done` |
/// | `grow 0 n` | replaces the table by one with room for `n` more | `done`, or `full` without memory |
///
/// A batch is not atomic: its inserts take effect one after the other.
#[derive(Clone, Copy, Default, Debug)]
pub struct Batches {
    /// Whether there may be no memory to grow.
    pub may_fail: bool,
}

/// The value with which every batch inserts `key`.
pub const fn value_of(key: u64) -> u64 {
    10 * key
}

/// The return value of a batch: the outcome of its only insert; `full` if it stored none and there was no
/// memory; otherwise a digit for each of its inserts: 1 if it stored its key, 2 if the key was there, 3 if it
/// did not run because there was no memory.
pub fn outcome_digits(outcomes: &[Ret]) -> Ret {
    match outcomes {
        [only] => only.clone(),
        _ if outcomes.iter().all(|ret| *ret == Ret::Full) => Ret::Full,
        _ => Ret::Count(outcomes.iter().fold(0, |digits, ret| 10 * digits + digit(ret))),
    }
}

const DIGITS: [Ret; 3] = [Ret::Inserted, Ret::Present, Ret::Full];

fn digit(ret: &Ret) -> u64 {
    1 + DIGITS.iter().position(|known| known == ret).unwrap_or(DIGITS.len()) as u64
}

/// The outcome of insert number `index` of a batch of `n` inserts.
fn outcome(n: u64, index: u64, ret: &Ret) -> Option<Ret> {
    match ret {
        Ret::Count(digits) => {
            let digit = digits / 10u64.checked_pow((n - 1 - index) as u32)? % 10;
            DIGITS.get((digit as usize).checked_sub(1)?).cloned()
        }
        other => Some(other.clone()),
    }
}

/// The keys of the map, sorted.
type Keys = Vec<u64>;

impl Spec for Batches {
    type State = Keys;

    fn initial(&self, _: u64) -> Keys {
        Vec::new()
    }

    fn step(&self, keys: &Keys, call: &Call, ret: Option<&Ret>, next: &mut Vec<Keys>) {
        let found = keys.binary_search(&call.key);
        let with = |at: usize| {
            let mut keys = keys.clone();
            keys.insert(at, call.key);
            keys
        };
        let without = |at: usize| {
            let mut keys = keys.clone();
            keys.remove(at);
            keys
        };
        match (call.op, ret, found) {
            (Op::InsertUnique, Some(Ret::Inserted) | None, Err(at)) => next.push(with(at)),
            (Op::InsertUnique, Some(Ret::Present), Ok(_)) => next.push(keys.clone()),
            (FAIL, Some(Ret::Done), found) => {
                next.push(keys.clone());
                next.extend(found.err().map(with));
            }
            (Op::Delete, Some(Ret::Deleted) | None, Ok(at)) => next.push(without(at)),
            (Op::Search, Some(Ret::Value(Some(value))), Ok(_)) if *value == value_of(call.key) => {
                next.push(keys.clone());
            }
            (Op::Delete, Some(Ret::Absent), Err(_)) | (Op::Search, Some(Ret::Value(None)), Err(_)) => {
                next.push(keys.clone());
            }
            (CLEAR, Some(Ret::Done) | None, _) => next.push(Vec::new()),
            (Op::Grow, Some(Ret::Done), _) => next.push(keys.clone()),
            (Op::Grow | Op::InsertUnique, Some(Ret::Full), _) if self.may_fail => next.push(keys.clone()),
            _ => {}
        }
    }

    fn expand(&self, call: &Call, ret: Option<&Ret>) -> Vec<(Call, Option<Ret>)> {
        let op = match call.op {
            Op::InsertUnique | MIXED | AHEAD => Op::InsertUnique,
            FAIL => FAIL,
            _ => return alloc::vec![(call.clone(), ret.cloned())],
        };
        let insert = |index| {
            let ret = ret.map(|ret| outcome(call.value, index, ret).unwrap_or(Ret::Absent));
            (Call::new(op, call.key + index, 1), ret)
        };
        (0..call.value).map(insert).collect()
    }

    fn show(&self, _: u64, keys: &Keys) -> String {
        match keys.as_slice() {
            [] => "no key is there".to_string(),
            keys => {
                let keys: Vec<_> = keys.iter().map(u64::to_string).collect();
                format!("the keys {} are there", keys.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn next(state: &[u64], call: &str, ret: Option<&str>) -> Vec<Keys> {
        let ret: Option<Ret> = ret.map(|ret| ret.parse().expect("a return"));
        let spec = Batches { may_fail: true };
        let mut states = vec![state.to_vec()];
        for (call, ret) in spec.expand(&call.parse().expect("a call"), ret.as_ref()) {
            let mut next = Vec::new();
            states.iter().for_each(|state| spec.step(state, &call, ret.as_ref(), &mut next));
            states = next;
        }
        states
    }

    #[test]
    fn a_batch_is_its_inserts() {
        assert_eq!(outcome_digits(&[Ret::Inserted, Ret::Present, Ret::Full]), Ret::Count(123));
        assert_eq!(outcome_digits(&[Ret::Present]), Ret::Present);
        assert_eq!(outcome_digits(&[Ret::Full, Ret::Full]), Ret::Full);
        assert_eq!(next(&[2], "insert_unique 1 3", Some("count 121")), [[1, 2, 3]]);
        assert_eq!(next(&[2], "insert 1 3", Some("count 123")), [[1, 2]]);
        assert_eq!(next(&[2], "insert_unique 1 1", Some("inserted")), [[1, 2]]);
        assert_eq!(next(&[2], "insert_unique 1 2", Some("full")), [[2]]);
        assert!(next(&[2], "insert_unique 1 3", Some("count 111")).is_empty());
        assert!(next(&[2], "insert_unique 1 3", Some("count 141")).is_empty());
        assert_eq!(next(&[2], "insert_unique 1 1", None), [[1, 2]]);
    }

    #[test]
    fn a_batch_that_fails_may_have_stored_any() {
        assert_eq!(next(&[2], "op0 1 2", Some("done")), [vec![2], vec![1, 2]]);
        assert_eq!(next(&[], "op0 1 2", Some("done")).len(), 4);
    }

    #[test]
    fn searches_deletes_and_moves_are_those_of_a_map() {
        assert_eq!(next(&[2], "search 2", Some("value 20")), [[2]]);
        assert!(next(&[2], "search 2", Some("value 30")).is_empty());
        assert!(next(&[2], "search 2", Some("value none")).is_empty());
        assert_eq!(next(&[2, 3], "delete 2", Some("deleted")), [[3]]);
        assert!(next(&[2, 3], "delete 2", Some("absent")).is_empty());
        assert_eq!(next(&[2, 3], "delete_all 0", Some("done")), [vec![0u64; 0]]);
        assert_eq!(next(&[2], "grow 0 1", Some("full")), [[2]]);
        assert_eq!(Batches::default().show(0, &vec![2, 3]), "the keys 2, 3 are there");
    }

    #[test]
    fn without_memory_must_be_declared() {
        let mut next = Vec::new();
        let insert = Call::new(Op::InsertUnique, 1, 1);
        Batches::default().step(&Vec::new(), &insert, Some(&Ret::Full), &mut next);
        assert!(next.is_empty());
    }
}
