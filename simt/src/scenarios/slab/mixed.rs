//! Operations whose kind is a value, as a kernel of mixed batches runs them.

use super::subject::{Layout, SlabSubject};
use crate::check::{Array, Breach, Memory, SimWarp, Subject};
use warpproof_model::outcome::{Assign, Delete, Insert, Op as Mixed};
use warpproof_model::slab::Multiplicity;
use warpproof_model::spec::{Call, Multimap, Op, Ret};
use warpproof_model::{UserKey, Word};

/// A table whose operations all go through [`warpproof_model::slab::SlabTable::mixed`].
#[derive(Clone, Debug)]
pub struct MixedSubject<L, U, const S: usize>(SlabSubject<L, U, S>);

impl<L: Layout, U: Multiplicity, const S: usize> MixedSubject<L, U, S> {
    /// The table with mixed operations.
    pub const fn new(table: SlabSubject<L, U, S>) -> Self {
        Self(table)
    }
}

impl<L: Layout, U: Multiplicity, const S: usize> Subject for MixedSubject<L, U, S> {
    type Spec = Multimap;

    fn spec(&self) -> Multimap {
        self.0.spec()
    }

    fn arrays(&self) -> Vec<Array> {
        self.0.arrays()
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let op = match call.op {
            // In a table of unique keys both are the same.
            Op::InsertUnique if !U::MULTI && w.id() == 0 => Mixed::Insert,
            Op::InsertUnique => Mixed::InsertUnique,
            Op::InsertOrAssign => Mixed::Assign,
            Op::Delete => Mixed::Delete,
            Op::Search => Mixed::Search,
            _ => return self.0.run(w, m, call),
        };
        let Some(key) = UserKey::new(L::Key::from_bits(call.key.into())) else { return Ret::Done };
        let answer = self.0.table(m).mixed(w, op, key, L::value(call.value)).tell(w);
        let ret = match op {
            Mixed::Insert | Mixed::InsertUnique => Insert::from_code(answer.code).map(Ret::from),
            Mixed::Assign => Assign::from_code(answer.code).map(Ret::from),
            Mixed::Delete => Delete::from_code(answer.code).map(Ret::from),
            Mixed::Search => Some(Ret::Value((answer.code == 1).then(|| L::number(answer.value)))),
        };
        // A code that is none is no return of any call.
        ret.unwrap_or(Ret::Done)
    }

    fn check_state<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Result<(), Breach> {
        self.0.check_state(w, m)
    }

    fn check_quiescent<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Result<(), Breach> {
        self.0.check_quiescent(w, m)
    }

    fn transition(&self, array: usize, index: usize, old: u128, new: u128) -> bool {
        self.0.transition(array, index, old, new)
    }

    fn exhausted<M: Memory>(&self, m: M, key: u64) -> Option<bool> {
        self.0.exhausted(m, key)
    }

    fn show(&self, array: usize, index: usize, value: u128) -> String {
        self.0.show(array, index, value)
    }

    fn word(&self, array: usize, index: usize) -> String {
        Subject::word(&self.0, array, index)
    }

    fn about(&self) -> Vec<String> {
        self.0.about()
    }
}
