//! Inserts that change the value of a key that is there by a function of the caller; and, of tables that hold
//! others, all inserts that change values.
//!
//! It is the protocol of `insert_or_add`: only the new value differs, so it is the view of the words that
//! computes it ([`Applying`]).

use super::{FixedBuckets, OpenWords};
use crate::cpu::by_key::{ByKey, OneKey};
use crate::cpu::cuckoo::CuckooWords;
use crate::cpu::dynamic::Dynamic;
use crate::cpu::error::Error;
use crate::cpu::grid::{CpuTable, run};
use crate::cpu::held::{Effect, Held as _};
use crate::cpu::map::Map;
use crate::cpu::packed::PackedWords;
use crate::cpu::paged::Paged;
use crate::cpu::warp::CpuWarp;
use warpproof_model::Update;
use warpproof_model::bits::{Integer, TableKey, TableValue, Unsigned};
use warpproof_model::host::structure::Open;
use warpproof_model::host::{BulkCounter, BulkUpdate, Outcomes, same_length};
use warpproof_model::open::{Applying, Probing};
use warpproof_model::outcome::Add;
use warpproof_model::reserved::{AllKeysCounter as _, WithSlots};

/// A table that changes a value by a function.
pub trait Applies: FixedBuckets {
    /// Adds a pair, or gives its key the value `f(value)` of the one that it has. `f` may be called more than
    /// once: only the result of the last call is stored.
    fn insert_or_apply(
        all: Self::AllKeys<'_>,
        w: &mut Self::Warp,
        key: Self::Key,
        value: Self::Value,
        f: &impl Fn(Self::Value) -> Self::Value,
    ) -> Add;
}

impl<St: PackedWords, P: Probing, const L: usize, const S: usize> Applies for OpenWords<St, L, S, P> {
    #[inline(always)]
    fn insert_or_apply(
        all: Self::AllKeys<'_>,
        w: &mut CpuWarp<L>,
        key: Self::Key,
        value: Self::Value,
        f: &impl Fn(Self::Value) -> Self::Value,
    ) -> Add {
        let table = all.table().with_slots(|words| Applying::<St::Entry, _, _>::new(words, f));
        let reserved = all.reserved().with_slots(|words| Applying::<St::Entry, _, _>::new(words, f));
        WithSlots::new(table, reserved).insert_or_add(w, key, value)
    }
}

impl<St: PackedWords, const L: usize, const S: usize> Applies for CuckooWords<St, L, S> {
    #[inline(always)]
    fn insert_or_apply(
        all: Self::AllKeys<'_>,
        w: &mut CpuWarp<L>,
        key: Self::Key,
        value: Self::Value,
        f: &impl Fn(Self::Value) -> Self::Value,
    ) -> Add {
        let table = all.table().with_words(|words| Applying::<St::Entry, _, _>::new(words, f));
        let reserved = all.reserved().with_slots(|words| Applying::<St::Entry, _, _>::new(words, f));
        WithSlots::new(table, reserved).insert_or_add(w, key, value)
    }
}

/// The operation for the pairs of a map: `f(old, given)` is the new value.
#[inline(always)]
fn apply<V: TableValue<T::Value>, T: Applies>(
    all: T::AllKeys<'_>,
    w: &mut T::Warp,
    key: T::Key,
    value: V,
    f: &impl Fn(V, V) -> V,
) -> Add {
    T::insert_or_apply(all, w, key, value.to_word(), &|old| f(V::from_word(old), value).to_word())
}

impl<K: TableKey, V: TableValue<T::Value>, T: Applies<Key = K::Bits>> Map<K, V, T> {
    /// Stores pairs. If a key is present, it gets the value `f(old, given)` of the value there and the given
    /// one, atomically: [`Add::Added`]. If a key occurs more than once in a batch, the order is not
    /// specified.
    ///
    /// Maps that have `insert_or_add` have it: [`OpenMap`](crate::cpu::OpenMap),
    /// [`CuckooMap`](crate::cpu::CuckooMap), and [`DynamicMap`](crate::cpu::DynamicMap).
    ///
    /// `f` may be called more than once for a pair, as another thread may change the value meanwhile; only
    /// the result of the last call is stored. It must not call the table.
    ///
    /// ```
    /// use warpproof_simt::cpu::OpenMap;
    ///
    /// let most = OpenMap::<u32, f32>::with_capacity(100)?;
    /// most.insert_or_apply(&[1, 2, 1], &[0.5, 3.0, 2.5], f32::max)?.all_stored()?;
    /// assert_eq!(most.by_key().get(1), Some(2.5));
    /// # Ok::<(), warpproof_simt::cpu::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`insert_or_assign`](warpproof_model::host::BulkMap::insert_or_assign).
    pub fn insert_or_apply(
        &self,
        keys: &[K],
        values: &[V],
        f: impl Fn(V, V) -> V + Sync,
    ) -> Result<Outcomes<Add>, Error> {
        Self::values_match(keys, values)?;
        run(&self.table, keys, values, |t, w, key, value| apply::<V, T>(t, w, key, value, &f))
            .map(Outcomes::from)
    }
}

