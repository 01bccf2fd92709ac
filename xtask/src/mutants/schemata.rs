//! All mutants of a file in one text. Each place asks which mutant runs; if that is none of its own, the
//! place behaves as the original.
//!
//! The text of a mutant contains no question, since one mutant runs at a time.

use super::places::{Form, Found, Place, places};
use crate::shell::Outcome;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::ops::Range;

/// A mutant that a change of a place makes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Generated {
    /// The program runs as this mutant if it is told this number. Zero means the original.
    pub(super) number: u32,
    /// The file, the change and its function. The name contains no line number, so that it stays valid when
    /// lines move: the second mutant of a name in its file has the suffix `#2`.
    pub(super) name: String,
    pub(super) file: String,
    pub(super) function: String,
    /// Line and column.
    pub(super) place: String,
    /// The change, and its function.
    pub(super) what: String,
    /// The new text.
    pub(super) text: String,
}

/// A file with mutants.
pub(super) struct Schema {
    file: String,
    text: String,
    found: Found,
    /// The number of the first change of each place.
    numbers: Vec<u32>,
}

/// The mutants that the program contains: not all compile.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Left {
    /// Numbers of mutants that do not compile.
    pub(super) out: HashSet<u32>,
    /// Names of functions that constants call. All other functions are called at run time, and only there can
    /// a place ask which mutant runs.
    pub(super) constant: HashSet<String>,
}

/// The text of a file as it is compiled, with the origin of each byte.
pub(super) struct Written {
    pub(super) text: String,
    /// Bytes of a place or of one of its changes, and the numbers of the mutants that cause an error there.
    blame: Vec<(Range<usize>, Range<u32>)>,
}

impl Schema {
    /// Finds the places of a file, and numbers their changes from `next` on.
    pub(super) fn new(file: &str, text: String, next: &mut u32) -> Outcome<Self> {
        let found = places(&text).map_err(|error| format!("{file}: {error}"))?;
        let mut numbers = Vec::new();
        for place in &found.places {
            numbers.push(*next);
            *next += u32::try_from(place.changes.len()).map_err(|error| error.to_string())?;
        }
        // If these functions were inlined everywhere, the questions would make the program several times as
        // large. The replacement has the same length, so that places stay valid.
        let text = text.replace("#[inline(always)]", "#[inline]        ");
        Ok(Self { file: file.to_owned(), text, found, numbers })
    }

    pub(super) fn file(&self) -> &str {
        &self.file
    }

    /// The mutants.
    pub(super) fn mutants(&self) -> Vec<Generated> {
        let mut seen: HashMap<String, u32> = HashMap::new();
        let mut all = Vec::new();
        for (place, first) in self.found.places.iter().zip(&self.numbers) {
            let before = &self.text[..place.bytes.start];
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            for (change, number) in place.changes.iter().zip(*first..) {
                let what = format!("{} in {}", change.what, place.function);
                let mut name = format!("{}: {what}", self.file);
                let count = seen.entry(name.clone()).or_insert(0);
                *count += 1;
                if *count > 1 {
                    let _ = write!(name, " #{count}");
                }
                all.push(Generated {
                    number,
                    name,
                    file: self.file.clone(),
                    function: place.function.clone(),
                    place: format!("{line}:{column}"),
                    what,
                    text: change.text.clone(),
                });
            }
        }
        all
    }

    /// The file with a question in each place.
    pub(super) fn write(&self, left: &Left) -> Written {
        let constant = self.found.constants.iter().filter(|(_, name)| !left.constant.contains(name));
        let gone: Vec<Range<usize>> = constant.map(|(bytes, _)| bytes.clone()).collect();
        let places: Vec<(&Place, u32)> = self.found.places.iter().zip(self.numbers.iter().copied()).collect();
        let mut writer = Writer {
            text: &self.text,
            gone: &gone,
            left,
            written: Written { text: String::new(), blame: Vec::new() },
        };
        writer.range(0..self.text.len(), &places);
        writer.written
    }
}

impl Written {
    /// The mutants that cause an error in these bytes: those of the innermost place, or the mutant whose text
    /// it is.
    pub(super) fn blamed(&self, bytes: &Range<usize>) -> Option<Range<u32>> {
        let around = self.blame.iter().filter(|(of, _)| of.start <= bytes.start && bytes.end <= of.end);
        around.min_by_key(|(of, _)| of.len()).map(|(_, numbers)| numbers.clone())
    }
}

struct Writer<'a> {
    text: &'a str,
    /// The deleted parts.
    gone: &'a [Range<usize>],
    left: &'a Left,
    written: Written,
}

