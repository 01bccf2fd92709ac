//! Plots as SVG: lines over two logarithmic axes, and bars.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::fmt::Display;

/// The label of the horizontal axis, and the format of its numbers.
pub(crate) enum Axis {
    /// As powers of ten.
    Decimal(&'static str),
    /// As powers of two.
    Binary(&'static str),
}

/// A plot.
pub(crate) struct Chart {
    /// The text above it.
    pub(crate) title: String,
    /// The axis below it.
    pub(crate) x: Axis,
    /// The text beside it.
    pub(crate) y: &'static str,
    /// The name and the points of each line; all coordinates are positive.
    pub(crate) lines: Vec<(String, Vec<(f64, f64)>)>,
}

/// A plot of bars.
pub(crate) struct Bars {
    /// The text above it.
    pub(crate) title: String,
    /// The text beside it.
    pub(crate) y: &'static str,
    /// Each bar.
    pub(crate) bars: Vec<Bar>,
}

/// A bar of a plot.
pub(crate) struct Bar {
    /// The text below it.
    pub(crate) name: String,
    /// Its height, not negative.
    pub(crate) value: f64,
    /// The text above it.
    pub(crate) note: String,
}

/// What a plot is drawn on.
type Root<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// Width and height.
const SIZE: (u32, u32) = (960, 600);
/// Height of a line's name, with a little more than its share of the frame.
const NAME: f64 = 18.0;
/// Colours that the colour-blind can tell apart (Okabe, Ito, 2002).
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
    RGBColor(150, 150, 150),
];

impl Chart {
    /// The plot as a file's text.
    ///
    /// # Errors
    /// The error of the drawing, as text.
    pub(crate) fn svg(&self) -> Result<String, String> {
        drawn(|root| self.draw(root))
    }

    fn draw(&self, root: &Root<'_>) -> Result<(), Box<dyn std::error::Error>> {
        let all = || self.lines.iter().flat_map(|(_, points)| points.iter());
        let base = if matches!(self.x, Axis::Binary(_)) { 2.0 } else { 10.0 };
        let x = range(all().map(|point| point.0), 1.5, 0.0).log_scale().base(base);
        // The names are above the lines.
        let above = (self.lines.len() as f64 * NAME + NAME) / SIZE.1 as f64;
        let y = range(all().map(|point| point.1), 1.5, above.min(0.7)).log_scale();
        let mut chart = ChartBuilder::on(root)
            .caption(&self.title, ("sans-serif", 20))
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(72)
            .build_cartesian_2d(x, y)?;
        let (Axis::Decimal(name) | Axis::Binary(name)) = self.x;
        let write = |x: &f64| match self.x {
            Axis::Decimal(_) => number(x),
            Axis::Binary(_) => format!("2^{:.0}", x.log2()),
        };
        chart
            .configure_mesh()
            .x_desc(name)
            .y_desc(self.y)
            .x_label_formatter(&write)
            .y_label_formatter(&number)
            .light_line_style(RGBColor(235, 235, 235))
            .draw()?;
        for (i, (name, points)) in self.lines.iter().enumerate() {
            let colour = COLOURS[i % COLOURS.len()];
            chart
                .draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)).point_size(3))?
                .label(name.as_str())
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], colour.stroke_width(2)));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE.mix(0.8))
            .border_style(RGBColor(200, 200, 200))
            .draw()?;
        Ok(())
    }
}

impl Bars {
    /// The plot as a file's text.
    ///
    /// # Errors
    /// The error of the drawing, as text.
    pub(crate) fn svg(&self) -> Result<String, String> {
        drawn(|root| self.draw(root))
    }

    fn draw(&self, root: &Root<'_>) -> Result<(), Box<dyn std::error::Error>> {
        let highest = self.bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
        let top = if highest > 0.0 { highest * 1.15 } else { 1.0 };
        let mut chart = ChartBuilder::on(root)
            .caption(&self.title, ("sans-serif", 20))
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(72)
            .build_cartesian_2d(0.0..self.bars.len().max(1) as f64, 0.0..top)?;
        // The names are below the middle of the bars, where a mesh has no labels.
        chart
            .configure_mesh()
            .disable_x_mesh()
            .disable_x_axis()
            .y_desc(self.y)
            .y_label_formatter(&number)
            .light_line_style(RGBColor(235, 235, 235))
            .draw()?;
        let below = ("sans-serif", 12).into_font().color(&BLACK).pos(Pos::new(HPos::Center, VPos::Top));
        let above = below.pos(Pos::new(HPos::Center, VPos::Bottom));
        for (at, bar) in self.bars.iter().enumerate() {
            let (left, middle) = (at as f64, at as f64 + 0.5);
            let colour = COLOURS[at % COLOURS.len()];
            let corners = [(left + 0.15, 0.0), (left + 0.85, bar.value)];
            chart.draw_series([Rectangle::new(corners, colour.filled())])?;
            let (x, top) = chart.backend_coord(&(middle, bar.value));
            let (_, bottom) = chart.backend_coord(&(middle, 0.0));
            root.draw(&Text::new(bar.note.as_str(), (x, top - 4), above.clone()))?;
            root.draw(&Text::new(bar.name.as_str(), (x, bottom + 8), below.clone()))?;
        }
        Ok(())
    }
}

