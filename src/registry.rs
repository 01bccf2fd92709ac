//! The structures of the library, a row each ([`ALL`]), for `list`, `run`, `bench`, `join` and `kmers`.

mod operations;
pub(crate) mod room;
mod rows;

pub(crate) use operations::{Can, operations};
#[cfg(test)]
pub(crate) use rows::SLAB;
pub(crate) use rows::{ALL, DYNAMIC, HOPSCOTCH, OPEN, PAGED, SHARDED, WAITFREE};

use crate::backend::Opened;
#[cfg(feature = "gpu")]
use crate::bench::device::Measure;
use crate::entry::{Entry, Table};
use crate::failure::Failure;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use room::{Capacity, Room};
use std::path::Path;
use warpproof::any::Map;

/// A structure.
pub(crate) struct Structure {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    /// A description, in one line.
    pub(crate) what: &'static str,
    /// The loads that its tables may have.
    pub(crate) loads: Loads,
    /// The sizes and loads that are measured.
    pub(crate) points: Points,
    /// How the size of its tables follows from their entries.
    pub(crate) capacity: Capacity,
    /// Operations that only one backend has, with its name.
    pub(crate) on_one: &'static [&'static str],
    /// Its tables, by their entries.
    pub(crate) tables: &'static [Tables],
}

/// The tables of a structure that hold one kind of entries.
pub(crate) struct Tables {
    /// Their entries.
    pub(crate) entry: Entry,
    /// Their capabilities.
    pub(crate) can: &'static [Can],
    /// Makes an empty one.
    make: fn(&Opened, Room) -> Result<Table, Failure>,
    /// Opens the file of one, with this budget, where there are such files.
    open: Option<Open>,
    /// Measures the kernels on such a table.
    #[cfg(feature = "gpu")]
    pub(crate) measure: Measure,
    /// The names of the rows of that.
    #[cfg(feature = "gpu")]
    pub(crate) names: fn() -> Vec<&'static str>,
}

/// Opens the table of a file, with a budget.
type Open = fn(&Opened, &Path, u64) -> Result<Table, Failure>;

/// The loads of a structure.
pub(crate) struct Loads {
    /// The smallest.
    pub(crate) least: f64,
    /// The largest.
    pub(crate) most: f64,
    /// The default.
    pub(crate) default: f64,
}

/// The sizes and loads that are measured.
pub(crate) struct Points {
    /// The load at which sizes are compared.
    pub(crate) load: f64,
    /// The loads that are compared.
    pub(crate) loads: &'static [f64],
    /// A size that is not a power of four.
    pub(crate) also: Option<u32>,
}

impl Structure {
    /// Parses the name of a structure; the help lists all names.
    pub(crate) fn parser() -> impl TypedValueParser<Value = &'static Self> {
        let names = ALL.iter().map(|structure| PossibleValue::new(structure.name).help(structure.what));
        PossibleValuesParser::new(names).try_map(|name| {
            ALL.iter().copied().find(|structure| structure.name == name).ok_or("there is no such structure")
        })
    }

    /// The tables with such entries.
    ///
    /// # Errors
    /// If there are none.
    pub(crate) fn tables(&self, entry: Entry) -> Result<&'static Tables, Failure> {
        self.tables.iter().find(|tables| tables.entry == entry).ok_or_else(|| {
            let names: Vec<_> = self.tables.iter().map(|tables| tables.entry.name()).collect();
            let names = names.join(", ");
            Failure::input(format_args!("--entry {}: tables of {} are {names}", entry.name(), self.name))
        })
    }

    /// An empty map of u32 pairs for `entry`.
    ///
    /// # Errors
    /// If there is no such map, or no memory for it.
    pub(crate) fn map32(&self, entry: Entry, on: &Opened, room: Room) -> Result<Map<u32, u32>, Failure> {
        match self.tables(entry)?.make(on, room)? {
            Table::Map32(map) => Ok(map),
            _ => Err(self.has_no("map of u32 pairs")),
        }
    }

    /// The map of u32 pairs of a file.
    ///
    /// # Errors
    /// If the structure has no files, or it is none of such a map, or no memory for it.
    pub(crate) fn open32(&self, on: &Opened, path: &Path, budget: u64) -> Result<Map<u32, u32>, Failure> {
        let open = self.tables(Entry::Map32)?.open.ok_or_else(|| self.has_no("files"))?;
        match open(on, path, budget)? {
            Table::Map32(map) => Ok(map),
            _ => Err(self.has_no("map of u32 pairs")),
        }
    }

    /// An empty map of u64 pairs. On several GPUs it is one in shards that grow, whatever the structure is.
    ///
    /// # Errors
    /// If there is no such map, or no memory for it.
    pub(crate) fn map64(&self, on: &Opened, room: Room) -> Result<Map<u64, u64>, Failure> {
        #[cfg(feature = "gpu")]
        if let Opened::Gpus(devices) = on {
            return rows::on_gpus(devices, room);
        }
        match self.tables(Entry::Map64)?.make(on, room)? {
            Table::Map64(map) => Ok(map),
            _ => Err(self.has_no("map of u64 pairs")),
        }
    }

    /// Refuses a number of ranks for a table that has none.
    ///
    /// # Errors
    /// If it has none.
    pub(crate) fn admit_ranks(&self, ranks: Option<u32>) -> Result<(), Failure> {
        match ranks {
            Some(_) if self.name != SHARDED.name => {
                Err(Failure::input(format_args!("--ranks: {} tables are not in shards", self.name)))
            }
            _ => Ok(()),
        }
    }

    /// The error for something that the structure lacks.
    pub(crate) fn has_no(&self, what: &str) -> Failure {
        Failure::input(format_args!("{} has no {what}", self.name))
    }
}

