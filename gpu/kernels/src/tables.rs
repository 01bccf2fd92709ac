//! The tables of the library, each with the width of a tile that was fastest for it on an H200: 2 lanes, 4 for slabs and groups
//! of 128-bit words.

use crate::kernel::kernel;

kernel!(slab_map32_insert_unique_l2: slab::map32(2, 4).insert_unique);
kernel!(slab_map32_insert_or_assign_l2: slab::map32(2, 4).insert_or_assign);
kernel!(slab_map32_delete_l2: slab::map32(2, 4).delete);
kernel!(slab_map32_delete_all_l2: slab::map32(2, 4).delete_all);
kernel!(slab_map32_search_l2: slab::map32(2, 4).search);
kernel!(slab_map32_search_all_l2: slab::map32(2, 4).search_all);
kernel!(slab_map32_count_l2: slab::map32(2, 4).count);
kernel!(slab_map32_mixed_l2: slab::map32(2, 4).mixed);
kernel!(slab_map32_flush_l2: slab::map32(2, 4).flush);
kernel!(slab_map32_stats_l2: slab::map32(2, 4).stats);
kernel!(slab_map32_collect_l2: slab::map32(2, 4).collect);

kernel!(slab_multi32_insert_l2: slab::multi32(2, 4).insert);
kernel!(slab_multi32_insert_unique_l2: slab::multi32(2, 4).insert_unique);
kernel!(slab_multi32_insert_or_assign_l2: slab::multi32(2, 4).insert_or_assign);
kernel!(slab_multi32_delete_l2: slab::multi32(2, 4).delete);
kernel!(slab_multi32_delete_all_l2: slab::multi32(2, 4).delete_all);
kernel!(slab_multi32_search_l2: slab::multi32(2, 4).search);
kernel!(slab_multi32_search_all_l2: slab::multi32(2, 4).search_all);
kernel!(slab_multi32_count_l2: slab::multi32(2, 4).count);
kernel!(slab_multi32_mixed_l2: slab::multi32(2, 4).mixed);
kernel!(slab_multi32_flush_l2: slab::multi32(2, 4).flush);
kernel!(slab_multi32_stats_l2: slab::multi32(2, 4).stats);
kernel!(slab_multi32_collect_l2: slab::multi32(2, 4).collect);

kernel!(slab_set32_insert_unique_l2: slab::set32(2, 4).insert_unique);
kernel!(slab_set32_delete_l2: slab::set32(2, 4).delete);
kernel!(slab_set32_search_l2: slab::set32(2, 4).search);
kernel!(slab_set32_flush_l2: slab::set32(2, 4).flush);
kernel!(slab_set32_stats_l2: slab::set32(2, 4).stats);
kernel!(slab_set32_collect_l2: slab::set32(2, 4).collect);

kernel!(slab_map64l_insert_unique_l2: slab::map64l(2, 4).insert_unique);
kernel!(slab_map64l_insert_or_assign_l2: slab::map64l(2, 4).insert_or_assign);
kernel!(slab_map64l_delete_l2: slab::map64l(2, 4).delete);
kernel!(slab_map64l_delete_all_l2: slab::map64l(2, 4).delete_all);
kernel!(slab_map64l_search_l2: slab::map64l(2, 4).search);
kernel!(slab_map64l_search_all_l2: slab::map64l(2, 4).search_all);
kernel!(slab_map64l_count_l2: slab::map64l(2, 4).count);
kernel!(slab_map64l_mixed_l2: slab::map64l(2, 4).mixed);
kernel!(slab_map64l_flush_l2: slab::map64l(2, 4).flush);
kernel!(slab_map64l_stats_l2: slab::map64l(2, 4).stats);
kernel!(slab_map64l_collect_l2: slab::map64l(2, 4).collect);

kernel!(slab_multi64l_insert_l2: slab::multi64l(2, 4).insert);
kernel!(slab_multi64l_insert_unique_l2: slab::multi64l(2, 4).insert_unique);
kernel!(slab_multi64l_insert_or_assign_l2: slab::multi64l(2, 4).insert_or_assign);
kernel!(slab_multi64l_delete_l2: slab::multi64l(2, 4).delete);
kernel!(slab_multi64l_delete_all_l2: slab::multi64l(2, 4).delete_all);
kernel!(slab_multi64l_search_l2: slab::multi64l(2, 4).search);
kernel!(slab_multi64l_search_all_l2: slab::multi64l(2, 4).search_all);
kernel!(slab_multi64l_count_l2: slab::multi64l(2, 4).count);
kernel!(slab_multi64l_mixed_l2: slab::multi64l(2, 4).mixed);
kernel!(slab_multi64l_flush_l2: slab::multi64l(2, 4).flush);
kernel!(slab_multi64l_stats_l2: slab::multi64l(2, 4).stats);
kernel!(slab_multi64l_collect_l2: slab::multi64l(2, 4).collect);

