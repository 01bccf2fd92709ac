//! A structure of your own: families of programs on it, and one call that explores them.
//!
//! ```
//! use warpproof_model::spec::{Call, Counter, Op, Ret};
//! use warpproof_model::{IntegerWords, Order};
//! use warpproof_simt::arrays;
//! use warpproof_simt::check::{Array, Memory, SimWarp, Subject};
//! use warpproof_simt::own::{Suite, explore};
//!
//! arrays! { Parts: count: w32 = vec![0] }
//!
//! /// A counter to which a warp adds as one.
//! #[derive(Clone)]
//! struct Sum;
//!
//! impl Subject for Sum {
//!     type Spec = Counter;
//!
//!     fn spec(&self) -> Counter {
//!         Counter
//!     }
//!     fn arrays(&self) -> Vec<Array> {
//!         Parts::arrays()
//!     }
//!     fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
//!         let add = || Parts::count(m).fetch_add(0, call.value as u32, Order::Relaxed);
//!         Ret::Count(w.elect(0, add).into())
//!     }
//! }
//!
//! let suite = Suite::new("sum", &[Op::InsertOrAdd]).lanes(2);
//! let explored = explore(&Sum, &[suite.pairs(), suite.triples()].concat())?;
//! assert_eq!(explored.scenarios, 3);
//! # Ok::<(), warpproof_simt::own::Failed>(())
//! ```
//!
//! In a test, [`check!`](crate::check!) does the same and shows the trace of a violation.

use crate::check::{Config, Report, Scenario, ScenarioError, Subject, Verdict, Violation, of_lanes};
use crate::engine::{Engine, Limits, Options, minimise};
use crate::explore::Explore;
use crate::scenarios::dice::Dice;
use crate::scenarios::family::{self, Keys, Programs};
use crate::scenarios::form;
use core::fmt;
use rayon::prelude::*;
use warpproof_model::spec::{Call, Op};

