//! Compares the arguments with the entry points of the PTX.

use super::*;

const HEAD: Head = Head { slots: 1 << 20, values: None, len: 80, bitmap: Span::new(1 << 21, 1), buckets: 5 };

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
        Operation::Insert | Operation::InsertUnique | Operation::InsertOrAssign => {
            head.put(keys, keys, codes)
        }
        Operation::Delete => head.per_key(keys, codes),
        Operation::DeleteAll | Operation::Count => head.number(keys, counts),
        Operation::Search => head.search(keys, keys, Some(codes), V::ONES),
        Operation::SearchAll => head.search_all(keys, Span::new(1 << 15, 4), keys, counts),
        Operation::Mixed => head.mixed(codes, keys, keys, codes, keys),
        Operation::Flush => head.flush(one),
        Operation::Stats => head.stats(Span::new(1 << 15, NUMBERS)),
        Operation::Collect => head.collect(keys, keys, one),
    }
    .expect("the lengths are right")
}

/// The arguments of an operation of a set; `None` if a set has none.
fn of_set(operation: Operation) -> Option<Arguments> {
    let keys = Span::<u32>::new(1 << 10, 3);
    let codes = Span::<u8>::new(1 << 12, 3);
    let one = Span::<u64>::new(1 << 14, 1);
    let arguments = match operation {
        Operation::InsertUnique | Operation::Delete | Operation::Search => HEAD.per_key(keys, codes),
        Operation::Flush => HEAD.flush(one),
        Operation::Stats => HEAD.stats(Span::new(1 << 15, NUMBERS)),
        Operation::Collect => HEAD.collect_keys(keys, one),
        _ => return None,
    };
    Some(arguments.expect("the lengths are right"))
}

/// Compares every operation of a layout; returns how many kernels there were.
fn compare(ptx: &str, layout: Layout, lanes: u32, slots: u32) -> usize {
    let mut compared = 0;
    for operation in Operation::ALL {
        let lock = Head { values: Some(1 << 22), ..HEAD };
        let arguments = match layout {
            Layout::Map32 | Layout::Map64 | Layout::Map64Lock if operation == Operation::Insert => None,
            Layout::Map32 | Layout::Multi32 => Some(of_map::<u32>(&HEAD, operation)),
            Layout::Map64 | Layout::Multi64 => Some(of_map::<u64>(&HEAD, operation)),
            Layout::Map64Lock | Layout::Multi64Lock => Some(of_map::<u64>(&lock, operation)),
            Layout::Set32 => of_set(operation),
        };
        let name = kernel_name(layout, operation, lanes, slots);
        match (arguments, declared(ptx, &name)) {
            (Some(arguments), Some(declared)) => {
                assert_eq!(passed(&arguments), declared, "{name}: passed, declared");
                compared += 1;
            }
            (None, Some(_)) => panic!("{name} is declared and never called"),
            (_, None) => {}
        }
    }
    compared
}

#[test]
fn arguments_are_those_of_the_tables_kernels() {
    use crate::device::{TABLES_BASE, TABLES_WIDE};
    let all = |ptx, layout: Layout| compare(ptx, layout, layout.lanes(), 8);
    for ptx in [TABLES_BASE, TABLES_WIDE] {
        assert_eq!(all(ptx, Layout::Set32), 6);
        for (map, multimap) in [(Layout::Map32, Layout::Multi32), (Layout::Map64Lock, Layout::Multi64Lock)] {
            assert_eq!((all(ptx, map), all(ptx, multimap)), (11, 12), "{map:?}");
        }
    }
    for (ptx, found) in [(TABLES_BASE, (0, 0)), (TABLES_WIDE, (11, 12))] {
        assert_eq!((all(ptx, Layout::Map64), all(ptx, Layout::Multi64)), found);
    }
}

#[test]
fn arguments_are_those_of_the_tuning_kernels() {
    let ptx = crate::device::TUNING;
    for lanes in [1, 4, 8] {
        assert_eq!(compare(ptx, Layout::Map32, lanes, 8), 4, "{lanes} lanes");
    }
    assert_eq!(compare(ptx, Layout::Map32, 4, 16), 7);
    assert_eq!(compare(ptx, Layout::Map32, 8, 16), 4);
    assert_eq!(compare(ptx, Layout::Multi32, 4, 8), 3);
    let (keys, slots) = (Span::new(1 << 10, 3), Span::new(1 << 12, 8));
    let floor = Arguments::floor(slots, 8, keys, keys).expect("the lengths are right");
    for name in ["floor_find_u32", "floor_insert_u32", "floor_bucket_cas"] {
        assert_eq!(declared(ptx, name), Some(passed(&floor)), "{name}");
    }
}

#[test]
fn arguments_are_those_of_the_stress_kernels() {
    use crate::device::{STRESS_BASE, STRESS_WIDE};
    let (codes, keys) = (Span::<u8>::new(1 << 12, 3), Span::<u32>::new(1 << 10, 3));
    let (clock, times) = (Span::new(1 << 14, 1), Span::new(1 << 15, 3));
    let stamps = Stamps { clock, starts: times, ends: times };
    let lock = Head { values: Some(1 << 22), ..HEAD };
    for ptx in [STRESS_BASE, STRESS_WIDE] {
        let check = |name: &str, arguments: Result<Arguments, Refused>| {
            let arguments = arguments.expect("the lengths are right");
            assert_eq!(declared(ptx, name), Some(passed(&arguments)), "{name}");
        };
        check("slab_map32_stamped_l2", HEAD.stamped(codes, keys, keys, codes, keys, stamps));
        check("slab_set32_stamped_l2", HEAD.stamped_keys(codes, keys, codes, stamps));
        check("slab_map64l_stamped_l2", lock.stamped(codes, keys, keys, codes, keys, stamps));
    }
    let wide = HEAD.stamped(codes, keys, keys, codes, keys, stamps).expect("the lengths are right");
    assert_eq!(declared(STRESS_WIDE, "slab_map64_stamped_l4"), Some(passed(&wide)));
    assert!(HEAD.stamped_keys(codes, keys, codes, Stamps { clock: times, ..stamps }).is_err());
    assert!(HEAD.stamped_keys(codes, keys, codes, Stamps { ends: clock, ..stamps }).is_err());
}

#[test]
fn lengths_are_checked() {
    let (three, two) = (Span::<u32>::new(0, 3), Span::<u32>::new(0, 2));
    let codes = Span::<u8>::new(0, 3);
    let refused = |found| Refused::Length { keys: 3, what: "values", found };
    assert_eq!(HEAD.put(three, two, codes).unwrap_err(), refused(2));
    assert_eq!(HEAD.search(three, two, None, 0).unwrap_err(), refused(2));
    assert!(HEAD.search(three, three, Some(Span::new(0, 2)), 0).is_err());
    assert!(HEAD.per_key(two, codes).is_err());
    assert!(HEAD.number(three, two).is_err());
    assert!(HEAD.search_all(three, Span::new(0, 3), two, three).is_err());
    assert!(HEAD.mixed(codes, three, three, codes, two).is_err());
    assert!(HEAD.stats(Span::new(0, 19)).is_err());
    assert!(HEAD.collect(three, two, Span::new(0, 1)).is_err());
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
