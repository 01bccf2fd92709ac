//! The shapes that a structure is checked in. Each is compiled, so there is one list of them.

/// A list of shapes, and a function that makes the subject of a scenario by its shape. Its first lines name
/// the numbers of a shape, as fields of the configuration and as constants of the subject; the last but one
/// says what no such shape is.
macro_rules! shapes {
    (
        $(#[$about:meta])*
        $vis:vis const $shapes:ident: ($a:ident as $A:ident, $b:ident as $B:ident) =
            [$($(#[$cfg:meta])? ($x:literal, $y:literal)),* $(,)?];
        $other:literal;
        $fn_vis:vis fn $shaped:ident<$($kind:ident: $bound:ident),*> = $make:expr;
    ) => {
        $(#[$about])*
        $vis const $shapes: &[(u32, u32)] = &[$(($x, $y)),*];

        $fn_vis fn $shaped<$($kind: $bound),*>(scenario: &Scenario) -> $crate::scenarios::table::Made {
            let $crate::check::Config { $a, $b, .. } = scenario.config;
            match ($a, $b) {
                $($(#[$cfg])? ($x, $y) => {
                    const $A: usize = $x;
                    const $B: usize = $y;
                    Ok($make(scenario))
                })*
                _ => Err($crate::check::ScenarioError::Shape(format!($other, $shapes))),
            }
        }
    };
    (
        $(#[$about:meta])*
        $vis:vis const $shapes:ident: ($a:ident as $A:ident: $at:ty, $b:ident as $B:ident: $bt:ty, $c:ident as $C:ident: $ct:ty) =
            [$(($x:literal, $y:literal, $z:literal)),* $(,)?];
        $other:literal;
        $fn_vis:vis fn $shaped:ident<$($kind:ident: $bound:ident),*> = $make:expr;
    ) => {
        $(#[$about])*
        $vis const $shapes: &[(u32, u32, u32)] = &[$(($x, $y, $z)),*];

        $fn_vis fn $shaped<$($kind: $bound),*>(scenario: &Scenario) -> $crate::scenarios::table::Made {
            let $crate::check::Config { $a, $b, $c, .. } = scenario.config;
            match ($a, $b, $c) {
                $(($x, $y, $z) => {
                    const $A: $at = $x;
                    const $B: $bt = $y;
                    const $C: $ct = $z;
                    Ok($make(scenario))
                })*
                _ => Err($crate::check::ScenarioError::Shape(format!($other, $shapes))),
            }
        }
    };
}
pub(super) use shapes;
