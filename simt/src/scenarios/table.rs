//! Tables that are checked, and the situations in which programs meet in them.

use super::entry::Entries;
use super::family::{Keys, Programs, Step, programs, shapes};
use super::form::{self, STORES, stores};
use super::progress::Progress;
use crate::check::{AnySubject, Config, Scenario, ScenarioError};
use std::collections::BTreeSet;
use std::sync::Arc;
use warpproof_model::spec::Call;
use warpproof_model::spec::Op::{self, Delete, InsertOrAssign, InsertUnique, Search, SearchAll};

/// The subject of a scenario, or why there is none.
pub(super) type Made = Result<Arc<dyn AnySubject>, ScenarioError>;

/// What makes subjects.
pub(super) type Maker = fn(&Scenario) -> Made;

/// A key by its home and its number among the keys of that home.
pub(super) type Name = (u32, usize);

/// A structure with a type of entries.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// The name in scenarios.
    pub name: &'static str,
    /// What it holds.
    pub entries: Entries,
    /// Whether a key may have several pairs.
    pub multi: bool,
    /// The operations whose combinations form programs.
    pub(super) ops: &'static [Op],
    /// The subject of a scenario with this name.
    pub(super) subject: Maker,
    pub(super) plan: &'static Plan,
}

/// How scenarios of the tables of one structure are made.
#[derive(Debug)]
pub(super) struct Plan {
    /// Where all programs of a size meet.
    pub(super) places: &'static [Place],
    /// The key of a name, among so many homes.
    pub(super) key: fn(Entries, u32, Name) -> u64,
    /// A scenario of programs in a place.
    pub(super) scenario: fn(&Table, Place, &Programs) -> Scenario,
    /// Whether keys that a place does not hold differ only in their names.
    pub(super) alike: bool,
    /// The operation that looks at each key at the end.
    pub(super) look: Op,
    /// The progress guarantee of an operation of a table.
    pub(super) progress: fn(&Table, Op) -> Progress,
    /// Whether two warps, the first of which stops for ever, meet in a situation where the second may wait
    /// for the first, provided that its operations block. The first argument is the calls that came before.
    pub(super) meet: fn(&[Call], [&[Call]; 2]) -> bool,
    pub(super) random: Random,
    /// The names of two keys that inserts put into an empty bucket. The arguments are the number of buckets
    /// and the number of the bucket.
    pub(super) fills: Option<fn(u32, u32) -> [Name; 2]>,
}

/// What random scenarios of a structure are drawn from.
#[derive(Debug)]
pub(super) struct Random {
    /// The operations; that of a multimap alone is left out elsewhere.
    pub(super) ops: &'static [Op],
    /// Lanes, words of a lane, and reach; the smallest first.
    pub(super) shapes: &'static [(u32, u32, u32)],
    /// The fewest buckets, and the most.
    pub(super) buckets: (u32, u32),
    /// The largest pool.
    pub(super) pool: u32,
    /// Keys are 1 to this one.
    pub(super) keys: u32,
}

/// Where programs meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) name: &'static str,
    /// Lanes, words per lane.
    pub(super) shape: (u32, u32),
    pub(super) homes: u32,
    /// [`Config::reach`] and [`Config::pool`], where the structure has them.
    pub(super) reach: u32,
    pub(super) pool: u32,
    /// The keys inserted before, in this order.
    pub(super) preload: &'static [Name],
    /// Those of them that are then deleted.
    pub(super) gone: &'static [Name],
    /// Where calls add submaps: the first after the insert of this number of the preload, counted from 0.
    pub(super) grown: &'static [usize],
    /// The keys that programs may name.
    pub(super) keys: &'static [Name],
}

/// Warps of one scenario, the most that every engine takes.
const WARPS: usize = 4;

