//! tests/mutants/generated.md: a row per file, and one per mutant that nothing killed.

use super::judge::{Fate, UNIT_TEST};
use super::reasons::Reason;
use super::schemata::Generated;
use super::store::Judged;
use crate::shell::Outcome;

/// The headings of the rows of files and of mutants.
const FILES: &str = "| File | Mutants | Killed by scenarios | By unit tests | Unviable | Not reached | Equivalent | Open | Undecided | Survived | Seconds |\n|---|---|---|---|---|---|---|---|---|---|---|\n";
const MUTANTS: &str =
    "| File | Place | Mutant | Why nothing kills it | Executions |\n|---|---|---|---|---|\n";
const NOT_REACHED: &str = "| File | Function | Mutants |\n|---|---|---|\n";

/// A mutant in the table.
pub(super) struct Row<'a> {
    pub(super) mutant: &'a Generated,
    pub(super) judged: &'a Judged,
    pub(super) reason: Option<&'a Reason>,
}

impl Row<'_> {
    /// What is wrong with it, if anything.
    pub(super) fn fault(&self) -> Option<String> {
        let fault = match (&self.judged.fate, self.reason) {
            (Fate::Lives { .. }, None) => "survived",
            (Fate::Killed { .. } | Fate::Unviable, Some(_)) => {
                "killed or unviable, though it has a reason to live"
            }
            _ => return None,
        };
        Some(format!("{} ({}): {fault}", self.mutant.name, self.mutant.place))
    }

    /// The row, if nothing killed it.
    fn line(&self) -> Option<String> {
        let (executions, without_reason) = match self.judged.fate {
            Fate::Lives { executions } => (executions, "**survived**".to_owned()),
            Fate::Undecided { executions, left, within } => {
                (executions, format!("undecided: {left} scenarios were left, after those of {within} s"))
            }
            _ => return None,
        };
        let why = self.reason.map_or(without_reason, |reason| reason.text.clone());
        let (file, place) = (&self.mutant.file, &self.mutant.place);
        let what = self.mutant.what.replace('|', "\\|");
        Some(format!("| {file} | {place} | `{what}` | {why} | {executions} |"))
    }
}

