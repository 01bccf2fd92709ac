//! The litmus tests of PTX that come with Dat3M (github.com/hernanponcedeleon/Dat3M, `litmus/PTX`, commit
//! 30640123b), and the verdicts of its models of PTX 6.0 and 7.5, which are equal. Weak accesses are
//! relaxed ones here, and the scope of the system is that of the device. Each program asks what Dat3M asks.
//! Those that ask how PTX's proxies order, and those that ask only whether a program ends, are not here.

use super::*;
use Says::{Always, Exists, Never};

/// What Dat3M says of a program. `_` in an outcome is any value.
enum Says {
    /// There is an execution with one of these outcomes.
    Exists(&'static [&'static str]),
    /// No execution has this outcome.
    Never(&'static str),
    /// Each execution has one of these outcomes.
    Always(&'static [&'static str]),
}

/// A program of which both have a verdict.
struct Row {
    name: &'static str,
    test: Test,
    says: Says,
    /// Why this engine says something else.
    differs: Option<&'static str>,
}

fn row(name: &'static str, test: Test, says: Says) -> Row {
    Row { name, test, says, differs: None }
}

impl Row {
    const fn differs(mut self, why: &'static str) -> Self {
        self.differs = Some(why);
        self
    }

    /// Whether the engine says the same.
    fn agrees(&self) -> bool {
        let outcomes = self.test.outcomes();
        let patterns = match self.says {
            Exists(patterns) | Always(patterns) => patterns,
            Never(pattern) => &[pattern],
        };
        let values = |text: &str| text.split(' ').count();
        let is_asked = |pattern: &&str| outcomes.iter().any(|one| values(one) == values(pattern));
        assert!(patterns.iter().all(is_asked), "{}: {outcomes:?} have other values", self.name);
        let any = |patterns: &[&str]| outcomes.iter().any(|one| patterns.iter().any(|of| fits(one, of)));
        match self.says {
            Exists(patterns) => any(patterns),
            Never(pattern) => !any(&[pattern]),
            Always(patterns) => outcomes.iter().all(|one| patterns.iter().any(|of| fits(one, of))),
        }
    }
}

/// Whether an outcome is of this pattern. A thread that ends early has fewer values.
fn fits(outcome: &str, pattern: &str) -> bool {
    let (outcome, pattern): (Vec<&str>, Vec<&str>) =
        (outcome.split(' ').collect(), pattern.split(' ').collect());
    outcome.len() == pattern.len()
        && outcome.iter().zip(&pattern).all(|(value, of)| *of == "_" || value == of)
}

const WEAK: &str = "a weak access races with others: PTX promises nothing of it. `Words` has no such access";
const BUFFERED: &str = "a load is buffered: `sb` and `rf` have a cycle";
const SEQUENCE: &str = "a release is not carried on by a later write of the same thread, as in C++20";
const ATOMIC: &str = "an addition of block scope is atomic for other blocks too";

const ADD: Ins = Ins::Add(X, 1, Order::AcqRel);
const TAKE: Ins = Ins::Add(X, u64::MAX, Order::AcqRel);
/// The words of a ticket lock, and what it guards.
const IN: usize = 0;
const OUT: usize = 1;
const GUARDED: usize = 2;

const fn swap(word: usize, value: u64) -> Ins {
    Ins::Swap(word, value, Order::Relaxed)
}

const fn exchange(word: usize, current: u64, new: u64) -> Ins {
    Ins::Cas(word, current, new, Order::Relaxed)
}

/// A thread that takes a ticket, waits for its turn, reads and writes, and gives the turn on.
fn ticket(value: u64, [take, give]: [Order; 2], wait: ReadOrder) -> [Ins; 5] {
    let turn = Ins::AwaitTurn(OUT, wait);
    [add(IN, take), turn, read(GUARDED), write(GUARDED, value), add(OUT, give)]
}

