//! The sequential specification of a pager: child tables that hold a number each, under jobs in a row.

use super::{Access, Way};
use crate::spec::{Call, Op, Ret, Spec};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A host that puts jobs on the streams, one after the other, and waits for all of them at the end. The value
/// of the call encodes its [`Step`]s.
pub const JOBS: Op = Op::Other(0);
/// A job on all child tables that adds one to each and returns the old numbers.
pub const ADD_ALL: Op = Op::Other(2);
/// A stream of the device, which runs its work until it is told to end.
pub const STREAM: Op = Op::Other(1);

/// A step of a host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// A job that returns the number of a child table and, if it writes, adds one to it.
    Job(u32, Access, Way),
    /// The host makes the images whole and reads all numbers.
    ReadAll,
    /// The host takes all tables out of their frames, returns the number of a child table and adds one to it.
    Change(u32),
    /// One job on all child tables, at their places, that returns their numbers and, if it writes, adds one
    /// to each.
    All(Access),
}

/// Each step takes two decimal digits of a value.
const DIGITS: u64 = 100;

impl Step {
    /// The step as two digits: its kind, and the child table.
    const fn digits(self) -> u64 {
        let (what, child) = match self {
            Self::Job(child, Access::Writes, Way::Resident) => (1, child),
            Self::Job(child, Access::Reads, Way::Resident) => (2, child),
            Self::Job(child, Access::Writes, Way::InPlace) => (3, child),
            Self::Job(child, Access::Reads, Way::InPlace) => (4, child),
            Self::ReadAll => (5, 0),
            Self::Change(child) => (6, child),
            Self::All(Access::Writes) => (7, 0),
            Self::All(Access::Reads) => (8, 0),
        };
        10 * what + child as u64
    }

    const fn of_digits(digits: u64) -> Option<Self> {
        let child = (digits % 10) as u32;
        Some(match digits / 10 {
            1 => Self::Job(child, Access::Writes, Way::Resident),
            2 => Self::Job(child, Access::Reads, Way::Resident),
            3 => Self::Job(child, Access::Writes, Way::InPlace),
            4 => Self::Job(child, Access::Reads, Way::InPlace),
            5 => Self::ReadAll,
            6 => Self::Change(child),
            7 => Self::All(Access::Writes),
            8 => Self::All(Access::Reads),
            _ => return None,
        })
    }

    /// The call of a host that makes these steps, nine at most.
    pub fn call(steps: &[Self]) -> Call {
        Call::new(JOBS, 0, steps.iter().fold(0, |value, step| DIGITS * value + step.digits()))
    }

    /// The steps of such a call. Digits that are no step are left out.
    pub fn of_call(call: &Call) -> Vec<Self> {
        let mut left = call.value;
        let digits = core::iter::from_fn(|| {
            let last = left % DIGITS;
            left /= DIGITS;
            (last != 0).then_some(last)
        });
        let mut steps: Vec<_> = digits.filter_map(Self::of_digits).collect();
        steps.reverse();
        steps
    }
}

/// Child tables that hold a number each, 0 at first.
///
/// | Call | Does | Returns |
/// |---|---|---|
/// | `insert_or_add child 1` | adds one | the number before, or `full` if it was not done |
/// | `search child` | | the number, or `full` |
/// | `search_all 0` | | all numbers, or `full` |
/// | [`ADD_ALL`] | adds one to each | all numbers before, or `full` if it was not done |
///
/// A call of [`JOBS`] is its steps, in their order. Only a device that fails returns `full`.
#[derive(Clone, Copy, Debug)]
pub struct Children {
    /// How many there are.
    pub children: u32,
    /// Whether the device may fail.
    pub may_fail: bool,
}

impl Spec for Children {
    type State = Vec<u64>;

    fn initial(&self, _: u64) -> Vec<u64> {
        alloc::vec![0; self.children as usize]
    }

