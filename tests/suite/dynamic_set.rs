//! What a set that grows must do: hold whatever comes, each key once, across every growth.

use super::map::repeat;
use super::number::{Number, distinct};
use std::thread;
use warpproof::model::Key;
use warpproof::model::host::{BulkOrdered, BulkSet, BulkTable};
use warpproof::model::outcome::{Delete, Insert};

/// Keys that a small set has to grow for several times.
const MANY: usize = 30_000;

/// A backend with sets that grow.
pub(crate) trait DynamicSets<K: Key> {
    /// The set.
    type Set: super::OpenSet<K> + Sync;

    /// An empty set with room for few keys.
    fn small_set(&self) -> Self::Set;

    /// Gives back what deleted keys take, if that is not done where it grows.
    fn tidy_set(_: &mut Self::Set) {}
}

/// Checks that a set holds exactly these keys, each once, and none of the other `asked` ones.
fn holds<K: Number>(set: &impl BulkSet<K>, expected: &[K], asked: &[K]) {
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    let is_in: Vec<bool> = asked.iter().map(|key| expected.binary_search(key).is_ok()).collect();
    assert_eq!(set.contains(asked).unwrap(), is_in);
    let mut keys = set.retrieve_all().unwrap();
    keys.sort_unstable();
    assert_eq!(keys, expected);
    assert_eq!(set.len().unwrap(), expected.len() as u64);
}

fn inserted(outcomes: &[Insert]) -> usize {
    outcomes.iter().filter(|&&outcome| outcome == Insert::Inserted).count()
}

pub(crate) fn a_set_grows_to_hold_all<B: DynamicSets<K>, K: Number>(b: &B) {
    let set = b.small_set();
    let first = set.geometry().slots();
    let (keys, mut from) = (distinct::<K>(MANY, 0), 0);
    for size in [1, 2, 30, 500, 7_000, MANY] {
        let part = &keys[from..keys.len().min(from + size)];
        assert_eq!(inserted(&set.insert(part).unwrap()), part.len());
        from += part.len();
        holds(&set, &keys[..from], &keys);
    }
    assert!(set.geometry().slots() > first.max(MANY), "{:?}", set.geometry());
    assert_eq!(set.stats().unwrap().live, MANY as u64);
    assert!(set.insert(&keys).unwrap().iter().all(|&outcome| outcome == Insert::Present));
    let mut ordered = set.retrieve_all_in_order().unwrap();
    ordered.sort_unstable();
    let mut right = keys;
    right.sort_unstable();
    assert_eq!(ordered, right);
}

pub(crate) fn racing_keys_win_once_while_it_grows<B: DynamicSets<K>, K: Number>(b: &B) {
    let set = b.small_set();
    let few = distinct::<K>(MANY, 0);
    let outcomes = set.insert(&repeat(&few, 4)).unwrap();
    assert!(outcomes.iter().all(|&outcome| outcome != Insert::Full));
    assert_eq!(inserted(&outcomes), MANY, "each key is inserted once");
    holds(&set, &few, &few);
}

pub(crate) fn threads_share_a_set_that_grows<B: DynamicSets<K>, K: Number>(b: &B) {
    let set = b.small_set();
    let keys = distinct::<K>(MANY, 0);
    // Each key is inserted by two threads, in batches of different sizes.
    let run = |start: usize, size: usize| {
        let mine: Vec<K> = keys.iter().cycle().skip(start).take(MANY / 2).copied().collect();
        let won = |part: &[K]| {
            let won = inserted(&set.insert(part).unwrap());
            assert!(set.contains(part).unwrap().into_iter().all(|found| found), "a key is not found");
            won
        };
        mine.chunks(size).map(won).sum::<usize>()
    };
    let won = thread::scope(|scope| {
        let run = &run;
        let threads: Vec<_> = (0..4).map(|i| scope.spawn(move || run(i * MANY / 4, 100 + 777 * i))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a thread")).sum::<usize>()
    });
    assert_eq!(won, MANY, "each key is inserted once");
    holds(&set, &keys, &keys);
}

pub(crate) fn churn_does_not_make_a_set_grow_for_ever<B: DynamicSets<K>, K: Number>(b: &B) {
    let mut set = b.small_set();
    const LIVE: usize = 1_000;
    let mut most = 0;
    for round in 0..60 {
        let keys = distinct::<K>(LIVE, (round * LIVE) as u64);
        assert_eq!(inserted(&set.insert(&keys).unwrap()), LIVE);
        most = most.max(set.geometry().slots());
        if round % 5 == 4 {
            B::tidy_set(&mut set);
            holds(&set, &keys, &keys);
        }
        assert!(set.delete(&keys).unwrap().iter().all(|&outcome| outcome == Delete::Deleted));
    }
    assert!(set.is_empty().unwrap());
    assert!(most < 20 * LIVE, "{most} slots for {LIVE} keys at a time");
}

pub(crate) fn a_set_that_grows_refuses_reserved_keys<B: DynamicSets<K>, K: Number>(b: &B) {
    let mut set = b.small_set();
    let keys = distinct::<K>(2, 0);
    let message = set.insert(&[keys[0], K::FIRST_RESERVED]).expect_err("reserved").to_string();
    assert!(message.contains("index 1"), "{message}");
    assert!(set.insert(&[]).unwrap().is_empty() && set.is_empty().unwrap());
    assert_eq!(set.insert(&keys).unwrap(), [Insert::Inserted; 2]);
    set.clear().unwrap();
    holds(&set, &[], &keys);
}
