//! The tables of the report, as Markdown. A table has up to three lines for each of its points: our figures,
//! the floors of the same run, and the best of the peers.

use super::records::{Figure, Point, Record, Records};
use super::shown::Table;
use std::collections::{BTreeMap, BTreeSet};

/// What the tables refer to, in the order in which they do.
#[derive(Default)]
pub(super) struct Sources<'a> {
    runs: Vec<&'a Record>,
    peers: Vec<&'a Record>,
    /// Where the best peer is faster, by table and column: the least and the most part of its speed that we
    /// reach.
    losses: BTreeMap<(&'static str, &'static str), (f64, f64)>,
    /// Points without a record.
    pub(super) missing: Vec<String>,
}

/// A table, whose sources are added to those of the tables before it.
pub(super) fn table<'a>(table: &Table, records: &'a Records, sources: &mut Sources<'a>) -> String {
    let titles: Vec<&str> = table.columns.iter().map(|(_, title)| *title).collect();
    let mut text =
        format!("| Table | | {} |\n|---|---|{}\n", titles.join(" | "), "---:|".repeat(titles.len()));
    for (structure, point) in table.points {
        let figures = records.figures(structure, point, table.columns);
        let mut runs: Vec<usize> = figures.iter().flatten().map(|figure| sources.run(figure.ours)).collect();
        runs.sort_unstable();
        runs.dedup();
        match runs.is_empty() {
            false => text += &lines(point, &figures, &runs),
            true => sources.missing.push(format!("{structure}: {}", named(point))),
        }
        for (figure, (_, title)) in figures.iter().zip(table.columns) {
            let Some(Figure { ours, peer: Some(peer) }) = figure else { continue };
            sources.peer(peer);
            sources.compared((table.name, title), ours.ratio(peer));
        }
    }
    text
}

