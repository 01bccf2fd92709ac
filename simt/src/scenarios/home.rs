//! Tables in which every key has a home: their keys by name, and where programs meet in them.

use super::entry::Entry;
use super::family::{Keys, Programs, Step};
use super::form;
use crate::check::{Config, Scenario, SimWarp};
use std::collections::BTreeSet;
use warpproof_model::host::Answer;
use warpproof_model::key::fastrange;
use warpproof_model::outcome::Op as Mixed;
use warpproof_model::spec::Op::{Delete, InsertOrAssign, InsertUnique, Search, SearchAll};
use warpproof_model::spec::{Call, Ret};
use warpproof_model::{Key, UserKey, WarpMap, Word};

/// A key by its home and its number among the keys of that home.
pub(super) type Name = (u32, usize);

/// What a table holds, in one word each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Entries {
    /// u32 pairs.
    Map32,
    /// u32 keys.
    Set32,
    /// u64 pairs in 128-bit words.
    Map64,
    /// u64 keys.
    Set64,
}

/// A structure of such tables, in scenarios.
pub(super) trait Homed: Copy {
    /// The name in scenarios.
    fn name(self) -> &'static str;
    /// What it holds.
    fn entries(self) -> Entries;

    /// Whether calls that store have values.
    fn has_values(self) -> bool {
        matches!(self.entries(), Entries::Map32 | Entries::Map64)
    }

    /// The key with this number among those of a home.
    fn key(self, homes: u32, (home, number): Name) -> u64 {
        let home_of = match self.entries() {
            Entries::Map32 | Entries::Set32 => home_of::<u32>,
            Entries::Map64 | Entries::Set64 => home_of::<u64>,
        };
        (1..).filter(|key| home_of(homes, *key) == home).nth(number).unwrap_or(u64::MAX)
    }
}

/// The home of a key in a table of so many.
pub(super) fn home_of<K: Key>(homes: u32, key: u64) -> u32 {
    fastrange(K::from_bits(key.into()).hash(), homes)
}

/// The homes of the lowest keys, in words.
pub(super) fn homes_of_keys<K: Key>(homes: u32) -> String {
    let home = |key: u64| home_of::<K>(homes, key);
    (1..=12).map(|key| format!("{key} in {}", home(key))).collect::<Vec<_>>().join(", ")
}

/// Runs a call as kernels do: tried first, then whole.
pub(super) fn run_tried<T: WarpMap, W: SimWarp>(table: T, w: &mut W, call: &Call) -> Ret {
    let Some(key) = UserKey::new(T::Key::from_bits(call.key.into())) else { return Ret::Done };
    let value = T::Value::from_bits(call.value.into());
    let kind = match call.op {
        InsertUnique => Mixed::InsertUnique,
        InsertOrAssign => Mixed::Assign,
        Delete => Mixed::Delete,
        _ => Mixed::Search,
    };
    let said = match table.try_mixed(w, kind, key, value) {
        Some(said) => said,
        None => table.mixed(w, kind, key, value),
    };
    let said = said.tell(w);
    Answer::new(kind, said).map_or(Ret::Done, |answer| match answer {
        Answer::Insert(outcome) => outcome.into(),
        Answer::Assign(outcome) => outcome.into(),
        Answer::Delete(outcome) => outcome.into(),
        Answer::Search(value) => Ret::Value(value.map(|value| value.to_bits() as u64)),
    })
}

/// Runs a call on a table that holds a key once.
pub(super) fn run<T: WarpMap, W: SimWarp>(table: T, w: &mut W, call: &Call) -> Ret {
    let Some(key) = UserKey::new(T::Key::from_bits(call.key.into())) else { return Ret::Done };
    let value = T::Value::from_bits(call.value.into());
    let number = |value: T::Value| value.to_bits() as u64;
    match call.op {
        InsertUnique => table.insert_unique(w, key, value).into(),
        InsertOrAssign => table.insert_or_assign(w, key, value).into(),
        Search => Ret::Value(table.search(w, key).map(number)),
        SearchAll => Ret::Values(table.search(w, key).map(number).into_iter().collect()),
        Delete => table.delete(w, key).into(),
        _ => Ret::Done,
    }
}

/// An entry in words: a key, or a key and its value.
pub(super) fn show<E: Entry>(word: E::Word) -> String {
    let key = E::key(word).to_bits();
    match size_of::<E::Value>() {
        0 => key.to_string(),
        _ => format!("{key}:{}", E::value(word).to_bits()),
    }
}

/// So many of a thing, in words.
pub(super) fn plural(number: usize, one: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {one}s"),
    }
}

/// Where programs meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) name: &'static str,
    /// Lanes, words per lane.
    pub(super) shape: (u32, u32),
    /// Groups of a neighbourhood; 0 where there is none.
    pub(super) reach: u32,
    pub(super) homes: u32,
    /// What is inserted before, in this order.
    pub(super) preload: &'static [Name],
    /// What is deleted of it, then.
    pub(super) gone: &'static [Name],
    /// The keys that programs may name.
    pub(super) keys: &'static [Name],
}

impl Place {
    /// The keys that programs may name, at most `most` of them.
    pub(super) fn keys(self, structure: impl Homed, most: usize) -> Keys {
        let keys = self.keys.iter().map(|&name| structure.key(self.homes, name));
        Keys { fixed: keys.collect(), free: Vec::new(), most }
    }

    /// A scenario of these programs here.
    pub(super) fn scenario(self, structure: impl Homed, programs: &Programs) -> Scenario {
        let (lanes, slots) = self.shape;
        let key = |&name: &Name| structure.key(self.homes, name);
        let called = |(op, called): &Step| {
            let name = self.keys.iter().find(|name| key(name) == *called);
            name.map_or(format!("{op}@{called}"), |(home, number)| format!("{op}@{home}.{number}"))
        };
        let config = Config { lanes, slots, buckets: self.homes, reach: self.reach, ..Config::default() };
        let names = (structure.name(), self.name);
        let mut scenario = form::scenario(names, config, programs, called, structure.has_values());
        let before =
            |op, names: &[Name]| names.iter().map(|name| Call::new(op, key(name), 0)).collect::<Vec<_>>();
        scenario.preload = [before(InsertUnique, self.preload), before(Delete, self.gone)].concat();
        let keys: BTreeSet<u64> = self.preload.iter().chain(self.keys).map(key).collect();
        scenario.finally = keys.into_iter().map(|key| Call::new(Search, key, 0)).collect();
        scenario.allows.full = true;
        scenario
    }
}