/// Additions.
fn additions() -> Vec<Row> {
    let both_add = &["_ | _ => 2 _ _"];
    // 2 less than the 0 that the words begin with.
    let both_take = &["_ | _ => 18446744073709551614 _ _"];
    vec![
        row("Atom-minus-location_", threads(&[&[TAKE], &[TAKE]]).last(), Always(both_take)),
        row("Red-minus-location_", threads(&[&[TAKE], &[TAKE]]).last(), Always(both_take)),
        row("Atom-plus-location_", threads(&[&[ADD], &[ADD]]).last(), Always(both_add)),
        row("Red-plus-location_", threads(&[&[ADD], &[ADD]]).last(), Always(both_add)),
        row(
            "Atom-plus-location-weak_",
            threads(&[&[ADD], &[ADD]]).in_block(true).last(),
            Exists(&["_ | _ => 0 _ _", "_ | _ => 1 _ _"]),
        )
        .differs(ATOMIC),
        row(
            "Atom-plus-register",
            threads(&[&[ADD], &[ADD, acquire(X)]]).in_block(true),
            Exists(&["_ | _ 1"]),
        ),
        row(
            "Atom-SB",
            threads(&[&[ADD, add(Y, Order::AcqRel)], &[add(Y, Order::AcqRel), ADD]]),
            Never("_ 0 | _ 0"),
        ),
        row(
            "Atom-SB-ld",
            threads(&[&[ADD, add(Y, Order::AcqRel)], &[write(Y, 1), read(X)]]),
            Exists(&["_ 0 | 0"]),
        ),
    ]
}

/// One word.
fn coherence() -> Vec<Row> {
    let two = [write(X, 1), write(X, 2)];
    let once = [release(X, 1)];
    let (first, second) = ([write(X, 1), release(Z, 1)], [write(X, 2), release(Y, 1)]);
    let both = [acquire(Z), acquire(Y), read(X)];
    let twice = [acquire(X), acquire(X)];
    let writers = || threads(&[&[write(X, 1)], &[write(X, 2)], &twice, &twice]);
    vec![
        row(
            "Cause-base-strong",
            threads(&[
                &[release(X, 1), release(Z, 1)],
                &[acquire(X), write(X, 2), release(Y, 1)],
                &[acquire(Y), acquire(Y), read(X)],
            ]),
            Never("- | 1 | 1 1 1"),
        ),
        row(
            "Cause-base-weak",
            threads(&[&first, &[release(X, 2), read(X), release(Y, 1)], &both]),
            Exists(&["- | 1 | 1 1 2"]),
        )
        .differs(WEAK),
        row(
            "Co-Total-3-threads-scope-same",
            threads(&[&first, &second, &[&both[..], &[read(X)]].concat()]),
            Exists(&["- | - | 1 1 1 2"]),
        )
        .differs(WEAK),
        row(
            "Co-Total-4-threads",
            threads(&[&first, &second, &both, &both]),
            Exists(&["- | - | 1 1 1 | 1 1 2"]),
        )
        .differs(WEAK),
        row("CoRR-acquire-weak", threads(&[&once, &[acquire(X), read(X)]]), Never("- | 1 0")),
        row("CoRR-weak-acquire", threads(&[&once, &[read(X), acquire(X)]]), Exists(&["- | 0 1"])),
        row("CoRW-R", threads(&[&once, &[acquire(X), write(X, 2), read(X)]]), Never("- | 1 1")),
        row(
            "CoRW-WW",
            threads(&[&[acquire(X), release(Y, 3)], &[release(Y, 4), write(X, 5)]]).last(),
            Exists(&["5 | - => _ 4 _"]),
        ),
        row("CoRW_", threads(&[&once, &[acquire(X), write(X, 2)]]).last(), Never("- | 1 => 1 _ _")),
        row("CoWR_", threads(&[&once, &[release(X, 2), read(X)]]).last(), Never("- | 1 => 2 _ _")),
        row("CoWW-R", threads(&[&[&two[..], &[acquire(X)]].concat()]), Never("1")),
        row("CoWW-RR", threads(&[&two, &[read(X), read(X)]]), Exists(&["- | 2 1"])).differs(WEAK),
        row("CoWW_", threads(&[&two]).last(), Never("- => 1 _ _")),
        row("Coherence-weak", writers(), Exists(&["- | - | 1 2 | 2 1"])).differs(WEAK),
        row("Coherence", writers(), Never("- | - | 1 2 | 2 1")),
    ]
}

