//! Compares the arguments with the entry points of the PTX.

use super::*;
use crate::layout::Layout;
use crate::retrieve::RetrieveMethod;
use crate::structures::{HopscotchParts, OpenParts, hopscotch, open, slab};
use crate::table::{Family, Tuning};
use warpproof_model::open::bulk::{Fan, TALLY};

/// What the kernels of a slab table take first, with two arrays of words or with one.
fn slab_head(lock_bit: bool) -> Head {
    let values = lock_bit.then_some(1 << 22);
    slab::SlabParts { slots: 1 << 20, values, len: 80, bitmap: 1 << 21, bitmap_len: 1, buckets: 5 }.head()
}

/// What the kernels of a hopscotch table take first.
fn hopscotch_head() -> Head {
    HopscotchParts { words: 1 << 20, len: 96, homes: 5 }.head()
}

/// What the kernels of an open-addressing table of a layout take first.
fn open_head(layout: Layout) -> Head {
    let values = layout.lock_bit().then_some(1 << 22);
    let (filter, filter_len) = (1 << 21, 3);
    let (len, buckets, bucket_slots) = (40, 5, 8);
    OpenParts { slots: 1 << 20, values, len, filter, filter_len, buckets, bucket_slots }.head()
}

/// What a parameter is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Pointer,
    Bits(u32),
}

/// The parameters of an entry point, as the PTX declares them.
fn declared(ptx: &str, name: &str) -> Option<Vec<Kind>> {
    let start = ptx.find(&format!(".entry {name}("))?;
    let list = &ptx[start..];
    let list = &list[list.find('(')? + 1..list.find(')')?];
    let kind = |parameter: &str| {
        let words: Vec<_> = parameter.split_whitespace().collect();
        match words.as_slice() {
            [".param", ".u64", ".ptr", ..] => Some(Kind::Pointer),
            [".param", ".u64", _] => Some(Kind::Bits(64)),
            [".param", ".u32", _] => Some(Kind::Bits(32)),
            _ => None,
        }
    };
    list.split(',').map(kind).collect()
}

/// The arguments that we pass.
fn passed(arguments: &Arguments) -> Vec<Kind> {
    let kind = |argument: &Argument| match argument {
        Argument::Each { .. } | Argument::Pointer(_) => Kind::Pointer,
        Argument::U64(_) => Kind::Bits(64),
        Argument::U32(_) | Argument::Count => Kind::Bits(32),
    };
    arguments.list.iter().map(kind).collect()
}

/// The arguments of an operation of a map, as the launches make them.
fn of_map<V: Scalar>(head: &Head, operation: Operation) -> Arguments {
    let keys = Span::<V>::new(1 << 10, 3);
    let (codes, counts) = (Span::<u8>::new(1 << 12, 3), Span::<u32>::new(1 << 13, 3));
    let one = Span::<u64>::new(1 << 14, 1);
    match operation {
        Operation::Insert | Operation::InsertUnique | Operation::InsertOrAssign | Operation::InsertOrAdd => {
            head.put(keys, keys, codes)
        }
        // As many arrays as the table itself has.
        Operation::Absorb => head.absorb(&[(1 << 20, 8), (1 << 22, 8)][..head.list.len() - 4], 3, one),
        Operation::Delete => head.per_key(keys, codes),
        Operation::DeleteAll | Operation::Count => head.number(keys, counts),
        Operation::Search => head.search(keys, Some(keys), Some(codes), V::ONES),
        Operation::SearchAll => head.search_all(keys, Span::new(1 << 15, 4), keys, counts),
        Operation::Mixed => head.mixed(codes, keys, keys, codes, keys),
        Operation::Flush => head.flush(one),
        Operation::Stats => head.stats(Span::new(1 << 15, head.numbers)),
        Operation::Collect => head.collect(keys, keys, one),
        Operation::CollectInOrder => {
            head.collect_in_order(keys, keys, one, Span::new(1 << 16, head.chunk_words()))
        }
        Operation::Scatter => {
            Columns::of_pairs(keys, keys).map(|columns| head.scatter(&columns, FAN, binned(), said()))
        }
        Operation::MakeUp => Columns::of_pairs(keys, keys).map(|columns| head.make_up(&columns, said())),
        Operation::ScatterAgain | Operation::Fill | Operation::Settle => Ok(of_bins(head, operation)),
    }
    .expect("the lengths are right")
}

