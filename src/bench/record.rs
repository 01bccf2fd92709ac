//! `warpproof bench --record`: keeps measurements, in a file for each structure.
//! benches/record/README.md says what the columns are.

use super::memory::Memory;
use super::row::{CALLS, FLOORS, Row};
use crate::backend::Opened;
use crate::entry::Entry;
use crate::failure::Failure;
use crate::target::Target;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

/// The columns of a file.
const COLUMNS: [&str; 13] = [
    "machine", "card", "date", "commit", "command", "row", "size", "load", "entry", "figure", "unit",
    "floor", "verified",
];

/// A file of measurements.
pub(super) struct Record {
    path: PathBuf,
    commit: String,
}

impl Record {
    /// The file of a structure in a folder. Makes the folder if it does not exist.
    ///
    /// # Errors
    /// If it could not be written, or has other columns.
    pub(super) fn open(folder: &Path, structure: &str) -> Result<Self, Failure> {
        std::fs::create_dir_all(folder).map_err(|error| Failure::write(folder.display(), &error))?;
        let path = folder.join(structure).with_extension("csv");
        // Finds an error now that would otherwise come at the end.
        drop(Target::append(&path, &COLUMNS)?);
        Ok(Self { path, commit: commit(folder) })
    }

    /// Appends the measurements of one run: all of them or none.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn add(
        &self,
        on: &Opened,
        entry: Entry,
        rows: &[Row],
        memory: &[Memory],
    ) -> Result<usize, Failure> {
        let card = if on.name() == "cpu" { "none".to_owned() } else { on.device() };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let run = [machine(), card, date(now), self.commit.clone(), command(std::env::args())];
        let mut lines: Vec<[String; 8]> = Vec::new();
        for row in rows {
            let of_run = |other: &&Row| (other.size, other.load) == (row.size, row.load);
            let floor = floor(row.workload)
                .and_then(|floor| rows.iter().filter(of_run).find(|other| other.workload == floor));
            let floor = floor.map_or(String::new(), |floor| format!("{:.3}", floor.mops));
            let figure = format!("{:.3}", row.mops);
            lines.push(line(
                (row.workload, row.size, row.load),
                entry,
                (figure, "Mop/s"),
                floor,
                row.verified,
            ));
        }
        for memory in memory {
            let (size, load) = memory.at();
            let verified =
                rows.iter().filter(|row| (row.size, row.load) == (size, load)).all(|row| row.verified);
            if let Some(bytes) = memory.bytes_per_pair() {
                let figure = (format!("{bytes:.3}"), "bytes per pair");
                lines.push(line(("memory", size, load), entry, figure, String::new(), verified));
            }
        }
        let mut target = Target::append(&self.path, &COLUMNS)?;
        for line in &lines {
            target.row(run.iter().chain(line).map(|cell| cell.as_bytes()))?;
        }
        target.finish()?;
        Ok(lines.len())
    }

    /// Where the rows are, and their commit.
    pub(super) fn text(&self) -> String {
        format!("{}, commit {}", self.path.display(), self.commit)
    }
}

/// The columns that differ from row to row.
fn line(
    (row, size, load): (&str, u32, f64),
    entry: Entry,
    (figure, unit): (String, &str),
    floor: String,
    verified: bool,
) -> [String; 8] {
    let (size, load, verified) = (size.to_string(), load.to_string(), verified.to_string());
    [row.to_owned(), size, load, entry.name().to_owned(), figure, unit.to_owned(), floor, verified]
}

/// The floor to compare a workload with.
fn floor(workload: &str) -> Option<&'static str> {
    let ([build, present, absent, delete], [find, insert, _]) = (CALLS, FLOORS);
    match workload {
        search if [present, absent].contains(&search) => Some(find),
        update if [build, delete].contains(&update) => Some(insert),
        _ => None,
    }
}

/// The processor, and how many threads it runs.
fn machine() -> String {
    let known = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = known.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    format!("{model}, {}", Opened::Cpu.device())
}

/// The command line, without the option that names the record. An argument with a space is quoted.
fn command(args: impl Iterator<Item = String>) -> String {
    let args = args.skip(1).filter(|arg| !arg.starts_with("--record"));
    let args = args.map(|arg| if arg.contains(' ') { format!("\"{arg}\"") } else { arg });
    std::iter::once("warpproof".to_owned()).chain(args).collect::<Vec<_>>().join(" ")
}

/// The commit of the repository that a folder is in, with a `+` if any file outside of the folder differs
/// from it; `unknown` if there is no repository.
fn commit(folder: &Path) -> String {
    let git = |args: &[&str]| {
        Command::new("git")
            .arg("-C")
            .arg(folder)
            .args(args)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
    };
    let head = git(&["rev-parse", "HEAD"]).ok().filter(|head| head.status.success());
    let Some(head) = head.and_then(|head| String::from_utf8(head.stdout).ok()) else {
        return "unknown".into();
    };
    let same = git(&["diff", "--quiet", "HEAD", "--", ":/", ":(exclude)."]);
    let changed = if same.is_ok_and(|same| same.status.success()) { "" } else { "+" };
    format!("{}{changed}", head.trim())
}

/// The date and time `seconds` seconds after the beginning of 1970, in UTC.
fn date(seconds: u64) -> String {
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let (mut day, second, mut year) = (seconds / 86_400, seconds % 86_400, 1970);
    while day >= 365 + u64::from(leap(year)) {
        day -= 365 + u64::from(leap(year));
        year += 1;
    }
    let mut month = 1;
    for days in [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if day < days {
            break;
        }
        day -= days;
        month += 1;
    }
    let (hour, minute) = (second / 3600, second / 60 % 60);
    format!("{year}-{month:02}-{:02}T{hour:02}:{minute:02}:{:02}Z", day + 1, second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_dates() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (68_255_999, "1972-02-29T23:59:59Z"),
            (68_256_000, "1972-03-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_798_761_599, "2026-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(date(seconds), expected);
        }
    }

    #[test]
    fn a_command_is_what_measures_it() {
        let args = ["target/debug/warpproof", "bench", "open", "--record=folder", "--quick", "--record"];
        assert_eq!(command(args.into_iter().map(str::to_owned)), "warpproof bench open --quick");
        let args = ["warpproof", "bench", "open", "--cell", "search present", "--record", "--cell=build"];
        let said = "warpproof bench open --cell \"search present\" --cell=build";
        assert_eq!(command(args.into_iter().map(str::to_owned)), said);
    }
}
