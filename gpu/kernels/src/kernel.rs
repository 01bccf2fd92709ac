//! `kernel!`: one line to one entry point.
//!
//! `kernel!(NAME: STRUCTURE::LAYOUT(LANES, SLOTS).OPERATION);` Each step below adds its arguments: first the
//! operation's, then the table's.

/// See the module.
macro_rules! kernel {
    ($name:ident: $structure:ident::$layout:ident($l:literal, $s:literal).$op:ident) => {
        $crate::kernel::operation! { $op $structure $layout [$name $structure $layout $l $s] }
    };
}

/// What the operation takes. A set passes pointers to `()` for its values.
///
/// The function of [`entry`](crate::entry) comes with its generic parameters behind the lanes: `_` where they are
/// inferred.
macro_rules! operation {
    (insert_unique $structure:ident set32 $k:tt) => {
        $crate::kernel::operation! { @put_key put u32 $k }
    };
    (insert_unique $structure:ident set64 $k:tt) => {
        $crate::kernel::operation! { @put_key put u64 $k }
    };
    (insert_unique_left $structure:ident set32 $k:tt) => {
        $crate::kernel::operation! { @put_key put_left u32 $k }
    };
    (insert_unique_left $structure:ident set64 $k:tt) => {
        $crate::kernel::operation! { @put_key put_left u64 $k }
    };
    (@put_key $put:ident $key:ident $k:tt) => {
        $crate::kernel::table! { $k [$put { $crate::entry::UNIQUE } _]
        [keys: *const $key, outcomes: *mut u8, n: u32] [keys, core::ptr::null(), outcomes, n] }
    };
    (search $structure:ident set32 $k:tt) => {
        $crate::kernel::operation! { @search_key u32 $k }
    };
    (search $structure:ident set64 $k:tt) => {
        $crate::kernel::operation! { @search_key u64 $k }
    };
    (@search_key $key:ident $k:tt) => {
        $crate::kernel::table! { $k [search _]
        [keys: *const $key, found: *mut u8, n: u32] [keys, core::ptr::null_mut(), found, (), n] }
    };
    (scatter open set32 $k:tt) => {
        $crate::kernel::operation! { @scatter_keys u32 u32 $k }
    };
    (scatter open set64 $k:tt) => {
        $crate::kernel::operation! { @scatter_keys u64 u64 $k }
    };
    (@scatter_keys $key:ident $word:ident $k:tt) => {
        $crate::kernel::table! { $k [scatter _ _ _ _ _]
        [keys: *const $key, n: u32, fan: u32, shift: u32,
         to: *mut $word, to_len: usize, taken: *mut u32, bins: usize, room: u32, tally: *mut u64,
         to_numbers: *mut u32, outcomes: *mut u8, told: usize]
        [(keys, core::ptr::null(), n), (fan, shift), $crate::entry::bins((to, to_numbers, to_len), taken, bins, room),
         ($crate::entry::tally(tally), $crate::entry::outcomes(outcomes, told))] }
    };
    (scatter open $layout:ident $k:tt) => {
        $crate::kernel::table! { $k [scatter _ _ _ _ _]
        [keys: *const $crate::layout::open::$layout::Key, values: *const $crate::layout::open::$layout::Value,
         n: u32, fan: u32, shift: u32, to: *mut $crate::layout::open::$layout::Word, to_len: usize,
         taken: *mut u32, bins: usize, room: u32, tally: *mut u64, to_numbers: *mut u32, outcomes: *mut u8,
         told: usize]
        [(keys, values, n), (fan, shift), $crate::entry::bins((to, to_numbers, to_len), taken, bins, room),
         ($crate::entry::tally(tally), $crate::entry::outcomes(outcomes, told))] }
    };
    (make_up open set32 $k:tt) => {
        $crate::kernel::operation! { @make_up_keys u32 $k }
    };
    (make_up open set64 $k:tt) => {
        $crate::kernel::operation! { @make_up_keys u64 $k }
    };
    (@make_up_keys $key:ident $k:tt) => {
        $crate::kernel::table! { $k [make_up _ _ _ _ _]
        [keys: *const $key, n: u32, blocks: u32, tally: *mut u64, outcomes: *mut u8, told: usize]
        [(keys, core::ptr::null(), n), blocks,
         ($crate::entry::tally(tally), $crate::entry::outcomes(outcomes, told))] }
    };
    (make_up open $layout:ident $k:tt) => {
        $crate::kernel::table! { $k [make_up _ _ _ _ _]
        [keys: *const $crate::layout::open::$layout::Key, values: *const $crate::layout::open::$layout::Value,
         n: u32, blocks: u32, tally: *mut u64, outcomes: *mut u8, told: usize]
        [(keys, values, n), blocks, ($crate::entry::tally(tally), $crate::entry::outcomes(outcomes, told))] }
    };
    (scatter_again open $layout:ident $k:tt) => {
        $crate::kernel::table! { $k [scatter_again _ _ _ _ _]
        [from: *mut $crate::layout::open::$layout::Word, from_len: usize, from_taken: *mut u32, from_bins: usize,
         from_room: u32, parts: u32, fan: u32, shift: u32, to: *mut $crate::layout::open::$layout::Word,
         to_len: usize, taken: *mut u32, bins: usize, room: u32, tally: *mut u64, from_numbers: *mut u32,
         to_numbers: *mut u32, outcomes: *mut u8, told: usize]
        [($crate::entry::bins((from, from_numbers, from_len), from_taken, from_bins, from_room), parts), (fan, shift),
         $crate::entry::bins((to, to_numbers, to_len), taken, bins, room),
         ($crate::entry::tally(tally), $crate::entry::outcomes(outcomes, told))] }
    };
    (fill open $layout:ident $k:tt) => {
        $crate::kernel::table! { $k [fill _ _ _ _ _]
        [shift: u32, words: *mut $crate::layout::open::$layout::Word, words_len: usize, taken: *mut u32,
         left: *mut $crate::layout::open::$layout::Word, left_taken: *mut u32, bins: usize, room: u32,
         tally: *mut u64, numbers: *mut u32, left_numbers: *mut u32, outcomes: *mut u8, told: usize]
        [shift, ($crate::entry::bins((words, numbers, words_len), taken, bins, room),
         $crate::entry::bins((left, left_numbers, words_len), left_taken, bins, room)),
         ($crate::entry::tally(tally), $crate::entry::outcomes(outcomes, told))] }
    };
    (settle open $layout:ident $k:tt) => {
        $crate::kernel::table! { $k [settle _ _ _ _ _]
        [left: *mut $crate::layout::open::$layout::Word, left_len: usize, taken: *mut u32, bins: usize,
         room: u32, tally: *mut u64, numbers: *mut u32, outcomes: *mut u8, told: usize]
        [$crate::entry::bins((left, numbers, left_len), taken, bins, room),
         ($crate::entry::tally(tally), $crate::entry::outcomes(outcomes, told))] }
    };
    (collect cuckoo set32 $k:tt) => {
        $crate::kernel::operation! { @retrieve_keys u32 $k }
    };
    (collect open set32 $k:tt) => {
        $crate::kernel::operation! { @retrieve_keys u32 $k }
    };
    (collect cuckoo set64 $k:tt) => {
        $crate::kernel::operation! { @retrieve_keys u64 $k }
    };
    (collect open set64 $k:tt) => {
        $crate::kernel::operation! { @retrieve_keys u64 $k }
    };
    (@retrieve_keys $key:ident $k:tt) => {
        $crate::kernel::table! { $k [retrieve _ _ _ _ _ _]
        [keys: *mut $key, capacity: u64, total: *mut u64]
        [keys, core::ptr::null_mut(), capacity, warpproof_device::Global::new(total, 1),
         $crate::entry::WarpCounter] }
    };
    (collect_in_order cuckoo set32 $k:tt) => {
        $crate::kernel::operation! { @retrieve_keys_in_order u32 $k }
    };
    (collect_in_order open set32 $k:tt) => {
        $crate::kernel::operation! { @retrieve_keys_in_order u32 $k }
    };
    (collect_in_order cuckoo set64 $k:tt) => {
        $crate::kernel::operation! { @retrieve_keys_in_order u64 $k }
    };
    (collect_in_order open set64 $k:tt) => {
        $crate::kernel::operation! { @retrieve_keys_in_order u64 $k }
    };
    (@retrieve_keys_in_order $key:ident $k:tt) => {
        $crate::kernel::table! { $k [retrieve_in_order _ _ _ _ _]
        [keys: *mut $key, capacity: u64, total: *mut u64, chunks: *mut u64, chunks_len: usize]
        [keys, core::ptr::null_mut(), capacity, warpproof_device::Global::new(total, 1),
         warpproof_device::Global::new(chunks, chunks_len)] }
    };
    (collect $structure:ident set32 $k:tt) => {
        $crate::kernel::operation! { @collect_keys u32 $k }
    };
    (collect $structure:ident set64 $k:tt) => {
        $crate::kernel::operation! { @collect_keys u64 $k }
    };
    (@collect_keys $key:ident $k:tt) => {
        $crate::kernel::table! { $k [collect _]
        [keys: *mut $key, capacity: u64, total: *mut u64]
        [keys, core::ptr::null_mut(), capacity, warpproof_device::Global::new(total, 1)] }
    };
    (stamped $structure:ident set32 $k:tt) => {
        $crate::kernel::operation! { @stamped_key u32 $k }
    };
    (stamped $structure:ident set64 $k:tt) => {
        $crate::kernel::operation! { @stamped_key u64 $k }
    };
    (@stamped_key $key:ident $k:tt) => {
        $crate::kernel::table! { $k [stamped _]
        [ops: *const u8, keys: *const $key, outcomes: *mut u8,
         clock: *mut u64, starts: *mut u64, ends: *mut u64, n: u32]
        [ops, keys, core::ptr::null(), outcomes, core::ptr::null_mut(),
         warpproof_device::Global::new(clock, 1), starts, ends, n] }
    };
    (insert $structure:ident $layout:ident $k:tt) => {
        $crate::kernel::operation! { @put [insert _ _ _] $structure $layout $k }
    };
    (insert_unique $structure:ident $layout:ident $k:tt) => {
        $crate::kernel::operation! { @put [put { $crate::entry::UNIQUE } _] $structure $layout $k }
    };
    (insert_or_assign $structure:ident $layout:ident $k:tt) => {
        $crate::kernel::operation! { @put [put { $crate::entry::ASSIGN } _] $structure $layout $k }
    };
    (insert_or_add $structure:ident $layout:ident $k:tt) => {
        $crate::kernel::operation! { @put [add _ _ _ _ _] $structure $layout $k }
    };
    (insert_unique_left $structure:ident $layout:ident $k:tt) => {
        $crate::kernel::operation! { @put [put_left { $crate::entry::UNIQUE } _] $structure $layout $k }
    };
    (insert_or_assign_left $structure:ident $layout:ident $k:tt) => {
        $crate::kernel::operation! { @put [put_left { $crate::entry::ASSIGN } _] $structure $layout $k }
    };
    (@put $op:tt $structure:ident $layout:ident $k:tt) => {
        $crate::kernel::table! { $k $op
        [keys: *const $crate::layout::$structure::$layout::Key,
         values: *const $crate::layout::$structure::$layout::Value, outcomes: *mut u8, n: u32]
        [keys, values, outcomes, n] }
    };
    (absorb open map64l $k:tt) => {
        $crate::kernel::table! { $k [absorb_pairs _ _ _ _ _]
        [keys: *const u64, values: *const u64, n: u32, lost: *mut u64]
        [keys, values, n, warpproof_device::Global::new(lost, 1)] }
    };
    (absorb $structure:ident $layout:ident $k:tt) => {
        $crate::kernel::table! { $k [absorb _ _ _ _ _]
        [slots: *const $crate::layout::$structure::$layout::Word, n: u32, lost: *mut u64]
        [slots, n, warpproof_device::Global::new(lost, 1)] }
    };
    (delete $structure:ident $layout:ident $k:tt) => {
        $crate::kernel::table! { $k [delete _]
        [keys: *const $crate::layout::$structure::$layout::Key, outcomes: *mut u8, n: u32] [keys, outcomes, n] }
    };
    (delete_all $structure:ident $layout:ident $k:tt) => {
        $crate::kernel::operation! { @number delete_all $structure $layout $k }
    };
    (count $structure:ident $layout:ident $k:tt) => {
        $crate::kernel::operation! { @number count $structure $layout $k }
    };
    (@number $op:ident $structure:ident $layout:ident $k:tt) => {
        $crate::kernel::table! { $k [$op _ _ _]
        [keys: *const $crate::layout::$structure::$layout::Key, counts: *mut u32, n: u32] [keys, counts, n] }
    };
    (search $structure:ident $layout:ident $k:tt) => {
        $crate::kernel::table! { $k [search _]
        [keys: *const $crate::layout::$structure::$layout::Key,
         values: *mut $crate::layout::$structure::$layout::Value, found: *mut u8,
         missing: $crate::layout::$structure::$layout::Value, n: u32]
        [keys, values, found, missing, n] }
    };
    (search_all $structure:ident $layout:ident $k:tt) => {
        $crate::kernel::table! { $k [search_all _ _ _]
        [keys: *const $crate::layout::$structure::$layout::Key, offsets: *const u64,
         values: *mut $crate::layout::$structure::$layout::Value, counts: *mut u32, n: u32]
        [keys, offsets, values, counts, n] }
    };
    (mixed $structure:ident $layout:ident $k:tt) => {
        $crate::kernel::operation! { @mixed mixed $structure $layout $k }
    };
    (mixed_left $structure:ident $layout:ident $k:tt) => {
        $crate::kernel::operation! { @mixed mixed_left $structure $layout $k }
    };
    (@mixed $op:ident $structure:ident $layout:ident $k:tt) => {
        $crate::kernel::table! { $k [$op _]
        [ops: *const u8, keys: *const $crate::layout::$structure::$layout::Key,
         values: *const $crate::layout::$structure::$layout::Value, outcomes: *mut u8,
         found: *mut $crate::layout::$structure::$layout::Value, n: u32]
        [ops, keys, values, outcomes, found, n] }
    };
    (stamped $structure:ident $layout:ident $k:tt) => {
        $crate::kernel::table! { $k [stamped _]
        [ops: *const u8, keys: *const $crate::layout::$structure::$layout::Key,
         values: *const $crate::layout::$structure::$layout::Value, outcomes: *mut u8,
         found: *mut $crate::layout::$structure::$layout::Value,
         clock: *mut u64, starts: *mut u64, ends: *mut u64, n: u32]
        [ops, keys, values, outcomes, found, warpproof_device::Global::new(clock, 1), starts, ends, n] }
    };
    (flush $structure:ident $layout:ident $k:tt) => {
        $crate::kernel::table! { $k [flush _ _ _] [freed: *mut u64] [warpproof_device::Global::new(freed, 1)] }
    };
    (stats slab $layout:ident $k:tt) => {
        $crate::kernel::table! { $k [stats _ _ _] [numbers: *mut u64]
        [warpproof_device::Global::new(numbers, $crate::entry::CHAIN_NUMBERS)] }
    };
    (stats hop $layout:ident $k:tt) => {
        $crate::kernel::table! { $k [distances { $crate::layout::hop::NUMBERS } _ _ _ _] [numbers: *mut u64]
        [warpproof_device::Global::new(numbers, $crate::layout::hop::NUMBERS)] }
    };
    (stats cuckoo $layout:ident $k:tt) => {
        $crate::kernel::operation! { stats open $layout $k }
    };
    (stats open $layout:ident $k:tt) => {
        $crate::kernel::table! { $k [taken _ _ _ _ _] [numbers: *mut u64]
        [warpproof_device::Global::new(numbers, $crate::entry::TAKEN_NUMBERS)] }
    };
    (collect open $layout:ident $k:tt) => {
        $crate::kernel::operation! { @retrieve_pairs WarpCounter open $layout $k }
    };
    (collect cuckoo $layout:ident $k:tt) => {
        $crate::kernel::operation! { @retrieve_pairs WarpCounter cuckoo $layout $k }
    };
    (collect_per_slot open $layout:ident $k:tt) => {
        $crate::kernel::operation! { @retrieve_pairs PerSlot open $layout $k }
    };
    (collect_shared_counter open $layout:ident $k:tt) => {
        $crate::kernel::operation! { @retrieve_pairs SharedCounter open $layout $k }
    };
    (collect_block_scan open $layout:ident $k:tt) => {
        $crate::kernel::operation! { @retrieve_pairs BlockScan open $layout $k }
    };
    (@retrieve_pairs $method:ident $structure:ident $layout:ident $k:tt) => {
        $crate::kernel::table! { $k [retrieve _ _ _ _ _ _]
        [keys: *mut $crate::layout::$structure::$layout::Key,
         values: *mut $crate::layout::$structure::$layout::Value, capacity: u64, total: *mut u64]
        [keys, values, capacity, warpproof_device::Global::new(total, 1), $crate::entry::$method] }
    };
    (collect_in_order open $layout:ident $k:tt) => {
        $crate::kernel::operation! { @retrieve_pairs_in_order open $layout $k }
    };
    (collect_in_order cuckoo $layout:ident $k:tt) => {
        $crate::kernel::operation! { @retrieve_pairs_in_order cuckoo $layout $k }
    };
    (@retrieve_pairs_in_order $structure:ident $layout:ident $k:tt) => {
        $crate::kernel::table! { $k [retrieve_in_order _ _ _ _ _]
        [keys: *mut $crate::layout::$structure::$layout::Key,
         values: *mut $crate::layout::$structure::$layout::Value, capacity: u64, total: *mut u64,
         chunks: *mut u64, chunks_len: usize]
        [keys, values, capacity, warpproof_device::Global::new(total, 1),
         warpproof_device::Global::new(chunks, chunks_len)] }
    };
    (collect $structure:ident $layout:ident $k:tt) => {
        $crate::kernel::table! { $k [collect _]
        [keys: *mut $crate::layout::$structure::$layout::Key,
         values: *mut $crate::layout::$structure::$layout::Value, capacity: u64, total: *mut u64]
        [keys, values, capacity, warpproof_device::Global::new(total, 1)] }
    };
}

