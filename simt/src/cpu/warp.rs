//! Warps and blocks on a CPU: the lanes of a warp run one after the other in one thread.

use super::words::{Array, CpuWords};
use core::ops::{Deref, DerefMut};
use core::sync::atomic::{AtomicU32, Ordering, fence};
use warpproof_model::{Ballot, Block, Warp, Word};

/// A warp of `L` lanes, run by one thread.
///
/// The lanes share the thread, so [`Warp::sync`] has nothing to do.
#[derive(Debug)]
pub struct CpuWarp<const L: usize> {
    id: u32,
    pauses: u32,
}

impl<const L: usize> CpuWarp<L> {
    /// Warp number `id` of its launch.
    #[inline(always)]
    pub const fn new(id: u32) -> Self {
        const { assert!(L.is_power_of_two() && L <= 32) };
        Self { id, pauses: 0 }
    }
}

/// A warp of a grid, which has a number.
pub trait GridWarp: Warp {
    /// Warp number `id` of its launch.
    fn numbered(id: u32) -> Self;
}

impl<const L: usize> GridWarp for CpuWarp<L> {
    #[inline(always)]
    fn numbered(id: u32) -> Self {
        Self::new(id)
    }
}

/// A warp that belongs to its holder.
pub(super) struct Own<W>(pub(super) W);

impl<W> Deref for Own<W> {
    type Target = W;

    #[inline(always)]
    fn deref(&self) -> &W {
        &self.0
    }
}

impl<W> DerefMut for Own<W> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut W {
        &mut self.0
    }
}

impl<const L: usize> Warp for CpuWarp<L> {
    const LANES: u32 = L as u32;
    type Lanes<T: Copy> = [T; L];

    #[inline(always)]
    fn id(&self) -> u32 {
        self.id
    }

    #[inline(always)]
    fn each<T: Copy>(&mut self, mut f: impl FnMut(u32) -> T) -> [T; L] {
        // A loop, here and below: in a build for tests `from_fn` is calls in calls for each lane.
        let mut lanes = [f(0); L];
        for (lane, value) in lanes.iter_mut().enumerate().skip(1) {
            *value = f(lane as u32);
        }
        lanes
    }

    #[inline(always)]
    fn map<T: Copy, U: Copy>(&mut self, values: [T; L], mut f: impl FnMut(u32, T) -> U) -> [U; L] {
        let mut lanes = [f(0, values[0]); L];
        for lane in 1..L {
            lanes[lane] = f(lane as u32, values[lane]);
        }
        lanes
    }

    #[inline(always)]
    fn both<T: Copy, U: Copy, V: Copy>(
        &mut self,
        a: [T; L],
        b: [U; L],
        mut f: impl FnMut(u32, T, U) -> V,
    ) -> [V; L] {
        let mut lanes = [f(0, a[0], b[0]); L];
        for lane in 1..L {
            lanes[lane] = f(lane as u32, a[lane], b[lane]);
        }
        lanes
    }

    #[inline(always)]
    fn ballot(&mut self, votes: [bool; L]) -> Ballot {
        Ballot::from_bits((0..L).fold(0, |bits, lane| bits | (votes[lane] as u32) << lane))
    }

    #[inline(always)]
    fn shfl<T: Word>(&mut self, values: [T; L], source: u32) -> T {
        if L == 2 {
            // A branch on the lane that found a key is mispredicted nearly every other time.
            return core::hint::select_unpredictable(source.is_multiple_of(2), values[0], values[L - 1]);
        }
        values[source as usize % L]
    }

    #[inline(always)]
    fn elect<T: Word>(&mut self, _lane: u32, f: impl FnOnce() -> T) -> T {
        f()
    }

    #[inline(always)]
    fn elect_with<T: Copy, U: Word>(&mut self, lane: u32, values: [T; L], f: impl FnOnce(T) -> U) -> U {
        f(values[lane as usize % L])
    }

    #[inline(always)]
    fn sync(&mut self) {}

    #[inline(always)]
    fn fence(&mut self) {
        fence(Ordering::SeqCst);
    }

    #[inline(always)]
    fn fence_acquire(&mut self) {
        // Acquire: pairs with the Release of the write that this warp read relaxed.
        fence(Ordering::Acquire);
    }

    #[inline]
    fn pause(&mut self) {
        // Spins briefly, then gives the core to the thread that it waits for, which may not be running.
        self.pauses = self.pauses.wrapping_add(1);
        if self.pauses.is_multiple_of(32) {
            std::thread::yield_now();
        } else {
            core::hint::spin_loop();
        }
    }
}

/// A block of one warp: its barrier has nothing to wait for.
pub struct CpuBlock {
    shared: Array<AtomicU32, 16>,
}

impl CpuBlock {
    /// A block with `words` shared words.
    ///
    /// # Errors
    /// When the memory cannot be had.
    pub fn new(words: usize) -> Result<Self, std::collections::TryReserveError> {
        Ok(Self { shared: Array::new(words, |_| 0)? })
    }
}

impl<'a> Block for &'a CpuBlock {
    type Shared = CpuWords<'a, AtomicU32, 16>;

    fn rank(&self) -> u32 {
        0
    }

    fn warps(&self) -> u32 {
        1
    }

    fn shared(&self) -> Self::Shared {
        self.shared.words()
    }

    fn sync(&mut self) {}
}
