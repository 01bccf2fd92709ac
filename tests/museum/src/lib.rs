//! The museum: published protocols with published defects, which the checker must find.
//!
//! Every [`Exhibit`] is the published form in our own words, run by the engine that checks the structures of
//! this project, in the smallest scenario that shows its defect. `warpproof museum` visits them all, and so
//! does the test `museum`; README.md beside the sources has the table.

mod cuckoo;
mod e01_hole;
mod e02_race;
mod e03_blind_delete;
mod e04_torn_pair;
mod e05_allocator;
mod e06_plan_one;
mod e07_plan_two;
mod e08_bitmap;
mod e09_torn_find;
mod e10_torn_insert;
mod e11_same_word;
mod e12_locked_target;
mod e13_open_hole;
mod e14_stalled;
mod e15_dropped;
mod e16_in_flight;
mod e17_frame;
mod e18_window;
mod e19_replace;
mod e20_free;
mod e21_retain;
mod e22_shared_counter;
mod e23_barrier;
mod e24_tail_lanes;
mod e25_tombstone;
mod e26_two_words;
mod e27_payload;
mod e28_endless_find;
mod e29_evicted;
mod e30_unlocked;
mod e31_link;
mod e32_erasers;
mod e33_flash_map;
mod e34_ballot;
mod e35_two_lanes;
mod e36_scope;
mod exhibit;
mod glht;
mod glht_insert;
mod glht_word;
mod plain;
mod retrieve;
mod shinde;
mod slab_alloc;
mod slab_hash;
mod starfish;
mod static_map;
mod visit;

pub use exhibit::{Exhibit, Repair, Run, Snapshot, exhibits};
pub use visit::Visit;
