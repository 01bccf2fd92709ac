//! The letters of files of sequences, and the progress of reading them.

use crate::failure::Failure;
use crate::packed::{Input, Packing, blocks};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use warpproof::files::{Letters, SequenceFile};

/// Bytes read at once.
const PIECE: usize = 1 << 18;

/// Letters per byte of a packed file, for an estimate: sequences take about two bits a letter there.
const PACKED: u64 = 4;

/// Reads a file of sequences to its end, in pieces, and passes its letters to `to`. After each piece `step`
/// gets the number of bytes read. Memory is that of a piece.
pub(crate) fn read<L: Letters>(
    mut input: Input,
    to: &mut L,
    mut step: impl FnMut(&mut L, u64) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut file = SequenceFile::new();
    let mut piece = vec![0; PIECE];
    loop {
        match input.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => file.push(&piece[..read], to).map_err(|e| input.malformed(&e))?,
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(e) => return Err(input.broken(&e)),
        }
        step(to, input.position())?;
    }
    file.finish(to).map_err(|e| input.malformed(&e))?;
    step(to, input.position())
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
    use std::io::Cursor;

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
            let read = input.and_then(|input| super::read(input, &mut All(0), |_, _| Ok(())));
            let Err(Failure::Input(said)) = read else {
                panic!("{cut} bytes count as the file");
            };
            assert_eq!(said, format!("file: byte {cut}: timed out"));
        }
    }
}
