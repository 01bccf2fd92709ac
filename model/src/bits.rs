//! Types that tables hold by their bits: signed and floating-point numbers beside the words themselves.

use crate::key::Key;
use crate::memory::Word;

/// A key of a table of keys [`Bits`](Self::Bits): `u32` and `i32` in a table of u32 keys, `u64` and `i64` in
/// one of u64 keys, and every [`Key`] in a table of its own type. Two keys are the same if their bits are.
pub trait TableKey: Copy + Eq + Send + Sync + 'static {
    /// What the table holds.
    type Bits: Key;

    /// The bits of the key.
    fn to_word(self) -> Self::Bits;
    /// The key of these bits.
    fn from_word(bits: Self::Bits) -> Self;
}

/// A value of a table of values `B`: a number of as many bits, or of fewer, which stand in the low end.
pub trait TableValue<B: Word>: Copy + Send + Sync + 'static {
    /// The bits of the value.
    fn to_word(self) -> B;
    /// The value of these bits.
    fn from_word(bits: B) -> Self;
}

/// A value that tables add to, modulo 2 to its bits: every one of [`TableValue`] that is an integer.
pub trait Integer {}

impl<K: Key> TableKey for K {
    type Bits = K;

    #[inline(always)]
    fn to_word(self) -> K {
        self
    }
    #[inline(always)]
    fn from_word(bits: K) -> K {
        bits
    }
}

impl<B: Word> TableValue<B> for B {
    #[inline(always)]
    fn to_word(self) -> B {
        self
    }
    #[inline(always)]
    fn from_word(bits: B) -> B {
        bits
    }
}

macro_rules! keys {
    ($($key:ty: $bits:ty;)*) => {$(
        impl TableKey for $key {
            type Bits = $bits;

            #[inline(always)]
            fn to_word(self) -> $bits {
                self.cast_unsigned()
            }
            #[inline(always)]
            fn from_word(bits: $bits) -> Self {
                bits.cast_signed()
            }
        }
    )*};
}
keys! {
    i32: u32;
    i64: u64;
}

macro_rules! values {
    ($($value:ty: $bits:ty, |$v:ident| $to:expr, |$b:ident| $from:expr;)*) => {$(
        impl TableValue<$bits> for $value {
            #[inline(always)]
            fn to_word(self) -> $bits {
                let $v = self;
                $to
            }
            #[inline(always)]
            fn from_word($b: $bits) -> Self {
                $from
            }
        }
    )*};
}
values! {
    i32: u32, |value| value.cast_unsigned(), |bits| bits.cast_signed();
    f32: u32, |value| value.to_bits(), |bits| f32::from_bits(bits);
    i64: u64, |value| value.cast_unsigned(), |bits| bits.cast_signed();
    f64: u64, |value| value.to_bits(), |bits| f64::from_bits(bits);
    u32: u64, |value| value.into(), |bits| bits as u32;
    i32: u64, |value| value.cast_unsigned().into(), |bits| (bits as u32).cast_signed();
    f32: u64, |value| value.to_bits().into(), |bits| f32::from_bits(bits as u32);
}

macro_rules! integers {
    ($($value:ty)*) => { $(impl Integer for $value {})* };
}
integers! { u32 i32 u64 i64 }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_their_bits() {
        for key in [i64::MIN, -1, 0, 1, i64::MAX] {
            assert_eq!(<i64 as TableKey>::from_word(TableKey::to_word(key)), key);
        }
        assert_eq!((TableKey::to_word(-1i32), TableKey::to_word(-1i64)), (u32::MAX, u64::MAX));
        fn there_and_back<B: Word, V: TableValue<B>>(value: V) -> V {
            V::from_word(value.to_word())
        }
        assert_eq!(there_and_back::<u64, f32>(-1.5), -1.5);
        assert_eq!(there_and_back::<u64, i32>(-7), -7);
        assert_eq!(there_and_back::<u32, i32>(i32::MIN), i32::MIN);
        assert_eq!(there_and_back::<u64, u32>(u32::MAX), u32::MAX);
        assert_eq!(there_and_back::<u64, f64>(f64::MIN_POSITIVE), f64::MIN_POSITIVE);
        assert!(there_and_back::<u32, f32>(f32::NAN).is_nan());
    }
}
