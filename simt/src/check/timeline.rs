//! A violation as text: a column per warp, time downwards.

use super::violation::{Step, Violation};
use std::fmt::Write;

impl Violation {
    /// The scenario, the steps with a column per warp, and the history.
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

    fn write_timeline(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "{}", self.headline())?;
        writeln!(out, "engine {}, {}, execution {}", self.engine, self.loads, self.execution)?;
        if let (Some(stall), Some(after)) = (self.scenario.stall, self.stalled_after) {
            writeln!(out, "warp {} stopped for ever after {after} accesses", stall.warp)?;
        }
        for call in &self.scenario.preload {
            writeln!(out, "before: {call}")?;
        }
        writeln!(out)?;
        self.write_steps(out)?;
        writeln!(out, "\nhistory (start..end, in steps of the history):")?;
        for event in &self.history {
            let who = event.warp.map_or("alone".to_string(), |warp| format!("warp {warp}"));
            let ret = event.ret.as_ref().map_or("never returned".to_string(), ToString::to_string);
            let end = if event.end == u64::MAX { String::new() } else { event.end.to_string() };
            writeln!(out, "  {:>4}..{end:<4} {who:<7} {} -> {ret}", event.start, event.call)?;
        }
        Ok(())
    }

    fn write_steps(&self, out: &mut String) -> std::fmt::Result {
        let warps = self.scenario.programs.len();
        let cells: Vec<_> = self.steps.iter().map(Step::text).collect();
        let width = |warp| {
            let lines = self.steps.iter().zip(&cells).filter(|(step, _)| step.warp == warp);
            lines.map(|(_, text)| text.chars().count()).chain([8]).max().unwrap_or(8)
        };
        let widths: Vec<_> = (0..warps).map(width).collect();
        write!(out, "step")?;
        for (warp, width) in widths.iter().enumerate() {
            write!(out, " | {:<width$}", format!("warp {warp}"))?;
        }
        writeln!(out)?;
        for (number, (step, text)) in self.steps.iter().zip(&cells).enumerate() {
            write!(out, "{:>4}", number + 1)?;
            for (warp, width) in widths.iter().enumerate() {
                write!(out, " | {:<width$}", if warp == step.warp { text } else { "" })?;
            }
            while out.ends_with(' ') {
                out.pop();
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

impl Step {
    /// The step in one line.
    pub fn text(&self) -> String {
        let mut text = self.action.clone();
        for part in [&self.word, &self.old] {
            if !part.is_empty() {
                text.push(' ');
                text.push_str(part);
            }
        }
        if let Some(new) = &self.new {
            text.push_str(" -> ");
            text.push_str(new);
        }
        if self.stale {
            text.push_str(" (stale)");
        }
        text
    }
}
