//! Operations on whole columns: the groups of rows with one key, folds over groups, and joins.
//!
//! A *column* is a slice, and a row is an index into it. [`Groups`] numbers the distinct keys of a column in
//! the order of their first rows, so its results do not depend on threads or on the seed. [`fold_groups`]
//! computes a state for each group, such as a [`Sum`]. [`RowsByKey`] finds the rows of one column that match
//! each row of another one: the five joins are methods of it. [`RowIndex`] does both for keys that are wider
//! than a word: strings, and keys of several columns.
//!
//! Keys that are a word are equal if their bits are. For keys that are floating-point numbers, a caller
//! passes their bits: then 0.0 and -0.0 differ, and a NaN equals itself.
//!
//! Every call takes time proportional to the rows (of a join, and to the pairs of its result), whatever the
//! keys are. Columns have at most 2^32 - 2 rows.
//!
//! How groups are found: if a sample says that keys repeat, each thread first combines the rows of the keys
//! that it meets first, in a small table. What is left is partitioned by the hashes of the keys, and each
//! partition is numbered by one thread in a table that fits its cache. No thread writes to a table of another
//! one, so none of this needs an atomic exchange.

mod added;
mod combine;
mod filter;
mod fold;
mod groups;
mod index;
mod join;
mod key_columns;
mod listed;
mod numbering;
mod partition;
mod progress;
mod ranks;
mod room;
mod row_index;
mod row_number;
mod verified;

pub(super) use added::insert_or_add;
pub use combine::Grouped;
pub use fold::{Count, Fold, Max, Mean, Min, Number, Sum};
pub use groups::{Groups, fold_groups, grouped};
pub use index::isin;
pub use join::{Join, RowsByKey};
pub use key_columns::KeyColumns;
pub use listed::Pairs;
pub use progress::Progress;
pub use row_index::{Matched, RowIndex};
pub use row_number::RowNumber;
pub use verified::{Leaders, RowsByHash};

#[cfg(test)]
mod row_index_tests;
#[cfg(test)]
mod tests;
