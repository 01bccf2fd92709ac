//! Invariants of an open-addressing table, to be checked on a copy of its words.

use super::filter::Filter;
use super::probing::Probing;
use super::slots::OpenSlots;
use super::table::OpenTable;
use crate::entry::Packed;
use crate::row;
use crate::warp::Warp;

/// An invariant that is violated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Broken {
    /// A key is there twice.
    DuplicateKey {
        /// The later bucket, in the order in which the key probes them.
        bucket: u32,
    },
    /// A slot is taken after an empty one of its bucket.
    Gap {
        /// The bucket.
        bucket: u32,
    },
    /// A key is after a bucket that has an empty slot, or in a bucket that it does not probe.
    Unreachable {
        /// The bucket of the key.
        bucket: u32,
    },
    /// The board has a wrong fingerprint for a slot (quiescence only).
    Fingerprint {
        /// The bucket.
        bucket: u32,
    },
    /// A full bucket does not record that keys of this class went on (quiescence only).
    NotPassed {
        /// The bucket of the key.
        bucket: u32,
    },
}

impl core::fmt::Display for Broken {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::DuplicateKey { bucket } => write!(f, "a key in bucket {bucket} stands twice"),
            Self::Gap { bucket } => {
                write!(f, "a slot of bucket {bucket} is taken after an empty one")
            }
            Self::Unreachable { bucket } => {
                write!(
                    f,
                    "a key in bucket {bucket} cannot be found: it is after an empty slot, or off its probe sequence"
                )
            }
            Self::Fingerprint { bucket } => {
                write!(f, "the board has a wrong fingerprint for a key in bucket {bucket}")
            }
            Self::NotPassed { bucket } => {
                write!(f, "a key in bucket {bucket} went on from a bucket whose filter does not record it")
            }
        }
    }
}

impl<E: Packed, H: OpenSlots<E>, F: Filter, P: Probing, const S: usize> OpenTable<E, H, F, P, S> {
    /// Checks the invariants of every state: a bucket is filled from its lowest slot on; a key is there once,
    /// in a bucket that it probes, and no bucket that it probes before has an empty slot.
    ///
    /// Takes time proportional to the slots squared: meant for tiny tables.
    pub fn check_state<W: Warp>(self, w: &mut W) -> Result<(), Broken> {
        self.check_copies(w, |_, _| 1)
    }

    /// Checks a table as [`check_state`](Self::check_state) does, but a key may be in it `most` times, each
    /// time in another bucket.
    pub(crate) fn check_copies<W: Warp>(
        self,
        w: &mut W,
        most: impl Fn(&mut W, E::Key) -> u32,
    ) -> Result<(), Broken> {
        for bucket in 0..self.buckets() {
            self.check_bucket(w, bucket)?;
        }
        self.each_entry(w, |w, table, bucket, key| {
            let most = most(w, key);
            table.check_entry(w, bucket, key, most)
        })
    }

    /// Checks the additional invariants of a state in which no operation runs: every bucket that a key went
    /// on from records it, and a board has the fingerprints of all keys.
    pub fn check_quiescent<W: Warp>(self, w: &mut W) -> Result<(), Broken> {
        self.check_state(w)?;
        for bucket in 0..self.buckets() {
            let (row, first) = (self.read(w, bucket), Self::slot(W::LANES, bucket));
            let agrees = |lane: u32, i: usize, word: H::Word| {
                let hash = self.probe(H::key(word)).hash;
                !Self::is_entry(word) || self.slots().agrees(first + lane as usize * S + i, hash)
            };
            if row::any(w, row, |lane, i, word| !agrees(lane, i, word)) {
                return Err(Broken::Fingerprint { bucket });
            }
        }
        self.each_entry(w, |w, table, bucket, key| {
            let mut probe = table.probe(key);
            while probe.bucket != bucket {
                if !table.filter().passed(w, probe.bucket, probe.hash) {
                    return Err(Broken::NotPassed { bucket });
                }
                probe = table.next(probe).ok_or(Broken::Unreachable { bucket })?;
            }
            Ok(())
        })
    }

    /// Checks the invariants of a key that went on from this table: it is not here, and all buckets that it
    /// probes are full; if `say`, their filter records it.
    pub(crate) fn check_passed<W: Warp>(self, w: &mut W, key: E::Key, say: bool) -> Result<(), Broken> {
        let mut probe = Some(self.probe(key));
        while let Some(at) = probe {
            let bucket = at.bucket;
            let row = self.read(w, bucket);
            if row::any(w, row, |_, _, word| Self::holds(word, key)) {
                return Err(Broken::DuplicateKey { bucket });
            }
            if row::any(w, row, |_, _, word| Self::is_free(word)) {
                return Err(Broken::Unreachable { bucket });
            }
            if say && !self.filter().passed(w, bucket, at.hash) {
                return Err(Broken::NotPassed { bucket });
            }
            probe = self.next(at);
        }
        Ok(())
    }

    pub(crate) fn each_entry<W: Warp>(
        self,
        w: &mut W,
        check: impl Fn(&mut W, Self, u32, E::Key) -> Result<(), Broken>,
    ) -> Result<(), Broken> {
        for bucket in 0..self.buckets() {
            let mut holds = Ok(());
            self.visit(w, bucket, |w, _, key, _| {
                if holds.is_ok() {
                    holds = check(w, self, bucket, key);
                }
            });
            holds?;
        }
        Ok(())
    }

    /// Whether a slot is empty, and no insert fills it.
    fn is_free(word: H::Word) -> bool {
        Self::is_empty(word) && !H::is_pending(word)
    }

    fn check_bucket<W: Warp>(self, w: &mut W, bucket: u32) -> Result<(), Broken> {
        let row = self.read(w, bucket);
        let mut is = |slot: usize, is: fn(H::Word) -> bool| {
            row::any(w, row, |lane, i, word| lane as usize * S + i == slot && is(word))
        };
        let slots = W::LANES as usize * S;
        // Nor may a slot be taken after one that is being filled, unless other keys may go past that.
        let stops = if H::PASSES_PENDING { Self::is_free } else { H::is_vacant };
        if (1..slots).any(|slot| is(slot - 1, stops) && !is(slot, Self::is_free)) {
            return Err(Broken::Gap { bucket });
        }
        Ok(())
    }

    /// Checks a key that was found in a bucket: it probes the bucket, went past no empty slot, and is there
    /// at most `most` times.
    fn check_entry<W: Warp>(self, w: &mut W, bucket: u32, key: E::Key, most: u32) -> Result<(), Broken> {
        let mut probe = Some(self.probe(key));
        let (mut copies, mut reached) = (0, false);
        while let Some(at) = probe {
            let before = copies;
            self.visit(w, at.bucket, |_, _, other, _| copies += (other == key) as u32);
            if copies > before + 1 || copies > most {
                return Err(Broken::DuplicateKey { bucket: at.bucket });
            }
            reached |= at.bucket == bucket;
            let row = self.read(w, at.bucket);
            if !reached && row::any(w, row, |_, _, word| Self::is_free(word)) {
                return Err(Broken::Unreachable { bucket });
            }
            probe = self.next(at);
        }
        if reached { Ok(()) } else { Err(Broken::Unreachable { bucket }) }
    }
}
