//! The sets of scenarios.

use super::subject::{STRUCTURE, TOLD};
use crate::check::{Config, Scenario};
use crate::scenarios::home::home_of;
use warpproof_model::Key;
use warpproof_model::spec::{Call, Op};

/// A table and the way of a batch through its bins.
#[derive(Clone, Copy)]
struct Shape {
    slots: u32,
    buckets: u32,
    levels: u32,
    /// Words that a bin has room for.
    room: u32,
    /// Binary logarithm of the buckets of a bin of the last level.
    last: u32,
    /// Whether each operation reports its outcome.
    told: bool,
}

/// Every batch of up to two keys of two homes, by one warp and by two, into tables with and without entries.
/// Larger batches, also with full homes, bins that are too small, and full tables; one level and two.
pub fn default_set() -> Vec<Scenario> {
    let mut scenarios = [false, true].map(of).concat();
    scenarios.sort_by(|a, b| a.name.cmp(&b.name));
    scenarios.dedup_by(|a, b| a.name == b.name);
    // A key is inserted into a bucket that already has an entry and is not the first of its bin.
    scenarios.extend([false, true].map(|told| scenario(Shape { told, ..OF_2_SLOTS }, 2, "p", "q")));
    // More operations are lost than blocks of one warp have lanes: each lane takes its share.
    scenarios.extend([false, true].map(|told| scenario(Shape { told, room: 1, ..ONE }, 1, "", "abc")));
    scenarios
}

/// The scenarios of [`default_set`] in which operations report their outcomes, or do not.
fn of(told: bool) -> Vec<Scenario> {
    let (one, two_levels) = (Shape { told, ..ONE }, Shape { told, ..TWO_LEVELS });
    let mut scenarios = Vec::new();
    for shape in [one, Shape { slots: 1, buckets: 3, ..one }, two_levels] {
        for batch in words(&["a", "b", "p"], 2) {
            for before in ["", "a", "abp"] {
                scenarios.push(scenario(shape, 2, before, &batch));
            }
            scenarios.push(scenario(shape, 1, "a", &batch));
        }
        for batch in LARGER {
            scenarios.push(scenario(shape, 2, "", batch));
        }
        // With more keys than slots, inserted twice, there are too many executions at two levels. One table
        // shows the outcomes that they report.
        if shape.levels == 1 && (!told || shape.buckets == ONE.buckets) {
            scenarios.push(scenario(shape, 2, "", "abcd"));
        }
    }
    for (shape, before, batch) in SEVERAL {
        scenarios.push(scenario(Shape { told, ..shape }, 2, before, batch));
    }
    for room in [1, 2] {
        for batch in ["aa", "aab", "abp", "abc"] {
            scenarios.push(scenario(Shape { room, ..one }, 2, "", batch));
            scenarios.push(scenario(Shape { room, ..two_levels }, 2, "", batch));
        }
    }
    // The two keys that no slot holds, once and twice, in blocks of one warp and of two.
    for batch in ["ax", "xy", "axx", "ayxy"] {
        scenarios.extend([1, 2].map(|warps| scenario(one, warps, "b", batch)));
    }
    scenarios.push(scenario(two_levels, 2, "", "ayxy"));
    // One key finds no room in its bin, and one of the others none in the table.
    scenarios.push(scenario(Shape { slots: 1, buckets: 3, room: 2, ..one }, 2, "ap", "bcd"));
    scenarios
}

