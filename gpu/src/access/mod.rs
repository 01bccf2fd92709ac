//! How callers run operations on a table: on device slices ([`OnStream`]), and on host slices through staging
//! buffers ([`Staged`]). A host-slice call that returns a `Vec` is a staged call with that `Vec` as its sink.
//! The operations themselves are in [`operations`](crate::operations).

mod on_stream;
mod staged;

pub use on_stream::OnStream;
pub use staged::Staged;

pub(crate) use staged::by_code;
