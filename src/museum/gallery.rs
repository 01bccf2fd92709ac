//! The exhibits as pages: a list of them, and each counterexample step by step.

use super::Line;
use crate::failure::Failure;
use crate::output::grouped;
use crate::target::write_whole;
use std::fmt::Write;
use std::path::Path;
use warpproof::simt::check::{Violation, escape, page};
use warpproof_museum::Exhibit;

/// The page with the list.
pub(super) const INDEX: &str = "index.html";

const INTRODUCTION: &str = "Each line is a bug that was published: in a table for GPUs, its issues, or the text about it. The \
    checker found it again in a few calls by one to three warps (a warp is a group of GPU threads that run together). \
    Open one to see how it happens, step by step.";

/// Makes the folder for the pages.
pub(super) fn admit(folder: &Path) -> Result<(), Failure> {
    let made = std::fs::create_dir_all(folder);
    made.map_err(|e| Failure::input(format_args!("{}: {e}", folder.display())))
}

/// Writes all pages; each exhibit has one of the lines.
pub(super) fn write(folder: &Path, exhibits: &[Exhibit], lines: &[Line]) -> Result<(), Failure> {
    let found: Vec<_> =
        exhibits.iter().zip(lines).filter_map(|(e, l)| Some((e, l.violation.as_ref()?))).collect();
    for (number, (exhibit, violation)) in found.iter().enumerate() {
        let before = number.checked_sub(1).and_then(|at| found.get(at)).map(|found| found.0);
        let next = found.get(number + 1).map(|found| found.0);
        write_whole(&folder.join(name(exhibit)), &room(exhibit, violation, before, next))?;
    }
    write_whole(&folder.join(INDEX), &index(exhibits, lines))
}

fn name(exhibit: &Exhibit) -> String {
    format!("exhibit-{}.html", exhibit.id)
}

/// The list.
fn index(exhibits: &[Exhibit], lines: &[Line]) -> String {
    let mut out =
        format!("<h1>The museum: published bugs, found again</h1>\n<p class=\"about\">{INTRODUCTION}</p>\n");
    out += "<div class=\"wide\"><table class=\"plain\">\n<thead><tr><th>exhibit</th><th>what goes wrong</th>\
        <th>where</th><th>steps</th></tr></thead>\n<tbody>\n";
    let mut latest = "";
    for (exhibit, line) in exhibits.iter().zip(lines) {
        let (source, place) = exhibit.published_in();
        if source != latest {
            latest = source;
            // Writing to a string does not fail.
            let _ = writeln!(out, "<tr><th colspan=\"4\">{}</th></tr>", escape(source));
        }
        let (id, plain, place) = (exhibit.id, escape(exhibit.plain()), escape(place));
        let (what, steps) = match line.found {
            true => (format!("<a href=\"{}\">{plain}</a>", name(exhibit)), grouped(line.steps as u64)),
            false => (plain, "<span class=\"bad\">not found</span>".to_string()),
        };
        // Writing to a string does not fail.
        let _ = writeln!(out, "<tr><td>{id}</td><td>{what}</td><td>{place}</td><td>{steps}</td></tr>");
    }
    out += "</tbody>\n</table></div>\n";
    page("The museum: published bugs, found again", &out)
}

/// The page of one exhibit.
fn room(
    exhibit: &Exhibit,
    violation: &Violation,
    before: Option<&Exhibit>,
    next: Option<&Exhibit>,
) -> String {
    let mut out = format!("<nav class=\"trail\"><a href=\"{INDEX}\">all exhibits</a>");
    for (exhibit, left, right) in [(before, "\u{2190} ", ""), (next, "", " \u{2192}")] {
        if let Some(exhibit) = exhibit {
            // Writing to a string does not fail.
            let _ = write!(out, "<a href=\"{}\">{left}exhibit {}{right}</a>", name(exhibit), exhibit.id);
        }
    }
    let (source, place) = exhibit.published_in();
    let place = if place.is_empty() { String::new() } else { format!(", {place}") };
    let repairs: Vec<_> = exhibit.repairs.iter().map(|repair| repair.what).collect();
    // Writing to a string does not fail.
    let _ = writeln!(
        out,
        "</nav>\n<h1>Exhibit {}: {}</h1>\n<p class=\"about\">Published in: {}. What repairs it: {}.</p>",
        exhibit.id,
        escape(exhibit.plain()),
        escape(&format!("{source}{place}")),
        escape(&repairs.join("; or: "))
    );
    out += &violation.to_article();
    page(&format!("Exhibit {}: {}", exhibit.id, exhibit.plain()), &out)
}

#[cfg(test)]
mod tests {
    use warpproof_museum::exhibits;

    #[test]
    fn every_exhibit_has_plain_words() {
        for exhibit in exhibits() {
            let plain = exhibit.plain();
            assert!(plain != exhibit.defect && plain.ends_with('.'), "exhibit {}: {plain}", exhibit.id);
        }
    }
}
