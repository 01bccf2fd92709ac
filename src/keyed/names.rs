//! Names of columns, as they are given on the command line and as they are written.

use std::collections::{HashMap, HashSet};

/// A list of columns on the command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Columns(pub(crate) Vec<String>);

/// A list of columns of two files on the command line: a name for both, or a name for each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Pairs {
    pub(crate) left: Vec<String>,
    pub(crate) right: Vec<String>,
}

impl std::str::FromStr for Columns {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parse(text, false).map(|pairs| Self(pairs.left))
    }
}

impl std::str::FromStr for Pairs {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parse(text, true)
    }
}

/// Reads `a,b=c,"d,e"`; without `two` an equals sign is like any letter.
fn parse(text: &str, two: bool) -> Result<Pairs, String> {
    let mut pairs = Pairs { left: Vec::new(), right: Vec::new() };
    let mut rest = text;
    loop {
        let (left, after) = name(rest, two)?;
        let (right, after) = match after.strip_prefix('=') {
            Some(after) if two => name(after, two)?,
            _ => (left.clone(), after),
        };
        pairs.left.push(left);
        pairs.right.push(right);
        rest = match after.strip_prefix(',') {
            Some(rest) => rest,
            None if after.is_empty() => return Ok(pairs),
            None => return Err(format!("expected a comma before {after:?}")),
        };
    }
}

/// A name, in quotes or not, and what follows it.
fn name(text: &str, two: bool) -> Result<(String, &str), String> {
    let Some(mut rest) = text.strip_prefix('"') else {
        let end = text.find(|c| c == ',' || two && c == '=').unwrap_or(text.len());
        if end == 0 {
            return Err("expected the name of a column; an empty name is \"\"".into());
        }
        return Ok((text[..end].to_owned(), &text[end..]));
    };
    let mut name = String::new();
    loop {
        let Some((inside, after)) = rest.split_once('"') else {
            return Err(format!("a quote is opened and never closed: {text}"));
        };
        name.push_str(inside);
        match after.strip_prefix('"') {
            Some(after) => {
                name.push('"');
                rest = after;
            }
            None => return Ok((name, after)),
        }
    }
}

/// The names of the columns of an output, no two of them equal.
pub(crate) struct Header {
    names: Vec<Vec<u8>>,
    taken: HashSet<Vec<u8>>,
    tried: HashMap<Vec<u8>, u32>,
}

impl Header {
    /// Begins with these names as they are.
    pub(crate) fn new(names: Vec<Vec<u8>>) -> Self {
        let taken = names.iter().cloned().collect();
        Self { names, taken, tried: HashMap::new() }
    }

    /// Adds a name. If it is taken, it gets the first free one of the suffixes `_right`, `_right2`,
    /// `_right3` and so on, if `suffix` is `_right`. Takes time proportional to the names: a suffix that was
    /// taken for a name is not tried again for it.
    pub(crate) fn add(&mut self, name: &[u8], suffix: &str) {
        let mut unique = name.to_vec();
        while !self.taken.insert(unique.clone()) {
            let number = self.tried.entry(name.to_vec()).or_insert(0);
            *number += 1;
            unique = [name, suffix.as_bytes()].concat();
            if *number > 1 {
                unique.extend_from_slice(number.to_string().as_bytes());
            }
        }
        self.names.push(unique);
    }

    /// All names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.names.iter().map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_columns_are_read() {
        let columns = |text: &str| text.parse::<Columns>().map(|columns| columns.0);
        let list = |names: &[&str]| Ok(names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        assert_eq!(columns("a"), list(&["a"]));
        assert_eq!(columns("a,b c,d=e"), list(&["a", "b c", "d=e"]));
        assert_eq!(columns("\"a,b\",\"say \"\"hi\"\"\",\"\",x\"y"), list(&["a,b", "say \"hi\"", "", "x\"y"]));
        for (text, why) in [
            ("", "expected the name"),
            ("a,", "expected the name"),
            ("\"a", "never closed"),
            ("\"a\"b", "comma"),
        ] {
            assert!(columns(text).expect_err(text).contains(why), "{text}");
        }
    }

    #[test]
    fn columns_of_two_files_are_read() {
        let pairs =
            |text: &str| text.parse::<Pairs>().map(|pairs| (pairs.left.join("|"), pairs.right.join("|")));
        assert_eq!(pairs("a,b=c,\"d=e\""), Ok(("a|b|d=e".into(), "a|c|d=e".into())));
        assert_eq!(pairs("\"a\"=\"b,c\""), Ok(("a".into(), "b,c".into())));
        for text in ["a=", "=a", "a=b=c", "a,=b"] {
            assert!(pairs(text).is_err(), "{text}");
        }
    }

    #[test]
    fn taken_names_get_a_suffix() {
        let mut header = Header::new(vec![b"a".to_vec(), b"a_right".to_vec()]);
        ["a", "b", "a", "b"].iter().for_each(|name| header.add(name.as_bytes(), "_right"));
        let names: Vec<_> = header.names().map(String::from_utf8_lossy).collect();
        assert_eq!(names, ["a", "a_right", "a_right2", "b", "a_right3", "b_right"]);
    }
}
