//! The cells of a column, in memory.

use super::kind::Kind;
use super::text::{digits, put};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use std::collections::TryReserveError;
use std::sync::Arc;

/// The cells of a column.
#[derive(Clone)]
pub(crate) struct Column {
    name: Arc<str>,
    kind: Kind,
    /// 1 for a row with a value, 0 for one without.
    levels: Vec<i16>,
    /// Whether all rows have a value.
    whole: bool,
    values: Values,
}

/// A value for each row; a placeholder where the row has none, which is empty if it is a text.
#[derive(Clone)]
enum Values {
    Boolean(Vec<bool>),
    /// With or without a sign.
    Integer(Vec<i64>, bool),
    Float(Vec<f64>),
    Bytes(Texts),
}

/// Texts one after the other, and where each ends.
#[derive(Clone, Default)]
struct Texts {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Texts {
    fn get(&self, at: usize) -> &[u8] {
        let from = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.bytes[from..self.ends[at]]
    }

    /// Appends a text. Returns whether there was memory for it.
    fn push(&mut self, text: &[u8]) -> bool {
        if self.bytes.try_reserve(text.len()).and_then(|()| self.ends.try_reserve(1)).is_err() {
            return false;
        }
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len());
        true
    }
}

/// A value of a cell that is appended to a column.
pub(super) enum Value<'v> {
    Boolean(bool),
    Integer(i64),
    Float(f64),
    /// Nothing, if it is empty.
    Bytes(&'v [u8]),
}

impl Column {
    /// A column without rows.
    pub(super) fn new(name: Arc<str>, kind: Kind) -> Self {
        let values = match kind {
            Kind::Boolean => Values::Boolean(Vec::new()),
            Kind::Integer => Values::Integer(Vec::new(), true),
            Kind::Unsigned => Values::Integer(Vec::new(), false),
            Kind::Float => Values::Float(Vec::new()),
            Kind::Text | Kind::Bytes => Values::Bytes(Texts::default()),
        };
        Self { name, kind, levels: Vec::new(), whole: true, values }
    }

    /// A column of this name and kind without rows.
    pub(super) fn empty(&self) -> Self {
        Self::new(Arc::clone(&self.name), self.kind)
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) const fn kind(&self) -> Kind {
        self.kind
    }

    /// An error about a cell.
    fn other_type(&self, cell: &[u8]) -> std::io::Error {
        let (cell, name) = (String::from_utf8_lossy(cell), &self.name);
        std::io::Error::other(format!("column {name}: {cell:?} is of another type than its column"))
    }

    /// Appends a cell, from its text.
    ///
    /// # Errors
    /// It is of another type.
    pub(super) fn push(&mut self, cell: &[u8]) -> std::io::Result<()> {
        if cell.is_empty() {
            self.skip();
            return Ok(());
        }
        let text = || std::str::from_utf8(cell).ok();
        let value = match &self.values {
            Values::Boolean(_) => text().and_then(|t| t.parse().ok()).map(Value::Boolean),
            Values::Integer(_, true) => text().and_then(|t| t.parse().ok()).map(Value::Integer),
            Values::Integer(_, false) => {
                text().and_then(|t| t.parse::<u64>().ok()).map(|value| Value::Integer(value.cast_signed()))
            }
            Values::Float(_) => text().and_then(|t| t.parse().ok()).map(Value::Float),
            Values::Bytes(..) => Some(Value::Bytes(cell)),
        };
        let pushed = value.is_some_and(|value| self.push_value(value));
        if pushed { Ok(()) } else { Err(self.other_type(cell)) }
    }

    /// Makes room for so many rows more; not for the bytes of their texts.
    pub(super) fn reserve(&mut self, rows: usize) -> Result<(), TryReserveError> {
        self.levels.try_reserve(rows)?;
        match &mut self.values {
            Values::Boolean(values) => values.try_reserve(rows),
            Values::Integer(values, _) => values.try_reserve(rows),
            Values::Float(values) => values.try_reserve(rows),
            Values::Bytes(texts) => texts.ends.try_reserve(rows),
        }
    }

    /// Appends a value. Returns whether it is of the column's type, and there was memory for it.
    pub(super) fn push_value(&mut self, value: Value<'_>) -> bool {
        let mut is_there = true;
        match (&mut self.values, value) {
            (Values::Boolean(values), Value::Boolean(value)) => values.push(value),
            (Values::Integer(values, _), Value::Integer(value)) => values.push(value),
            (Values::Float(values), Value::Float(value)) => values.push(value),
            (Values::Bytes(texts), Value::Bytes(text)) => {
                if !texts.push(text) {
                    return false;
                }
                is_there = !text.is_empty();
            }
            _ => return false,
        }
        self.levels.push(is_there.into());
        self.whole &= is_there;
        true
    }

