//! Files of rows, whole or in parts.

use super::rows::{Head, Rows};
use crate::failure::Failure;
use crate::output::Progress;
use crate::packed::{Input, delimiter};
use crate::parquet::{self, Columns, Kind, is_parquet};
use std::io::Read;
use std::path::{Path, PathBuf};
use warpproof::files::{Coder, Layout, Malformed, Table, Unread};

/// Bytes of a part of a text file, and rows of one of a Parquet file, which has whole groups.
const BYTES: usize = 1 << 24;
const ROWS: usize = 1 << 18;

/// A file of rows, or a part of one.
pub(crate) struct Source {
    path: PathBuf,
    pub(crate) rows: Rows,
    /// What the cells of each column are, if the file says so.
    kinds: Option<Vec<Kind>>,
}

impl Source {
    /// Reads a file with a code for the key of each row. An error names file, line or row, and column.
    pub(crate) fn read(path: &Path, keys: &[String], coder: &Coder) -> Result<Self, Failure> {
        let layout = layout(path, keys, coder);
        if is_parquet(path)? {
            let (mut file, head) = open(path, layout)?;
            let mut progress = Progress::new("reading", file.position().0);
            let mut cells = first(&mut file)?;
            while let Some(more) = file.next(ROWS)? {
                cells.append(more).map_err(|_| parquet::no_memory(path))?;
                progress.at(file.position().1);
            }
            return source(path, &file, &head, (cells, 0));
        }
        let mut file = Input::open(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| file.broken(&error))?;
        let mut progress = Progress::new("reading", bytes.len() as u64);
        let table = Table::parse(bytes, &layout, |read| progress.at(read));
        let table = table.map_err(|error| malformed(path, false, &error))?;
        Ok(Self { path: path.to_path_buf(), rows: Rows::Text(table), kinds: None })
    }

    /// What the cells of each column are.
    pub(crate) fn kinds(&self) -> Vec<Kind> {
        match (&self.kinds, &self.rows) {
            (None, Rows::Text(table)) => parquet::kinds(table),
            (kinds, _) => kinds.clone().unwrap_or_default(),
        }
    }

    /// The failure for this file, if it is malformed.
    pub(crate) fn malformed(&self, error: &Malformed) -> Failure {
        malformed(&self.path, self.kinds.is_some(), error)
    }
}

/// What follows the first part of a file.
pub(crate) struct Parts {
    path: PathBuf,
    /// How many bytes or rows there are in all, as far as that is known.
    total: u64,
    rest: Rest,
}

enum Rest {
    /// The file is in memory.
    None,
    Text(Box<warpproof::files::Parts<Input>>),
    Parquet(Box<parquet::File>, Head),
}

impl Parts {
    /// The first part of a file, with a code for the key of each row, and what follows it. A file without
    /// rows has a first part.
    pub(crate) fn begin(path: &Path, keys: &[String], coder: &Coder) -> Result<(Source, Self), Failure> {
        let layout = layout(path, keys, coder);
        if is_parquet(path)? {
            let (mut file, head) = open(path, layout)?;
            let cells = first(&mut file)?;
            let first = source(path, &file, &head, (cells, 0))?;
            let (path, total) = (path.to_path_buf(), file.position().0);
            return Ok((first, Self { path, total, rest: Rest::Parquet(Box::new(file), head) }));
        }
        let parts = warpproof::files::Parts::new(Input::open(path)?, layout);
        // A device or a pipe has no length.
        let total = std::fs::metadata(path).map_or(0, |found| found.len());
        let mut parts = Self { path: path.to_path_buf(), total, rest: Rest::Text(Box::new(parts)) };
        match parts.next()? {
            Some(first) => Ok((first, parts)),
            None => Err(Failure::input(format_args!("{}: there is no header", path.display()))),
        }
    }

    /// A file as its first and only part.
    pub(crate) fn whole(source: Source) -> (Source, Self) {
        let (path, total) = (source.path.clone(), source.rows.len() as u64);
        (source, Self { path, total, rest: Rest::None })
    }

    /// The next part; none after the last one.
    pub(crate) fn next(&mut self) -> Result<Option<Source>, Failure> {
        let Self { path, rest, .. } = self;
        match rest {
            Rest::None => Ok(None),
            Rest::Text(parts) => match parts.next(BYTES) {
                Ok(table) => {
                    let source = |table| Source { path: path.clone(), rows: Rows::Text(table), kinds: None };
                    Ok(table.map(source))
                }
                Err(Unread::File(error)) => Err(parts.file().broken(&error)),
                Err(Unread::Malformed(error)) => Err(malformed(path, false, &error)),
            },
            Rest::Parquet(file, head) => {
                let before = file.position().1;
                let Some(cells) = file.next(ROWS)? else { return Ok(None) };
                source(path, file, head, (cells, before)).map(Some)
            }
        }
    }

    /// How many bytes or rows there are in all, as far as that is known, and how many were read.
    pub(crate) fn position(&self) -> (u64, u64) {
        let read = match &self.rest {
            Rest::None => self.total,
            Rest::Text(parts) => parts.file().position(),
            Rest::Parquet(file, _) => file.position().1,
        };
        (self.total, read)
    }
}

/// Opens a Parquet file.
fn open(path: &Path, layout: Layout) -> Result<(parquet::File, Head), Failure> {
    let file = parquet::File::open(path)?;
    let head = Head::new(file.names(), layout).map_err(|error| malformed(path, true, &error))?;
    Ok((file, head))
}

/// The first rows of a Parquet file, or its columns without a row.
fn first(file: &mut parquet::File) -> Result<Columns, Failure> {
    let found = file.next(ROWS)?;
    Ok(found.unwrap_or_else(|| Columns::new(file.names(), &file.kinds())))
}

/// A part of a Parquet file, after so many rows.
fn source(
    path: &Path,
    file: &parquet::File,
    head: &Head,
    (cells, before): (Columns, u64),
) -> Result<Source, Failure> {
    let rows = head.code(cells, before as usize).map_err(|error| malformed(path, true, &error))?;
    Ok(Source { path: path.to_path_buf(), rows: Rows::Columns(rows), kinds: Some(file.kinds()) })
}

fn layout(path: &Path, keys: &[String], coder: &Coder) -> Layout {
    Layout { delimiter: delimiter(path), keys: keys.to_vec(), coder: coder.clone() }
}

/// The failure for a file that is malformed. Parquet has no lines.
fn malformed(path: &Path, parquet: bool, error: &Malformed) -> Failure {
    let path = path.display();
    match error.row {
        Some(0) if parquet => Failure::input(format_args!("{path}: {}", error.what)),
        Some(row) if parquet => Failure::input(format_args!("{path}: row {row}: {}", error.what)),
        _ => Failure::input(format_args!("{path}:{error}")),
    }
}
