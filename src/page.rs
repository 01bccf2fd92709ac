//! The results of a check as a self-contained page.

use crate::output::grouped;
use std::fmt::Write;
use warpproof::simt::check::Report;

const HEAD: &str =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>warpproof check</title><style>
body{font-family:sans-serif;margin:2em}table{border-collapse:collapse}
td,th{padding:.2em .8em;border-bottom:1px solid #ccc;text-align:left}
td.n{text-align:right}pre{background:#f4f4f4;padding:1em;overflow:auto}.bad{color:#b00;font-weight:bold}
</style><h1>warpproof check</h1>";

/// A table of the scenarios, and the timelines of the violations.
pub(crate) fn report(reports: &[Report]) -> String {
    let mut out = String::from(HEAD);
    out.push_str("<table><tr><th>scenario<th>executions<th>seconds<th>verdict</tr>\n");
    for report in reports {
        let class = if report.is_clean() { "" } else { " class=\"bad\"" };
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "<tr><td>{}<td class=\"n\">{}<td class=\"n\">{:.2}<td{class}>{}</tr>",
            escape(&report.scenario),
            grouped(report.executions),
            report.seconds,
            report.verdict
        );
    }
    out.push_str("</table>\n");
    for violation in reports.iter().filter_map(|r| r.violation.as_deref()) {
        let _ = writeln!(
            out,
            "<h2 class=\"bad\">{}</h2><pre>{}</pre>",
            escape(&violation.headline()),
            escape(&violation.timeline())
        );
    }
    out.push_str("</html>\n");
    out
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
