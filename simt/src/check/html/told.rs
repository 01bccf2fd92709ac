//! The words of a trace, for readers who see one for the first time: what each step does, in a sentence, and
//! what the terms mean.

use super::super::fold::Row;
use super::super::violation::{Step, Violation};
use std::fmt::{Result, Write};
use warpproof_model::spec::{Call, Op};

/// The terms of every trace.
const TERMS: [(&str, &str); 5] = [
    (
        "warp",
        "Threads of a GPU that run together, its lanes. Warps run beside each other, each at its own speed. Every warp has \
         a column below; time goes downwards.",
    ),
    (
        "call",
        "One operation on the structure, such as delete 1, which takes key 1 out. It begins at a row \"call\" and ends at a \
         row \"return\", with its answer.",
    ),
    ("step", "One access to one word of memory. The checker tries every order of the steps of all warps."),
    (
        "old value",
        "A GPU may give a load a value that another warp has already replaced, unless acquire and release forbid it. Such a \
         load is marked stale.",
    ),
    (
        "linearizable",
        "Each call seems to act at one instant between its begin and its return: some order of these instants explains all \
         answers.",
    ),
];

impl Violation {
    /// The terms, in a part of the page that folds away.
    pub(super) fn write_terms(&self, out: &mut String) -> Result {
        writeln!(out, "<details class=\"terms\" open><summary>How to read this page</summary>\n<dl>")?;
        for (term, meaning) in TERMS {
            writeln!(out, "<div><dt>{term}</dt><dd>{}</dd></div>", super::escape(meaning))?;
        }
        writeln!(
            out,
            "<div><dt>to step</dt><dd>Take \u{2192} and \u{2190}, or the buttons; Home and End go to the first and the last \
             step. A click on a row goes there. Beside the steps is the memory, as it is after the step.</dd></div>\n\
             </dl>\n</details>"
        )
    }

    /// What a row says, as a sentence.
    pub(super) fn sentence(&self, row: Row) -> String {
        let Row::Step(at) = row else {
            return format!("The warp goes round in a loop: {}.", row.text().trim_start_matches("... "));
        };
        let step = &self.steps[at];
        let warp = format!("Warp {}", step.warp);
        match step.action.as_str() {
            "call" => match self.scenario.programs.get(step.warp).and_then(|calls| calls.get(step.call)) {
                Some(call) => format!("{warp} begins a call: {}.", meaning(call)),
                None => format!("{warp} begins a call: {}.", step.old),
            },
            "return" => format!("The call of warp {} ends. Its answer: {}.", step.warp, step.old),
            "fence" => format!("{warp} orders its memory: it does what follows after what came before."),
            "pause" => format!("{warp} waits a moment for another warp."),
            "barrier" => format!("{warp} waits at a barrier until all warps of its block are there."),
            _ if step.word.is_empty() => format!("{warp} {}.", step.action),
            _ => format!("{warp} {}.", step.access()),
        }
    }
}

impl Step {
    /// What an access does, as the rest of a sentence after its warp.
    fn access(&self) -> String {
        let (word, old) = (quoted(&self.word), quoted(&self.old));
        let new = self.new.as_deref().map_or_else(|| old.clone(), quoted);
        let newest = self.newest.as_deref().map_or_else(|| "another value".to_string(), quoted);
        match self.action.split(' ').next().unwrap_or_default() {
            "load" if self.stale => {
                format!("reads {word} and is given an old value, {old}. It has been replaced by {newest}")
            }
            "load" => format!("reads {word} and finds {old}"),
            "store" => format!("writes {new} into {word}, in place of {old}"),
            "swap" => format!("puts {new} into {word} and takes out what is there, {old}"),
            "cas" => match &self.expected {
                Some(expected) => {
                    let expected = quoted(expected);
                    format!("would replace {expected} in {word}, but finds {old} there and changes nothing")
                }
                None => format!("finds {old} in {word}, as it expected, and replaces it by {new}"),
            },
            "add" => format!("adds to {word}: {old} becomes {new}"),
            "or" => format!("sets bits of {word}: {old} becomes {new}"),
            "and" => format!("clears bits of {word}: {old} becomes {new}"),
            _ => self.text(),
        }
    }
}

/// A name or a value; in quotes if it has several words, so that it is read as one.
fn quoted(text: &str) -> String {
    if text.contains(' ') { format!("\"{text}\"") } else { text.to_string() }
}

/// What a call asks for.
fn meaning(call: &Call) -> String {
    let (key, value) = (call.key, call.value);
    let asks = match call.op {
        Op::Insert => format!("store the value {value} under key {key}"),
        Op::InsertUnique => format!("store the value {value} under key {key}, unless the key is there"),
        Op::InsertOrAssign => format!("store the value {value} under key {key}, in place of what it has"),
        Op::InsertOrAdd => format!("add {value} to the value of key {key}"),
        Op::Search => format!("look up the value of key {key}"),
        Op::SearchAll => format!("look up all values of key {key}"),
        Op::Count => format!("count the entries of key {key}"),
        Op::Delete => format!("take key {key} out"),
        Op::DeleteAll => format!("take out every entry of key {key}"),
        Op::Free => format!("give slab {key} back"),
        _ => return call.to_string(),
    };
    format!("{call} ({asks})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_is_a_sentence() {
        let step = |action: &str, new: Option<&str>, expected: Option<&str>, newest: Option<&str>| Step {
            warp: 1,
            call: 0,
            action: action.to_string(),
            word: "slot 1".to_string(),
            old: "empty".to_string(),
            new: new.map(str::to_string),
            stale: newest.is_some(),
            newest: newest.map(str::to_string),
            expected: expected.map(str::to_string),
        };
        let told = [
            (step("load Relaxed", None, None, None), "reads \"slot 1\" and finds empty"),
            (
                step("load Relaxed", None, None, Some("5:50")),
                "reads \"slot 1\" and is given an old value, empty. It has been replaced by 5:50",
            ),
            (
                step("cas AcqRel", Some("7:1"), None, None),
                "finds empty in \"slot 1\", as it expected, and replaces it by 7:1",
            ),
            (
                step("cas AcqRel", None, Some("7:1"), None),
                "would replace 7:1 in \"slot 1\", but finds empty there and changes nothing",
            ),
            (step("store Release", Some("7:1"), None, None), "writes 7:1 into \"slot 1\", in place of empty"),
        ];
        for (step, says) in told {
            assert_eq!(step.access(), says);
        }
    }

    #[test]
    fn a_call_says_what_it_asks_for() {
        assert_eq!(meaning(&Call::new(Op::Delete, 1, 0)), "delete 1 (take key 1 out)");
        assert_eq!(meaning(&Call::new(Op::Grow, 0, 0)), Call::new(Op::Grow, 0, 0).to_string());
    }
}
