//! Operations of every map and set.

use super::{Array, At, Columns, Count, In, Kinds, Launch, MaybeIn, MaybeOut, Out, Tiles, Told};
use warpproof_device::{Global, Tile};
use warpproof_model::map::{DEFERRED, WarpMap};
use warpproof_model::outcome::{Mixed, Op};
use warpproof_model::paged::partition::{leads, sift};
use warpproof_model::reserved::{AllKeys, WithSlots};
use warpproof_model::{
    AtLane, Block, IntegerWords, Order, ReadOrder, UserKey, Warp, Word, Words, WriteOrder,
};

/// Tables that know of most absent keys that they are absent, without a search.
pub(crate) trait Sifts: AllKeys {
    /// Whether a key may be there.
    fn may_hold(self, key: Self::Key) -> bool;
}

impl<T: Sifts> Launch<1, T> {
    /// Answers the searches of keys that are known to be absent. Copies the keys and numbers of the other
    /// searches to adjacent places, and counts them in `left`. A thread for each operation; two shared words.
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "those of a search, and where operations go")]
    pub(crate) fn sift(
        self,
        keys: In<T::Key>,
        values: MaybeOut<T::Value>,
        found: MaybeOut<u8>,
        missing: T::Value,
        n: Count,
        (to_keys, to_numbers, left): (Array<T::Key>, Array<u32>, Array<u32>),
    ) {
        let (tile, block) = self.tiles.in_block();
        let from = block.number().saturating_mul(block.warps());
        // SAFETY: called only below `n`.
        let op = |at: u32| unsafe { At::new(at as usize) };
        let stays = |at: u32| {
            let stays = self.table.may_hold(keys.read(op(at)));
            if !stays {
                // SAFETY: this thread's own operation.
                unsafe {
                    write_found(Mixed { code: 0, value: T::Value::ZERO }, op(at), values, found, missing)
                }
            }
            stays
        };
        // SAFETY: a place for each operation, to which no other one is moved.
        let put = |at: u32, place: u32| unsafe {
            to_keys.set(place.into(), keys.read(op(at)));
            to_numbers.set(place.into(), at);
        };
        // SAFETY: one counter, which all code accesses so.
        let left = unsafe { left.words(1) };
        sift(&mut (tile, block), (from, n.0), stays, put, left);
    }
}

/// The code for [`Launch::put`] to insert pairs whose keys are absent.
pub(crate) const UNIQUE: u8 = Op::InsertUnique.code();
/// The code for [`Launch::put`] to insert pairs, or replace the values of keys that are present.
pub(crate) const ASSIGN: u8 = Op::Assign.code();

/// The outcome of an operation whose code is unknown: nothing was done.
pub(super) const UNKNOWN_OPERATION: u8 = 254;

const _: () = assert!(DEFERRED != UNKNOWN_OPERATION);

/// The operation with a code; an unknown code does not compile.
pub(super) const fn coded(code: u8) -> Op {
    match Op::from_code(code) {
        Some(op) => op,
        None => panic!("the code of an operation"),
    }
}

impl<const L: u32, T: AllKeys> Launch<L, T> {
    /// Adds pairs. An operation that is left to [`deferred`](Self::deferred) gets the code [`DEFERRED`].
    #[inline(always)]
    pub(crate) fn put<const OP: u8>(
        self,
        keys: In<T::Key>,
        values: In<T::Value>,
        outcomes: Out<u8>,
        n: Count,
    ) {
        self.tiles.per_key(keys, outcomes, n, |w, op, key| {
            match self.table.try_mixed(w, const { coded(OP) }, key, values.read(op)) {
                Some(said) => said.map(w, |said| said.code),
                None => AtLane::known(w, DEFERRED),
            }
        });
    }

