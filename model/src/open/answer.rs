//! The answer of an operation, by what it found.

use super::table::{Held, Look};
use crate::at_lane::AtLane;
use crate::memory::Word;
use crate::outcome::{Add, Assign, Delete, Insert, Mixed, Op};
use crate::warp::Warp;

/// How an insert ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Inserted,
    /// The key was there.
    Present,
    /// All buckets that the key probes are full of others, and record in their filter that it went on.
    Full,
}

impl End {
    /// The end of an insert, by the content of the slot that decided; `None` if there was no room.
    #[inline(always)]
    const fn of(held: Option<Held>) -> Self {
        match held {
            Some(Held::Key) => Self::Present,
            Some(Held::Nothing) => Self::Inserted,
            None => Self::Full,
        }
    }

    /// The answer to an insert, told to all lanes.
    #[inline(always)]
    pub(crate) fn told<W: Warp>(w: &mut W, put: Option<AtLane<W, Held>>) -> Self {
        Self::of(put.map(|held| Held::told(w, held)))
    }

    /// The answer of an insert, or of an assign.
    #[inline(always)]
    pub(crate) fn answer<W: Warp, V: Word>(
        w: &mut W,
        op: Op,
        put: Option<AtLane<W, Held>>,
    ) -> AtLane<W, Mixed<V>> {
        let said = |held| match op {
            Op::Assign => Mixed::of(Self::of(held).of_assign().code()),
            _ => Mixed::of(Self::of(held).of_insert().code()),
        };
        match put {
            Some(held) => held.map(w, |held| said(Some(held))),
            None => AtLane::known(w, said(None)),
        }
    }

    #[inline(always)]
    pub(crate) const fn of_insert(self) -> Insert {
        match self {
            Self::Inserted => Insert::Inserted,
            Self::Present => Insert::Present,
            Self::Full => Insert::Full,
        }
    }

    #[inline(always)]
    pub(crate) const fn of_assign(self) -> Assign {
        match self {
            Self::Inserted => Assign::Inserted,
            Self::Present => Assign::Replaced,
            Self::Full => Assign::Full,
        }
    }

    #[inline(always)]
    pub(crate) const fn of_add(self) -> Add {
        match self {
            Self::Inserted => Add::Inserted,
            Self::Present => Add::Added,
            Self::Full => Add::Full,
        }
    }
}

impl Held {
    /// What the slot held, told to all lanes.
    #[inline(always)]
    pub(crate) fn told<W: Warp>(w: &mut W, held: AtLane<W, Self>) -> Self {
        if held.is(w, |held| held == Self::Key) { Self::Key } else { Self::Nothing }
    }

    #[inline(always)]
    pub(crate) const fn of_delete(self) -> Delete {
        match self {
            Self::Key => Delete::Deleted,
            Self::Nothing => Delete::Absent,
        }
    }

    /// The answer of a delete that found this; `None` means nothing.
    #[inline(always)]
    pub(crate) fn answer<W: Warp, V: Word>(w: &mut W, held: Option<AtLane<W, Self>>) -> AtLane<W, Mixed<V>> {
        let said = |held: Self| Mixed::of(held.of_delete().code());
        match held {
            Some(held) => held.map(w, said),
            None => AtLane::known(w, said(Self::Nothing)),
        }
    }
}

impl<W: Warp, V: Word> Look<W, V> {
    /// The answer of a search.
    #[inline(always)]
    pub(crate) fn answer(self, w: &mut W) -> AtLane<W, Mixed<V>> {
        match self {
            Self::Decided(found) => found.map(w, Mixed::of_search),
            Self::Beyond => AtLane::known(w, Mixed::of_search(None)),
        }
    }
}
