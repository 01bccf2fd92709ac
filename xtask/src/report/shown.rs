//! What the report shows: the points and rows of its tables, and the panels of its chart.

use super::records::Point;

/// A table of the report.
pub(super) struct Table {
    /// Its name in the template.
    pub(super) name: &'static str,
    /// The rows that are looked for, and what stands above their figures.
    pub(super) columns: &'static [(&'static str, &'static str)],
    /// The structures whose records are looked through, and the points.
    pub(super) points: &'static [(&'static str, Point)],
}

/// A part of the chart.
pub(super) struct Panel {
    pub(super) title: &'static str,
    pub(super) structure: &'static str,
    pub(super) point: Point,
    pub(super) columns: &'static [(&'static str, &'static str)],
}

const BUILD: (&str, &str) = ("build", "insert");
const PRESENT: (&str, &str) = ("search present", "search present");
const ABSENT: (&str, &str) = ("search absent", "search absent");
const DELETE: (&str, &str) = ("delete half", "delete");
const MIX: (&str, &str) = ("mix 20,20,60", "mix 20,20,60");
const WRITES: (&str, &str) = ("mix 40,40,20", "mix 40,40,20");
const MEMORY: (&str, &str) = ("memory", "bytes per entry");

const USUAL: &[(&str, &str)] = &[BUILD, PRESENT, ABSENT, DELETE, MIX, WRITES, MEMORY];

/// Functions of the Python package.
const PYTHON: &[(&str, &str)] = &[
    ("unique", "unique"),
    ("isin", "isin"),
    ("value counts", "value counts"),
    ("factorize", "factorize"),
    ("group by, sum", "group by, sum"),
    ("inner join", "inner join"),
];

const fn on_gpu(entry: &'static str, size: u64, load: f64) -> Point {
    Point { entry, size, load, gpu: true, with: "", without: "" }
}

const fn on_cpu(entry: &'static str, size: u64, load: f64) -> Point {
    Point { gpu: false, ..on_gpu(entry, size, load) }
}

/// The published comparison: 40 M pairs.
const SLAB: Point = on_gpu("map32", 40_265_318, 0.6);
/// 2^26 words at a load of 0.8.
const HOPSCOTCH: Point = on_gpu("map32", 46_976_204, 0.8);
/// 2^27 slots.
const LARGE: Point = on_gpu("map32", 107_374_182, 0.8);
const LARGE_FULL: Point = on_gpu("map32", 127_506_841, 0.95);
/// 2^26 slots of twice the size.
const LARGE_64: Point = on_gpu("map64", 53_687_091, 0.8);
const LARGE_64_FULL: Point = on_gpu("map64", 63_753_420, 0.95);
/// 2^20 slots, which stay in the L2 cache.
const SMALL: Point = on_gpu("map32", 838_860, 0.8);
const GROWING: Point = on_gpu("map64", 100_000_000, 0.8);
const WAIT_FREE: Point = on_gpu("set64", 10_000_000, 0.4);
/// 16 GiB of slots.
const PAGED: Point = Point { without: "--board", ..on_gpu("map64", 858_993_459, 0.8) };

