//! Litmus programs: a few instructions per thread, and which values their reads may have.

mod bound;
mod counts;
mod program;
mod published;
mod random;
mod suite;
mod twins;
mod walk;

use super::{Explore, buffering};
use crate::check::{Case, Config, Kind, Loads, Report, Scenario, Verdict, of_lanes};
use crate::engine::{Options, explore_subject};
use program::*;
use std::collections::BTreeSet;
use warpproof_model::spec::Call;
use warpproof_model::{Order, ReadOrder, WriteOrder};

/// A litmus test.
struct Test {
    subject: Threads,
    scenario: Scenario,
}

/// Threads that run side by side, one lane each.
fn threads(threads: &[&[Ins]]) -> Test {
    lanes(1, threads)
}

/// Warps of so many lanes.
fn lanes(lanes: u32, threads: &[&[Ins]]) -> Test {
    let config = Config { lanes, ..Config::default() };
    let programs = (0..threads.len()).map(|thread| vec![Call::new(RUN, thread as u64, 0)]).collect();
    let scenario = Scenario::new("litmus", "litmus", config, programs);
    let threads = threads.iter().map(|thread| thread.to_vec()).collect();
    Test { subject: Threads { threads, in_block: false, twins: false }, scenario }
}

impl Test {
    /// Words of block scope; each warp in a block of its own, or all in one.
    fn in_block(mut self, apart: bool) -> Self {
        (self.subject.in_block, self.scenario.apart) = (true, apart);
        self
    }

    /// Each warp in a block of its own.
    const fn apart(mut self) -> Self {
        self.scenario.apart = true;
        self
    }

    /// Shows the newest value of the words at the end.
    fn last(mut self) -> Self {
        self.scenario.finally = vec![Call::new(LAST, 0, 0)];
        self
    }

    fn report(&self) -> Report {
        self.report_by(1)
    }

    /// The report of an exploration by so many searches.
    fn report_by(&self, threads: usize) -> Report {
        self.report_with(&Options { threads, ..Options::default() })
    }

    fn report_with(&self, options: &Options) -> Report {
        explore_subject(&Explore, self.subject.clone(), &self.scenario, options).expect("a scenario")
    }

    /// The outcomes: what each thread read, `1 0 | 1`.
    fn outcomes(&self) -> BTreeSet<String> {
        let report = self.report();
        assert!(report.violation.is_none(), "{}", report.violation.expect("one").timeline());
        // A barrier can forbid the orders in which one thread runs after another: they are expected and not
        // seen.
        let waits = self.subject.threads.iter().flatten().any(|ins| matches!(ins, Ins::Barrier));
        let complete = report.verdict == Verdict::Passed || waits && report.verdict == Verdict::Blind;
        assert!(complete, "{:?}: {:?}", report.verdict, report.unseen);
        let reads = |part: &str| match part.trim().trim_start_matches("values").trim() {
            "" => "-".to_string(),
            reads => reads.to_string(),
        };
        let thread = |text: &str| text.split('|').map(reads).collect::<Vec<_>>().join(" | ");
        let all = |text: &String| text.split("=>").map(thread).collect::<Vec<_>>().join(" => ");
        report.outcomes.iter().map(all).collect()
    }

    /// All outcomes are these.
    #[track_caller]
    fn gives(&self, outcomes: &[&str]) {
        assert_eq!(self.outcomes(), outcomes.iter().map(ToString::to_string).collect());
    }

    /// There is an execution that breaks this.
    #[track_caller]
    fn breaks(&self, kind: Kind) {
        let violation = self.report().violation.map(|violation| violation.kind);
        assert_eq!(violation, Some(kind));
    }

    /// These outcomes are seen, and those are not.
    #[track_caller]
    fn allows(&self, allowed: &[&str], forbidden: &[&str]) {
        let seen = self.outcomes();
        for outcome in allowed {
            assert!(seen.contains(*outcome), "{outcome} is allowed; seen: {seen:?}");
        }
        for outcome in forbidden {
            assert!(!seen.contains(*outcome), "{outcome} is forbidden; seen: {seen:?}");
        }
    }

    /// The case that an engine makes of it.
    fn case(&self) -> Case {
        let subject = of_lanes(self.subject.clone(), self.scenario.config.lanes).expect("lanes");
        Case::new(subject, self.scenario.clone(), "explore", Loads::AsLoads, None).expect("no preload")
    }

    /// The cycles that this engine does not explore: a thread, the word that it reads, the one that it writes
    /// next, and the thread that writes what was read.
    fn buffers(&self) -> Vec<(usize, usize, usize, usize)> {
        let cycles = buffering::cycles(&self.case(), 10_000).expect("a small program");
        let words = cycles.iter().map(|cycle| {
            let [read, write] = [&cycle.read, &cycle.write].map(|half| usize::from(half.word));
            (cycle.read.warp, read, write, cycle.last.warp)
        });
        words.collect()
    }

    /// How many executions there are.
    fn executions(&self) -> u64 {
        let report = self.report();
        assert!(report.violation.is_none(), "{}", report.violation.expect("one").timeline());
        assert_eq!(report.verdict, Verdict::Passed, "{:?}", report.unseen);
        report.executions
    }
}
