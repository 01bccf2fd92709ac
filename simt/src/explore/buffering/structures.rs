//! That the structures do not buffer loads, as far as their default sets show: every scenario without a stall
//! that has few executions is looked at. Each cycle that may be stands in a list, with the reason why it is
//! none or does not matter.

use super::{Cycle, cycles};
use crate::check::{Case, Loads, Scenario};
use crate::scenarios::{structure, subject};
use std::collections::BTreeMap;
use warpproof_model::spec::Call;
use warpproof_model::spec::Op::{InsertUnique, Search};

/// The most executions of a scenario that is looked at.
const MOST: u64 = 60;

/// Cycles that may be: how the names of their three accesses begin, and why that does no harm.
struct Listed {
    read: &'static str,
    write: &'static str,
    last: &'static str,
    why: &'static str,
}

const fn listed(read: &'static str, write: &'static str, last: &'static str, why: &'static str) -> Listed {
    Listed { read, write, last, why }
}

const OPEN: [Listed; 4] = [
    listed(
        "load Relaxed of bucket",
        "or Relaxed of filter",
        "",
        "an insert reads the next bucket before it sets the bit of the full one. Who finds the bit set early \
         inserts into the same slot as if it were clear, but does not set it once more",
    ),
    listed("load Relaxed of slots", "or Relaxed of filter", "", "the same in a bulk insert"),
    listed(
        "load Relaxed of board",
        "",
        "cas Relaxed of board",
        "a board says which slots may hold a key. A fingerprint that is seen early makes a call read a slot \
         that it need not read; slots decide",
    ),
    listed(
        "cas Relaxed of board",
        "",
        "cas Relaxed of board",
        "the exchange that adds a fingerprint is lost to a later one and tried again: that changes no answer",
    ),
];

const SLAB: [Listed; 1] = [listed(
    "load Relaxed of bucket",
    "store Relaxed of bucket",
    "store Relaxed of bucket",
    "a flush by several lanes, alone with its bucket: one lane reads a slot, and after ballots that wait for \
     what it read another lane writes",
)];

const CUCKOO: [Listed; 1] = [listed(
    "load Relaxed of bucket",
    "or Acquire of locks",
    "",
    "locks of several buckets are bits of one word. Who takes another lock learns nothing of this one",
)];

const WAITFREE: [Listed; 2] = [
    listed(
        "load Relaxed of announced",
        "store Relaxed of node",
        "",
        "a warp reads an announcement and writes nodes that nobody sees before the head is exchanged, with \
         release. The announcing warp changes the announcement after the loop in which it has read that head",
    ),
    listed(
        "load Relaxed of announced",
        "cas Relaxed of announced",
        "",
        "one lane reads an announcement. After a ballot that waits for what it read, another lane delivers \
         the answer there",
    ),
];

const SKETCH: [Listed; 1] = [listed(
    "load Relaxed of filter",
    "or Relaxed of filter",
    "or Relaxed of filter",
    "two calls of a warp, which looks for a key and then adds one. Who looks sees a bit early that another warp \
     sets, and is told that the filter may hold the key: a filter may always say so",
)];

/// The cycles of a scenario, if that is looked at.
fn cycles_of(scenario: &Scenario) -> Option<Vec<Cycle>> {
    let subject = subject(scenario).expect("a structure");
    let case = Case::new(subject, scenario.clone(), super::super::NAME, Loads::AsLoads, None);
    let case = case.expect("a right preload");
    cycles(&case, MOST).map(|cycles| cycles.into_iter().collect())
}