/// Bins of a level, the bytes that a block has for its entries and how many these are, and a tally.
const FAN: (Fan, u32, u32) = (Fan { first: 0, fan: 2, shift: 9 }, 1 << 14, 1 << 11);
/// A bin of the last level: buckets, bytes and slots.
const BIN: (u32, u32, u32) = (9, 1 << 15, 1 << 12);
fn binned() -> Binned {
    Binned { words: 1 << 17, numbers: 1 << 20, len: 8, taken: Span::new(1 << 18, 2), room: 4 }
}
fn said() -> Said {
    Said::tally(Span::new(1 << 19, TALLY)).expect("the words of a tally")
}

/// The arguments of a step from bins to bins, or to the table.
fn of_bins(head: &Head, operation: Operation) -> Arguments {
    match operation {
        Operation::ScatterAgain => head.scatter_again((binned(), 1), FAN, binned(), said(), (2, 512)),
        Operation::Fill => head.fill(BIN, (binned(), binned()), said()),
        _ => head.settle(binned(), said()),
    }
}

/// The arguments of an operation of a set; `None` if a set has none.
fn of_set<K>(head: &Head, operation: Operation) -> Option<Arguments> {
    let keys = Span::<K>::new(1 << 10, 3);
    let codes = Span::<u8>::new(1 << 12, 3);
    let one = Span::<u64>::new(1 << 14, 1);
    let arguments = match operation {
        Operation::InsertUnique | Operation::Delete | Operation::Search => head.per_key(keys, codes),
        Operation::Absorb => head.absorb(&[(1 << 20, 8)], 3, one),
        Operation::Flush => head.flush(one),
        Operation::Stats => head.stats(Span::new(1 << 15, head.numbers)),
        Operation::Collect => head.collect_keys(keys, one),
        Operation::CollectInOrder => {
            head.collect_keys_in_order(keys, one, Span::new(1 << 16, head.chunk_words()))
        }
        Operation::Scatter => Ok(head.scatter(&Columns::of_keys(keys), FAN, binned(), said())),
        Operation::MakeUp => Ok(head.make_up(&Columns::of_keys(keys), said())),
        Operation::ScatterAgain | Operation::Fill | Operation::Settle => Ok(of_bins(head, operation)),
        _ => return None,
    };
    Some(arguments.expect("the lengths are right"))
}

/// The arguments of an operation of a table; `None` if its layout has none.
fn of(head: &Head, layout: Layout, operation: Operation) -> Option<Arguments> {
    match layout {
        Layout::Map32 | Layout::Map64 | Layout::Map64Lock if operation == Operation::Insert => None,
        Layout::Map32 | Layout::Multi32 => Some(of_map::<u32>(head, operation)),
        Layout::Map64 | Layout::Multi64 | Layout::Map64Lock | Layout::Multi64Lock => {
            Some(of_map::<u64>(head, operation))
        }
        Layout::Set32 => of_set::<u32>(head, operation),
        Layout::Set64 => of_set::<u64>(head, operation),
    }
}

/// Compares every operation of a family at a width; returns how many kernels there were.
fn compare(ptx: &str, head: &Head, family: &Family, lanes: u32) -> usize {
    let chains =
        [Operation::Insert, Operation::DeleteAll, Operation::Count, Operation::SearchAll, Operation::Flush];
    let mut compared = 0;
    for operation in Operation::ALL {
        let without = match operation {
            Operation::InsertOrAdd | Operation::Absorb | Operation::CollectInOrder => {
                !matches!(family.structure, "open" | "cuckoo")
            }
            Operation::Scatter
            | Operation::ScatterAgain
            | Operation::Fill
            | Operation::Settle
            | Operation::MakeUp => family.structure != "open",
            operation => family.structure != "slab" && chains.contains(&operation),
        };
        let arguments = if without { None } else { of(head, family.layout, operation) };
        let own = if lanes == family.lanes { family.lanes(operation) } else { lanes };
        for name in [family.name(operation.name(), own), family.left_name(operation)] {
            match (&arguments, declared(ptx, &name)) {
                (Some(arguments), Some(declared)) => {
                    assert_eq!(passed(arguments), declared, "{name}: passed, declared");
                    compared += 1;
                }
                (None, Some(_)) => panic!("{name} is declared and never called"),
                (_, None) => {}
            }
        }
    }
    compared
}

