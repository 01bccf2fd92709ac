//! `cargo xtask book`: the book of `docs`, built by mdBook into target/book. `cargo xtask book page` is the
//! preprocessor that mdBook calls for it: it settles what [`settle`] says.

mod settle;

use crate::shell::{Outcome, output, read, root};
use crate::steps::Done;
use serde_json::Value;
use settle::Book;
use std::io::Read;
use std::process::Command;

/// The folder of the pages.
const FOLDER: &str = "docs";

/// Builds the book, without a warning.
pub(crate) fn build() -> Outcome<Done> {
    if output(Command::new("mdbook").arg("--version")).is_err() {
        return Ok(Done::Skipped("mdbook is not installed"));
    }
    let said = output(Command::new("mdbook").current_dir(root()).args(["build", FOLDER]))?;
    print!("{said}");
    let wrong = ["WARN", "ERROR"].iter().any(|level| said.contains(level));
    if wrong { Err("mdbook warns".to_owned()) } else { Ok(Done::Ok) }
}

/// The pages of the book, from the root of the repository.
pub(crate) fn pages() -> Outcome<Vec<String>> {
    let summary = read(&root().join(FOLDER).join("SUMMARY.md"))?;
    let links = summary.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    Ok(links.map(|page| format!("{FOLDER}/{page}")).collect())
}

/// What mdBook asks of a preprocessor: whether it supports a renderer, or a book on stdin to change.
pub(crate) fn preprocess(arguments: &[&str]) -> Outcome<()> {
    if arguments.first() == Some(&"supports") {
        return Ok(());
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|e| format!("stdin: {e}"))?;
    let failed = |e: serde_json::Error| format!("what mdbook says: {e}");
    let (context, mut chapters): (Value, Value) = serde_json::from_str(&text).map_err(failed)?;
    let url = context.pointer("/config/output/html/git-repository-url").and_then(Value::as_str);
    let book = Book::open(url.ok_or("docs/book.toml has no git-repository-url")?)?;
    settle_all(&mut chapters, &book)?;
    println!("{}", serde_json::to_string(&chapters).map_err(failed)?);
    Ok(())
}

/// Settles each chapter: an object with a content and the path of its page.
fn settle_all(value: &mut Value, book: &Book) -> Outcome<()> {
    match value {
        Value::Array(all) => all.iter_mut().try_for_each(|value| settle_all(value, book)),
        Value::Object(fields) => {
            let page =
                fields.get("source_path").and_then(Value::as_str).map(|page| format!("{FOLDER}/{page}"));
            if let (Some(page), Some(Value::String(content))) = (page, fields.get_mut("content")) {
                *content = book.settle(&page, content)?;
            }
            fields.values_mut().try_for_each(|value| settle_all(value, book))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::read;

    fn texts() -> Vec<(String, String)> {
        let pages = pages().expect("there is a summary").into_iter();
        pages.map(|page| (page.clone(), read(&root().join(page)).expect("it is there"))).collect()
    }

    #[test]
    fn the_summary_has_every_page() {
        let mut listed = pages().unwrap();
        listed.push(format!("{FOLDER}/SUMMARY.md"));
        listed.sort();
        let files = std::fs::read_dir(root().join(FOLDER)).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        let mut there: Vec<_> =
            names.filter(|name| name.ends_with(".md")).map(|name| format!("{FOLDER}/{name}")).collect();
        there.sort();
        assert_eq!(listed, there);
    }

    #[test]
    fn every_link_leads_somewhere() {
        let book = Book::open("https://example.org").unwrap();
        for (page, text) in texts() {
            book.settle(&page, &text).unwrap_or_else(|wrong| panic!("{wrong}"));
        }
    }

    /// The pages that people read first, too.
    #[test]
    fn every_link_of_the_other_pages_leads_somewhere() {
        let book = Book::open("https://example.org").unwrap();
        let root_pages =
            ["README.md", "DESIGN.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "BENCHMARKS.md"];
        let others = [
            "examples/README.md",
            "examples/own_kernel/README.md",
            "python/README.md",
            "simt/README.md",
            "simt/GUIDE.md",
            "tests/museum/README.md",
            "notes/README.md",
        ];
        for page in root_pages.into_iter().chain(others) {
            let text = read(&root().join(page)).unwrap();
            book.settle(page, &text).unwrap_or_else(|wrong| panic!("{wrong}"));
        }
    }

    /// Blocks of other languages are run by nothing, and Rust only where it is a doc test.
    #[test]
    fn every_block_of_code_is_run() {
        let tests = read(&root().join("src/lib.rs")).unwrap();
        for (page, text) in texts() {
            let mut fences = text.lines().filter_map(|line| line.trim_start().strip_prefix("```"));
            let mut rust = false;
            while let Some(language) = fences.next() {
                let known = ["sh", "python", "rust", "rust,no_run", "rust,ignore", "toml", "text"];
                assert!(known.contains(&language), "{page}: nothing runs a block of {language:?}");
                rust |= language.starts_with("rust");
                assert_eq!(fences.next(), Some(""), "{page}: a block has no end");
            }
            let tested = tests.contains(&format!("include_str!(\"../{page}\")"));
            // What is ignored is a file that is included, which is built elsewhere.
            let alone = text.contains("```rust\n") || text.contains("```rust,no_run\n");
            assert_eq!(tested, alone, "{page}: is its Rust a doc test of src/lib.rs?");
            assert!(rust || !tested, "{page}");
        }
    }

    #[test]
    fn a_book_is_settled_chapter_by_chapter() {
        let book = Book::open("https://example.org").unwrap();
        let mut chapters: Value = serde_json::json!({ "items": [{ "Chapter": {
            "content": "[a](../README.md)", "source_path": "limits.md", "sub_items": [] } }, "Separator"] });
        settle_all(&mut chapters, &book).unwrap();
        let content = chapters.pointer("/items/0/Chapter/content").unwrap();
        assert_eq!(content, "[a](https://example.org/blob/main/README.md)");
    }
}
