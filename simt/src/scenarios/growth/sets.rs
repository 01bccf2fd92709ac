//! The sets of scenarios.

use super::places::{self as at, Budget, ENOUGH, SHORT, Start, Step, scenario};
use super::{Coarse, Open};
use crate::check::Scenario;
use crate::scenarios::form;

/// What two threads do beside each other.
const STEPS: [Step; 14] = [
    at::ONE,
    at::OTHER,
    at::TWO,
    at::NEXT_TWO,
    at::THREE,
    at::OLD,
    at::ALL_KINDS,
    at::FAILS,
    at::TAKE,
    at::LOOK,
    at::LOOK_NEW,
    at::SHRINK,
    at::RESERVE,
    at::CLEARS,
];

/// What three threads do beside each other.
const FEW: [Step; 5] = [at::ONE, at::OTHER, at::TAKE, at::SHRINK, at::CLEARS];

/// What one thread does twice, beside another one.
const ONE_MORE: [Step; 5] = [at::ONE, at::TWO, at::TAKE, at::LOOK_NEW, at::SHRINK];

/// What two threads do on a table of open addressing.
const REAL: [Step; 5] = [at::ONE, at::TWO, at::TAKE, at::LOOK_NEW, at::SHRINK];

/// Some pairs of calls: at most a second.
pub fn quick() -> Vec<Scenario> {
    pairs(&[at::ONE, at::TWO, at::SHRINK], &[at::FULL, at::ROOMY], ENOUGH)
}

/// Every pair of calls in every place; those of few inserts where memory runs out; one thread that stops; a
/// table of open addressing.
pub fn default_set() -> Vec<Scenario> {
    let mut scenarios = pairs(&STEPS, &at::ALL, ENOUGH);
    for memory in SHORT {
        scenarios.extend(pairs(&[at::ONE, at::TWO, at::NEXT_TWO, at::LOOK, at::SHRINK], &at::CLOSE, memory));
    }
    scenarios.extend(ahead());
    // More slots count as taken than are, and there is a tombstone. A batch that seems to need a larger table
    // counts the taken slots.
    scenarios.push(scenario::<Coarse>(at::TOMB_ROOM, ENOUGH, &apart(&[at::OLD_KINDS, at::ONE])));
    scenarios.extend(stalls());
    scenarios.extend(real(&[at::LAST, at::FULL, at::TOMB]));
    scenarios
}

/// Everything else: three threads; two calls of one thread beside one of another; a table of open addressing
/// in more places.
pub fn deep() -> Vec<Scenario> {
    let threes = multisets(&FEW, 3).into_iter().map(|steps| apart(&steps)).collect::<Vec<_>>();
    let of = |starts: &[Start], programs: &[Vec<Vec<Step>>]| {
        let of =
            |&start: &Start| programs.iter().map(move |programs| scenario::<Coarse>(start, ENOUGH, programs));
        starts.iter().flat_map(of).collect::<Vec<_>>()
    };
    let starts = [at::LAST, at::FULL, at::TOMBS];
    [of(&starts, &threes), of(&starts, &two_and_one()), real(&[at::EMPTY, at::TOMBS])].concat()
}

/// Two calls of one thread beside one of another.
fn two_and_one() -> Vec<Vec<Vec<Step>>> {
    let with = |first: Step, second: Step| ONE_MORE.map(|other| vec![vec![first, second], vec![other]]);
    ONE_MORE
        .into_iter()
        .flat_map(|first| ONE_MORE.into_iter().flat_map(move |second| with(first, second)))
        .collect()
}

/// A random scenario: any place and memory, one or two threads, a call or two of each.
pub(super) fn random(below: &mut dyn FnMut(u32) -> u32) -> Scenario {
    let start = at::ALL[below(at::ALL.len() as u32) as usize];
    let memory = [ENOUGH, SHORT[0], SHORT[1]][below(3) as usize];
    let threads = 1 + below(2);
    let mut calls = |most: u32| {
        let calls = 1 + below(most);
        (0..calls).map(|_| STEPS[below(STEPS.len() as u32) as usize]).collect()
    };
    // Two threads that make more than one call each have too many executions.
    let programs: Vec<Vec<Step>> = (0..threads).map(|_| calls(3 - threads)).collect();
    scenario::<Coarse>(start, memory, &programs)
}

