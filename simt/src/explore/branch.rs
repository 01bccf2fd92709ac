//! The ways that are left to go on from a graph.

use super::graph::{Graph, Id};

/// A way to go on from the events added first, the one named last.
#[derive(Clone, Copy)]
pub(super) enum Choice {
    /// `read` reads `from`.
    Read { read: Id, from: Id },
    /// `write` stands behind `before`.
    Write { write: Id, before: Id },
    /// `read` reads `by`, which was added after it.
    Revisit { read: Id, by: Id },
    /// `by` stands behind `before`, at the end of a graph that begins with its revisit.
    Place { by: Id, before: Id },
}

/// A graph and the ways that are left from it.
#[derive(Default)]
pub(super) struct Level {
    pub(super) graph: Graph,
    pub(super) choices: Vec<Choice>,
}