/// What stands in a cell for a figure, if anything.
type Cell<'a> = &'a dyn Fn(&Figure<'_>) -> Option<String>;

fn lines(point: &Point, figures: &[Option<Figure<'_>>], runs: &[usize]) -> String {
    let ours = |of: &Figure<'_>| Some(format!("**{}**", number(of.ours.figure)));
    let floor = |of: &Figure<'_>| {
        let floor = of.ours.floor?;
        Some(format!("{}, {:.0} %", number(floor), 100.0 * of.ours.figure / floor))
    };
    let peer = |of: &Figure<'_>| {
        let peer = of.peer?;
        Some(format!("{} {}, {:.2}×", number(peer.figure), peer.peer(), of.ours.ratio(peer)))
    };
    let runs: Vec<String> = runs.iter().map(usize::to_string).collect();
    let label = format!("{} [{}]", named(point), runs.join(", "));
    let mut text = String::new();
    let kinds: [(&str, &str, Cell<'_>); 3] =
        [(&label, "**ours**", &ours), ("", "floor", &floor), ("", "best peer", &peer)];
    for (label, what, cell) in kinds {
        let cells: Vec<String> =
            figures.iter().map(|of| of.as_ref().and_then(cell).unwrap_or_default()).collect();
        if cells.iter().any(|cell| !cell.is_empty()) {
            text += &format!("| {label} | {what} | {} |\n", cells.join(" | "));
        }
    }
    text
}

impl<'a> Sources<'a> {
    /// The number of the run that a record is of, from 1.
    fn run(&mut self, of: &'a Record) -> usize {
        let known = self.runs.iter().position(|run| run.is_of_run(of));
        known.unwrap_or_else(|| {
            self.runs.push(of);
            self.runs.len() - 1
        }) + 1
    }

    fn peer(&mut self, of: &'a Record) {
        let is_same =
            |peer: &&Record| (peer.peer(), peer.model(), &peer.date) == (of.peer(), of.model(), &of.date);
        if !self.peers.iter().any(is_same) {
            self.peers.push(of);
        }
    }

    fn compared(&mut self, place: (&'static str, &'static str), ratio: f64) {
        if ratio < 0.995 {
            let (least, most) = self.losses.entry(place).or_insert((ratio, ratio));
            (*least, *most) = (least.min(ratio), most.max(ratio));
        }
    }

    /// A line for each table in which a peer is faster: in what, and what part of its speed we reach.
    pub(super) fn losses(&self) -> String {
        let mut lines: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for ((table, title), (least, most)) in &self.losses {
            let (least, most) = (format!("{least:.2}"), format!("{most:.2}"));
            let range = if least == most { least } else { format!("{least} to {most}") };
            lines.entry(table).or_default().push(format!("{title} {range}"));
        }
        let lines = lines.iter().map(|(table, titles)| format!("| {table} | {} |\n", titles.join(", ")));
        lines.fold(
            "| Table | What, and what part of the peer's speed |\n|---|---|\n".to_owned(),
            |all, line| all + &line,
        )
    }

    /// A line for the runs of one commit on one card and day: their numbers and commands.
    pub(super) fn runs(&self) -> String {
        let mut commands: BTreeMap<(usize, String), Vec<String>> = BTreeMap::new();
        let place = |run: &Record| {
            let commit: String = run.commit.chars().take(10).collect();
            format!("{} | {} | {commit}", run.place(), run.day())
        };
        for (number, run) in (1..).zip(&self.runs) {
            // Lines are in the order of their first runs.
            let first = self.runs.iter().position(|other| place(other) == place(run)).unwrap_or_default();
            commands.entry((first, place(run))).or_default().push(format!("{number} `{}`", run.command));
        }
        let text = "| Commands | Card | Date | Commit |\n|---|---|---|---|\n".to_owned();
        commands.iter().fold(text, |text, ((_, place), commands)| {
            format!("{text}| {} | {place} |\n", commands.join("<br>"))
        })
    }

    /// The peers that were measured, by card and date, in one line of Markdown.
    pub(super) fn peers(&self) -> String {
        let mut peers: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for peer in &self.peers {
            peers.entry(format!("{}, {}", peer.place(), peer.day())).or_default().insert(peer.peer());
        }
        let line = |(place, peers): (&String, &BTreeSet<&str>)| {
            format!("{place}: {}", peers.iter().copied().collect::<Vec<_>>().join(", "))
        };
        peers.iter().map(line).collect::<Vec<_>>().join("<br>") + "\n"
    }
}

/// What stands in front of the lines of a point.
fn named(point: &Point) -> String {
    let entry = match point.entry.split_at_checked(3) {
        Some(("map", bits)) => format!("u{bits} pairs"),
        Some(("set", bits)) => format!("u{bits} keys"),
        _ => point.entry.to_owned(),
    };
    let with = if point.with.is_empty() { String::new() } else { format!(", `{}`", point.with) };
    // What is no table has no load.
    let load = if point.load > 0.0 { format!(", load {}", point.load) } else { String::new() };
    format!("{} {entry}{load}{with}", number(point.size as f64))
}

/// A number in groups of three digits; small ones with a digit more.
pub(super) fn number(value: f64) -> String {
    if value < 100.0 {
        return format!("{value:.1}");
    }
    let digits = format!("{value:.0}");
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::records::tests::{POINT, record};

    const TABLE: Table = Table {
        name: "open",
        columns: &[("build", "insert"), ("search present", "present"), ("memory", "bytes")],
        points: &[("open", POINT), ("open", Point { load: 0.9, ..POINT })],
    };

    fn records() -> Records {
        let card = "NVIDIA H200, sm_90";
        let mut records = Records::default();
        let build =
            Record { floor: Some(16_000.0), ..record(card, "2026-01-02T03:04:05Z", "build", 12_000.0) };
        let memory = record(card, "2026-01-02T03:04:05Z", "memory", 10.31);
        records.ours.insert("open".to_owned(), vec![build, memory]);
        let peer = Record {
            command: "cuco, map, tiles of 2".to_owned(),
            ..record(card, "2026-01-01", "build", 10_000.0)
        };
        records.peers.push(peer);
        records
    }

    #[test]
    fn a_figure_stands_beside_its_floor_and_the_best_peer() {
        let (records, mut sources) = (records(), Sources::default());
        let text = table(&TABLE, &records, &mut sources);
        let expected = "\
| Table | | insert | present | bytes |
|---|---|---:|---:|---:|
| 100 u32 pairs, load 0.8 [1] | **ours** | **12,000** |  | **10.3** |
|  | floor | 16,000, 75 % |  |  |
|  | best peer | 10,000 cuco, 1.20× |  |  |
";
        assert_eq!(text, expected);
        assert_eq!(sources.missing, ["open: 100 u32 pairs, load 0.9"]);
        assert!(!sources.losses().contains("insert"), "{}", sources.losses());
        sources.compared(("open", "insert"), 0.951);
        sources.compared(("open", "insert"), 0.5);
        sources.compared(("open", "delete"), 0.949);
        assert!(
            sources.losses().ends_with("| open | delete 0.95, insert 0.50 to 0.95 |\n"),
            "{}",
            sources.losses()
        );
        let runs = sources.runs();
        assert!(
            runs.ends_with("| 1 `warpproof bench open` | NVIDIA H200 | 2026-01-02 | unknown |\n"),
            "{runs}"
        );
        let peers = sources.peers();
        assert_eq!(peers, "NVIDIA H200, 2026-01-01: cuco\n");
    }

    #[test]
    fn of_seconds_less_is_better() {
        let mut records = Records::default();
        let of = |unit: &str, date: &str, figure: f64| Record {
            unit: unit.to_owned(),
            ..record("NVIDIA H200, sm_90", date, "build", figure)
        };
        records.ours.insert("open".to_owned(), vec![of("s", "2026-01-02T03:04:05Z", 4.0)]);
        for (name, figure) in [("slow", 12.0), ("fast", 5.0)] {
            records.peers.push(Record { command: name.to_owned(), ..of("s", "2026-01-01", figure) });
        }
        let mut sources = Sources::default();
        let text = table(&TABLE, &records, &mut sources);
        assert!(text.contains("| best peer | 5.0 fast, 1.25× |"), "{text}");
        assert!(!sources.losses().contains("insert"), "{}", sources.losses());
    }

    #[test]
    fn numbers_are_grouped() {
        let written = [0.44, 99.94, 100.0, 1234.6, 107_374_182.0].map(number);
        assert_eq!(written, ["0.4", "99.9", "100", "1,235", "107,374,182"]);
    }
}