fn pairs(steps: &[Step], starts: &[Start], memory: Budget) -> Vec<Scenario> {
    let pairs = multisets(steps, 2);
    let of = |&start: &Start| pairs.iter().map(move |pair| scenario::<Coarse>(start, memory, &apart(pair)));
    starts.iter().flat_map(of).collect()
}

fn real(starts: &[Start]) -> Vec<Scenario> {
    let pairs = multisets(&REAL, 2);
    let of = |&start: &Start| pairs.iter().map(move |pair| scenario::<Open>(start, ENOUGH, &apart(pair)));
    starts.iter().flat_map(of).collect()
}

/// Batches that give back what they did not need, beside each other and all else, also where memory runs out.
fn ahead() -> Vec<Scenario> {
    let places = [(at::FULL, at::AHEAD_OLD), (at::FULL, at::AHEAD_NEW), (at::EIGHTH, at::AHEAD_MANY)];
    let others = [at::AHEAD_OLD, at::AHEAD_MANY, at::AHEAD_NEW, at::ONE, at::TWO, at::ALL_KINDS];
    let others = others.into_iter().chain([at::TAKE, at::LOOK, at::SHRINK, at::CLEARS]);
    let of = |(start, batch): (Start, Step)| {
        // Many keys beside few grow the table too often for the bound on the steps of a call.
        let others = others.clone().filter(|other| other.2 <= batch.2);
        let beside = others.map(move |other| scenario::<Coarse>(start, ENOUGH, &apart(&[batch, other])));
        let short = SHORT.map(|memory| scenario::<Coarse>(start, memory, &apart(&[batch, at::ONE])));
        beside.chain(short).chain([scenario::<Coarse>(start, ENOUGH, &apart(&[batch]))]).collect::<Vec<_>>()
    };
    places.into_iter().flat_map(of).collect()
}

/// The first of two threads stops for ever, wherever it can. A thread that only searches keeps others from
/// growing the table. One that may have exclusive access keeps all others waiting. One that may hold the lock
/// of the room keeps those waiting that request it, as a delete does.
fn stalls() -> Vec<Scenario> {
    let firsts = [at::TWO, at::LOOK, at::SHRINK];
    let seconds = [at::LOOK, at::TAKE];
    let both = firsts.iter().flat_map(|&first| seconds.map(|second| [first, second]));
    let stalled = |(start, pair): (Start, [Step; 2])| {
        // In a table that has room a batch takes nothing alone.
        let alone = at::may_be_alone(pair[0]) && !(pair[0] == at::TWO && start.has_room());
        let waits = alone || (pair[0] != at::LOOK && pair[1] == at::TAKE);
        form::stalled(scenario::<Coarse>(start, ENOUGH, &apart(&pair)), |_| waits)
    };
    both.flat_map(|pair| [at::FULL, at::ROOMY].map(|start| (start, pair))).map(stalled).collect()
}

/// A program of one call for each thread.
fn apart(steps: &[Step]) -> Vec<Vec<Step>> {
    steps.iter().map(|&step| vec![step]).collect()
}

/// All ways to take so many of some steps, whatever their order.
fn multisets(steps: &[Step], size: usize) -> Vec<Vec<Step>> {
    let Some(size) = size.checked_sub(1) else { return vec![Vec::new()] };
    let from = |first: usize| {
        let rest = multisets(&steps[first..], size);
        rest.into_iter().map(move |rest| [vec![steps[first]], rest].concat())
    };
    (0..steps.len()).flat_map(from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multisets_are_counted_right() {
        assert_eq!(multisets(&STEPS, 2).len(), 14 * 15 / 2);
        assert_eq!(multisets(&FEW, 3).len(), 5 * 6 * 7 / 6);
    }
}
