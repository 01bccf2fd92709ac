//! A key type of your own, with a hash of your own: places on a grid.
//! `cargo run --release --example custom_hash`
//!
//! A key is a word with an order and a hash ([`Key`]); an entry says how a key and its value lie in one
//! atomic word ([`Packed`]). Every structure of the library takes both, under the checkers too.

use core::sync::atomic::AtomicU64;
use std::collections::HashMap;
use warpproof::model::entry::Packed;
use warpproof::model::key::mix;
use warpproof::model::{Hash64, Key, Seed, Word};
use warpproof::prelude::*;
use warpproof::simt::cpu::Map;
use warpproof::simt::cpu::open::OpenWords;
use warpproof::simt::cpu::packed::PackedStore;

/// A place: column in the low half, row in the high half. The row 65535 is not used, so that two keys are
/// left to reserve.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Place(u32);

impl Place {
    fn new(column: u16, row: u16) -> Option<Self> {
        (row < u16::MAX).then_some(Self((row as u32) << 16 | column as u32))
    }
}

impl Word for Place {
    const ZERO: Self = Self(0);
    fn to_bits(self) -> u128 {
        self.0 as u128
    }
    fn from_bits(bits: u128) -> Self {
        Self(bits as u32)
    }
}

impl Key for Place {
    const FIRST_RESERVED: Self = Self(u32::MAX - 1);

    /// Places of one square of 4 by 4 have hashes that share their 28 high bits, so that they have one home
    /// or two. All 64 bits are needed: the high ones choose the home, the low ones the next buckets and the
    /// class in filters. A hash that used no seed would let strangers choose places of one home.
    fn hash(self, seed: Seed) -> Hash64 {
        let (column, row) = (self.0 & 0xffff, self.0 >> 16);
        let square = seed.hash32((row >> 2) << 14 | column >> 2).bits();
        let place = (row & 3) << 2 | column & 3;
        Hash64::new((square & !(15 << 32) | u64::from(place) << 32) ^ u64::from(mix(place)))
    }
}

/// A place with a counter: the place in the low half of a word.
#[derive(Clone, Copy, Debug)]
struct Visits;

impl Packed for Visits {
    type Key = Place;
    type Value = u32;
    type Word = u64;
    const EMPTY: u64 = u64::MAX;
    /// A word with the lowest reserved key, which is no entry.
    const MARK: u64 = Place::FIRST_RESERVED.0 as u64 | (u32::MAX as u64) << 32;

    fn pack(key: Place, value: u32) -> u64 {
        key.0 as u64 | (value as u64) << 32
    }
    fn key(word: u64) -> Place {
        Place(word as u32)
    }
    fn value(word: u64) -> u32 {
        (word >> 32) as u32
    }
}

/// Eight words of 64 bits are a cache line.
type VisitMap = Map<Place, u32, OpenWords<PackedStore<Visits, AtomicU64, 8>>>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let walk = walk(1_000_000);
    let visits = VisitMap::with_capacity(walk.len() as u64)?;
    let said = visits.insert_or_add(&walk, &vec![1; walk.len()])?;
    assert!(said.iter().all(|&said| said != Add::Full));
    println!("{} steps, {} places", walk.len(), visits.len()?);

    // What one thread counts.
    let mut expected = HashMap::<Place, u32>::new();
    walk.iter().for_each(|&place| *expected.entry(place).or_default() += 1);
    assert_eq!(visits.retrieve_all()?.into_iter().collect::<HashMap<_, _>>(), expected);
    // Every place is a key, the last one too.
    assert_eq!(visits.search(&[Place(u32::MAX)])?, [None]);
    Ok(())
}

/// A walk over the grid from its middle, which ends early if it leaves the grid.
fn walk(steps: usize) -> Vec<Place> {
    let (mut column, mut row, mut state) = (1u16 << 15, 1u16 << 15, 1u32);
    let step = |_| {
        state = mix(state.wrapping_add(0x9e37_79b9));
        let sign = if state >> 31 == 0 { 1 } else { -1 };
        match state >> 30 & 1 {
            0 => column = column.wrapping_add_signed(sign),
            _ => row = row.wrapping_add_signed(sign),
        }
        Place::new(column, row)
    };
    (0..steps).map_while(step).collect()
}
