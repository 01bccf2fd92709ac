//! The form in which PTX is checked in: the compiler's text, made shorter and the same on every machine. If a
//! kernel is added or removed, the text of the others stays as it is.
//!
//! - No comments, and as little white space as possible.
//! - Labels and parameters do not repeat the name or number of their function: labels are `$0`, `$1` and so
//!   on as they come up; a parameter is `p0` if it is a pointer and `n1` if it is a number. They are local to
//!   a function in PTX.
//! - `.align 1` of a pointer is left out.
//! - The first letter of a register names its kind: `%d0` has 64 bits, `%r0` 32, `%h0` 16, and `%p0` is a
//!   predicate. Those that a function names most often have the lowest numbers: that changes no byte of what
//!   the assembler makes (notes/restructuring.md). The array of shared words is `shared`.

use crate::shell::Outcome;
use std::cmp::Reverse;
use std::collections::HashMap;

/// The text that marks a parameter as a pointer, after its size.
const POINTER: &str = ".ptr .align 1 ";
/// Names, or how they begin, and what replaces them.
const NAMES: [(&str, &str); 3] = [("%rd", "%d"), ("%rs", "%h"), ("warpproof_shared", "shared")];

/// The text in this form.
pub(crate) fn normal(text: &str) -> Outcome<String> {
    if let Some(path) = absolute_path(text) {
        return Err(format!("the emitted PTX names a path of this machine ({path})"));
    }
    let mut normal = String::with_capacity(text.len());
    let (mut names, mut labels) = (Parameters::default(), Labels::default());
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default();
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ").replace(", ", ",");
        if line.is_empty() {
            continue;
        }
        if let Some(function) = function(&line) {
            (names, labels) = (Parameters::of(function), Labels::default());
        }
        names.read(&line);
        let line = labels.shorten(&names.shorten(&line));
        normal.push_str(&NAMES.iter().fold(line, |line, (long, short)| line.replace(long, short)));
        normal.push('\n');
    }
    Ok(renumbered(&normal))
}

/// The text with its registers numbered anew.
fn renumbered(text: &str) -> String {
    let mut short = String::with_capacity(text.len());
    let mut rest = text;
    // A function's registers are declared in its body, which stands between lines of one brace.
    while let Some((before, body, after)) = split_body(rest) {
        short.push_str(before);
        short.push_str(&Registers::of(body).shorten(body));
        rest = after;
    }
    short + rest
}

/// A text that holds a body: what comes before its first line, the body, and what comes after its last line.
fn split_body(text: &str) -> Option<(&str, &str, &str)> {
    let begin = text.find("\n{\n")? + "\n{\n".len();
    let end = begin + text[begin..].find("\n}\n")? + 1;
    Some((&text[..begin], &text[begin..end], &text[end..]))
}

/// The registers of a function by their names, with their new numbers.
struct Registers<'a> {
    numbers: HashMap<&'a str, usize>,
    /// How many there are of each kind that is declared.
    of_kind: HashMap<&'a str, usize>,
}

impl<'a> Registers<'a> {
    /// Those of a body. What it names as often as another is numbered in the order in which it comes up.
    fn of(body: &'a str) -> Self {
        let kinds = body.lines().filter_map(|line| Some(declaration(line)?.1));
        let mut of_kind: HashMap<&str, usize> = kinds.map(|kind| (kind, 0)).collect();
        let (mut order, mut counts) = (Vec::new(), HashMap::<&str, usize>::new());
        let declared = |name: &str| kind(name) != name && of_kind.contains_key(kind(name));
        for (_, name) in registers(body).filter(|(_, name)| declared(name)) {
            let count = counts.entry(name).or_default();
            *count += 1;
            if *count == 1 {
                order.push(name);
            }
        }
        order.sort_by_key(|name| Reverse(counts[name]));
        let numbers = order.into_iter().filter_map(|name| {
            let next = of_kind.get_mut(kind(name))?;
            *next += 1;
            Some((name, *next - 1))
        });
        let numbers = numbers.collect();
        Self { numbers, of_kind }
    }

    /// The body with the new numbers.
    fn shorten(&self, body: &str) -> String {
        let mut short = String::with_capacity(body.len());
        for line in body.split_inclusive('\n') {
            if let Some((size, kind)) = declaration(line.trim_end()) {
                short.push_str(&format!(".reg {size} {kind}<{}>;\n", self.of_kind[kind]));
                continue;
            }
            let mut from = 0;
            for (at, name) in registers(line) {
                if let Some(number) = self.numbers.get(name) {
                    short.push_str(&line[from..at]);
                    short.push_str(&format!("{}{number}", kind(name)));
                    from = at + name.len();
                }
            }
            short.push_str(&line[from..]);
        }
        short
    }
}

/// The size and kind of the registers that a line declares: `.b64` and `%d`.
fn declaration(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix(".reg ")?.strip_suffix(">;")?.split_once('<')?.0.split_once(' ')
}

/// The kind of a register: its name without its number.
fn kind(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit())
}

/// The names in a text that may be registers, and where they begin.
fn registers(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices('%').map(|(at, _)| {
        let name = &text[at + 1..];
        let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
        (at, &text[at..=at + end])
    })
}

/// The parameters of the function that is read.
#[derive(Default)]
struct Parameters {
    /// How their names begin.
    prefix: String,
    /// Whether each is a pointer.
    pointers: Vec<bool>,
}

