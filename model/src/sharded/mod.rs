#![doc = include_str!("README.md")]

mod carry;
mod combine;
mod entry;
mod exchange;
mod header;
mod lost;
mod mailbox;
mod rounds;
mod route;
mod said;
mod spec;
mod table;
#[cfg(test)]
mod tests;

pub use carry::{Cargo, Carrier, PLACE_WORDS, Part, Prepared};
pub use entry::ShardEntry;
pub use exchange::{Exchange, MailboxEnd, Pace};
pub use header::Kind;
pub use lost::{Lost, Why};
pub use mailbox::{Mailboxes, data_words, flag_words};
pub use rounds::{Exchanged, Failed, Rounds, Said};
pub use route::Route;
pub use spec::{BATCH, Echo, Item};
#[cfg(feature = "file")]
pub use table::saved_ranks;
pub use table::{Call, Error, Sharded, ShardedGeometry, ShardedStats, ShardedStructure};