kernel!(hop_map32_insert_unique_l2: hop::map32(2, 4).insert_unique);
kernel!(hop_map32_insert_unique_left_l2: hop::map32(2, 4).insert_unique_left);
kernel!(hop_map32_insert_or_assign_l2: hop::map32(2, 4).insert_or_assign);
kernel!(hop_map32_insert_or_assign_left_l2: hop::map32(2, 4).insert_or_assign_left);
kernel!(hop_map32_delete_l2: hop::map32(2, 4).delete);
kernel!(hop_map32_search_l2: hop::map32(2, 4).search);
kernel!(hop_map32_mixed_l1: hop::map32(1, 8).mixed);
kernel!(hop_map32_mixed_left_l2: hop::map32(2, 4).mixed_left);
kernel!(hop_map32_stats_l2: hop::map32(2, 4).stats);
kernel!(hop_map32_collect_l2: hop::map32(2, 4).collect);

kernel!(hop_set32_insert_unique_l2: hop::set32(2, 4).insert_unique);
kernel!(hop_set32_insert_unique_left_l2: hop::set32(2, 4).insert_unique_left);
kernel!(hop_set32_delete_l2: hop::set32(2, 4).delete);
kernel!(hop_set32_search_l2: hop::set32(2, 4).search);
kernel!(hop_set32_stats_l2: hop::set32(2, 4).stats);
kernel!(hop_set32_collect_l2: hop::set32(2, 4).collect);

kernel!(hop_set64_insert_unique_l2: hop::set64(2, 4).insert_unique);
kernel!(hop_set64_insert_unique_left_l2: hop::set64(2, 4).insert_unique_left);
kernel!(hop_set64_delete_l2: hop::set64(2, 4).delete);
kernel!(hop_set64_search_l2: hop::set64(2, 4).search);
kernel!(hop_set64_stats_l2: hop::set64(2, 4).stats);
kernel!(hop_set64_collect_l2: hop::set64(2, 4).collect);

// Small tables by one lane, large ones by two, mixed batches always by one: `gpu::OpenMap` says from which size on.
kernel!(open_map32_insert_unique_l1: open::map32(1, 8).insert_unique);
kernel!(open_map32_insert_unique_l2: open::map32(2, 4).insert_unique);
kernel!(open_map32_insert_or_assign_l1: open::map32(1, 8).insert_or_assign);
kernel!(open_map32_insert_or_assign_l2: open::map32(2, 4).insert_or_assign);
kernel!(open_map32_insert_or_add_l1: open::map32(1, 8).insert_or_add);
kernel!(open_map32_insert_or_add_l2: open::map32(2, 4).insert_or_add);
kernel!(open_map32_absorb_l1: open::map32(1, 8).absorb);
kernel!(open_map32_absorb_l2: open::map32(2, 4).absorb);
kernel!(open_map32_delete_l1: open::map32(1, 8).delete);
kernel!(open_map32_delete_l2: open::map32(2, 4).delete);
kernel!(open_map32_search_l1: open::map32(1, 8).search);
kernel!(open_map32_search_l2: open::map32(2, 4).search);
kernel!(open_map32_stats_l1: open::map32(1, 8).stats);
kernel!(open_map32_stats_l2: open::map32(2, 4).stats);
kernel!(open_map32_mixed_l1: open::map32(1, 8).mixed);

// Buckets of 32 bytes, of tables in the L2 cache.
kernel!(open_map32_insert_unique_l1_x4: open::map32(1, 4).insert_unique);
kernel!(open_map32_insert_or_assign_l1_x4: open::map32(1, 4).insert_or_assign);
kernel!(open_map32_insert_or_add_l1_x4: open::map32(1, 4).insert_or_add);
kernel!(open_map32_absorb_l1_x4: open::map32(1, 4).absorb);
kernel!(open_map32_delete_l1_x4: open::map32(1, 4).delete);
kernel!(open_map32_search_l1_x4: open::map32(1, 4).search);
kernel!(open_map32_stats_l1_x4: open::map32(1, 4).stats);
kernel!(open_map32_mixed_l1_x4: open::map32(1, 4).mixed);
kernel!(open_map32_scatter_l1_x4: open::map32(1, 4).scatter);
kernel!(open_map32_scatter_again_l1_x4: open::map32(1, 4).scatter_again);
kernel!(open_map32_fill_l1_x4: open::map32(1, 4).fill);
kernel!(open_map32_settle_l1_x4: open::map32(1, 4).settle);
kernel!(open_map32_make_up_l1_x4: open::map32(1, 4).make_up);

