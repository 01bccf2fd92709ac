//! The slab allocator alone, as a subject.

use crate::check::{Array, Breach, Config, Kind, Memory, Scenario, SimWarp, Subject};
use warpproof_model::reclaim::{Allocator, NodeIndex};
use warpproof_model::spec::{Call, Op, Pool, Ret};
use warpproof_model::{ReadOrder, Words};

/// An allocator over a bitmap that is given as it stands. Slabs are counted from 0.
#[derive(Clone, Debug)]
pub struct PoolSubject {
    bitmap: Vec<u32>,
    exact: bool,
}

impl PoolSubject {
    /// An allocator whose bitmap holds `bitmap` at first; bits beyond the pool are set. `exact`: a warp must
    /// find a slab wherever one is free, as it runs alone or no slab is given back.
    pub const fn new(bitmap: Vec<u32>, exact: bool) -> Self {
        Self { bitmap, exact }
    }
}

impl Subject for PoolSubject {
    type Spec = Pool;

    fn spec(&self) -> Pool {
        Pool { used: self.bitmap.clone(), may_miss: self.bitmap.len() > 1 && !self.exact }
    }

    fn arrays(&self) -> Vec<Array> {
        vec![Array::new("bitmap", 32, self.bitmap.iter().map(|&word| word.into()).collect())]
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let pool = Allocator::new(m.w32(0), 0);
        match call.op {
            Op::Allocate => Ret::Slab(pool.allocate(w, call.value as u32).map(|slab| slab.0)),
            Op::Free => {
                pool.free(w, NodeIndex(call.key as u32));
                Ret::Done
            }
            Op::Borrow => {
                let slab = pool.allocate(w, call.value as u32);
                if let Some(slab) = slab {
                    pool.free(w, slab);
                }
                Ret::Slab(slab.map(|slab| slab.0))
            }
            _ => Ret::Done,
        }
    }

    /// All slabs are one history: it matters which warp got which.
    fn key(&self, _call: &Call) -> u64 {
        0
    }

    fn check_state<W: SimWarp, M: Memory>(&self, _w: &mut W, m: M) -> Result<(), Breach> {
        // Relaxed: read alone. Bits beyond a pool of at most 32 slabs are checked by the specification.
        let words = m.w32(0);
        let cleared = (0..words.len()).any(|i| self.beyond(i) & !words.load(i, ReadOrder::Relaxed) != 0);
        if Allocator::new(words, 0).in_use(NodeIndex(32 * words.len() as u32)) {
            return Err(Breach::new(Kind::Invariant, "a slab beyond the pool is in use"));
        }
        if cleared { Err(Breach::new(Kind::Invariant, "a bit beyond the pool was cleared")) } else { Ok(()) }
    }

    fn show(&self, _array: usize, index: usize, value: u128) -> String {
        free_slabs(value as u32, 32 * index as u32)
    }

    fn word(&self, _array: usize, index: usize) -> String {
        format!("pool, bitmap {index}")
    }

    fn about(&self) -> Vec<String> {
        let words = "A pool of slabs. A word of its bitmap has a bit for each of 32 slabs, set while it is in use; it \
                     is shown as the slabs that are free.";
        vec![words.to_string()]
    }
}

/// A word of a bitmap by the slabs that are free, the lowest bit being slab `first`: `free: 1 4-7`.
pub(super) fn free_slabs(word: u32, first: u32) -> String {
    let is_free = |bit: u32| bit < 32 && word & 1 << bit == 0;
    let mut text = String::new();
    for from in (0..32).filter(|&bit| is_free(bit) && (bit == 0 || !is_free(bit - 1))) {
        let last = (from..32).take_while(|&bit| is_free(bit)).last().unwrap_or(from);
        text += &match last - from {
            0 => format!(" {}", first + from),
            1 => format!(" {} {}", first + from, first + last),
            _ => format!(" {}-{}", first + from, first + last),
        };
    }
    if text.is_empty() { "none free".to_string() } else { format!("free:{text}") }
}

impl PoolSubject {
    /// The bits of word `index` that are beyond the pool: its leading ones, if no warp may free them. Only
    /// the top bit is taken for one here.
    fn beyond(&self, index: usize) -> u32 {
        self.bitmap[index] & 1 << 31
    }
}

/// A random scenario: a few warps, a few calls each, and no slab freed that is not in use, or twice.
pub(super) fn random(below: &mut dyn FnMut(u32) -> u32) -> Scenario {
    let lanes = [1, 2, 4][below(3) as usize];
    // None, one, two, two and three slabs free.
    let words = [u32::MAX, u32::MAX - 1, u32::MAX - 3, u32::MAX - 5, u32::MAX - 7];
    let bitmap: Vec<u32> = (0..1 + below(3)).map(|_| words[below(5) as usize]).collect();
    let mut used: Vec<u64> = (0..bitmap.len() as u64)
        .flat_map(|word| (0..4).map(move |bit| 32 * word + bit))
        .filter(|slab| bitmap[(slab / 32) as usize] & 1 << (slab % 32) != 0)
        .collect();
    let mut call = |below: &mut dyn FnMut(u32) -> u32| {
        let op = [Op::Allocate, Op::Borrow, Op::Free][below(3) as usize];
        match op {
            Op::Free if !used.is_empty() => {
                let slab = used.remove(below(used.len() as u32) as usize);
                Call::new(op, slab, 0)
            }
            Op::Free => Call::new(Op::Allocate, 0, 0),
            op => Call::new(op, 0, below(4).into()),
        }
    };
    let warps = 1 + below(3);
    let program = |_| (0..1 + below(2)).map(|_| call(below)).collect();
    let programs = (0..warps).map(program).collect();
    let config = Config { lanes, bitmap, ..Config::default() };
    Scenario::new("", "pool", config, programs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bitmap_is_shown_by_its_free_slabs() {
        assert_eq!(free_slabs(u32::MAX, 0), "none free");
        assert_eq!(free_slabs(0, 32), "free: 32-63");
        assert_eq!(free_slabs(!0b1110_1101, 1), "free: 1 3 4 6-8");
    }
}
