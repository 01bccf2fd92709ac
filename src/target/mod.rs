//! Output for rows of text: a file that is written whole or not at all, or stdout.

mod block;
mod lines;
mod packed;
mod sink;
mod stdout;
mod unfinished;
mod writer;

pub(crate) use block::Block;
pub(crate) use lines::Lines;
pub(crate) use stdout::stdout;

use crate::failure::Failure;
use crate::packed::Packing;
use crate::parquet::{self, Columns, Kind};
use packed::Packed;
use sink::Sink;
use std::io::{BufWriter, Write};
use std::path::Path;
use writer::{Output, Writer};

/// Bytes written at once.
const BUFFER: usize = 1 << 20;

/// Writes rows.
pub(crate) struct Target {
    writer: Writer,
    /// The rows that were not given to the writer yet.
    rows: Block,
    name: String,
}

impl Target {
    /// Opens `path`, or stdout, for rows with `delimiter` between their cells. A path that ends in `.gz` or
    /// `.zst` is packed.
    pub(crate) fn open(path: Option<&Path>, delimiter: u8) -> Result<Self, Failure> {
        let name = path.map_or_else(|| "stdout".to_owned(), |p| p.display().to_string());
        let sink = Sink::open(path).map_err(|e| Failure::write(&name, &e))?;
        let packing = path.map_or(Packing::None, |path| Packing::of(path).0);
        Self::to(Output::Text(Packed::new(sink, packing)), Block::Lines(Lines::new(delimiter)), name)
    }

    fn to(output: Output, rows: Block, name: String) -> Result<Self, Failure> {
        let writer = Writer::new(output).map_err(|e| Failure::write(&name, &e))?;
        Ok(Self { writer, rows, name })
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
        let columns = Columns::new(names, kinds);
        let writer = parquet::Writer::new(buffer, &columns).map_err(failed)?;
        Self::to(Output::Parquet(Box::new(writer)), Block::Columns(columns), name)
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
        let output = Output::Text(Packed::new(sink, Packing::None));
        Self::to(output, Block::Lines(Lines::new(b',')), path.display().to_string())
    }

    /// Checks that `path` can be written, before the work that leads there: makes a file beside it and
    /// removes it again. Does not touch a device or a pipe.
    pub(crate) fn admit(path: &Path) -> Result<(), Failure> {
        Sink::admit(path).map_err(|e| Failure::input(format_args!("{}: {e}", path.display())))
    }

    /// Writes a row.
    pub(crate) fn row<'a>(&mut self, cells: impl Iterator<Item = &'a [u8]>) -> Result<(), Failure> {
        self.rows.row(cells).map_err(|e| self.failed(&e))?;
        if self.rows.bytes() < BUFFER { Ok(()) } else { self.flush() }
    }

    /// No rows, to be filled by any thread and then [appended](Self::extend).
    pub(crate) fn block(&self) -> Block {
        self.rows.empty()
    }

    /// Writes the rows of a [`block`](Self::block) of this output, after what was written before.
    pub(crate) fn extend(&mut self, block: Block) -> Result<(), Failure> {
        if block.bytes() == 0 {
            return Ok(());
        }
        self.flush()?;
        self.writer.write(block).map_err(|e| self.failed(&e))
    }

    /// The failure to write a cell or a row.
    pub(crate) fn failed(&self, error: &std::io::Error) -> Failure {
        Failure::write(&self.name, error)
    }

    /// Ends the output: the file takes its name.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        self.flush()?;
        let Self { writer, name, .. } = self;
        writer.finish().map_err(|e| Failure::write(&name, &e))
    }

    fn flush(&mut self) -> Result<(), Failure> {
        if self.rows.bytes() == 0 {
            return Ok(());
        }
        let none = self.rows.empty();
        let rows = std::mem::replace(&mut self.rows, none);
        self.writer.write(rows).map_err(|e| self.failed(&e))
    }
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
