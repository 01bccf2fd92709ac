//! The history as a picture, and the search for an order as a table.

use super::super::explain::answer;
use super::super::violation::Violation;
use super::escape;
use std::fmt::{Result, Write};

/// Where the bars begin.
const LEFT: usize = 4;
/// How wide they are, all together.
const WIDTH: usize = 640;
/// Height of a call: its text and its bar.
const LINE: usize = 46;
/// Where the bar of a call begins below its text, and how high the bar is.
const BAR: (usize, usize) = (20, 20);

impl Violation {
    pub(super) fn write_history_html(&self, out: &mut String) -> Result {
        let events = self.told_events();
        if events.is_empty() {
            return Ok(());
        }
        writeln!(out, "<h2>History</h2>")?;
        self.write_bars(out, &events)?;
        self.write_search_html(out)
    }

    fn write_bars(&self, out: &mut String, events: &[usize]) -> Result {
        let instants = self.instants(events);
        let x = |time: u64| {
            let at = instants.get(&time).copied().unwrap_or(0);
            LEFT + at * WIDTH / (instants.len().max(2) - 1)
        };
        let (wide, high) = (LEFT + WIDTH + 4, events.len() * LINE + 24);
        writeln!(
            out,
            "<div class=\"wide\"><svg class=\"history\" viewBox=\"0 0 {wide} {high}\" role=\"img\" aria-label=\"the calls \
             over time\">"
        )?;
        for &time in instants.keys() {
            let x = x(time);
            writeln!(out, "<line class=\"grid\" x1=\"{x}\" x2=\"{x}\" y1=\"0\" y2=\"{}\"/>", high - 20)?;
        }
        for (line, &at) in events.iter().enumerate() {
            let event = &self.history[at];
            let place = self.place(at);
            let wrong = place == Some(0) && event.ret.is_some();
            let (from, to, top) = (x(event.start), x(event.end), line * LINE + 4);
            writeln!(out, "<g{}>", if wrong { " class=\"wrong\"" } else { "" })?;
            let open = if event.ret.is_none() { " stroke-dasharray=\"5 4\"" } else { "" };
            writeln!(
                out,
                "<text class=\"name\" x=\"{LEFT}\" y=\"{}\">{}: {} \u{2192} {}</text><rect class=\"bar\" x=\"{from}\" \
                 y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\"{open}/>",
                top + 12,
                self.when(event),
                escape(&event.call.to_string()),
                escape(&answer(event)),
                top + BAR.0,
                to.saturating_sub(from).max(6),
                BAR.1,
            )?;
            let (middle, y) = ((from + to) / 2, top + BAR.0 + 14);
            match place {
                Some(0) if wrong => {
                    writeln!(out, "<text class=\"name number\" x=\"{middle}\" y=\"{y}\">\u{2717}</text>")?;
                }
                Some(0) | None => {}
                Some(place) => writeln!(
                    out,
                    "<circle cx=\"{middle}\" cy=\"{}\" r=\"9\"/><text class=\"number\" x=\"{middle}\" y=\"{y}\">{place}</text>",
                    top + BAR.0 + BAR.1 / 2
                )?,
            }
            writeln!(out, "</g>")?;
        }
        let y = high - 6;
        writeln!(out, "<text x=\"{LEFT}\" y=\"{y}\" opacity=\".6\">time \u{2192}</text></svg></div>")
    }

    fn write_search_html(&self, out: &mut String) -> Result {
        let Some(end) = &self.context.linearization else { return Ok(()) };
        writeln!(
            out,
            "<h2>The search for an order</h2>\n<p>Each call acts at one instant between its begin and its return. The \
             longest order that explains the answers:</p>\n<div class=\"wide\"><table class=\"search\">\n<tbody>"
        )?;
        writeln!(out, "<tr><td></td><td></td><td>at first</td><td>{}</td></tr>", escape(&end.before))?;
        for (number, placed) in end.order.iter().enumerate() {
            let who = self.when(&self.history[placed.event]);
            let (what, state) = (escape(&placed.what), escape(&placed.state));
            let number = number + 1;
            writeln!(out, "<tr><td>{number}</td><td>{who}</td><td>{what}</td><td>{state}</td></tr>")?;
        }
        for unplaced in &end.rest {
            let event = &self.history[unplaced.event];
            let (who, call, why) = (self.when(event), escape(&event.call.to_string()), escape(&unplaced.why));
            writeln!(
                out,
                "<tr class=\"x\"><td>\u{2717}</td><td>{who}</td><td>{call}</td><td>{why}</td></tr>"
            )?;
        }
        writeln!(out, "</tbody>\n</table></div>")
    }
}