/// Loads that a later write may overtake.
fn load_buffering() -> Vec<Row> {
    let (take, set) = (exchange(X, 0, 1), write(Y, 1));
    let copies = || threads(&[&[Ins::Copy(X, Y)], &[Ins::Copy(Y, X)]]);
    let (ends, adds) = ([read(X), release(Y, 1)], [add(X, Order::Relaxed)]);
    vec![
        row("LB+NoThinAir-location_", copies().last(), Never("_ | _ => 42 42 _")),
        row("LB+NoThinAir-register", copies(), Never("42 | 42")),
        row("LB+RMW-a", threads(&[&[acquire(Y), write(X, 1)], &adds, &ends]), Exists(&["1 | 1 | 2"]))
            .differs(WEAK),
        row("LB+RMW-b", threads(&[&[acquire(Y), write(X, 1)], &ends]), Never("1 | 1")),
        row("LB+RMW-c", threads(&[&[acquire(Y), write(X, 1)], &adds, &ends]), Never("1 | 1 | 2")),
        row(
            "LB-dlb-no-fence-1",
            threads(&[&[take.clone(), set.clone()], &[read(Y), Ins::Fence, take.clone()]]),
            Exists(&["1 | 1 _"]),
        )
        .differs(BUFFERED),
        row(
            "LB-dlb-no-fence-2",
            threads(&[&[take.clone(), Ins::Fence, set.clone()], &[read(Y), take.clone()]]),
            Exists(&["1 | 1 _"]),
        )
        .differs(BUFFERED),
        row(
            "LB-dlb",
            threads(&[&[take.clone(), Ins::Fence, set], &[read(Y), Ins::Fence, take]]),
            Never("1 | 1 _"),
        ),
    ]
}

/// Messages.
fn messages() -> Vec<Row> {
    let fenced = [write(X, 1), Ins::Fence, write(Y, 1)];
    let counted = [write(X, 1), Ins::Next(Y, Y, ReadOrder::Relaxed, WriteOrder::Relaxed)];
    let fenced_count = [write(X, 1), Ins::Fence, next(Y, Y)];
    let seen = [read(Y), Ins::Unless(1), read(X)];
    let seen_fenced = [read(Y), Ins::Unless(1), Ins::Fence, read(X)];
    let sent = || [write(X, 1), release(Y, 1)];
    let wait = Ins::Await(Y, 1, ReadOrder::Relaxed);
    vec![
        row("MICRO24-Fig4a-correct", threads(&[&fenced, &[wait, Ins::Fence, read(X)]]), Never("- | 0")),
        row(
            "MP+RMW",
            threads(&[&sent(), &[add(Y, Order::Relaxed)], &[acquire(Y), read(X)]]),
            Never("- | 1 | 2 0"),
        ),
        row("MP-cta", threads(&[&sent(), &[acquire(Y), read(X)]]).in_block(true), Exists(&["- | 1 0"])),
        row("MP-dlb-no-fence-1", threads(&[&counted, &seen_fenced]), Exists(&["0 | 1 0"])),
        row("MP-dlb-no-fence-2", threads(&[&fenced_count, &seen]), Exists(&["0 | 1 0"])),
        row("MP-dlb", threads(&[&fenced_count, &seen_fenced]), Never("0 | 1 0")),
        row("MP-gpu", threads(&[&sent(), &[acquire(Y), read(X)]]), Never("- | 1 0")),
        row("MP-sys", threads(&[&sent(), &[acquire(Y), read(X)]]), Never("- | 1 0")),
        row(
            "MP-relaxed",
            threads(&[&[release(X, 1), release(Y, 1)], &[read(Y), acquire(X)]]),
            Exists(&["- | 1 0"]),
        ),
        row(
            "Release-acquire-pattern",
            threads(&[&[write(Y, 1), release(X, 1), write(X, 2)], &[read(X), Ins::Fence, read(Y)]]),
            Never("- | 2 0"),
        )
        .differs(SEQUENCE),
    ]
}

/// Stores that a later load may overtake.
fn store_buffering() -> Vec<Row> {
    let [one, other] = [[write(X, 1), Ins::Fence, read(Y)], [write(Y, 1), Ins::Fence, read(X)]];
    let more = |word, seen| vec![write(word, 1), Ins::Fence, write(word, 2), Ins::Fence, read(seen)];
    let last_seen = &["2 | _", "_ | 2"];
    vec![
        row("SB-weak", threads(&[&[write(X, 1), read(Y)], &[write(Y, 1), read(X)]]), Exists(&["0 | 0"])),
        row("SB+sc-gpu", threads(&[&one, &other]), Never("0 | 0")),
        row("SB+sc-sys-gpu", threads(&[&one, &other]), Never("0 | 0")),
        row("SB+sc-gpu-multiFence", threads(&[&more(X, Y), &more(Y, X)]), Always(last_seen)),
        row("SB+sc-gpu-multiFence-TotalOrder", threads(&[&more(X, Y), &more(Y, X)]), Exists(last_seen)),
    ]
}