/// Returns the text of the tables, in which the rows of all files in `rows` are replaced.
pub(super) fn table(old: &str, rows: &[Row<'_>]) -> Outcome<String> {
    let mut asked: Vec<&str> = rows.iter().map(|row| &*row.mutant.file).collect();
    asked.dedup();
    let files = asked.iter().map(|file| counts(file, rows)).collect();
    let text = with_lines(old, FILES, &asked, files, |lines| {
        let all = sum(lines);
        lines.push(all);
    })?;
    let text = with_lines(&text, MUTANTS, &asked, rows.iter().filter_map(Row::line).collect(), |_| {})?;
    with_lines(&text, NOT_REACHED, &asked, not_reached(rows), |_| {})
}

/// Returns a text in which, in the table with this heading, `new` replaces the lines of the files in `asked`.
/// The lines of a file stay in the order of their places.
fn with_lines(
    text: &str,
    heading: &str,
    asked: &[&str],
    new: Vec<String>,
    finish: impl FnOnce(&mut Vec<String>),
) -> Outcome<String> {
    let parts = text.split_once(heading);
    let (before, rest) = parts.ok_or(format!("tests/mutants/generated.md has no table\n{heading}"))?;
    let (lines, after) = rest.split_at(rest.find("\n\n").map_or(rest.len(), |end| end + 1));
    let kept = |line: &&str| {
        line.starts_with("| model/") && !asked.iter().any(|file| line.starts_with(&format!("| {file} |")))
    };
    let mut lines: Vec<String> = lines.lines().filter(kept).map(str::to_owned).chain(new).collect();
    lines.sort_by_key(|line| line.split(" |").next().map(str::to_owned));
    finish(&mut lines);
    let lines: String = lines.into_iter().map(|line| line + "\n").collect();
    Ok(format!("{before}{heading}{lines}{after}"))
}

/// The functions that no scenario runs, with the number of their mutants that no unit test kills.
fn not_reached(rows: &[Row<'_>]) -> Vec<String> {
    let mut functions: Vec<(&str, &str, u32)> = Vec::new();
    for row in rows.iter().filter(|row| row.judged.fate == Fate::NotReached) {
        let (file, function) = (&*row.mutant.file, &*row.mutant.function);
        match functions.last_mut() {
            Some((last_file, last, count)) if *last_file == file && *last == function => *count += 1,
            _ => functions.push((file, function, 1)),
        }
    }
    functions.iter().map(|(file, function, count)| format!("| {file} | `{function}` | {count} |")).collect()
}

/// The row of a file.
fn counts(file: &str, rows: &[Row<'_>]) -> String {
    let of = |wanted: &dyn Fn(&Row<'_>) -> bool| {
        rows.iter().filter(|r| r.mutant.file == file && wanted(r)).count()
    };
    let lives = |row: &Row<'_>| matches!(row.judged.fate, Fate::Lives { .. });
    let undecided = |row: &Row<'_>| matches!(row.judged.fate, Fate::Undecided { .. });
    let excused = |row: &Row<'_>, equivalent| {
        (lives(row) || undecided(row)) && row.reason.is_some_and(|r| r.equivalent == equivalent)
    };
    let numbers = [
        of(&|_| true),
        of(&|row| matches!(&row.judged.fate, Fate::Killed { how, .. } if how != UNIT_TEST)),
        of(&|row| matches!(&row.judged.fate, Fate::Killed { how, .. } if how == UNIT_TEST)),
        of(&|row| row.judged.fate == Fate::Unviable),
        of(&|row| row.judged.fate == Fate::NotReached),
        of(&|row| excused(row, true)),
        of(&|row| excused(row, false)),
        of(&|row| undecided(row) && row.reason.is_none()),
        of(&|row| lives(row) && row.reason.is_none()),
    ];
    let seconds: f64 = rows.iter().filter(|r| r.mutant.file == file).map(|r| r.judged.seconds).sum();
    format!("| {file} | {} | {seconds:.0} |", numbers.map(|number| number.to_string()).join(" | "))
}

/// The row of all files.
fn sum(files: &[String]) -> String {
    let mut sums = [0u32; 10];
    for line in files {
        for (sum, cell) in sums.iter_mut().zip(line.split('|').skip(2)) {
            *sum += cell.trim().parse::<u32>().unwrap_or(0);
        }
    }
    format!("| all | {} |", sums.map(|sum| sum.to_string()).join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutant(file: &str, what: &str) -> Generated {
        let (file, what) = (file.to_owned(), what.to_owned());
        Generated {
            name: format!("{file}: {what}"),
            file,
            place: "7:9".to_owned(),
            what,
            function: "f".to_owned(),
            number: 1,
            text: String::new(),
        }
    }

    fn judged(fate: Fate) -> Judged {
        Judged { fate, seconds: 1.5 }
    }

    fn killed(how: &str) -> Fate {
        Fate::Killed { how: how.to_owned(), scenario: "map32/x".to_owned(), executions: Some(3) }
    }

    #[test]
    fn rows_of_other_files_stay() {
        let old = format!(
            "Head.\n\n{FILES}| model/src/a.rs | 9 | 9 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 1 |\n\
             | model/src/b.rs | 4 | 1 | 0 | 0 | 0 | 2 | 0 | 0 | 1 | 3 |\n| all | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |\n\nMiddle.\n\n\
             {MUTANTS}| model/src/a.rs | 1:1 | old | **survived** | 5 |\n\
             | model/src/b.rs | 1:1 | kept | equivalent: so | 5 |\n\nThird.\n\n\
             {NOT_REACHED}| model/src/a.rs | `old` | 4 |\n| model/src/b.rs | `kept` | 1 |\n"
        );
        let mutants = ["one", "two", "three", "four || five", "six", "seven", "eight"]
            .map(|what| mutant("model/src/a.rs", what));
        let lives = Fate::Lives { executions: 8 };
        let fates = [
            killed("killed: not linearizable"),
            killed(UNIT_TEST),
            Fate::Unviable,
            lives.clone(),
            lives,
            Fate::NotReached,
            Fate::Undecided { executions: 6, left: 2, within: 60 },
        ]
        .map(judged);
        let open = Reason { equivalent: false, text: "open: why".to_owned() };
        let reasons = [None, None, None, Some(&open), None, None, None];
        let rows: Vec<Row<'_>> = mutants
            .iter()
            .zip(&fates)
            .zip(reasons)
            .map(|((mutant, judged), reason)| Row { mutant, judged, reason })
            .collect();
        let new = table(&old, &rows).expect("three tables");
        let expected = format!(
            "Head.\n\n{FILES}| model/src/a.rs | 7 | 1 | 1 | 1 | 1 | 0 | 1 | 1 | 1 | 10 |\n\
             | model/src/b.rs | 4 | 1 | 0 | 0 | 0 | 2 | 0 | 0 | 1 | 3 |\n| all | 11 | 2 | 1 | 1 | 1 | 2 | 1 | 1 | 2 | 13 |\n\nMiddle.\n\n\
             {MUTANTS}| model/src/a.rs | 7:9 | `four \\|\\| five` | open: why | 8 |\n\
             | model/src/a.rs | 7:9 | `six` | **survived** | 8 |\n\
             | model/src/a.rs | 7:9 | `eight` | undecided: 2 scenarios were left, after those of 60 s | 6 |\n\
             | model/src/b.rs | 1:1 | kept | equivalent: so | 5 |\n\nThird.\n\n\
             {NOT_REACHED}| model/src/a.rs | `f` | 1 |\n| model/src/b.rs | `kept` | 1 |\n"
        );
        assert_eq!(new, expected);
        assert_eq!(table(&new, &rows).as_ref(), Ok(&expected), "a second time");
        let faults: Vec<String> = rows.iter().filter_map(Row::fault).collect();
        assert_eq!(faults, ["model/src/a.rs: six (7:9): survived"]);
    }

    #[test]
    fn a_reason_to_live_of_a_killed_mutant_is_a_fault() {
        let (mutant, judged) = (mutant("model/src/a.rs", "one"), judged(killed("killed: panic")));
        let reason = Reason { equivalent: true, text: "equivalent: so".to_owned() };
        assert!(Row { mutant: &mutant, judged: &judged, reason: Some(&reason) }.fault().is_some());
        assert!(Row { mutant: &mutant, judged: &judged, reason: None }.fault().is_none());
    }
}
