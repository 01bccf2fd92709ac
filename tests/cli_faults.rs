//! Faults around the program: signals, full disks, closed and shared outputs, pipes. An output file is either
//! the old or the new one, complete, with its former mode. A run that ends in an error reports it.
#![cfg(target_os = "linux")]

#[path = "support/program.rs"]
mod program;

use program::{folder, read, text, warpproof, write};
use std::fs::{File, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// The arguments of a join of the files of [`joined`].
const JOIN: [&str; 7] = ["join", "l.csv", "r.csv", "--on", "k", "--backend", "cpu"];

/// The result of that join if each file has one row.
const ROWS: &str = "k,a,b\n5,0,0\n";

/// A folder with an output and two files of this many rows with one key. Their join has the square of that
/// number of rows.
fn joined(test: &str, rows: usize) -> PathBuf {
    let folder = folder(&format!("faults_{test}"));
    for (file, column) in [("l.csv", 'a'), ("r.csv", 'b')] {
        let rows: String = (0..rows).map(|row| format!("5,{row}\n")).collect();
        write(&folder, file, format!("k,{column}\n{rows}"));
    }
    write(&folder, "out.csv", "as it was");
    folder
}

/// The program, started by a shell that does something first. `"$@"` is the program and its arguments.
fn shell(folder: &Path, script: &str, args: &[&str]) -> Command {
    let mut shell = Command::new("sh");
    shell.current_dir(folder).args(["-c", script, "sh", env!("CARGO_BIN_EXE_warpproof")]).args(args);
    shell
}

/// Files in a folder that have no name of their own yet.
fn unfinished(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).expect("readable").map(|file| file.expect("readable").path());
    let is_unfinished = |file: &PathBuf| {
        file.file_name().is_some_and(|name| text(name.as_encoded_bytes()).starts_with(".warpproof-"))
    };
    files.filter(is_unfinished).collect()
}

/// Waits until the program has begun to write its output.
fn wait_until_it_writes(child: &mut Child, folder: &Path) {
    let writes = || unfinished(folder).iter().any(|file| file.metadata().is_ok_and(|found| found.len() > 0));
    while !writes() {
        assert!(child.try_wait().expect("a child").is_none(), "it ended before it was to be disturbed");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn send(signal: &str, child: &Child) {
    let kill = Command::new("sh").args(["-c", &format!("kill -s {signal} {}", child.id())]).status();
    assert!(kill.expect("a shell").success());
}

fn failed(out: &Output, says: &str) {
    assert_eq!(out.status.code(), Some(2), "{}", text(&out.stderr));
    assert!(text(&out.stderr).contains(says), "{says:?} is not in {:?}", text(&out.stderr));
}

#[test]
fn a_signal_leaves_the_old_output_and_no_other_file() {
    let folder = joined("signals", 3000);
    for (signal, number) in [("HUP", 1), ("INT", 2), ("QUIT", 3), ("TERM", 15), ("XCPU", 24)] {
        if is_ignored(number) {
            println!("skipped: SIG{signal} is ignored here, as a shell does for what runs in its background");
            continue;
        }
        let mut child = warpproof(&folder).args(JOIN).args(["-o", "out.csv"]).spawn().expect("it starts");
        wait_until_it_writes(&mut child, &folder);
        send(signal, &child);
        let ended = child.wait().expect("a child");
        // The parent process sees the signal, as with any program.
        assert_eq!(ended.signal(), Some(number as i32), "{signal}: {ended}");
        assert_eq!(read(&folder, "out.csv"), "as it was", "{signal}");
        assert!(unfinished(&folder).is_empty(), "{signal}");
    }
}

/// Whether this process, and so its children, ignore a signal.
fn is_ignored(number: u32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.is_some_and(|mask| {
        u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask >> (number - 1) & 1 == 1)
    })
}

/// Nothing can be done about SIGKILL: a file with a name of its own may stay, the output is as it was.
#[test]
fn a_kill_at_any_time_leaves_the_old_output() {
    let folder = joined("kill", 3000);
    for delay in [0, 1, 2, 5, 10, 20, 50, 100] {
        let mut child = warpproof(&folder).args(JOIN).args(["-o", "out.csv"]).spawn().expect("it starts");
        wait_until_it_writes(&mut child, &folder);
        std::thread::sleep(Duration::from_millis(delay));
        child.kill().expect("it runs");
        assert_eq!(child.wait().expect("a child").signal(), Some(9), "after {delay} ms");
        assert_eq!(read(&folder, "out.csv"), "as it was", "after {delay} ms");
        let left = unfinished(&folder);
        assert!(left.len() <= 1, "{left:?}");
        left.iter().for_each(|file| std::fs::remove_file(file).expect("it is there"));
    }
}

#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    let folder = joined("ignored", 1200);
    let args = [&JOIN[..], &["-o", "out.csv"]].concat();
    let mut child = shell(&folder, "trap '' INT HUP; exec \"$@\"", &args).spawn().expect("a shell");
    wait_until_it_writes(&mut child, &folder);
    send("INT", &child);
    send("HUP", &child);
    assert!(child.wait().expect("a child").success());
    assert_eq!(read(&folder, "out.csv").lines().count(), 1 + 1200 * 1200);
}

