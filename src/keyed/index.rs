//! The rows of a file by their keys, found through a table of the library.
//!
//! A multimap with `search_all` would be enough for keys that seldom repeat. But one hot key would make its
//! chain as long as the file, and each insert of it would walk that chain: quadratic time. So a *unique*
//! insert maps each code of a key to one of its rows, its *leader*, and [`RowsByHash`] lists the rows of each
//! leader. All steps are linear, whatever the keys are.

use super::{Rows, TableArgs};
use crate::backend::Opened;
use crate::failure::Failure;
use crate::output::{self, Progress};
use crate::paging::Paging;
use crate::registry::{OPEN, PAGED};
use std::sync::atomic::{AtomicBool, Ordering};
use warpproof::any::Map;
use warpproof::simt::cpu::columns::{Groups, Leaders, Progress as Steps, RowsByHash};
use warpproof::{BulkMap, Insert};

/// Rows per bulk call.
const BATCH: usize = 1 << 20;

/// The leader of a key that does not occur, and the most rows.
const NONE: u32 = u32::MAX;

/// Rows by key.
pub(crate) struct Index(RowsByHash<Codes>);

/// A row for each code of a key, in a table of the library.
struct Codes {
    map: Map<u64, u64>,
    /// Whether each code that is sought was inserted.
    all_there: AtomicBool,
}

impl Index {
    /// The rows of a file by their keys. Takes the codes of the keys out of it.
    pub(crate) fn build(on: &Opened, file: &mut Rows, args: &TableArgs) -> Result<Self, Failure> {
        let codes = file.take_codes();
        if codes.len() >= NONE as usize {
            return Err(Failure::input(format_args!(
                "{} rows: at most {} can be indexed",
                codes.len(),
                NONE - 1
            )));
        }
        let rows = codes.len() as u64;
        let structure = if args.budget.is_some() { &PAGED } else { &OPEN };
        let room = structure.capacity.room(rows, rows, structure.loads.default);
        let map = structure.map64(on, room.with_seed(args.seed).with_budget(args.budget))?;
        let leaders = Codes::fill(map, &codes)?;
        let file = &*file;
        let equal =
            |a: u32, b: u32| file.exact(codes[a as usize]) || file.equal(a as usize, file, b as usize);
        let index = RowsByHash::new(leaders, &codes, equal, &Steps::new())?;
        // Relaxed: no memory depends on it.
        index.leaders().all_there.store(false, Ordering::Relaxed);
        Ok(Self(index))
    }

    /// The number of the key of each row of `left` from `from` on, for [`rows`](Self::rows): as many as
    /// `codes`, which are theirs. `right` is the file of this index.
    pub(crate) fn find(
        &self,
        (left, from, codes): (&Rows, usize, &[u64]),
        right: &Rows,
    ) -> Result<Vec<u32>, Failure> {
        let equal = |i: usize, row: u32| left.exact(codes[i]) || left.equal(from + i, right, row as usize);
        self.0.find(codes, equal, &Steps::new())
    }

    /// The rows of the key with this number, in the order of the file; none of a key that is not there.
    pub(crate) fn rows(&self, number: u32) -> &[u32] {
        self.0.rows(number)
    }

    /// The groups of rows with one key.
    pub(crate) fn groups(&self) -> Result<Groups, Failure> {
        self.0.groups().map_err(Failure::backend)
    }

    /// What is said about a paged table while work goes on.
    pub(crate) fn copied(&self) -> Option<String> {
        Some(Paging::of(&self.0.leaders().map)?.copied())
    }

    /// Tells the statistics of copies on stderr, if the table is paged.
    pub(crate) fn report(&self, args: &TableArgs) {
        if let Some(paging) = Paging::of(&self.0.leaders().map) {
            paging.lines(args.explain).iter().for_each(output::aside);
        }
    }
}

impl Codes {
    fn fill(map: Map<u64, u64>, codes: &[u64]) -> Result<Self, Failure> {
        let mut progress = Progress::new("inserting", codes.len() as u64);
        for (batch, codes) in codes.chunks(BATCH).enumerate() {
            let base = (batch * BATCH) as u64;
            let rows: Vec<u64> = (base..).take(codes.len()).collect();
            let done = map.insert_unique(codes, &rows).map_err(Failure::backend)?;
            if done.contains(&Insert::Full) {
                return Err(Failure::input("the table is full"));
            }
            progress.at(base + codes.len() as u64);
            progress.say(|| Some(Paging::of(&map)?.copied()));
        }
        Ok(Self { map, all_there: AtomicBool::new(true) })
    }
}

impl Leaders for Codes {
    type Error = Failure;

