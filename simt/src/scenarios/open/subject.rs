//! The open-addressing table as a subject, for every entry type.

use super::layout::Layout;
use super::scheme::{DoubleHashed, Scheme};
use crate::check::{Array, Breach, Config, Kind, Memory, SimWarp, Subject, View};
use crate::scenarios::home::{homes_of_keys, plural, run, run_tried};
use std::marker::PhantomData;
use warpproof_model::entry::Packed;
use warpproof_model::key::fastrange;
use warpproof_model::open::{Broken, OpenSlots, OpenTable, Probing};
use warpproof_model::spec::{Call, Map, Op, Ret};
use warpproof_model::{Key as _, UserKey, Word};

/// An open-addressing table with `S` slots per lane in a bucket, and keys that probe as `C` says.
#[derive(Clone, Debug)]
pub struct OpenSubject<L, const S: usize, C = DoubleHashed> {
    config: Config,
    may_fill: bool,
    /// Whether a call adds to a value.
    adds: bool,
    /// Whether a free slot may go from one bucket to another by several calls of a warp: an insert that makes
    /// room may miss it.
    room_moves: bool,
    /// Whether operations go through `try_mixed` first, as those of kernels do, and then through `mixed`.
    tries: bool,
    kind: PhantomData<(L, C)>,
}

type Table<L, M, C, const S: usize> = OpenTable<
    <L as Layout>::Entry,
    <L as Layout>::Slots<M>,
    <C as Scheme>::Filter<M>,
    <C as Scheme>::Probing,
    S,
>;
type Key<L> = <<L as Layout>::Entry as Packed>::Key;
type Value<L> = <<L as Layout>::Entry as Packed>::Value;
/// The slots of a layout, for looking at single words.
type Seen<L> = <L as Layout>::Slots<View<'static>>;

impl<L: Layout, C: Scheme, const S: usize> OpenSubject<L, S, C> {
    /// The array of what stands beside the slots.
    const BESIDE: usize = L::ARRAYS.len();

    /// A table of the size of `config`.
    pub const fn new(config: Config, may_fill: bool) -> Self {
        Self { config, may_fill, adds: false, room_moves: false, tries: false, kind: PhantomData }
    }

    /// The same with calls that add to values.
    #[must_use]
    pub fn with_adds(self) -> Self {
        Self { adds: true, ..self }
    }

    /// The same with programs that take a key out and put one in.
    #[must_use]
    pub fn with_moving_room(self) -> Self {
        Self { room_moves: true, ..self }
    }

    /// The same with operations as kernels run them: tried first, then whole.
    #[must_use]
    pub fn tried(self) -> Self {
        Self { tries: true, ..self }
    }

    fn table<M: Memory>(&self, m: M) -> Table<L, M, C, S> {
        OpenTable::new(L::slots(m), C::filter(m.w32(Self::BESIDE)), self.config.buckets)
    }

    const fn bucket_slots(&self) -> usize {
        self.config.lanes as usize * S
    }

    const fn slots(&self) -> usize {
        self.config.buckets as usize * self.bucket_slots()
    }

    /// The key of what was read of a slot.
    fn key(probed: u128) -> Key<L> {
        Seen::<L>::key(Word::from_bits(probed))
    }

    fn empty() -> Key<L> {
        L::Entry::key(L::Entry::EMPTY)
    }

    fn tombstone() -> Key<L> {
        L::Entry::key(L::Entry::MARK)
    }

    /// Whether a slot that holds a tombstone is free for an insert.
    const fn reuses() -> bool {
        C::Probing::CHAIN > 0
    }

    /// The first and the second bucket of a key.
    fn two_buckets(&self, key: Key<L>) -> [u32; 2] {
        let (hash, buckets) = (key.hash(), self.config.buckets);
        let first = fastrange(hash, buckets);
        [first, (first + C::Probing::stride(hash, buckets)) % buckets]
    }

