//! `warpproof bench sharded --gpus`: pairs of u64 in shards on several GPUs, batches in device memory. Beside
//! them: batches that are routed already, and one table on one GPU.

use super::Args;
use super::keys::Number;
use super::paged::say;
use super::record::Record;
use super::row::{Fallible, Row};
use super::timed::POISON;
use crate::backend::Opened;
use crate::entry::Entry;
use crate::failure::Failure;
use crate::output;
use rayon::prelude::*;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;
use warpproof::gpu::cudarc::driver::{CudaSlice, CudaStream};
use warpproof::gpu::sharded::{OnRank, Peers, Sharded};
use warpproof::gpu::{Device, OpenMap, Tuning};
use warpproof::model::Seed;
use warpproof::model::outcome::Insert;
use warpproof::simt::cpu::sharded::{InProcess, Limits};
use warpproof::{BulkTable, OpenGeometry};

type Map = OpenMap<u64, u64>;
type Ranks = Sharded<Map, Peers<InProcess>>;

/// Operations of all ranks together.
const SIZES: [u32; 3] = [2_000_000, 20_000_000, 200_000_000];

/// The seeds of the owners, and of all shards.
const OWNERS: Seed = Seed::new(7);
const SHARDS: Seed = Seed::new(8);

/// Measures so many GPUs.
pub(super) fn gpus(args: &Args, on: &Opened, gpus: u32) -> Result<(), Failure> {
    if on.kernels().is_none() {
        return Err(Failure::input("--gpus: there is no GPU"));
    }
    let devices: Result<Vec<Device>, _> = (0..gpus as usize).map(Device::open).collect();
    let devices = devices.map_err(Failure::backend)?;
    let record = args.record.as_deref().map(|folder| Record::open(folder, "sharded")).transpose()?;
    let sizes: Vec<u32> = match args.pairs {
        Some(pairs) => vec![pairs],
        None if args.quick => SIZES[..1].to_vec(),
        None => SIZES.to_vec(),
    };
    let load = args.load.unwrap_or(OpenGeometry::DEFAULT_LOAD);
    let mut bench = Bench { devices, load, rounds: args.rounds as usize, rows: Vec::new() };
    let measured = sizes.into_iter().try_for_each(|size| bench.size(size));
    let measured = measured.map_err(|error| Failure::input(error.to_string()));
    let rows = bench.rows;
    if let Some(record) = record {
        let added = record.add(on, Entry::Map64, &rows, &[])?;
        output::line(format_args!("\nrecorded {added} rows in {}", record.text()))?;
    }
    measured?;
    if rows.iter().all(|row| row.verified) {
        Ok(())
    } else {
        Err(Failure::Violation("an answer is wrong; see the lines marked WRONG".into()))
    }
}

struct Bench {
    devices: Vec<Device>,
    load: f64,
    rounds: usize,
    rows: Vec<Row>,
}

/// The names of rows.
struct Names {
    insert: &'static str,
    search: &'static str,
}

const SHARDED: Names = Names { insert: "insert_unique", search: "search present" };
const ROUTED: Names = Names { insert: "routed: insert_unique", search: "routed: search present" };
const ALONE: Names = Names { insert: "one GPU: insert_unique", search: "one GPU: search present" };

/// A batch of a rank, on the host and on its device.
struct Batch {
    keys: Vec<u64>,
    on_keys: CudaSlice<u64>,
    on_values: CudaSlice<u64>,
    codes: CudaSlice<u8>,
    found: CudaSlice<u64>,
}

impl Batch {
    fn new(stream: &Arc<CudaStream>, keys: Vec<u64>) -> Fallible<Self> {
        let values: Vec<u64> = keys.par_iter().map(|key| key.value()).collect();
        Ok(Self {
            on_keys: stream.clone_htod(&keys)?,
            on_values: stream.clone_htod(&values)?,
            codes: stream.clone_htod(&vec![POISON; keys.len()])?,
            found: stream.clone_htod(&vec![u64::from_ne_bytes([POISON; 8]); keys.len()])?,
            keys,
        })
    }

    /// Whether the outcomes of an insert are right.
    fn is_inserted(&self, stream: &Arc<CudaStream>) -> Fallible<bool> {
        let codes = stream.clone_dtoh(&self.codes)?;
        Ok(codes.par_iter().all(|&code| code == Insert::Inserted.code()))
    }

