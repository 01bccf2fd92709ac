//! Exhibit 15: an insert that loses a key.
//!
//! Source: Starfish, the insert kernel of a child table.
//!
//! An insert exchanges its pair for what is at the first home of its key. As printed it goes to another home
//! of the key that it has evicted, but keeps its own pair: the evicted one is dropped (15a). A tombstone ends
//! the exchanges and is taken for a pair without a home: it goes to the stash, and if that is full, the
//! insert says that it has failed (15b). An insert that finds no place for the last pair says so, too: its
//! own key is there, and the one that it holds is gone (15c).
//!
//! Each defect has the ones before it put right.

use crate::cuckoo::{keys, ours};
use crate::exhibit::{Exhibit, Snapshot, calls, repair, run};
use crate::starfish::ChildTable;
use warpproof_simt::check::{Config, Kind, Scenario};

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let printed = ChildTable::PRINTED;
    let carries = ChildTable { carries: true, ..printed };
    let knows_deleted = ChildTable { knows_deleted: true, ..carries };
    let lists = ChildTable { lists: true, ..knows_deleted };
    let exhibit = |id, defect, (published, what, repaired), (program, finally): (String, String)| {
        let config = Config { lanes: 1, ..Config::default() };
        let mut scenario = Scenario::new(format!("museum/{id}"), "starfish", config, vec![calls(&program)]);
        scenario.finally = calls(&finally);
        scenario.allows.full = true;
        Exhibit {
            id,
            source: "Starfish, insert",
            defect,
            kind: Kind::NotLinearizable,
            shows: "search",
            snapshot: Snapshot::Found,
            lanes: false,
            published: run::<ChildTable>(published),
            repairs: vec![repair(what, repaired), ours()],
            scenario,
        }
    };
    let [a, b, c, d] = keys(0, 1);
    let insert = |keys: &[u64]| {
        let calls: Vec<_> = keys.iter().map(|key| format!("insert_unique {key} {}", 10 * key)).collect();
        calls.join("; ")
    };
    vec![
        exhibit(
            "15a",
            "the evicted pair is dropped: its key is lost",
            (printed, "an insert goes on with the evicted pair", carries),
            (insert(&[a, b]), format!("search {a}; search {b}")),
        ),
        exhibit(
            "15b",
            "a tombstone is taken for a pair without a home: an insert fails whose key is there",
            (carries, "a tombstone is no pair", knows_deleted),
            // The first tombstone fills the stash.
            (
                [insert(&[a]), format!("delete {a}"), insert(&[b]), format!("delete {b}"), insert(&[c])]
                    .join("; "),
                format!("search {c}"),
            ),
        ),
        exhibit(
            "15c",
            "an insert that fails keeps its own key and loses another",
            (knows_deleted, "what finds no place goes to a list of the batch", lists),
            // Two homes and the stash: the fourth key is one too many.
            (insert(&[a, b, c, d]), format!("search {a}; search {b}; search {c}; search {d}")),
        ),
    ]
}
