//! Multimap, map and set.

use super::{Call, Op, Ret, Spec};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A multimap: a key has any number of pairs.
///
/// An insert may return `Full` if [`Multimap::may_fill`]: the pool can run out. Then it changes nothing.
#[derive(Clone, Copy, Default, Debug)]
pub struct Multimap {
    /// Whether the pool can run out.
    pub may_fill: bool,
}

/// A map: a key has at most one pair, so a multi-insert is not one of its operations.
#[derive(Clone, Copy, Default, Debug)]
pub struct Map {
    /// Whether the pool can run out.
    pub may_fill: bool,
}

/// A set: a map whose values are all 0.
#[derive(Clone, Copy, Default, Debug)]
pub struct Set {
    /// Whether the pool can run out.
    pub may_fill: bool,
}

/// The values of one key, sorted.
type Values = Vec<u64>;

impl Spec for Multimap {
    type State = Values;

    fn initial(&self, _key: u64) -> Values {
        Vec::new()
    }

    fn step(&self, state: &Values, call: &Call, ret: Option<&Ret>, next: &mut Vec<Values>) {
        let Some(ret) = ret else { return effects(state, call, next) };
        let same = |allowed: bool, next: &mut Vec<Values>| {
            if allowed {
                next.push(state.clone());
            }
        };
        match (call.op, ret) {
            (Op::Insert | Op::InsertUnique | Op::InsertOrAssign | Op::InsertOrAdd, Ret::Full) => {
                same(self.may_fill, next);
            }
            (Op::Insert, Ret::Inserted) => next.push(with(state, call.value)),
            (Op::InsertUnique | Op::InsertOrAssign | Op::InsertOrAdd, Ret::Inserted) if state.is_empty() => {
                next.push(with(state, call.value));
            }
            (Op::InsertUnique, Ret::Present) => same(!state.is_empty(), next),
            (Op::InsertOrAssign, Ret::Replaced) => next.extend(replaced(state, call.value)),
            (Op::InsertOrAdd, Ret::Added) => next.extend(added(state, call.value)),
            (Op::Search, Ret::Value(Some(value))) => same(state.contains(value), next),
            (Op::Search, Ret::Value(None)) => same(state.is_empty(), next),
            (Op::Count, Ret::Count(n)) => same(state.len() as u64 == *n, next),
            (Op::SearchAll, Ret::Values(values)) => {
                let mut values = values.clone();
                values.sort_unstable();
                same(*state == values, next);
            }
            (Op::Delete, Ret::Deleted) => next.extend(without_one(state)),
            (Op::Delete, Ret::Absent) => same(state.is_empty(), next),
            (Op::Grow, Ret::Done) => same(true, next),
            _ => {}
        }
    }

    /// `delete_all` is not atomic: n deletes of one pair each, then one that found none.
    fn expand(&self, call: &Call, ret: Option<&Ret>) -> Vec<(Call, Option<Ret>)> {
        let one = |ret| (Call::new(Op::Delete, call.key, 0), ret);
        match (call.op, ret) {
            (Op::DeleteAll, Some(Ret::Count(n))) => {
                (0..*n).map(|_| one(Some(Ret::Deleted))).chain([one(Some(Ret::Absent))]).collect()
            }
            // Interrupted: it may have deleted any number; more than these never fit a checked scenario.
            (Op::DeleteAll, None) => (0..PENDING_DELETES).map(|_| one(None)).collect(),
            _ => alloc::vec![(call.clone(), ret.cloned())],
        }
    }

    fn show(&self, key: u64, state: &Values) -> String {
        match state.as_slice() {
            [] => format!("key {key} is absent"),
            [value] => format!("key {key} has the value {value}"),
            values => {
                let values: Vec<_> = values.iter().map(u64::to_string).collect();
                format!("key {key} has the values {}", values.join(", "))
            }
        }
    }
}

/// The most pairs that an interrupted `delete_all` may have deleted.
const PENDING_DELETES: usize = 4;

/// The states in which an interrupted call took effect.
fn effects(state: &Values, call: &Call, next: &mut Vec<Values>) {
    match call.op {
        Op::Insert => next.push(with(state, call.value)),
        Op::InsertUnique | Op::InsertOrAssign | Op::InsertOrAdd if state.is_empty() => {
            next.push(with(state, call.value));
        }
        Op::InsertOrAssign => next.extend(replaced(state, call.value)),
        Op::InsertOrAdd => next.extend(added(state, call.value)),
        Op::Delete => next.extend(without_one(state)),
        _ => {}
    }
}

fn with(state: &Values, value: u64) -> Values {
    let mut values = state.clone();
    let at = values.partition_point(|v| *v < value);
    values.insert(at, value);
    values
}

/// Every state that lacks one pair of `state`.
fn without_one(state: &Values) -> impl Iterator<Item = Values> + '_ {
    (0..state.len()).filter(|&i| i == 0 || state[i] != state[i - 1]).map(|i| {
        let mut values = state.clone();
        values.remove(i);
        values
    })
}

fn replaced(state: &Values, value: u64) -> impl Iterator<Item = Values> + '_ {
    without_one(state).map(move |rest| with(&rest, value))
}

/// Every state in which one value of `state` is larger by `value`.
fn added(state: &Values, value: u64) -> impl Iterator<Item = Values> + '_ {
    (0..state.len()).filter(|&i| i == 0 || state[i] != state[i - 1]).map(move |i| {
        let mut values = state.clone();
        values[i] += value;
        values.sort_unstable();
        values
    })
}

