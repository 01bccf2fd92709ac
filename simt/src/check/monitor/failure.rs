//! Why a history was found not linearizable.

use crate::check::Event;
use std::fmt;

/// Why a history was not found linearizable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// Its calls are not of the kind that can be decided.
    Refused {
        /// The first such event of its key.
        event: usize,
        /// What is the matter.
        why: Refusal,
    },
    /// It is not linearizable.
    Unexplained(Box<Unexplained>),
}

/// Why a history cannot be decided.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// A map or a set has no such operation.
    Operation,
    /// The call has not returned.
    Pending,
    /// The call returned before it began.
    EndsEarly,
    /// The event has an order among the calls that its start and its end do not give.
    PartialOrder,
    /// Another call stored the same value under the same key.
    ValueTwice,
}

/// Calls of one key that no order explains.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unexplained {
    /// The key.
    pub key: u64,
    /// What is the matter with the calls.
    pub why: String,
    /// The calls, by the time at which they began.
    pub calls: Vec<(Event, Part)>,
    /// No order explains the calls from this time on, whatever the key held before. `None` if the calls are
    /// all from the beginning on, when the key was absent.
    pub from: Option<u64>,
}

/// The part that a call has in a violation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    /// It cannot be explained together with the others.
    Inside,
    /// It had returned before; it wrote a value that others read.
    Before,
    /// It was under way at the beginning: it may have taken effect before.
    Early,
    /// It was under way at the end: it may have taken effect later.
    Late,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Operation => "the monitor cannot decide calls of its operation",
            Self::Pending => "it has not returned",
            Self::EndsEarly => "it returned before it began",
            Self::PartialOrder => "it has an order among the calls that its start and its end do not give",
            Self::ValueTwice => "another call stored the same value under the same key",
        })
    }
}

/// As many calls as are shown; a person reads no more.
const SHOWN: usize = 40;

impl fmt::Display for Unexplained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "key {} is not linearizable: {}", self.key, self.why)?;
        if let Some(from) = self.from {
            writeln!(f, "whatever it held before time {from}")?;
        }
        for (event, part) in self.calls.iter().take(SHOWN) {
            let who = event.warp.map_or("alone".to_string(), |warp| format!("warp {warp}"));
            let ret = event.ret.as_ref().map_or("never returned".to_string(), ToString::to_string);
            let note = match part {
                Part::Inside => "",
                Part::Before => "  (before)",
                Part::Early => "  (may have taken effect before)",
                Part::Late => "  (may have taken effect later)",
            };
            writeln!(f, "  {:>10}..{:<10} {who:<9} {} -> {ret}{note}", event.start, event.end, event.call)?;
        }
        match self.calls.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => writeln!(f, "  and {more} more calls"),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { event, why } => write!(f, "the history cannot be decided: event {event}: {why}"),
            Self::Unexplained(unexplained) => unexplained.fmt(f),
        }
    }
}

impl std::error::Error for Failure {}
