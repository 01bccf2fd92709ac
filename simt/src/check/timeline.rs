//! A violation as text: what went wrong, a column per warp with time downwards, and the history.

use super::fold::{Row, rows};
use super::violation::{Cell, Step, Violation};
use std::fmt::Write;

/// Columns of a page of text.
pub(super) const WIDTH: usize = 120;
/// What the words of the steps mean.
pub(super) const LEGEND: &str = "A load reads a word. A cas (compare and swap) replaces its value by another if it is the \
    one expected, a swap or a store in any case; or, and, add change it in one step. Relaxed, Acquire, Release and \
    AcqRel are the order of an access in memory.";
/// A column of a warp is never narrower.
const NARROWEST: usize = 26;

impl Violation {
    /// The explanation, the memory, the steps with a column per warp, and the history.
    pub fn timeline(&self) -> String {
        let mut out = String::new();
        // Writing to a string does not fail.
        let _ = self.write_timeline(&mut out);
        out
    }

    /// What happened, in one line.
    pub fn headline(&self) -> String {
        format!("{}: {}: {}", self.scenario.name, self.kind, self.detail)
    }

    /// How it was found, in one line.
    pub(super) fn found(&self) -> String {
        let mut text = format!("Found by {}", self.engine);
        if let Some(sample) = &self.sample {
            let _ = write!(text, " {sample}");
        }
        let _ = write!(text, ", {}, in execution {}.", self.loads, self.execution);
        if let Some(reduced) = &self.context.reduced {
            let (warps, calls, _) = self.size();
            if (warps, calls) != (reduced.warps, reduced.calls) {
                text += &format!(
                    " Reduced from {} and {} to {} and {}.",
                    counted(reduced.warps, "warp"),
                    counted(reduced.calls, "call"),
                    counted(warps, "warp"),
                    counted(calls, "call"),
                );
            }
            if !reduced.complete {
                text += " A smaller example may exist: the search for it was cut off.";
            }
        }
        if let (Some(stall), Some(after)) = (self.scenario.stall, self.stalled_after) {
            text += &format!(" Warp {} stopped for ever after {after} accesses.", stall.warp);
        }
        text
    }

    /// Groups of words that are worth a look: those of which a step touched one.
    pub(super) fn touched_groups(&self) -> Vec<&str> {
        let mut groups: Vec<&str> = Vec::new();
        for cell in &self.context.memory {
            let group = split_word(&cell.word).0;
            let touched = self.steps.iter().any(|step| split_word(&step.word).0 == group);
            if touched && !groups.contains(&group) {
                groups.push(group);
            }
        }
        groups
    }

    fn write_timeline(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "{}\n", self.headline())?;
        paragraph(out, &self.explanation().join(" "))?;
        if !self.context.about.is_empty() {
            writeln!(out)?;
            paragraph(out, &self.context.about.join(" "))?;
        }
        writeln!(out)?;
        paragraph(out, &self.found())?;
        for (call, answer) in self.told_alone(true) {
            writeln!(out, "before: {call} -> {answer}")?;
        }
        self.write_memory(out, false)?;
        writeln!(out)?;
        self.write_steps(out)?;
        for (call, answer) in self.told_alone(false) {
            writeln!(out, "after:  {call} -> {answer}")?;
        }
        if !self.steps.is_empty() {
            writeln!(out)?;
            paragraph(out, LEGEND)?;
        }
        self.write_memory(out, true)?;
        self.write_history(out)
    }

    fn write_memory(&self, out: &mut String, at_end: bool) -> std::fmt::Result {
        let groups = self.touched_groups();
        if groups.is_empty() {
            return Ok(());
        }
        let title = if at_end { "at the end" } else { "when the warps begin" };
        writeln!(out, "\nmemory {title}:")?;
        for group in groups {
            let words = self.context.memory.iter().filter(|cell| split_word(&cell.word).0 == group);
            let value = |cell: &Cell| if at_end { cell.after.clone() } else { cell.before.clone() };
            let words: Vec<_> =
                words.map(|cell| format!("{} = {}", split_word(&cell.word).1, value(cell))).collect();
            for (number, line) in wrap(&words.join(" | "), WIDTH - 14).iter().enumerate() {
                writeln!(out, "  {:<10}  {line}", if number == 0 { group } else { "" })?;
            }
        }
        Ok(())
    }

    fn write_steps(&self, out: &mut String) -> std::fmt::Result {
        let warps = self.scenario.programs.len();
        let rows = rows(&self.steps);
        let culprit = self.culprit();
        let cell = |row: &Row| match *row {
            Row::Step(at) => {
                let text = self.steps[at].indented();
                let mark = if culprit == Some(at) { text.replacen("  ", "! ", 1) } else { text };
                (at + 1, self.steps[at].warp, mark)
            }
            Row::Repeat { warp, last, .. } => (last + 1, warp, "  ".to_string() + &row.text()),
        };
        let cells: Vec<_> = rows.iter().map(cell).collect();
        let room = ((WIDTH - 4) / warps.max(1)).saturating_sub(3).max(NARROWEST);
        let width = |warp| {
            let texts = cells.iter().filter(|cell| cell.1 == warp).map(|cell| cell.2.chars().count());
            texts.chain([8]).max().unwrap_or(8).min(room)
        };
        let widths: Vec<_> = (0..warps).map(width).collect();
        let names = (0..warps).map(|warp| format!("warp {warp}"));
        line(out, "step", names.zip(&widths))?;
        line(out, "----", widths.iter().map(|width| ("-".repeat(*width), width)))?;
        for (number, warp, text) in cells {
            let Some(&width) = widths.get(warp) else { continue };
            for (part, text) in wrap(&text, width).into_iter().enumerate() {
                let number = if part == 0 { number.to_string() } else { String::new() };
                let texts =
                    (0..warps).map(|column| if column == warp { text.clone() } else { String::new() });
                line(out, &number, texts.zip(&widths))?;
            }
        }
        Ok(())
    }
}

