//! A slab hash table in CPU memory, of any entry type: what [`super::SlabMap`] and [`super::SlabSet`] share.

use super::launch::launch;
use super::store::Store;
use super::warp::CpuWarp;
use super::words::{Array, CpuWords};
use core::fmt;
use core::marker::PhantomData;
use core::sync::atomic::AtomicU32;
use rayon::prelude::*;
use warpproof_model::host::{Op, Refused, SlabGeometry, SlabStats, left_out};
use warpproof_model::outcome::Insert;
use warpproof_model::slab::{Multiplicity, SLAB_SLOTS, SlabTable, Unique, bitmap_words, free_word};
use warpproof_model::{Key, UserKey};

/// What can go wrong on the CPU.
#[derive(Clone, PartialEq, Debug)]
pub enum Error {
    /// The input was refused; nothing ran.
    Refused(Refused),
    /// The table's memory cannot be had.
    OutOfMemory {
        /// Bytes of the table.
        bytes: u64,
    },
    /// A bulk build found no room for all pairs.
    TableFull {
        /// Pairs of the input.
        pairs: u64,
        /// How many of them did not fit.
        left_out: u64,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refused) => refused.fmt(f),
            Self::OutOfMemory { bytes } => write!(f, "out of memory: a table of {bytes} bytes cannot be had"),
            Self::TableFull { pairs, left_out } => {
                write!(f, "the table is full: {left_out} of {pairs} pairs did not fit")
            }
        }
    }
}

impl core::error::Error for Error {}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

/// The table seen by warps of `L` lanes that read `S` slots each.
pub(super) type View<'a, St, M, const S: usize> =
    SlabTable<<St as Store>::Slots<'a, M>, CpuWords<'a, AtomicU32, 16>, S>;

/// Lanes of a warp by default.
///
/// Four lanes of two slots are compared without a branch. One lane of eight slots becomes a chain of eight branches,
/// one of which is mispredicted in nearly every search.
pub const LANES: usize = 4;

/// Slots that each lane reads by default.
pub const LANE_SLOTS: usize = SLAB_SLOTS / LANES;

/// A slab hash table, run by warps of `L` lanes that read `S` slots each: a slab has `L * S` slots. `M` says how
/// often it may hold a key.
pub struct Table<St: Store, const L: usize = LANES, const S: usize = LANE_SLOTS, M = Unique> {
    store: St,
    bitmap: Array<AtomicU32, 16>,
    geometry: SlabGeometry,
    multiplicity: PhantomData<M>,
}

impl<St: Store, M: Multiplicity, const L: usize, const S: usize> Table<St, L, S, M> {
    /// An empty table.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::Refused`] as [`SlabGeometry::admit`] does.
    pub fn new(geometry: SlabGeometry) -> Result<Self, Error> {
        const { assert!(L * S >= 2, "a slab has at least one slot and its link") };
        geometry.admit((L * S) as u32)?;
        let out_of_memory =
            |_| Error::OutOfMemory { bytes: (geometry.slots() * size_of::<(St::Key, St::Value)>()) as u64 };
        let store = St::new(geometry.slots()).map_err(out_of_memory)?;
        let (words, free) = (bitmap_words(geometry.pool), |index| free_word(geometry.pool, index));
        let bitmap = Array::new(words, free).map_err(out_of_memory)?;
        Ok(Self { store, bitmap, geometry, multiplicity: PhantomData })
    }

    /// The view that operations work on: call them with a [`CpuWarp`] of `L` lanes.
    #[inline(always)]
    pub fn view(&self) -> View<'_, St, M, S> {
        SlabTable::new(self.store.slots(), self.bitmap.words(), self.geometry.buckets)
    }

    /// The size for `pairs` pairs with the slabs of this type.
    ///
    /// # Errors
    /// [`Refused::TooLarge`].
    pub fn geometry_for(pairs: u64) -> Result<SlabGeometry, Refused> {
        SlabGeometry::new(pairs, SlabGeometry::DEFAULT_LOAD, (L * S) as u32)
    }

    /// The table's size.
    pub fn geometry(&self) -> SlabGeometry {
        self.geometry
    }

    /// Memory of the table: slots and bitmap.
    pub fn bytes(&self) -> usize {
        self.store.bytes() + self.bitmap.bytes()
    }

    /// Runs `f` for every key; reserved keys are refused before anything runs.
    pub(super) fn run<T: Copy + Send + Sync>(
        &self,
        keys: &[St::Key],
        blank: T,
        f: impl Fn(View<'_, St, M, S>, &mut CpuWarp<L>, UserKey<St::Key>, usize) -> T + Sync,
    ) -> Result<Vec<T>, Error> {
        warpproof_model::host::admit(keys)?;
        let view = self.view();
        let mut out = vec![blank; keys.len()];
        let user = |i: usize| UserKey::new(keys[i]);
        launch::<L, _>(
            &mut out,
            |i| {
                if let Some(key) = user(i) {
                    view.prefetch::<CpuWarp<L>>(key);
                }
            },
            |w, i| match user(i) {
                Some(key) => f(view, w, key, i),
                // Not reached: `admit` refused the batch.
                None => blank,
            },
        );
        Ok(out)
    }

    /// A table of these entries, with room for as many. `values` are as many as the keys.
    pub(super) fn build(keys: &[St::Key], values: &[St::Value]) -> Result<Self, Error> {
        warpproof_model::host::admit(keys)?;
        let table = Self::new(Self::geometry_for(keys.len() as u64)?)?;
        let outcomes = table.run(keys, Insert::Full, |t, w, key, i| {
            // In a table of unique keys this is a unique insert.
            Insert::from_code(t.mixed(w, Op::Insert, key, values[i]).code).unwrap_or(Insert::Full)
        })?;
        match left_out(&outcomes) {
            0 => Ok(table),
            left_out => Err(Error::TableFull { pairs: keys.len() as u64, left_out }),
        }
    }

    /// Reclaims deleted pairs; returns how many slabs went back to the pool.
    pub fn flush(&mut self) -> u64 {
        let view = self.view();
        self.buckets().map(|b| view.flush(&mut CpuWarp::<L>::new(b), b) as u64).sum()
    }

    /// What the table holds. Exact if nothing changes meanwhile.
    pub fn stats(&self) -> SlabStats {
        let view = self.view();
        self.buckets()
            .fold(SlabStats::default, |mut stats, b| {
                stats.add(view.bucket_stats(&mut CpuWarp::<L>::new(b), b));
                stats
            })
            .reduce(SlabStats::default, |a, b| a.merge(&b))
    }

    /// All entries, in no particular order. Exact if nothing changes meanwhile.
    pub fn entries(&self) -> Vec<(St::Key, St::Value)> {
        let view = self.view();
        self.buckets()
            .fold(Vec::new, |mut out, b| {
                view.visit(&mut CpuWarp::<L>::new(b), b, |_, _, key, value| out.push((key, value)));
                out
            })
            .reduce(Vec::new, |mut a, mut b| {
                a.append(&mut b);
                a
            })
    }

    fn buckets(&self) -> impl IndexedParallelIterator<Item = u32> + use<St, M, L, S> {
        (0..self.geometry.buckets).into_par_iter().with_min_len(4096)
    }
}

impl<St: Store, const L: usize, const S: usize, M> fmt::Debug for Table<St, L, S, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table")
            .field("geometry", &self.geometry)
            .field("reserved_from", &St::Key::FIRST_RESERVED)
            .finish_non_exhaustive()
    }
}
