//! Calls of several lanes of a warp at one time, as one call of the warp.

use warpproof_model::Warp;
use warpproof_model::outcome::{Assign, Delete, Insert, Mixed, Op as Kind};
use warpproof_model::spec::{Call, Op, Ret};
use warpproof_model::waitfree::Company;

/// Calls of lanes, which begin and end together. In a history each counts as a call of its own; they may take
/// effect in any order.
///
/// The key holds the keys and the value the operations and their values, 16 bits each.
pub(super) const TOGETHER: Op = Op::Other(2);

/// Bits for a key, and for an operation and its value.
const BITS: u32 = 16;
/// Bits of a value.
const VALUE_BITS: u32 = 12;

/// The operations, by their numbers, from 1 on.
const OPS: [Op; 4] = [Op::InsertUnique, Op::InsertOrAssign, Op::Delete, Op::Search];

/// No other warps. Counts the rounds.
#[derive(Default)]
pub(super) struct Rounds(pub(super) u32);

impl<W: Warp> Company<W> for Rounds {
    fn again(&mut self, _: &mut W, busy: bool) -> bool {
        self.0 += u32::from(busy);
        busy
    }

    fn meet(&mut self, _: &mut W) {}
}

/// One call of these.
///
/// # Panics
/// If there are more than four, if a key or a value is too large, or if an operation is another one.
pub(super) fn packed(calls: &[Call]) -> Call {
    assert!(calls.len() <= 4, "four calls go into one, not {}", calls.len());
    let mut all = Call::new(TOGETHER, 0, 0);
    for call in calls.iter().rev() {
        let op = OPS.iter().position(|&op| op == call.op).map_or(0, |at| at as u64 + 1);
        let fits = op > 0 && call.key >> BITS == 0 && call.value >> VALUE_BITS == 0;
        assert!(fits, "`{call}` does not go into a call with others");
        all.key = all.key << BITS | call.key;
        all.value = all.value << BITS | op << VALUE_BITS | call.value;
    }
    all
}

/// The calls that one stands for.
pub(super) fn calls(all: &Call) -> Vec<Call> {
    if all.op != TOGETHER {
        return vec![all.clone()];
    }
    let field = |word: u64, at: u32, bits: u32| word >> (BITS * at) & ((1 << bits) - 1);
    let call = |at| {
        let word = field(all.value, at, BITS);
        let op = *OPS.get((word >> VALUE_BITS).checked_sub(1)? as usize)?;
        Some(Call::new(op, field(all.key, at, BITS), word & ((1 << VALUE_BITS) - 1)))
    };
    (0..4).map_while(call).collect()
}

/// How many calls one stands for.
pub(super) fn len(all: &Call) -> usize {
    calls(all).len()
}

/// The kind of an operation.
pub(super) fn kind(op: Op) -> Option<Kind> {
    match op {
        Op::InsertUnique => Some(Kind::InsertUnique),
        Op::InsertOrAssign => Some(Kind::Assign),
        Op::Delete => Some(Kind::Delete),
        Op::Search => Some(Kind::Search),
        _ => None,
    }
}

/// What an operation returns that has this answer; without one no node was free.
pub(super) fn ret<V: warpproof_model::Word>(op: Op, answer: Option<Mixed<V>>) -> Ret {
    let Some(Mixed { code, value }) = answer else { return Ret::Full };
    let said = match op {
        Op::InsertUnique => Insert::from_code(code).map(Ret::from),
        Op::InsertOrAssign => Assign::from_code(code).map(Ret::from),
        Op::Delete => Delete::from_code(code).map(Ret::from),
        _ => Some(Ret::Value((code == 1).then_some(value.to_bits() as u64))),
    };
    said.unwrap_or(Ret::Done)
}

/// The calls that one stands for, and what each returned.
pub(super) fn expand(all: &Call, ret: Option<&Ret>) -> Vec<(Call, Option<Ret>)> {
    let ret = |at: usize| match ret {
        Some(Ret::Each(rets)) => rets.get(at).cloned(),
        _ => None,
    };
    calls(all).into_iter().enumerate().map(|(at, call)| (call, ret(at))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_go_into_one_and_come_out_again() {
        let some = [Call::new(Op::Search, 7, 0), Call::new(Op::InsertOrAssign, 65_535, 4_095)];
        let all = packed(&some);
        assert_eq!((calls(&all), len(&all)), (some.to_vec(), 2));
        let rets = [Ret::Value(Some(3)), Ret::Full];
        let each: Vec<_> =
            expand(&all, Some(&Ret::Each(rets.to_vec()))).into_iter().map(|(_, r)| r).collect();
        assert_eq!(each, rets.map(Some));
        assert!(expand(&all, None).iter().all(|(_, ret)| ret.is_none()));
    }
}
