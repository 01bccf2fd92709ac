//! Verification where the outcome is determined: a sequential multimap that follows the operations.
//!
//! If a key has several values, a delete may remove any and an assign may replace any. The oracle then asks
//! the table what is left, and accepts it if some choice explains it.

use std::collections::HashMap;
use warpproof::{Answer, Assign, Delete, Insert, Op};

/// The values of each key, sorted.
#[derive(Default)]
pub(crate) struct Oracle {
    map: HashMap<u32, Vec<u32>>,
    may_be_full: bool,
    full: u64,
}

/// An operation on a key with different values, whose effect is still to be found out.
pub(crate) struct Unsettled {
    /// The key.
    pub(crate) key: u32,
    /// The value that an assign gave.
    assigned: Option<u32>,
}

impl Oracle {
    /// An oracle for a table in which an insert may find no room, or never does.
    pub(crate) fn new(may_be_full: bool) -> Self {
        Self { may_be_full, ..Self::default() }
    }

    /// Takes over the pairs of the table before the first operation.
    pub(crate) fn begin_with(&mut self, pairs: Vec<(u32, u32)>) {
        pairs.into_iter().for_each(|(key, value)| add(self.map.entry(key).or_default(), value));
    }

    /// How many inserts found no room.
    pub(crate) const fn full(&self) -> u64 {
        self.full
    }

    /// Follows one operation. Returns what its answer leaves open.
    ///
    /// # Errors
    /// A description of the wrong answer.
    pub(crate) fn follow(
        &mut self,
        (op, key, value): (Op, u32, u32),
        answer: Answer<u32>,
    ) -> Result<Option<Unsettled>, String> {
        let values = self.map.entry(key).or_default();
        let wrong =
            || Err(format!("{op:?} of key {key}, which has {} values, answered {answer:?}", values.len()));
        let absent = values.is_empty();
        match (op, answer) {
            (Op::Search, Answer::Search(found)) => match found {
                None if !absent => return wrong(),
                Some(found) if values.binary_search(&found).is_err() => return wrong(),
                _ => {}
            },
            (Op::Insert, Answer::Insert(Insert::Inserted)) => add(values, value),
            (Op::InsertUnique, Answer::Insert(Insert::Inserted)) if absent => add(values, value),
            (Op::InsertUnique, Answer::Insert(Insert::Present)) if !absent => {}
            (Op::Assign, Answer::Assign(Assign::Inserted)) if absent => add(values, value),
            (Op::Assign, Answer::Assign(Assign::Replaced)) if !absent => {
                if differ(values) {
                    return Ok(Some(Unsettled { key, assigned: Some(value) }));
                }
                values.pop();
                add(values, value);
            }
            (Op::Delete, Answer::Delete(Delete::Deleted)) if !absent => {
                if differ(values) {
                    return Ok(Some(Unsettled { key, assigned: None }));
                }
                values.pop();
            }
            (Op::Delete, Answer::Delete(Delete::Absent)) if absent => {}
            (Op::InsertUnique, Answer::Insert(Insert::Full)) | (Op::Assign, Answer::Assign(Assign::Full))
                if absent && self.may_be_full =>
            {
                self.full += 1;
            }
            _ => return wrong(),
        }
        Ok(None)
    }

    /// Takes over the values that the table has left of a key, if one choice explains them.
    ///
    /// # Errors
    /// If none does.
    pub(crate) fn settle(&mut self, open: &Unsettled, left: &[u32]) -> Result<(), String> {
        let before = self.map.entry(open.key).or_default();
        let mut left = left.to_vec();
        left.sort_unstable();
        let explains = |gone: usize| {
            let mut after = before.clone();
            after.remove(gone);
            if let Some(value) = open.assigned {
                add(&mut after, value);
            }
            after == left
        };
        // The removed value is where the two lists differ.
        let mut reduced = left.clone();
        if let Some(value) = open.assigned {
            match reduced.binary_search(&value) {
                Ok(at) => drop(reduced.remove(at)),
                Err(_) => {
                    return Err(format!(
                        "key {}: the value {value} was assigned, but is not there",
                        open.key
                    ));
                }
            }
        }
        let gone = before.iter().zip(&reduced).position(|(a, b)| a != b).unwrap_or(reduced.len());
        if gone >= before.len() || !explains(gone) {
            return Err(format!("key {} had {before:?}, and has {left:?} after one change", open.key));
        }
        *before = left;
        Ok(())
    }

