//! `cargo xtask scale`: what a table in shards would do on more GPUs and hosts than were measured.
//!
//! A plan on paper: time is the work of the busiest rank divided by rates that were measured on one and two
//! GPUs of one host, and the work comes from keys that are drawn. It leaves out what nobody has measured:
//! contention inside switches, hosts that are slower than others, and what it takes to combine equal keys.

use crate::shell::Outcome;
use std::fmt::Write as _;

/// Rates of one GPU (two H100 of one host; design notes of the table in shards). Operations or bytes a
/// second.
struct Rates {
    /// Pairs divided by owners, and keys with their places.
    partition_pairs: f64,
    partition_keys: f64,
    /// Inserts and searches on the GPU's own shard.
    insert: f64,
    search: f64,
    /// Bytes to or from other GPUs of the host, each way.
    nvlink: f64,
    /// Launches, events and headers of a round.
    round: f64,
}

const RATES: Rates = Rates {
    partition_pairs: 73.1e9,
    partition_keys: 113e9,
    insert: 11.53e9,
    search: 25.25e9,
    nvlink: 391e9,
    round: 60e-6,
};

/// Bytes a second, each way, of a host's link of 400 Gb/s.
const LINK: f64 = 50e9;

/// GPUs, by hosts.
#[derive(Clone, Copy)]
struct Cluster {
    hosts: usize,
    gpus: usize,
    /// Links of a host.
    links: usize,
}

impl Cluster {
    fn ranks(self) -> usize {
        self.hosts * self.gpus
    }
}

/// What a batch does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Batch {
    /// Pairs that are inserted; an outcome of a byte comes back.
    Insert,
    /// Keys that are searched; a value comes back.
    Search,
}

/// What is done about keys that occur often.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Remedy {
    None,
    /// Equal keys of a rank's batch travel once.
    Combine,
    /// Every rank has a copy of the entries that are searched most: this many.
    Replicate(usize),
}

/// Random numbers: a multiplicative congruence on 128 bits (O'Neill, "PCG", 2014).
struct Dice(u128);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(1);
        let (high, low) = ((self.0 >> 64) as u64, self.0 as u64);
        (high ^ low).rotate_right((self.0 >> 122) as u32)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// One less the exponent of Zipf's law, 0.99.
const REST: f64 = 0.01;

/// A key of `most`, by Zipf's law with exponent 0.99 or uniform. The inverse of the distribution's integral.
fn key(dice: &mut Dice, skewed: bool, most: u64) -> u64 {
    let u = dice.unit();
    if !skewed {
        return (u * most as f64) as u64;
    }
    let whole = (most as f64).powf(REST) - 1.0;
    ((u * whole + 1.0).powf(1.0 / REST) as u64).saturating_sub(1).min(most - 1)
}

/// The share of a key in all operations.
fn share(key: u64, skewed: bool, most: u64) -> f64 {
    if !skewed {
        return 1.0 / most as f64;
    }
    let whole = ((most as f64).powf(REST) - 1.0) / REST;
    (((key + 2) as f64).powf(REST) - ((key + 1) as f64).powf(REST)) / REST / whole
}

/// The part of a key's operations that are left when equal keys of a batch are one, if there are so many of
/// them on average: the chance that there is one at least, over their number.
fn distinct(count: f64) -> f64 {
    if count < 1e-6 { 1.0 } else { (1.0 - (-count).exp()) / count }
}

/// The rank that owns a key.
fn owner(key: u64, ranks: usize) -> usize {
    let mixed = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ key >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((u128::from(mixed ^ mixed >> 31) * ranks as u128) >> 64) as usize
}

/// Keys that stand for a rank's batch: each for as many operations as `scale` says.
const DRAWN: usize = 1 << 15;

/// Seconds for a batch of `ops` operations on each rank, and what takes the longest.
fn seconds(
    cluster: Cluster,
    batch: Batch,
    (skewed, remedy): (bool, Remedy),
    ops: f64,
) -> (f64, &'static str) {
    let (ranks, most) = (cluster.ranks(), 1 << 30);
    let mut dice = Dice(1);
    // Operations that each rank sends to each other one, and those that it keeps.
    let mut sent = vec![vec![0.0; ranks]; ranks];
    for from in &mut sent {
        let scale = ops / DRAWN as f64;
        for _ in 0..DRAWN {
            let key = key(&mut dice, skewed, most);
            from[owner(key, ranks)] += match remedy {
                Remedy::None => scale,
                Remedy::Combine => scale * distinct(ops * share(key, skewed, most)),
                Remedy::Replicate(hot) if (key as usize) < hot => 0.0,
                Remedy::Replicate(_) => scale,
            };
        }
    }
    let (there, back) = match batch {
        Batch::Insert => (16.0, 1.0),
        Batch::Search => (8.0, 8.0),
    };
    let (partition, local) = match batch {
        Batch::Insert => (RATES.partition_pairs, RATES.insert),
        Batch::Search => (RATES.partition_keys, RATES.search),
    };
    let host = |rank: usize| rank / cluster.gpus;
    let busiest = |work: &dyn Fn(usize) -> f64| (0..ranks).map(work).fold(0.0, f64::max);
    let received = |rank: usize| sent.iter().map(|from| from[rank]).sum::<f64>();
    // Copies of entries are searched where the batch is.
    let kept = if let Remedy::Replicate(_) = remedy { ops - sent[0].iter().sum::<f64>() } else { 0.0 };
    let near = |rank: usize| {
        let other = |peer: &usize| *peer != rank && host(*peer) == host(rank);
        let out: f64 = (0..ranks).filter(other).map(|peer| sent[rank][peer]).sum();
        let into: f64 = (0..ranks).filter(other).map(|peer| sent[peer][rank]).sum();
        (out * there + into * back).max(into * there + out * back)
    };
    let far = |of: usize| {
        let all = |from: &dyn Fn(usize) -> bool, to: &dyn Fn(usize) -> bool| -> f64 {
            (0..ranks)
                .filter(|&a| from(a))
                .map(|a| (0..ranks).filter(|&b| to(b)).map(|b| sent[a][b]).sum::<f64>())
                .sum()
        };
        let (inside, outside) = (|rank| host(rank) == of, |rank| host(rank) != of);
        let (out, into) = (all(&inside, &outside), all(&outside, &inside));
        (out * there + into * back).max(into * there + out * back)
    };
    let link = LINK * cluster.links as f64;
    let parts = [
        ("partition", ops / partition),
        ("own shard", (busiest(&received) + kept) / local),
        ("NVLink", busiest(&near) / RATES.nvlink),
        ("network", (0..cluster.hosts).map(far).fold(0.0, f64::max) / link),
    ];
    let longest = parts.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map_or("", |part| part.0);
    (RATES.round + parts.iter().map(|part| part.1).sum::<f64>(), longest)
}

