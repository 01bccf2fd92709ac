//! The tasks of developers and CI: `cargo xtask COMMAND`. One module per command.

mod book;
mod browser;
mod ci;
mod circles;
mod comments;
mod counts;
mod fuzz;
mod modules;
mod mutants;
mod nightly;
mod own_kernel;
mod package;
mod ptx;
mod ptx_form;
mod ptx_orders;
mod ptx_text;
mod ptxas;
mod python;
mod report;
mod sanitizers;
mod scale;
mod shell;
mod steps;
mod toolchain;
mod unsafety;
#[cfg(test)]
mod unseen;

use shell::Outcome;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  ci [STEP ...]  everything that must hold: fmt clippy docs report book ptx test browser python ptxas mutants readme fuzz
  nightly [STEP ...]  what takes hours: readme mutants/STRUCTURE generated deep soak miri tsan asan fuzz deny gpu ray; each adds a row to tests/nightly.csv
  book           build the book of docs into target/book, with mdbook
  counts         what a new structure touches, lines, public names, circles between files, comments, mutants
  fuzz [SECONDS] run every fuzz target, 60 s each unless told otherwise
  mutants [STRUCTURE [NAME ...]]  check every mutant of tests/mutants, or those named, and write the table
  mutants --sample                check ten of them and compare with the table
  mutants --since REVISION        check those in files that differ from this revision's, and write their rows
  mutants --generated [--within SECONDS] [FILE]  make mutants of all of model/src, or of files with FILE in their path, and check them
  mutants --apply STRUCTURE NAME  make the change of one in the working tree (`git restore model` takes it back)
  ptx            build the device code and write gpu/ptx; what benches and tests need besides goes to target/kernels
  ptx NAME ...   build the modules with these names: warpproof, cold, tuning, stress, paper, probes
  ptx --check    build it, compare with gpu/ptx, and read what each access has become
  python         build the Python package in target/python and check it
  python wheel   build its wheel in target/wheels and check that
  report         write BENCHMARKS.md and benches/report.svg from the records of benches/record
  report --check compare them with what the records give
  scale          what a table in shards would do on more GPUs and hosts than were measured: a plan on paper
  unsafe         count the unsafe lines of the sources and write tests/unsafe.csv
  soak --minutes M  run all structures under all threads, their answers and memory checked; M minutes on a CPU, M on a GPU
  ptxas          assemble the device code for every supported GPU and report registers
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Outcome<()> {
    match arguments {
        ["ci", steps @ ..] => ci::run_steps(steps),
        ["nightly", steps @ ..] => nightly::run_steps(steps),
        ["book"] => book::build().map(drop),
        ["book", "page", rest @ ..] => book::preprocess(rest),
        ["counts"] => counts::print(),
        ["unsafe"] => unsafety::count(),
        ["fuzz"] => fuzz::run_all(60, fuzz::Sanitizer::None),
        ["fuzz", seconds] => fuzz::run_all(seconds_of(seconds)?, fuzz::Sanitizer::None),
        ["mutants", "--sample"] => mutants::sample(),
        ["mutants", "--generated"] => mutants::run_generated("", mutants::WITHIN),
        ["mutants", "--generated", "--within", seconds] => mutants::run_generated("", seconds_of(seconds)?),
        ["mutants", "--generated", "--within", seconds, filter] => {
            mutants::run_generated(filter, seconds_of(seconds)?)
        }
        ["mutants", "--generated", filter] => mutants::run_generated(filter, mutants::WITHIN),
        ["mutants", "--since", revision] => mutants::run_since(revision),
        ["mutants", "--apply", structure, name] => mutants::apply(structure, name),
        ["mutants"] => mutants::run_all(),
        ["mutants", structure, names @ ..] => mutants::run_those(structure, names),
        ["ptx", "--check"] => ptx::check(),
        ["ptx", names @ ..] => ptx::write(names),
        ["ptxas"] => ptxas::run_all(),
        ["python"] => python::check(),
        ["python", "wheel"] => python::wheel(),
        ["report"] => report::write(),
        ["report", "--check"] => report::check(),
        ["scale"] => scale::print(),
        ["soak", "--minutes", minutes] => match minutes.parse() {
            Ok(minutes) if (0.01..1e6).contains(&minutes) => nightly::soak(minutes),
            _ => Err(format!("{minutes} is not a number of minutes")),
        },
        _ => Err(USAGE.to_owned()),
    }
}

/// A number of seconds.
fn seconds_of(text: &str) -> Outcome<u32> {
    text.parse().map_err(|_| format!("{text} is not a number of seconds"))
}