    /// Appends integers, which all are values. Returns whether they are of the column's type.
    pub(super) fn push_integers(&mut self, integers: &[i64]) -> bool {
        let Values::Integer(values, _) = &mut self.values else { return false };
        values.extend_from_slice(integers);
        self.levels.resize(values.len(), 1);
        true
    }

    /// Appends a row without a value.
    pub(super) fn skip(&mut self) {
        self.fill(self.levels.len() + 1);
    }

    /// Appends rows without a value, until there are so many.
    pub(super) fn fill(&mut self, rows: usize) {
        if self.levels.len() >= rows {
            return;
        }
        self.levels.resize(rows, 0);
        self.whole = false;
        match &mut self.values {
            Values::Boolean(values) => values.resize(rows, false),
            Values::Integer(values, _) => values.resize(rows, 0),
            Values::Float(values) => values.resize(rows, 0.0),
            Values::Bytes(texts) => texts.ends.resize(rows, texts.bytes.len()),
        }
    }

    /// Appends the rows of a column of the same kind.
    ///
    /// # Errors
    /// There is no memory.
    pub(super) fn append(&mut self, other: Self) -> Result<(), TryReserveError> {
        self.reserve(other.levels.len())?;
        match (&mut self.values, other.values) {
            (Values::Boolean(ours), Values::Boolean(theirs)) => ours.extend(theirs),
            (Values::Integer(ours, _), Values::Integer(theirs, _)) => ours.extend(theirs),
            (Values::Float(ours), Values::Float(theirs)) => ours.extend(theirs),
            (Values::Bytes(ours), Values::Bytes(theirs)) => {
                let base = ours.bytes.len();
                ours.bytes.try_reserve(theirs.bytes.len())?;
                ours.bytes.extend(theirs.bytes);
                ours.ends.extend(theirs.ends.iter().map(|end| base + end));
            }
            _ => return Ok(()),
        }
        self.levels.extend(other.levels);
        self.whole &= other.whole;
        Ok(())
    }

    /// Appends cells of another column; of [`NO_ROW`](super::NO_ROW) an empty one. Returns how many bytes
    /// they have, and a word for each.
    ///
    /// # Errors
    /// A cell is of another type.
    pub(super) fn gather(
        &mut self,
        other: &Self,
        rows: impl Iterator<Item = usize> + Clone,
    ) -> std::io::Result<usize> {
        let before = self.levels.len();
        if self.kind != other.kind {
            let mut cell = Vec::new();
            let mut bytes = 0;
            for row in rows {
                cell.clear();
                other.text(row, &mut cell);
                self.push(&cell)?;
                bytes += cell.len();
            }
            return Ok(bytes + (self.levels.len() - before) * size_of::<u64>());
        }
        // A row that is not there has no value. Where all have one, their levels need not be looked up.
        let (len, whole, level) = (other.levels.len(), other.whole, |row: usize| other.levels.get(row));
        let levels =
            rows.clone().map(|row| if whole { (row < len).into() } else { level(row).map_or(0, |&l| l) });
        self.levels.extend(levels);
        self.whole &= !self.levels[before..].contains(&0);
        let mut bytes = 0;
        match (&mut self.values, &other.values) {
            (Values::Boolean(to), Values::Boolean(from)) => to.extend(rows.map(|row| value(from, row))),
            (Values::Integer(to, _), Values::Integer(from, _)) => {
                to.extend(rows.map(|row| value(from, row)));
            }
            (Values::Float(to), Values::Float(from)) => to.extend(rows.map(|row| value(from, row))),
            (Values::Bytes(to), Values::Bytes(from)) => {
                let begin = to.bytes.len();
                for row in rows {
                    if !to.push(if row < from.ends.len() { from.get(row) } else { &[] }) {
                        return Err(std::io::ErrorKind::OutOfMemory.into());
                    }
                }
                bytes = to.bytes.len() - begin;
            }
            _ => {}
        }
        Ok(bytes + (self.levels.len() - before) * size_of::<u64>())
    }

