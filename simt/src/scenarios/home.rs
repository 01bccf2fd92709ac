//! Tables in which every key has a home: their keys by name, and how their calls are run and shown.

use super::entry::Entries;
use super::entry::Entry;
use super::table::Name;
use crate::check::SimWarp;
use warpproof_model::host::Answer;
use warpproof_model::outcome::Op as Mixed;
use warpproof_model::spec::Op::{Delete, InsertOrAssign, InsertUnique, Search, SearchAll};
use warpproof_model::spec::{Call, Ret};
use warpproof_model::{Key, Seed, UserKey, WarpMap, Word};

/// The seed of all tables that are explored, so that a scenario has the same keys each time. Scenarios of
/// slabs name keys by number: in a table of two buckets, 1, 2, 4 and 6 are in the first one, 3, 5 and 9 in
/// the second, of u32 keys; of both widths 1 and 6 are in the first one, 5 and 9 in the second.
pub(super) const SEED: Seed = Seed::new(0x0603_18b6_0603_18b6);

/// The key with this number among those of a home.
pub(super) fn key(entries: Entries, homes: u32, (home, number): Name) -> u64 {
    let home_of = entries.by_keys::<fn(u32, u64) -> u32>(home_of::<u32>, home_of::<u64>);
    (1..).filter(|key| home_of(homes, *key) == home).nth(number).unwrap_or(u64::MAX)
}

/// The home of a key in a table of so many.
pub(super) fn home_of<K: Key>(homes: u32, key: u64) -> u32 {
    K::from_bits(key.into()).hash(SEED).digit(homes)
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

/// How entries are written, in words.
pub(super) fn entries<E: Entry>() -> &'static str {
    match size_of::<E::Value>() {
        0 => "a slot holds a key",
        _ => "5:10 in a slot is key 5 with value 10",
    }
}

/// So many of a thing, in words.
pub(super) fn plural(number: usize, one: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {one}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_scenarios_name_by_number_have_the_homes_that_those_say() {
        let homes = |keys: &[u64], home| keys.iter().all(|&key| home_of::<u32>(2, key) == home);
        assert!(homes(&[1, 2, 4, 6], 0) && homes(&[3, 5, 9], 1), "{}", homes_of_keys::<u32>(2));
        assert_eq!([1, 6, 5, 9].map(|key| home_of::<u64>(2, key)), [0, 0, 1, 1]);
    }
}