    /// Deletes one pair of each key.
    #[inline(always)]
    pub(crate) fn delete(self, keys: In<T::Key>, outcomes: Out<u8>, n: Count) {
        self.tiles.per_key(keys, outcomes, n, |w, _, key| {
            self.table.mixed(w, Op::Delete, key, T::Value::ZERO).map(w, |said| said.code)
        });
    }

    /// Writes the value of one pair of each key, or `missing` if there is none. `found` gets 1 or 0.
    #[inline(always)]
    pub(crate) fn search(
        self,
        keys: In<T::Key>,
        values: MaybeOut<T::Value>,
        found: MaybeOut<u8>,
        missing: T::Value,
        n: Count,
    ) {
        self.search_some((keys, n), (values, found), missing, |_| true);
    }

    /// Searches for keys that are sorted by home, so that equal keys often stand side by side. Of each run of
    /// equal keys it answers only the first.
    #[inline(always)]
    pub(crate) fn search_runs(
        self,
        keys: In<T::Key>,
        values: MaybeOut<T::Value>,
        found: MaybeOut<u8>,
        missing: T::Value,
        n: Count,
    ) {
        // SAFETY: at most the number of the operation.
        let key = |at: u32| keys.read(unsafe { At::new(at as usize) });
        self.search_some((keys, n), (values, found), missing, |op| leads(op.number(), key));
    }

    /// Searches for the keys of the operations for which `asks` is true.
    #[inline(always)]
    fn search_some(
        self,
        (keys, n): (In<T::Key>, Count),
        (values, found): (MaybeOut<T::Value>, MaybeOut<u8>),
        missing: T::Value,
        asks: impl Fn(At) -> bool,
    ) {
        self.tiles.per_tile(n, |w, op| {
            // The branch is uniform in the tile.
            if asks(op) {
                let said = self.table.mixed(w, Op::Search, keys.read(op), T::Value::ZERO);
                // SAFETY: one lane has the answer.
                said.give(w, |said| unsafe { write_found(said, op, values, found, missing) });
            }
        });
    }

    /// Runs operations of all kinds: `ops` are codes of [`Op`]s. A search that finds its key gets outcome 1,
    /// and the value goes to `found`; a search that does not find it gets outcome 0.
    #[inline(always)]
    pub(crate) fn mixed(
        self,
        ops: In<u8>,
        keys: In<T::Key>,
        values: In<T::Value>,
        outcomes: Out<u8>,
        found: Out<T::Value>,
        n: Count,
    ) {
        self.tiles.per_key(keys, outcomes, n, |w, op, key| {
            let Some(kind) = Op::from_code(ops.read(op)) else { return AtLane::known(w, UNKNOWN_OPERATION) };
            let Some(said) = self.table.try_mixed(w, kind, key, values.read(op)) else {
                return AtLane::known(w, DEFERRED);
            };
            said.give(w, |Mixed { code, value }| {
                if kind == Op::Search && code == 1 {
                    // SAFETY: one lane has the answer.
                    unsafe { found.at(op).write(value) }
                }
            });
            said.map(w, |said| said.code)
        });
    }

    /// Writes all pairs in no particular order, as many as there is room for; adds their number to `total`,
    /// which is zero at first. No other operation on the table runs meanwhile. Three shared words.
    ///
    /// A block counts its pairs, reserves their places by one addition to `total` and then writes them.
    #[inline(always)]
    pub(crate) fn retrieve_all_parts(self, to: Columns<T::Key, T::Value>, total: Global<u64>) {
        let parts = self.table.parts();
        self.tiles.copy_parts(
            parts,
            |w, part| self.table.live(w, part),
            |w, part, first| {
                self.table.visit(w, part, |w, number, key, value| {
                    // SAFETY: the places of a block and in it are disjoint.
                    unsafe { to.put(w, first + number as u64, key, value) }
                });
            },
            total,
        );
    }
}