/// Two buckets of two slots, and one level.
const ONE: Shape = Shape { slots: 2, buckets: 2, levels: 1, room: 4, last: 0, told: false };
/// Three buckets: a bin of the first level is two of them.
const TWO_LEVELS: Shape = Shape { slots: 1, buckets: 3, levels: 2, room: 4, last: 0, told: false };
/// Three buckets of one slot: one bin of two buckets, and one bin of which one bucket is beyond the table.
const BINS_OF_2: Shape = Shape { slots: 1, buckets: 3, levels: 1, room: 8, last: 1, told: false };
/// The table of [`BINS_OF_2`], in one bin.
const BINS_OF_4: Shape = Shape { last: 2, ..BINS_OF_2 };
/// Two buckets of two slots in one bin.
const OF_2_SLOTS: Shape = Shape { slots: 2, buckets: 2, ..BINS_OF_2 };
/// The contents of such tables, and the batch.
const SEVERAL: [(Shape, &str, &str); 10] = [
    (BINS_OF_2, "", "abb"),
    (BINS_OF_2, "a", "ab"),
    (BINS_OF_2, "", "app"),
    (BINS_OF_4, "", "abc"),
    (BINS_OF_4, "ap", "bb"),
    (OF_2_SLOTS, "", "aabb"),
    (OF_2_SLOTS, "ab", "ccd"),
    (OF_2_SLOTS, "p", "abcc"),
    (OF_2_SLOTS, "abc", "cdd"),
    // The key that occurs twice shares a word of places with a key of the next bucket.
    (Shape { slots: 3, ..OF_2_SLOTS }, "", "abap"),
];
/// Batches of more keys.
const LARGER: [&str; 5] = ["aab", "aba", "abc", "app", "aabp"];

/// Everything else: three warps, and tables that have entries and too small bins.
pub fn deep() -> Vec<Scenario> {
    let mut scenarios = Vec::new();
    for one in [ONE, Shape { told: true, ..ONE }] {
        for batch in ["abc", "aab", "abp", "aabp"] {
            scenarios.extend(["", "ap"].map(|before| scenario(one, 3, before, batch)));
            scenarios.extend([1, 2].map(|room| scenario(Shape { room, ..one }, 2, "ap", batch)));
        }
    }
    scenarios
}

/// A random scenario: any of the tables above with another room in its bins, one to three warps, keys that
/// are there and a batch of up to four.
pub(in crate::scenarios) fn random(below: &mut dyn FnMut(u32) -> u32) -> Scenario {
    let shapes = [ONE, TWO_LEVELS, BINS_OF_2, BINS_OF_4, OF_2_SLOTS];
    let shape = shapes[below(shapes.len() as u32) as usize];
    let shape = Shape { room: [shape.room, 1, 2][below(3) as usize], told: below(2) == 1, ..shape };
    let before = ["", "a", "ap", "abp"][below(4) as usize];
    let batch: String = (0..below(5)).map(|_| ['a', 'b', 'c', 'p'][below(4) as usize]).collect();
    scenario(shape, 1 + below(3) as usize, before, &batch)
}

/// All words of up to `most` of these letters.
fn words(letters: &[&str], most: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut from = 0;
    for _ in 0..most {
        let end = all.len();
        for at in from..end {
            all.extend(letters.iter().map(|letter| format!("{}{letter}", all[at])).collect::<Vec<_>>());
        }
        from = end;
    }
    all
}

/// A batch of the keys with these letters: `a` to `d` have the first home, `p` to `s` the last one; `x` and
/// `y` are reserved.
fn scenario(shape: Shape, warps: usize, before: &str, batch: &str) -> Scenario {
    let Shape { slots, buckets, levels, room, last, told } = shape;
    let structure = if told { TOLD } else { STRUCTURE };
    let key = |letter: char| {
        if letter >= 'x' {
            return u32::FIRST_RESERVED + (letter as u32 - 'x' as u32);
        }
        let (home, first) = if letter < 'p' { (0, 'a') } else { (buckets - 1, 'p') };
        let number = (letter as usize) - (first as usize);
        let key = (1..).filter(|&key| home_of::<u32>(buckets, key) == home).nth(number);
        key.unwrap_or(u64::MAX) as u32
    };
    let mut bitmap = vec![last, before.len() as u32];
    bitmap.extend(before.chars().chain(batch.chars()).map(key));
    let config = Config { lanes: 1, slots, buckets, pool: room, reach: levels, bitmap, ..Config::default() };
    let bins = if last == 0 { String::new() } else { format!("_bins_of_{}", 1 << last) };
    let name = format!(
        "{structure}/{warps}_warps_{levels}_levels_of_{buckets}x{slots}_room_{room}{bins}/{}_then_{}",
        if before.is_empty() { "none" } else { before },
        if batch.is_empty() { "none" } else { batch }
    );
    Scenario::new(name, structure, config, vec![vec![Call::new(Op::SearchAll, 0, 0)]; warps])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_all_of_a_length() {
        assert_eq!(words(&["a", "b"], 2), ["", "a", "b", "aa", "ab", "ba", "bb"]);
    }
}
