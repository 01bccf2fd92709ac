//! Operations of all kinds in one batch.

use super::Operation;
use super::launch::{Arrays, Launch};
use crate::access::{OnStream, Staged};
use crate::arguments::{Head, Listed};
use crate::error::Error;
use crate::handle::Map;
use crate::layout::{Entry, Scalar};
use crate::sink::Sink;
use crate::slices::{Input, Output};
use crate::staging::{Back, Batch};
use crate::structures::Holds;
use warpproof_model::host::{Answer, Op};
use warpproof_model::outcome::Mixed;

/// Operations of all kinds on a map.
pub(crate) fn mixed<K, V>() -> Launch<impl Fn(&Head, &Arrays<K, V, V>) -> Listed> {
    Launch::of(Operation::Mixed, |head, on| head.mixed(on.ops, on.keys, on.values, on.codes, on.numbers))
}

impl<K: Scalar, V: Scalar, S: Holds<(K, V)>> OnStream<'_, Map<K, V, S>>
where
    (K, V): Entry,
{
    /// Operations of all kinds: `ops` are the codes of [`Op`](warpproof_model::outcome::Op). The outcome of a
    /// search is 1 or 0, and its value is written to `found` if it is 1. The outcome of an unknown code is
    /// 254.
    pub fn mixed(
        &self,
        ops: &impl Input<u8>,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
        found: &mut impl Output<V>,
    ) -> Result<(), Error> {
        let mut call = self.begin()?;
        let ops = call.input("operations", ops.view())?;
        let keys = call.input("keys", keys.view())?;
        let values = call.input("values", values.view())?;
        let codes = call.output("outcomes", outcomes.view_mut())?;
        let numbers = call.output("found values", found.view_mut())?;
        // SAFETY: spans that `call` gave, of the map's types.
        unsafe { self.run(call, &mixed(), Arrays { ops, keys, values, codes, numbers }) }
    }
}

impl<K: Scalar, V: Scalar, S: Holds<(K, V)>> Staged<'_, Map<K, V, S>>
where
    (K, V): Entry,
{
    /// Operations of all kinds. `values[i]` is ignored if `ops[i]` takes no value. In a map of unique keys
    /// [`Op::Insert`] is a unique insert.
    pub fn mixed(
        &mut self,
        ops: &[Op],
        keys: &[K],
        values: &[V],
        answers: impl Sink<Answer<V>>,
    ) -> Result<(), Error> {
        let batch = Batch { keys, values: Some(values), ops: Some(ops) };
        // SAFETY: the kernel writes codes and values.
        unsafe { self.run(mixed(), (Back::CodesAndNumbers, by_op(ops)), batch, answers) }
    }
}

/// Answers to operations of all kinds.
fn by_op<V: Scalar>(ops: &[Op]) -> impl Fn(usize, u8, V) -> Option<Answer<V>> + Sync {
    // Only searches write a value; the values of other operations are ignored.
    |at, code, value| Answer::new(ops[at], Mixed { code, value })
}
