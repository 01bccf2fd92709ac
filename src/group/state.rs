//! What is known of the values of a group.

use crate::keyed::number::Number;
use std::cmp::Ordering;

/// What is known of the values of a group in one column.
#[derive(Clone, Default)]
pub(super) struct State {
    values: u32,
    /// The sum of the integers. It fits: there are fewer than 2^32 of 64 bits.
    integers: i128,
    /// The sum of all values, added as floating-point numbers in their order, and whether it is asked for.
    floats: f64,
    has_float: bool,
    lowest: Option<(Number, u32)>,
    highest: Option<(Number, u32)>,
}

impl State {
    /// Adds a value of this row.
    pub(super) fn add(&mut self, value: Number, row: u32) {
        self.values += 1;
        match value {
            Number::Integer(integer) => self.integers += i128::from(integer),
            Number::Float(_) => self.has_float = true,
        }
        self.floats += value.float();
        // Of equal values the first one stays.
        if self.lowest.is_none_or(|(lowest, _)| value.compare(lowest) == Ordering::Less) {
            self.lowest = Some((value, row));
        }
        if self.highest.is_none_or(|(highest, _)| value.compare(highest) == Ordering::Greater) {
            self.highest = Some((value, row));
        }
    }

    /// The sum, as text, if there is a value.
    pub(super) fn sum(&self) -> Option<String> {
        match (self.values, self.has_float) {
            (0, _) => None,
            (_, false) => Some(self.integers.to_string()),
            (_, true) => Some(float(self.floats)),
        }
    }

    /// Whether the sum is an integer of 64 bits, or there is no value.
    pub(super) fn is_integer(&self) -> bool {
        !self.has_float && i64::try_from(self.integers).is_ok()
    }

    /// The mean, as text, if there is a value.
    pub(super) fn mean(&self) -> Option<String> {
        let sum = if self.has_float { self.floats } else { self.integers as f64 };
        (self.values > 0).then(|| float(sum / f64::from(self.values)))
    }

    /// The row of the lowest value, if there is a value.
    pub(super) fn lowest(&self) -> Option<u32> {
        self.lowest.map(|(_, row)| row)
    }

    /// The row of the highest value, if there is a value.
    pub(super) fn highest(&self) -> Option<u32> {
        self.highest.map(|(_, row)| row)
    }
}

/// The shortest text that is read as this number again.
fn float(number: f64) -> String {
    format!("{number:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(cells: &[&str]) -> State {
        let mut state = State::default();
        for (row, cell) in cells.iter().enumerate() {
            state.add(Number::parse(cell.as_bytes()).expect("a number"), row as u32);
        }
        state
    }

    #[test]
    fn sums_of_integers_are_exact() {
        let most = i64::MAX.to_string();
        let state = of(&[&most, &most, "1", "1"]);
        assert_eq!(state.sum().as_deref(), Some("18446744073709551616"));
        assert_eq!(state.mean().as_deref(), Some("4.611686018427388e18"));
        assert_eq!((state.lowest(), state.highest()), (Some(2), Some(0)));
        assert_eq!(of(&["1", "0.5"]).sum().as_deref(), Some("1.5"));
        assert_eq!(of(&["0.5", "1.5"]).mean().as_deref(), Some("1.0"));
        assert_eq!(of(&["3", "1.0", "1", "3.0"]).lowest(), Some(1));
        let nothing = of(&[]);
        assert_eq!((nothing.sum(), nothing.mean(), nothing.lowest()), (None, None, None));
    }
}
