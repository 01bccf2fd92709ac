//! Twins: warps that run the same calls on the same keys, perhaps with other values. If a structure uses no
//! value and no warp's number, exchanging twins changes only names in an execution. An engine may then
//! explore one of such executions.

use super::{Case, Event};
use std::collections::BTreeMap;
use warpproof_model::spec::Ret;

/// The twins of a scenario.
pub(crate) struct Twins {
    /// The twin before each warp.
    before: Vec<Option<usize>>,
}

impl Twins {
    /// The twins of a scenario whose structure lets warps be exchanged; otherwise none.
    pub(crate) fn new(case: &Case, symmetry: bool) -> Self {
        let count = case.scenario.programs.len();
        let alike = symmetry
            && case.subject.exchangeable()
            && case.subject.lanes() == 1
            && case.scenario.stall.is_none();
        let before = |warp: usize| (0..warp).rev().find(|&other| alike && are_twins(case, other, warp));
        Self { before: (0..count).map(before).collect() }
    }

    /// The twin before a warp.
    pub(crate) fn before(&self, warp: usize) -> Option<usize> {
        self.before[warp]
    }

    /// Whether there are any.
    pub(crate) fn any(&self) -> bool {
        self.before.iter().any(Option::is_some)
    }

    /// The first of the twins of a warp, which may be itself.
    fn first(&self, warp: usize) -> usize {
        std::iter::successors(Some(warp), |&warp| self.before[warp]).last().unwrap_or(warp)
    }

    /// A warp and its twins.
    pub(crate) fn of(&self, warp: usize) -> impl Iterator<Item = usize> {
        let first = self.first(warp);
        (0..self.before.len()).filter(move |&other| self.first(other) == first)
    }

    /// All sequences of calls and returns that come of these by an exchange of twins, these included.
    pub(crate) fn exchanged(&self, case: &Case, calls: &[Event]) -> Vec<Vec<Event>> {
        let orders = self.orders();
        orders.iter().map(|order| calls.iter().map(|call| renamed(case, call, order)).collect()).collect()
    }

    /// All orders of the warps in which only twins are exchanged: for each warp, the one in its place.
    fn orders(&self) -> Vec<Vec<usize>> {
        let class: Vec<usize> = (0..self.before.len()).map(|warp| self.first(warp)).collect();
        let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
        for &of in &class {
            let longer = |order: &Vec<usize>| {
                let order = order.clone();
                let free: Vec<usize> =
                    (0..class.len()).filter(|warp| class[*warp] == of && !order.contains(warp)).collect();
                free.into_iter().map(move |warp| order.iter().copied().chain([warp]).collect())
            };
            orders = orders.iter().flat_map(longer).collect();
        }
        orders
    }
}

/// Whether two warps run the same calls, but for values that name nothing else in the scenario.
fn are_twins(case: &Case, one: usize, other: usize) -> bool {
    let [one, other] = [one, other].map(|warp| &case.scenario.programs[warp]);
    let own = |value: u64| case.scenario.calls().filter(|call| call.value == value).count() == 1;
    one.len() == other.len()
        && one.iter().zip(other).all(|(one, other)| {
            let same = (one.op, one.key) == (other.op, other.key);
            same && (one.value == other.value || own(one.value) && own(other.value))
        })
}

/// A call as it is when each warp stands where `order` says, with the values of the one that stood there.
fn renamed(case: &Case, call: &Event, order: &[usize]) -> Event {
    let programs = &case.scenario.programs;
    let values: BTreeMap<u64, u64> = (order.iter().enumerate())
        .flat_map(|(from, &to)| programs[from].iter().zip(&programs[to]))
        .map(|(from, to)| (from.value, to.value))
        .filter(|(from, to)| from != to)
        .collect();
    let value = |value: u64| values.get(&value).copied().unwrap_or(value);
    let ret = call.ret.clone().map(|ret| match ret {
        Ret::Value(Some(it)) => Ret::Value(Some(value(it))),
        Ret::Values(all) if !values.is_empty() => {
            let mut all: Vec<u64> = all.into_iter().map(value).collect();
            all.sort_unstable();
            Ret::Values(all)
        }
        ret => ret,
    });
    let warp = call.warp.map(|warp| order[warp]);
    let to = warp.and_then(|warp| programs[warp].get(call.number)).unwrap_or(&call.call).clone();
    Event { warp, call: to, ret, ..call.clone() }
}
