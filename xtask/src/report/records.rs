//! The records of benches/record: a file for each structure, and one for its peers. The README there says
//! what the columns are.

use crate::shell::Outcome;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Options of commands that measure how a table is not used.
const EXPERIMENTS: [&str; 2] = ["--lanes", "--retrieve"];

/// The name of the file of the peers.
const PEERS: &str = "peers";

/// A measurement.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Record {
    pub(super) machine: String,
    pub(super) card: String,
    pub(super) date: String,
    pub(super) commit: String,
    /// The command that measures it. Of a peer: its name and how it was set.
    pub(super) command: String,
    pub(super) row: String,
    pub(super) size: u64,
    pub(super) load: f64,
    pub(super) entry: String,
    pub(super) figure: f64,
    pub(super) unit: String,
    pub(super) floor: Option<f64>,
    pub(super) verified: bool,
}

/// Which tables of a structure are looked for.
#[derive(Clone, Copy)]
pub(super) struct Point {
    pub(super) entry: &'static str,
    pub(super) size: u64,
    pub(super) load: f64,
    /// Whether on a GPU.
    pub(super) gpu: bool,
    /// What its command has, if there are several kinds of runs at such a point.
    pub(super) with: &'static str,
    /// What its command does not have; nothing if empty.
    pub(super) without: &'static str,
}

/// The records of each structure, and those of the peers.
#[derive(Default)]
pub(super) struct Records {
    pub(super) ours: BTreeMap<String, Vec<Record>>,
    pub(super) peers: Vec<Record>,
}

/// What we measured, and the best that a peer reached at the same.
#[derive(Clone, Copy)]
pub(super) struct Figure<'a> {
    pub(super) ours: &'a Record,
    pub(super) peer: Option<&'a Record>,
}

impl Records {
    /// Reads the files of a folder.
    pub(super) fn read(folder: &Path) -> Outcome<Self> {
        let mut records = Self::default();
        let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
        for file in std::fs::read_dir(folder).map_err(failed)? {
            let path = file.map_err(failed)?.path();
            let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
            match path.extension().is_some_and(|extension| extension == "csv") {
                true if name == PEERS => records.peers = read(&path)?,
                true => drop(records.ours.insert(name.to_owned(), read(&path)?)),
                false => {}
            }
        }
        Ok(records)
    }

    /// The figures of these rows at a point: of the newest run by a GPU of the newest architecture that has
    /// one of them, and those that this run lacks of the newest one on such a card that has them. (A run on a
    /// CPU stands alone: machines differ.)
    pub(super) fn figures(
        &self,
        structure: &str,
        point: &Point,
        columns: &[(&str, &str)],
    ) -> Vec<Option<Figure<'_>>> {
        let all = self.ours.get(structure).into_iter().flatten().filter(|record| point.has(record));
        let all: Vec<&Record> = all.collect();
        let is_shown = |record: &&&Record| columns.iter().any(|(row, _)| record.is_row(row));
        let newest = all.iter().filter(is_shown).max_by_key(|record| (record.architecture(), &record.date));
        let Some(newest) = newest else { return vec![None; columns.len()] };
        let beside = |record: &&&Record| {
            record.is_of_run(newest) || newest.architecture() > 0 && record.model() == newest.model()
        };
        let figure = |row: &str| {
            let of_row = all.iter().copied().filter(|record| record.is_row(row));
            let ours = of_row.filter(|record| beside(&record)).max_by_key(|record| &record.date)?;
            Some(Figure { ours, peer: self.best(point, ours) })
        };
        columns.iter().map(|(row, _)| figure(row)).collect()
    }

    /// The best that any peer reached at what this record measured.
    fn best(&self, point: &Point, ours: &Record) -> Option<&Record> {
        let beside = |peer: &&Record| point.is_of(peer) && peer.is_comparable(ours);
        let order = |a: &&Record, b: &&Record| ours.ratio(b).total_cmp(&ours.ratio(a));
        self.peers.iter().filter(beside).max_by(order)
    }
}

