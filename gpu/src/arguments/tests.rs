//! Compares the arguments with the entry points of the PTX.

use super::*;
use crate::device::{BASE_IMAGES, Extra, KEPT_IMAGES, WIDE_IMAGES};
use crate::layout::Layout;
use crate::operations::cases::{BIN, FAN, binned, has, is_multi, of, said};
use crate::paged::{board, partition};
use crate::retrieve::RetrieveMethod;
use crate::structures::{HopscotchParts, OpenParts, WaitFreeParts, hopscotch, open, slab, waitfree};
use crate::table::{DEFERRED, Family, LAST, Tuning};
use std::collections::{HashMap, HashSet};
use warpproof_model::Seed;

/// The first arguments of the kernels of a slab table, with two arrays of words or with one.
fn slab_head(lock_word: bool) -> Head {
    let (values, seed) = (lock_word.then_some(1 << 22), Seed::new(1));
    slab::SlabParts { slots: 1 << 20, values, len: 80, bitmap: 1 << 21, bitmap_len: 1, buckets: 5, seed }
        .head()
}

/// The first arguments of the kernels of a hopscotch table.
fn hopscotch_head() -> Head {
    HopscotchParts { words: 1 << 20, len: 96, homes: 5, seed: Seed::new(1) }.head()
}

/// The first arguments of the kernels of an open-addressing table of a layout.
fn open_head(layout: Layout) -> Head {
    let values = layout.lock_word().then_some(1 << 22);
    let (filter, filter_len) = (1 << 21, 3);
    let (len, buckets, bucket_slots, seed) = (40, 5, 8, Seed::new(1));
    OpenParts { slots: 1 << 20, values, len, filter, filter_len, buckets, bucket_slots, seed }.head()
}

/// The first arguments of the kernels of a wait-free table.
fn waitfree_head() -> Head {
    WaitFreeParts::SMALL.head()
}

/// The kind of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Pointer,
    Bits(u32),
}

/// The entry points of modules and their parameters, as the PTX declares them.
type Module = HashMap<String, Vec<Kind>>;

fn module<S: AsRef<str>>(images: impl IntoIterator<Item = S>) -> Module {
    images.into_iter().flat_map(|image| entries(image.as_ref()).collect::<Vec<_>>()).collect()
}

fn entries(ptx: &str) -> impl Iterator<Item = (String, Vec<Kind>)> {
    // The name of a pointer begins with a p.
    let kind = |parameter: &str| match parameter.split_whitespace().collect::<Vec<_>>().as_slice() {
        [".param", ".u64", name] if name.starts_with('p') => Kind::Pointer,
        [".param", ".u64", _] => Kind::Bits(64),
        [".param", ".u32", _] => Kind::Bits(32),
        other => panic!("the parameter {other:?}"),
    };
    ptx.split(".entry ").skip(1).filter_map(move |text| {
        let (name, rest) = text.split_once('(')?;
        Some((name.to_owned(), rest.split_once(')')?.0.split(',').map(kind).collect()))
    })
}

/// The entry points that are no part of the library, without 128-bit words and with them, unless they are not
/// built.
fn built(extra: Extra) -> Option<[Module; 2]> {
    if let Some(missing) = extra.missing() {
        println!("skipped: {missing}");
        return None;
    }
    let images = |wide| extra.images(wide).unwrap_or_else(|error| panic!("{error}"));
    Some([false, true].map(|wide| module(images(wide))))
}

/// The arguments that this crate passes.
fn passed(arguments: &Arguments) -> Vec<Kind> {
    let kind = |argument: &Argument| match argument {
        Argument::Each { .. } | Argument::Pointer(_) => Kind::Pointer,
        Argument::U64(_) => Kind::Bits(64),
        Argument::U32(_) | Argument::Count => Kind::Bits(32),
    };
    arguments.list.iter().map(kind).collect()
}

