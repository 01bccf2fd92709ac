//! The macros that make entry points from the rows of the matrix: each adds its part, and `entry_point!` puts
//! the parts together. Between these come `operation!` and `layout!`, which are beside the rows.

/// `tables! { STRUCTURE KIND [OPERATIONS]: LAYOUT SHAPE(LANES, SLOTS), ...; }`: every operation of every
/// table of the block.
///
/// `KIND` is `map` or `set`; `STRUCTURE` names a module of [`matrix`](crate::matrix), `LAYOUT` an arm of
/// `layout!`.
macro_rules! tables {
    ($($structure:ident $kind:ident $operations:tt:
        $($layout:ident $shape:ident($lanes:literal, $slots:literal)),+;)*) => {
        $($(each! { $operations $structure $kind $layout $shape $lanes $slots })+)*
    };
}

/// Every operation of a table.
macro_rules! each {
    ([$($operation:ident)*]
     $structure:ident $kind:ident $layout:ident $shape:ident $lanes:literal $slots:literal) => {
        $(operation! { $operation [$operation $structure $kind $layout $shape $lanes $slots] })*
    };
}

/// Removes the arguments that a set does not have.
macro_rules! kernel {
    ($t:tt $method:tt ($($own:ident: $type:ty $(, {$value:ident: $of:ty})*),*)) => {
        kernel! { $t $method ($($own: $type $(, {$value: $of})*),*) [$($own, $($value,)*)*] }
    };
    ([$name:ident $structure:ident map $layout:ident $($t:tt)*] $method:tt
     ($($own:ident: $type:ty $(, {$value:ident: $of:ty})*),*) $arguments:tt) => {
        layout! { $layout $structure [$structure $layout $name $($t)*] $method
            ($($own: $type, $($value: $of,)*)*) [] $arguments }
    };
    ([$name:ident $structure:ident set $layout:ident $($t:tt)*] $method:tt
     ($($own:ident: $type:ty $(, {$value:ident: $of:ty})*),*) $arguments:tt) => {
        layout! { $layout $structure [$structure $layout $name $($t)*] $method
            ($($own: $type,)*) [$($(let $value = <$of>::NONE;)*)*] $arguments }
    };
}

/// The arguments of a table, and the function of its structure's layouts that makes it from them.
macro_rules! memory {
    (packed hop $($rest:tt)*) => {
        entry_point! { (words: *mut Word, len: usize, homes: u32, mask: u64, factor: u64)
            packed::<Entry>(slots(words, len), homes, Seed::from_words([mask, factor])) $($rest)* }
    };
    (packed waitfree $($rest:tt)*) => {
        entry_point! { (nodes: *mut Word, nodes_len: usize, requests: *mut Word, heads: *mut u64, buckets: usize,
            announcements: *mut u64, stashes: *mut u64, warps: usize,
            used: *mut u32, retired: *mut u32, states: usize, stash: u32, mask: u64, factor: u64)
            packed::<Entry>(slots(nodes, nodes_len), store(requests, warps),
                [store(heads, buckets), store(announcements, warps), store(stashes, warps)],
                [store(used, states), store(retired, states)], stash, Seed::from_words([mask, factor]))
            $($rest)* }
    };
    (packed paged $($rest:tt)*) => {
        entry_point! { (heads: *const u64, children: u32, of_mask: u64, of_factor: u64,
            len: usize, filter_len: usize, buckets: u32)
            packed::<Entry>(heads, (children, Seed::from_words([of_mask, of_factor])), (len, filter_len, buckets))
            $($rest)* }
    };
    (packed board $($rest:tt)*) => {
        entry_point! { (heads: *const u64, children: u32, of_mask: u64, of_factor: u64,
            len: usize, board: *mut u32, buckets: u32)
            packed::<Entry>(heads, (children, Seed::from_words([of_mask, of_factor])), (len, board, buckets))
            $($rest)* }
    };
    (lock_word paged $($rest:tt)*) => {
        entry_point! { (heads: *const u64, children: u32, of_mask: u64, of_factor: u64,
            len: usize, filter_len: usize, buckets: u32)
            lock_word::<>(heads, (children, Seed::from_words([of_mask, of_factor])), (len, filter_len, buckets))
            $($rest)* }
    };
    (packed open $($rest:tt)*) => {
        entry_point! { (words: *mut Word, len: usize, beside: *mut u32, beside_len: usize, buckets: u32,
            mask: u64, factor: u64)
            packed::<Entry>(slots(words, len), structure::filter::<Entry>(BUCKET, store(beside, beside_len), buckets),
                buckets, Seed::from_words([mask, factor]))
            $($rest)* }
    };
    (packed slab $($rest:tt)*) => { memory! { @packed store $($rest)* } };
    (packed $structure:ident $($rest:tt)*) => { memory! { @packed slots $($rest)* } };
    (@packed $slots:ident $($rest:tt)*) => {
        entry_point! { (words: *mut Word, len: usize, beside: *mut u32, beside_len: usize, buckets: u32,
            mask: u64, factor: u64)
            packed::<Entry>($slots(words, len), store(beside, beside_len), buckets,
                Seed::from_words([mask, factor]))
            $($rest)* }
    };
    (lock_word slab $($rest:tt)*) => { memory! { @lock_word stores $($rest)* } };
    (lock_word $structure:ident $($rest:tt)*) => { memory! { @lock_word lock_word_slots $($rest)* } };
    (@lock_word $slots:ident $($rest:tt)*) => {
        entry_point! { (key_words: *mut u64, value_words: *mut u64, len: usize,
            beside: *mut u32, beside_len: usize, buckets: u32, mask: u64, factor: u64)
            lock_word::<>($slots(key_words, value_words, len), store(beside, beside_len), buckets,
                Seed::from_words([mask, factor]))
            $($rest)* }
    };
}

/// The entry point `STRUCTURE_LAYOUT_OPERATION_SHAPE`.
macro_rules! entry_point {
    (($($memory:ident: $of:ty),*) $table:ident::<$($of_entry:ident)?>($($handle:expr),*)
     [$structure:ident $layout:ident $name:ident $shape:ident $lanes:literal $slots:literal] [$($method:tt)*]
     ($($own:ident: $type:ty,)*) [$($no_values:tt)*] [$($argument:tt)*] $entry:ident $multiplicity:ident) => {
        #[allow(dead_code, unused_imports, reason = "no operation takes them all")]
        const _: () = {
            use $crate::entry::*;
            use $crate::store::{lock_word_slots, slots, store, stores};
            use $crate::matrix::$structure as structure;
            use warpproof_model::Seed;
            use warpproof_model::entry::{Packed, $entry as Entry};
            use warpproof_model::slab::$multiplicity;
            type Key = <Entry as Packed>::Key;
            type Value = <Entry as Packed>::Value;
            type Word = <Entry as Packed>::Word;
            /// Slots of a bucket, or words of a group.
            const BUCKET: usize = $lanes * $slots;

            #[unsafe(no_mangle)]
            unsafe extern "ptx-kernel" fn ${concat($structure, _, $layout, _, $name, _, $shape)}(
                $($memory: $of,)* $($own: $type),*
            ) {
                $($no_values)*
                // SAFETY: the launch keeps the contract of `Launch::new`, of the method and of the handles:
                // lengths fit the arrays, and the table's memory is accessed by kernels of this crate only.
                unsafe {
                    let table = structure::$table::<$($of_entry,)? $multiplicity, $slots>($($handle),*);
                    Launch::<$lanes, _>::new(table).$($method)*($($argument)*)
                }
            }
        };
    };
}
