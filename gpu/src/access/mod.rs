//! The ways to run operations on a table: on device slices ([`OnStream`]), and on host slices through staging
//! buffers ([`Staged`]). Host-slice calls that return a `Vec` are staged calls whose sink is that `Vec`.

mod on_stream;

pub(crate) mod staged;

pub use on_stream::OnStream;

pub use staged::Staged;