    /// Checks the whole contents.
    ///
    /// # Errors
    /// The first key that differs.
    pub(crate) fn check_contents(&self, mut pairs: Vec<(u32, u32)>) -> Result<(), String> {
        let mut expected: Vec<_> =
            self.map.iter().flat_map(|(&key, values)| values.iter().map(move |&v| (key, v))).collect();
        expected.sort_unstable();
        pairs.sort_unstable();
        match expected.iter().zip(&pairs).find(|(a, b)| a != b) {
            Some((a, b)) => Err(format!("the table holds wrong pairs: expected {a:?}, found {b:?}")),
            None if expected.len() != pairs.len() => {
                Err(format!("the table has {} pairs, expected {}", pairs.len(), expected.len()))
            }
            None => Ok(()),
        }
    }
}

fn differ(values: &[u32]) -> bool {
    values.first() != values.last()
}

fn add(values: &mut Vec<u32>, value: u32) {
    let at = values.partition_point(|&v| v < value);
    values.insert(at, value);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(values: &[u32]) -> Oracle {
        let mut oracle = Oracle::default();
        for &v in values {
            oracle.follow((Op::Insert, 1, v), Answer::Insert(Insert::Inserted)).unwrap();
        }
        oracle
    }

    #[test]
    fn wrong_answers_are_refused() {
        let wrong = |values: &[u32], op, answer| with(values).follow((op, 1, 9), answer).is_err();
        assert!(wrong(&[], Op::Search, Answer::Search(Some(1))));
        assert!(wrong(&[5], Op::Search, Answer::Search(None)));
        assert!(wrong(&[5], Op::Search, Answer::Search(Some(6))));
        assert!(!wrong(&[5, 6], Op::Search, Answer::Search(Some(6))));
        assert!(wrong(&[5], Op::InsertUnique, Answer::Insert(Insert::Inserted)));
        assert!(wrong(&[], Op::InsertUnique, Answer::Insert(Insert::Present)));
        assert!(wrong(&[], Op::Insert, Answer::Insert(Insert::Full)));
        assert!(wrong(&[], Op::Assign, Answer::Assign(Assign::Replaced)));
        assert!(wrong(&[5], Op::Delete, Answer::Delete(Delete::Absent)));
        assert!(wrong(&[], Op::Delete, Answer::Delete(Delete::Deleted)));
        assert!(wrong(&[], Op::Delete, Answer::Search(None)));
    }

    #[test]
    fn full_is_an_answer_for_absent_keys_of_tables_that_fill_up() {
        let (full, said) = ((Op::InsertUnique, 1, 9), Answer::Insert(Insert::Full));
        assert!(with(&[]).follow(full, said).is_err());
        let mut oracle = Oracle::new(true);
        oracle.follow(full, said).unwrap();
        oracle.follow((Op::Assign, 2, 9), Answer::Assign(Assign::Full)).unwrap();
        assert_eq!(oracle.full(), 2);
        oracle.check_contents(Vec::new()).unwrap();
        oracle.follow(full, Answer::Insert(Insert::Inserted)).unwrap();
        assert!(oracle.follow(full, said).is_err(), "the key is there");
    }

    #[test]
    fn any_of_several_values_may_go() {
        let delete = |left: &[u32]| {
            let mut oracle = with(&[5, 7, 7, 9]);
            let open = oracle.follow((Op::Delete, 1, 0), Answer::Delete(Delete::Deleted)).unwrap().unwrap();
            oracle.settle(&open, left)
        };
        for left in [[7, 7, 9], [5, 9, 7], [7, 5, 7]] {
            delete(&left).unwrap();
        }
        assert!(delete(&[5, 7, 7, 9]).is_err());
        assert!(delete(&[5, 7]).is_err());
        assert!(delete(&[5, 7, 8]).is_err());
        assert!(delete(&[]).is_err());
        let assign = |left: &[u32]| {
            let mut oracle = with(&[5, 7]);
            let open = oracle.follow((Op::Assign, 1, 6), Answer::Assign(Assign::Replaced)).unwrap().unwrap();
            oracle.settle(&open, left)
        };
        assign(&[6, 7]).unwrap();
        assign(&[5, 6]).unwrap();
        assert!(assign(&[5, 7]).is_err());
        assert!(assign(&[5, 6, 7]).is_err());
        assert!(assign(&[6, 8]).is_err());
    }

    #[test]
    fn contents_are_compared_as_a_whole() {
        let oracle = with(&[5, 7]);
        oracle.check_contents(vec![(1, 7), (1, 5)]).unwrap();
        assert!(oracle.check_contents(vec![(1, 7)]).is_err());
        assert!(oracle.check_contents(vec![(1, 7), (1, 5), (2, 1)]).is_err());
        assert!(oracle.check_contents(vec![(1, 7), (1, 6)]).is_err());
    }
}
