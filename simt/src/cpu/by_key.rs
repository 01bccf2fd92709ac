//! Calls on one key at a time, in the calling thread, of tables that hold all their entries in one memory.

use super::dynamic::Dynamic;
use super::error::Error;
use super::grid::CpuTable;
use super::held::{Done, Says};
use super::map::Map;
use super::open::{Buckets, Fixed, FixedBuckets};
use super::set::Set;
use core::cell::Cell;
use core::fmt;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicU32, Ordering};
use warpproof_model::AllKeys as _;
use warpproof_model::bits::{Integer, TableKey, TableValue};
use warpproof_model::host::structure::Open;
use warpproof_model::host::{NotStored, Outcome};
use warpproof_model::outcome::{Add, Assign, Delete, Insert};

/// The words of a table.
type WordsOf<T> = <T as OneKey>::Words;
/// Its keys.
type KeyOf<T> = <WordsOf<T> as CpuTable>::Key;
/// Its values.
type ValueOf<T> = <WordsOf<T> as CpuTable>::Value;
/// Its warps.
type WarpOf<T> = <WordsOf<T> as CpuTable>::Warp;
/// The handle that these warps use.
type AllKeysOf<'a, T> = <WordsOf<T> as CpuTable>::AllKeys<'a>;

/// A table that runs an operation on one key. Only for [`ByKey`].
pub trait OneKey {
    /// Its words.
    type Words: CpuTable;

