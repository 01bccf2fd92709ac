//! Inserting a batch bin by bin: one kernel for each step, a thread for each entry that a block works on.

use super::read;
use warpproof_device::{Global, ScratchBlock, ScratchWords, Staged, Tile};
use warpproof_model::entry::Packed;
use warpproof_model::open::bulk::{
    Batch, Bin, Bins, Bulk, Fan, Outcomes, TALLY, fill_words, scatter_words, settle_words,
};
use warpproof_model::open::{Filter, OpenTable, Probing};
use warpproof_model::retrieve::Source;
use warpproof_model::{StagedWords, UserKey, Word, Words};

/// Words of bins in device memory.
pub(crate) type DeviceBins<T> = Bins<Staged<T>, Staged<u32>, Global<u32>>;

/// Bins in device memory.
///
/// # Safety
///
/// The contracts of [`Staged::new`] and [`Global::new`]; of `numbers` there are `len`, too, if outcomes are told.
#[inline(always)]
pub(crate) unsafe fn bins<T>(
    (words, numbers, len): (*mut T, *mut u32, usize),
    taken: *mut u32,
    bins: usize,
    room: u32,
) -> DeviceBins<T> {
    // SAFETY: the contract of this function. If nobody is told, no number is touched.
    unsafe { Bins::new((Staged::new(words, len), Staged::new(numbers, len)), Global::new(taken, bins), room) }
}

/// Outcomes in device memory, one for each of `told` operations; nobody is told if there are none.
///
/// # Safety
///
/// The contract of [`Staged::new`].
#[inline(always)]
pub(crate) unsafe fn outcomes(codes: *mut u8, told: usize) -> Outcomes<Staged<u8>> {
    // SAFETY: the contract of this function.
    unsafe { Outcomes::new(Staged::new(codes, told), told != 0) }
}

/// The tally of a batch.
///
/// # Safety
///
/// The contract of [`Global::new`] for [`TALLY`] words.
#[inline(always)]
pub(crate) unsafe fn tally(words: *mut u64) -> Global<u64> {
    // SAFETY: the contract of this function.
    unsafe { Global::new(words, TALLY) }
}

/// Input arrays of keys and values as a source of entries. A reserved key is no entry.
struct Columns<E: Packed> {
    keys: *const E::Key,
    values: *const E::Value,
    n: u32,
}

impl<E: Packed> Clone for Columns<E> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<E: Packed> Copy for Columns<E> {}

impl<E: Packed> Columns<E> {
    /// Arrays of `n` elements each.
    ///
    /// # Safety
    ///
    /// They have so many elements, which nobody writes while the source is in use. `values` is not read where values have no
    /// bits.
    #[inline(always)]
    unsafe fn new(keys: *const E::Key, values: *const E::Value, n: u32) -> Self {
        Self { keys, values, n }
    }
}

impl<E: Packed> Source for Columns<E> {
    type Entry = E;

    #[inline(always)]
    fn slots(self) -> u64 {
        self.n as u64
    }

    #[inline(always)]
    fn load(self, slot: u64) -> E::Word {
        if slot >= self.n as u64 {
            return E::EMPTY;
        }
        // SAFETY: below `n` (contract of `new`).
        let key = unsafe { read(self.keys, slot as usize) };
        let value = if size_of::<E::Value>() == 0 {
            E::Value::ZERO
        } else {
            // SAFETY: as above.
            unsafe { read(self.values, slot as usize) }
        };
        if UserKey::new(key).is_some() { E::pack(key, value) } else { E::EMPTY }
    }
}

/// Where a batch says how its inserts ended.
pub(crate) type Said = (Global<u64>, Outcomes<Staged<u8>>);

/// The batch that every kernel of this module works for, and its block.
macro_rules! begin {
    ($table:ident, $said:ident, $shared:expr) => {
        // SAFETY: the contract of the function; every thread gets here.
        (Bulk::new($table, $said.0, $said.1), unsafe {
            (Tile::<1>::new(), ScratchBlock::<E::Word, 1>::new($shared))
        })
    };
}

/// Entries that a thread puts into bins.
const PER_THREAD: usize = 4;

/// Entries that a block puts into bins, if they are told how they end.
#[inline(always)]
fn staged((_, outcomes): Said) -> u32 {
    if outcomes.are_told() { Tile::<1>::per_block() * PER_THREAD as u32 } else { 0 }
}

/// Puts the pairs of a batch into `fan` bins of `1 << shift` buckets each. What has no room is
/// lost, and `tally` says so.
///
/// # Safety
///
/// The contracts of [`Tile::new`] and [`ScratchBlock::new`]; [`scatter_words`] shared words and a scratch word for each of
/// the [`PER_THREAD`] entries of each thread. `keys` and `values` have `n` elements, which nobody writes meanwhile; the bins cover
/// the table.
#[inline(always)]
pub(crate) unsafe fn scatter<
    const L: u32,
    const S: usize,
    E: Packed,
    H: Words<E::Word>,
    F: Filter,
    P: Probing,
