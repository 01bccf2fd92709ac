//! GLHT, the lock-flag hopscotch table (Zhang Juan, Sun Jianling, and fanny2011/GLHT), in our own words.
//!
//! A set. Key k has its home at k mod B and is there or in one of the H slots after it; there are B + H
//! slots, and no walk wraps around. A warp runs one operation and has a lane for each of the H + 1 slots.
//! Every exchange is of a whole word, by one lane ([`crate::glht_word`] has the word).
//!
//! - find: all lanes read the home and the slots after it, each its own; home with `multiple_lock`: again.
//!   The key is there if its lane's bit is in the home's bitmap.
//! - delete: find; a flag on the home: again. A key in its home: one exchange empties it. Else lock the home
//!   (`multiple_lock`), empty the slot *as it was read, flags and all*, unlock with the bitmap less its bit.
//! - insert: find; an empty home takes the key by one exchange. Else lock the home and reserve the nearest
//!   empty slot; as long as that is too far away, a key between is moved there ([`crate::glht_insert`]).
//!
//! The orders are stronger than the published ones (loads acquire, exchanges acquire and release, and the
//! lanes synchronize after each step), so that the protocol alone is at stake. Left out: the walk over heads
//! reads one row too far, at the end of the table out of bounds; here the end is tested first. Where H + 1 is
//! three, the fourth lane reads nothing.

use crate::glht_word::{
    EMPTY, INITIAL, MULTIPLE, bit, index_part, is_empty, is_locked, key, next_version, show,
};
use warpproof_model::spec::{Call, Op, Ret, Set};
use warpproof_model::{Order, ReadOrder, Warp, Words};
use warpproof_simt::check::{Array, Breach, Kind, Memory, SimWarp, Subject};

/// The one array.
const SLOTS: usize = 0;

/// What of the published form is repaired.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Repairs {
    /// A warp that fills or empties a slot keeps the bitmap of its index.
    pub(crate) keeps_bitmap: bool,
    /// The home word is read before the other slots and again after them, and a find in which it changed
    /// begins anew. A displacement changes it between copy and erasure.
    pub(crate) rereads: bool,
    /// A warp that changes a bitmap changes its version.
    pub(crate) versions: bool,
    /// Delete begins anew if the slot of its key has a flag.
    pub(crate) checks_target: bool,
    /// A key that leaves its home leaves a reserved slot, and only a reserved slot is filled.
    pub(crate) locks_hole: bool,
    /// Find does not wait for `multiple_lock`.
    pub(crate) never_waits: bool,
}

/// As published.
const NONE: Repairs = Repairs {
    keeps_bitmap: false,
    rereads: false,
    versions: false,
    checks_target: false,
    locks_hole: false,
    never_waits: false,
};

/// The table.
#[derive(Clone, Debug)]
pub(crate) struct Glht {
    /// Number of homes, B.
    pub(crate) homes: u32,
    /// How far after its home a key may be, H.
    pub(crate) reach: u32,
    /// Whether an insert may say that it is full.
    pub(crate) may_fill: bool,
    /// The form.
    pub(crate) repairs: Repairs,
}

/// The words of some neighbouring slots, one per lane.
pub(crate) type Row<W> = <W as Warp>::Lanes<u64>;

/// What a find read.
pub(crate) struct View<W: Warp> {
    /// The home word.
    pub(crate) home: u64,
    /// The home and the slots after it.
    pub(crate) row: Row<W>,
    /// How far after its home the key is, if it was found.
    pub(crate) offset: Option<u32>,
}

impl Glht {
    /// The published form in the smallest size: a home and one slot after it.
    pub(crate) const fn published(homes: u32) -> Self {
        Self { homes, reach: 1, may_fill: false, repairs: NONE }
    }

