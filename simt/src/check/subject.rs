//! A structure under check.

use super::history::{Event, linearize};
use super::linearization::Linearization;
use super::memory::{Access, Memory, View};
use super::warp::{ArrayWarp, Hooks, SimWarp};
use super::{Breach, Kind};
use crate::check::seq::Alone;
use std::sync::Arc;
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
    /// Which warps an access to them synchronizes with.
    pub scope: Scope,
}

/// Which warps an access synchronizes with.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Scope {
    /// All warps on the device.
    #[default]
    Device,
    /// The warps of its block.
    Block,
}

impl Array {
    /// An array of words of `width` bits.
    pub fn new(name: &'static str, width: u32, initial: Vec<u128>) -> Self {
        Self { name, width, initial, scope: Scope::Device }
    }

    /// `len` words of `width` bits, in which all bits are set.
    pub fn ones(name: &'static str, width: u32, len: usize) -> Self {
        Self::new(name, width, vec![u128::MAX >> (128 - width); len])
    }

    /// This array, with accesses that synchronize only within a block.
    #[must_use]
    pub fn in_block(self) -> Self {
        Self { scope: Scope::Block, ..self }
    }
}

/// A structure in a tiny configuration, as an engine runs it.
///
/// Only the first three methods are required. [`Subject::check_state`] and similar methods add requirements
/// besides linearizability. A subject contains no memory: everything that warps share is in its arrays.
pub trait Subject: Clone + Send + Sync + 'static {
    /// The sequential behaviour of the structure.
    type Spec: Spec;

    /// The specification.
    fn spec(&self) -> Self::Spec;

    /// The memory before the preload.
    fn arrays(&self) -> Vec<Array>;

    /// Runs one call. Arrays are numbered in the order of [`Subject::arrays`].
    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret;

    /// The history that a call belongs to. Calls of different keys are checked separately.
    fn key(&self, call: &Call) -> u64 {
        call.key
    }

    /// Checks the invariants of every state. Runs on a copy of the memory, after every write.
    ///
    /// # Errors
    /// The invariant that is violated.
    fn check_state<W: SimWarp, M: Memory>(&self, _w: &mut W, _m: M) -> Result<(), Breach> {
        Ok(())
    }

    /// Checks the invariants that hold while no call runs. Not called if a warp was stalled.
    ///
    /// # Errors
    /// The invariant that is violated.
    fn check_quiescent<W: SimWarp, M: Memory>(&self, _w: &mut W, _m: M) -> Result<(), Breach> {
        Ok(())
    }

    /// The most rounds that a call may take, whatever other warps do: the promise of a wait-free structure.
    /// More rounds are a violation.
    fn bound(&self, _call: &Call) -> Option<u32> {
        None
    }

    /// Whether an access begins a round. By default every access does: then rounds are steps.
    fn counts(&self, _array: usize, _access: Access) -> bool {
        true
    }

    /// Whether calls of [`Scenario::finally`](super::Scenario) never wait. If so, they also run after a warp
    /// has stopped for ever.
    fn reads_after_stall(&self) -> bool {
        false
    }

    /// Whether warps that make the same calls with other values can be exchanged. They can if the structure
    /// stores values without reading them and does not use a warp's number. Of executions that differ only in
    /// such an exchange, one is explored. The values in a [`Ret`] must then be values of calls, and a list of
    /// them is sorted.
    fn exchangeable(&self) -> bool {
        false
    }

    /// Whether a word may change from `old` to `new`.
    fn transition(&self, _array: usize, _index: usize, _old: u128, _new: u128) -> bool {
        true
    }

    /// Whether there is no room for a pair of `key` in this state; `None` if the structure does not report
    /// that. If it does, a `Full` is a violation unless some state that the call can have seen had no room.
    /// Otherwise a `Full` is a violation unless the scenario allows it
    /// ([`Allows::full`](super::Allows::full)).
    fn exhausted<M: Memory>(&self, _m: M, _key: u64) -> Option<bool> {
        None
    }

    /// A word's value as text: by default the number that calls use. Large values, which are mostly bits, are
    /// hexadecimal.
    fn show(&self, _array: usize, _index: usize, value: u128) -> String {
        if value < 1 << 16 { format!("{value}") } else { format!("{value:#x}") }
    }

    /// A word's name as text; names are unique. Words whose names are equal up to a comma or a bracket are
    /// shown together.
    fn word(&self, array: usize, index: usize) -> String {
        let arrays = self.arrays();
        format!("{}[{index}]", arrays.get(array).map_or("?", |array| array.name))
    }

    /// Sentences that describe the structure and the notation of its words, for readers who do not know it.
    fn about(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A [`Subject`] as a trait object. Engines use it, so that they are compiled once.
pub trait AnySubject: Send + Sync {
    /// Lanes of its warps.
    fn lanes(&self) -> u32;
    /// See [`Subject::arrays`].
    fn arrays(&self) -> Vec<Array>;
    /// See [`Subject::run`].
    fn run(&self, hooks: &dyn Hooks, m: View<'_>, call: &Call) -> Ret;
    /// See [`Subject::key`].
    fn key(&self, call: &Call) -> u64;
    /// See [`Subject::check_state`].
    ///
    /// # Errors
    /// The invariant that is violated.
    fn check_state(&self, m: View<'_>) -> Result<(), Breach>;
    /// See [`Subject::check_quiescent`].
    ///
    /// # Errors
    /// The invariant that is violated.
    fn check_quiescent(&self, m: View<'_>) -> Result<(), Breach>;
    /// See [`Subject::bound`].
    fn bound(&self, call: &Call) -> Option<u32>;
    /// See [`Subject::counts`].
    fn counts(&self, array: usize, access: Access) -> bool;
    /// See [`Subject::reads_after_stall`].
    fn reads_after_stall(&self) -> bool;
    /// See [`Subject::exchangeable`].
    fn exchangeable(&self) -> bool;
    /// See [`Subject::transition`].
    fn transition(&self, array: usize, index: usize, old: u128, new: u128) -> bool;
    /// See [`Subject::exhausted`].
    fn exhausted(&self, m: View<'_>, key: u64) -> Option<bool>;
    /// See [`Subject::show`].
    fn show(&self, array: usize, index: usize, value: u128) -> String;
    /// See [`Subject::word`].
    fn word(&self, array: usize, index: usize) -> String;
    /// See [`Subject::about`].
    fn about(&self) -> Vec<String>;
    /// Whether the events, all of one key, are linearizable to the subject's specification.
    ///
    /// # Errors
    /// The point where the search for an order ends.
    fn linearize(&self, key: u64, events: &[&Event]) -> Result<(), Linearization>;
}

/// A [`Subject`] whose warps have `L` lanes. Every number of lanes compiles the subject again.
#[derive(Clone, Debug)]
pub struct OfLanes<S, const L: usize>(pub S);

/// The numbers of lanes that [`of_lanes`] supports.
pub const LANES: [u32; 3] = [1, 2, 4];

/// A subject whose warps have so many lanes, or `None` if the number is not among [`LANES`].
pub fn of_lanes<S: Subject>(subject: S, lanes: u32) -> Option<Arc<dyn AnySubject>> {
    match lanes {
        1 => Some(Arc::new(OfLanes::<S, 1>(subject))),
        2 => Some(Arc::new(OfLanes::<S, 2>(subject))),
        4 => Some(Arc::new(OfLanes::<S, 4>(subject))),
        _ => None,
    }
}

impl<S: Subject, const L: usize> AnySubject for OfLanes<S, L> {
    fn lanes(&self) -> u32 {
        L as u32
    }
    fn arrays(&self) -> Vec<Array> {
        self.0.arrays()
    }
    fn run(&self, hooks: &dyn Hooks, m: View<'_>, call: &Call) -> Ret {
        self.0.run(&mut ArrayWarp::<L>::new(hooks), m, call)
    }
    fn key(&self, call: &Call) -> u64 {
        self.0.key(call)
    }
    fn check_state(&self, m: View<'_>) -> Result<(), Breach> {
        self.0.check_state(&mut ArrayWarp::<L>::new(&Alone(0)), m)
    }
    fn check_quiescent(&self, m: View<'_>) -> Result<(), Breach> {
        self.0.check_quiescent(&mut ArrayWarp::<L>::new(&Alone(0)), m)
    }
    fn bound(&self, call: &Call) -> Option<u32> {
        self.0.bound(call)
    }
    fn counts(&self, array: usize, access: Access) -> bool {
        self.0.counts(array, access)
    }
    fn reads_after_stall(&self) -> bool {
        self.0.reads_after_stall()
    }
    fn exchangeable(&self) -> bool {
        self.0.exchangeable()
    }
    fn transition(&self, array: usize, index: usize, old: u128, new: u128) -> bool {
        self.0.transition(array, index, old, new)
    }
    fn exhausted(&self, m: View<'_>, key: u64) -> Option<bool> {
        self.0.exhausted(m, key)
    }
    fn show(&self, array: usize, index: usize, value: u128) -> String {
        self.0.show(array, index, value)
    }
    fn word(&self, array: usize, index: usize) -> String {
        self.0.word(array, index)
    }
    fn about(&self) -> Vec<String> {
        self.0.about()
    }
    fn linearize(&self, key: u64, events: &[&Event]) -> Result<(), Linearization> {
        linearize(&self.0.spec(), key, events)
    }
}

impl Breach {
    /// A breach of `kind`.
    pub fn new(kind: Kind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into() }
    }
}
