//! A semi-join and a deduplication of columns of u64. `cargo run --release --example semi_join`
//!
//! Which orders have a customer that is known, and which customers ordered something? Both are questions
//! about keys alone: an [`OpenSet`] of one column answers them, 10.3 bytes per key at its default load.

use warpproof::prelude::*;
use warpproof::simt::cpu::{Error, OpenSet};

const ORDERS: &str = "examples/join/orders.csv";
const CUSTOMERS: &str = "examples/join/customers.csv";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let orders = column(ORDERS, "customer_id")?;
    let customers = column(CUSTOMERS, "customer_id")?;
    let rows = semi_join(&orders, &customers)?;
    println!("{} of {} orders are of a known customer: rows {rows:?}", rows.len(), orders.len());
    let different = distinct(&orders)?;
    println!("{} different customers ordered: {different:?}", different.len());

    // What a loop over the columns says.
    let by_loop = orders.iter().enumerate().filter(|(_, order)| customers.contains(order));
    assert!(rows.iter().copied().eq(by_loop.map(|(row, _)| row)));
    assert!(different.is_sorted_by(|a, b| a < b) && orders.iter().all(|key| different.contains(key)));
    assert!(different.iter().all(|key| orders.contains(key)));
    Ok(())
}

/// The rows of `left` whose key is in `right`, in order.
fn semi_join(left: &[u64], right: &[u64]) -> Result<Vec<usize>, Error> {
    let right = OpenSet::<u64>::build(right)?;
    let found = right.contains(left)?;
    Ok((0..left.len()).filter(|&row| found[row]).collect())
}

/// Each key of a column once, in ascending order.
fn distinct(column: &[u64]) -> Result<Vec<u64>, Error> {
    let set = OpenSet::<u64>::with_capacity(column.len() as u64)?;
    // Of the rows with one key, one inserts it: which one is not said.
    let said = set.insert(column)?;
    let first = column.iter().zip(said).filter(|(_, said)| *said == Insert::Inserted);
    let mut keys: Vec<u64> = first.map(|(&key, _)| key).collect();
    keys.sort_unstable();
    Ok(keys)
}

/// A column of a CSV file. Fields that are empty are left out: no key is there.
fn column(file: &str, name: &str) -> Result<Vec<u64>, Box<dyn std::error::Error>> {
    let mut reader = csv::Reader::from_path(file).map_err(|e| format!("{file}: {e}"))?;
    let at = reader.headers()?.iter().position(|header| header == name);
    let at = at.ok_or_else(|| format!("{file}: no column {name}"))?;
    let mut keys = Vec::new();
    for row in reader.records() {
        let row = row?;
        let line = row.position().map_or(0, csv::Position::line);
        let field = row.get(at).unwrap_or_default();
        if !field.is_empty() {
            keys.push(field.parse().map_err(|e| format!("{file}:{line}: {name} {field:?}: {e}"))?);
        }
    }
    Ok(keys)
}
