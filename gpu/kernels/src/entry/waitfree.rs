//! Operations on wait-free tables.
//!
//! A kernel that updates a table has no more tiles than the table has `warps`. Each tile has a number below
//! that and a stash of nodes. In the first kernel each lane of a tile runs operations of its own. In the
//! second kernel the whole tile runs them one after the other. Launches on one table do not overlap.

use super::map::{UNKNOWN_OPERATION, coded, write_found};
use super::{
    At, Columns, Count, In, Kinds, Launch, MaybeIn, MaybeOut, Numbers, Out, Tiles, Told, deferred_in_span,
};
use crate::matrix::waitfree::NUMBERS;
use warpproof_device::{Global, Tile};
use warpproof_model::entry::Packed;
use warpproof_model::map::{DEFERRED, DEFERRED_SPAN};
use warpproof_model::outcome::{Assign, Insert, Mixed, Op};
use warpproof_model::reclaim::{NodePool, Pool, Stash};
use warpproof_model::reserved::{ReservedSlots, WithSlots, visit_reserved};
use warpproof_model::waitfree::{Company, WaitFreeTable};
use warpproof_model::{AtLane, IntegerWords, UserKey, Warp, WarpMap as _, Word, Words};

/// The code of an insert or assign that finds no free node.
const FULL: u8 = Insert::Full.code();
const _: () = assert!(FULL == Assign::Full.code());

/// The tiles of one hardware warp, all of which run the same loop over operations.
struct HardwareWarp;

impl<const L: u32> Company<Tile<L>> for HardwareWarp {
    #[inline(always)]
    fn again(&mut self, w: &mut Tile<L>, busy: bool) -> bool {
        // SAFETY: all threads of the hardware warp get one answer, so they run equally many rounds.
        unsafe { w.meet_any(busy) }
    }

    #[inline(always)]
    fn meet(&mut self, w: &mut Tile<L>) {
        // SAFETY: as above, and each round meets as often.
        unsafe { w.meet() }
    }
}

/// The kinds of the operations of a launch.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    One(Op),
    /// Each by its code.
    Each(In<u8>),
}

impl Kind {
    /// The kind of an operation, if it has one.
    #[inline(always)]
    fn of(self, op: At) -> Option<Op> {
        match self {
            Self::One(kind) => Some(kind),
            Self::Each(kinds) => Op::from_code(kinds.read(op)),
        }
    }

    /// The kind of all operations, if they have one kind.
    #[inline(always)]
    fn one(self) -> Option<Op> {
        match self {
            Self::One(kind) => Some(kind),
            Self::Each(_) => None,
        }
    }
}

/// A table, and the reserved keys.
type TableOf<E, N, H, P, const S: usize> = WithSlots<WaitFreeTable<E, N, H, P, S>, ReservedSlots<E, N>>;