impl Table {
    /// Its name among the tables of its structure.
    pub fn short(&self) -> &'static str {
        self.name.split_once('_').map_or(self.name, |(_, short)| short)
    }

    /// Whether entries have values.
    pub fn has_values(&self) -> bool {
        self.entries.have_values()
    }

    /// All programs of so many calls, on at most `keys` different keys, by at most four warps, in every
    /// place, up to symmetry.
    pub fn family(&self, calls: usize, keys: usize) -> Vec<Scenario> {
        let shapes = shapes(calls, WARPS);
        let in_place = |&place| shapes.iter().flat_map(move |shape| self.of_shape(place, shape, keys));
        self.plan.places.iter().flat_map(in_place).collect()
    }

    /// All programs of a shape, on at most `keys` different keys.
    pub(super) fn of_shape(&self, place: Place, shape: &[usize], keys: usize) -> Vec<Scenario> {
        let mut all = programs(shape, self.ops, &self.keys(place, keys));
        // The values that a look at all pairs of a key gives may be of different instants if they are
        // assigned to meanwhile.
        let has = |programs: &Programs, op: Op| programs.iter().flatten().any(|(other, _)| *other == op);
        let torn = |programs: &_| has(programs, InsertOrAssign) && has(programs, SearchAll);
        all.retain(|programs| !(self.multi && self.has_values() && torn(programs)));
        all.iter().map(|programs| self.scenario(place, programs)).collect()
    }

    /// Every pair of operations, on at most two keys.
    pub(super) fn pairs(&self, places: &[Place]) -> Vec<Scenario> {
        places.iter().flat_map(|&place| self.of_shape(place, &[1, 1], 2)).collect()
    }

    /// Every two operations on one key.
    pub(super) fn twos(&self, key: u64) -> impl Iterator<Item = Vec<Step>> {
        self.ops.iter().flat_map(move |&a| self.ops.iter().map(move |&b| vec![(a, key), (b, key)]))
    }

    /// A scenario of these programs in a place.
    pub(super) fn scenario(&self, place: Place, programs: &Programs) -> Scenario {
        (self.plan.scenario)(self, place, programs)
    }

    /// A scenario of programs that name their keys.
    pub(super) fn of_names(&self, place: Place, programs: &[&[(Op, Name)]]) -> Scenario {
        let step = |&(op, name): &(Op, Name)| (op, self.key(place.homes, name));
        let steps = |steps: &&[(Op, Name)]| steps.iter().map(step).collect();
        self.scenario(place, &programs.iter().map(steps).collect())
    }

    /// A scenario of programs on one key, by its name.
    pub(super) fn on_key(&self, place: Place, name: Name, programs: &[&[Op]]) -> Scenario {
        let key = self.key(place.homes, name);
        let steps = |ops: &&[Op]| ops.iter().map(|&op| (op, key)).collect();
        self.scenario(place, &programs.iter().map(steps).collect())
    }

    /// Every two operations of one warp on one key, and every pair of them with a first warp that stops: what
    /// each table has, whatever else its structure's sets say.
    pub(super) fn rows_and_stalls(&self, place: Place) -> Vec<Scenario> {
        let mut scenarios = self.of_shape(place, &[2], 1);
        scenarios.extend(self.stalls(&self.of_shape(place, &[1, 1], 1)));
        scenarios
    }

    /// The scenarios of two warps with a first one that stops for ever, wherever it can: the other finishes,
    /// if it does not wait for it.
    pub(super) fn stalls<'a>(&self, scenarios: impl IntoIterator<Item = &'a Scenario>) -> Vec<Scenario> {
        let two = scenarios.into_iter().filter(|scenario| scenario.programs.len() == 2);
        two.map(|scenario| form::stalled(scenario.clone(), |scenario| self.may_wait(scenario))).collect()
    }

    /// Scenarios by two lanes of two words each, made of those whose buckets have four words. Those with two
    /// get two more, with other keys in front: programs meet in the words of the second lane.
    pub(super) fn doubles<'a>(&self, scenarios: impl IntoIterator<Item = &'a Scenario>) -> Vec<Scenario> {
        let of = |scenario: &Scenario| match (scenario.config.lanes, scenario.config.slots) {
            (1, 4) => Some(form::double(scenario.clone())),
            (1, 2) => self.filled(scenario).map(form::double),
            _ => None,
        };
        scenarios.into_iter().filter_map(of).collect()
    }

    /// The scenarios among these that are of this table, and in which no warp stops.
    pub(super) fn running<'a>(&self, scenarios: &'a [Scenario]) -> impl Iterator<Item = &'a Scenario> {
        let name = self.name;
        scenarios.iter().filter(move |scenario| scenario.structure == name && scenario.stall.is_none())
    }

    /// A scenario with two words more in each bucket, which hold two keys before all others come, and in the
    /// end. `None` if the structure does not say which keys fill a bucket.
    fn filled(&self, scenario: &Scenario) -> Option<Scenario> {
        let (fills, buckets) = (self.plan.fills?, scenario.config.buckets);
        let names = (0..buckets).flat_map(|bucket| fills(buckets, bucket));
        let keys: Vec<u64> = names.map(|name| self.key(buckets, name)).collect();
        let call = |op| move |&key: &u64| Call::new(op, key, 0);
        let mut scenario = scenario.clone();
        scenario.config.slots += 2;
        scenario.preload.splice(0..0, keys.iter().map(call(InsertUnique)));
        scenario.finally.extend(keys.iter().map(call(Search)));
        Some(scenario)
    }

    /// The key of a name, among so many homes.
    pub(super) fn key(&self, homes: u32, name: Name) -> u64 {
        (self.plan.key)(self.entries, homes, name)
    }

    /// The keys that programs may name in a place, at most `most` of them each.
    pub(super) fn keys(&self, place: Place, most: usize) -> Keys {
        let key = |&name: &Name| self.key(place.homes, name);
        let named = place.keys.iter().map(key);
        if !self.plan.alike {
            return Keys { fixed: named.collect(), free: Vec::new(), most };
        }
        let held: BTreeSet<u64> = place.preload.iter().map(key).collect();
        let free = named.filter(|key| !held.contains(key)).collect();
        Keys { fixed: held.into_iter().collect(), free, most }
    }
}

