//! `warpproof list` as a program: everything that is there is listed, and stands in docs/tables.md and the
//! README.

use serde_json::Value;
use std::collections::BTreeSet;
use std::marker::PhantomData;
use std::process::Command;
use warpproof::simt::cpu;
use warpproof::simt::cpu::sharded::AllRanks;
use warpproof::{
    BulkCounter, BulkFlush, BulkMap, BulkMatches, BulkMultimap, BulkOrdered, BulkPaged, BulkSave, BulkSet,
    BulkUpdate,
};

const STRUCTURES: [&str; 8] =
    ["slab", "hopscotch", "open", "cuckoo", "waitfree", "dynamic", "paged", "sharded"];

fn list(args: &[&str]) -> String {
    let out =
        Command::new(env!("CARGO_BIN_EXE_warpproof")).arg("list").args(args).output().expect("it starts");
    assert!(out.status.success());
    String::from_utf8(out.stdout).expect("text")
}

fn listing() -> Value {
    serde_json::from_str(&list(&["--json"])).expect("one JSON object")
}

fn structures(listing: &Value) -> &[Value] {
    listing["structures"].as_array().expect("a list")
}

fn words<'a>(of: &'a Value, what: &str) -> Vec<&'a str> {
    of[what].as_array().expect("a list").iter().filter_map(Value::as_str).collect()
}

#[test]
fn list_names_what_there_is() {
    let out = listing();
    let names: Vec<_> = structures(&out).iter().map(|structure| &structure["name"]).collect();
    assert_eq!(names, STRUCTURES);
    let backends = out["backends"].as_array().expect("a list");
    let found =
        |name: &str| backends.iter().find(|b| b["name"] == name).expect("it is listed")["found"].clone();
    assert_eq!(found("cpu"), true);
    assert!(found("gpu").is_boolean());
    let plain = list(&[]);
    for word in ["slab", "cuckoo", "insert_unique", "rehash", "loom", "cpu", "gpu"] {
        assert!(plain.contains(word), "{word}");
    }
    for structure in structures(&out) {
        for word in ["operations", "types", "engines"].into_iter().flat_map(|what| words(structure, what)) {
            assert!(plain.contains(word), "{word}");
        }
        assert_eq!(words(structure, "engines"), ["explore", "stateful", "loom", "shuttle"]);
    }
}

/// Every function of the bulk traits is an operation of a structure.
#[test]
fn every_bulk_call_is_listed() {
    let out = listing();
    let listed: BTreeSet<_> = structures(&out).iter().flat_map(|s| words(s, "operations")).collect();
    let traits = include_str!("../model/src/host/bulk.rs");
    let calls: BTreeSet<_> = traits
        .lines()
        .filter_map(|line| line.strip_prefix("    fn ")?.split_once('('))
        .map(|c| c.0)
        .collect();
    assert!(calls.len() > 15 && calls.contains("contains"), "{calls:?}");
    let left_out: Vec<_> = calls.difference(&listed).collect();
    assert!(left_out.is_empty(), "{left_out:?}");
}

/// Asks which traits a type of tables implements.
struct Of<T>(PhantomData<T>);

/// What each trait gives: none of it, unless the type has the trait, as its own functions come before these.
trait Without {
    fn map(&self) -> &'static [&'static str] {
        &[]
    }
    fn set(&self) -> &'static [&'static str] {
        &[]
    }
    fn multimap(&self) -> &'static [&'static str] {
        &[]
    }
    fn matches(&self) -> &'static [&'static str] {
        &[]
    }
    fn counter(&self) -> &'static [&'static str] {
        &[]
    }
    fn ordered(&self) -> &'static [&'static str] {
        &[]
    }
    fn flush(&self) -> &'static [&'static str] {
        &[]
    }
    fn save(&self) -> &'static [&'static str] {
        &[]
    }
    fn paged(&self) -> &'static [&'static str] {
        &[]
    }
}

impl<T> Without for Of<T> {}

