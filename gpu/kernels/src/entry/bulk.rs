//! Inserting a batch bin by bin: one kernel for each step, a thread for each entry that a block works on.

use super::{Array, At, Count, In, Launch};
use warpproof_device::{Global, ScratchBlock, ScratchWords, Staged, Tile};
use warpproof_model::entry::Packed;
use warpproof_model::open::bulk::{
    Batch, Bin, Bins, Bulk, Outcomes, fill_words, insert_words, scatter_words,
};
use warpproof_model::open::{Filter, OpenTable, Probing};
use warpproof_model::partition::{FanOut, Partitioning};
use warpproof_model::reserved::{ReservedSlots, WithSlots};
use warpproof_model::retrieve::{ReservedEntry, Source};
use warpproof_model::{StagedWords, UserKey, Word, Words};

/// Bins in device memory: their words, the numbers of their operations, and how many words each has taken.
pub(crate) type DeviceBins<T> = Bins<Staged<T>, Staged<u32>, Global<u32>>;

/// Where a batch reports how its inserts ended.
pub(crate) type Said = (Global<u64>, Outcomes<Staged<u8>>);

/// Bins of `len` words in all.
///
/// # Safety
///
/// There are `len` words, and as many numbers if outcomes are written. If not, nothing accesses numbers.
#[inline(always)]
pub(crate) unsafe fn bins_of<T>(
    (words, numbers, len): (Array<T>, Array<u32>, usize),
    taken: Global<u32>,
    room: u32,
) -> DeviceBins<T> {
    // SAFETY: the contract of this function.
    unsafe { Bins::new((words.staged(len), numbers.staged(len)), taken, room) }
}

/// An array with an outcome for each of `told` operations; no outcomes are written if `told` is 0.
///
/// # Safety
///
/// There are `told` outcomes.
#[inline(always)]
pub(crate) unsafe fn outcomes_of(codes: Array<u8>, told: usize) -> Outcomes<Staged<u8>> {
    // SAFETY: the contract of this function.
    unsafe { Outcomes::new(codes.staged(told), told != 0) }
}

/// Keys and values as a source of entries.
#[derive(Clone, Copy)]
pub(crate) struct Entries<E: Packed> {
    keys: In<E::Key>,
    values: In<E::Value>,
    n: Count,
}

impl<E: Packed> Source for Entries<E> {
    type Entry = E;

    #[inline(always)]
    fn slots(self) -> u64 {
        self.n.0 as u64
    }

    #[inline(always)]
    fn load(self, slot: u64) -> E::Word {
        if slot >= self.n.0 as u64 {
            return E::EMPTY;
        }
        // SAFETY: below `n`.
        let op = unsafe { At::new(slot as usize) };
        let key = self.keys.read(op);
        if UserKey::new(key).is_some() { E::pack(key, self.value(op)) } else { E::EMPTY }
    }

    #[inline(always)]
    fn reserved(self, slot: u64) -> Option<ReservedEntry<Self>> {
        if slot >= self.n.0 as u64 {
            return None;
        }
        // SAFETY: below `n`.
        let op = unsafe { At::new(slot as usize) };
        Some((UserKey::of_reserved(self.keys.read(op)), self.value(op)))
    }
}

impl<E: Packed> Entries<E> {
    /// The value of an operation. A set has none.
    #[inline(always)]
    fn value(self, op: At) -> E::Value {
        if size_of::<E::Value>() == 0 { E::Value::ZERO } else { self.values.read(op) }
    }
}

/// Entries that a thread puts into bins.
const PER_THREAD: usize = 4;

/// Entries that a block puts into bins.
#[inline(always)]
fn per_block() -> u32 {
    Tile::<1>::per_block() * PER_THREAD as u32
}

/// Shared words of a block that puts entries into `fan` bins.
#[inline(always)]
fn shared_of(fan: u32, (_, outcomes): Said) -> u32 {
    scatter_words(fan, if outcomes.are_told() { per_block() } else { 0 })
}

/// The batch of a step, and the calling thread in its block, which has `$shared` shared words.
macro_rules! step {
    ($launch:ident, $said:ident, $shared:expr) => {
        // SAFETY: the contract of `Launch::new`; a launch is used up, and every thread gets here.
        (Bulk::new($launch.table, $said.0, $said.1), unsafe {
            (Tile::<1>::new(), ScratchBlock::<E::Word, 1>::new($shared))
        })
    };
}

