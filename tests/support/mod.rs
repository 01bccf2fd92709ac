//! Runs calls of the specification's vocabulary on a table of the CPU backend.

use warpproof::model::reserved::WithChain;
use warpproof::model::slab::{Multi, SlabTable, Slots};
use warpproof::model::spec::{Call, Op, Ret};
use warpproof::model::{IntegerWords, Warp, Word};

/// Runs one call with one warp.
pub(crate) fn run<C, B, W, const S: usize>(all: WithChain<SlabTable<C, B, S>>, w: &mut W, call: &Call) -> Ret
where
    C: Slots<Multiplicity = Multi>,
    B: IntegerWords<u32>,
    W: Warp,
{
    let (table, key) = all.of(C::Key::from_bits(call.key.into()));
    let value = C::Value::from_bits(call.value.into());
    match call.op {
        Op::Insert => table.insert(w, key, value).into(),
        Op::InsertUnique => table.insert_unique(w, key, value).into(),
        Op::InsertOrAssign => table.insert_or_assign(w, key, value).into(),
        Op::Search => Ret::Value(table.search(w, key).map(|v| v.to_bits() as u64)),
        Op::Count => Ret::Count(table.count(w, key).into()),
        Op::SearchAll => {
            let mut values = Vec::new();
            let count = table.search_all(w, key, |_, number, value| {
                values.truncate(number as usize);
                values.push(value.to_bits() as u64);
            });
            values.truncate(count as usize);
            values.sort_unstable();
            Ret::Values(values)
        }
        Op::Delete => table.delete(w, key).into(),
        Op::DeleteAll => Ret::Count(table.delete_all(w, key).into()),
        other => panic!("{other:?} is no operation of a map"),
    }
}

/// The operations of a multimap.
pub(crate) const OPS: [Op; 8] = [
    Op::Insert,
    Op::InsertUnique,
    Op::InsertOrAssign,
    Op::Search,
    Op::SearchAll,
    Op::Count,
    Op::Delete,
    Op::DeleteAll,
];
