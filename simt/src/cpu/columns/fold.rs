//! Folds: what is computed for each group.

use crate::cpu::words::ask_for;

/// A state for each group of rows, computed row by row.
///
/// `Fold` is for a state that does not depend on the order of the rows, but for rounding.
///
/// ```
/// use warpproof_simt::cpu::columns::{Fold, Progress, Sum, fold_groups};
///
/// // The largest distance of two rows of a key, minus one.
/// struct Spread;
/// impl Fold for Spread {
///     type State = (u32, u32);
///     fn first(&self, row: u32) -> (u32, u32) {
///         (row, row)
///     }
///     fn add(&self, state: &mut (u32, u32), row: u32) {
///         self.merge(state, (row, row));
///     }
///     fn merge(&self, state: &mut (u32, u32), other: (u32, u32)) {
///         *state = (state.0.min(other.0), state.1.max(other.1));
///     }
/// }
/// let keys = [7u64, 8, 7, 7];
/// let (first, spread) = fold_groups(&keys, &Spread, &Progress::new())?;
/// assert_eq!(first, [0, 1]);
/// assert_eq!(spread, [(0, 3), (1, 1)]);
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
pub trait Fold: Sync {
    /// The state of a group.
    type State: Copy + Send + Sync;

    /// The state of a group of one row.
    fn first(&self, row: u32) -> Self::State;
    /// Adds a row to a group.
    fn add(&self, state: &mut Self::State, row: u32);
    /// Adds a group of other rows of the same key.
    fn merge(&self, state: &mut Self::State, other: Self::State);
    /// Prefetches what [`first`](Self::first) and [`add`](Self::add) read for a row. Rows may come in no
    /// order.
    #[inline(always)]
    fn prefetch(&self, _row: u32) {}
}

/// A number of a column of values. Integers wrap around; a NaN makes each result a NaN.
pub trait Number: Copy + Send + Sync {
    /// What numbers are added in: integers in 64 bits of their sign, floating-point numbers in `f64`.
    type Sum: Copy + Send + Sync;

    /// The number, to be added.
    fn widen(self) -> Self::Sum;
    /// The sum of two.
    fn plus(a: Self::Sum, b: Self::Sum) -> Self::Sum;
    /// The lower of two; a NaN if one is.
    fn lower(a: Self, b: Self) -> Self;
    /// The higher of two; a NaN if one is.
    fn higher(a: Self, b: Self) -> Self;
    /// The number, as a floating-point number.
    fn float(self) -> f64;
}

macro_rules! integer {
    ($($number:ty: $sum:ty),*) => {$(
        impl Number for $number {
            type Sum = $sum;

            #[inline(always)]
            fn widen(self) -> $sum {
                self.into()
            }
            #[inline(always)]
            fn plus(a: $sum, b: $sum) -> $sum {
                a.wrapping_add(b)
            }
            #[inline(always)]
            fn lower(a: Self, b: Self) -> Self {
                a.min(b)
            }
            #[inline(always)]
            fn higher(a: Self, b: Self) -> Self {
                a.max(b)
            }
            #[inline(always)]
            fn float(self) -> f64 {
                self as f64
            }
        }
    )*};
}
integer!(i32: i64, u32: u64, i64: i64, u64: u64);

macro_rules! float {
    ($($number:ty),*) => {$(
        impl Number for $number {
            type Sum = f64;

            #[inline(always)]
            fn widen(self) -> f64 {
                self.into()
            }
            #[inline(always)]
            fn plus(a: f64, b: f64) -> f64 {
                a + b
            }
            #[inline(always)]
            fn lower(a: Self, b: Self) -> Self {
                if a.is_nan() || a < b { a } else { b }
            }
            #[inline(always)]
            fn higher(a: Self, b: Self) -> Self {
                if a.is_nan() || a > b { a } else { b }
            }
            #[inline(always)]
            fn float(self) -> f64 {
                self.into()
            }
        }
    )*};
}
float!(f32, f64);

/// Nothing: for the groups alone.
impl Fold for () {
    type State = ();

    #[inline(always)]
    fn first(&self, _: u32) {}
    #[inline(always)]
    fn add(&self, (): &mut (), _: u32) {}
    #[inline(always)]
    fn merge(&self, (): &mut (), (): ()) {}
}

/// The rows of each group.
#[derive(Clone, Copy, Debug)]
pub struct Count;

impl Fold for Count {
    type State = u32;

    #[inline(always)]
    fn first(&self, _: u32) -> u32 {
        1
    }
    #[inline(always)]
    fn add(&self, state: &mut u32, _: u32) {
        *state += 1;
    }
    #[inline(always)]
    fn merge(&self, state: &mut u32, other: u32) {
        *state += other;
    }
}

/// The sum of the values of each group. The column has a value for each row.
#[derive(Clone, Copy, Debug)]
pub struct Sum<'a, N>(pub &'a [N]);

impl<N: Number> Fold for Sum<'_, N> {
    type State = N::Sum;

    #[inline(always)]
    fn first(&self, row: u32) -> N::Sum {
        self.0[row as usize].widen()
    }
    #[inline(always)]
    fn add(&self, state: &mut N::Sum, row: u32) {
        *state = N::plus(*state, self.first(row));
    }
    #[inline(always)]
    fn merge(&self, state: &mut N::Sum, other: N::Sum) {
        *state = N::plus(*state, other);
    }
    #[inline(always)]
    fn prefetch(&self, row: u32) {
        ask_for(self.0, row as usize);
    }
}

/// The sum of the values of each group as a floating-point number, and the rows: their ratio is the mean.
#[derive(Clone, Copy, Debug)]
pub struct Mean<'a, N>(pub &'a [N]);

impl<N: Number> Fold for Mean<'_, N> {
    type State = (f64, u32);

    #[inline(always)]
    fn first(&self, row: u32) -> (f64, u32) {
        (self.0[row as usize].float(), 1)
    }
    #[inline(always)]
    fn add(&self, state: &mut (f64, u32), row: u32) {
        self.merge(state, self.first(row));
    }
    #[inline(always)]
    fn merge(&self, state: &mut (f64, u32), other: (f64, u32)) {
        *state = (state.0 + other.0, state.1 + other.1);
    }
    #[inline(always)]
    fn prefetch(&self, row: u32) {
        ask_for(self.0, row as usize);
    }
}

/// The extreme of the values of each group.
macro_rules! extreme {
    ($(#[$doc:meta] $name:ident: $pick:ident;)*) => {$(
        #[$doc]
        #[derive(Clone, Copy, Debug)]
        pub struct $name<'a, N>(pub &'a [N]);

        impl<N: Number> Fold for $name<'_, N> {
            type State = N;

            #[inline(always)]
            fn first(&self, row: u32) -> N {
                self.0[row as usize]
            }
            #[inline(always)]
            fn add(&self, state: &mut N, row: u32) {
                *state = N::$pick(*state, self.0[row as usize]);
            }
            #[inline(always)]
            fn merge(&self, state: &mut N, other: N) {
                *state = N::$pick(*state, other);
            }
            #[inline(always)]
            fn prefetch(&self, row: u32) {
                ask_for(self.0, row as usize);
            }
        }
    )*};
}
extreme! {
    /// The lowest value of each group; a NaN if one is. The column has a value for each row.
    Min: lower;
    /// The highest value of each group; a NaN if one is. The column has a value for each row.
    Max: higher;
}
