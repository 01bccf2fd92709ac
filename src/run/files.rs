//! Files of tables that a run begins with, or writes at its end.

use super::Made;
use super::phase::{Phase, timed};
use crate::backend::Opened;
use crate::failure::Failure;
use crate::registry::Structure;
use crate::registry::room::BUDGET;
use std::path::Path;
use warpproof::BulkTable;
use warpproof::any::Map;

/// Opens the table of a file.
pub(super) fn open(
    structure: &Structure,
    on: &Opened,
    path: &Path,
    budget: u64,
    phases: &mut Vec<Phase>,
) -> Result<Map<u32, u32>, Failure> {
    let mut seconds = 0.0;
    let map = timed(&mut seconds, || structure.open32(on, path, budget))?;
    phases.push(Phase::new("open", map.len().map_err(Failure::backend)?, seconds, Ok(())));
    Ok(map)
}

/// Saves the table, if that was asked for, opens the file again, and compares it with the table.
pub(super) fn save(
    structure: &Structure,
    on: &Opened,
    map: &Map<u32, u32>,
    made: Made<'_>,
    phases: &mut Vec<Phase>,
) -> Result<(), Failure> {
    let Some(path) = made.save else { return Ok(()) };
    let table = map.save().ok_or_else(|| structure.has_no("files"))?;
    let (mut seconds, len) = (0.0, map.len().map_err(Failure::backend)?);
    timed(&mut seconds, || table.save(path)).map_err(Failure::backend)?;
    phases.push(Phase::new("save", len, seconds, Ok(())));
    let opened = open(structure, on, path, made.budget.unwrap_or(BUDGET), phases)?;
    if sorted(&opened)? != sorted(map)?
        && let Some(phase) = phases.pop()
    {
        phases.push(phase.but(format!("{}: the file does not hold the pairs of the table", path.display())));
    }
    Ok(())
}

fn sorted(map: &Map<u32, u32>) -> Result<Vec<(u32, u32)>, Failure> {
    let mut pairs = map.retrieve_all().map_err(Failure::backend)?;
    pairs.sort_unstable();
    Ok(pairs)
}
