//! simt/UNSEEN.md lists the places outside of the model where threads synchronize: no engine explores them.
//! The test of this module compares the list with the sources.

use crate::shell::{Outcome, output, read, root};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::collections::BTreeMap;
use std::process::Command;

/// The folders of the backends.
const SOURCES: [&str; 4] = ["simt/src/cpu", "gpu/src", "gpu/kernels/src", "gpu/device/src"];

/// How many places of each kind a file has.
type Places = BTreeMap<&'static str, u32>;

/// The files with such places, as the list names them.
fn found() -> Outcome<Vec<(String, String)>> {
    let files = output(Command::new("git").current_dir(root()).arg("ls-files").args(SOURCES))?;
    let mut found = Vec::new();
    for file in files.lines().filter(|file| file.ends_with(".rs") && !file.ends_with("tests.rs")) {
        let tokens: TokenStream =
            read(&root().join(file))?.parse().map_err(|error| format!("{file}: {error}"))?;
        let mut places = Places::new();
        count(tokens, &mut places);
        if !places.is_empty() {
            let places: Vec<_> = places.iter().map(|(kind, number)| format!("{number} {kind}")).collect();
            found.push((file.to_owned(), places.join(", ")));
        }
    }
    Ok(found)
}

/// Counts the places in tokens, outside of tests, including macros. An import does not count.
fn count(tokens: TokenStream, places: &mut Places) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |at: Option<usize>, text: &str| {
        at.and_then(|at| tokens.get(at)).is_some_and(|token| token.to_string() == text)
    };
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let before = at.checked_sub(1);
        match token {
            TokenTree::Group(group) if is(before, "#") && is_test(group) => {
                at += tokens[at + 1..].iter().take_while(|token| !ends_item(token)).count() + 1;
            }
            TokenTree::Group(group) => count(group.stream(), places),
            TokenTree::Ident(word) if word == "use" => {
                at += tokens[at..].iter().take_while(|token| token.to_string() != ";").count();
            }
            TokenTree::Ident(word) if !is(before, "fn") => {
                let after = |text| is(Some(at + 1), text);
                let called = matches!(tokens.get(at + 1), Some(TokenTree::Group(_)));
                if let Some(kind) =
                    kind(&word.to_string(), (is(before, "."), is(before, "*")), called, after("!"))
                {
                    *places.entry(kind).or_default() += 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// The kind of place that a word is. Its context decides: whether a point or an asterisk is before it, and
/// whether arguments or the mark of a macro follow.
fn kind(word: &str, (method, pointer): (bool, bool), called: bool, is_macro: bool) -> Option<&'static str> {
    let atomic = word.strip_prefix("Atomic").is_some_and(|rest| rest.starts_with(|c: char| c.is_uppercase()));
    Some(match word {
        "fetch_add" | "fetch_sub" | "fetch_or" | "fetch_and" | "compare_exchange" if called => "atomic",
        "load" | "store" | "load_row" | "store_row" if method && called => "atomic",
        _ if atomic => "atomic",
        "fence" | "fence_acquire" if called => "fence",
        "asm" | "global_asm" if is_macro => "asm",
        _ if word.contains("volatile") => "volatile",
        "UnsafeCell" | "MaybeUninit" => "cell",
        "mut" | "const" if pointer => "pointer",
        "Mutex" | "RwLock" | "Condvar" | "OnceLock" | "LazyLock" | "Barrier" => "lock",
        "spawn" | "spawn_scoped" | "into_par_iter" | "yield_now" if called => "thread",
        _ if word.starts_with("par_") && called => "thread",
        _ => return None,
    })
}

fn is_test(group: &Group) -> bool {
    group.stream().to_string().replace(' ', "").starts_with("cfg(test)")
}

fn ends_item(token: &TokenTree) -> bool {
    match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        token => token.to_string() == ";",
    }
}

/// The rows of the list: the file, its places, and whether the row says what sees them.
fn listed(text: &str) -> Vec<(String, String, bool)> {
    let is_row = |line: &&str| SOURCES.iter().any(|folder| line.starts_with(&format!("| `{folder}/")));
    let rows = text.lines().filter(is_row);
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let said = cells.len() == 4 && cells[2..].iter().all(|cell| !cell.is_empty());
        let cell = |at: usize| cells.get(at).copied().unwrap_or_default().trim_matches('`').to_owned();
        (cell(0), cell(1), said)
    })
    .collect()
}

#[test]
fn what_no_engine_sees_is_listed() {
    let found = found().unwrap();
    let listed = listed(&read(&root().join("simt/UNSEEN.md")).unwrap());
    let silent: Vec<_> = listed.iter().filter(|row| !row.2).map(|row| &row.0).collect();
    assert!(
        silent.is_empty(),
        "simt/UNSEEN.md has no text for these files (what they do, and what tests them): {silent:?}"
    );
    let known: Vec<_> = listed.into_iter().map(|(file, places, _)| (file, places)).collect();
    let missing: Vec<_> = found.iter().filter(|row| !known.contains(row)).collect();
    let gone: Vec<_> = known.iter().filter(|row| !found.contains(row)).collect();
    assert!(
        missing.is_empty() && gone.is_empty(),
        "simt/UNSEEN.md must list {missing:#?}, and must not list {gone:#?}, which do not exist"
    );
    let once: std::collections::BTreeSet<_> = known.iter().collect();
    assert_eq!(once.len(), known.len(), "a file has one row");
}

#[test]
fn places_are_code_outside_of_tests() {
    let text = "use std::sync::Mutex;\n// Mutex\nfn fence() { fence(order); let s = \"asm!\"; }\n\
                macro_rules! m { () => { a.load(b, c); asm!(\"x\"); } }\nstruct S { p: *const u8, m: Mutex<AtomicU32> }\n\
                #[cfg(test)]\nmod tests { fn f() { a.fetch_add(1); } }\nfn g() { load(x); v.par_chunks(3); }";
    let mut places = Places::new();
    count(text.parse().unwrap(), &mut places);
    let expected = [("asm", 1), ("atomic", 2), ("fence", 1), ("lock", 1), ("pointer", 1), ("thread", 1)];
    assert_eq!(places, Places::from(expected));
}