#[test]
fn a_file_that_may_not_grow_leaves_the_old_output() {
    let folder = joined("limit", 1000);
    let args = [&JOIN[..], &["-o", "out.csv"]].concat();
    let out = shell(&folder, "ulimit -f 100; exec \"$@\"", &args).output().expect("a shell");
    // The signal ends the program, or the error of the write that comes with it.
    assert!(out.status.signal() == Some(25) || out.status.code() == Some(2), "{}", out.status);
    assert_eq!(read(&folder, "out.csv"), "as it was");
    assert!(unfinished(&folder).is_empty());
}

#[test]
fn a_stdout_that_is_closed_is_an_error() {
    let folder = joined("closed", 1);
    write(&folder, "a.fa", ">a\nACGT\n");
    let kmers = ["kmers", "a.fa", "-k", "3", "--backend", "cpu"];
    for args in [&["list"][..], &JOIN, &kmers, &[&JOIN[..], &["-o", "/dev/stdout"]].concat()] {
        let out = shell(&folder, "exec \"$@\" >&-", args).output().expect("a shell");
        failed(&out, "Bad file descriptor");
    }
    // Nothing is to be printed here.
    let args = [&JOIN[..], &["-o", "out.csv"]].concat();
    let out = shell(&folder, "exec \"$@\" >&-", &args).output().expect("a shell");
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert_eq!(read(&folder, "out.csv"), ROWS);
    // Nor is this one closed.
    let null = File::options().read(true).write(true).open("/dev/null").expect("a device");
    assert!(warpproof(&folder).arg("list").stdout(null).status().expect("it starts").success());
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = joined("reader", 1500);
    let mut child = warpproof(&folder).args(JOIN).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut some = [0; 100];
    child.stdout.take().expect("a pipe").read_exact(&mut some).expect("the first rows");
    assert!(child.wait().expect("a child").success());
}

#[test]
fn a_full_device_is_an_error() {
    let folder = joined("full", 1);
    let full = || File::options().write(true).open("/dev/full").expect("a device");
    for args in [&["list"][..], &JOIN] {
        failed(&warpproof(&folder).args(args).stdout(full()).output().expect("it starts"), "No space left");
    }
    let out = warpproof(&folder).args(JOIN).args(["-o", "/dev/full"]).output().expect("it starts");
    failed(&out, "/dev/full: cannot write: No space left");
}

#[test]
fn an_input_that_cannot_be_read_is_named() {
    // Nothing lies at address 0: a read there ends in EIO.
    let broken = "/proc/self/mem";
    let folder = joined("broken", 1);
    let trace = ["run", "open", "--trace", broken, "--backend", "cpu"];
    let kmers = ["kmers", broken, "-k", "3", "--backend", "cpu", "-o", "out.csv"];
    let mut join = [&JOIN[..], &["-o", "out.csv"]].concat();
    join[2] = broken;
    for args in [&trace[..], &kmers, &join, &["replay", broken]] {
        let out = warpproof(&folder).args(args).output().expect("it starts");
        failed(&out, broken);
        failed(&out, "Input/output error");
    }
    assert_eq!(read(&folder, "out.csv"), "as it was");
    assert!(unfinished(&folder).is_empty());
}

