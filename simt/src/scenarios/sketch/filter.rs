//! A Bloom filter, as a subject.

use super::{ABSORB, Absorbs, added, all_are, unfit};
use crate::check::{Array, Breach, Memory, Scenario, ScenarioError, SimWarp, Subject};
use crate::scenarios::home::SEED;
use warpproof_model::sketch::Bloom;
use warpproof_model::spec::{Call, Filter, Op, Ret, Spec};
use warpproof_model::{ReadOrder, Words};

const BLOCKS: usize = 2;
/// The arrays.
const WORDS: usize = 0;
const OTHER: usize = 1;

/// A key: its block, and its bit in each word of that.
#[derive(Clone, Copy)]
struct Known {
    key: u64,
    block: usize,
    bits: [u32; 3],
}

const fn known(key: u64, block: usize, bits: [u32; 3]) -> Known {
    Known { key, block, bits }
}

/// The keys of scenarios, written down. Two of a block share a bit of one word, and none has all its bits
/// from the others.
const KEYS: [Known; 6] = [
    known(1, 0, [16, 10, 7]),
    known(6, 0, [40, 51, 22]),
    known(30, 0, [40, 53, 56]),
    known(2, 1, [0, 63, 4]),
    known(5, 1, [59, 63, 46]),
    known(3, 1, [34, 54, 4]),
];

fn find(key: u64) -> Option<Known> {
    KEYS.into_iter().find(|known| known.key == key)
}

fn block(key: u64) -> usize {
    find(key).map_or(BLOCKS, |known| known.block)
}

/// A filter that says of no key that it is there before it was inserted: these keys are never taken for each
/// other.
#[derive(Clone, Copy, Debug)]
pub struct Exact;

impl Spec for Exact {
    type State = bool;

    fn initial(&self, key: u64) -> bool {
        Filter.initial(key)
    }

    fn step(&self, inserted: &bool, call: &Call, ret: Option<&Ret>, next: &mut Vec<bool>) {
        let is_wrong = ret == Some(&Ret::Present) && !inserted;
        if !is_wrong {
            Filter.step(inserted, call, ret, next);
        }
    }
}

/// A filter of two blocks of `N` words. In the configuration `slots` is `N`, and `bitmap` are the keys of the
/// second filter.
#[derive(Clone, Debug)]
pub struct FilterSubject<const N: usize> {
    /// The words when all calls have returned.
    all: Vec<u64>,
    /// Those of the second filter.
    other: Vec<u64>,
}

impl<const N: usize> FilterSubject<N> {
    /// The filter of a scenario.
    ///
    /// # Errors
    /// If it has other operations or keys.
    pub fn new(scenario: &Scenario) -> Result<Self, ScenarioError> {
        let is_known =
            |call: &Call| find(call.key).is_some() && [Op::Insert, Op::Search, ABSORB].contains(&call.op);
        if !scenario.calls().all(is_known) {
            return Err(unfit("calls insert, search and absorb keys that are written down"));
        }
        let held: Vec<_> = scenario.config.bitmap.iter().map(|&key| (u64::from(key), 0)).collect();
        let all = words::<N>(&added(scenario, &held, block)?);
        Ok(Self { all, other: words::<N>(&held) })
    }
}

/// The words with the bits of these keys.
fn words<const N: usize>(keys: &[(u64, u64)]) -> Vec<u64> {
    let mut words = vec![0; BLOCKS * N];
    for Known { block, bits, .. } in keys.iter().filter_map(|&(key, _)| find(key)) {
        (0..N).for_each(|at| words[block * N + at] |= 1 << bits[at]);
    }
    words
}

impl<const N: usize> Subject for FilterSubject<N> {
    type Spec = Absorbs<Exact>;

    fn spec(&self) -> Absorbs<Exact> {
        Absorbs(Exact)
    }

    fn arrays(&self) -> Vec<Array> {
        let other = self.other.iter().map(|&word| word.into()).collect();
        vec![Array::new("filter", 64, vec![0; BLOCKS * N]), Array::new("other", 64, other)]
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let filter = |array| Bloom::<_, N>::new(m.w64(array), BLOCKS as u32, SEED);
        match call.op {
            Op::Insert => filter(WORDS).insert(w, call.key),
            ABSORB => filter(WORDS).absorb(w, filter(OTHER), block(call.key) as u32),
            _ if filter(WORDS).contains(w, call.key) => return Ret::Present,
            _ => return Ret::Absent,
        }
        Ret::Done
    }

    /// Each word of a block is read once, and written once at most.
    fn bound(&self, call: &Call) -> Option<u32> {
        let of_word = match call.op {
            Op::Insert => 2,
            // A word of the other filter is read, too.
            ABSORB => 3,
            _ => 1,
        };
        Some(of_word * N as u32)
    }

    fn reads_after_stall(&self) -> bool {
        true
    }

    fn exchangeable(&self) -> bool {
        true
    }

    /// Bits are only set, and only those of keys that are inserted.
    fn transition(&self, array: usize, index: usize, old: u128, new: u128) -> bool {
        array == WORDS && old & !new == 0 && new & !u128::from(self.all[index]) == 0
    }

    fn check_quiescent<W: SimWarp, M: Memory>(&self, _: &mut W, m: M) -> Result<(), Breach> {
        all_are(&self.all, |at| m.w64(WORDS).load(at, ReadOrder::Relaxed), bits)
    }

    fn show(&self, _: usize, _: usize, value: u128) -> String {
        bits(value as u64)
    }

    fn about(&self) -> Vec<String> {
        let key = |known: Known| {
            let bits: Vec<_> = known.bits[..N].iter().map(u32::to_string).collect();
            format!("{} in block {}: {}", known.key, known.block, bits.join(" "))
        };
        let keys: Vec<_> = KEYS.into_iter().map(key).collect();
        vec![
            format!("A filter of {BLOCKS} blocks of {N} words. A key has one bit in each word of its block."),
            format!("The bits of keys: {}.", keys.join(", ")),
        ]
    }
}

/// The bits of a word, in words.
fn bits(word: u64) -> String {
    let set: Vec<_> = (0..64).filter(|bit| word >> bit & 1 != 0).map(|bit: u32| bit.to_string()).collect();
    if set.is_empty() { "no bit".to_string() } else { format!("bits {}", set.join(" ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So a filter of these keys is a set.
    #[test]
    fn no_key_has_all_its_bits_from_the_others() {
        for Known { key, block, bits } in KEYS {
            for words in [2, 3] {
                let others = |at: usize| {
                    KEYS.into_iter().any(|of| of.key != key && of.block == block && of.bits[at] == bits[at])
                };
                assert!(!(0..words).all(others), "{key}");
            }
        }
    }
}
