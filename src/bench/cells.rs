//! `warpproof bench --cell`: measures some rows alone.

use super::row::{GROUPS, Row};
use crate::failure::Failure;
use std::fmt::Display;

/// The rows that are asked for, by name; all rows if there is no name.
pub(super) struct Cells<'a>(&'a [String]);

impl<'a> Cells<'a> {
    /// All rows.
    #[cfg(feature = "gpu")]
    pub(super) const ALL: Cells<'static> = Cells(&[]);

    /// The rows with these names. `there` are the names of the rows that tables such as `tables` have.
    ///
    /// # Errors
    /// If a row is not there.
    pub(super) fn new(names: &'a [String], there: &[&str], tables: impl Display) -> Result<Self, Failure> {
        let Some(missing) = names.iter().find(|name| !there.contains(&name.as_str())) else {
            return Ok(Self(names));
        };
        let known = GROUPS.into_iter().flatten().any(|name| name == missing);
        let why = if known { "these tables have no such row" } else { "no row has this name" };
        let quoted: Vec<String> = there.iter().map(|name| format!("{name:?}")).collect();
        let rows = if quoted.is_empty() { "none".to_owned() } else { quoted.join(", ") };
        Err(Failure::input(format_args!("--cell {missing:?}: {why}; the rows of {tables}: {rows}")))
    }

    /// Whether all rows are asked for.
    pub(super) const fn are_all(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this row is asked for.
    pub(super) fn has(&self, name: &str) -> bool {
        self.are_all() || self.0.iter().any(|asked| asked == name)
    }

    /// Whether any of these rows is asked for.
    pub(super) fn has_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.has(name))
    }

    /// Checks that each name has got its row.
    ///
    /// # Errors
    /// If one has not.
    pub(super) fn admit(&self, rows: &[Row]) -> Result<(), Failure> {
        match self.0.iter().find(|name| rows.iter().all(|row| row.workload != **name)) {
            Some(missing) => Err(Failure::input(format_args!("--cell {missing:?}: it was not measured"))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(of: &[&str]) -> Vec<String> {
        of.iter().copied().map(str::to_owned).collect()
    }

    fn row(workload: &'static str) -> Row {
        Row { size: 1, load: 0.5, workload, ops: 1, seconds: 1.0, mops: 1.0, verified: true }
    }

    fn text<T>(refused: Result<T, Failure>) -> String {
        match refused {
            Err(Failure::Input(why)) => why,
            _ => "no bad input".to_owned(),
        }
    }

    #[test]
    fn rows_are_all_or_those_with_a_name() {
        let there = ["build", "search present", "mix 20,20,60"];
        let all = Cells::new(&[], &there, "tables").unwrap();
        assert!(all.are_all() && all.has("build") && all.has_any(&["anything"]));
        let asked = names(&["mix 20,20,60", "build", "build"]);
        let some = Cells::new(&asked, &there, "tables").unwrap();
        assert!(!some.are_all() && some.has("build") && some.has("mix 20,20,60"));
        assert!(!some.has("search present") && !some.has_any(&["search present", "mix"]));
        assert!(some.has_any(&["search present", "build"]));
    }

    #[test]
    fn a_row_that_is_not_there_is_refused_with_those_that_are() {
        let there = ["build", "mix 20,20,60"];
        let refused = |name: &str| text(Cells::new(&names(&["build", name]), &there, "slab on cpu"));
        let rows = "the rows of slab on cpu: \"build\", \"mix 20,20,60\"";
        assert_eq!(refused("Build"), format!("--cell \"Build\": no row has this name; {rows}"));
        assert_eq!(refused(""), format!("--cell \"\": no row has this name; {rows}"));
        let known = "these tables have no such row";
        assert_eq!(refused("floor: find"), format!("--cell \"floor: find\": {known}; {rows}"));
        let none = text(Cells::new(&names(&["build"]), &[], "shards"));
        assert_eq!(none, format!("--cell \"build\": {known}; the rows of shards: none"));
    }

    #[test]
    fn a_row_that_was_not_measured_is_an_error() {
        let (asked, there) = (names(&["build", "delete half"]), ["build", "delete half"]);
        let cells = Cells::new(&asked, &there, "tables").unwrap();
        assert!(cells.admit(&[row("build"), row("delete half")]).is_ok());
        assert_eq!(text(cells.admit(&[row("build")])), "--cell \"delete half\": it was not measured");
        assert!(Cells::new(&[], &there, "tables").unwrap().admit(&[]).is_ok());
    }

    #[test]
    fn a_name_stands_for_one_row_of_a_group() {
        for group in GROUPS {
            for (i, name) in group.iter().enumerate() {
                assert!(!group[i + 1..].contains(name), "{name}");
            }
        }
    }
}
