//! `map32` in other shapes, for the benches: widths of a tile at 8 slots per slab and 8 words per group, and slabs of
//! 16 slots. No tile is wider than a group: its other lanes would have nothing to read.

use crate::kernel::kernel;

kernel!(slab_map32_insert_unique_l1: slab::map32(1, 8).insert_unique);
kernel!(slab_map32_search_l1: slab::map32(1, 8).search);
kernel!(slab_map32_delete_l1: slab::map32(1, 8).delete);
kernel!(slab_map32_mixed_l1: slab::map32(1, 8).mixed);

kernel!(slab_map32_insert_unique_l4: slab::map32(4, 2).insert_unique);
kernel!(slab_map32_search_l4: slab::map32(4, 2).search);
kernel!(slab_map32_delete_l4: slab::map32(4, 2).delete);
kernel!(slab_map32_mixed_l4: slab::map32(4, 2).mixed);
kernel!(slab_multi32_insert_l4: slab::multi32(4, 2).insert);
kernel!(slab_multi32_search_l4: slab::multi32(4, 2).search);
kernel!(slab_multi32_delete_l4: slab::multi32(4, 2).delete);

kernel!(slab_map32_insert_unique_l8: slab::map32(8, 1).insert_unique);
kernel!(slab_map32_search_l8: slab::map32(8, 1).search);
kernel!(slab_map32_delete_l8: slab::map32(8, 1).delete);
kernel!(slab_map32_mixed_l8: slab::map32(8, 1).mixed);

kernel!(slab_map32_insert_unique_l4_x16: slab::map32(4, 4).insert_unique);
kernel!(slab_map32_search_l4_x16: slab::map32(4, 4).search);
kernel!(slab_map32_delete_l4_x16: slab::map32(4, 4).delete);
kernel!(slab_map32_mixed_l4_x16: slab::map32(4, 4).mixed);
kernel!(slab_map32_flush_l4_x16: slab::map32(4, 4).flush);
kernel!(slab_map32_stats_l4_x16: slab::map32(4, 4).stats);
kernel!(slab_map32_collect_l4_x16: slab::map32(4, 4).collect);

kernel!(slab_map32_insert_unique_l8_x16: slab::map32(8, 2).insert_unique);
kernel!(slab_map32_search_l8_x16: slab::map32(8, 2).search);
kernel!(slab_map32_delete_l8_x16: slab::map32(8, 2).delete);
kernel!(slab_map32_mixed_l8_x16: slab::map32(8, 2).mixed);

kernel!(hop_map32_insert_unique_l1: hop::map32(1, 8).insert_unique);
kernel!(hop_map32_search_l1: hop::map32(1, 8).search);
kernel!(hop_map32_delete_l1: hop::map32(1, 8).delete);
kernel!(hop_map32_mixed_l2: hop::map32(2, 4).mixed);

kernel!(hop_map32_insert_unique_l4: hop::map32(4, 2).insert_unique);
kernel!(hop_map32_search_l4: hop::map32(4, 2).search);
kernel!(hop_map32_delete_l4: hop::map32(4, 2).delete);
kernel!(hop_map32_mixed_l4: hop::map32(4, 2).mixed);

kernel!(hop_map32_insert_unique_l8: hop::map32(8, 1).insert_unique);
kernel!(hop_map32_search_l8: hop::map32(8, 1).search);
kernel!(hop_map32_delete_l8: hop::map32(8, 1).delete);
kernel!(hop_map32_mixed_l8: hop::map32(8, 1).mixed);

kernel!(open_map32_mixed_l2: open::map32(2, 4).mixed);

kernel!(open_map32_insert_unique_l4: open::map32(4, 2).insert_unique);
kernel!(open_map32_search_l4: open::map32(4, 2).search);
kernel!(open_map32_delete_l4: open::map32(4, 2).delete);
kernel!(open_map32_mixed_l4: open::map32(4, 2).mixed);

kernel!(open_map32_insert_unique_l8: open::map32(8, 1).insert_unique);
kernel!(open_map32_search_l8: open::map32(8, 1).search);
kernel!(open_map32_delete_l8: open::map32(8, 1).delete);
kernel!(open_map32_mixed_l8: open::map32(8, 1).mixed);
