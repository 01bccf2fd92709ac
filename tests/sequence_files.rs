//! The parser of FASTA and FASTQ: it reads what needletail reads, however the file is cut; errors name their
//! line.

use proptest::prelude::*;
use warpproof::files::{Letters, Malformed, SequenceFile};

/// The sequences of a file.
#[derive(Default)]
struct Sequences {
    whole: Vec<String>,
    open: String,
}

impl Letters for Sequences {
    fn letters(&mut self, piece: &[u8]) {
        self.open.push_str(std::str::from_utf8(piece).expect("letters are ASCII"));
    }

    fn end(&mut self) {
        self.whole.push(std::mem::take(&mut self.open));
    }
}

/// Reads a file in pieces of `cut` bytes.
fn read(file: &[u8], cut: usize) -> Result<Vec<String>, Malformed> {
    let (mut parser, mut to) = (SequenceFile::new(), Sequences::default());
    for piece in file.chunks(cut) {
        parser.push(piece, &mut to)?;
    }
    parser.finish(&mut to)?;
    assert_eq!(to.open, "", "letters after the last end");
    Ok(to.whole)
}

/// The sequences of a file as needletail reads them.
fn read_by_needletail(file: &[u8]) -> Vec<String> {
    let mut reader = needletail::parse_fastx_reader(std::io::Cursor::new(file.to_vec())).expect("a format");
    let mut sequences = vec![];
    while let Some(record) = reader.next() {
        let record = record.expect("a record");
        sequences.push(String::from_utf8(record.seq().into_owned()).expect("ASCII"));
    }
    sequences
}

/// A sequence on lines of `width` letters.
fn lines(sequence: &str, width: usize, end: &str) -> String {
    let letters: Vec<char> = sequence.chars().collect();
    letters.chunks(width).map(|line| line.iter().collect::<String>() + end).collect()
}

fn fasta(sequences: &[String], width: usize, end: &str) -> String {
    sequences.iter().map(|s| format!(">name x>y@+{end}{}", lines(s, width, end))).collect()
}

fn fastq(sequences: &[String], width: usize, end: &str) -> String {
    // Qualities that look like the other lines.
    let quality = |s: &String| "@+>I".chars().cycle().take(s.len()).collect::<String>();
    let body = |text: &str| if text.is_empty() { end.to_owned() } else { lines(text, width, end) };
    let record = |s: &String| format!("@name x{end}{}+{end}{}", body(s), body(&quality(s)));
    sequences.iter().map(record).collect()
}

fn sequences() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[ACGTUNRYSWKMBDHVacgtn.-]{0,50}", 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fasta_is_read_as_needletail_reads_it(
        mut sequences in sequences(), width in 1usize..60, cut in 1usize..40, crlf: bool,
    ) {
        // It does not take a last record without a sequence.
        sequences.push("A".into());
        let file = fasta(&sequences, width, if crlf { "\r\n" } else { "\n" });
        prop_assert_eq!(read_by_needletail(file.as_bytes()), sequences.clone());
        prop_assert_eq!(read(file.as_bytes(), cut), Ok(sequences.clone()));
        prop_assert_eq!(read(file.trim_end().as_bytes(), cut), Ok(sequences));
    }

    #[test]
    fn fastq_is_read_as_needletail_reads_it(sequences in sequences(), cut in 1usize..40, crlf: bool) {
        let file = fastq(&sequences, usize::MAX, if crlf { "\r\n" } else { "\n" });
        prop_assert_eq!(read_by_needletail(file.as_bytes()), sequences.clone());
        prop_assert_eq!(read(file.as_bytes(), cut), Ok(sequences));
    }

    /// FASTQ records of four lines, as needletail reads no others.
    #[test]
    fn fastq_may_have_many_lines(sequences in sequences(), width in 1usize..60, cut in 1usize..40) {
        let file = fastq(&sequences, width, "\n");
        prop_assert_eq!(read(file.as_bytes(), cut), Ok(sequences));
    }

    /// No input causes a panic, an error names a line of the file, and it does not matter where the file is
    /// cut.
    #[test]
    fn any_bytes_are_read_or_located(file in "(>|@)?[>@+ACGTNn!\r\n\\x00é]{0,60}", cut in 1usize..20) {
        let whole = read(file.as_bytes(), usize::MAX);
        if let Err(error) = &whole {
            prop_assert!((1..=file.matches('\n').count() + 1).contains(&error.line), "{}", error);
        }
        prop_assert_eq!(read(file.as_bytes(), cut), whole);
    }
}

