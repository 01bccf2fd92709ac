//! Entries as bytes of a file.

use crate::bits::TableKey;
use crate::partition::HashPartitions;

/// A number in a file.
pub trait FileNumber: Copy + Send + Sync + 'static {
    /// Its type, as in a file.
    const TYPE: u16;
    /// Its bytes.
    const BYTES: usize;

    /// Writes it to as many bytes, little-endian.
    fn put(self, to: &mut [u8]);
    /// The number of as many bytes.
    fn get(from: &[u8]) -> Self;
}

macro_rules! numbers {
    ($($number:ident $type:literal),*) => { $(
        impl FileNumber for $number {
            const TYPE: u16 = $type;
            const BYTES: usize = size_of::<Self>();

            #[inline(always)]
            fn put(self, to: &mut [u8]) {
                if let Some(to) = to.first_chunk_mut() {
                    *to = self.to_le_bytes();
                }
            }
            #[inline(always)]
            fn get(from: &[u8]) -> Self {
                from.first_chunk().map_or(0 as Self, |&bytes| Self::from_le_bytes(bytes))
            }
        }
    )* };
}
numbers! { u32 1, i32 2, u64 3, i64 4, f32 5, f64 6 }

/// A number that is a key.
pub trait FileKey: FileNumber + TableKey {}
impl FileKey for u32 {}
impl FileKey for i32 {}
impl FileKey for u64 {}
impl FileKey for i64 {}

/// The entry of a paged table: `(key, value)` in a map, a key in a set.
pub trait FileEntry: Copy + Send + Sync + 'static {
    /// Types of keys and values, as in a file.
    const TYPES: [u16; 2];
    /// Its bytes.
    const BYTES: usize;

    /// Writes it to as many bytes.
    fn put(self, to: &mut [u8]);
    /// The entry of as many bytes.
    fn get(from: &[u8]) -> Self;
    /// The child table that it belongs to.
    fn child(self, children: HashPartitions) -> u32;
}

impl<K: FileKey> FileEntry for K {
    const TYPES: [u16; 2] = [K::TYPE, 0];
    const BYTES: usize = <K as FileNumber>::BYTES;

    #[inline(always)]
    fn put(self, to: &mut [u8]) {
        FileNumber::put(self, to);
    }
    #[inline(always)]
    fn get(from: &[u8]) -> Self {
        FileNumber::get(from)
    }
    #[inline(always)]
    fn child(self, children: HashPartitions) -> u32 {
        children.of(self.to_word())
    }
}

impl<K: FileKey, V: FileNumber> FileEntry for (K, V) {
    const TYPES: [u16; 2] = [K::TYPE, V::TYPE];
    const BYTES: usize = <K as FileNumber>::BYTES + V::BYTES;

    #[inline(always)]
    fn put(self, to: &mut [u8]) {
        let (key, value) = to.split_at_mut(<K as FileNumber>::BYTES);
        FileNumber::put(self.0, key);
        self.1.put(value);
    }
    #[inline(always)]
    fn get(from: &[u8]) -> Self {
        let (key, value) = from.split_at(<K as FileNumber>::BYTES);
        (FileNumber::get(key), V::get(value))
    }
    #[inline(always)]
    fn child(self, children: HashPartitions) -> u32 {
        self.0.child(children)
    }
}
