//! Consecutive words, as the lanes of a warp read them, and one of them that was found.

use crate::memory::Word;
use crate::warp::Warp;

/// `S` words per lane: lane `l` has words `l * S` to `l * S + S - 1`.
pub(crate) type Row<W, T, const S: usize> = <W as Warp>::Lanes<[T; S]>;

/// An index and the word that was read there.
#[derive(Clone, Copy)]
pub(crate) struct Place<T> {
    pub(crate) at: usize,
    pub(crate) seen: T,
}

/// A word that was found: the lane that read it, and that lane's place. The places of other lanes are
/// different.
pub(crate) struct Found<W: Warp, T: Copy> {
    pub(crate) lane: u32,
    pub(crate) places: W::Lanes<Place<T>>,
}

/// The number and the word of the lowest hit in every lane; without one the number is `S`.
#[inline(always)]
fn hits<W: Warp, T: Word, const S: usize>(
    w: &mut W,
    row: Row<W, T, S>,
    wanted: impl Fn(u32, usize, T) -> bool,
) -> W::Lanes<(usize, T)> {
    // Every lane finds its own lowest word: no shuffle is needed to act on one of them.
    w.map(row, |lane, words: [T; S]| {
        let mut hit = (S, words[S - 1]);
        for i in (0..S).rev() {
            if wanted(lane, i, words[i]) {
                hit = (i, words[i]);
            }
        }
        hit
    })
}

/// The lowest word of a row for which `wanted(lane, number of the word in the lane, word)` is true. The first
/// word of the row has the index `base`.
#[inline(always)]
pub(crate) fn first<W: Warp, T: Word, const S: usize>(
    w: &mut W,
    base: usize,
    row: Row<W, T, S>,
    wanted: impl Fn(u32, usize, T) -> bool,
) -> Option<Found<W, T>> {
    let hits = hits(w, row, wanted);
    let votes = w.map(hits, |_, (i, _)| i < S);
    let lane = w.ballot(votes).ffs()?;
    let places = w.map(hits, |lane, (i, seen)| Place { at: base + (lane as usize * S) + i, seen });
    Some(Found { lane, places })
}

/// Finds the first wanted word, and whether `is` holds for it. Both votes are taken at once; a vote on the
/// word found would have to wait for the first one.
#[inline(always)]
pub(crate) fn first_is<W: Warp, T: Word, const S: usize>(
    w: &mut W,
    base: usize,
    row: Row<W, T, S>,
    wanted: impl Fn(u32, usize, T) -> bool,
    is: impl Fn(T) -> bool,
) -> (Option<Found<W, T>>, bool) {
    let hits = hits(w, row, wanted);
    let votes = w.map(hits, |_, (i, _)| i < S);
    let votes = w.ballot(votes);
    let sure = w.map(hits, |_, (i, word)| i < S && is(word));
    let sure = w.ballot(sure);
    let places = w.map(hits, |lane, (i, seen)| Place { at: base + (lane as usize * S) + i, seen });
    match votes.ffs() {
        Some(lane) => (Some(Found { lane, places }), sure.has(lane)),
        None => (None, false),
    }
}

/// The row in which the word that each lane has found is replaced by its `now`. The first word of the row has
/// the index `base`.
#[inline(always)]
pub(crate) fn with<W: Warp, T: Word, const S: usize>(
    w: &mut W,
    base: usize,
    row: Row<W, T, S>,
    found: &Found<W, T>,
    now: W::Lanes<T>,
) -> Row<W, T, S> {
    let now = w.both(found.places, now, |_, Place { at, .. }, now| (at, now));
    w.both(row, now, |lane, words: [T; S], (at, now)| {
        core::array::from_fn(|i| if base + (lane as usize * S) + i == at { now } else { words[i] })
    })
}