/// Locks. A lock that is taken at first is one that has 0 here.
fn locks() -> Vec<Row> {
    let take = || [exchange(Y, 1, 0), Ins::Unless(1)];
    let [free, frees] = [swap(Y, 1), write(Y, 1)];
    let [waits, relaxed] = [ReadOrder::Acquire, ReadOrder::Relaxed];
    let right = || ticket(2, [Order::Acquire, Order::Release], waits);
    let first = |orders, wait| threads(&[&ticket(1, orders, wait), &right()]);
    let (acquires, releases) = (Order::Acquire, Order::Release);
    let none_before = "_ 0 _ | _ 0 _";
    vec![
        row(
            "SL-cas-minus",
            threads(&[&[write(X, 1), free.clone()], &[&take()[..], &[read(X)]].concat()]),
            Exists(&["_ | 1 0"]),
        ),
        row(
            "SL-cas-plus",
            threads(&[
                &[write(X, 1), Ins::Fence, free.clone()],
                &[&take()[..], &[Ins::Fence, read(X)]].concat(),
            ]),
            Never("_ | 1 0"),
        ),
        row(
            "SL-future-minus",
            threads(&[&[read(X), frees, Ins::Fence], &[&take()[..], &[write(X, 1)]].concat()]),
            Exists(&["1 | 1"]),
        )
        .differs(BUFFERED),
        row(
            "SL-future-plus",
            threads(&[&[read(X), Ins::Fence, free], &[&take()[..], &[Ins::Fence, write(X, 1)]].concat()]),
            Never("1 _ | 1"),
        ),
        row("Ticketlock-same-gpu", first([acquires, releases], waits), Never(none_before)),
        row("Ticketlock-acq2rlx-1", first([Order::Relaxed, releases], waits), Never(none_before)),
        row("Ticketlock-acq2rlx-2", first([acquires, releases], relaxed), Exists(&["_ 0 _ | _ 0 _"])),
        row("Ticketlock-rel2rlx", first([acquires, Order::Relaxed], waits), Exists(&["_ 0 _ | _ 0 _"])),
    ]
}

/// Barriers of a block. Where there is one barrier, its number does not matter.
fn barriers() -> Vec<Row> {
    let buffered =
        || threads(&[&[write(X, 1), Ins::Barrier, read(Y)], &[write(Y, 1), Ins::Barrier, read(X)]]);
    let ordered =
        || threads(&[&[read(X), Ins::Barrier, Ins::Barrier], &[Ins::Barrier, write(X, 1), Ins::Barrier]]);
    let counted = |last: Ins| threads(&[&[write(X, 1), Ins::Barrier, last.clone()], &[Ins::Barrier, last]]);
    // Words 0 and 1 are of the first phase, 2 and 3 of the second.
    let twice = |mine: usize, other: usize| {
        let phase = |first| [write(first + mine, 1), Ins::Barrier, read(first + other)];
        [phase(0), phase(2)].concat()
    };
    // The third thread of these makes no access, and is left out; the first one is in a block of its own.
    let across = |receive, send| {
        let master =
            [write(X, 1), Ins::Await(Y, 1, ReadOrder::Relaxed), Ins::Barrier, Ins::Write(Y, 0, send)];
        let slave = [Ins::Barrier, write(Y, 1), Ins::Await(Y, 0, receive), Ins::Barrier, read(X)];
        threads(&[&master, &slave]).apart()
    };
    let relaxed = || across(ReadOrder::Relaxed, WriteOrder::Relaxed);
    vec![
        row("PC-bar-sync-sync-1", ordered(), Never("1 | -")),
        row("PC-bar-sync-sync-2", ordered(), Exists(&["0 | -"])),
        row("SB+bar-const-equal", buffered(), Always(&["1 | _", "_ | 1"])),
        row("SB+bar-diff-cta", buffered().apart(), Exists(&["0 | 0"])),
        row("SB+twice-bars", threads(&[&twice(0, 1), &twice(1, 0)]), Always(&["1 1 | 1 1"])),
        row("counter-atomic-store-rmw", counted(ADD), Never("1 | 1")),
        row("counter-plain-store-rmw", counted(ADD), Never("1 | 1")),
        row("counter-plain-store-atomic-load", counted(read(X)), Always(&["1 | 1"])),
        row("counter-plain-store-plain-load", counted(read(X)), Always(&["1 | 1"])),
        row("XF-Barrier-relacq", across(ReadOrder::Acquire, WriteOrder::Release), Never("- | 0")),
        row("XF-Barrier-rlx", relaxed(), Exists(&["- | 0"])),
        row("XF-Barrier-weak", relaxed(), Exists(&["- | 0"])),
    ]
}