macro_rules! restriction {
    ($name:ident, $base:ident, |$call:ident, $state:ident| $keeps:expr) => {
        impl Spec for $name {
            type State = Values;

            fn initial(&self, key: u64) -> Values {
                $base { may_fill: self.may_fill }.initial(key)
            }

            fn step(&self, state: &Values, $call: &Call, ret: Option<&Ret>, next: &mut Vec<Values>) {
                let from = next.len();
                $base { may_fill: self.may_fill }.step(state, $call, ret, next);
                let mut at = from;
                while at < next.len() {
                    let $state = &next[at];
                    if $keeps {
                        at += 1;
                    } else {
                        next.swap_remove(at);
                    }
                }
            }

            fn expand(&self, call: &Call, ret: Option<&Ret>) -> Vec<(Call, Option<Ret>)> {
                $base { may_fill: self.may_fill }.expand(call, ret)
            }

            fn show(&self, key: u64, state: &Values) -> String {
                $base { may_fill: self.may_fill }.show(key, state)
            }
        }
    };
}
restriction!(Map, Multimap, |call, state| call.op != Op::Insert && state.len() <= 1);
restriction!(Set, Map, |_call, state| state.iter().all(|value| *value == 0));

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn next<S: Spec<State = Values>>(spec: S, state: &[u64], call: &str, ret: Option<&str>) -> Vec<Values> {
        let mut next = Vec::new();
        let call: Call = call.parse().expect("a call");
        let ret: Option<Ret> = ret.map(|r| r.parse().expect("a return"));
        spec.step(&state.to_vec(), &call, ret.as_ref(), &mut next);
        next
    }

    #[test]
    fn a_multimap_deletes_and_replaces_any_one() {
        let m = Multimap::default();
        assert_eq!(next(m, &[1, 2, 2], "delete 5", Some("deleted")), [vec![2, 2], vec![1, 2]]);
        assert_eq!(next(m, &[1, 2], "insert_or_assign 5 9", Some("replaced")), [vec![2, 9], vec![1, 9]]);
        assert_eq!(next(m, &[], "delete 5", Some("absent")), [vec![0u64; 0]]);
        assert!(next(m, &[1], "delete 5", Some("absent")).is_empty());
        assert!(next(m, &[1], "insert_unique 5 2", Some("inserted")).is_empty());
        assert_eq!(next(m, &[1, 1], "search_all 5", Some("values 1 1")).len(), 1);
        assert!(next(m, &[1, 1], "search_all 5", Some("values 1")).is_empty());
    }

    #[test]
    fn a_value_is_added_to_one_pair() {
        let m = Map { may_fill: true };
        assert_eq!(next(m, &[], "insert_or_add 5 3", Some("inserted")), [vec![3]]);
        assert_eq!(next(m, &[4], "insert_or_add 5 3", Some("added")), [vec![7]]);
        assert_eq!(next(m, &[4], "insert_or_add 5 3", None), [vec![7]]);
        assert_eq!(next(m, &[4], "insert_or_add 5 3", Some("full")), [vec![4]]);
        assert!(next(m, &[], "insert_or_add 5 3", Some("added")).is_empty());
        assert!(next(m, &[4], "insert_or_add 5 3", Some("inserted")).is_empty());
        let multimap = next(Multimap::default(), &[1, 2], "insert_or_add 5 3", Some("added"));
        assert_eq!(multimap, [vec![2, 4], vec![1, 5]]);
    }

    #[test]
    fn a_state_is_shown_in_words() {
        let m = Map::default();
        assert_eq!(m.show(5, &vec![]), "key 5 is absent");
        assert_eq!(m.show(5, &vec![10]), "key 5 has the value 10");
        assert_eq!(Multimap::default().show(5, &vec![10, 20]), "key 5 has the values 10, 20");
    }

    #[test]
    fn full_must_be_declared() {
        assert!(next(Multimap::default(), &[], "insert 5 1", Some("full")).is_empty());
        assert_eq!(next(Multimap { may_fill: true }, &[], "insert 5 1", Some("full")), [vec![0u64; 0]]);
    }

    #[test]
    fn an_interrupted_call_takes_effect_or_is_left_out() {
        let m = Multimap::default();
        assert_eq!(next(m, &[], "insert_unique 5 1", None), [vec![1]]);
        assert!(next(m, &[3], "insert_unique 5 1", None).is_empty());
        assert!(next(m, &[3], "search 5", None).is_empty());
    }

    #[test]
    fn a_map_keeps_one_pair_and_a_set_no_values() {
        assert!(next(Map::default(), &[], "insert 5 1", Some("inserted")).is_empty());
        assert_eq!(next(Map::default(), &[], "insert_unique 5 1", Some("inserted")), [vec![1]]);
        assert!(next(Set::default(), &[], "insert_unique 5 1", Some("inserted")).is_empty());
        assert_eq!(next(Set::default(), &[0], "insert_or_add 5 0", Some("added")), [vec![0]]);
        assert_eq!(next(Set::default(), &[], "insert_unique 5 0", Some("inserted")), [vec![0]]);
    }

    #[test]
    fn delete_all_is_deletes_and_a_miss() {
        let call: Call = "delete_all 5".parse().expect("a call");
        let parts = Multimap::default().expand(&call, Some(&Ret::Count(2)));
        let rets: Vec<_> = parts.into_iter().map(|(_, ret)| ret).collect();
        assert_eq!(rets, [Some(Ret::Deleted), Some(Ret::Deleted), Some(Ret::Absent)]);
    }
}
