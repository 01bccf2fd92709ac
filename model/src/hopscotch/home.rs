//! The home word: the state of a home and of its members.

use crate::hash::Hash64;
use crate::memory::Word;
use core::marker::PhantomData;

/// The first word of a group, by which the members of its home are found. `T` is the word, `N` the groups of
/// a neighbourhood, `V` the most bits of the version.
///
/// | Bits | |
/// |---|---|
/// | 0 | `multiple_lock`: a key of this home is being inserted, assigned or deleted |
/// | 1 | `swap_lock`: a member of this home is being moved by an insert of another home |
/// | from 2 on, `N - 1` per class | hop bits: bit `i - 1` of a class is for group `home + i` |
/// | the others, 64 at most | version: how often a member has left a slot; 1 comes after the last one |
///
/// A hop bit says that its group may hold members of its class. Keys of a home fall into [`Home::CLASSES`]
/// classes by their hash, so that a search need not read groups that hold only other classes.
///
/// In memory the bits are inverted: a home without members that never had any is all ones, as an empty slot
/// is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Home<T, const N: u32, const V: u32 = WHOLE> {
    bits: u64,
    word: PhantomData<T>,
}

/// A home has at most one of these locks.
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

/// The width of a version that may take all free bits of a home word.
pub(super) const WHOLE: u32 = u64::BITS;

impl<T: Word, const N: u32, const V: u32> core::fmt::Display for Home<T, N, V> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "version {}", self.version())?;
        for distance in 1..N {
            for class in (0..Self::CLASSES).filter(|&class| self.reaches(distance, class)) {
                write!(f, ", members {distance} on")?;
                if Self::CLASSES > 1 {
                    write!(f, " of class {class}")?;
                }
            }
        }
        let lock = |lock, name| if self.has(lock) { name } else { "" };
        f.write_str(lock(Lock::Multiple, ", multiple_lock"))?;
        f.write_str(lock(Lock::Swap, ", swap_lock"))
    }
}

impl<T: Word, const N: u32, const V: u32> Home<T, N, V> {
    /// Classes of the keys of a home, a power of two. In a word of 64 bits: as many as half of its bits are
    /// enough hop bits for, at most eight. In a word of 32 bits: one.
    pub const CLASSES: u32 = if size_of::<T>() == 4 || N > 17 {
        1
    } else if N > 9 {
        2
    } else if N > 5 {
        4
    } else {
        8
    };
    /// Hop bits of a class.
    const HOPS: u32 = N - 1;
    /// Bits of a home in its word.
    const BITS: u32 = if size_of::<T>() == 4 { u32::BITS } else { u64::BITS };
    /// Bits below the version: locks and hop bits.
    const LOWER: u32 = 2 + Self::HOPS * Self::CLASSES;
    /// Bits of the version.
    pub(super) const VERSION_BITS: u32 = {
        let rest = Self::BITS.saturating_sub(Self::LOWER);
        if rest < V { rest } else { V }
    };
    /// The first bit of the version.
    const VERSION: u32 = Self::BITS - Self::VERSION_BITS;

    /// The class of keys with this hash.
    #[inline(always)]
    pub fn class(hash: Hash64) -> u32 {
        // The high bits of the hash decide the home.
        hash.low() % Self::CLASSES
    }

    /// The home in a word.
    #[inline(always)]
    pub fn from_word(word: T) -> Self {
        Self::of(T::from_bits(!word.to_bits()).to_bits() as u64)
    }

    /// All that a home word says.
    #[inline(always)]
    pub(super) const fn bits(self) -> u64 {
        self.bits
    }

    /// The word of a home.
    #[inline(always)]
    pub(super) fn into_word(self) -> T {
        T::from_bits(!(self.bits as u128))
    }

    #[inline(always)]
    const fn of(bits: u64) -> Self {
        Self { bits, word: PhantomData }
    }

    #[inline(always)]
    pub(super) const fn is_locked(self) -> bool {
        self.bits & LOCKS != 0
    }

    /// Whether it has this lock.
    pub(super) const fn has(self, lock: Lock) -> bool {
        self.bits & lock.bit() != 0
    }

    #[inline(always)]
    pub(super) const fn locked(self, lock: Lock) -> Self {
        Self::of(self.bits | lock.bit())
    }

    #[inline(always)]
    pub(super) const fn unlocked(self) -> Self {
        Self::of(self.bits & !LOCKS)
    }

    /// This home word with a hop bit set: the group `distance` after the home holds members of `class`.
    #[inline(always)]
    pub(super) const fn with(self, distance: u32, class: u32) -> Self {
        Self::of(self.bits | Self::bit(distance, class))
    }

