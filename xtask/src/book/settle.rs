//! Pages of the book as mdBook needs them. On the pages, links lead to files of the repository, which the
//! book does not have.
//!
//! - A page that stands elsewhere, `{{#include ../simt/GUIDE.md}}`, comes in, its own links with it.
//! - A link to a page of the book stays in the book, one to another file leads to the repository on the web.
//! - A picture becomes part of its page.

use super::pages;
use crate::shell::{Outcome, read, root};
use std::collections::BTreeMap;
use std::fmt::Write;

/// What links may lead to.
pub(super) struct Book {
    /// The repository on the web.
    url: String,
    /// The page of each file that is one, or comes into one.
    pages: BTreeMap<String, String>,
}

impl Book {
    /// Reads which files are pages.
    pub(super) fn open(url: &str) -> Outcome<Self> {
        let mut of_file = BTreeMap::new();
        for page in pages()? {
            for line in read(&root().join(&page))?.lines() {
                if let Some(file) = included(line) {
                    of_file.insert(resolve(&page, file), page.clone());
                }
            }
            of_file.insert(page.clone(), page);
        }
        Ok(Self { url: url.to_owned(), pages: of_file })
    }

    /// The text of a file, which may be a page, ready for the book.
    ///
    /// # Errors
    /// A link leads nowhere.
    pub(super) fn settle(&self, file: &str, text: &str) -> Outcome<String> {
        let mut out = String::with_capacity(text.len());
        let mut code = false;
        for line in text.lines() {
            code ^= line.trim_start().starts_with("```");
            match included(line) {
                Some(other) if !code => {
                    let other = resolve(file, other);
                    out += &self.settle(&other, &read(&root().join(&other))?)?;
                }
                _ if code => out += line,
                _ => out += &self.line(file, line)?,
            }
            out.push('\n');
        }
        Ok(out.trim_end().to_owned())
    }

    /// A line with its links settled.
    fn line(&self, file: &str, line: &str) -> Outcome<String> {
        let mut parts = line.split("](");
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let is_picture = out.rfind('[').is_some_and(|at| out[..at].ends_with('!'));
            out += "](";
            match part.split_once(')') {
                Some((target, rest)) => {
                    out += &self.target(file, target, is_picture)?;
                    out.push(')');
                    out += rest;
                }
                None => out += part,
            }
        }
        Ok(out)
    }

    fn target(&self, file: &str, target: &str, is_picture: bool) -> Outcome<String> {
        if target.contains("://") {
            return Ok(target.to_owned());
        }
        let (path, anchor) = target.split_once('#').map_or((target, None), |(path, at)| (path, Some(at)));
        let leads = if path.is_empty() { file.to_owned() } else { resolve(file, path) };
        let place = root().join(&leads);
        if !place.exists() {
            return Err(format!("{file}: there is no {target}"));
        }
        if is_picture {
            return picture(&read(&place)?);
        }
        if let Some(anchor) = anchor
            && !headings(&read(&place)?).any(|heading| heading == anchor)
        {
            return Err(format!("{file}: {leads} has no heading {anchor}"));
        }
        let anchor = anchor.map_or(String::new(), |anchor| format!("#{anchor}"));
        Ok(match self.pages.get(&leads) {
            Some(page) => format!("{}{anchor}", page.trim_start_matches("docs/")),
            None => format!("{}/blob/main/{leads}{anchor}", self.url),
        })
    }
}

/// The Markdown file that a line brings in.
fn included(line: &str) -> Option<&str> {
    line.strip_prefix("{{#include ")?.strip_suffix("}}").filter(|file| file.ends_with(".md"))
}

/// A path of a file's link, from the root of the repository.
fn resolve(file: &str, path: &str) -> String {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." | "" => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The names that links give to the headings of a text.
fn headings(text: &str) -> impl Iterator<Item = String> {
    let titles = text
        .lines()
        .filter_map(|line| line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#')));
    titles.map(|title| {
        let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.collect::<String>().to_lowercase().replace(' ', "-")
    })
}

/// A picture as an address that holds it.
fn picture(svg: &str) -> Outcome<String> {
    let mut out = "data:image/svg+xml,".to_owned();
    for byte in svg.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-' | b'_' | b'=' | b'/' | b':' | b',' => {
                out.push(char::from(byte));
            }
            byte => write!(out, "%{byte:02X}").map_err(|e| e.to_string())?,
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn book() -> Book {
        let page = |file: &str, page: &str| (file.to_owned(), page.to_owned());
        let pages =
            [page("docs/limits.md", "docs/limits.md"), page("simt/GUIDE.md", "docs/own-structure.md")];
        Book { url: "https://example.org".to_owned(), pages: pages.into() }
    }

    #[test]
    fn links_stay_in_the_book_or_lead_to_the_repository() {
        let settled = |text: &str| book().settle("docs/limits.md", text);
        assert_eq!(settled("a [b](limits.md) c").unwrap(), "a [b](limits.md) c");
        assert_eq!(
            settled("[b](../simt/GUIDE.md#6-reading-a-trace)").unwrap(),
            "[b](own-structure.md#6-reading-a-trace)"
        );
        assert_eq!(
            settled("[b](../DESIGN.md), [c](https://d)").unwrap(),
            "[b](https://example.org/blob/main/DESIGN.md), [c](https://d)"
        );
        assert!(settled("[b](../NONE.md)").unwrap_err().contains("there is no ../NONE.md"));
        assert!(settled("[b](../DESIGN.md#none)").unwrap_err().contains("no heading none"));
        assert_eq!(settled("```text\n[b](../NONE.md)\n```").unwrap(), "```text\n[b](../NONE.md)\n```");
    }

    #[test]
    fn pictures_and_pages_come_in() {
        let text = book().settle("docs/limits.md", "![a](../benches/report.svg)").unwrap();
        assert!(text.starts_with("![a](data:image/svg+xml,%3Csvg") && !text.contains(' '));
        let guide = book().settle("docs/own-structure.md", "{{#include ../simt/GUIDE.md}}").unwrap();
        assert!(guide.starts_with("# Check a structure of your own"));
        assert!(guide.contains("(https://example.org/blob/main/simt/src/explore/README.md)"));
    }
}
