//! The data of a gzip file: members one after the other, possibly followed by zeros.

use flate2::bufread::GzDecoder;
use std::io::{BufRead, Error, ErrorKind, Read, Result};

/// How every gzip file begins.
pub(crate) const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The data of the members of a gzip file, one after the other. Zeros after the last member are ignored, as
/// by gzip(1): tapes and disks fill up blocks with them. Anything else there is an error.
pub(crate) struct Members<R>(State<R>);

enum State<R> {
    /// In a member.
    In(Box<GzDecoder<Counted<R>>>),
    /// After a member; whether there were zeros.
    Behind(Counted<R>, bool),
    /// At the end of the file, or after an error was returned.
    End,
}

/// Counts the bytes that were used, without those that were read ahead.
struct Counted<R> {
    inner: R,
    used: u64,
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let read = self.inner.read(buffer)?;
        self.used += read as u64;
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.used += amount as u64;
        self.inner.consume(amount);
    }
}

impl<R: BufRead> Members<R> {
    /// The members of this file, from its first byte on.
    pub(crate) fn new(file: R) -> Self {
        Self(State::In(Box::new(GzDecoder::new(Counted { inner: file, used: 0 }))))
    }
}

impl<R: BufRead> Members<R> {
    /// What follows the members that took the first `used` bytes of a file.
    pub(super) fn after(rest: R, used: u64) -> Self {
        Self(State::Behind(Counted { inner: rest, used }, false))
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if let State::In(member) = &mut self.0 {
                match member.read(buffer)? {
                    0 => {}
                    read => return Ok(read),
                }
            }
            match std::mem::replace(&mut self.0, State::End) {
                State::In(member) => self.0 = State::Behind((*member).into_inner(), false),
                State::Behind(mut file, mut zeros) => match next(&mut file, &mut zeros) {
                    Ok(true) => self.0 = State::In(Box::new(GzDecoder::new(file))),
                    Ok(false) => {}
                    Err(error) => {
                        if error.kind() == ErrorKind::Interrupted {
                            self.0 = State::Behind(file, zeros);
                        }
                        return Err(error);
                    }
                },
                State::End => return Ok(0),
            }
        }
    }
}

/// Whether another member follows. Skips the zeros after the last member, and records in `zeros` that there
/// were some.
fn next<R: BufRead>(file: &mut Counted<R>, zeros: &mut bool) -> Result<bool> {
    loop {
        let bytes = file.fill_buf()?;
        let others = bytes.iter().position(|&byte| byte != 0);
        let (len, first) = (bytes.len(), others.map(|at| bytes[at]));
        match others {
            None if len == 0 => return Ok(false),
            // Anything else that begins like a member is left to the decoder to refuse.
            Some(0) if !*zeros && first == Some(GZIP[0]) => return Ok(true),
            Some(at) => {
                let place = file.used + at as u64;
                let after = if *zeros || at > 0 { "zeros" } else { "the last member" };
                let what = format!("byte {place}, after {after}, does not begin gzip data");
                return Err(Error::new(ErrorKind::InvalidData, what));
            }
            None => {
                *zeros = true;
                file.consume(len);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::{BufReader, Write};

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    /// Unpacks a file that is read `piece` bytes at a time.
    fn read(file: &[u8], piece: usize) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        Members::new(BufReader::with_capacity(piece, file)).read_to_end(&mut out).map(|_| out)
    }

    #[test]
    fn members_and_the_zeros_behind_them_are_read() {
        for file in [gzip(b"abc"), [gzip(b"a"), gzip(b""), gzip(b"bc")].concat()] {
            for zeros in [0, 1, 2, 511, 100_000] {
                let padded = [&file[..], &vec![0; zeros]].concat();
                for piece in [1, 2, 3, 4096] {
                    assert_eq!(
                        read(&padded, piece).unwrap(),
                        b"abc",
                        "{zeros} zeros, {piece} bytes at a time"
                    );
                }
            }
        }
    }

    #[test]
    fn other_bytes_behind_the_members_are_an_error_with_their_place() {
        let (one, two) = (gzip(b"abc"), gzip(b"d"));
        for (behind, zeros) in [(&b"garbage"[..], 0), (b"\0\0garbage", 2), (&[&[0; 9][..], &two].concat(), 9)]
        {
            let file = [&one[..], behind].concat();
            let place = format!("byte {}, after", one.len() + zeros);
            for piece in [1, 5, 4096] {
                let error = read(&file, piece).unwrap_err().to_string();
                assert!(error.starts_with(&place), "{piece} bytes at a time: {error}");
            }
        }
        assert!(read(&[&one[..], b"\x1fgarbage"].concat(), 4096).is_err());
        assert!(read(&[&one[..], &two[..two.len() - 1]].concat(), 4096).is_err());
    }
}
