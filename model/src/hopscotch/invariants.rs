//! Invariants of a hopscotch table, to be checked on a copy of its words.

use super::home::{Home, Lock};
use super::table::HopscotchTable;
use crate::entry::Packed;
use crate::memory::Words;
use crate::warp::Warp;

/// An invariant that is violated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Broken {
    /// A home has both locks.
    BothLocks {
        /// The home.
        home: u32,
    },
    /// A key is outside the neighbourhood of its home.
    OutOfReach {
        /// The group of the key.
        group: u32,
    },
    /// The hop bits of a home do not lead to one of its members, and none of them is being moved.
    LostMember {
        /// The home.
        home: u32,
        /// The group of the member.
        group: u32,
    },
    /// A key is there twice, and no member of its home is being moved.
    DuplicateKey {
        /// Its home.
        home: u32,
    },
    /// A home is locked (quiescence only).
    Locked {
        /// The home.
        home: u32,
    },
    /// A slot is reserved (quiescence only).
    Reserved {
        /// The group of the slot.
        group: u32,
    },
    /// A hop bit leads to a group without a member (quiescence only).
    EmptyHop {
        /// The home.
        home: u32,
        /// The group.
        group: u32,
    },
}

impl core::fmt::Display for Broken {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::BothLocks { home } => write!(f, "home {home} has both locks"),
            Self::OutOfReach { group } => write!(f, "group {group} holds a key of another neighbourhood"),
            Self::LostMember { home, group } => {
                write!(
                    f,
                    "home {home} has a member in group {group} but no hop bit for it, and is not moving one"
                )
            }
            Self::DuplicateKey { home } => write!(f, "a key of home {home} stands twice"),
            Self::Locked { home } => write!(f, "home {home} is locked"),
            Self::Reserved { group } => write!(f, "a slot of group {group} is reserved"),
            Self::EmptyHop { home, group } => {
                write!(f, "home {home} has a hop bit for group {group} but no member there")
            }
        }
    }
}

impl<E: Packed, H: Words<E::Word>, const S: usize, const N: u32, const V: u32> HopscotchTable<E, H, S, N, V> {
    /// Checks the invariants of every state: no home has both locks; every entry is in the neighbourhood of
    /// its home, and its hop bits lead there, unless the home has `swap_lock`, or `multiple_lock` and version
    /// 0; a key is there twice only while its home has `swap_lock`.
    ///
    /// Takes time proportional to the groups, times the words of a neighbourhood squared: meant for tiny
    /// tables.
    pub fn check_state<W: Warp>(self, w: &mut W) -> Result<(), Broken> {
        for home in 0..self.homes() {
            let at = self.home(w, home);
            if at.has(Lock::Multiple) && at.has(Lock::Swap) {
                return Err(Broken::BothLocks { home });
            }
        }
        for group in 0..self.groups() {
            let mut broken = None;
            self.visit(w, group, |w, _, key, _| {
                let home = self.home_of(key);
                if home > group || group - home >= N {
                    broken = Some(Broken::OutOfReach { group });
                    return;
                }
                let at = self.home(w, home);
                let first = at.has(Lock::Multiple) && at.version() == 0;
                let named = at.reaches(group - home, self.class(key));
                if !at.has(Lock::Swap) && !first && !named {
                    broken = Some(Broken::LostMember { home, group });
                }
                if !at.has(Lock::Swap) && self.copies(w, home, key) > 1 {
                    broken = Some(Broken::DuplicateKey { home });
                }
            });
            broken.map_or(Ok(()), Err)?;
        }
        Ok(())
    }

    /// Checks the additional invariants of a state in which no operation runs: no home is locked, no slot is
    /// reserved, every hop bit leads to a member.
    pub fn check_quiescent<W: Warp>(self, w: &mut W) -> Result<(), Broken> {
        self.check_state(w)?;
        for group in 0..self.groups() {
            let row = self.read(w, group);
            if Self::any(w, row, Self::is_reserved) {
                return Err(Broken::Reserved { group });
            }
        }
        for home in 0..self.homes() {
            let at = self.home(w, home);
            if at.is_locked() {
                return Err(Broken::Locked { home });
            }
            for (distance, class) in
                (1..N).flat_map(|i| (0..Home::<E::Word, N, V>::CLASSES).map(move |c| (i, c)))
            {
                let row = self.read(w, home + distance);
                let like = |word| self.is_member(word, home) && self.class(E::key(word)) == class;
                if at.reaches(distance, class) && !Self::any(w, row, like) {
                    return Err(Broken::EmptyHop { home, group: home + distance });
                }
            }
        }
        Ok(())
    }

    /// How many copies of a key are in its neighbourhood.
    fn copies<W: Warp>(self, w: &mut W, home: u32, key: E::Key) -> u32 {
        let mut copies = 0;
        for group in home..home + N {
            self.visit(w, group, |_, _, other, _| copies += (other == key) as u32);
        }
        copies
    }
}
