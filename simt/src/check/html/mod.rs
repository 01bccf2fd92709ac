//! A violation as a self-contained HTML page: it needs no network and no other file.

mod history;
mod steps;
mod told;

use super::explain::capital;
use super::violation::Violation;
use std::fmt::{Result, Write};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A whole page with `body`, and the style and script that violations need.
pub fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n{body}\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        escape(title)
    )
}

/// Text with its special characters escaped, for an element or a quoted attribute.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

impl Violation {
    /// The violation as one self-contained page.
    pub fn to_html(&self) -> String {
        page(&self.headline(), &self.to_article())
    }

    /// The violation as a part of a [`page`].
    pub fn to_article(&self) -> String {
        let mut out = String::new();
        // Writing to a string does not fail.
        let _ = self.write_article(&mut out);
        out
    }

    fn write_article(&self, out: &mut String) -> Result {
        writeln!(out, "<article class=\"trace\">")?;
        // A long name may be broken at its signs.
        let name = escape(&self.scenario.name).replace('/', "/<wbr>").replace(['+'], "+<wbr>");
        let kind = escape(&self.kind.to_string());
        writeln!(out, "<h1>{name}: <span class=\"kind\">{kind}</span></h1>")?;
        writeln!(out, "<div class=\"why\">")?;
        let detail = format!("{}.", capital(&self.detail));
        writeln!(out, "<p><strong>{}</strong></p>", escape(&detail))?;
        writeln!(out, "<p>{}</p>\n</div>", escape(&self.explanation().join(" ")))?;
        writeln!(out, "<div class=\"about\">")?;
        for text in [self.context.about.join(" "), self.found()] {
            if !text.is_empty() {
                writeln!(out, "<p>{}</p>", escape(&text))?;
            }
        }
        self.write_alone(out, "Before the warps began", true)?;
        self.write_alone(out, "When all warps had ended", false)?;
        writeln!(out, "</div>")?;
        self.write_terms(out)?;
        self.write_steps_html(out)?;
        self.write_history_html(out)?;
        writeln!(out, "</article>")
    }

    /// A sentence with the calls that no warp made: those before and after the programs of the warps.
    fn write_alone(&self, out: &mut String, when: &str, before: bool) -> Result {
        let calls = self.told_alone(before).map(|(call, answer)| {
            format!("<code>{} \u{2192} {}</code>", escape(&call.to_string()), escape(&answer))
        });
        let calls: Vec<_> = calls.collect();
        match calls.is_empty() {
            true => Ok(()),
            false => writeln!(out, "<p>{when}: {}.</p>", calls.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        assert_eq!(escape("a<b>&\"c'"), "a&lt;b&gt;&amp;&quot;c&#39;");
        assert!(page("<x>", "").contains("<title>&lt;x&gt;</title>"));
    }

    #[test]
    fn the_page_stands_alone() {
        let page = page("", "");
        for outside in ["http:", "https:", "src=", "@import", "url(", "<link"] {
            assert!(!page.contains(outside), "{outside}");
        }
        assert!(!SCRIPT.contains("</"), "the script would end early");
    }
}