/// Reads a file of records whose answers were all right.
fn read(path: &Path) -> Outcome<Vec<Record>> {
    let failed = |error: csv::Error| format!("{}: {error}", path.display());
    let mut file = csv::Reader::from_path(path).map_err(failed)?;
    let records: Vec<Record> = file.deserialize().collect::<Result<_, _>>().map_err(failed)?;
    Ok(records.into_iter().filter(|record| record.verified).collect())
}

impl Point {
    fn has(&self, record: &Record) -> bool {
        let has = |part: &str| record.command.contains(part);
        let is_kind = has(self.with) && (self.without.is_empty() || !has(self.without));
        let is_usual = !EXPERIMENTS.iter().any(|option| has(option));
        is_kind && is_usual && self.is_of(record) && self.gpu == (record.architecture() > 0)
    }

    fn is_of(&self, record: &Record) -> bool {
        (self.entry, self.size) == (&record.entry, record.size) && (self.load - record.load).abs() < 1e-9
    }
}

impl Record {
    /// The compute capability of the GPU, `90` of sm_90; zero of none.
    fn architecture(&self) -> u32 {
        self.card.rsplit_once("sm_").and_then(|(_, number)| number.parse().ok()).unwrap_or(0)
    }

    /// The name of the card, without its memory: "NVIDIA H100".
    pub(super) fn model(&self) -> String {
        let name = self.card.split(',').next().unwrap_or_default();
        name.split(' ').take(2).collect::<Vec<_>>().join(" ")
    }

    /// Where it was measured, in words.
    pub(super) fn place(&self) -> String {
        if self.architecture() > 0 { self.model() } else { format!("CPU: {}", self.machine) }
    }

    /// The date, without the time.
    pub(super) fn day(&self) -> &str {
        self.date.split('T').next().unwrap_or_default()
    }

    /// The row that a peer has for what this measured: an insert by bins is compared with any other.
    fn work(&self) -> &str {
        if self.row.starts_with("build by bins") { "build" } else { &self.row }
    }

    /// Whether it is of this row, of a table with a board or without.
    fn is_row(&self, row: &str) -> bool {
        self.row.strip_prefix("board: ").unwrap_or(&self.row) == row
    }

    /// How many times as good this is as the figure of a peer. Of seconds and bytes less is better.
    pub(super) fn ratio(&self, peer: &Self) -> f64 {
        let less = matches!(&*self.unit, "s" | "MB");
        if less { peer.figure / self.figure } else { self.figure / peer.figure }
    }

    /// The name of a peer.
    pub(super) fn peer(&self) -> &str {
        self.command.split([',', ':']).next().unwrap_or_default()
    }

    /// Whether one call of a command measured both.
    pub(super) fn is_of_run(&self, other: &Self) -> bool {
        (&self.machine, &self.card, &self.date, &self.command)
            == (&other.machine, &other.card, &other.date, &other.command)
    }

    /// Whether this figure of a peer may stand beside one of ours: on a GPU both are of one kind of card, on
    /// a CPU of one run.
    fn is_comparable(&self, ours: &Self) -> bool {
        if self.row != ours.work() || self.unit != ours.unit {
            return false;
        }
        if ours.architecture() > 0 {
            return self.model() == ours.model();
        }
        let of_run = self.command.ends_with(&format!(": {}", ours.command));
        of_run && (&self.machine, &self.card, &self.date) == (&ours.machine, &ours.card, &ours.date)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::report) const POINT: Point =
        Point { entry: "map32", size: 100, load: 0.8, gpu: true, with: "", without: "" };

    pub(in crate::report) fn record(card: &str, date: &str, row: &str, figure: f64) -> Record {
        Record {
            machine: "one".to_owned(),
            card: card.to_owned(),
            date: date.to_owned(),
            commit: "unknown".to_owned(),
            command: "warpproof bench open".to_owned(),
            row: row.to_owned(),
            size: 100,
            load: 0.8,
            entry: "map32".to_owned(),
            figure,
            unit: "Mop/s".to_owned(),
            floor: None,
            verified: true,
        }
    }

    const H100: &str = "NVIDIA H100 80GB HBM3, sm_90";
    const T4: &str = "Tesla T4, sm_75";

