//! Exhibit 36: a lock of block scope between two blocks.
//!
//! Source: PTX ISA, memory consistency model, scopes: an operation at `.cta` scope synchronizes with
//! operations of its own block alone. A lock that is right within a block (`cuda::thread_scope_block`) is
//! none between blocks: what the last holder wrote need not be visible to the next one.
//!
//! Look at the stale read of the counter after the exchange that took the lock.

use crate::exhibit::{Exhibit, Snapshot, repair, run};
use warpproof_model::spec::{Call, Op, Ret, Spec};
use warpproof_model::{Order, ReadOrder, Words, WriteOrder};
use warpproof_simt::check::{Array, Config, Kind, Memory, Scenario, SimWarp, Subject};

/// A counter under a lock.
#[derive(Clone, Debug)]
struct Locked {
    /// The repair: the scope of the lock includes all threads that share it.
    device_scope: bool,
}

/// Each call adds one and returns what was there.
#[derive(Clone, Debug)]
struct Counter;

impl Spec for Counter {
    type State = u64;

    fn initial(&self, _key: u64) -> u64 {
        0
    }

    fn step(&self, state: &u64, _call: &Call, ret: Option<&Ret>, next: &mut Vec<u64>) {
        if ret.is_none_or(|ret| *ret == Ret::Count(*state)) {
            next.push(state + 1);
        }
    }
}

impl Subject for Locked {
    type Spec = Counter;

    fn spec(&self) -> Counter {
        Counter
    }

    fn arrays(&self) -> Vec<Array> {
        let lock = Array::new("lock", 32, vec![0]);
        vec![if self.device_scope { lock } else { lock.in_block() }, Array::new("counter", 64, vec![0])]
    }

    fn about(&self) -> Vec<String> {
        vec!["A counter, and a lock that protects it: 0 is free, 1 is taken. The warps are of different blocks.".into()]
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, _call: &Call) -> Ret {
        let (lock, counter) = (m.w32(0), m.w64(1));
        // Acquire: pairs with the Release of the last holder.
        while w.elect(0, || lock.compare_exchange(0, 0, 1, Order::Acquire)) != 0 {
            w.pause();
        }
        // Relaxed, both: the lock orders them.
        let count = w.elect(0, || counter.load(0, ReadOrder::Relaxed));
        w.elect(0, || counter.store(0, count + 1, WriteOrder::Relaxed));
        // Release: pairs with the Acquire of the next holder.
        w.elect(0, || lock.store(0, 0, WriteOrder::Release));
        Ret::Count(count)
    }
}

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let config = Config { lanes: 1, ..Config::default() };
    let program = || vec![Call::new(Op::Other(0), 0, 0)];
    let mut scenario = Scenario::new("museum/36", "museum", config, vec![program(), program()]);
    scenario.apart = true;
    vec![Exhibit {
        id: "36",
        source: "PTX memory model, scopes",
        defect: "a lock of block scope is shared by two blocks: the next holder reads old values",
        kind: Kind::NotLinearizable,
        shows: "",
        snapshot: Snapshot::Hidden,
        lanes: true,
        scenario,
        published: run(Locked { device_scope: false }),
        repairs: vec![repair("the lock has the scope of the device", Locked { device_scope: true })],
    }]
}
