//! `cargo xtask report`: BENCHMARKS.md and benches/report.svg, made from the records in benches/record.

mod chart;
mod records;
mod shown;
mod tables;

use crate::shell::{self, Outcome, root};
use records::Records;
use shown::TABLES;
use std::path::PathBuf;
use tables::Sources;

/// What stands around the tables. A line `<!-- table NAME -->` is replaced by a table, `<!-- losses -->` by
/// where peers are faster in the tables so far, `<!-- runs -->` and `<!-- peers -->` by what these refer to.
const TEMPLATE: &str = include_str!("template.md");

/// The files of the report.
struct Report {
    files: [(PathBuf, String); 2],
    /// Points without a record.
    missing: Vec<String>,
}

/// Writes the report, and tells which points have no record.
pub(crate) fn write() -> Outcome<()> {
    let Report { files, missing } = report()?;
    for (path, text) in files {
        shell::write(&path, &text)?;
    }
    missing.iter().for_each(|point| println!("no record of {point}"));
    Ok(())
}

/// Structures of which one table is measured on one GPU.
const ON_ONE_GPU: [&str; 6] = ["cuckoo", "dynamic", "hopscotch", "open", "slab", "waitfree"];

/// The arguments of `warpproof` that measure and record what the report shows of such tables, each once.
pub(crate) fn on_one_gpu() -> Vec<Vec<String>> {
    let points = TABLES.iter().flat_map(|table| table.points);
    let points = points.filter(|(structure, point)| point.gpu && ON_ONE_GPU.contains(structure));
    let mut commands: Vec<Vec<String>> = points
        .map(|(structure, point)| {
            // The first round warms up, and small tables take little time.
            let rounds = if point.size < 1 << 22 { 9 } else { 3 };
            let command = format!(
                "bench {structure} --backend gpu --entry {} --pairs {} --load {} --rounds {rounds} --record",
                point.entry, point.size, point.load
            );
            command.split(' ').map(str::to_owned).collect()
        })
        .collect();
    commands.sort_unstable();
    commands.dedup();
    commands
}

/// Compares the report with what the records give.
pub(crate) fn check() -> Outcome<()> {
    for (path, text) in report()?.files {
        if shell::read(&path)? != text {
            return Err(format!(
                "{} differs from what the records give: run `cargo xtask report`",
                path.display()
            ));
        }
    }
    Ok(())
}

fn report() -> Outcome<Report> {
    let records = Records::read(&root().join("benches/record"))?;
    let (text, missing) = filled(TEMPLATE, &records)?;
    let files =
        [(root().join("BENCHMARKS.md"), text), (root().join("benches/report.svg"), chart::svg(&records))];
    Ok(Report { files, missing })
}

/// A template with its tables, and the points without a record.
fn filled(template: &str, records: &Records) -> Outcome<(String, Vec<String>)> {
    let (mut text, mut sources) = (String::new(), Sources::default());
    for line in template.lines() {
        let mark = line.strip_prefix("<!-- ").and_then(|line| line.strip_suffix(" -->"));
        match mark.and_then(|mark| mark.split_once(' ')).unwrap_or((mark.unwrap_or_default(), "")) {
            ("table", name) => {
                let table = TABLES.iter().find(|table| table.name == name);
                let table =
                    table.ok_or(format!("the template names the table {name}, which does not exist"))?;
                text += &tables::table(table, records, &mut sources);
            }
            ("losses", "") => text += &sources.losses(),
            ("runs", "") => text += &sources.runs(),
            ("peers", "") => text += &sources.peers(),
            _ => text += &format!("{line}\n"),
        }
    }
    Ok((text, sources.missing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_point_of_one_gpu_is_measured_once() {
        let commands: Vec<_> = on_one_gpu().iter().map(|command| command.join(" ")).collect();
        let small = "bench open --backend gpu --entry map32 --pairs 838860 --load 0.8 --rounds 9 --record";
        assert_eq!(commands.iter().filter(|command| *command == small).count(), 1);
        assert!(ON_ONE_GPU.iter().all(|of| commands.iter().any(|c| c.starts_with(&format!("bench {of} ")))));
        assert!(!commands.iter().any(|command| command.contains("paged") || command.contains("cpu")));
    }

    #[test]
    fn the_template_asks_for_every_table() {
        for table in TABLES {
            assert!(TEMPLATE.contains(&format!("\n<!-- table {} -->\n", table.name)), "{}", table.name);
        }
        assert!(filled("<!-- table none -->", &Records::default()).is_err());
        assert_eq!(
            filled("<!-- other -->", &Records::default()),
            Ok(("<!-- other -->\n".to_owned(), vec![]))
        );
    }

    #[test]
    fn the_report_fits() {
        let (text, _) = filled(TEMPLATE, &Records::read(&root().join("benches/record")).unwrap()).unwrap();
        assert!(text.lines().count() <= 250, "{} lines", text.lines().count());
    }
}
