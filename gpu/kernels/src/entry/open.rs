//! Operations that only tables in one array of slots have: searches while nothing changes the table, sums of
//! values, absorbing the entries of another table, copies by whole warps.

use super::map::write_found;
use super::{At, Columns, Count, In, Kinds, Launch, MaybeIn, MaybeOut, Out, Told, UpdateCode};
#[cfg(all(feature = "tables", feature = "b128"))]
use crate::contended::contended;
use crate::store::{CHECKED, Store};
use warpproof_device::{Frozen, Global, Tile};
use warpproof_model::aggregate::{LEFT_EACH, LEFT_SLOTS, Left, add_left};
use warpproof_model::entry::{Packed, Pair32};
use warpproof_model::map::{BucketMap, CounterMap, DEFERRED, DEFERRED_SPAN};
use warpproof_model::open::{Filter, OpenSlots, OpenTable, Probing, SummingSlots};
use warpproof_model::outcome::{Add, Mixed, Op};
use warpproof_model::reserved::{AllKeys, AllKeysCounter, WithSlots};
use warpproof_model::retrieve::{LANE_SLOTS, Method, Retrieval, SlotArray, Source};
use warpproof_model::sketch::Bloom;
use warpproof_model::{AtLane, Block as _, IntegerWords, Key, Order, UserKey, Warp, Word};

/// A Bloom filter of one bit for each key. A look-up is one load.
type KeyFilter<H> = Bloom<H, 1>;

/// The content of a slot of a map, in a word.
type SlotWord<T> = <<T as BucketMap>::Entry as Packed>::Word;

impl<const L: u32, E: Packed, F, P, R, const S: usize>
    Launch<L, WithSlots<OpenTable<E, Store<E::Word>, F, P, S>, R>>
where
    Store<E::Word>: OpenSlots<E>,
    F: Filter,
    P: Probing,
    R: Copy,
    WithSlots<OpenTable<E, Frozen<E::Word, CHECKED>, F, P, S>, R>: AllKeys<Key = E::Key, Value = E::Value>,
{
    /// As [`search`](Launch::search), of a table that nothing changes during the launch: keys that many
    /// threads search are read from the cache of the multiprocessor. A key that the filter does not have is
    /// absent, and none of its buckets is read; without words there is no filter.
    ///
    /// # Safety
    ///
    /// Nothing changes the table or the filter during the launch. The filter was made by
    /// [`fill_filter`](Launch::fill_filter) after the last change of the table.
    #[inline(always)]
    pub(crate) unsafe fn search_frozen(
        self,
        keys: In<E::Key>,
        values: MaybeOut<E::Value>,
        found: MaybeOut<u8>,
        missing: E::Value,
        n: Count,
        (filter, words): (Global<u64>, u32),
    ) {
        // SAFETY: the contract of this function.
        let filter = KeyFilter::new(unsafe { Frozen::new(filter) }, words, self.table.table().seed());
        // SAFETY: likewise.
        let table = self.table.table().with_slots(|words| unsafe { Frozen::new(words) });
        let table = WithSlots::new(table, self.table.reserved());
        self.tiles.per_tile(n, |w, op| {
            let key = keys.read(op);
            // Reserved keys are not in the slots. All branches are uniform in the tile.
            let said = if words == 0 || UserKey::new(key).is_none() || filter.contains(w, key) {
                table.mixed(w, Op::Search, key, E::Value::ZERO)
            } else {
                AtLane::known(w, Mixed { code: 0, value: E::Value::ZERO })
            };
            // SAFETY: one lane has the answer.
            said.give(w, |said| unsafe { write_found(said, op, values, found, missing) });
        });
    }
}

impl<const L: u32, E: Packed, H: OpenSlots<E>, F: Filter, P: Probing, R: Copy, const S: usize>
    Launch<L, WithSlots<OpenTable<E, H, F, P, S>, R>>
{
    /// Inserts the keys of all slots into a filter of so many words, which are zero at first. A tile for each
    /// slot.
    #[inline(always)]
    pub(crate) fn fill_filter(self, (filter, words): (Global<u64>, u32)) {
        let table = self.table.table();
        let filter = KeyFilter::new(filter, words, table.seed());
        let slots = table.array();
        self.tiles.per_number(slots.slots() as u32, |w, slot| {
            let key = E::key(slots.load(slot as u64));
            if UserKey::new(key).is_some() {
                filter.insert(w, key);
            }
        });
    }
}

