//! The pool whose nodes are used again while turns run, without a table: what a turn did before it ended is
//! known to the turn that takes a node which it had retired. The calls of a table learn that in other ways as
//! well, from the heads that they read.

use crate::check::{
    Array, Breach, Config, Kind, Memory, Scenario, ScenarioError, SimWarp, Subject, of_lanes,
};
use crate::scenarios::form;
use crate::scenarios::table::Made;
use warpproof_model::reclaim::{EPOCH_BITMAPS, EPOCH_WORDS, EpochPool, Epochs, NodeIndex, Pool};
use warpproof_model::spec::{Call, Op, Ret, Spec};
use warpproof_model::{ReadOrder, Words, WriteOrder};

/// The structure of these scenarios.
pub const TURNS: &str = "waitfree_turns";

/// A turn that writes a node, and retires it. The key is its number.
pub const RETIRE: Op = Op::Other(0);
/// A turn that takes a node, if one is free, and reads what was written to it. If the key is not zero, a turn
/// if that is the epoch now: so fewer executions have to be explored.
pub const TAKE: Op = Op::Other(1);
/// A turn that does nothing: epochs go on. The key is as that of [`TAKE`].
pub const PASS: Op = Op::Other(2);

/// The arrays.
const USED: usize = 0;
const RETIRED: usize = 1;
const STASHES: usize = 2;
const EPOCHS: usize = 3;
const NODES: usize = 4;

/// The word of the epoch.
const EPOCH: usize = 0;

/// Nodes. At first all are in use, and belong to the calls that retire them.
const LEN: u32 = 2;

/// Every node that is taken shows what was last written to it.
#[derive(Clone, Copy, Debug)]
pub struct Written;

impl Spec for Written {
    type State = ();

    fn initial(&self, _: u64) {}

    fn step(&self, (): &(), call: &Call, ret: Option<&Ret>, next: &mut Vec<()>) {
        let is_right = match ret {
            None => true,
            Some(Ret::Value(word)) => call.op == TAKE && word.is_none_or(|word| word == 1),
            Some(ret) => call.op != TAKE && *ret == Ret::Done,
        };
        if is_right {
            next.push(());
        }
    }
}

/// The turns of warps on one pool.
#[derive(Clone, Debug)]
pub struct TurnsSubject {
    warps: usize,
}

impl TurnsSubject {
    /// The pool of a scenario.
    ///
    /// # Errors
    /// If it has other calls.
    pub fn new(scenario: &Scenario) -> Result<Self, ScenarioError> {
        let is_known = |call: &Call| match call.op {
            RETIRE => call.key < LEN.into(),
            op => op == TAKE || op == PASS,
        };
        if !scenario.calls().all(is_known) {
            return Err(ScenarioError::Shape(format!("turns retire one of {LEN} nodes, take one, or pass")));
        }
        Ok(Self { warps: scenario.programs.len() })
    }
}

fn pool<M: Memory>(m: M) -> EpochPool<M::W32, M::W64> {
    EpochPool::new(m.w32(USED), m.w32(RETIRED), m.w64(STASHES), Epochs::new(m.w64(EPOCHS)), 1)
}

impl Subject for TurnsSubject {
    type Spec = Written;

    fn spec(&self) -> Written {
        Written
    }

    fn arrays(&self) -> Vec<Array> {
        vec![
            Array::new("used", 32, vec![u32::MAX.into()]),
            Array::new("retired", 32, vec![0; EPOCH_BITMAPS]),
            Array::new("stashes", 64, vec![0; self.warps]),
            Array::new("epochs", 64, vec![0; EPOCH_WORDS]),
            Array::new("nodes", 32, vec![0; LEN as usize]),
        ]
    }

    /// The last lane writes and reads nodes, and the first one counts turns.
    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let (pool, nodes, last) = (pool(m), m.w32(NODES), W::LANES - 1);
        if call.op != RETIRE && call.key != 0 {
            // Relaxed: what other turns did is not known by that.
            let epoch = w.elect(0, || m.w64(EPOCHS).load(EPOCH, ReadOrder::Relaxed));
            if epoch != call.key {
                return if call.op == TAKE { Ret::Value(None) } else { Ret::Done };
            }
        }
        pool.turn(w, |w, stash| match call.op {
            RETIRE => {
                // Relaxed, here and below: the end of this turn, and the begin of a later one, order them.
                w.elect(last, || nodes.store(call.key as usize, 1, WriteOrder::Relaxed));
                pool.retire(w, stash, NodeIndex(call.key as u32));
                Ret::Done
            }
            TAKE => {
                let node = pool.take(w, stash);
                Ret::Value(
                    node.map(|node| w.elect(last, || nodes.load(node.0 as usize, ReadOrder::Relaxed)).into()),
                )
            }
            _ => Ret::Done,
        })
    }

    fn check_state<W: SimWarp, M: Memory>(&self, _: &mut W, m: M) -> Result<(), Breach> {
        pool(m).check(LEN).map_err(|NodeIndex(node)| Breach::new(Kind::Invariant, format!("node {node}")))
    }

    fn about(&self) -> Vec<String> {
        vec!["op0 retires the node of its key, op1 takes one, op2 is a turn that does nothing.".to_string()]
    }
}

pub(super) fn subject(scenario: &Scenario) -> Made {
    if scenario.structure != TURNS {
        return crate::scenarios::checked::none(scenario);
    }
    let lanes = scenario.config.lanes;
    of_lanes(TurnsSubject::new(scenario)?, lanes).ok_or(ScenarioError::Lanes(lanes))
}

/// A turn that retires a node, and later ones, of which one takes it: of one other warp, of two, and of
/// three. Of several others each knows only what the one before it has handed on.
pub(super) fn handed_on() -> Vec<Scenario> {
    let retired = [(RETIRE, 0)];
    vec![
        turns(1, &[&retired, &[(PASS, 0), (PASS, 0), (TAKE, 0)]]),
        turns(2, &[&retired, &[(PASS, 0), (PASS, 0), (TAKE, 0)]]),
        turns(1, &[&retired, &[(PASS, 1)], &[(PASS, 2)], &[(TAKE, 3)]]),
        turns(2, &[&retired, &[(PASS, 1), (PASS, 2)], &[(TAKE, 3)]]),
    ]
}

fn turns(lanes: u32, programs: &[&[(Op, u64)]]) -> Scenario {
    let programs = programs.iter().map(|program| program.to_vec()).collect();
    let called = |&(op, key): &(Op, u64)| match op {
        RETIRE => format!("retire@{key}"),
        TAKE => format!("take@{key}"),
        _ => format!("pass@{key}"),
    };
    let place = format!("{lanes}_lanes");
    form::scenario((TURNS, &place), Config { lanes, ..Config::default() }, &programs, called, false)
}
