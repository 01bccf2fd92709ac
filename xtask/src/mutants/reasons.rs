//! Reasons why nothing kills a generated mutant, one per line: `NAME => equivalent: REASON` or
//! `NAME => open: REASON`.

use crate::shell::Outcome;
use std::collections::{HashMap, HashSet};

/// A reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Reason {
    /// Whether the mutant cannot be told from the original. Otherwise, no scenario shows that it is wrong.
    pub(super) equivalent: bool,
    /// `equivalent: REASON` or `open: REASON`.
    pub(super) text: String,
}

/// Reads the reasons in `text`, of mutants among `names`. Lines that begin with `#` are comments.
///
/// A line of another form, an unknown name and a second reason for one mutant are errors.
pub(super) fn parse(text: &str, names: &HashSet<&str>) -> Outcome<HashMap<String, Reason>> {
    let mut reasons = HashMap::new();
    for (number, line) in text.lines().enumerate() {
        let at = |problem: &str| format!("line {}: {problem}: {line}", number + 1);
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (name, text) = line.split_once(" => ").ok_or_else(|| at("not `NAME => REASON`"))?;
        let (kind, why) = text.split_once(": ").ok_or_else(|| at("not `equivalent: ...` or `open: ...`"))?;
        if !matches!(kind, "equivalent" | "open") || why.trim().is_empty() {
            return Err(at("not `equivalent: ...` or `open: ...`"));
        }
        if !names.contains(name) {
            return Err(at("there is no such mutant"));
        }
        let reason = Reason { equivalent: kind == "equivalent", text: text.to_owned() };
        if reasons.insert(name.to_owned(), reason).is_some() {
            return Err(at("this mutant has a reason already"));
        }
    }
    Ok(reasons)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_read() {
        let names = HashSet::from(["a.rs: replace f -> u32 with 0", "a.rs: replace + with - in f #2"]);
        let text = "# Hints.\n\na.rs: replace f -> u32 with 0 => equivalent: a hint\n\
                    a.rs: replace + with - in f #2 => open: no scenario: none\n";
        let reasons = parse(text, &names).expect("reasons");
        assert_eq!(reasons.len(), 2);
        let first = &reasons["a.rs: replace f -> u32 with 0"];
        assert!(first.equivalent && first.text == "equivalent: a hint");
        let second = &reasons["a.rs: replace + with - in f #2"];
        assert!(!second.equivalent && second.text == "open: no scenario: none");
    }

    #[test]
    fn what_is_no_reason_is_an_error() {
        let names = HashSet::from(["a"]);
        for text in [
            "b => equivalent: unknown",
            "a",
            "a => because",
            "a => perhaps: so",
            "a => open: ",
            "a => open: x\na => open: y",
        ] {
            let error = parse(text, &names).expect_err(text);
            assert!(error.starts_with("line "), "{error}");
        }
    }
}
