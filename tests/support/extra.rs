//! Kernels of GPU tests that are no part of the library.

use warpproof::gpu::bench::Extra;

/// Whether they are built. If not, a word is printed.
pub(crate) fn is_built(extra: Extra) -> bool {
    let missing = extra.missing();
    if let Some(why) = &missing {
        println!("skipped: {why}");
    }
    missing.is_none()
}
