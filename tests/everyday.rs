//! The calls of everyday programs on CPU tables: whole batches that must be stored, and single keys.

use warpproof::simt::cpu::{
    CuckooMap, CuckooSet, DynamicMap, Error, HopscotchMap, OpenMap, OpenSet, PagedMap, SlabMap, SlabMultimap,
    WaitFreeMap,
};
use warpproof::{
    Answer, BulkCounter, BulkMap, BulkMultimap, BulkSet, BulkTable, Insert, NotStored, Op, Outcomes,
};

/// More keys than a table for eight has room for.
fn hundred() -> Vec<u32> {
    (0..100).collect()
}

/// Checks what the strict form of an insert of different keys says against its outcomes and the entries.
fn check(name: &str, said: Outcomes<Insert>, live: u64) {
    let first = said.iter().position(|&outcome| outcome == Insert::Full).expect("not all fit") as u64;
    let entries = said.len() as u64;
    let left_out = said.iter().filter(|&&outcome| outcome == Insert::Full).count() as u64;
    let error = said.all_stored().expect_err(name);
    assert_eq!(error, NotStored { entries, left_out, first }, "{name}");
    assert_eq!(live, entries - left_out, "{name}: all others are stored");
    assert!(Error::from(error).to_string().contains(&format!("{left_out} of {entries}")), "{name}");
}

#[test]
fn a_hundred_keys_in_a_table_for_eight_are_an_error() {
    let (keys, more) = (hundred(), (0..100_000).collect::<Vec<u32>>());
    macro_rules! maps {
        ($($map:ident: $insert:ident $keys:expr;)*) => { $(
            let map = $map::<u32, u32>::with_capacity(8).unwrap();
            let said = map.$insert($keys, $keys).unwrap();
            check(stringify!($map), said, map.len().unwrap());
        )* };
    }
    maps! {
        OpenMap: insert_unique &keys;
        CuckooMap: insert_unique &keys;
        // The smallest of these have more room.
        HopscotchMap: insert_unique &more;
        WaitFreeMap: insert_unique &more;
        SlabMap: insert_unique &more;
        SlabMultimap: insert &more;
    }
    let set = OpenSet::<u32>::with_capacity(8).unwrap();
    check("OpenSet", set.insert(&keys).unwrap(), set.len().unwrap());
    let set = CuckooSet::<u32>::with_capacity(8).unwrap();
    check("CuckooSet", set.insert(&keys).unwrap(), set.len().unwrap());
    let paged = PagedMap::<u32, u32>::with_budget(8, 0).unwrap();
    check("PagedMap", paged.insert_unique(&more, &more).unwrap(), paged.len().unwrap());
}

#[test]
fn every_call_that_stores_has_a_strict_form() {
    fn strict(keys: &[u32]) -> [Result<(), Error>; 3] {
        let map = || OpenMap::<u32, u32>::with_capacity(8);
        let assign = || Ok(map()?.insert_or_assign(keys, keys)?.all_stored().map(|_| ())?);
        let add = || Ok(map()?.insert_or_add(keys, keys)?.all_stored().map(|_| ())?);
        let ops = vec![Op::InsertUnique; keys.len()];
        let mixed = || Ok(map()?.mixed(&ops, keys, keys)?.all_stored().map(|_| ())?);
        [assign(), add(), mixed()]
    }
    for said in strict(&hundred()) {
        assert!(matches!(said, Err(Error::NotStored(NotStored { entries: 100, .. }))), "{said:?}");
    }
    assert_eq!(strict(&hundred()[..8]), [Ok(()), Ok(()), Ok(())]);
}

#[test]
fn a_table_that_grows_stores_all() {
    let map = DynamicMap::<u32, u32>::with_capacity(8).unwrap();
    let done = map.insert_unique(&hundred(), &hundred()).unwrap().all_stored();
    assert_eq!(done, Ok(vec![Insert::Inserted; 100]));
    let said = map.mixed(&[Op::Search], &[7], &[0]).unwrap();
    assert_eq!(said.all_stored(), Ok(vec![Answer::Search(Some(7))]));
}