    /// This table with changed repairs, on top of those that it has.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Repairs)) -> Self {
        change(&mut self.repairs);
        self
    }

    /// Lanes of a warp: one for the home and each slot after it, as a power of two.
    pub(crate) const fn lanes(&self) -> u32 {
        (self.reach + 1).next_power_of_two()
    }

    pub(crate) const fn home(&self, key: u64) -> u32 {
        (key % self.homes as u64) as u32
    }

    const fn slots(&self) -> u32 {
        self.homes + self.reach
    }

    /// The slots from `base` on, each by a lane of its own.
    pub(crate) fn read<W: Warp, M: Memory>(&self, w: &mut W, m: M, base: u32) -> Row<W> {
        let slots = m.w64(SLOTS);
        let row = w.each(|lane| match lane <= self.reach {
            // Acquire: pairs with the AcqRel in exchange.
            true => slots.load((base + lane) as usize, ReadOrder::Acquire),
            false => INITIAL | MULTIPLE,
        });
        w.sync();
        row
    }

    /// One word, by lane 0.
    fn read_one<W: Warp, M: Memory>(w: &mut W, m: M, at: u32) -> u64 {
        // Acquire: pairs with the AcqRel in exchange.
        let word = w.elect(0, || m.w64(SLOTS).load(at as usize, ReadOrder::Acquire));
        w.sync();
        word
    }

    /// Whether `at` held `old` and holds `new` now.
    pub(crate) fn exchange<W: Warp, M: Memory>(w: &mut W, m: M, at: u32, old: u64, new: u64) -> bool {
        // AcqRel: pairs with the Acquire in read and read_one, and with itself.
        let seen = w.elect(0, || m.w64(SLOTS).compare_exchange(at as usize, old, new, Order::AcqRel));
        w.sync();
        seen == old
    }

    /// A word of the same index with another bitmap.
    pub(crate) const fn remapped(&self, word: u64) -> u64 {
        if self.repairs.versions { next_version(word) } else { word }
    }

    /// The word of an index that `key` is put into. As published, nothing else is left of it.
    pub(crate) const fn filled(&self, word: u64, key: u64) -> u64 {
        if self.repairs.keeps_bitmap { index_part(word) | key } else { key }
    }

    /// The home and the slots after it; `None` if the home changed in between.
    fn neighbourhood<W: Warp, M: Memory>(&self, w: &mut W, m: M, home: u32) -> Option<Row<W>> {
        if !self.repairs.rereads {
            return Some(self.read(w, m, home));
        }
        let first = Self::read_one(w, m, home);
        let slots = m.w64(SLOTS);
        let row = w.each(|lane| match lane {
            0 => first,
            // Acquire: pairs with the AcqRel in exchange: a warp that reads what a displacement wrote here
            // reads another home word below.
            lane if lane <= self.reach => slots.load((home + lane) as usize, ReadOrder::Acquire),
            _ => INITIAL | MULTIPLE,
        });
        w.sync();
        (Self::read_one(w, m, home) == first).then_some(row)
    }

    pub(crate) fn find<W: Warp, M: Memory>(&self, w: &mut W, m: M, wanted: u64) -> View<W> {
        let at = self.home(wanted);
        loop {
            let Some(row) = self.neighbourhood(w, m, at) else { continue };
            let home = w.shfl(row, 0);
            if home & MULTIPLE != 0 && !self.repairs.never_waits {
                w.pause();
                continue;
            }
            // As published: an empty home has no bitmap of its own.
            let no_bitmap = is_empty(home) && !self.repairs.keeps_bitmap;
            let votes = w.map(row, |lane, word| {
                let member = no_bitmap || home & bit(lane) != 0;
                lane <= self.reach && member && !is_empty(word) && key(word) == wanted
            });
            return View { home, row, offset: w.ballot(votes).ffs() };
        }
    }

    fn delete<W: Warp, M: Memory>(&self, w: &mut W, m: M, wanted: u64) -> Ret {
        let home = self.home(wanted);
        loop {
            let view = self.find(w, m, wanted);
            let Some(offset) = view.offset else { return Ret::Absent };
            let target = w.shfl(view.row, offset);
            if is_locked(view.home) || (self.repairs.checks_target && is_locked(target)) {
                w.pause();
                continue;
            }
            if offset == 0 {
                let kept = if self.repairs.keeps_bitmap { view.home & !bit(0) } else { view.home };
                if Self::exchange(w, m, home, view.home, self.remapped(kept | EMPTY)) {
                    return Ret::Deleted;
                }
                continue;
            }
            let locked = view.home | MULTIPLE;
            if !Self::exchange(w, m, home, view.home, locked) {
                continue;
            }
            let erased = Self::exchange(w, m, home + offset, target, target | EMPTY);
            let without = self.remapped(view.home & !bit(offset));
            Self::exchange(w, m, home, locked, if erased { without } else { view.home });
            if erased {
                return Ret::Deleted;
            }
        }
    }
}

impl Subject for Glht {
    type Spec = Set;

    fn spec(&self) -> Set {
        Set { may_fill: self.may_fill }
    }

    fn arrays(&self) -> Vec<Array> {
        vec![Array::new("slot", 64, vec![INITIAL.into(); self.slots() as usize])]
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        match call.op {
            Op::InsertUnique => self.insert(w, m, call.key),
            Op::Delete => self.delete(w, m, call.key),
            Op::Search => Ret::Value(self.find(w, m, call.key).offset.map(|_| 0)),
            _ => Ret::Done,
        }
    }

    /// An insert gives up where it meets other updates, whether there is room or not.
    fn exhausted<M: Memory>(&self, _m: M, _: u64) -> Option<bool> {
        self.may_fill.then_some(true)
    }

    /// No key occurs twice, no flag is left.
    fn check_quiescent<W: SimWarp, M: Memory>(&self, _w: &mut W, m: M) -> Result<(), Breach> {
        // Relaxed: read alone.
        let words = (0..self.slots() as usize).map(|at| m.w64(SLOTS).load(at, ReadOrder::Relaxed));
        let words: Vec<_> = words.collect();
        if let Some(at) = words.iter().position(|&word| is_locked(word)) {
            return Err(Breach::new(Kind::Invariant, format!("the lock of slot {at} is held by nobody")));
        }
        let keys: Vec<_> = words.into_iter().filter(|&word| !is_empty(word)).map(key).collect();
        match (0..keys.len()).find(|&at| keys[..at].contains(&keys[at])) {
            Some(at) => Err(Breach::new(Kind::DuplicateKey, format!("key {} stands twice", keys[at]))),
            None => Ok(()),
        }
    }

    fn show(&self, _array: usize, _index: usize, value: u128) -> String {
        show(value as u64)
    }

    fn about(&self) -> Vec<String> {
        let reach = self.reach;
        vec![
            format!(
                "A hopscotch table of {} homes: a key is at most {reach} slots after its home.",
                self.homes
            ),
            "9 {0 1} is key 9 in a slot that is the home of the keys in it and in the slot after it.".into(),
            "A home in an update has multiple_lock, and so has an empty slot that is reserved.".into(),
            "A head has swap_lock, and so has the slot of the key that is moved.".into(),
        ]
    }
}
