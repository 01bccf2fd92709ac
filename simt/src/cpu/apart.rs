//! Threads for work that runs while a table is held.
//!
//! While a thread of a rayon pool waits for a job it runs other jobs, and one of them might ask for the table
//! that the thread holds. Or all threads of the pool wait for the table, and its holder waits for a job of
//! that pool. So the jobs of a holder go to a separate pool, and ask for no table.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::panic::resume_unwind;
use std::sync::OnceLock;
use std::thread::{Builder, ScopedJoinHandle, scope};

/// Runs `f` with the threads of that pool; `f` asks for no table that grows or is paged. The pool has as many
/// threads as the pool of the first call. If no thread can be started, `f` runs in the caller's pool.
pub(super) fn apart<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let threads = || ThreadPoolBuilder::new().num_threads(rayon::current_num_threads()).build().ok();
    let Some(pool) = POOL.get_or_init(threads) else { return f() };
    if rayon::current_thread_index().is_none() {
        return pool.install(f);
    }
    // A thread of a pool that calls `install` runs other jobs until `f` has ended. A new thread does not.
    let (mut f, mut result) = (Some(f), None);
    let joined = scope(|scope| {
        let run = || result = f.take().map(|f| pool.install(f));
        Builder::new().spawn_scoped(scope, run).map(ScopedJoinHandle::join)
    });
    if let Ok(Err(panic)) = joined {
        resume_unwind(panic);
    }
    result.or_else(|| f.map(|f| f())).expect("it ran in that thread, or there was none and it runs here")
}