/// The arguments of stamped operations.
fn stamped<V: Scalar>(head: &Head, set: bool, stamps: Stamps) -> Listed {
    let (keys, codes) = (Span::<V>::new(1 << 10, 3), Span::<u8>::new(1 << 12, 3));
    head.stamped(codes, keys, (!set).then_some((keys, keys)), codes, stamps)
}

/// A table: structure, layout, lanes, and slots of its slabs or buckets.
type Shape = (&'static str, Layout, u32, u32);

/// The family of a table's kernels, and the arguments that they share.
fn table((structure, layout, lanes, slots): Shape) -> (Family, Head) {
    let large = if lanes == 2 { u64::MAX } else { 0 };
    match structure {
        "slab" => (slab::family(layout, slots), slab_head(layout.lock_word())),
        "hop" => (hopscotch::family(layout), hopscotch_head()),
        "waitfree" => (waitfree::family(layout), waitfree_head()),
        "paged" => {
            let size = (40, Argument::U64(3), 5);
            (partition::family(layout, lanes), partition::head((1 << 20, 3), Seed::new(1), size))
        }
        "board" => {
            let size = (40, Argument::Pointer(1 << 21), 5);
            (board::family(layout), partition::head((1 << 20, 3), Seed::new(1), size))
        }
        _ => (open::family((layout, structure == "cuckoo"), (large, slots)), open_head(layout)),
    }
}

/// Compares every operation of a table; returns how many kernels there were.
fn compare(ptx: &Module, shape: Shape) -> usize {
    let ((_, layout, lanes, _), (family, head)) = (shape, table(shape));
    let mut compared = 0;
    for operation in Operation::ALL {
        let own = if lanes == family.lanes { family.lanes(operation) } else { lanes };
        let name = family.kernel_name(operation, own);
        let Some(declared) = ptx.get(name.as_str()) else { continue };
        assert!(has(&family, operation), "{name} is declared and never called");
        let arguments = match layout {
            Layout::Set32 | Layout::Map32 | Layout::Multi32 => of::<u32>(&head, layout.is_set(), operation),
            _ => of::<u64>(&head, layout.is_set(), operation),
        };
        assert_eq!(passed(&arguments), *declared, "{name}: passed, declared");
        compared += 1;
        compare_left(ptx, (&family, &head), operation, &arguments);
        if operation == Operation::Search {
            // Of runs, and of those that are sifted first.
            let of = |operation: &str| ptx.get(family.name(operation, own).as_str());
            assert!(of("search_runs").is_none_or(|declared| *declared == passed(&arguments)));
            let columns = paged::Operations { n: 3, keys: 1 << 10, values: None, ops: 0, numbers: 1 << 11 };
            let sift = passed(&arguments.sift(columns, 1 << 12));
            assert!(of("sift").is_none_or(|declared| *declared == sift));
            assert_eq!(of("sift").is_some(), family.structure == "board");
        }
    }
    compared
}

/// Compares the kernels that do what that of an operation defers.
fn compare_left(ptx: &Module, (family, head): (&Family, &Head), operation: Operation, arguments: &Arguments) {
    let declared = |step| ptx.get(family.name(step, family.deferred_lanes()).as_str());
    let left = arguments.left(operation, head, family.layout).filter(|_| family.defers(operation));
    let left = left.as_ref().map(passed);
    if left.is_some() && ptx.contains_key(family.kernel_name(operation, family.lanes(operation)).as_str()) {
        assert_eq!(declared(DEFERRED), left.as_ref(), "{family:?}, {operation:?}");
        let last = if family.structure == "waitfree" { left.as_ref() } else { None };
        assert_eq!(declared(LAST), last, "{family:?}, {operation:?}");
    }
}

/// The tables of the library, and how many operations they have without 128-bit words and with them.
const TABLES: [(Shape, [usize; 2]); 56] = [
    (("slab", Layout::Set32, 2, 8), [6, 6]),
    (("slab", Layout::Set64, 2, 8), [0, 0]),
    (("slab", Layout::Map32, 2, 8), [11, 11]),
    (("slab", Layout::Multi32, 2, 8), [12, 12]),
    (("slab", Layout::Map64Lock, 2, 8), [11, 11]),
    (("slab", Layout::Multi64Lock, 2, 8), [12, 12]),
    (("slab", Layout::Map64, 4, 8), [0, 11]),
    (("slab", Layout::Multi64, 4, 8), [0, 12]),
    (("hop", Layout::Set32, 2, 8), [5, 5]),
    (("hop", Layout::Set64, 2, 8), [5, 5]),
    (("hop", Layout::Map32, 2, 8), [7, 7]),
    (("hop", Layout::Map64, 4, 8), [0, 7]),
    (("hop", Layout::Multi32, 2, 8), [0, 0]),
    (("hop", Layout::Multi64, 4, 8), [0, 0]),
    (("hop", Layout::Map64Lock, 2, 8), [0, 0]),
    (("hop", Layout::Multi64Lock, 2, 8), [0, 0]),
    (("open", Layout::Map32, 1, 8), [17, 17]),
    (("open", Layout::Map32, 2, 8), [17, 17]),
    (("open", Layout::Map32, 1, 4), [17, 17]),
    (("open", Layout::Map64, 1, 4), [0, 17]),
    (("open", Layout::Map64, 2, 4), [0, 17]),
    (("open", Layout::Set64, 1, 8), [14, 14]),
    (("open", Layout::Set64, 2, 8), [14, 14]),
    (("open", Layout::Set32, 1, 8), [14, 14]),
    (("open", Layout::Set32, 2, 16), [14, 14]),
    (("open", Layout::Map64Lock, 1, 4), [10, 10]),
    (("open", Layout::Map64, 4, 4), [0, 6]),
    (("open", Layout::Set64, 4, 8), [3, 3]),
    (("open", Layout::Map32, 4, 8), [4, 4]),
    (("paged", Layout::Map32, 1, 8), [6, 6]),
    (("paged", Layout::Map32, 2, 8), [6, 6]),
    (("paged", Layout::Map32, 4, 8), [6, 6]),
    (("paged", Layout::Map64, 1, 4), [0, 6]),
    (("paged", Layout::Map64, 2, 4), [0, 6]),
    (("paged", Layout::Map64, 4, 4), [0, 6]),
    (("paged", Layout::Map64Lock, 1, 4), [6, 6]),
    (("paged", Layout::Map64Lock, 4, 4), [6, 6]),
    (("paged", Layout::Set32, 1, 8), [3, 3]),
    (("paged", Layout::Set32, 4, 8), [3, 3]),
    (("paged", Layout::Set64, 1, 8), [3, 3]),
    (("paged", Layout::Set64, 2, 8), [3, 3]),
    (("paged", Layout::Set64, 4, 8), [3, 3]),
    (("board", Layout::Map32, 1, 8), [6, 6]),
    (("board", Layout::Map64, 1, 4), [0, 6]),
    (("board", Layout::Set32, 1, 8), [3, 3]),
    (("board", Layout::Set64, 1, 8), [3, 3]),
    (("cuckoo", Layout::Map32, 1, 8), [10, 10]),
    (("cuckoo", Layout::Map32, 2, 8), [10, 10]),
    (("cuckoo", Layout::Map32, 1, 4), [10, 10]),
    (("cuckoo", Layout::Map64, 4, 8), [0, 10]),
    (("cuckoo", Layout::Set32, 1, 8), [7, 7]),
    (("cuckoo", Layout::Set64, 2, 8), [7, 7]),
    (("waitfree", Layout::Set32, 4, 16), [5, 5]),
    (("waitfree", Layout::Set64, 4, 8), [5, 5]),
    (("waitfree", Layout::Map32, 4, 8), [7, 7]),
    (("waitfree", Layout::Map64, 8, 8), [0, 7]),
];

#[test]
fn arguments_are_those_of_the_kernels() {
    let modules = [module(BASE_IMAGES), module(BASE_IMAGES.into_iter().chain(WIDE_IMAGES))];
    for (shape, found) in TABLES {
        assert_eq!(modules.each_ref().map(|ptx| compare(ptx, shape)), found, "{shape:?}");
    }
    for (ptx, all) in modules.iter().zip([[46, 20, 95, 32, 26], [66, 28, 127, 41, 36]]) {
        let entries = |structure| ptx.keys().filter(|name| name.starts_with(structure)).count();
        assert_eq!(["slab_", "hop_", "open_", "cuckoo_", "waitfree_"].map(entries), all);
        // A kernel only of this table.
        let reclaim = passed(&waitfree_head().reclaim(2));
        let found = ptx.iter().filter(|(name, _)| name.contains("_reclaim_"));
        assert!(found.clone().count() >= 3 && found.clone().all(|(_, declared)| *declared == reclaim));
        let count = Arguments::count_stored(Span::new(1 << 12, 3), Span::new(1 << 14, 1));
        assert_eq!(ptx["count_stored"], passed(&count.expect("the lengths are right")));
        parts_of_a_batch(ptx);
        groups_of_a_column(ptx);
    }
}

/// The kernels of large tables that keep some words in the L2 cache stand for those of the same name.
#[test]
fn kernels_that_keep_words_take_what_the_others_take() {
    let (kept, base) = (module(KEPT_IMAGES), module(BASE_IMAGES));
    assert!(kept.len() > 10);
    for (name, declared) in &kept {
        let other = name.strip_suffix("_kept").expect("such kernels have this suffix");
        assert_eq!(base[other], *declared, "{name}");
    }
    // Large tables take them: those whose operations one lane runs, and larger ones.
    let layouts = [(Layout::Map32, 8), (Layout::Set32, 8), (Layout::Set32, 16), (Layout::Set64, 8)];
    let tables = layouts.into_iter().flat_map(|of| [(of, 30 << 20), (of, 1 << 40)]);
    let families = tables.flat_map(|((layout, slots), len)| {
        [false, true].map(|moves| open::family((layout, moves), (len, slots)))
    });
    let asked: HashSet<String> = families
        .filter(|family| family.large)
        .flat_map(|family| Operation::ALL.map(|of| family.kernel_name(of, family.lanes(of))))
        .collect();
    let never: Vec<_> = kept.keys().filter(|name| !asked.contains(&name.replace("_kept", ""))).collect();
    assert_eq!(never, Vec::<&String>::new(), "no table takes these");
}

/// Compares the kernels that partition a batch by child tables.
fn parts_of_a_batch(ptx: &Module) {
    let digits = paged::Digits { children: 3, parts: 2, seed: Seed::new(1), seeds: 1 << 20 };
    for bits in [32, 64] {
        for (entry, values) in [("set", None), ("map", Some(1 << 21))] {
            let batch = paged::Operations { n: 3, keys: 1 << 10, values, ops: 1 << 11, numbers: 1 << 12 };
            let scatter = Arguments::paged_scatter(batch, digits, 1 << 13, (batch, 1 << 14));
            assert_eq!(ptx[format!("paged_scatter_{entry}{bits}").as_str()], passed(&scatter));
            let arrange = Arguments::paged_arrange(batch, digits, batch);
            assert_eq!(ptx[format!("paged_arrange_{entry}{bits}").as_str()], passed(&arrange));
            let count = Arguments::paged_count(batch, digits, 1 << 13);
            assert_eq!(ptx[format!("paged_count_{bits}").as_str()], passed(&count));
        }
        let answer = Arguments::paged_answer(Span::new(1 << 10, 3), 1 << 13, [0, 1 << 11], [0, 1 << 12]);
        assert_eq!(ptx[format!("paged_answer_{bits}").as_str()], passed(&answer));
        let gather = Arguments::paged_gather(Span::new(1 << 10, 3), [0, 1 << 11], [0, 1 << 12]);
        assert_eq!(ptx[format!("paged_gather_{bits}").as_str()], passed(&gather));
    }
    let tally = Arguments::paged_tally((0, 1 << 10, 0), (1 << 11, 3), 1 << 12);
    assert_eq!(ptx["paged_tally"], passed(&tally));
    let board = passed(&Arguments::paged_board((1 << 10, 12), [0, 1], (1 << 11, 3)));
    let found = ptx.iter().filter(|(name, _)| name.starts_with("paged_board_"));
    assert!(found.clone().count() >= 3 && found.clone().all(|(_, declared)| *declared == board));
}

/// Compares the kernels that make the groups of a column.
fn groups_of_a_column(ptx: &Module) {
    let seed = Seed::new(1);
    let tasks = columns::Tasks { address: 1 << 10, count: 3 };
    let level = columns::Level { fan: 5, before: 2, hot: 1, hot_keys: 1 << 11, index: 1 << 12, seed };
    let rows = columns::RowColumns { keys: 1 << 13, values: 1 << 14 };
    let told = warpproof_model::aggregate::Told { rows: true, sum: true };
    let groups = columns::GroupColumns { told, keys: 1 << 15, rows: 1 << 16, sums: 1 << 17, room: 9 };
    let sample = Arguments::columns_sample((rows.keys, 2), 7, seed, (1 << 18, 4));
    assert_eq!(ptx["columns_sample"], passed(&sample));
    for bits in [32, 64] {
        let declared = |step: &str| &ptx[format!("columns_{step}_{bits}").as_str()];
        let count = Arguments::columns_count(rows.keys, tasks, level, 1 << 18);
        assert_eq!(*declared("count"), passed(&count.0));
        let scatter = Arguments::columns_scatter(rows, tasks, level, (1 << 18, rows, 4));
        assert_eq!(*declared("scatter"), passed(&scatter.0));
        let group = Arguments::columns_group(rows, (0, 1 << 18, 3), seed, (groups, 1 << 19));
        assert_eq!(*declared("group"), passed(&group.0));
        let among = Arguments::columns_among((rows.keys, 7), level, 1 << 18);
        assert_eq!(*declared("among"), passed(&among.0));
        // A block of the most digits has no more shared memory than every device gives.
        let most = columns::Level { fan: 512, hot: 256, ..level };
        let scatter = Arguments::columns_scatter(rows, tasks, most, (1 << 18, rows, 4));
        assert!(scatter.0.shared <= 48 << 10 && group.0.shared <= 48 << 10);
    }
}

#[test]
fn methods_to_copy_all_entries_take_the_same() {
    let Some([narrow, wide]) = built(Extra::Tuning) else { return };
    let tables = [
        (&narrow, &BASE_IMAGES[..], Layout::Map32),
        (&wide, &BASE_IMAGES[..], Layout::Map32),
        (&wide, &WIDE_IMAGES[..], Layout::Map64),
    ];
    for (tuning, shipped, layout) in tables {
        let (shipped, (family, head)) = (module(shipped), table(("open", layout, 1, 4)));
        for retrieve in RetrieveMethod::ALL {
            let name = family.tuned_name(Operation::RetrieveAll, Tuning { retrieve, ..Tuning::default() });
            let copied = match layout {
                Layout::Map32 => of::<u32>(&head, false, Operation::RetrieveAll),
                _ => of::<u64>(&head, false, Operation::RetrieveAll),
            };
            let ptx = if retrieve == RetrieveMethod::default() { &shipped } else { tuning };
            assert_eq!(ptx.get(name.as_str()), Some(&passed(&copied)), "{name}");
        }
    }
}

#[test]
fn arguments_are_those_of_the_tuning_kernels() {
    // In the library's own tables one lane runs mixed batches of hopscotch and open addressing.
    let found = [
        (("slab", Layout::Map32, 1, 8), 4),
        (("slab", Layout::Map32, 4, 8), 4),
        (("slab", Layout::Map32, 8, 8), 4),
        (("slab", Layout::Map32, 4, 16), 7),
        (("slab", Layout::Map32, 8, 16), 4),
        (("slab", Layout::Multi32, 4, 8), 3),
        (("hop", Layout::Map32, 1, 8), 3),
        (("hop", Layout::Map32, 4, 8), 4),
        (("hop", Layout::Map32, 8, 8), 4),
        (("open", Layout::Map32, 1, 8), 0),
        // One more copies all entries.
        (("open", Layout::Map32, 8, 8), 5),
    ];
    let Some([ptx, _]) = built(Extra::Tuning) else { return };
    for (shape, found) in found {
        assert_eq!(compare(&ptx, shape), found, "{shape:?}");
    }
    for (head, name) in
        [(hopscotch_head(), "hop_map32_mixed_l2"), (open_head(Layout::Map32), "open_map32_mixed_l2")]
    {
        assert_eq!(ptx[name], passed(&of::<u32>(&head, false, Operation::Mixed)));
    }
    let compared: usize = found.iter().map(|(_, found)| found).sum();
    // The other ways to copy all entries are compared above.
    assert_eq!(ptx.len(), compared + 2 + 3, "all are compared");
}

#[test]
fn arguments_are_those_of_the_floors() {
    let ptx = module(BASE_IMAGES);
    let (keys, slots) = (Span::new(1 << 10, 3), Span::new(1 << 12, 8));
    let floor = Arguments::floor(slots, 8, keys, keys).expect("the lengths are right");
    for name in ["floor_find_u32", "floor_insert_u32", "floor_bucket_cas"] {
        assert_eq!(ptx[name], passed(&floor), "{name}");
    }
    assert_eq!(ptx["hold"], passed(&Arguments::hold(1)));
}

#[test]
fn arguments_are_those_of_the_stress_kernels() {
    let (clock, times) = (Span::new(1 << 14, 1), Span::new(1 << 15, 3));
    let stamps = Stamps { clock, starts: times, ends: times };
    let Some(modules) = built(Extra::Stress) else { return };
    let slabs_of_16 = (("slab", Layout::Map32, 2, 16), [0, 0]);
    // The kernels of paged tables are those of open addressing.
    let stamped_ones =
        |(shape, _): &(Shape, [usize; 2])| !is_multi(shape.1) && !["paged", "board"].contains(&shape.0);
    for (shape, found) in TABLES.into_iter().filter(stamped_ones).chain([slabs_of_16]) {
        let (family, head) = table(shape);
        let name = family.name("stamped", family.lanes);
        let stamped = stamped::<u64>(&head, shape.1.is_set(), stamps).expect("the lengths are right");
        let passed = passed(&stamped);
        for (ptx, found) in modules.iter().zip(found) {
            assert_eq!(ptx.get(name.as_str()), (found > 0).then_some(&passed), "{name}");
        }
    }
    let mixed = passed(&of::<u32>(&waitfree_head(), false, Operation::Mixed));
    assert_eq!(modules[0].get("waitfree_map32_mixed_counted_l4"), Some(&mixed));
    let head = hopscotch_head();
    assert!(stamped::<u32>(&head, true, Stamps { clock: times, ..stamps }).is_err());
    assert!(stamped::<u32>(&head, true, Stamps { ends: clock, ..stamps }).is_err());
}

#[test]
fn shared_memory_holds_the_numbers() {
    let stats = |head: &Head| {
        head.stats(Span::new(0, head.numbers)).map(|arguments| (arguments.tiles, arguments.shared))
    };
    // A tile per bucket of five; a tile per group, seven of which come after the five homes; one for the
    // reserved keys.
    assert_eq!(stats(&slab_head(false)), Ok((6, 80)));
    assert_eq!(stats(&hopscotch_head()), Ok((13, 36)));
    assert_eq!(stats(&open_head(Layout::Map32)), Ok((6, 8)));
}

#[test]
fn a_block_has_counters_and_entries_of_its_own() {
    let head = open_head(Layout::Map32);
    let keys = Span::<u32>::new(0, 3);
    let columns = Columns::of_pairs(keys, keys).expect("one length");
    let scatter = head.scatter(&columns, FAN, binned(), said());
    // A tally, a counter, and two words for each of two bins: ten words, to the next multiple of 16 bytes.
    assert_eq!((scatter.tiles, scatter.shared), (3, 48 + (1 << 14)));
    let fill = of::<u32>(&head, false, Operation::Fill);
    assert_eq!((fill.tiles, fill.shared), (2 * 512, (5 + 512) * 4 + 12 + (1 << 15)));
    assert_eq!(of::<u32>(&head, false, Operation::ScatterAgain).tiles, 2 * 512, "blocks times threads");
    assert_eq!(of::<u32>(&head, false, Operation::InsertOverflow).shared, 32);
    // With outcomes: a word for each entry, and half a word for each slot.
    let told = said().outcomes(3, Span::new(1 << 21, 3)).expect("one length");
    assert_eq!(head.scatter(&columns, FAN, binned(), told).shared, 48 + 4 * (1 << 11) + (1 << 14));
    let fill = head.fill(BIN, (binned(), binned()), told).shared;
    assert_eq!(fill, (5 + 512) * 4 + 12 + 2 * (1 << 12) + (1 << 15));
    assert!(Columns::of_pairs(keys, Span::<u32>::new(0, 2)).is_err());
    assert!(Said::tally(Span::new(0, 3)).is_err());
    assert!(said().outcomes(3, Span::new(0, 2)).is_err());
}

#[test]
fn lengths_are_checked() {
    let (three, two) = (Span::<u32>::new(0, 3), Span::<u32>::new(0, 2));
    let codes = Span::<u8>::new(0, 3);
    let refused = |found| Refused::Length { keys: 3, what: "values", found };
    let head = slab_head(false);
    assert_eq!(head.put(three, two, codes).unwrap_err(), refused(2));
    assert_eq!(head.search(three, Some(two), None, 0).unwrap_err(), refused(2));
    assert!(head.search(three, Some(three), Some(Span::new(0, 2)), 0).is_err());
    assert!(head.search(three, None::<Span<u32>>, Some(Span::new(0, 2)), 0).is_err());
    assert!(head.per_key(two, codes).is_err());
    assert!(head.number(three, two).is_err());
    assert!(head.search_all(three, Span::new(0, 3), two, three).is_err());
    assert!(head.mixed(codes, three, three, codes, two).is_err());
    assert!(head.stats(Span::new(0, 19)).is_err() && head.stats(Span::new(0, 9)).is_err());
    assert!(hopscotch_head().stats(Span::new(0, 20)).is_err());
    assert!(head.retrieve_all(three, Some(two), Span::new(0, 1), None).is_err());
    let (open, one) = (open_head(Layout::Map32), Span::new(0, 1));
    assert_eq!(open.chunk_words(), 2, "40 slots are one chunk");
    let copied = open.retrieve_all(three, Some(three), one, None).map(|arguments| arguments.tiles);
    assert_eq!(copied, Ok(1), "of 256 slots, whatever the buckets");
    assert!(open.retrieve_all(three, Some(three), one, Some(Span::new(0, 2))).is_ok());
    assert!(open.retrieve_all(three, Some(three), one, Some(Span::new(0, 1))).is_err());
    assert!(open.retrieve_all(three, None::<Span<u32>>, Span::new(0, 2), Some(Span::new(0, 2))).is_err());
}

#[test]
fn a_later_part_of_a_batch_starts_further_on() {
    let each = Argument::Each { address: 1000, size: 8 };
    assert_eq!(each.bits(0, 5), 1000);
    assert_eq!(each.bits(5, 5), 1040);
    assert_eq!(Argument::Count.bits(5, 7), 7);
    assert_eq!(Argument::U64(9).bits(5, 7), 9);
    assert_eq!(Argument::value(7u32), Argument::U32(7));
    assert_eq!(Argument::value(u64::MAX), Argument::U64(u64::MAX));
}
