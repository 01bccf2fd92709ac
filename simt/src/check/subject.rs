//! A structure under check.

use super::history::{Event, linearize};
use super::linearization::Linearization;
use super::memory::{Memory, View};
use super::warp::{ArrayWarp, Hooks, SimWarp};
use super::{Breach, Kind};
use crate::seq::Alone;
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

    /// A word's name, for people; no two words have the same. Words whose names begin alike, up to a comma or a
    /// bracket, are shown together.
    fn word(&self, array: usize, index: usize) -> String {
        let arrays = self.arrays();
        format!("{}[{index}]", arrays.get(array).map_or("?", |array| array.name))
    }

    /// What the structure is and how its words are written, in sentences, for people who do not know it.
    fn about(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A [`Subject`] behind a pointer: what engines work with, so that they are compiled once.
pub trait AnySubject: Send + Sync {
    /// See [`Subject::arrays`].
    fn arrays(&self) -> Vec<Array>;
    /// [`Subject::run`] by a warp of `lanes` lanes, of which the caller knows that they are among [`LANES`].
    fn run(&self, lanes: u32, hooks: &dyn Hooks, m: View<'_>, call: &Call) -> Ret;
    /// See [`Subject::key`].
    fn key(&self, call: &Call) -> u64;
    /// See [`Subject::check_state`].
    ///
    /// # Errors
    /// What does not hold.
    fn check_state(&self, lanes: u32, m: View<'_>) -> Result<(), Breach>;
    /// See [`Subject::check_quiescent`].
    ///
    /// # Errors
    /// What does not hold.
    fn check_quiescent(&self, lanes: u32, m: View<'_>) -> Result<(), Breach>;
    /// See [`Subject::transition`].
    fn transition(&self, array: usize, index: usize, old: u128, new: u128) -> bool;
    /// See [`Subject::exhausted`].
    fn exhausted(&self, m: View<'_>) -> bool;
    /// See [`Subject::show`].
    fn show(&self, array: usize, index: usize, value: u128) -> String;
    /// See [`Subject::word`].
    fn word(&self, array: usize, index: usize) -> String;
    /// See [`Subject::about`].
    fn about(&self) -> Vec<String>;
    /// Whether the events, all of one key, are linearizable to the subject's specification.
    ///
    /// # Errors
    /// Where the search for an order ends.
    fn linearize(&self, key: u64, events: &[&Event]) -> Result<(), Linearization>;
}

/// Lanes that a warp under check may have.
pub const LANES: [u32; 3] = [1, 2, 4];

/// Calls `$body` with a warp of so many lanes.
macro_rules! with_lanes {
    ($lanes:expr, $hooks:expr, |$w:ident| $body:expr) => {
        match $lanes {
            1 => {
                let $w = &mut ArrayWarp::<1>::new($hooks);
                $body
            }
            2 => {
                let $w = &mut ArrayWarp::<2>::new($hooks);
                $body
            }
            _ => {
                let $w = &mut ArrayWarp::<4>::new($hooks);
                $body
            }
        }
    };
}

impl<S: Subject> AnySubject for S {
    fn arrays(&self) -> Vec<Array> {
        Subject::arrays(self)
    }
    fn run(&self, lanes: u32, hooks: &dyn Hooks, m: View<'_>, call: &Call) -> Ret {
        with_lanes!(lanes, hooks, |w| Subject::run(self, w, m, call))
    }
    fn key(&self, call: &Call) -> u64 {
        Subject::key(self, call)
    }
    fn check_state(&self, lanes: u32, m: View<'_>) -> Result<(), Breach> {
        with_lanes!(lanes, &Alone, |w| Subject::check_state(self, w, m))
    }
    fn check_quiescent(&self, lanes: u32, m: View<'_>) -> Result<(), Breach> {
        with_lanes!(lanes, &Alone, |w| Subject::check_quiescent(self, w, m))
    }
    fn transition(&self, array: usize, index: usize, old: u128, new: u128) -> bool {
        Subject::transition(self, array, index, old, new)
    }
    fn exhausted(&self, m: View<'_>) -> bool {
        Subject::exhausted(self, m)
    }
    fn show(&self, array: usize, index: usize, value: u128) -> String {
        Subject::show(self, array, index, value)
    }
    fn word(&self, array: usize, index: usize) -> String {
        Subject::word(self, array, index)
    }
    fn about(&self) -> Vec<String> {
        Subject::about(self)
    }
    fn linearize(&self, key: u64, events: &[&Event]) -> Result<(), Linearization> {
        linearize(&self.spec(), key, events)
    }
}

impl Breach {
    /// A breach of `kind`.
    pub fn new(kind: Kind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into() }
    }
}
