//! Output that may be packed.

use super::sink::Sink;
use crate::packed::Packing;
use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::{Result, Write};

/// Bytes of a frame of zstd data, before they are packed.
const FRAME: usize = 1 << 22;

/// An output, packed or not.
pub(super) enum Packed {
    Plain(Sink),
    Gzip(Box<GzEncoder<Sink>>),
    /// The data of frames, and of the next one.
    Zstd(Sink, Vec<u8>),
}

impl Packed {
    pub(super) fn new(sink: Sink, packing: Packing) -> Self {
        match packing {
            Packing::None => Self::Plain(sink),
            Packing::Gzip => Self::Gzip(Box::new(GzEncoder::new(sink, Compression::default()))),
            Packing::Zstd => Self::Zstd(sink, Vec::new()),
        }
    }

    /// Ends the packed data, and the output.
    pub(super) fn finish(self) -> Result<()> {
        match self {
            Self::Plain(sink) => sink.finish(),
            Self::Gzip(encoder) => encoder.finish()?.finish(),
            Self::Zstd(mut sink, data) => {
                sink.write_all(&frame(&data))?;
                sink.finish()
            }
        }
    }
}

impl Write for Packed {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        match self {
            Self::Plain(sink) => sink.write(bytes),
            Self::Gzip(encoder) => encoder.write(bytes),
            Self::Zstd(sink, data) => {
                data.extend_from_slice(bytes);
                if data.len() >= FRAME {
                    sink.write_all(&frame(data))?;
                    data.clear();
                }
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> Result<()> {
        match self {
            Self::Plain(sink) => sink.flush(),
            Self::Gzip(encoder) => encoder.flush(),
            // A frame that is not full is written at the end.
            Self::Zstd(sink, _) => sink.flush(),
        }
    }
}

fn frame(data: &[u8]) -> Vec<u8> {
    compress_to_vec(data, CompressionLevel::Fastest)
}
