//! A set of your own under the checker: one row of slots, which a warp reads at once.
//! `cargo run --example check_a_set`
//!
//! The first form empties the slot of a deleted key: a search ends there, before it reaches another key. The
//! second form leaves a tombstone.

use warpproof::model::spec::Op::{Delete, InsertUnique, Search};
use warpproof::model::spec::{Call, Ret, Set};
use warpproof::model::{Order, ReadOrder, Words};
use warpproof::simt::arrays;
use warpproof::simt::check::{Array, Memory, SimWarp, Subject};
use warpproof::simt::own::{Failed, Suite, explore};

const EMPTY: u32 = 0;
const TOMBSTONE: u32 = 1;
/// Slots of the row, which any number of lanes shares.
const SLOTS: u32 = 4;

arrays! { Row: slots: w32 = vec![EMPTY.into(); SLOTS as usize] }

#[derive(Clone)]
struct RowSet {
    tombstones: bool,
}

impl Subject for RowSet {
    type Spec = Set;

    fn spec(&self) -> Set {
        Set { may_fill: true }
    }

    fn arrays(&self) -> Vec<Array> {
        Row::arrays()
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let (slots, key) = (Row::slots(m), call.key as u32);
        for part in 0..SLOTS / W::LANES {
            loop {
                // Each lane reads a slot; what the lanes before it know, it knows by the sync.
                let at = |lane: u32| (part * W::LANES + lane) as usize;
                let row = w.each(|lane| slots.load(at(lane), ReadOrder::Acquire));
                w.sync();
                let stops = w.map(row, |_, word: u32| word == key || word == EMPTY);
                let Some(lane) = w.ballot(stops).ffs() else { break };
                let word = w.shfl(row, lane);
                let new = match (call.op, word == key) {
                    (InsertUnique, true) => return Ret::Present,
                    (InsertUnique, false) => key,
                    (Delete, true) => [EMPTY, TOMBSTONE][usize::from(self.tombstones)],
                    (Delete, false) => return Ret::Absent,
                    (_, there) => return Ret::Value(there.then_some(0)),
                };
                let seen = w.elect(lane, || slots.compare_exchange(at(lane), word, new, Order::AcqRel));
                w.sync();
                if seen == word {
                    return if call.op == Delete { Ret::Deleted } else { Ret::Inserted };
                }
            }
        }
        match call.op {
            InsertUnique => Ret::Full,
            Delete => Ret::Absent,
            _ => Ret::Value(None),
        }
    }
}

fn main() -> Result<(), Failed> {
    let suite =
        Suite::new("row", &[InsertUnique, Delete, Search]).keys(&[2, 3]).values(0).lanes(2).may_fill();
    let filled = suite.clone().preload(&[(InsertUnique, 3), (InsertUnique, 2)]).finally(&[Search]);
    let scenarios = [suite.pairs(), filled.triples(), suite.stalls()].concat();
    let failed = explore(&RowSet { tombstones: false }, &scenarios).expect_err("a key is missed");
    println!("{failed}\n");
    println!("with tombstones: {}", explore(&RowSet { tombstones: true }, &scenarios)?);
    Ok(())
}
