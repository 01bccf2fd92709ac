//! Tables whose structure and backend are chosen at run time.
//!
//! A [`Map`] or [`Set`] of this module holds any table of the library: one virtual call for a whole batch
//! costs nothing beside the batch. Capabilities of only some tables are looked up at run time:
//! [`Map::counter`] and the like are `None` if the table lacks them.
//!
//! ```
//! use warpproof::any::Map;
//! use warpproof::simt::cpu::{OpenMap, SlabMap};
//! use warpproof::{BulkMap, BulkTable, Update};
//!
//! type Slab = SlabMap<u32, u32>;
//! type Open = OpenMap<u32, u32>;
//! let tables: [Map<u32, u32>; 2] =
//!     [Map::new(Slab::with_capacity(100)?), Map::new(Open::with_capacity(100)?).with_counter::<Open>()];
//! for map in &tables {
//!     map.insert_unique(&[1, 2], &[10, 20])?.all_stored()?;
//!     assert_eq!(map.len()?, 2);
//! }
//! assert!(tables[0].counter().is_none() && tables[1].counter().is_some());
//!
//! let most = Map::new(Open::with_capacity(100)?).with_updates::<Open>();
//! let updates = most.updates().ok_or("an open map has updates")?;
//! updates.insert_or_update(Update::Max, &[7, 8, 7], &[3, 9, 5])?.all_stored()?;
//! assert_eq!(most.search(&[7, 8, 9])?, [Some(5), Some(9), None]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod capabilities;
mod erased;
mod error;
mod map;
mod numbers;
mod set;

pub use capabilities::{Counter, Flush, Matches, Multimap, Ordered, Paged, Save, Updates};
pub use error::Error;
pub use map::Map;
pub use numbers::{AnyStructure, Geometry, Stats};
pub use set::Set;

use core::any::Any;

/// A table seen through one of its capabilities, if it has the type for which this was recorded.
type As<Capability> = fn(&dyn Any) -> Option<&Capability>;
/// A mutable table seen through one of its capabilities, if it has the type for which this was recorded.
type AsMut<Capability> = fn(&mut dyn Any) -> Option<&mut Capability>;
