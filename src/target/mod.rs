//! Output for rows of text: a file that is written whole or not at all, or stdout.

mod block;
mod lines;
mod packed;
mod sink;
mod stdout;
mod unfinished;

pub(crate) use block::Block;
pub(crate) use lines::Lines;
pub(crate) use stdout::stdout;

use crate::failure::Failure;
use crate::packed::Packing;
use crate::parquet::{self, Kind};
use packed::Packed;
use sink::Sink;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Bytes written at once.
const BUFFER: usize = 1 << 20;

/// Writes rows.
pub(crate) struct Target {
    rows: Rows,
    name: String,
}

/// Rows as text, or as Parquet.
enum Rows {
    /// The lines that were not written yet.
    Text(Lines, Packed),
    Parquet(Box<parquet::Writer<BufWriter<Sink>>>),
}

impl Target {
    /// Opens `path`, or stdout, for rows with `delimiter` between their cells. A path that ends in `.gz` or
    /// `.zst` is packed.
    pub(crate) fn open(path: Option<&Path>, delimiter: u8) -> Result<Self, Failure> {
        let name = path.map_or_else(|| "stdout".to_owned(), |p| p.display().to_string());
        let sink = Sink::open(path).map_err(|e| Failure::write(&name, &e))?;
        let packing = path.map_or(Packing::None, |path| Packing::of(path).0);
        Ok(Self::to(Packed::new(sink, packing), name, delimiter))
    }

    fn to(sink: Packed, name: String, delimiter: u8) -> Self {
        Self { rows: Rows::Text(Lines::new(delimiter), sink), name }
    }

    /// Opens a file of Parquet with columns of these names.
    pub(crate) fn parquet<'a>(
        path: &Path,
        names: impl Iterator<Item = &'a [u8]>,
        kinds: &[Kind],
    ) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let failed = |e: std::io::Error| Failure::write(&name, &e);
        let buffer = BufWriter::with_capacity(BUFFER, Sink::open(Some(path)).map_err(failed)?);
        let writer = parquet::Writer::new(buffer, names, kinds).map_err(failed)?;
        Ok(Self { rows: Rows::Parquet(Box::new(writer)), name })
    }

    /// Opens `path` to append rows to it. If there is no such file, it is made with the columns `header`. It
    /// is replaced when all rows are written.
    ///
    /// # Errors
    /// If the file has other columns, or a line with more or fewer cells.
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
            return Err(failed(&format_args!("line 1: the columns must be {}", header.join(","))));
        }
        rows.byte_records().try_for_each(|row| row.map(drop)).map_err(|e| failed(&e))?;
        let mut sink = Sink::open(Some(path)).map_err(|e| failed(&e))?;
        sink.write_all(&before).map_err(|e| Failure::write(path.display(), &e))?;
        Ok(Self::to(Packed::new(sink, Packing::None), path.display().to_string(), b','))
    }

    /// Checks that `path` can be written, before the work that leads there: makes a file beside it and
    /// removes it again. Does not touch a device or a pipe.
    pub(crate) fn admit(path: &Path) -> Result<(), Failure> {
        Sink::admit(path).map_err(|e| Failure::input(format_args!("{}: {e}", path.display())))
    }

    /// Writes a row.
    pub(crate) fn row<'a>(&mut self, cells: impl Iterator<Item = &'a [u8]>) -> Result<(), Failure> {
        let written = match &mut self.rows {
            Rows::Text(lines, sink) => {
                lines.row(cells);
                if lines.bytes().len() < BUFFER { Ok(()) } else { write(lines, sink) }
            }
            Rows::Parquet(writer) => writer.row(cells),
        };
        written.map_err(|e| Failure::write(&self.name, &e))
    }

    /// No rows, to be filled by any thread and then [appended](Self::extend).
    pub(crate) fn block(&self) -> Block {
        match &self.rows {
            Rows::Text(lines, _) => Block::Lines(lines.empty()),
            Rows::Parquet(writer) => Block::Columns(writer.columns().empty()),
        }
    }

    /// Writes the rows of a [`block`](Self::block) of this output, after what was written before.
    pub(crate) fn extend(&mut self, block: Block) -> Result<(), Failure> {
        let written = match (&mut self.rows, block) {
            (Rows::Text(lines, sink), Block::Lines(mut more)) => {
                write(lines, sink).and_then(|()| write(&mut more, sink))
            }
            (Rows::Parquet(writer), Block::Columns(more)) => writer.append(more),
            _ => Err(std::io::Error::other("these rows are of an output of another kind")),
        };
        written.map_err(|e| Failure::write(&self.name, &e))
    }

    /// The failure to write a cell or a row.
    pub(crate) fn failed(&self, error: &std::io::Error) -> Failure {
        Failure::write(&self.name, error)
    }

    /// Ends the output: the file takes its name.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let Self { rows, name } = self;
        let failed = |e: std::io::Error| Failure::write(&name, &e);
        match rows {
            Rows::Text(mut lines, mut sink) => {
                write(&mut lines, &mut sink).and_then(|()| sink.finish()).map_err(failed)
            }
            Rows::Parquet(writer) => {
                let buffer = writer.finish().map_err(failed)?;
                buffer.into_inner().map_err(|e| failed(e.into_error()))?.finish().map_err(failed)
            }
        }
    }
}

/// Writes the lines, and forgets them.
fn write(lines: &mut Lines, sink: &mut Packed) -> std::io::Result<()> {
    sink.write_all(lines.bytes())?;
    lines.clear();
    Ok(())
}

/// Writes bytes to a path: the file takes its name when it is whole.
pub(crate) struct Bytes {
    sink: Packed,
    name: String,
}

impl Bytes {
    /// Opens `path`. One that ends in `.gz` or `.zst` is packed.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let sink = Sink::open(Some(path)).map_err(|e| Failure::write(&name, &e))?;
        Ok(Self { sink: Packed::new(sink, Packing::of(path).0), name })
    }

    /// Writes all of these, without a buffer.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.sink.write_all(bytes).map_err(|e| Failure::write(&self.name, &e))
    }

    /// Ends the output: the file takes its name.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        self.sink.finish().map_err(|e| Failure::write(&self.name, &e))
    }
}

/// Writes a text to `path`, whole or not at all.
pub(crate) fn write_whole(path: &Path, text: &str) -> Result<(), Failure> {
    let mut target = Bytes::open(path)?;
    target.write(text.as_bytes())?;
    target.finish()
}
