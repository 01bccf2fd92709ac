//! The bytes of a file, packed or not, and the progress of reading it.

use crate::failure::Failure;
use crate::packed::Packing;
use crate::packed::blocks::{self, Blocks};
use crate::packed::gzip::Members;
use crate::packed::zstd::Frames;
use std::cell::Cell;
use std::fmt::Display;
use std::fs::File;
use std::io::{BufReader, Cursor, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use warpproof::files::{Letters, SequenceFile};

/// Bytes read at once.
const PIECE: usize = 1 << 18;

/// Letters per byte of a packed file, for an estimate: sequences take about two bits a letter there.
const PACKED: u64 = 4;

/// A file of sequences: plain, gzip of one member or many, or zstd.
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
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.read.set(self.read.get() + read as u64);
        Ok(read)
    }
}

impl Input {
    /// Opens a file. Its first bytes tell how it is packed, not its name.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|e| Failure::input(format_args!("{name}: {e}")))?;
        Self::new(name, file)
    }

    fn new(name: String, file: impl Read + 'static) -> Result<Self, Failure> {
        let read = Rc::new(Cell::new(0));
        let mut file = Counted { inner: file, read: Rc::clone(&read) };
        // One read may bring a single byte from a pipe.
        let mut first = Vec::new();
        let begun = file.by_ref().take(blocks::HEADER as u64).read_to_end(&mut first);
        begun.map_err(|e| Failure::input(format_args!("{name}: byte {}: {e}", read.get())))?;
        let (packing, is_block) = (Packing::at(&first), blocks::block(&first).is_some());
        let file = Cursor::new(first).chain(BufReader::with_capacity(PIECE, file));
        let bytes: Box<dyn Read> = match packing {
            Packing::None => Box::new(file),
            Packing::Gzip if is_block => Box::new(Blocks::new(file)),
            Packing::Gzip => Box::new(Members::new(file)),
            Packing::Zstd => Box::new(Frames::new(file)),
        };
        Ok(Self { name, bytes, packing, read })
    }

    /// Reads the file to its end, in pieces, and passes its letters to `to`. After each piece `step` gets the
    /// number of bytes read. Memory is that of a piece.
    pub(crate) fn read<L: Letters>(
        mut self,
        to: &mut L,
        mut step: impl FnMut(&mut L, u64) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut file = SequenceFile::new();
        let mut piece = vec![0; PIECE];
        loop {
            match self.bytes.read(&mut piece) {
                Ok(0) => break,
                Ok(read) => file.push(&piece[..read], to).map_err(|e| self.malformed(e))?,
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                Err(e) => return Err(self.broken(&e)),
            }
            step(to, self.read.get())?;
        }
        file.finish(to).map_err(|e| self.malformed(e))?;
        step(to, self.read.get())
    }

    fn malformed(&self, error: impl Display) -> Failure {
        Failure::input(format_args!("{}:{error}", self.name))
    }

    fn broken(&self, error: &std::io::Error) -> Failure {
        let (name, read) = (&self.name, self.read.get());
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

/// Bytes of all files, and about how many letters they hold; a device or a pipe counts as nothing. A missing
/// file is an error before any file is read.
pub(crate) fn sizes(paths: &[PathBuf]) -> Result<(u64, u64), Failure> {
    let mut sizes = (0, 0);
    for path in paths {
        let failed = |e| Failure::input(format_args!("{}: {e}", path.display()));
        let (bytes, letters) = size(path).map_err(failed)?;
        sizes = (sizes.0 + bytes, sizes.1 + letters);
    }
    Ok(sizes)
}

fn size(path: &Path) -> std::io::Result<(u64, u64)> {
    let found = std::fs::metadata(path)?;
    if found.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if !found.is_file() {
        return Ok((0, 0));
    }
    let mut first = Vec::new();
    File::open(path)?.take(blocks::HEADER as u64).read_to_end(&mut first)?;
    let packed = Packing::at(&first) != Packing::None;
    Ok((found.len(), found.len().saturating_mul(if packed { PACKED } else { 1 })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    /// Ends in an error after its bytes.
    struct Broken(Cursor<Vec<u8>>);

    impl Read for Broken {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(ErrorKind::TimedOut.into()),
                read => Ok(read),
            }
        }
    }

    /// Counts letters.
    struct All(u64);

    impl Letters for All {
        fn letters(&mut self, piece: &[u8]) {
            self.0 += piece.len() as u64;
        }
        fn end(&mut self) {}
    }

    #[test]
    fn an_error_of_a_read_is_not_the_end_of_the_file() {
        let file = b">a\nACGT\n>b\nAC\n";
        for cut in 2..=file.len() {
            let input = Input::new("file".into(), Broken(Cursor::new(file[..cut].to_vec())));
            let read = input.and_then(|input| input.read(&mut All(0), |_, _| Ok(())));
            let Err(Failure::Input(said)) = read else {
                panic!("{cut} bytes count as the file");
            };
            assert_eq!(said, format!("file: byte {cut}: timed out"));
        }
    }

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
            input.bytes.read_to_string(&mut out).unwrap();
            assert!(">a\nACGT\n".starts_with(&out) && (out.len() == 8 || !gzip), "{out:?}");
            assert_eq!(input.read.get(), len, "all bytes are counted");
        }
    }
}