/// Programs that cannot be expressed, and why.
const OTHERS: [(&str, &[&str]); 7] = [
    (
        "a fence of block scope: `Warp` has none",
        &[
            "IRIW1",
            "IRIW2",
            "IRIW_gl_cta",
            "IRIW_uniproc",
            "IRRWIW1",
            "IRRWIW2",
            "IRRWIW3",
            "IRRWIW4",
            "IRRWIW_uniproc",
            "IRWIW1",
            "IRWIW2",
            "IRWIW_gl_cta",
            "MICRO24-Fig4a",
            "MICRO24-Fig4b",
            "RWC1",
            "RWC2",
            "RWC_uniproc",
            "SB+acq_rel-cta",
            "SB+sc-cta",
            "SB+sc-cta-outScope",
            "SB-cta",
            "WRC1",
            "WRC2",
            "WRR+2W",
            "WRR+2W1",
            "WRR+2W2",
            "WRW+2W1",
            "WRW+2W2",
            "WRW+WR1",
            "WRW+WR2",
            "WWC1",
            "WWC2",
        ],
    ),
    ("a word at two scopes: a word has one", &["Co-Total-3-threads-scope-diff", "MP-cta-gpu"]),
    ("a block of two threads beside a block of one", &["MP-3-transitive"]),
    (
        "two devices",
        &[
            "CoRR-relaxed-acquire-weak",
            "CoRR-weak-acquire-weak",
            "CoRR-weak-weak",
            "CoWR-R",
            "SB+sc-sys",
            "Ticketlock-diff-gpu",
        ],
    ),
    (
        "barriers of which some threads meet at one and some at another, or that count threads: `Block` has one",
        &[
            "PC-bar-sync-arrive",
            "PC-bar-sync-sync-3",
            "PC-bar-sync-sync-4",
            "SB+bar-const-diff",
            "SB+named-bar-dyn-reg-const",
            "SB+named-bar-reg-const-diff",
            "SB+named-bar-reg-const-equal",
            "SB+named-bar-reg-diff",
            "SB+named-bar-reg-equal",
            "SB+named-bar-sta-reg-const",
            "SB+twice-bars-diff",
            "barrier-instance-id-exists",
            "barrier-instance-id-forall",
            "barrier-logical-id-exists",
            "barrier-logical-id-forall",
        ],
    ),
    ("a fence that is not in the order of all fences: `Warp::fence` is", &["MP-sys-fence"]),
    ("Dat3M has no verdict, as a loop is not unrolled to its end", &["MICRO24-Fig4b-correct"]),
];

/// Each of Dat3M's programs is here once, and the engine agrees about all that can be expressed, but for
/// those that say why not.
#[test]
fn ptx_verdicts_of_dat3m() {
    let rows: Vec<Row> =
        [additions(), coherence(), load_buffering(), messages(), store_buffering(), locks(), barriers()]
            .into_iter()
            .flatten()
            .collect();
    let others = OTHERS.iter().flat_map(|(_, names)| *names);
    let names: BTreeSet<&str> = rows.iter().map(|row| row.name).chain(others.copied()).collect();
    assert_eq!(names.len(), 124);
    let wrong: Vec<&str> =
        rows.iter().filter(|row| row.agrees() != row.differs.is_none()).map(|row| row.name).collect();
    assert!(wrong.is_empty(), "verdicts that are not as the table says: {wrong:?}");
    assert_eq!((rows.len(), rows.iter().filter(|row| row.differs.is_some()).count()), (66, 11));
}

/// Where a load is buffered, the search for cycles says so. It does not if the read is an exchange that
/// fails, and that would not fail if it read an older value: then the others do not do what they did.
#[test]
fn loads_that_dat3m_buffers_are_reported() {
    let rows = [load_buffering(), locks()].into_iter().flatten();
    let buffered: Vec<Row> = rows.filter(|row| row.differs == Some(BUFFERED)).collect();
    let missed: Vec<&str> =
        buffered.iter().filter(|row| row.test.buffers().is_empty()).map(|row| row.name).collect();
    assert_eq!((buffered.len(), missed.as_slice()), (3, &["LB-dlb-no-fence-1"][..]));
}
