//! Filters, and registers that only rise.

use super::{Call, Op, Ret, Spec};
use alloc::vec::Vec;

/// A filter of keys: [`Op::Insert`] inserts a key and returns [`Ret::Done`]; [`Op::Search`] returns
/// [`Ret::Absent`] if it surely was not inserted, and otherwise [`Ret::Present`].
///
/// *Present* is always right. *Absent* is right until an insert of the key has taken effect.
#[derive(Clone, Copy, Default, Debug)]
pub struct Filter;

/// Registers from 0: [`Op::Insert`] raises register `key` to at least the value of the call and returns
/// [`Ret::Done`]; [`Op::Count`] reads it, as a [`Ret::Count`].
#[derive(Clone, Copy, Default, Debug)]
pub struct Highest;

impl Spec for Filter {
    /// Whether the key was inserted.
    type State = bool;

    fn initial(&self, _key: u64) -> bool {
        false
    }

    fn step(&self, &inserted: &bool, call: &Call, ret: Option<&Ret>, next: &mut Vec<bool>) {
        match (call.op, ret) {
            (Op::Insert, None | Some(Ret::Done)) => next.push(true),
            (Op::Search, None | Some(Ret::Present)) => next.push(inserted),
            (Op::Search, Some(Ret::Absent)) if !inserted => next.push(inserted),
            _ => {}
        }
    }
}

impl Spec for Highest {
    type State = u64;

    fn initial(&self, _key: u64) -> u64 {
        0
    }

    fn step(&self, &highest: &u64, call: &Call, ret: Option<&Ret>, next: &mut Vec<u64>) {
        match (call.op, ret) {
            (Op::Insert, None | Some(Ret::Done)) => next.push(highest.max(call.value)),
            (Op::Count, None) => next.push(highest),
            (Op::Count, Some(Ret::Count(seen))) if *seen == highest => next.push(highest),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after<S: Spec<State: Copy>>(spec: S, state: S::State, call: &str, ret: &str) -> Option<S::State> {
        let mut next = Vec::new();
        spec.step(&state, &call.parse().expect("a call"), Some(&ret.parse().expect("a return")), &mut next);
        next.pop()
    }

    #[test]
    fn a_filter_may_say_present_at_any_time_and_absent_before_an_insert() {
        assert_eq!(after(Filter, false, "insert 5 0", "done"), Some(true));
        assert_eq!(after(Filter, false, "search 5", "absent"), Some(false));
        assert_eq!(after(Filter, false, "search 5", "present"), Some(false));
        assert_eq!(after(Filter, true, "search 5", "present"), Some(true));
        assert_eq!(after(Filter, true, "search 5", "absent"), None);
        assert_eq!(after(Filter, true, "delete 5", "deleted"), None);
    }

    #[test]
    fn a_register_holds_the_highest_value() {
        assert_eq!(after(Highest, 3, "insert 5 7", "done"), Some(7));
        assert_eq!(after(Highest, 3, "insert 5 2", "done"), Some(3));
        assert_eq!(after(Highest, 3, "count 5", "count 3"), Some(3));
        assert_eq!(after(Highest, 3, "count 5", "count 2"), None);
    }
}
