//! Scenarios of real widths, too large to explore, for an engine that samples: three to eight warps with two
//! to four calls each.

use super::dice::Dice;
use super::table::{Name, Table};
use crate::check::{Config, Scenario};
use warpproof_model::spec::{Call, Op};

/// A call by the name of its key.
pub(super) type Named = (Op, Name);

/// The calls that make a place, where a slab holds so many pairs and programs name these keys.
pub(super) type Calls = fn(usize, &[Name]) -> Vec<Named>;

/// Where programs of real width meet.
pub(super) struct Wide {
    pub(super) name: &'static str,
    /// The size of its table, without the lanes and the words that each reads.
    pub(super) config: fn() -> Config,
    pub(super) preload: Calls,
    /// Whether there may be no room.
    pub(super) full: bool,
}

/// Every table in every place at every width: lanes, and words that each reads. Programs name the first of
/// `keys`, at least all but two of them.
pub(super) fn wide(tables: &[Table], sizes: &[(u32, u32)], places: &[Wide], keys: &[Name]) -> Vec<Scenario> {
    let mut scenarios = Vec::new();
    for table in tables {
        for &size in sizes {
            for place in places {
                scenarios.push(scenario(table, size, place, keys, scenarios.len()));
            }
        }
    }
    scenarios
}

/// Scenario number `number`, which decides how many warps, calls and keys there are, and which operations
/// meet.
fn scenario(
    table: &Table,
    (lanes, slots): (u32, u32),
    place: &Wide,
    keys: &[Name],
    number: usize,
) -> Scenario {
    let mut dice = Dice::new(number);
    // Histories of a key with many pairs are long to judge.
    let (most_warps, most_calls) = if table.multi { (5, 3) } else { (8, 4) };
    let (warps, calls) = (3 + number % (most_warps - 2), 2 + dice.roll(most_calls - 1));
    let names = &keys[..keys.len() - 2 + dice.roll(3)];
    let config = Config { lanes, slots, ..(place.config)() };
    let key = |name| table.key(config.buckets, name);
    let wanted: Vec<u64> = names.iter().copied().map(key).collect();
    let programs = dice.programs((warps, calls), table.ops, &wanted, table.has_values());
    let what = format!("{warps}_warps_of_{calls}_calls_on_{}_keys", wanted.len());
    let name = format!("{}/{what}/{}_{lanes}x{slots}", table.name, place.name);
    let preload = (place.preload)((lanes * slots) as usize - 1, names);
    let preload = preload.into_iter().map(|(op, name)| Call::new(op, key(name), 0)).collect();
    let mut scenario = Scenario::new(name, table.name, config.clone(), programs);
    scenario.preload = preload;
    scenario.finally = wanted.iter().map(|&key| Call::new(table.plan.look, key, 0)).collect();
    scenario.allows.full = place.full;
    scenario
}
