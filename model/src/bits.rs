//! Types that tables hold by their bits: signed and floating-point numbers besides plain words.

use crate::key::Key;
use crate::memory::Word;

/// A key of a table, as the user gives it. The table stores its bits as a [`Key`]: those of an `i32` as a
/// `u32`, those of an `i64` as a `u64`, and a [`Key`] as it is. Two keys are equal if their bits are.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a key of a table",
    label = "not a key",
    note = "keys are `u32`, `i32`, `u64` and `i64`",
    note = "for other keys, number them or hash them to a `u64`; `examples/custom_hash.rs` has a key type of its own"
)]
pub trait TableKey: Copy + Eq + Send + Sync + 'static {
    /// The key that the table stores.
    type Bits: Key;

    /// The bits of the key.
    fn to_word(self) -> Self::Bits;
    /// The key of these bits.
    fn from_word(bits: Self::Bits) -> Self;
}

/// A value of a table, as the user gives it. The table stores its bits in a `B`; if `B` has more bits than
/// the value, the value's are the low ones and the others are zero.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a value in a table of `{B}` words",
    label = "not a value of as many bits as the key",
    note = "values are `u32`, `i32` and `f32` beside keys of 32 bits, and also `u64`, `i64` and `f64` beside keys of 64 bits",
    note = "for larger values, keep them in a `Vec` and store their index"
)]
pub trait TableValue<B: Word>: Copy + Send + Sync + 'static {
    /// The bits of the value.
    fn to_word(self) -> B;
    /// The value of these bits.
    fn from_word(bits: B) -> Self;
}

/// A value to which a table can add another: an integer. The sum wraps around.
#[diagnostic::on_unimplemented(
    message = "a table cannot add to values of type `{Self}`",
    note = "it adds to `u32`, `i32`, `u64` and `i64`"
)]
pub trait Integer {}

/// A value that a table can change in the ways of an [`Update`](crate::Update): an integer without a sign.
#[diagnostic::on_unimplemented(
    message = "a table has no ready updates for values of type `{Self}`",
    note = "it has them for `u32` and `u64`; tables on a CPU apply any function: `insert_or_apply`"
)]
pub trait Unsigned: Integer + Word {}

impl Unsigned for u32 {}
impl Unsigned for u64 {}

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
