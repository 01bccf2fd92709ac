//! A structure under check.

use super::history::{Event, linearizable};
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
}

/// A [`Subject`] behind a pointer: what engines work with, so that they are compiled once.
pub trait AnySubject: Send + Sync {
    /// The lanes that its warps may have.
    fn lanes(&self) -> &'static [u32];
    /// See [`Subject::arrays`].
    fn arrays(&self) -> Vec<Array>;
    /// [`Subject::run`] by a warp of `lanes` lanes, of which the caller knows that they are among [`AnySubject::lanes`].
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
    /// Whether the events, all of one key, are linearizable to the subject's specification.
    fn linearizable(&self, key: u64, events: &[&Event]) -> bool;
}

/// Lanes of the small warps that a [`Subject`] is checked with.
pub const LANES: [u32; 3] = [1, 2, 4];

/// Lanes of the warps that a [`Wide`] subject is checked with.
pub const WIDE_LANES: [u32; 2] = [8, 32];

/// A [`Subject`] with warps of real width. They are a type of their own since every width compiles the subject once
/// more, and few scenarios need these.
#[derive(Clone, Debug)]
pub struct Wide<S>(pub S);

/// Calls `$body` with a warp of so many lanes.
macro_rules! with_lanes {
    (small $lanes:expr, $hooks:expr, |$w:ident| $body:expr) => {
        match $lanes {
            1 => with_lanes!(1; $hooks, $w, $body),
            2 => with_lanes!(2; $hooks, $w, $body),
            _ => with_lanes!(4; $hooks, $w, $body),
        }
    };
    (wide $lanes:expr, $hooks:expr, |$w:ident| $body:expr) => {
        match $lanes {
            8 => with_lanes!(8; $hooks, $w, $body),
            _ => with_lanes!(32; $hooks, $w, $body),
        }
    };
    ($lanes:literal; $hooks:expr, $w:ident, $body:expr) => {{
        let $w = &mut ArrayWarp::<$lanes>::new($hooks);
        $body
    }};
}

macro_rules! any_subject {
    ($type:ty, $size:ident $lanes:ident, |$this:ident| $subject:expr) => {
        impl<S: Subject> AnySubject for $type {
            fn lanes(&self) -> &'static [u32] {
                &$lanes
            }
            fn arrays(&self) -> Vec<Array> {
                let $this = self;
                Subject::arrays($subject)
            }
            fn run(&self, lanes: u32, hooks: &dyn Hooks, m: View<'_>, call: &Call) -> Ret {
                let $this = self;
                with_lanes!($size lanes, hooks, |w| Subject::run($subject, w, m, call))
            }
            fn key(&self, call: &Call) -> u64 {
                let $this = self;
                Subject::key($subject, call)
            }
            fn check_state(&self, lanes: u32, m: View<'_>) -> Result<(), Breach> {
                let $this = self;
                with_lanes!($size lanes, &Alone, |w| Subject::check_state($subject, w, m))
            }
            fn check_quiescent(&self, lanes: u32, m: View<'_>) -> Result<(), Breach> {
                let $this = self;
                with_lanes!($size lanes, &Alone, |w| Subject::check_quiescent($subject, w, m))
            }
            fn transition(&self, array: usize, index: usize, old: u128, new: u128) -> bool {
                let $this = self;
                Subject::transition($subject, array, index, old, new)
            }
            fn exhausted(&self, m: View<'_>) -> bool {
                let $this = self;
                Subject::exhausted($subject, m)
            }
            fn show(&self, array: usize, index: usize, value: u128) -> String {
                let $this = self;
                Subject::show($subject, array, index, value)
            }
            fn linearizable(&self, key: u64, events: &[&Event]) -> bool {
                let $this = self;
                linearizable(&Subject::spec($subject), key, events)
            }
        }
    };
}
any_subject!(S, small LANES, |this| this);
any_subject!(Wide<S>, wide WIDE_LANES, |this| &this.0);

impl Breach {
    /// A breach of `kind`.
    pub fn new(kind: Kind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into() }
    }
}
