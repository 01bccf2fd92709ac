//! A file that several threads read.

use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

/// A file of which each reader has a position of its own. The crate's readers of one [`File`] share one.
#[derive(Clone)]
pub(super) struct Shared {
    file: Arc<Mutex<File>>,
    len: u64,
}

impl Shared {
    pub(super) fn new(file: File) -> std::io::Result<Self> {
        let len = file.metadata()?.len();
        Ok(Self { file: Arc::new(Mutex::new(file)), len })
    }
}

impl Length for Shared {
    fn len(&self) -> u64 {
        self.len
    }
}

impl ChunkReader for Shared {
    type T = BufReader<Position>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(BufReader::new(Position { file: Arc::clone(&self.file), at: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let mut bytes = Vec::new();
        self.get_read(start)?.into_inner().take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() < length {
            return Err(ParquetError::EOF(format!("{length} bytes from {start} on are not there")));
        }
        Ok(bytes.into())
    }
}

/// A position in a file.
pub(super) struct Position {
    file: Arc<Mutex<File>>,
    at: u64,
}

impl Read for Position {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.at))?;
        let read = file.read(to)?;
        self.at += read as u64;
        Ok(read)
    }
}