/// Compares a slab layout.
fn slabs(ptx: &str, layout: Layout, lanes: u32, slots: u32) -> usize {
    compare(ptx, &slab_head(layout.lock_bit()), &slab::family(layout, slots), lanes)
}

/// Compares a hopscotch layout.
fn groups(ptx: &str, layout: Layout, lanes: u32) -> usize {
    compare(ptx, &hopscotch_head(), &hopscotch::family(layout), lanes)
}

/// Compares an open-addressing layout, in buckets of so many slots.
fn buckets(ptx: &str, layout: Layout, lanes: u32, slots: u32) -> usize {
    let large = if lanes == 2 { u64::MAX } else { 0 };
    compare(ptx, &open_head(layout), &open::family((layout, false), (large, slots)), lanes)
}

#[test]
fn arguments_are_those_of_the_slab_kernels() {
    use crate::device::{TABLES_BASE, TABLES_WIDE};
    let all = |ptx, layout: Layout| slabs(ptx, layout, layout.lanes(), 8);
    for ptx in [TABLES_BASE, TABLES_WIDE] {
        assert_eq!((all(ptx, Layout::Set32), all(ptx, Layout::Set64)), (6, 0));
        for (map, multimap) in [(Layout::Map32, Layout::Multi32), (Layout::Map64Lock, Layout::Multi64Lock)] {
            assert_eq!((all(ptx, map), all(ptx, multimap)), (11, 12), "{map:?}");
        }
    }
    for (ptx, found) in [(TABLES_BASE, (0, 0)), (TABLES_WIDE, (11, 12))] {
        assert_eq!((all(ptx, Layout::Map64), all(ptx, Layout::Multi64)), found);
    }
}

#[test]
fn arguments_are_those_of_the_hopscotch_kernels() {
    use crate::device::{TABLES_BASE, TABLES_WIDE};
    let all = |ptx, layout: Layout| groups(ptx, layout, layout.lanes());
    // One more for each operation that adds: the kernel that does what its first one left.
    for (ptx, wide) in [(TABLES_BASE, 0), (TABLES_WIDE, 10)] {
        assert_eq!((all(ptx, Layout::Set32), all(ptx, Layout::Set64)), (6, 6));
        assert_eq!((all(ptx, Layout::Map32), all(ptx, Layout::Map64)), (10, wide));
        let others = [Layout::Multi32, Layout::Multi64, Layout::Map64Lock, Layout::Multi64Lock];
        assert_eq!(others.map(|layout| all(ptx, layout)), [0; 4]);
    }
}

#[test]
fn arguments_are_those_of_the_open_addressing_kernels() {
    use crate::device::{TABLES_BASE, TABLES_WIDE};
    for (ptx, wide) in [(TABLES_BASE, 0), (TABLES_WIDE, 15)] {
        assert_eq!(
            [1, 2].map(|lanes| buckets(ptx, Layout::Map32, lanes, 8)),
            [15; 2],
            "mixed batches by one lane"
        );
        assert_eq!(buckets(ptx, Layout::Map32, 1, 4), 15);
        assert_eq!([1, 2].map(|lanes| buckets(ptx, Layout::Map64, lanes, 4)), [wide; 2]);
        assert_eq!([1, 2].map(|lanes| buckets(ptx, Layout::Set64, lanes, 8)), [12; 2]);
        assert_eq!((buckets(ptx, Layout::Set32, 1, 8), buckets(ptx, Layout::Map64Lock, 1, 4)), (12, 10));
        let moving_in = |layout: Layout, lanes: u32, slots: u32| {
            let large = if lanes == 2 { u64::MAX } else { 0 };
            compare(ptx, &open_head(layout), &open::family((layout, true), (large, slots)), lanes)
        };
        let moving = |layout: Layout, lanes: u32| moving_in(layout, lanes, 8);
        // One more for each insert, assign and mixed batch: the kernel that moves keys.
        assert_eq!([1, 2].map(|lanes| moving(Layout::Map32, lanes)), [13; 2]);
        assert_eq!(moving_in(Layout::Map32, 1, 4), 13);
        assert_eq!(moving(Layout::Map64, 4), if wide > 0 { 13 } else { 0 });
        assert_eq!((moving(Layout::Set32, 1), moving(Layout::Set64, 2)), (8, 8));
    }
}

