//! The rows of the right file, grouped by key.
//!
//! A multimap with `search_all` would be enough for keys that seldom repeat. But one hot key would make its
//! chain as long as the file, and each insert of it would walk that chain: quadratic time. So a *unique*
//! insert maps each distinct key to one of its rows, its *leader*. Then every row looks up its leader, the
//! rows are counted per leader, and a prefix sum gives each leader its range in one array of rows. All steps
//! are linear, whatever the keys are.

use crate::backend::Opened;
use crate::failure::Failure;
use crate::output::Progress;
use crate::paging::Paging;
use crate::registry::{PAGED, SLAB};
use warpproof::any::Map;
use warpproof::{BulkMap, Insert};

/// Rows per bulk call.
const BATCH: usize = 1 << 20;

/// The leader of a key that does not occur.
const NONE: u32 = u32::MAX;

/// Rows by key.
pub(crate) struct Index {
    leaders: Leaders,
    /// The rows of leader `l` are `order[starts[l]..starts[l + 1]]`.
    starts: Vec<u32>,
    order: Vec<u32>,
}

/// The leader of each key.
struct Leaders(Map<u64, u64>);

/// The rows that match each row of a batch.
pub(crate) struct Matched<'a> {
    index: &'a Index,
    leaders: Vec<u32>,
}

impl Index {
    /// Groups the rows of a file by their keys, in a table with this seed: a paged one if there is a budget.
    pub(crate) fn build(
        on: &Opened,
        keys: &[i64],
        (seed, budget): (Option<u64>, Option<u64>),
    ) -> Result<Self, Failure> {
        if keys.len() >= NONE as usize {
            return Err(Failure::input(format_args!("{} rows: a join can have at most {NONE}", keys.len())));
        }
        let rows = keys.len() as u64;
        let structure = if budget.is_some() { &PAGED } else { &SLAB };
        let room = structure.capacity.room(rows, rows, structure.loads.default);
        let map = structure.map64(on, room.with_seed(seed).with_budget(budget))?;
        let mut leaders = Leaders(map);
        leaders.fill(keys)?;

        let mut progress = Progress::new("grouping", rows);
        let mut groups = Vec::with_capacity(keys.len());
        for batch in keys.chunks(BATCH) {
            groups.extend(leaders.of(batch)?);
            progress.at(groups.len() as u64);
            progress.say(|| Some(leaders.paging()?.copied()));
        }
        let (starts, order) = csr(&groups)?;
        Ok(Self { leaders, starts, order })
    }

    /// The statistics of copies, if the table is paged.
    pub(crate) fn paging(&self) -> Option<Paging> {
        self.leaders.paging()
    }

    /// The rows that match each of `keys`, in the order of the file.
    pub(crate) fn matching(&self, keys: &[i64]) -> Result<Matched<'_>, Failure> {
        Ok(Matched { index: self, leaders: self.leaders.of(keys)? })
    }
}

impl Matched<'_> {
    /// The rows that match key `i` of the batch.
    pub(crate) fn of(&self, i: usize) -> &[u32] {
        match self.leaders.get(i) {
            Some(&leader) if leader != NONE => {
                let from = self.index.starts[leader as usize] as usize;
                let to = self.index.starts[leader as usize + 1] as usize;
                &self.index.order[from..to]
            }
            _ => &[],
        }
    }
}

impl Leaders {
    fn fill(&mut self, keys: &[i64]) -> Result<(), Failure> {
        let mut progress = Progress::new("inserting", keys.len() as u64);
        for (batch, keys) in keys.chunks(BATCH).enumerate() {
            let base = (batch * BATCH) as u64;
            let rows: Vec<u64> = (base..).take(keys.len()).collect();
            let done = self.0.insert_unique(&codes(keys), &rows).map_err(Failure::backend)?;
            if done.contains(&Insert::Full) {
                return Err(Failure::input("the table is full"));
            }
            progress.at(base + keys.len() as u64);
            progress.say(|| Some(self.paging()?.copied()));
        }
        Ok(())
    }

    fn paging(&self) -> Option<Paging> {
        Paging::of(&self.0)
    }

    /// The leader of each key, or [`NONE`].
    fn of(&self, keys: &[i64]) -> Result<Vec<u32>, Failure> {
        let found = self.0.search(&codes(keys)).map_err(Failure::backend)?;
        // A leader is the number of a row, which fits 32 bits.
        Ok(found.into_iter().map(|row| row.map_or(NONE, |row| row as u32)).collect())
    }
}

/// Integers as keys of a table, by their bits.
fn codes(keys: &[i64]) -> Vec<u64> {
    keys.iter().map(|key| key.cast_unsigned()).collect()
}

/// The rows ordered by group, within a group in file order: where each group begins, and the rows.
fn csr(groups: &[u32]) -> Result<(Vec<u32>, Vec<u32>), Failure> {
    let lost = || Failure::Violation("a key that was inserted is not found".into());
    let mut starts = vec![0u32; groups.len() + 1];
    for &group in groups {
        *starts.get_mut(group as usize + 1).ok_or_else(lost)? += 1;
    }
    for i in 1..starts.len() {
        starts[i] += starts[i - 1];
    }
    let mut next = starts.clone();
    let mut order = vec![0; groups.len()];
    for (row, &group) in groups.iter().enumerate() {
        let place = &mut next[group as usize];
        order[*place as usize] = row as u32;
        *place += 1;
    }
    Ok((starts, order))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_group_stay_in_file_order() {
        let (starts, order) = csr(&[3, 1, 3, 1, 4, 3]).unwrap();
        assert_eq!(starts, [0, 0, 2, 2, 5, 6, 6]);
        assert_eq!(order, [1, 3, 0, 2, 5, 4]);
        assert!(csr(&[NONE]).is_err());
    }

    #[test]
    fn all_integers_match() {
        let keys = [i64::MIN, 5, i64::MAX, i64::MIN, 5, -5, -1, -2];
        for budget in [None, Some(0), Some(1 << 20)] {
            all_match(&Index::build(&Opened::Cpu, &keys, (None, budget)).unwrap());
        }
    }

    fn all_match(index: &Index) {
        let sought = [5, i64::MIN, 6, i64::MAX, i64::MAX - 1, -1, -2, -3];
        let matched = index.matching(&sought).unwrap();
        assert_eq!(matched.of(0), &[1u32, 4][..]);
        assert_eq!(matched.of(1), &[0u32, 3][..]);
        assert!(matched.of(2).is_empty());
        assert_eq!(matched.of(3), &[2u32][..]);
        assert!(matched.of(4).is_empty());
        assert_eq!([5, 6].map(|row| matched.of(row).to_vec()), [vec![6u32], vec![7]]);
        assert!(matched.of(7).is_empty());
        assert!(matched.of(8).is_empty());
    }
}
