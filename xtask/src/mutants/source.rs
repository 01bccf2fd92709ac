//! Finds a text in a Rust file: its function, and its bytes.
//!
//! Texts are compared token by token. Line breaks, indentation, comments, and the comma before a closing
//! bracket do not count, so that rustfmt and a reworded comment break nothing.

use crate::shell::Outcome;
use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use std::ops::Range;
use syn::{Block, ImplItem, Item, Path, Signature, TraitItem, Type};

/// A Rust file.
pub(super) struct Source<'a> {
    tokens: Vec<Token<'a>>,
    functions: Vec<Function>,
}

struct Token<'a> {
    text: &'a str,
    start: usize,
}

/// A function with a body.
struct Function {
    /// `::module::Type::name`, and `::module::Trait::name` if it is of a trait.
    paths: Vec<String>,
    /// From `fn` to the end of the body.
    bytes: Range<usize>,
}

impl<'a> Source<'a> {
    /// Reads the text of a file.
    pub(super) fn new(text: &'a str) -> Outcome<Self> {
        let stream = lex(text)?;
        let file: syn::File = syn::parse2(stream.clone()).map_err(|error| error.to_string())?;
        let (mut tokens, mut functions) = (Vec::new(), Vec::new());
        flatten(text, stream, &mut tokens);
        of_items(&file.items, "", &mut functions);
        Ok(Self { tokens, functions })
    }

    /// The bytes that have the tokens of `wanted`, in the function of this path or in the whole file.
    ///
    /// # Errors
    ///
    /// The function or the tokens do not occur exactly once.
    pub(super) fn find(&self, function: Option<&str>, wanted: &str) -> Outcome<Range<usize>> {
        let within = function.map_or(Ok(0..usize::MAX), |path| self.function(path))?;
        let (whole, added) = with_partners(wanted);
        let mut wanted_tokens = Vec::new();
        flatten(&whole, lex(&whole)?, &mut wanted_tokens);
        let wanted_tokens = &wanted_tokens[added.start..wanted_tokens.len() - added.end];
        if wanted_tokens.is_empty() {
            return Err("there is nothing to find".to_owned());
        }
        let begin = self.tokens.partition_point(|token| token.start < within.start);
        let end = self.tokens.partition_point(|token| token.start < within.end);
        let windows = self.tokens[begin..end].windows(wanted_tokens.len());
        let found: Vec<&[Token<'_>]> = windows
            .filter(|window| window.iter().map(|t| t.text).eq(wanted_tokens.iter().map(|t| t.text)))
            .collect();
        match found[..] {
            [[first, ..]] => {
                let last = found[0].last().unwrap_or(first);
                Ok(first.start..last.start + last.text.len())
            }
            _ => {
                let place = function.unwrap_or("the file");
                Err(format!("{place} must have `{wanted}` once, but has it {} times", found.len()))
            }
        }
    }

    /// The bytes of the one function that has this path, otherwise of the one whose path ends with it.
    fn function(&self, path: &str) -> Outcome<Range<usize>> {
        let end = format!("::{path}");
        let of = |wanted: &dyn Fn(&String) -> bool| -> Vec<&Function> {
            self.functions.iter().filter(|function| function.paths.iter().any(wanted)).collect()
        };
        let whole = of(&|path| *path == end);
        let named = if whole.is_empty() { of(&|path| path.ends_with(&end)) } else { whole };
        match named[..] {
            [one] => Ok(one.bytes.clone()),
            _ => Err(format!("the file must have one function {path}, but has {}", named.len())),
        }
    }
}

/// A text with the missing partners of its brackets, and how many of them were added at its start and at its
/// end.
fn with_partners(text: &str) -> (String, Range<usize>) {
    let (mut before, mut after) = (String::new(), String::new());
    for c in text.chars() {
        match c {
            '(' => after.insert(0, ')'),
            '[' => after.insert(0, ']'),
            '{' => after.insert(0, '}'),
            ')' | ']' | '}' if !after.is_empty() => drop(after.remove(0)),
            ')' => before.insert(0, '('),
            ']' => before.insert(0, '['),
            '}' => before.insert(0, '{'),
            _ => {}
        }
    }
    (format!("{before}{text}\n{after}"), before.len()..after.len())
}

fn lex(text: &str) -> Outcome<TokenStream> {
    text.parse().map_err(|error| format!("`{text}`: {error}"))
}

/// Adds the tokens of a stream, without commas before closing brackets.
fn flatten<'a>(text: &'a str, stream: TokenStream, all: &mut Vec<Token<'a>>) {
    let token = |span: Span| Token { text: &text[span.byte_range()], start: span.byte_range().start };
    for tree in stream {
        match tree {
            TokenTree::Group(group) if group.delimiter() != Delimiter::None => {
                all.push(token(group.span_open()));
                flatten(text, group.stream(), all);
                all.pop_if(|last| last.text == ",");
                all.push(token(group.span_close()));
            }
            TokenTree::Group(group) => flatten(text, group.stream(), all),
            other => all.push(token(other.span())),
        }
    }
}

