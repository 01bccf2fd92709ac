//! The memory of the published layout of a slab hash (Ashkiani, Farach-Colton, Owens, IPDPS 2018): slabs of
//! 128 bytes with their link in them, 15 u32 pairs or 31 u32 keys each.

use crate::entry::Entry;

/// Bytes of a slab.
const SLAB: u32 = 128;

/// Bytes of the published slabs in chains per pair or key, in a table with `load` pairs or keys per slot of
/// its base slabs, 0.01 to 10. `None` for other entries, which the published layout lacks.
pub(super) fn bytes_per_pair(entry: Entry, load: f64) -> Option<f64> {
    match entry {
        Entry::Map32 | Entry::Multimap32 => Some(in_chains(15, SLAB, load)),
        Entry::Set32 => Some(in_chains(31, SLAB, load)),
        _ => None,
    }
}

/// Bytes of the slabs in chains per pair, for slabs of `bytes` bytes with `pairs` pairs each. Distinct keys
/// fall into buckets at random, so the pairs of a bucket have a Poisson distribution. A bucket of x pairs has
/// a slab for each `pairs` of them, and at least one.
fn in_chains(pairs: u32, bytes: u32, load: f64) -> f64 {
    let mean = pairs as f64 * load;
    let mut slabs = 0.0;
    let mut probability = (-mean).exp();
    // Beyond ten times the mean and a hundred, the rest is too small for a double to show.
    for x in 0..(10.0 * mean) as u32 + 100 {
        slabs += probability * x.div_ceil(pairs).max(1) as f64;
        probability *= mean / (x + 1) as f64;
    }
    slabs * bytes as f64 / mean
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::keys::key;
    use crate::registry::SLAB;
    use warpproof::SlabGeometry;
    use warpproof::model::key::{fastrange, mix};

    fn near(a: f64, b: f64, part: f64) -> bool {
        (a / b - 1.0).abs() < part
    }

    #[test]
    fn slabs_of_one_pair_have_a_formula() {
        for &load in SLAB.points.loads {
            // A bucket of x pairs has x slabs, and one if it is empty.
            let expected = (load + (-load).exp()) / load * 10.0;
            assert!(near(in_chains(1, 10, load), expected, 1e-12), "{load}");
        }
    }

    #[test]
    fn placing_keys_takes_as_much() {
        const PAIRS: u32 = 300_000;
        for &load in SLAB.points.loads {
            for slab in [7u32, 15, 31] {
                let buckets = (PAIRS as f64 / load) as u32 / slab;
                let mut filled = vec![0u32; buckets as usize];
                (0..PAIRS).for_each(|i| filled[fastrange(mix(key(i)), buckets) as usize] += 1);
                let slabs: u32 = filled.iter().map(|&x| x.div_ceil(slab).max(1)).sum();
                let placed = slabs as f64 * 128.0 / PAIRS as f64;
                let computed = in_chains(slab, 128, load);
                assert!(near(placed, computed, 0.005), "{slab} at {load}: {placed}, {computed}");
            }
        }
    }

    /// The claim of `notes/slab.md` (*Memory*) and of [`SlabGeometry::DEFAULT_LOAD`].
    #[test]
    fn the_default_takes_at_most_eight_percent_more_than_the_published_table() {
        let ours = in_chains(7, 64, SlabGeometry::DEFAULT_LOAD);
        let published = in_chains(15, super::SLAB, SLAB.points.load);
        assert!(ours <= 1.08 * published, "{ours}, {published}");
        assert!((15.2..15.4).contains(&ours) && (14.5..14.6).contains(&published), "{ours}, {published}");
    }
}
