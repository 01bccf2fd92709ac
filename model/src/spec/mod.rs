//! Sequential specifications: the behaviour of a single warp, which must explain every concurrent history.
//!
//! A specification is nondeterministic: for a state, a call and its observed return it gives every state that
//! may follow, possibly none. It knows no engine, no memory and no interleaving.

mod call;
mod containers;
mod map;
mod pool;
mod sketches;
mod text;

pub use call::{Call, Op, Ret};
pub use containers::{Counter, Queue, Stack};
pub use map::{Map, Multimap, Set};
pub use pool::Pool;
pub use sketches::{Filter, Highest};
pub use text::ParseError;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Debug;
use core::hash::Hash;

/// A sequential specification, kept per history: usually that of one key.
pub trait Spec {
    /// The state of one history. Small: it is hashed and cloned at every step of a search.
    type State: Clone + Eq + Hash + Debug;

    /// The state of `key` before any call.
    fn initial(&self, key: u64) -> Self::State;

    /// Adds to `next` every state that may follow `state` when `call` returns `ret`. A return of `None` means
    /// that the call never returned: then these are all states in which it took effect. Adds nothing if the
    /// return is not allowed.
    fn step(&self, state: &Self::State, call: &Call, ret: Option<&Ret>, next: &mut Vec<Self::State>);

    /// The atomic calls that `call` stands for, all within its interval, in their order if
    /// [`in_order`](Self::in_order). Most calls stand for themselves.
    fn expand(&self, call: &Call, ret: Option<&Ret>) -> Vec<(Call, Option<Ret>)> {
        alloc::vec![(call.clone(), ret.cloned())]
    }

    /// Whether the calls that `call` stands for take effect in their order, and not in any order.
    fn in_order(&self, _call: &Call) -> bool {
        true
    }

    /// The state of `key`, for people.
    fn show(&self, _key: u64, state: &Self::State) -> String {
        format!("{state:?}")
    }
}