const CLUSTERS: [(&str, Cluster); 5] = [
    ("1 GPU", Cluster { hosts: 1, gpus: 1, links: 1 }),
    ("2 GPUs of a host", Cluster { hosts: 1, gpus: 2, links: 1 }),
    ("8 GPUs of a host", Cluster { hosts: 1, gpus: 8, links: 1 }),
    ("8 hosts of 8, a link each", Cluster { hosts: 8, gpus: 8, links: 1 }),
    ("8 hosts of 8, 8 links each", Cluster { hosts: 8, gpus: 8, links: 8 }),
];

/// The table: Gop/s of all ranks, and what takes the longest.
fn table() -> String {
    const OPS: f64 = 1e8;
    let mut text = String::from(
        "10^8 operations on each GPU, u64 pairs; 10^9 operations a second of all GPUs, and what takes longest\n\n",
    );
    text += "| | insert, uniform | search, uniform | insert, Zipf(0.99) | combined | search, Zipf(0.99) | with 2^16 copies |\n";
    text += "|---|---|---|---|---|---|---|\n";
    let cells = [
        (Batch::Insert, (false, Remedy::None)),
        (Batch::Search, (false, Remedy::None)),
        (Batch::Insert, (true, Remedy::None)),
        (Batch::Insert, (true, Remedy::Combine)),
        (Batch::Search, (true, Remedy::None)),
        (Batch::Search, (true, Remedy::Replicate(1 << 16))),
    ];
    for (name, cluster) in CLUSTERS {
        let _ = write!(text, "| {name} ");
        for (batch, keys) in cells {
            let (seconds, longest) = seconds(cluster, batch, keys, OPS);
            let _ = write!(text, "| {:.1} ({longest}) ", OPS * cluster.ranks() as f64 / seconds / 1e9);
        }
        text += "|\n";
    }
    text
}

/// Prints the table.
pub(crate) fn print() -> Outcome<()> {
    print!("{}", table());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: (bool, Remedy) = (false, Remedy::None);

    fn rate(cluster: usize, batch: Batch, keys: (bool, Remedy)) -> f64 {
        let cluster = CLUSTERS[cluster].1;
        1e8 * cluster.ranks() as f64 / seconds(cluster, batch, keys, 1e8).0 / 1e9
    }

    /// Two GPUs were measured: 18.9 and 31.7 (composed from parts, with 10^8 operations on each).
    #[test]
    fn two_gpus_come_near_what_was_measured() {
        let (insert, search) = (rate(1, Batch::Insert, PLAIN), rate(1, Batch::Search, PLAIN));
        assert!((16.0..22.0).contains(&insert), "{insert}");
        assert!((27.0..40.0).contains(&search), "{search}");
    }

    #[test]
    fn the_network_is_the_limit_of_hosts_with_one_link_and_hot_keys_of_the_rest() {
        let (_, longest) = seconds(CLUSTERS[3].1, Batch::Insert, PLAIN, 1e8);
        assert_eq!(longest, "network");
        let skewed = rate(2, Batch::Insert, (true, Remedy::None));
        assert!(skewed < rate(2, Batch::Insert, PLAIN));
        assert!(rate(2, Batch::Insert, (true, Remedy::Combine)) > 1.5 * skewed);
        let copies = (true, Remedy::Replicate(1 << 16));
        assert!(rate(2, Batch::Search, copies) > rate(2, Batch::Search, (true, Remedy::None)));
    }

    /// A seed gives one table, which notes/sharded.md shows.
    #[test]
    fn the_table_is_in_the_notes() {
        let notes = std::fs::read_to_string(crate::shell::root().join("notes/sharded.md")).expect("notes");
        assert!(notes.contains(&table()), "cargo xtask scale prints another table:\n{}", table());
    }
}