    /// This home word with the hop bit of `class` cleared for the group `distance` after the home.
    #[inline(always)]
    pub(super) const fn without(self, distance: u32, class: u32) -> Self {
        Self::of(self.bits & !Self::bit(distance, class))
    }

    /// Whether there may be members of a class in the group `distance` after the home. In its own group there
    /// always may.
    #[inline(always)]
    pub(super) const fn reaches(self, distance: u32, class: u32) -> bool {
        distance == 0 || self.bits & Self::bit(distance, class) != 0
    }

    /// The distance of the nearest group with members of a class that is more than `distance` after the home.
    #[inline(always)]
    pub(super) const fn next(self, distance: u32, class: u32) -> Option<u32> {
        let hops = self.bits >> (2 + class * Self::HOPS) & ((1 << Self::HOPS) - 1);
        let later = hops >> distance;
        if later == 0 { None } else { Some(distance + 1 + later.trailing_zeros()) }
    }

    /// This home word with the next version, after a member has left a slot. The version after the last is 1:
    /// 0 means that no member has ever left.
    #[inline(always)]
    pub(super) const fn changed(self) -> Self {
        let one = 1 << Self::VERSION;
        let next = Self::of(self.bits.wrapping_add(one));
        let round = next.bits << (u64::BITS - Self::VERSION - Self::VERSION_BITS)
            >> (u64::BITS - Self::VERSION_BITS)
            == 0;
        if round { Self::of(next.bits.wrapping_add(one)) } else { next }
    }

    /// The version.
    #[inline(always)]
    pub(super) const fn version(self) -> u64 {
        self.bits >> Self::VERSION
    }

    #[inline(always)]
    const fn bit(distance: u32, class: u32) -> u64 {
        if distance == 0 { 0 } else { 1 << (1 + class * Self::HOPS + distance) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_home_is_all_ones() {
        let fresh = Home::<u64, 4>::from_word(u64::MAX);
        assert_eq!((fresh.is_locked(), fresh.next(0, 0), fresh.version()), (false, None, 0));
        assert_eq!(fresh.into_word(), u64::MAX);
        assert_eq!(Home::<u32, 4>::from_word(u32::MAX).into_word(), u32::MAX);
        assert_eq!(Home::<u128, 4>::from_word(u128::MAX).into_word(), u128::MAX);
    }

    fn fields_of<T: Word>() {
        let last = Home::<T, 4>::CLASSES - 1;
        let fresh = Home::<T, 4>::from_word(T::from_bits(u128::MAX));
        for class in [0, last] {
            let home = fresh.with(1, class).with(3, class).locked(Lock::Swap).changed();
            let next = |distance| home.next(distance, class);
            assert_eq!((next(0), next(1), next(2), next(3)), (Some(1), Some(3), Some(3), None));
            assert!(home.reaches(0, class) && home.reaches(1, class) && !home.reaches(2, class));
            assert!(home.is_locked() && home.has(Lock::Swap) && !home.has(Lock::Multiple));
            assert_eq!((home.version(), home.unlocked().is_locked()), (1, false));
            assert_eq!(home.without(1, class).without(3, class).next(0, class), None);
            assert_eq!(Home::from_word(home.into_word()), home);
            if last > 0 {
                assert_eq!(home.next(0, last - class), None, "another class");
            }
        }
    }

    #[test]
    fn fields_do_not_touch_each_other() {
        fields_of::<u32>();
        fields_of::<u64>();
        fields_of::<u128>();
    }

    #[test]
    fn half_of_a_long_word_is_left_for_the_version() {
        fn version_bits<T: Word, const N: u32>() -> u32 {
            Home::<T, N>::VERSION_BITS
        }
        assert_eq!((Home::<u64, 4>::CLASSES, version_bits::<u64, 4>()), (8, 38));
        assert_eq!((Home::<u64, 8>::CLASSES, version_bits::<u64, 8>()), (4, 34));
        assert_eq!((Home::<u32, 8>::CLASSES, version_bits::<u32, 8>()), (1, 23));
        assert!(version_bits::<u64, 5>() >= 30 && version_bits::<u64, 9>() >= 30);
        assert!(version_bits::<u128, 17>() >= 30 && version_bits::<u64, 32>() >= 30);
    }

    /// The version of a 32-bit word wraps to 1; it never reaches the other fields.
    #[test]
    fn a_version_goes_round() {
        let last = Home::<u32, 4>::from_word(0).without(1, 0).without(2, 0).without(3, 0).unlocked();
        let next = Home::<u32, 4>::from_word(last.changed().into_word());
        assert_eq!((next.version(), next.next(0, 0), next.is_locked()), (1, None, false));
    }
}
