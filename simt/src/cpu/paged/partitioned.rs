//! A batch, partitioned by the child tables of its keys.
//!
//! There are two passes by all threads, each over *pieces* of the batch. The first counts the keys of each
//! child table in a piece. The second copies them, so that those of one child table are adjacent and in their
//! order. A third pass brings the answers into the order of the batch: it computes the child table of each
//! key again, and the answers of a child table come in order.

use crate::cpu::batch::Beside;
use crate::cpu::error::Error;
use crate::cpu::grid::room_for;
use core::ops::Range;
use rayon::prelude::*;
use warpproof_model::bits::TableKey;
use warpproof_model::partition::HashPartitions;

/// The least operations of a piece: fewer are not worth a thread.
const PIECE: usize = 1 << 12;

/// The child table of a key, as an index.
fn child_of<K: TableKey>(children: HashPartitions, key: K) -> usize {
    children.of(key.to_word()) as usize
}

/// Keys of a batch, and the other arguments of their operations, by child tables.
pub(super) struct Partitioned<K, I> {
    /// Decides the child table of a key.
    children: HashPartitions,
    /// The keys.
    pub(super) keys: Vec<K>,
    /// The other arguments of their operations.
    pub(super) items: Vec<I>,
    /// Operations of a piece.
    piece: usize,
    /// Where the operations of each child table from each piece begin, one piece after the other.
    starts: Vec<usize>,
    /// Where the operations of each child table begin, and where the last ones end.
    begins: Vec<usize>,
}

impl<K: TableKey, I: Copy + Send + Sync> Partitioned<K, I> {
    /// An empty partition for batches of up to `len` operations. Allocates all of its memory.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]: for a copy of the batch, and for some words for each child table and thread.
    pub(super) fn with_room(len: usize, children: HashPartitions) -> Result<Self, Error> {
        let count = children.count() as usize;
        let threads = 2 * rayon::current_num_threads();
        // With many child tables pieces are long, so that there are no more places than operations.
        let piece = len.div_ceil(threads).max(PIECE).max(count);
        let (keys, items) = (room_for(len)?, room_for(len)?);
        let starts = room_for(count * len.div_ceil(piece))?;
        Ok(Self { children, keys, items, piece, starts, begins: room_for(count + 1)? })
    }

    /// Takes in a batch; it has at most as many operations as there is room for.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]: for a few words for each child table and piece.
    pub(super) fn take<B: Beside<Item = I>>(&mut self, keys: &[K], beside: B) -> Result<(), Error> {
        let Self { children, piece, .. } = *self;
        let count = children.count() as usize;
        let pieces = keys.len().div_ceil(piece);
        self.starts.clear();
        self.starts.resize(count * pieces, 0);
        let counts = keys.par_chunks(piece).zip(self.starts.par_chunks_mut(count));
        counts.for_each(|(keys, counts)| keys.iter().for_each(|&key| counts[child_of(children, key)] += 1));
        // Filled with any value first, and then in order.
        self.keys.clear();
        self.items.clear();
        let Some(&key) = keys.first() else { return Ok(()) };
        self.keys.resize(keys.len(), key);
        self.items.resize(keys.len(), beside.item(0));
        let places = self.places(pieces)?;
        keys.par_chunks(piece).enumerate().zip(places).for_each(|((number, keys), mut places)| {
            for (i, &key) in keys.iter().enumerate() {
                places[child_of(children, key)].put(key, beside.item(number * piece + i));
            }
        });
        Ok(())
    }

