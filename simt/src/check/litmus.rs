//! Litmus programs, for the canaries of every engine.

use super::{Anything, Array, Config, Memory, Scenario, SimWarp, Subject};
use std::collections::BTreeSet;
use warpproof_model::spec::{Call, Op, Ret};
use warpproof_model::{Block, IntegerWords, Order, ReadOrder, Words, WriteOrder};

/// A subject whose operations are small programs over two words; every return is allowed.
#[derive(Clone)]
pub(crate) struct Litmus;

/// The operations of [`Litmus`].
pub(crate) const LOAD_THEN_STORE: Op = Op::Other(0);
pub(crate) const LOAD: Op = Op::Other(1);
pub(crate) const PULSE: Op = Op::Other(2);
pub(crate) const LOOK: Op = Op::Other(3);
pub(crate) const STORE_FENCE_LOAD: Op = Op::Other(4);
pub(crate) const STORE_LOAD: Op = Op::Other(5);
pub(crate) const WILD: Op = Op::Other(6);
pub(crate) const WAIT: Op = Op::Other(7);
pub(crate) const MEET: Op = Op::Other(8);
pub(crate) const SEND: Op = Op::Other(9);
pub(crate) const RECEIVE: Op = Op::Other(10);
pub(crate) const SEND_RELAXED: Op = Op::Other(11);
pub(crate) const STORE: Op = Op::Other(12);
pub(crate) const SWAP: Op = Op::Other(13);
pub(crate) const LOAD_TWICE: Op = Op::Other(14);
pub(crate) const LOAD_THEN_STORE_OTHER: Op = Op::Other(15);

impl Subject for Litmus {
    type Spec = Anything;

    fn spec(&self) -> Anything {
        Anything
    }

    fn arrays(&self) -> Vec<Array> {
        vec![Array::new("word", 64, vec![0, 0])]
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let words = m.w64(0);
        let load = |at| words.load(at, ReadOrder::Relaxed);
        let store = |at, value| words.store(at, value, WriteOrder::Relaxed);
        let me = call.key as usize;
        match call.op {
            LOAD_THEN_STORE => {
                load(0);
                store(0, 1);
            }
            LOAD => return Ret::Count(load(0)),
            PULSE => {
                store(0, 1);
                store(1, 1);
                store(1, 0);
                load(0);
                store(0, 0);
            }
            LOOK => return Ret::Count(10 * load(1) + load(0)),
            STORE_FENCE_LOAD => {
                store(me, 1);
                w.fence();
                return Ret::Count(load(1 - me));
            }
            STORE_LOAD => {
                store(me, 1);
                return Ret::Count(load(1 - me));
            }
            WILD => return Ret::Count(load(2)),
            WAIT => {
                while load(0) == 0 {
                    w.pause();
                }
            }
            MEET => w.block().sync(),
            SEND => {
                store(0, 7);
                words.fetch_add(1, 1, Order::Release);
            }
            SEND_RELAXED => {
                store(0, 7);
                words.fetch_add(1, 1, Order::Relaxed);
            }
            RECEIVE => {
                let flag = words.load(1, ReadOrder::Acquire);
                return Ret::Values(vec![flag, load(0)]);
            }
            // The key is what is stored.
            STORE => store(0, call.key),
            SWAP => return Ret::Count(words.swap(0, call.key, Order::Relaxed)),
            LOAD_TWICE => return Ret::Values(vec![load(0), load(0)]),
            // The key is the word that is loaded.
            LOAD_THEN_STORE_OTHER => {
                let seen = load(me);
                store(1 - me, 1);
                return Ret::Count(seen);
            }
            _ => {}
        }
        Ret::Done
    }
}

/// A scenario of [`Litmus`]: a program per warp.
pub(crate) fn scenario(programs: &[&[(Op, u64)]]) -> Scenario {
    let config = Config { lanes: 1, ..Config::default() };
    let call = |&(op, key): &(Op, u64)| Call::new(op, key, 0);
    let programs = programs.iter().map(|calls| calls.iter().map(call).collect());
    Scenario::new("litmus", "litmus", config, programs.collect())
}

/// A set of outcomes.
pub(crate) fn set(texts: &[&str]) -> BTreeSet<String> {
    texts.iter().map(ToString::to_string).collect()
}