>(
    table: OpenTable<E, H, F, P, S>,
    (keys, values, n): (*const E::Key, *const E::Value, u32),
    (fan, shift): (u32, u32),
    to: DeviceBins<E::Word>,
    said: Said,
) where
    ScratchWords<E::Word>: StagedWords<E::Word>,
{
    let (bulk, mut here) = begin!(table, said, scatter_words(fan, staged(said)));
    // SAFETY: the contract of this function.
    let source = unsafe { Columns::<E>::new(keys, values, n) };
    let from = here.1.number() as u64 * block_entries(&here.1);
    bulk.scatter::<_, _, _, PER_THREAD>(&mut here, (Batch(source), from), Fan { first: 0, fan, shift }, to);
}

/// The same with the entries that stand in bins: `parts` blocks take those of one.
///
/// # Safety
///
/// As [`scatter`]; a bin of `from` has `fan` of `to`, and the grid has `parts` blocks for each bin of `from`.
#[inline(always)]
pub(crate) unsafe fn scatter_again<
    const L: u32,
    const S: usize,
    E: Packed,
    H: Words<E::Word>,
    F: Filter,
    P: Probing,
>(
    table: OpenTable<E, H, F, P, S>,
    (from, parts): (DeviceBins<E::Word>, u32),
    (fan, shift): (u32, u32),
    to: DeviceBins<E::Word>,
    said: Said,
) where
    ScratchWords<E::Word>: StagedWords<E::Word>,
{
    let (bulk, mut here) = begin!(table, said, scatter_words(fan, staged(said)));
    // No division by zero, and no panic for it.
    let parts = parts.max(1);
    let (bin, part) = (here.1.number() / parts, here.1.number() % parts);
    let first = part as u64 * block_entries(&here.1);
    let source = Bin::<E, _, _, _>::new(from, bin);
    let fan = Fan { first: bin * fan, fan, shift };
    bulk.scatter::<_, _, _, PER_THREAD>(&mut here, (source, first), fan, to);
}

/// A block fills the buckets of a bin with its entries; those without room there go to the bin of `left`.
///
/// # Safety
///
/// As [`scatter`], with [`fill_words`] shared words and a scratch word for each slot of a bin; nobody else uses the table
/// meanwhile. The grid has a block for each bin.
#[inline(always)]
pub(crate) unsafe fn fill<const L: u32, const S: usize, E: Packed, H: Words<E::Word>, F: Filter, P: Probing>(
    table: OpenTable<E, H, F, P, S>,
    shift: u32,
    (bins, left): (DeviceBins<E::Word>, DeviceBins<E::Word>),
    said: Said,
) where
    ScratchWords<E::Word>: StagedWords<E::Word>,
{
    let (bulk, mut here) =
        begin!(table, said, fill_words(shift, if said.1.are_told() { (S as u32) << shift } else { 0 }));
    let bin = here.1.number();
    bulk.fill(&mut here, bin, shift, (bins, left));
}

/// Inserts what [`fill`] left.
///
/// # Safety
///
/// As [`fill`], with [`settle_words`] shared words, without scratch words.
#[inline(always)]
pub(crate) unsafe fn settle<
    const L: u32,
    const S: usize,
    E: Packed,
    H: Words<E::Word>,
    F: Filter,
    P: Probing,
>(
    table: OpenTable<E, H, F, P, S>,
    left: DeviceBins<E::Word>,
    said: Said,
) where
    ScratchWords<E::Word>: StagedWords<E::Word>,
{
    let (bulk, mut here) = begin!(table, said, settle_words());
    let bin = here.1.number();
    bulk.settle(&mut here, bin, left);
}

/// Entries that a block puts into bins.
#[inline(always)]
fn block_entries<T, const L: u32>(block: &ScratchBlock<T, L>) -> u64 {
    use warpproof_model::Block;
    block.warps() as u64 * PER_THREAD as u64
}

/// Inserts a batch once more if anything of it was lost.
///
/// # Safety
///
/// As [`settle`]; `keys` and `values` have `n` elements, which nobody writes meanwhile.
#[inline(always)]
pub(crate) unsafe fn make_up<
    const L: u32,
    const S: usize,
    E: Packed,
    H: Words<E::Word>,
    F: Filter,
    P: Probing,
>(
    table: OpenTable<E, H, F, P, S>,
    (keys, values, n): (*const E::Key, *const E::Value, u32),
    blocks: u32,
    said: Said,
) where
    ScratchWords<E::Word>: StagedWords<E::Word>,
{
    let (bulk, mut here) = begin!(table, said, settle_words());
    // SAFETY: the contract of this function.
    let source = unsafe { Columns::<E>::new(keys, values, n) };
    let block = here.1.number();
    bulk.make_up(&mut here, Batch(source), (block, blocks));
}
