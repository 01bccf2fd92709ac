//! The tables of the library with two stamps per operation, for the histories of stress tests: the same operations, by
//! tiles of the same width, in a module of their own.

use crate::kernel::kernel;

kernel!(slab_map32_stamped_l2: map32(2, 4).stamped);
kernel!(slab_set32_stamped_l2: set32(2, 4).stamped);
kernel!(slab_map64l_stamped_l2: map64l(2, 4).stamped);
#[cfg(feature = "b128")]
kernel!(slab_map64_stamped_l4: map64(4, 2).stamped);