#[test]
fn memory_is_for_what_is_counted() {
    let folder = folder("faults_memory");
    let line = format!("{}\n", "ACGTTGCA".repeat(1 << 17));
    // 40 MiB of a sequence with four canonical k-mers. A table for as many as it has letters asks for 865 MB.
    write(&folder, "a.fa", format!(">a\n{}", line.repeat(40)));
    let args = ["kmers", "a.fa", "-k", "21", "--backend", "cpu", "-o", "out.tsv"];
    // Each thread that has an arena of its own takes 64 MiB of addresses.
    let limited = "ulimit -v 400000; MALLOC_ARENA_MAX=1 RAYON_NUM_THREADS=2 exec \"$@\"";
    let out = shell(&folder, limited, &args).output().expect("a shell");
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert_eq!(read(&folder, "out.tsv").lines().count(), 4);
}

#[test]
fn an_output_keeps_its_mode_and_a_link_stays_one() {
    let folder = joined("modes", 1);
    let mode =
        |file: &str| std::fs::metadata(folder.join(file)).expect("a file").permissions().mode() & 0o7777;
    std::fs::set_permissions(folder.join("out.csv"), Permissions::from_mode(0o640)).expect("the owner");
    std::os::unix::fs::symlink("out.csv", folder.join("link.csv")).expect("a link");
    for name in ["out.csv", "link.csv"] {
        let out = warpproof(&folder).args(JOIN).args(["-o", name]).output().expect("it starts");
        assert!(out.status.success(), "{}", text(&out.stderr));
        assert_eq!((mode("out.csv"), read(&folder, "out.csv")), (0o640, ROWS.to_owned()));
        write(&folder, "out.csv", "as it was");
    }
    assert!(std::fs::symlink_metadata(folder.join("link.csv")).expect("a link").is_symlink());
    let args = [&JOIN[..], &["-o", "new.csv"]].concat();
    assert!(shell(&folder, "umask 027; exec \"$@\"", &args).status().expect("a shell").success());
    assert_eq!(mode("new.csv"), 0o640);
}

/// An output that is shared with other programs works like a pipe: text before and after it stays.
#[test]
fn a_descriptor_goes_on_where_it_is() {
    let folder = joined("descriptor", 1);
    for descriptor in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        let mut all = File::create(folder.join("all")).expect("writable");
        all.write_all(b"before\n").expect("writable");
        let stdout = all.try_clone().expect("a file");
        let child = warpproof(&folder).args(JOIN).args(["-o", descriptor]).stdout(stdout).status();
        assert!(child.expect("it starts").success());
        all.write_all(b"after\n").expect("writable");
        assert_eq!(read(&folder, "all"), format!("before\n{ROWS}after\n"), "{descriptor}");
    }
    let args = [&JOIN[..], &["-o", "/dev/fd/3"]].concat();
    let script = "exec 3>all; echo before >&3; \"$@\" || exit; echo after >&3";
    assert!(shell(&folder, script, &args).status().expect("a shell").success());
    assert_eq!(read(&folder, "all"), format!("before\n{ROWS}after\n"));
    let args = [&JOIN[..], &["-o", "/dev/fd/9"]].concat();
    failed(&warpproof(&folder).args(args).output().expect("it starts"), "/dev/fd/9");
}

#[test]
fn pipes_with_names_are_inputs_and_outputs() {
    let folder = joined("pipes", 1);
    let pipes = Command::new("mkfifo").current_dir(&folder).args(["in", "out"]).status();
    assert!(pipes.expect("mkfifo").success());
    let mut args = JOIN;
    args[1] = "in";
    let mut child = warpproof(&folder).args(args).args(["-o", "out"]).spawn().expect("it starts");
    write(&folder, "in", "k,a\n5,0\n");
    assert_eq!(read(&folder, "out"), ROWS);
    assert!(child.wait().expect("a child").success());
    assert!(unfinished(&folder).is_empty());
}
