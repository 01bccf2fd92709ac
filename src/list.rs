//! `warpproof list`: structures, operations, engines, and the backends of this machine.

use crate::backend::Opened;
use crate::failure::Failure;
use crate::output;
use crate::registry::{ALL, operations};
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
    operations: Vec<&'static str>,
    /// The content of its tables, in words.
    types: Vec<&'static str>,
    /// The entries of its tables, by the names that `bench --entry` takes.
    entries: Vec<&'static str>,
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

fn listing() -> Listing {
    let (found, device) = match Opened::probe_gpu() {
        Ok(device) => (true, device),
        Err(why) => (false, why),
    };
    let structures = ALL.iter().map(|structure| Structure {
        name: structure.name,
        what: structure.what,
        operations: operations(structure),
        types: structure.tables.iter().map(|tables| tables.entry.what()).collect(),
        entries: structure.tables.iter().map(|tables| tables.entry.name()).collect(),
        engines: engines().iter().map(|engine| engine.name()).collect(),
    });
    Listing {
        structures: structures.collect(),
        engines: engines().iter().map(|e| Engine { name: e.name(), what: e.what() }).collect(),
        backends: vec![
            Found { name: Opened::Cpu.name(), found: true, device: Opened::Cpu.device() },
            Found { name: "gpu", found, device },
        ],
    }
}

/// Prints the list.
pub(crate) fn list(args: &Args) -> Result<(), Failure> {
    let listing = listing();
    if args.json {
        return output::json(&listing);
    }
    output::line("Structures")?;
    for s in &listing.structures {
        output::line(format_args!("  {:9} {}", s.name, s.what))?;
        output::line(format_args!("            types       {}", s.types.join(", ")))?;
        output::line(format_args!("            operations  {}", s.operations.join(", ")))?;
        output::line(format_args!("            engines     {}", s.engines.join(", ")))?;
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
