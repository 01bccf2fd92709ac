//! The data of a gzip file of blocks, as bgzip writes it. Each block is a member that says how long it is, so
//! several threads unpack.

use super::gzip::{GZIP, Members};
use flate2::bufread::GzDecoder;
use rayon::prelude::*;
use std::io::{BufRead, Chain, Cursor, Error, ErrorKind, Read, Result};

/// The bytes of a member's header, of a block with no other extra field than its length.
pub(crate) const HEADER: usize = 18;

/// Blocks that are unpacked at once, of at most 64 KiB each.
const BATCH: usize = 64;

/// The number of bytes of the block that begins like this; `None` if it is no block.
pub(crate) fn block(header: &[u8]) -> Option<usize> {
    /// Deflated data, an extra field.
    const KIND: [u8; 2] = [8, 4];
    /// Six bytes of extra field, of the subfield BC with two bytes.
    const EXTRA: [u8; 6] = [6, 0, b'B', b'C', 2, 0];
    let header: &[u8; HEADER] = header.try_into().ok()?;
    let is_block = header.starts_with(&GZIP) && header[2..4] == KIND && header[10..16] == EXTRA;
    let len = usize::from(u16::from_le_bytes([header[16], header[17]])) + 1;
    (is_block && len > HEADER).then_some(len)
}

/// The data of the blocks, one after the other. If something else follows them, it is read as any gzip file.
pub(crate) struct Blocks<R> {
    state: State<R>,
    /// Bytes of blocks that were read.
    used: u64,
    /// Blocks that were unpacked, and how far the first was passed on.
    unpacked: std::vec::IntoIter<Vec<u8>>,
    now: Cursor<Vec<u8>>,
}

enum State<R> {
    Blocks(R),
    Others(Members<Chain<Cursor<Vec<u8>>, R>>),
    /// After an error.
    End,
}

impl<R: BufRead> Blocks<R> {
    /// The blocks of this file, from its first byte on.
    pub(crate) fn new(file: R) -> Self {
        let (unpacked, now) = (Vec::new().into_iter(), Cursor::default());
        Self { state: State::Blocks(file), used: 0, unpacked, now }
    }

    /// Reads the next blocks, and unpacks them. Without any what follows are other members.
    fn next(&mut self) -> Result<()> {
        let State::Blocks(mut file) = std::mem::replace(&mut self.state, State::End) else { return Ok(()) };
        let mut packed = Vec::with_capacity(BATCH);
        let mut other = None;
        while packed.len() < BATCH && other.is_none() {
            let mut bytes = Vec::with_capacity(1 << 16);
            file.by_ref().take(HEADER as u64).read_to_end(&mut bytes)?;
            match block(&bytes) {
                Some(len) => {
                    let rest = (len - HEADER) as u64;
                    if (file.by_ref().take(rest).read_to_end(&mut bytes)? as u64) < rest {
                        return Err(ErrorKind::UnexpectedEof.into());
                    }
                    self.used += len as u64;
                    packed.push(bytes);
                }
                None => other = Some(bytes),
            }
        }
        let unpacked: Result<Vec<Vec<u8>>> = packed.par_iter().map(|block| unpack(block)).collect();
        self.unpacked = unpacked?.into_iter();
        self.state = match other {
            None => State::Blocks(file),
            Some(bytes) => State::Others(Members::after(Cursor::new(bytes).chain(file), self.used)),
        };
        Ok(())
    }
}

impl<R: BufRead> Read for Blocks<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let read = self.now.read(buffer)?;
            if read > 0 {
                return Ok(read);
            }
            if let Some(next) = self.unpacked.next() {
                self.now = Cursor::new(next);
                continue;
            }
            match &mut self.state {
                State::Blocks(_) => self.next()?,
                State::Others(members) => return members.read(buffer),
                State::End => return Ok(0),
            }
        }
    }
}

/// The data of a block.
fn unpack(block: &[u8]) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(1 << 16);
    let mut decoder = GzDecoder::new(block);
    decoder.read_to_end(&mut out)?;
    if decoder.into_inner().is_empty() {
        Ok(out)
    } else {
        Err(Error::new(ErrorKind::InvalidData, "a block is longer than its data"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, GzBuilder};
    use std::io::{BufReader, Write};

    fn member(bytes: &[u8], extra: Option<[u8; 6]>) -> Vec<u8> {
        let builder = extra.map_or_else(GzBuilder::new, |extra| GzBuilder::new().extra(extra));
        let mut encoder = builder.write(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut block = member(bytes, Some([b'B', b'C', 2, 0, 0, 0]));
        let len = (block.len() - 1) as u16;
        block[16..18].copy_from_slice(&len.to_le_bytes());
        block
    }

    fn read(file: &[u8], piece: usize) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        Blocks::new(BufReader::with_capacity(piece, file)).read_to_end(&mut out).map(|_| out)
    }

    #[test]
    fn blocks_and_what_follows_them_are_read() {
        let data: Vec<u8> = (0..900_000u32).map(|i| (i.wrapping_mul(i) >> 9) as u8).collect();
        let blocks: Vec<u8> = data.chunks(9000).flat_map(packed).collect();
        assert_eq!(block(&blocks[..HEADER]).map(|len| block(&blocks[len..][..HEADER]).is_some()), Some(true));
        let end = packed(b"");
        let other = member(b"other", None);
        for (after, more) in [
            (&[][..], &b""[..]),
            (&end, b""),
            (&[0; 700], b""),
            (&[&end[..], &other, &end].concat(), b"other"),
        ] {
            for piece in [1, 100, 1 << 16] {
                let file = [&blocks[..], after].concat();
                assert!(read(&file, piece).expect("whole") == [&data[..], more].concat(), "{piece}");
            }
        }
        let error = read(&[&blocks[..], b"garbage"].concat(), 4096).unwrap_err().to_string();
        let place = format!("byte {}, after the last member", blocks.len());
        assert!(error.starts_with(&place), "{error}");
    }

    #[test]
    fn broken_blocks_are_errors() {
        let blocks: Vec<u8> = (0..100u8).flat_map(|byte| packed(&[byte; 100])).collect();
        for cut in [1, 10, HEADER, HEADER + 1, blocks.len() / 2 + 1, blocks.len() - 1] {
            assert_eq!(read(&blocks[..cut], 4096).unwrap_err().kind(), ErrorKind::UnexpectedEof, "{cut}");
        }
        let mut wrong = blocks.clone();
        let at = wrong.len() - 6;
        wrong[at] ^= 1;
        assert!(read(&wrong, 4096).is_err());
        // A block that says that it is longer, or shorter, than it is.
        for more in [1, u8::MAX] {
            let mut wrong = blocks.clone();
            wrong[16] = wrong[16].wrapping_add(more);
            assert!(read(&wrong, 4096).is_err());
        }
    }
}