impl Tables {
    /// An empty table.
    ///
    /// # Errors
    /// If it would be too large, or there is no memory for it.
    pub(crate) fn make(&self, on: &Opened, room: Room) -> Result<Table, Failure> {
        (self.make)(on, room)
    }
}

impl Loads {
    /// The load that was asked for, or the default.
    ///
    /// # Errors
    /// If there is no such load.
    pub(crate) fn admit(&self, asked: Option<f64>) -> Result<f64, Failure> {
        let load = asked.unwrap_or(self.default);
        if (self.least..=self.most).contains(&load) {
            return Ok(load);
        }
        let Self { least, most, .. } = self;
        Err(Failure::input(format_args!("--load {load}: this table needs a load from {least} to {most}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpproof::simt::scenarios;

    #[cfg(feature = "gpu")]
    #[test]
    fn the_kernels_of_a_table_have_rows_by_its_structure_and_entries() {
        let names = |structure: &Structure, entry| (structure.tables(entry).unwrap().names)();
        let calls = ["build", "search present", "search absent", "delete half"];
        let bins = ["build by bins", "build by bins, with outcomes"];
        let sums = ["add: each key once", "add: uniform keys", "add: zipf 0.99", "add: 100 keys"];
        let host = ["insert from host", "find from host"];
        let locked = ["insert from page-locked memory", "find from page-locked memory"];
        let between = ["find between page-locked memory"];
        let alone = ["floor: find", "floor: insert", "floor: look, insert", "mix 20,20,60", "mix 40,40,20"];
        let copies = ["retrieve all", "retrieve in order"];
        let rows: [&[&str]; 8] = [&calls, &copies, &bins, &sums, &host, &locked, &between, &alone];
        assert_eq!(names(&OPEN, Entry::Map32), rows.concat());
        assert_eq!(names(&OPEN, Entry::Map64), rows[..7].concat());
        assert_eq!(names(&OPEN, Entry::Set32), [&rows[..3], &rows[4..6]].concat().concat());
        assert_eq!(names(&SLAB, Entry::Map32), [&rows[..1], &rows[4..]].concat().concat());
        assert_eq!(names(&SLAB, Entry::Lock64), [&rows[..1], &rows[4..7]].concat().concat());
        assert_eq!(names(&DYNAMIC, Entry::Set64), ["build", "search present", "build, memory kept"]);
        assert_eq!(names(&PAGED, Entry::Map32), calls);
        assert!(names(&SHARDED, Entry::Map32).is_empty());
    }

    #[test]
    fn every_structure_is_checked_and_has_a_map_of_u32_pairs_with_all_that_it_says() {
        for structure in ALL {
            assert!(scenarios::structure(structure.name).is_some(), "{}: nothing checks it", structure.name);
            let load = structure.loads.admit(None).unwrap();
            let room = structure.capacity.room(100, 100, load);
            let mut map = structure.map32(Entry::Map32, &Opened::Cpu, room).unwrap();
            let can = structure.tables(Entry::Map32).unwrap().can;
            assert_eq!(can.contains(&Can::Matches), map.matches().is_some(), "{}", structure.name);
            assert_eq!(can.contains(&Can::Counter), map.counter().is_some(), "{}", structure.name);
            assert_eq!(can.contains(&Can::Order), map.ordered().is_some(), "{}", structure.name);
            assert_eq!(can.contains(&Can::Flush), map.flush().is_some(), "{}", structure.name);
            assert_eq!(can.contains(&Can::Save), map.save().is_some(), "{}", structure.name);
            let opens = structure.tables.iter().map(|tables| tables.open.is_some());
            assert!(opens.eq(structure.tables.iter().map(|tables| tables.can.contains(&Can::Save))));
            assert_eq!(can.contains(&Can::Paged), map.paged().is_some(), "{}", structure.name);
        }
    }
}
