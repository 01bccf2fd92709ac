//! The warp contract as the compiler enforces it: what must not compile does not, with the stated error.
//!
//! The programs name nothing but the contract, so that their errors quote no source of this crate. After a
//! change of the compiler's wording: `TRYBUILD=overwrite cargo test -p warpproof-model --test contract`, and
//! read the difference.

#[test]
fn divergent_collectives_do_not_compile() {
    let cases = trybuild::TestCases::new();
    // The control: the same programs with the collective outside the closure.
    cases.pass("tests/compile_pass/*.rs");
    cases.compile_fail("tests/compile_fail/*.rs");
}
