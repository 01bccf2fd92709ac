//! `kernel!`: one line to one entry point.
//!
//! `kernel!(NAME: LAYOUT(LANES, SLOTS).OPERATION);` Each step below adds its arguments: first the operation's, then
//! the table's.

/// See the module.
macro_rules! kernel {
    ($name:ident: $layout:ident($l:literal, $s:literal).$op:ident) => {
        $crate::kernel::operation! { $op $layout [$name $layout $l $s] }
    };
}

/// What the operation takes. A set passes pointers to `()` for its values.
macro_rules! operation {
    (insert_unique set32 $k:tt) => {
        $crate::kernel::table! { $k insert_unique
        [keys: *const u32, outcomes: *mut u8, n: u32] [keys, core::ptr::null(), outcomes, n] }
    };
    (search set32 $k:tt) => {
        $crate::kernel::table! { $k search
        [keys: *const u32, found: *mut u8, n: u32] [keys, core::ptr::null_mut(), found, (), n] }
    };
    (collect set32 $k:tt) => {
        $crate::kernel::table! { $k collect
        [keys: *mut u32, capacity: u64, total: *mut u64]
        [keys, core::ptr::null_mut(), capacity, warpproof_device::Global::new(total, 1)] }
    };
    (insert $layout:ident $k:tt) => {
        $crate::kernel::operation! { @put insert $layout $k }
    };
    (insert_unique $layout:ident $k:tt) => {
        $crate::kernel::operation! { @put insert_unique $layout $k }
    };
    (insert_or_assign $layout:ident $k:tt) => {
        $crate::kernel::operation! { @put insert_or_assign $layout $k }
    };
    (@put $op:ident $layout:ident $k:tt) => {
        $crate::kernel::table! { $k $op
        [keys: *const $crate::layout::$layout::Key, values: *const $crate::layout::$layout::Value,
         outcomes: *mut u8, n: u32]
        [keys, values, outcomes, n] }
    };
    (delete $layout:ident $k:tt) => {
        $crate::kernel::table! { $k delete
        [keys: *const $crate::layout::$layout::Key, outcomes: *mut u8, n: u32] [keys, outcomes, n] }
    };
    (delete_all $layout:ident $k:tt) => {
        $crate::kernel::operation! { @number delete_all $layout $k }
    };
    (count $layout:ident $k:tt) => {
        $crate::kernel::operation! { @number count $layout $k }
    };
    (@number $op:ident $layout:ident $k:tt) => {
        $crate::kernel::table! { $k $op
        [keys: *const $crate::layout::$layout::Key, counts: *mut u32, n: u32] [keys, counts, n] }
    };
    (search $layout:ident $k:tt) => {
        $crate::kernel::table! { $k search
        [keys: *const $crate::layout::$layout::Key, values: *mut $crate::layout::$layout::Value,
         found: *mut u8, missing: $crate::layout::$layout::Value, n: u32]
        [keys, values, found, missing, n] }
    };
    (search_all $layout:ident $k:tt) => {
        $crate::kernel::table! { $k search_all
        [keys: *const $crate::layout::$layout::Key, offsets: *const u64,
         values: *mut $crate::layout::$layout::Value, counts: *mut u32, n: u32]
        [keys, offsets, values, counts, n] }
    };
    (mixed $layout:ident $k:tt) => {
        $crate::kernel::table! { $k mixed
        [ops: *const u8, keys: *const $crate::layout::$layout::Key,
         values: *const $crate::layout::$layout::Value, outcomes: *mut u8,
         found: *mut $crate::layout::$layout::Value, n: u32]
        [ops, keys, values, outcomes, found, n] }
    };
    (stamped set32 $k:tt) => {
        $crate::kernel::table! { $k stamped
        [ops: *const u8, keys: *const u32, outcomes: *mut u8,
         clock: *mut u64, starts: *mut u64, ends: *mut u64, n: u32]
        [ops, keys, core::ptr::null(), outcomes, core::ptr::null_mut(),
         warpproof_device::Global::new(clock, 1), starts, ends, n] }
    };
    (stamped $layout:ident $k:tt) => {
        $crate::kernel::table! { $k stamped
        [ops: *const u8, keys: *const $crate::layout::$layout::Key,
         values: *const $crate::layout::$layout::Value, outcomes: *mut u8,
         found: *mut $crate::layout::$layout::Value,
         clock: *mut u64, starts: *mut u64, ends: *mut u64, n: u32]
        [ops, keys, values, outcomes, found, warpproof_device::Global::new(clock, 1), starts, ends, n] }
    };
    (flush $layout:ident $k:tt) => {
        $crate::kernel::table! { $k flush [freed: *mut u64] [warpproof_device::Global::new(freed, 1)] }
    };
    (stats $layout:ident $k:tt) => {
        $crate::kernel::table! { $k stats [numbers: *mut u64] [warpproof_device::Global::new(numbers, 20)] }
    };
    (collect $layout:ident $k:tt) => {
        $crate::kernel::table! { $k collect
        [keys: *mut $crate::layout::$layout::Key, values: *mut $crate::layout::$layout::Value,
         capacity: u64, total: *mut u64]
        [keys, values, capacity, warpproof_device::Global::new(total, 1)] }
    };
}

/// What the table takes.
macro_rules! table {
    ([$name:ident map64l $($k:tt)*] $($rest:tt)*) => {
        $crate::kernel::table! { @lock [$name map64l $($k)*] $($rest)* }
    };
    ([$name:ident multi64l $($k:tt)*] $($rest:tt)*) => {
        $crate::kernel::table! { @lock [$name multi64l $($k)*] $($rest)* }
    };
    (@lock [$name:ident $layout:ident $l:literal $s:literal] $op:ident $parameters:tt $arguments:tt) => {
        $crate::kernel::emit! { $name $layout $l $s $op
        [key_words: *mut u64, value_words: *mut u64, len: usize, bitmap: *mut u32, bitmap_len: usize,
         buckets: u32]
        [warpproof_model::slab::LockBitSlots::new(
             $crate::layout::store(key_words, len), $crate::layout::store(value_words, len)),
         $crate::layout::store(bitmap, bitmap_len), buckets]
        $parameters $arguments }
    };
    ([$name:ident $layout:ident $l:literal $s:literal] $op:ident $parameters:tt $arguments:tt) => {
        $crate::kernel::emit! { $name $layout $l $s $op
        [words: *mut $crate::layout::$layout::Word, len: usize, bitmap: *mut u32, bitmap_len: usize,
         buckets: u32]
        [warpproof_model::slab::PackedSlots::new($crate::layout::store(words, len)),
         $crate::layout::store(bitmap, bitmap_len), buckets]
        $parameters $arguments }
    };
}

/// The entry point.
macro_rules! emit {
    ($name:ident $layout:ident $l:literal $s:literal $op:ident
     [$($table_parameter:tt)*] [$($table:tt)*] [$($parameter:tt)*] [$($argument:tt)*]) => {
        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn $name($($table_parameter)*, $($parameter)*) {
            // SAFETY: the launch keeps the contract of `entry::$op` and of the handles: lengths fit the arrays, and
            // the table's memory is accessed by kernels of this crate only.
            unsafe {
                let table = $crate::layout::$layout::Table::<$s>::new($($table)*);
                $crate::entry::$op::<$l, $s, _, _>(table, $($argument)*)
            }
        }
    };
}

pub(crate) use {emit, kernel, operation, table};
