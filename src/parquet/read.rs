//! A Parquet file as the text of a CSV file.

use super::column::column;
use super::kind::Kind;
use super::pages::pages;
use super::shared::Shared;
use super::text::Format;
use crate::failure::Failure;
use crate::output::Progress;
use crate::target::Lines;
use parquet::basic::{Compression, Repetition};
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor};
use rayon::prelude::*;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::Path;
use std::sync::Arc;

/// Rows that are read of a column at once.
const ROWS: usize = 1 << 12;

/// How every Parquet file begins and ends.
const MAGIC: &[u8; 4] = b"PAR1";

/// The file as CSV with a header, and what the cells of each column are. Rows have as many cells as the
/// header. The text is in memory, and of the file the pages that are being read. Each thread reads a group of
/// rows, whose text is then in memory twice.
pub(crate) fn read(path: &Path) -> Result<(Vec<u8>, Vec<Kind>), Failure> {
    let name = path.display();
    let failed = |e: std::io::Error| Failure::input(format_args!("{name}: {e}"));
    let file = File::open(path).map_err(failed)?;
    admit(path, &file)?;
    let file = Arc::new(Shared::new(file).map_err(failed)?);
    // The crate is not written for files that are broken on purpose: it may panic.
    let hook = take_hook();
    set_hook(Box::new(|_| ()));
    let read = catch_unwind(AssertUnwindSafe(|| rows(path, &file)));
    set_hook(hook);
    read.unwrap_or_else(|_| Err(Failure::input(format_args!("{name}: broken Parquet data"))))
}

/// Checks that the file may be Parquet.
fn admit(path: &Path, mut file: &File) -> Result<(), Failure> {
    use std::io::{Read, Seek, SeekFrom};
    let refused = |what: &str| Err(Failure::input(format_args!("{}: {what}", path.display())));
    let failed = |e: std::io::Error| Failure::input(format_args!("{}: {e}", path.display()));
    let found = file.metadata().map_err(failed)?;
    if !found.is_file() {
        return refused("Parquet is read from its end: it has to be a file");
    }
    let mut magic = [0; 4];
    let whole = found.len() >= 12;
    if whole {
        file.read_exact(&mut magic).map_err(failed)?;
    }
    if &magic != MAGIC {
        return refused("this is no Parquet file: it does not begin with PAR1");
    }
    file.seek(SeekFrom::End(-4)).map_err(failed)?;
    file.read_exact(&mut magic).map_err(failed)?;
    match &magic {
        MAGIC => Ok(()),
        b"PARE" => refused("the file is encrypted, which is not supported"),
        _ => refused("broken Parquet data: it is cut off, for it does not end with PAR1"),
    }
}

/// All rows, and what their cells are.
fn rows(path: &Path, file: &Arc<Shared>) -> Result<(Vec<u8>, Vec<Kind>), Failure> {
    let reader = SerializedFileReader::new(Shared::clone(file)).map_err(|e| broken(path, &e.to_string()))?;
    let metadata = reader.metadata();
    let schema = metadata.file_metadata().schema_descr();
    let formats = formats(path, schema)?;
    let mut header = Lines::new(b',');
    header.row(schema.columns().iter().map(|column| column.name().as_bytes()));
    let mut out = header.into_bytes();
    let total = metadata.row_groups().iter().fold(0, |rows, group| group.num_rows().saturating_add(rows));
    let mut progress = Progress::new("reading", u64::try_from(total).unwrap_or(0));
    let mut done = 0;
    let mut groups = Vec::with_capacity(metadata.num_row_groups());
    for metadata in metadata.row_groups() {
        let rows = usize::try_from(metadata.num_rows())
            .map_err(|_| Failure::input(format_args!("{}: broken Parquet data", path.display())))?;
        groups.push(Group { path, file, metadata, schema, formats: &formats, rows, before: done });
        done = done.saturating_add(rows as u64);
    }
    for groups in groups.chunks(rayon::current_num_threads()) {
        let texts = groups.par_iter().map(Group::text).collect::<Vec<_>>();
        for (group, text) in groups.iter().zip(texts) {
            out.extend(text?);
            progress.at(group.before + group.rows as u64);
        }
    }
    Ok((out, formats.iter().map(|format| format.kind()).collect()))
}

