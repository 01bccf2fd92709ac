//! `warpproof museum` as a program, and a counterexample of an exhibit on its way through `warpproof replay`.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};
use warpproof::simt::check::{Linearization, Reduced, Unplaced, Violation, escape};
use warpproof::simt::engine::Options;
use warpproof::simt::explore::Explore;
use warpproof::simt::scenarios::slab;
use warpproof_museum::exhibits;

fn warpproof(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_warpproof")).args(args).output().expect("it starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn museum_finds_every_exhibit_and_its_twins_pass() {
    let out = warpproof(&["museum", "--json"]);
    let said = text(&out.stderr);
    let list: Value = serde_json::from_slice(&out.stdout).unwrap_or_else(|e| panic!("{e}: {said}"));
    let list = list.as_array().expect("a list");
    let ids: Vec<_> = list.iter().map(|line| line["id"].as_str().expect("a number")).collect();
    assert_eq!(ids, exhibits().iter().map(|exhibit| exhibit.id).collect::<Vec<_>>());
    for line in list {
        let mut fields: Vec<_> = line.as_object().expect("an object").keys().map(String::as_str).collect();
        fields.sort_unstable();
        assert_eq!(fields, ["executions", "found", "id", "steps", "twin_passes"]);
        assert_eq!((&line["found"], &line["twin_passes"]), (&true.into(), &true.into()), "{line}: {said}");
        assert!(line["executions"].as_u64().is_some_and(|n| n > 0), "{line}");
        assert!(line["steps"].as_u64().is_some_and(|n| n > 0), "{line}");
    }
    assert_eq!(out.status.code(), Some(0), "{said}");
}

/// The gallery has a line and a page for each exhibit, in plain words, and says what the words of memory are.
#[test]
fn the_gallery_has_a_page_for_every_exhibit() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("museum/gallery");
    let path = folder.to_str().expect("a plain path");
    let out = warpproof(&["museum", "--html", path]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert!(text(&out.stdout).contains(&format!("pages: {path}/index.html")), "{}", text(&out.stdout));
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("written");
    let index = read("index.html");
    for exhibit in exhibits() {
        let (name, plain) = (format!("exhibit-{}.html", exhibit.id), escape(exhibit.plain()));
        assert!(index.contains(&format!("<a href=\"{name}\">{plain}</a>")), "exhibit {}", exhibit.id);
        let page = read(&name);
        assert!(
            page.contains(&format!("<h1>Exhibit {}: {plain}</h1>", exhibit.id)),
            "exhibit {}",
            exhibit.id
        );
        assert!(
            !page.contains("<div class=\"about\">\n<p>Found by"),
            "exhibit {}: no words on it",
            exhibit.id
        );
        let outside =
            ["http:", "https:", "src=", "@import", "url(", "<link"].iter().find(|o| page.contains(**o));
        assert_eq!(outside, None, "exhibit {}", exhibit.id);
    }
    let second = read("exhibit-2.html");
    for link in [
        "<a href=\"exhibit-1.html\">\u{2190} exhibit 1</a>",
        "<a href=\"exhibit-3.html\">exhibit 3 \u{2192}</a>",
    ] {
        assert!(second.contains(link), "{link}");
    }
    // A folder that cannot be made.
    let out = warpproof(&["museum", "--html", &format!("{path}/index.html")]);
    assert_eq!(out.status.code(), Some(2), "{}", text(&out.stdout));
    assert!(text(&out.stderr).contains("index.html"), "{}", text(&out.stderr));
}

/// The violation of an exhibit, found and saved.
fn saved(id: &str, path: &Path) -> Violation {
    let exhibit = exhibits().into_iter().find(|exhibit| exhibit.id == id).expect("an exhibit of the list");
    let report =
        (exhibit.published)(&Explore, &exhibit.scenario, &Options::default()).expect("a scenario that fits");
    let violation = exhibit.found(&report).unwrap_or_else(|wrong| panic!("{wrong}"));
    violation.save(path).expect("the folder is writable");
    violation.clone()
}

#[test]
fn a_saved_counterexample_is_replayed_as_text_page_and_json() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    // Two warps; and a block of two warps with its barriers.
    for id in ["3", "22b", "6a", "28a", "33b"] {
        let (file, page) =
            (folder.join(format!("exhibit-{id}.json")), folder.join(format!("exhibit-{id}.html")));
        let violation = saved(id, &file);
        let (file, page) = (file.to_str().expect("a plain path"), page.to_str().expect("a plain path"));
        let out = warpproof(&["replay", file, "--html", page]);
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        assert_eq!(text(&out.stdout).trim_end(), violation.timeline().trim_end());
        let said = text(&out.stdout);
        let said: Vec<_> = said.split_whitespace().collect();
        for step in violation.steps.iter().filter(|step| !step.word.is_empty()) {
            assert!(step.word.split_whitespace().all(|part| said.iter().any(|word| word.contains(part))));
        }
        let page = std::fs::read_to_string(page).expect("written");
        assert_eq!(page.trim_end(), violation.to_html().trim_end());
        for sentence in violation.explanation() {
            assert!(page.contains(&escape(&sentence)), "exhibit {id}: {sentence}");
        }
        let steps = page.matches("<tr data-step=").count();
        assert!(steps > 0 && steps <= violation.steps.len(), "exhibit {id}");
        assert!(
            page.ends_with("</html>\n") && !page.contains("http:") && !page.contains("https:"),
            "exhibit {id}"
        );
        let out = warpproof(&["replay", file, "--json"]);
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        let again: Violation = serde_json::from_slice(&out.stdout).expect("a violation");
        assert_eq!(again, violation);
    }
}