    fn step(&self, numbers: &Vec<u64>, call: &Call, ret: Option<&Ret>, next: &mut Vec<Vec<u64>>) {
        let child = call.key as usize;
        let number = numbers.get(child).copied();
        match (call.op, ret) {
            (Op::InsertOrAdd, Some(Ret::Count(before))) if Some(*before) == number => {
                let mut numbers = numbers.clone();
                numbers[child] += 1;
                next.push(numbers);
            }
            (Op::Search, Some(Ret::Count(said))) if Some(*said) == number => next.push(numbers.clone()),
            (Op::SearchAll, Some(Ret::Values(all))) if all == numbers => next.push(numbers.clone()),
            (ADD_ALL, Some(Ret::Values(all))) if all == numbers => {
                next.push(numbers.iter().map(|number| number + 1).collect());
            }
            (Op::InsertOrAdd | Op::Search | Op::SearchAll | ADD_ALL, Some(Ret::Full)) if self.may_fail => {
                next.push(numbers.clone());
            }
            (STREAM, Some(Ret::Done) | None) => next.push(numbers.clone()),
            _ => {}
        }
    }

    fn expand(&self, call: &Call, ret: Option<&Ret>) -> Vec<(Call, Option<Ret>)> {
        if call.op != JOBS {
            return alloc::vec![(call.clone(), ret.cloned())];
        }
        let rets = match ret {
            Some(Ret::Each(rets)) => rets.as_slice(),
            _ => &[],
        };
        let of = |(at, step): (usize, Step)| {
            let call = match step {
                Step::Job(child, Access::Writes, _) | Step::Change(child) => {
                    Call::new(Op::InsertOrAdd, child.into(), 1)
                }
                Step::Job(child, Access::Reads, _) => Call::new(Op::Search, child.into(), 0),
                Step::ReadAll | Step::All(Access::Reads) => Call::new(Op::SearchAll, 0, 0),
                Step::All(Access::Writes) => Call::new(ADD_ALL, 0, 1),
            };
            (call, Some(rets.get(at).cloned().unwrap_or(Ret::Absent)))
        };
        Step::of_call(call).into_iter().enumerate().map(of).collect()
    }

    fn show(&self, _: u64, numbers: &Vec<u64>) -> String {
        let numbers: Vec<_> = numbers.iter().map(u64::to_string).collect();
        format!("the child tables hold {}", numbers.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_two_digits_each() {
        let steps = [
            Step::Job(1, Access::Writes, Way::Resident),
            Step::Job(2, Access::Reads, Way::Resident),
            Step::Job(0, Access::Writes, Way::InPlace),
            Step::Job(3, Access::Reads, Way::InPlace),
            Step::ReadAll,
            Step::Change(1),
            Step::All(Access::Reads),
        ];
        let call = Step::call(&steps);
        assert_eq!((call.op, call.value), (JOBS, 11_22_30_43_50_61_80));
        assert_eq!(Step::of_call(&call), steps);
    }

    fn explained(spec: Children, rets: &[Ret]) -> bool {
        let steps = [Step::Job(1, Access::Writes, Way::Resident), Step::ReadAll, Step::Change(1)];
        let mut states = alloc::vec![spec.initial(0)];
        for (call, ret) in spec.expand(&Step::call(&steps), Some(&Ret::Each(rets.to_vec()))) {
            let mut next = Vec::new();
            states.iter().for_each(|state| spec.step(state, &call, ret.as_ref(), &mut next));
            states = next;
        }
        !states.is_empty()
    }

    #[test]
    fn jobs_take_effect_in_their_order() {
        let spec = Children { children: 2, may_fail: false };
        let all = |numbers: [u64; 2]| Ret::Values(numbers.to_vec());
        assert!(explained(spec, &[Ret::Count(0), all([0, 1]), Ret::Count(1)]));
        assert!(!explained(spec, &[Ret::Count(0), all([0, 0]), Ret::Count(1)]));
        assert!(!explained(spec, &[Ret::Count(0), all([0, 1]), Ret::Count(0)]));
        assert!(!explained(spec, &[Ret::Full, all([0, 0]), Ret::Count(0)]));
        let failing = Children { may_fail: true, ..spec };
        assert!(explained(failing, &[Ret::Full, all([0, 0]), Ret::Count(0)]));
        assert!(!explained(failing, &[Ret::Full, all([0, 1]), Ret::Count(1)]));
    }
}
