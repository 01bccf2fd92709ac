//! Where rows of text go: a file that is written whole or not at all, or stdout.

use crate::failure::Failure;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Bytes written at once.
const BUFFER: usize = 1 << 20;

/// Writes rows.
pub(crate) struct Target {
    csv: csv::Writer<BufWriter<Sink>>,
    name: String,
}

enum Sink {
    /// Takes its name when it is whole.
    File { file: NamedTempFile, path: PathBuf },
    /// Not a file: a device or a pipe has no name to take.
    Stream(Box<dyn Write>),
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::File { file, .. } => file.write(bytes),
            Self::Stream(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::File { file, .. } => file.flush(),
            Self::Stream(stream) => stream.flush(),
        }
    }
}

impl Target {
    /// Rows go to `path`, or to stdout, with `delimiter` between their cells.
    pub(crate) fn open(path: Option<&Path>, delimiter: u8) -> Result<Self, Failure> {
        let name = path.map_or_else(|| "stdout".to_owned(), |p| p.display().to_string());
        let sink = match path {
            None => Sink::Stream(Box::new(std::io::stdout())),
            Some(path) => open(path).map_err(|e| Failure::input(format_args!("{name}: {e}")))?,
        };
        Ok(Self::to(sink, name, delimiter))
    }

    fn to(sink: Sink, name: String, delimiter: u8) -> Self {
        let buffer = BufWriter::with_capacity(BUFFER, sink);
        Self { csv: csv::WriterBuilder::new().delimiter(delimiter).from_writer(buffer), name }
    }

    /// Rows go after those of `path`, a file of the columns `header` that is made if there is none. It is
    /// replaced when all are written.
    ///
    /// # Errors
    /// If it has other columns, or a line that has more or fewer.
    pub(crate) fn append(path: &Path, header: &[&str]) -> Result<Self, Failure> {
        let failed = |e: &dyn std::fmt::Display| Failure::input(format_args!("{}: {e}", path.display()));
        let mut before = match std::fs::read(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            read => read.map_err(|e| failed(&e))?,
        };
        if before.is_empty() {
            before = header.join(",").into_bytes();
        }
        if before.last() != Some(&b'\n') {
            before.push(b'\n');
        }
        let mut rows = csv::Reader::from_reader(&before[..]);
        if rows.headers().map_err(|e| failed(&e))?.iter().ne(header.iter().copied()) {
            return Err(failed(&format_args!("line 1: the columns are not {}", header.join(","))));
        }
        rows.byte_records().try_for_each(|row| row.map(drop)).map_err(|e| failed(&e))?;
        let mut sink = open(path).map_err(|e| failed(&e))?;
        sink.write_all(&before).map_err(|e| Failure::write(path.display(), &e))?;
        Ok(Self::to(sink, path.display().to_string(), b','))
    }

    /// Whether `path` can be written is known before the work that leads there: a file is made beside it and
    /// taken away again. A device or a pipe is left alone.
    pub(crate) fn admit(path: &Path) -> Result<(), Failure> {
        let admitted = place(path).and_then(|place| match place {
            Place::File(path) => beside(&path).map(drop),
            Place::Stream(_) => Ok(()),
        });
        admitted.map_err(|e| Failure::input(format_args!("{}: {e}", path.display())))
    }

    /// Writes a row.
    pub(crate) fn row<'a>(&mut self, cells: impl Iterator<Item = &'a [u8]>) -> Result<(), Failure> {
        let wrote = self.csv.write_record(cells);
        wrote.map_err(|e| self.failed(e))
    }

    /// All rows are written: the file takes its name.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let Self { csv, name } = self;
        let failed = |e: std::io::Error| Failure::write(&name, &e);
        let buffer = csv.into_inner().map_err(|e| failed(e.into_error()))?;
        match buffer.into_inner().map_err(|e| failed(e.into_error()))? {
            Sink::Stream(mut stream) => stream.flush().map_err(failed),
            Sink::File { file, path } => {
                file.as_file().sync_all().map_err(failed)?;
                file.persist(path).map_err(|e| failed(e.error))?;
                Ok(())
            }
        }
    }

    fn failed(&self, error: csv::Error) -> Failure {
        let text = error.to_string();
        match error.into_kind() {
            csv::ErrorKind::Io(error) => Failure::write(&self.name, &error),
            _ => Failure::input(format_args!("{}: {text}", self.name)),
        }
    }
}

/// What `path` is.
enum Place {
    /// A file, there or not, with its links followed.
    File(PathBuf),
    /// A device or a pipe.
    Stream(PathBuf),
}

fn place(path: &Path) -> std::io::Result<Place> {
    // A link stays a link: what it leads to is replaced.
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    match std::fs::metadata(&path) {
        Ok(found) if found.is_dir() => Err(std::io::ErrorKind::IsADirectory.into()),
        Ok(found) if !found.is_file() => Ok(Place::Stream(path)),
        Ok(_) | Err(_) => Ok(Place::File(path)),
    }
}

/// A new file beside `path`, or, if that is there and no regular file, `path` itself.
fn open(path: &Path) -> std::io::Result<Sink> {
    match place(path)? {
        Place::File(path) => Ok(Sink::File { file: beside(&path)?, path }),
        Place::Stream(path) => Ok(Sink::Stream(Box::new(File::options().write(true).open(path)?))),
    }
}

/// A new file without a name to keep, in the folder of `path`.
fn beside(path: &Path) -> std::io::Result<NamedTempFile> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".warpproof-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As for any new file: the user's mask decides.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}
