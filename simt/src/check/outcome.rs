//! The outcome of an execution: what its calls return.

use super::Event;

/// When the calls after the programs begin.
pub(crate) const LATE: u64 = 1 << 32;

/// The events without the times that only people look at, warp by warp: equal if the checker cannot tell them
/// apart.
pub(super) fn timeless(events: &[Event]) -> Vec<Event> {
    let mut out: Vec<_> = events.to_vec();
    for event in out.iter_mut().filter(|event| event.warp.is_some()) {
        (event.start, event.end) = (0, 0);
    }
    out.sort_by_key(|event| (event.warp.unwrap_or(usize::MAX), event.number));
    out
}

/// The returns of programs and final calls, warp by warp.
pub(super) fn outcome_events(events: &[Event]) -> Vec<Event> {
    let mut out = timeless(events);
    out.retain(|event| event.warp.is_some() || event.start >= LATE);
    for event in &mut out {
        event.after.clear();
    }
    out
}

/// An outcome as text: the returns of each warp, then those of the final calls.
pub(super) fn outcome_text(events: &[Event], warps: usize) -> String {
    let who = |warp: Option<usize>| {
        let rets = events.iter().filter(|event| event.warp == warp);
        let rets = rets.map(|event| event.ret.as_ref().map_or("-".to_string(), ToString::to_string));
        rets.collect::<Vec<_>>().join(", ")
    };
    let mut text = (0..warps).map(|warp| who(Some(warp))).collect::<Vec<_>>().join(" | ");
    let last = who(None);
    if !last.is_empty() {
        text.push_str(" => ");
        text.push_str(&last);
    }
    text
}
