//! Exhibit 34: a ballot taken for a barrier.
//!
//! Source: NVIDIA/cuCollections, issues 336 and 337. The lanes of a tile put what they found into a buffer
//! that they share; when it is full all of them flush it, each lane some of its slots. Between the writes and
//! the flush stood collectives that exchange values and order no memory: a lane may flush a slot as it was
//! before another lane wrote it. `__syncwarp` orders it.
//!
//! Look at the step that reads a stale slot of the buffer: its lane took part in the ballot.

use crate::exhibit::{Exhibit, Snapshot, repair, run};
use crate::retrieve::Shares;
use warpproof_model::spec::{Call, Op, Ret};
use warpproof_model::{ReadOrder, Words, WriteOrder};
use warpproof_simt::check::{Array, Breach, Config, Kind, Memory, Scenario, SimWarp, Subject};

const BUFFER: usize = 0;
const OUTPUT: usize = 1;
const LANES: u32 = 2;

/// A tile that flushes its buffer.
#[derive(Clone, Debug)]
struct Flush {
    /// The repair: the lanes wait for each other, and for each other's writes.
    syncs: bool,
}

impl Subject for Flush {
    type Spec = Shares;

    fn spec(&self) -> Shares {
        Shares
    }

    fn arrays(&self) -> Vec<Array> {
        let words = |name| Array::new(name, 32, vec![0; LANES as usize]);
        vec![words("buffer").in_block(), words("output")]
    }

    fn about(&self) -> Vec<String> {
        vec!["Each lane of a warp writes its number to the buffer, counted from 1. Then the lanes copy the buffer to the output.".into()]
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, _call: &Call) -> Ret {
        let (buffer, output) = (m.w32(BUFFER), m.w32(OUTPUT));
        let full = w.each(|lane| {
            // Relaxed, here and below: as published, the collective is to order them.
            buffer.store(lane as usize, 1 + lane, WriteOrder::Relaxed);
            true
        });
        let full = w.ballot(full);
        if self.syncs {
            w.sync();
        }
        w.each(|lane| {
            // The slots are flushed from the other end than they were filled.
            let slot = (full.popc() - 1 - lane) as usize;
            output.store(slot, buffer.load(slot, ReadOrder::Relaxed), WriteOrder::Relaxed);
        });
        Ret::Done
    }

    fn check_quiescent<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Result<(), Breach> {
        let output = m.w32(OUTPUT);
        // Relaxed: read when the warp has ended.
        let wrong = w.each(|lane| output.load(lane as usize, ReadOrder::Relaxed) != 1 + lane);
        match w.ballot(wrong).ffs() {
            Some(slot) => {
                Err(Breach::new(Kind::Invariant, format!("slot {slot} was flushed before it was filled")))
            }
            None => Ok(()),
        }
    }
}

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let config = Config { lanes: LANES, ..Config::default() };
    vec![Exhibit {
        id: "34",
        source: "cuCollections, issues 336 and 337",
        defect: "a ballot is taken for a barrier: a lane flushes what another has not written yet",
        kind: Kind::Invariant,
        shows: "",
        snapshot: Snapshot::Hidden,
        lanes: true,
        scenario: Scenario::new("museum/34", "museum", config, vec![vec![Call::new(Op::Other(0), 0, 0)]]),
        published: run(Flush { syncs: false }),
        repairs: vec![repair("the lanes synchronize before the flush", Flush { syncs: true })],
    }]
}
