//! All entries of a table with more slots than 32 bits can count, whose last block is not full. No test
//! machine has the memory for such a table, so only the blocks with entries and those at its end exist.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;
use warpproof::model::entry::Key64;
use warpproof::model::retrieve::{
    BlockScan, Method, PerSlot, Retrieval, SharedCounter, Sink, Source, WarpCounter, chunk_words,
    shared_words,
};
use warpproof::model::{ReadOrder, Words, WriteOrder};
use warpproof::simt::cpu::warp::{CpuBlock, CpuWarp, GridWarp};
use warpproof::simt::cpu::words::Array;

const LANES: usize = 8;
/// Rows of a lane in a round, and slots of a row.
const R: usize = 64;
const S: usize = 16;
const BLOCK_SLOTS: u64 = (LANES * R * S) as u64;
/// More than 2^32 rows, of which the last one has five slots.
const SLOTS: u64 = (1 << 36) + 3 * BLOCK_SLOTS + 5 * S as u64 + 5;
/// Slots that hold an entry: their own number, and one for user keys.
const TAKEN: [u64; 10] = [
    0,
    77,
    (1 << 32) - 1,
    1 << 32,
    (1 << 32) + 1,
    (1 << 36) - 1,
    1 << 36,
    (1 << 36) + BLOCK_SLOTS,
    SLOTS - 2,
    SLOTS - 1,
];
const BLOCKS: u64 = SLOTS.div_ceil(BLOCK_SLOTS);

/// The slots, nearly all of them empty.
#[derive(Clone, Copy)]
struct Slots;

impl Source for Slots {
    type Entry = Key64;

    fn slots(self) -> u64 {
        SLOTS
    }

    fn load(self, slot: u64) -> u64 {
        assert!(slot < SLOTS, "slot {slot} is read, of {SLOTS}");
        if TAKEN.contains(&slot) { slot + 1 } else { u64::MAX }
    }
}

/// What was written, in which places.
#[derive(Default)]
struct Output(Mutex<Vec<(u64, u64)>>);

impl Sink<Key64> for &Output {
    fn room(self) -> u64 {
        TAKEN.len() as u64
    }

    fn put(self, place: u64, key: u64, _: ()) {
        self.0.lock().expect("nobody panicked").push((place, key));
    }
}

impl Output {
    /// The keys, in the order of their places, each of which was written once.
    fn keys(self) -> Vec<u64> {
        let mut written = self.0.into_inner().expect("nobody panicked");
        written.sort_unstable();
        assert!(written.iter().map(|&(place, _)| place).eq(0..written.len() as u64), "{written:?}");
        written.into_iter().map(|(_, key)| key).collect()
    }
}

fn words(len: usize) -> Array<AtomicU64, 8> {
    Array::new(len, |_| 0).expect("memory")
}

fn here(block: &CpuBlock) -> (CpuWarp<LANES>, &CpuBlock) {
    (CpuWarp::numbered(0), block)
}

/// The keys that the blocks with entries and the last ones copy, and one that would be after them.
fn copied(method: impl Method) -> Vec<u64> {
    let (output, count) = (Output::default(), words(1));
    let mut blocks: BTreeSet<u64> = TAKEN.map(|slot| slot / BLOCK_SLOTS).into();
    blocks.extend([BLOCKS - 2, BLOCKS - 1, BLOCKS, u32::MAX.into()]);
    for block in blocks {
        let shared = CpuBlock::new(64).expect("memory");
        Retrieval::<_, _, _, R, S>::new(Slots, &output, count.words()).run(
            &mut here(&shared),
            method,
            block as u32,
            1,
        );
    }
    assert_eq!(count.words().load(0, ReadOrder::Relaxed), TAKEN.len() as u64);
    let mut keys = output.keys();
    keys.sort_unstable();
    keys
}

#[test]
fn every_method_copies_entries_beyond_what_32_bits_count() {
    let all = TAKEN.map(|slot| slot + 1);
    assert_eq!(copied(PerSlot), all);
    assert_eq!(copied(SharedCounter), all);
    assert_eq!(copied(BlockScan), all);
    assert_eq!(copied(WarpCounter), all);
}

/// The state as if the earlier blocks had copied their chunks and found nothing, up to the chunk before slot
/// 2^36.
#[test]
fn entries_beyond_what_32_bits_count_are_copied_in_their_order() {
    /// Of a chunk's word (README of `model::retrieve`): it says how many entries there are up to its end.
    const UP_TO_END: u64 = 1 << 63;
    let first = (1 << 36) / BLOCK_SLOTS - 1;
    let (output, count) = (Output::default(), words(1));
    let chunks = words(chunk_words(SLOTS, BLOCK_SLOTS) as usize);
    // The next chunk, then a word for each.
    chunks.words().store(0, first, WriteOrder::Relaxed);
    chunks.words().store(first as usize, UP_TO_END, WriteOrder::Relaxed);
    let shared = CpuBlock::new(shared_words(1) as usize).expect("memory");
    // More rounds than there are chunks left.
    let rounds = (BLOCKS - first) as u32 + 1;
    Retrieval::<_, _, _, R, S>::new(Slots, &output, count.words()).in_order(
        &mut here(&shared),
        chunks.words(),
        rounds,
    );
    let last = TAKEN[5..].iter().map(|slot| slot + 1).collect::<Vec<_>>();
    assert_eq!(count.words().load(0, ReadOrder::Relaxed), last.len() as u64);
    assert_eq!(output.keys(), last);
}
