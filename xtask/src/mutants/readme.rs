//! tests/mutants/README.md: a table per structure, under a heading with the name of its folder.

use crate::shell::{Outcome, read, root, write};
use std::path::PathBuf;

const COLUMNS: &str = "| Mutant | What | Verdict | Scenario | Executions |\n|---|---|---|---|---|\n";

/// The table of one structure, and the text around it.
struct Parts<'a> {
    before: &'a str,
    rows: &'a str,
    after: &'a str,
}

fn path() -> PathBuf {
    root().join("tests/mutants/README.md")
}

fn parts<'a>(text: &'a str, structure: &str) -> Outcome<Parts<'a>> {
    let heading = format!("## {structure}\n\n{COLUMNS}");
    let at = text.find(&heading).ok_or(format!("tests/mutants/README.md has no table of {structure}"))?;
    let (before, rest) = text.split_at(at + heading.len());
    let (rows, after) = rest.split_at(rest.find("\n\n").map_or(rest.len(), |end| end + 1));
    Ok(Parts { before, rows, after })
}

/// The beginning of the row of a mutant.
pub(super) fn first_cell(name: &str) -> String {
    format!("| {name} |")
}

/// The rows of the mutants of a structure.
pub(super) fn rows(structure: &str) -> Outcome<Vec<String>> {
    Ok(parts(&read(&path())?, structure)?.rows.lines().map(str::to_owned).collect())
}

/// Replaces the rows of the mutants in `asked` with these rows. Other mutants keep theirs if they are in
/// `known`.
pub(super) fn put(structure: &str, new: &[String], asked: &[&str], known: &[String]) -> Outcome<()> {
    write(&path(), &with_rows(&read(&path())?, structure, new, asked, known)?)
}

fn with_rows(
    text: &str,
    structure: &str,
    new: &[String],
    asked: &[&str],
    known: &[String],
) -> Outcome<String> {
    let Parts { before, rows, after } = parts(text, structure)?;
    let of = |row: &str, name: &str| row.starts_with(&first_cell(name));
    let kept = rows.lines().filter(|row| known.iter().any(|name| of(row, name)));
    let kept = kept.filter(|row| !asked.iter().any(|name| of(row, name)));
    let mut all: Vec<&str> = kept.chain(new.iter().map(String::as_str)).collect();
    all.sort_unstable();
    Ok(format!("{before}{}\n{after}", all.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_rows_that_were_asked_for_change() {
        let text = format!(
            "# Mutants\n\n## slab\n\n{COLUMNS}| a | old |\n\n## hopscotch\n\n{COLUMNS}| a | old |\n| b | kept |\n| c | gone |\n"
        );
        let known = ["a".to_owned(), "b".to_owned()];
        let new =
            with_rows(&text, "hopscotch", &["| a | new |".to_owned()], &["a"], &known).expect("a table");
        let expected = format!(
            "# Mutants\n\n## slab\n\n{COLUMNS}| a | old |\n\n## hopscotch\n\n{COLUMNS}| a | new |\n| b | kept |\n"
        );
        assert_eq!(new, expected);
        let first = with_rows(&text, "slab", &["| a | new |".to_owned()], &["a"], &known).expect("a table");
        assert_eq!(first, text.replacen("| a | old |", "| a | new |", 1));
        assert!(with_rows(&text, "sla", &[], &[], &[]).is_err());
    }
}
