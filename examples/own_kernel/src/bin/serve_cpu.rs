//! CPU threads and a GPU on one wait-free set: threads write calls into host memory, and a kernel that goes
//! on running serves them while its own warps change the same keys.

use cudarc::driver::{CudaStream, LaunchConfig, PushKernelArg, result, sys};
use cudarc::nvrtc::Ptx;
use std::error::Error;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use warpproof_gpu::{Device, WaitFreeSet};
use warpproof_model::host::{BulkSet, WaitFreeGeometry};
use warpproof_model::outcome::{Delete, Insert, Op};
use warpproof_model::reclaim::EPOCH_BITMAPS;

/// What the command of the README writes.
const PTX: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/own_kernel.ptx");

/// Keys that CPU and GPU change.
const RANGE: u32 = 1_000;
/// Calls of each thread.
const CALLS: u32 = 20_000;
/// Warps of the GPU that change the same keys until the threads are done, and the most operations of each.
const RIVALS: u32 = 24;
const MOST: u32 = 200_000;
/// Nodes of each warp, besides those of the keys: what it takes for itself at once, and what it has replaced
/// in the last five epochs.
const NODES_PER_WARP: u32 = 128;
/// Words of the epochs, as in the kernel.
const EPOCH_WORDS: usize = 48;
/// Ends the service of a mailbox, as in the kernel.
const STOP: u64 = 15;
/// A call without an answer after this time is an error.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a thread did: how often each key came in less how often it went out, and how long its calls took.
type Told = Result<(Vec<i64>, Vec<Duration>), String>;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| PTX.to_owned());
    let ptx =
        std::fs::read_to_string(&path).map_err(|e| format!("{path}: {e}. Build it as the README says."))?;
    let device = Device::open(0)?;
    for (threads, rivals) in [(1, 0), (1, RIVALS), (4, RIVALS), (8, RIVALS)] {
        serve(&device, &ptx, threads, rivals)?;
    }
    Ok(())
}

fn serve(device: &Device, ptx: &str, threads: u32, rivals: u32) -> Result<(), Box<dyn Error>> {
    let kernel = device.context().load_module(Ptx::from_src(ptx))?.load_function("serve")?;
    let stream = device.context().new_stream()?;
    // Nodes are used again while the kernel runs: a few for each warp are enough, however many calls there
    // are.
    let nodes = RANGE + NODES_PER_WARP * (threads + rivals);
    let (node_words, entries) = (WaitFreeSet::<u32>::NODE_WORDS, RANGE.into());
    let size = WaitFreeGeometry { node_words, buckets: RANGE / 8, nodes, warps: 64, entries };
    let set = WaitFreeSet::<u32>::with_geometry(device, size)?;
    let parts = set.parts();
    let mailboxes = Mailboxes::new(device, threads)?;
    let mut net = stream.alloc_zeros::<u32>(RANGE as usize + 1)?;
    let mut stopped = stream.alloc_zeros::<u32>(1)?;
    let mut retired = stream.alloc_zeros::<u32>(EPOCH_BITMAPS * parts.states as usize)?;
    let mut epochs = stream.alloc_zeros::<u64>(EPOCH_WORDS)?;
    let grid =
        LaunchConfig { grid_dim: (threads + rivals, 1, 1), block_dim: (32, 1, 1), shared_mem_bytes: 0 };
    let (calls, answers) = (mailboxes.words as u64, mailboxes.words as u64 + 8 * threads as u64);
    let buckets = u64::from(parts.buckets);
    let warps = u64::from(parts.warps);
    let [mask, factor] = parts.seed.words();
    let mut launch = stream.launch_builder(&kernel);
    launch.arg(&parts.nodes).arg(&parts.nodes_len).arg(&parts.requests).arg(&parts.heads).arg(&buckets);
    launch.arg(&parts.announcements).arg(&parts.stashes).arg(&warps);
    launch.arg(&parts.used).arg(&mut retired).arg(&parts.states).arg(&parts.stash);
    launch.arg(&mask).arg(&factor).arg(&mut epochs);
    launch.arg(&calls).arg(&answers).arg(&threads);
    launch.arg(&mut net).arg(&mut stopped).arg(&RANGE).arg(&rivals).arg(&MOST);
    // However this function ends, the kernel ends first.
    let end = End { mailboxes: &mailboxes, stream: &stream };
    // SAFETY: the kernel's arguments in its order; the table has room for the tiles of 32 blocks. The table,
    // the mailboxes and the arrays outlive the launch: `end`, which was made after them, waits for it.
    unsafe { launch.launch(grid)? };
    let begin = Instant::now();
    let told: Vec<Told> = std::thread::scope(|scope| {
        let boxes = &mailboxes;
        let start = |thread| scope.spawn(move || boxes.calls_of(thread));
        let threads: Vec<_> = (0..threads).map(start).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err("a panic".into()))).collect()
    });
    let took = begin.elapsed();
    drop(end);
    let of_gpu = stream.clone_dtoh(&net)?;
    stream.synchronize()?;
    let (mut net, mut times) = (of_gpu.iter().map(|&n| n as i32 as i64).collect::<Vec<_>>(), Vec::new());
    for told in told {
        let (of_thread, of_calls) = told?;
        net.iter_mut().zip(of_thread).for_each(|(net, more)| *net += more);
        times.extend(of_calls);
    }
    let keys: Vec<u32> = (1..=RANGE).collect();
    let there = set.contains(&keys)?;
    for (key, there) in keys.iter().zip(there) {
        if net[*key as usize] != i64::from(there) {
            return Err(
                format!("key {key} came in {} times more than it went out", net[*key as usize]).into()
            );
        }
    }
    let of_rivals = of_gpu.first().copied().unwrap_or(0);
    if rivals > 0 && of_rivals == rivals * MOST {
        return Err("the warps of the GPU were done before the threads".into());
    }
    times.sort_unstable();
    println!(
        "{threads} threads beside {rivals} warps: {:.0} calls a second, median {:?}, longest {:?}; the GPU's own \
         {of_rivals}; every key adds up",
        times.len() as f64 / took.as_secs_f64(),
        times[times.len() / 2],
        times[times.len() - 1],
    );
    Ok(())
}

