//! A violation as one page of HTML that needs nothing else.

use super::violation::Violation;
use std::fmt::Write;

const STYLE: &str = "body{font:14px/1.4 system-ui,sans-serif;margin:2em;color:#222}\
h1{font-size:1.3em}h2{font-size:1.1em;margin-top:2em}\
table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:2px 8px;text-align:left;vertical-align:top}\
td{font:12px/1.4 ui-monospace,monospace}th{background:#eee}\
.call{background:#e8f0fe}.return{background:#e6f4ea}.write{background:#fef7e0}.stale{color:#b3261e}\
.bar{height:12px;background:#7aa7e9;border-radius:3px;min-width:3px}.open{background:#e9a77a}\
.lane{width:40em;padding:2px 0}";

impl Violation {
    /// The timeline and the history as one self-contained page.
    pub fn to_html(&self) -> String {
        let mut out = String::new();
        // Writing to a string does not fail.
        let _ = self.write_html(&mut out);
        out
    }

    fn write_html(&self, out: &mut String) -> std::fmt::Result {
        let title = escape(&self.headline());
        write!(out, "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{title}</title>")?;
        write!(out, "<style>{STYLE}</style><h1>{title}</h1>")?;
        write!(out, "<p>Engine {}, {}, execution {}.", escape(&self.engine), self.loads, self.execution)?;
        if let (Some(stall), Some(after)) = (self.scenario.stall, self.stalled_after) {
            write!(out, " Warp {} stopped for ever after {after} accesses.", stall.warp)?;
        }
        write!(out, "</p>")?;
        if !self.scenario.preload.is_empty() {
            let calls: Vec<_> = self.scenario.preload.iter().map(|call| escape(&call.to_string())).collect();
            write!(out, "<p>Before: <code>{}</code></p>", calls.join("; "))?;
        }
        self.write_table(out)?;
        self.write_bars(out)?;
        write!(out, "</html>")
    }

    fn write_table(&self, out: &mut String) -> std::fmt::Result {
        let warps = self.scenario.programs.len();
        write!(out, "<h2>Steps</h2><table><tr><th>step</th>")?;
        for warp in 0..warps {
            write!(out, "<th>warp {warp}</th>")?;
        }
        write!(out, "</tr>")?;
        for (number, step) in self.steps.iter().enumerate() {
            let class = match step.action.as_str() {
                "call" => "call",
                "return" => "return",
                _ if step.stale => "stale",
                _ if step.new.is_some() => "write",
                _ => "",
            };
            write!(out, "<tr><td>{}</td>", number + 1)?;
            for warp in 0..warps {
                match warp == step.warp {
                    true => write!(out, "<td class=\"{class}\">{}</td>", escape(&step.text()))?,
                    false => write!(out, "<td></td>")?,
                }
            }
            write!(out, "</tr>")?;
        }
        write!(out, "</table>")
    }

    fn write_bars(&self, out: &mut String) -> std::fmt::Result {
        let ends = self.history.iter().map(|e| if e.end == u64::MAX { e.start + 1 } else { e.end });
        let last = ends.max().unwrap_or(1).max(1) as f64;
        write!(
            out,
            "<h2>History</h2><table><tr><th>who</th><th>call</th><th>returned</th><th>interval</th></tr>"
        )?;
        for event in &self.history {
            let who = event.warp.map_or("alone".to_string(), |warp| format!("warp {warp}"));
            let ret = event.ret.as_ref().map_or("never".to_string(), ToString::to_string);
            let end = if event.end == u64::MAX { last } else { event.end as f64 };
            let (left, width) =
                (event.start as f64 / last * 100.0, (end - event.start as f64) / last * 100.0);
            let open = if event.ret.is_none() { " open" } else { "" };
            write!(
                out,
                "<tr><td>{who}</td><td>{}</td><td>{}</td><td class=\"lane\"><div class=\"bar{open}\" \
                 style=\"margin-left:{left:.1}%;width:{width:.1}%\"></div></td></tr>",
                escape(&event.call.to_string()),
                escape(&ret),
            )?;
        }
        write!(out, "</table>")
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
