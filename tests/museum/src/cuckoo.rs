//! The homes of keys in cuckoo tables of three slots.

use crate::exhibit::Repair;
use warpproof_model::open::{DoubleHashing, Probing};
use warpproof_model::{Key, Seed};
use warpproof_simt::check::{Config, Scenario};
use warpproof_simt::engine::{Engine, Options};

/// Slots of a table.
pub(crate) const SLOTS: usize = 3;

/// The two homes of a key: those that it has in our cuckoo table.
pub(crate) fn homes(key: u64) -> [usize; 2] {
    let (hash, slots) = ((key as u32).hash(Seed::new(1)), SLOTS as u32);
    let first = hash.digit(slots);
    [first as usize, ((first + DoubleHashing::stride(hash.low(), slots)) % slots) as usize]
}

/// The home of a key that is not this one.
pub(crate) fn other_home(key: u64, at: usize) -> usize {
    let [first, second] = homes(key);
    if at == first { second } else { first }
}

/// The lowest keys with these homes.
pub(crate) fn keys<const N: usize>(first: usize, second: usize) -> [u64; N] {
    let mut with_these = (1..).filter(|&key| homes(key) == [first, second]);
    std::array::from_fn(|_| with_these.next().unwrap_or(u64::MAX))
}

/// Our cuckoo table under these calls.
pub(crate) fn ours() -> Repair {
    let run = |engine: &dyn Engine, scenario: &Scenario, options: &Options| {
        let mut scenario = Scenario { structure: "cuckoo_map32".to_string(), ..scenario.clone() };
        scenario.config = Config { lanes: 1, slots: 1, buckets: SLOTS as u32, ..Config::default() };
        engine.explore(&scenario, options)
    };
    Repair { what: "our cuckoo table", run: Box::new(run), small: false }
}
