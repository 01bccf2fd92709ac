//! Bad input: errors name file, line and column, and the output is as it was.

use crate::program::{read, text, write};
use crate::{folder, warpproof};

const GOOD: &str = "k,v\n1,2\n";

#[test]
fn errors_name_file_line_and_column_and_leave_the_output_alone() {
    let join = &["join", "f.csv", "good.csv", "--on", "k,v"][..];
    let group = &["group", "f.csv", "--by", "k", "--sum", "v"][..];
    let dedup = &["dedup", "f.csv", "--by", "k"][..];
    let integer = &["dedup", "f.csv", "--by", "v,k", "--as", "integer"][..];
    for (args, content, parts) in [
        (join, "k,w\n1,2\n", &["f.csv:1:", "no column \"v\"", "k, w"][..]),
        (join, "k,v,v\n1,2,3\n", &["f.csv:1:", "two columns are named \"v\""]),
        (join, "k,v\n1,2\n\n3\n", &["f.csv:4:", "column 2", "1 cells, the header 2"]),
        (join, "", &["f.csv:1:", "no header"]),
        (group, "k,v\n1,2\n1,x\n", &["f.csv:3:", "column 2 (v)", "\"x\"", "not a number"]),
        (group, "k,v\n\"1\n\",2\n1,inf\n", &["f.csv:4:", "column 2 (v)", "\"inf\""]),
        (group, "v,k\r\n1e999,2\r\n", &["f.csv:2:", "column 1 (v)"]),
        (group, "k,w\n1,2\n", &["f.csv:1:", "no column \"v\""]),
        (dedup, "k,v\n1,\"2\n3,4\n", &["f.csv:2:", "never closed"]),
        (dedup, "K,v\n1,2\n", &["f.csv:1:", "no column \"k\""]),
        (integer, "k,v\n1,2\nx,2\n", &["f.csv:3:", "column 1 (k)", "not an integer"]),
        (integer, "k,v\n1,2\n1,2.0\n", &["f.csv:3:", "column 2 (v)", "not an integer"]),
    ] {
        let folder = folder("errors");
        write(&folder, "f.csv", content);
        write(&folder, "good.csv", GOOD);
        write(&folder, "out.csv", "as it was");
        let out = warpproof(&folder, &[args, &["-o", "out.csv"]].concat());
        let said = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {said}");
        for part in parts {
            assert!(said.contains(part), "{part:?} is not in {said:?}");
        }
        assert_eq!(read(&folder, "out.csv"), "as it was");
        assert_eq!(std::fs::read_dir(&folder).expect("readable").count(), 3, "a temporary file was left");
    }
}

#[test]
fn packed_files_that_are_broken_are_errors_with_their_name() {
    let folder = folder("broken");
    let rows: String = (0..3000).map(|row| format!("{row},{}\n", row * 7 % 1000)).collect();
    write(&folder, "good.csv", GOOD);
    write(&folder, "f.csv", format!("k,v\n{rows}"));
    for name in ["f.csv.gz", "f.csv.zst"] {
        let packed = warpproof(&folder, &["dedup", "f.csv", "-o", name]);
        assert!(packed.status.success(), "{}", text(&packed.stderr));
        let whole = std::fs::read(folder.join(name)).expect("it was written");
        let mut broken: Vec<Vec<u8>> =
            [5, 9, whole.len() / 2, whole.len() - 1].map(|cut| whole[..cut].to_vec()).into();
        // The checksum at the end.
        let mut wrong = whole.clone();
        let at = whole.len() - if name.ends_with("gz") { 6 } else { 2 };
        wrong[at] ^= 1;
        broken.push(wrong);
        broken.push([&whole[..], b"garbage"].concat());
        for (at, bytes) in broken.into_iter().enumerate() {
            write(&folder, name, bytes);
            for args in
                [&["join", "good.csv", name, "--on", "k"][..], &["group", name, "--by", "k", "--count"]]
            {
                let out = warpproof(&folder, &[args, &["-o", "out.csv"]].concat());
                assert_eq!(out.status.code(), Some(2), "{at}");
                let said = text(&out.stderr);
                assert!(
                    said.contains(&format!("{name}: broken ")) && !said.contains("panicked"),
                    "{at}: {said}"
                );
                assert!(!folder.join("out.csv").exists());
            }
        }
    }
}

#[test]
fn usage_that_makes_no_sense_is_an_error() {
    let folder = folder("usage");
    write(&folder, "f.csv", GOOD);
    for (args, why) in [
        (&["join", "f.csv", "f.csv"][..], "--on <COLUMNS>"),
        (&["join", "f.csv", "f.csv", "--on", "k="], "expected the name of a column"),
        (&["join", "f.csv", "f.csv", "--on", "k,k"], "column \"k\" is twice in the key"),
        (&["join", "f.csv", "f.csv", "--on", "k", "--how", "cross"], "inner"),
        (&["group", "f.csv", "--by", "k"], "--count"),
        (&["group", "f.csv", "--count"], "--by <COLUMNS>"),
        (&["dedup", "f.csv", "--by", "\"k"], "never closed"),
        (&["dedup", "f.csv", "--threads", "0"], "0 is not in 1"),
        (&["dedup", "f.csv", "--explain"], "--budget <BYTES>"),
        (&["dedup", "none.csv"], "none.csv"),
        (&["dedup", "f.csv", "-o", "no/such/folder/out.csv"], "no/such/folder"),
    ] {
        let out = warpproof(&folder, args);
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        assert!(text(&out.stderr).contains(why), "{args:?}: {}", text(&out.stderr));
    }
}