impl Place {
    /// A table of one bucket of one slot, in which nothing is.
    pub(super) const EMPTY: Self = Self {
        name: "empty",
        shape: (1, 1),
        homes: 1,
        reach: 0,
        pool: 0,
        preload: &[],
        gone: &[],
        grown: &[],
        keys: &[],
    };

    /// The size of its table.
    pub(super) fn config(self) -> Config {
        let Self { shape: (lanes, slots), homes: buckets, reach, pool, .. } = self;
        Config { lanes, slots, buckets, reach, pool, ..Config::default() }
    }

    /// The calls that make it.
    pub(super) fn preload(self, table: &Table) -> Vec<Call> {
        let call = |op| move |&name: &Name| Call::new(op, table.key(self.homes, name), 0);
        let inserts = self.preload.iter().map(call(InsertUnique));
        inserts.chain(self.gone.iter().map(call(Delete))).collect()
    }
}

/// A scenario of a table in which every key has a home: programs name keys by these, and all keys are looked
/// at in the end.
pub(super) fn by_homes(table: &Table, place: Place, programs: &Programs) -> Scenario {
    let key = |&name: &Name| table.key(place.homes, name);
    let called = |(op, called): &Step| {
        let name = place.keys.iter().find(|name| key(name) == *called);
        name.map_or(format!("{op}@{called}"), |(home, number)| format!("{op}@{home}.{number}"))
    };
    let names = (table.name, place.name);
    let mut scenario = form::scenario(names, place.config(), programs, called, table.has_values());
    scenario.preload = place.preload(table);
    let keys: BTreeSet<u64> = place.preload.iter().chain(place.keys).map(key).collect();
    scenario.finally = keys.into_iter().map(|key| Call::new(Search, key, 0)).collect();
    scenario.allows.full = true;
    scenario
}

/// [`Plan::fills`] where a name is a home and a number.
pub(super) fn fill_home(_: u32, bucket: u32) -> [Name; 2] {
    [(bucket, 8), (bucket, 9)]
}

/// The scenarios of a set in which the first of two warps stops, with the second one in its place, if it has
/// other calls.
pub(super) fn stalls_of_second(tables: &[Table], set: &[Scenario]) -> Vec<Scenario> {
    let second = |table: &Table, scenario: &Scenario| {
        let [first, second] = scenario.programs.as_slice() else { return None };
        let stops = scenario.structure == table.name && scenario.stall.is_some_and(|stall| stall.warp == 0);
        let differ = form::steps(first) != form::steps(second);
        (stops && differ).then(|| form::stalled_second(scenario.clone(), |scenario| table.may_wait(scenario)))
    };
    tables.iter().flat_map(|table| set.iter().filter_map(move |scenario| second(table, scenario))).collect()
}

/// The progress guarantees if an entry is one word. A table with lock words locks a slot until its entry is
/// stored: then [`stores_wait`] applies.
pub(super) fn by_lock_word(table: &Table, op: Op) -> Progress {
    if table.name.contains("lock") { stores_wait(table, op) } else { Progress::LockFree }
}

/// An operation that stores may wait for one that fills a slot. Others never wait.
pub(super) fn stores_wait(_: &Table, op: Op) -> Progress {
    if stores(op) { Progress::Blocking(&STORES) } else { Progress::LockFree }
}

/// Whether both of two warps store, the second one something that is not there already.
pub(super) fn both_fill(preload: &[Call], [first, second]: [&[Call]; 2]) -> bool {
    let deleted = |key| {
        let mut calls = preload.iter().chain(first).chain(second);
        calls.any(|call| call.key == key && matches!(call.op, Op::Delete | Op::DeleteAll))
    };
    let stays = |call: &Call| {
        let there = preload.iter().any(|before| before.key == call.key && stores(before.op));
        there && call.op != Op::Insert && !deleted(call.key)
    };
    let adds = second.iter().any(|call| stores(call.op) && !stays(call));
    first.iter().any(|call| stores(call.op)) && adds
}
