//! The comments of the sources: no line is too long, and each doc comment can be read alone.

use crate::shell::{Outcome, output, read, root};
use std::process::Command;

/// The longest line of a comment, in columns: that of code is `max_width` in rustfmt.toml.
pub(crate) const COLUMNS: usize = 110;

/// The beginning of a doc comment that cannot be read without the one above it.
const DEPENDENT: &str = "The same";

/// Places in the sources, each as `file:line`.
#[derive(Default)]
pub(crate) struct Comments {
    /// Comment lines longer than [`COLUMNS`]. Comments after code are not counted.
    pub(crate) long: Vec<String>,
    /// Doc comments that begin with "The same".
    pub(crate) dependent: Vec<String>,
}

/// Reads the comments of all sources.
pub(crate) fn comments() -> Outcome<Comments> {
    let files = output(Command::new("git").current_dir(root()).args(["ls-files", "--", "*.rs"]))?;
    let mut found = Comments::default();
    for file in files.lines() {
        let text = read(&root().join(file))?;
        let places = |lines: Vec<usize>| lines.into_iter().map(move |line| format!("{file}:{line}"));
        found.long.extend(places(long(&text)));
        found.dependent.extend(places(dependent(&text)));
    }
    Ok(found)
}

/// The line numbers of comments that are too long.
fn long(text: &str) -> Vec<usize> {
    let is_long = |line: &str| line.trim_start().starts_with("//") && line.chars().count() > COLUMNS;
    (1..).zip(text.lines()).filter(|(_, line)| is_long(line)).map(|(number, _)| number).collect()
}

/// The line numbers where a doc comment begins with [`DEPENDENT`].
fn dependent(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut goes_on = false;
    for (number, line) in (1..).zip(text.lines()) {
        let doc = doc(line);
        if !goes_on && doc.is_some_and(|doc| doc.starts_with(DEPENDENT)) {
            found.push(number);
        }
        goes_on = doc.is_some();
    }
    found
}

/// The text of a line of a doc comment.
fn doc(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("/// ").or_else(|| line.strip_prefix("//! ")).or_else(|| {
        let is_blank = line == "///" || line == "//!";
        is_blank.then_some("")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_keep_to_their_columns() {
        let long = comments().unwrap().long;
        assert!(long.is_empty(), "comments longer than {COLUMNS} columns: {long:#?}");
    }

    #[test]
    fn every_doc_comment_stands_alone() {
        let dependent = comments().unwrap().dependent;
        assert!(dependent.is_empty(), "doc comments that begin with \"{DEPENDENT}\": {dependent:#?}");
    }

    #[test]
    fn columns_are_characters_of_comments() {
        let line = |length: usize| format!("    // {}", "é".repeat(length - 7));
        assert_eq!(long(&format!("{}\n{}\n", line(COLUMNS), line(COLUMNS + 1))), [2]);
        assert_eq!(long(&format!("let a = \"{}\";\n", "a".repeat(COLUMNS))), [0; 0]);
    }

    #[test]
    fn a_doc_comment_begins_at_its_first_line() {
        let dependent = |text: &str| dependent(text).len();
        assert_eq!(dependent("//! The same.\n"), 1);
        assert_eq!(dependent("fn a() {}\n\n    /// The same for sets.\n    fn b() {}\n"), 1);
        assert_eq!(dependent("/// A table.\n///\n/// The same seed gives the same places.\n"), 0);
        assert_eq!(dependent("// The same as above.\n"), 0);
    }
}
