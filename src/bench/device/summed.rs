//! Sums: `insert_or_add` of keys that occur once, and of keys that occur often.

use super::calls::{Calls, Codes, Done, Entries, Measured, Stream, Word};
use super::{Bench, Found};
use crate::bench::keys::keys;
use crate::bench::row::{Fallible, Row, SUMMED};
use rayon::prelude::*;
use warpproof::model::Seed;
use warpproof::model::outcome::Add;

/// Adds pairs to a map.
pub(crate) type Sum<T, K> = fn(&T, &Stream, &Entries<K>, &mut Codes) -> Done;

/// The number of a key for each operation.
type Draw = fn(u32, u32) -> u32;

/// What keys the operations of the rows [`SUMMED`] have.
const DRAWS: [Draw; 4] =
    [|at, _| at, |at, n| (unit(at) * f64::from(n)) as u32, skewed, |at, n| at % n.min(100)];

/// A number from 0 to 1 for an operation.
fn unit(at: u32) -> f64 {
    (Seed::new(5).hash(at.into()).bits() >> 11) as f64 / (1u64 << 53) as f64
}

/// A key by Zipf's law with exponent 0.99, of `n`: the inverse of the integral of its density.
fn skewed(at: u32, n: u32) -> u32 {
    let whole = f64::from(n).powf(0.01) - 1.0;
    ((unit(at) * whole + 1.0).powf(100.0) as u32).min(n) - 1
}

impl Bench<'_> {
    /// As many sums of ones as the table has entries, to an empty table.
    pub(crate) fn summed<T: Measured, K: Word, F: Found>(
        &self,
        table: &mut T,
        calls: &Calls<T, K, F>,
        sum: Sum<T, K>,
        _: &Entries<K>,
        rows: &mut Vec<Row>,
    ) -> Fallible<()> {
        if !self.measures(&SUMMED) {
            return Ok(());
        }
        let (n, timed, stream) = (self.size, &self.timed, &self.timed.stream);
        let (all, mut said) = (keys::<K>(0, n), Vec::new());
        let searched = stream.clone_htod(&all)?;
        for (name, draw) in SUMMED.into_iter().zip(DRAWS).filter(|(name, _)| self.measures(&[*name])) {
            let numbers: Vec<u32> = (0..n).into_par_iter().map(|at| draw(at, n)).collect();
            let mut counts = vec![0u32; n as usize];
            numbers.iter().for_each(|&number| counts[number as usize] += 1);
            let distinct = counts.iter().filter(|&&count| count > 0).count();
            let of_count = |&count: &u32| (calls.found)((count > 0).then(|| K::from(count)));
            let right: Vec<F> = counts.par_iter().map(of_count).collect();
            let drawn = numbers.par_iter().map(|&number| all[number as usize]).collect();
            let entries = Entries::new(stream, drawn, vec![K::from(1); n as usize])?;
            let mut series = self.series(name, n as usize);
            for round in 0..=self.rounds {
                (calls.clear)(table, stream)?;
                let mut codes = timed.poisoned(n as usize)?;
                let took = timed.time(|| sum(table, stream, &entries, &mut codes))?;
                let codes = stream.clone_dtoh(&codes)?;
                let told =
                    |which| codes.par_iter().filter(|&&code| Add::from_code(code) == Some(which)).count();
                let told = told(Add::Inserted) == distinct && told(Add::Added) == n as usize - distinct;
                let mut found = timed.poisoned(n as usize)?;
                (calls.search)(table, stream, &searched, &mut found)?;
                series.add(round, took, told && timed.read(&found.as_view(), &mut said)? == right);
            }
            self.report([series], rows);
        }
        Ok(())
    }
}
