//! Open-addressing tables in which keys move, with locks. Lanes times slots are the slots of a bucket.

use super::{Store, packed_buckets};
use warpproof_model::open::{CLASSES, Cuckoo, Locks};

packed_buckets! { Locks<Store<u32>, CLASSES>, Cuckoo }
