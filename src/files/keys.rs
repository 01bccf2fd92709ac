//! Codes of keys: a word for the key of each row.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

/// How keys are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyType {
    /// Byte for byte.
    Text,
    /// As decimal integers of 64 bits: 007 equals 7.
    Integer,
}

/// Makes a word of the key of a row.
///
/// Equal keys have equal codes. A code is *exact* if no other key has it: then nothing has to be compared.
/// That is so for one column of integers, and for cells of one column of text that are short, or are written
/// as integers are. All other codes are hashes, with a random seed.
#[derive(Clone, Debug)]
pub struct Coder {
    kind: KeyType,
    hasher: RandomState,
    /// How many hashes there are.
    hashes: u64,
}

/// The two highest bits of the code of a cell of text: what it is.
const KIND: u64 = 0b11 << 62;
/// A hash.
const HASH: u64 = 0;
/// An integer: its 62 low bits.
const INTEGER: u64 = 0b01 << 62;
/// A short cell: its length in three bits, then its bytes.
const SHORT: u64 = 0b10 << 62;
/// The most bytes of a short cell.
const MOST: usize = 7;
/// The most digits of an integer that 62 bits hold for certain.
const DIGITS: usize = 18;

impl Coder {
    /// A coder with a random seed.
    pub fn new(kind: KeyType) -> Self {
        Self { kind, hasher: RandomState::new(), hashes: u64::MAX }
    }

    /// A coder with so few hashes, or one, that different keys have equal ones: for tests.
    #[doc(hidden)]
    pub fn with_few_hashes(kind: KeyType, hashes: u64) -> Self {
        Self { hashes: hashes.max(1), ..Self::new(kind) }
    }

    /// The code of a key.
    ///
    /// # Errors
    /// The number of the cell that should be an integer and is none.
    pub fn code<'c>(&self, mut cells: impl ExactSizeIterator<Item = &'c [u8]>) -> Result<u64, usize> {
        match (self.kind, cells.len(), cells.next()) {
            (KeyType::Integer, 1, Some(cell)) => integer(cell).map(i64::cast_unsigned).ok_or(0),
            (KeyType::Text, 1, Some(cell)) => Ok(match (canonical(cell), cell.len()) {
                (Some(integer), _) => INTEGER | integer.cast_unsigned() & !KIND,
                (None, 0..=MOST) => SHORT | short(cell),
                (None, _) => HASH | self.hash(std::iter::once(cell)) & !KIND,
            }),
            (KeyType::Text, _, first) => Ok(self.hash(first.into_iter().chain(cells))),
            (KeyType::Integer, _, first) => {
                let mut state = self.hasher.build_hasher();
                for (at, cell) in first.into_iter().chain(cells).enumerate() {
                    state.write_i64(integer(cell).ok_or(at)?);
                }
                Ok(state.finish() % self.hashes)
            }
        }
    }

    /// The code of a key of one cell with this integer, as a program writes it. None if it is a hash.
    ///
    /// ```
    /// use warpproof::files::{Coder, KeyType};
    ///
    /// let coder = Coder::new(KeyType::Text);
    /// assert_eq!(coder.integer(-7), coder.code([&b"-7"[..]].into_iter()).ok());
    /// assert_eq!(coder.integer(i64::MAX), None);
    /// ```
    pub fn integer(&self, integer: i64) -> Option<u64> {
        const END: u64 = 10u64.pow(DIGITS as u32);
        match self.kind {
            KeyType::Integer => Some(integer.cast_unsigned()),
            KeyType::Text if integer.unsigned_abs() < END => Some(INTEGER | integer.cast_unsigned() & !KIND),
            KeyType::Text => None,
        }
    }

    /// Whether a code of a key of so many columns is exact: all keys of it are equal. Those of several
    /// columns never are.
    pub const fn exact(&self, code: u64, columns: usize) -> bool {
        columns == 1 && (matches!(self.kind, KeyType::Integer) || code & KIND != HASH)
    }

    /// Whether two cells of keys are equal.
    pub fn equal(&self, a: &[u8], b: &[u8]) -> bool {
        match self.kind {
            KeyType::Text => a == b,
            KeyType::Integer => integer(a) == integer(b),
        }
    }

    /// The hash of some cells, each with its length: then no two lists of cells are the same bytes.
    fn hash<'c>(&self, cells: impl Iterator<Item = &'c [u8]>) -> u64 {
        let mut state = self.hasher.build_hasher();
        for cell in cells {
            state.write_usize(cell.len());
            state.write(cell);
        }
        state.finish() % self.hashes
    }
}

