//! Sequence files: FASTA and FASTQ, read in pieces of any size.

use super::Malformed;

/// A FASTA or FASTQ file that arrives in pieces. Its letters are passed on at once, so that memory does not
/// grow with the length of a record or of a line.
///
/// A file begins with `>` (FASTA) or `@` (FASTQ), possibly after empty lines. Lines end in LF or CR LF. The
/// letters of a sequence are those of the nucleotide code of IUPAC, U included, in either case, and `-` or
/// `.` for a gap. A sequence may have many lines, in FASTQ too. Its quality is as long, of bytes from 33 to
/// 126; it has one line if the sequence has one.
///
/// ```
/// use warpproof::files::{Letters, SequenceFile};
///
/// struct Lengths(Vec<usize>, usize);
/// impl Letters for Lengths {
///     fn letters(&mut self, piece: &[u8]) {
///         self.1 += piece.len();
///     }
///     fn end(&mut self) {
///         self.0.push(std::mem::take(&mut self.1));
///     }
/// }
///
/// let mut lengths = Lengths(vec![], 0);
/// let mut file = SequenceFile::new();
/// file.push(b">chr1\nACG", &mut lengths)?;
/// file.push(b"T\nAC\n>chr2\nNNN\n", &mut lengths)?;
/// file.finish(&mut lengths)?;
/// assert_eq!(lengths.0, [6, 3]);
/// # Ok::<(), warpproof::files::Malformed>(())
/// ```
#[derive(Debug)]
pub struct SequenceFile {
    part: Part,
    fastq: bool,
    /// The number of the line, counted from 1.
    line: usize,
    /// Bytes of the line that were read.
    column: usize,
    /// The last of these was a CR, which may or may not end the line.
    cr: bool,
    /// Letters of the record, and the lines that they are on. Only FASTQ needs them.
    letters: u64,
    lines: u64,
    /// Bytes of its quality.
    quality: u64,
}

/// The receiver of the letters of a file.
pub trait Letters {
    /// The next letters of the sequence, as they are in the file: all are of the alphabet.
    fn letters(&mut self, piece: &[u8]);
    /// The sequence ends.
    fn end(&mut self);
}

/// The part of the file that a line belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    /// Before the first record.
    Start,
    Header,
    Sequence,
    /// The line of FASTQ that begins with `+`.
    Separator,
    Quality,
    /// Between two records of FASTQ.
    Between,
}

impl Default for SequenceFile {
    fn default() -> Self {
        Self::new()
    }
}

impl SequenceFile {
    /// A file before its first byte.
    pub const fn new() -> Self {
        Self {
            part: Part::Start,
            fastq: false,
            line: 1,
            column: 0,
            cr: false,
            letters: 0,
            lines: 0,
            quality: 0,
        }
    }

    /// Reads the next bytes of the file. Linear in their number.
    ///
    /// # Errors
    /// The first malformed line. Letters before it may have been passed on; the file cannot be continued.
    pub fn push(&mut self, mut bytes: &[u8], to: &mut impl Letters) -> Result<(), Malformed> {
        while let Some(end) = bytes.iter().position(|&b| b == b'\n') {
            self.piece(&bytes[..end], to)?;
            self.end_of_line()?;
            bytes = &bytes[end + 1..];
        }
        self.piece(bytes, to)
    }

    /// Ends the file.
    ///
    /// # Errors
    /// There is no record, or the last one is incomplete.
    pub fn finish(mut self, to: &mut impl Letters) -> Result<(), Malformed> {
        if self.column > 0 {
            // The rest is missing on this line.
            let line = self.line;
            self.end_of_line()?;
            self.line = line;
        }
        match self.part {
            Part::Start => Err(self.malformed("the file is empty".into())),
            Part::Between => Ok(()),
            // The empty quality line of an empty sequence.
            Part::Quality if self.letters == 0 => Ok(()),
            Part::Header | Part::Sequence if !self.fastq => {
                to.end();
                Ok(())
            }
            _ => Err(self.malformed("the file ends in the middle of a record".into())),
        }
    }