    /// Runs an operation that stores nothing; `deletes` says whether it may take an entry out.
    #[doc(hidden)]
    fn run<A>(&self, deletes: bool, f: impl FnOnce(AllKeysOf<'_, Self>, &mut WarpOf<Self>) -> A) -> A;

    /// Runs an operation that may store an entry. `f` returns its answer, and whether it stored one.
    #[doc(hidden)]
    fn store<A>(
        &self,
        f: impl FnOnce(AllKeysOf<'_, Self>, &mut WarpOf<Self>) -> (A, bool),
    ) -> Result<A, Error>;
}

/// A number for the warps of this thread that store entries: slabs are allocated at another place for each
/// number.
#[inline]
fn number() -> u32 {
    static LAST: AtomicU32 = AtomicU32::new(0);
    thread_local! {
        // A constant at first, so that no call has to ask whether it was made. 0 is no number.
        static NUMBER: Cell<u32> = const { Cell::new(0) };
    }
    NUMBER.with(|number| {
        if number.get() == 0 {
            // Relaxed: the number depends on no other memory.
            number.set(LAST.fetch_add(1, Ordering::Relaxed).wrapping_add(1));
        }
        number.get()
    })
}

/// Runs `f` with a warp of this thread.
#[inline(always)]
fn alone<C: CpuTable, A>(table: &C, number: u32, f: impl FnOnce(C::AllKeys<'_>, &mut C::Warp) -> A) -> A {
    f(table.all_keys(), &mut table.warp(number))
}

macro_rules! fixed {
    ($($table:ty, <$($value:ident)?>, $($of:ident = $is:ty),*;)*) => { $(
        impl<K: TableKey, $($value: TableValue<T::Value>,)? T: CpuTable<$($of = $is),*>> OneKey for $table {
            type Words = T;

            #[inline(always)]
            fn run<A>(&self, _: bool, f: impl FnOnce(T::AllKeys<'_>, &mut T::Warp) -> A) -> A {
                alone(&self.table, 0, f)
            }
            #[inline(always)]
            fn store<A>(
                &self,
                f: impl FnOnce(T::AllKeys<'_>, &mut T::Warp) -> (A, bool),
            ) -> Result<A, Error> {
                Ok(alone(&self.table, number(), f).0)
            }
        }
    )* };
}
fixed! {
    Map<K, V, T>, <V>, Key = K::Bits;
    Set<K, T>, <>, Key = K::Bits, Value = ();
}

impl<T: Fixed> OneKey for Dynamic<T> {
    type Words = T::Words;

    fn run<A>(&self, deletes: bool, f: impl FnOnce(AllKeysOf<'_, Self>, &mut WarpOf<Self>) -> A) -> A {
        let table = self.growing.table();
        if deletes {
            self.growing.note_deletes();
        }
        alone(table.words(), 0, f)
    }

    fn store<A>(
        &self,
        f: impl FnOnce(AllKeysOf<'_, Self>, &mut WarpOf<Self>) -> (A, bool),
    ) -> Result<A, Error> {
        // It runs once, as the one chunk of a batch of one operation.
        let (mut f, mut answer) = (Some(f), None);
        self.growing.insert(1, |table, _, _| {
            let Some(f) = f.take() else { return Ok(0) };
            let (said, stored) = alone(table.words(), number(), f);
            answer = Some(said);
            Ok(u64::from(stored))
        })?;
        answer.ok_or(Error::NotStored(ONE))
    }
}

/// The only entry of a call found no room.
const ONE: NotStored = NotStored { entries: 1, left_out: 1, first: 0 };

/// The calls on one key of a map, with `R` = `(K, V)`, or of a set, with `R` = `(K,)`: of a table `T`.
///
/// They run in the calling thread and allocate nothing, except where a table grows. Threads may call them at
/// the same time, and run batches meanwhile. A batch fetches the memory of many keys at once, which these
/// calls cannot. An entry for which there is no room is an error here.
///
/// ```
/// use warpproof_simt::cpu::OpenMap;
///
/// let map = OpenMap::<u64, u64>::with_capacity(100)?;
/// let one = map.by_key();
/// assert!(one.insert(1, 10)?);
/// assert!(!one.insert(1, 11)?, "it was there: its value is replaced");
/// assert_eq!(one.get(1), Some(11));
/// assert_eq!(one.get_or_insert_with(2, || 20)?, 20);
/// one.insert_or_add(2, 5)?;
/// assert_eq!(one.get(2), Some(25));
/// assert!(one.remove(1));
/// assert!(!one.contains(1));
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
pub struct ByKey<'a, R, T> {
    table: &'a T,
    row: PhantomData<fn() -> R>,
}

impl<'a, R, T> ByKey<'a, R, T> {
    pub(super) fn new(table: &'a T) -> Self {
        Self { table, row: PhantomData }
    }
}

impl<R, T> Clone for ByKey<'_, R, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R, T> Copy for ByKey<'_, R, T> {}

impl<R, T> fmt::Debug for ByKey<'_, R, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ByKey").finish_non_exhaustive()
    }
}

impl<R, T: OneKey> ByKey<'_, R, T> {
    /// Runs an operation that may store an entry; an error if there was no room.
    #[inline(always)]
    pub(super) fn store<A: Outcome + Says>(
        self,
        f: impl FnOnce(AllKeysOf<'_, T>, &mut WarpOf<T>) -> A,
    ) -> Result<A, Error> {
        let said = self.table.store(|t, w| {
            let said = f(t, w);
            (said, said.done() == Done::Stored)
        })?;
        if said.is_full() { Err(ONE.into()) } else { Ok(said) }
    }
}

impl<K: TableKey<Bits = KeyOf<T>>, V: TableValue<ValueOf<T>>, T: OneKey> ByKey<'_, (K, V), T> {
    /// The value of a key.
    #[inline]
    pub fn get(self, key: K) -> Option<V> {
        self.table.run(false, |t, w| t.search(w, key.to_word())).map(V::from_word)
    }

    /// Whether a key is there.
    #[inline]
    pub fn contains(self, key: K) -> bool {
        self.table.run(false, |t, w| t.search(w, key.to_word())).is_some()
    }

    /// Stores a pair, or replaces the value of its key. Returns whether the key is new.
    ///
    /// # Errors
    /// [`Error::NotStored`] if there was no room; [`Error::OutOfMemory`] if a table cannot grow. Nothing has
    /// changed then.
    #[inline]
    pub fn insert(self, key: K, value: V) -> Result<bool, Error> {
        let said = self.store(|t, w| t.insert_or_assign(w, key.to_word(), value.to_word()))?;
        Ok(said == Assign::Inserted)
    }

    /// Stores a pair if its key is not there. Returns whether it was stored.
    ///
    /// # Errors
    /// As [`insert`](Self::insert).
    #[inline]
    pub fn insert_unique(self, key: K, value: V) -> Result<bool, Error> {
        let said = self.store(|t, w| t.insert_unique(w, key.to_word(), value.to_word()))?;
        Ok(said == Insert::Inserted)
    }

    /// The value of a key. If the key is not there, stores `value()` first, unless another thread has stored
    /// one meanwhile. The closure may call the table.
    ///
    /// # Errors
    /// As [`insert`](Self::insert).
    #[inline]
    pub fn get_or_insert_with(self, key: K, value: impl FnOnce() -> V) -> Result<V, Error> {
        if let Some(found) = self.get(key) {
            return Ok(found);
        }
        let value = value();
        loop {
            if self.insert_unique(key, value)? {
                return Ok(value);
            }
            // Another thread was first; a third one may have removed the key again.
            if let Some(found) = self.get(key) {
                return Ok(found);
            }
        }
    }

    /// Removes a pair of a key. Returns whether there was one.
    #[inline]
    pub fn remove(self, key: K) -> bool {
        self.table.run(true, |t, w| t.delete(w, key.to_word())) == Delete::Deleted
    }
}

impl<K, V, T> ByKey<'_, (K, V), T>
where
    K: TableKey<Bits = KeyOf<T>>,
    V: TableValue<ValueOf<T>> + Integer,
    T: OneKey<Words: Buckets>,
{
    /// Stores a pair, or adds to the value of its key, modulo 2 to the bits of a value. Returns whether the
    /// key is new.
    ///
    /// # Errors
    /// As [`insert`](Self::insert).
    #[inline]
    pub fn insert_or_add(self, key: K, value: V) -> Result<bool, Error> {
        let said = self.store(|t, w| T::Words::insert_or_add(t, w, key.to_word(), value.to_word()))?;
        Ok(said == Add::Inserted)
    }
}

impl<K: TableKey<Bits = KeyOf<T>>, T: OneKey<Words: CpuTable<Value = ()>>> ByKey<'_, (K,), T> {
    /// Whether a key is there.
    #[inline]
    pub fn contains(self, key: K) -> bool {
        self.table.run(false, |t, w| t.search(w, key.to_word())).is_some()
    }

    /// Stores a key if it is not there. Returns whether it is new.
    ///
    /// # Errors
    /// [`Error::NotStored`] if there was no room; [`Error::OutOfMemory`] if a table cannot grow. Nothing has
    /// changed then.
    #[inline]
    pub fn insert(self, key: K) -> Result<bool, Error> {
        let said = self.store(|t, w| t.insert_unique(w, key.to_word(), ()))?;
        Ok(said == Insert::Inserted)
    }

    /// Removes a key. Returns whether it was there.
    #[inline]
    pub fn remove(self, key: K) -> bool {
        self.table.run(true, |t, w| t.delete(w, key.to_word())) == Delete::Deleted
    }
}

impl<K: TableKey, V: TableValue<T::Value>, T: CpuTable<Key = K::Bits>> Map<K, V, T> {
    /// The calls on one key at a time.
    #[inline]
    pub fn by_key(&self) -> ByKey<'_, (K, V), Self> {
        ByKey::new(self)
    }
}

impl<K: TableKey, T: CpuTable<Key = K::Bits, Value = ()>> Set<K, T> {
    /// The calls on one key at a time.
    #[inline]
    pub fn by_key(&self) -> ByKey<'_, (K,), Self> {
        ByKey::new(self)
    }
}

impl<K, V, T> Dynamic<Map<K, V, T>>
where
    K: TableKey,
    V: TableValue<T::Value>,
    T: FixedBuckets<Key = K::Bits, Structure = Open> + Send,
{
    /// The calls on one key at a time.
    #[inline]
    pub fn by_key(&self) -> ByKey<'_, (K, V), Self> {
        ByKey::new(self)
    }
}

impl<K, T> Dynamic<Set<K, T>>
where
    K: TableKey,
    T: FixedBuckets<Key = K::Bits, Value = (), Structure = Open> + Send,
{
    /// The calls on one key at a time.
    #[inline]
    pub fn by_key(&self) -> ByKey<'_, (K,), Self> {
        ByKey::new(self)
    }
}