    /// Appends the text of a cell: nothing if there is no value, or no such row.
    pub(super) fn text(&self, row: usize, out: &mut Vec<u8>) {
        if self.levels.get(row) != Some(&1) {
            return;
        }
        match &self.values {
            Values::Boolean(values) => put(out, format_args!("{}", values[row])),
            Values::Integer(values, true) => digits(out, values[row]),
            Values::Integer(values, false) => digits(out, values[row].cast_unsigned()),
            Values::Float(values) => put(out, format_args!("{:?}", values[row])),
            Values::Bytes(texts) => out.extend_from_slice(texts.get(row)),
        }
    }

    /// A cell, if it is an integer with a sign.
    pub(super) fn integer(&self, row: usize) -> Option<i64> {
        match &self.values {
            Values::Integer(values, true) if self.levels.get(row) == Some(&1) => Some(values[row]),
            _ => None,
        }
    }

    /// Whether two cells are equal, as text and as integers. None if their texts have to be compared.
    pub(super) fn same(&self, row: usize, other: &Self, other_row: usize) -> Option<bool> {
        let levels = [self.levels.get(row)?, other.levels.get(other_row)?];
        match (&self.values, &other.values) {
            _ if levels != [&1, &1] => (levels[0] == levels[1]).then_some(true),
            (Values::Integer(ours, sign), Values::Integer(theirs, other)) if sign == other => {
                Some(ours[row] == theirs[other_row])
            }
            // Texts that differ may be equal as integers.
            (Values::Bytes(ours), Values::Bytes(theirs)) => {
                (ours.get(row) == theirs.get(other_row)).then_some(true)
            }
            _ => None,
        }
    }

    /// Whether its values are texts or other bytes.
    pub(super) const fn is_text(&self) -> bool {
        matches!(self.values, Values::Bytes(_))
    }

    /// The first byte of a text, if it has one.
    pub(super) fn first_byte(&self, row: usize) -> u8 {
        match &self.values {
            Values::Bytes(texts) if row < texts.ends.len() => texts.get(row).first().copied().unwrap_or(0),
            _ => 0,
        }
    }

    /// The bytes of all texts.
    pub(super) const fn text_bytes(&self) -> usize {
        if let Values::Bytes(texts) = &self.values { texts.bytes.len() } else { 0 }
    }

    /// The bytes of a text.
    pub(super) fn text_len(&self, row: usize) -> usize {
        match &self.values {
            Values::Bytes(texts) if row < texts.ends.len() => texts.get(row).len(),
            _ => 0,
        }
    }

    /// Writes the cells.
    pub(super) fn write(self, writer: &mut ColumnWriter<'_>) -> Result<(), ParquetError> {
        let levels = Some(&self.levels[..]);
        let there = if self.whole { &[][..] } else { &self.levels };
        match (self.values, writer) {
            (Values::Boolean(values), ColumnWriter::BoolColumnWriter(writer)) => {
                writer.write_batch(&with_value(values, there), levels, None)?;
            }
            (Values::Integer(values, _), ColumnWriter::Int64ColumnWriter(writer)) => {
                writer.write_batch(&with_value(values, there), levels, None)?;
            }
            (Values::Float(values), ColumnWriter::DoubleColumnWriter(writer)) => {
                writer.write_batch(&with_value(values, there), levels, None)?;
            }
            (Values::Bytes(Texts { bytes, ends }), ColumnWriter::ByteArrayColumnWriter(writer)) => {
                let all = ByteArray::from(bytes);
                let starts = std::iter::once(0).chain(ends.iter().copied());
                // A text without a letter is no value.
                let cells = starts.zip(ends.iter().copied()).filter(|(from, to)| from < to);
                let cells: Vec<ByteArray> = cells.map(|(from, to)| all.slice(from, to - from)).collect();
                writer.write_batch(&cells, levels, None)?;
            }
            _ => return Err(ParquetError::General(format!("column {} has another type", self.name))),
        }
        Ok(())
    }
}

/// The value of a row; of one that is not there any.
fn value<T: Copy + Default>(values: &[T], row: usize) -> T {
    values.get(row).copied().unwrap_or_default()
}

