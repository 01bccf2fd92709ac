//! Packed files: gzip and zstd.

pub(crate) mod gzip;

use crate::failure::Failure;
use gzip::{GZIP, Members};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use std::io::{BufRead, Error, ErrorKind, Read, Result};
use std::path::Path;

/// How every frame of zstd data begins, and the frames to be skipped: one of 16 bytes, and then these.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
const SKIPPED: [u8; 3] = [0x2a, 0x4d, 0x18];

/// How a file is packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Packing {
    /// Not at all.
    None,
    /// gzip.
    Gzip,
    /// zstd.
    Zstd,
}

impl Packing {
    /// How a file of this name is to be packed, and its name without the suffix that says so.
    pub(crate) fn of(path: &Path) -> (Self, &Path) {
        let suffix = path.extension().map(|suffix| suffix.to_string_lossy().to_lowercase());
        let packing = match suffix.as_deref() {
            Some("gz") => Self::Gzip,
            Some("zst" | "zstd") => Self::Zstd,
            _ => return (Self::None, path),
        };
        (packing, path.file_stem().map_or(path, Path::new))
    }

    /// How a file that begins with these bytes is packed.
    fn at(bytes: &[u8]) -> Self {
        if bytes.starts_with(&GZIP) {
            return Self::Gzip;
        }
        let skipped = bytes.first().is_some_and(|first| first >> 4 == 5) && bytes[1..].starts_with(&SKIPPED);
        if bytes.starts_with(&ZSTD) || skipped { Self::Zstd } else { Self::None }
    }
}

/// What is between the cells of a file of this name: a tab if it ends in .tsv or .tab, else a comma.
pub(crate) fn delimiter(path: &Path) -> u8 {
    let (_, path) = Packing::of(path);
    let suffix = path.extension().map(|suffix| suffix.to_string_lossy().to_lowercase());
    if matches!(suffix.as_deref(), Some("tsv" | "tab")) { b'\t' } else { b',' }
}

/// All bytes of a file, unpacked. Its first bytes tell how it is packed, not its name.
pub(crate) fn read(path: &Path) -> std::result::Result<Vec<u8>, Failure> {
    let bytes = std::fs::read(path).map_err(|e| Failure::input(format_args!("{}: {e}", path.display())))?;
    let (what, unpacked) = match Packing::at(&bytes) {
        Packing::None => return Ok(bytes),
        Packing::Gzip => ("gzip", all(Members::new(&bytes[..]))),
        Packing::Zstd => {
            let mut out = Vec::new();
            ("zstd", frames(&bytes, usize::MAX, &mut out).map(|()| out))
        }
    };
    unpacked.map_err(|e| {
        let why = if e.kind() == ErrorKind::UnexpectedEof { "it is cut off".into() } else { e.to_string() };
        Failure::input(format_args!("{}: broken {what} data: {why}", path.display()))
    })
}

fn all(mut reader: impl Read) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    reader.read_to_end(&mut out)?;
    Ok(out)
}

/// Appends the data of the frames of zstd data, one after the other.
///
/// # Errors
/// The data is broken, or more than `most` bytes.
pub(crate) fn frames(mut rest: &[u8], most: usize, out: &mut Vec<u8>) -> Result<()> {
    let from = out.len();
    while !rest.is_empty() {
        if rest.len() < ZSTD.len() {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let frame = match StreamingDecoder::new_with_decoder(&mut rest, FrameDecoder::new()) {
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length, ..
            })) => {
                if length as usize > rest.len() {
                    return Err(ErrorKind::UnexpectedEof.into());
                }
                rest.consume(length as usize);
                continue;
            }
            frame => frame.map_err(other)?,
        };
        let mut frame = frame;
        let left = (most - (out.len() - from)) as u64;
        frame.by_ref().take(left.saturating_add(1)).read_to_end(out)?;
        if out.len() - from > most {
            return Err(Error::new(ErrorKind::InvalidData, "it has more data than it says"));
        }
        let decoder = frame.into_frame_decoder();
        let sum = decoder.get_checksum_from_data();
        if sum.is_some() && sum != decoder.get_calculated_checksum() {
            return Err(Error::new(ErrorKind::InvalidData, "its checksum is wrong"));
        }
    }
    Ok(())
}

fn other(error: FrameDecoderError) -> Error {
    Error::new(ErrorKind::InvalidData, error)
}
