//! A pool of slabs.

use super::{Call, Op, Ret, Spec};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A pool: `allocate` returns a slab that is not in use, `free` gives it back.
#[derive(Clone, Default, Debug)]
pub struct Pool {
    /// The slabs in use at first: one bit each, 32 to a word; bits beyond the pool are set.
    pub used: Vec<u32>,
    /// Whether `allocate` may find nothing though a slab is free: a walk over several bitmap words sees them
    /// at different instants. In a pool of one word that cannot happen.
    pub may_miss: bool,
}

impl Spec for Pool {
    type State = Vec<u32>;

    fn initial(&self, _key: u64) -> Vec<u32> {
        self.used.clone()
    }

    fn step(&self, state: &Vec<u32>, call: &Call, ret: Option<&Ret>, next: &mut Vec<Vec<u32>>) {
        match (call.op, ret) {
            (Op::Allocate, Some(Ret::Slab(Some(slab)))) => next.extend(flipped(state, *slab, true)),
            (Op::Allocate, Some(Ret::Slab(None)))
                if self.may_miss || state.iter().all(|word| *word == u32::MAX) =>
            {
                next.push(state.clone());
            }
            (Op::Allocate, None) => {
                next.extend((0..32 * state.len() as u32).filter_map(|slab| flipped(state, slab, true)));
            }
            (Op::Free, Some(Ret::Done) | None) => {
                next.extend(u32::try_from(call.key).ok().and_then(|slab| flipped(state, slab, false)));
            }
            _ => {}
        }
    }

    /// `borrow` is an allocation and, if it found a slab, its return.
    fn expand(&self, call: &Call, ret: Option<&Ret>) -> Vec<(Call, Option<Ret>)> {
        match (call.op, ret) {
            (Op::Borrow, Some(Ret::Slab(slab))) => {
                let take = (Call::new(Op::Allocate, 0, 0), Some(Ret::Slab(*slab)));
                let back = slab.map(|slab| (Call::new(Op::Free, slab.into(), 0), Some(Ret::Done)));
                [take].into_iter().chain(back).collect()
            }
            (Op::Borrow, _) => alloc::vec![(Call::new(Op::Allocate, 0, 0), None)],
            _ => alloc::vec![(call.clone(), ret.cloned())],
        }
    }

    fn show(&self, _key: u64, state: &Vec<u32>) -> String {
        let free = (0..32 * state.len()).filter(|slab| state[slab / 32] & 1 << (slab % 32) == 0);
        let free: Vec<_> = free.map(|slab| slab.to_string()).collect();
        match free.as_slice() {
            [] => "no slab is free".to_string(),
            [slab] => format!("slab {slab} is free"),
            slabs => format!("slabs {} are free", slabs.join(", ")),
        }
    }
}

/// `state` with the bit of `slab` changed to `used`, if it was different.
fn flipped(state: &[u32], slab: u32, used: bool) -> Option<Vec<u32>> {
    let (at, bit) = ((slab / 32) as usize, 1 << (slab % 32));
    let word = state.get(at)?;
    if (word & bit != 0) == used {
        return None;
    }
    let mut state = state.to_vec();
    state[at] ^= bit;
    Some(state)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slab_is_taken_once() {
        let pool = Pool { used: alloc::vec![!0b11], may_miss: false };
        let take = Call::new(Op::Allocate, 0, 0);
        let mut next = Vec::new();
        pool.step(&pool.initial(0), &take, Some(&Ret::Slab(Some(1))), &mut next);
        assert_eq!(next, [alloc::vec![!0b01]]);
        let state = next.remove(0);
        pool.step(&state, &take, Some(&Ret::Slab(Some(1))), &mut next);
        pool.step(&state, &take, Some(&Ret::Slab(None)), &mut next);
        assert!(next.is_empty());
        pool.step(&state, &Call::new(Op::Free, 1, 0), Some(&Ret::Done), &mut next);
        assert_eq!(next, [alloc::vec![!0b11]]);
    }
}