/// A group of rows.
struct Group<'a> {
    path: &'a Path,
    file: &'a Arc<Shared>,
    metadata: &'a RowGroupMetaData,
    schema: &'a SchemaDescriptor,
    formats: &'a [Format],
    rows: usize,
    /// The rows of the groups before.
    before: u64,
}

impl Group<'_> {
    /// The rows as text.
    fn text(&self) -> Result<Vec<u8>, Failure> {
        let Self { path, schema, .. } = *self;
        let in_column = |at: usize, what: &str| in_column(path, (at, schema.columns()[at].name()), what);
        let mut columns = Vec::with_capacity(self.formats.len());
        for ((chunk, descr), &format) in
            self.metadata.columns().iter().zip(schema.columns()).zip(self.formats)
        {
            check_packing(path, (columns.len(), descr.name()), chunk.compression())?;
            let pages = pages(self.file, chunk, self.rows).map_err(|e| broken(path, &e.to_string()))?;
            columns.push(column(descr, pages, format));
        }
        let (mut out, mut cell, mut done) = (Lines::new(b','), Vec::new(), 0);
        while done < self.rows {
            let batch = (self.rows - done).min(ROWS);
            for (at, column) in columns.iter_mut().enumerate() {
                let read = column.fill(batch).map_err(|e| in_column(at, &e.to_string()))?;
                if read < batch {
                    return Err(in_column(at, "it has fewer rows than the file"));
                }
            }
            for row in done..done + batch {
                for (at, column) in columns.iter_mut().enumerate() {
                    cell.clear();
                    column.next(&mut cell).map_err(|what| {
                        let row = self.before + row as u64 + 1;
                        in_column(at, &format!("row {row} has {what}"))
                    })?;
                    out.cell(&cell);
                }
                out.end();
            }
            done += batch;
        }
        Ok(out.into_bytes())
    }
}

/// How the cells of each column become text.
fn formats(path: &Path, schema: &SchemaDescriptor) -> Result<Vec<Format>, Failure> {
    let fields = schema.root_schema().get_fields();
    if fields.is_empty() {
        return Err(Failure::input(format_args!("{}: the file has no column", path.display())));
    }
    for (at, field) in fields.iter().enumerate() {
        let repeated = field.get_basic_info().has_repetition()
            && field.get_basic_info().repetition() == Repetition::REPEATED;
        if field.is_group() || repeated {
            let what = "each of its cells is a list, a map or a group: only single values are read";
            return Err(refused(path, (at, field.name()), what));
        }
    }
    let format = |(at, column): (usize, &ColumnDescPtr)| {
        Format::of(column).map_err(|what| {
            refused(path, (at, column.name()), &format!("values of type {what} are not read"))
        })
    };
    schema.columns().iter().enumerate().map(format).collect()
}

fn check_packing(path: &Path, at: (usize, &str), packing: Compression) -> Result<(), Failure> {
    match packing {
        Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::GZIP(_) | Compression::ZSTD(_) => {
            Ok(())
        }
        other => {
            let name = other.to_string();
            let name = name.split('(').next().unwrap_or_default();
            let what = format!("it is packed with {name}; snappy, gzip and zstd are read");
            Err(refused(path, at, &what))
        }
    }
}

fn refused(path: &Path, (at, name): (usize, &str), what: &str) -> Failure {
    Failure::input(format_args!("{}: column {} ({name}): {what}", path.display(), at + 1))
}

fn in_column(path: &Path, (at, name): (usize, &str), what: &str) -> Failure {
    broken(path, &format!("column {} ({name}): {what}", at + 1))
}

fn broken(path: &Path, what: &str) -> Failure {
    Failure::input(format_args!("{}: broken Parquet data: {what}", path.display()))
}
