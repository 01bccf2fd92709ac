//! The bytes of a file, packed or not, and the progress of reading it.

use super::Packing;
use super::blocks::{self, Blocks};
use super::gzip::Members;
use super::zstd::Frames;
use crate::failure::Failure;
use std::cell::Cell;
use std::fmt::Display;
use std::fs::File;
use std::io::{BufReader, Cursor, ErrorKind, Read, Result};
use std::path::Path;
use std::rc::Rc;

/// Bytes read at once.
const PIECE: usize = 1 << 18;

/// A file: plain, gzip of one member or many, or zstd. What is read of it is unpacked.
pub(crate) struct Input {
    name: String,
    bytes: Box<dyn Read>,
    packing: Packing,
    /// Bytes of the file itself that were read.
    read: Rc<Cell<u64>>,
}

/// Counts the bytes that are read through it.
struct Counted<R> {
    inner: R,
    read: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let read = self.inner.read(buffer)?;
        self.read.set(self.read.get() + read as u64);
        Ok(read)
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        self.bytes.read(buffer)
    }

    fn read_to_end(&mut self, to: &mut Vec<u8>) -> Result<usize> {
        self.bytes.read_to_end(to)
    }
}

impl Input {
    /// Opens a file. Its first bytes tell how it is packed, not its name.
    pub(crate) fn open(path: &Path) -> std::result::Result<Self, Failure> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|e| Failure::input(format_args!("{name}: {e}")))?;
        Self::new(name, file)
    }

    /// An input with this name in errors.
    pub(crate) fn new(name: String, file: impl Read + 'static) -> std::result::Result<Self, Failure> {
        let read = Rc::new(Cell::new(0));
        let mut file = Counted { inner: file, read: Rc::clone(&read) };
        // One read may bring a single byte from a pipe.
        let mut first = Vec::new();
        let begun = file.by_ref().take(blocks::HEADER as u64).read_to_end(&mut first);
        let (packing, is_block) = (Packing::at(&first), blocks::block(&first).is_some());
        let file = Cursor::new(first).chain(BufReader::with_capacity(PIECE, file));
        let bytes: Box<dyn Read> = match packing {
            Packing::None => Box::new(file),
            Packing::Gzip if is_block => Box::new(Blocks::new(file)),
            Packing::Gzip => Box::new(Members::new(file)),
            Packing::Zstd => Box::new(Frames::new(file)),
        };
        let input = Self { name, bytes, packing, read };
        begun.map_err(|error| input.broken(&error))?;
        Ok(input)
    }

    /// How many bytes of the file itself were read.
    pub(crate) fn position(&self) -> u64 {
        self.read.get()
    }

    /// The failure for this file, if its unpacked bytes are malformed.
    pub(crate) fn malformed(&self, error: &impl Display) -> Failure {
        Failure::input(format_args!("{}:{error}", self.name))
    }

    /// The failure for this file, if reading has failed.
    pub(crate) fn broken(&self, error: &std::io::Error) -> Failure {
        let (name, read) = (&self.name, self.position());
        let packing = match self.packing {
            Packing::None => return Failure::input(format_args!("{name}: byte {read}: {error}")),
            Packing::Gzip => "gzip",
            Packing::Zstd => "zstd",
        };
        let what = match error.kind() {
            ErrorKind::UnexpectedEof => "it is cut off".to_owned(),
            _ => error.to_string(),
        };
        Failure::input(format_args!(
            "{name}: broken {packing} data, found when {read} bytes were read: {what}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    /// Returns one byte at a time.
    struct Slow(Cursor<Vec<u8>>);

    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let one = buffer.len().min(1);
            self.0.read(&mut buffer[..one])
        }
    }

    #[test]
    fn gzip_is_recognised_however_it_comes() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(b">a\nACGT\n").unwrap();
        let packed = encoder.finish().unwrap();
        for (bytes, gzip) in
            [(packed, true), (b">a\nACGT\n".to_vec(), false), (b">".to_vec(), false), (Vec::new(), false)]
        {
            let len = bytes.len() as u64;
            let mut input = Input::new("slow".into(), Slow(Cursor::new(bytes))).unwrap();
            assert_eq!(input.packing == Packing::Gzip, gzip);
            let mut out = String::new();
            input.read_to_string(&mut out).unwrap();
            assert!(">a\nACGT\n".starts_with(&out) && (out.len() == 8 || !gzip), "{out:?}");
            assert_eq!(input.position(), len, "all bytes are counted");
        }
    }
}