    /// The places of each piece in each child table. `starts` has their numbers, and afterwards their
    /// beginnings.
    fn places(&mut self, pieces: usize) -> Result<Vec<Vec<Places<'_, K, I>>>, Error> {
        let children = self.children.count() as usize;
        self.begins.clear();
        let mut places = room_for(pieces)?;
        for _ in 0..pieces {
            places.push(room_for(children)?);
        }
        let (mut keys, mut items) = (&mut self.keys[..], &mut self.items[..]);
        let mut begin = 0;
        for child in 0..children {
            self.begins.push(begin);
            for (piece, places) in places.iter_mut().enumerate() {
                let start = &mut self.starts[piece * children + child];
                let count = core::mem::replace(start, begin);
                begin += count;
                let (of_keys, of_items);
                (of_keys, keys) = keys.split_at_mut(count);
                (of_items, items) = items.split_at_mut(count);
                places.push(Places { keys: of_keys.iter_mut(), items: of_items.iter_mut() });
            }
        }
        self.begins.push(begin);
        Ok(places)
    }

    /// The range of the operations on a child table.
    pub(super) fn range(&self, child: u32) -> Range<usize> {
        match self.begins.get(child as usize..) {
            Some(&[begin, end, ..]) => begin..end,
            _ => 0..0,
        }
    }

    /// Appends the answers to `out`, which has room for them, in the order of the batch. `said` are the
    /// answers of each child table, in the order of its operations. To be called once for a batch.
    pub(super) fn put_in_order<A: Copy + Send + Sync>(
        &mut self,
        keys: &[K],
        said: &[Vec<A>],
        out: &mut Vec<A>,
    ) {
        let Some(&any) = said.iter().flatten().next() else { return };
        let (first, children, begins) = (out.len(), self.children, &self.begins);
        // Filled with any value first, and then in order.
        out.resize(first + keys.len(), any);
        let pieces = keys.par_chunks(self.piece).zip(out[first..].par_chunks_mut(self.piece));
        let starts = self.starts.par_chunks_mut(children.count() as usize);
        pieces.zip(starts).for_each(|((keys, answers), next)| {
            for (&key, answer) in keys.iter().zip(answers) {
                let child = child_of(children, key);
                *answer = said[child][next[child] - begins[child]];
                next[child] += 1;
            }
        });
    }
}

/// Places for keys and the other arguments of their operations.
struct Places<'a, K, I> {
    keys: core::slice::IterMut<'a, K>,
    items: core::slice::IterMut<'a, I>,
}

impl<K, I> Places<'_, K, I> {
    /// Fills the next place. There are as many places as calls.
    fn put(&mut self, key: K, item: I) {
        if let (Some(to_key), Some(to_item)) = (self.keys.next(), self.items.next()) {
            (*to_key, *to_item) = (key, item);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpproof_model::Seed;

    /// The keys of each child table are adjacent, in the order of the batch, and answers go back to it.
    #[test]
    fn a_batch_is_partitioned_and_put_together_again() {
        let lengths = if cfg!(miri) { &[0, 1, 100][..] } else { &[0, 1, 2, 100, PIECE + 1, 5 * PIECE + 17] };
        for children in [1, 2, 7, 300] {
            let partitions = HashPartitions::new(children, Seed::new(3));
            let longest = lengths.iter().copied().max().unwrap_or(0);
            let mut partitioned =
                Partitioned::<u32, u64>::with_room(longest, partitions).expect("memory for a test");
            for &len in lengths {
                for keys in [(0..len as u32).collect::<Vec<_>>(), vec![7; len]] {
                    let items: Vec<u64> = (0..len as u64).collect();
                    partitioned.take(&keys, &items[..]).expect("memory for a test");
                    let mut said = Vec::new();
                    for child in 0..children {
                        let range = partitioned.range(child);
                        let (keys, items) = (&partitioned.keys[range.clone()], &partitioned.items[range]);
                        assert!(keys.iter().all(|&key| partitions.of(key) == child));
                        assert!(items.is_sorted(), "in their order");
                        said.push(items.to_vec());
                    }
                    let mut out = vec![9];
                    out.reserve(len);
                    partitioned.put_in_order(&keys, &said, &mut out);
                    assert_eq!(out.remove(0), 9);
                    assert_eq!(out, items, "{len} keys, {children} child tables");
                }
            }
            assert_eq!(partitioned.range(children), 0..0);
        }
    }
}
