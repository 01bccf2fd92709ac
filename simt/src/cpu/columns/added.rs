//! Values of equal keys are added up before they go to a table, where many pairs of a batch have few keys.

use super::combine::Job;
use super::fold::Fold;
use super::progress::Progress;
use super::room::room;
use crate::cpu::error::Error;
use crate::cpu::words::ask_for;
use core::marker::PhantomData;
use rayon::prelude::*;
use warpproof_model::bits::{TableKey, TableValue};
use warpproof_model::outcome::Add;
use warpproof_model::{Seed, Word};

/// The least pairs of a batch for which a sample is taken.
const LEAST: usize = 1 << 17;

/// Adds pairs to a table by `insert`, which takes keys and values, and returns the outcome of each pair. If a
/// sample says that keys repeat, `insert` gets each key once, with the sum of its values: the threads then
/// do not wait for each other at the entries of these keys.
///
/// Adding up takes memory for up to 30 bytes and a value for each pair. If there is none, `insert` gets the
/// pairs as they are. The outcomes of the pairs follow from those of the keys: the first pair of a key has
/// that of its key, and the others were added to it, unless there was no room.
///
/// # Errors
/// Those of `insert`.
pub(in crate::cpu) fn insert_or_add<K: TableKey, W: Word, V: TableValue<W>>(
    keys: &[K],
    values: &[V],
    insert: impl Fn(&[K], &[V]) -> Result<Vec<Add>, Error>,
) -> Result<Vec<Add>, Error> {
    let Some((added, mut outcomes)) = Added::new(keys, values) else { return insert(keys, values) };
    let said = insert(&added.keys, &added.sums)?;
    // From here on nothing is allocated: the pairs are in the table.
    outcomes.resize(keys.len(), Add::Added);
    for (&row, &said) in added.first.iter().zip(&said) {
        outcomes[row as usize] = said;
    }
    let (mut full, mut said) = (added.keys, said.into_iter());
    full.retain(|_| said.next() == Some(Add::Full));
    if !full.is_empty() {
        let bits = |key: &K| key.to_word().to_bits();
        full.sort_unstable_by_key(bits);
        outcomes.par_iter_mut().zip(keys).for_each(|(outcome, key)| {
            if full.binary_search_by_key(&bits(key), bits).is_ok() {
                *outcome = Add::Full;
            }
        });
    }
    Ok(outcomes)
}

/// The distinct keys of a batch, with the sums of their values.
struct Added<K, V> {
    keys: Vec<K>,
    sums: Vec<V>,
    /// The first pair of each key, in no order.
    first: Vec<u32>,
}

/// Sums modulo two to the bits of a word.
struct Sums<'a, W, V> {
    values: &'a [V],
    word: PhantomData<fn() -> W>,
}

impl<W: Word, V: TableValue<W>> Fold for Sums<'_, W, V> {
    type State = V;

    fn first(&self, row: u32) -> V {
        self.values[row as usize]
    }
    fn add(&self, state: &mut V, row: u32) {
        self.merge(state, self.values[row as usize]);
    }
    fn merge(&self, state: &mut V, other: V) {
        let [one, other] = [*state, other].map(|value| value.to_word().to_bits());
        *state = V::from_word(W::from_bits(one.wrapping_add(other)));
    }
    #[inline(always)]
    fn prefetch(&self, row: u32) {
        ask_for(self.values, row as usize);
    }
}

impl<K: TableKey, V> Added<K, V> {
    /// And memory for the outcomes. `None` if keys seldom repeat, or if there is no memory.
    fn new<W: Word>(keys: &[K], values: &[V]) -> Option<(Self, Vec<Add>)>
    where
        V: TableValue<W>,
    {
        if keys.len() < LEAST || u32::try_from(keys.len()).is_err() {
            return None;
        }
        let (fold, progress) = (Sums { values, word: PhantomData }, Progress::new());
        let job = Job { keys, fold: &fold, numbered: false, progress: &progress, seed: Seed::random() };
        if !job.repeats().ok()? {
            return None;
        }
        let groups = job.unordered().ok()?;
        let len = groups.iter().map(|found| found.first.len()).sum();
        let (mut first, mut sums, mut distinct) = (room(len).ok()?, room(len).ok()?, room(len).ok()?);
        for found in groups {
            first.extend(found.first);
            sums.extend(found.states);
        }
        // Indexed, so it writes to the room that there is.
        distinct.par_extend(first.par_iter().map(|&row: &u32| keys[row as usize]));
        let outcomes = room(keys.len()).ok()?;
        Some((Self { keys: distinct, sums, first }, outcomes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::collections::{HashMap, HashSet};

    /// Adds pairs, and returns their outcomes and how many `insert` got.
    fn added(keys: &[u64], full: u64) -> (Vec<Add>, usize) {
        let values: Vec<i32> = (0..keys.len() as i32).map(|i| i - 5).collect();
        let (got, mut expected) = (Cell::new(0), HashMap::<u64, i32>::new());
        for (&key, &value) in keys.iter().zip(&values) {
            let sum = expected.entry(key).or_default();
            *sum = sum.wrapping_add(value);
        }
        let outcomes = insert_or_add::<_, u32, _>(keys, &values, |some, sums| {
            got.set(some.len());
            for (key, &sum) in some.iter().zip(sums) {
                assert!(some.len() == keys.len() || sum == expected[key], "key {key}");
            }
            let said = |key: &u64| if *key == full { Add::Full } else { Add::Inserted };
            Ok(some.iter().map(said).collect())
        });
        (outcomes.expect("memory"), got.get())
    }

    #[test]
    fn keys_that_repeat_are_added_up_and_others_are_not() {
        let few: Vec<u64> = (0..LEAST as u64).map(|i| i * i % 13).collect();
        // More keys than a chunk combines.
        let many: Vec<u64> =
            (0..4 * LEAST as u64).map(|i| if i % 8 == 0 { i / 8 % 40_000 } else { i * i % 9973 }).collect();
        for keys in [&few, &many] {
            let (outcomes, got) = added(keys, 3);
            let mut seen = HashSet::new();
            assert_eq!(got, keys.iter().collect::<HashSet<_>>().len());
            for (key, outcome) in keys.iter().zip(outcomes) {
                let first = seen.insert(*key);
                let expected = if *key == 3 { Add::Full } else { Add::Added };
                assert_eq!(outcome, if first && *key != 3 { Add::Inserted } else { expected }, "key {key}");
            }
        }
        let short = &few[..LEAST - 1];
        assert_eq!(added(&short[..1000], 3).1, 1000, "a short batch goes as it is");
        let distinct: Vec<u64> = (0..LEAST as u64).collect();
        let inserted = insert_or_add::<_, u64, u64>(&distinct, &distinct, |keys, values| {
            assert!(keys == distinct && values == distinct);
            Ok(vec![Add::Inserted; keys.len()])
        });
        assert_eq!(inserted.map(|outcomes| outcomes.len()), Ok(LEAST));
    }
}
