//! Arbitrary bytes as a trace. There is never a panic. An error names its line and its field. A trace that is
//! accepted reads equal when it is written out again, and equals what a simple reader finds.
#![no_main]

use libfuzzer_sys::fuzz_target;
use warpproof::Op;
use warpproof::files::Trace;

fuzz_target!(|bytes: &[u8]| {
    let plain = !bytes.contains(&b'"');
    match Trace::parse(bytes) {
        Ok(trace) => {
            assert_eq!((trace.keys.len(), trace.values.len()), (trace.ops.len(), trace.ops.len()));
            assert_eq!(Trace::parse(written(&trace).as_bytes()).as_ref(), Ok(&trace));
            batches(&trace);
            if plain && let Ok(text) = std::str::from_utf8(bytes) {
                assert_eq!(simple(text), Ok(trace));
            }
        }
        Err(error) => {
            let lines = bytes.iter().filter(|b| b"\r\n".contains(b)).count() + 1;
            assert!((1..=lines).contains(&error.line), "{error}");
            let named = error.what.starts_with("field ") || error.what == "this line is not UTF-8 text";
            assert!(named, "{error}");
            if plain && let Ok(text) = std::str::from_utf8(bytes) {
                assert_eq!(simple(text), Err(error.line), "{error}");
            }
        }
    }
});

const NAMES: [(&str, Op, bool); 5] = [
    ("insert", Op::Insert, true),
    ("insert_unique", Op::InsertUnique, true),
    ("assign", Op::Assign, true),
    ("delete", Op::Delete, false),
    ("search", Op::Search, false),
];

fn written(trace: &Trace) -> String {
    let mut text = String::from("op,key,value\n");
    for (i, op) in trace.ops.iter().enumerate() {
        let (name, _, valued) = NAMES.iter().find(|(_, o, _)| o == op).expect("an operation of a trace");
        let value = if *valued { trace.values[i].to_string() } else { String::new() };
        text += &format!("{name},{},{value}\n", trace.keys[i]);
    }
    text
}

/// The batches are the trace, cut where a key comes again.
fn batches(trace: &Trace) {
    let batches = trace.batches();
    let joined: Vec<usize> = batches.iter().cloned().flatten().collect();
    assert!(joined.into_iter().eq(0..trace.ops.len()));
    for (i, batch) in batches.iter().enumerate() {
        let keys = &trace.keys[batch.clone()];
        let distinct: std::collections::HashSet<_> = keys.iter().collect();
        assert!(!keys.is_empty() && distinct.len() == keys.len());
        if let Some(next) = batches.get(i + 1) {
            assert!(keys.contains(&trace.keys[next.start]), "a batch could be longer");
        }
    }
}

/// A trace without quotes, or the first line that is wrong.
fn simple(text: &str) -> Result<Trace, usize> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut trace = Trace::default();
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    let rows = lines.split('\n').enumerate().filter(|(_, line)| !line.is_empty());
    for (number, (line, row)) in rows.enumerate() {
        let fields: Vec<&str> = row.split(',').map(str::trim).collect();
        if number == 0 && fields.starts_with(&["op", "key"]) {
            continue;
        }
        let op = NAMES.iter().find(|(name, ..)| *name == fields[0]);
        let key = fields.get(1).and_then(|f| f.parse::<u32>().ok());
        let value = match (op, fields.get(2).filter(|f| !f.is_empty())) {
            (Some((.., true)), Some(field)) => field.parse().ok(),
            (Some((.., false)), None) => Some(0),
            _ => None,
        };
        let (Some((_, op, _)), Some(key), Some(value), true) = (op, key, value, fields.len() <= 3) else {
            return Err(line + 1);
        };
        trace.ops.push(*op);
        trace.keys.push(key);
        trace.values.push(value);
    }
    Ok(trace)
}