    /// Bytes of a line, without LF.
    fn piece(&mut self, piece: &[u8], to: &mut impl Letters) -> Result<(), Malformed> {
        let Some(&first) = piece.first() else { return Ok(()) };
        if self.cr && !matches!(self.part, Part::Header | Part::Separator) {
            return Err(self.at(self.column, CR.into()));
        }
        let text = piece.strip_suffix(b"\r").unwrap_or(piece);
        if self.column == 0 && !text.is_empty() {
            self.begin(first, to)?;
        }
        match self.part {
            Part::Sequence => {
                self.check(text, |b| IUPAC[b as usize], "not a letter of the nucleotide code (IUPAC)")?;
                to.letters(text);
                self.letters += text.len() as u64;
            }
            Part::Quality => {
                self.check(text, |b| (33..=126).contains(&b), "not a quality")?;
                self.quality += text.len() as u64;
            }
            _ => {}
        }
        self.column += piece.len();
        self.cr = text.len() < piece.len();
        Ok(())
    }

    /// Checks that all bytes of a piece are `allowed`; `what` describes another byte.
    fn check(&self, text: &[u8], allowed: impl Fn(u8) -> bool, what: &str) -> Result<(), Malformed> {
        let Some(i) = text.iter().position(|&b| !allowed(b)) else { return Ok(()) };
        let what = if text[i] == b'\r' { CR.into() } else { format!("{} is {what}", shown(text[i])) };
        Err(self.at(self.column + i + 1, what))
    }

    /// Decides what a line is, at its first byte.
    fn begin(&mut self, first: u8, to: &mut impl Letters) -> Result<(), Malformed> {
        match (self.part, first) {
            (_, b'\r') => return Err(self.at(1, CR.into())),
            (Part::Start, b'>') => self.part = Part::Header,
            (Part::Start, b'@') => (self.part, self.fastq) = (Part::Header, true),
            (Part::Start, other) => {
                let what = "neither FASTA (begins with >) nor FASTQ (begins with @)";
                return Err(self.at(1, format!("{}: {what}", shown(other))));
            }
            (Part::Sequence, b'>') if !self.fastq => {
                to.end();
                self.part = Part::Header;
            }
            (Part::Sequence, b'+') if self.fastq => {
                to.end();
                self.part = Part::Separator;
            }
            (Part::Between, b'@') => self.part = Part::Header,
            (Part::Between, other) => {
                return Err(self.at(1, format!("{}, but a record of FASTQ begins with @", shown(other))));
            }
            _ => {}
        }
        Ok(())
    }

    fn end_of_line(&mut self) -> Result<(), Malformed> {
        match self.part {
            Part::Header => {
                self.part = Part::Sequence;
                (self.letters, self.lines, self.quality) = (0, 0, 0);
            }
            Part::Sequence => self.lines += (self.column > 0) as u64,
            Part::Separator => self.part = Part::Quality,
            Part::Quality => self.end_of_quality()?,
            Part::Start | Part::Between => {}
        }
        (self.line, self.column, self.cr) = (self.line + 1, 0, false);
        Ok(())
    }

    /// Ends a line of quality, and perhaps the quality.
    fn end_of_quality(&mut self) -> Result<(), Malformed> {
        if self.quality == self.letters {
            self.part = Part::Between;
        } else if self.lines <= 1 || self.quality > self.letters {
            let (quality, letters) = (self.quality, self.letters);
            return Err(self.malformed(format!(
                "the quality has {quality} bytes, but its sequence has {letters} letters"
            )));
        }
        Ok(())
    }

    fn malformed(&self, what: String) -> Malformed {
        Malformed { line: self.line, row: None, what }
    }

    fn at(&self, column: usize, what: String) -> Malformed {
        self.malformed(format!("column {column}: {what}"))
    }
}

const CR: &str = "a CR without LF after it";

/// A byte as text in a message.
fn shown(byte: u8) -> String {
    if byte.is_ascii_graphic() { format!("'{}'", byte as char) } else { format!("byte 0x{byte:02x}") }
}

/// The letters of the nucleotide code, in both cases, and gaps.
const IUPAC: [bool; 256] = {
    let mut table = [false; 256];
    let letters = b"ACGTURYSWKMBDHVN-.";
    let mut i = 0;
    while i < letters.len() {
        table[letters[i] as usize] = true;
        table[letters[i].to_ascii_lowercase() as usize] = true;
        i += 1;
    }
    table
};
