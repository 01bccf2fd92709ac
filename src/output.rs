//! Output of commands: text or one JSON object on stdout, progress on stderr.

use crate::failure::Failure;
use crate::target::stdout;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Whether no progress is to be shown.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Steps between two looks at the clock.
const STEPS: u64 = 1 << 14;

/// How many threads work, and what is said about it.
#[derive(Default, clap::Args)]
pub(crate) struct Effort {
    /// Threads of the CPU [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Show no progress; it is shown on a terminal alone in any case
    #[arg(short, long)]
    quiet: bool,
}

impl Effort {
    /// Makes it so, from now on.
    pub(crate) fn begin(&self) -> Result<(), Failure> {
        // Relaxed: no memory depends on it.
        QUIET.store(self.quiet, Ordering::Relaxed);
        let Some(threads) = self.threads else { return Ok(()) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into());
        pool.build_global().map_err(|e| Failure::input(format_args!("--threads {threads}: {e}")))
    }
}

/// Prints one line on stdout.
pub(crate) fn line(text: impl std::fmt::Display) -> Result<(), Failure> {
    stdout().and_then(|mut out| writeln!(out, "{text}")).map_err(|e| Failure::write("stdout", &e))
}

/// Prints one JSON object on stdout.
pub(crate) fn json(object: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(object).map_err(Failure::input)?;
    line(text)
}

/// Prints one line on stderr, beside the output on stdout. If stderr is closed, the line is not wanted.
pub(crate) fn aside(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// A number with thousands separated.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Operations per second in millions; 0 for no time.
pub(crate) fn mops(ops: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { ops as f64 / seconds / 1e6 } else { 0.0 }
}

/// Progress of work that may take long: a bar on stderr, if that is a terminal, after the first second.
pub(crate) struct Progress {
    bar: ProgressBar,
    what: &'static str,
    start: Instant,
    shown: bool,
}

impl Progress {
    /// Progress of `total` steps of `what`.
    pub(crate) fn new(what: &'static str, total: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        if let Ok(style) =
            ProgressStyle::with_template("{msg:10} {bar:40} {human_pos} of {human_len}, {eta} left")
        {
            bar.set_style(style);
        }
        bar.set_message(what);
        // Relaxed: as in `Effort::begin`.
        let shown = QUIET.load(Ordering::Relaxed) || !std::io::stderr().is_terminal();
        Self { bar, what, start: Instant::now(), shown }
    }

    /// Prints something above the bar.
    pub(crate) fn above<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Shows more about the work beside its name, if there is more and the bar is shown.
    pub(crate) fn say(&self, more: impl FnOnce() -> Option<String>) {
        if !self.bar.is_hidden()
            && let Some(more) = more()
        {
            self.bar.set_message(beside(self.what, &more));
        }
    }

    /// `done` steps are done, of work that takes steps one by one.
    pub(crate) fn now_and_then(&mut self, done: u64) {
        if done.is_multiple_of(STEPS) {
            self.at(done);
        }
    }

    /// `done` steps are done.
    pub(crate) fn at(&mut self, done: u64) {
        if !self.shown && self.start.elapsed() > Duration::from_secs(1) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.shown = true;
        }
        self.bar.set_position(done);
    }
}

/// The text of a bar.
fn beside(what: &str, more: &str) -> String {
    format!("{what}: {more}")
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1000), "1,000");
        assert_eq!(grouped(12_345_678), "12,345,678");
    }

    #[test]
    fn more_is_said_beside_the_name_and_not_asked_for_in_vain() {
        assert_eq!(beside("counting", "1.0 MiB to frames"), "counting: 1.0 MiB to frames");
        Progress::new("counting", 10).say(|| panic!("the bar is hidden"));
    }

    #[test]
    fn no_time_is_no_speed() {
        assert_eq!(mops(10, 0.0), 0.0);
        assert_eq!(mops(2_000_000, 2.0), 1.0);
    }
}
