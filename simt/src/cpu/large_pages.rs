//! Memory for long lists.

use core::mem::MaybeUninit;
use std::collections::TryReserveError;

/// A list of so many bytes or more asks for large pages.
const LARGE: usize = 4 << 20;

/// An empty list with room for so many.
///
/// The system gives a process memory by the page when it is first written: of 4 KiB each, or of 2 MiB if the
/// process has asked for that. Large pages are written first in less time, and need fewer entries in the
/// processor's table of addresses, which random accesses to a large table miss.
pub fn with_room<T>(len: usize) -> Result<Vec<T>, TryReserveError> {
    let mut list = Vec::new();
    list.try_reserve_exact(len)?;
    ask_for_large_pages(list.spare_capacity_mut());
    Ok(list)
}

/// Asks for large pages where nothing has been written yet. A hint: the system may have none.
fn ask_for_large_pages<T>(memory: &mut [MaybeUninit<T>]) {
    #[cfg(all(target_os = "linux", not(miri)))]
    if size_of_val(memory) >= LARGE {
        use rustix::mm::{Advice, madvise};

        /// The range must begin at a page. The usual processors have none that is larger; elsewhere the call
        /// fails, which is ignored.
        const PAGE: usize = 1 << 16;
        let start = memory.as_mut_ptr().cast::<u8>();
        let skipped = start.align_offset(PAGE);
        let len = (size_of_val(memory) - skipped) / PAGE * PAGE;
        // SAFETY: so many bytes of this memory. The advice changes only the size of its pages.
        let _ = unsafe { madvise(start.wrapping_add(skipped).cast(), len, Advice::LinuxHugepage) };
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    let _ = (memory, LARGE);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_any_length_have_their_room() {
        for len in [0, 1, LARGE / 8 - 1, LARGE / 8, 3 * LARGE / 8 + 5] {
            let mut list = with_room::<u64>(len).expect("memory");
            let room = list.capacity();
            assert!(room >= len && list.is_empty(), "{room} for {len}");
            list.extend(0..len as u64);
            assert!(list.capacity() == room && list.iter().copied().eq(0..len as u64), "{len}");
        }
        assert!(with_room::<u64>(usize::MAX).is_err());
    }
}
