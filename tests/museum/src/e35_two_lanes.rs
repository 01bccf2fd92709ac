//! Exhibit 35: one lane writes the value, another one releases the key.
//!
//! Source: not a publication but the habit of all warp-cooperative code (key lanes and value lanes, as in
//! SlabHash): a release orders what *its* lane did before, and an acquire what *its* lane does after. A
//! shuffle or ballot between the lanes carries values and no memory (PTX ISA, memory consistency model;
//! `bar.warp.sync` orders memory among the lanes that take part, `vote` and `shfl` do not).
//!
//! Two forms: 35a lacks the synchronization of the writer's lanes, 35b that of the reader's.

use crate::exhibit::{Exhibit, Snapshot, calls, repair, run};
use warpproof_model::spec::{Call, Multimap, Op, Ret};
use warpproof_model::{ReadOrder, Words, WriteOrder};
use warpproof_simt::check::{Array, Config, Kind, Memory, Scenario, SimWarp, Subject};

/// A table of one pair.
#[derive(Clone, Debug)]
struct Pair {
    writer_syncs: bool,
    reader_syncs: bool,
}

const KEY_LANE: u32 = 0;
const VALUE_LANE: u32 = 1;

impl Subject for Pair {
    type Spec = Multimap;

    fn spec(&self) -> Multimap {
        Multimap::default()
    }

    fn arrays(&self) -> Vec<Array> {
        vec![Array::new("key", 64, vec![0]), Array::new("value", 64, vec![0])]
    }

    fn about(&self) -> Vec<String> {
        vec!["A key, and the value that belongs to it; 0 is none yet.".into()]
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let (keys, values) = (m.w64(0), m.w64(1));
        match call.op {
            Op::InsertUnique => {
                // Relaxed: the Release below publishes it, if it is ordered before it.
                w.elect(VALUE_LANE, || values.store(0, call.value, WriteOrder::Relaxed));
                if self.writer_syncs {
                    w.sync();
                }
                // Release: pairs with the Acquire of a search.
                w.elect(KEY_LANE, || keys.store(0, call.key, WriteOrder::Release));
                Ret::Inserted
            }
            _ => {
                // Acquire: pairs with the Release of an insert.
                let key = w.elect(KEY_LANE, || keys.load(0, ReadOrder::Acquire));
                if key != call.key {
                    return Ret::Value(None);
                }
                if self.reader_syncs {
                    w.sync();
                }
                // Relaxed: ordered by the Acquire above, if that is this lane's.
                Ret::Value(Some(w.elect(VALUE_LANE, || values.load(0, ReadOrder::Relaxed))))
            }
        }
    }
}

fn exhibit(id: &'static str, defect: &'static str, published: Pair) -> Exhibit {
    let config = Config { lanes: 2, ..Config::default() };
    let programs = vec![calls("insert_unique 5 50"), calls("search 5")];
    Exhibit {
        id,
        source: "PTX memory model, lanes are threads",
        defect,
        kind: Kind::NotLinearizable,
        shows: "",
        snapshot: Snapshot::Hidden,
        lanes: true,
        scenario: Scenario::new(format!("museum/{id}"), "museum", config, programs),
        published: run(published),
        repairs: vec![repair(
            "both warps synchronize their lanes",
            Pair { writer_syncs: true, reader_syncs: true },
        )],
    }
}

pub(crate) fn exhibits() -> Vec<Exhibit> {
    vec![
        exhibit(
            "35a",
            "a lane releases a key whose value another lane wrote",
            Pair { writer_syncs: false, reader_syncs: true },
        ),
        exhibit(
            "35b",
            "a lane acquires a key, another lane reads its value",
            Pair { writer_syncs: true, reader_syncs: false },
        ),
    ]
}