/// A cell as an integer.
fn integer(cell: &[u8]) -> Option<i64> {
    std::str::from_utf8(cell).ok()?.parse().ok()
}

/// A cell as an integer, if that is written in no other way.
fn canonical(cell: &[u8]) -> Option<i64> {
    let (negative, digits) = match cell {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    match digits {
        [b'0'] if !negative => return Some(0),
        [b'1'..=b'9', ..] if digits.len() <= DIGITS => {}
        _ => return None,
    }
    let mut value = 0;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value * 10 + i64::from(digit - b'0');
    }
    Some(if negative { -value } else { value })
}

/// A short cell: its length and its bytes.
fn short(cell: &[u8]) -> u64 {
    cell.iter().fold(cell.len() as u64, |code, &byte| code << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Cells that are alike.
    fn cells() -> Vec<Vec<u8>> {
        let mut cells: Vec<Vec<u8>> = (0..=9).map(|len| vec![0; len]).collect();
        cells.extend((0..=9).map(|len| vec![b'0'; len]));
        for number in
            [0, 1, 7, 10, 99, 255, 256, 1 << 31, 10i64.pow(17), 10i64.pow(18) - 1, 10i64.pow(18), i64::MAX]
        {
            for sign in ["", "-", "+", "0", " ", "-0"] {
                cells.push(format!("{sign}{number}").into_bytes());
                cells.push(format!("{sign}{number}.").into_bytes());
            }
        }
        cells.extend(
            [&b"-"[..], b"--1", b"1e3", b"12a", b"\xff", b"\xff\xff\xff\xff\xff\xff\xff"].map(<[u8]>::to_vec),
        );
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    #[test]
    fn no_two_cells_have_one_exact_code() {
        let coder = Coder::new(KeyType::Text);
        let mut seen = HashMap::new();
        let mut exact = 0;
        for cell in cells() {
            let code = coder.code([&cell[..]].into_iter()).expect("any text");
            assert_eq!(coder.exact(code, 1), canonical(&cell).is_some() || cell.len() <= MOST, "{cell:?}");
            exact += usize::from(coder.exact(code, 1));
            if let Some(other) = seen.insert(code, cell.clone()) {
                panic!("{cell:?} and {other:?}");
            }
        }
        assert!(exact > 40 && exact < seen.len() - 20, "{exact} of {}", seen.len());
    }

    #[test]
    fn integers_are_canonical_if_they_are_written_as_a_program_writes_them() {
        for cell in cells() {
            let value = integer(&cell).filter(|value| value.to_string().as_bytes() == cell);
            let value = value.filter(|value| value.unsigned_abs() < 10u64.pow(18));
            assert_eq!(canonical(&cell), value, "{:?}", String::from_utf8_lossy(&cell));
            if let Some(value) = value {
                for coder in [KeyType::Text, KeyType::Integer].map(Coder::new) {
                    assert_eq!(coder.integer(value), coder.code([&cell[..]].into_iter()).ok());
                }
            }
        }
    }

    #[test]
    fn cells_do_not_run_together() {
        for kind in [KeyType::Text, KeyType::Integer] {
            let coder = Coder::new(kind);
            let code = |cells: [&str; 2]| coder.code(cells.map(str::as_bytes).into_iter());
            assert_ne!(code(["12", "3"]), code(["1", "23"]));
            assert_ne!(code(["12", "3"]), code(["3", "12"]));
            assert_eq!(code(["12", "3"]) == code(["012", "+3"]), kind == KeyType::Integer);
            assert_eq!(code(["12", "3x"]).is_err(), kind == KeyType::Integer);
        }
        let code = |cell: &str| Coder::new(KeyType::Integer).code([cell.as_bytes()].into_iter());
        assert_eq!((code("007"), code("-1"), code("x")), (Ok(7), Ok(u64::MAX), Err(0)));
    }
}
