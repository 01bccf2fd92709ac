//! The macros that make entry points from the rows of the matrix: each adds its part, and `entry_point!` puts
//! the parts together.

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

/// The arguments of an operation after those of the table: `kernel! { TABLE [METHOD] (ARGUMENTS) }`.
///
/// The method of [`Launch`](crate::entry::Launch) takes these arguments, unless others follow them in
/// brackets. Arguments in braces are only for maps: the method of a set gets a value that means none.
macro_rules! operation {
    (insert_unique [$name:ident waitfree $($t:tt)*]) => {
        operation! { @put [$name waitfree $($t)*] [update::<UNIQUE>] }
    };
    (insert_or_assign [$name:ident waitfree $($t:tt)*]) => {
        operation! { @put [$name waitfree $($t)*] [update::<ASSIGN>] }
    };
    (delete [$name:ident waitfree $($t:tt)*]) => {
        kernel! { [$name waitfree $($t)*] [remove] (keys: In<Key>, outcomes: Out<u8>, n: Count) }
    };
    (search [$name:ident waitfree $($t:tt)*]) => { operation! { @search [$name waitfree $($t)*] [find] } };
    (mixed [$name:ident waitfree $($t:tt)*]) => {
        operation! { @mixed [$name waitfree $($t)*] [update_mixed] }
    };
    (mixed_counted $t:tt) => { operation! { @mixed $t [update_counted] } };
    (deferred [$name:ident waitfree $($t:tt)*]) => {
        operation! { @deferred [$name waitfree $($t)*] [update_deferred] }
    };
    (last $t:tt) => { operation! { @deferred $t [last] } };
    (stamped [$name:ident waitfree $($t:tt)*]) => {
        operation! { @stamped [$name waitfree $($t)*] [update_stamped] }
    };
    (stats [$name:ident waitfree $($t:tt)*]) => {
        operation! { @stats [$name waitfree $($t)*] [node_stats] }
    };
    (retrieve_all [$name:ident waitfree $($t:tt)*]) => {
        operation! { @retrieve_all [$name waitfree $($t)*] [retrieve_all_nodes] }
    };
    (reclaim $t:tt) => { kernel! { $t [reclaim] () } };

    (insert $t:tt) => { operation! { @put $t [insert] } };
    (insert_unique $t:tt) => { operation! { @put $t [put::<UNIQUE>] } };
    (insert_or_assign $t:tt) => { operation! { @put $t [put::<ASSIGN>] } };
    (insert_or_update [$name:ident open $kind:ident map32 $($t:tt)*]) => {
        operation! { @update [$name open $kind map32 $($t)*] [sum_or_update] }
    };
    (insert_or_update $t:tt) => { operation! { @update $t [insert_or_update] } };
    (@update $t:tt $method:tt) => {
        kernel! { $t $method
            (update: UpdateCode, keys: In<Key>, values: In<Value>, outcomes: Out<u8>, n: Count) }
    };
    (@put $t:tt $method:tt) => {
        kernel! { $t $method (keys: In<Key>, {values: In<Value>}, outcomes: Out<u8>, n: Count) }
    };
    (deferred $t:tt) => { operation! { @deferred $t [deferred] } };
    (@deferred $t:tt $method:tt) => {
        kernel! { $t $method
            (kind: u32, ops: MaybeIn<u8>, keys: In<Key>, {values: MaybeIn<Value>}, outcomes: Told,
             {found: MaybeOut<Value>}, n: Count)
            [Kinds::new(kind, ops), (keys, values), (outcomes, found), n] }
    };
    (absorb [$name:ident $structure:ident $kind:ident map64l $($t:tt)*]) => {
        kernel! { [$name $structure $kind map64l $($t)*] [absorb_pairs]
            (keys: In<Key>, values: In<Value>, n: Count, lost: Numbers<1>) [keys, values, n, lost.words()] }
    };
    (absorb $t:tt) => {
        kernel! { $t [absorb] (slots: In<Word>, n: Count, lost: Numbers<1>) [slots, n, lost.words()] }
    };
    (delete $t:tt) => { kernel! { $t [delete] (keys: In<Key>, outcomes: Out<u8>, n: Count) } };
    (delete_all $t:tt) => { kernel! { $t [delete_all] (keys: In<Key>, counts: Out<u32>, n: Count) } };
    (count $t:tt) => { kernel! { $t [count] (keys: In<Key>, counts: Out<u32>, n: Count) } };
    (search $t:tt) => { operation! { @search $t [search] } };
    (search_runs $t:tt) => { operation! { @search $t [search_runs] } };
    (sift $t:tt) => {
        kernel! { $t [sift]
            (keys: In<Key>, {values: MaybeOut<Value>}, found: MaybeOut<u8>, {missing: Value}, n: Count,
             to_keys: Array<Key>, to_numbers: Array<u32>, left: Array<u32>)
            [keys, values, found, missing, n, (to_keys, to_numbers, left)] }
    };
    (@search $t:tt $method:tt) => {
        kernel! { $t $method
            (keys: In<Key>, {values: MaybeOut<Value>}, found: MaybeOut<u8>, {missing: Value}, n: Count) }
    };
    (search_all $t:tt) => {
        kernel! { $t [search_all]
            (keys: In<Key>, offsets: Offsets, values: Array<Value>, counts: Out<u32>, n: Count) }
    };
    (mixed $t:tt) => { operation! { @mixed $t [mixed] } };
    (@mixed $t:tt $method:tt) => {
        kernel! { $t $method
            (ops: In<u8>, keys: In<Key>, values: In<Value>, outcomes: Out<u8>, found: Out<Value>, n: Count) }
    };
    (stamped $t:tt) => { operation! { @stamped $t [stamped] } };
    (@stamped $t:tt $method:tt) => {
        kernel! { $t $method
            (ops: In<u8>, keys: In<Key>, {values: In<Value>}, outcomes: Out<u8>, {found: MaybeOut<Value>},
             clock: Numbers<1>, starts: Out<u64>, ends: Out<u64>, n: Count)
            [ops, keys, values, outcomes, found, clock.words(), starts, ends, n] }
    };
    (flush $t:tt) => { kernel! { $t [flush] (freed: Numbers<1>) [freed.words()] } };
    (stats [$name:ident slab $($t:tt)*]) => { operation! { @stats [$name slab $($t)*] [chain_stats] } };
    (stats [$name:ident hop $($t:tt)*]) => { operation! { @stats [$name hop $($t)*] [group_stats] } };
    (stats $t:tt) => { operation! { @stats $t [stats] } };
    (@stats $t:tt $method:tt) => { kernel! { $t $method (numbers: Numbers<{ structure::NUMBERS }>) } };

    (retrieve_all [$name:ident slab $($t:tt)*]) => {
        operation! { @retrieve_all [$name slab $($t)*] [retrieve_all_parts] }
    };
    (retrieve_all [$name:ident hop $($t:tt)*]) => {
        operation! { @retrieve_all [$name hop $($t)*] [retrieve_all_parts] }
    };
    (retrieve_all $t:tt) => { operation! { @retrieve_all $t [retrieve_all] WarpCounter } };
    (retrieve_all_per_slot $t:tt) => { operation! { @retrieve_all $t [retrieve_all] PerSlot } };
    (retrieve_all_shared_counter $t:tt) => { operation! { @retrieve_all $t [retrieve_all] SharedCounter } };
    (retrieve_all_block_scan $t:tt) => { operation! { @retrieve_all $t [retrieve_all] BlockScan } };
    (@retrieve_all $t:tt $method:tt $($how:ident)?) => {
        kernel! { $t $method
            (keys: Array<Key>, {values: Array<Value>}, capacity: u64, total: Numbers<1>)
            [Columns { keys, values, room: capacity }, total.words() $(, $how)?] }
    };
    (retrieve_all_in_order $t:tt) => {
        kernel! { $t [retrieve_all_in_order]
            (keys: Array<Key>, {values: Array<Value>}, capacity: u64, total: Numbers<1>,
             chunks: Array<u64>, chunks_len: usize)
            [Columns { keys, values, room: capacity }, total.words(), chunks.words(chunks_len)] }
    };

    (scatter $t:tt) => {
        kernel! { $t [scatter]
            (keys: In<Key>, {values: In<Value>}, n: Count, fan: u32, shift: u32,
             to: Array<Word>, to_len: usize, taken: Array<u32>, bins: usize, room: u32,
             tally: Numbers<TALLY>, to_numbers: Array<u32>, outcomes: Array<u8>, told: usize)
            [entries_of::<Entry>(keys, values, n), (fan, shift),
             bins_of((to, to_numbers, to_len), taken.words(bins), room),
             (tally.words(), outcomes_of(outcomes, told))] }
    };
    (scatter_again $t:tt) => {
        kernel! { $t [scatter_again]
            (from: Array<Word>, from_len: usize, from_taken: Array<u32>, from_bins: usize, from_room: u32,
             parts: u32, fan: u32, shift: u32,
             to: Array<Word>, to_len: usize, taken: Array<u32>, bins: usize, room: u32,
             tally: Numbers<TALLY>, from_numbers: Array<u32>, to_numbers: Array<u32>,
             outcomes: Array<u8>, told: usize)
            [bins_of((from, from_numbers, from_len), from_taken.words(from_bins), from_room), parts,
             (fan, shift), bins_of((to, to_numbers, to_len), taken.words(bins), room),
             (tally.words(), outcomes_of(outcomes, told))] }
    };
    (fill $t:tt) => {
        kernel! { $t [fill]
            (shift: u32, words: Array<Word>, words_len: usize, taken: Array<u32>,
             overflow: Array<Word>, overflow_taken: Array<u32>, bins: usize, room: u32,
             tally: Numbers<TALLY>, numbers: Array<u32>, overflow_numbers: Array<u32>,
             outcomes: Array<u8>, told: usize)
            [shift, (bins_of((words, numbers, words_len), taken.words(bins), room),
             bins_of((overflow, overflow_numbers, words_len), overflow_taken.words(bins), room)),
             (tally.words(), outcomes_of(outcomes, told))] }
    };
    (insert_overflow $t:tt) => {
        kernel! { $t [insert_overflow]
            (overflow: Array<Word>, overflow_len: usize, taken: Array<u32>, bins: usize, room: u32,
             tally: Numbers<TALLY>, numbers: Array<u32>, outcomes: Array<u8>, told: usize)
            [bins_of((overflow, numbers, overflow_len), taken.words(bins), room),
             (tally.words(), outcomes_of(outcomes, told))] }
    };
    (insert_lost $t:tt) => {
        kernel! { $t [insert_lost]
            (keys: In<Key>, {values: In<Value>}, n: Count, blocks: u32,
             tally: Numbers<TALLY>, outcomes: Array<u8>, told: usize)
            [entries_of::<Entry>(keys, values, n), blocks, (tally.words(), outcomes_of(outcomes, told))] }
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

/// The parts of a layout: its slots, its entry, and whether a table may hold a key more than once. Layouts in
/// 128-bit words are in modules of their own, for GPUs that have such words.
macro_rules! layout {
    (set32 $($rest:tt)*) => { layout! { @base packed $($rest)* Key32 Unique } };
    (set64 $($rest:tt)*) => { layout! { @base packed $($rest)* Key64 Unique } };
    (map32 $($rest:tt)*) => { layout! { @base packed $($rest)* Pair32 Unique } };
    (multi32 $($rest:tt)*) => { layout! { @base packed $($rest)* Pair32 Multi } };
    (map64l $($rest:tt)*) => { layout! { @base lock_word $($rest)* Pair64 Unique } };
    (multi64l $($rest:tt)*) => { layout! { @base lock_word $($rest)* Pair64 Multi } };
    (map64 $($rest:tt)*) => { layout! { @wide packed $($rest)* Pair64 Unique } };
    (multi64 $($rest:tt)*) => { layout! { @wide packed $($rest)* Pair64 Multi } };
    (@base $($rest:tt)*) => { #[cfg(not(feature = "b128"))] memory! { $($rest)* } };
    (@wide $($rest:tt)*) => { #[cfg(feature = "b128")] memory! { $($rest)* } };
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
