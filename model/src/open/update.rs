//! Inserting, assigning, adding and deleting.

use super::filter::Filter;
use super::probing::Probing;
use super::slots::{Change, OpenSlots, There};
use super::table::{Held, OpenTable};
use crate::entry::Packed;
use crate::key::UserKey;
use crate::memory::Word;
use crate::outcome::{Add, Assign, Delete, Insert, Mixed, Op};
use crate::warp::Warp;

/// How an insert ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Inserted,
    /// The key was there.
    Present,
    /// All buckets that the key probes are full of others, and say that it went on.
    Full,
}

impl End {
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

impl<E: Packed, H: OpenSlots<E>, F: Filter, P: Probing, const S: usize> OpenTable<E, H, F, P, S> {
    /// Adds a pair if the key is absent.
    ///
    /// [`Insert::Full`] if all buckets were probed and no slot was empty: the slot of a deleted pair stays taken. Lock-free: a slot
    /// that is lost was filled by another insert. Reads the buckets that a search reads, and says in each full one that it went on.
    /// Where keys move, [`cuckoo`](super::cuckoo) says what is different; the same for the other operations.
    #[inline(always)]
    pub fn insert_unique<W: Warp>(self, w: &mut W, key: UserKey<E::Key>, value: E::Value) -> Insert {
        self.put(w, key, value, There::Keep).of_insert()
    }

    /// Adds a pair if the key is absent, else replaces its value. [`Assign::Full`] as in `insert_unique`.
    #[inline(always)]
    pub fn insert_or_assign<W: Warp>(self, w: &mut W, key: UserKey<E::Key>, value: E::Value) -> Assign {
        self.put(w, key, value, There::Assign).of_assign()
    }

    /// Adds a pair if the key is absent, else adds `value` to its value, modulo 2 to the bits of a value: a counter.
    /// [`Add::Full`] as in `insert_unique`. Lock-free: an exchange that is lost is lost to another one of this slot.
    #[inline(always)]
    pub fn insert_or_add<W: Warp>(self, w: &mut W, key: UserKey<E::Key>, value: E::Value) -> Add {
        self.put(w, key, value, There::Add).of_add()
    }

    /// Adds the entry of a slot of another table, of which no key is here. A slot without an entry, empty or a tombstone, adds
    /// nothing. `false` if there is no room for it. So a table is rehashed: every slot of the old one once, into a new one.
    ///
    /// Slots that are next to each other in one table go to buckets near each other in one of another size: a home follows from
    /// the high bits of the hash.
    #[inline(always)]
    pub fn absorb<W: Warp>(self, w: &mut W, slot: E::Word) -> bool {
        match UserKey::new(E::key(slot)) {
            Some(key) => !matches!(self.put(w, key, E::value(slot), There::Keep), End::Full),
            None => true,
        }
    }

    /// Takes out the pair of `key`. Its slot is not used again, and it is lock-free, unless keys move.
    #[inline(always)]
    pub fn delete<W: Warp>(self, w: &mut W, key: UserKey<E::Key>) -> Delete {
        self.take_out(w, key).unwrap_or(Delete::Absent)
    }

    /// The same, but `None` if the key may be where keys go for which this table has no room.
    #[inline(always)]
    pub(crate) fn take_out<W: Warp>(self, w: &mut W, key: UserKey<E::Key>) -> Option<Delete> {
        if P::CHAIN > 0 {
            return Some(self.take_out_where_keys_move(w, key));
        }
        let mut probe = self.probe(key.get());
        loop {
            let row = self.read(w, probe.bucket);
            if let Some(slot) = Self::deciding(w, probe.bucket, row, key.get()) {
                match self.exchange(w, &slot, |seen| (!H::is_vacant(seen)).then_some(Change::Erase)) {
                    Some(Held::Key) => return Some(Delete::Deleted),
                    Some(Held::Nothing) => return Some(Delete::Absent),
                    // Another value came, or another delete.
                    None => continue,
                }
            }
            if !self.filter().passed(w, probe.bucket, probe.hash) {
                return Some(Delete::Absent);
            }
            probe = self.next(probe)?;
        }
    }

    /// Runs an operation whose kind is a value. [`Op::Insert`] is a unique insert.
    #[inline(always)]
    pub fn mixed<W: Warp>(self, w: &mut W, op: Op, key: UserKey<E::Key>, value: E::Value) -> Mixed<E::Value> {
        let said = |code| Mixed { code, value: E::Value::ZERO };
        match op {
            Op::Insert | Op::InsertUnique => said(self.insert_unique(w, key, value).code()),
            Op::Assign => said(self.insert_or_assign(w, key, value).code()),
            Op::Delete => said(self.delete(w, key).code()),
            Op::Search => match self.search(w, key) {
                Some(value) => Mixed { code: 1, value },
                None => said(0),
            },
        }
    }

    /// The same, unless it is an insert or assign of an absent key whose buckets have no empty slot, where keys move: then nothing
    /// has changed, and it is `None`. [`mixed`](Self::mixed) makes room, or says that there is none.
    #[inline(always)]
    pub fn try_mixed<W: Warp>(
        self,
        w: &mut W,
        op: Op,
        key: UserKey<E::Key>,
        value: E::Value,
    ) -> Option<Mixed<E::Value>> {
        if P::CHAIN == 0 {
            return Some(self.mixed(w, op, key, value));
        }
        let there = match op {
            Op::Insert | Op::InsertUnique => There::Keep,
            Op::Assign => There::Assign,
            Op::Search | Op::Delete => return Some(self.mixed(w, op, key, value)),
        };
        let entry = E::pack(key.get(), value);
        let (keeps, changed) = (there == There::Keep, Self::changed(entry, there));
        let end = self.try_put_where_keys_move(w, key.get(), keeps, changed)?;
        let code = if op == Op::Assign { end.of_assign().code() } else { end.of_insert().code() };
        Some(Mixed { code, value: E::Value::ZERO })
    }

    /// What an insert, assign or add of an entry makes of a slot that holds its key or is empty; `None` if it stays.
    #[inline(always)]
    fn changed(entry: E::Word, there: There) -> impl Fn(H::Word) -> Option<Change<E::Word>> + Copy {
        move |seen| match there {
            _ if Self::is_empty(seen) => Some(Change::Put(entry, there)),
            There::Keep => None,
            There::Assign => Some(Change::Put(entry, there)),
            There::Add => Some(Change::Put(H::more(seen, E::key(entry), E::value(entry)), there)),
        }
    }

    /// An insert, assign or add.
    #[inline(always)]
    pub(crate) fn put<W: Warp>(self, w: &mut W, key: UserKey<E::Key>, value: E::Value, there: There) -> End {
        let entry = E::pack(key.get(), value);
        let changed = Self::changed(entry, there);
        if P::CHAIN > 0 {
            return self.put_where_keys_move(w, key.get(), entry, changed);
        }
        let mut probe = self.probe(key.get());
        loop {
            let row = self.read(w, probe.bucket);
            if let Some(slot) = Self::deciding(w, probe.bucket, row, key.get()) {
                if H::PENDING && Self::is_pending(w, &slot, key.get()) {
                    // How the other insert ends decides this one.
                    w.pause();
                    continue;
                }
                match self.exchange(w, &slot, changed) {
                    Some(Held::Key) => return End::Present,
                    Some(Held::Nothing) => return End::Inserted,
                    // Another insert took it, which may have been of this key, or another value came, or a delete.
                    None => continue,
                }
            }
            self.filter().pass(w, probe.bucket, probe.hash);
            let Some(next) = self.next(probe) else { return End::Full };
            probe = next;
        }
    }
}
