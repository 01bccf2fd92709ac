//! The slots by what they hold, their subjects, and where programs meet.

use super::subject::ReservedSubject;
use crate::check::{LANES, Scenario, ScenarioError, of_lanes};
use crate::scenarios::entry::Entries;
use crate::scenarios::form::{STORES, stores};
use crate::scenarios::open::{Lock64, OPS, ReservedLayout};
use crate::scenarios::progress::Progress;
use crate::scenarios::table::{Made, Maker, Name, Place, Plan, Random, Table, by_homes};
use warpproof_model::entry::{Key32, Key64, Pair32, Pair64};
use warpproof_model::spec::Call;
use warpproof_model::spec::Op::{self, InsertOrAdd, Search};

/// u32 pairs.
pub const MAP32: Table = table("reserved_map32", Entries::Map32, subject::<Pair32>);
/// u32 keys.
pub const SET32: Table = table("reserved_set32", Entries::Set32, subject::<Key32>);
/// u64 pairs in 128-bit words.
pub const MAP64: Table = table("reserved_map64", Entries::Map64, subject::<Pair64>);
/// u64 keys.
pub const SET64: Table = table("reserved_set64", Entries::Set64, subject::<Key64>);
/// u64 pairs in two words by the lock word.
pub const LOCK64: Table = table("reserved_lock64", Entries::Map64, subject::<Lock64>);

/// All of them.
pub const TABLES: [Table; 5] = [MAP32, SET32, MAP64, SET64, LOCK64];

const fn table(name: &'static str, entries: Entries, subject: Maker) -> Table {
    Table { name, entries, multi: false, ops: &OPS, subject, plan: &PLAN }
}

/// How scenarios are made.
const PLAN: Plan = Plan {
    places: &ALL,
    // A key is the number of its slot.
    key: |_, _, (slot, _)| slot.into(),
    scenario: by_homes,
    alike: false,
    look: Search,
    progress,
    meet: on_one_key,
    random: Random { ops: &OPS, shapes: &[(1, 1, 0), (2, 1, 0)], buckets: (2, 3), pool: 0, keys: 1 },
    fills: None,
};

/// With a lock word every operation waits for one that stores.
fn progress(table: &Table, op: Op) -> Progress {
    match op {
        _ if table.name.contains("lock") => Progress::Blocking(&STORES),
        InsertOrAdd => Progress::LockFree,
        _ => Progress::WaitFree,
    }
}

/// Whether the first warp stores a key that another one is called with.
fn on_one_key(_: &[Call], [first, second]: [&[Call]; 2]) -> bool {
    let stored = |key| first.iter().any(|call| call.key == key && stores(call.op));
    second.iter().any(|call| stored(call.key))
}

/// Two slots.
const fn place(name: &'static str, preload: &'static [Name], gone: &'static [Name]) -> Place {
    Place { name, shape: (1, 1), homes: 2, preload, gone, keys: &[(0, 0), (1, 0)], ..Place::EMPTY }
}

/// No key is there.
pub(super) const EMPTY: Place = place("empty", &[], &[]);
/// The first one is.
pub(super) const THERE: Place = place("there", &[(0, 0)], &[]);
/// The first one was.
pub(super) const GONE: Place = place("gone", &[(0, 0)], &[(0, 0)]);

/// All of them.
pub(super) const ALL: [Place; 3] = [EMPTY, THERE, GONE];

/// The subject of a scenario. One lane of a warp runs an action, and tells the others.
fn subject<L: ReservedLayout>(scenario: &Scenario) -> Made {
    let subject = ReservedSubject::<L>::new(scenario);
    let lanes = scenario.config.lanes;
    of_lanes(subject, lanes).ok_or_else(|| {
        ScenarioError::Shape(format!("a warp of {lanes} lanes: those of reserved keys have {LANES:?}"))
    })
}
