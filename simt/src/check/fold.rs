//! Shows steps that repeat in one row.

use super::violation::Step;

/// A row of a timeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Row {
    /// A step, as its index.
    Step(usize),
    /// The steps from `from` to `to` come again and again up to `last`, all as indices.
    Repeat { warp: usize, from: usize, to: usize, last: usize, times: usize },
}

/// The longest loop that is recognised, in steps.
const LONGEST: usize = 16;
/// A loop is told in one row if it runs so often.
const ROUNDS: usize = 3;

/// The rows of a timeline.
pub(super) fn rows(steps: &[Step]) -> Vec<Row> {
    let same = |a: usize, b: usize| steps[a].warp == steps[b].warp && steps[a].text() == steps[b].text();
    let rounds = |at: usize, period: usize| {
        let again = (at + period..steps.len()).take_while(|&next| same(next, next - period)).count();
        let alone = steps[at..steps.len().min(at + period)].iter().all(|step| step.warp == steps[at].warp);
        if alone { 1 + again / period } else { 1 }
    };
    let mut rows = Vec::new();
    let mut at = 0;
    while at < steps.len() {
        let found = (1..=LONGEST).map(|period| (period, rounds(at, period))).find(|(_, n)| *n >= ROUNDS);
        let Some((period, times)) = found else {
            rows.push(Row::Step(at));
            at += 1;
            continue;
        };
        rows.extend((at..at + period).map(Row::Step));
        let last = at + period * times - 1;
        rows.push(Row::Repeat {
            warp: steps[at].warp,
            from: at,
            to: at + period - 1,
            last,
            times: times - 1,
        });
        at = last + 1;
    }
    rows
}

impl Row {
    /// What a row that stands for a loop says.
    pub(super) fn text(self) -> String {
        match self {
            Self::Step(_) => String::new(),
            Self::Repeat { from, to, last, times, .. } => {
                let (from, to, last) = (from + 1, to + 1, last + 1);
                let steps = if from == to { format!("step {from}") } else { format!("steps {from} to {to}") };
                format!("... {steps} again, {times} times, up to step {last}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(warp: usize, word: &str) -> Step {
        Step {
            warp,
            call: 0,
            action: "load Relaxed".to_string(),
            word: word.to_string(),
            old: "0".to_string(),
            new: None,
            stale: false,
            newest: None,
            expected: None,
        }
    }

    #[test]
    fn a_loop_is_one_row() {
        let mut steps = vec![step(0, "a"), step(1, "b")];
        for _ in 0..5 {
            steps.extend([step(1, "a"), step(1, "c")]);
        }
        steps.push(step(0, "d"));
        let rows = rows(&steps);
        let repeat = Row::Repeat { warp: 1, from: 2, to: 3, last: 11, times: 4 };
        assert_eq!(rows, [Row::Step(0), Row::Step(1), Row::Step(2), Row::Step(3), repeat, Row::Step(12)]);
        assert_eq!(repeat.text(), "... steps 3 to 4 again, 4 times, up to step 12");
    }

    #[test]
    fn what_comes_twice_is_told_twice() {
        let steps = [step(0, "a"), step(0, "a"), step(1, "a"), step(0, "a")];
        assert_eq!(rows(&steps), (0..4).map(Row::Step).collect::<Vec<_>>());
    }
}
