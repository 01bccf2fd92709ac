//! Ready functions that change the value of a key that is there.

use crate::memory::Word;
use crate::outcome::outcome;

outcome! {
    /// What becomes of the value of a key that is there: a function of that value and the given one. The
    /// numbers are the codes that a kernel reads.
    ///
    /// Values are words without a sign: the bits of a `u32` or of a `u64`. So the least value is that with
    /// the least bits.
    Update {
        /// The sum, modulo 2 to the bits of a value.
        Add = 0,
        /// The lesser one.
        Min = 1,
        /// The greater one.
        Max = 2,
        /// The bits of either one.
        Or = 3,
        /// The bits that both have.
        And = 4,
        /// The bits in which they differ.
        Xor = 5,
        /// The value that is there.
        First = 6,
        /// The given one.
        Last = 7,
    }
}

impl Update {
    /// All of them, in the order of their codes.
    pub const ALL: [Self; 8] =
        [Self::Add, Self::Min, Self::Max, Self::Or, Self::And, Self::Xor, Self::First, Self::Last];

    /// The new value of a key whose value is `old`, where `given` is the value of the call.
    #[inline(always)]
    #[must_use]
    pub fn apply<V: Word>(self, old: V, given: V) -> V {
        let (a, b) = (old.to_bits(), given.to_bits());
        match self {
            Self::Add => V::from_bits(a.wrapping_add(b)),
            Self::Min => V::from_bits(a.min(b)),
            Self::Max => V::from_bits(a.max(b)),
            Self::Or => V::from_bits(a | b),
            Self::And => V::from_bits(a & b),
            Self::Xor => V::from_bits(a ^ b),
            Self::First => old,
            Self::Last => given,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_no_sign() {
        let (old, given) = (u32::MAX - 1, 3);
        let all = Update::ALL.map(|update| update.apply(old, given));
        assert_eq!(all, [1, 3, old, u32::MAX, 2, u32::MAX - 2, old, given]);
        let wide = Update::ALL.map(|update| update.apply(u64::from(old), given.into()));
        assert_eq!(wide[0], u64::from(u32::MAX) + 2);
        assert_eq!(wide[1..], all.map(u64::from)[1..]);
    }

    #[test]
    fn codes_are_those_of_the_list() {
        for (code, update) in (0..).zip(Update::ALL) {
            assert_eq!((update.code(), Update::from_code(code)), (code, Some(update)));
        }
        assert_eq!(Update::from_code(8), None);
    }
}
