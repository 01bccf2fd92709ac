//! The results of a check as a self-contained page: a summary, the counterexamples, and the scenarios, which
//! fold out.

use crate::output::grouped;
use std::fmt::{Result, Write};
use warpproof::simt::check::{Report, Verdict, Violation, escape, page};

/// How many of the slowest scenarios the summary names.
const SLOWEST: usize = 5;

/// What was checked, and how.
pub(crate) struct Checked<'a> {
    /// The structure.
    pub(crate) structure: &'a str,
    /// The engine.
    pub(crate) engine: &'a str,
    /// The memory model that the engine assumes.
    pub(crate) model: &'a str,
    /// What the engine counts as executions.
    pub(crate) counts: &'a str,
    /// The time that everything took.
    pub(crate) seconds: f64,
    /// Of each scenario.
    pub(crate) reports: &'a [Report],
}

impl Checked<'_> {
    /// The whole page.
    pub(crate) fn page(&self) -> String {
        let mut out = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut out);
        page(&format!("warpproof check {}", self.structure), &out)
    }

    fn write(&self, out: &mut String) -> Result {
        writeln!(out, "<h1>warpproof check {}</h1>", escape(self.structure))?;
        self.write_summary(out)?;
        let mut violations: Vec<&Violation> =
            self.reports.iter().filter_map(|report| report.violation.as_deref()).collect();
        violations.sort_by_key(|violation| violation.size());
        for (number, violation) in violations.iter().enumerate() {
            let (headline, article) = (escape(&violation.headline()), violation.to_article());
            match number {
                // The smallest, which is the easiest to understand.
                0 => writeln!(out, "{article}")?,
                _ => writeln!(
                    out,
                    "<details><summary class=\"bad\">{headline}</summary>\n{article}</details>"
                )?,
            }
        }
        writeln!(out, "<h2>All scenarios</h2>")?;
        for (table, group) in groups(self.reports) {
            self.write_group(out, table, &group)?;
        }
        Ok(())
    }

    fn write_summary(&self, out: &mut String) -> Result {
        let class = if self.reports.iter().all(Report::is_clean) { "" } else { " class=\"bad\"" };
        let executions = self.reports.iter().map(|report| report.executions).sum();
        writeln!(out, "<table class=\"facts\">\n<tbody>")?;
        writeln!(
            out,
            "<tr><th>verdict</th><td{class}><strong>{}</strong></td></tr>",
            verdict_of(self.reports)
        )?;
        for (what, fact) in [
            ("structure", escape(self.structure)),
            ("engine", format!("{}, memory: {}", escape(self.engine), escape(self.model))),
            ("scenarios", grouped(self.reports.len() as u64)),
            (self.counts, grouped(executions)),
            ("time", format!("{:.1} s", self.seconds)),
        ] {
            writeln!(out, "<tr><th>{what}</th><td>{fact}</td></tr>")?;
        }
        writeln!(out, "</tbody>\n</table>")?;
        if self.reports.len() <= SLOWEST {
            return Ok(());
        }
        let mut slowest: Vec<_> = self.reports.iter().collect();
        slowest.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        writeln!(out, "<h2>The slowest {SLOWEST}</h2>")?;
        self.write_table(out, slowest.into_iter().take(SLOWEST))
    }

    /// The scenarios of one table, folded away unless one of them is violated.
    fn write_group(&self, out: &mut String, table: &str, group: &[&Report]) -> Result {
        let worst = group.iter().fold(Verdict::Passed, |worst, report| worst.worse(report.verdict));
        let clean = group.iter().all(|report| report.is_clean());
        let (open, class) = if clean { ("", "") } else { (" open", " class=\"bad\"") };
        let executions = group.iter().map(|report| report.executions).sum();
        let seconds: f64 = group.iter().map(|report| report.seconds).sum();
        writeln!(
            out,
            "<details class=\"group\"{open}><summary><strong>{}</strong>: {} scenarios, {} {}, {seconds:.2} s, \
             <span{class}>{worst}</span></summary>",
            escape(table),
            group.len(),
            grouped(executions),
            self.counts,
        )?;
        self.write_table(out, group.iter().copied())?;
        writeln!(out, "</details>")
    }

    fn write_table<'r>(&self, out: &mut String, reports: impl Iterator<Item = &'r Report>) -> Result {
        writeln!(
            out,
            "<div class=\"wide\"><table class=\"scenarios\">\n<thead><tr><th>scenario</th><th>{}</th><th>seconds</th>\
             <th>verdict</th></tr></thead>\n<tbody>",
            self.counts
        )?;
        for report in reports {
            let class = if report.is_clean() { "" } else { " class=\"bad\"" };
            writeln!(
                out,
                "<tr><td>{}</td><td>{}</td><td>{:.2}</td><td{class}>{}</td></tr>",
                escape(&report.scenario),
                grouped(report.executions),
                report.seconds,
                report.verdict
            )?;
        }
        writeln!(out, "</tbody>\n</table></div>")
    }
}