#[test]
fn every_kernel_of_a_table_is_compared() {
    use crate::device::{TABLES_BASE, TABLES_WIDE};
    let entries = |ptx: &str, start: &str| ptx.matches(&format!(".entry {start}_")).count();
    for (ptx, all, moving) in [(TABLES_BASE, (52, 22, 78), 50), (TABLES_WIDE, (75, 32, 105), 63)] {
        assert_eq!((entries(ptx, "slab"), entries(ptx, "hop"), entries(ptx, "open")), all);
        assert_eq!(entries(ptx, "cuckoo"), moving);
        let count = Arguments::count_stored(Span::new(1 << 12, 3), Span::new(1 << 14, 1));
        let count = passed(&count.expect("the lengths are right"));
        assert_eq!(declared(ptx, "count_stored"), Some(count));
    }
}

#[test]
fn methods_to_copy_all_entries_take_the_same() {
    use crate::device::{TABLES_BASE, TABLES_WIDE};
    let tables = [(TABLES_BASE, Layout::Map32), (TABLES_WIDE, Layout::Map32), (TABLES_WIDE, Layout::Map64)];
    for (ptx, layout) in tables {
        let collect = of(&open_head(layout), layout, Operation::Collect).expect("maps have it");
        for retrieve in RetrieveMethod::ALL {
            let tuning = Tuning { retrieve, ..Tuning::default() };
            let name = open::family((layout, false), (0, 4)).tuned_name(Operation::Collect, tuning);
            assert_eq!(declared(ptx, &name), Some(passed(&collect)), "{name}");
        }
    }
}

#[test]
fn arguments_are_those_of_the_tuning_kernels() {
    let ptx = crate::device::TUNING;
    for lanes in [1, 4, 8] {
        assert_eq!(slabs(ptx, Layout::Map32, lanes, 8), 4, "{lanes} lanes");
        // Mixed batches go by one lane in the library's own tables.
        assert_eq!(groups(ptx, Layout::Map32, lanes), if lanes == 1 { 3 } else { 4 }, "{lanes} lanes");
        assert_eq!(buckets(ptx, Layout::Map32, lanes, 8), if lanes == 1 { 0 } else { 4 }, "{lanes} lanes");
    }
    for (head, name) in
        [(hopscotch_head(), "hop_map32_mixed_l2"), (open_head(Layout::Map32), "open_map32_mixed_l2")]
    {
        assert_eq!(declared(ptx, name), Some(passed(&of_map::<u32>(&head, Operation::Mixed))));
    }
    assert_eq!(slabs(ptx, Layout::Map32, 4, 16), 7);
    assert_eq!(slabs(ptx, Layout::Map32, 8, 16), 4);
    assert_eq!(slabs(ptx, Layout::Multi32, 4, 8), 3);
    let (keys, slots) = (Span::new(1 << 10, 3), Span::new(1 << 12, 8));
    let floor = Arguments::floor(slots, 8, keys, keys).expect("the lengths are right");
    for name in ["floor_find_u32", "floor_insert_u32", "floor_bucket_cas"] {
        assert_eq!(declared(ptx, name), Some(passed(&floor)), "{name}");
    }
    assert_eq!(declared(ptx, "hold"), Some(passed(&Arguments::hold(1))));
    assert_eq!(
        ptx.matches(".entry ").count(),
        3 * 4 + (3 + 4 + 4 + 1) + (4 + 4 + 1) + 7 + 4 + 3 + 3 + 1,
        "all are compared"
    );
}

