//! What a program that uses tables needs besides their types: the traits that have the calls, and the
//! outcomes and answers of the calls.
//!
//! ```
//! use warpproof::prelude::*;
//! use warpproof::simt::cpu::{Error, OpenMap};
//!
//! let map = OpenMap::<u32, u32>::with_capacity(1000)?;
//! map.insert_unique(&[1, 2, 3], &[10, 20, 30])?.all_stored()?;
//! assert_eq!(map.search(&[3, 4])?, [Some(30), None]);
//! assert_eq!(map.delete(&[3])?, [Delete::Deleted]);
//! assert_eq!(map.len()?, 2);
//! # Ok::<(), Error>(())
//! ```
//!
//! The types of tables are not here: those on a CPU ([`simt::cpu`](crate::simt::cpu)) and those on a GPU
//! (`warpproof::gpu`) have the same names.

pub use crate::{
    Add, Answer, Assign, BulkCounter, BulkFlush, BulkMap, BulkMatches, BulkMultimap, BulkOrdered, BulkPaged,
    BulkSave, BulkSet, BulkTable, BulkUpdate, Delete, Insert, Matches, NotStored, Op, Outcome, Outcomes,
    Update,
};
