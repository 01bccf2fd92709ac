//! A table in shards on several GPUs, one process for each, on one host or several:
//!
//! ```sh
//! cargo build --release --features nccl --example ranks
//! examples/ranks/launch.sh 2 target/release/examples/ranks /tmp/ranks.id 100000000
//! mpirun -n 2 target/release/examples/ranks /tmp/ranks.id 100000000
//! torchrun --no-python --nproc-per-node 2 target/release/examples/ranks /tmp/ranks.id 100000000
//! srun -n 16 --ntasks-per-node 8 target/release/examples/ranks $HOME/ranks.id 100000000
//! ```
//!
//! The launcher tells each process its rank. The ranks find each other by the file of the first argument,
//! which all of them must see and which must not be there before. Each rank inserts its part of the pairs,
//! searches for another part, and checks the answers.

use std::error::Error;
use std::path::Path;
use std::time::Instant;
use warpproof::gpu::OpenMap;
use warpproof::gpu::sharded::{Nccl, NcclLimits, OnRank, Sharded};
use warpproof::model::Seed;
use warpproof::model::outcome::Insert;
use warpproof::model::sharded::Exchange;
use warpproof::prelude::*;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().collect();
    let [_, file, pairs] = args.as_slice() else {
        return Err("give the file of the id, and a number of pairs".into());
    };
    let pairs: u64 = pairs.parse()?;
    let end = Nccl::from_launcher(Path::new(file), NcclLimits::default())?;
    let (rank, ranks) = (u64::from(end.rank()), u64::from(end.ranks()));
    let device = end.device().clone();
    if rank == 0 {
        // All ranks have met; the next run may use the file.
        std::fs::remove_file(file)?;
    }
    let shard = OpenMap::<u64, u64>::with_capacity(&device, pairs / ranks + pairs / 50 + 1000)?;
    let map = Sharded::new(shard, end, Seed::new(7))?;
    let part = |rank: u64| -> Vec<u64> { (pairs * rank / ranks..pairs * (rank + 1) / ranks).collect() };
    let stream = device.context().new_stream()?;
    let (mine, others) = (part(rank), part((rank + 1) % ranks));
    let on_mine = stream.clone_htod(&mine)?;
    let on_others = stream.clone_htod(&others)?;
    let mut codes = stream.alloc_zeros::<u8>(mine.len())?;
    let mut found = stream.alloc_zeros::<u64>(others.len())?;
    stream.synchronize()?;

    let start = Instant::now();
    map.on_stream(&stream).insert_unique(&on_mine, &on_mine, &mut codes)?;
    let inserted = start.elapsed();
    let start = Instant::now();
    map.on_stream(&stream).search(&on_others, &mut found, None)?;
    let searched = start.elapsed();

    if stream.clone_dtoh(&codes)?.iter().any(|&code| code != Insert::Inserted.code()) {
        return Err(format!("rank {rank}: a key is not new").into());
    }
    if stream.clone_dtoh(&found)? != others {
        return Err(format!("rank {rank}: a search found another value").into());
    }
    let (len, imbalance) = (map.len()?, map.stats()?.imbalance());
    if len != pairs {
        return Err(format!("{len} entries, and not {pairs}").into());
    }
    println!(
        "rank {rank} of {ranks} on {}: inserted {} keys in {inserted:.1?}, searched {} in {searched:.1?}; \
         {len} entries in all, the fullest shard has {imbalance:.3} of the average",
        device.name(),
        mine.len(),
        others.len(),
    );
    Ok(())
}