// A lane reads 32 bytes of a bucket, as one of two lanes does of a bucket of u32 pairs.
kernel!(open_set32_insert_unique_l1: open::set32(1, 8).insert_unique);
kernel!(open_set32_absorb_l1: open::set32(1, 8).absorb);
kernel!(open_set32_delete_l1: open::set32(1, 8).delete);
kernel!(open_set32_search_l1: open::set32(1, 8).search);
kernel!(open_set32_stats_l1: open::set32(1, 8).stats);

kernel!(open_set64_insert_unique_l1: open::set64(1, 8).insert_unique);
kernel!(open_set64_absorb_l1: open::set64(1, 8).absorb);
kernel!(open_set64_delete_l1: open::set64(1, 8).delete);
kernel!(open_set64_search_l1: open::set64(1, 8).search);
kernel!(open_set64_stats_l1: open::set64(1, 8).stats);
kernel!(open_set64_insert_unique_l2: open::set64(2, 4).insert_unique);
kernel!(open_set64_absorb_l2: open::set64(2, 4).absorb);
kernel!(open_set64_delete_l2: open::set64(2, 4).delete);
kernel!(open_set64_search_l2: open::set64(2, 4).search);
kernel!(open_set64_stats_l2: open::set64(2, 4).stats);

// A batch that is inserted bin by bin: a thread for each entry.
kernel!(open_map32_scatter_l1: open::map32(1, 8).scatter);
kernel!(open_map32_scatter_again_l1: open::map32(1, 8).scatter_again);
kernel!(open_map32_fill_l1: open::map32(1, 8).fill);
kernel!(open_map32_settle_l1: open::map32(1, 8).settle);
kernel!(open_map32_make_up_l1: open::map32(1, 8).make_up);
kernel!(open_set32_scatter_l1: open::set32(1, 8).scatter);
kernel!(open_set32_scatter_again_l1: open::set32(1, 8).scatter_again);
kernel!(open_set32_fill_l1: open::set32(1, 8).fill);
kernel!(open_set32_settle_l1: open::set32(1, 8).settle);
kernel!(open_set32_make_up_l1: open::set32(1, 8).make_up);
kernel!(open_set64_scatter_l1: open::set64(1, 8).scatter);
kernel!(open_set64_scatter_again_l1: open::set64(1, 8).scatter_again);
kernel!(open_set64_fill_l1: open::set64(1, 8).fill);
kernel!(open_set64_settle_l1: open::set64(1, 8).settle);
kernel!(open_set64_make_up_l1: open::set64(1, 8).make_up);
// Of two words of a slot a probe reads one: a lane reads 32 bytes of a bucket here too.
kernel!(open_map64l_insert_unique_l1: open::map64l(1, 4).insert_unique);
kernel!(open_map64l_insert_or_assign_l1: open::map64l(1, 4).insert_or_assign);
kernel!(open_map64l_insert_or_add_l1: open::map64l(1, 4).insert_or_add);
kernel!(open_map64l_absorb_l1: open::map64l(1, 4).absorb);
kernel!(open_map64l_delete_l1: open::map64l(1, 4).delete);
kernel!(open_map64l_search_l1: open::map64l(1, 4).search);
kernel!(open_map64l_mixed_l1: open::map64l(1, 4).mixed);
kernel!(open_map64l_stats_l1: open::map64l(1, 4).stats);
// Keys move: widths as in tables of the same entries in which they do not, but for u64 pairs, whose buckets are twice as wide.
kernel!(cuckoo_map32_insert_unique_l1: cuckoo::map32(1, 8).insert_unique);
kernel!(cuckoo_map32_insert_unique_l2: cuckoo::map32(2, 4).insert_unique);
kernel!(cuckoo_map32_insert_unique_left_l1: cuckoo::map32(1, 8).insert_unique_left);
kernel!(cuckoo_map32_insert_unique_left_l2: cuckoo::map32(2, 4).insert_unique_left);
kernel!(cuckoo_map32_insert_or_assign_l1: cuckoo::map32(1, 8).insert_or_assign);
kernel!(cuckoo_map32_insert_or_assign_l2: cuckoo::map32(2, 4).insert_or_assign);
kernel!(cuckoo_map32_insert_or_assign_left_l1: cuckoo::map32(1, 8).insert_or_assign_left);
kernel!(cuckoo_map32_insert_or_assign_left_l2: cuckoo::map32(2, 4).insert_or_assign_left);
kernel!(cuckoo_map32_insert_or_add_l1: cuckoo::map32(1, 8).insert_or_add);
kernel!(cuckoo_map32_insert_or_add_l2: cuckoo::map32(2, 4).insert_or_add);
kernel!(cuckoo_map32_absorb_l1: cuckoo::map32(1, 8).absorb);
kernel!(cuckoo_map32_absorb_l2: cuckoo::map32(2, 4).absorb);
kernel!(cuckoo_map32_delete_l1: cuckoo::map32(1, 8).delete);
kernel!(cuckoo_map32_delete_l2: cuckoo::map32(2, 4).delete);
kernel!(cuckoo_map32_search_l1: cuckoo::map32(1, 8).search);
kernel!(cuckoo_map32_search_l2: cuckoo::map32(2, 4).search);
kernel!(cuckoo_map32_mixed_l1: cuckoo::map32(1, 8).mixed);
kernel!(cuckoo_map32_mixed_left_l1: cuckoo::map32(1, 8).mixed_left);
kernel!(cuckoo_map32_mixed_left_l2: cuckoo::map32(2, 4).mixed_left);
kernel!(cuckoo_map32_stats_l1: cuckoo::map32(1, 8).stats);
kernel!(cuckoo_map32_stats_l2: cuckoo::map32(2, 4).stats);

