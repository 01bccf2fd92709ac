//! Threads for what runs while a table is held.
//!
//! A thread of rayon's that waits for a job runs others meanwhile, and one of those might ask for the table
//! that the thread holds. Or all threads of a pool wait for a table, while who holds it waits for a job of
//! that pool. So who holds a table waits for jobs of a pool of its own alone, which ask for no table, and runs
//! nothing else meanwhile.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

/// Runs `f`, which asks for no table that grows, with the threads of that pool: as many as the pool has in
/// which this was called first.
pub(super) fn apart<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let threads = || ThreadPoolBuilder::new().num_threads(rayon::current_num_threads()).build().ok();
    let Some(pool) = POOL.get_or_init(threads) else { return f() };
    if rayon::current_thread_index().is_none() {
        return pool.install(f);
    }
    // `install` would run other jobs of this thread's pool until `f` has ended. Another thread does not.
    let job = Mutex::new(Some(f));
    let take = || job.lock().unwrap_or_else(PoisonError::into_inner).take();
    thread::scope(|scope| {
        let thread = thread::Builder::new().spawn_scoped(scope, || take().map(|f| pool.install(f)));
        match thread.map(thread::ScopedJoinHandle::join) {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => None,
        }
    })
    // There was no other thread to be had.
    .unwrap_or_else(|| take().map_or_else(|| unreachable!("the thread has run it"), |f| f()))
}
