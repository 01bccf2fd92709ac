//! Queue, stack and counter: objects without keys, so that all calls belong to one history.

use super::{Call, Op, Ret, Spec};
use alloc::vec::Vec;

/// A queue: [`Op::Insert`] puts a value at its end, [`Op::Delete`] takes the one at its front.
///
/// An insert returns [`Ret::Inserted`], or [`Ret::Full`] if [`may_fill`](Self::may_fill). A delete returns
/// [`Ret::Value`]: the value, or none if the queue is empty. All calls are on one key.
#[derive(Clone, Copy, Default, Debug)]
pub struct Queue {
    /// Whether an insert may find no room.
    pub may_fill: bool,
}

/// A stack: [`Op::Insert`] puts a value on its top, [`Op::Delete`] takes the one on its top.
///
/// Calls return the same values as those of a [`Queue`].
#[derive(Clone, Copy, Default, Debug)]
pub struct Stack {
    /// Whether an insert may find no room.
    pub may_fill: bool,
}

/// A counter from 0: [`Op::InsertOrAdd`] adds the value of the call, [`Op::Count`] reads.
///
/// Both return [`Ret::Count`]: the value of the counter before the call. So a counter that hands out tickets
/// is one to which all calls add 1. Each key is a separate counter.
#[derive(Clone, Copy, Default, Debug)]
pub struct Counter;

/// A step of either container; it differs in the place from which a delete takes.
fn step(values: &[u64], may_fill: bool, (call, ret): (&Call, Option<&Ret>), front: bool) -> Option<Vec<u64>> {
    let mut values = values.to_vec();
    match call.op {
        Op::Insert => match ret {
            None | Some(Ret::Inserted) => values.push(call.value),
            Some(Ret::Full) if may_fill => {}
            Some(_) => return None,
        },
        Op::Delete => {
            let taken = if front && !values.is_empty() { Some(values.remove(0)) } else { values.pop() };
            if ret.is_some_and(|ret| *ret != Ret::Value(taken)) {
                return None;
            }
        }
        _ => return None,
    }
    Some(values)
}

impl Spec for Queue {
    type State = Vec<u64>;

    fn initial(&self, _key: u64) -> Vec<u64> {
        Vec::new()
    }

    fn step(&self, state: &Vec<u64>, call: &Call, ret: Option<&Ret>, next: &mut Vec<Vec<u64>>) {
        next.extend(step(state, self.may_fill, (call, ret), true));
    }
}

impl Spec for Stack {
    type State = Vec<u64>;

    fn initial(&self, _key: u64) -> Vec<u64> {
        Vec::new()
    }

    fn step(&self, state: &Vec<u64>, call: &Call, ret: Option<&Ret>, next: &mut Vec<Vec<u64>>) {
        next.extend(step(state, self.may_fill, (call, ret), false));
    }
}

impl Spec for Counter {
    type State = u64;

    fn initial(&self, _key: u64) -> u64 {
        0
    }

    fn step(&self, state: &u64, call: &Call, ret: Option<&Ret>, next: &mut Vec<u64>) {
        let after = match call.op {
            Op::InsertOrAdd => state.wrapping_add(call.value),
            Op::Count => *state,
            _ => return,
        };
        if ret.is_none_or(|ret| *ret == Ret::Count(*state)) {
            next.push(after);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use core::fmt::Debug;

    /// The state after these calls and returns, or the number of the first that is not allowed.
    fn after<S: Spec<State: Debug>>(spec: &S, calls: &[(Op, u64, Ret)]) -> Result<S::State, usize> {
        let mut state = spec.initial(0);
        for (number, (op, value, ret)) in calls.iter().enumerate() {
            let mut next = Vec::new();
            spec.step(&state, &Call::new(*op, 0, *value), Some(ret), &mut next);
            assert!(next.len() <= 1, "deterministic");
            state = next.pop().ok_or(number)?;
        }
        Ok(state)
    }

    const fn put(value: u64) -> (Op, u64, Ret) {
        (Op::Insert, value, Ret::Inserted)
    }

    const fn take(value: Option<u64>) -> (Op, u64, Ret) {
        (Op::Delete, 0, Ret::Value(value))
    }

    #[test]
    fn a_queue_gives_what_came_first_and_a_stack_what_came_last() {
        let two = [put(7), put(8)];
        let then = |last: &[(Op, u64, Ret)]| [&two[..], last].concat();
        let queue = Queue::default();
        assert_eq!(after(&queue, &then(&[take(Some(7))])), Ok(vec![8]));
        assert_eq!(after(&queue, &then(&[take(Some(8))])), Err(2));
        assert_eq!(after(&queue, &then(&[take(Some(7)), take(Some(8)), take(None)])), Ok(vec![]));
        assert_eq!(after(&queue, &then(&[take(None)])), Err(2));
        let stack = Stack::default();
        assert_eq!(after(&stack, &then(&[take(Some(8))])), Ok(vec![7]));
        assert_eq!(after(&stack, &then(&[take(Some(7))])), Err(2));
        assert_eq!(after(&stack, &[take(None), put(7)]), Ok(vec![7]));
    }

    #[test]
    fn no_room_is_an_answer_only_where_it_may_be() {
        let full = [(Op::Insert, 7, Ret::Full)];
        assert_eq!(after(&Queue::default(), &full), Err(0));
        assert_eq!(after(&Queue { may_fill: true }, &full), Ok(vec![]));
        assert_eq!(after(&Stack { may_fill: true }, &full), Ok(vec![]));
        assert_eq!(after(&Stack { may_fill: true }, &[(Op::Search, 7, Ret::Done)]), Err(0));
    }

    #[test]
    fn a_counter_says_what_it_was() {
        let add = |value, was| (Op::InsertOrAdd, value, Ret::Count(was));
        let read = |was| (Op::Count, 0, Ret::Count(was));
        assert_eq!(after(&Counter, &[add(1, 0), add(2, 1), read(3)]), Ok(3));
        assert_eq!(after(&Counter, &[add(1, 0), add(1, 0)]), Err(1));
        assert_eq!(after(&Counter, &[read(1)]), Err(0));
        let mut next = Vec::new();
        Counter.step(&4, &Call::new(Op::InsertOrAdd, 0, 3), None, &mut next);
        assert_eq!(next, [7], "a call that never returned");
    }
}
