//! The types of the arguments of a kernel: pointers and numbers. The documentation of each type says what the
//! caller of the kernel guarantees; the unsafe code of the operations relies on it.

use warpproof_device::{Global, Staged};
use warpproof_model::entry::Packed;
use warpproof_model::outcome::Op;
use warpproof_model::retrieve::Sink;
use warpproof_model::{Update, Warp};

/// How many operations the launch has.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Count(pub(super) u32);

/// The number of an operation of the launch: below its [`Count`].
#[derive(Clone, Copy)]
pub(crate) struct At(usize);

impl At {
    /// Operation `number`.
    ///
    /// # Safety
    ///
    /// There is one.
    #[inline(always)]
    pub(super) unsafe fn new(number: usize) -> Self {
        Self(number)
    }

    /// The number.
    #[inline(always)]
    pub(super) fn number(self) -> u32 {
        self.0 as u32
    }
}

/// An array with an element for each operation. Nothing writes it during the launch. It may be null if the
/// type of its elements has no bits.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct In<T>(pub(super) *const T);

impl<T: Copy> In<T> {
    /// The element of an operation.
    #[inline(always)]
    pub(crate) fn read(self, op: At) -> T {
        // SAFETY: there is one for each operation.
        unsafe { self.0.add(op.0).read() }
    }
}

/// [`In`], or null if there are no elements.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct MaybeIn<T>(pub(super) *const T);

impl<T: Copy> MaybeIn<T> {
    /// The element of an operation, if there is one.
    #[inline(always)]
    pub(crate) fn read(self, op: At) -> Option<T> {
        if self.0.is_null() { None } else { Some(In(self.0).read(op)) }
    }
}

/// The kinds of the operations of a launch: one for all, or one for each.
#[derive(Clone, Copy)]
pub(crate) struct Kinds {
    all: u32,
    each: MaybeIn<u8>,
}

impl Kinds {
    /// `all` is the code of every operation, unless `each` has a code for each.
    #[inline(always)]
    pub(crate) fn new(all: u32, each: MaybeIn<u8>) -> Self {
        Self { all, each }
    }

    /// The kind of an operation; `None` if its code is not the code of a kind.
    #[inline(always)]
    pub(crate) fn of(self, op: At) -> Option<Op> {
        Op::from_code(self.each.read(op).unwrap_or(self.all as u8))
    }
}

/// The code of an [`Update`].
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct UpdateCode(u32);

impl UpdateCode {
    /// The update.
    #[inline(always)]
    pub(crate) fn get(self) -> Update {
        // SAFETY: a code, and the codes are the bytes of the variants.
        unsafe { core::mem::transmute::<u8, Update>(self.0 as u8) }
    }
}

/// Offsets into an array in which each operation has a range: from its own offset to the next one. There is
/// one offset more than operations, they ascend, and nothing writes them during the launch.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Offsets(*const u64);

impl Offsets {
    /// The beginning and end of the range of an operation.
    #[inline(always)]
    pub(crate) fn range(self, op: At) -> (u64, u64) {
        // SAFETY: one more than operations.
        unsafe { (self.0.add(op.0).read(), self.0.add(op.0 + 1).read()) }
    }
}

/// An array with an element for each operation. Only that operation accesses its element.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Out<T>(*mut T);

impl<T: Copy> Out<T> {
    /// Lane 0 writes the element of this tile's operation.
    #[inline(always)]
    pub(crate) fn write<W: Warp>(self, w: &mut W, op: At, value: T) {
        let _ = w.each(|lane| {
            if lane == 0 {
                // SAFETY: there is one for each operation; one lane writes.
                unsafe { self.0.add(op.0).write(value) }
            }
        });
    }

    /// Where the element of an operation is.
    #[inline(always)]
    pub(crate) fn at(self, op: At) -> *mut T {
        // SAFETY: there is one for each operation.
        unsafe { self.0.add(op.0) }
    }
}

/// [`Out`], or null if the caller does not want the elements.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct MaybeOut<T>(*mut T);

impl<T> MaybeOut<T> {
    /// The address of the element of an operation; `None` if the caller does not want it.
    #[inline(always)]
    pub(crate) fn at(self, op: At) -> Option<*mut T> {
        // SAFETY: there is one for each operation.
        if self.0.is_null() { None } else { Some(unsafe { self.0.add(op.0) }) }
    }
}

