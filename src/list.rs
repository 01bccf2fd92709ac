//! `warpproof list`: structures, operations, engines, and the backends of this machine.

use crate::backend::{Backend, Cpu, probe_gpu};
use crate::failure::Failure;
use crate::output;
use serde::Serialize;
use warpproof::simt::engines::engines;

/// Show structures, operations, engines, and the backends found on this machine
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Structure {
    name: &'static str,
    what: &'static str,
    operations: &'static [&'static str],
    types: &'static [&'static str],
    engines: Vec<&'static str>,
}

#[derive(Serialize)]
struct Found {
    name: &'static str,
    found: bool,
    device: String,
}

#[derive(Serialize)]
struct Listing {
    structures: Vec<Structure>,
    engines: Vec<Engine>,
    backends: Vec<Found>,
}

#[derive(Serialize)]
struct Engine {
    name: &'static str,
    what: &'static str,
}

const OPERATIONS: &[&str] = &[
    "insert",
    "insert_unique",
    "insert_or_assign",
    "search",
    "search_all",
    "count",
    "delete",
    "delete_all",
    "mixed",
    "flush",
    "pairs",
    "stats",
];

/// What tables do that hold a key once.
const ONE_PAIR: &[&str] =
    &["insert_unique", "insert_or_assign", "search", "delete", "mixed", "pairs", "stats"];

/// The same, and a counter.
const COUNTER: &[&str] =
    &["insert_unique", "insert_or_assign", "insert_or_add", "search", "delete", "mixed", "pairs", "stats"];

fn listing() -> Listing {
    let (found, device) = match probe_gpu() {
        Ok(device) => (true, device),
        Err(why) => (false, why),
    };
    Listing {
        structures: vec![
            Structure {
                name: "slab",
                what: "dynamic chained table (Ashkiani, Farach-Colton, Owens, IPDPS 2018)",
                operations: OPERATIONS,
                types: &[
                    "map u32 -> u32",
                    "map u64 -> u64",
                    "multimap u32 -> u32",
                    "multimap u64 -> u64",
                    "set u32",
                ],
                engines: engines().iter().map(|engine| engine.name()).collect(),
            },
            Structure {
                name: "hopscotch",
                what: "lock-flag hopscotch table (Zhang, Sun), of a fixed size",
                operations: ONE_PAIR,
                types: &["map u32 -> u32", "map u64 -> u64", "set u32", "set u64"],
                engines: engines().iter().map(|engine| engine.name()).collect(),
            },
            Structure {
                name: "open",
                what: "open addressing with a filter of what passed a full bucket, of a fixed size",
                operations: COUNTER,
                types: &["map u32 -> u32", "map u64 -> u64", "set u32", "set u64"],
                engines: engines().iter().map(|engine| engine.name()).collect(),
            },
            Structure {
                name: "dynamic",
                what: "open addressing that grows: by submaps on a CPU, between batches on a GPU",
                operations: COUNTER,
                types: &["map u32 -> u32", "map u64 -> u64", "set u32 (CPU)", "set u64 (CPU)"],
                engines: engines().iter().map(|engine| engine.name()).collect(),
            },
        ],
        engines: engines().iter().map(|e| Engine { name: e.name(), what: e.what() }).collect(),
        backends: vec![
            Found { name: Cpu.name(), found: true, device: Cpu.device() },
            Found { name: "gpu", found, device },
        ],
    }
}

/// Prints what there is.
pub(crate) fn list(args: &Args) -> Result<(), Failure> {
    let listing = listing();
    if args.json {
        return output::json(&listing);
    }
    output::line("Structures")?;
    for s in &listing.structures {
        output::line(format_args!("  {:9} {}", s.name, s.what))?;
        output::line(format_args!("           types       {}", s.types.join(", ")))?;
        output::line(format_args!("           operations  {}", s.operations.join(", ")))?;
        output::line(format_args!("           engines     {}", s.engines.join(", ")))?;
    }
    output::line("Engines")?;
    for engine in &listing.engines {
        output::line(format_args!("  {:8} {}", engine.name, engine.what))?;
    }
    output::line("Backends")?;
    for backend in &listing.backends {
        let found = if backend.found { "" } else { "not found: " };
        output::line(format_args!("  {:8} {found}{}", backend.name, backend.device))?;
    }
    Ok(())
}
