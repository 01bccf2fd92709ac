//! `cargo xtask mutants --generated`: the mutants that cargo-mutants makes of the slab hash.
//!
//! Each is judged as an entry of ours is, by the default set of scenarios; then by the deep set and a few scenarios of the
//! hopscotch table, and at last by the unit tests of the model. The table is written for the files that were asked for; the others keep their rows.

use super::asker::{Set, Which};
use super::judge::{Change, Fate, Judge};
use super::listing::{Generated, list};
use super::reasons;
use super::store::Store;
use super::table::{Row, table};
use crate::shell::{Outcome, read, root, scratch, write};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// The least CPU time that a worker may use for one set.
const LEAST: Duration = Duration::from_secs(20);

/// Checks the mutants of the files with `filter` in their path, and writes their rows.
pub(crate) fn run_generated(filter: &str) -> Outcome<()> {
    let mutants = list()?;
    let names: HashSet<&str> = mutants.iter().map(|mutant| &*mutant.name).collect();
    let reasons_path = root().join("tests/mutants/generated.txt");
    let reasons = reasons::parse(&read(&reasons_path)?, &names)
        .map_err(|error| format!("{}: {error}", reasons_path.display()))?;
    let asked: Vec<&Generated> = mutants.iter().filter(|mutant| mutant.file.contains(filter)).collect();
    if asked.is_empty() {
        return Err(format!(
            "cargo-mutants makes no mutant of a file of the slab hash with {filter} in its path"
        ));
    }
    let fates = judge_all(&asked)?;
    let rows: Vec<Row<'_>> = asked
        .iter()
        .zip(&fates)
        .map(|(mutant, fate)| Row { mutant, fate, reason: reasons.get(&mutant.name) })
        .collect();
    let path = root().join("tests/mutants/generated.md");
    write(&path, &table(&read(&path)?, &rows)?)?;
    let faults: Vec<String> = rows.iter().filter_map(Row::fault).collect();
    println!("{} mutants, {} not as they should be", rows.len(), faults.len());
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

/// What became of each.
fn judge_all(mutants: &[&Generated]) -> Outcome<Vec<Fate>> {
    // The hopscotch table stands on some of the files too.
    let sets = [("slab", Which::Default), ("slab", Which::Deep), ("hopscotch", Which::Quick)]
        .map(|(structure, which)| Set { structure: structure.to_owned(), which });
    let mut store = Store::open()?;
    let (known, start) = (mutants.iter().filter(|m| store.get(m).is_some()).count(), Instant::now());
    println!("{} mutants, {known} known from an earlier run", mutants.len());
    let mut judge = None;
    let mut fates = Vec::new();
    for (number, mutant) in mutants.iter().enumerate() {
        if let Some(fate) = store.get(mutant) {
            fates.push(fate);
            continue;
        }
        let judge: &Judge = match &mut judge {
            Some(judge) => judge,
            none => none.insert(calibrated(&sets)?),
        };
        let begun = Instant::now();
        let patch = scratch().join("mutants/generated.patch");
        write(&patch, &mutant.patch)?;
        let fate = judge.judge_with_tests(Change::Patch(&patch), &sets)?;
        store.put(mutant, &fate)?;
        let (at, took) = (number + 1, begun.elapsed().as_secs_f64());
        println!("{at}/{} {} ({}): {fate:?}  {took:.0} s", mutants.len(), mutant.name, mutant.place);
        fates.push(fate);
    }
    println!("{:.0} s", start.elapsed().as_secs_f64());
    Ok(fates)
}

/// A judge that gives a mutant ten times the time of the original, which must hold.
fn calibrated(sets: &[Set]) -> Outcome<Judge> {
    // Builds what no mutant changes.
    let judge = Judge::new(0, Duration::from_secs(600))?;
    if let fate @ Fate::Killed { .. } = judge.judge_with_tests(Change::Original, &[])? {
        return Err(format!("the original does not hold: {fate:?}"));
    }
    let start = Instant::now();
    match judge.judge(Change::Original, sets)? {
        Fate::Lives { executions } => {
            let limit = (start.elapsed() * 10).max(LEAST);
            println!(
                "the original holds, {executions} executions; a worker ends after {} s",
                limit.as_secs()
            );
            Judge::new(0, limit)
        }
        fate => Err(format!("the original does not hold: {fate:?}")),
    }
}
