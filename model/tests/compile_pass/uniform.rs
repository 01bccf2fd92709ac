//! Collectives between the per-lane closures, control flow on uniform values.
use warpproof_model::Warp;

fn lowest_even<W: Warp>(w: &mut W) -> Option<u32> {
    let lanes = w.each(|lane| lane);
    let even = w.map(lanes, |_, value| value % 2 == 0);
    w.sync();
    let lane = w.ballot(even).ffs()?;
    let value = w.shfl(lanes, lane);
    if value > 0 {
        return Some(w.elect(lane, || value));
    }
    let doubled = w.both(lanes, even, |_, value, even| if even { 2 * value } else { value });
    Some(w.elect_with(lane, doubled, |value| value))
}

fn main() {
    assert_eq!(lowest_even(&mut Scalar), Some(0));
}

/// A warp of one lane.
struct Scalar;

impl Warp for Scalar {
    const LANES: u32 = 1;
    type Lanes<T: Copy> = T;

    fn id(&self) -> u32 {
        0
    }
    fn each<T: Copy>(&mut self, mut f: impl FnMut(u32) -> T) -> T {
        f(0)
    }
    fn map<T: Copy, U: Copy>(&mut self, value: T, mut f: impl FnMut(u32, T) -> U) -> U {
        f(0, value)
    }
    fn both<T: Copy, U: Copy, V: Copy>(&mut self, a: T, b: U, mut f: impl FnMut(u32, T, U) -> V) -> V {
        f(0, a, b)
    }
    fn ballot(&mut self, vote: bool) -> warpproof_model::Ballot {
        warpproof_model::Ballot::from_bits(vote as u32)
    }
    fn shfl<T: warpproof_model::Word>(&mut self, value: T, _source: u32) -> T {
        value
    }
    fn elect<T: warpproof_model::Word>(&mut self, _lane: u32, f: impl FnOnce() -> T) -> T {
        f()
    }
    fn elect_with<T: Copy, U: warpproof_model::Word>(
        &mut self,
        _lane: u32,
        value: T,
        f: impl FnOnce(T) -> U,
    ) -> U {
        f(value)
    }
    fn sync(&mut self) {}
    fn fence(&mut self) {}
    fn fence_acquire(&mut self) {}
    fn pause(&mut self) {}
}
