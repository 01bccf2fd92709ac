//! All programs of a size, up to symmetry: which of them differ only in the names of keys or the order of
//! warps.

use warpproof_model::spec::Op;

/// A call of a program: what it does, and on which key.
pub type Step = (Op, u64);

/// The programs of all warps.
pub type Programs = Vec<Vec<Step>>;

/// The keys of a family.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    /// Keys that the structure holds, or that something else tells apart.
    pub fixed: Vec<u64>,
    /// Keys that nothing tells apart before the programs run.
    pub free: Vec<u64>,
    /// How many different keys the calls of one scenario may name.
    pub most: usize,
}

/// Every way to give `calls` calls to at most `warps` warps, each of which has one at least: numbers of
/// calls, the largest first.
pub fn shapes(calls: usize, warps: usize) -> Vec<Vec<usize>> {
    fn extend(left: usize, most: usize, warps: usize, shape: &mut Vec<usize>, out: &mut Vec<Vec<usize>>) {
        if left == 0 {
            out.push(shape.clone());
        } else if warps > 0 {
            for calls in (1..=left.min(most)).rev() {
                shape.push(calls);
                extend(left - calls, calls, warps - 1, shape, out);
                shape.pop();
            }
        }
    }
    let mut out = Vec::new();
    extend(calls, calls, warps, &mut Vec::new(), &mut out);
    out
}

/// All programs of a shape, one of each class of those that differ only in the order of warps or the names of
/// free keys. The order is that of `ops`, then of keys.
pub fn programs(shape: &[usize], ops: &[Op], keys: &Keys) -> Vec<Programs> {
    let all: Vec<u64> = keys.fixed.iter().chain(&keys.free).copied().collect();
    let letters = ops.len() * all.len();
    let calls: usize = shape.iter().sum();
    let step = |letter: usize| (letter / all.len(), all[letter % all.len()]);
    let mut out = Vec::new();
    let mut word = vec![0; calls];
    loop {
        let mut steps = word.iter().map(|&letter| step(letter));
        let candidate: Vec<Vec<(usize, u64)>> =
            shape.iter().map(|&len| steps.by_ref().take(len).collect()).collect();
        if used(&candidate) <= keys.most && canonical(&candidate, keys) == candidate {
            let named =
                |program: &Vec<(usize, u64)>| program.iter().map(|&(op, key)| (ops[op], key)).collect();
            out.push(candidate.iter().map(named).collect());
        }
        // The next word, as a number of so many letters.
        let Some(at) = (0..calls).rev().find(|&at| word[at] + 1 < letters) else { return out };
        word[at] += 1;
        word[at + 1..].fill(0);
    }
}

type Indexed = Vec<Vec<(usize, u64)>>;

fn used(programs: &Indexed) -> usize {
    let mut keys: Vec<u64> = programs.iter().flatten().map(|&(_, key)| key).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.len()
}

/// The least of the programs that differ from these in the order of warps or the names of free keys only,
/// warps with more calls first.
fn canonical(programs: &Indexed, keys: &Keys) -> Indexed {
    let mut orders = vec![Vec::new()];
    for _ in programs {
        let longer = |order: &Vec<usize>| {
            let order = order.clone();
            let rest: Vec<usize> = (0..programs.len()).filter(|warp| !order.contains(warp)).collect();
            rest.into_iter().map(move |warp| order.iter().copied().chain([warp]).collect())
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    let shape = |order: &Vec<usize>| order.iter().map(|&warp| programs[warp].len()).collect::<Vec<_>>();
    let falling = orders.iter().filter(|order| shape(order).is_sorted_by(|a, b| a >= b));
    falling.map(|order| renamed(order.iter().map(|&warp| &programs[warp]), keys)).min().unwrap_or_default()
}

/// The programs with the free keys in the order in which they come up.
fn renamed<'a>(programs: impl Iterator<Item = &'a Vec<(usize, u64)>>, keys: &Keys) -> Indexed {
    let mut met: Vec<u64> = Vec::new();
    let mut rename = |key: u64| {
        if !keys.free.contains(&key) {
            return key;
        }
        let at = met.iter().position(|k| *k == key).unwrap_or_else(|| {
            met.push(key);
            met.len() - 1
        });
        keys.free[at]
    };
    programs.map(|program| program.iter().map(|&(op, key)| (op, rename(key))).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn keys(fixed: &[u64], free: &[u64], most: usize) -> Keys {
        Keys { fixed: fixed.to_vec(), free: free.to_vec(), most }
    }

    const OPS: [Op; 3] = [Op::Search, Op::Delete, Op::InsertUnique];

    #[test]
    fn shapes_are_the_partitions() {
        assert_eq!(shapes(3, 4), [vec![3], vec![2, 1], vec![1, 1, 1]]);
        assert_eq!(shapes(4, 2), [vec![4], vec![3, 1], vec![2, 2]]);
        assert_eq!(shapes(6, 6).len(), 11);
        assert!(shapes(2, 0).is_empty());
    }

    #[test]
    fn pairs_of_one_key_are_the_multisets() {
        assert_eq!(programs(&[1, 1], &OPS, &keys(&[5], &[], 1)).len(), 6);
        assert_eq!(programs(&[2, 1], &OPS, &keys(&[5], &[], 1)).len(), 27);
        assert_eq!(programs(&[1, 1, 1], &OPS, &keys(&[5], &[], 1)).len(), 10);
    }

    /// By Burnside's lemma: two keys and two warps that can be exchanged.
    #[test]
    fn the_number_of_classes_is_burnsides() {
        let free = keys(&[], &[5, 6], 2);
        // 36 words; exchanged warps fix 6, exchanged keys none, both 6.
        assert_eq!(programs(&[1, 1], &OPS, &free).len(), (36 + 6 + 6) / 4);
        // Warps of different lengths cannot be exchanged: 216 words, the keys fix none.
        assert_eq!(programs(&[2, 1], &OPS, &free).len(), 216 / 2);
        assert_eq!(programs(&[1, 1], &OPS, &keys(&[5, 6], &[], 2)).len(), (36 + 6) / 2);
    }

    #[test]
    fn every_program_has_one_of_its_class_among_them() {
        let keys = keys(&[1], &[5, 6], 2);
        let index = |op: Op| OPS.iter().position(|o| *o == op).expect("one of them");
        let listed: BTreeSet<Indexed> = programs(&[1, 1, 1], &OPS, &keys)
            .iter()
            .map(|programs| {
                programs.iter().map(|p| p.iter().map(|&(op, k)| (index(op), k)).collect()).collect()
            })
            .collect();
        let letters: Vec<(usize, u64)> = (0..3).flat_map(|op| [1, 5, 6].map(|key| (op, key))).collect();
        let mut seen = BTreeSet::new();
        for a in &letters {
            for b in &letters {
                for c in &letters {
                    let word = vec![vec![*a], vec![*b], vec![*c]];
                    if used(&word) <= 2 {
                        seen.insert(canonical(&word, &keys));
                    }
                }
            }
        }
        assert_eq!(seen, listed);
    }
}
