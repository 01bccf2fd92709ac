//! The keys, operations and values of a generated workload.
//!
//! The range of keys is `0..keys`. The even keys are inserted first: half of the range, as in the published
//! experiment. A value identifies the operation that wrote it: it is the number of the operation, masked by
//! the key.

use warpproof::Op;
use warpproof::model::key::mix;

/// The operations of a run, in the order of the phases.
pub(crate) struct Workload {
    /// Size of the key range.
    pub(crate) keys: u32,
    /// Operations of the mixed phase.
    pub(crate) ops: Vec<Op>,
    /// The key of each operation.
    pub(crate) op_keys: Vec<u32>,
    /// The value of each operation.
    pub(crate) op_values: Vec<u32>,
}

/// Percentages of insert_unique, delete and search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mix {
    /// Insert_unique.
    pub(crate) insert: u32,
    /// Delete.
    pub(crate) delete: u32,
    /// Search.
    pub(crate) search: u32,
}

impl std::str::FromStr for Mix {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Result<Vec<u32>, _> = text.split(',').map(|part| part.trim().parse()).collect();
        match parts.as_deref() {
            Ok(&[insert, delete, search]) if insert as u64 + delete as u64 + search as u64 == 100 => {
                Ok(Self { insert, delete, search })
            }
            Ok(&[_, _, _]) => Err("the three percentages do not add up to 100".into()),
            _ => Err("expected three percentages: insert,delete,search".into()),
        }
    }
}

impl std::fmt::Display for Mix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{},{},{}", self.insert, self.delete, self.search)
    }
}

impl Workload {
    /// `ops` operations on `keys` keys, determined by the seed. The sum of both numbers is below 2^32.
    pub(crate) fn new(mix: Mix, keys: u32, ops: usize, seed: u64) -> Self {
        let mut random = Random(seed);
        let mut new = Self {
            keys,
            ops: Vec::with_capacity(ops),
            op_keys: Vec::with_capacity(ops),
            op_values: Vec::with_capacity(ops),
        };
        for number in 0..ops {
            let kind = random.below(100);
            let key = random.below(keys);
            new.ops.push(if kind < mix.insert {
                Op::InsertUnique
            } else if kind < mix.insert + mix.delete {
                Op::Delete
            } else {
                Op::Search
            });
            new.op_keys.push(key);
            new.op_values.push(value(number as u32, key));
        }
        new
    }

    /// Keys and values of the first phase.
    pub(crate) fn prefill(&self) -> (Vec<u32>, Vec<u32>) {
        (0..self.keys).step_by(2).map(|key| (key, self.prefilled(key))).unzip()
    }

    /// The keys that the first phase leaves out.
    pub(crate) fn absent(&self) -> Vec<u32> {
        (0..self.keys).skip(1).step_by(2).collect()
    }

    /// Whether the first phase inserts a key.
    pub(crate) fn is_prefilled(key: u32) -> bool {
        key.is_multiple_of(2)
    }

    /// Number of inserts in the mixed phase.
    pub(crate) fn inserts(&self) -> u64 {
        self.ops.iter().filter(|&&op| op == Op::InsertUnique).count() as u64
    }

    /// The value that the first phase gives a key.
    pub(crate) fn prefilled(&self, key: u32) -> u32 {
        value(self.ops.len() as u32 + key, key)
    }

    /// The operation of the mixed phase that wrote `value` for `key`: `None` if the first phase wrote it,
    /// `Some(index)` with an index beyond the operations if no operation did.
    pub(crate) fn writer(&self, key: u32, value: u32) -> Option<usize> {
        if Self::is_prefilled(key) && value == self.prefilled(key) {
            return None;
        }
        Some((value ^ mix_of(key)) as usize)
    }
}

/// The value that operation `number` gives a key.
pub(super) fn value(number: u32, key: u32) -> u32 {
    number ^ mix_of(key)
}

/// A mask that differs from key to key.
fn mix_of(key: u32) -> u32 {
    mix(key ^ 0x5bd1_e995)
}

/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// 64 random bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A random number below `n`, which is not zero.
    pub(crate) fn below(&mut self, n: u32) -> u32 {
        (((self.next() >> 32) * n as u64) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mix_is_three_percentages() {
        assert_eq!("20, 20,60".parse(), Ok(Mix { insert: 20, delete: 20, search: 60 }));
        for wrong in ["", "20,20", "20,20,61", "a,b,c", "-1,1,100", "4294967295,1,100", "50,50,0,0"] {
            assert!(wrong.parse::<Mix>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_value_names_its_writer() {
        let w = Workload::new(Mix { insert: 50, delete: 25, search: 25 }, 100, 1000, 7);
        for i in 0..1000 {
            assert_eq!(w.writer(w.op_keys[i], w.op_values[i]), Some(i));
        }
        assert_eq!(w.writer(4, w.prefilled(4)), None);
        assert!(w.writer(5, w.prefilled(5)).is_some_and(|i| i >= 1000));
        let inserts = w.inserts();
        assert!((400..600).contains(&inserts), "{inserts}");
    }
}
