//! Answers that are at one lane.

use crate::memory::Word;
use crate::outcome::Mixed;
use crate::warp::Warp;

/// A value that one lane of a warp has; the values of the other lanes mean nothing.
///
/// The lane that found a slot knows its content. To tell the other lanes takes a shuffle or a vote. A caller
/// that only writes the answer to memory needs neither: [`give`](Self::give) writes it from that lane.
pub struct AtLane<W: Warp, T: Copy> {
    lane: u32,
    values: W::Lanes<T>,
}

impl<W: Warp, T: Copy> Clone for AtLane<W, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<W: Warp, T: Copy> Copy for AtLane<W, T> {}

impl<W: Warp, T: Copy> AtLane<W, T> {
    /// The value that `values` has at lane `lane`.
    #[inline(always)]
    pub(crate) fn new(lane: u32, values: W::Lanes<T>) -> Self {
        Self { lane, values }
    }

    /// A value that all lanes know; the first lane has it.
    #[inline(always)]
    pub fn known(w: &mut W, value: T) -> Self {
        Self { lane: 0, values: w.each(|_| value) }
    }

    /// The result of `f` on the value.
    #[inline(always)]
    pub fn map<U: Copy>(self, w: &mut W, f: impl Fn(T) -> U) -> AtLane<W, U> {
        AtLane { lane: self.lane, values: w.map(self.values, |_, value| f(value)) }
    }

    /// Only the lane that has it runs `f` on it.
    #[inline(always)]
    pub fn give(self, w: &mut W, f: impl FnOnce(T)) {
        w.elect_with(self.lane, self.values, f);
    }

    /// Whether `f` is true of it, told to all lanes: one vote.
    #[inline(always)]
    pub fn is(self, w: &mut W, f: impl Fn(T) -> bool) -> bool {
        let votes = w.map(self.values, |_, value| f(value));
        w.shfl(votes, self.lane)
    }
}

impl<W: Warp, V: Word> AtLane<W, V> {
    /// The value, told to all lanes.
    #[inline(always)]
    pub fn tell(self, w: &mut W) -> V {
        w.shfl(self.values, self.lane)
    }
}

impl<W: Warp, V: Word> AtLane<W, Option<V>> {
    /// The value, told to all lanes.
    #[inline(always)]
    pub fn tell(self, w: &mut W) -> Option<V> {
        if !self.is(w, |value| value.is_some()) {
            return None;
        }
        let values = w.map(self.values, |_, value| value.unwrap_or(V::ZERO));
        Some(w.shfl(values, self.lane))
    }
}

impl<W: Warp, V: Word> AtLane<W, Mixed<V>> {
    /// The answer, told to all lanes.
    #[inline(always)]
    pub fn tell(self, w: &mut W) -> Mixed<V> {
        let codes = w.map(self.values, |_, said| u32::from(said.code));
        let values = w.map(self.values, |_, said| said.value);
        Mixed { code: w.shfl(codes, self.lane) as u8, value: w.shfl(values, self.lane) }
    }
}
