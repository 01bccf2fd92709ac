//! A Bloom filter and a HyperLogLog, for questions that need no table: does a key surely not occur, and how
//! many different keys are there?
//!
//! Calls take `&self` and run in parallel, as those of tables. Keys are those of tables. How the words are
//! shared, and why no insert is lost: [`warpproof_model::sketch`].

mod bloom;
mod hyperloglog;
#[cfg(test)]
mod tests;

pub use bloom::BloomFilter;
pub use hyperloglog::HyperLogLog;

use super::batch::{Batch, Operations};
use super::launch::launch;
use super::warp::{CpuWarp, Own};
use warpproof_model::bits::TableKey;

/// The warps that work on sketches.
type Alone = CpuWarp<1>;

/// Runs an operation on each key, in parallel; `prefetch` is called some keys ahead. Appends the answers to a
/// list that has room for them.
fn run<K: TableKey, T: Send>(
    keys: &[K],
    prefetch: impl Fn(K::Bits) + Sync,
    operation: impl Fn(&mut Alone, K::Bits) -> T + Sync,
    answers: &mut Vec<T>,
) {
    let operations = Operations::new(
        |number| Own(Alone::new(number)),
        |(key, ()): (K, ())| prefetch(key.to_word()),
        |w: &mut Alone, (key, ()): (K, ())| operation(w, key.to_word()),
    );
    launch(Batch { keys, beside: () }, &operations, answers);
}
