//! The engines of this build. This list is above all modules that it names: none of them knows which engines
//! exist.

use crate::engine::Engine;

/// All of them.
pub fn engines() -> &'static [&'static dyn Engine] {
    &[
        &crate::explore::Explore,
        &crate::stateful::Stateful,
        #[cfg(feature = "loom")]
        &crate::loom::Loom,
        #[cfg(feature = "shuttle")]
        &crate::shuttle::Shuttle,
    ]
}

/// The engine of that name.
pub fn engine(name: &str) -> Option<&'static dyn Engine> {
    engines().iter().copied().find(|engine| engine.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Report, Scenario, ScenarioError};
    use crate::engine::{Options, serve};
    use crate::explore::Explore;
    #[cfg(feature = "shuttle")]
    use crate::scenarios::STRUCTURES;
    use crate::scenarios::{bulk, retrieve, slab};

    #[test]
    fn a_worker_answers() {
        let question = serde_json::json!({
            "engine": "explore", "options": Options::default(), "scenario": slab::quick()[0],
        });
        let mut output = Vec::new();
        serve(engines(), format!("{question}\n").as_bytes(), &mut output).expect("an answer");
        let answer: Result<Report, ScenarioError> = serde_json::from_slice(&output).expect("an answer");
        assert!(answer.expect("a report").passed());
    }

    fn assert_holds(scenario: &Scenario) {
        let report = Explore.explore(scenario, &Options::default()).expect("a scenario");
        assert!(report.is_clean(), "{}: {:?}", report.scenario, report.violation.map(|v| v.timeline()));
    }

    #[test]
    fn every_way_to_retrieve_holds_in_one_scenario() {
        let set = retrieve::default_set();
        for placing in retrieve::Placing::ALL {
            let of = set.iter().filter(|scenario| scenario.structure == placing.structure());
            assert_holds(of.max_by_key(|s| (s.programs.len(), s.config.buckets)).expect("one"));
        }
    }

    /// Blocks of which some have nothing left to copy when others have.
    #[test]
    fn a_block_of_one_warp_waits_for_nobody() {
        let options = Options { max_executions: Some(1000), schedules: 20, ..Options::default() };
        let set = retrieve::default_set();
        let small = set.iter().filter(|s| s.apart && s.config.buckets <= 2 && s.stall.is_none());
        for (scenario, engine) in small.flat_map(|scenario| engines().iter().map(move |e| (scenario, e))) {
            let report = engine.explore(scenario, &options).expect("a scenario");
            let found = report.violation.map(|violation| violation.timeline());
            assert!(found.is_none(), "{} {}: {found:?}", report.engine, report.scenario);
        }
    }

    #[test]
    fn every_tenth_batch_holds() {
        bulk::default_set().iter().step_by(10).for_each(assert_holds);
    }

    #[cfg(feature = "loom")]
    #[test]
    fn the_quick_set_of_the_slab_hash_holds() {
        use crate::engine::{Workers, run_all};
        let set = slab::quick();
        let reports = run_all(&crate::loom::Loom, &set, &Options::default(), &Workers::Threads(1), |_| {});
        for report in &reports.expect("scenarios") {
            assert!(report.passed(), "{}: {} {:?}", report.scenario, report.verdict, report.violation);
            assert!(report.passes.len() == 2 && report.passes.iter().all(|pass| pass.executions > 0));
        }
    }

    #[cfg(feature = "shuttle")]
    #[test]
    fn every_tenth_of_real_width_holds_in_a_few_schedules() {
        let options = Options { schedules: 12, ..Options::default() };
        let tenth = |set: Vec<Scenario>| set.into_iter().step_by(10);
        for scenario in STRUCTURES.iter().flat_map(|structure| tenth((structure.wide)())) {
            let report = crate::shuttle::Shuttle.explore(&scenario, &options).expect("a scenario");
            assert!(report.is_clean(), "{}: {:?}", report.scenario, report.violation.map(|v| v.timeline()));
            assert_eq!(report.executions, 12, "{}", report.scenario);
        }
    }
}