impl<K, V, T> Dynamic<Map<K, V, T>>
where
    K: TableKey,
    V: TableValue<T::Value>,
    T: Applies<Key = K::Bits, Structure = Open> + Send,
{
    /// Stores pairs, or gives a key that is present the value `f(old, given)`: as [`Map::insert_or_apply`].
    ///
    /// # Errors
    /// As [`Map::insert_or_apply`].
    pub fn insert_or_apply(
        &self,
        keys: &[K],
        values: &[V],
        f: impl Fn(V, V) -> V + Sync,
    ) -> Result<Outcomes<Add>, Error> {
        same_length(keys, "values", values)?;
        let answers =
            self.batch(keys, values, Effect::Stores, |t, w, key, value| apply::<V, T>(t, w, key, value, &f));
        answers.map(Outcomes::from)
    }
}

impl<K, V, T> BulkUpdate<K, V> for Map<K, V, T>
where
    K: TableKey,
    V: TableValue<T::Value> + Unsigned,
    T: Applies<Key = K::Bits>,
{
    fn insert_or_update(&self, update: Update, keys: &[K], values: &[V]) -> Result<Outcomes<Add>, Error> {
        self.insert_or_apply(keys, values, |old, given| update.apply(old, given))
    }
}

/// Tables that others hold add to values and apply functions as these do.
macro_rules! updates {
    ($($held:ident),*) => { $(
        impl<K, V, T> BulkCounter<K, V> for $held<Map<K, V, T>>
        where
            K: TableKey,
            V: TableValue<T::Value> + Integer,
            T: FixedBuckets<Key = K::Bits, Structure = Open> + Send,
        {
            fn insert_or_add(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Add>, Error> {
                same_length(keys, "values", values)?;
                self.batch(keys, values, Effect::Stores, |t, w, key, value| {
                    T::insert_or_add(t, w, key, value.to_word())
                }).map(Outcomes::from)
            }
        }

        impl<K, V, T> BulkUpdate<K, V> for $held<Map<K, V, T>>
        where
            K: TableKey,
            V: TableValue<T::Value> + Unsigned,
            T: Applies<Key = K::Bits, Structure = Open> + Send,
        {
            fn insert_or_update(
                &self,
                update: Update,
                keys: &[K],
                values: &[V],
            ) -> Result<Outcomes<Add>, Error> {
                same_length(keys, "values", values)?;
                let f = |old, given| update.apply(old, given);
                let answers = self.batch(keys, values, Effect::Stores, |t, w, key, value| {
                    apply::<V, T>(t, w, key, value, &f)
                });
                answers.map(Outcomes::from)
            }
        }
    )* };
}
updates! { Dynamic, Paged }

impl<K, V, T> ByKey<'_, (K, V), T>
where
    K: TableKey<Bits = <T::Words as CpuTable>::Key>,
    V: TableValue<<T::Words as CpuTable>::Value>,
    T: OneKey<Words: Applies>,
{
    /// Stores a pair. If its key is there, it gets the value `f(old, given)`, atomically: as
    /// [`Map::insert_or_apply`]. Returns whether the key is new.
    ///
    /// # Errors
    /// As [`insert`](Self::insert).
    #[inline]
    pub fn insert_or_apply(self, key: K, value: V, f: impl Fn(V, V) -> V) -> Result<bool, Error> {
        let said = self.store(|t, w| apply::<V, T::Words>(t, w, key.to_word(), value, &f))?;
        Ok(said == Add::Inserted)
    }

    /// Stores a pair. If its key is there, changes its value as `update` says, atomically. Returns whether
    /// the key is new.
    ///
    /// # Errors
    /// As [`insert`](Self::insert).
    #[inline]
    pub fn insert_or_update(self, update: Update, key: K, value: V) -> Result<bool, Error>
    where
        V: Unsigned,
    {
        self.insert_or_apply(key, value, |old, given| update.apply(old, given))
    }
}