/// Gives the arrays of a structure names: a type with a function for each, which takes the memory that
/// [`Subject::run`] gets, and `arrays` for [`Subject::arrays`].
///
/// `name: w32 = words` has words of 32 bits, `w64` and `w128` have more; `words` are what they hold at first.
///
/// ```
/// use warpproof_simt::arrays;
///
/// arrays! {
///     /// The memory of a list.
///     List: head: w32 = vec![u32::MAX.into()], nodes: w64 = vec![0; 8]
/// }
/// assert_eq!(List::arrays()[1].initial.len(), 8);
/// ```
#[macro_export]
macro_rules! arrays {
    ($(#[$about:meta])* $vis:vis $name:ident: $($array:ident: $width:ident = $words:expr),+ $(,)?) => {
        $(#[$about])*
        $vis struct $name;

        const _: () = {
            #[allow(non_camel_case_types)]
            enum Number { $($array),+ }

            impl $name {
                /// The arrays, as they are before the preload.
                $vis fn arrays() -> ::std::vec::Vec<$crate::check::Array> {
                    ::std::vec![$($crate::check::Array::new(
                        ::core::stringify!($array),
                        $crate::arrays!(@bits $width),
                        $words,
                    )),+]
                }
                $(
                    /// The array of this name.
                    #[inline(always)]
                    $vis fn $array<M: $crate::check::Memory>(m: M) -> $crate::arrays!(@type $width M) {
                        m.$width(Number::$array as usize)
                    }
                )+
            }
        };
    };
    (@bits w32) => { 32 };
    (@bits w64) => { 64 };
    (@bits w128) => { 128 };
    (@type w32 $m:ident) => { $m::W32 };
    (@type w64 $m:ident) => { $m::W64 };
    (@type w128 $m:ident) => { $m::W128 };
}

/// Explores scenarios of a structure of your own, as [`explore`](crate::own::explore) does, and panics with the
/// trace of the first violation: for tests.
///
/// ```should_panic
/// # use warpproof_model::spec::{Call, Counter, Op, Ret};
/// # use warpproof_model::{ReadOrder, Words, WriteOrder};
/// # use warpproof_simt::check::{Array, Memory, SimWarp, Subject};
/// # use warpproof_simt::{arrays, check, own::Suite};
/// # arrays! { Parts: count: w32 = vec![0] }
/// # #[derive(Clone)]
/// # struct Torn;
/// # impl Subject for Torn {
/// #     type Spec = Counter;
/// #     fn spec(&self) -> Counter { Counter }
/// #     fn arrays(&self) -> Vec<Array> { Parts::arrays() }
/// #     fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
/// #         Ret::Count(w.elect(0, || {
/// #             let seen = Parts::count(m).load(0, ReadOrder::Relaxed);
/// #             Parts::count(m).store(0, seen + call.value as u32, WriteOrder::Relaxed);
/// #             seen
/// #         }).into())
/// #     }
/// # }
/// // Torn is a counter whose additions read first and write later.
/// check!(Torn, Suite::new("torn", &[Op::InsertOrAdd]).pairs());
/// ```
#[macro_export]
macro_rules! check {
    ($subject:expr, $($scenarios:expr),+ $(,)?) => {
        match $crate::own::explore(&$subject, &[$($scenarios),+].concat()) {
            Ok(explored) => println!("{explored}"),
            Err(failed) => panic!("{failed}"),
        }
    };
}

/// What a family of scenarios is made of: the operations, the keys, and the table's size.
///
/// Each call that stores has a value of its own, so that a lost or a torn one is seen. Scenarios have names: the
/// suite's, then the calls of each warp, as in `mine/insert_unique@1+search@1`.
#[derive(Clone, Debug)]
pub struct Suite {
    name: String,
    ops: Vec<Op>,
    keys: Vec<u64>,
    config: Config,
    preload: Vec<Call>,
    finally: Vec<Op>,
    full: bool,
    values: Option<u64>,
}

impl Suite {
    /// Of these operations, on key 1, by warps of one lane, on a structure that holds nothing.
    pub fn new(name: &str, ops: &[Op]) -> Self {
        Self {
            name: name.to_owned(),
            ops: ops.to_vec(),
            keys: vec![1],
            config: Config { lanes: 1, ..Config::default() },
            preload: Vec::new(),
            finally: Vec::new(),
            full: false,
            values: None,
        }
    }

    /// On these keys. An object without keys, such as a queue, has one.
    #[must_use]
    pub fn keys(self, keys: &[u64]) -> Self {
        Self { keys: keys.to_vec(), ..self }
    }

    /// By warps of so many lanes: 1, 2 or 4.
    #[must_use]
    pub fn lanes(self, lanes: u32) -> Self {
        Self { config: Config { lanes, ..self.config }, ..self }
    }

    /// Of a structure that these calls, made one after the other, have filled before.
    #[must_use]
    pub fn preload(self, calls: &[(Op, u64)]) -> Self {
        let call = |(number, &(op, key)): (usize, &(Op, u64))| Call::new(op, key, 100 + number as u64);
        Self { preload: calls.iter().enumerate().map(call).collect(), ..self }
    }

    /// In the end, when all warps have finished, each of these operations is called on each key.
    #[must_use]
    pub fn finally(self, ops: &[Op]) -> Self {
        Self { finally: ops.to_vec(), ..self }
    }

    /// A call may find no room. Otherwise that is a violation.
    #[must_use]
    pub fn may_fill(self) -> Self {
        Self { full: true, ..self }
    }

    /// Every call that stores has this value, and not one of its own: 0 for a set, which has no values, or 1 for a
    /// counter that hands out tickets.
    #[must_use]
    pub fn values(self, value: u64) -> Self {
        Self { values: Some(value), ..self }
    }

    /// Every pair of calls, by two warps.
    pub fn pairs(&self) -> Vec<Scenario> {
        self.of_shape(&[1, 1])
    }

    /// Every two calls of one warp beside one of another; every three calls by three warps.
    pub fn triples(&self) -> Vec<Scenario> {
        [self.of_shape(&[2, 1]), self.of_shape(&[1, 1, 1])].concat()
    }

    /// Every pair of calls, of which the first stops for ever at each of its steps in turn: the second one finishes
    /// all the same, as in a structure without locks.
    pub fn stalls(&self) -> Vec<Scenario> {
        self.ordered_pairs().into_iter().map(|scenario| form::stalled(scenario, |_| false)).collect()
    }

    /// The same of a structure that may wait: what the second one does is checked if it finishes.
    pub fn stalls_that_block(&self) -> Vec<Scenario> {
        self.ordered_pairs().into_iter().map(|scenario| form::stalled(scenario, |_| true)).collect()
    }

    /// All programs of so many calls, by four warps at most, up to symmetry.
    pub fn depth(&self, calls: usize) -> Vec<Scenario> {
        family::shapes(calls, WARPS).iter().flat_map(|shape| self.of_shape(shape)).collect()
    }

    /// `n` programs of two to four warps with one to three calls each, drawn at random. A seed gives the same ones
    /// each time.
    pub fn random(&self, seed: usize, n: usize) -> Vec<Scenario> {
        if self.ops.is_empty() || self.keys.is_empty() {
            return Vec::new();
        }
        let mut dice = Dice::new(seed);
        let mut scenario = |number: usize| {
            let mut programs: Programs = vec![Vec::new(); 2 + dice.roll(WARPS - 1)];
            for program in &mut programs {
                let calls = 1 + dice.roll(3);
                let step = |_| (self.ops[dice.roll(self.ops.len())], self.keys[dice.roll(self.keys.len())]);
                program.extend((0..calls).map(step));
            }
            let mut scenario = self.scenario(&programs);
            scenario.name += &format!("/random_{seed}_{number}");
            scenario
        };
        (0..n).map(&mut scenario).collect()
    }

    /// All programs of a shape: how many calls each warp makes, the largest first; up to symmetry.
    pub fn of_shape(&self, shape: &[usize]) -> Vec<Scenario> {
        if self.ops.is_empty() || self.keys.is_empty() {
            return Vec::new();
        }
        let keys = Keys { fixed: self.keys.clone(), free: Vec::new(), most: self.keys.len() };
        family::programs(shape, &self.ops, &keys).iter().map(|programs| self.scenario(programs)).collect()
    }

    /// Pairs in which either call is the first.
    fn ordered_pairs(&self) -> Vec<Scenario> {
        let turned = |scenario: &Scenario| {
            let programs: Programs = scenario.programs.iter().rev().map(|calls| steps(calls)).collect();
            (programs[0] != programs[1]).then(|| self.scenario(&programs))
        };
        let pairs = self.pairs();
        let others: Vec<Scenario> = pairs.iter().filter_map(turned).collect();
        [pairs, others].concat()
    }

    fn scenario(&self, programs: &Programs) -> Scenario {
        let called = |(op, key): &family::Step| format!("{op}@{key}");
        let mut scenario = form::scenario((&self.name, "own"), self.config.clone(), programs, called, true);
        scenario.name = scenario.name.trim_end_matches("/own").to_owned();
        if let Some(value) = self.values {
            let calls = scenario.programs.iter_mut().flatten();
            calls.filter(|call| form::stores(call.op)).for_each(|call| call.value = value);
        }
        let before = |call: &Call| Call { value: self.values.unwrap_or(call.value), ..call.clone() };
        scenario.preload = self.preload.iter().map(before).collect();
        let each = |&key: &u64| self.finally.iter().map(move |&op| Call::new(op, key, 0));
        scenario.finally = self.keys.iter().flat_map(each).collect();
        scenario.allows.full = self.full;
        scenario
    }
}

/// Warps of one scenario, at most.
const WARPS: usize = 4;

fn steps(calls: &[Call]) -> Vec<family::Step> {
    calls.iter().map(|call| (call.op, call.key)).collect()
}

/// What was explored, all of it without a violation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Explored {
    /// How many scenarios.
    pub scenarios: usize,
    /// All executions of them.
    pub executions: u64,
}

impl fmt::Display for Explored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} scenarios, {} executions, no violation", self.scenarios, self.executions)
    }
}

