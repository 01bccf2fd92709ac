//! The reserved keys as a separate map.

use super::slots::{Action, KeySlots};
use crate::at_lane::AtLane;
use crate::entry::Packed;
use crate::key::{Key, UserKey};
use crate::map::{CounterMap, WarpMap};
use crate::memory::Word;
use crate::open::OnPresent;
use crate::outcome::{Add, Assign, Delete, Insert, Mixed, Op};
use crate::update::Update;
use crate::warp::Warp;
use core::marker::PhantomData;

/// A handle to a map of the few keys that a table of entries `E` cannot hold, by their
/// [numbers](UserKey::of_reserved): a slot for each. A Copy view that every warp carries.
///
/// There are as many slots as [`reserved_keys`] returns, all ones at first. With entries of one word, each
/// operation is one atomic access, and an update is a lock-free loop. With a lock word
/// ([`LockWordSlots`](crate::open::LockWordSlots)), all operations wait for a value that is being written.
#[derive(Clone, Copy, Debug)]
pub struct ReservedSlots<E, H> {
    slots: H,
    entry: PhantomData<E>,
}

/// How many keys are reserved for entries `E`: those from [`Key::FIRST_RESERVED`] to all ones.
#[inline(always)]
pub fn reserved_keys<E: Packed>() -> u32 {
    (E::key(E::EMPTY).to_bits() - E::Key::FIRST_RESERVED.to_bits()) as u32 + 1
}

impl<E: Packed, H: KeySlots<E>> ReservedSlots<E, H> {
    /// The map in these slots.
    #[inline(always)]
    pub const fn new(slots: H) -> Self {
        Self { slots, entry: PhantomData }
    }

    /// This map, with its slots seen through the view that `view` makes of them.
    #[inline(always)]
    pub fn with_slots<G>(self, view: impl FnOnce(H) -> G) -> ReservedSlots<E, G> {
        ReservedSlots { slots: view(self.slots), entry: PhantomData }
    }

    /// Runs an action on the slot of a key, by lane 0. Returns the value that the key had, if it was there.
    #[inline(always)]
    fn run<W: Warp>(
        self,
        w: &mut W,
        key: UserKey<E::Key>,
        action: Action<E::Value>,
    ) -> AtLane<W, Option<E::Value>> {
        loop {
            let run = |lane| if lane == 0 { self.slots.run(slot(key), action) } else { Some(None) };
            let said = w.each(run);
            let waits = w.map(said, |_, said| said.is_none());
            if !H::WAITS || !w.ballot(waits).any() {
                return AtLane::new(0, w.map(said, |_, said| said.flatten()));
            }
            w.pause();
        }
    }

    /// Whether the key was there when an action ran on its slot, told to all lanes.
    #[inline(always)]
    fn was_there<W: Warp>(self, w: &mut W, key: UserKey<E::Key>, action: Action<E::Value>) -> bool {
        self.run(w, key, action).is(w, |value| value.is_some())
    }

    /// Runs an operation by the calling thread only, if no action waits.
    #[inline(always)]
    pub fn run_alone(self, op: Op, key: UserKey<E::Key>, value: E::Value) -> Mixed<E::Value> {
        const { assert!(!H::WAITS, "a thread that waits needs a warp to say so") };
        mixed(op, self.slots.run(slot(key), action(op, value)).flatten())
    }
}

/// The number of the slot of a key.
#[inline(always)]
fn slot<K: Key>(key: UserKey<K>) -> usize {
    key.get().to_bits() as usize
}

/// The action of an operation on a slot.
#[inline(always)]
fn action<V>(op: Op, value: V) -> Action<V> {
    match op {
        Op::Insert | Op::InsertUnique => Action::Put(value, OnPresent::Keep),
        Op::Assign => Action::Put(value, OnPresent::Assign),
        Op::Delete => Action::Erase,
        Op::Search => Action::Read,
    }
}

/// The answer of an operation on a key that had this value, or was absent.
#[inline(always)]
fn mixed<V: Word>(op: Op, had: Option<V>) -> Mixed<V> {
    let there = had.is_some();
    Mixed::of(match op {
        Op::Insert | Op::InsertUnique => insert(there).code(),
        Op::Assign => assign(there).code(),
        Op::Delete => delete(there).code(),
        Op::Search => return Mixed::of_search(had),
    })
}

#[inline(always)]
fn insert(was_there: bool) -> Insert {
    if was_there { Insert::Present } else { Insert::Inserted }
}

#[inline(always)]
fn assign(was_there: bool) -> Assign {
    if was_there { Assign::Replaced } else { Assign::Inserted }
}

#[inline(always)]
fn delete(was_there: bool) -> Delete {
    if was_there { Delete::Deleted } else { Delete::Absent }
}

impl<E: Packed, H: KeySlots<E>> WarpMap for ReservedSlots<E, H> {
    type Key = E::Key;
    type Value = E::Value;

    #[inline(always)]
    fn insert_unique<W: Warp>(self, w: &mut W, key: UserKey<E::Key>, value: E::Value) -> Insert {
        insert(self.was_there(w, key, Action::Put(value, OnPresent::Keep)))
    }

    #[inline(always)]
    fn insert_or_assign<W: Warp>(self, w: &mut W, key: UserKey<E::Key>, value: E::Value) -> Assign {
        assign(self.was_there(w, key, Action::Put(value, OnPresent::Assign)))
    }

    #[inline(always)]
    fn search<W: Warp>(self, w: &mut W, key: UserKey<E::Key>) -> Option<E::Value> {
        self.run(w, key, Action::Read).tell(w)
    }

    #[inline(always)]
    fn delete<W: Warp>(self, w: &mut W, key: UserKey<E::Key>) -> Delete {
        delete(self.was_there(w, key, Action::Erase))
    }

    #[inline(always)]
    fn mixed<W: Warp>(
        self,
        w: &mut W,
        op: Op,
        key: UserKey<E::Key>,
        value: E::Value,
    ) -> AtLane<W, Mixed<E::Value>> {
        self.run(w, key, action(op, value)).map(w, |had| mixed(op, had))
    }

    #[inline(always)]
    fn prefetch<W: Warp>(self, _: UserKey<E::Key>) {}

    #[inline(always)]
    fn parts(self) -> u32 {
        1
    }

    #[inline(always)]
    fn live<W: Warp>(self, w: &mut W, part: u32) -> u32 {
        let mut live = 0;
        self.visit(w, part, |_, _, _, _| live += 1);
        live
    }

    #[inline(always)]
    fn visit<W: Warp>(self, w: &mut W, _: u32, mut sink: impl FnMut(&mut W, u32, E::Key, E::Value)) {
        let mut number = 0;
        for at in 0..reserved_keys::<E>() {
            let Some(key) = UserKey::new(E::Key::from_bits(at.into())) else { return };
            if let Some(value) = self.search(w, key) {
                sink(w, number, key.get(), value);
                number += 1;
            }
        }
    }
}

impl<E: Packed, H: KeySlots<E>> CounterMap for ReservedSlots<E, H> {
    #[inline(always)]
    fn insert_or_update<W: Warp>(
        self,
        w: &mut W,
        update: Update,
        key: UserKey<E::Key>,
        value: E::Value,
    ) -> Add {
        let put = Action::Put(value, OnPresent::Update(update));
        if self.was_there(w, key, put) { Add::Added } else { Add::Inserted }
    }
}
