//! Verification of operations that race: the states that the answers of a mixed phase allow.

use super::workload::Workload;
use rayon::prelude::*;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use warpproof::{Answer, Delete, Insert, Op};

/// The answers, counted for each key.
pub(crate) struct Account<'a> {
    work: &'a Workload,
    answers: &'a [Answer<u32>],
    inserted: Vec<u32>,
    deleted: Vec<u32>,
    /// Keys that found no room before; `None` if the table has room for all.
    left_out: Option<&'a HashSet<u32>>,
    full: u64,
}

impl<'a> Account<'a> {
    /// Counts, and checks each answer on its own. `left_out` are the keys of the first phase that found no
    /// room, if the table may be full.
    ///
    /// # Errors
    /// The error, as text.
    pub(crate) fn new(
        work: &'a Workload,
        answers: &'a [Answer<u32>],
        left_out: Option<&'a HashSet<u32>>,
    ) -> Result<Self, String> {
        if answers.len() != work.ops.len() {
            return Err(format!("{} operations got {} answers", work.ops.len(), answers.len()));
        }
        let zeros = || (0..work.keys).into_par_iter().map(|_| AtomicU32::new(0)).collect::<Vec<_>>();
        let (inserted, deleted, full) = (zeros(), zeros(), AtomicU64::new(0));
        // Relaxed: counters, which are read after the parallel loop.
        let one_more = |counter: &AtomicU32| {
            counter.fetch_add(1, Ordering::Relaxed);
        };
        let count = |(i, (&op, &answer)): (usize, (&Op, &Answer<u32>))| {
            let key = work.op_keys[i] as usize;
            match (op, answer) {
                (Op::InsertUnique, Answer::Insert(Insert::Inserted)) => one_more(&inserted[key]),
                (Op::Delete, Answer::Delete(Delete::Deleted)) => one_more(&deleted[key]),
                (Op::InsertUnique, Answer::Insert(Insert::Full)) if left_out.is_some() => {
                    full.fetch_add(1, Ordering::Relaxed);
                }
                (Op::InsertUnique, Answer::Insert(Insert::Present))
                | (Op::Delete, Answer::Delete(Delete::Absent))
                | (Op::Search, Answer::Search(_)) => {}
                _ => {
                    return Some(format!(
                        "operation {i}, {op:?} of key {key}, has the impossible answer {answer:?}"
                    ));
                }
            }
            None
        };
        first(work.ops.par_iter().zip(answers).enumerate().map(count))?;
        let counts = |counters: Vec<AtomicU32>| counters.into_iter().map(AtomicU32::into_inner).collect();
        let (inserted, deleted, full) = (counts(inserted), counts(deleted), full.into_inner());
        let account = Self { work, answers, inserted, deleted, left_out, full };
        account.check_answers()?;
        account.check_keys()?;
        Ok(account)
    }

    /// Number of inserts that found no room.
    pub(crate) const fn full(&self) -> u64 {
        self.full
    }

    /// Number of keys present at the end.
    pub(crate) fn len(&self) -> u64 {
        (0..self.work.keys).into_par_iter().filter(|&key| self.present(key)).count() as u64
    }

    /// Checks the answers of a search of all keys at the end.
    pub(crate) fn check_end(&self, found: &[Option<u32>]) -> Result<(), String> {
        if found.len() != self.work.keys as usize {
            return Err(format!("{} keys got {} answers", self.work.keys, found.len()));
        }
        let wrong = |(key, &value): (u32, &Option<u32>)| {
            if value.is_some() != self.present(key) {
                return Some(format!("key {key} had {value:?} at the end, but {}", self.history(key)));
            }
            self.check_value(key, value).err()
        };
        first((0..self.work.keys).into_par_iter().zip(found).map(wrong))
    }

    fn present(&self, key: u32) -> bool {
        let k = key as usize;
        self.was_there(key) as u32 + self.inserted[k] > self.deleted[k]
    }

    /// Whether the first phase stored a key.
    fn was_there(&self, key: u32) -> bool {
        Workload::is_prefilled(key) && !self.left_out.is_some_and(|left_out| left_out.contains(&key))
    }

    /// Checks that the successful inserts and deletes of a key alternate.
    fn check_keys(&self) -> Result<(), String> {
        let wrong = |key: u32| {
            let came = self.was_there(key) as u64 + self.inserted[key as usize] as u64;
            let left = came.checked_sub(self.deleted[key as usize] as u64);
            (!matches!(left, Some(0 | 1))).then(|| format!("key {key}: {}", self.history(key)))
        };
        first((0..self.work.keys).into_par_iter().map(wrong))
    }

    fn check_answers(&self) -> Result<(), String> {
        let wrong = |(i, answer): (usize, &Answer<u32>)| {
            let key = self.work.op_keys[i];
            let never_there = !self.was_there(key) && self.inserted[key as usize] == 0;
            let always_there = self.was_there(key) && self.deleted[key as usize] == 0;
            let wrong = match *answer {
                Answer::Insert(Insert::Present) => never_there,
                Answer::Insert(Insert::Full) | Answer::Delete(Delete::Absent) | Answer::Search(None) => {
                    always_there
                }
                _ => false,
            };
            if wrong {
                return Some(format!(
                    "operation {i} on key {key} answered {answer:?}, but {}",
                    self.history(key)
                ));
            }
            match *answer {
                Answer::Search(value) => self.check_value(key, value).err(),
                _ => None,
            }
        };
        first(self.answers.par_iter().enumerate().map(wrong))
    }

