//! Tables of the parts of a file that need not fit in memory.

use super::Malformed;
use super::table::{Layout, Table};
use memchr::memrchr;
use std::io::{ErrorKind, Read};

/// The most bytes for which there is room before they are read.
const ROOM: usize = 1 << 26;

/// A file of rows with a header that is read in parts, each of whole rows.
///
/// The tables of the parts have the rows of the table of the [whole file](Table::parse), one after the other.
/// The time is linear in the file. Memory is that of one part and its table, and as much again while a row is
/// longer than a part; a quote that is never closed makes all that follows it one row.
///
/// ```
/// use warpproof::files::{Layout, Parts};
///
/// let file = b"id,name\n7,Doe\n9,Roe\n";
/// let mut parts = Parts::new(&file[..], Layout::integers("id"));
/// let first = parts.next(14)?.expect("a file has a part");
/// assert_eq!((first.rows(), first.codes()), (1, &[7][..]));
/// let second = parts.next(14)?.expect("there are more rows");
/// assert_eq!((second.header(), second.codes()), (first.header(), &[9][..]));
/// assert!(parts.next(14)?.is_none());
/// # Ok::<(), warpproof::files::Unread>(())
/// ```
#[derive(Debug)]
pub struct Parts<R> {
    file: R,
    layout: Layout,
    /// Bytes that were read and are in no part yet: the beginning of a row.
    rest: Vec<u8>,
    /// A part without rows, after the last one.
    empty: Option<Table>,
    ended: bool,
}

/// Why a part of a file was not read.
#[derive(Debug)]
pub enum Unread {
    /// The file could not be read.
    File(std::io::Error),
    /// A row is malformed.
    Malformed(Malformed),
}

