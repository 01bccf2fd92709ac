//! Sizes, parts and steps of the published Starfish, without a GPU.

use super::super::tests::{built, declared, passed};
use super::*;

#[test]
fn sizes_have_room_for_their_pairs() {
    for pairs in [0u64, 1, 1000, 6_710_886, 6_710_887, 100_000_000, 1 << 31] {
        let size = StarfishSize::for_pairs(pairs, 0.8, 2).unwrap();
        assert!(size.slots >= 1 && size.slots <= MOST_SLOTS, "{pairs}: {size:?}");
        assert!(size.children as u64 * size.slots as u64 * 8 + 8 >= pairs * 10, "{pairs}: {size:?}");
        let n = pairs as usize;
        let most = (0..size.children).map(|child| size.part(n, child).len()).max().unwrap();
        assert!(most <= size.room(), "{pairs}: {size:?}");
    }
    assert_eq!(StarfishSize::for_pairs(1 << 22, 0.8, 2).unwrap().children, 1);
    assert_eq!(StarfishSize::for_pairs(1 << 31, 0.8, 2).unwrap().children, 320);
    for load in [0.0, -1.0, 0.91, f64::NAN] {
        assert!(StarfishSize::for_pairs(9, load, 2).is_err(), "{load}");
    }
    assert!(StarfishSize::for_pairs(u64::MAX, 0.1, 2).is_err());
}

#[test]
fn parts_are_the_whole_input_in_order() {
    for (children, n) in [(1, 7), (3, 2), (5, 1000), (7, 0)] {
        let size = StarfishSize { children, slots: 10, frames: 2 };
        let parts: Vec<_> = (0..children).flat_map(|child| size.part(n, child)).collect();
        assert_eq!(parts, (0..n).collect::<Vec<_>>());
    }
}

#[test]
fn each_frame_takes_its_child_tables_in_chunks() {
    let parts = [(0, 0..CHUNK + 5), (1, CHUNK + 5..CHUNK + 6), (2, CHUNK + 6..3 * CHUNK + 6)];
    let of_frames = steps(&parts, 2).unwrap();
    let step = |child, pairs, last| Step { child, pairs, last };
    assert_eq!(of_frames.len(), 2);
    assert_eq!(
        of_frames[0],
        [
            step(0, 0..CHUNK, false),
            step(0, CHUNK..CHUNK + 5, true),
            step(2, CHUNK + 6..2 * CHUNK + 6, false),
            step(2, 2 * CHUNK + 6..3 * CHUNK + 6, true),
        ]
    );
    assert_eq!(of_frames[1], [step(1, CHUNK + 5..CHUNK + 6, true)]);
}

#[test]
fn pairs_are_words_of_key_and_value() {
    let mut bytes = [0u8; 24];
    Source::Columns(&[1, 2, 3], &[4, 5, 6]).write(1..3, &mut bytes);
    let mut again = [0u8; 24];
    Source::Pairs(&[9, 2 << 32 | 5, 3 << 32 | 6]).write(1..3, &mut again);
    assert_eq!(bytes, again);
    assert_eq!(bytes[..8], (2u64 << 32 | 5).to_ne_bytes());
    assert_eq!(bytes[16..], [0; 8]);
}

#[test]
fn a_search_begins_with_the_resident_child_table_and_reaches_all() {
    let all = [true; 5];
    assert_eq!(searched(&all, 2, 0, None), [0, 2, 4]);
    assert_eq!(searched(&all, 2, 0, Some(4)), [4, 0, 2]);
    assert_eq!(searched(&all, 2, 1, Some(3)), [3, 1]);
    // Child tables without a pair are left out.
    assert_eq!(searched(&[true, true, false, false, true], 2, 0, Some(2)), [0, 4]);
    assert_eq!(searched(&[false; 3], 3, 1, Some(1)), [0u32; 0]);
}

#[test]
fn arguments_are_those_of_the_kernels() {
    let Some(ptx) = built() else { return };
    let head = child_head(1 << 20, StarfishSize { children: 1, slots: 8, frames: 1 }, 7);
    let insert = head.per_key(Span::<u64>::new(1 << 10, 3), Span::new(1 << 12, 3)).unwrap();
    assert_eq!(passed(&insert), declared(&ptx, "starfish_insert"));
    let search = head.number(Span::<u32>::new(1 << 10, 3), Span::new(1 << 12, 3)).unwrap();
    assert_eq!(passed(&search), declared(&ptx, "starfish_search"));
    assert_eq!(insert.list[1], Argument::U64(8 + STASH as u64));
}
