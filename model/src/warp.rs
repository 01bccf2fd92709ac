//! The warp contract: what a structure may ask of the lanes that run it.
//!
//! Code is written at warp level. A value is either *uniform* (a plain Rust value, the same for all lanes) or
//! *per lane* ([`Warp::Lanes`], opaque). Per-lane values cannot be branched on, so control flow outside the
//! per-lane closures is uniform by construction. Collectives take `&mut self`, and the closures cannot borrow
//! the warp, so a collective inside divergent code does not compile.
//!
//! **Each lane is a separate thread in the memory model.** [`Warp::ballot`] and [`Warp::shfl`] exchange
//! values and order no memory. [`Warp::sync`] orders memory.

use crate::memory::Word;

/// A tile of 1 to 32 lanes that runs one operation together. In the wait-free table it may run one operation
/// per lane.
///
/// The structures call a tile a warp. Its width is [`Warp::LANES`], a power of two. Code never assumes the
/// literal 32. A width of 1 is scalar code.
pub trait Warp {
    /// Number of lanes: 1, 2, 4, 8, 16 or 32.
    const LANES: u32;

    /// Whether marks are used. If not, their numbers need not be computed.
    const MARKS: bool = false;

    /// One value per lane. On a GPU this is the value itself, in a register; on a CPU it is an array.
    type Lanes<T: Copy>: Copy;

    /// Index of this warp in its launch, distinct from those of the launch's other warps. Uniform. Warps of
    /// two launches may have the same index. Most structures use it only to spread work. The wait-free table
    /// has memory for each index, so its launches must not overlap.
    fn id(&self) -> u32;

    /// Runs `f(lane)` in every lane. The order among lanes is not defined.
    fn each<T: Copy>(&mut self, f: impl FnMut(u32) -> T) -> Self::Lanes<T>;

    /// Runs `f(lane, value)` in every lane.
    fn map<T: Copy, U: Copy>(&mut self, values: Self::Lanes<T>, f: impl FnMut(u32, T) -> U)
    -> Self::Lanes<U>;

    /// Runs `f(lane, a, b)` in every lane.
    fn both<T: Copy, U: Copy, V: Copy>(
        &mut self,
        a: Self::Lanes<T>,
        b: Self::Lanes<U>,
        f: impl FnMut(u32, T, U) -> V,
    ) -> Self::Lanes<V>;

    /// Collects one bit per lane. Orders no memory.
    fn ballot(&mut self, votes: Self::Lanes<bool>) -> Ballot;

    /// Returns the value of lane `source` to all lanes. Orders no memory. `source` is below [`Warp::LANES`].
    fn shfl<T: Word>(&mut self, values: Self::Lanes<T>, source: u32) -> T;

    /// Lane `lane` alone runs `f`; all lanes receive the result. Orders no memory.
    fn elect<T: Word>(&mut self, lane: u32, f: impl FnOnce() -> T) -> T;

    /// Lane `lane` alone runs `f` on its own value; all lanes receive the result. Orders no memory.
    fn elect_with<T: Copy, U: Word>(
        &mut self,
        lane: u32,
        values: Self::Lanes<T>,
        f: impl FnOnce(T) -> U,
    ) -> U;

    /// Waits for all lanes and orders memory among them: what any lane did before, every lane sees
    /// afterwards.
    fn sync(&mut self);

    /// A sequentially consistent fence in every lane, with a [`Warp::sync`] before and after it.
    fn fence(&mut self);

    /// An acquire fence in every lane, followed by [`Warp::sync`]. If any lane has read a value that a
    /// release write published, with any ordering, every lane afterwards sees what was released. It does not
    /// order this warp's own writes.
    fn fence_acquire(&mut self);

    /// Tells the scheduler that this warp waits for another one. Call it in every loop that can end only by a
    /// step of another warp.
    fn pause(&mut self);

