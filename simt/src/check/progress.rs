//! Bounds on the work of one call: every call is checked against the structure's promise, whatever the
//! engine.

use super::panics::explored;
use super::{Access, AnySubject, Breach, Case, Cells, Hooks, Kind, View, message};
use std::any::Any;
use std::cell::Cell;
use std::panic::resume_unwind;
use std::sync::atomic::Ordering;
use warpproof_model::spec::{Call, Ret};

/// A call went beyond its bound: what it leaves its warp with.
struct Beyond(String);

/// The words of a call, whose accesses are counted.
struct Counted<'a> {
    cells: &'a dyn Cells,
    subject: &'a dyn AnySubject,
    most: u32,
    count: Cell<u32>,
}

impl Cells for Counted<'_> {
    fn len(&self, array: usize) -> usize {
        self.cells.len(array)
    }

    fn access(&self, array: usize, index: usize, access: Access) -> u128 {
        if self.subject.counts(array, access) {
            if self.count.get() == self.most {
                resume_unwind(Box::new(Beyond(format!(
                    "a call begins round {} of at most {}",
                    self.most + 1,
                    self.most
                ))));
            }
            self.count.set(self.count.get() + 1);
        }
        self.cells.access(array, index, access)
    }
}

impl Case {
    /// Runs a call, whose warp has these hooks and words. A call with a bound ends there, if it goes beyond
    /// it.
    pub(crate) fn run(&self, hooks: &dyn Hooks, cells: &dyn Cells, call: &Call) -> Ret {
        let run = |cells| explored(|| self.subject.run(hooks, View(cells), call));
        let Some(most) = self.subject.bound(call) else { return run(cells) };
        let counted = Counted { cells, subject: &*self.subject, most, count: Cell::new(0) };
        let ret = run(&counted);
        // Relaxed: the largest of many, read when all searches have ended.
        self.longest.fetch_max(counted.count.get(), Ordering::Relaxed);
        ret
    }
}

/// What a call of `warp` did that was left by unwinding.
pub(crate) fn thrown(warp: usize, payload: &(dyn Any + Send)) -> Breach {
    match payload.downcast_ref::<Beyond>() {
        Some(Beyond(detail)) => Breach::new(Kind::Bound, format!("warp {warp}: {detail}")),
        None => Breach::new(Kind::Panic, format!("warp {warp}: {}", message(payload))),
    }
}

/// Whether a call was left because of what it did, and not by its engine.
#[cfg(any(feature = "loom", feature = "shuttle"))]
pub(crate) fn is_thrown(payload: &(dyn Any + Send)) -> bool {
    payload.is::<Beyond>() || payload.is::<String>() || payload.is::<&str>()
}

#[cfg(test)]
mod tests {
    use crate::check::{
        Access, Array, Config, Kind, Memory, Report, Scenario, SimWarp, Stall, Subject, Verdict,
    };
    use crate::engine::{Options, explore_subject};
    use crate::explore::Explore;
    use warpproof_model::spec::{Call, Op, Ret, Spec};
    use warpproof_model::{IntegerWords, Order, ReadOrder, Words, WriteOrder};

    const ADD: Op = Op::Other(0);
    const READ: Op = Op::Other(1);

    /// How a counter adds.
    #[derive(Clone, Copy)]
    enum Adds {
        /// By one addition.
        AtOnce,
        /// By exchanges, until one succeeds.
        ByExchanges,
        /// With a lock, which a read waits for, too.
        Locked,
    }

    /// A counter that promises one exchange or addition per call, and reads that never wait.
    #[derive(Clone)]
    struct Counter(Adds);

    impl Spec for Counter {
        type State = u64;
        fn initial(&self, _key: u64) -> u64 {
            0
        }
        fn step(&self, state: &u64, call: &Call, ret: Option<&Ret>, next: &mut Vec<u64>) {
            match call.op {
                ADD => next.push(state + 1),
                _ if ret.is_some_and(|ret| *ret != Ret::Count(*state)) => {}
                _ => next.push(*state),
            }
        }
    }

    impl Subject for Counter {
        type Spec = Self;
        fn spec(&self) -> Self {
            self.clone()
        }
        fn arrays(&self) -> Vec<Array> {
            vec![Array::new("count", 64, vec![0]), Array::new("lock", 32, vec![0])]
        }
        fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
            let (count, lock) = (m.w64(0), m.w32(1));
            let locks = matches!(self.0, Adds::Locked);
            while locks && w.elect(0, || lock.swap(0, 1, Order::AcqRel)) != 0 {
                w.pause();
            }
            let read = |w: &mut W| w.elect(0, || count.load(0, ReadOrder::Relaxed));
            let ret = match (call.op, self.0) {
                (READ, _) => Ret::Count(read(w)),
                (_, Adds::ByExchanges) => {
                    let mut old = read(w);
                    loop {
                        let seen = w.elect(0, || count.compare_exchange(0, old, old + 1, Order::Relaxed));
                        if seen == old {
                            break Ret::Done;
                        }
                        old = seen;
                    }
                }
                _ => {
                    w.elect(0, || count.fetch_add(0, 1, Order::Relaxed));
                    Ret::Done
                }
            };
            if locks {
                w.elect(0, || lock.store(0, 0, WriteOrder::Release));
            }
            ret
        }
        fn bound(&self, _call: &Call) -> Option<u32> {
            Some(1)
        }
        fn counts(&self, array: usize, access: Access) -> bool {
            array == 0 && !matches!(access, Access::Load(_))
        }
        fn reads_after_stall(&self) -> bool {
            true
        }
    }

    fn explore(adds: Adds, programs: &[&[Op]], stall: bool) -> Report {
        let calls = |ops: &&[Op]| ops.iter().map(|op| Call::new(*op, 0, 0)).collect();
        let config = Config { lanes: 1, ..Config::default() };
        let mut scenario = Scenario::new("counter", "counter", config, programs.iter().map(calls).collect());
        scenario.finally = vec![Call::new(READ, 0, 0)];
        scenario.stall = stall.then_some(Stall { warp: 0, after: None });
        scenario.allows.blocking = true;
        explore_subject(&Explore, Counter(adds), &scenario, &Options::default()).expect("a scenario")
    }

    fn kind(report: &Report) -> Option<Kind> {
        report.violation.as_ref().map(|violation| violation.kind)
    }

    /// A warp that adds by exchanges takes longer the more other warps there are.
    #[test]
    fn a_call_beyond_its_bound_is_found() {
        for programs in [&[&[ADD][..], &[ADD, ADD]][..], &[&[ADD], &[ADD], &[READ]]] {
            let right = explore(Adds::AtOnce, programs, false);
            assert_eq!((right.verdict, right.longest), (Verdict::Passed, 1));
            let wrong = explore(Adds::ByExchanges, programs, false);
            assert_eq!(kind(&wrong), Some(Kind::Bound));
        }
        assert_eq!(explore(Adds::ByExchanges, &[&[ADD, ADD]], false).verdict, Verdict::Passed);
    }

    /// A warp that stops in a call blocks no reader, unless there is a lock.
    #[test]
    fn reads_are_asked_after_a_stall() {
        let right = explore(Adds::AtOnce, &[&[ADD], &[READ]], true);
        assert_eq!((right.verdict, right.longest), (Verdict::Passed, 1));
        assert!(right.outcomes.iter().any(|outcome| outcome.contains("=> count 1")), "{:?}", right.outcomes);
        let wrong = explore(Adds::Locked, &[&[ADD], &[READ]], true);
        assert_eq!(kind(&wrong), Some(Kind::StepBound));
    }
}