impl<const L: u32, const S: usize, E, N, H, P> Launch<L, TableOf<E, N, H, P, S>>
where
    E: Packed,
    N: Words<E::Word>,
    H: IntegerWords<u64>,
    P: Pool,
{
    /// How many tiles update: all that there are, or as many as the table has numbers for.
    #[inline(always)]
    fn stride(&self) -> u32 {
        Tile::<L>::per_grid().min(self.table.table().warps())
    }

    /// This tile, whether it updates, and its stash, which the caller closes. A tile that does not update has
    /// an empty stash; it runs the same code, as the tiles of a hardware warp run one loop.
    ///
    /// This takes no closure: the compiler leaves one as large as an update out of line, with its values in
    /// local memory.
    #[inline(always)]
    fn open_stash(self) -> (Tile<L>, bool, Stash) {
        let (pool, stride, mut tile) = (self.table.table().pool(), self.stride(), self.tiles.tile());
        let has_number = tile.id() < stride;
        // The branches are uniform in the tile.
        let stash = if has_number { pool.open(&mut tile) } else { Stash::from_bits(0) };
        (tile, has_number, stash)
    }

    /// Runs `f` for every number below `n`, with a stash.
    #[inline(always)]
    pub(super) fn per_stash(self, n: u32, mut f: impl FnMut(&mut Tile<L>, usize, &mut Stash)) {
        let (pool, stride) = (self.table.table().pool(), self.stride());
        let (mut tile, has_number, mut stash) = self.open_stash();
        let rank = tile.rank_in_warp();
        // The number of the first tile of the hardware warp: the loop is uniform in it.
        let mut first = tile.id() - rank;
        while first < n {
            // Otherwise tiles that once took different branches would wait for memory one after the
            // other.
            // SAFETY: all threads of the warp have the same numbers here.
            unsafe { tile.meet() };
            let number = first + rank;
            if has_number && number < n {
                f(&mut tile, number as usize, &mut stash);
            }
            first += stride;
        }
        if has_number {
            pool.close(&mut tile, stash);
        }
    }

    /// Each lane runs operations and writes their codes: [`DEFERRED`] if the fast path leaves one, or if its
    /// key is reserved. It calls `begin` before an operation, and `done` with its answer. At the end the tile
    /// calls `rest` for each operation of its lanes.
    #[inline(always)]
    pub(super) fn per_lane(
        self,
        kind: Kind,
        (keys, values): (In<E::Key>, Option<In<E::Value>>),
        outcomes: Out<u8>,
        n: Count,
        begin: impl Fn(At),
        done: impl Fn(At, Mixed<E::Value>),
        rest: impl Fn(&mut Tile<L>, At, &mut Stash),
    ) {
        let (table, step) = (self.table.table(), self.stride() * L);
        // SAFETY: every number that comes here is below `n`.
        let at = |number: u32| unsafe { At::new(number as usize) };
        let done = |_: u32, number: u32, answer: Option<Mixed<E::Value>>| {
            let op = at(number);
            let code = answer.map_or(DEFERRED, |answer| answer.code);
            // SAFETY: one lane writes.
            unsafe { outcomes.at(op).write(code) }
            if let Some(answer) = answer {
                done(op, answer);
            }
        };
        let pool = table.pool();
        let (mut tile, has_number, mut stash) = self.open_stash();
        let first = if has_number { tile.id() * L } else { u32::MAX };
        // A value for each lane, in a register of its thread.
        let mut number = tile.each(|lane| first.saturating_add(lane));
        let next = |_: u32| {
            while number < n.0 {
                let this = number;
                number = number.saturating_add(step);
                let op = at(this);
                let code = match (UserKey::new(keys.read(op)), kind.of(op)) {
                    (Some(key), Some(kind)) => {
                        begin(op);
                        let value = values.map_or(E::Value::ZERO, |values| values.read(op));
                        return Some((this, kind, key, value));
                    }
                    // The tile runs it later, so that this kernel stays small.
                    (None, _) => DEFERRED,
                    (_, None) => UNKNOWN_OPERATION,
                };
                // SAFETY: one lane writes.
                unsafe { outcomes.at(op).write(code) }
            }
            None
        };
        table.each_lane(&mut tile, (kind.one(), &mut stash, &mut HardwareWarp), next, done);
        // Other lanes wrote outcomes.
        tile.sync();
        let mut base = first;
        while base < n.0 {
            for lane in 0..L.min(n.0 - base) {
                rest(&mut tile, at(base + lane), &mut stash);
            }
            base = base.saturating_add(step);
        }
        if has_number {
            pool.close(&mut tile, stash);
        }
    }

    /// Runs what was deferred, after nodes were made free. An operation that finds no free node gets the code
    /// [`DEFERRED`] again.
    #[inline(always)]
    pub(crate) fn update_deferred(
        self,
        kinds: Kinds,
        (keys, values): (In<E::Key>, MaybeIn<E::Value>),
        (outcomes, found): (Told, MaybeOut<E::Value>),
        n: Count,
    ) {
        let (table, reserved) = (self.table.table(), self.table.reserved());
        self.per_stash(n.0.div_ceil(DEFERRED_SPAN), |w, span, stash| {
            deferred_in_span(w, (span, n), keys, outcomes, &mut |w, op, key| {
                let Some(kind) = kinds.of(op) else { return AtLane::known(w, UNKNOWN_OPERATION) };
                let value = values.read(op).unwrap_or(E::Value::ZERO);
                if let Some(key) = UserKey::new(key) {
                    // A search of such a key always had its answer.
                    if kind == Op::Search {
                        return AtLane::known(w, UNKNOWN_OPERATION);
                    }
                    let said = table.mixed(w, (kind, key, value), stash);
                    return code(w, said, DEFERRED);
                }
                let said = reserved.mixed(w, kind, UserKey::of_reserved(key), value);
                said.give(w, |Mixed { code, value }| {
                    if kind == Op::Search
                        && code == 1
                        && let Some(found) = found.at(op)
                    {
                        // SAFETY: one lane has the answer.
                        unsafe { found.write(value) }
                    }
                });
                said.map(w, |said| said.code)
            });
        });
    }

    /// Ends what is still deferred: deletes take their pairs out in place, and inserts answer that there is
    /// no room. Nothing else runs meanwhile.
    #[inline(always)]
    pub(crate) fn last(
        self,
        kinds: Kinds,
        (keys, _): (In<E::Key>, MaybeIn<E::Value>),
        (outcomes, _): (Told, MaybeOut<E::Value>),
        n: Count,
    ) {
        let table = self.table.table();
        self.tiles.per_deferred(keys, outcomes, n, |w, op, key| {
            let code = match (UserKey::new(key), kinds.of(op)) {
                (Some(key), Some(Op::Delete)) => table.delete_in_place(w, key).code(),
                _ => FULL,
            };
            AtLane::known(w, code)
        });
    }

    /// Adds pairs. An update that the fast path does not finish gets the code [`DEFERRED`].
    #[inline(always)]
    pub(crate) fn update<const OP: u8>(
        self,
        keys: In<E::Key>,
        values: In<E::Value>,
        outcomes: Out<u8>,
        n: Count,
    ) {
        let kind = Kind::One(const { coded(OP) });
        self.per_lane(kind, (keys, Some(values)), outcomes, n, |_| {}, |_, _| {}, |_, _, _| {});
    }

    /// Takes out the pair of each key. A delete that has to replace more than one node gets the code
    /// [`DEFERRED`].
    #[inline(always)]
    pub(crate) fn remove(self, keys: In<E::Key>, outcomes: Out<u8>, n: Count) {
        self.per_lane(Kind::One(Op::Delete), (keys, None), outcomes, n, |_| {}, |_, _| {}, |_, _, _| {});
    }

    /// Writes the value of the pair of each key, or `missing` if there is none. `found` gets 1 or 0.
    #[inline(always)]
    pub(crate) fn find(
        self,
        keys: In<E::Key>,
        values: MaybeOut<E::Value>,
        found: MaybeOut<u8>,
        missing: E::Value,
        n: Count,
    ) {
        let (table, reserved) = (self.table.table(), self.table.reserved());
        self.tiles.per_tile(n, |w, op| {
            let key = keys.read(op);
            let said = match UserKey::new(key) {
                Some(key) => table.look(w, key).map(w, |value| Mixed {
                    code: u8::from(value.is_some()),
                    value: value.unwrap_or(E::Value::ZERO),
                }),
                None => reserved.mixed(w, Op::Search, UserKey::of_reserved(key), E::Value::ZERO),
            };
            // SAFETY: one lane has the answer.
            said.give(w, |said| unsafe { write_found(said, op, values, found, missing) });
        });
    }

    /// Runs operations of all kinds: `ops` are codes of [`Op`]s. A search that finds its key gets outcome 1,
    /// and the value goes to `found`. An update that has to replace more than one node gets the code
    /// [`DEFERRED`].
    #[inline(always)]
    pub(crate) fn update_mixed(
        self,
        ops: In<u8>,
        keys: In<E::Key>,
        values: In<E::Value>,
        outcomes: Out<u8>,
        found: Out<E::Value>,
        n: Count,
    ) {
        let done = |op, Mixed { code, value }| {
            if code == 1 && ops.read(op) == Op::Search.code() {
                // SAFETY: one lane writes.
                unsafe { found.at(op).write(value) }
            }
        };
        self.per_lane(Kind::Each(ops), (keys, Some(values)), outcomes, n, |_| {}, done, |_, _, _| {});
    }

    /// Adds the numbers of the table to `numbers`: entries, nodes; the longest chain is raised. Needs as many
    /// shared words.
    #[inline(always)]
    pub(crate) fn node_stats(self, numbers: Numbers<NUMBERS>) {
        let (table, reserved) = (self.table.table(), self.table.reserved());
        let buckets = table.buckets();
        self.tiles.chain_numbers::<NUMBERS>(numbers, 2, buckets + 1, |w, bucket| {
            if bucket == buckets {
                return [reserved.live(w, 0), 0, 0];
            }
            let (entries, nodes) = table.bucket_stats(w, bucket);
            [entries, nodes, nodes]
        });
    }

    /// Writes all pairs in no particular order, as many as there is room for; adds their number to `total`,
    /// which is zero at first. No other operation on the table runs meanwhile. Three shared words.
    #[inline(always)]
    pub(crate) fn retrieve_all_nodes(self, to: Columns<E::Key, E::Value>, total: Global<u64>) {
        let (table, reserved) = (self.table.table(), self.table.reserved());
        let buckets = table.buckets();
        self.tiles.copy_parts(
            buckets + 1,
            |w, bucket| match bucket {
                _ if bucket == buckets => reserved.live(w, 0),
                _ => table.bucket_stats(w, bucket).0,
            },
            |w, bucket, first| {
                let put = |w: &mut Tile<L>, number: u32, key, value| {
                    // SAFETY: the places of a block and in it are disjoint.
                    unsafe { to.put(w, first + number as u64, key, value) }
                };
                if bucket == buckets {
                    visit_reserved(reserved, w, put);
                } else {
                    table.visit(w, bucket, put);
                }
            },
            total,
        );
    }
}

impl<const L: u32, const S: usize, E, N, H, B, T> Launch<L, TableOf<E, N, H, NodePool<B, T>, S>>
where
    E: Packed,
    N: Words<E::Word>,
    H: IntegerWords<u64>,
    B: IntegerWords<u32>,
    T: IntegerWords<u64>,
{
    /// Frees the nodes that are retired or in a stash. Nothing else runs. A tile for `L` words of the bitmap,
    /// or warps.
    #[inline(always)]
    pub(crate) fn reclaim(self) {
        let pool = self.table.table().pool();
        // SAFETY: as `Launch::new`; every thread is a tile.
        let thread = unsafe { Tiles::<1>::new() }.tile();
        let number = thread.id() as usize;
        if number < pool.words() {
            pool.reclaim(number);
        }
        if number < pool.warps() {
            pool.release(number);
        }
    }
}

/// The code of an answer, or `none`.
#[inline(always)]
pub(super) fn code<const L: u32, V: Word>(
    w: &mut Tile<L>,
    said: Option<AtLane<Tile<L>, Mixed<V>>>,
    none: u8,
) -> AtLane<Tile<L>, u8> {
    match said {
        Some(said) => said.map(w, |said| said.code),
        None => AtLane::known(w, none),
    }
}