impl Parameters {
    /// Those of a function that begins.
    fn of(function: &str) -> Self {
        Self { prefix: format!("{function}_param_"), pointers: Vec::new() }
    }

    /// Reads a line that may declare a parameter.
    fn read(&mut self, line: &str) {
        if line.starts_with(".param ") {
            self.pointers.push(line.contains(POINTER));
        }
    }

    /// The line with short names.
    fn shorten(&self, line: &str) -> String {
        if self.prefix.is_empty() || !line.contains(&self.prefix) {
            return line.to_owned();
        }
        let mut parts = line.split(&self.prefix);
        let mut short = parts.next().unwrap_or_default().replace(POINTER, "");
        for part in parts {
            let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            let number = part[..digits].parse().unwrap_or(usize::MAX);
            short.push(if self.pointers.get(number) == Some(&true) { 'p' } else { 'n' });
            short.push_str(part);
        }
        short
    }
}

/// The name of the function that a line begins.
fn function(line: &str) -> Option<&str> {
    let (_, rest) = [".entry ", ".func "].iter().find_map(|kind| line.split_once(kind))?;
    rest.split('(').next()
}

/// The labels of the function that is read, in the order in which they came up.
#[derive(Default)]
struct Labels(Vec<String>);

impl Labels {
    /// The line with short labels.
    fn shorten(&mut self, line: &str) -> String {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut parts = line.split('$');
        let mut short = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let end = part.find(|c| !is_name(c)).unwrap_or(part.len());
            let (name, rest) = part.split_at(end);
            // Other names have such a letter, too.
            let is_label = name.starts_with("L_") || name.bytes().all(|byte| byte.is_ascii_digit());
            if short.ends_with(is_name) || name.is_empty() || !is_label {
                short.push('$');
                short.push_str(part);
                continue;
            }
            let number = self.0.iter().position(|label| label == name).unwrap_or(self.0.len());
            if number == self.0.len() {
                self.0.push(name.to_owned());
            }
            short.push_str(&format!("${number}{rest}"));
        }
        short
    }
}

/// A path from the root of a file system. `//` begins a comment.
fn absolute_path(text: &str) -> Option<&str> {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && !"/._-".contains(c));
    words.find(|word| word.len() > 1 && word.starts_with('/') && !word.starts_with("//"))
}

#[cfg(test)]
mod tests {
    use super::normal;

    #[test]
    fn names_are_short_and_comments_go() {
        let text = "//\n.visible .entry k(\n\t.param .u64 .ptr .align 1 k_param_0,\n\t.param .u32 k_param_1\n)\n{\n\
                    \t// begin inline asm\n\tld.b32 a;  \n\t// end inline asm\n\n\
                    \t.reg .pred \t%p<2>;\n\t.reg .b32 \t%r<2>;\n\t.reg .b64 \t%rd<3>;\n\
                    $L__BB12_3:                             // =>This Inner Loop\n\
                    \tld.param.b64 \t%rd1, [k_param_0];\n\tld.param.b32 \t%r1, [k_param_1+4];\n\
                    \tmov.u32 \t%r1, %tid.x;\n\
                    \t@%p1 bra \t$L__BB12_10;\n}\n";
        let expected = ".visible .entry k(\n.param .u64 p0,\n.param .u32 n1\n)\n{\nld.b32 a;\n.reg .pred %p<1>;\n\
                        .reg .b32 %r<1>;\n.reg .b64 %d<1>;\n$0:\nld.param.b64 %d0,[p0];\n\
                        ld.param.b32 %r0,[n1+4];\nmov.u32 %r0,%tid.x;\n@%p0 bra $1;\n}\n";
        assert_eq!(normal(text).unwrap(), expected);
        assert_eq!(normal(expected).unwrap(), expected, "what is in this form stays");
    }

    #[test]
    fn registers_are_numbered_by_how_often_they_are_named_in_each_function() {
        let text = ".entry k(\n)\n{\n.reg .b32 %r<12>;\nadd.s32 %r11,%r5,%r7;\nadd.s32 %r5,%r7,%r7;\n}\n\
                    .entry l(\n)\n{\n.reg .b32 %r<3>;\nmov.b32 %r2,%envreg1;\n}\n";
        let expected = ".entry k(\n)\n{\n.reg .b32 %r<3>;\nadd.s32 %r2,%r1,%r0;\nadd.s32 %r1,%r0,%r0;\n}\n\
                        .entry l(\n)\n{\n.reg .b32 %r<1>;\nmov.b32 %r0,%envreg1;\n}\n";
        assert_eq!(normal(text).unwrap(), expected);
        assert_eq!(normal(expected).unwrap(), expected, "what is in this form stays");
    }

    #[test]
    fn only_labels_have_numbers() {
        let text = ".visible .entry k(\n)\n{\nmov.b64 %r1,anon_$_5_$_0;\n$L__BB0_7:\nbra $L__BB0_7;\n}\n";
        assert!(normal(text).unwrap().ends_with("mov.b64 %r1,anon_$_5_$_0;\n$0:\nbra $0;\n}\n"));
    }

    #[test]
    fn paths_are_refused() {
        assert!(normal("// /home/somebody/x.rs").is_err());
        assert!(normal("\t.file 1 \"/src/x.rs\"").is_err());
        assert!(normal("// a comment\n\t.file 1 \"src/x.rs\"").is_ok());
    }
}
