//! Inserting, assigning and deleting, in rounds. Each round ends with an exchange of the head.

use super::WaitFreeTable;
use super::announce::{Request, Served};
use super::draft::Draft;
use super::words::{Announcement, Head, NIL, Update};
use crate::at_lane::AtLane;
use crate::entry::Packed;
use crate::key::UserKey;
use crate::memory::{IntegerWords, Order, Word, Words};
use crate::outcome::{Assign, Delete, Insert, Mixed, Op};
use crate::reclaim::{NodeIndex, Pool, Stash};
use crate::warp::Warp;

/// How a round ended.
enum Round {
    /// Answered: whether the key was present.
    Answer(bool),
    /// Another warp was faster, or this warp has served other calls.
    Again,
    /// No node is free.
    NoNode,
}

impl<E, N, H, P, const S: usize> WaitFreeTable<E, N, H, P, S>
where
    E: Packed,
    N: Words<E::Word>,
    H: IntegerWords<u64>,
    P: Pool,
{
    /// Inserts a pair if the key is absent.
    #[inline(always)]
    pub fn insert_unique<W: Warp>(self, w: &mut W, key: UserKey<E::Key>, value: E::Value) -> Insert {
        match self.update(w, Update::Add, key, value) {
            Some(false) => Insert::Inserted,
            Some(true) => Insert::Present,
            None => Insert::Full,
        }
    }

    /// Inserts a pair if the key is absent, otherwise replaces the value.
    #[inline(always)]
    pub fn insert_or_assign<W: Warp>(self, w: &mut W, key: UserKey<E::Key>, value: E::Value) -> Assign {
        match self.update(w, Update::Assign, key, value) {
            Some(false) => Assign::Inserted,
            Some(true) => Assign::Replaced,
            None => Assign::Full,
        }
    }

    /// Deletes the pair of a key. `None` if no node is free; then nothing has changed.
    #[inline(always)]
    pub fn delete<W: Warp>(self, w: &mut W, key: UserKey<E::Key>) -> Option<Delete> {
        let present = self.update(w, Update::Remove, key, E::Value::ZERO)?;
        Some(if present { Delete::Deleted } else { Delete::Absent })
    }

    /// Runs an update and returns whether its key was present. `None` if no node is free; then nothing has
    /// changed.
    #[inline(always)]
    pub fn update<W: Warp>(
        self,
        w: &mut W,
        update: Update,
        key: UserKey<E::Key>,
        value: E::Value,
    ) -> Option<bool> {
        self.words.pool.turn(w, |w, stash| self.update_from(w, (update, key, value), stash).0)
    }

    /// Updates a key with the stash of this warp, which the caller has opened and will close. Also returns
    /// how many exchanges of the head the call has lost.
    #[inline(always)]
    fn update_from<W: Warp>(
        self,
        w: &mut W,
        (update, key, value): (Update, UserKey<E::Key>, E::Value),
        stash: &mut Stash,
    ) -> (Option<bool>, u32) {
        let (request, mut lost) = (self.request_of(update, key, value), 0);
        match self.fast(w, request, stash, &mut lost) {
            Some(present) => (Some(present), lost),
            None => self.rounds(w, request, stash, lost),
        }
    }

    #[inline(always)]
    fn request_of(self, update: Update, key: UserKey<E::Key>, value: E::Value) -> Request<E::Word> {
        Request { bucket: self.bucket(key.get()), update, entry: E::pack(key.get(), value) }
    }

    /// Runs an operation whose kind is known at run time, and leaves the answer in the lane that has it.
    /// `None` if no node is free; then nothing has changed. `stash` is this warp's, which the caller has
    /// opened and will close.
    #[inline(always)]
    pub fn mixed<W: Warp>(
        self,
        w: &mut W,
        (op, key, value): (Op, UserKey<E::Key>, E::Value),
        stash: &mut Stash,
    ) -> Option<AtLane<W, Mixed<E::Value>>> {
        self.mixed_counted(w, (op, key, value), stash).0
    }

    /// Runs an operation. Also returns how many exchanges of a head it has lost; [`rounds`](super::rounds)
    /// bounds them. A search makes none.
    #[inline(always)]
    #[expect(clippy::type_complexity, reason = "an answer and a number")]
    pub fn mixed_counted<W: Warp>(
        self,
        w: &mut W,
        (op, key, value): (Op, UserKey<E::Key>, E::Value),
        stash: &mut Stash,
    ) -> (Option<AtLane<W, Mixed<E::Value>>>, u32) {
        let Some(update) = update_of(op) else {
            return (Some(self.look(w, key).map(w, Mixed::of_search)), 0);
        };
        let (present, lost) = self.update_from(w, (update, key, value), stash);
        (present.map(|present| AtLane::known(w, Mixed::of(code(update, present)))), lost)
    }

    #[inline(always)]
    fn rounds<W: Warp>(
        self,
        w: &mut W,
        request: Request<E::Word>,
        stash: &mut Stash,
        mut lost: u32,
    ) -> (Option<bool>, u32) {
        let mut call = None;
        loop {
            if lost == self.patience && call.is_none() {
                call = Some(self.announce(w, request.bucket, request.update, request.entry));
            }
            if W::MARKS {
                // A round reads everything else again. Scenarios have fewer than 256 rounds and calls per
                // warp.
                let calls = call.map_or(0, |call| call.sequence::<P::Counters>() as u32);
                w.mark(lost | calls << 8 | stash.turn() << 16, stash.bits());
            }
            let answer = match self.round(w, request, call, stash) {
                Round::Again => {
                    lost += 1;
                    continue;
                }
                Round::Answer(present) => Some(present),
                Round::NoNode => call.and_then(|call| self.withdraw(w, request.bucket, call)),
            };
            if let Some(call) = call {
                self.settle(w, call);
            }
            return (answer, lost);
        }
    }

    #[inline(always)]
    fn round<W: Warp>(
        self,
        w: &mut W,
        request: Request<E::Word>,
        call: Option<Announcement>,
        stash: &mut Stash,
    ) -> Round {
        let head = self.head(w, request.bucket);
        if let Some(call) = call
            && let Some(present) = self.answer(w, head, call)
        {
            return Round::Answer(present);
        }
        let first = self.first_node(w, head);
        let mut draft = Draft::of(first);
        let mut served = Served::NOTHING;
        let made = self.make(w, (request, head), call.is_some(), (&mut draft, stash), &mut served);
        if let Ok(own) = made
            && draft.is_untouched()
            && served.receipts == NIL
        {
            // Nothing is to be changed: that held when the head was read. An announced call has its answer,
            // or is served.
            return own.map_or(Round::Again, Round::Answer);
        }
        if made.is_ok() && self.publish(w, request.bucket, head, &draft, served) {
            if head.has_receipts() {
                self.words.pool.retire(w, stash, NodeIndex(head.first()));
            }
            self.retire(w, stash, first, &draft);
            return made.ok().flatten().or(served.own).map_or(Round::Again, Round::Answer);
        }
        self.abandon(w, &draft, stash);
        self.abandon_receipts(w, served, stash);
        if made.is_err() { Round::NoNode } else { Round::Again }
    }

    /// Publishes a draft as the chain of its bucket, unless the head has changed.
    #[inline(always)]
    fn publish<W: Warp>(self, w: &mut W, bucket: u32, head: Head, draft: &Draft, served: Served) -> bool {
        self.deliver(w, head);
        let has_receipts = served.receipts != NIL;
        let first = if has_receipts {
            self.set_link(w, NodeIndex(served.receipts), draft.first);
            served.receipts
        } else {
            draft.first
        };
        let new = Head::new::<P::Counters>(first, has_receipts, served.left_some);
        w.sync();
        // Release: the nodes were written, and the answers delivered, before.
        w.elect(0, || {
            self.words.heads.compare_exchange(bucket as usize, head.0, new.0, Order::Release) == head.0
        })
    }
}

/// The update that an operation is, if it is one.
#[inline(always)]
pub(super) const fn update_of(op: Op) -> Option<Update> {
    match op {
        Op::Insert | Op::InsertUnique => Some(Update::Add),
        Op::Assign => Some(Update::Assign),
        Op::Delete => Some(Update::Remove),
        Op::Search => None,
    }
}

/// The code of the outcome of an update.
#[inline(always)]
pub(super) const fn code(update: Update, present: bool) -> u8 {
    match (update, present) {
        (Update::Add, false) => Insert::Inserted.code(),
        (Update::Add, true) => Insert::Present.code(),
        (Update::Assign, false) => Assign::Inserted.code(),
        (Update::Assign, true) => Assign::Replaced.code(),
        (Update::Remove, false) => Delete::Absent.code(),
        (Update::Remove, true) => Delete::Deleted.code(),
    }
}