impl core::fmt::Display for Unread {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::File(error) => error.fmt(f),
            Self::Malformed(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for Unread {}

impl<R: Read> Parts<R> {
    /// The parts of a file. Nothing is read yet.
    pub const fn new(file: R, layout: Layout) -> Self {
        Self { file, layout, rest: Vec::new(), empty: None, ended: false }
    }

    /// The file.
    pub const fn file(&self) -> &R {
        &self.file
    }

    /// The next part, of about so many bytes, at least one: more if a row is longer. None after the last row.
    /// Only the first part may have no rows. A file without rows has one part.
    ///
    /// # Errors
    /// The file cannot be read, or is [malformed](Table::parse). There are no parts after that.
    pub fn next(&mut self, bytes: usize) -> Result<Option<Table>, Unread> {
        while !self.ended {
            // There is twice as much of a row that is longer than a part each time: the time stays linear.
            let more = bytes.max(self.rest.len()).max(1);
            let room = self.rest.try_reserve(more.min(ROOM)).map_err(|_| ErrorKind::OutOfMemory.into());
            let read = room.and_then(|()| self.file.by_ref().take(more as u64).read_to_end(&mut self.rest));
            self.ended = read.map_err(|error| self.end(Unread::File(error)))? < more;
            if let Some(part) = self.part().map_err(|error| self.end(Unread::Malformed(error)))? {
                return Ok(Some(part));
            }
        }
        Ok(None)
    }

    fn end(&mut self, error: Unread) -> Unread {
        self.ended = true;
        error
    }

    /// The rows that were read as a part, if there are any. A row without an end stays, if the file goes on.
    fn part(&mut self) -> Result<Option<Table>, Malformed> {
        let rows = if self.ended { self.rest.len() } else { self.lines() };
        let rest = self.rest.split_off(rows);
        let mut part = std::mem::replace(&mut self.rest, rest);
        if self.ended {
            part.push(b'\n');
        }
        let (mut table, from, is_first) = match self.empty.take() {
            Some(empty) => (empty.with_bytes(part), 0, false),
            None => match Table::begin(&mut part, &self.layout, self.ended)? {
                Some((table, from)) => (table, from, true),
                None => {
                    self.put_back(&part);
                    return Ok(None);
                }
            },
        };
        if let Err(wrong) = table.read_rows(from, &mut |_| ()) {
            let Some(row) = wrong.unclosed().filter(|_| !self.ended) else { return Err(table.wrong(wrong)) };
            self.put_back(&table.split_off(row));
        }
        self.empty = Some(table.after());
        Ok((is_first || table.rows() > 0).then_some(table))
    }

    /// The bytes up to the last line end. A line may end with CR alone, but not at the end of what was read,
    /// where LF may follow.
    fn lines(&self) -> usize {
        let last = memrchr(b'\n', &self.rest).or_else(|| {
            let (_, before) = self.rest.split_last()?;
            memrchr(b'\r', before)
        });
        last.map_or(0, |at| at + 1)
    }

    /// Puts bytes before those that are in no part yet.
    fn put_back(&mut self, bytes: &[u8]) {
        self.rest.splice(..0, bytes.iter().copied());
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Coder, KeyType};
    use super::*;

    /// The cells and the codes of all rows.
    type Rows = Vec<(Vec<Vec<u8>>, u64)>;

    fn rows(table: &Table) -> Rows {
        let mut reader = table.reader();
        let row = |row| table.row(row, &mut reader).cells().map(<[u8]>::to_vec).collect();
        (0..table.rows()).map(row).zip(table.codes().iter().copied()).collect()
    }

    /// The header and the rows of a file in parts, and how many parts there are.
    fn parts(file: &[u8], layout: &Layout, bytes: usize) -> Result<(Vec<Vec<u8>>, Rows, usize), Malformed> {
        let mut parts = Parts::new(file, layout.clone());
        let (mut header, mut all, mut number) = (None, Vec::new(), 0);
        loop {
            match parts.next(bytes) {
                Ok(Some(part)) => {
                    assert_eq!(header.get_or_insert_with(|| part.header().to_vec()), part.header());
                    assert!(part.rows() > 0 || number == 0);
                    all.extend(rows(&part));
                    number += 1;
                }
                Ok(None) => return Ok((header.expect("a part"), all, number)),
                Err(Unread::Malformed(error)) => {
                    assert!(matches!(parts.next(bytes), Ok(None)));
                    return Err(error);
                }
                Err(Unread::File(error)) => panic!("{error}"),
            }
        }
    }

    /// Files with quotes, line ends and byte order marks everywhere, whole, malformed and cut off.
    #[test]
    fn parts_have_the_rows_of_the_file() {
        let pieces: [&[u8]; 14] = [
            b"k,x\n",
            b"1,2\n",
            b"7,\"a\nb\"\n",
            b"3,\"\"\"\n\"\r\n",
            b"\n",
            b"\r\n",
            b"\xef\xbb\xbf",
            b"4,5\r",
            b"6,7",
            b"\"8\",\r\n",
            b"9,a\"b\n",
            b"1,2,3\n",
            b"10,\"",
            b"x,1\n",
        ];
        let layout = Layout { delimiter: b',', keys: vec!["k".into()], coder: Coder::new(KeyType::Integer) };
        let (mut whole_files, mut malformed) = (0, 0);
        for number in (0..pieces.len().pow(4)).step_by(5) {
            let file: Vec<u8> =
                (0..4).flat_map(|at| pieces[number / pieces.len().pow(at) % pieces.len()]).copied().collect();
            let whole = Table::parse(file.clone(), &layout, |_| {});
            for bytes in [1, 2, 5, 9, usize::MAX] {
                match (&whole, parts(&file, &layout, bytes)) {
                    (Ok(whole), Ok((header, all, number))) => {
                        assert!(header == whole.header() && all == rows(whole), "{file:?} {bytes}");
                        assert!(bytes < usize::MAX || number == 1);
                    }
                    (Err(expected), Err(error)) => assert_eq!(error, *expected, "{file:?} {bytes}"),
                    (expected, found) => panic!("{file:?} {bytes}: {expected:?} {found:?}"),
                }
            }
            whole_files += usize::from(whole.is_ok());
            malformed += usize::from(whole.is_err());
        }
        assert!(whole_files > 100 && malformed > 100, "{whole_files} {malformed}");
    }

    #[test]
    fn a_part_has_about_as_many_bytes_as_were_asked_for() {
        let file: Vec<u8> = (0..1000).flat_map(|row| format!("{row},x\n").into_bytes()).collect();
        let file = [&b"k,x\n"[..], &file].concat();
        let layout = Layout::integers("k");
        let (_, rows, number) = parts(&file, &layout, 100).expect("rows");
        assert_eq!((rows.len(), number), (1000, file.len().div_ceil(100)));
        // Lines may end with CR.
        let file_of_cr: Vec<u8> = file.iter().map(|&byte| if byte == b'\n' { b'\r' } else { byte }).collect();
        let (_, same_rows, number) = parts(&file_of_cr, &layout, 100).expect("rows");
        assert!(same_rows == rows && number > 10, "{number}");
        // An error about the header has its line, in any part.
        let mut later = Parts::new(&b"\n\nk,x\n1,2\n3,4\n"[..], layout.clone());
        for _ in 0..2 {
            let part = later.next(8).expect("a part").expect("a part");
            let error = part.column("y").expect_err("no such column");
            assert_eq!((error.line, error.row), (3, Some(0)));
        }
        // The key of the last row is malformed; all before are read.
        let wrong = [&file[..], b"y,1\n"].concat();
        let error = parts(&wrong, &layout, 100).expect_err("malformed");
        assert_eq!((error.line, error.row), (1002, Some(1001)));
    }

    #[test]
    fn a_file_that_cannot_be_read_is_an_error() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
                Err(std::io::Error::other("a disk"))
            }
        }
        let mut parts = Parts::new((&b"k\n1\n"[..]).chain(Broken), Layout::integers("k"));
        assert_eq!(parts.next(4).expect("a part").expect("a part").rows(), 1);
        assert!(matches!(parts.next(4), Err(Unread::File(error)) if error.to_string() == "a disk"));
        assert!(matches!(parts.next(4), Ok(None)));
    }
}
