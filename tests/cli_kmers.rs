//! `warpproof kmers` as a program: its counts equal those of jellyfish and of the definition, and bad input
//! changes no file.

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use program::{read, text, write};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

#[cfg(feature = "gpu")]
#[path = "support/device.rs"]
mod device;
#[path = "support/program.rs"]
mod program;

fn warpproof(folder: &Path, args: &[&str]) -> Output {
    on("cpu", folder, args)
}

fn on(backend: &str, folder: &Path, args: &[&str]) -> Output {
    let mut command = program::warpproof(folder);
    command.arg("kmers").args(args).args(["--backend", backend]).output().expect("it starts")
}

/// An empty folder of its own for each test.
fn folder(test: &str) -> PathBuf {
    program::folder(&format!("kmers_{test}"))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// Letters, most of them of DNA, with runs that repeat.
fn random_sequence(length: usize, state: &mut u64) -> String {
    let mut out = String::new();
    while out.len() < length {
        match random(state) % 200 {
            0 => out.push_str("NNNN"),
            1 => out.push(char::from(b"RYKMSWn"[(random(state) % 7) as usize])),
            2 => {
                let from = random(state) as usize % (out.len() + 1);
                out.push_str(&out[from..].chars().take(300).collect::<String>());
            }
            _ => out.push(char::from(b"ACGTACGTacgt"[(random(state) % 12) as usize])),
        }
    }
    out
}

/// Blocks that say how long they are, as bgzip writes them.
fn bgzip(bytes: &[u8]) -> Vec<u8> {
    let block = |data: &[u8]| {
        let builder = flate2::GzBuilder::new().extra([b'B', b'C', 2, 0, 0, 0]);
        let mut encoder = builder.write(Vec::new(), flate2::Compression::default());
        encoder.write_all(data).expect("memory");
        let mut block = encoder.finish().expect("memory");
        let len = u16::try_from(block.len() - 1).expect("a block is small");
        block[16..18].copy_from_slice(&len.to_le_bytes());
        block
    };
    if bytes.is_empty() { block(bytes) } else { bytes.chunks(300).flat_map(block).collect() }
}

/// The table of all k-mers by the definition.
fn naive(sequences: &[String], k: usize) -> String {
    let mut counts = BTreeMap::<String, u64>::new();
    for sequence in sequences {
        let letters: Vec<char> = sequence.to_uppercase().chars().collect();
        for kmer in letters.windows(k).filter(|kmer| kmer.iter().all(|letter| "ACGT".contains(*letter))) {
            let complement = |letter: &char| char::from(b"TGCA"["ACGT".find(*letter).expect("one of four")]);
            let reverse: String = kmer.iter().rev().map(complement).collect();
            *counts.entry(reverse.min(kmer.iter().collect())).or_default() += 1;
        }
    }
    counts.iter().fold(String::new(), |mut out, (kmer, count)| {
        writeln!(out, "{kmer}\t{count}").expect("a string");
        out
    })
}

#[test]
fn counts_are_those_of_the_definition() {
    let folder = folder("naive");
    let mut state = 5;
    let sequences: Vec<String> = [30_000, 0, 3, 5_000, 31].map(|n| random_sequence(n, &mut state)).into();
    let fasta = |sequences: &[String]| {
        sequences.iter().map(|s| format!(">s\n{}\n", s.replace("GA", "G\nA"))).collect::<String>()
    };
    let fastq: String =
        sequences[3..].iter().map(|s| format!("@s\n{s}\n+\n{}\n", "I".repeat(s.len()))).collect();
    let first = fasta(&sequences[..3]);
    let (head, tail) = first.split_at(first.len() / 3);
    write(&folder, "a.fa", first.as_bytes());
    // Two members, and an empty one, as bgzip ends a file.
    write(&folder, "a.gz", [gzip(head.as_bytes()), gzip(tail.as_bytes()), gzip(b"")].concat());
    // And filled up with zeros, as a tape does.
    write(&folder, "c.gz", [gzip(first.as_bytes()), vec![0; 700]].concat());
    write(&folder, "b.fq", fastq.as_bytes());
    write(&folder, "d.gz", [bgzip(first.as_bytes()), bgzip(b"")].concat());
    let zstd = |text: &str| {
        ruzstd::encoding::compress_to_vec(text.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest)
    };
    write(&folder, "e.zst", [zstd(head), zstd(""), zstd(tail)].concat());
    for k in [1, 2, 7, 12, 21, 31, 32, 33, 47, 64] {
        // All in memory, and all in a temporary file.
        for (first, memory) in
            [("a.fa", "1M"), ("a.gz", "0"), ("c.gz", "8K"), ("d.gz", "1M"), ("e.zst", "1M")]
        {
            let k_text = k.to_string();
            let args = [first, "b.fq", "-k", &k_text, "-o", "out.tsv", "--memory", memory, "--threads", "3"];
            let out = warpproof(&folder, &args);
            assert!(out.status.success(), "{}", text(&out.stderr));
            assert_eq!(text(&out.stderr), "");
            assert!(read(&folder, "out.tsv") == naive(&sequences, k), "K = {k}, {first}");
        }
    }
}

/// The input has more k-mers than the first table has room for.
#[cfg(feature = "gpu")]
#[test]
fn a_gpu_counts_what_the_cpu_counts() {
    if device::device().is_none() {
        return;
    }
    let folder = folder("gpu");
    let sequence = random_sequence(3_000_000, &mut 7);
    write(&folder, "a.gz", gzip(format!(">s\n{sequence}\n").as_bytes()));
    for k in ["5", "13", "31"] {
        let outputs = ["cpu", "gpu"].map(|backend| {
            let name = format!("{backend}.tsv");
            let out = on(backend, &folder, &["a.gz", "-k", k, "-o", &name]);
            assert!(out.status.success(), "{}", text(&out.stderr));
            read(&folder, &name)
        });
        assert!(outputs[0] == outputs[1], "K = {k}");
        for budget in ["0", "300K", "8M", "1G"] {
            let out =
                on("gpu", &folder, &["a.gz", "-k", k, "-o", "paged.tsv", "--budget", budget, "--explain"]);
            assert!(out.status.success(), "{}", text(&out.stderr));
            assert!(text(&out.stdout).contains("child tables: "), "{}", text(&out.stdout));
            assert!(outputs[0] == read(&folder, "paged.tsv"), "K = {k}, {budget}");
        }
    }
    let out = on("gpu", &folder, &["a.gz", "-k", "5", "--budget", "1000T"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("--budget: 1000.0 TiB is more than "), "{}", text(&out.stderr));
}

/// In shards on as many GPUs as there are, up to two.
#[cfg(feature = "gpu")]
#[test]
fn shards_on_gpus_count_what_the_cpu_counts() {
    let folder = folder("gpus");
    let sequence = random_sequence(3_000_000, &mut 9);
    write(&folder, "a.fa", format!(">s\n{sequence}\n"));
    let counted = |gpus: &str, k: &str| {
        let mut command = program::warpproof(&folder);
        command
            .args(["kmers", "a.fa", "-k", k, "-o", "gpus.tsv", "--gpus", gpus])
            .output()
            .expect("it starts")
    };
    let none = counted("64", "5");
    assert_eq!(none.status.code(), Some(2));
    assert!(text(&none.stderr).contains("--gpus 64: "), "{}", text(&none.stderr));
    if device::device().is_none() {
        return;
    }
    let gpus = warpproof::gpu::Device::count().expect("a driver").min(2).to_string();
    for k in ["5", "13", "31"] {
        let ours = counted(&gpus, k);
        assert!(ours.status.success(), "{}", text(&ours.stderr));
        let on_cpu = warpproof(&folder, &["a.fa", "-k", k, "-o", "cpu.tsv"]);
        assert!(on_cpu.status.success(), "{}", text(&on_cpu.stderr));
        assert!(read(&folder, "gpus.tsv") == read(&folder, "cpu.tsv"), "K = {k}, {gpus} GPUs");
    }
}

/// Counts in tables many times the budget are those without one: in place, with one frame, with some, and all
/// in frames.
#[test]
fn a_budget_changes_no_count() {
    let folder = folder("budget");
    let sequence = random_sequence(120_000, &mut 11);
    write(&folder, "a.fa", format!(">a\n{sequence}\n"));
    write(&folder, "b.fa", format!(">b\n{}\n", &sequence[..50_000]));
    let count = |k: &str, more: &[&str]| {
        let args = ["a.fa", "b.fa", "-k", k, "--json", "--seed", "3"];
        let out = warpproof(&folder, &[&args[..], more].concat());
        assert!(out.status.success(), "{more:?}: {}", text(&out.stderr));
        serde_json::from_slice::<Value>(&out.stdout).expect("one object")
    };
    for k in ["4", "21"] {
        let plain = count(k, &["-o", "plain.tsv"]);
        assert_eq!(plain["paging"], Value::Null);
        let expected = read(&folder, "plain.tsv");
        let table = 16 * expected.lines().count() as u64;
        for budget in ["0", "2K", "7K", "64K", "1M", "1G"] {
            let paged = count(k, &["-o", "paged.tsv", "--budget", budget, "--explain"]);
            assert!(read(&folder, "paged.tsv") == expected, "K = {k}, {budget}");
            let streamed = count(k, &["--budget", budget]);
            for what in ["k", "total", "distinct", "histogram", "top"] {
                assert_eq!(paged[what], plain[what], "{what}, {budget}");
                assert_eq!(streamed[what], plain[what], "{what}, {budget}");
            }
            let paging = &paged["paging"];
            assert_eq!(streamed["paging"]["choices"], Value::Null);
            let number = |name: &str| paging[name].as_u64().expect("a number");
            let choices = paging["choices"].as_array().expect("a list");
            let reasons: Vec<_> = choices.iter().map(|choice| choice["reason"].as_str()).collect();
            match budget {
                "0" | "2K" => {
                    assert_eq!(reasons, [Some("no_frames")], "{paging}");
                    assert_eq!((number("bytes_in"), number("hits")), (0, 0), "{paging}");
                }
                "7K" | "64K" if k == "21" => {
                    assert!(reasons.contains(&Some("always_copied")), "{paging}");
                    assert!(number("bytes_in") > table && number("bytes_out") > table, "{paging}");
                    assert!(number("child_tables") > 100, "{paging}");
                }
                _ => assert!(number("bytes_in") > 0, "{paging}"),
            }
            // Also what was counted in tables that were too small.
            let sum: u64 = choices.iter().filter_map(|choice| choice["operations"].as_u64()).sum();
            assert!(sum >= plain["total"].as_u64().expect("a number"), "{paging}");
        }
    }
}

/// A pipe has no size, so the table begins with room for one pair and grows.
#[cfg(unix)]
#[test]
fn a_budget_needs_no_size() {
    let folder = folder("budget_pipe");
    let sequence = format!(">a\n{}\n", random_sequence(60_000, &mut 13));
    write(&folder, "a.fa", &sequence);
    let mut command = program::warpproof(&folder);
    command.args([
        "kmers",
        "/dev/stdin",
        "-k",
        "17",
        "--backend",
        "cpu",
        "-o",
        "pipe.tsv",
        "--budget",
        "16K",
    ]);
    let piped = std::process::Stdio::piped;
    let mut child = command.stdin(piped()).stdout(piped()).spawn().expect("it starts");
    child.stdin.take().expect("a pipe").write_all(sequence.as_bytes()).expect("it reads");
    let out = child.wait_with_output().expect("it ends");
    assert!(out.status.success());
    let said = text(&out.stdout);
    let line = said.lines().find(|line| line.starts_with("paging   ")).unwrap_or_else(|| panic!("{said}"));
    assert!(line.contains(" to frames, ") && line.contains(" from frames; "), "{line}");
    assert!(warpproof(&folder, &["a.fa", "-k", "17", "-o", "file.tsv"]).status.success());
    assert!(read(&folder, "pipe.tsv") == read(&folder, "file.tsv"));
}

#[test]
fn the_report_tells_a_histogram_and_the_most_frequent() {
    let folder = folder("report");
    // ACGTA: AC, CG, GT (AC), TA. Twenty AA and TT.
    write(&folder, "a.fa", b">a\nACGTA\n>b\nAAAAAAAAAAA\n>c\nTTTTTTTTTTT\n>d\nNACNR\n");
    let out = warpproof(&folder, &["a.fa", "-k", "2", "--top", "2"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let lines: Vec<Vec<String>> = text(&out.stdout)
        .lines()
        .skip(1)
        .map(|line| line.split_whitespace().map(str::to_owned).collect())
        .collect();
    assert_eq!(lines[0][..3], ["counted", "25", "2-mers"]);
    assert_eq!(lines[0][lines[0].len() - 2..], ["4", "distinct"]);
    let rest: Vec<String> = lines[1..].iter().map(|words| words.join(" ")).collect();
    let expected = [
        "",
        "occurrences distinct k-mers",
        "1 2",
        "3 1",
        "17 - 32 1",
        "",
        "occurrences most frequent",
        "20 AA",
        "3 AC",
    ];
    assert_eq!(rest, expected);

    let out = warpproof(&folder, &["a.fa", "-k", "2", "--top", "1", "--json"]);
    let object: Value = serde_json::from_slice(&out.stdout).expect("one object");
    assert_eq!((&object["k"], &object["backend"]), (&2.into(), &"cpu".into()));
    assert_eq!((&object["total"], &object["distinct"]), (&25.into(), &4.into()));
    assert_eq!(object["histogram"][2], serde_json::json!({"from": 17, "to": 32, "distinct": 1}));
    assert_eq!(object["top"], serde_json::json!([{"kmer": "AA", "count": 20}]));
}

/// Sequences of two letters have few minimizers, and one letter has one: a bin gets all k-mers.
#[test]
fn counts_of_sequences_that_repeat_are_exact() {
    let folder = folder("repeats");
    let mut state = 21;
    let two: String = (0..20_000).map(|_| char::from(b"AT"[(random(&mut state) % 2) as usize])).collect();
    let sequences = ["A".repeat(70_000), "AC".repeat(9_000), two];
    write(&folder, "a.fa", sequences.iter().map(|s| format!(">s\n{s}\n")).collect::<String>());
    for k in [3, 16, 31, 50] {
        let out = warpproof(&folder, &["a.fa", "-k", &k.to_string(), "-o", "out.tsv"]);
        assert!(out.status.success(), "{}", text(&out.stderr));
        assert!(read(&folder, "out.tsv") == naive(&sequences, k), "K = {k}");
    }
}

#[test]
fn k_mers_are_written_in_the_form_that_is_asked_for() {
    let folder = folder("formats");
    write(&folder, "a.fa", b">a\nACGTA\n>b\nAAAAAAAAAAA\n");
    for (more, expected) in [
        (&["--format", "tsv"][..], "AA\t10\nAC\t2\nCG\t1\nTA\t1\n"),
        (&["--format", "columns", "--min-count", "2"], "AA 10\nAC 2\n"),
        (&["--format", "fasta", "--min-count", "3"], ">10\nAA\n"),
        (&["--min-count", "11"], ""),
    ] {
        let args = ["a.fa", "-k", "2", "-o", "out", "--histogram", "histogram", "--json"];
        let out = warpproof(&folder, &[&args[..], more].concat());
        assert!(out.status.success(), "{}", text(&out.stderr));
        assert_eq!(read(&folder, "out"), expected);
        // Those that are left out are counted all the same.
        assert_eq!(read(&folder, "histogram"), "1 2\n2 1\n10 1\n");
        let object: Value = serde_json::from_slice(&out.stdout).expect("one object");
        assert_eq!((&object["total"], &object["distinct"]), (&14.into(), &4.into()));
        let listed = object["top"].as_array().expect("a list").len();
        assert_eq!(listed, expected.lines().filter(|line| !line.starts_with('>')).count());
    }
    let out = warpproof(&folder, &["a.fa", "-k", "2", "-o", "out.tsv.gz"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let mut unpacked = String::new();
    let packed = std::fs::File::open(folder.join("out.tsv.gz")).expect("it was written");
    MultiGzDecoder::new(packed).read_to_string(&mut unpacked).expect("gzip data");
    assert_eq!(unpacked, "AA\t10\nAC\t2\nCG\t1\nTA\t1\n");
    let out = warpproof(&folder, &["a.fa", "-k", "2", "--histogram", "spectrum.svg"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let svg = read(&folder, "spectrum.svg");
    assert!(svg.starts_with("<svg") && svg.contains("How often 2-mers occur"), "{svg}");
}

#[test]
fn sequences_shorter_than_k_have_no_kmer() {
    let folder = folder("short");
    write(&folder, "a.fa", b">a\nACGT\n>b\n");
    let out = warpproof(&folder, &["a.fa", "-k", "5", "-o", "out.tsv"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(text(&out.stdout).contains("counted  0 5-mers"), "{}", text(&out.stdout));
    assert_eq!(read(&folder, "out.tsv"), "");
}

/// A pipe has no size to estimate from, so the table begins with one bucket and grows.
#[cfg(unix)]
#[test]
fn a_pipe_is_read_as_a_file_is() {
    let folder = folder("pipe");
    let sequence = random_sequence(200_000, &mut 9);
    write(&folder, "a.fa", format!(">a\n{sequence}\n").as_bytes());
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpproof"));
    command.current_dir(&folder).args([
        "kmers",
        "/dev/stdin",
        "-k",
        "17",
        "--backend",
        "cpu",
        "-o",
        "pipe.tsv",
    ]);
    let mut child = command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("it starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    pipe.write_all(format!(">a\n{sequence}\n").as_bytes()).expect("it reads");
    drop(pipe);
    assert!(child.wait().expect("it ends").success());
    assert!(warpproof(&folder, &["a.fa", "-k", "17", "-o", "file.tsv"]).status.success());
    assert!(read(&folder, "pipe.tsv") == read(&folder, "file.tsv"));
    assert!(read(&folder, "file.tsv") == naive(&[sequence], 17));
}

#[test]
fn errors_name_the_place_and_leave_the_output_alone() {
    let whole = gzip(format!(">a\n{}\n", random_sequence(10_000, &mut 3)).as_bytes());
    let cut = &whole[..whole.len() / 2];
    let mut damaged = whole.clone();
    let (middle, last) = (damaged.len() / 2, damaged.len() - 6);
    damaged[middle] ^= 0xff;
    let mut wrong_sum = whole.clone();
    wrong_sum[last] ^= 0xff;
    let garbage = [&whole[..], b"garbage"].concat();
    let blocks = bgzip(format!(">a\n{}\n", random_sequence(10_000, &mut 3)).as_bytes());
    let cut_blocks = &blocks[..blocks.len() - 9];
    let mut wrong_block = blocks.clone();
    wrong_block[blocks.len() - 6] ^= 0xff;
    let zstd = ruzstd::encoding::compress_to_vec(
        &b">a\nACGTACGTACGTACGTTTACGATTACGACT\n"[..],
        ruzstd::encoding::CompressionLevel::Fastest,
    );
    let mut wrong_zstd = zstd.clone();
    *wrong_zstd.last_mut().expect("bytes") ^= 1;
    for (content, parts) in [
        (&b""[..], &["in:1:", "empty"][..]),
        (&gzip(b""), &["in:1:", "empty"]),
        (b"\x7fELF\x02\x01", &["in:1:", "column 1", "byte 0x7f", "neither FASTA (begins with >) nor FASTQ"]),
        (b">a\nACGT\nACET\n", &["in:3:", "column 3", "'E'", "IUPAC"]),
        (&gzip(b">a\nACGT\nACET\n"), &["in:3:", "column 3", "'E'", "IUPAC"]),
        (b">a\n\0\0\0\0", &["in:2:", "column 1", "byte 0x00"]),
        (b"@a\nACGT\n+\nIII\n@b\nA\n+\nI\n", &["in:4:", "3 bytes", "4 letters"]),
        (b"@a\nACGT\n+\n", &["in:4:", "in the middle of a record"]),
        (cut, &["in: broken gzip data", "bytes were read", "cut off"]),
        (&whole[..5], &["in: broken gzip data", "5 bytes were read", "cut off"]),
        (&damaged, &["in: ", "gzip"]),
        (&wrong_sum, &["in: broken gzip data"]),
        (cut_blocks, &["in: broken gzip data", "cut off"]),
        (&wrong_block, &["in: broken gzip data"]),
        (&zstd[..zstd.len() - 5], &["in: broken zstd data"]),
        (&wrong_zstd, &["in: broken zstd data", "checksum"]),
        (&garbage, &["in: broken gzip data", &format!("byte {}, after the last member", whole.len())]),
    ] {
        let folder = folder("errors");
        write(&folder, "in", content);
        write(&folder, "out.tsv", b"as it was");
        let out = warpproof(&folder, &["in", "-k", "3", "-o", "out.tsv"]);
        let said = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{said}: {parts:?}");
        assert_eq!(text(&out.stdout), "");
        for part in parts {
            assert!(said.contains(part), "{part:?} is not in {said:?}");
        }
        assert_eq!(read(&folder, "out.tsv"), "as it was");
        assert_eq!(std::fs::read_dir(&folder).expect("readable").count(), 2, "a temporary file was left");
    }
}

#[test]
fn files_and_sizes_that_cannot_be_are_errors() {
    let folder = folder("usage");
    write(&folder, "a.fa", b">a\nACGT\n");
    for (args, part) in [
        (&["none.fa", "-k", "3"][..], "none.fa: "),
        (&["a.fa", "none.fa", "-k", "3"], "none.fa: "),
        (&[".", "-k", "3"], "is a directory"),
        (&["a.fa", "-k", "0"], "1..=64"),
        (&["a.fa", "-k", "65"], "1..=64"),
        (&["a.fa", "-k", "32", "--budget", "1M"], "-k 32: a table with a --budget counts k-mers of up to 31"),
        (&["a.fa", "-k", "3", "--format", "fasta"], "--output <OUT.tsv>"),
        (&["a.fa", "-k", "3", "--memory", "0", "--temp", "no/such"], "no/such: cannot make a temporary file"),
        (&["a.fa", "-k", "3", "--histogram", "no/such/folder/h.svg"], "no/such/folder/h.svg"),
        (&["a.fa", "-k", "x"], "x"),
        (&["a.fa", "-k", "3", "--threads", "0"], "--threads <N>"),
        (&["a.fa", "-k", "3", "--gpus", "0"], "1..=64"),
        (&["a.fa", "-k", "3", "--gpus", "2"], "cannot be used with"),
        (&["a.fa", "-k", "3", "--budget", "1X"], "expected a number of bytes"),
        (&["a.fa", "-k", "3", "--budget", ""], "expected a number of bytes"),
        (&["a.fa", "-k", "3", "--budget=-1"], "expected a number of bytes"),
        (&["a.fa", "-k", "3", "--explain"], "--budget <BYTES>"),
        (&["a.fa"], "-k"),
        (&["-k", "3"], "FILE.fa"),
        (&["a.fa", "-k", "3", "-o", "no/such/folder/out.tsv"], "no/such/folder/out.tsv"),
        (&["a.fa", "-k", "3", "-o", "."], "is a directory"),
    ] {
        let out = warpproof(&folder, args);
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        assert!(text(&out.stderr).contains(part), "{part:?} is not in {:?}", text(&out.stderr));
        assert_eq!(std::fs::read_dir(&folder).expect("readable").count(), 1, "{args:?} left a file");
    }
}

/// Genomes and reads of the Debian packages bowtie-examples and bowtie2-examples.
const GENOMES: [(&str, &[u32]); 3] = [
    ("/usr/share/doc/bowtie2/examples/reference/lambda_virus.fa.gz", &[3, 8, 21, 31, 63]),
    ("/usr/share/doc/bowtie/examples/genomes/NC_008253.fna.gz", &[11, 31]),
    ("/usr/share/doc/bowtie2/examples/reads/longreads.fq.gz", &[14, 25]),
];

fn jellyfish(folder: &Path, args: &[&str]) -> Vec<u8> {
    let out = Command::new("jellyfish").current_dir(folder).args(args).output().expect("it starts");
    assert!(out.status.success(), "{args:?}: {}", text(&out.stderr));
    out.stdout
}

/// All counts of genomes and reads, of which some have letters other than A, C, G and T.
#[test]
fn counts_are_those_of_jellyfish() {
    let skip = |why: &str| {
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "CI needs jellyfish and genomes: {why}");
        println!("skipped: {why}");
    };
    if Command::new("jellyfish").arg("--version").output().is_err() {
        return skip("no jellyfish");
    }
    for (path, ks) in GENOMES {
        let Ok(packed) = std::fs::read(path) else {
            skip(&format!("no {path}"));
            continue;
        };
        let folder = folder("jellyfish");
        let mut plain = Vec::new();
        MultiGzDecoder::new(&packed[..]).read_to_end(&mut plain).expect("a genome");
        write(&folder, "plain", &plain);
        for k in ks.iter().map(u32::to_string) {
            jellyfish(&folder, &["count", "-m", &k, "-s", "20M", "-C", "-o", "counts.jf", "plain"]);
            let dump = text(&jellyfish(&folder, &["dump", "-c", "-t", "counts.jf"]));
            let mut expected: Vec<&str> = dump.lines().collect();
            expected.sort_unstable();
            let start = std::time::Instant::now();
            let out = warpproof(&folder, &[path, "-k", &k, "-o", "out.tsv"]);
            assert!(out.status.success(), "{}", text(&out.stderr));
            let seconds = start.elapsed().as_secs_f64();
            let ours = read(&folder, "out.tsv");
            assert!(expected.len() > 30, "too few k-mers to tell");
            println!("{path}: {} distinct {k}-mers in {seconds:.1} s", expected.len());
            assert!(ours.lines().eq(expected), "{path}, K = {k}: see {}", folder.display());
            if k == "21" {
                let dump = text(&jellyfish(&folder, &["dump", "-L", "2", "counts.jf"]));
                let histogram = text(&jellyfish(&folder, &["histo", "-h", "1000000", "counts.jf"]));
                let more = ["--format", "fasta", "--min-count", "2", "--histogram", "histogram"];
                let out = warpproof(&folder, &[&[path, "-k", &k, "-o", "out.fa"][..], &more].concat());
                assert!(out.status.success(), "{}", text(&out.stderr));
                let records = |text: &str| {
                    let mut records: Vec<String> = text.split('>').map(str::to_owned).collect();
                    records.sort_unstable();
                    records
                };
                assert!(records(&read(&folder, "out.fa")) == records(&dump));
                assert_eq!(read(&folder, "histogram"), histogram);
            }
        }
    }
}
