//! The bulk calls of tables that hold tables of a fixed size, which they replace or page. They are written
//! once, here, and those that change values in `open/apply.rs`.

use super::batch::Beside;
use super::dynamic::Dynamic;
use super::error::Error;
use super::grid::CpuTable;
use super::map::{Map, answer};
use super::open::{Fixed, FixedBuckets};
use super::paged::Paged;
use super::set::Set;
use warpproof_model::AllKeys as _;
use warpproof_model::bits::{TableKey, TableValue};
use warpproof_model::host::structure::Open;
use warpproof_model::host::{Answer, BulkMap, BulkSet, Op, Outcomes, same_length};
use warpproof_model::outcome::{Add, Assign, Delete, Insert};

/// The keys of a table `T`.
pub(super) type KeyOf<T> = <<T as Fixed>::Words as CpuTable>::Key;
/// The warps that work on the table.
pub(super) type WarpOf<T> = <<T as Fixed>::Words as CpuTable>::Warp;
/// The handle that these warps use.
pub(super) type AllKeysOf<'a, T> = <<T as Fixed>::Words as CpuTable>::AllKeys<'a>;

/// The effects that the operations of a batch may have on a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Effect {
    /// They read.
    Reads,
    /// They may store entries.
    Stores,
    /// They may take entries out.
    Deletes,
    /// Each of them may do any of this.
    Any,
}

/// The effect of an operation, by its answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Done {
    /// It left as many entries as before.
    Nothing,
    /// It stored an entry.
    Stored,
    /// It took an entry out.
    Deleted,
    /// It found no room.
    Full,
}

/// An answer.
pub(super) trait Says: Copy + Send + Sync {
    /// The effect of its operation.
    fn done(self) -> Done {
        Done::Nothing
    }
}

/// Answers of operations that read.
macro_rules! reads {
    ($($answer:ty),*) => { $(impl Says for $answer {})* };
}
reads!(bool, u32);
impl<V: Copy + Send + Sync> Says for Option<V> {}

/// Answers, and the effect that each of them shows.
macro_rules! says {
    ($($answer:ident: $($said:ident => $done:ident),*;)*) => {
        $(impl Says for $answer {
            fn done(self) -> Done {
                match self { $(Self::$said => Done::$done),* }
            }
        })*
    };
}
says! {
    Insert: Inserted => Stored, Present => Nothing, Full => Full;
    Assign: Inserted => Stored, Replaced => Nothing, Full => Full;
    Add: Inserted => Stored, Added => Nothing, Full => Full;
    Delete: Deleted => Deleted, Absent => Nothing;
}

impl<V: Copy + Send + Sync> Says for Answer<V> {
    fn done(self) -> Done {
        match self {
            Self::Insert(said) => said.done(),
            Self::Assign(said) => said.done(),
            Self::Delete(said) => said.done(),
            Self::Search(_) => Done::Nothing,
        }
    }
}

/// A table that holds tables `Table`.
pub(super) trait Held {
    /// The table that it holds.
    type Table: Fixed;

    /// Runs an operation for each key and its other argument, as [`run_in`](super::grid::run_in) does.
    /// Returns the answers.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] says how many operations have run: the first ones.
    fn batch<K: TableKey<Bits = KeyOf<Self::Table>>, B: Beside, A: Says>(
        &self,
        keys: &[K],
        beside: B,
        effect: Effect,
        f: impl Fn(AllKeysOf<'_, Self::Table>, &mut WarpOf<Self::Table>, KeyOf<Self::Table>, B::Item) -> A + Sync,
    ) -> Result<Vec<A>, Error>;
}

/// The operations on keys of tables that are [`Held`], of maps and of sets.
macro_rules! bulk_calls {
    ($($held:ident),*) => { $(
        impl<K, V, T> BulkMap<K, V> for $held<Map<K, V, T>>
        where
            K: TableKey,
            V: TableValue<T::Value>,
            T: FixedBuckets<Key = K::Bits, Structure = Open> + Send,
        {
            fn insert_unique(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Insert>, Error> {
                same_length(keys, "values", values)?;
                self.batch(keys, values, Effect::Stores, |t, w, key, value| {
                    t.insert_unique(w, key, value.to_word())
                }).map(Outcomes::from)
            }
            fn insert_or_assign(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Assign>, Error> {
                same_length(keys, "values", values)?;
                self.batch(keys, values, Effect::Stores, |t, w, key, value| {
                    t.insert_or_assign(w, key, value.to_word())
                }).map(Outcomes::from)
            }
            fn search(&self, keys: &[K]) -> Result<Vec<Option<V>>, Error> {
                self.batch(keys, (), Effect::Reads, |t, w, key, ()| t.search(w, key).map(V::from_word))
            }
            fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Error> {
                self.batch(keys, (), Effect::Reads, |t, w, key, ()| t.search(w, key).is_some())
            }
            fn count(&self, keys: &[K]) -> Result<Vec<u32>, Error> {
                self.batch(keys, (), Effect::Reads, |t, w, key, ()| t.count(w, key))
            }
            fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Error> {
                self.batch(keys, (), Effect::Deletes, |t, w, key, ()| t.delete(w, key))
            }
            fn mixed(&self, ops: &[Op], keys: &[K], values: &[V]) -> Result<Outcomes<Answer<V>>, Error> {
                same_length(keys, "operations", ops)?;
                same_length(keys, "values", values)?;
                self.batch(keys, (ops, values), Effect::Any, |t, w, key, (op, value)| {
                    answer::<T, V>(t, w, op, key, value)
                }).map(Outcomes::from)
            }
        }

        impl<K, T> BulkSet<K> for $held<Set<K, T>>
        where
            K: TableKey,
            T: FixedBuckets<Key = K::Bits, Value = (), Structure = Open> + Send,
        {
            fn insert(&self, keys: &[K]) -> Result<Outcomes<Insert>, Error> {
                self.batch(keys, (), Effect::Stores, |t, w, key, ()| t.insert_unique(w, key, ())).map(Outcomes::from)
            }
            fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Error> {
                self.batch(keys, (), Effect::Reads, |t, w, key, ()| t.search(w, key).is_some())
            }
            fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Error> {
                self.batch(keys, (), Effect::Deletes, |t, w, key, ()| t.delete(w, key))
            }
        }
    )* };
}
bulk_calls!(Dynamic, Paged);