impl<const L: u32, T: WarpMap, R: Copy> Launch<L, WithSlots<T, R>>
where
    WithSlots<T, R>: AllKeys<Key = T::Key, Value = T::Value>,
{
    /// The code of an operation on a key of the table. Operations on reserved keys are not deferred.
    #[inline(always)]
    fn mixed_in(table: T, w: &mut Tile<L>, op: Op, key: T::Key, value: T::Value) -> AtLane<Tile<L>, u8> {
        match UserKey::new(key) {
            Some(key) => table.mixed(w, op, key, value).map(w, |said| said.code),
            None => AtLane::known(w, UNKNOWN_OPERATION),
        }
    }

    /// Runs what [`put`](Self::put) and [`mixed`](Self::mixed) deferred: inserts and assigns, in a set only
    /// unique inserts.
    #[inline(always)]
    pub(crate) fn deferred(
        self,
        kinds: Kinds,
        (keys, values): (In<T::Key>, MaybeIn<T::Value>),
        (outcomes, _): (Told, MaybeOut<T::Value>),
        n: Count,
    ) {
        let (table, is_set) = (self.table.table(), const { size_of::<T::Value>() == 0 });
        self.tiles.per_deferred(keys, outcomes, n, |w, op, key| {
            let value = values.read(op).unwrap_or(T::Value::ZERO);
            match kinds.of(op) {
                _ if is_set => Self::mixed_in(table, w, Op::InsertUnique, key, value),
                Some(kind @ (Op::Insert | Op::InsertUnique | Op::Assign)) => {
                    Self::mixed_in(table, w, kind, key, value)
                }
                _ => AtLane::known(w, UNKNOWN_OPERATION),
            }
        });
    }
}

impl<const L: u32> Tiles<L> {
    /// Copies entries, by a tile for each of `parts` parts. A tile reserves places for its `live` entries and
    /// calls `copy` with the first of them. Adds the number of all entries to `total`. Three shared words.
    #[inline(always)]
    pub(super) fn copy_parts(
        self,
        parts: u32,
        live: impl FnOnce(&mut Tile<L>, u32) -> u32,
        copy: impl FnOnce(&mut Tile<L>, u32, u64),
        total: Global<u64>,
    ) {
        /// Shared words: pairs of the block, and the place of its first pair in two halves.
        const PAIRS: usize = 0;
        const PLACE: usize = 1;
        let (mut block, mut tile) = self.block();
        let shared = block.shared();
        let part = tile.id();
        let here = part < parts;
        let live = if here { live(&mut tile, part) } else { 0 };
        // Relaxed, here and below: the barriers order the shared words; `total` is read after the launch.
        let mine = tile.elect(0, || shared.fetch_add(PAIRS, live, Order::Relaxed));
        block.sync();
        if block.rank() == 0 {
            tile.elect(0, || {
                let pairs = shared.load(PAIRS, ReadOrder::Relaxed) as u64;
                let first = total.fetch_add(0, pairs, Order::Relaxed);
                shared.store(PLACE, first as u32, WriteOrder::Relaxed);
                shared.store(PLACE + 1, (first >> 32) as u32, WriteOrder::Relaxed);
                true
            });
        }
        block.sync();
        let low = shared.load(PLACE, ReadOrder::Relaxed) as u64;
        let first = low | (shared.load(PLACE + 1, ReadOrder::Relaxed) as u64) << 32;
        if here {
            copy(&mut tile, part, first + mine as u64);
        }
    }
}

/// Writes what a search found: the value, or `missing`, and whether there is one.
///
/// # Safety
///
/// One lane calls it.
#[inline(always)]
pub(super) unsafe fn write_found<V: Word>(
    Mixed { code, value }: Mixed<V>,
    op: At,
    values: MaybeOut<V>,
    found: MaybeOut<u8>,
    missing: V,
) {
    if let Some(values) = values.at(op) {
        // SAFETY: the contract of this function.
        unsafe { values.write(if code == 1 { value } else { missing }) }
    }
    if let Some(found) = found.at(op) {
        // SAFETY: as above.
        unsafe { found.write(code) }
    }
}
