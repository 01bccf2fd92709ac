//! Programs in which each warp has one share of a whole: a call of `search_all` represents it.

use crate::check::{Scenario, ScenarioError};
use warpproof_model::spec::{Call, Op, Ret, Spec};

/// What the warps return says nothing; what counts is what they leave.
#[derive(Clone, Copy, Debug)]
pub struct Shares;

impl Spec for Shares {
    type State = ();

    fn initial(&self, _key: u64) {}

    fn step(&self, (): &(), _call: &Call, _ret: Option<&Ret>, next: &mut Vec<()>) {
        next.push(());
    }
}

/// Refuses programs that are not one share for each warp.
pub(super) fn one_each(scenario: &Scenario) -> Result<(), ScenarioError> {
    let share = |program: &Vec<Call>| matches!(program.as_slice(), [call] if call.op == Op::SearchAll);
    let all = scenario.programs.iter().all(share) && scenario.calls().count() == scenario.programs.len();
    if all { Ok(()) } else { Err(ScenarioError::Programs) }
}
