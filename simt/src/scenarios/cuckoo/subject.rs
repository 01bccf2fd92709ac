//! The cuckoo table as a subject, for every entry type.

use crate::check::{Access, Array, Breach, Config, Kind, Memory, SimWarp, Subject};
use crate::scenarios::applied::{AppliedMap, applied, update_of};
use crate::scenarios::entry::Entry;
use crate::scenarios::home::{SEED, entries, homes_of_keys, plural, run, run_tried, show};
use crate::scenarios::listing::{check_list, entries_among};
use crate::scenarios::open;
use std::marker::PhantomData;
use warpproof_model::cuckoo::{Broken, CHAIN, CuckooTable, lock_words};
use warpproof_model::open::{Applying, DoubleHashing, Probing};
use warpproof_model::spec::{Call, Map, Op, Ret};
use warpproof_model::{Key, ReadOrder, UserKey, WarpMap, Word, Words};

/// The array of the locks.
const LOCKS: usize = 1;

/// A cuckoo table with `S` slots per lane in a bucket.
#[derive(Clone, Debug)]
pub struct CuckooSubject<E, const S: usize> {
    config: Config,
    may_fill: bool,
    /// Whether a call adds to a value.
    adds: bool,
    /// Whether an addition is a function that is applied.
    applies: bool,
    /// Whether a free slot may go from one bucket to another by several calls of a warp: an insert that makes
    /// room may miss it.
    room_moves: bool,
    /// Whether operations go through `try_mixed` first, as those of kernels do, and then through `mixed`.
    tries: bool,
    kind: PhantomData<E>,
}

type Table<E, M, const S: usize> = CuckooTable<E, <E as Entry>::Words<M>, <M as Memory>::W32, S>;

impl<E: Entry, const S: usize> CuckooSubject<E, S> {
    /// A table of the size of `config`.
    pub const fn new(config: Config, may_fill: bool) -> Self {
        Self {
            config,
            may_fill,
            adds: false,
            applies: false,
            room_moves: false,
            tries: false,
            kind: PhantomData,
        }
    }

    /// This table, with calls that add to values.
    #[must_use]
    pub fn with_adds(self) -> Self {
        Self { adds: true, ..self }
    }

    /// This table, with a function that is applied in place of an addition.
    #[must_use]
    pub fn with_function(self) -> Self {
        Self { applies: true, ..self }
    }

    /// This table, with programs that take a key out and put one in.
    #[must_use]
    pub fn with_moving_room(self) -> Self {
        Self { room_moves: true, ..self }
    }

    /// This table, with operations as kernels run them: tried first, then run whole.
    #[must_use]
    pub fn tried(self) -> Self {
        Self { tries: true, ..self }
    }

    fn table<M: Memory>(&self, m: M) -> Table<E, M, S> {
        CuckooTable::new(E::words(m, 0), m.w32(LOCKS), self.config.buckets, SEED)
    }

    const fn bucket_slots(&self) -> usize {
        self.config.lanes as usize * S
    }

    const fn slots(&self) -> usize {
        self.config.buckets as usize * self.bucket_slots()
    }

    /// The first and the second bucket of a key.
    fn two_buckets(&self, key: E::Key) -> [u32; 2] {
        let (hash, buckets) = (key.hash(SEED), self.config.buckets);
        let first = hash.digit(buckets);
        [first, (first + DoubleHashing::stride(hash.low(), buckets)) % buckets]
    }

    /// Whether so many moves make a slot of a bucket free, each of a key from its first bucket to its second.
    fn frees(&self, keys: &[E::Key], bucket: u32, moves: u32) -> bool {
        let slots = self.bucket_slots();
        let mut here = keys[bucket as usize * slots..][..slots].iter();
        match moves {
            0 => here.any(|&key| UserKey::new(key).is_none()),
            _ => here.any(|&key| {
                let [first, second] = self.two_buckets(key);
                UserKey::new(key).is_some()
                    && (first, second != first) == (bucket, true)
                    && self.frees(keys, second, moves - 1)
            }),
        }
    }
}

impl<E: Entry, const S: usize> Subject for CuckooSubject<E, S> {
    type Spec = AppliedMap;

    fn spec(&self) -> AppliedMap {
        AppliedMap { map: Map { may_fill: self.may_fill }, applies: self.applies }
    }

    fn arrays(&self) -> Vec<Array> {
        let locks = vec![0; lock_words(self.config.buckets)];
        vec![Array::ones("slots", E::WIDTH, self.slots()), Array::new("locks", 32, locks)]
    }

