//! Calls and returns as text: `insert_unique 5 50`, `value 50`, as in scenarios and traces.

use super::call::NAMES;
use super::{Call, Op, Ret};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

/// The error for a text that is neither a call nor a return.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError(String);

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is neither a call nor a return", self.0)
    }
}

impl core::error::Error for ParseError {}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, NAMES.iter().find(|(op, _)| op == self)) {
            (_, Some((_, name))) => f.write_str(name),
            (Self::Other(n), None) => write!(f, "op{n}"),
            (op, None) => write!(f, "{op:?}"),
        }
    }
}

impl FromStr for Op {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        if let Some((op, _)) = NAMES.iter().find(|(_, name)| *name == text) {
            return Ok(*op);
        }
        let number = text.strip_prefix("op").and_then(|n| n.parse().ok());
        number.map(Self::Other).ok_or_else(|| ParseError(text.to_string()))
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // An allocation may have a hint.
        if self.op.takes_value() || self.value != 0 {
            write!(f, "{} {} {}", self.op, self.key, self.value)
        } else {
            write!(f, "{} {}", self.op, self.key)
        }
    }
}

impl FromStr for Call {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let error = || ParseError(text.to_string());
        let mut words = text.split_whitespace();
        let op = words.next().ok_or_else(error)?.parse()?;
        let mut number = || words.next().map_or(Ok(0), |w| w.parse().map_err(|_| error()));
        let call = Self::new(op, number()?, number()?);
        if words.next().is_some() { Err(error()) } else { Ok(call) }
    }
}

const WORDS: [(Ret, &str); 8] = [
    (Ret::Done, "done"),
    (Ret::Inserted, "inserted"),
    (Ret::Present, "present"),
    (Ret::Replaced, "replaced"),
    (Ret::Added, "added"),
    (Ret::Full, "full"),
    (Ret::Deleted, "deleted"),
    (Ret::Absent, "absent"),
];

impl fmt::Display for Ret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(None) => f.write_str("value none"),
            Self::Value(Some(v)) => write!(f, "value {v}"),
            Self::Values(values) => {
                f.write_str("values")?;
                values.iter().try_for_each(|v| write!(f, " {v}"))
            }
            Self::Count(n) => write!(f, "count {n}"),
            Self::Slab(None) => f.write_str("slab none"),
            Self::Slab(Some(slab)) => write!(f, "slab {slab}"),
            Self::Each(rets) => {
                f.write_str("each ")?;
                rets.iter().enumerate().try_for_each(|(i, ret)| {
                    let comma = if i == 0 { "" } else { ", " };
                    write!(f, "{comma}{ret}")
                })
            }
            word => match WORDS.iter().find(|(ret, _)| ret == word) {
                Some((_, name)) => f.write_str(name),
                None => write!(f, "{word:?}"),
            },
        }
    }
}

impl FromStr for Ret {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        if let Some((ret, _)) = WORDS.iter().find(|(_, name)| *name == text) {
            return Ok(ret.clone());
        }
        let error = || ParseError(text.to_string());
        let (kind, rest) = text.split_once(' ').unwrap_or((text, ""));
        let number = |t: &str| t.parse::<u64>().map_err(|_| error());
        match kind {
            "value" if rest == "none" => Ok(Self::Value(None)),
            "value" => Ok(Self::Value(Some(number(rest)?))),
            "values" => Ok(Self::Values(rest.split_whitespace().map(number).collect::<Result<Vec<_>, _>>()?)),
            "count" => Ok(Self::Count(number(rest)?)),
            "each" => Ok(Self::Each(rest.split(", ").map(str::parse).collect::<Result<_, _>>()?)),
            "slab" if rest == "none" => Ok(Self::Slab(None)),
            "slab" => Ok(Self::Slab(Some(rest.parse().map_err(|_| error())?))),
            _ => Err(error()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_returns_round_trip() {
        for (op, _) in NAMES.iter().copied().chain([(Op::Other(3), "")]) {
            let call = Call::new(op, 7, if op.takes_value() { 9 } else { 0 });
            assert_eq!(call.to_string().parse(), Ok(call));
        }
        let hinted = Call::new(Op::Allocate, 0, 3);
        assert_eq!(hinted.to_string().parse(), Ok(hinted));
        let rets = [
            Ret::Value(None),
            Ret::Value(Some(4)),
            Ret::Values(Vec::new()),
            Ret::Values(alloc::vec![1, 1, 2]),
            Ret::Count(3),
            Ret::Slab(None),
            Ret::Slab(Some(2)),
            Ret::Each(alloc::vec![Ret::Full, Ret::Value(None), Ret::Value(Some(4))]),
        ];
        for ret in rets.into_iter().chain(WORDS.map(|(ret, _)| ret)) {
            assert_eq!(ret.to_string().parse(), Ok(ret));
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "insrt 5 50", "insert 5 x", "delete 5 6 7"] {
            assert!(text.parse::<Call>().is_err(), "{text}");
        }
        for text in ["", "inserte", "value", "value x", "values 1 x", "slab -1", "each full, x"] {
            assert!(text.parse::<Ret>().is_err(), "{text}");
        }
    }
}