/// The table that a scenario is about: its name up to the first stroke.
fn table_of(report: &Report) -> &str {
    report.scenario.split('/').next().unwrap_or_default()
}

/// The scenarios of each table, in the order in which the tables come first.
fn groups(reports: &[Report]) -> Vec<(&str, Vec<&Report>)> {
    let mut groups: Vec<(&str, Vec<&Report>)> = Vec::new();
    for report in reports {
        let table = table_of(report);
        match groups.iter_mut().find(|(known, _)| *known == table) {
            Some((_, group)) => group.push(report),
            None => groups.push((table, vec![report])),
        }
    }
    groups
}

/// What all reports say together, in a sentence.
fn verdict_of(reports: &[Report]) -> String {
    let with =
        |verdicts: &[Verdict]| reports.iter().filter(|report| verdicts.contains(&report.verdict)).count();
    match (with(&[Verdict::Violated]), with(&[Verdict::Capped, Verdict::Blind]), with(&[Verdict::Sampled])) {
        (0, 0, 0) => "No violation: every scenario was explored to its end.".to_string(),
        (0, 0, sampled) => {
            format!("No violation, but {sampled} scenarios were only sampled: that proves nothing.")
        }
        (0, open, _) => format!("Open: {open} scenarios were not explored to their end."),
        (violated, ..) => format!("Violated: {violated} of {} scenarios.", reports.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpproof::simt::engine::Options;
    use warpproof::simt::explore::Explore;
    use warpproof_museum::exhibits;

    /// Reports of a form that is wrong and of its repair.
    fn reports() -> Vec<Report> {
        let exhibit = exhibits().into_iter().find(|exhibit| exhibit.id == "32").expect("it is there");
        let visit = exhibit.visit(&Explore, &Options::default()).expect("it fits");
        let mut repaired = visit.repairs[0].1.clone();
        repaired.scenario = "other/repaired".to_string();
        vec![visit.published, repaired]
    }

    #[test]
    fn the_summary_comes_first_and_only_a_violated_group_is_open() {
        let reports = reports();
        let checked = Checked {
            structure: "a<b",
            engine: "e",
            model: "m",
            counts: "executions",
            seconds: 1.0,
            reports: &reports,
        };
        let page = checked.page();
        let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text} in {page}"));
        assert!(at("<h1>warpproof check a&lt;b</h1>") < at("Violated: 1 of 2 scenarios."));
        assert!(at("Violated: 1 of 2") < at("<article class=\"trace\">"));
        assert!(at("<article") < at("<h2>All scenarios</h2>"));
        assert!(page.contains("<details class=\"group\" open><summary><strong>museum</strong>: 1 scenarios"));
        assert!(page.contains("<details class=\"group\"><summary><strong>other</strong>: 1 scenarios"));
        // Few are all slow.
        assert!(!page.contains("The slowest"));
    }

    #[test]
    fn the_verdict_is_that_of_the_worst() {
        let mut reports = reports();
        let mut with = |verdict| {
            reports.iter_mut().for_each(|report| report.verdict = Verdict::Passed);
            reports[1].verdict = verdict;
            verdict_of(&reports)
        };
        assert!(with(Verdict::Passed).starts_with("No violation: every"));
        assert!(with(Verdict::Sampled).contains("1 scenarios were only sampled"));
        assert!(with(Verdict::Capped).starts_with("Open: 1"));
        assert!(with(Verdict::Violated).starts_with("Violated: 1 of 2"));
    }
}