/// Why exploring has failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Failed {
    /// A scenario is violated: the first one in their order, made smaller. It shows the trace.
    Violated(Box<Violation>),
    /// The scenario of this name was not explored to its end.
    NotComplete(String),
    /// The scenario of this name is none.
    Scenario(String, ScenarioError),
    /// There were no scenarios, which shows nothing.
    Nothing,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Violated(violation) => f.write_str(violation.timeline().trim_end()),
            Self::NotComplete(name) => write!(f, "{name} was not explored to its end"),
            Self::Scenario(name, error) => write!(f, "{name}: {error}"),
            Self::Nothing => f.write_str("there are no scenarios"),
        }
    }
}

impl core::error::Error for Failed {}

/// Explores all executions of scenarios of a structure of your own, side by side on rayon's threads.
///
/// # Errors
/// [`Failed`].
pub fn explore<S: Subject>(subject: &S, scenarios: &[Scenario]) -> Result<Explored, Failed> {
    explore_with(&Explore, subject, (scenarios, &Options::default()))
}

/// The same by another engine, or as these options say.
///
/// # Errors
/// As [`explore`].
pub fn explore_with<S: Subject>(
    engine: &dyn Engine,
    subject: &S,
    (scenarios, options): (&[Scenario], &Options),
) -> Result<Explored, Failed> {
    if scenarios.is_empty() {
        return Err(Failed::Nothing);
    }
    let one = |scenario: &Scenario, options: &Options| -> Result<Report, ScenarioError> {
        let lanes = scenario.config.lanes;
        let subject = of_lanes(subject.clone(), lanes).ok_or(ScenarioError::Lanes(lanes))?;
        engine.explore_any(&subject, scenario, options)
    };
    let reports: Vec<_> = scenarios.par_iter().map(|scenario| one(scenario, options)).collect();
    let mut explored = Explored { scenarios: scenarios.len(), executions: 0 };
    for (scenario, report) in scenarios.iter().zip(reports) {
        let report = report.map_err(|error| Failed::Scenario(scenario.name.clone(), error))?;
        if let Some(violation) = report.violation {
            let smaller = minimise(&violation, options, &Limits::default(), &one);
            return Err(Failed::Violated(Box::new(smaller)));
        }
        if !matches!(report.verdict, Verdict::Passed | Verdict::Sampled) {
            return Err(Failed::NotComplete(report.scenario));
        }
        explored.executions += report.executions;
    }
    Ok(explored)
}

