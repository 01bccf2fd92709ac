//! `cargo xtask unsafe`: counts unsafe code. `tests/unsafe.csv` has the number of unsafe lines of each file,
//! so that a new one does not go unnoticed, and each must state what makes it safe.

use crate::shell::{Outcome, output, read, root, write};
use std::path::PathBuf;
use std::process::Command;

const COLUMNS: &str = "file,lines\n";

/// Writes the inventory.
pub(crate) fn count() -> Outcome<()> {
    let found = inventory()?;
    let lines: usize = found.iter().map(|file| file.lines.len()).sum();
    write(&inventory_file(), &text(&found))?;
    println!("{lines} unsafe lines in {} files", found.len());
    Ok(())
}

/// A file, and the numbers of its unsafe lines.
struct Unsafe {
    file: String,
    lines: Vec<usize>,
}

fn inventory_file() -> PathBuf {
    root().join("tests/unsafe.csv")
}

fn inventory() -> Outcome<Vec<Unsafe>> {
    let files = output(Command::new("git").current_dir(root()).args(["ls-files", "--", "*.rs"]))?;
    let mut found = Vec::new();
    for file in files.lines() {
        let lines = unsafe_lines(&read(&root().join(file))?);
        if !lines.is_empty() {
            found.push(Unsafe { file: file.to_owned(), lines });
        }
    }
    Ok(found)
}

fn text(found: &[Unsafe]) -> String {
    let rows = found.iter().map(|Unsafe { file, lines }| format!("{file},{}\n", lines.len()));
    rows.fold(COLUMNS.to_owned(), |all, row| all + &row)
}

/// The numbers of the lines that have the word in code: before a block, an item or an attribute's
/// parentheses.
fn unsafe_lines(text: &str) -> Vec<usize> {
    let of = |line: &str| {
        let code = code(line);
        let is_whole = |at: &usize| !code[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let places = code.match_indices("unsafe").map(|(at, _)| at).filter(is_whole);
        let mut after = places.map(|at| code[at + "unsafe".len()..].trim_start());
        after.any(|after| after.starts_with(['{', '(']) || ITEMS.iter().any(|item| after.starts_with(item)))
    };
    (1..).zip(text.lines()).filter(|(_, line)| of(line)).map(|(number, _)| number).collect()
}

/// The kinds of items that may be unsafe.
const ITEMS: [&str; 4] = ["fn ", "impl", "extern ", "trait "];

/// A line without its comment and its string literals.
fn code(line: &str) -> String {
    let line = line.split("//").next().unwrap_or_default();
    line.split('"').step_by(2).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_code_does_not_grow_unnoticed() {
        let (found, known) = (text(&inventory().unwrap()), read(&inventory_file()).unwrap());
        let differs = |line: &&str| known.lines().all(|other| other != *line);
        let grown: Vec<&str> = found.lines().filter(differs).collect();
        assert!(
            found == known,
            "tests/unsafe.csv does not say what there is; `cargo xtask unsafe` counts anew. Now: {grown:?}"
        );
    }

    /// A comment or the documentation states what makes it safe, or what the caller must guarantee. The
    /// statement for all kernels is once in gpu/kernels/src/lib.rs.
    #[test]
    fn every_unsafe_line_says_what_makes_it_safe() {
        let mut silent = Vec::new();
        for Unsafe { file, lines } in inventory().unwrap() {
            let text = read(&root().join(&file)).unwrap();
            let all: Vec<&str> = text.lines().collect();
            let is_silent = |&&at: &&usize| !is_kernel(all[at - 1]) && !says(&all, at - 1);
            silent.extend(lines.iter().filter(is_silent).map(|at| format!("{file}:{at}")));
        }
        assert!(silent.is_empty(), "no word of safety: {silent:#?}");
        assert!(read(&root().join("gpu/kernels/src/lib.rs")).unwrap().contains("//! # Safety"));
    }

    fn is_kernel(line: &str) -> bool {
        line.contains("extern \"ptx-kernel\"") || line.trim() == "#[unsafe(no_mangle)]"
    }

    /// Whether a word about safety is before the statement or item of a line.
    fn says(lines: &[&str], at: usize) -> bool {
        let said = |line: &str| line.contains("SAFETY:") || line.contains("# Safety");
        for back in (0..at).rev() {
            let line = lines[back].trim();
            if said(line) {
                return true;
            }
            let goes_on = line.starts_with("//") || line.starts_with("#[") || !line.ends_with([';', '}']);
            if line.is_empty() || !goes_on {
                return false;
            }
        }
        false
    }

    #[test]
    fn comments_and_texts_are_not_code() {
        assert_eq!(
            unsafe_lines("// unsafe\nlet a = \"unsafe\";\nunsafe { f() } // so\nfn not_unsafe() {}\n"),
            [3]
        );
    }
}
