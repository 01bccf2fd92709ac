//! The entries of tests/mutants: one file per structure.

use super::edit::Edit;
use crate::shell::{Outcome, read, root};
use serde::Deserialize;

/// A change that makes a structure wrong, or is claimed to leave it right.
pub(super) struct Mutant {
    pub(super) structure: String,
    pub(super) name: String,
    pub(super) what: String,
    /// Why it cannot be told from the original.
    pub(super) equivalent: Option<String>,
    /// Why no scenario shows that it is wrong, although it is not known to be equivalent.
    pub(super) open: Option<String>,
    /// The scenario that is explored instead of the default set; if the name ends with `/`, all scenarios
    /// whose names begin with it.
    pub(super) scenario: Option<String>,
    pub(super) edits: Vec<Edit>,
}

impl Mutant {
    /// Why nothing kills it, as the tables write it. `None`: something has to.
    pub(super) fn excuse(&self) -> Option<String> {
        let equivalent = self.equivalent.as_ref().map(|reason| format!("equivalent: {reason}"));
        equivalent.or(self.open.as_ref().map(|reason| format!("open: {reason}")))
    }
}

/// A file of tests/mutants.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    mutant: Vec<Entry>,
}

/// An entry. The keys of its first edit are those of the entry itself.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    what: String,
    equivalent: Option<String>,
    open: Option<String>,
    scenario: Option<String>,
    file: String,
    #[serde(rename = "fn")]
    function: Option<String>,
    find: String,
    replace: String,
    #[serde(default)]
    also: Vec<Edit>,
}

/// The mutants of a structure, by name.
pub(super) fn of(structure: &str) -> Outcome<Vec<Mutant>> {
    let name = format!("tests/mutants/{structure}.toml");
    parse(structure, &read(&root().join(&name))?).map_err(|error| format!("{name}: {error}"))
}

fn parse(structure: &str, text: &str) -> Outcome<Vec<Mutant>> {
    let File { mutant: entries } = toml::from_str(text).map_err(|error| error.to_string())?;
    if let Some(pair) = entries.windows(2).find(|pair| pair[0].name >= pair[1].name) {
        return Err(format!(
            "{} stands after {}, but names must be sorted and unique",
            pair[1].name, pair[0].name
        ));
    }
    if let Some(silent) = entries.iter().find(|entry| entry.what.trim().is_empty()) {
        return Err(format!("{} has an empty `what`", silent.name));
    }
    Ok(entries.into_iter().map(|entry| entry.mutant(structure)).collect())
}

/// A reason may stand on several lines of the file; it is one cell of a table.
fn one_line(text: &str) -> String {
    text.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

impl Entry {
    fn mutant(self, structure: &str) -> Mutant {
        let Self { name, what, equivalent, open, scenario, file, function, find, replace, also } = self;
        let edits = [vec![Edit { file, function, find, replace }], also].concat();
        let [equivalent, open] = [equivalent, open].map(|reason| reason.map(|text| one_line(&text)));
        Mutant { structure: structure.to_owned(), name, what, equivalent, open, scenario, edits }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_on_several_lines_is_one_cell() {
        let text = "[[mutant]]\nname = \"a\"\nwhat = \"b\"\nopen = \"\"\"one\n  two\"\"\"\n\
                    file = \"f\"\nfind = \"x\"\nreplace = \"y\"\n";
        let mutants = parse("slab", text).expect("one mutant");
        assert_eq!(mutants[0].excuse().as_deref(), Some("open: one two"));
    }
}
