//! The chart of the report, as SVG: a panel for each structure, in it a group of bars for each operation. It
//! brings its own background, so that it reads the same on a light and on a dark page.

use super::records::{Figure, Records};
use super::shown::{PANELS, Panel};
use super::tables::number;

/// What a bar stands for, and its colour. The colour-blind can tell them apart (Okabe, Ito, 2002).
const SERIES: [(&str, &str); 3] = [
    ("Warpproof", "#0072b2"),
    ("best peer, same card", "#e69f00"),
    ("floor of random access, same run", "#b0b0b0"),
];

const WIDTH: f64 = 960.0;
/// Panels side by side.
const ACROSS: usize = 2;
/// Height of what stands above all panels, and below.
const HEAD: f64 = 70.0;
const FOOT: f64 = 16.0;
/// Size of a panel, and what is left around its axes.
const PANEL: (f64, f64) = (WIDTH / ACROSS as f64, 240.0);
const LEFT: f64 = 62.0;
const RIGHT: f64 = 16.0;
const ABOVE: f64 = 50.0;
const BELOW: f64 = 30.0;
/// Width of a bar at most.
const WIDEST: f64 = 22.0;
/// From one line of the grid to the next, in Mop/s.
const STEP: f64 = 10_000.0;
const INK: &str = "#24292f";
const GRID: &str = "#d8dee4";

/// The chart.
pub(super) fn svg(records: &Records) -> String {
    let figures: Vec<(&Panel, Vec<Option<Figure<'_>>>)> = PANELS
        .iter()
        .map(|panel| (panel, records.figures(panel.structure, &panel.point, panel.columns)))
        .filter(|(_, figures)| figures.iter().any(Option::is_some))
        .collect();
    let most = figures.iter().flat_map(|(_, figures)| figures.iter().flatten().flat_map(bars)).flatten();
    let top = (most.fold(STEP, f64::max) / STEP).ceil() * STEP;
    let height = HEAD + figures.len().div_ceil(ACROSS) as f64 * PANEL.1 + FOOT;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         height=\"{height}\" font-family=\"sans-serif\" fill=\"{INK}\">\n\
         <title>Operations per second of each structure, beside the best peer and the floor</title>\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" rx=\"6\" fill=\"#ffffff\"/>\n"
    );
    text += &legend();
    for (i, (panel, figures)) in figures.iter().enumerate() {
        let (x, y) = ((i % ACROSS) as f64 * PANEL.0, HEAD + (i / ACROSS) as f64 * PANEL.1);
        text += &format!("<g transform=\"translate({x} {y})\">\n{}</g>\n", panel_of(panel, figures, top));
    }
    text + "</svg>\n"
}

/// The heights of the bars of a group, as far as there are any.
fn bars(figure: &Figure<'_>) -> [Option<f64>; 3] {
    [Some(figure.ours.figure), figure.peer.map(|peer| peer.figure), figure.ours.floor]
}

fn legend() -> String {
    let mut text = label(
        24.0,
        28.0,
        17,
        "start",
        "Millions of operations per second (Mop/s) on a GPU, tables and batches in device memory",
    );
    let mut x = 24.0;
    for (name, colour) in SERIES {
        text += &format!("<rect x=\"{x}\" y=\"43\" width=\"14\" height=\"14\" fill=\"{colour}\"/>\n");
        text += &label(x + 20.0, 55.0, 13, "start", name);
        x += 60.0 + 7.2 * name.len() as f64;
    }
    text
}

fn panel_of(panel: &Panel, figures: &[Option<Figure<'_>>], top: f64) -> String {
    let (width, height) = (PANEL.0 - LEFT - RIGHT, PANEL.1 - ABOVE - BELOW);
    let bottom = PANEL.1 - BELOW;
    let y = |value: f64| bottom - height * value / top;
    let mut text = label(24.0, 22.0, 14, "start", panel.title);
    if let Some(figure) = figures.iter().flatten().next() {
        let of = format!("{}, {}", figure.ours.place(), figure.ours.day());
        text += &label(PANEL.0 - RIGHT, 22.0, 12, "end", &of);
    }
    for step in 0..=(top / STEP) as u32 {
        let value = f64::from(step) * STEP;
        let (y, to) = (y(value), PANEL.0 - RIGHT);
        text += &format!("<path d=\"M{LEFT} {y:.1}H{to}\" stroke=\"{GRID}\"/>\n");
        let mark = if step == 0 { "0".to_owned() } else { number(value) };
        text += &label(LEFT - 6.0, y + 4.0, 11, "end", &mark);
    }
    text += &label(LEFT - 6.0, ABOVE - 10.0, 11, "end", "Mop/s");
    let groups: Vec<_> = figures
        .iter()
        .zip(panel.columns)
        .filter_map(|(figure, (_, name))| Some((figure.as_ref()?, name)))
        .collect();
    let group = width / groups.len() as f64;
    let bar = (group * 0.8 / SERIES.len() as f64).min(WIDEST);
    for (i, (figure, name)) in groups.into_iter().enumerate() {
        let from = LEFT + i as f64 * group;
        text += &label(from + group / 2.0, bottom + 18.0, 12, "middle", name);
        // Those that are there stand in the middle of the group.
        let there: Vec<(f64, &str)> = bars(figure)
            .into_iter()
            .zip(SERIES)
            .filter_map(|(value, (_, colour))| Some((value?, colour)))
            .collect();
        let mut x = from + (group - bar * there.len() as f64) / 2.0;
        for (value, colour) in there {
            let (y, h) = (y(value), bottom - y(value));
            text += &format!(
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{bar:.1}\" height=\"{h:.1}\" fill=\"{colour}\"/>\n"
            );
            x += bar;
        }
    }
    text
}

fn label(x: f64, y: f64, size: u32, anchor: &str, text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\">{text}</text>\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::records::Record;
    use crate::report::records::tests::record;

    #[test]
    fn each_figure_is_a_bar_of_its_height() {
        let panel = &PANELS[0];
        let at = |row: &str, figure: f64| Record {
            size: panel.point.size,
            entry: panel.point.entry.to_owned(),
            ..record("NVIDIA H200, sm_90", "2026-01-02", row, figure)
        };
        let mut records = Records::default();
        let build = Record { floor: Some(20_000.0), ..at("build", 10_000.0) };
        records.ours.insert(panel.structure.to_owned(), vec![build, at("search present", 5_000.0)]);
        records.peers.push(at("build", 15_000.0));
        let svg = svg(&records);
        let heights: Vec<f64> = svg
            .split("<rect x=")
            .filter(|rect| !rect.contains("width=\"14\""))
            .filter_map(|rect| rect.split_once(" height=\"")?.1.split('"').next()?.parse().ok())
            .collect();
        let whole = PANEL.1 - ABOVE - BELOW;
        // The first is the background's.
        let parts: Vec<f64> = heights[1..].iter().map(|height| (height / whole * 100.0).round()).collect();
        assert_eq!(parts, [50.0, 75.0, 100.0, 25.0]);
        assert_eq!(svg.matches("<g transform").count(), 1, "one panel has figures");
        for text in ["Warpproof", "best peer", "Mop/s", "NVIDIA H200, 2026-01-02", "20,000"] {
            assert!(svg.contains(text), "{text}");
        }
    }
}