    fn records(ours: Vec<Record>, peers: Vec<Record>) -> Records {
        Records { ours: [("open".to_owned(), ours)].into(), peers }
    }

    #[test]
    fn the_newest_run_of_the_newest_architecture_counts() {
        let all = records(
            vec![
                record(H100, "2026-01-01", "build", 1.0),
                record("NVIDIA H200, sm_90", "2025-12-30", "build", 1.5),
                record("NVIDIA H200, sm_90", "2025-12-30", "delete half", 8.0),
                record("NVIDIA H200, sm_90", "2025-12-31", "delete half", 9.0),
                record("NVIDIA H200, sm_90", "2026-01-02T10:00:00Z", "build", 2.0),
                record("NVIDIA H200, sm_90", "2026-01-02T10:00:00Z", "board: search present", 3.0),
                record(T4, "2026-01-03", "build", 4.0),
                record(H100, "2026-01-04", "save", 5.0),
                record("none", "2026-01-05", "build", 6.0),
                Record {
                    command: "warpproof bench open --lanes 1".to_owned(),
                    ..record(H100, "2026-01-06", "build", 7.0)
                },
            ],
            vec![],
        );
        let figures = |point: Point, rows: &[&str]| -> Vec<f64> {
            let columns: Vec<(&str, &str)> = rows.iter().map(|row| (*row, "")).collect();
            all.figures("open", &point, &columns).iter().flatten().map(|of| of.ours.figure).collect()
        };
        assert_eq!(figures(POINT, &["build", "search present"]), [2.0, 3.0]);
        // What the newest run lacks is of an older one on such a card.
        assert_eq!(figures(POINT, &["build", "delete half"]), [2.0, 9.0]);
        assert_eq!(figures(POINT, &["save"]), [5.0]);
        assert_eq!(figures(Point { gpu: false, ..POINT }, &["build"]), [6.0]);
        assert!(figures(Point { load: 0.9, ..POINT }, &["build"]).is_empty());
        assert!(figures(Point { entry: "map64", ..POINT }, &["build"]).is_empty());
        assert!(figures(Point { with: "--board", ..POINT }, &["build"]).is_empty());
        assert!(figures(Point { without: "open", ..POINT }, &["build"]).is_empty());
    }

    #[test]
    fn a_peer_stands_beside_figures_of_its_card_or_its_run() {
        let all = records(
            vec![],
            vec![
                record(H100, "2026-01-01", "build", 5.0),
                record("NVIDIA H100, sm_90", "2026-01-01", "build", 7.0),
                record("NVIDIA H200, sm_90", "2026-01-01", "build", 9.0),
                Record {
                    command: "other: a command".to_owned(),
                    ..record("none", "2026-01-01", "build", 3.0)
                },
            ],
        );
        let best_of = |card: &str, date: &str, row: &str, command: &str| {
            let ours = Record { command: command.to_owned(), ..record(card, date, row, 1.0) };
            all.best(&POINT, &ours).map(|peer| peer.figure)
        };
        assert_eq!(best_of(H100, "2026-02-01", "build", "any"), Some(7.0));
        assert_eq!(best_of(H100, "2026-02-01", "build by bins", "any"), Some(7.0));
        assert_eq!(best_of(H100, "2026-02-01", "search present", "any"), None);
        assert_eq!(best_of(T4, "2026-02-01", "build", "any"), None);
        assert_eq!(best_of("none", "2026-01-01", "build", "a command"), Some(3.0));
        assert_eq!(best_of("none", "2026-01-02", "build", "a command"), None);
        assert_eq!(best_of("none", "2026-01-01", "build", "command"), None);
    }

    #[test]
    fn a_peer_has_a_name_in_front_of_how_it_was_set() {
        let named = |command: &str| Record { command: command.to_owned(), ..record("none", "", "", 0.0) };
        assert_eq!(named("cuco, static_map, linear probing, tiles of 2").peer(), "cuco");
        assert_eq!(named("dashmap 6: cargo bench").peer(), "dashmap 6");
    }
}