/// What the table takes.
macro_rules! table {
    ([$name:ident slab map64l $($k:tt)*] $($rest:tt)*) => {
        $crate::kernel::table! { @lock [$name slab map64l $($k)*] $($rest)* }
    };
    ([$name:ident slab multi64l $($k:tt)*] $($rest:tt)*) => {
        $crate::kernel::table! { @lock [$name slab multi64l $($k)*] $($rest)* }
    };
    (@lock $k:tt $op:tt $parameters:tt $arguments:tt) => {
        $crate::kernel::emit! { $k $op
        [key_words: *mut u64, value_words: *mut u64, len: usize, bitmap: *mut u32, bitmap_len: usize,
         buckets: u32]
        [warpproof_model::slab::LockBitSlots::new(
             $crate::layout::store(key_words, len), $crate::layout::store(value_words, len)),
         $crate::layout::store(bitmap, bitmap_len), buckets]
        $parameters $arguments }
    };
    ([$name:ident slab $layout:ident $($k:tt)*] $op:tt $parameters:tt $arguments:tt) => {
        $crate::kernel::emit! { [$name slab $layout $($k)*] $op
        [words: *mut $crate::layout::slab::$layout::Word, len: usize, bitmap: *mut u32, bitmap_len: usize,
         buckets: u32]
        [warpproof_model::slab::PackedSlots::new($crate::layout::store(words, len)),
         $crate::layout::store(bitmap, bitmap_len), buckets]
        $parameters $arguments }
    };
    ([$name:ident hop $layout:ident $($k:tt)*] $op:tt $parameters:tt $arguments:tt) => {
        $crate::kernel::emit! { [$name hop $layout $($k)*] $op
        [words: *mut $crate::layout::hop::$layout::Word, len: usize, homes: u32]
        [$crate::layout::store(words, len), homes]
        $parameters $arguments }
    };
    ([$name:ident open map64l $($k:tt)*] $op:tt $parameters:tt $arguments:tt) => {
        $crate::kernel::emit! { [$name open map64l $($k)*] $op
        [key_words: *mut u64, value_words: *mut u64, len: usize, filter: *mut u32, filter_len: usize, buckets: u32]
        [warpproof_model::open::LockBitSlots::new(
             $crate::layout::store(key_words, len), $crate::layout::store(value_words, len)),
         warpproof_model::open::Passed::new($crate::layout::store(filter, filter_len)), buckets]
        $parameters $arguments }
    };
    ([$name:ident open $layout:ident $($k:tt)*] $op:tt $parameters:tt $arguments:tt) => {
        $crate::kernel::table! { @buckets [$name open $layout $($k)*] $op $parameters $arguments }
    };
    ([$name:ident cuckoo $layout:ident $($k:tt)*] $op:tt $parameters:tt $arguments:tt) => {
        $crate::kernel::table! { @buckets [$name cuckoo $layout $($k)*] $op $parameters $arguments }
    };
    (@buckets [$name:ident $structure:ident $layout:ident $($k:tt)*] $op:tt $parameters:tt $arguments:tt) => {
        $crate::kernel::emit! { [$name $structure $layout $($k)*] $op
        [words: *mut $crate::layout::$structure::$layout::Word, len: usize, filter: *mut u32, filter_len: usize,
         buckets: u32]
        [$crate::layout::store(words, len),
         $crate::layout::$structure::$layout::Filter::new($crate::layout::store(filter, filter_len)), buckets]
        $parameters $arguments }
    };
}

/// The entry point.
macro_rules! emit {
    ([$name:ident $structure:ident $layout:ident $l:literal $s:literal] [$op:ident $($inferred:tt)*]
     [$($table_parameter:tt)*] [$($table:tt)*] [$($parameter:tt)*] [$($argument:tt)*]) => {
        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn $name($($table_parameter)*, $($parameter)*) {
            // SAFETY: the launch keeps the contract of `entry::$op` and of the handles: lengths fit the arrays, and
            // the table's memory is accessed by kernels of this crate only.
            unsafe {
                let table = $crate::layout::$structure::$layout::Table::<$s>::new($($table)*);
                $crate::entry::$op::<$l, $($inferred),*>(table, $($argument)*)
            }
        }
    };
}

pub(crate) use {emit, kernel, operation, table};
