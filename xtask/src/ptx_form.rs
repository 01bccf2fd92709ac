//! The form in which PTX is checked in: the compiler's text, made shorter and the same on every machine. If a
//! kernel is added or removed, the text of the others stays as it is.
//!
//! - No comments, and as little white space as possible.
//! - Labels and parameters do not repeat the name or number of their function: labels are `$0`, `$1` and so
//!   on as they come up; a parameter is `p0` if it is a pointer and `n1` if it is a number. They are local to
//!   a function in PTX.
//! - `.align 1` of a pointer is left out.
//! - The first letter of a register names its kind: `%d1` has 64 bits, `%r1` 32, `%h1` 16, and `%p1` is a
//!   predicate. The array of shared words is `shared`.

use crate::shell::Outcome;

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
    Ok(normal)
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
                    \t.reg .b64 \t%rd<3>;\n$L__BB12_3:                             // =>This Inner Loop\n\
                    \tld.param.b64 \t%rd1, [k_param_0];\n\tld.param.b32 \t%r1, [k_param_1+4];\n\
                    \t@%p1 bra \t$L__BB12_10;\n}\n";
        let expected = ".visible .entry k(\n.param .u64 p0,\n.param .u32 n1\n)\n{\nld.b32 a;\n.reg .b64 %d<3>;\n$0:\n\
                        ld.param.b64 %d1,[p0];\nld.param.b32 %r1,[n1+4];\n@%p1 bra $1;\n}\n";
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
