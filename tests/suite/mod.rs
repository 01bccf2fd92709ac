//! The suite: requirements of every table. A body takes a row, which makes the tables of a structure on a
//! backend; `facts.rs` has the rows and decides which bodies run for them.

use warpproof::model::Seed;

#[macro_use]
mod bodies;
#[macro_use]
pub(crate) mod facts;
pub(crate) mod buckets;
pub(crate) mod chains;
pub(crate) mod crowds;
pub(crate) mod grows;
pub(crate) mod maps;
pub(crate) mod multimaps;
pub(crate) mod number;
pub(crate) mod row;
pub(crate) mod saves;
pub(crate) mod table;
pub(crate) mod tables;

/// The seed of the tables that are tested, so that a run is like the one before.
pub(crate) const SEED: Seed = Seed::new(1);
