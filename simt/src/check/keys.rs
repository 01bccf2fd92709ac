//! Sets of the keys that a scenario's programs name.

use super::Scenario;

/// The keys that calls of the programs name, in ascending order.
pub(crate) struct Keys(Vec<u64>);

/// Some of the keys that the programs name: a bit each; those beyond 63 share one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct KeySet(u64);

impl KeySet {
    /// The keys of both.
    pub(crate) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether a key of `other` is in it.
    pub(crate) const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl Keys {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let mut keys: Vec<u64> = scenario.programs.iter().flatten().map(|call| call.key).collect();
        keys.sort_unstable();
        keys.dedup();
        Self(keys)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = u64> {
        self.0.iter().copied()
    }

    /// The set of one key.
    pub(crate) fn only(&self, key: u64) -> KeySet {
        let number = self.0.partition_point(|&other| other < key);
        KeySet(1 << number.min(63))
    }
}
