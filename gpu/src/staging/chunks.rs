//! How a batch is cut into chunks, in which order they go to the device, and the places of their arrays in a
//! buffer.

use crate::device::SLOTS;
use core::ops::Range;

/// A chunk of a batch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Chunk {
    /// The slot for the chunk.
    pub(super) slot: usize,
    /// Its elements.
    pub(super) elements: Range<usize>,
}

/// The next step of the host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// Puts a chunk on the device.
    Put(Chunk),
    /// Waits for a chunk and takes its answers.
    Take(Chunk),
}

/// The steps of a batch of `n` elements, in as few chunks of at most `most` elements as possible, nearly all
/// of one size. The answers of a chunk are taken when its slot is needed again, so that the other slots are
/// on the device meanwhile.
pub(super) fn steps(n: usize, most: usize) -> impl Iterator<Item = Step> {
    let count = n.div_ceil(most);
    let size = n.div_ceil(count.max(1));
    let chunk = move |number: usize| Chunk {
        slot: number % SLOTS,
        elements: number * size..((number + 1) * size).min(n),
    };
    (0..count + SLOTS).flat_map(move |number| {
        let take = number.checked_sub(SLOTS).filter(|&number| number < count);
        let put = (number < count).then_some(number);
        take.map(|number| Step::Take(chunk(number)))
            .into_iter()
            .chain(put.map(|number| Step::Put(chunk(number))))
    })
}

/// Places of arrays in one buffer, one after the other, each at a multiple of 8 bytes.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Places {
    bytes: usize,
}

impl Places {
    /// The place of `len` elements after the last array, in bytes.
    pub(super) fn next<T>(&mut self, len: usize) -> Range<usize> {
        let from = self.bytes.next_multiple_of(8);
        self.bytes = from + len * size_of::<T>();
        from..self.bytes
    }

    /// Bytes of all arrays, and of the gaps between them.
    pub(super) fn bytes(self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The elements that each step puts or takes, with the slot.
    fn said(n: usize, most: usize) -> Vec<(char, usize, Range<usize>)> {
        let said = |step| match step {
            Step::Put(chunk) => ('p', chunk.slot, chunk.elements),
            Step::Take(chunk) => ('t', chunk.slot, chunk.elements),
        };
        steps(n, most).map(said).collect()
    }

    #[test]
    fn a_small_batch_is_one_chunk() {
        assert_eq!(said(0, 8), []);
        assert_eq!(said(3, 8), [('p', 0, 0..3), ('t', 0, 0..3)]);
        assert_eq!(said(8, 8), [('p', 0, 0..8), ('t', 0, 0..8)]);
    }

    #[test]
    fn chunks_are_of_one_size() {
        assert_eq!(said(9, 8), [('p', 0, 0..5), ('p', 1, 5..9), ('t', 0, 0..5), ('t', 1, 5..9)]);
    }

    #[test]
    fn each_element_goes_once_through_a_slot_that_is_free() {
        for (n, most) in [(1, 1), (2, 1), (7, 1), (100, 7), (101, 50), (1_000, 999), (12, 4), (4_096, 1_024)]
        {
            let (mut put, mut taken, mut held) = (0, 0, vec![None; SLOTS]);
            for step in steps(n, most) {
                match step {
                    Step::Put(Chunk { slot, elements }) => {
                        assert_eq!((elements.start, held[slot].replace(elements.clone())), (put, None));
                        assert!((1..=most).contains(&elements.len()), "{n} in chunks of {most}");
                        put = elements.end;
                    }
                    Step::Take(Chunk { slot, elements }) => {
                        assert_eq!(held[slot].take(), Some(elements.clone()));
                        assert_eq!(elements.start, taken, "answers come in order");
                        taken = elements.end;
                        // While the host takes answers, the device has the later chunks.
                        let on_device = held.iter().flatten().count();
                        assert!(put == n || on_device == SLOTS - 1);
                    }
                }
            }
            assert_eq!((put, taken), (n, n));
        }
    }

    #[test]
    fn places_are_apart_and_aligned() {
        let mut places = Places::default();
        assert_eq!(places.next::<u32>(3), 0..12);
        assert_eq!(places.next::<u64>(3), 16..40);
        assert_eq!(places.next::<u8>(3), 40..43);
        assert_eq!(places.next::<u32>(0), 48..48);
        assert_eq!(places.bytes(), 48);
    }
}
