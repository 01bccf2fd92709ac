//! The command line.

mod backend;
mod bench;
mod both;
mod bytes;
mod check;
mod dedup;
mod depth;
mod entry;
mod failure;
mod group;
mod join;
mod keyed;
mod kmers;
mod list;
mod museum;
mod output;
mod packed;
mod page;
mod paging;
mod parquet;
mod plot;
mod registry;
mod replay;
mod run;
mod select;
mod shell;
mod target;
mod worker;

use clap::{CommandFactory, Parser, Subcommand};
use std::process::ExitCode;

/// Warp-cooperative concurrent hash tables: check them, run them, measure them.
///
/// Each structure is written once. `check` explores every interleaving of small programs on that source,
/// `run`, `join`, `group`, `dedup` and `kmers` use the same source on real data, on the CPU or on a GPU.
#[derive(Parser)]
#[command(version, arg_required_else_help = true, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  warpproof list                                   what there is, and what this machine has
  warpproof check slab                             explore the slab hash, in a second
  warpproof check hopscotch                        explore the hopscotch table, in forty seconds
  warpproof check open                             explore open addressing, in a second
  warpproof check dynamic                          explore a table that grows, across the moment of growth
  warpproof run slab --keys 1000000 --ops 10000000 check it, then run and verify a workload
  warpproof run hopscotch --load 0.9               the same for the hopscotch table, nearly full
  warpproof join orders.csv customers.csv --on customer_id -o joined.csv
  warpproof group orders.csv --by customer_id --count
  warpproof dedup orders.csv --by customer_id --keep last
  warpproof kmers genome.fa.gz -k 21 -o counts.tsv
  warpproof kmers genome.fa.gz -k 21 --budget 1G   the same in a table larger than the memory of a GPU

Exit codes: 0 all is well, 1 a violation was found, 2 bad usage or input.";

#[derive(Subcommand)]
enum Command {
    List(list::Args),
    Check(check::Args),
    Museum(museum::Args),
    Replay(replay::Args),
    Run(run::Args),
    Join(join::Args),
    Group(group::Args),
    Dedup(dedup::Args),
    Kmers(kmers::Args),
    Bench(bench::Args),
    Completions(shell::Completions),
    Man(shell::Pages),
    #[command(name = worker::NAME, hide = true)]
    Worker,
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::List(args) => list::list(&args),
        Command::Check(args) => check::check(&args),
        Command::Museum(args) => museum::museum(&args),
        Command::Replay(args) => replay::replay(&args),
        Command::Run(args) => run::run(&args),
        Command::Join(args) => join::join(&args),
        Command::Group(args) => group::group(&args),
        Command::Dedup(args) => dedup::dedup(&args),
        Command::Kmers(args) => kmers::kmers(&args),
        Command::Bench(args) => bench::bench(&args),
        Command::Completions(args) => shell::completions(&args, &Cli::command()),
        Command::Man(args) => shell::pages(&args, &Cli::command()),
        Command::Worker => worker::worker(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
