//! Statistics of a paged table: the bytes copied each way, and the ways of its jobs with their reasons.

use crate::bytes;
use crate::output::grouped;
use serde::Serialize;
use warpproof::BulkTable;
use warpproof::any::{Geometry, Map};
use warpproof::model::paged::{Access, Choices, Reason, Tally, Way};
use warpproof::model::{Key, Word};

/// The copies between the images of a paged table and its frames, and the reasons.
#[derive(Clone, Copy, Default)]
pub(crate) struct Paging {
    child_tables: u32,
    bytes_in: u64,
    bytes_out: u64,
    hits: u64,
    in_place: u64,
    choices: Choices,
}

/// [`Paging`] in the object of `--json`.
#[derive(Serialize)]
pub(crate) struct Object {
    child_tables: u32,
    bytes_in: u64,
    bytes_out: u64,
    /// Jobs whose child table was already in a frame.
    hits: u64,
    /// Jobs that ran in place.
    in_place: u64,
    /// With `--explain`: the jobs of batches, by their effect on the child table, and the reasons of their
    /// ways.
    choices: Option<Vec<Chosen>>,
}

/// Jobs that took their way for one reason.
#[derive(Serialize)]
struct Chosen {
    access: &'static str,
    way: &'static str,
    reason: &'static str,
    jobs: u64,
    operations: u64,
    /// The predicted cost of their way by the prices of the table; none if it has no prices.
    predicted_ns: Option<u64>,
    /// The predicted cost of the other way.
    other_ns: Option<u64>,
}

impl Paging {
    /// The statistics of a map, if it is paged.
    pub(crate) fn of<K: Key, V: Word>(map: &Map<K, V>) -> Option<Self> {
        let (Some(paged), Geometry::Paged(size)) = (map.paged(), map.geometry()) else { return None };
        let paging = paged.paging();
        let (bytes_in, bytes_out) = paging.bytes();
        let (hits, in_place) = (paging.traffic.hits, paging.traffic.in_place);
        let choices = paging.choices;
        Some(Self { child_tables: size.children, bytes_in, bytes_out, hits, in_place, choices })
    }

    /// The statistics of this table and of an earlier one that it replaced.
    pub(crate) fn after(self, before: &Self) -> Self {
        Self {
            child_tables: self.child_tables,
            bytes_in: self.bytes_in + before.bytes_in,
            bytes_out: self.bytes_out + before.bytes_out,
            hits: self.hits + before.hits,
            in_place: self.in_place + before.in_place,
            choices: self.choices.and(&before.choices),
        }
    }

    /// As part of a JSON object.
    pub(crate) fn object(&self, explain: bool) -> Object {
        let Self { child_tables, bytes_in, bytes_out, hits, in_place, choices } = *self;
        let choices = explain.then(|| choices.iter().map(Chosen::new).collect());
        Object { child_tables, bytes_in, bytes_out, hits, in_place, choices }
    }

    /// The statistics in one line.
    pub(crate) fn text(&self) -> String {
        let Self { child_tables, bytes_in, bytes_out, hits, in_place, .. } = *self;
        format!(
            "{child_tables} child tables: {} to frames, {} from frames; {} jobs found theirs in a frame, {} ran in place",
            bytes::text(bytes_in),
            bytes::text(bytes_out),
            grouped(hits),
            grouped(in_place)
        )
    }

    /// The bytes each way, for a progress bar.
    pub(crate) fn copied(&self) -> String {
        format!("{} to frames, {} from frames", bytes::text(self.bytes_in), bytes::text(self.bytes_out))
    }

    /// All lines of the summary: the line of [`text`](Self::text), and the choices if they are wanted.
    pub(crate) fn lines(&self, explain: bool) -> Vec<String> {
        let mut lines = vec![format!("paging   {}", self.text())];
        if explain {
            lines.extend(explained(&self.choices));
        }
        lines
    }
}

impl Chosen {
    fn new((access, reason, tally): (Access, Reason, Tally)) -> Self {
        let priced = is_priced(&tally);
        Self {
            access: access_text(access),
            way: match reason.way() {
                Way::InPlace => "in_place",
                Way::Resident => "in_frame",
            },
            reason: name(reason),
            jobs: tally.jobs,
            operations: tally.operations,
            predicted_ns: priced.then_some(tally.taken_ns),
            other_ns: priced.then_some(tally.other_ns),
        }
    }
}

