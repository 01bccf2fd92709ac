//! Arrays beside plain slices and lists, with nulls at planted places and in arrays that are parts of others.

use super::*;
use crate::prelude::*;
use crate::simt::cpu::columns::{Progress, RowIndex};
use crate::simt::cpu::{Error, OpenMap, OpenSet};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, DictionaryArray, FixedSizeBinaryArray, Float64Array,
    Int32Array, Int64Array, LargeBinaryArray, LargeStringArray, RecordBatch, StringArray, UInt32Array,
    UInt64Array,
};
use std::collections::HashMap;
use std::sync::Arc;

/// A number for rows, without a pattern.
fn mixed(row: usize) -> u64 {
    (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40
}

#[test]
fn numbers_are_not_copied() {
    let keys = UInt32Array::from(vec![3, 4, 5]);
    assert_eq!(numbers(&keys).unwrap().as_ptr(), keys.values().as_ptr());
    let part = keys.slice(1, 2);
    assert_eq!(numbers(&part).unwrap(), [4, 5]);
    assert_eq!(with_mask(&part).unwrap(), (&[4, 5][..], vec![true; 2]));
    let dates = Date32Array::from(vec![-1, 20_000]);
    assert_eq!(numbers(&dates).unwrap(), [-1i32, 20_000]);
    assert_eq!(numbers(&UInt64Array::from(Vec::<u64>::new())).unwrap(), [0u64; 0]);
}

#[test]
fn nulls_are_refused_where_they_are() {
    let keys = Int64Array::from(vec![Some(1), Some(2), None, Some(4), None]);
    assert_eq!(numbers(&keys), Err(Unfit::Nulls { nulls: 2, first: 2 }));
    assert_eq!(numbers(&keys.slice(3, 2)), Err(Unfit::Nulls { nulls: 1, first: 1 }));
    assert_eq!(numbers(&keys.slice(0, 2)), Ok(&[1, 2][..]), "a part without nulls");
    assert_eq!(numbers(&keys).unwrap_err().to_string(), "2 nulls, the first in row 2");
}

/// Tables of each key type are filled from an array with nulls, which are left out.
#[test]
fn a_mask_leaves_nulls_out() {
    macro_rules! check {
        ($($array:ty, $key:ty;)*) => { $(
            let rows: Vec<Option<$key>> = (0..1000).map(|row| (row % 7 != 3).then_some(row as $key)).collect();
            let array = <$array>::from(rows.clone());
            let (keys, mask) = with_mask(&array).unwrap();
            let set = OpenSet::<$key>::with_capacity(1000).unwrap();
            let said = set.insert_if(keys, &mask).unwrap();
            let expected = rows.iter().map(|key| key.map(|_| Insert::Inserted));
            assert!(said.iter().copied().eq(expected));
            assert_eq!(set.len().unwrap() as usize, rows.iter().flatten().count());
            assert_eq!(set.contains_if(keys, &mask).unwrap(), mask);
            let map = OpenMap::<$key, $key>::with_capacity(1000).unwrap();
            map.insert_if(keys, keys, &mask).unwrap().all_stored().unwrap();
            let found = map.search(numbers(&<$array>::from(vec![4, 10, 5])).unwrap()).unwrap();
            assert_eq!(<$array>::from(found), <$array>::from(vec![Some(4), None, Some(5)]));
        )* };
    }
    check! {
        UInt32Array, u32;
        Int32Array, i32;
        UInt64Array, u64;
        Int64Array, i64;
    }
}

/// Random rows of three columns with nulls: the index finds what a map of the standard library does.
#[test]
fn an_index_of_columns_equals_a_map() {
    type Row = (Option<String>, Option<i32>, Option<Vec<u8>>);
    let row = |row: usize| -> Row {
        let (a, b, c) = (mixed(row) % 5, mixed(row + 1000) % 4, mixed(row + 2000) % 3);
        let text = "é".repeat(a as usize);
        ((a != 2).then_some(text), (b != 1).then_some(b as i32 - 2), (c != 0).then(|| vec![0; c as usize]))
    };
    let rows = |range: std::ops::Range<usize>| range.map(row).collect::<Vec<_>>();
    let arrays = |rows: &[Row]| {
        let text = StringArray::from_iter(rows.iter().map(|row| row.0.as_deref()));
        let number = Int32Array::from_iter(rows.iter().map(|row| row.1));
        let bytes = BinaryArray::from_iter(rows.iter().map(|row| row.2.as_deref()));
        (text, number, bytes)
    };
    let (all, asked) = (rows(0..500), rows(300..900));
    let ((a, b, c), (x, y, z)) = (arrays(&all), arrays(&asked));
    let columns = Columns::new(&[&a, &b, &c]).unwrap();
    // A part of the rows, whose numbers begin at 0.
    let (x, y, z) = (x.slice(100, 400), y.slice(100, 400), z.slice(100, 400));
    let sought = columns.like(&[&x, &y, &z]).unwrap();
    let asked = &asked[100..500];
    let index = RowIndex::new(columns.clone(), &Progress::new()).unwrap();
    let mut expected: HashMap<&Row, Vec<u32>> = HashMap::new();
    all.iter().zip(0..).for_each(|(row, number)| expected.entry(row).or_default().push(number));
    let found = index.matching(&sought, &Progress::new()).unwrap();
    assert!(asked.iter().any(|row| row.0.is_none() && expected.contains_key(row)), "nulls are sought");
    for (i, row) in asked.iter().enumerate() {
        assert_eq!(found.of(i), expected.get(row).map_or(&[][..], Vec::as_slice), "{row:?}");
    }
    assert_eq!(index.groups().unwrap().first_rows().len(), expected.len());
    let whole: Vec<bool> = all.iter().map(|(a, b, c)| a.is_some() && b.is_some() && c.is_some()).collect();
    assert_eq!(columns.mask().unwrap(), whole);
    assert!(whole.contains(&true) && whole.contains(&false));
}

/// Each type has three rows, of which the first and the last are equal, and the second is null.
#[test]
fn cells_of_all_types_are_compared() {
    let fixed = FixedSizeBinaryArray::try_from_sparse_iter_with_size(
        [Some([1u8, 2]), None, Some([1, 2])].into_iter(),
        2,
    );
    let arrays: Vec<ArrayRef> = vec![
        Arc::new(BooleanArray::from(vec![Some(false), None, Some(false)])),
        Arc::new(UInt32Array::from(vec![Some(0), None, Some(0)])),
        Arc::new(Float64Array::from(vec![Some(f64::NAN), None, Some(f64::NAN)])),
        Arc::new(StringArray::from(vec![Some(""), None, Some("")])),
        Arc::new(LargeStringArray::from(vec![Some("ü"), None, Some("ü")])),
        Arc::new(BinaryArray::from(vec![Some(&b""[..]), None, Some(b"")])),
        Arc::new(LargeBinaryArray::from(vec![Some(&b"\0"[..]), None, Some(b"\0")])),
        Arc::new(fixed.unwrap()),
    ];
    for array in &arrays {
        let index = RowIndex::new(Columns::new(&[array]).unwrap(), &Progress::new()).unwrap();
        assert_eq!(index.groups().unwrap().first_rows(), [0, 1], "{:?}", array.data_type());
    }
    let named = arrays.iter().enumerate().map(|(i, array)| (i.to_string(), array.clone()));
    let batch =
        RecordBatch::try_from_iter_with_nullable(named.map(|(name, array)| (name, array, true))).unwrap();
    let columns: Vec<&dyn Array> = batch.columns().iter().map(AsRef::as_ref).collect();
    let index = RowIndex::new(Columns::new(&columns).unwrap(), &Progress::new()).unwrap();
    assert_eq!(index.groups().unwrap().sizes(), [2, 1]);
}

#[test]
fn neighbouring_cells_are_not_run_together() {
    let a = StringArray::from(vec!["ab", "a", ""]);
    let b = StringArray::from(vec!["c", "bc", "abc"]);
    let index = RowIndex::new(Columns::new(&[&a, &b]).unwrap(), &Progress::new()).unwrap();
    assert_eq!(index.groups().unwrap().sizes(), [1, 1, 1]);
}

#[test]
fn strings_are_alike_whatever_their_offsets_are_and_other_types_are_refused() {
    let (small, large) = (StringArray::from(vec!["a", "b"]), LargeStringArray::from(vec!["b", "c"]));
    let columns = Columns::new(&[&small]).unwrap();
    let sought = columns.like(&[&large]).unwrap();
    let index = RowIndex::new(columns.clone(), &Progress::new()).unwrap();
    assert_eq!(index.first(&sought).unwrap(), [Some(1), None]);

    let numbers = Int32Array::from(vec![1, 2]);
    let unlike = columns.like(&[&numbers]).unwrap_err();
    assert_eq!(unlike, Unfit::Unlike { column: 0, name: "Int32".into(), expected: "Utf8".into() });
    let wide = Int64Array::from(vec![1, 2]);
    assert!(Columns::new(&[&numbers]).unwrap().like(&[&wide]).is_err());
    assert_eq!(columns.like(&[&small, &small]).unwrap_err(), Unfit::Columns { found: 2, expected: 1 });
    // Without `like` nothing is found, and nothing panics.
    let two = Columns::new(&[&small, &small]).unwrap();
    assert_eq!(index.first(&two).unwrap(), [None, None]);
    assert_eq!(index.first(&Columns::new(&[&numbers]).unwrap()).unwrap(), [None, None]);
}

#[test]
fn what_is_no_key_is_refused() {
    assert_eq!(Columns::new(&[]).unwrap_err(), Unfit::NoColumn);
    let words: DictionaryArray<Int32Type> = ["a", "b"].into_iter().collect();
    let numbers = Int32Array::from(vec![1]);
    let refused = Columns::new(&[&numbers, &words]).unwrap_err();
    assert!(matches!(&refused, Unfit::Type { column: 1, name } if name.contains("Dictionary")), "{refused}");
    let (one, two) = (Int32Array::from(vec![1]), Int32Array::from(vec![1, 2]));
    let columns = Columns::new(&[&one, &two]).unwrap();
    assert!(matches!(RowIndex::new(columns, &Progress::new()), Err(Error::Refused(_))));
}
