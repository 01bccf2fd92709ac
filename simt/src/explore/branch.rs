//! The branches of a graph that are still to be explored.

use super::graph::{Graph, Id};

/// A way to go on from the events added first, the one named last.
#[derive(Clone, Copy)]
pub(super) enum Choice {
    /// `read` reads `from`.
    Read { read: Id, from: Id },
    /// `write` is placed after `before`.
    Write { write: Id, before: Id },
    /// `read` reads `by`, which was added after it.
    Revisit { read: Id, by: Id },
    /// `by` is placed after `before`, at the end of a graph that begins with its revisit.
    Place { by: Id, before: Id },
}

/// A graph and the ways that are left from it.
#[derive(Default)]
pub(super) struct Level {
    pub(super) graph: Graph,
    pub(super) choices: Vec<Choice>,
}