/// A number of things: `1 warp`, `2 warps`.
fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

fn line<'a>(
    out: &mut String,
    number: &str,
    cells: impl Iterator<Item = (String, &'a usize)>,
) -> std::fmt::Result {
    write!(out, "{number:>4}")?;
    for (text, width) in cells {
        write!(out, " | {text:<width$}")?;
    }
    while out.ends_with(' ') {
        out.pop();
    }
    writeln!(out)
}

/// The group of a word's name, and the rest: `bucket 0, slot 1` and `slots[1]`.
pub(super) fn split_word(word: &str) -> (&str, &str) {
    match (word.split_once(", "), word.split_once('[')) {
        (Some(parts), _) => parts,
        (None, Some((group, _))) => (group, &word[group.len()..]),
        _ => (word, word),
    }
}

/// Lines of at most `width` characters; those after the first are indented as the first and a little more.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let indent = text.chars().take_while(|c| *c == ' ').count();
    let mut lines = vec![" ".repeat(indent)];
    let mut empty = true;
    for word in text.split_whitespace() {
        let mut last = lines.pop().unwrap_or_default();
        let long = last.chars().count() + 1 + word.chars().count() > width;
        if long && !empty {
            lines.push(last);
            last = " ".repeat(indent + 2);
            empty = true;
        }
        if !empty {
            last.push(' ');
        }
        last.push_str(word);
        empty = false;
        lines.push(last);
    }
    lines
}

/// Text, in lines that fit.
pub(super) fn paragraph(out: &mut String, text: &str) -> std::fmt::Result {
    wrap(text, WIDTH).iter().try_for_each(|line| writeln!(out, "{}", line.trim_start()))
}

impl Step {
    /// Whether a call begins or returns here.
    pub(super) fn is_edge(&self) -> bool {
        matches!(self.action.as_str(), "call" | "return")
    }

    /// The step in one line.
    pub fn text(&self) -> String {
        let mut text = self.action.clone();
        if !self.word.is_empty() {
            text += &format!(" {}:", self.word);
        }
        if let Some(expected) = &self.expected {
            text += &format!(" fails: {}, not {expected}", self.old);
        } else if !self.old.is_empty() {
            text += &format!(" {}", self.old);
        }
        if let Some(new) = &self.new {
            text += &format!(" -> {new}");
        }
        if self.stale {
            text += &format!(" (stale: now {})", self.newest.as_deref().unwrap_or("another value"));
        }
        text
    }

    /// The text of the step, indented within its call.
    fn indented(&self) -> String {
        if self.is_edge() {
            self.text().replacen("call ", "CALL ", 1).replacen("return ", "RETURN ", 1)
        } else {
            format!("  {}", self.text())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_cells_are_wrapped_between_words() {
        assert_eq!(
            wrap("  cas bucket 0, slot 1: empty", 16),
            ["  cas bucket 0,", "    slot 1:", "    empty"]
        );
        assert_eq!(wrap("return", 3), ["return"]);
        assert_eq!(wrap("", 3), [""]);
    }

    #[test]
    fn words_are_grouped_by_their_names() {
        assert_eq!(split_word("bucket 0, slot 1"), ("bucket 0", "slot 1"));
        assert_eq!(split_word("slots[1]"), ("slots", "[1]"));
        assert_eq!(split_word("flag"), ("flag", "flag"));
    }
}
