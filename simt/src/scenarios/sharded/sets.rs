//! The sets of scenarios.

use super::ShardedSubject;
use crate::check::{Config, Scenario};
use warpproof_model::sharded::Item;

/// The batches of each rank, one after the other: the keys of each.
type Batches = Vec<Vec<u64>>;

/// What ranks go through besides their batches.
#[derive(Clone, Copy, Default)]
struct Trouble {
    /// The number of the last message before.
    number: u32,
    /// How often a rank waits before it gives up; 0 if as often as necessary.
    waits: u32,
    /// The rank that vanishes, and before which message.
    vanishes: Option<(u32, u32)>,
    /// The ranks that never give up by themselves, a bit for each.
    patient: u32,
    /// How items are moved: by messages (0), or by a carrier at once (1) or late (2).
    carry: u32,
}

/// The words of a bin for so many items, which have an answer of a word each.
const fn bin(items: u32) -> u32 {
    2 + 2 * items
}

/// Ranks with these batches.
fn scenario(per_bin: u32, ranks: &[Batches], trouble: Trouble) -> Scenario {
    let keys = |batches: &Batches| {
        let text = |batch: &Vec<u64>| batch.iter().map(u64::to_string).collect::<String>();
        batches.iter().map(text).collect::<Vec<_>>().join(",")
    };
    let mut name = ranks.iter().map(keys).collect::<Vec<_>>().join("+");
    if trouble.number != 0 {
        name += "/wraps";
    }
    name += ["", "/carried", "/carried_late"][trouble.carry as usize];
    if trouble.waits != 0 {
        name += &format!("/gives_up{}", trouble.waits);
    }
    if trouble.patient != 0 {
        name += &format!("/patient{:b}", trouble.patient);
    }
    let (rank, message) = match trouble.vanishes {
        Some((rank, message)) => {
            name += &format!("/rank{rank}_vanishes{message}");
            (rank + 1, message)
        }
        None => (0, 0),
    };
    let config = Config {
        lanes: 1,
        buckets: ranks.len() as u32,
        slots: bin(per_bin),
        pool: trouble.number,
        bitmap: vec![trouble.waits, rank, message, trouble.patient, trouble.carry, per_bin],
        ..Config::default()
    };
    let program = |(rank, batches): (u32, &Batches)| {
        (1..).zip(batches).map(|(number, keys)| Item::call(rank, number, keys)).collect()
    };
    let programs = (0..).zip(ranks).map(program).collect();
    let structure = ShardedSubject::STRUCTURE;
    let mut scenario = Scenario::new(format!("{structure}/{name}/bin{per_bin}"), structure, config, programs);
    scenario.allows.full = ranks.iter().flatten().flatten().any(|key| *key == Item::REFUSED);
    scenario
}

/// All lists of at most `most` of these keys.
fn lists(most: usize, keys: &[u64]) -> Vec<Vec<u64>> {
    let mut all = vec![Vec::new()];
    let mut last = all.clone();
    for _ in 0..most {
        last = last
            .iter()
            .flat_map(|list| keys.iter().map(move |&key| [list.as_slice(), &[key]].concat()))
            .collect();
        all.extend(last.clone());
    }
    all
}

/// All ways for so many ranks to have one of these.
fn product<T: Clone>(ranks: usize, of: &[T]) -> Vec<Vec<T>> {
    (0..ranks).fold(vec![Vec::new()], |ways, _| {
        let longer =
            |way: Vec<T>| of.iter().map(move |one| [way.as_slice(), std::slice::from_ref(one)].concat());
        ways.into_iter().flat_map(longer).collect()
    })
}

/// Ranks that make one batch each.
fn one_batch(ranks: usize, batches: &[Vec<u64>]) -> Vec<Vec<Batches>> {
    let each: Vec<Batches> = batches.iter().map(|batch| vec![batch.clone()]).collect();
    product(ranks, &each)
}

/// Ranks that make two batches each.
fn two_batches(ranks: usize, batches: &[Vec<u64>]) -> Vec<Vec<Batches>> {
    product(ranks, &product(2, batches))
}

fn all(per_bin: u32, ranks: &[Vec<Batches>], trouble: Trouble) -> Vec<Scenario> {
    ranks.iter().map(|ranks| scenario(per_bin, ranks, trouble)).collect()
}

/// Each rank vanishes before each of its messages; the others give up.
fn vanishing(per_bin: u32, ranks: &[Batches], messages: u32, carry: u32) -> Vec<Scenario> {
    let of = |rank| (1..=messages).map(move |message| (rank, message));
    (0..ranks.len() as u32)
        .flat_map(of)
        .map(|vanishes| {
            scenario(
                per_bin,
                ranks,
                Trouble { waits: 2, vanishes: Some(vanishes), carry, ..Trouble::default() },
            )
        })
        .collect()
}

/// The number of a message after which they wrap around in the scenario.
const WRAPS: Trouble = Trouble { number: u32::MAX - 1, waits: 0, vanishes: None, patient: 0, carry: 0 };