    /// Whether a search has found the values.
    fn is_found(&self, stream: &Arc<CudaStream>) -> Fallible<bool> {
        let found = stream.clone_dtoh(&self.found)?;
        Ok(found.par_iter().zip(&self.keys).all(|(&found, key)| found == key.value()))
    }
}

/// Where ranks wait for each other. Unlike a barrier, it does not wait for one that has left with an error.
struct Start {
    ranks: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: usize,
    turn: usize,
    left: bool,
}

/// A rank that others wait for.
struct Member<'a>(&'a Start);

impl Start {
    fn new(ranks: usize) -> Self {
        Self { ranks, state: Mutex::default(), changed: Condvar::new() }
    }

    const fn member(&self) -> Member<'_> {
        Member(self)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Member<'_> {
    /// Waits until all ranks are here.
    fn wait(&self) -> Fallible<()> {
        let mut state = self.0.state();
        let turn = state.turn;
        state.waiting += 1;
        if state.waiting == self.0.ranks {
            *state = State { waiting: 0, turn: turn + 1, left: state.left };
            self.0.changed.notify_all();
            return Ok(());
        }
        while state.turn == turn && !state.left {
            state = self.0.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.turn == turn { Err("another rank has failed".into()) } else { Ok(()) }
    }
}

impl Drop for Member<'_> {
    fn drop(&mut self) {
        self.0.state().left = true;
        self.0.changed.notify_all();
    }
}

/// Runs all ranks, a thread each. Returns what they return, or an error of one of them.
fn each<E: Send, R: Send>(
    ends: impl Iterator<Item = E>,
    run: impl Fn(usize, E) -> Fallible<R> + Sync,
) -> Fallible<Vec<R>> {
    let run = &run;
    thread::scope(|scope| {
        let start = |(rank, end)| scope.spawn(move || run(rank, end).map_err(|error| error.to_string()));
        let threads: Vec<_> = ends.enumerate().map(start).collect();
        let joined = |thread: thread::ScopedJoinHandle<'_, Result<R, String>>| {
            thread.join().unwrap_or_else(|panicked| std::panic::resume_unwind(panicked))
        };
        let said: Vec<Result<R, String>> = threads.into_iter().map(joined).collect();
        Ok(said.into_iter().collect::<Result<Vec<_>, _>>()?)
    })
}

/// Seconds of the inserts and of the searches of a rank, and whether all answers were right.
type Times = (Vec<f64>, Vec<f64>, bool);