    /// Marks where the warp is in its operation: what it does from here on depends on these two numbers and
    /// on the operation, and on nothing else that it has read. A checker may merge all states with equal
    /// marks; a mark has no other effect. A mark that leaves something out hides executions;
    /// simt/src/stateful/README.md describes what guards against that.
    #[inline(always)]
    fn mark(&mut self, _place: u32, _state: u64) {}
}

/// One bit per lane, lane 0 lowest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ballot(u32);

impl Ballot {
    /// A ballot from its bits.
    #[inline(always)]
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The bits.
    #[inline(always)]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// The lowest lane that voted, if any.
    #[inline(always)]
    pub const fn ffs(self) -> Option<u32> {
        if self.0 == 0 { None } else { Some(self.0.trailing_zeros()) }
    }

    /// How many lanes voted.
    #[inline(always)]
    pub const fn popc(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether any lane voted.
    #[inline(always)]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// Whether `lane` voted. `lane` is below 32.
    #[inline(always)]
    pub const fn has(self, lane: u32) -> bool {
        self.0 & (1u32.wrapping_shl(lane)) != 0
    }

    /// This ballot without the vote of `lane`. `lane` is below 32.
    #[inline(always)]
    pub const fn without(self, lane: u32) -> Self {
        Self(self.0 & !(1u32.wrapping_shl(lane)))
    }

    /// The votes of the lanes below `lane`. `lane` is below 32.
    #[inline(always)]
    pub const fn below(self, lane: u32) -> Self {
        Self(self.0 & (1u32.wrapping_shl(lane)).wrapping_sub(1))
    }
}

#[cfg(test)]
pub(crate) mod two_lanes {
    use super::{Ballot, Warp};
    use crate::memory::Word;

    /// A warp of two lanes, of which nothing else runs.
    pub(crate) struct TwoLanes;

    impl Warp for TwoLanes {
        const LANES: u32 = 2;
        type Lanes<T: Copy> = [T; 2];

        fn id(&self) -> u32 {
            0
        }
        fn each<T: Copy>(&mut self, mut f: impl FnMut(u32) -> T) -> [T; 2] {
            [f(0), f(1)]
        }
        fn map<T: Copy, U: Copy>(&mut self, [a, b]: [T; 2], mut f: impl FnMut(u32, T) -> U) -> [U; 2] {
            [f(0, a), f(1, b)]
        }
        fn both<T: Copy, U: Copy, V: Copy>(
            &mut self,
            a: [T; 2],
            b: [U; 2],
            mut f: impl FnMut(u32, T, U) -> V,
        ) -> [V; 2] {
            [f(0, a[0], b[0]), f(1, a[1], b[1])]
        }
        fn ballot(&mut self, [first, second]: [bool; 2]) -> Ballot {
            Ballot::from_bits(u32::from(first) | u32::from(second) << 1)
        }
        fn shfl<T: Word>(&mut self, values: [T; 2], source: u32) -> T {
            values[source as usize]
        }
        fn elect<T: Word>(&mut self, _: u32, f: impl FnOnce() -> T) -> T {
            f()
        }
        fn elect_with<T: Copy, U: Word>(&mut self, lane: u32, values: [T; 2], f: impl FnOnce(T) -> U) -> U {
            f(values[lane as usize])
        }
        fn sync(&mut self) {}
        fn fence(&mut self) {}
        fn fence_acquire(&mut self) {}
        fn pause(&mut self) {}
    }
}

#[cfg(test)]
mod tests {
    use super::Ballot;

    #[test]
    fn ballot_reads_lanes_from_the_lowest() {
        let b = Ballot::from_bits(0b1010_0100);
        assert_eq!(b.ffs(), Some(2));
        assert_eq!(b.popc(), 3);
        assert_eq!((b.has(5), b.has(6)), (true, false));
        assert_eq!(b.without(2).ffs(), Some(5));
        assert_eq!(b.below(5).bits(), 0b100);
        assert_eq!(b.below(0).bits(), 0);
        assert!(!Ballot::from_bits(0).any());
        assert_eq!(Ballot::from_bits(0).ffs(), None);
    }
}
