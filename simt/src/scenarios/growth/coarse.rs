//! A table in one word: what scenarios have that look at the protocol alone.

use super::table::{BEFORE, Place, Table};
use crate::check::{Array, Breach, Config, Memory, SimWarp};
use std::ops::Range;
use warpproof_model::growth::value_of;
use warpproof_model::host::OpenStats;
use warpproof_model::{IntegerWords, Order, ReadOrder, Words, WriteOrder};

/// A set of the keys 1 to 23 in one word: a bit for each key that is there, and a count of tombstones above.
/// Its size is the number of slots that it would have. It takes as many keys as there are bits: that they are
/// no more than slots is for the protocol to see to.
#[derive(Clone, Copy, Debug)]
pub struct Coarse;

/// The number of the lowest bit of the count of tombstones.
const TOMBSTONES: u32 = 24;
const KEYS: u32 = (1 << TOMBSTONES) - 1;

impl Table for Coarse {
    const STRUCTURE: &'static str = "growth_word";

    fn new(_: &Config) -> Self {
        Self
    }

    fn arrays(&self) -> Vec<Array> {
        vec![Array::new("entries", 32, vec![0; 2])]
    }

    fn slots(&self, size: u32) -> u64 {
        size.into()
    }

    fn size(&self, slots: u64) -> u32 {
        slots as u32
    }

    fn insert<W: SimWarp, M: Memory>(&self, _: &mut W, m: M, at: Place, keys: Range<u64>) -> Vec<bool> {
        let bits = keys.clone().fold(0, |bits, key| bits | 1 << key);
        // Relaxed, here and below: the word is all that there is to say, and the lock of the table orders the
        // rest.
        let before = m.w32(BEFORE).fetch_or(at.place, bits, Order::Relaxed);
        keys.map(|key| before & 1 << key == 0).collect()
    }

    fn delete<W: SimWarp, M: Memory>(&self, _: &mut W, m: M, at: Place, key: u64) -> bool {
        let entries = m.w32(BEFORE);
        let mut seen = entries.load(at.place, ReadOrder::Relaxed);
        while seen & 1 << key != 0 {
            let without = (seen & !(1 << key)) + (1 << TOMBSTONES);
            let held = entries.compare_exchange(at.place, seen, without, Order::Relaxed);
            if held == seen {
                return true;
            }
            seen = held;
        }
        false
    }

    fn search<W: SimWarp, M: Memory>(&self, _: &mut W, m: M, at: Place, key: u64) -> Option<u64> {
        let seen = m.w32(BEFORE).load(at.place, ReadOrder::Relaxed);
        (seen & 1 << key != 0).then_some(value_of(key))
    }

    fn stats<W: SimWarp, M: Memory>(&self, _: &mut W, m: M, at: Place) -> OpenStats {
        let seen = m.w32(BEFORE).load(at.place, ReadOrder::Relaxed);
        OpenStats { live: (seen & KEYS).count_ones().into(), tombstones: (seen >> TOMBSTONES).into() }
    }

    fn empty<M: Memory>(&self, m: M, at: Place) {
        m.w32(BEFORE).store(at.place, 0, WriteOrder::Relaxed);
    }

    fn absorb<W: SimWarp, M: Memory>(&self, _: &mut W, m: M, from: Place, to: Place, half: bool) {
        let entries = m.w32(BEFORE).load(from.place, ReadOrder::Relaxed) & KEYS;
        // Without the lowest key.
        let some = if half { entries & entries.wrapping_sub(1) } else { entries };
        m.w32(BEFORE).store(to.place, some, WriteOrder::Relaxed);
    }

    fn check<W: SimWarp, M: Memory>(&self, _: &mut W, _: M, _: Place, _: bool) -> Result<(), Breach> {
        Ok(())
    }

    fn show(&self, _: usize, value: u128) -> String {
        let keys = (1..TOMBSTONES).filter(|key| value >> key & 1 != 0).map(|key| key.to_string());
        let keys = keys.collect::<Vec<_>>().join(" ");
        format!("keys {{{keys}}}, {} tombstones", value as u32 >> TOMBSTONES)
    }

    fn about(&self) -> String {
        "The table is a word: a bit for each key, and a count of tombstones; a chunk of a batch is one step."
            .to_string()
    }
}
