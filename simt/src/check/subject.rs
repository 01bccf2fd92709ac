//! A structure under check.

use super::memory::Memory;
use super::warp::SimWarp;
use super::{Breach, Kind};
use warpproof_model::spec::{Call, Ret, Spec};

/// One array of a structure's memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    /// Its name in traces.
    pub name: &'static str,
    /// Bits per word: 32, 64 or 128.
    pub width: u32,
    /// What the words hold at first.
    pub initial: Vec<u128>,
}

impl Array {
    /// An array of words of `width` bits.
    pub fn new(name: &'static str, width: u32, initial: Vec<u128>) -> Self {
        Self { name, width, initial }
    }
}

/// A structure in a tiny configuration, as an engine runs it.
///
/// Only the first three methods are needed; [`Subject::check_state`] and its kin add what must hold besides
/// linearizability. A subject holds no memory of its own: everything that warps share is in its arrays.
pub trait Subject: Clone + Send + Sync + 'static {
    /// What the structure is, sequentially.
    type Spec: Spec;

    /// The specification.
    fn spec(&self) -> Self::Spec;

    /// The memory, as it is before the preload.
    fn arrays(&self) -> Vec<Array>;

    /// Runs one call. Arrays are numbered in the order of [`Subject::arrays`].
    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret;

    /// Which history a call belongs to. Calls of different keys are checked on their own.
    fn key(&self, call: &Call) -> u64 {
        call.key
    }

    /// What holds in every state. Runs on a copy, after every write.
    ///
    /// # Errors
    /// What does not hold.
    fn check_state<W: SimWarp, M: Memory>(&self, _w: &mut W, _m: M) -> Result<(), Breach> {
        Ok(())
    }

    /// What holds when no call is under way. Not asked for when a warp was stalled.
    ///
    /// # Errors
    /// What does not hold.
    fn check_quiescent<W: SimWarp, M: Memory>(&self, _w: &mut W, _m: M) -> Result<(), Breach> {
        Ok(())
    }

    /// Whether a word may change from `old` to `new`.
    fn transition(&self, _array: usize, _index: usize, _old: u128, _new: u128) -> bool {
        true
    }

    /// Whether the pool is exhausted in this state. A `Full` without any such state is a violation.
    fn exhausted<M: Memory>(&self, _m: M) -> bool {
        true
    }

    /// A word's value, for people.
    fn show(&self, _array: usize, _index: usize, value: u128) -> String {
        format!("{value:x}")
    }
}

impl Breach {
    /// A breach of `kind`.
    pub fn new(kind: Kind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into() }
    }
}
