//! A structure of your own under the checker: a ticket counter. `cargo run --example check_your_own`
//!
//! The first form reads, then writes, and hands out a ticket twice; the second adds in one step.

use warpproof::model::spec::{Call, Op, Ret, Spec};
use warpproof::model::{IntegerWords, Order, ReadOrder, Words, WriteOrder};
use warpproof::simt::check::{Array, Config, Memory, Scenario, SimWarp, Subject};
use warpproof::simt::engine::{Options, explore_subject};
use warpproof::simt::explore::Explore;

/// What it is, sequentially: each call gets the next number.
#[derive(Clone)]
struct Tickets {
    atomic: bool,
}

impl Spec for Tickets {
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

impl Subject for Tickets {
    type Spec = Self;
    fn spec(&self) -> Self {
        self.clone()
    }
    fn arrays(&self) -> Vec<Array> {
        vec![Array::new("counter", 64, vec![0])]
    }
    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, _call: &Call) -> Ret {
        let counter = m.w64(0);
        Ret::Count(w.elect(0, || {
            if self.atomic {
                return counter.fetch_add(0, 1, Order::Relaxed);
            }
            let seen = counter.load(0, ReadOrder::Relaxed);
            counter.store(0, seen + 1, WriteOrder::Relaxed);
            seen
        }))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let call = || vec![Call::new(Op::Other(0), 0, 0)];
    let config = Config { lanes: 2, ..Config::default() };
    let scenario = Scenario::new("two warps take a ticket", "tickets", config, vec![call(), call()]);
    for atomic in [false, true] {
        let report = explore_subject(&Explore, Tickets { atomic }, &scenario, &Options::default())?;
        println!("atomic: {atomic}: {} after {} executions", report.verdict, report.executions);
        if let Some(violation) = report.violation {
            println!("{}", violation.timeline());
        }
    }
    Ok(())
}