/// The tables, in the order of the template.
pub(super) const TABLES: &[Table] = &[
    Table {
        name: "slab",
        columns: USUAL,
        points: &[
            ("slab", SLAB),
            ("slab", Point { entry: "set32", ..SLAB }),
            ("slab", Point { entry: "map64", ..SLAB }),
        ],
    },
    Table {
        name: "hopscotch",
        columns: USUAL,
        points: &[("hopscotch", HOPSCOTCH), ("hopscotch", Point { entry: "map64", ..HOPSCOTCH })],
    },
    Table {
        name: "open",
        columns: USUAL,
        points: &[
            ("open", on_gpu("map32", 67_108_864, 0.5)),
            ("open", LARGE),
            ("open", LARGE_FULL),
            ("open", SMALL),
            ("open", on_gpu("map64", 33_554_432, 0.5)),
            ("open", LARGE_64),
            ("open", LARGE_64_FULL),
            ("open", on_gpu("set32", 67_108_864, 0.5)),
            ("open", on_gpu("set32", 127_506_841, 0.95)),
            ("open", on_gpu("set64", 26_843_545, 0.8)),
        ],
    },
    Table {
        name: "bins",
        columns: &[("build by bins", "by bins"), ("build by bins, with outcomes", "by bins, with outcomes")],
        points: &[("open", LARGE), ("open", LARGE_FULL), ("open", LARGE_64)],
    },
    Table {
        name: "cuckoo",
        columns: USUAL,
        points: &[("cuckoo", LARGE_FULL), ("cuckoo", SMALL), ("cuckoo", LARGE_64_FULL)],
    },
    Table {
        name: "waitfree",
        columns: USUAL,
        points: &[("waitfree", WAIT_FREE), ("waitfree", Point { entry: "map32", ..WAIT_FREE })],
    },
    Table {
        name: "dynamic",
        columns: &[BUILD, ("build, memory kept", "insert, device memory kept"), PRESENT],
        points: &[("dynamic", GROWING), ("dynamic", Point { entry: "map32", ..GROWING })],
    },
    Table {
        name: "retrieve",
        columns: &[("retrieve all", "any order"), ("retrieve in order", "order of the slots")],
        points: &[("open", on_gpu("map64", 100_000_000, 0.5)), ("open", on_gpu("map32", 100_000_000, 0.5))],
    },
    Table {
        name: "host",
        columns: &[
            ("insert from host", "insert"),
            ("find from host", "search present"),
            ("insert from page-locked memory", "insert, page-locked"),
            ("find from page-locked memory", "search present, page-locked"),
            ("find between page-locked memory", "to a slice, page-locked"),
        ],
        points: &[("open", on_gpu("map32", 26_843_545, 0.8)), ("open", on_gpu("map64", 26_843_545, 0.8))],
    },
    Table {
        name: "paged",
        columns: &[
            ("insert 10^7", "insert 10^7"),
            ("insert 10^8", "insert 10^8"),
            ("search 10^7", "search 10^7"),
            ("search 10^8", "search 10^8"),
            ("search 10^9", "search 10^9"),
            ("search absent 10^8", "absent 10^8"),
            ("floor: bytes in", "bus, MB/s"),
        ],
        points: &[
            ("paged", Point { with: "--batch 40G", ..PAGED }),
            ("paged", Point { with: "--board", without: "", ..PAGED }),
        ],
    },
    Table {
        name: "cpu",
        columns: &[BUILD, PRESENT, ABSENT],
        points: &[
            ("slab", on_cpu("map32", 1 << 20, 0.65)),
            ("open", on_cpu("map32", 1 << 24, 0.8)),
            ("open", on_cpu("map64", 1 << 22, 0.8)),
            ("open", on_cpu("map64", 1 << 24, 0.8)),
        ],
    },
    Table {
        name: "sharded",
        columns: &[
            ("insert_unique", "insert"),
            ("search present", "search present"),
            ("routed: insert_unique", "insert, routed"),
            ("routed: search present", "search, routed"),
            ("one GPU: insert_unique", "insert, one GPU"),
            ("one GPU: search present", "search, one GPU"),
        ],
        points: &[
            ("sharded", on_gpu("map64", 20_000_000, 0.8)),
            ("sharded", on_gpu("map64", 200_000_000, 0.8)),
        ],
    },
    Table {
        name: "python gpu",
        columns: PYTHON,
        points: &[
            ("python", on_gpu("uniform u64 keys", 100_000_000, 0.0)),
            ("python", on_gpu("zipf u64 keys", 100_000_000, 0.0)),
            ("python", on_gpu("few u64 keys", 100_000_000, 0.0)),
        ],
    },
    Table {
        name: "python cpu",
        columns: PYTHON,
        points: &[
            ("python", on_cpu("uniform u64 keys", 10_000_000, 0.0)),
            ("python", on_cpu("zipf u64 keys", 10_000_000, 0.0)),
            ("python", on_cpu("few u64 keys", 10_000_000, 0.0)),
        ],
    },
    Table {
        name: "programs",
        columns: &[("cpu", "seconds of CPU"), ("wall", "seconds"), ("memory", "peak memory, MB")],
        points: &[
            ("programs", on_cpu("rows of CSV", 10_000_000, 0.0)),
            ("programs", on_cpu("rows of Parquet", 10_000_000, 0.0)),
            ("programs", on_cpu("random letters, k = 25", 50_000_000, 0.0)),
            ("programs", on_cpu("letters of reads, k = 31", 300_000_000, 0.0)),
        ],
    },
];

const BARS: &[(&str, &str)] =
    &[BUILD, ("search present", "present"), ("search absent", "absent"), DELETE, ("mix 20,20,60", "mix")];

/// The panels, line by line.
pub(super) const PANELS: &[Panel] = &[
    Panel { title: "open: u32 pairs, load 0.8", structure: "open", point: LARGE, columns: BARS },
    Panel { title: "open: u64 pairs, load 0.8", structure: "open", point: LARGE_64, columns: BARS },
    Panel { title: "cuckoo: u32 pairs, load 0.95", structure: "cuckoo", point: LARGE_FULL, columns: BARS },
    Panel { title: "slab: u32 pairs, load 0.6", structure: "slab", point: SLAB, columns: BARS },
    Panel {
        title: "hopscotch: u32 pairs, load 0.8",
        structure: "hopscotch",
        point: HOPSCOTCH,
        columns: BARS,
    },
    Panel { title: "waitfree: u64 keys, load 0.4", structure: "waitfree", point: WAIT_FREE, columns: BARS },
];