/// Every step has as many shared words and scratch words as its documentation says. Nothing else uses the
/// table or the bins while it runs.
impl<const S: usize, E: Packed, H: Words<E::Word>, F: Filter, P: Probing>
    Launch<1, WithSlots<OpenTable<E, H, F, P, S>, ReservedSlots<E, H>>>
where
    ScratchWords<E::Word>: StagedWords<E::Word>,
{
    /// Puts the pairs of a batch into `fan` bins, which cover the table: each is for `1 << shift` buckets. If
    /// a bin has no room for an entry, the entry is left out and the tally counts it. Needs [`scatter_words`]
    /// shared words, and a scratch word for each of the [`PER_THREAD`] entries of each thread.
    #[inline(always)]
    pub(crate) fn scatter(
        self,
        source: impl Source<Entry = E>,
        (fan, shift): (u32, u32),
        to: DeviceBins<E::Word>,
        said: Said,
    ) {
        let (bulk, mut here) = step!(self, said, shared_of(fan, said));
        let from = here.1.number() as u64 * per_block() as u64;
        bulk.scatter::<_, _, _, PER_THREAD>(
            &mut here,
            (Batch(source), from),
            FanOut::new(0, fan, Partitioning::new(shift)),
            to,
        );
    }

    /// As [`scatter`](Self::scatter), but takes the entries from the bins `from`. The entries of each of
    /// these go to `fan` of the bins `to`, and `parts` blocks work on them.
    #[inline(always)]
    pub(crate) fn scatter_again(
        self,
        from: DeviceBins<E::Word>,
        parts: u32,
        (fan, shift): (u32, u32),
        to: DeviceBins<E::Word>,
        said: Said,
    ) {
        let (bulk, mut here) = step!(self, said, shared_of(fan, said));
        // Avoids a division by zero, and its panic.
        let parts = parts.max(1);
        let (bin, part) = (here.1.number() / parts, here.1.number() % parts);
        let first = part as u64 * per_block() as u64;
        let source = Bin::<E, _, _, _>::new(from, bin);
        let fan = FanOut::new(bin, fan, Partitioning::new(shift));
        bulk.scatter::<_, _, _, PER_THREAD>(&mut here, (source, first), fan, to);
    }

    /// Fills the buckets of each bin with its entries. Entries that find their bucket full go to the overflow
    /// of the bin. A block for each bin, with [`fill_words`] shared words and a scratch word for each slot of
    /// a bin.
    #[inline(always)]
    pub(crate) fn fill(
        self,
        shift: u32,
        (bins, overflow): (DeviceBins<E::Word>, DeviceBins<E::Word>),
        said: Said,
    ) {
        let slots = if said.1.are_told() { (S as u32) << shift } else { 0 };
        let (bulk, mut here) = step!(self, said, fill_words(shift, slots));
        let bin = here.1.number();
        bulk.fill(&mut here, bin, shift, (bins, overflow));
    }

    /// Inserts the entries whose home was full in [`fill`](Self::fill). A block for each bin, with
    /// [`insert_words`] shared words.
    #[inline(always)]
    pub(crate) fn insert_overflow(self, overflow: DeviceBins<E::Word>, said: Said) {
        let (bulk, mut here) = step!(self, said, insert_words());
        let bin = here.1.number();
        bulk.insert_overflow(&mut here, bin, overflow);
    }

    /// Inserts the whole batch once more if any of its entries was left out. `blocks` blocks, with
    /// [`insert_words`] shared words.
    #[inline(always)]
    pub(crate) fn insert_lost(self, source: impl Source<Entry = E>, blocks: u32, said: Said) {
        let (bulk, mut here) = step!(self, said, insert_words());
        let block = here.1.number();
        bulk.insert_lost(&mut here, Batch(source), (block, blocks));
    }
}

/// The entries of a batch.
#[inline(always)]
pub(crate) fn entries_of<E: Packed>(keys: In<E::Key>, values: In<E::Value>, n: Count) -> Entries<E> {
    Entries { keys, values, n }
}