/// Ranks whose items a carrier moves: two batches in a row, several rounds, three ranks, a shard that refuses
/// an item, and ranks that vanish.
fn carried() -> Vec<Scenario> {
    let few = lists(1, &[1, 2]);
    let mut scenarios = Vec::new();
    for carry in [1, 2] {
        let trouble = Trouble { carry, ..Trouble::default() };
        scenarios.extend(all(1, &two_batches(2, &few), trouble));
        scenarios.extend(all(1, &one_batch(2, &lists(2, &[1, 2])), trouble));
        scenarios.extend(all(2, &one_batch(2, &[vec![1, 1, 1], vec![2, 1, 2, 1], vec![2, 2]]), trouble));
        // Of three ranks the writes of one round are as many as an execution may have.
        scenarios.extend(all(2, &one_batch(3, &[vec![], vec![1, 1], vec![3, 2, 3]])[1..], trouble));
        let refused = [vec![vec![9], vec![1]], vec![vec![2, 9], vec![1]], vec![vec![2], vec![1]]];
        let refused = all(1, &product(2, &refused), trouble);
        scenarios.extend(refused.into_iter().filter(|scenario| scenario.allows.full));
        scenarios.extend(vanishing(1, &[vec![vec![1], vec![2]], vec![vec![2], vec![2]]], 4, carry));
    }
    scenarios
}

/// Two ranks with a batch of at most two items each, whose bins hold one.
pub fn quick() -> Vec<Scenario> {
    let mut scenarios = all(1, &one_batch(2, &lists(2, &[1, 2])), Trouble::default());
    scenarios.push(scenario(1, &[vec![vec![1]], vec![vec![1]]], Trouble { waits: 1, ..Trouble::default() }));
    scenarios
}

/// Two batches in a row; three ranks; bins of two; a shard that refuses an item; numbers that wrap around;
/// ranks that give up, and ranks that vanish.
pub fn default_set() -> Vec<Scenario> {
    let few = lists(1, &[1, 2]);
    let mut scenarios = all(1, &two_batches(2, &few), Trouble::default());
    scenarios.extend(all(1, &two_batches(2, &lists(1, &[1])), WRAPS));
    scenarios.extend(all(
        2,
        &one_batch(2, &[vec![1, 1, 1], vec![2, 1, 2, 1], vec![2, 2]]),
        Trouble::default(),
    ));
    scenarios.extend(all(1, &one_batch(3, &lists(1, &[1, 2, 3])), Trouble::default()));
    scenarios.extend(all(1, &one_batch(3, &[vec![], vec![1, 1], vec![3, 2, 3]])[1..], Trouble::default()));
    // A shard refuses an item, in the first round or in the second, and the next batch goes on.
    let refused =
        [vec![vec![9], vec![1]], vec![vec![2, 9], vec![]], vec![vec![1, 9], vec![2]], vec![vec![2], vec![1]]];
    let refused = all(1, &product(2, &refused), Trouble::default());
    scenarios.extend(refused.into_iter().filter(|scenario| scenario.allows.full));
    let waits = |waits| Trouble { waits, ..Trouble::default() };
    scenarios.extend(all(1, &one_batch(2, &few), waits(2)));
    scenarios.push(scenario(1, &[vec![vec![1], vec![2]], vec![vec![2], vec![2]]], waits(1)));
    scenarios.push(scenario(1, &[vec![vec![1, 1]], vec![vec![]]], waits(2)));
    scenarios.extend(vanishing(1, &[vec![vec![1], vec![2]], vec![vec![2], vec![2]]], 4, 0));
    // One rank gives up, and tells the other, which never would.
    let patient = |patient| Trouble { waits: 1, patient, ..Trouble::default() };
    for ranks in [1, 2].map(patient) {
        scenarios.push(scenario(1, &[vec![vec![1]], vec![vec![1]]], ranks));
        scenarios.push(scenario(1, &[vec![vec![1], vec![2]], vec![vec![2], vec![]]], ranks));
    }
    scenarios.extend(carried());
    scenarios.extend(quick());
    scenarios
}

/// Longer batches, more ranks and more batches.
pub fn deep() -> Vec<Scenario> {
    let mut scenarios = all(1, &one_batch(2, &lists(3, &[1, 2])[7..]), Trouble::default());
    scenarios.extend(all(1, &two_batches(3, &lists(1, &[1])), Trouble::default()));
    let three = [vec![vec![1]], vec![vec![2]], vec![vec![3]]];
    scenarios.extend(vanishing(1, &three, 2, 0));
    scenarios
}

/// A random scenario: two or three ranks with up to two batches of up to three items.
pub(super) fn random(below: &mut dyn FnMut(u32) -> u32) -> Scenario {
    let (ranks, batches) = (2 + below(2), 1 + below(2));
    let mut batch = || -> Vec<u64> { (0..below(4)).map(|_| 1 + u64::from(below(ranks + 1))).collect() };
    let programs: Vec<Batches> = (0..ranks).map(|_| (0..batches).map(|_| batch()).collect()).collect();
    scenario(1 + below(2), &programs, Trouble { carry: below(3), ..Trouble::default() })
}
