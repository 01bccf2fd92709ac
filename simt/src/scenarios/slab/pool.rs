//! The slab allocator alone, as a subject.

use crate::check::{Array, Breach, Kind, Memory, SimWarp, Subject};
use warpproof_model::slab::{Allocator, SlabIndex};
use warpproof_model::spec::{Call, Op, Pool, Ret};
use warpproof_model::{ReadOrder, Words};

/// An allocator over a bitmap that is given as it stands. Slabs are counted from 0.
#[derive(Clone, Debug)]
pub struct PoolSubject {
    bitmap: Vec<u32>,
    alone: bool,
}

impl PoolSubject {
    /// An allocator whose bitmap holds `bitmap` at first; bits beyond the pool are set. `alone`: one warp uses it,
    /// and must find a slab wherever one is free.
    pub const fn new(bitmap: Vec<u32>, alone: bool) -> Self {
        Self { bitmap, alone }
    }
}

impl Subject for PoolSubject {
    type Spec = Pool;

    fn spec(&self) -> Pool {
        Pool { used: self.bitmap.clone(), may_miss: self.bitmap.len() > 1 && !self.alone }
    }

    fn arrays(&self) -> Vec<Array> {
        vec![Array::new("bitmap", 32, self.bitmap.iter().map(|&word| word.into()).collect())]
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let pool = Allocator::new(m.w32(0), 0);
        match call.op {
            Op::Allocate => Ret::Slab(pool.allocate(w, call.value as u32).map(|slab| slab.0)),
            Op::Free => {
                pool.free(w, SlabIndex(call.key as u32));
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

    /// All slabs are one history: who got which matters.
    fn key(&self, _call: &Call) -> u64 {
        0
    }

    fn check_state<W: SimWarp, M: Memory>(&self, _w: &mut W, m: M) -> Result<(), Breach> {
        // Relaxed: read alone. Bits beyond a pool of at most 32 slabs are checked by the specification.
        let words = m.w32(0);
        let cleared = (0..words.len()).any(|i| self.beyond(i) & !words.load(i, ReadOrder::Relaxed) != 0);
        if cleared { Err(Breach::new(Kind::Invariant, "a bit beyond the pool was cleared")) } else { Ok(()) }
    }

    fn show(&self, _array: usize, _index: usize, value: u128) -> String {
        format!("{:032b}", value as u32)
    }
}

impl PoolSubject {
    /// The bits of word `index` that are beyond the pool: its leading ones, if nobody may free them. Only the
    /// top bit is taken for one here.
    fn beyond(&self, index: usize) -> u32 {
        self.bitmap[index] & 1 << 31
    }
}