/// The code of the guide is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../GUIDE.md")]
pub struct Guide;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Array, Kind, Memory, SimWarp};
    use warpproof_model::spec::{Counter, Queue, Ret};
    use warpproof_model::{IntegerWords, Order, ReadOrder, Words, WriteOrder};

    arrays! { Parts: head: w32 = vec![0], tail: w32 = vec![0], cells: w64 = vec![0; 4] }

    /// A counter; wrong where it reads first and writes later.
    #[derive(Clone)]
    struct Sum {
        at_once: bool,
    }

    impl Subject for Sum {
        type Spec = Counter;

        fn spec(&self) -> Counter {
            Counter
        }
        fn arrays(&self) -> Vec<Array> {
            Parts::arrays()
        }
        fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
            let (count, more) = (Parts::head(m), call.value as u32);
            let was = w.elect(0, || match call.op {
                Op::InsertOrAdd if self.at_once => count.fetch_add(0, more, Order::Relaxed),
                Op::InsertOrAdd => {
                    let was = count.load(0, ReadOrder::Relaxed);
                    count.store(0, was + more, WriteOrder::Relaxed);
                    was
                }
                _ => count.load(0, ReadOrder::Relaxed),
            });
            Ret::Count(was.into())
        }
    }

    const OPS: [Op; 2] = [Op::InsertOrAdd, Op::Count];

    #[test]
    fn a_counter_is_explored_in_every_family() {
        for lanes in [1, 2] {
            let suite =
                Suite::new("sum", &OPS).lanes(lanes).preload(&[(Op::InsertOrAdd, 1)]).finally(&[Op::Count]);
            let families = [
                (suite.pairs(), 3),
                (suite.triples(), 8 + 4),
                (suite.stalls(), 4),
                (suite.depth(2), 4 + 3),
                (suite.random(7, 20), 20),
            ];
            for (scenarios, expected) in families {
                assert_eq!(scenarios.len(), expected, "{:?}", scenarios.first());
                let explored = explore(&Sum { at_once: true }, &scenarios).expect("no violation");
                assert_eq!(explored.scenarios, expected);
                assert!(explored.executions >= expected as u64);
            }
        }
    }

    #[test]
    fn a_wrong_counter_is_found_and_its_scenario_made_smaller() {
        let suite = Suite::new("sum", &OPS).keys(&[1, 2]);
        let Err(Failed::Violated(violation)) = explore(&Sum { at_once: false }, &suite.triples()) else {
            panic!("two read the same number")
        };
        assert_eq!(violation.kind, Kind::NotLinearizable);
        assert_eq!(violation.scenario.calls().count(), 2, "{}", violation.headline());
        let shown = Failed::Violated(violation).to_string();
        assert!(shown.contains("load Relaxed head[0]: 0"), "{shown}");
    }

    #[test]
    fn what_was_not_explored_is_no_success() {
        let sum = Sum { at_once: true };
        assert!(matches!(explore(&sum, &[]), Err(Failed::Nothing)));
        assert!(
            Suite::new("sum", &[]).pairs().is_empty() && Suite::new("sum", &OPS).keys(&[]).pairs().is_empty()
        );
        let pairs = Suite::new("sum", &OPS).pairs();
        let few = Options { max_executions: Some(1), ..Options::default() };
        let capped = explore_with(&Explore, &sum, (&pairs, &few));
        assert!(matches!(capped, Err(Failed::NotComplete(name)) if name.starts_with("sum/insert_or_add@1")));
        let wide = Suite::new("sum", &OPS).lanes(3).pairs();
        assert!(matches!(explore(&sum, &wide), Err(Failed::Scenario(_, ScenarioError::Lanes(3)))));
    }

    #[test]
    fn random_programs_are_those_of_their_seed() {
        let suite = Suite::new("sum", &OPS).keys(&[1, 2]);
        assert_eq!(suite.random(3, 9), suite.random(3, 9));
        assert_ne!(suite.random(3, 9), suite.random(4, 9));
        let programs = |s: &Scenario| s.programs.iter().all(|calls| (1..=3).contains(&calls.len()));
        assert!(suite.random(3, 99).iter().all(|s| (2..=4).contains(&s.programs.len()) && programs(s)));
    }

    /// A queue of four cells that are never used again: a ticket for each end.
    #[derive(Clone)]
    struct Tickets;

    impl Subject for Tickets {
        type Spec = Queue;

        fn spec(&self) -> Queue {
            Queue { may_fill: true }
        }
        fn arrays(&self) -> Vec<Array> {
            Parts::arrays()
        }
        fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
            let cells = Parts::cells(m);
            let taken: u64 = w.elect(0, || match call.op {
                Op::Insert => {
                    let at = Parts::tail(m).fetch_add(0, 1, Order::AcqRel);
                    cells.store(at as usize, call.value, WriteOrder::Release);
                    0
                }
                _ => {
                    let at = Parts::head(m).load(0, ReadOrder::Acquire);
                    let value = cells.load(at as usize, ReadOrder::Acquire);
                    let ours =
                        value != 0 && Parts::head(m).compare_exchange(0, at, at + 1, Order::AcqRel) == at;
                    if ours { value } else { 0 }
                }
            });
            if call.op == Op::Insert { Ret::Inserted } else { Ret::Value((taken != 0).then_some(taken)) }
        }
    }

    #[test]
    fn a_queue_that_gives_up_is_no_queue() {
        let suite = Suite::new("queue", &[Op::Insert, Op::Delete]);
        assert_eq!(explore(&Tickets, &suite.of_shape(&[3])).expect("alone it is one").scenarios, 8);
        let Err(Failed::Violated(violation)) = explore(&Tickets, &suite.depth(3)) else {
            panic!("an insert may not have stored its value yet, and a delete may lose its exchange")
        };
        assert_eq!(violation.kind, Kind::NotLinearizable);
    }
}