macro_rules! with {
    ($($name:ident: $bound:path => $operations:expr;)*) => {
        $(impl<T: $bound> Of<T> {
            fn $name(&self) -> &'static [&'static str] {
                &$operations
            }
        })*
    };
}
with! {
    map: BulkMap<u32, u32> =>
        ["insert_unique", "insert_or_assign", "insert_if", "insert_and_find", "try_extend", "search", "contains",
         "contains_if", "count", "delete", "mixed"];
    set: BulkSet<u32> => ["insert", "insert_if", "try_extend", "contains", "contains_if", "delete"];
    multimap: BulkMultimap<u32, u32> => ["insert"];
    matches: BulkMatches<u32, u32> => ["search_all", "delete_all"];
    counter: BulkCounter<u32, u32> => ["insert_or_add"];
    ordered: BulkOrdered => ["retrieve_all_in_order"];
    flush: BulkFlush => ["flush"];
    save: BulkSave => ["save"];
    paged: BulkPaged => ["paging", "retrieve_to"];
}

/// What tables of some types do beside what all tables do.
macro_rules! operations {
    ($($table:ty),*) => {{
        let mut all = BTreeSet::new();
        $(let of = Of::<$table>(PhantomData);
        for some in [
            of.map(),
            of.set(),
            of.multimap(),
            of.matches(),
            of.counter(),
            of.ordered(),
            of.flush(),
            of.save(),
            of.paged(),
        ] {
            all.extend(some);
        })*
        all
    }};
}

/// A structure lists what its tables do, and nothing else.
#[test]
fn every_structure_lists_what_its_tables_do() {
    let types = [
        operations!(cpu::SlabMap<u32, u32>, cpu::SlabMultimap<u32, u32>, cpu::SlabSet),
        operations!(cpu::HopscotchMap<u32, u32>, cpu::HopscotchSet<u32>),
        operations!(cpu::OpenMap<u32, u32>, cpu::OpenSet<u32>),
        operations!(cpu::CuckooMap<u32, u32>, cpu::CuckooSet<u32>),
        operations!(cpu::WaitFreeMap<u32, u32>, cpu::WaitFreeSet<u32>),
        operations!(cpu::DynamicMap<u32, u32>, cpu::DynamicSet<u32>),
        operations!(cpu::PagedMap<u32, u32>, cpu::PagedSet<u32>),
        operations!(AllRanks<cpu::OpenMap<u32, u32>>, AllRanks<cpu::OpenSet<u32>>),
    ];
    #[cfg(feature = "gpu")]
    {
        use warpproof::gpu;
        let on_gpu = [
            operations!(gpu::SlabMap<u32, u32>, gpu::SlabMultimap<u32, u32>, gpu::SlabSet),
            operations!(gpu::HopscotchMap<u32, u32>, gpu::HopscotchSet<u32>),
            operations!(gpu::OpenMap<u32, u32>, gpu::OpenSet<u32>),
            operations!(gpu::CuckooMap<u32, u32>, gpu::CuckooSet<u32>),
            operations!(gpu::WaitFreeMap<u32, u32>, gpu::WaitFreeSet<u32>),
            operations!(gpu::DynamicMap<u32, u32>, gpu::DynamicSet<u32>),
            operations!(gpu::PagedMap<u32, u32>, gpu::PagedSet<u32>),
            operations!(AllRanks<gpu::OpenMap<u32, u32>>, AllRanks<gpu::OpenSet<u32>>),
        ];
        assert_eq!(types, on_gpu, "a table does the same on every backend");
        type Map = gpu::DynamicMap<u32, u32>;
        let _ = (Map::reserve, Map::shrink, gpu::OpenMap::<u32, u32>::insert_partitioned);
    }
    let _ = (cpu::OpenMap::<u32, u32>::rehash, cpu::DynamicMap::<u32, u32>::reserve);
    type Maps<'a> = (&'a cpu::OpenMap<u32, u32>, &'a cpu::CuckooMap<u32, u32>, &'a cpu::DynamicMap<u32, u32>);
    fn add((map, cuckoo, growing): Maps<'_>) -> bool {
        map.insert_or_apply(&[1], &[1], |old, given| old + given).is_ok()
            && cuckoo.insert_or_apply(&[1], &[1], |old, given| old + given).is_ok()
            && growing.insert_or_apply(&[1], &[1], |old, given| old + given).is_ok()
    }
    let _ = add;
    fn updates<T: BulkUpdate<u32, u32>>(_: &T) {}
    let _ = (updates::<cpu::OpenMap<u32, u32>>, updates::<cpu::CuckooMap<u32, u32>>);
    let _ = (updates::<cpu::DynamicMap<u32, u32>>, updates::<cpu::PagedMap<u32, u32>>);
    let _ = updates::<AllRanks<cpu::OpenMap<u32, u32>>>;
    #[cfg(feature = "gpu")]
    {
        use warpproof::gpu;
        let _ = (updates::<gpu::OpenMap<u32, u32>>, updates::<gpu::CuckooMap<u32, u32>>);
        let _ = (updates::<gpu::DynamicMap<u32, u32>>, updates::<gpu::PagedMap<u32, u32>>);
        let _ = updates::<AllRanks<gpu::OpenMap<u32, u32>>>;
    }
    // What every table does, and what no trait has: that it is there is shown by what compiles here.
    let table = ["retrieve_all", "for_each", "len", "is_empty", "stats", "geometry", "clear"];
    let own: [&[&str]; 8] = [
        &[],
        &[],
        &[
            "rehash",
            "insert_or_apply (CPU)",
            "insert_or_update",
            "insert_partitioned (GPU)",
            "insert_partitioned_with_outcomes (GPU)",
        ],
        &["rehash", "insert_or_apply (CPU)", "insert_or_update"],
        &[],
        &["reserve", "shrink", "insert_or_apply (CPU)", "insert_or_update"],
        &["insert_or_update"],
        &["insert_or_update"],
    ];
    let out = listing();
    for ((structure, mut expected), own) in structures(&out).iter().zip(types).zip(own) {
        expected.extend(table.iter().chain(own));
        assert_eq!(BTreeSet::from_iter(words(structure, "operations")), expected, "{}", structure["name"]);
    }
}

