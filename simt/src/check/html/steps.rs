//! The timeline, with the memory next to it.

use super::super::fold::{Row, rows};
use super::super::timeline::{LEGEND, split_word};
use super::super::violation::{Cell, Step, Violation};
use super::escape;
use std::fmt::{Result, Write};

const CONTROLS: &str = "<div class=\"controls\"><button type=\"button\" class=\"first\" title=\"before the first step (Home)\" aria-label=\"before the first step\">\u{ab}</button>\
<button type=\"button\" class=\"back\" title=\"one step back (left arrow)\" aria-label=\"one step back\">\u{2190}</button>\
<button type=\"button\" class=\"next\" title=\"one step on (right arrow)\" aria-label=\"one step on\">\u{2192}</button>\
<button type=\"button\" class=\"last\" title=\"after the last step (End)\" aria-label=\"after the last step\">\u{bb}</button>\
<input type=\"range\" min=\"0\" value=\"0\" aria-label=\"step\"><span class=\"at\"></span></div>\n<p class=\"told\" aria-live=\"polite\"></p>";

impl Violation {
    pub(super) fn write_steps_html(&self, out: &mut String) -> Result {
        if self.steps.is_empty() {
            return Ok(());
        }
        writeln!(out, "<h2>Steps</h2>\n<div class=\"both\">\n<div>")?;
        self.write_table(out)?;
        writeln!(out, "</div>\n<div class=\"side\">\n{CONTROLS}")?;
        self.write_words(out)?;
        writeln!(out, "</div>\n</div>")?;
        writeln!(out, "<p class=\"foot\">{LEGEND}</p>")
    }

    fn write_table(&self, out: &mut String) -> Result {
        let warps = self.scenario.programs.len();
        let heads = (0..warps).map(|warp| format!("<th>warp {warp}</th>")).collect::<String>();
        writeln!(out, "<table class=\"steps\">\n<thead><tr><th>step</th>{heads}</tr></thead>\n<tbody>")?;
        let culprit = self.culprit();
        for row in rows(&self.steps) {
            let (number, warp, class, html) = match row {
                Row::Step(at) => {
                    let step = &self.steps[at];
                    (at + 1, step.warp, step.class(), step.html())
                }
                Row::Repeat { warp, last, .. } => (last + 1, warp, "inner", escape(&row.text())),
            };
            let broke = if culprit == Some(number - 1) { " class=\"broke\"" } else { "" };
            let (touches, told) = (self.touches(row), escape(&self.sentence(row)));
            write!(out, "<tr data-step=\"{number}\"{broke}{touches} data-told=\"{told}\"><td>{number}</td>")?;
            for column in 0..warps {
                match column == warp {
                    true => write!(out, "<td class=\"{class}\">{html}</td>")?,
                    false => write!(out, "<td></td>")?,
                }
            }
            writeln!(out, "</tr>")?;
        }
        writeln!(out, "</tbody>\n</table>")
    }

    /// The attributes that say which word a row reads, with the value, and to which value it changes the
    /// word.
    fn touches(&self, row: Row) -> String {
        let Row::Step(at) = row else { return String::new() };
        let step = &self.steps[at];
        let Some(word) = self.words_shown().iter().position(|cell| cell.word == step.word) else {
            return String::new();
        };
        let mut out = String::new();
        // A store reads nothing.
        if !step.action.starts_with("store") {
            let stale = if step.stale { " data-stale" } else { "" };
            out += &format!(" data-reads=\"{word}\" data-read=\"{}\"{stale}", escape(&step.old));
        }
        if let Some(new) = &step.new {
            out += &format!(" data-writes=\"{word}\" data-value=\"{}\"", escape(new));
        }
        out
    }

    /// The words that the page shows, group by group.
    fn words_shown(&self) -> Vec<&Cell> {
        let groups = self.touched_groups();
        let of = |group: &'_ &str| {
            let group = group.to_string();
            self.context.memory.iter().filter(move |cell| split_word(&cell.word).0 == group)
        };
        groups.iter().flat_map(of).collect()
    }

    fn write_words(&self, out: &mut String) -> Result {
        writeln!(
            out,
            "<table class=\"words\">\n<thead><tr><th>memory</th><th>at first</th><th class=\"now-title\">at the end</th>\
             </tr></thead>\n<tbody>"
        )?;
        let mut group = "";
        for cell in self.words_shown() {
            let (mine, name) = split_word(&cell.word);
            if mine != group {
                group = mine;
                writeln!(out, "<tr><th colspan=\"3\">{}</th></tr>", escape(group))?;
            }
            let (name, before, after) = (escape(name), escape(&cell.before), escape(&cell.after));
            // Without the script: what has changed since the beginning.
            let changed = if before == after { "" } else { " changed" };
            writeln!(
                out,
                "<tr data-word data-before=\"{before}\" data-after=\"{after}\"><td>{name}</td><td>{before}</td>\
                 <td class=\"value{changed}\"><span class=\"held\">{after}</span> <small class=\"note\"></small></td></tr>"
            )?;
        }
        writeln!(out, "</tbody>\n</table>")
    }
}

impl Step {
    fn class(&self) -> &'static str {
        match () {
            () if self.is_edge() => "edge",
            () if self.new.is_some() => "inner write",
            () => "inner",
        }
    }

    fn html(&self) -> String {
        let mut text = escape(&self.text());
        if self.is_edge() {
            return text;
        }
        for order in ["Relaxed", "Acquire", "Release", "AcqRel"] {
            text =
                text.replacen(&format!(" {order} "), &format!(" <span class=\"order\">{order}</span> "), 1);
        }
        if let Some((read, stale)) = text.split_once(" (stale:") {
            return format!("{read} <span class=\"stale\">(stale:{stale}</span>");
        }
        if self.expected.is_some() {
            return format!("<span class=\"fails\">{text}</span>");
        }
        text
    }
}
