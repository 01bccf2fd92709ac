//! Values of equal keys are added up before they go to a table, where many pairs of a batch have few keys.

use super::combine::{Grouped, Job};
use super::fold::Fold;
use super::progress::Progress;
use super::room::room;
use crate::cpu::error::Error;
use core::marker::PhantomData;
use rayon::prelude::*;
use warpproof_model::bits::{TableKey, TableValue};
use warpproof_model::outcome::Add;
use warpproof_model::{Seed, Word};

/// The least pairs of a batch for which a sample is taken.
const LEAST: usize = 1 << 18;

/// Adds pairs to a table by `insert`, which takes keys and values, and returns the outcome of each pair. If a
/// sample says that keys repeat, `insert` gets each key once, with the sum of its values: the threads then
/// do not wait for each other at the entries of these keys.
///
/// Adding up takes memory for up to 30 bytes and a value for each pair. If there is none, `insert` gets the
/// pairs as they are.
///
/// # Errors
/// Those of `insert`; [`Error::OutOfMemory`], and then nothing was added.
pub(in crate::cpu) fn insert_or_add<K: TableKey, W: Word, V: TableValue<W>>(
    keys: &[K],
    values: &[V],
    insert: impl Fn(&[K], &[V]) -> Result<Vec<Add>, Error>,
) -> Result<Vec<Add>, Error> {
    match Added::new(keys, values) {
        Some(added) => {
            let mut outcomes = room(keys.len())?;
            added.outcomes(&insert(&added.keys, &added.sums)?, &mut outcomes);
            Ok(outcomes)
        }
        None => insert(keys, values),
    }
}

/// The distinct keys of a batch, with the sums of their values.
struct Added<K, V> {
    keys: Vec<K>,
    sums: Vec<V>,
    /// The first pair of each key.
    first: Vec<u32>,
    /// The number of its distinct key for each pair.
    numbers: Vec<u32>,
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
}

impl<K: TableKey, V> Added<K, V> {
    /// `None` if keys seldom repeat, or if there is no memory.
    fn new<W: Word>(keys: &[K], values: &[V]) -> Option<Self>
    where
        V: TableValue<W>,
    {
        if keys.len() < LEAST || u32::try_from(keys.len()).is_err() {
            return None;
        }
        let (fold, progress) = (Sums { values, word: PhantomData }, Progress::new());
        let job = Job { keys, fold: &fold, numbered: true, progress: &progress, seed: Seed::random() };
        if !job.repeats().ok()? {
            return None;
        }
        let Grouped { first, states, numbers } = job.run().ok()?;
        let mut distinct = room(first.len()).ok()?;
        distinct.extend(first.iter().map(|&row| keys[row as usize]));
        Some(Self { keys: distinct, sums: states, first, numbers })
    }

    /// Writes the outcomes of all pairs, from those of the distinct keys: the first pair of a key has that of
    /// its key, and the others were added to it, unless there was no room.
    fn outcomes(&self, said: &[Add], all: &mut Vec<Add>) {
        let first = &self.first;
        let outcome = |(row, &number): (usize, &u32)| match said[number as usize] {
            Add::Inserted if first[number as usize] != row as u32 => Add::Added,
            said => said,
        };
        self.numbers.par_iter().enumerate().map(outcome).collect_into_vec(all);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Adds pairs, and returns their outcomes and how many `insert` got.
    fn added(keys: &[u64], full: u64) -> (Vec<Add>, usize) {
        let values: Vec<i32> = (0..keys.len() as i32).map(|i| i - 5).collect();
        let got = Cell::new(0);
        let outcomes = insert_or_add::<_, u32, _>(keys, &values, |some, sums| {
            got.set(some.len());
            for (&key, &sum) in some.iter().zip(sums) {
                let own = keys.iter().zip(&values).filter(|(own, _)| **own == key);
                let expected = own.fold(0i32, |sum, (_, value)| sum.wrapping_add(*value));
                assert!(some.len() == keys.len() || sum == expected, "key {key}");
            }
            let said = |key: &u64| if *key == full { Add::Full } else { Add::Inserted };
            Ok(some.iter().map(said).collect())
        });
        (outcomes.expect("memory"), got.get())
    }

    #[test]
    fn keys_that_repeat_are_added_up_and_others_are_not() {
        let few: Vec<u64> = (0..LEAST as u64).map(|i| i * i % 13).collect();
        let (outcomes, got) = added(&few, 3);
        let mut seen = std::collections::HashSet::new();
        assert_eq!(got, few.iter().collect::<std::collections::HashSet<_>>().len());
        for (key, outcome) in few.iter().zip(outcomes) {
            let first = seen.insert(*key);
            let expected = if *key == 3 { Add::Full } else { Add::Added };
            assert_eq!(outcome, if first && *key != 3 { Add::Inserted } else { expected }, "key {key}");
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
