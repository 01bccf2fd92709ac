//! Requirements of tables that are saved to files: they are equal when opened, on their backend and on
//! another one.

use super::number::{Number, distinct, slot_keys};
use super::row::Row;
use super::table::Table;
use super::tables::MANY;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use warpproof::model::outcome::Insert;

/// Budgets for no frame, for a few, and for all.
const BUDGETS: [u64; 3] = [0, 1 << 16, 1 << 30];

/// Saves a table, opens it with each budget on its backend and on the other one, and from there again on the
/// first: it holds the same.
fn there_and_back<K: Number>(row: &Row<K>, table: &Table<K>, expected: &HashMap<K, K>, asked: &[K]) {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, again) = (folder.path().join("a.table"), folder.path().join("b.table"));
    table.save(&path).expect("a file");
    table.holds(expected, asked);
    for budget in BUDGETS {
        row.open(&path, budget).expect("the file").holds(expected, asked);
        let other = row.open_elsewhere(&path, budget).expect("the file");
        other.holds(expected, asked);
        other.save(&again).expect("a file");
        row.open(&again, budget).expect("the file of the other backend").holds(expected, asked);
    }
}

pub(crate) fn a_table_comes_back_from_its_file<K: Number>(row: &Row<K>) {
    for n in [0, 1, 10, MANY] {
        let keys = distinct::<K>(n, 0);
        let table = row.roomy(n);
        let mut expected = table.fill(&keys);
        assert_eq!(expected.len(), n, "an insert said Full");
        there_and_back(row, &table, &expected, &keys);
        let gone: Vec<K> = keys.iter().copied().step_by(3).collect();
        table.delete_those(&gone);
        for key in &gone {
            expected.remove(key);
        }
        there_and_back(row, &table, &expected, &keys);
    }
}

/// Slots of deleted entries are used again, for which child tables are rebuilt.
pub(crate) fn a_table_that_was_rebuilt_comes_back<K: Number>(row: &Row<K>) {
    let table = row.table(row.size(MANY, 0.9));
    let all = distinct::<K>(4 * MANY, 0);
    let mut expected = HashMap::new();
    for part in all.chunks(MANY) {
        let before: Vec<K> = expected.keys().copied().collect();
        table.delete_those(&before);
        expected = table.fill(part);
        assert_eq!(expected.len(), MANY, "an insert said Full");
    }
    there_and_back(row, &table, &expected, &all);
}

pub(crate) fn a_table_that_was_full_comes_back<K: Number>(row: &Row<K>) {
    let size = row.size(MANY / 4, 0.9);
    let table = row.table(size);
    let keys = slot_keys::<K>(2 * size.slots() as usize, 0);
    let expected = table.fill(&keys);
    assert!(expected.len() as f64 > 0.98 * size.slots() as f64, "{} of {}", expected.len(), size.slots());
    there_and_back(row, &table, &expected, &keys);
}

pub(crate) fn what_is_opened_can_be_changed<K: Number>(row: &Row<K>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.table");
    let keys = distinct::<K>(MANY, 0);
    row.roomy(MANY).save(&path).expect("a file");
    for budget in BUDGETS {
        let mut table = row.open(&path, budget).expect("the file");
        for _ in 0..2 {
            let expected = table.fill(&keys);
            table.holds(&expected, &keys);
            assert_eq!(table.insert_one(keys[0]), Insert::Present);
            table.delete_those(&keys);
            assert!(table.is_empty());
        }
        table.clear();
        assert!(table.is_empty());
    }
}

pub(crate) fn a_damaged_file_is_refused<K: Number>(row: &Row<K>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.table");
    let keys = distinct::<K>(2_000, 0);
    let table = row.roomy(keys.len());
    let expected = table.fill(&keys);
    table.save(&path).expect("a file");
    let file = fs::read(&path).expect("the file");
    let children = u32::from_le_bytes(*file[32..].first_chunk().expect("a number"));
    let header = 56 + 12 * children as usize;
    let refused = |bytes: &[u8]| {
        fs::write(&path, bytes).expect("a file");
        let said = row.open(&path, 1 << 16).err().expect("it is damaged").to_string();
        assert!(said.starts_with(&path.display().to_string()), "{said}");
        said[path.display().to_string().len()..].to_owned()
    };
    for at in [16, 20, 24, 32, 40, 52, header - 1, header, file.len() - 1] {
        let mut changed = file.clone();
        changed[at] ^= 0x40;
        let said = refused(&changed);
        let part = if at < header { ": header: " } else { ": child table " };
        assert!(said.starts_with(part), "byte {at}: {said}");
        let said = refused(&file[..at]);
        assert!(said.starts_with(part) && said.contains(&format!("{at} bytes")), "{said}");
    }
    assert!(refused(b"key,value\n1,2\n").contains("not the file of a paged table"));
    assert!(refused(&[&file[..], &[0]].concat()).contains("bytes instead of"));
    // The table of another type.
    let mut changed = file.clone();
    changed[20..22].copy_from_slice(&4u16.to_le_bytes());
    let checksum = crc32fast::hash(&changed[..header - 4]).to_le_bytes();
    changed[header - 4..header].copy_from_slice(&checksum);
    assert!(refused(&changed).contains(" of i64"));
    fs::write(&path, &file).expect("a file");
    row.open(&path, 1 << 16).expect("the file").holds(&expected, &keys);
}

pub(crate) fn a_table_that_cannot_be_saved_is_as_it_was<K: Number>(row: &Row<K>) {
    let folder = tempfile::tempdir().expect("a folder");
    let keys = distinct::<K>(2_000, 0);
    let table = row.roomy(keys.len());
    let expected = table.fill(&keys);
    for path in [folder.path(), &folder.path().join("none/a.table"), Path::new("/dev/full")] {
        let said = table.save(path).expect_err("no file of that name can be").to_string();
        assert!(said.starts_with(&path.display().to_string()), "{said}");
    }
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    table.holds(&expected, &keys);
    table.delete_those(&keys);
}
