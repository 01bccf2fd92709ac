//! `map32` in other shapes, for the benches: widths of a tile at 8 slots per slab, and slabs of 16 slots.

use crate::kernel::kernel;

kernel!(slab_map32_insert_unique_l1: map32(1, 8).insert_unique);
kernel!(slab_map32_search_l1: map32(1, 8).search);
kernel!(slab_map32_delete_l1: map32(1, 8).delete);
kernel!(slab_map32_mixed_l1: map32(1, 8).mixed);

kernel!(slab_map32_insert_unique_l4: map32(4, 2).insert_unique);
kernel!(slab_map32_search_l4: map32(4, 2).search);
kernel!(slab_map32_delete_l4: map32(4, 2).delete);
kernel!(slab_map32_mixed_l4: map32(4, 2).mixed);
kernel!(slab_multi32_insert_l4: multi32(4, 2).insert);
kernel!(slab_multi32_search_l4: multi32(4, 2).search);
kernel!(slab_multi32_delete_l4: multi32(4, 2).delete);

kernel!(slab_map32_insert_unique_l8: map32(8, 1).insert_unique);
kernel!(slab_map32_search_l8: map32(8, 1).search);
kernel!(slab_map32_delete_l8: map32(8, 1).delete);
kernel!(slab_map32_mixed_l8: map32(8, 1).mixed);

kernel!(slab_map32_insert_unique_l4_x16: map32(4, 4).insert_unique);
kernel!(slab_map32_search_l4_x16: map32(4, 4).search);
kernel!(slab_map32_delete_l4_x16: map32(4, 4).delete);
kernel!(slab_map32_mixed_l4_x16: map32(4, 4).mixed);
kernel!(slab_map32_flush_l4_x16: map32(4, 4).flush);
kernel!(slab_map32_stats_l4_x16: map32(4, 4).stats);
kernel!(slab_map32_collect_l4_x16: map32(4, 4).collect);

kernel!(slab_map32_insert_unique_l8_x16: map32(8, 2).insert_unique);
kernel!(slab_map32_search_l8_x16: map32(8, 2).search);
kernel!(slab_map32_delete_l8_x16: map32(8, 2).delete);
kernel!(slab_map32_mixed_l8_x16: map32(8, 2).mixed);