/// Words in host memory that the device sees at the same address: a call of each thread, then the answers.
struct Mailboxes {
    words: *mut u64,
    threads: u32,
}

// SAFETY: the words are accessed as atomics alone.
unsafe impl Sync for Mailboxes {}

impl Mailboxes {
    fn new(device: &Device, threads: u32) -> Result<Self, Box<dyn Error>> {
        device.context().bind_to_thread()?;
        let bytes = 2 * threads as usize * size_of::<u64>();
        // SAFETY: all words are written before anybody reads one.
        let words: *mut u64 = unsafe { result::malloc_host(bytes, sys::CU_MEMHOSTALLOC_DEVICEMAP)? }.cast();
        let new = Self { words, threads };
        (0..2 * threads).for_each(|at| new.word(at).store(0, Ordering::Relaxed));
        Ok(new)
    }

    fn word(&self, at: u32) -> &AtomicU64 {
        assert!(at < 2 * self.threads, "a word of a mailbox");
        // SAFETY: the memory has that many words, aligned, as long as this lives.
        unsafe { AtomicU64::from_ptr(self.words.add(at as usize)) }
    }

    /// Inserts and deletes keys at random, and ends the service.
    fn calls_of(&self, thread: u32) -> Told {
        let (call, answer) = (self.word(thread), self.word(self.threads + thread));
        let (mut net, mut times) = (vec![0; RANGE as usize + 1], Vec::with_capacity(CALLS as usize));
        let mut state = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(thread as u64 + 1);
        let mut run = || {
            for number in 1..=CALLS {
                // Xorshift.
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let key = 1 + (state >> 16) as u32 % RANGE;
                let op = if state >> 60 & 1 == 0 { Op::InsertUnique } else { Op::Delete };
                let head = (number as u64) << 4 | op.code() as u64;
                let begin = Instant::now();
                call.store(head << 32 | key as u64, Ordering::Release);
                let code = loop {
                    let said = answer.load(Ordering::Acquire);
                    if said >> 32 == head {
                        break said as u8;
                    }
                    if begin.elapsed() > PATIENCE {
                        return Err(format!("call {number} of thread {thread} has no answer"));
                    }
                    std::hint::spin_loop();
                };
                times.push(begin.elapsed());
                net[key as usize] += match (op, Insert::from_code(code), Delete::from_code(code)) {
                    (Op::InsertUnique, Some(Insert::Inserted), _) => 1,
                    (Op::InsertUnique, Some(Insert::Present), _) | (Op::Delete, _, Some(Delete::Absent)) => 0,
                    (Op::Delete, _, Some(Delete::Deleted)) => -1,
                    _ => return Err(format!("call {number} of thread {thread}: code {code}")),
                };
            }
            Ok(())
        };
        let ran = run();
        self.stop(thread);
        ran.map(|()| (net, times))
    }

    /// Ends the service of a mailbox.
    fn stop(&self, thread: u32) {
        self.word(thread).store((CALLS as u64 + 1) << 36 | STOP << 32, Ordering::Release);
    }
}

/// Ends the kernel and waits for it.
struct End<'a> {
    mailboxes: &'a Mailboxes,
    stream: &'a CudaStream,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        (0..self.mailboxes.threads).for_each(|thread| self.mailboxes.stop(thread));
        if let Err(error) = self.stream.synchronize() {
            eprintln!("waiting for the kernel: {error}");
        }
    }
}

impl Drop for Mailboxes {
    fn drop(&mut self) {
        // SAFETY: the memory is that of `new`, and `End` has waited for the kernel.
        let freed = unsafe { result::free_host(self.words.cast()) };
        if let Err(error) = freed {
            eprintln!("freeing the mailboxes: {error}");
        }
    }
}
