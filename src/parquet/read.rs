//! The rows of a Parquet file.

use super::cells::Column;
use super::column::{Wrong, rows};
use super::columns::Columns;
use super::kind::Kind;
use super::pages::pages;
use super::shared::Shared;
use super::text::Format;
use crate::failure::Failure;
use parquet::basic::{Compression, Repetition};
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor};
use rayon::prelude::*;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};

/// Rows that are read of a column at once.
const ROWS: usize = 1 << 12;

/// How every Parquet file begins and ends.
const MAGIC: &[u8; 4] = b"PAR1";

/// A file whose groups of rows are read one after the other. Of the file itself the pages that are being read
/// are in memory.
pub(crate) struct File {
    path: PathBuf,
    file: Arc<Shared>,
    reader: SerializedFileReader<Shared>,
    formats: Vec<Format>,
    /// The next group, and the rows of those before.
    next: usize,
    before: u64,
}

impl File {
    /// Opens a file, and reads what it says about its columns.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let failed = |e: std::io::Error| Failure::input(format_args!("{}: {e}", path.display()));
        let file = std::fs::File::open(path).map_err(failed)?;
        admit(path, &file)?;
        let file = Arc::new(Shared::new(file).map_err(failed)?);
        guarded(path, || {
            let reader = SerializedFileReader::new(Shared::clone(&file));
            let reader = reader.map_err(|e| broken(path, &e.to_string()))?;
            let formats = formats(path, reader.metadata().file_metadata().schema_descr())?;
            let (path, file) = (path.to_path_buf(), Arc::clone(&file));
            Ok(Self { path, file, reader, formats, next: 0, before: 0 })
        })
    }

    /// The names of the columns.
    pub(crate) fn names(&self) -> impl Iterator<Item = &[u8]> {
        let schema = self.reader.metadata().file_metadata().schema_descr();
        schema.columns().iter().map(|column| column.name().as_bytes())
    }

    /// What the cells of each column are.
    pub(crate) fn kinds(&self) -> Vec<Kind> {
        self.formats.iter().map(|format| format.kind()).collect()
    }

    /// How many rows the file says that it has, and how many were read.
    pub(crate) fn position(&self) -> (u64, u64) {
        let groups = self.reader.metadata().row_groups();
        let all = groups.iter().fold(0, |rows, group| group.num_rows().saturating_add(rows));
        (u64::try_from(all).unwrap_or(0), self.before)
    }

    /// The next rows: those of as few groups as have so many, or of all that are left. None after the last
    /// group. The threads read a column of a group each.
    pub(crate) fn next(&mut self, rows: usize) -> Result<Option<Columns>, Failure> {
        let Self { path, file, reader, formats, next, before } = self;
        let schema = reader.metadata().file_metadata().schema_descr();
        let mut groups = Vec::new();
        let mut found = 0;
        for metadata in &reader.metadata().row_groups()[*next..] {
            if !groups.is_empty() && found >= rows {
                break;
            }
            let rows = metadata.num_rows();
            let rows = usize::try_from(rows).map_err(|_| broken(path, "a group has less than no row"))?;
            groups.push(Group { path, file, metadata, schema, formats, rows, before: *before });
            *before = before.saturating_add(rows as u64);
            found = found.saturating_add(rows);
        }
        if groups.is_empty() {
            return Ok(None);
        }
        *next += groups.len();
        let names = schema.columns().iter().map(|column| column.name().as_bytes());
        let kinds: Vec<Kind> = formats.iter().map(|format| format.kind()).collect();
        let none = Columns::new(names, &kinds);
        let places = |group| (0..kinds.len()).map(move |column| (group, column));
        let places: Vec<(&Group<'_>, usize)> = groups.iter().flat_map(places).collect();
        let column = |&(group, at): &(&Group<'_>, usize)| {
            guarded(path, || group.column(at, none.columns()[at].empty()))
        };
        let columns = places.par_iter().map(column).collect::<Vec<_>>();
        let mut columns = columns.into_iter();
        let mut all: Option<Columns> = None;
        for group in &groups {
            let columns = columns.by_ref().take(kinds.len()).collect::<Result<Vec<_>, _>>()?;
            let group = Columns::of(columns, group.rows);
            match &mut all {
                Some(all) => all.append(group).map_err(|_| no_memory(path))?,
                None => all = Some(group),
            }
        }
        Ok(all)
    }
}

thread_local! {
    /// Whether a panic of this thread is caught, and is not to be printed.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// The crate is not written for files that are broken on purpose: it may panic. A panic is an error then, and
/// prints nothing. What is read here starts no other threads.
fn guarded<T>(path: &Path, read: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let hook = take_hook();
        set_hook(Box::new(move |panic| {
            if !GUARDED.get() {
                hook(panic);
            }
        }));
    });
    let before = GUARDED.replace(true);
    let read = catch_unwind(AssertUnwindSafe(read));
    GUARDED.set(before);
    read.unwrap_or_else(|_| Err(Failure::input(format_args!("{}: broken Parquet data", path.display()))))
}

/// The failure for a file whose rows do not fit in memory.
pub(crate) fn no_memory(path: &Path) -> Failure {
    Failure::input(format_args!("{}: there is no memory for its rows", path.display()))
}

/// Checks that the file may be Parquet.
fn admit(path: &Path, mut file: &std::fs::File) -> Result<(), Failure> {
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
    /// Appends the cells of a column to one without rows.
    fn column(&self, at: usize, mut to: Column) -> Result<Column, Failure> {
        let Self { path, schema, .. } = *self;
        let descr = &schema.columns()[at];
        let name = descr.name();
        let Some(chunk) = self.metadata.columns().get(at) else {
            return Err(in_column(path, (at, name), "a group does not have it"));
        };
        check_packing(path, (at, name), chunk.compression())?;
        let pages = pages(self.file, chunk, self.rows).map_err(|e| broken(path, &e.to_string()))?;
        to.reserve(self.rows).map_err(|_| no_memory(path))?;
        let mut values = rows(descr, pages, self.formats[at]);
        let mut done = 0;
        while done < self.rows {
            let batch = (self.rows - done).min(ROWS);
            values.read(batch, &mut to).map_err(|wrong| {
                let what = match wrong {
                    Wrong::Broken(error) => error.to_string(),
                    Wrong::Short => "it has fewer rows than the file".into(),
                    Wrong::Cell(row, what) => {
                        format!("row {} has {what}", self.before + (done + row) as u64 + 1)
                    }
                };
                in_column(path, (at, name), &what)
            })?;
            done += batch;
        }
        Ok(to)
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
