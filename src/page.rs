//! The results of a check as a self-contained page.

use crate::output::grouped;
use std::fmt::Write;
use warpproof::simt::check::{Report, Violation, escape, page};

/// The violations with their traces, the smallest first, and a table of the scenarios; `counts` names what
/// their executions are.
pub(crate) fn report(reports: &[Report], counts: &str) -> String {
    let mut out = String::new();
    let mut violations: Vec<&Violation> = reports.iter().filter_map(|r| r.violation.as_deref()).collect();
    violations.sort_by_key(|violation| violation.size());
    for (number, violation) in violations.iter().enumerate() {
        let (headline, article) = (escape(&violation.headline()), violation.to_article());
        // Writing to a string does not fail.
        let _ = match number {
            0 => writeln!(out, "{article}"),
            _ => writeln!(out, "<details><summary class=\"bad\">{headline}</summary>\n{article}</details>"),
        };
    }
    let _ =
        writeln!(out, "<h2>warpproof check: {} scenarios, {} violated</h2>", reports.len(), violations.len());
    table(&mut out, reports, counts);
    page("warpproof check", &out)
}

fn table(out: &mut String, reports: &[Report], counts: &str) {
    out.push_str("<div class=\"wide\"><table>\n");
    // Writing to a string does not fail.
    let _ = writeln!(
        out,
        "<thead><tr><th>scenario</th><th>{counts}</th><th>seconds</th><th>verdict</th></tr></thead>\n<tbody>"
    );
    for report in reports {
        let class = if report.is_clean() { "" } else { " class=\"bad\"" };
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td>{}</td><td>{:.2}</td><td{class}>{}</td></tr>",
            escape(&report.scenario),
            grouped(report.executions),
            report.seconds,
            report.verdict
        );
    }
    out.push_str("</tbody>\n</table></div>\n");
}
