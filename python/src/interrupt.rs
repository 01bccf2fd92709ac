//! Long calls: without Python's lock, with looks at signals, and with reports of how far they are.

use crate::failure::Failure;
use pyo3::prelude::*;
use std::ops::Range;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use warpproof::simt::cpu::columns::Progress;

/// Operations of a part of a batch. A table of up to 4 GiB runs as many region by region.
const PART: usize = 1 << 24;
/// Rows of a call that is done before anybody could stop it.
const SHORT: usize = 1 << 18;
/// Between two looks at signals.
const LOOK: Duration = Duration::from_millis(50);

/// Runs a batch of `len` operations in parts. After each part signals are looked at, and `report` is called
/// with the operations that have run.
pub(crate) fn in_parts(
    py: Python<'_>,
    len: usize,
    report: Option<&Bound<'_, PyAny>>,
    mut part: impl FnMut(Range<usize>) -> Result<(), Failure> + Send,
) -> PyResult<()> {
    let mut from = 0;
    loop {
        let to = len.min(from + PART);
        py.detach(|| part(from..to))?;
        py.check_signals()?;
        if let Some(report) = report {
            report.call1((to,))?;
        }
        if to == len {
            return Ok(());
        }
        from = to;
    }
}

/// Runs a call on columns of so many rows: in another thread, unless it is short. Looks at signals meanwhile,
/// and calls `report` with the rows that are done. If a signal's handler or `report` raises, stops the call
/// and raises that.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    (rows, report): (usize, Option<&Bound<'_, PyAny>>),
    call: impl FnOnce(&Progress) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let progress = &Progress::new();
    if rows <= SHORT && report.is_none() {
        return Ok(py.detach(|| call(progress))?);
    }
    let (done, wait) = channel();
    let report = report.map(|report| report.clone().unbind());
    let reports = report.as_ref();
    let (result, raised) = py.detach(move || {
        std::thread::scope(|scope| {
            let call = scope.spawn(move || {
                let result = call(progress);
                // Nobody waits any more if the other side has failed.
                let _ = done.send(());
                result
            });
            let mut raised = None;
            while let Err(RecvTimeoutError::Timeout) = wait.recv_timeout(LOOK) {
                let look = Python::attach(|py| {
                    py.check_signals()?;
                    reports.map_or(Ok(()), |report| report.call1(py, (progress.done(),)).map(drop))
                });
                if let Err(error) = look {
                    progress.stop();
                    raised = Some(error);
                    break;
                }
            }
            (call.join(), raised)
        })
    });
    match (raised, result) {
        (Some(raised), _) => Err(raised),
        (None, Ok(result)) => {
            if let Some(report) = &report {
                report.call1(py, (progress.done(),))?;
            }
            Ok(result?)
        }
        (None, Err(panic)) => std::panic::resume_unwind(panic),
    }
}