/// An array with an outcome for each operation. The launch before this one has written it, or this tile has,
/// before a `sync`. During the launch only the tile of an operation accesses its outcome.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Told(pub(super) Out<u8>);

impl Told {
    /// The outcome of an operation of this tile.
    #[inline(always)]
    pub(crate) fn read(self, op: At) -> u8 {
        // SAFETY: there is one for each operation, and it is written.
        unsafe { self.0.at(op).read() }
    }
}

/// An array. The documentation of the operation says how many elements it has.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Array<T>(pub(super) *mut T);

impl<T> Array<T> {
    /// Its words, which all code accesses only by atomic instructions.
    ///
    /// # Safety
    ///
    /// There are `len` words, and all code accesses them only by atomic instructions.
    #[inline(always)]
    pub(crate) unsafe fn words(self, len: usize) -> Global<T> {
        // SAFETY: the contract of this function.
        unsafe { Global::new(self.0, len) }
    }

    /// Its words, which one launch writes and the next one reads.
    ///
    /// # Safety
    ///
    /// There are `len` words, or nothing accesses them.
    #[inline(always)]
    pub(crate) unsafe fn staged(self, len: usize) -> Staged<T> {
        // SAFETY: the contract of this function.
        unsafe { Staged::new(self.0, len) }
    }

    /// Lane 0 writes an element.
    ///
    /// # Safety
    ///
    /// There is an element `place`, and nothing else uses it during the launch.
    #[inline(always)]
    pub(crate) unsafe fn write<W: Warp>(self, w: &mut W, place: u64, value: T)
    where
        T: Copy,
    {
        let _ = w.each(|lane| {
            if lane == 0 {
                // SAFETY: the contract of this function; one lane writes.
                unsafe { self.set(place, value) }
            }
        });
    }

    /// The calling lane writes an element.
    ///
    /// # Safety
    ///
    /// There is an element `place`, and nothing else uses it during the launch.
    #[inline(always)]
    pub(crate) unsafe fn set(self, place: u64, value: T) {
        // SAFETY: the contract of this function.
        unsafe { self.0.add(place as usize).write(value) }
    }
}

/// Arrays of keys and of values, each of `room` elements. Every place is written once.
#[derive(Clone, Copy)]
pub(crate) struct Columns<K, V> {
    pub(crate) keys: Array<K>,
    pub(crate) values: Array<V>,
    pub(crate) room: u64,
}

impl<K: Copy, V: Copy> Columns<K, V> {
    /// Lane 0 writes an entry, if there is room.
    ///
    /// # Safety
    ///
    /// Nothing else writes this place during the launch.
    #[inline(always)]
    pub(super) unsafe fn put<W: Warp>(self, w: &mut W, place: u64, key: K, value: V) {
        if place < self.room {
            // SAFETY: there is room; the rest is the contract of this function.
            unsafe {
                self.keys.write(w, place, key);
                self.values.write(w, place, value);
            }
        }
    }
}

impl<E: Packed> Sink<E> for Columns<E::Key, E::Value> {
    #[inline(always)]
    fn room(self) -> u64 {
        self.room
    }

    #[inline(always)]
    fn put(self, place: u64, key: E::Key, value: E::Value) {
        if place < self.room {
            // SAFETY: there is an element `place` in both, and a retrieval writes none twice.
            unsafe {
                self.keys.set(place, key);
                self.values.set(place, value);
            }
        }
    }
}

/// `N` numbers that all code accesses only by atomic instructions.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Numbers<const N: usize>(*mut u64);

impl<const N: usize> Numbers<N> {
    /// Their words.
    #[inline(always)]
    pub(crate) fn words(self) -> Global<u64> {
        // SAFETY: there are `N`, and all code accesses them only by atomic instructions.
        unsafe { Global::new(self.0, N) }
    }
}

/// Types of arguments that only the kernels of maps have.
pub(crate) trait NoValue {
    /// The value that the kernel of a set has instead.
    const NONE: Self;
}

macro_rules! no_value {
    ($($type:ty = $none:expr;)*) => { $(impl NoValue for $type { const NONE: Self = $none; })* };
}
no_value! {
    () = ();
    In<()> = Self(core::ptr::null());
    MaybeIn<()> = Self(core::ptr::null());
    MaybeOut<()> = Self(core::ptr::null_mut());
    Array<()> = Self(core::ptr::null_mut());
}
