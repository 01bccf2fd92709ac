//! A warp whose lanes are an array, run one after the other. What differs between engines is in its [`Hooks`].

use warpproof_model::{Ballot, Block, Warp, Word};

/// A warp that an engine runs: it may stand in a block.
pub trait SimWarp: Warp {
    /// The block's view of this warp.
    type Block: Block;

    /// The block that the warp runs in.
    fn block(&mut self) -> &mut Self::Block;
}

/// What an engine does at the points where a warp meets the others.
pub trait Hooks {
    /// The block's view of a warp.
    type Block: Block;

    /// Index of the warp.
    fn id(&self) -> u32;
    /// Before the lanes run a closure of `each`.
    fn begin_each(&mut self) {}
    /// After it.
    fn end_each(&mut self) {}
    /// A sequentially consistent fence.
    fn fence(&mut self);
    /// The warp waits for another one.
    fn pause(&mut self);
    /// The block.
    fn block(&mut self) -> &mut Self::Block;
}

/// A warp of `L` lanes.
#[derive(Debug)]
pub struct ArrayWarp<const L: usize, H> {
    hooks: H,
}

impl<const L: usize, H: Hooks> ArrayWarp<L, H> {
    /// A warp with these hooks.
    pub const fn new(hooks: H) -> Self {
        Self { hooks }
    }
}

impl<const L: usize, H: Hooks> Warp for ArrayWarp<L, H> {
    const LANES: u32 = L as u32;
    type Lanes<T: Copy> = [T; L];

    fn id(&self) -> u32 {
        self.hooks.id()
    }
    fn each<T: Copy>(&mut self, mut f: impl FnMut(u32) -> T) -> [T; L] {
        self.hooks.begin_each();
        let lanes = core::array::from_fn(|lane| f(lane as u32));
        self.hooks.end_each();
        lanes
    }
    fn map<T: Copy, U: Copy>(&mut self, values: [T; L], mut f: impl FnMut(u32, T) -> U) -> [U; L] {
        self.each(|lane| f(lane, values[lane as usize]))
    }
    fn both<T: Copy, U: Copy, V: Copy>(
        &mut self,
        a: [T; L],
        b: [U; L],
        mut f: impl FnMut(u32, T, U) -> V,
    ) -> [V; L] {
        self.each(|lane| f(lane, a[lane as usize], b[lane as usize]))
    }
    fn ballot(&mut self, votes: [bool; L]) -> Ballot {
        Ballot::from_bits(
            votes.iter().enumerate().fold(0, |bits, (lane, vote)| bits | (*vote as u32) << lane),
        )
    }
    fn shfl<T: Word>(&mut self, values: [T; L], source: u32) -> T {
        values[source as usize]
    }
    fn elect<T: Word>(&mut self, _lane: u32, f: impl FnOnce() -> T) -> T {
        f()
    }
    fn elect_with<T: Copy, U: Word>(
        &mut self,
        lane: u32,
        values: Self::Lanes<T>,
        f: impl FnOnce(T) -> U,
    ) -> U {
        f(values[lane as usize])
    }
    fn sync(&mut self) {}
    fn fence(&mut self) {
        self.hooks.fence();
    }
    fn pause(&mut self) {
        self.hooks.pause();
    }
}

impl<const L: usize, H: Hooks> SimWarp for ArrayWarp<L, H> {
    type Block = H::Block;

    fn block(&mut self) -> &mut H::Block {
        self.hooks.block()
    }
}
