//! A tree that gives the smallest key of any prefix of a list.

/// Stands for no key.
const NONE: u64 = u64::MAX;

/// A tournament over numbered places: O(log n) to set a place and to ask for the smallest key of a prefix.
#[derive(Default)]
pub(super) struct Tournament {
    /// A complete binary tree; the leaves are its second half.
    tree: Vec<u64>,
}

impl Tournament {
    /// `places` places without a key.
    pub(super) fn reset(&mut self, places: usize) {
        self.tree.clear();
        self.tree.resize(2 * places.next_power_of_two(), NONE);
    }

    /// Gives `place` a key.
    pub(super) fn set(&mut self, place: usize, key: u64) {
        let mut node = self.tree.len() / 2 + place;
        self.tree[node] = key;
        while node > 1 {
            node /= 2;
            self.tree[node] = self.tree[2 * node].min(self.tree[2 * node + 1]);
        }
    }

    /// Takes the key of `place` away.
    pub(super) fn unset(&mut self, place: usize) {
        self.set(place, NONE);
    }

    /// The smallest key of the first `places` places.
    pub(super) fn smallest(&self, places: usize) -> Option<u64> {
        let leaves = self.tree.len() / 2;
        let (mut from, mut to, mut key) = (leaves, leaves + places, NONE);
        while from < to {
            if to % 2 == 1 {
                to -= 1;
                key = key.min(self.tree[to]);
            }
            if from % 2 == 1 {
                key = key.min(self.tree[from]);
                from += 1;
            }
            from /= 2;
            to /= 2;
        }
        (key != NONE).then_some(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smallest_of_every_prefix() {
        for places in [1, 2, 3, 5, 8, 9] {
            let mut t = Tournament::default();
            t.reset(places);
            assert_eq!(t.smallest(places), None);
            let keys: Vec<u64> = (0..places as u64).map(|i| (i * 5 + 3) % 11).collect();
            keys.iter().enumerate().for_each(|(place, &key)| t.set(place, key));
            for n in 0..=places {
                assert_eq!(t.smallest(n), keys[..n].iter().copied().min());
            }
            t.unset(0);
            assert_eq!(t.smallest(1), None);
        }
    }
}
