//! The pages of counterexamples and checks in a browser: its buttons are clicked and its keys pressed.
//! Without a browser the tests say `skipped: no chromium`. `cargo xtask ci browser` runs them; pictures are
//! left in `target/tmp/browser`.

mod driver;

use driver::{Browser, NAMED};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use warpproof::simt::check::Violation;
use warpproof::simt::engine::Options;
use warpproof::simt::explore::Explore;
use warpproof_museum::exhibits;

/// A folder for pages and pictures, and a browser; nothing if there is none.
fn browser(name: &str) -> Option<(PathBuf, Browser)> {
    let Some(program) = driver::find() else {
        println!("skipped: no chromium ({NAMED} may name one)");
        return None;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser").join(name);
    std::fs::create_dir_all(&folder).expect("the folder is writable");
    let browser = Browser::start(&program, &folder);
    Some((folder, browser))
}

fn warpproof(args: &[&str]) {
    let out = Command::new(env!("CARGO_BIN_EXE_warpproof")).args(args).output().expect("it starts");
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
}

/// The counterexample of an exhibit.
fn counterexample(id: &str) -> Violation {
    let exhibit = exhibits().into_iter().find(|exhibit| exhibit.id == id).expect("an exhibit of the list");
    let report =
        (exhibit.published)(&Explore, &exhibit.scenario, &Options::default()).expect("a scenario that fits");
    exhibit.found(&report).unwrap_or_else(|wrong| panic!("{wrong}")).clone()
}

/// The words beside the steps: name, value, what marks it and what is noted there.
const MEMORY: &str = "(() => { let group = ''; const out = []; \
    for (const row of document.querySelectorAll('.words tbody tr')) { \
    if (row.dataset.word === undefined) { group = row.textContent; continue } const cell = row.querySelector('.value'); \
    out.push([group, row.cells[0].textContent, cell.querySelector('.held').textContent, \
    cell.className.replace('value', '').trim(), cell.querySelector('.note').textContent]) } return out })()";

/// A word as the page shows it.
struct Shown {
    value: String,
    marks: String,
    note: String,
}

/// The memory that the page shows, by the names of the trace.
fn memory(browser: &mut Browser, violation: &Violation) -> BTreeMap<String, Shown> {
    let rows: Vec<[String; 5]> = serde_json::from_value(browser.value(MEMORY)).expect("rows of five texts");
    let named = rows.into_iter().map(|[group, name, value, marks, note]| {
        let names = [format!("{group}, {name}"), format!("{group}{name}"), name];
        let known = |name: &&String| violation.context.memory.iter().any(|cell| cell.word == **name);
        let word = names.iter().find(known).unwrap_or_else(|| panic!("no word of the trace: {names:?}"));
        (word.clone(), Shown { value, marks, note })
    });
    named.collect()
}

/// Compares the page, after so many steps, with the trace.
fn compare(browser: &mut Browser, violation: &Violation, steps: usize) {
    let shown = memory(browser, violation);
    let now = steps.checked_sub(1).map(|at| &violation.steps[at]);
    for cell in &violation.context.memory {
        let Some(page) = shown.get(&cell.word) else { continue };
        let written = violation.steps[..steps].iter().rfind(|s| s.word == cell.word && s.new.is_some());
        let held = match written.and_then(|step| step.new.as_ref()) {
            _ if steps == violation.steps.len() => &cell.after,
            Some(new) => new,
            None => &cell.before,
        };
        assert_eq!(&page.value, held, "{} after step {steps}", cell.word);
        let here = now.filter(|step| step.word == cell.word);
        let marks = match here {
            None => "",
            Some(step) if step.new.is_some() => "changed",
            Some(step) if step.stale => "read old",
            Some(_) => "read",
        };
        assert_eq!(page.marks, marks, "{} after step {steps}", cell.word);
        if let Some(step) = here.filter(|step| step.stale) {
            assert_eq!(page.note, format!("old value read: {}", step.old));
        }
    }
    if let Some(step) = now.filter(|step| !step.word.is_empty()) {
        assert!(shown.contains_key(&step.word), "the page does not show {}", step.word);
        let told = text(browser, ".told");
        assert!(told.contains(&step.word) && told.contains(&format!("Warp {}", step.warp)), "{told}");
    }
}

fn text(browser: &mut Browser, selector: &str) -> String {
    let text = browser.value(&format!("document.querySelector({selector:?}).textContent"));
    text.as_str().expect("a text").to_string()
}

fn number(browser: &mut Browser, expression: &str) -> usize {
    browser.value(expression).as_u64().expect("a number") as usize
}

/// Takes a picture, keeps it and looks whether there is something to see.
fn look(browser: &mut Browser, to: &Path) {
    let picture = browser.picture();
    std::fs::write(to, driver::bytes(&picture)).expect("the folder is writable");
    let colours = browser.colours(&picture);
    assert!(colours > 20, "{} has {colours} colours: it is blank", to.display());
}

/// Nothing came from outside the page, and its script ran without an error.
fn alone(browser: &Browser) {
    assert!(!browser.requests.is_empty());
    for url in &browser.requests {
        let inside = ["file:", "data:", "about:"].iter().any(|scheme| url.starts_with(scheme));
        assert!(inside, "the page asked for {url}");
    }
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}

#[test]
#[ignore = "cargo xtask ci browser"]
fn keys_and_buttons_step_through_a_counterexample() {
    let Some((folder, mut browser)) = browser("steps") else { return };
    // A small one; one with old values that are read; a large one.
    for id in ["32", "7f", "20"] {
        let violation = counterexample(id);
        let page = folder.join(format!("exhibit-{id}.html"));
        std::fs::write(&page, violation.to_html()).expect("the folder is writable");
        browser.open(&page, "");
        let steps = violation.steps.len();
        assert_eq!(number(&mut browser, "document.querySelectorAll('tr[data-step]').length"), steps, "{id}");
        compare(&mut browser, &violation, 0);
        for step in 1..=steps {
            browser.press("ArrowRight", 39);
            assert_eq!(text(&mut browser, ".at"), format!("{step} of {steps}"));
            compare(&mut browser, &violation, step);
        }
        // At the end there is nothing more.
        browser.press("ArrowDown", 40);
        assert_eq!(text(&mut browser, ".at"), format!("{steps} of {steps}"));
        let shot = folder.join(format!("exhibit-{id}-end.png"));
        look(&mut browser, &shot);
        for (key, code, step) in
            [("ArrowLeft", 37, steps - 1), ("ArrowUp", 38, steps - 2), ("Home", 36, 0), ("End", 35, steps)]
        {
            browser.press(key, code);
            assert_eq!(text(&mut browser, ".at"), format!("{step} of {steps}"), "{key}");
            compare(&mut browser, &violation, step);
        }
        for (button, step) in [("back", steps - 1), ("first", 0), ("next", 1), ("next", 2), ("last", steps)] {
            browser.click(&format!("button.{button}"));
            assert_eq!(text(&mut browser, ".at"), format!("{step} of {steps}"), "{button}");
            compare(&mut browser, &violation, step);
        }
        browser.click("tr[data-step='3'] td");
        compare(&mut browser, &violation, 3);
        browser.open(&page, "#step-4");
        compare(&mut browser, &violation, 4);
        assert_eq!(number(&mut browser, "document.querySelectorAll('tr.now').length"), 1);
        look(&mut browser, &folder.join(format!("exhibit-{id}.png")));
    }
    alone(&browser);
}

#[test]
#[ignore = "cargo xtask ci browser"]
fn a_page_is_dark_where_the_user_wants_it_and_prints_all_of_it() {
    let Some((folder, mut browser)) = browser("print") else { return };
    let violation = counterexample("32");
    let page = folder.join("exhibit-32.html");
    std::fs::write(&page, violation.to_html()).expect("the folder is writable");
    browser.open(&page, "#step-2");
    let back = "getComputedStyle(document.body).backgroundColor";
    let mut backs = Vec::new();
    for scheme in ["light", "dark"] {
        let feature = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        browser.ask("Emulation.setEmulatedMedia", json!({ "features": feature }));
        backs.push(browser.value(back));
        look(&mut browser, &folder.join(format!("{scheme}.png")));
    }
    assert_eq!(backs[0], "rgb(255, 255, 255)");
    assert_ne!(backs[0], backs[1]);
    // A narrow window, as of a telephone, shows the same without scrolling sideways.
    let narrow = json!({ "width": 400, "height": 800, "deviceScaleFactor": 1, "mobile": false });
    browser.ask("Emulation.setDeviceMetricsOverride", narrow);
    assert_eq!(browser.value("document.documentElement.scrollWidth <= innerWidth"), true);
    look(&mut browser, &folder.join("narrow.png"));
    browser.ask("Emulation.clearDeviceMetricsOverride", json!({}));
    // On paper nothing is dark, faint or folded, and there is nothing to press.
    browser.click(".terms summary");
    let terms = "document.querySelector('.terms dd').checkVisibility()";
    assert_eq!(browser.value(terms), false);
    let dark = json!([{ "name": "prefers-color-scheme", "value": "dark" }]);
    browser.ask("Emulation.setEmulatedMedia", json!({ "media": "print", "features": dark }));
    assert_eq!((browser.value(back), browser.value(terms)), (backs[0].clone(), true.into()));
    let seen = "[...document.querySelectorAll('tr[data-step]')].every((row) => getComputedStyle(row).opacity === '1')";
    assert_eq!(browser.value(seen), true);
    assert_eq!(browser.value("document.querySelector('.controls').checkVisibility()"), false);
    look(&mut browser, &folder.join("paper.png"));
    let pdf = browser.ask("Page.printToPDF", json!({ "printBackground": true }));
    let pdf = driver::bytes(pdf["data"].as_str().expect("a document"));
    std::fs::write(folder.join("paper.pdf"), &pdf).expect("the folder is writable");
    assert!(pdf.starts_with(b"%PDF") && pdf.len() > 10_000, "{} bytes", pdf.len());
    assert_eq!(text(&mut browser, ".at"), format!("2 of {}", violation.steps.len()), "as it was before");
    alone(&browser);
}

#[test]
#[ignore = "cargo xtask ci browser"]
fn the_gallery_leads_to_every_exhibit() {
    let Some((folder, mut browser)) = browser("gallery") else { return };
    warpproof(&["museum", "--html", folder.to_str().expect("a plain path")]);
    let index = folder.join("index.html");
    let ids: Vec<_> = exhibits().iter().map(|exhibit| exhibit.id).collect();
    browser.open(&index, "");
    look(&mut browser, &folder.join("index.png"));
    let links = browser.value("[...document.querySelectorAll('tbody a')].map((a) => a.getAttribute('href'))");
    let expected: Vec<_> = ids.iter().map(|id| format!("exhibit-{id}.html")).collect();
    assert_eq!(links, json!(expected));
    browser.follow("tbody tr:nth-child(3) a");
    assert!(text(&mut browser, "h1").starts_with("Exhibit 2: "));
    for id in ids {
        browser.open(&folder.join(format!("exhibit-{id}.html")), "");
        let rows = number(&mut browser, "document.querySelectorAll('tr[data-step]').length");
        assert!(rows > 0 && text(&mut browser, "h1").starts_with(&format!("Exhibit {id}: ")), "exhibit {id}");
        browser.press("ArrowRight", 39);
        assert_eq!(text(&mut browser, ".at"), format!("1 of {rows}"), "exhibit {id}");
        browser.press("End", 35);
        let ends = "[...document.querySelectorAll('tr[data-word]')].every((row) => \
            row.dataset.after === row.querySelector('.held').textContent)";
        assert_eq!(browser.value(ends), true, "exhibit {id}");
        let wide = "document.documentElement.scrollWidth - innerWidth";
        assert!(browser.value(wide).as_i64() <= Some(0), "exhibit {id} is wider than the window");
    }
    alone(&browser);
}

#[test]
#[ignore = "cargo xtask ci browser"]
fn a_check_shows_its_summary_first_and_its_scenarios_fold_out() {
    let Some((folder, mut browser)) = browser("check") else { return };
    let page = folder.join("check.html");
    warpproof(&["check", "slab", "--html", page.to_str().expect("a plain path")]);
    browser.open(&page, "");
    look(&mut browser, &folder.join("check.png"));
    assert!(text(&mut browser, ".facts tr").contains("No violation"));
    let rows = number(&mut browser, "document.querySelectorAll('.group .scenarios tbody tr').length");
    let facts = browser.value("[...document.querySelectorAll('.facts td')].map((cell) => cell.textContent)");
    let facts = facts.to_string().replace(',', "");
    assert!(facts.contains(&format!("\"{rows}\"")), "{facts} {rows}");
    let shown = "[...document.querySelectorAll('tbody tr')].filter((row) => row.checkVisibility()).length";
    let before = number(&mut browser, shown);
    assert!(before < 15 && before < rows, "{before} rows are shown at first");
    browser.click(".group summary");
    let first = number(&mut browser, "document.querySelectorAll('.group:first-of-type tbody tr').length");
    assert_eq!(number(&mut browser, shown), before + first);
    assert_eq!(browser.value("document.querySelector('.group').open"), Value::Bool(true));
    look(&mut browser, &folder.join("check-open.png"));
    alone(&browser);
}