kernel!(cuckoo_map32_insert_unique_l1_x4: cuckoo::map32(1, 4).insert_unique);
kernel!(cuckoo_map32_insert_unique_left_l1_x4: cuckoo::map32(1, 4).insert_unique_left);
kernel!(cuckoo_map32_insert_or_assign_l1_x4: cuckoo::map32(1, 4).insert_or_assign);
kernel!(cuckoo_map32_insert_or_assign_left_l1_x4: cuckoo::map32(1, 4).insert_or_assign_left);
kernel!(cuckoo_map32_insert_or_add_l1_x4: cuckoo::map32(1, 4).insert_or_add);
kernel!(cuckoo_map32_absorb_l1_x4: cuckoo::map32(1, 4).absorb);
kernel!(cuckoo_map32_delete_l1_x4: cuckoo::map32(1, 4).delete);
kernel!(cuckoo_map32_search_l1_x4: cuckoo::map32(1, 4).search);
kernel!(cuckoo_map32_mixed_l1_x4: cuckoo::map32(1, 4).mixed);
kernel!(cuckoo_map32_mixed_left_l1_x4: cuckoo::map32(1, 4).mixed_left);
kernel!(cuckoo_map32_stats_l1_x4: cuckoo::map32(1, 4).stats);

kernel!(cuckoo_set32_insert_unique_l1: cuckoo::set32(1, 8).insert_unique);
kernel!(cuckoo_set32_insert_unique_left_l1: cuckoo::set32(1, 8).insert_unique_left);
kernel!(cuckoo_set32_absorb_l1: cuckoo::set32(1, 8).absorb);
kernel!(cuckoo_set32_delete_l1: cuckoo::set32(1, 8).delete);
kernel!(cuckoo_set32_search_l1: cuckoo::set32(1, 8).search);
kernel!(cuckoo_set32_stats_l1: cuckoo::set32(1, 8).stats);

kernel!(cuckoo_set64_insert_unique_l2: cuckoo::set64(2, 4).insert_unique);
kernel!(cuckoo_set64_insert_unique_left_l2: cuckoo::set64(2, 4).insert_unique_left);
kernel!(cuckoo_set64_absorb_l2: cuckoo::set64(2, 4).absorb);
kernel!(cuckoo_set64_delete_l2: cuckoo::set64(2, 4).delete);
kernel!(cuckoo_set64_search_l2: cuckoo::set64(2, 4).search);
kernel!(cuckoo_set64_stats_l2: cuckoo::set64(2, 4).stats);