/// With `--again` the scenario of one of this project's tables is explored again. If the code is right by
/// now, nothing is found.
#[test]
fn a_counterexample_is_explored_again() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join("again.json");
    let mut violation = saved("3", &file);
    let path = file.to_str().expect("a plain path");
    let out = warpproof(&["replay", path, "--again"]);
    assert_eq!(
        out.status.code(),
        Some(2),
        "an exhibit is no structure of the library: {}",
        text(&out.stderr)
    );
    violation.scenario = slab::quick().swap_remove(0);
    // Also if the search that found it ended soon.
    let sooner = Reduced { scenario: "x".into(), warps: 2, calls: 2, executions: 1, complete: true };
    for reduced in [None, Some(sooner)] {
        violation.context.reduced = reduced;
        violation.save(&file).expect("the folder is writable");
        let out = warpproof(&["replay", path, "--again"]);
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        assert!(text(&out.stderr).contains("explored again: passed"), "{}", text(&out.stderr));
    }
}

/// A file that was changed by hand names calls and warps that do not exist.
#[test]
fn a_counterexample_that_names_what_is_not_there_is_bad_input() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("inconsistent.json");
    let violation = saved("3", &file);
    let mut calls = violation.clone();
    calls.history.truncate(1);
    let end = calls.context.linearization.get_or_insert_with(|| Linearization {
        key: 5,
        before: String::new(),
        order: Vec::new(),
        rest: Vec::new(),
    });
    end.rest.push(Unplaced { event: 7, why: String::new(), due: true });
    let mut warps = violation;
    warps.steps[0].warp = 9;
    for (wrong, says) in [(calls, "names event"), (warps, "of warp 9")] {
        wrong.save(&file).expect("the folder is writable");
        for again in [&[][..], &["--again"]] {
            let out = warpproof(&[&["replay", file.to_str().expect("a plain path")], again].concat());
            assert_eq!(out.status.code(), Some(2), "{}", text(&out.stderr));
            assert!(text(&out.stderr).contains(says), "{}", text(&out.stderr));
        }
    }
}

/// Cut off anywhere, or with any byte changed, a counterexample is shown or refused, and nothing else.
#[test]
fn a_broken_counterexample_is_bad_input() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (file, page) = (folder.join("broken.json"), folder.join("broken.html"));
    saved("3", &file);
    let whole = std::fs::read(&file).expect("it was saved");
    let (path, page) = (file.to_str().expect("a plain path"), page.to_str().expect("a plain path"));
    let codes = |bytes: &[u8], codes: &[i32]| {
        std::fs::write(&file, bytes).expect("the folder is writable");
        std::fs::write(page, "as it was").expect("the folder is writable");
        let out = warpproof(&["replay", path, "--html", page]);
        let (code, said) = (out.status.code().expect("it was not killed"), text(&out.stderr));
        assert!(codes.contains(&code), "{code}: {said}");
        if code != 0 {
            assert!(said.contains("broken.json"), "{said}");
            assert_eq!(std::fs::read_to_string(page).expect("it is there"), "as it was");
        }
    };
    for at in (0..whole.len() - 1).step_by(whole.len() / 50) {
        codes(&whole[..at], &[2]);
        let mut changed = whole.clone();
        changed[at] ^= 1 << (at % 7);
        codes(&changed, &[0, 2]);
    }
    std::fs::write(&file, &whole).expect("the folder is writable");
    let out = warpproof(&["replay", path, "--html", "/dev/full"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("/dev/full: cannot write"), "{}", text(&out.stderr));
}
