//! What a map that grows must do: hold whatever comes, each key once, across every growth.

use super::fixed::{fill, holds};
use super::map::{repeat, values};
use super::number::{Number, Rng, distinct};
use std::collections::HashMap;
use std::thread;
use warpproof::model::Key;
use warpproof::model::host::{Answer, BulkCounter, BulkMap, BulkTable, Op};
use warpproof::model::outcome::{Add, Assign, Delete, Insert};

/// Keys that a small map has to grow for several times.
const MANY: usize = 30_000;

/// A backend with maps that grow.
pub(crate) trait DynamicMaps<K: Key> {
    /// The map.
    type Map: super::OpenMap<K> + Sync;

    /// An empty map with room for few pairs.
    fn small(&self) -> Self::Map;

    /// Gives back what deleted pairs take, if that is not done where it grows.
    fn tidy(_: &mut Self::Map) {}
}

pub(crate) fn a_map_grows_to_hold_all<B: DynamicMaps<K>, K: Number>(b: &B) {
    let map = b.small();
    let first = map.geometry().slots();
    let keys = distinct::<K>(MANY, 0);
    let (mut expected, mut from) = (HashMap::new(), 0);
    for size in [1, 2, 30, 500, 7_000, MANY] {
        let part = &keys[from..keys.len().min(from + size)];
        expected.extend(fill(&map, part));
        from += part.len();
        assert_eq!(expected.len(), from, "an insert said Full");
        holds(&map, &expected, &keys);
    }
    assert!(map.geometry().slots() > first.max(MANY), "{:?}", map.geometry());
    assert_eq!(map.stats().unwrap().live, MANY as u64);
    assert!(map.insert_unique(&keys, &keys).unwrap().iter().all(|&outcome| outcome == Insert::Present));
    assert!(map.insert_or_assign(&keys, &keys).unwrap().iter().all(|&outcome| outcome == Assign::Replaced));
    holds(&map, &keys.iter().map(|&key| (key, key)).collect(), &keys);
}

pub(crate) fn racing_inserts_win_once_while_it_grows<B: DynamicMaps<K>, K: Number>(b: &B) {
    let map = b.small();
    let few = distinct::<K>(MANY, 0);
    let many = repeat(&few, 4);
    let numbers: Vec<K> = (0..many.len() as u64).map(K::of).collect();
    let outcomes = map.insert_unique(&many, &numbers).unwrap();
    let mut expected = HashMap::new();
    for ((key, number), outcome) in many.iter().zip(&numbers).zip(&outcomes) {
        assert_ne!(*outcome, Insert::Full, "key {key:?}");
        if *outcome == Insert::Inserted {
            assert!(expected.insert(*key, *number).is_none(), "key {key:?} twice");
        }
    }
    assert_eq!(expected.len(), MANY);
    holds(&map, &expected, &few);
}

pub(crate) fn threads_share_a_map_that_grows<B: DynamicMaps<K>, K: Number>(b: &B) {
    let map = b.small();
    let keys = distinct::<K>(MANY, 0);
    // Each key is inserted by two threads, in batches of different sizes.
    let run = |start: usize, size: usize| {
        let mine = || keys.iter().cycle().skip(start).take(MANY / 2).copied();
        let mine: Vec<K> = mine().collect();
        let batches = mine.chunks(size);
        let won = |part: &[K]| {
            let done = map.insert_unique(part, part).unwrap();
            assert!(map.search(part).unwrap().iter().all(Option::is_some), "an inserted key is not found");
            done.iter().filter(|&&outcome| outcome == Insert::Inserted).count()
        };
        batches.map(won).sum::<usize>()
    };
    let won = thread::scope(|scope| {
        let run = &run;
        let threads = (0..4).map(|i| scope.spawn(move || run(i * MANY / 4, 100 + 777 * i)));
        let threads: Vec<_> = threads.collect();
        threads.into_iter().map(|thread| thread.join().expect("a thread")).sum::<usize>()
    });
    assert_eq!(won, MANY, "each key is inserted once");
    holds(&map, &keys.iter().map(|&key| (key, key)).collect(), &keys);
}