/// The text of a drawing.
fn drawn(draw: impl FnOnce(&Root<'_>) -> Result<(), Box<dyn std::error::Error>>) -> Result<String, String> {
    let mut text = String::new();
    let root = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
    let done = root.fill(&WHITE).map_err(Box::from).and_then(|()| draw(&root));
    done.and_then(|()| root.present().map_err(Box::from)).map_err(|error| error.to_string())?;
    drop(root);
    Ok(text)
}

/// A logarithmic range from the least to the most value, with room on both sides, and a part `above` of the
/// whole left free at the top.
fn range(values: impl Iterator<Item = f64>, room: f64, above: f64) -> std::ops::Range<f64> {
    let (least, most) = values.fold((f64::INFINITY, 0.0), |(a, b), v| (a.min(v), f64::max(b, v)));
    if least > most {
        return 1.0..10.0;
    }
    let (from, to) = (least / room, most * room);
    from..to * (to / from).powf(above / (1.0 - above))
}

/// A number without a tail of digits.
fn number(value: &f64) -> String {
    let text: &dyn Display = if *value < 1.0 { value } else { &value.round() };
    text.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_has_its_lines_and_names() {
        let points = vec![(100.0, 5.0), (1000.0, 50.0), (10_000.0, 500.0)];
        let lines = vec![("one & two".to_owned(), points.clone()), ("three".to_owned(), points)];
        let chart = Chart { title: "a < b".into(), x: Axis::Decimal("keys"), y: "Mop/s", lines };
        let svg = chart.svg().unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        for text in ["one &amp; two", "three", "a &lt; b", "keys", "Mop/s"] {
            assert!(svg.contains(text), "{text}");
        }
        // A line and its mark in the legend, twice.
        assert!(svg.matches("<polyline").count() >= 4);
    }

    #[test]
    fn powers_of_two_stand_where_they_are() {
        let points = (20..=26).map(|power| ((1u32 << power) as f64, 5.0)).collect();
        let lines = vec![("one".to_owned(), points)];
        let svg = Chart { title: String::new(), x: Axis::Binary("slots"), y: "Mop/s", lines }.svg().unwrap();
        // The positions of the points, and of the text of each labelled one.
        let places = |what: &str, attribute: &str| -> Vec<f64> {
            let starts = svg.match_indices(what).map(|(at, _)| &svg[at..]);
            let value = |text: &str| text.split_once(attribute)?.1.split('"').nth(1)?.parse().ok();
            starts.filter_map(value).collect()
        };
        let points = places("<circle", "cx=");
        let labelled: Vec<(f64, i32)> = svg
            .split("<text")
            .filter_map(|text| {
                let power = text.split_once("2^")?.1.split_whitespace().next()?.parse().ok()?;
                Some((text.split_once(" x=\"")?.1.split('"').next()?.parse().ok()?, power))
            })
            .collect();
        assert!(points.len() == 7 && labelled.len() >= 3, "{points:?}, {labelled:?}");
        for (x, power) in labelled {
            assert!((x - points[power as usize - 20]).abs() <= 1.0, "2^{power} at {x}, {points:?}");
        }
    }

    #[test]
    fn a_part_is_left_free_above() {
        let free = range([10.0, 1000.0].into_iter(), 1.0, 0.5);
        assert!((free.start - 10.0).abs() < 1e-9 && (free.end - 100_000.0).abs() < 1e-6, "{free:?}");
    }

    #[test]
    fn bars_are_as_high_as_their_values() {
        let bar = |name: &str, value| Bar { name: name.into(), value, note: format!("{value} <") };
        let bars = vec![bar("one & two", 10.0), bar("three", 5.0), bar("none", 0.0)];
        let svg = Bars { title: "phases".into(), y: "Mop/s", bars }.svg().unwrap();
        for text in ["phases", "Mop/s", "one &amp; two", "three", "10 &lt;", "5 &lt;", "none"] {
            assert!(svg.contains(text), "{text}");
        }
        let heights: Vec<f64> = svg
            .split("<rect")
            .skip(1)
            .filter_map(|rect| rect.split_once(" height=\"")?.1.split('"').next()?.parse().ok())
            .collect();
        // The first one is the background.
        assert_eq!(heights.len(), 1 + 3, "{heights:?}");
        assert!((heights[1] - 2.0 * heights[2]).abs() <= 2.0 && heights[3] <= 1.0, "{heights:?}");
    }

    #[test]
    fn nothing_is_a_plot_too() {
        let bars = Bars { title: String::new(), y: "Mop/s", bars: Vec::new() };
        assert!(bars.svg().unwrap().ends_with("</svg>\n"));
        let chart = Chart { title: String::new(), x: Axis::Binary("slots"), y: "Mop/s", lines: Vec::new() };
        assert!(chart.svg().unwrap().ends_with("</svg>\n"));
    }
}