/// Looks at the default set of a structure: no cycle but those of the list, each of which there is; so many
/// scenarios, at least.
#[track_caller]
fn holds(name: &str, list: &[Listed], least: usize) {
    let set = (structure(name).expect("a structure").default_set)();
    let mut used = vec![false; list.len()];
    let (mut looked, mut others) = (0, BTreeMap::new());
    for scenario in set.iter().filter(|scenario| scenario.stall.is_none()) {
        let Some(cycles) = cycles_of(scenario) else { continue };
        looked += 1;
        for Cycle { read, write, last } in cycles {
            let begins = |listed: &Listed| {
                read.name.starts_with(listed.read)
                    && write.name.starts_with(listed.write)
                    && last.name.starts_with(listed.last)
            };
            match list.iter().position(begins) {
                Some(at) => used[at] = true,
                None => {
                    let text = format!("{} | {} | {}", read.name, write.name, last.name);
                    others.entry(text).or_insert_with(|| scenario.name.clone());
                }
            }
        }
    }
    assert!(others.is_empty(), "{name}: cycles (read, loose write, last write), and where: {others:#?}");
    let unused = list.iter().zip(used).find(|(_, used)| !used);
    assert!(
        unused.is_none(),
        "{name}: no scenario has the cycle {:?}",
        unused.map(|(listed, _)| (listed.read, listed.write, listed.why))
    );
    assert!(looked >= least, "{name}: only {looked} scenarios have at most {MOST} executions");
}

#[test]
fn slab() {
    holds("slab", &SLAB, 2_000);
}

#[test]
fn hopscotch() {
    holds("hopscotch", &[], 3_000);
}

#[test]
fn open() {
    holds("open", &OPEN, 24_000);
}

#[test]
fn cuckoo() {
    holds("cuckoo", &CUCKOO, 9_500);
}

#[test]
fn dynamic() {
    holds("dynamic", &[], 7_000);
}

#[test]
fn waitfree() {
    holds("waitfree", &WAITFREE, 3_000);
}

#[test]
fn growth() {
    holds("growth", &[], 850);
}

#[test]
fn retrieve() {
    holds("retrieve", &[], 500);
}

#[test]
fn reserved() {
    holds("reserved", &[], 10_000);
}

#[test]
fn paged() {
    holds("paged", &[], 2_800);
}

#[test]
fn sketch() {
    holds("sketch", &SKETCH, 1_800);
}

#[test]
fn aggregate() {
    holds("aggregate", &[], 1_000);
}

#[test]
fn sharded() {
    holds("sharded", &[], 600);
}

/// Two warps, each of which searches the key that the other one then inserts.
fn crossed(structure_name: &str, table: &str) -> Vec<Cycle> {
    let set = (structure(structure_name).expect("a structure").default_set)();
    let is_empty = |scenario: &&Scenario| {
        scenario.structure == table && scenario.preload.is_empty() && scenario.stall.is_none()
    };
    let mut scenario = set.iter().find(is_empty).expect("a scenario").clone();
    let program =
        |searched, inserted| vec![Call::new(Search, searched, 0), Call::new(InsertUnique, inserted, 0)];
    scenario.programs = vec![program(1, 3), program(3, 1)];
    // In a table of two buckets key 1 is in the first one, 3 in the second.
    scenario.config.buckets = 2;
    (scenario.finally, scenario.expects, scenario.allows.full) = (Vec::new(), Vec::new(), true);
    let subject = subject(&scenario).expect("a structure");
    let case = Case::new(subject, scenario, super::super::NAME, Loads::AsLoads, None).expect("no preload");
    cycles(&case, 100_000).expect("a small scenario").into_iter().collect()
}

/// Two calls of a warp on different keys stay in order where a search ends with a fence or an insert
/// releases. Otherwise each of two warps may find the key that the other one inserts only afterwards, and who
/// needs the order calls `fence_acquire` between.
#[test]
fn two_calls_of_a_warp_stay_in_order_by_a_fence_or_a_release() {
    for (name, table) in
        [("hopscotch", "hop_map32"), ("cuckoo", "cuckoo_map32"), ("waitfree", "waitfree_set64")]
    {
        assert_eq!(crossed(name, table), [], "{table}");
    }
    for (name, table) in [("slab", "map32"), ("open", "open_map32"), ("dynamic", "dyn_map32")] {
        let cycles = crossed(name, table);
        let calls = |cycle: &Cycle| (cycle.read.call, cycle.write.call, cycle.last.call);
        assert_eq!(cycles.iter().map(calls).collect::<Vec<_>>(), [(0, 1, 1); 2], "{table}: {cycles:?}");
    }
}
