//! A warp whose lanes are an array, run one after the other. [`Hooks`] has what differs between engines.

use super::memory::Handle;
use super::panics::engine;
use warpproof_model::{Ballot, Block, Warp, Word};

/// A warp that an engine runs. It may be part of a block.
pub trait SimWarp: Warp {
    /// The block's view of this warp.
    type Block: Block;

    /// The block that the warp runs in.
    fn block(&mut self) -> &mut Self::Block;
}

/// The actions of an engine at the points where a warp meets the others. The rest of the code sees an engine
/// only through this trait and [`super::Cells`].
pub trait Hooks {
    /// Index of the warp, which is also its rank in the one block that all warps of a scenario form.
    fn id(&self) -> u32;
    /// Number of warps.
    fn warps(&self) -> u32;
    /// Whether lanes step from the last to the first.
    fn backwards(&self) -> bool {
        false
    }
    /// From here on the given lane acts alone, or, if there is none, all lanes do the same.
    fn turn(&self, _lane: Option<u32>) {}
    /// What follows depends on all lanes: a ballot, a shuffle, a result that all receive. Orders no memory.
    fn collective(&self) {}
    /// The lanes wait for each other; afterwards each knows what any of them knew.
    fn sync(&self) {}
    /// Before the lanes run a closure of `each`.
    fn begin_each(&self) {}
    /// After it.
    fn end_each(&self) {}
    /// A sequentially consistent fence.
    fn fence(&self);
    /// An acquire fence of every lane, after which the lanes wait for each other.
    fn fence_acquire(&self);
    /// The warp waits for another one.
    fn pause(&self);
    /// Marks where in its call the warp is: what follows depends only on this.
    fn mark(&self, _place: u32, _state: u64) {}
    /// The barrier of the block.
    fn meet(&self);
    /// The shared words of the block.
    fn shared(&self) -> Handle<'_, u32>;
}

/// A warp of `L` lanes.
pub struct ArrayWarp<'a, const L: usize> {
    block: ArrayBlock<'a>,
}

impl<'a, const L: usize> ArrayWarp<'a, L> {
    /// A warp with these hooks.
    pub const fn new(hooks: &'a dyn Hooks) -> Self {
        Self { block: ArrayBlock { hooks } }
    }

    /// The lanes begin to step. Returns the first one: lane 0, or the last one if lanes step backwards. Step
    /// `n` is that of lane `n ^ first`, since `L` is a power of two.
    fn begin(&self) -> usize {
        let backwards = self.block.engine(|hooks| {
            hooks.begin_each();
            hooks.backwards()
        });
        if backwards { L - 1 } else { 0 }
    }

    /// Begins the turn of a lane.
    fn turn(&self, lane: usize) {
        self.block.engine(|hooks| hooks.turn(Some(lane as u32)));
    }

    /// All lanes have stepped.
    fn end(&self) {
        self.block.engine(|hooks| {
            hooks.turn(None);
            hooks.end_each();
        });
    }
}

/// All warps of a scenario as one block.
pub struct ArrayBlock<'a> {
    hooks: &'a dyn Hooks,
}

impl<'a> ArrayBlock<'a> {
    /// Runs the engine.
    fn engine<T>(&self, f: impl FnOnce(&'a dyn Hooks) -> T) -> T {
        engine(|| f(self.hooks))
    }
}

impl<'a> Block for ArrayBlock<'a> {
    type Shared = Handle<'a, u32>;

    fn rank(&self) -> u32 {
        self.engine(Hooks::id)
    }
    fn warps(&self) -> u32 {
        self.engine(Hooks::warps)
    }
    fn shared(&self) -> Self::Shared {
        self.engine(Hooks::shared)
    }
    fn sync(&mut self) {
        self.engine(Hooks::meet);
    }
}

impl<const L: usize> Warp for ArrayWarp<'_, L> {
    const LANES: u32 = L as u32;
    const MARKS: bool = true;
    type Lanes<T: Copy> = [T; L];

    fn id(&self) -> u32 {
        self.block.engine(Hooks::id)
    }
    fn each<T: Copy>(&mut self, mut f: impl FnMut(u32) -> T) -> [T; L] {
        let first = self.begin();
        self.turn(first);
        let mut lanes = [f(first as u32); L];
        for step in 1..L {
            let lane = step ^ first;
            self.turn(lane);
            lanes[lane] = f(lane as u32);
        }
        self.end();
        lanes
    }
    // Not by `each`: the compiler would make another function for each closure that is given to it.
    fn map<T: Copy, U: Copy>(&mut self, values: [T; L], mut f: impl FnMut(u32, T) -> U) -> [U; L] {
        let first = self.begin();
        self.turn(first);
        let mut lanes = [f(first as u32, values[first]); L];
        for step in 1..L {
            let lane = step ^ first;
            self.turn(lane);
            lanes[lane] = f(lane as u32, values[lane]);
        }
        self.end();
        lanes
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
        self.block.engine(Hooks::collective);
        Ballot::from_bits(
            votes.iter().enumerate().fold(0, |bits, (lane, vote)| bits | (*vote as u32) << lane),
        )
    }
    fn shfl<T: Word>(&mut self, values: [T; L], source: u32) -> T {
        self.block.engine(Hooks::collective);
        values[source as usize]
    }
    fn elect<T: Word>(&mut self, lane: u32, f: impl FnOnce() -> T) -> T {
        self.block.engine(|hooks| hooks.turn(Some(lane)));
        let result = f();
        self.block.engine(|hooks| {
            hooks.turn(None);
            hooks.collective();
        });
        result
    }
    fn elect_with<T: Copy, U: Word>(
        &mut self,
        lane: u32,
        values: Self::Lanes<T>,
        f: impl FnOnce(T) -> U,
    ) -> U {
        self.elect(lane, || f(values[lane as usize]))
    }
    fn sync(&mut self) {
        self.block.engine(Hooks::sync);
    }
    fn fence(&mut self) {
        self.block.engine(Hooks::fence);
    }
    fn fence_acquire(&mut self) {
        self.block.engine(Hooks::fence_acquire);
    }
    fn pause(&mut self) {
        self.block.engine(Hooks::pause);
    }
    fn mark(&mut self, place: u32, state: u64) {
        self.block.engine(|hooks| hooks.mark(place, state));
    }
}

impl<'a, const L: usize> SimWarp for ArrayWarp<'a, L> {
    type Block = ArrayBlock<'a>;

    fn block(&mut self) -> &mut ArrayBlock<'a> {
        &mut self.block
    }
}