    /// Checks that a found value was stored by a successful insert of that key.
    fn check_value(&self, key: u32, value: Option<u32>) -> Result<(), String> {
        let Some(value) = value else { return Ok(()) };
        let stored = match self.work.writer(key, value) {
            None => self.was_there(key),
            Some(i) => {
                self.work.op_keys.get(i) == Some(&key)
                    && self.answers.get(i) == Some(&Answer::Insert(Insert::Inserted))
            }
        };
        if stored {
            Ok(())
        } else {
            Err(format!("key {key} has the value {value}, which no operation stored"))
        }
    }

    fn history(&self, key: u32) -> String {
        let k = key as usize;
        let first = if self.was_there(key) { "prefilled" } else { "not prefilled" };
        format!("it was {first}, inserted {} times and deleted {} times", self.inserted[k], self.deleted[k])
    }
}

/// The first error, if there is one.
fn first(errors: impl IndexedParallelIterator<Item = Option<String>>) -> Result<(), String> {
    errors.find_map_first(|error| error).map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Insert 1, delete 0, search 1, delete 1, on keys 0 (prefilled) and 1.
    fn work() -> Workload {
        let mut work = Workload::new("0,0,100".parse().unwrap(), 2, 4, 1);
        work.ops = vec![Op::InsertUnique, Op::Delete, Op::Search, Op::Delete];
        work.op_keys = vec![1, 0, 1, 1];
        work
    }

    fn answers(work: &Workload) -> Vec<Answer<u32>> {
        let value = Some(super::super::workload::value(0, 1));
        assert_eq!(value.and_then(|v| work.writer(1, v)), Some(0));
        vec![
            Answer::Insert(Insert::Inserted),
            Answer::Delete(Delete::Deleted),
            Answer::Search(value),
            Answer::Delete(Delete::Absent),
        ]
    }

    #[test]
    fn right_answers_pass() {
        let work = work();
        let answers = answers(&work);
        let account = Account::new(&work, &answers, None).unwrap();
        assert_eq!(account.len(), 1);
        let Answer::Search(value) = answers[2] else { panic!() };
        account.check_end(&[None, value]).unwrap();
        assert!(account.check_end(&[None, None]).is_err());
        assert!(account.check_end(&[value, value]).is_err());
        assert!(account.check_end(&[None, Some(12345)]).is_err());
    }

    #[test]
    fn an_insert_that_says_full_stored_nothing() {
        let work = work();
        let full = |left_out: &HashSet<u32>, change: &[(usize, Answer<u32>)]| {
            let mut answers = answers(&work);
            answers[0] = Answer::Insert(Insert::Full);
            answers[2] = Answer::Search(None);
            change.iter().for_each(|&(i, answer)| answers[i] = answer);
            Account::new(&work, &answers, Some(left_out)).map(|account| (account.full(), account.len()))
        };
        let none = HashSet::new();
        assert_eq!(full(&none, &[]), Ok((1, 0)));
        let value = Some(super::super::workload::value(0, 1));
        assert!(full(&none, &[(2, Answer::Search(value))]).is_err(), "nobody stored it");
        assert!(full(&none, &[(3, Answer::Delete(Delete::Deleted))]).is_err(), "there was none");
        // A key that found no room in the first phase is absent.
        let left_out = HashSet::from([0]);
        assert!(full(&left_out, &[]).is_err(), "it was deleted");
        assert_eq!(full(&left_out, &[(1, Answer::Delete(Delete::Absent))]), Ok((1, 0)));
        assert!(full(&none, &[(1, Answer::Delete(Delete::Absent))]).is_err());
    }

    #[test]
    fn each_kind_of_wrong_answer_is_refused() {
        let work = work();
        let change = |i: usize, answer| {
            let mut answers = answers(&work);
            answers[i] = answer;
            Account::new(&work, &answers, None).err()
        };
        assert!(change(0, Answer::Insert(Insert::Full)).is_some());
        assert!(change(0, Answer::Search(None)).is_some());
        // The value that the search found was then stored by no operation.
        assert!(change(0, Answer::Insert(Insert::Present)).is_some());
        assert!(change(1, Answer::Delete(Delete::Absent)).is_some());
        assert!(change(2, Answer::Search(Some(work.prefilled(0)))).is_some());
        assert!(change(3, Answer::Delete(Delete::Deleted)).is_none());
        // One delete too many.
        let mut twice = self::work();
        twice.ops[2] = Op::Delete;
        let mut answers = answers(&work);
        answers[2] = Answer::Delete(Delete::Deleted);
        answers[3] = Answer::Delete(Delete::Deleted);
        assert!(Account::new(&twice, &answers, None).is_err());
    }
}
