//! The sequential specification of a wait-free table, and the calls that it has besides those of a map.

use super::together::{self, TOGETHER};
use warpproof_model::spec::{Call, Map, Op, Ret, Spec};

/// The call that makes retired nodes free, while nothing else runs.
pub(super) const RECLAIM: Op = Op::Other(0);

/// The delete that needs no node, while nothing runs but others of its kind.
pub(super) const IN_PLACE: Op = Op::Other(1);

/// A map or set in which a delete needs room, too.
#[derive(Clone, Copy, Debug)]
pub struct WaitFreeSpec {
    pub(super) may_fill: bool,
}

impl Spec for WaitFreeSpec {
    /// The keys that are there, in their order, and their values.
    type State = Vec<(u64, Vec<u64>)>;

    fn initial(&self, _key: u64) -> Self::State {
        Vec::new()
    }

    fn step(&self, state: &Self::State, call: &Call, ret: Option<&Ret>, next: &mut Vec<Self::State>) {
        let call = match (call.op, ret) {
            (Op::Delete, Some(Ret::Full)) if self.may_fill => return next.push(state.clone()),
            (RECLAIM, _) => return next.push(state.clone()),
            (IN_PLACE, _) => Call { op: Op::Delete, ..call.clone() },
            _ => call.clone(),
        };
        let at = state.partition_point(|(key, _)| *key < call.key);
        let had = state.get(at).filter(|(key, _)| *key == call.key);
        let before = had.map_or_else(Vec::new, |(_, values)| values.clone());
        let mut after = Vec::new();
        Map { may_fill: self.may_fill }.step(&before, &call, ret, &mut after);
        next.extend(after.into_iter().map(|values| {
            let mut state = state.clone();
            let entry = (!values.is_empty()).then_some((call.key, values));
            state.splice(at..at + had.iter().len(), entry);
            state
        }));
    }

    fn expand(&self, call: &Call, ret: Option<&Ret>) -> Vec<(Call, Option<Ret>)> {
        if call.op == TOGETHER {
            return together::expand(call, ret);
        }
        vec![(call.clone(), ret.cloned())]
    }

    fn in_order(&self, call: &Call) -> bool {
        call.op != TOGETHER
    }

    fn show(&self, key: u64, state: &Self::State) -> String {
        match state.as_slice() {
            [] if key == 0 => "no key is there".to_string(),
            [] => Map::default().show(key, &Vec::new()),
            state => {
                let show = |(key, values): &(u64, Vec<u64>)| Map::default().show(*key, values);
                state.iter().map(show).collect::<Vec<_>>().join(", ")
            }
        }
    }
}