/// The choices as a table: a line for each reason.
pub(crate) fn explained(choices: &Choices) -> Vec<String> {
    let all: Vec<_> = choices.iter().collect();
    if all.is_empty() {
        return vec!["choices  none: no batch has run".into()];
    }
    let operations: u64 = all.iter().map(|(.., tally)| tally.operations).sum();
    let (jobs, ops, predicted, other) = ("jobs", "operations", "predicted", "other way");
    let mut lines = vec![
        format!("choices  {} operations; a job is those of a batch on one child table", grouped(operations)),
        format!("  {:6} {jobs:>12} {ops:>16} {predicted:>12} {other:>12}  where they ran, and why", "access"),
    ];
    let priced = all.iter().any(|(.., tally)| is_priced(tally));
    for (access, reason, tally) in all {
        let cost = |nanoseconds| if is_priced(&tally) { time(nanoseconds) } else { "-".into() };
        lines.push(format!(
            "  {:6} {:>12} {:>16} {:>12} {:>12}  {}",
            access_text(access),
            grouped(tally.jobs),
            grouped(tally.operations),
            cost(tally.taken_ns),
            cost(tally.other_ns),
            why(reason)
        ));
    }
    lines.push(if priced {
        "  predicted: what that way costs by the prices of the table; other way: what the other one would have cost".into()
    } else {
        "  no costs are predicted: the way was fixed, not chosen by prices".into()
    });
    lines
}

/// Whether prices were known.
fn is_priced(tally: &Tally) -> bool {
    tally.taken_ns > 0 || tally.other_ns > 0
}

fn time(nanoseconds: u64) -> String {
    format!("{:.3} ms", nanoseconds as f64 / 1e6)
}

fn access_text(access: Access) -> &'static str {
    match access {
        Access::Reads => "reads",
        Access::Writes => "writes",
    }
}

/// A reason in a JSON object.
fn name(reason: Reason) -> &'static str {
    match reason {
        Reason::WasInFrame => "was_in_frame",
        Reason::AlwaysCopied => "always_copied",
        Reason::AlwaysInPlace => "always_in_place",
        Reason::NoFrames => "no_frames",
        Reason::CopyCheaper => "copy_cheaper",
        Reason::CopyPaysLater => "copy_pays_later",
        Reason::InPlaceCheaper => "in_place_cheaper",
        Reason::WouldDisplace => "would_displace",
    }
}

/// A reason in words.
fn why(reason: Reason) -> &'static str {
    match reason {
        Reason::WasInFrame => "in a frame: the child table was there already",
        Reason::AlwaysCopied => "in a frame, after a copy: the only way that was allowed",
        Reason::AlwaysInPlace => "in place: the only way that was allowed",
        Reason::NoFrames => "in place: the budget has no room for a frame",
        Reason::CopyCheaper => "in a frame, after a copy: cheaper than in place",
        Reason::CopyPaysLater => {
            "in a frame, after a copy: cheaper if a few batches like those before follow"
        }
        Reason::InPlaceCheaper => "in place: cheaper than a copy",
        Reason::WouldDisplace => "in place: a copy would displace a child table that is used about as much",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpproof::model::paged::{Choice, Choose, Pager, Prices};

    #[test]
    fn choices_are_explained_with_what_they_cost() {
        let prices = Prices {
            reads_in_place: 2e6,
            writes_in_place: 2e6,
            in_frame: 1e6,
            copy_in_byte: 1e6,
            copy_back_byte: 0.0,
        };
        let mut choice = Choice::new(2, 10, Choose::Cheaper(prices)).unwrap();
        let pager = Pager::<()>::new(2, 1).unwrap();
        choice.way(&pager, 0, (Access::Reads, 5));
        choice.way(&pager, 1, (Access::Writes, 1000));
        let lines = explained(&choice.choices());
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(lines[0], "choices  1,005 operations; a job is those of a batch on one child table");
        assert_eq!(words(&lines[2]), "reads 1 5 10.000 ms 15.000 ms in place: cheaper than a copy");
        let copied = "in a frame, after a copy: cheaper than in place";
        assert_eq!(words(&lines[3]), format!("writes 1 1,000 1010.000 ms 2000.000 ms {copied}"));
        assert!(lines[4].contains("predicted: "));

        let mut fixed = Choice::new(2, 10, Choose::Always(Way::Resident)).unwrap();
        fixed.way(&pager, 0, (Access::Reads, 5));
        let lines = explained(&fixed.choices());
        assert!(words(&lines[2]).starts_with("reads 1 5 - - in a frame, after a copy: the only way"));
        assert!(lines[3].contains("no costs are predicted"), "{}", lines[3]);
        assert_eq!(explained(&Choices::default()), ["choices  none: no batch has run"]);

        let object = Paging { choices: choice.choices(), ..Paging::default() }.object(true);
        let object = serde_json::to_value(&object).unwrap();
        let row = serde_json::json!({
            "access": "reads", "way": "in_place", "reason": "in_place_cheaper", "jobs": 1, "operations": 5,
            "predicted_ns": 10_000_000, "other_ns": 15_000_000,
        });
        assert_eq!(object["choices"][0], row);
    }

    #[test]
    fn a_table_that_grew_counts_what_the_one_before_did() {
        let before =
            Paging { child_tables: 1, bytes_in: 1 << 20, bytes_out: 5, hits: 2, ..Paging::default() };
        let now = Paging { child_tables: 3, bytes_in: 1 << 20, in_place: 7, ..Paging::default() };
        let both = now.after(&before);
        assert_eq!(both.copied(), "2.0 MiB to frames, 5 bytes from frames");
        assert_eq!((both.child_tables, both.hits, both.in_place), (3, 2, 7));
    }
}
