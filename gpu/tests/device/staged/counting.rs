//! Counts how often a thread allocates memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, which counts the allocations of each thread.
struct Counting;

thread_local! {
    pub(super) static ASKED: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: the system's allocator does it all; the count is a number of the thread's, which needs no memory of
// the heap.
unsafe impl GlobalAlloc for Counting {
    // SAFETY: the caller keeps the contract of the trait, which is that of `System`.
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ASKED.with(|asked| asked.set(asked.get() + 1));
        // SAFETY: the contract of this function.
        unsafe { System.alloc(layout) }
    }

    // SAFETY: as above.
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the contract of this function.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;
