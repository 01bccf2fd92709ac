//! Steps that run one after the other, and the table of how long each took.

use crate::shell::Outcome;
use std::time::Instant;

/// A step: its name and its function.
pub(crate) type Step = (&'static str, fn() -> Outcome<Done>);

/// The result of a step that did not fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Done {
    /// It did its work.
    Ok,
    /// It could not run here, and why.
    Skipped(&'static str),
}

/// A step that ran.
pub(crate) struct Ran {
    pub(crate) name: &'static str,
    pub(crate) seconds: f64,
    pub(crate) outcome: Outcome<Done>,
}

/// The steps with these names, or all if there are no names.
pub(crate) fn chosen(steps: &'static [Step], names: &[&str]) -> Outcome<Vec<Step>> {
    if let Some(unknown) = names.iter().find(|name| steps.iter().all(|(step, _)| step != *name)) {
        let known: Vec<_> = steps.iter().map(|(step, _)| *step).collect();
        return Err(format!("there is no step {unknown}; the steps are {}", known.join(", ")));
    }
    Ok(steps.iter().copied().filter(|(step, _)| names.is_empty() || names.contains(step)).collect())
}

/// Runs a step and prints its name.
pub(crate) fn run((name, step): Step) -> Ran {
    println!("== {name}");
    let start = Instant::now();
    let outcome = step();
    let ran = Ran { name, seconds: start.elapsed().as_secs_f64(), outcome };
    println!("== {}", ran.line());
    ran
}

/// How long each step took, and the sum.
pub(crate) fn table(all: &[Ran]) -> String {
    let sum: f64 = all.iter().map(|ran| ran.seconds).sum();
    let lines: Vec<String> = all.iter().map(|ran| format!("{}\n", ran.line())).collect();
    format!("{}{:<18}{sum:>8.0} s\n", lines.concat(), "together")
}

impl Ran {
    fn line(&self) -> String {
        format!("{:<18}{:>8.0} s  {}", self.name, self.seconds, self.said())
    }

    /// The outcome in a word or two.
    pub(crate) fn said(&self) -> String {
        match &self.outcome {
            Ok(Done::Ok) => "ok".to_owned(),
            Ok(Done::Skipped(why)) => format!("skipped: {why}"),
            Err(_) => "failed".to_owned(),
        }
    }
}

/// An error that names the steps that failed, if any did.
pub(crate) fn failures(all: &[Ran]) -> Outcome<()> {
    let failed: Vec<String> = all
        .iter()
        .filter_map(|ran| Some(format!("step {}: {}", ran.name, ran.outcome.as_ref().err()?)))
        .collect();
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: [Step; 3] = [
        ("good", || Ok(Done::Ok)),
        ("absent", || Ok(Done::Skipped("no device"))),
        ("bad", || Err("it broke".to_owned())),
    ];

    #[test]
    fn steps_are_chosen_by_name_in_their_order() {
        let names = |asked: &[&str]| chosen(&STEPS, asked).map(|steps| steps.iter().map(|s| s.0).collect());
        assert_eq!(names(&[]), Ok(vec!["good", "absent", "bad"]));
        assert_eq!(names(&["bad", "good"]), Ok(vec!["good", "bad"]));
        assert_eq!(
            names(&["none"]),
            Err("there is no step none; the steps are good, absent, bad".to_owned())
        );
    }

    #[test]
    fn the_table_has_a_line_for_each_step_and_failures_are_told() {
        let all: Vec<Ran> = STEPS.iter().map(|step| run(*step)).collect();
        let table = table(&all);
        assert_eq!(table.lines().count(), 4, "{table}");
        assert!(table.contains("skipped: no device") && table.contains("failed"), "{table}");
        assert_eq!(failures(&all), Err("step bad: it broke".to_owned()));
        assert_eq!(failures(&all[..2]), Ok(()));
    }
}