    /// Whether so many moves make a slot of a bucket free, each of a key from its first bucket to its second.
    fn frees(&self, keys: &[Key<L>], bucket: u32, moves: u32) -> bool {
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

impl<L: Layout, C: Scheme, const S: usize> Subject for OpenSubject<L, S, C> {
    type Spec = Map;

    fn spec(&self) -> Map {
        Map { may_fill: self.may_fill }
    }

    fn arrays(&self) -> Vec<Array> {
        let array = |&(name, width): &_| Array::ones(name, width, self.slots());
        let beside = vec![0; C::words(self.config.buckets)];
        L::ARRAYS.iter().map(array).chain([Array::new(C::BESIDE, 32, beside)]).collect()
    }

    /// Values are only stored, unless some are added.
    fn exchangeable(&self) -> bool {
        !self.adds
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let table = self.table(m);
        match (call.op, UserKey::new(Key::<L>::from_bits(call.key.into()))) {
            (Op::InsertOrAdd, Some(key)) => {
                table.insert_or_add(w, key, Value::<L>::from_bits(call.value.into())).into()
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

    fn check_state<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Result<(), Breach> {
        self.table(m).check_state(w).map_err(breach)
    }

    fn check_quiescent<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Result<(), Breach> {
        self.table(m).check_quiescent(w).map_err(breach)
    }

    /// A slot is empty, then pending where a layout has that, then holds one key, then none, and where keys
    /// move another one; a bit of a filter stays.
    fn transition(&self, array: usize, _: usize, old: u128, new: u128) -> bool {
        if array == Self::BESIDE {
            return Self::reuses() || old & !new == 0;
        }
        if array != 0 {
            return true;
        }
        let (was, is) = (Self::key(old), Self::key(new));
        if Self::reuses() && was == Self::tombstone() {
            return UserKey::new(is).is_some();
        }
        match (L::pending(old), L::pending(new)) {
            (Some(key), None) => is.to_bits() == key.into(),
            (Some(_), Some(_)) => false,
            (None, Some(_)) => was == Self::empty(),
            (None, None) if was == Self::empty() => !Seen::<L>::PENDING && UserKey::new(is).is_some(),
            (None, None) => was != Self::tombstone() && (is == was || is == Self::tombstone()),
        }
    }

    /// No slot is empty; where keys move, none of the key's two buckets is free, and no chain of moves makes
    /// it so. Where a free slot may move, none of the key's two buckets is empty.
    fn exhausted<M: Memory>(&self, m: M, key: u64) -> bool {
        let slots = L::slots(m);
        // Read alone.
        let probed = (0..self.slots()).flat_map(|at| slots.probe::<1>(at));
        let keys: Vec<Key<L>> = probed.map(L::Slots::<M>::key).collect();
        if !Self::reuses() {
            return keys.iter().all(|&key| key != Self::empty());
        }
        let buckets = self.two_buckets(Key::<L>::from_bits(key.into()));
        if self.room_moves {
            let slots = |bucket| &keys[bucket as usize * self.bucket_slots()..][..self.bucket_slots()];
            return buckets.iter().all(|&bucket| slots(bucket).iter().all(|&key| key != Self::empty()));
        }
        let free = |moves| buckets.iter().any(|&bucket| self.frees(&keys, bucket, moves));
        !(0..=C::Probing::CHAIN).any(free)
    }

    fn show(&self, array: usize, _: usize, value: u128) -> String {
        if array == Self::BESIDE {
            return format!("{value:#b}");
        }
        if array != 0 {
            return value.to_string();
        }
        match (Self::key(value), L::pending(value)) {
            (_, Some(key)) => format!("{key} locked"),
            (key, None) if key == Self::empty() => "empty".to_string(),
            (key, None) if key == Self::tombstone() => "tombstone".to_string(),
            (_, None) => L::show(value),
        }
    }

    fn word(&self, array: usize, index: usize) -> String {
        let part = match array {
            0 if Self::BESIDE == 1 => "slot",
            0 => "key",
            _ if array != Self::BESIDE => "value",
            _ => return format!("{} {index}", C::BESIDE),
        };
        format!("bucket {}, {part} {}", index / self.bucket_slots(), index % self.bucket_slots())
    }

    fn about(&self) -> Vec<String> {
        let entries = match (Self::BESIDE, size_of::<Value<L>>()) {
            (1, 0) => "a slot holds a key",
            (1, _) => "5:10 in a slot is key 5 with value 10",
            _ => "a key and its value are two words, and a key is locked until its value is there",
        };
        let (beside, slot) = if Self::reuses() {
            ("each has a lock, and keys move from their first bucket to their second", "free")
        } else {
            ("the filter has 2 bits for each", "not used again")
        };
        vec![
            format!(
                "An open-addressing table of {}, each with {}; {beside}.",
                plural(self.config.buckets as usize, "bucket"),
                plural(self.bucket_slots(), "slot"),
            ),
            format!(
                "Of the words, {entries}; the slot of a tombstone is {slot}. The home of a key: {}.",
                homes_of_keys::<Key<L>>(self.config.buckets),
            ),
        ]
    }
}

/// What does not hold of the table.
pub(in crate::scenarios) fn breach(broken: Broken) -> Breach {
    let kind = match broken {
        Broken::DuplicateKey { .. } => Kind::DuplicateKey,
        _ => Kind::Invariant,
    };
    Breach::new(kind, broken.to_string())
}
