//! The pages of counterexamples in a browser: `tests/browser`.

use crate::shell::{Outcome, cargo, output};
use crate::steps::Done;

/// Clicks through the pages, if there is a browser.
pub(crate) fn check() -> Outcome<Done> {
    let said = output(&mut cargo(&["test", "--test", "browser", "--", "--ignored", "--nocapture"]))?;
    print!("{said}");
    Ok(if said.contains("skipped: no chromium") { Done::Skipped("no chromium") } else { Done::Ok })
}
