//! The history as text: the calls as bars over time, followed by the search for an order.

use super::explain::answer;
use super::timeline::{WIDTH, wrap};
use super::violation::Violation;
use std::collections::BTreeMap;
use std::fmt::Write;

impl Violation {
    /// The instants at which calls begin and return, numbered from 0 without gaps. A call that never returned
    /// ends after all others.
    pub(super) fn instants(&self, events: &[usize]) -> BTreeMap<u64, usize> {
        let ends = events.iter().flat_map(|&at| [self.history[at].start, self.history[at].end]);
        let mut all: Vec<_> = ends.collect();
        all.sort_unstable();
        all.dedup();
        all.into_iter().zip(0..).collect()
    }

    /// The place of a call in the longest order, from 1; 0 if it has none. Nothing where there is no such
    /// order to speak of.
    pub(super) fn place(&self, event: usize) -> Option<usize> {
        let end = self.context.linearization.as_ref()?;
        Some(end.order.iter().rposition(|placed| placed.event == event).map_or(0, |at| at + 1))
    }

    pub(super) fn write_history(&self, out: &mut String) -> std::fmt::Result {
        let events = self.told_events();
        if events.is_empty() {
            return Ok(());
        }
        writeln!(out, "\nhistory ([ a call begins, ] it returns; time goes to the right):")?;
        let instants = self.instants(&events);
        let calls = events.iter().map(|&at| self.history[at].call.to_string().len()).max().unwrap_or(0);
        let step = (56 / instants.len().max(1)).clamp(1, 4);
        let column = |time: u64| instants.get(&time).map_or(0, |at| at * step);
        let whole = instants.len() * step;
        for at in events {
            let event = &self.history[at];
            let (from, to) = (column(event.start), column(event.end));
            let tail = if event.ret.is_some() { "]" } else { ">" };
            let bar = format!("{}[{}{tail}", " ".repeat(from), "-".repeat(to.saturating_sub(from + 1)));
            let place = match self.place(at) {
                None => String::new(),
                Some(0) if event.ret.is_none() => "left out".to_string(),
                Some(0) => "HAS NO PLACE".to_string(),
                Some(place) => format!("place {place}"),
            };
            let told = format!("{} -> {}", event.call, answer(event));
            let text = format!("  {:<7} {told:<w$} {bar:<whole$}  {place}", self.when(event), w = calls + 20);
            writeln!(out, "{}", text.trim_end())?;
        }
        self.write_search(out)
    }

    /// The longest order, and why it ends.
    fn write_search(&self, out: &mut String) -> std::fmt::Result {
        let Some(end) = &self.context.linearization else { return Ok(()) };
        writeln!(
            out,
            "\nthe longest order of these calls that explains their answers, each at one instant:"
        )?;
        writeln!(out, "        {:<46} {}", "at first", end.before)?;
        for (number, placed) in end.order.iter().enumerate() {
            let what = format!("{:<7} {}", self.when(&self.history[placed.event]), placed.what);
            writeln!(out, "  {:>4}. {what:<46} {}", number + 1, placed.state)?;
        }
        writeln!(out, "and here it ends:")?;
        for unplaced in &end.rest {
            let event = &self.history[unplaced.event];
            let text = format!("     x. {:<7} {} {}", self.when(event), event.call, unplaced.why);
            wrap(&text, WIDTH).iter().try_for_each(|line| writeln!(out, "{line}"))?;
        }
        Ok(())
    }
}
