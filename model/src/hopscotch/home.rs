//! The home word: what a home says of its members.

use crate::memory::Word;

/// The first word of a group, as its home's members are found by it.
///
/// | Bits | |
/// |---|---|
/// | 0 | `multiple_lock`: a key of this home is being inserted, assigned or deleted |
/// | 1 | `swap_lock`: a member of this home is being moved by an insert of another home |
/// | 2 to `N` | bit `1 + i`: group `home + i` may hold members, `i` from 1 to `N - 1` |
/// | the others, 64 at most | version: how often the members have changed, modulo its range |
///
/// In memory the bits are inverted: a home without members that never had any is all ones, as an empty slot is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Home<const N: u32>(u64);

/// A home has one of these locks or none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lock {
    /// Held by an operation on a key of the home.
    Multiple,
    /// Held by an insert of another home that moves a member.
    Swap,
}

impl Lock {
    #[inline(always)]
    const fn bit(self) -> u64 {
        match self {
            Self::Multiple => 1,
            Self::Swap => 2,
        }
    }
}

const LOCKS: u64 = 3;

impl<const N: u32> core::fmt::Display for Home<N> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "version {}", self.version())?;
        for distance in (1..N).filter(|&distance| self.reaches(distance)) {
            write!(f, ", members {distance} on")?;
        }
        let lock = |lock, name| if self.has(lock) { name } else { "" };
        f.write_str(lock(Lock::Multiple, ", multiple_lock"))?;
        f.write_str(lock(Lock::Swap, ", swap_lock"))
    }
}

impl<const N: u32> Home<N> {
    const VERSION: u32 = N + 1;

    /// The home in a word.
    #[inline(always)]
    pub fn from_word<T: Word>(word: T) -> Self {
        Self((T::from_bits(!word.to_bits())).to_bits() as u64)
    }

    /// The word of a home.
    #[inline(always)]
    pub(super) fn into_word<T: Word>(self) -> T {
        T::from_bits(!(self.0 as u128))
    }

    #[inline(always)]
    pub(super) const fn is_locked(self) -> bool {
        self.0 & LOCKS != 0
    }

    /// Whether it has this lock.
    pub(super) const fn has(self, lock: Lock) -> bool {
        self.0 & lock.bit() != 0
    }

    #[inline(always)]
    pub(super) const fn locked(self, lock: Lock) -> Self {
        Self(self.0 | lock.bit())
    }

    #[inline(always)]
    pub(super) const fn unlocked(self) -> Self {
        Self(self.0 & !LOCKS)
    }

    /// The same with members in the group `distance` behind the home, at least one.
    #[inline(always)]
    pub(super) const fn with(self, distance: u32) -> Self {
        Self(self.0 | Self::bit(distance))
    }

    /// The same without members there.
    #[inline(always)]
    pub(super) const fn without(self, distance: u32) -> Self {
        Self(self.0 & !Self::bit(distance))
    }

    /// Whether there may be members so far behind the home. In its own group there always may.
    #[inline(always)]
    pub(super) const fn reaches(self, distance: u32) -> bool {
        distance == 0 || self.0 & Self::bit(distance) != 0
    }

    /// The nearest group with members that is more than `distance` behind the home.
    #[inline(always)]
    pub(super) const fn next(self, distance: u32) -> Option<u32> {
        let hops = self.0 >> 2 & ((1 << (N - 1)) - 1);
        let later = hops >> distance;
        if later == 0 { None } else { Some(distance + 1 + later.trailing_zeros()) }
    }

    /// The same after a change of members.
    #[inline(always)]
    pub(super) const fn changed(self) -> Self {
        Self(self.0.wrapping_add(1 << Self::VERSION))
    }

    /// The version.
    #[inline(always)]
    pub(super) const fn version(self) -> u64 {
        self.0 >> Self::VERSION
    }

    #[inline(always)]
    const fn bit(distance: u32) -> u64 {
        if distance == 0 { 0 } else { 1 << (distance + 1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_home_is_all_ones() {
        let fresh = Home::<4>::from_word(u64::MAX);
        assert_eq!((fresh.is_locked(), fresh.next(0), fresh.version()), (false, None, 0));
        assert_eq!(fresh.into_word::<u64>(), u64::MAX);
        assert_eq!(fresh.into_word::<u32>(), u32::MAX);
        assert_eq!(fresh.into_word::<u128>(), u128::MAX);
    }

    #[test]
    fn fields_do_not_touch_each_other() {
        let home = Home::<4>::from_word(u32::MAX).with(1).with(3).locked(Lock::Swap).changed();
        assert_eq!(
            (home.next(0), home.next(1), home.next(2), home.next(3)),
            (Some(1), Some(3), Some(3), None)
        );
        assert!(home.reaches(0) && home.reaches(1) && !home.reaches(2));
        assert!(home.is_locked() && home.has(Lock::Swap) && !home.has(Lock::Multiple));
        assert_eq!((home.version(), home.unlocked().is_locked()), (1, false));
        assert_eq!(home.without(1).without(3).next(0), None);
        assert_eq!(Home::<4>::from_word(home.into_word::<u128>()), home);
    }

    /// The version of a 32-bit word goes round; it never reaches the other fields.
    #[test]
    fn a_version_goes_round() {
        let last = Home::<4>::from_word(0u32).without(1).without(2).without(3).unlocked();
        let next = Home::<4>::from_word(last.changed().into_word::<u32>());
        assert_eq!((next.version(), next.next(0), next.is_locked()), (0, None, false));
    }
}