/// The table of docs/tables.md has a line for each structure, as it is listed.
#[test]
fn the_page_of_tables_has_every_structure() {
    let page = include_str!("../docs/tables.md");
    let lines: Vec<_> = page.lines().skip_while(|line| !line.starts_with("| Structure |")).skip(2).collect();
    let out = listing();
    for (i, structure) in structures(&out).iter().enumerate() {
        let (name, what) = (structure["name"].as_str().unwrap(), structure["what"].as_str().unwrap());
        let (types, operations) =
            (words(structure, "types").join(", "), words(structure, "operations").join(", "));
        assert_eq!(lines[i], format!("| `{name}` | {what} | {types} | {operations} |"), "docs/tables.md");
    }
    assert!(!lines[STRUCTURES.len()].starts_with('|'), "{}", lines[STRUCTURES.len()]);
}

/// The README's table *Which table do I take?* has each structure, and nothing else.
#[test]
fn the_readme_says_when_to_take_each_structure() {
    let readme = include_str!("../README.md");
    let rows = readme.lines().skip_while(|line| !line.starts_with("| I need |")).skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    let table = |row: &str| row.split('|').nth(2)?.split_once("(`")?.1.strip_suffix("`) ").map(str::to_owned);
    let named: BTreeSet<_> =
        rows.map(|row| table(row).unwrap_or_else(|| panic!("no table in {row}"))).collect();
    assert_eq!(named, STRUCTURES.map(str::to_owned).into());
}

/// Every structure that is listed has mutants.
#[test]
fn every_structure_has_mutants() {
    for name in STRUCTURES {
        let file = format!("{}/tests/mutants/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        assert!(std::path::Path::new(&file).is_file(), "{file}");
    }
}
