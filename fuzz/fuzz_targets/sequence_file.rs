//! Arbitrary bytes as a file of sequences. There is never a panic. An error names a line of the file. It does
//! not matter where the file is cut. FASTA or FASTQ that is accepted is equal to what a simple reader finds
//! in it, and reads equal when written again.
//!
//! The first byte is the length of the pieces; the rest is the file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use warpproof::files::{Letters, Malformed, SequenceFile};

/// The sequences of a file.
#[derive(Default)]
struct Sequences {
    whole: Vec<Vec<u8>>,
    open: Vec<u8>,
}

impl Letters for Sequences {
    fn letters(&mut self, piece: &[u8]) {
        self.open.extend_from_slice(piece);
    }

    fn end(&mut self) {
        self.whole.push(std::mem::take(&mut self.open));
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&cut, file)) = bytes.split_first() else { return };
    let read = read(file, usize::MAX);
    assert_eq!(self::read(file, usize::from(cut) % 64 + 1), read);
    match read {
        Ok(sequences) => {
            assert!(sequences.iter().flatten().all(|b| b.is_ascii_alphabetic() || b"-.".contains(b)));
            if file.iter().find(|b| !b"\r\n".contains(b)) == Some(&b'>') {
                assert_eq!(sequences, fasta(file));
            }
            assert_eq!(self::read(&written(&sequences), 7), Ok(sequences));
        }
        Err(error) => {
            let lines = file.iter().filter(|&&b| b == b'\n').count() + 1;
            assert!((1..=lines).contains(&error.line), "{error}");
        }
    }
});

/// Reads a file in pieces.
fn read(file: &[u8], cut: usize) -> Result<Vec<Vec<u8>>, Malformed> {
    let (mut parser, mut to) = (SequenceFile::new(), Sequences::default());
    for piece in file.chunks(cut) {
        parser.push(piece, &mut to)?;
    }
    parser.finish(&mut to)?;
    assert!(to.open.is_empty());
    Ok(to.whole)
}

/// The sequences of a file that is FASTA.
fn fasta(file: &[u8]) -> Vec<Vec<u8>> {
    let mut sequences: Vec<Vec<u8>> = vec![];
    for line in file.split(|&b| b == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match (line.first(), sequences.last_mut()) {
            (Some(b'>'), _) => sequences.push(vec![]),
            (_, Some(last)) => last.extend_from_slice(line),
            (_, None) => assert!(line.is_empty()),
        }
    }
    sequences
}

/// The sequences as FASTQ.
fn written(sequences: &[Vec<u8>]) -> Vec<u8> {
    let record = |s: &Vec<u8>| [b"@\n", &s[..], b"\n+\n", &b"@".repeat(s.len())[..], b"\n"].concat();
    sequences.iter().flat_map(record).collect()
}