    /// Values are only stored, unless some are added.
    fn exchangeable(&self) -> bool {
        !self.adds
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let table = self.table(m);
        match (call.op, UserKey::new(E::Key::from_bits(call.key.into()))) {
            (Op::InsertOrAdd, Some(key)) if self.applies => {
                let value = E::Value::from_bits(call.value.into());
                let applying = |words| Applying::<E, _, _>::new(words, |old| applied(old, value));
                table.with_words(applying).insert_or_add(w, key, value).into()
            }
            (Op::InsertOrAdd, Some(key)) => {
                table.insert_or_add(w, key, E::Value::from_bits(call.value.into())).into()
            }
            (op, Some(key)) if let Some(update) = update_of(op) => {
                let value = E::Value::from_bits(call.value.into());
                table.insert_or_update(w, update, key, value).into()
            }
            _ if self.tries => {
                let ret = run_tried(table, w, call);
                // Where a kernel ends another call may follow here.
                w.fence_acquire();
                ret
            }
            _ => run(table, w, call),
        }
    }

    /// A search reads the slots of two buckets at most.
    fn bound(&self, call: &Call) -> Option<u32> {
        (call.op == Op::Search).then_some(2 * self.bucket_slots() as u32)
    }

    fn counts(&self, array: usize, _: Access) -> bool {
        array != LOCKS
    }

    /// A search never waits.
    fn reads_after_stall(&self) -> bool {
        true
    }

    fn check_state<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Result<(), Breach> {
        self.table(m).check_state(w).map_err(breach)
    }

    /// The table is right by its own account, and lists all entries of its slots.
    fn check_quiescent<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Result<(), Breach> {
        let (table, words) = (self.table(m), E::words(m, 0));
        table.check_quiescent(w).map_err(breach)?;
        // Relaxed: read alone.
        let held = entries_among::<E>((0..self.slots()).map(|at| words.load(at, ReadOrder::Relaxed)));
        let live = |w: &mut W, part| table.live(w, part);
        check_list(w, table.parts(), held, live, |w, part, sink| table.visit(w, part, sink))
    }

    /// A slot is empty, then holds a key, then a tombstone or the same key with another value; a tombstone
    /// gives way to any key. Locks come and go.
    fn transition(&self, array: usize, _: usize, old: u128, new: u128) -> bool {
        if array == LOCKS {
            return true;
        }
        let [was, is] = [old, new].map(|word| E::key(Word::from_bits(word)));
        match UserKey::new(was) {
            None => UserKey::new(is).is_some(),
            Some(_) => is == was || is == E::key(E::MARK),
        }
    }

    /// None of the key's two buckets has a free slot, and no chain of moves makes one free. Where a free slot
    /// may move, none of the key's two buckets has an empty slot.
    fn exhausted<M: Memory>(&self, m: M, key: u64) -> Option<bool> {
        let words = E::words(m, 0);
        // Relaxed: read alone.
        let word = |at| words.load(at, ReadOrder::Relaxed);
        let keys: Vec<E::Key> = (0..self.slots()).map(|at| E::key(word(at))).collect();
        let buckets = self.two_buckets(E::Key::from_bits(key.into()));
        if self.room_moves {
            let slots = |bucket| &keys[bucket as usize * self.bucket_slots()..][..self.bucket_slots()];
            let taken = |&bucket: &u32| slots(bucket).iter().all(|&key| key != E::key(E::EMPTY));
            return Some(buckets.iter().all(taken));
        }
        let free = |moves| buckets.iter().any(|&bucket| self.frees(&keys, bucket, moves));
        Some(!(0..=CHAIN).any(free))
    }

    fn show(&self, array: usize, _: usize, value: u128) -> String {
        if array == LOCKS {
            return format!("{value:#b}");
        }
        match E::key(Word::from_bits(value)) {
            key if key == E::key(E::EMPTY) => "empty".to_string(),
            key if key == E::key(E::MARK) => "tombstone".to_string(),
            _ => show::<E>(Word::from_bits(value)),
        }
    }

    fn word(&self, array: usize, index: usize) -> String {
        if array == LOCKS {
            return format!("locks {index}");
        }
        format!("bucket {}, slot {}", index / self.bucket_slots(), index % self.bucket_slots())
    }

    fn about(&self) -> Vec<String> {
        vec![
            format!(
                "An open-addressing table of {}, each with {}; each has a lock, and keys move from their first \
                 bucket to their second.",
                plural(self.config.buckets as usize, "bucket"),
                plural(self.bucket_slots(), "slot"),
            ),
            format!(
                "Of the words, {}; the slot of a tombstone is free. The home of a key: {}.",
                entries::<E>(),
                homes_of_keys::<E::Key>(self.config.buckets),
            ),
        ]
    }
}

/// What does not hold of the table.
fn breach(broken: Broken) -> Breach {
    match broken {
        Broken::Slots(broken) => open::breach(broken),
        Broken::Locked { .. } => Breach::new(Kind::Invariant, broken.to_string()),
    }
}