/// The values that count; all, if there are no levels.
fn with_value<T: Copy>(mut values: Vec<T>, levels: &[i16]) -> Vec<T> {
    if !levels.is_empty() {
        let mut levels = levels.iter();
        values.retain(|_| levels.next() == Some(&1));
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parquet::NO_ROW;

    /// Columns of all kinds, with the text of each cell.
    fn columns() -> Vec<(Kind, Vec<&'static str>)> {
        vec![
            (Kind::Boolean, vec!["true", "", "false", "false"]),
            (Kind::Integer, vec!["-9223372036854775808", "7", "", "1000000000000000000"]),
            (Kind::Unsigned, vec!["18446744073709551615", "", "7", "0"]),
            (Kind::Float, vec!["NaN", "-0.0", "", "0.1"]),
            (Kind::Text, vec!["", "a text", "7", ""]),
            (Kind::Bytes, vec!["x", "", "", "yz"]),
        ]
    }

    fn column(kind: Kind, cells: &[&str]) -> Column {
        let mut column = Column::new("c".into(), kind);
        cells.iter().for_each(|cell| column.push(cell.as_bytes()).expect("of this type"));
        column
    }

    fn texts(column: &Column) -> Vec<String> {
        let text = |row| {
            let mut out = Vec::new();
            column.text(row, &mut out);
            String::from_utf8(out).expect("text")
        };
        // A row more, which is not there.
        let mut all: Vec<String> = (0..=column.levels.len()).map(text).collect();
        assert_eq!(all.pop().as_deref(), Some(""));
        all
    }

    #[test]
    fn cells_keep_their_text() {
        for (kind, cells) in columns() {
            let whole = column(kind, &cells);
            assert_eq!(texts(&whole), cells, "{kind:?}");
            assert!(!whole.whole && column(kind, &cells[..1]).whole != cells[0].is_empty());
            let mut twice = column(kind, &cells);
            twice.append(column(kind, &cells)).expect("memory");
            assert_eq!(texts(&twice), [&cells[..], &cells].concat(), "{kind:?}");
            twice.fill(10);
            assert_eq!(texts(&twice)[8..], ["", ""]);
            assert_eq!(
                twice.levels.iter().filter(|&&level| level == 1).count(),
                twice.levels.len() - { 2 + 2 * cells.iter().filter(|cell| cell.is_empty()).count() }
            );
        }
        assert!(Column::new("c".into(), Kind::Integer).push(b"x").is_err());
        assert!(!Column::new("c".into(), Kind::Text).push_value(Value::Integer(1)));
    }

    #[test]
    fn cells_are_gathered_as_they_are_or_by_their_text() {
        let rows = [3, 0, NO_ROW, 1, 1, 2];
        for (kind, cells) in columns() {
            let expected = rows.map(|row| cells.get(row).copied().unwrap_or_default());
            for to in [kind, Kind::Bytes, Kind::Text] {
                let mut gathered = Column::new("to".into(), to);
                let bytes = gathered.gather(&column(kind, &cells), rows.into_iter()).expect("of this type");
                assert_eq!(texts(&gathered), expected, "{kind:?} {to:?}");
                let text = if matches!(to, Kind::Bytes | Kind::Text) { expected.concat().len() } else { 0 };
                assert_eq!(bytes, rows.len() * size_of::<u64>() + text);
                assert!(!gathered.whole);
            }
            // All rows have a value, but one of those asked for is not there.
            let there: Vec<&str> = cells.iter().copied().filter(|cell| !cell.is_empty()).collect();
            for (rows, whole) in [(&[1, 0][..], true), (&[0, NO_ROW], false)] {
                let mut gathered = Column::new("to".into(), kind);
                gathered.gather(&column(kind, &there), rows.iter().copied()).expect("of this type");
                assert_eq!(gathered.whole, whole);
                assert_eq!(texts(&gathered)[0], there[rows[0]]);
            }
        }
        let mut numbers = Column::new("to".into(), Kind::Integer);
        assert!(numbers.gather(&column(Kind::Text, &["x"]), [0].into_iter()).is_err());
    }

    #[test]
    fn equal_cells_are_known_where_texts_need_not_be_compared() {
        for (kind, cells) in columns() {
            let ours = column(kind, &cells);
            for (a, one) in cells.iter().enumerate() {
                for (b, other) in cells.iter().enumerate() {
                    if let Some(same) = ours.same(a, &ours, b) {
                        assert_eq!(same, one == other, "{kind:?} {one} {other}");
                    }
                }
            }
        }
        let (signed, unsigned) =
            (column(Kind::Integer, &["-1"]), column(Kind::Unsigned, &["18446744073709551615"]));
        assert_eq!(signed.same(0, &unsigned, 0), None);
        assert_eq!(signed.same(0, &signed, 0), Some(true));
        assert_eq!(signed.same(0, &column(Kind::Integer, &["7"]), 0), Some(false));
        assert_eq!(column(Kind::Text, &["7"]).same(0, &column(Kind::Text, &["007"]), 0), None);
    }
}
