//! Parquet files as files of rows: lists of cells for each column, whose text is that of a CSV file.

mod cells;
mod column;
mod columns;
mod kind;
mod pages;
mod read;
mod shared;
mod text;
mod write;

pub(crate) use columns::{Columns, NO_ROW};
pub(crate) use kind::{Kind, kinds};
pub(crate) use read::{File, no_memory};
pub(crate) use write::Writer;

use crate::failure::Failure;
use crate::packed::Packing;
use std::path::Path;

/// Whether a file of this name is Parquet.
///
/// # Errors
/// The name says that it is packed as a whole.
pub(crate) fn is_parquet(path: &Path) -> Result<bool, Failure> {
    let (packing, name) = Packing::of(path);
    let parquet = name.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("parquet"));
    if parquet && packing != Packing::None {
        let what = "Parquet files are packed inside, not as a whole: the name has to end in .parquet";
        return Err(Failure::input(format_args!("{}: {what}", path.display())));
    }
    Ok(parquet)
}