// All entries of a table are copied by whole warps.
kernel!(open_map32_collect_l32: open::map32(32, 1).collect);
kernel!(open_map32_collect_in_order_l32: open::map32(32, 1).collect_in_order);
// The published ways to do it, to compare with.
kernel!(open_map32_collect_per_slot_l32: open::map32(32, 1).collect_per_slot);
kernel!(open_map32_collect_shared_counter_l32: open::map32(32, 1).collect_shared_counter);
kernel!(open_map32_collect_block_scan_l32: open::map32(32, 1).collect_block_scan);
kernel!(open_map32_collect_l8: open::map32(8, 1).collect);
kernel!(cuckoo_map32_collect_l32: cuckoo::map32(32, 1).collect);
kernel!(cuckoo_map32_collect_in_order_l32: cuckoo::map32(32, 1).collect_in_order);
kernel!(cuckoo_set32_collect_l32: cuckoo::set32(32, 1).collect);
kernel!(cuckoo_set32_collect_in_order_l32: cuckoo::set32(32, 1).collect_in_order);
kernel!(cuckoo_set64_collect_l32: cuckoo::set64(32, 1).collect);
kernel!(cuckoo_set64_collect_in_order_l32: cuckoo::set64(32, 1).collect_in_order);
kernel!(open_set32_collect_l32: open::set32(32, 1).collect);
kernel!(open_set32_collect_in_order_l32: open::set32(32, 1).collect_in_order);
kernel!(open_set64_collect_l32: open::set64(32, 1).collect);
kernel!(open_set64_collect_in_order_l32: open::set64(32, 1).collect_in_order);
kernel!(open_map64l_collect_l32: open::map64l(32, 1).collect);
kernel!(open_map64l_collect_in_order_l32: open::map64l(32, 1).collect_in_order);

#[cfg(feature = "b128")]
mod wide {
    use crate::kernel::kernel;

    kernel!(slab_map64_insert_unique_l4: slab::map64(4, 2).insert_unique);
    kernel!(slab_map64_insert_or_assign_l4: slab::map64(4, 2).insert_or_assign);
    kernel!(slab_map64_delete_l4: slab::map64(4, 2).delete);
    kernel!(slab_map64_delete_all_l4: slab::map64(4, 2).delete_all);
    kernel!(slab_map64_search_l4: slab::map64(4, 2).search);
    kernel!(slab_map64_search_all_l4: slab::map64(4, 2).search_all);
    kernel!(slab_map64_count_l4: slab::map64(4, 2).count);
    kernel!(slab_map64_mixed_l4: slab::map64(4, 2).mixed);
    kernel!(slab_map64_flush_l4: slab::map64(4, 2).flush);
    kernel!(slab_map64_stats_l4: slab::map64(4, 2).stats);
    kernel!(slab_map64_collect_l4: slab::map64(4, 2).collect);

    kernel!(slab_multi64_insert_l4: slab::multi64(4, 2).insert);
    kernel!(slab_multi64_insert_unique_l4: slab::multi64(4, 2).insert_unique);
    kernel!(slab_multi64_insert_or_assign_l4: slab::multi64(4, 2).insert_or_assign);
    kernel!(slab_multi64_delete_l4: slab::multi64(4, 2).delete);
    kernel!(slab_multi64_delete_all_l4: slab::multi64(4, 2).delete_all);
    kernel!(slab_multi64_search_l4: slab::multi64(4, 2).search);
    kernel!(slab_multi64_search_all_l4: slab::multi64(4, 2).search_all);
    kernel!(slab_multi64_count_l4: slab::multi64(4, 2).count);
    kernel!(slab_multi64_mixed_l4: slab::multi64(4, 2).mixed);
    kernel!(slab_multi64_flush_l4: slab::multi64(4, 2).flush);
    kernel!(slab_multi64_stats_l4: slab::multi64(4, 2).stats);
    kernel!(slab_multi64_collect_l4: slab::multi64(4, 2).collect);

    kernel!(hop_map64_insert_unique_l4: hop::map64(4, 2).insert_unique);
    kernel!(hop_map64_insert_unique_left_l4: hop::map64(4, 2).insert_unique_left);
    kernel!(hop_map64_insert_or_assign_l4: hop::map64(4, 2).insert_or_assign);
    kernel!(hop_map64_insert_or_assign_left_l4: hop::map64(4, 2).insert_or_assign_left);
    kernel!(hop_map64_delete_l4: hop::map64(4, 2).delete);
    kernel!(hop_map64_search_l4: hop::map64(4, 2).search);
    kernel!(hop_map64_mixed_l4: hop::map64(4, 2).mixed);
    kernel!(hop_map64_mixed_left_l4: hop::map64(4, 2).mixed_left);
    kernel!(hop_map64_stats_l4: hop::map64(4, 2).stats);
    kernel!(hop_map64_collect_l4: hop::map64(4, 2).collect);