/// The row, with words from index 0 on, in which the word that was found is replaced by `now`.
#[inline(always)]
pub(crate) fn with_word<W: Warp, T: Word, const S: usize>(
    w: &mut W,
    row: Row<W, T, S>,
    found: &Found<W, T>,
    now: T,
) -> Row<W, T, S> {
    let chosen = found.lane;
    let now = w.map(found.places, |lane, Place { seen, .. }| if lane == chosen { now } else { seen });
    with(w, 0, row, found, now)
}

/// The row rotated by one word in each lane: the second word becomes the first, and the first one the last. A
/// loop that always takes the first word needs no word by its number, which would make the row an array in
/// memory.
#[inline(always)]
pub(crate) fn turned<W: Warp, T: Word, const S: usize>(w: &mut W, row: Row<W, T, S>) -> Row<W, T, S> {
    w.map(row, |_, words: [T; S]| core::array::from_fn(|i| words[(i + 1) % S]))
}

/// In every lane, the lowest of its words for which `wanted` is true, or else `none`.
#[inline(always)]
pub(crate) fn lowest<W: Warp, T: Word, const S: usize>(
    w: &mut W,
    row: Row<W, T, S>,
    none: T,
    wanted: impl Fn(T) -> bool,
) -> W::Lanes<T> {
    w.map(row, |_, words: [T; S]| {
        words.iter().rev().fold(none, |hit, &word| if wanted(word) { word } else { hit })
    })
}

/// How many words of a row have `wanted` true.
#[inline(always)]
pub(crate) fn count<W: Warp, T: Word, const S: usize>(
    w: &mut W,
    row: Row<W, T, S>,
    wanted: impl Fn(u32, usize, T) -> bool,
) -> u32 {
    let mut total = 0;
    for i in 0..S {
        let votes = w.map(row, |lane, words: [T; S]| wanted(lane, i, words[i]));
        total += w.ballot(votes).popc();
    }
    total
}

/// Whether `wanted` is true of any word of a row.
#[inline(always)]
pub(crate) fn any<W: Warp, T: Word, const S: usize>(
    w: &mut W,
    row: Row<W, T, S>,
    wanted: impl Fn(u32, usize, T) -> bool,
) -> bool {
    let votes =
        w.map(row, |lane, words: [T; S]| (0..S).fold(false, |any, i| any | wanted(lane, i, words[i])));
    w.ballot(votes).any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::warp::two_lanes::TwoLanes;

    /// Two words of each of two lanes, wherever the one is that is looked for; and of two the lower one.
    #[test]
    fn a_word_is_found_in_each_place() {
        let w = &mut TwoLanes;
        for at in 0..4 {
            let mut words = [0u32; 4];
            words[at] = 7;
            let row = [[words[0], words[1]], [words[2], words[3]]];
            assert!(
                any(w, row, |lane, i, word| word == 7 && lane as usize * 2 + i == at)
                    && !any(w, row, |_, _, word| word == 8)
            );
            assert_eq!(count(w, row, |_, _, word| word == 7), 1);
            let found = first(w, 40, row, |_, _, word| word == 7).expect("it is there");
            assert_eq!((found.lane as usize, found.places[at / 2].at), (at / 2, 40 + at));
            let above = first(w, 0, row, |lane, i, word| word == 7 || lane as usize * 2 + i > at)
                .expect("it is there");
            assert_eq!(above.places[above.lane as usize].at, at);
            let (found, is) = first_is(w, 40, row, |_, _, word| word == 7, |word| word == 7);
            assert!(is && found.is_some_and(|found| found.places[at / 2].at == 40 + at));
            assert!(!first_is(w, 0, row, |_, _, word| word == 7, |word| word == 0).1, "another word is one");
        }
        let row = [[1u32, 2], [3, 4]];
        assert!(first(w, 0, row, |_, _, word| word > 4).is_none());
        assert_eq!(lowest(w, row, 9, |word| word % 2 == 0), [2, 4]);
        assert_eq!(lowest(w, row, 9, |word| word > 2), [9, 3]);
        assert_eq!(turned(w, row), [[2, 1], [4, 3]]);
    }
}
