//! The words of GLHT: which bits belong to the index of a slot, and which to its content.
//!
//! One 64-bit word per slot. Its key belongs to the *content* and moves with it; its bitmap, and in repaired
//! forms its version, belong to the *index*: bit i says that slot index + i holds a key whose home is this
//! index. Flags are as published: `multiple_lock` on a full slot says that this home is in an update, on an
//! empty one that the slot is reserved; `swap_lock` is on the head of a displacement and on the slot that is
//! moved.

/// The slot is empty.
pub(crate) const EMPTY: u64 = 1 << 63;
/// `multiple_lock`.
pub(crate) const MULTIPLE: u64 = 1 << 62;
/// `swap_lock` of a head.
pub(crate) const HEAD: u64 = 1 << 61;
/// `swap_lock` of the slot that is moved.
pub(crate) const MOVED: u64 = 1 << 60;
/// All locks.
pub(crate) const LOCKS: u64 = MULTIPLE | HEAD | MOVED;
/// A word that no warp filled.
pub(crate) const INITIAL: u64 = EMPTY;

const BITMAP_AT: u32 = 28;
/// Bits of a bitmap; published are 32. The smallest scenarios need three, the other bits have room for a
/// version.
const BITMAP_BITS: u32 = 8;
const BITMAP: u64 = ((1 << BITMAP_BITS) - 1) << BITMAP_AT;
const VERSION_AT: u32 = BITMAP_AT + BITMAP_BITS;
const VERSION: u64 = (MOVED - 1) & !((1 << VERSION_AT) - 1);
const KEY: u64 = (1 << BITMAP_AT) - 1;
/// What belongs to the index.
const INDEX: u64 = BITMAP | VERSION;

/// The bit for the slot so far after its home.
pub(crate) const fn bit(offset: u32) -> u64 {
    1 << (BITMAP_AT + offset)
}

/// The key of a full slot.
pub(crate) const fn key(word: u64) -> u64 {
    word & KEY
}

pub(crate) const fn is_empty(word: u64) -> bool {
    word & EMPTY != 0
}

pub(crate) const fn is_locked(word: u64) -> bool {
    word & LOCKS != 0
}

/// Empty and not reserved.
pub(crate) const fn is_free(word: u64) -> bool {
    word & (EMPTY | MULTIPLE) == EMPTY
}

/// Empty and reserved.
pub(crate) const fn is_reserved(word: u64) -> bool {
    word & (EMPTY | MULTIPLE) == EMPTY | MULTIPLE
}

/// Full, without any lock.
pub(crate) const fn is_quiet(word: u64) -> bool {
    word & (EMPTY | LOCKS) == 0
}

/// What belongs to the index, with nothing in the slot's other bits.
pub(crate) const fn index_part(word: u64) -> u64 {
    word & INDEX
}

/// This word with the next version.
pub(crate) const fn next_version(word: u64) -> u64 {
    (word & !VERSION) | (word.wrapping_add(1 << VERSION_AT) & VERSION)
}

/// A word for people: `9 {0 1} multiple_lock`.
pub(crate) fn show(word: u64) -> String {
    let content = if is_empty(word) { "empty".to_string() } else { key(word).to_string() };
    let members = (0..BITMAP_BITS).filter(|&i| word & bit(i) != 0).map(|i| i.to_string());
    let members = members.collect::<Vec<_>>().join(" ");
    let flags = [(MULTIPLE, "multiple_lock"), (HEAD, "swap_lock (head)"), (MOVED, "swap_lock (moved)")];
    let flags = flags.iter().filter(|(flag, _)| word & flag != 0).map(|(_, name)| (*name).to_string());
    let version = Some((word & VERSION) >> VERSION_AT).filter(|version| *version != 0);
    let bitmap = Some(members).filter(|members| !members.is_empty()).map(|members| format!("{{{members}}}"));
    let version = version.map(|version| format!("v{version}"));
    [content].into_iter().chain(bitmap).chain(flags).chain(version).collect::<Vec<_>>().join(" ")
}
