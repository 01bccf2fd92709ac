use super::*;
use crate::cpu::{PagedMap, PagedSet};
use core::fmt::Debug;
use std::fs;
use std::io::Cursor;
use tempfile::TempDir;
use warpproof_model::Seed;
use warpproof_model::host::{BulkTable, Outcomes, PagedGeometry};
use warpproof_model::outcome::Delete;
use warpproof_model::paged::file::{FileError, Part, Problem, Writer};

const SEED: Seed = Seed::new(11);
/// Bytes of the child tables of these tests, at most.
const CHILD: u64 = 4 << 10;
/// Budgets for no frame, for one, and for all.
const BUDGETS: [u64; 3] = [0, 2 * CHILD, 1 << 24];

fn key(i: u64) -> u64 {
    i.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Different numbers, those at the ends of the range among them.
fn numbers(n: u64) -> Vec<u64> {
    (0..n).map(|i| if i % 1000 < 3 { u64::MAX - i / 1000 * 3 - i % 1000 } else { key(i) }).collect()
}

fn choose(frames: bool) -> Choose {
    Choose::Always(if frames { Way::Resident } else { Way::InPlace })
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn sorted<E: Ord>(mut entries: Vec<E>) -> Vec<E> {
    entries.sort_unstable();
    entries
}

/// An opened table equals the saved one, with any budget, and can be saved again.
fn there_and_back<T: Fixed<Entry: FileEntry + Ord + Debug>>(table: &Paged<T>)
where
    Paged<T>: TakesIn<Error = Error> + BulkTable<Entry = T::Entry, Error = Error>,
{
    let folder = folder();
    let (path, again) = (folder.path().join("t.table"), folder.path().join("again"));
    let expected = sorted(table.retrieve_all().expect("memory"));
    table.save(&path).expect("a file");
    assert_eq!(sorted(table.retrieve_all().expect("memory")), expected, "saving changes nothing");
    for budget in BUDGETS {
        for choose in [true, false].map(choose) {
            let opened = Paged::<T>::open_with(&path, Opening::new(budget, choose)).expect("the file");
            assert_eq!(sorted(opened.retrieve_all().expect("memory")), expected);
            assert_eq!(opened.len(), Ok(expected.len() as u64));
            assert_eq!(opened.seed(), table.seed());
            let (was, is) = (table.geometry, opened.geometry);
            assert_eq!((is.children, is.child), (was.children, was.child));
            assert_eq!(is.frame_bytes + is.batch_bytes, budget);
            opened.save(&again).expect("a file");
            let last = Paged::<T>::open(&again, budget).expect("the file");
            assert_eq!(sorted(last.retrieve_all().expect("memory")), expected);
        }
    }
}

/// Maps or sets of each type, empty and with these numbers, with each budget: `$insert` and `$delete` insert
/// and delete numbers.
macro_rules! each {
    ($($name:ident $table:ty: |$all:ident, $t:ident| $insert:expr, $delete:expr;)*) => { $(
        #[test]
        fn $name() {
            for n in [0, 1, 5_000] {
                for (budget, choose) in BUDGETS.into_iter().flat_map(|b| [(b, choose(true)), (b, choose(false))]) {
                    let size = <$table>::size(n, 0.8, CHILD, budget).expect("a size");
                    let $t = <$table>::with_seed(size, choose, SEED).expect("memory");
                    assert!(n < 5_000 || size.children > 4, "{size:?}");
                    let frames = if budget == 0 { 0 } else if budget == BUDGETS[1] { 1 } else { size.children };
                    assert_eq!($t.state().pager.frames(), frames);
                    let $all = numbers(n);
                    let done: Outcomes<Insert> = $insert.expect("memory");
                    assert!(done.iter().all(|&outcome| outcome == Insert::Inserted));
                    there_and_back(&$t);
                    // Every third one is gone.
                    let $all: Vec<u64> = $all.into_iter().step_by(3).collect();
                    let gone: Vec<Delete> = $delete.expect("memory");
                    assert!(gone.iter().all(|&outcome| outcome == Delete::Deleted));
                    there_and_back(&$t);
                    // As if keys had been chosen for the first seeds.
                    let rebuilt = $t.state().each(Access::Writes, |_, table| table.rebuild(true));
                    rebuilt.expect("memory");
                    there_and_back(&$t);
                }
            }
        }
    )* };
}

#[test]
fn a_file_is_not_opened_with_a_board() {
    let folder = folder();
    let path = folder.path().join("t.table");
    let size = PagedMap::<u64, u64>::size(100, 0.8, CHILD, BUDGETS[1]).expect("a size");
    PagedMap::<u64, u64>::with_seed(size, choose(true), SEED).expect("memory").save(&path).expect("a file");
    let opening = |budget| Opening { board: true, ..Opening::new(budget, choose(true)) };
    // A budget without room for one, and one with room.
    for budget in [0, 1 << 30] {
        let Err(Error::File(error)) = PagedMap::<u64, u64>::open_with(&path, opening(budget)) else {
            panic!("a CPU has no boards")
        };
        assert!(error.to_string().contains("board of fingerprints"), "{error}");
    }
}

/// Numbers as those of a type.
fn of<T>(all: &[u64], of: impl Fn(u64) -> T) -> Vec<T> {
    all.iter().map(|&number| of(number)).collect()
}

each! {
    maps_of_u64_come_back PagedMap<u64, u64>: |all, t|
        t.insert_unique(&all, &of(&all, key)), t.delete(&all);
    maps_of_u32_come_back PagedMap<u32, u32>: |all, t|
        t.insert_unique(&of(&all, low), &of(&all, |i| key(i) as u32)), t.delete(&of(&all, low));
    maps_of_i64_to_i32_come_back PagedMap<i64, i32>: |all, t|
        t.insert_unique(&of(&all, u64::cast_signed), &of(&all, |i| i as i32)),
        t.delete(&of(&all, u64::cast_signed));
    sets_of_u64_come_back PagedSet<u64>: |all, t| t.insert(&all), t.delete(&all);
    sets_of_u32_come_back PagedSet<u32>: |all, t| t.insert(&of(&all, low)), t.delete(&of(&all, low));
}

/// Different numbers of 32 bits for [`numbers`]: the highest ones are the highest.
fn low(i: u64) -> u32 {
    if i > u64::MAX - 10_000 { i as u32 } else { (i as u32) >> 1 }
}

#[test]
fn a_map_of_floating_point_numbers_comes_back() {
    let folder = folder();
    let path = folder.path().join("t.table");
    type Map = PagedMap<i64, f64>;
    let map = Map::with_budget(1_000, 1 << 20).expect("memory");
    let keys: Vec<i64> = (-500..500).collect();
    let values: Vec<f64> = keys.iter().map(|&key| key as f64 / 3.0).collect();
    map.insert_unique(&keys, &values).expect("memory").all_stored().expect("room");
    map.save(&path).expect("a file");
    let opened = Map::open(&path, 0).expect("the file");
    assert!(opened.search(&keys).expect("memory").into_iter().eq(values.into_iter().map(Some)));
    assert_eq!(opened.search(&[500]), Ok(vec![None]));
}

fn map(pairs: u64, budget: u64) -> PagedMap<u64, u64> {
    let size = PagedMap::<u64, u64>::size(pairs, 0.8, CHILD, budget).expect("a size");
    PagedMap::with_seed(size, choose(true), SEED).expect("memory")
}

/// A map of so many pairs, and its file.
fn saved(pairs: u64) -> (PagedMap<u64, u64>, Vec<u8>) {
    let folder = folder();
    let map = map(pairs, 0);
    let keys = numbers(pairs);
    map.insert_unique(&keys, &keys).expect("memory").all_stored().expect("room");
    map.save(&folder.path().join("t.table")).expect("a file");
    let file = fs::read(folder.path().join("t.table")).expect("the file");
    (map, file)
}

#[test]
fn what_is_opened_can_be_changed() {
    let folder = folder();
    let path = folder.path().join("t.table");
    let (map, file) = saved(5_000);
    fs::write(&path, file).expect("a file");
    let opened = PagedMap::<u64, u64>::open(&path, 0).expect("the file");
    let keys = numbers(6_000);
    let (old, new) = keys.split_at(5_000);
    for map in [&map, &opened] {
        assert!(map.delete(old).expect("memory").into_iter().all(|done| done == Delete::Deleted));
        let done = map.insert_unique(&keys[1_500..], &keys[1_500..]).expect("memory");
        assert!(done.into_iter().all(|done| done == Insert::Inserted));
        assert!(map.contains(new).expect("memory").into_iter().all(|found| found));
    }
}

/// A table that was filled until it was full has room again when it is opened.
#[test]
fn a_full_table_is_opened_with_more_room() {
    let folder = folder();
    let path = folder.path().join("t.table");
    let map = map(5_000, 0);
    let slots = map.geometry.slots();
    let keys = numbers(2 * slots);
    // About half of them find no room.
    let said = map.insert_unique(&keys, &keys).expect("memory");
    assert!(said.contains(&Insert::Full));
    let expected = sorted(map.retrieve_all().expect("memory"));
    assert!(expected.len() as u64 > slots * 98 / 100);
    map.save(&path).expect("a file");
    let opened = PagedMap::<u64, u64>::open(&path, 1 << 20).expect("the file");
    assert_eq!(sorted(opened.retrieve_all().expect("memory")), expected);
    assert_eq!(opened.geometry.children, map.geometry.children);
    let slots = slots as f64;
    assert!((1.02 * slots..1.2 * slots).contains(&(opened.geometry.slots() as f64)), "{:?}", opened.geometry);
}

#[test]
fn a_damaged_file_is_refused_where_it_is() {
    let folder = folder();
    let path = folder.path().join("t.table");
    let (map, file) = saved(2_000);
    let children = map.geometry.children;
    let header = 56 + 12 * children as usize;
    let refused = |bytes: &[u8]| {
        fs::write(&path, bytes).expect("a file");
        match PagedMap::<u64, u64>::open(&path, 1 << 20) {
            Err(Error::File(FileError { path: of, part, problem })) => {
                assert_eq!(of, path);
                (part, problem)
            }
            other => panic!("{other:?}"),
        }
    };
    let mut children_seen = 0;
    for at in (0..header).chain((header..file.len()).step_by(61)) {
        let mut changed = file.clone();
        changed[at] ^= 1 << (at % 8);
        let (part, problem) = refused(&changed);
        match part {
            Part::Child(child) => {
                assert!(at >= header && child < children && matches!(problem, Problem::Checksum { .. }));
                children_seen = children_seen.max(child + 1);
            }
            _ => assert!(at < header, "byte {at}: {part}: {problem}"),
        }
        let (_, problem) = refused(&file[..at]);
        assert!(matches!(problem, Problem::Length { .. }), "{at} bytes: {problem}");
    }
    assert_eq!(children_seen, children, "each was damaged");
    fs::write(&path, &file).expect("a file");
    let said = PagedSet::<u64>::open(&path, 0).expect_err("a map").to_string();
    let expected = "t.table: header: it holds a map of u64 to u64, not a set of u64";
    assert!(said.ends_with(expected), "{said}");
    PagedMap::<u64, u64>::open(&path, 0).expect("the file");
}

/// Files that only a malicious program writes.
#[test]
fn files_that_lie_are_refused() {
    let folder = folder();
    let path = folder.path().join("t.table");
    let size = map(100, 0).geometry;
    assert_eq!(size.children, 1);
    let write = |size: PagedGeometry, seed, pairs: &[(u64, u64)]| {
        let mut writer = Writer::new(Cursor::new(Vec::new()), &path, size, seed).expect("a header");
        writer.child(0, pairs).expect("entries");
        fs::write(&path, writer.finish().expect("a file").into_inner()).expect("a file");
        PagedMap::<u64, u64>::open(&path, 0)
    };
    let refused = |opened: Result<PagedMap<u64, u64>, Error>| match opened {
        Err(Error::File(FileError { part, problem, .. })) => (part, problem),
        other => panic!("{other:?}"),
    };
    let twice = refused(write(size, SEED, &[(1, 1), (2, 2), (1, 3)]));
    assert_eq!(twice, (Part::Child(0), Problem::Twice));
    let huge = PagedGeometry { child: map(1, 0).geometry.child, ..size };
    let huge = PagedGeometry {
        children: 1 << 20,
        child: PagedMap::<u64, u64>::size(1 << 20, 0.8, 1 << 40, 0).expect("a size").child,
        ..huge
    };
    let (part, problem) = refused(write(huge, SEED, &[]));
    assert!(part == Part::Header && matches!(problem, Problem::TooLarge { .. }), "{problem}");
    // Many more entries than slots; a seed by which all keys are alike.
    let pairs: Vec<_> = (0..10_000).map(|i| (key(i), i)).collect();
    let opened = write(size, SEED, &pairs).expect("they fit a larger one");
    assert_eq!(sorted(opened.retrieve_all().expect("memory")), sorted(pairs.clone()));
    let opened = write(size, Seed::from_words([0, 0]), &pairs).expect("they fit a larger one");
    assert_eq!(sorted(opened.retrieve_all().expect("memory")), sorted(pairs));
}

#[test]
fn a_table_that_cannot_be_saved_is_as_it_was() {
    let folder = folder();
    let (map, _) = saved(2_000);
    let expected = sorted(map.retrieve_all().expect("memory"));
    for path in [folder.path().to_path_buf(), folder.path().join("none/t.table"), "/dev/full".into()] {
        let Err(Error::File(FileError { path: of, part, .. })) = map.save(&path) else {
            panic!("{}: it was saved", path.display())
        };
        assert_eq!((of, part), (path, Part::File));
    }
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    assert_eq!(sorted(map.retrieve_all().expect("memory")), expected);
    assert_eq!(map.insert_unique(&[3], &[4]), Ok(vec![Insert::Inserted].into()));
}
