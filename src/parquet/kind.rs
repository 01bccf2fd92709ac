//! What the cells of a column are.

use crate::keyed::number::Number;
use warpproof::files::Table;

/// What the cells of a column are; an empty cell is none of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// `true` and `false`.
    Boolean,
    /// Integers of 64 bits.
    Integer,
    /// Integers of 64 bits without a sign.
    Unsigned,
    /// Floating-point numbers of 64 bits.
    Float,
    /// UTF-8.
    Text,
    /// Any bytes.
    Bytes,
}

impl Kind {
    /// What cells are that come from two columns.
    pub(crate) fn with(self, other: Self) -> Self {
        match (self, other) {
            _ if self == other => self,
            (Self::Bytes, _) | (_, Self::Bytes) => Self::Bytes,
            _ => Self::Text,
        }
    }
}

/// What the cells of each column of a text file are. A number that a program would write in another way, such
/// as 007, makes a column one of text; so does an integer of more than 64 bits.
pub(crate) fn kinds(table: &Table) -> Vec<Kind> {
    let mut columns = vec![Seen::default(); table.header().len()];
    let mut reader = table.reader();
    for row in 0..table.rows() {
        let row = table.row(row, &mut reader);
        columns.iter_mut().zip(row.cells()).for_each(|(seen, cell)| seen.cell(cell));
    }
    columns.iter().map(Seen::kind).collect()
}

/// What was seen in a column.
#[derive(Clone, Default)]
struct Seen {
    booleans: bool,
    integers: bool,
    /// Integers that a floating-point number may not hold.
    large: bool,
    floats: bool,
    text: bool,
    bytes: bool,
}

impl Seen {
    fn cell(&mut self, cell: &[u8]) {
        if cell.is_empty() || self.bytes {
            return;
        }
        match cell {
            _ if self.text => self.bytes = std::str::from_utf8(cell).is_err(),
            b"true" | b"false" => self.booleans = true,
            _ => match number(cell) {
                Some(Number::Integer(integer)) => {
                    self.integers = true;
                    self.large |= integer.unsigned_abs() > 1 << f64::MANTISSA_DIGITS;
                }
                Some(Number::Float(_)) => self.floats = true,
                None => {
                    self.text = true;
                    self.bytes = std::str::from_utf8(cell).is_err();
                }
            },
        }
    }

    fn kind(&self) -> Kind {
        match (self.booleans, self.integers, self.floats) {
            _ if self.bytes => Kind::Bytes,
            _ if self.text => Kind::Text,
            (true, false, false) => Kind::Boolean,
            (false, true, false) => Kind::Integer,
            (false, _, true) if !self.large => Kind::Float,
            _ => Kind::Text,
        }
    }
}

/// A number that is written as a program would write it.
fn number(cell: &[u8]) -> Option<Number> {
    let digits = cell.strip_prefix(b"-").unwrap_or(cell);
    let zeros = matches!(digits, [b'0', b'0'..=b'9', ..]) || cell == b"-0" || cell.starts_with(b"+");
    let number = Number::parse(cell).filter(|_| !zeros)?;
    let point = cell.iter().any(|byte| b".eE".contains(byte));
    (point || matches!(number, Number::Integer(_))).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpproof::files::{Coder, KeyType, Layout};

    #[test]
    fn kinds_are_those_of_all_cells() {
        for (cells, kind) in [
            (&[][..], Kind::Text),
            (&["", ""], Kind::Text),
            (&["true", "", "false"], Kind::Boolean),
            (&["true", "1"], Kind::Text),
            (&["True"], Kind::Text),
            (&["0", "-7", "", "9223372036854775807", "-9223372036854775808"], Kind::Integer),
            (&["1", "007"], Kind::Text),
            (&["-0"], Kind::Text),
            (&["-07"], Kind::Text),
            (&["+1"], Kind::Text),
            (&["9223372036854775808"], Kind::Text),
            (&["1", "2.50", "-.5", "1e3", ""], Kind::Float),
            (&["0.5", "-0.0"], Kind::Float),
            (&["0.5", "00.5"], Kind::Text),
            (&["0.5", "9007199254740992"], Kind::Float),
            (&["0.5", "9007199254740993"], Kind::Text),
            (&["1e999"], Kind::Text),
            (&["NaN"], Kind::Text),
            (&["1", "x"], Kind::Text),
            (&["x", "true", "1"], Kind::Text),
            (&["1", "x", "\u{ff}"], Kind::Bytes),
            (&["\u{ff}", "x"], Kind::Bytes),
        ] {
            // U+00FF stands for a byte that is no UTF-8.
            let bytes = |text: &str| text.chars().map(|c| c as u32 as u8).collect::<Vec<_>>();
            let rows: Vec<u8> =
                cells.iter().flat_map(|cell| [b".,", &bytes(cell)[..], b"\n"].concat()).collect();
            let layout = Layout { delimiter: b',', keys: vec![], coder: Coder::new(KeyType::Text) };
            let table = Table::parse([b"a,b\n", &rows[..]].concat(), &layout, |_| {}).expect("a table");
            assert_eq!(kinds(&table)[1], kind, "{cells:?}");
        }
    }

    #[test]
    fn two_kinds_are_text_or_bytes() {
        assert_eq!(Kind::Integer.with(Kind::Integer), Kind::Integer);
        assert_eq!(Kind::Integer.with(Kind::Float), Kind::Text);
        assert_eq!(Kind::Integer.with(Kind::Bytes), Kind::Bytes);
    }
}
