//! `warpproof completions` and `warpproof man`.

use program::{read, text};
use std::process::Command;

#[path = "support/program.rs"]
mod program;

/// Each shell's own parser takes them, if it is there; all know the commands and an option.
#[test]
fn completions_are_for_each_shell() {
    let folder = program::folder("completions");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let out = program::warpproof(&folder).args(["completions", shell]).output().expect("it starts");
        assert!(out.status.success(), "{}", text(&out.stderr));
        let script = text(&out.stdout);
        for word in ["kmers", "join", "min-count"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
        assert!(!script.contains("worker"), "{shell}: a command that is not for people");
        program::write(&folder, shell, script.as_bytes());
    }
    let parsed =
        Command::new("bash").current_dir(&folder).args(["-n", "bash"]).output().expect("bash is there");
    assert!(parsed.status.success(), "{}", text(&parsed.stderr));
    let out = program::warpproof(&folder).args(["completions", "none"]).output().expect("it starts");
    assert_eq!(out.status.code(), Some(2));
}

#[test]
fn each_command_has_a_manual_page() {
    let folder = program::folder("man");
    let out = program::warpproof(&folder).args(["man", "new/man1"]).output().expect("it starts");
    assert!(out.status.success(), "{}", text(&out.stderr));
    let pages = std::fs::read_dir(folder.join("new/man1")).expect("it was made");
    let mut names: Vec<String> =
        pages.map(|page| page.expect("readable").file_name().to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    assert!(
        names.contains(&"warpproof.1".into()) && names.contains(&"warpproof-kmers.1".into()),
        "{names:?}"
    );
    assert!(!names.iter().any(|name| name.contains("worker") || name.contains("help")), "{names:?}");
    let page = read(&folder, "new/man1/warpproof-kmers.1");
    assert!(page.contains(".TH warpproof-kmers 1") && page.contains("histogram"), "{page}");
    // A file is where the folder should be.
    program::write(&folder, "taken", b"");
    let out = program::warpproof(&folder).args(["man", "taken"]).output().expect("it starts");
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("taken"), "{}", text(&out.stderr));
}