impl<const L: u32, T: AllKeysCounter> Launch<L, T> {
    /// Adds pairs. If a key is present, changes its value as `update` says.
    #[inline(always)]
    pub(crate) fn insert_or_update(
        self,
        update: UpdateCode,
        keys: In<T::Key>,
        values: In<T::Value>,
        outcomes: Out<u8>,
        n: Count,
    ) {
        self.tiles.per_key(keys, outcomes, n, |w, op, key| {
            let said = self.table.insert_or_update(w, update.get(), key, values.read(op));
            AtLane::known(w, said.code())
        });
    }
}

#[cfg(all(feature = "tables", feature = "b128"))]
impl<const L: u32, E, H, F, P, R, const S: usize> Launch<L, WithSlots<OpenTable<E, H, F, P, S>, R>>
where
    E: Packed,
    H: OpenSlots<E>,
    F: Filter,
    P: Probing,
    R: CounterMap<Key = E::Key, Value = E::Value>,
{
    /// As [`insert_or_update`](Self::insert_or_update), but a sum that lost an exchange to a change of the
    /// same key gets the code [`DEFERRED`], and is left to [`add_deferred`](Launch::add_deferred). So does a
    /// sum whose key lost exchanges before.
    #[inline(always)]
    pub(crate) fn try_update(
        self,
        update: UpdateCode,
        keys: In<E::Key>,
        values: In<E::Value>,
        outcomes: Out<u8>,
        n: Count,
    ) {
        let (table, reserved) = (self.table.table(), self.table.reserved());
        self.tiles.per_key(keys, outcomes, n, |w, op, key| {
            let (update, value) = (update.get(), values.read(op));
            let code = match UserKey::new(key) {
                Some(key) => {
                    table.try_update(w, update, (key, value), contended()).map_or(DEFERRED, Add::code)
                }
                None => reserved.insert_or_update(w, update, UserKey::of_reserved(key), value).code(),
            };
            AtLane::known(w, code)
        });
    }
}

/// The sums of a batch, and their outcomes.
#[derive(Clone, Copy)]
struct Sums<K> {
    keys: In<K>,
    values: MaybeIn<u64>,
    outcomes: Told,
    n: Count,
}

impl<K> Sums<K> {
    /// An operation of the batch. A number past its end is taken for the first one.
    #[inline(always)]
    fn at(self, op: u32) -> At {
        // SAFETY: below `n`; if that is zero, nothing calls this.
        unsafe { At::new(if op < self.n.0 { op as usize } else { 0 }) }
    }
}

impl<K: Key> Left for Sums<K> {
    type Key = K;

    #[inline(always)]
    fn is_left(self, op: u32) -> bool {
        self.outcomes.read(self.at(op)) == DEFERRED
    }
    #[inline(always)]
    fn key(self, op: u32) -> K {
        self.keys.read(self.at(op))
    }
    #[inline(always)]
    fn value(self, op: u32) -> u64 {
        self.values.read(self.at(op)).unwrap_or(0)
    }
    #[inline(always)]
    fn tell(self, op: u32, said: Add) {
        // SAFETY: only the thread of an operation tells it.
        unsafe { self.outcomes.0.at(self.at(op)).write(said.code()) }
    }
}

impl<E, H, F, P, R, const S: usize> Launch<1, WithSlots<OpenTable<E, H, F, P, S>, R>>
where
    E: Packed<Value = u64>,
    H: OpenSlots<E>,
    F: Filter,
    P: Probing,
    R: Copy,
{
    /// Runs the sums that [`try_update`](Launch::try_update) left. A block adds up those of equal keys among
    /// [`DEFERRED_SPAN`] operations for each of its threads, with the shared words of [`LEFT_SLOTS`] slots.
    #[inline(always)]
    pub(crate) fn add_deferred(
        self,
        _: Kinds,
        (keys, values): (In<E::Key>, MaybeIn<u64>),
        (outcomes, _): (Told, MaybeOut<u64>),
        n: Count,
    ) {
        const { assert!(DEFERRED_SPAN <= LEFT_EACH) };
        let table = self.table.table();
        let (tile, block) = self.tiles.in_block();
        let each = block.warps() * DEFERRED_SPAN;
        let first = block.number().saturating_mul(each).min(n.0);
        let range = first..first.saturating_add(each).min(n.0);
        let slot = |key: E::Key| key.hash(table.seed()).low();
        let insert = |w: &mut Tile<1>, key, sum| match UserKey::new(key) {
            Some(key) => table.insert_or_add(w, key, sum),
            // Sums of reserved keys are never left.
            None => Add::Full,
        };
        let sums = Sums { keys, values, outcomes, n };
        add_left(&mut (tile, block), (sums, range), (LEFT_SLOTS, slot), insert);
    }
}

