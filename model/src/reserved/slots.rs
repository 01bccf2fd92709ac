//! One slot for one key: it is used again and again, so there are no tombstones and no probes.

use crate::entry::{LOCKED, Packed, Pair64};
use crate::memory::{IntegerWords, Order, ReadOrder, Word, Words, WriteOrder};
use crate::open::{LockWordSlots, OnPresent};

/// An action on a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action<V> {
    /// Reads its value.
    Read,
    /// Stores the key. If it is there, [`OnPresent`] decides.
    Put(V, OnPresent),
    /// Deletes the key.
    Erase,
}

/// One way to store entries `E` of keys that have a slot each.
///
/// A slot whose key is absent is all ones. The entry in slot `at` has the key `at`.
pub trait KeySlots<E: Packed>: Copy {
    /// Whether [`run`](Self::run) may have to wait for another warp.
    const WAITS: bool;

    /// Runs an action on slot `at`, in one lane. Returns the value that the key had, if it was there. The
    /// outer option is `None` if another warp is in the middle of an action: then nothing was done, and the
    /// caller tries again.
    fn run(self, at: usize, action: Action<E::Value>) -> Option<Option<E::Value>>;
}

/// An entry in one word: every action is one atomic access, except an update, which is lock-free.
impl<E: Packed, H: Words<E::Word>> KeySlots<E> for H {
    const WAITS: bool = false;

    #[inline(always)]
    fn run(self, at: usize, action: Action<E::Value>) -> Option<Option<E::Value>> {
        let entry = |value| E::pack(E::Key::from_bits(at as u128), value);
        let held = |word| (word != E::EMPTY).then(|| E::value(word));
        // Relaxed, all: the word depends on no other memory.
        Some(match action {
            Action::Read => held(self.load(at, ReadOrder::Relaxed)),
            Action::Erase => held(self.swap(at, E::EMPTY, Order::Relaxed)),
            Action::Put(value, OnPresent::Assign) => held(self.swap(at, entry(value), Order::Relaxed)),
            Action::Put(value, OnPresent::Keep) => {
                held(self.compare_exchange(at, E::EMPTY, entry(value), Order::Relaxed))
            }
            Action::Put(value, OnPresent::Update(update)) => {
                let mut seen = self.load(at, ReadOrder::Relaxed);
                loop {
                    let new = held(seen).map_or(value, |old| update.apply(old, value));
                    let now = self.compare_exchange(at, seen, entry(new), Order::Relaxed);
                    if now == seen {
                        break held(seen);
                    }
                    seen = now;
                }
            }
        })
    }
}

/// A slot whose key is absent.
const EMPTY: u64 = Pair64::EMPTY as u64;

/// A u64 pair in two words: an action that changes the value holds the slot's lock meanwhile.
impl<H: IntegerWords<u64>> KeySlots<Pair64> for LockWordSlots<H> {
    const WAITS: bool = true;

    #[inline(always)]
    fn run(self, at: usize, action: Action<u64>) -> Option<Option<u64>> {
        let (keys, values) = (self.keys(), self.values());
        loop {
            // Acquire: pairs with the Release that published the value.
            let seen = keys.load(at, ReadOrder::Acquire);
            if seen == LOCKED {
                return None;
            }
            let is_there = seen != EMPTY;
            let there = is_there.then_some(0);
            match action {
                Action::Read | Action::Erase if !is_there => return Some(None),
                // Acquire: pairs with the Release of the value. The warp that stored it had the lock, so what
                // this warp does next sees the lock, or its later state.
                Action::Read => return Some(Some(values.load(at, ReadOrder::Acquire))),
                Action::Put(_, OnPresent::Keep) if is_there => return Some(there),
                Action::Erase => {
                    // Relaxed: it says nothing about the value.
                    if keys.compare_exchange(at, seen, EMPTY, Order::Relaxed) == seen {
                        return Some(there);
                    }
                }
                Action::Put(value, on_present) => {
                    // Acquire: pairs with the Release that published the earlier value, through deletes: this
                    // value is stored after it.
                    if keys.compare_exchange(at, seen, LOCKED, Order::Acquire) == seen {
                        let new = match on_present {
                            // Relaxed: ordered after the lock by its Acquire, and no other warp stores it.
                            OnPresent::Update(update) if is_there => {
                                update.apply(values.load(at, ReadOrder::Relaxed), value)
                            }
                            _ => value,
                        };
                        // Release: pairs with the Acquire of the search that reads it, perhaps before it is
                        // published.
                        values.store(at, new, WriteOrder::Release);
                        // Release: pairs with the Acquires of the lock's word.
                        keys.store(at, at as u64, WriteOrder::Release);
                        return Some(there);
                    }
                }
            }
        }
    }
}