    kernel!(open_map64_insert_unique_l1: open::map64(1, 4).insert_unique);
    kernel!(open_map64_insert_or_assign_l1: open::map64(1, 4).insert_or_assign);
    kernel!(open_map64_insert_or_add_l1: open::map64(1, 4).insert_or_add);
    kernel!(open_map64_absorb_l1: open::map64(1, 4).absorb);
    kernel!(open_map64_delete_l1: open::map64(1, 4).delete);
    kernel!(open_map64_search_l1: open::map64(1, 4).search);
    kernel!(open_map64_mixed_l1: open::map64(1, 4).mixed);
    kernel!(open_map64_stats_l1: open::map64(1, 4).stats);
    kernel!(open_map64_insert_unique_l2: open::map64(2, 2).insert_unique);
    kernel!(open_map64_insert_or_assign_l2: open::map64(2, 2).insert_or_assign);
    kernel!(open_map64_insert_or_add_l2: open::map64(2, 2).insert_or_add);
    kernel!(open_map64_absorb_l2: open::map64(2, 2).absorb);
    kernel!(open_map64_delete_l2: open::map64(2, 2).delete);
    kernel!(open_map64_search_l2: open::map64(2, 2).search);
    kernel!(open_map64_mixed_l2: open::map64(2, 2).mixed);
    kernel!(open_map64_stats_l2: open::map64(2, 2).stats);

    kernel!(open_map64_scatter_l1: open::map64(1, 4).scatter);
    kernel!(open_map64_scatter_again_l1: open::map64(1, 4).scatter_again);
    kernel!(open_map64_fill_l1: open::map64(1, 4).fill);
    kernel!(open_map64_settle_l1: open::map64(1, 4).settle);
    kernel!(open_map64_make_up_l1: open::map64(1, 4).make_up);

    kernel!(cuckoo_map64_insert_unique_l4: cuckoo::map64(4, 2).insert_unique);
    kernel!(cuckoo_map64_insert_unique_left_l4: cuckoo::map64(4, 2).insert_unique_left);
    kernel!(cuckoo_map64_insert_or_assign_l4: cuckoo::map64(4, 2).insert_or_assign);
    kernel!(cuckoo_map64_insert_or_assign_left_l4: cuckoo::map64(4, 2).insert_or_assign_left);
    kernel!(cuckoo_map64_insert_or_add_l4: cuckoo::map64(4, 2).insert_or_add);
    kernel!(cuckoo_map64_absorb_l4: cuckoo::map64(4, 2).absorb);
    kernel!(cuckoo_map64_delete_l4: cuckoo::map64(4, 2).delete);
    kernel!(cuckoo_map64_search_l4: cuckoo::map64(4, 2).search);
    kernel!(cuckoo_map64_mixed_l4: cuckoo::map64(4, 2).mixed);
    kernel!(cuckoo_map64_mixed_left_l4: cuckoo::map64(4, 2).mixed_left);
    kernel!(cuckoo_map64_stats_l4: cuckoo::map64(4, 2).stats);

    kernel!(cuckoo_map64_collect_l32: cuckoo::map64(32, 1).collect);
    kernel!(cuckoo_map64_collect_in_order_l32: cuckoo::map64(32, 1).collect_in_order);
    kernel!(open_map64_collect_l32: open::map64(32, 1).collect);
    kernel!(open_map64_collect_in_order_l32: open::map64(32, 1).collect_in_order);
    kernel!(open_map64_collect_per_slot_l32: open::map64(32, 1).collect_per_slot);
    kernel!(open_map64_collect_shared_counter_l32: open::map64(32, 1).collect_shared_counter);
    kernel!(open_map64_collect_block_scan_l32: open::map64(32, 1).collect_block_scan);
    kernel!(open_map64_collect_l8: open::map64(8, 1).collect);
}

/// Adds to `total[0]` how many of the `n` outcomes say that an entry was stored.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn count_stored(outcomes: *const u8, n: u32, total: *mut u64) {
    // SAFETY: the launch passes `n` codes, one number, and one shared word.
    unsafe { crate::entry::count_stored(outcomes, n, warpproof_device::Global::new(total, 1)) }
}
