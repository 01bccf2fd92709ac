//! The point where the search for a sequential order ends: it is shown for a history that has none.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use warpproof_model::spec::{Call, Op, Ret, Spec};

/// The longest order of calls that can be explained, and why no call can come next.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Linearization {
    /// The key of the calls.
    pub key: u64,
    /// The state before the first call.
    pub before: String,
    /// The calls that could be put in order.
    pub order: Vec<Placed>,
    /// The calls that returned and have no place.
    pub rest: Vec<Unplaced>,
}

/// A call with its place in the order.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Placed {
    /// The call, as its index in the history.
    pub event: usize,
    /// What the call, or the part of it that stands here, did.
    pub what: String,
    /// The state afterwards.
    pub state: String,
}

/// A call that cannot come next.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Unplaced {
    /// The call, as its index in the history.
    pub event: usize,
    /// Why it cannot.
    pub why: String,
    /// Its turn has come: only what it returned is wrong.
    pub due: bool,
}

impl Linearization {
    /// This order, with its events renumbered by `numbers`.
    pub(crate) fn renumbered(mut self, numbers: &[usize]) -> Self {
        self.order.iter_mut().for_each(|placed| placed.event = numbers[placed.event]);
        self.rest.iter_mut().for_each(|unplaced| unplaced.event = numbers[unplaced.event]);
        self
    }
}

/// What `call` may return in `state`, as far as the calls and returns given can tell.
pub(super) fn allowed<'a, S: Spec>(
    spec: &S,
    state: &S::State,
    call: &Call,
    history: impl Iterator<Item = (&'a Call, Option<&'a Ret>)>,
) -> Vec<Ret> {
    let mut next = Vec::new();
    let mut may = |ret: &Ret| {
        next.clear();
        spec.step(state, call, Some(ret), &mut next);
        !next.is_empty()
    };
    candidates(history).into_iter().filter(|ret| may(ret)).collect()
}

/// At most so many values are combined to multisets: 2 to this power.
const MOST_VALUES: usize = 8;

/// At most so many sums are tried for each value that is added.
const MOST_SUMS: usize = 64;

/// Every return that could be expected of some call of a history.
fn candidates<'a>(history: impl Iterator<Item = (&'a Call, Option<&'a Ret>)>) -> BTreeSet<Ret> {
    let (mut stored, mut sums, mut slabs) = (Vec::new(), Vec::new(), Vec::new());
    for (call, ret) in history {
        match call.op {
            Op::Insert | Op::InsertUnique | Op::InsertOrAssign => stored.push(call.value),
            Op::InsertOrAdd => {
                // To whatever it was added.
                let values = stored.iter().chain(&sums).map(|value| value + call.value);
                let more: Vec<u64> = values.take(MOST_SUMS).collect();
                stored.push(call.value);
                sums.extend(more);
            }
            Op::Free => slabs.extend(u32::try_from(call.key).ok()),
            _ => {}
        }
        if let Some(Ret::Slab(Some(slab))) = ret {
            slabs.push(*slab);
        }
    }
    stored.sort_unstable();
    slabs.extend(0..4);
    slabs.sort_unstable();
    slabs.dedup();
    let plain = [
        Ret::Done,
        Ret::Inserted,
        Ret::Present,
        Ret::Replaced,
        Ret::Added,
        Ret::Deleted,
        Ret::Absent,
        Ret::Full,
    ];
    let mut rets = BTreeSet::from(plain);
    let most = stored.len().min(MOST_VALUES);
    rets.extend((0..=stored.len() as u64).map(Ret::Count));
    rets.extend(
        (0..1u32 << most)
            .map(|set| Ret::Values((0..most).filter(|at| set & 1 << at != 0).map(|at| stored[at]).collect())),
    );
    stored.dedup();
    let values = stored.into_iter().chain(sums).map(|value| Ret::Value(Some(value)));
    rets.extend([Ret::Value(None)].into_iter().chain(values));
    rets.extend([Ret::Slab(None)].into_iter().chain(slabs.into_iter().map(|s| Ret::Slab(Some(s)))));
    rets
}

/// A return as people read it.
pub(super) fn said(ret: &Ret) -> String {
    match ret {
        Ret::Values(values) if values.is_empty() => "no values".to_string(),
        ret => ret.to_string(),
    }
}

/// One of these returns: `value 10 or value 20`.
pub(super) fn either(rets: &[Ret]) -> String {
    rets.iter().map(said).collect::<Vec<_>>().join(" or ")
}
