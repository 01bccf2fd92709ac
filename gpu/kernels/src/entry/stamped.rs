//! Operations with time stamps, and operations whose lost exchanges are counted.

use super::map::UNKNOWN_OPERATION;
use super::waitfree::{Kind, code};
use super::{At, Count, In, Launch, MaybeOut, Out, Told};
use warpproof_device::{Global, Tile};
use warpproof_model::entry::Packed;
use warpproof_model::map::DEFERRED;
use warpproof_model::outcome::{Mixed, Op};
use warpproof_model::reclaim::Pool;
use warpproof_model::reserved::{AllKeys, ReservedSlots as Reserved, WithSlots};
use warpproof_model::waitfree::WaitFreeTable;
use warpproof_model::{AtLane, IntegerWords, Order, UserKey, Warp, WarpMap as _, Word, Words};

impl<const L: u32, T: AllKeys> Launch<L, T> {
    /// As [`mixed`](Self::mixed), with two time stamps. `starts` and `ends` get the number of the clock right
    /// before and right after each operation; no two of all these numbers are equal.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "the arrays of a kernel")]
    pub(crate) fn stamped(
        self,
        ops: In<u8>,
        keys: In<T::Key>,
        values: In<T::Value>,
        outcomes: Out<u8>,
        found: MaybeOut<T::Value>,
        clock: Global<u64>,
        starts: Out<u64>,
        ends: Out<u64>,
        n: Count,
    ) {
        self.tiles.per_key(keys, outcomes, n, |w, op, key| {
            let Some(kind) = Op::from_code(ops.read(op)) else { return AtLane::known(w, UNKNOWN_OPERATION) };
            let value = values.read(op);
            let start = stamp(w, clock);
            let said = self.table.mixed(w, kind, key, value);
            // The stamp tells other operations of this call.
            w.fence_acquire();
            let end = stamp(w, clock);
            starts.write(w, op, start);
            ends.write(w, op, end);
            // SAFETY: one lane has the answer.
            said.give(w, |said| unsafe { write_stamped(kind.code(), said, op, found) });
            said.map(w, |said| said.code)
        });
    }
}

/// The number of the clock, which then goes on by one. Lane 0 reads it; the other lanes are separate threads.
/// The first `sync` puts what they did before it, and the second puts what they do next after it.
#[inline(always)]
fn stamp<const L: u32>(w: &mut Tile<L>, clock: Global<u64>) -> u64 {
    w.sync();
    // AcqRel: pairs with the stamps of all other operations. What a tile did before its second stamp is
    // visible to every tile whose first stamp is later.
    let now = w.elect(0, || clock.fetch_add(0, 1, Order::AcqRel));
    w.sync();
    now
}

impl<const L: u32, const S: usize, E, N, H, P>
    Launch<L, WithSlots<WaitFreeTable<E, N, H, P, S>, Reserved<E, N>>>
where
    E: Packed,
    N: Words<E::Word>,
    H: IntegerWords<u64>,
    P: Pool,
{
    /// Runs a batch of updates on a wait-free table, with time stamps. The lanes of a tile run them first;
    /// then the whole tile runs those that are left. An operation that finds no free node gets the code
    /// [`DEFERRED`].
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "the arrays of a kernel")]
    pub(crate) fn update_stamped(
        self,
        ops: In<u8>,
        keys: In<E::Key>,
        values: In<E::Value>,
        outcomes: Out<u8>,
        found: MaybeOut<E::Value>,
        clock: Global<u64>,
        starts: Out<u64>,
        ends: Out<u64>,
        n: Count,
    ) {
        let (table, reserved) = (self.table.table(), self.table.reserved());
        // AcqRel: as in `stamp`. A lane has read and exchanged the head of its operation by itself.
        let now = || clock.fetch_add(0, 1, Order::AcqRel);
        // SAFETY: one lane writes.
        let begin = |op| unsafe { starts.at(op).write(now()) };
        // SAFETY: as above.
        let done = |op, said| unsafe {
            ends.at(op).write(now());
            write_stamped(ops.read(op), said, op, found);
        };
        self.per_lane(Kind::Each(ops), (keys, Some(values)), outcomes, n, begin, done, |w, op, stash| {
            if Told(outcomes).read(op) != DEFERRED {
                return;
            }
            let (key, kind) = (keys.read(op), Op::from_code(ops.read(op)));
            let Some(kind) = kind else { return };
            let said = match UserKey::new(key) {
                Some(key) => table.mixed(w, (kind, key, values.read(op)), stash),
                None => {
                    // No lane has begun this operation.
                    let start = stamp(w, clock);
                    starts.write(w, op, start);
                    Some(reserved.mixed(w, kind, UserKey::of_reserved(key), values.read(op)))
                }
            };
            // The stamp tells other operations of this call.
            w.fence_acquire();
            let end = stamp(w, clock);
            ends.write(w, op, end);
            let Some(said) = said else { return };
            // SAFETY: one lane has the answer.
            said.give(w, |said| unsafe {
                write_stamped(kind.code(), said, op, found);
                outcomes.at(op).write(said.code);
            });
        });
    }

    /// Runs operations of all kinds, each to its end by a whole tile. `exchanges` gets how many exchanges of
    /// a head each operation has lost. An operation that finds no free node gets the code [`DEFERRED`].
    #[inline(always)]
    pub(crate) fn update_counted(
        self,
        ops: In<u8>,
        keys: In<E::Key>,
        values: In<E::Value>,
        outcomes: Out<u8>,
        exchanges: Out<E::Value>,
        n: Count,
    ) {
        let (table, reserved) = (self.table.table(), self.table.reserved());
        self.per_stash(n.0, |w, number, stash| {
            // SAFETY: `number` is below `n`.
            let op = unsafe { At::new(number) };
            let key = keys.read(op);
            let said = match (UserKey::new(key), Op::from_code(ops.read(op))) {
                (Some(key), Some(kind)) => {
                    let (said, lost) = table.mixed_counted(w, (kind, key, values.read(op)), stash);
                    exchanges.write(w, op, E::Value::from_bits(lost.into()));
                    code(w, said, DEFERRED)
                }
                (None, Some(kind)) => {
                    exchanges.write(w, op, E::Value::ZERO);
                    let said = reserved.mixed(w, kind, UserKey::of_reserved(key), values.read(op));
                    said.map(w, |said| said.code)
                }
                (_, None) => AtLane::known(w, UNKNOWN_OPERATION),
            };
            // SAFETY: one lane has the answer.
            said.give(w, |code| unsafe { outcomes.at(op).write(code) });
        });
    }
}

/// Writes the answer of a search.
///
/// # Safety
///
/// One lane calls it.
#[inline(always)]
unsafe fn write_stamped<V: Copy>(kind: u8, Mixed { code, value }: Mixed<V>, op: At, found: MaybeOut<V>) {
    if kind == Op::Search.code()
        && code == 1
        && let Some(found) = found.at(op)
    {
        // SAFETY: the contract of this function.
        unsafe { found.write(value) }
    }
}
