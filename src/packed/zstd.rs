//! The data of zstd: frames one after the other, some of which are to be skipped.

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{BufRead, Error, ErrorKind, Read, Result, copy, sink};

/// How every frame begins, and the frames to be skipped: one of 16 bytes, and then these.
const FRAME: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
const SKIPPED: [u8; 3] = [0x2a, 0x4d, 0x18];

/// Whether a file that begins with these bytes, four or more, is zstd.
pub(super) fn is_zstd(bytes: &[u8]) -> bool {
    let skipped = bytes.first().is_some_and(|first| first >> 4 == 5) && bytes[1..].starts_with(&SKIPPED);
    bytes.starts_with(&FRAME) || skipped
}

/// The data of the frames of a file, one after the other. Memory is that of a frame's window.
pub(crate) struct Frames<R> {
    file: R,
    decoder: FrameDecoder,
    /// Whether a frame was begun.
    inside: bool,
}

impl<R: BufRead> Frames<R> {
    /// The frames of this file, from its first byte on.
    pub(crate) fn new(file: R) -> Self {
        Self { file, decoder: FrameDecoder::new(), inside: false }
    }

    /// Begins the next frame. Returns whether there is one.
    fn next(&mut self) -> Result<bool> {
        loop {
            if self.file.fill_buf()?.is_empty() {
                return Ok(false);
            }
            match self.decoder.init(&mut self.file) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let length = u64::from(length);
                    if copy(&mut self.file.by_ref().take(length), &mut sink())? < length {
                        return Err(ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(broken(error)),
            }
        }
    }

    /// Checks the sum of the frame that was read to its end.
    fn check(&self) -> Result<()> {
        let sum = self.decoder.get_checksum_from_data();
        if sum.is_some() && sum != self.decoder.get_calculated_checksum() {
            return Err(broken("its checksum is wrong"));
        }
        Ok(())
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.inside {
                self.inside = self.next()?;
                if !self.inside {
                    return Ok(0);
                }
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&mut self.file, one).map_err(broken)?;
            }
            let read = self.decoder.read(buffer)?;
            if read > 0 {
                return Ok(read);
            }
            self.check()?;
            self.inside = false;
        }
    }
}

fn broken(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::new(ErrorKind::InvalidData, error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use std::io::BufReader;

    /// Unpacks a file that is read `piece` bytes at a time.
    fn read(file: &[u8], piece: usize) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        Frames::new(BufReader::with_capacity(piece, file)).read_to_end(&mut out).map(|_| out)
    }

    #[test]
    fn frames_are_read_and_others_skipped() {
        let data: Vec<u8> = (0..300_000u32).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
        let frame = compress_to_vec(&data[..], CompressionLevel::Fastest);
        let skipped = [0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3];
        let none = compress_to_vec(&[][..], CompressionLevel::Fastest);
        let file = [&skipped[..], &frame, &none, &skipped, &skipped, &frame, &skipped].concat();
        for piece in [1, 7, 1 << 16] {
            assert!(read(&file, piece).expect("whole") == [&data[..], &data].concat(), "{piece}");
            for cut in [1, skipped.len() - 1, skipped.len() + 2, skipped.len() + 1000, file.len() - 2] {
                assert!(read(&file[..cut], piece).is_err(), "{cut}");
            }
        }
        let mut wrong = frame.clone();
        *wrong.last_mut().expect("bytes") ^= 1;
        assert!(read(&wrong, 4096).unwrap_err().to_string().contains("checksum"));
        assert!(is_zstd(&frame) && is_zstd(&skipped) && !is_zstd(b"\x28") && !is_zstd(b"") && !is_zstd(b"P"));
    }
}
