//! Names for the arrays of a structure, and a test in one line.

/// Gives the arrays of a structure names: a type with a function for each, which takes the memory that
/// [`Subject::run`](crate::check::Subject::run) gets, and `arrays` for
/// [`Subject::arrays`](crate::check::Subject::arrays).
///
/// `name: w32 = words` declares words of 32 bits, `w64` and `w128` longer ones; `words` are their initial
/// values.
///
/// ```
/// use warpproof_simt::arrays;
///
/// arrays! {
///     /// The memory of a list.
///     List: head: w32 = vec![u32::MAX.into()], nodes: w64 = vec![0; 8]
/// }
/// assert_eq!(List::arrays()[1].initial.len(), 8);
/// ```
#[macro_export]
macro_rules! arrays {
    ($(#[$about:meta])* $vis:vis $name:ident: $($array:ident: $width:ident = $words:expr),+ $(,)?) => {
        $(#[$about])*
        $vis struct $name;

        const _: () = {
            #[allow(non_camel_case_types)]
            enum Number { $($array),+ }

            impl $name {
                /// The arrays before the preload.
                $vis fn arrays() -> ::std::vec::Vec<$crate::check::Array> {
                    ::std::vec![$($crate::check::Array::new(
                        ::core::stringify!($array),
                        $crate::arrays!(@bits $width),
                        $words,
                    )),+]
                }
                $(
                    /// The array of this name.
                    #[inline(always)]
                    $vis fn $array<M: $crate::check::Memory>(m: M) -> $crate::arrays!(@type $width M) {
                        m.$width(Number::$array as usize)
                    }
                )+
            }
        };
    };
    (@bits w32) => { 32 };
    (@bits w64) => { 64 };
    (@bits w128) => { 128 };
    (@type w32 $m:ident) => { $m::W32 };
    (@type w64 $m:ident) => { $m::W64 };
    (@type w128 $m:ident) => { $m::W128 };
}

/// For tests: explores scenarios of a user's structure as [`explore`](crate::own::explore) does, and panics
/// with the trace of the first violation.
///
/// ```should_panic
/// # use warpproof_model::spec::{Call, Counter, Op, Ret};
/// # use warpproof_model::{ReadOrder, Words, WriteOrder};
/// # use warpproof_simt::check::{Array, Memory, SimWarp, Subject};
/// # use warpproof_simt::{arrays, check, own::Suite};
/// # arrays! { Parts: count: w32 = vec![0] }
/// # #[derive(Clone)]
/// # struct Torn;
/// # impl Subject for Torn {
/// #     type Spec = Counter;
/// #     fn spec(&self) -> Counter { Counter }
/// #     fn arrays(&self) -> Vec<Array> { Parts::arrays() }
/// #     fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
/// #         Ret::Count(w.elect(0, || {
/// #             let seen = Parts::count(m).load(0, ReadOrder::Relaxed);
/// #             Parts::count(m).store(0, seen + call.value as u32, WriteOrder::Relaxed);
/// #             seen
/// #         }).into())
/// #     }
/// # }
/// // Torn is a counter whose additions read first and write later.
/// check!(Torn, Suite::new("torn", &[Op::InsertOrAdd]).pairs());
/// ```
#[macro_export]
macro_rules! check {
    ($subject:expr, $($scenarios:expr),+ $(,)?) => {
        match $crate::own::explore(&$subject, &[$($scenarios),+].concat()) {
            Ok(explored) => println!("{explored}"),
            Err(failed) => panic!("{failed}"),
        }
    };
}
