//! A batch of operations, and the code that runs a part of it.
//!
//! Rayon's threads call the operations through [`Run`]. So the code that distributes a batch is compiled once
//! for each kind of record and answer, and not for each operation of each table.

use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::{DerefMut, Range};
use warpproof_model::Warp;
use warpproof_model::bits::TableKey;

/// How many operations ahead a thread prefetches. Measured from 0 to 64 (`notes/cpu.md`).
const LOOKAHEAD: usize = 24;

/// The arguments of operations besides their keys: none, an array, or two arrays.
pub(super) trait Beside: Copy + Sync {
    /// The argument of one operation.
    type Item: Copy + Send + Sync;

    /// The argument of operation number `i`.
    fn item(self, i: usize) -> Self::Item;

    /// The arguments of the operations of a range.
    fn part(self, range: Range<usize>) -> Self;
}

impl Beside for () {
    type Item = ();

    #[inline(always)]
    fn item(self, _: usize) -> Self::Item {}

    fn part(self, _: Range<usize>) {}
}

impl<T: Copy + Send + Sync> Beside for &[T] {
    type Item = T;

    #[inline(always)]
    fn item(self, i: usize) -> T {
        self[i]
    }

    fn part(self, range: Range<usize>) -> Self {
        &self[range]
    }
}

impl<A: Beside, B: Beside> Beside for (A, B) {
    type Item = (A::Item, B::Item);

    #[inline(always)]
    fn item(self, i: usize) -> Self::Item {
        (self.0.item(i), self.1.item(i))
    }

    fn part(self, range: Range<usize>) -> Self {
        (self.0.part(range.clone()), self.1.part(range))
    }
}

/// A key, and the other argument of its operation.
pub(super) type Record<K, B> = (K, <B as Beside>::Item);

/// A batch: an operation for each key. `beside` has as many elements.
#[derive(Clone, Copy)]
pub(super) struct Batch<'a, K, B> {
    pub(super) keys: &'a [K],
    pub(super) beside: B,
}

impl<K: TableKey, B: Beside> Batch<'_, K, B> {
    /// The record of operation number `i`.
    #[inline(always)]
    pub(super) fn record(&self, i: usize) -> Record<K, B> {
        (self.keys[i], self.beside.item(i))
    }

    /// The operations of a range.
    pub(super) fn part(&self, range: Range<usize>) -> Self {
        Self { keys: &self.keys[range.clone()], beside: self.beside.part(range) }
    }
}

/// The operations on records `R`, whose answers are `T`.
///
/// # Safety
/// [`Run::run`] writes every answer, or panics.
pub(super) unsafe trait Run<R, T>: Sync {
    /// Warp number `number` runs the operations of some records one after the other. There are as many
    /// answers as records.
    fn run(&self, number: u32, records: &[R], answers: &mut [MaybeUninit<T>]);
}

/// `operation(warp, record)` for each record, with the warp from `open(number)`. `prefetch(record)` is called
/// [`LOOKAHEAD`] operations ahead, to hide the latency of the memory that the operation will access.
pub(super) struct Operations<W, O, P, F> {
    open: O,
    prefetch: P,
    operation: F,
    warp: PhantomData<fn() -> W>,
}

impl<W: Warp, O, P, F> Operations<W, O, P, F> {
    pub(super) fn new<G, R, T>(open: O, prefetch: P, operation: F) -> Self
    where
        O: Fn(u32) -> G + Sync,
        G: DerefMut<Target = W>,
        P: Fn(R) + Sync,
        F: Fn(&mut W, R) -> T + Sync,
    {
        Self { open, prefetch, operation, warp: PhantomData }
    }
}

// SAFETY: `zip` ends with the records, which are as many as the answers; each answer is written.
unsafe impl<W, O, G, R, T, P, F> Run<R, T> for Operations<W, O, P, F>
where
    W: Warp,
    O: Fn(u32) -> G + Sync,
    G: DerefMut<Target = W>,
    R: Copy,
    P: Fn(R) + Sync,
    F: Fn(&mut W, R) -> T + Sync,
{
    fn run(&self, number: u32, records: &[R], answers: &mut [MaybeUninit<T>]) {
        assert_eq!(records.len(), answers.len(), "an answer for each record");
        let mut warp = (self.open)(number);
        let warp = &mut *warp;
        records.iter().take(LOOKAHEAD).for_each(|&record| (self.prefetch)(record));
        for (i, (&record, answer)) in records.iter().zip(answers).enumerate() {
            if let Some(&ahead) = records.get(i + LOOKAHEAD) {
                (self.prefetch)(ahead);
            }
            answer.write((self.operation)(warp, record));
        }
    }
}