/// Runs `insert` on an empty table and `search` on the full one, in rounds that all ranks begin together.
fn rounds<T>(
    (rounds, here): (usize, &Member<'_>),
    (table, stream, batch): (&mut T, &Arc<CudaStream>, &mut Batch),
    clear: impl Fn(&mut T) -> Fallible<()>,
    insert: impl Fn(&T, &mut Batch) -> Fallible<()>,
    search: impl Fn(&T, &mut Batch) -> Fallible<()>,
) -> Fallible<Times> {
    let (mut inserts, mut searches, mut right) = (Vec::new(), Vec::new(), true);
    let timed = |times: &mut Vec<f64>, run: &mut dyn FnMut() -> Fallible<()>| -> Fallible<()> {
        stream.synchronize()?;
        here.wait()?;
        let start = Instant::now();
        run()?;
        stream.synchronize()?;
        // All ranks have ended.
        here.wait()?;
        times.push(start.elapsed().as_secs_f64());
        Ok(())
    };
    for _ in 0..=rounds {
        clear(table)?;
        timed(&mut inserts, &mut || insert(table, batch))?;
        right &= batch.is_inserted(stream)?;
        timed(&mut searches, &mut || search(table, batch))?;
        right &= batch.is_found(stream)?;
    }
    Ok((inserts, searches, right))
}

fn median(mut times: Vec<f64>) -> f64 {
    // The first round warms up.
    times.remove(0);
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

impl Bench {
    fn row(
        &mut self,
        at: u32,
        (workload, ops): (&'static str, u64),
        seconds: f64,
        right: bool,
    ) -> Fallible<()> {
        let mops = output::mops(ops, seconds);
        let verdict = if right { "verified" } else { "WRONG" };
        say(format_args!("  {workload:30} {ops:>13} {mops:>10.1} Mop/s  {verdict}"))?;
        let load = self.load;
        self.rows.push(Row { size: at, load, workload, ops, seconds, mops, verified: right });
        Ok(())
    }

    /// Adds the rows of all ranks' times.
    fn rows_of(&mut self, size: u32, names: &Names, mut all: Vec<Times>) -> Fallible<()> {
        let right = all.iter().all(|(.., right)| *right);
        // Times are those between barriers: of all ranks.
        let (inserts, searches, _) = all.swap_remove(0);
        self.row(size, (names.insert, size.into()), median(inserts), right)?;
        self.row(size, (names.search, size.into()), median(searches), right)
    }

    fn size(&mut self, size: u32) -> Fallible<()> {
        say(format_args!(
            "{} x {}: {} pairs of u64 at a load of {}",
            self.devices.len(),
            self.devices[0].name(),
            output::grouped(size.into()),
            self.load
        ))?;
        self.sharded(size)?;
        self.alone(size)
    }

    /// Shards on all GPUs, with arbitrary batches and with routed ones.
    fn sharded(&mut self, size: u32) -> Fallible<()> {
        let ranks = self.devices.len();
        let ends = Peers::ranks(&self.devices, InProcess::ranks(ranks as u32, Limits::default())?)?;
        let start = Start::new(ranks);
        let (rounds_of, load) = (self.rounds, self.load);
        // Shards are not all equally full.
        let room = (f64::from(size) / ranks as f64) as u64 + 5 * f64::from(size).sqrt() as u64;
        let rank = |rank: u32, end: Peers<InProcess>| -> Fallible<[Times; 2]> {
            let here = start.member();
            let device = end.device().clone();
            let stream = device.context().new_stream()?;
            let shard = Map::with_seed(&device, Map::size(room, load)?, Tuning::default(), SHARDS)?;
            let mut map: Ranks = Sharded::new(shard, end, OWNERS)?;
            let all: Vec<u64> = (0..size).into_par_iter().map(u64::key).collect();
            let part = |rank: usize| size as usize * rank / ranks;
            let at = rank as usize;
            let mut batch = Batch::new(&stream, all[part(at)..part(at + 1)].to_vec())?;
            let on = |map: &Ranks, batch: &mut Batch| -> Fallible<()> {
                let Batch { on_keys, on_values, codes, .. } = batch;
                Ok(map.on_stream(&stream).insert_unique(on_keys, on_values, codes)?)
            };
            let clear = |map: &mut Ranks| -> Fallible<()> { Ok(map.clear()?) };
            let arbitrary =
                rounds((rounds_of, &here), (&mut map, &stream, &mut batch), clear, on, |map, batch| {
                    Ok(map.on_stream(&stream).search(&batch.on_keys, &mut batch.found, None)?)
                })?;
            drop(batch);
            let own = all.into_par_iter().filter(|&key| map.owner(key) == rank).collect();
            let mut batch = Batch::new(&stream, own)?;
            let routed = rounds(
                (rounds_of, &here),
                (&mut map, &stream, &mut batch),
                clear,
                |map, batch| {
                    let Batch { on_keys, on_values, codes, .. } = batch;
                    Ok(map.shard().on_stream(&stream).insert_unique(on_keys, on_values, codes)?)
                },
                |map, batch| {
                    Ok(map.shard().on_stream(&stream).search(&batch.on_keys, &mut batch.found, None)?)
                },
            )?;
            Ok([arbitrary, routed])
        };
        let each = each(ends.into_iter(), |at, end| rank(at as u32, end))?;
        let (arbitrary, routed) = each.into_iter().map(|[first, second]| (first, second)).unzip();
        self.rows_of(size, &SHARDED, arbitrary)?;
        self.rows_of(size, &ROUTED, routed)
    }

    /// One table on the first GPU.
    fn alone(&mut self, size: u32) -> Fallible<()> {
        let device = &self.devices[0];
        let stream = device.context().new_stream()?;
        let mut map = Map::with_seed(device, Map::size(size.into(), self.load)?, Tuning::default(), SHARDS)?;
        let mut batch = Batch::new(&stream, (0..size).into_par_iter().map(u64::key).collect())?;
        let start = Start::new(1);
        let times = rounds(
            (self.rounds, &start.member()),
            (&mut map, &stream, &mut batch),
            |map| Ok(map.clear_on(&stream)?),
            |map, batch| {
                let Batch { on_keys, on_values, codes, .. } = batch;
                Ok(map.on_stream(&stream).insert_unique(on_keys, on_values, codes)?)
            },
            |map, batch| Ok(map.on_stream(&stream).search(&batch.on_keys, &mut batch.found, None)?),
        );
        self.rows_of(size, &ALONE, vec![times?])
    }
}