#[test]
fn arguments_are_those_of_the_stress_kernels() {
    use crate::device::{STRESS_BASE, STRESS_WIDE};
    fn of_map<V>(head: &Head, codes: Span<u8>, stamps: Stamps) -> Result<Arguments, Refused> {
        let keys = Span::<V>::new(1 << 10, 3);
        head.stamped(codes, keys, keys, codes, keys, stamps)
    }
    fn of_set<K>(head: &Head, codes: Span<u8>, stamps: Stamps) -> Result<Arguments, Refused> {
        head.stamped_keys(codes, Span::<K>::new(1 << 10, 3), codes, stamps)
    }
    let codes = Span::<u8>::new(1 << 12, 3);
    let (clock, times) = (Span::new(1 << 14, 1), Span::new(1 << 15, 3));
    let stamps = Stamps { clock, starts: times, ends: times };
    let (one, two, hop) = (slab_head(false), slab_head(true), hopscotch_head());
    let (open, open_two) = (open_head(Layout::Map32), open_head(Layout::Map64Lock));
    for (ptx, wide) in [(STRESS_BASE, false), (STRESS_WIDE, true)] {
        let check = |family: Family, arguments: Result<Arguments, Refused>, there: bool| {
            let passed = passed(&arguments.expect("the lengths are right"));
            let name = family.name("stamped", family.lanes);
            assert_eq!(declared(ptx, &name), there.then_some(passed), "{name}");
        };
        check(slab::family(Layout::Map32, 8), of_map::<u32>(&one, codes, stamps), true);
        check(slab::family(Layout::Set32, 8), of_set::<u32>(&one, codes, stamps), true);
        check(slab::family(Layout::Map64Lock, 8), of_map::<u64>(&two, codes, stamps), true);
        check(slab::family(Layout::Map64, 8), of_map::<u64>(&one, codes, stamps), wide);
        check(slab::family(Layout::Map32, 16), of_map::<u32>(&one, codes, stamps), false);
        check(hopscotch::family(Layout::Map32), of_map::<u32>(&hop, codes, stamps), true);
        check(hopscotch::family(Layout::Set32), of_set::<u32>(&hop, codes, stamps), true);
        check(hopscotch::family(Layout::Set64), of_set::<u64>(&hop, codes, stamps), true);
        check(hopscotch::family(Layout::Map64), of_map::<u64>(&hop, codes, stamps), wide);
        let of = |layout, len, slots| open::family((layout, false), (len, slots));
        check(of(Layout::Map32, 0, 4), of_map::<u32>(&open, codes, stamps), true);
        for len in [0, u64::MAX] {
            check(of(Layout::Map32, len, 8), of_map::<u32>(&open, codes, stamps), true);
            check(of(Layout::Set64, len, 8), of_set::<u64>(&open, codes, stamps), true);
            check(of(Layout::Map64, len, 4), of_map::<u64>(&open, codes, stamps), wide);
        }
        check(of(Layout::Set32, 0, 8), of_set::<u32>(&open, codes, stamps), true);
        check(of(Layout::Map64Lock, 0, 4), of_map::<u64>(&open_two, codes, stamps), true);
    }
    assert!(of_set::<u32>(&hop, codes, Stamps { clock: times, ..stamps }).is_err());
    assert!(of_set::<u32>(&hop, codes, Stamps { ends: clock, ..stamps }).is_err());
}

#[test]
fn shared_memory_holds_the_numbers() {
    let stats = |head: &Head| {
        head.stats(Span::new(0, head.numbers)).map(|arguments| (arguments.tiles, arguments.shared))
    };
    // A tile per bucket of five; a tile per group, of which seven are behind the five homes.
    assert_eq!(stats(&slab_head(false)), Ok((5, 80)));
    assert_eq!(stats(&hopscotch_head()), Ok((12, 36)));
    assert_eq!(stats(&open_head(Layout::Map32)), Ok((5, 8)));
}

#[test]
fn a_block_has_counters_and_entries_of_its_own() {
    let head = open_head(Layout::Map32);
    let keys = Span::<u32>::new(0, 3);
    let columns = Columns::of_pairs(keys, keys).expect("one length");
    let scatter = head.scatter(&columns, FAN, binned(), said());
    // A tally, a counter, and two words for each of two bins: ten words, to the next multiple of 16 bytes.
    assert_eq!((scatter.tiles, scatter.shared), (3, 48 + (1 << 14)));
    let fill = of_bins(&head, Operation::Fill);
    assert_eq!((fill.tiles, fill.shared), (2 * 512, (5 + 512) * 4 + 12 + (1 << 15)));
    assert_eq!(of_bins(&head, Operation::ScatterAgain).tiles, 2 * 512, "blocks times threads");
    assert_eq!(of_bins(&head, Operation::Settle).shared, 32);
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
    assert!(head.collect(three, two, Span::new(0, 1)).is_err());
    let (open, one) = (open_head(Layout::Map32), Span::new(0, 1));
    assert_eq!(open.chunk_words(), 2, "40 slots are one chunk");
    let copied = open.collect(three, three, one).map(|arguments| arguments.tiles);
    assert_eq!(copied, Ok(1), "of 256 slots, whatever the buckets");
    assert!(open.collect_in_order(three, three, one, Span::new(0, 2)).is_ok());
    assert!(open.collect_in_order(three, three, one, Span::new(0, 1)).is_err());
    assert!(open.collect_keys_in_order(three, Span::new(0, 2), Span::new(0, 2)).is_err());
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