impl<const L: u32, H, F, P, R, const S: usize> Launch<L, WithSlots<OpenTable<Pair32, H, F, P, S>, R>>
where
    H: IntegerWords<u64>,
    F: Filter,
    P: Probing,
    R: CounterMap<Key = u32, Value = u32>,
{
    /// As [`insert_or_update`](Self::insert_or_update), but a sum is added without an exchange, which would
    /// fail where many add to one key.
    #[inline(always)]
    pub(crate) fn sum_or_update(
        self,
        update: UpdateCode,
        keys: In<u32>,
        values: In<u32>,
        outcomes: Out<u8>,
        n: Count,
    ) {
        let table = self.table.table().with_slots(SummingSlots::new);
        let table = WithSlots::new(table, self.table.reserved());
        Launch { table, tiles: self.tiles }.insert_or_update(update, keys, values, outcomes, n);
    }
}

impl<const L: u32, T: BucketMap, R: CounterMap<Key = T::Key, Value = T::Value>> Launch<L, WithSlots<T, R>> {
    /// Adds the entries of another table: `slots` are its slots. Counts in `lost` the entries that found no
    /// room. Nothing else uses the table meanwhile, and it holds none of their keys.
    #[inline(always)]
    pub(crate) fn absorb(self, slots: In<SlotWord<T>>, n: Count, lost: Global<u64>) {
        self.absorb_each(|op| slots.read(op), n, lost);
    }

    /// As [`absorb`](Self::absorb), for slots whose keys and values are separate arrays.
    #[inline(always)]
    pub(crate) fn absorb_pairs(self, keys: In<T::Key>, values: In<T::Value>, n: Count, lost: Global<u64>) {
        self.absorb_each(|op| T::Entry::pack(keys.read(op), values.read(op)), n, lost);
    }

    /// As [`absorb`](Self::absorb), but `slot` reads a slot of the other table.
    #[inline(always)]
    fn absorb_each(self, slot: impl FnOnce(At) -> SlotWord<T>, n: Count, lost: Global<u64>) {
        self.tiles.per_tile(n, |w, op| {
            if !self.table.table().absorb(w, slot(op)) {
                // Relaxed: a counter, read after the launch.
                w.elect(0, || lost.fetch_add(0, 1, Order::Relaxed));
            }
        });
    }

    /// Writes all pairs in no particular order, as many as there is room for. Adds the number of all pairs to
    /// `total`, which is zero at first. No other operation on the table runs meanwhile. Needs a lane for each
    /// [`LANE_SLOTS`] slots, and the shared words of the method.
    #[inline(always)]
    pub(crate) fn retrieve_all<M: Method>(
        self,
        to: Columns<T::Key, T::Value>,
        total: Global<u64>,
        method: M,
    ) {
        let mut here = self.tiles.in_block();
        let block = here.1.number();
        if block == 0 && here.1.rank() == 0 {
            self.table.visit(&mut here.0, 0, |w, _, key, value| {
                // Relaxed: a place depends on no other memory, and the count is read after the launch.
                let place = w.elect(0, || total.fetch_add(0, 1, Order::Relaxed));
                // SAFETY: nothing else has this place.
                unsafe { to.put(w, place, key, value) }
            });
        }
        Job::new(self.table.table().array(), to, total).run(&mut here, method, block, 1);
    }

    /// As [`retrieve_all`](Self::retrieve_all), but in the order of the slots, after the reserved keys, and
    /// stores the number in `total`. There are [`chunk_words`](warpproof_model::retrieve::chunk_words)
    /// `chunks`, which are zero at first.
    #[inline(always)]
    pub(crate) fn retrieve_all_in_order(
        self,
        to: Columns<T::Key, T::Value>,
        total: Global<u64>,
        chunks: Global<u64>,
    ) {
        let mut here = self.tiles.in_block();
        // Part 0 has the reserved keys.
        let reserved = self.table.live(&mut here.0, 0).into();
        if here.1.number() == 0 && here.1.rank() == 0 {
            self.table.visit(&mut here.0, 0, |w, number, key, value| {
                // SAFETY: the places of the slots' entries are after these.
                unsafe { to.put(w, number.into(), key, value) }
            });
        }
        Job::new(self.table.table().array(), to, total).after(reserved).in_order(&mut here, chunks, 1);
    }
}

/// A lane reads rows of one slot, so that neighbouring lanes write neighbouring places.
type Job<E, H> =
    Retrieval<SlotArray<E, H>, Columns<<E as Packed>::Key, <E as Packed>::Value>, Global<u64>, LANE_SLOTS, 1>;
