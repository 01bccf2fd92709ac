//! Listings at rest: a table on which nothing runs lists exactly the entries that it holds.

use crate::check::{Breach, Kind, SimWarp};
use warpproof_model::entry::Packed;
use warpproof_model::{UserKey, Word};

/// Takes an entry of a listing: its number in its part, its key and its value.
pub(super) type Sink<'a, W, K, V> = &'a mut dyn FnMut(&mut W, u32, K, V);

/// An entry: the bits of its key, and those of its value.
pub(super) type Bits = (u128, u128);

/// Checks that a table lists these entries, which it holds: in each part as many as it counts there, numbered
/// from 0 in order, and all of them once.
///
/// `live` counts the entries of a part. `visit` passes them to a sink, and returns how many they were.
pub(super) fn check_list<W: SimWarp, K: Word, V: Word>(
    w: &mut W,
    parts: u32,
    mut held: Vec<Bits>,
    live: impl Fn(&mut W, u32) -> u32,
    visit: impl Fn(&mut W, u32, Sink<'_, W, K, V>) -> u32,
) -> Result<(), Breach> {
    let mut listed = Vec::new();
    for part in 0..parts {
        let (mut next, mut in_order) = (0, true);
        let visited = visit(w, part, &mut |_, number, key, value| {
            in_order &= number == next;
            next += 1;
            listed.push((key.to_bits(), value.to_bits()));
        });
        if !in_order || visited != next {
            return Err(wrong(format!("part {part} of the listing numbers its entries wrong")));
        }
        let counted = live(w, part);
        if counted != next {
            return Err(wrong(format!("part {part} lists {next} entries and counts {counted}")));
        }
    }
    held.sort_unstable();
    listed.sort_unstable();
    if listed != held {
        return Err(wrong(format!("the table holds {held:?} and lists {listed:?} (keys and values)")));
    }
    Ok(())
}

/// The entries among these words.
pub(super) fn entries_among<E: Packed>(words: impl Iterator<Item = E::Word>) -> Vec<Bits> {
    let entry = |word| UserKey::new(E::key(word)).map(|key| (key.get().to_bits(), E::value(word).to_bits()));
    words.filter_map(entry).collect()
}

fn wrong(detail: String) -> Breach {
    Breach::new(Kind::Invariant, detail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::seq::SeqWarp;

    /// A table of one part that holds two keys, as its listing passes them: number, key and value.
    fn of(counted: u32, visited: u32, listed: &[(u32, u64, u64)]) -> Result<(), Breach> {
        let held = vec![(7, 1), (9, 2)];
        let mut w = SeqWarp::<1>::default();
        check_list(
            &mut w,
            1,
            held,
            |_, _| counted,
            |w, _, sink: Sink<'_, _, u64, u64>| {
                listed.iter().for_each(|&(number, key, value)| sink(w, number, key, value));
                visited
            },
        )
    }

    #[test]
    fn a_right_listing_is_let_pass_in_any_order() {
        assert_eq!(of(2, 2, &[(0, 7, 1), (1, 9, 2)]), Ok(()));
        assert_eq!(of(2, 2, &[(0, 9, 2), (1, 7, 1)]), Ok(()));
    }

    #[test]
    fn each_mistake_of_a_listing_is_found() {
        let says = |listing: Result<(), Breach>, what: &str| {
            assert!(listing.expect_err("a mistake").detail.contains(what), "{what}");
        };
        says(of(1, 1, &[(0, 7, 1)]), "lists [(7, 1)]");
        says(of(2, 2, &[(0, 7, 1), (1, 7, 1)]), "lists [(7, 1), (7, 1)]");
        says(of(2, 2, &[(0, 7, 1), (1, 9, 1)]), "lists [(7, 1), (9, 1)]");
        says(of(2, 2, &[(1, 7, 1), (2, 9, 2)]), "numbers its entries wrong");
        says(of(2, 2, &[(0, 7, 1), (0, 9, 2)]), "numbers its entries wrong");
        says(of(2, 1, &[(0, 7, 1), (1, 9, 2)]), "numbers its entries wrong");
        says(of(1, 2, &[(0, 7, 1), (1, 9, 2)]), "lists 2 entries and counts 1");
    }
}
