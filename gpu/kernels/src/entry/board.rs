//! Kernels `paged_board_ENTRY`, which write the boards of fingerprints anew from the slots. They take no
//! table.

use super::Count;
use crate::store::store;
use warpproof_device::Tile;
use warpproof_model::entry::{Key32, Key64, Packed, Pair32, Pair64};
use warpproof_model::open::write_board;
use warpproof_model::{Seed, Warp};

/// The kernels that write the board of a child table from its slots.
macro_rules! of_slots {
    ($($entry:ident $packed:ident;)*) => { $(
        /// Writes the `n` words of the board of a child table with `len` slots, by a thread for each word.
        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn ${concat(paged_board_, $entry)}(
            slots: *mut <$packed as Packed>::Word, len: usize, mask: u64, factor: u64, board: *mut u32, n: Count,
        ) {
            // SAFETY: the contract of the kernel.
            let thread = unsafe { Tile::<1>::new() };
            if thread.id() < n.0 {
                // SAFETY: the memory of a child table, and `n` words of the board, which nobody else uses.
                let (slots, board) = unsafe { (store(slots, len), store(board, n.0 as usize)) };
                write_board::<$packed>(slots, board, thread.id() as usize, Seed::from_words([mask, factor]));
            }
        }
    )* };
}
#[cfg(not(feature = "b128"))]
of_slots! {
    set32 Key32;
    set64 Key64;
    map32 Pair32;
}
#[cfg(feature = "b128")]
of_slots! {
    map64 Pair64;
}