pub(crate) fn churn_does_not_make_it_grow_for_ever<B: DynamicMaps<K>, K: Number>(b: &B) {
    let mut map = b.small();
    const LIVE: usize = 1_000;
    let mut most = 0;
    for round in 0..60 {
        let keys = distinct::<K>(LIVE, (round * LIVE) as u64);
        assert_eq!(fill(&map, &keys).len(), LIVE);
        most = most.max(map.geometry().slots());
        if round % 5 == 4 {
            B::tidy(&mut map);
            holds(&map, &keys.iter().copied().zip(values(&keys)).collect(), &keys);
        }
        if round < 59 {
            assert!(map.delete(&keys).unwrap().iter().all(|&outcome| outcome == Delete::Deleted));
        }
    }
    assert_eq!(map.len().unwrap(), LIVE as u64);
    assert!(most < 20 * LIVE, "{most} slots for {LIVE} pairs at a time");
}

pub(crate) fn counters_add_up_while_it_grows<B: DynamicMaps<K>, K: Number>(b: &B) {
    let map = b.small();
    let few = distinct::<K>(MANY / 3, 0);
    let ones = vec![K::of(1); few.len()];
    for time in 0..4 {
        let said = map.insert_or_add(&few, &ones).unwrap();
        let right = if time == 0 { Add::Inserted } else { Add::Added };
        assert!(said.iter().all(|&outcome| outcome == right), "time {time}");
    }
    holds(&map, &few.iter().map(|&key| (key, K::of(4))).collect(), &few);
}

pub(crate) fn mixed_batches_that_grow_it_add_up<B: DynamicMaps<K>, K: Number>(b: &B) {
    let (map, mut rng) = (b.small(), Rng(5));
    let kinds = [Op::InsertUnique, Op::Assign, Op::Delete, Op::Search, Op::InsertUnique];
    let mut expected: HashMap<K, K> = HashMap::new();
    for _ in 0..6 {
        // Distinct keys: each answer follows from what stood there before.
        let keys = distinct::<K>(8_000, rng.below(20_000));
        let ops: Vec<Op> = keys.iter().map(|_| kinds[rng.below(5) as usize]).collect();
        let numbers: Vec<K> = keys.iter().map(|_| K::of(rng.next())).collect();
        let answers = map.mixed(&ops, &keys, &numbers).unwrap();
        for (((op, key), number), answer) in ops.iter().zip(&keys).zip(&numbers).zip(answers) {
            let before = expected.get(key).copied();
            let right = match op {
                Op::Search => Answer::Search(before),
                Op::Delete => {
                    expected.remove(key);
                    Answer::Delete(if before.is_some() { Delete::Deleted } else { Delete::Absent })
                }
                Op::Assign => {
                    expected.insert(*key, *number);
                    Answer::Assign(if before.is_some() { Assign::Replaced } else { Assign::Inserted })
                }
                _ => {
                    expected.entry(*key).or_insert(*number);
                    Answer::Insert(if before.is_some() { Insert::Present } else { Insert::Inserted })
                }
            };
            assert_eq!(answer, right, "{op:?} of key {key:?}");
        }
    }
    holds(&map, &expected, &distinct::<K>(30_000, 0));
}

pub(crate) fn it_refuses_what_a_fixed_one_does<B: DynamicMaps<K>, K: Number>(b: &B) {
    let map = b.small();
    let keys = distinct::<K>(2, 0);
    let message = map.insert_unique(&keys, &keys[..1]).expect_err("a value is missing").to_string();
    assert!(message.contains("2 keys but 1 values"), "{message}");
    for message in [
        map.insert_or_add(&[keys[0], K::FIRST_RESERVED], &keys).expect_err("reserved").to_string(),
        map.mixed(&[Op::Search; 2], &[keys[0], K::FIRST_RESERVED], &keys).expect_err("reserved").to_string(),
    ] {
        assert!(message.contains("index 1"), "{message}");
    }
    assert!(map.insert_unique(&[], &[]).unwrap().is_empty() && map.is_empty().unwrap());
}