#[test]
fn errors_name_line_and_column() {
    for (file, expected) in [
        ("", "1: the file is empty"),
        ("\n\n", "3: the file is empty"),
        ("ACGT\n", "1: column 1: 'A': neither FASTA (begins with >) nor FASTQ (begins with @)"),
        ("\n\0\x01", "2: column 1: byte 0x00: neither FASTA (begins with >) nor FASTQ (begins with @)"),
        (">a\nACGT\nACJT\n", "3: column 3: 'J' is not a letter of the nucleotide code (IUPAC)"),
        (">a\nAC GT\n", "2: column 3: byte 0x20 is not a letter of the nucleotide code (IUPAC)"),
        (">a\nAC>GT\n", "2: column 3: '>' is not a letter of the nucleotide code (IUPAC)"),
        (">a\nAC\rGT\n", "2: column 3: a CR without LF after it"),
        ("\rA", "1: column 1: a CR without LF after it"),
        (">a\nAC\n@b\nAC\n", "3: column 1: '@' is not a letter of the nucleotide code (IUPAC)"),
        ("@a\nACGT\n+\nIII\n", "4: the quality has 3 bytes, but its sequence has 4 letters"),
        ("@a\nACGT\n+\nIIIII\n", "4: the quality has 5 bytes, but its sequence has 4 letters"),
        ("@a\nAC\nGT\n+\nIII\nII\n", "6: the quality has 5 bytes, but its sequence has 4 letters"),
        ("@a\nACGT\n+\nI\tII\n", "4: column 2: byte 0x09 is not a quality"),
        ("@a\nAC\n+\nII\n>b\n", "5: column 1: '>', but a record of FASTQ begins with @"),
        ("@a\nAC\n+\nII\n@b\nAC\n", "7: the file ends in the middle of a record"),
        ("@a\nAC\n+", "3: the file ends in the middle of a record"),
        ("@a", "1: the file ends in the middle of a record"),
    ] {
        for cut in 1..=file.len().max(1) {
            let error = read(file.as_bytes(), cut).expect_err(file);
            assert_eq!(error.to_string(), expected, "{file:?} in pieces of {cut}");
        }
    }
}

#[test]
fn odd_files_that_are_whole_are_read() {
    for (file, expected) in [
        (">", &[""][..]),
        (">a", &[""]),
        ("\r\n\n>a\n\nAC\n\n\nGT\n\n>b\n", &["ACGT", ""]),
        (">a\nAC\r", &["AC"]),
        (">a\u{e9}\nAC\n", &["AC"]),
        ("@a\n\n+\n\n@b\nA\n+b\nI\n\n\n", &["", "A"]),
        ("@a\nAC\n+\nI\nI", &[]),
        ("@a\nA\nC\n+\n@\n+", &["AC"]),
        ("@a\n+\n", &[""]),
    ] {
        for cut in 1..=file.len() {
            let read = read(file.as_bytes(), cut);
            if expected.is_empty() {
                assert!(read.is_err(), "{file:?} in pieces of {cut}");
            } else {
                assert_eq!(
                    read.as_deref(),
                    Ok(&expected.iter().map(|s| s.to_string()).collect::<Vec<_>>()[..])
                );
            }
        }
    }
}