    fn of(&self, codes: &[u64], _: &Steps) -> Result<Vec<u32>, Failure> {
        // A batch of a join has a bar of its own.
        let mut progress = (codes.len() > BATCH).then(|| Progress::new("grouping", codes.len() as u64));
        let mut leaders = Vec::with_capacity(codes.len());
        for codes in codes.chunks(BATCH) {
            let found = self.map.search(codes).map_err(Failure::backend)?;
            // A leader is the number of a row, which fits 32 bits.
            leaders.extend(found.into_iter().map(|row| row.map_or(NONE, |row| row as u32)));
            if let Some(progress) = &mut progress {
                progress.at(leaders.len() as u64);
                progress.say(|| Some(Paging::of(&self.map)?.copied()));
            }
        }
        // Relaxed: as in `build`.
        if self.all_there.load(Ordering::Relaxed) && leaders.contains(&NONE) {
            return Err(Failure::Violation("a key that was inserted is not found".into()));
        }
        Ok(leaders)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Reader;
    use super::super::rows::Head;
    use super::*;
    use crate::parquet::{Columns, kinds};
    use std::collections::BTreeMap;
    use warpproof::files::{Coder, KeyType, Layout, Table};

    fn file(coder: &Coder, cells: &[&str]) -> Rows {
        let layout = Layout { delimiter: b',', keys: vec!["k".into()], coder: coder.clone() };
        let rows: String = cells.iter().map(|cell| format!("{cell},\n")).collect();
        Rows::Text(Table::parse(format!("k,x\n{rows}").into_bytes(), &layout, |_| {}).unwrap())
    }

    /// The rows of `right` that match each row of `left`, and the first rows of the groups of `right`.
    fn matched(left: &Rows, right: &mut Rows, budget: Option<u64>) -> (Vec<Vec<u32>>, Vec<u32>) {
        let args = TableArgs { budget, ..TableArgs::default() };
        let index = Index::build(&Opened::Cpu, right, &args).unwrap();
        let found = index.find((left, 0, left.codes()), right).unwrap();
        let rows = found.iter().map(|&number| index.rows(number).to_vec()).collect();
        (rows, index.groups().unwrap().first_rows().to_vec())
    }

    #[test]
    fn all_keys_match() {
        let (least, most) = (i64::MIN.to_string(), i64::MAX.to_string());
        let keys = [&least, "5", &most, &least, "5", "-5", "-1", "-2"];
        let sought = ["5", &least, "6", &most, "9223372036854775806", "-1", "-2", "-3"];
        let expected: [&[u32]; 8] = [&[1, 4], &[0, 3], &[], &[2], &[], &[6], &[7], &[]];
        for budget in [None, Some(0), Some(1 << 20)] {
            for kind in [KeyType::Text, KeyType::Integer] {
                let coder = Coder::new(kind);
                let (rows, first) = matched(&file(&coder, &sought), &mut file(&coder, &keys), budget);
                assert!(rows == expected, "{kind:?} {budget:?}");
                assert_eq!(first, [0, 1, 2, 5, 6, 7]);
            }
        }
    }

    /// The rows of a table as columns of their types.
    fn in_columns(table: &Table, layout: &Layout) -> Rows {
        let names = || table.header().iter().map(|name| &name[..]);
        let mut cells = Columns::new(names(), &kinds(table));
        let mut reader = table.reader();
        for row in 0..table.rows() {
            table.row(row, &mut reader).cells().for_each(|cell| cells.cell(cell).unwrap());
            cells.end();
        }
        Rows::Columns(Head::new(names(), layout.clone()).unwrap().code(cells, 0).unwrap())
    }

    /// Long and short cells, and integers in two columns, of text files and in columns.
    #[test]
    fn keys_of_one_hash_stay_apart() {
        let cell = |i: u64| format!("{},{}", if i.is_multiple_of(3) { "a long cell " } else { "" }, i % 40);
        let text = |rows: std::ops::Range<u64>, kind| {
            let number = |i: u64| format!("{},{}", i % 5 + 1, i * 7 % 11);
            let row = |i: u64| if kind == KeyType::Text { cell(i * i) } else { number(i * i) };
            rows.map(|i| row(i) + "\n").fold("a,b\n".to_owned(), |text, row| text + &row)
        };
        for (kind, keys) in [
            (KeyType::Text, vec!["a"]),
            (KeyType::Text, vec!["b", "a"]),
            (KeyType::Text, vec![]),
            (KeyType::Integer, vec!["a", "b"]),
        ] {
            for hashes in [1, 2, 5, u64::MAX] {
                let coder = Coder::with_few_hashes(kind, hashes);
                let keys: Vec<String> = keys.iter().map(|&key| key.to_owned()).collect();
                let layout = Layout { delimiter: b',', keys, coder };
                let parse = |rows, as_columns: bool| {
                    let table = Table::parse(text(rows, kind).into_bytes(), &layout, |_| {}).unwrap();
                    if as_columns { in_columns(&table, &layout) } else { Rows::Text(table) }
                };
                for (ours, theirs) in [(false, false), (true, true), (true, false), (false, true)] {
                    let (left, mut right) = (parse(100..250, ours), parse(0..300, theirs));
                    let key = |file: &Rows, row: usize| -> Vec<Vec<u8>> {
                        let mut reader = Reader::NEW;
                        let row = file.row(row, &mut reader);
                        file.columns().iter().map(|&column| row.cell(column).to_vec()).collect()
                    };
                    let mut rows: BTreeMap<_, Vec<u32>> = BTreeMap::new();
                    (0..300).for_each(|row| rows.entry(key(&right, row as usize)).or_default().push(row));
                    let expected: Vec<_> =
                        (0..150).map(|row| rows.get(&key(&left, row)).cloned().unwrap_or_default()).collect();
                    let mut first: Vec<u32> = rows.values().map(|rows| rows[0]).collect();
                    first.sort_unstable();
                    assert!(
                        matched(&left, &mut right, None) == (expected, first),
                        "{:?} {hashes} {ours} {theirs}",
                        layout.keys
                    );
                }
            }
        }
    }
}