impl Writer<'_> {
    fn range(&mut self, bytes: Range<usize>, mut places: &[(&Place, u32)]) {
        let mut at = bytes.start;
        while let [(place, first), rest @ ..] = places {
            let inside = rest.iter().take_while(|(inner, _)| {
                inner.bytes.end <= place.bytes.end && inner.bytes.start < place.bytes.end
            });
            let (inner, behind) = rest.split_at(inside.count());
            self.copy(at..place.bytes.start);
            self.place(place, *first, inner);
            at = place.bytes.end;
            places = behind;
        }
        self.copy(at..bytes.end);
    }

    fn copy(&mut self, bytes: Range<usize>) {
        let mut at = bytes.start;
        for gone in self.gone.iter().filter(|gone| bytes.start <= gone.start && gone.end <= bytes.end) {
            self.push(&self.text[at..gone.start]);
            at = gone.end;
        }
        self.push(&self.text[at..bytes.end]);
    }

    fn push(&mut self, text: &str) {
        self.written.text.push_str(text);
    }

    fn place(&mut self, place: &Place, first: u32, inner: &[(&Place, u32)]) {
        let count = u32::try_from(place.changes.len()).unwrap_or(u32::MAX);
        let all = first..first + count;
        if all.clone().all(|number| self.left.out.contains(&number)) {
            return self.range(place.bytes.clone(), inner);
        }
        let start = self.written.text.len();
        let (open, close) = if place.form == Form::Expression { ("(", ")") } else { ("", "") };
        let question = format!("crate::mutant::which_mutant({first}, {count})");
        if place.form == Form::Guard {
            self.push(&format!(" if {question} != 0"));
        } else {
            self.push(&format!("{open}match {question} {{"));
            for (change, number) in place.changes.iter().zip(all.clone()) {
                if !self.left.out.contains(&number) {
                    let start = self.written.text.len();
                    self.push(&format!(" {} => {{ {} }}", number - first, change.text));
                    self.written.blame.push((start..self.written.text.len(), number..number + 1));
                }
            }
            self.push(" _ => {");
            self.range(place.bytes.clone(), inner);
            self.push(&format!("}} }}{close}"));
        }
        self.written.blame.push((start..self.written.text.len(), all));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "//! A file.\n\nconst fn f(a: u32) -> bool {\n    // Why.\n    a + 1 < 2\n}\n\nfn g(w: W) {\n    w.sync();\n    match w.a {\n        X => {}\n        _ => {}\n    }\n}\n";

    fn schema() -> Schema {
        Schema::new("model/src/a.rs", TEXT.to_owned(), &mut 1).expect("a file")
    }

    fn left(out: impl IntoIterator<Item = u32>, constant: &[&str]) -> Left {
        Left {
            out: out.into_iter().collect(),
            constant: constant.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    /// Without white space.
    fn dense(text: &str) -> String {
        text.split_whitespace().collect()
    }

    #[test]
    fn mutants_are_numbered_in_the_order_of_the_file() {
        let mut next = 7;
        let schema = Schema::new("model/src/a.rs", TEXT.to_owned(), &mut next).expect("a file");
        let mutants = schema.mutants();
        assert_eq!(next, 7 + u32::try_from(mutants.len()).expect("few"));
        assert!(mutants.iter().map(|one| one.number).eq(7..next));
        let of = |number: usize| (&*mutants[number].place, &*mutants[number].what);
        assert_eq!(of(0), ("3:29", "replace the body with true in f"));
        assert_eq!(of(2), ("5:5", "replace < with <= in f"));
        assert_eq!(mutants[2].name, "model/src/a.rs: replace < with <= in f");
        let names: HashSet<&str> = mutants.iter().map(|one| &*one.name).collect();
        assert_eq!(names.len(), mutants.len(), "no name stands twice");
    }

    #[test]
    fn the_second_of_a_name_says_so() {
        let schema = Schema::new("a.rs", "fn f() { x(1, 1) }".to_owned(), &mut 1).expect("a file");
        let names: Vec<String> = schema.mutants().into_iter().map(|one| one.name).collect();
        assert_eq!(
            names[1..4].concat(),
            "a.rs: replace 1 with 2 in fa.rs: replace 1 with 0 in fa.rs: replace 1 with 2 in f #2"
        );
    }

    #[test]
    fn without_mutants_a_file_is_what_it_was() {
        let schema = schema();
        let all = schema.mutants().iter().map(|one| one.number).collect::<Vec<_>>();
        assert_eq!(schema.write(&left(all, &["f"])).text, TEXT);
        assert_eq!(schema.write(&left(1..99, &[])).text, TEXT.replace("const fn", " fn"));
    }

    #[test]
    fn each_place_asks_and_the_rest_stays() {
        let written = schema().write(&left([], &[])).text;
        let sum = "(match crate::mutant::which_mutant(5, 1) { 0 => { a - 1 } _ => {a + (match \
                   crate::mutant::which_mutant(6, 2) { 0 => { 2 } 1 => { 0 } _ => {1} })} })";
        assert!(dense(&written).contains(&dense(sum)), "{written}");
        let less =
            "(match crate::mutant::which_mutant(3, 2) { 0 => { a + 1 <= 2 } 1 => { a + 1 >= 2 } _ => {";
        assert!(dense(&written).contains(&dense(less)), "{written}");
        let sync = "match crate::mutant::which_mutant(11, 1) { 0 => {  } _ => {w.sync();} }";
        assert!(dense(&written).contains(&dense(sync)), "{written}");
        assert!(written.contains("X if crate::mutant::which_mutant(12, 1) != 0 => {}"), "{written}");
        for line in ["//! A file.", "    // Why.", "        _ => {}", "}"] {
            assert!(written.lines().any(|have| have == line), "{line}: {written}");
        }
        assert_eq!(syn::parse_file(&written).err().map(|e| e.to_string()), None);
    }

    #[test]
    fn who_does_not_compile_goes_and_its_place_stays() {
        let schema = schema();
        let written = schema.write(&left([], &[]));
        let at = written.text.find("a + 1 >= 2").expect("a mutant");
        assert_eq!(written.blamed(&(at..at + 1)), Some(4..5));
        let at = written.text.find("match crate::mutant::which_mutant(3").expect("a place");
        assert_eq!(written.blamed(&(at..at + 5)), Some(3..5), "all of a place");
        assert_eq!(written.blamed(&(0..1)), None);
        let written = schema.write(&left([4], &[])).text;
        assert!(!written.contains(">=") && written.contains("which_mutant(3, 2)"), "{written}");
    }
}
