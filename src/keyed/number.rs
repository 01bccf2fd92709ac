//! Numbers in cells.

use std::cmp::Ordering;

/// A number of a cell.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    /// An integer of 64 bits.
    Integer(i64),
    /// Any other decimal number; finite.
    Float(f64),
}

impl Number {
    /// Reads a number: an integer, or a decimal number with a point or an exponent.
    pub(crate) fn parse(cell: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(cell).ok()?;
        if let Ok(integer) = text.parse() {
            return Some(Self::Integer(integer));
        }
        // Else `inf` and `nan` would be numbers.
        if !text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte)) {
            return None;
        }
        text.parse().ok().filter(|float: &f64| float.is_finite()).map(Self::Float)
    }

    /// The nearest floating-point number.
    pub(crate) fn float(self) -> f64 {
        match self {
            Self::Integer(integer) => integer as f64,
            Self::Float(float) => float,
        }
    }

    /// Compares two numbers, without rounding.
    pub(crate) fn compare(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => a.cmp(&b),
            (Self::Float(a), Self::Float(b)) => a.partial_cmp(&b).unwrap_or(Ordering::Equal),
            (Self::Integer(a), Self::Float(b)) => integer_and_float(a, b),
            (Self::Float(a), Self::Integer(b)) => integer_and_float(b, a).reverse(),
        }
    }
}

fn integer_and_float(a: i64, b: f64) -> Ordering {
    /// 2^63, which is a floating-point number.
    const END: f64 = 9_223_372_036_854_775_808.0;
    if b >= END {
        return Ordering::Less;
    }
    if b < -END {
        return Ordering::Greater;
    }
    // The integer part is exact.
    a.cmp(&(b.trunc() as i64)).then(0.0.partial_cmp(&b.fract()).unwrap_or(Ordering::Equal))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read() {
        let text = |cell: &str| Number::parse(cell.as_bytes()).map(|number| format!("{number:?}"));
        for (cell, expected) in [
            ("007", "Integer(7)"),
            ("+5", "Integer(5)"),
            ("-9223372036854775808", "Integer(-9223372036854775808)"),
            ("9223372036854775808", "Float(9.223372036854776e18)"),
            ("-.5", "Float(-0.5)"),
            ("1.", "Float(1.0)"),
            ("1e3", "Float(1000.0)"),
        ] {
            assert_eq!(text(cell).as_deref(), Some(expected), "{cell}");
        }
        for cell in ["x", " 1", "1 ", "inf", "NaN", "-", ".", "e", "1e", "0x10", "1,5", "1e999", "\u{0661}"] {
            assert_eq!(text(cell), None, "{cell}");
        }
        assert!(Number::parse(b"\xff").is_none());
    }

    #[test]
    fn numbers_are_compared_without_rounding() {
        let cells = [
            "-1e30",
            "-9223372036854775809",
            "-9223372036854775807",
            "-2.5",
            "-2",
            "-1.5",
            "-0.5",
            "0",
            "0.5",
            "1",
            "1.5",
            "2",
            "9007199254740992",
            "9007199254740993",
            "9223372036854775807",
            "9223372036854775808",
            "1e30",
        ];
        let numbers = cells.map(|cell| Number::parse(cell.as_bytes()).expect("a number"));
        for (i, a) in numbers.iter().enumerate() {
            for (j, b) in numbers.iter().enumerate() {
                assert_eq!(a.compare(*b), i.cmp(&j), "{} {}", cells[i], cells[j]);
            }
        }
        let number = |cell: &[u8]| Number::parse(cell).expect("a number");
        assert_eq!(number(b"2").compare(number(b"2.0")), Ordering::Equal);
    }
}