/// Adds the functions in `items`, which are in the module of this path.
fn of_items(items: &[Item], module: &str, all: &mut Vec<Function>) {
    let named = |name: &dyn std::fmt::Display| format!("{module}::{name}");
    for item in items {
        match item {
            Item::Fn(one) => all.push(function(&[module.to_owned()], &one.sig, &one.block)),
            Item::Mod(one) => {
                let inner = one.content.as_ref().map_or(&[][..], |(_, items)| items);
                of_items(inner, &named(&one.ident), all);
            }
            Item::Trait(one) => {
                for item in &one.items {
                    let TraitItem::Fn(of) = item else { continue };
                    all.extend(of.default.iter().map(|body| function(&[named(&one.ident)], &of.sig, body)));
                }
            }
            Item::Impl(one) => {
                let of_type = if let Type::Path(of) = &*one.self_ty { Some(&of.path) } else { None };
                let of_trait = one.trait_.as_ref().map(|(path, ..)| path);
                let last = |path: &Path| path.segments.last().map(|segment| named(&segment.ident));
                let names: Vec<String> = [of_type, of_trait].into_iter().flatten().filter_map(last).collect();
                for item in &one.items {
                    let ImplItem::Fn(of) = item else { continue };
                    all.push(function(&names, &of.sig, &of.block));
                }
            }
            _ => {}
        }
    }
}

fn function(within: &[String], signature: &Signature, body: &Block) -> Function {
    let start = signature.fn_token.span.byte_range().start;
    let end = body.brace_token.span.close().byte_range().end;
    let paths = within.iter().map(|path| format!("{path}::{}", signature.ident)).collect();
    Function { paths, bytes: start..end }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "fn one() { a(1) }\nimpl Two for Three {\n    fn one() {\n        a(\n            // Why.\n\
                        \x20           1,\n        );\n        b(); b();\n    }\n}\nmod tests {\n    fn one() { a(2, 1) }\n    fn two() {}\n    impl Five { fn two() {} }\n}\n";

    #[test]
    fn tokens_are_found_in_their_function() {
        let source = Source::new(TEXT).expect("a file");
        let found = |function, wanted| source.find(Some(function), wanted).map(|bytes| &TEXT[bytes]);
        let call = "a(\n            // Why.\n            1,\n        )";
        assert_eq!(found("Three::one", "a(1)").as_deref(), Ok(call));
        assert_eq!(found("Two::one", "a ( 1 , ) ;").as_deref(), Ok(&*format!("{call};")));
        assert_eq!(found("Three::one", "{ a(").as_deref(), Ok("{\n        a("));
        assert_eq!(found("Three::one", "1 ) ; b").as_deref(), Ok("1,\n        );\n        b"));
        assert_eq!(found("one", "1").as_deref(), Ok("1"));
        assert_eq!(found("tests::one", "2").as_deref(), Ok("2"));
        assert_eq!(
            source.find(None, "2"),
            found("tests::one", "2").and(Ok(TEXT.find('2').map_or(0..0, |at| at..at + 1)))
        );
    }

    #[test]
    fn what_is_not_there_once_is_an_error() {
        let source = Source::new(TEXT).expect("a file");
        let error = |function, wanted| source.find(function, wanted).expect_err(wanted);
        assert_eq!(error(Some("two"), "a"), "the file must have one function two, but has 2");
        assert_eq!(error(Some("Four::one"), "a"), "the file must have one function Four::one, but has 0");
        assert_eq!(error(Some("Three::one"), "b()"), "Three::one must have `b()` once, but has it 2 times");
        assert_eq!(error(None, "c"), "the file must have `c` once, but has it 0 times");
        assert_eq!(error(None, " "), "there is nothing to find");
        assert!(error(None, "a\"").starts_with("`a\"\n`: "));
    }
}
