//! Bytes in numbered parts, in memory up to a limit and in a temporary file beyond it.

use crate::failure::Failure;
use parking_lot::Mutex;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Bytes in numbered parts. Threads append to it; when all have, each part is taken once.
pub(super) struct Spill {
    parts: Mutex<Parts>,
    /// The most bytes in memory.
    limit: usize,
    /// Where the file is.
    folder: PathBuf,
}

struct Parts {
    parts: Vec<Part>,
    /// Bytes in memory.
    held: usize,
    /// It has no name, so it goes when the program ends, however that comes about.
    file: Option<File>,
    /// The length of the file.
    end: u64,
}

#[derive(Default)]
struct Part {
    held: Vec<u8>,
    /// Begins and lengths of its pieces in the file.
    written: Vec<(u64, usize)>,
}

impl Spill {
    /// So many empty parts. More than `limit` bytes go to a file in `folder`.
    pub(super) fn new(parts: usize, limit: usize, folder: PathBuf) -> Self {
        let parts = (0..parts).map(|_| Part::default()).collect();
        Self { parts: Mutex::new(Parts { parts, held: 0, file: None, end: 0 }), limit, folder }
    }

    /// Moves the bytes of `parts` to the parts of these numbers.
    ///
    /// # Errors
    /// There is no memory; the file cannot be written.
    pub(super) fn append(&self, parts: &mut [Vec<u8>]) -> Result<(), Failure> {
        let mut all = self.parts.lock();
        for (part, bytes) in all.parts.iter_mut().zip(&mut *parts) {
            part.held.try_reserve(bytes.len()).map_err(|_| no_memory(bytes.len()))?;
            part.held.extend_from_slice(bytes);
        }
        all.held += parts.iter().map(Vec::len).sum::<usize>();
        parts.iter_mut().for_each(Vec::clear);
        if all.held > self.limit { all.write(&self.folder) } else { Ok(()) }
    }

    /// The bytes of a part, which is empty then.
    ///
    /// # Errors
    /// There is no memory; the file cannot be read.
    pub(super) fn take(&self, part: usize) -> Result<Vec<u8>, Failure> {
        let mut all = self.parts.lock();
        let Part { held, written } = std::mem::take(&mut all.parts[part]);
        all.held -= held.len();
        let Some(file) = all.file.as_mut().filter(|_| !written.is_empty()) else { return Ok(held) };
        let len = written.iter().map(|&(_, len)| len).sum::<usize>() + held.len();
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(len).map_err(|_| no_memory(len))?;
        for (begin, len) in written {
            let before = bytes.len();
            bytes.resize(before + len, 0);
            let read = file.seek(SeekFrom::Start(begin)).and_then(|_| file.read_exact(&mut bytes[before..]));
            read.map_err(|e| self.failed("read", &e))?;
        }
        bytes.extend_from_slice(&held);
        Ok(bytes)
    }

    fn failed(&self, what: &str, error: &std::io::Error) -> Failure {
        failed(&self.folder, what, error)
    }
}

impl Parts {
    /// Writes what is in memory to the file.
    fn write(&mut self, folder: &Path) -> Result<(), Failure> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile_in(folder).map_err(|e| failed(folder, "make", &e))?),
        };
        for part in self.parts.iter_mut().filter(|part| !part.held.is_empty()) {
            file.write_all(&part.held).map_err(|e| failed(folder, "write", &e))?;
            part.written.push((self.end, part.held.len()));
            self.end += part.held.len() as u64;
            part.held.clear();
        }
        self.held = 0;
        Ok(())
    }
}

fn failed(folder: &Path, what: &str, error: &std::io::Error) -> Failure {
    Failure::input(format_args!("{}: cannot {what} a temporary file: {error}", folder.display()))
}

fn no_memory(bytes: usize) -> Failure {
    Failure::input(format_args!("out of memory for {bytes} bytes of k-mers"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_what_was_appended_with_and_without_a_file() {
        for limit in [0, 1, 10, 1000] {
            let spill = Spill::new(3, limit, std::env::temp_dir());
            for byte in 0..20 {
                let mut parts = [vec![byte; 2], vec![], vec![byte]];
                spill.append(&mut parts).unwrap();
                assert!(parts.iter().all(Vec::is_empty));
                assert!(spill.parts.lock().held <= limit);
            }
            assert_eq!(spill.parts.lock().file.is_some(), limit < 60);
            assert!(spill.take(0).unwrap().into_iter().eq((0..20).flat_map(|byte| [byte; 2])));
            assert_eq!(spill.take(1).unwrap(), Vec::<u8>::new());
            assert!(spill.take(2).unwrap().into_iter().eq(0..20));
            assert_eq!(spill.take(2).unwrap(), Vec::<u8>::new());
        }
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let spill = Spill::new(1, 0, "no/such/folder".into());
        let Err(Failure::Input(said)) = spill.append(&mut [vec![1]]) else { panic!("no error") };
        assert!(said.starts_with("no/such/folder: cannot make a temporary file: "), "{said}");
    }
}
