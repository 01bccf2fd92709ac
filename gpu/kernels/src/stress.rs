//! The tables of the library with two stamps per operation, for the histories of stress tests: the same operations, by
//! tiles of the same width, in a module of their own. Of hopscotch tables, and where keys move, they are whole
//! operations, not tried ones with a second kernel for what is left.

use crate::kernel::kernel;

kernel!(slab_map32_stamped_l2: slab::map32(2, 4).stamped);
kernel!(slab_set32_stamped_l2: slab::set32(2, 4).stamped);
kernel!(slab_map64l_stamped_l2: slab::map64l(2, 4).stamped);
kernel!(hop_map32_stamped_l2: hop::map32(2, 4).stamped);
kernel!(hop_set32_stamped_l2: hop::set32(2, 4).stamped);
kernel!(hop_set64_stamped_l2: hop::set64(2, 4).stamped);
kernel!(open_map32_stamped_l1: open::map32(1, 8).stamped);
kernel!(open_map32_stamped_l1_x4: open::map32(1, 4).stamped);
kernel!(open_map32_stamped_l2: open::map32(2, 4).stamped);
kernel!(open_set32_stamped_l1: open::set32(1, 8).stamped);
kernel!(open_set64_stamped_l1: open::set64(1, 8).stamped);
kernel!(open_set64_stamped_l2: open::set64(2, 4).stamped);
kernel!(open_map64l_stamped_l1: open::map64l(1, 4).stamped);
kernel!(cuckoo_map32_stamped_l1: cuckoo::map32(1, 8).stamped);
kernel!(cuckoo_map32_stamped_l1_x4: cuckoo::map32(1, 4).stamped);
kernel!(cuckoo_map32_stamped_l2: cuckoo::map32(2, 4).stamped);
kernel!(cuckoo_set32_stamped_l1: cuckoo::set32(1, 8).stamped);
kernel!(cuckoo_set64_stamped_l2: cuckoo::set64(2, 4).stamped);
#[cfg(feature = "b128")]
kernel!(slab_map64_stamped_l4: slab::map64(4, 2).stamped);
#[cfg(feature = "b128")]
kernel!(hop_map64_stamped_l4: hop::map64(4, 2).stamped);
#[cfg(feature = "b128")]
kernel!(open_map64_stamped_l1: open::map64(1, 4).stamped);
#[cfg(feature = "b128")]
kernel!(open_map64_stamped_l2: open::map64(2, 2).stamped);
#[cfg(feature = "b128")]
kernel!(cuckoo_map64_stamped_l4: cuckoo::map64(4, 2).stamped);
