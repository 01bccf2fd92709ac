//! Tables, and their calls on buffers in host memory.

use crate::buffer::Words;
use crate::column::{Column, Plain};
use crate::failure::{Failure, room};
use crate::gpu::Gpu;
use crate::interrupt::in_parts;
use crate::make::{Kind, Made, Recipe};
use pyo3::prelude::*;
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use warpproof::any::{Map, Matches, Set, Stats};
use warpproof::gpu::Device;
use warpproof::{Add, Assign, BulkMap, BulkSet, BulkTable, Delete, Insert, Outcomes, Update};
use warpproof_model::{Key, Word};

/// A table of keys and values of 32 or 64 bits, on the CPU or on a GPU.
///
/// Threads may call it at the same time; calls that replace the table wait for the others.
#[pyclass(frozen, module = "warpproof._native")]
pub(crate) struct Table {
    made: RwLock<Made>,
    kind: Kind,
    width: u32,
    /// The entries that a multimap has room for.
    room: RwLock<u64>,
    device: Option<Device>,
}

/// What an insert does with a key that is there.
#[derive(Clone, Copy)]
pub(crate) enum Put {
    Unique,
    Assign,
    /// Changes its value.
    Update(Update),
    /// Of a multimap: stores the pair besides.
    Insert,
}

impl Put {
    pub(crate) fn named(name: &str) -> Result<Self, Failure> {
        match name {
            "insert_unique" => Ok(Self::Unique),
            "insert_or_assign" => Ok(Self::Assign),
            "insert_or_add" => Ok(Self::Update(Update::Add)),
            "insert_or_min" => Ok(Self::Update(Update::Min)),
            "insert_or_max" => Ok(Self::Update(Update::Max)),
            "insert_or_or" => Ok(Self::Update(Update::Or)),
            "insert_or_and" => Ok(Self::Update(Update::And)),
            "insert_or_xor" => Ok(Self::Update(Update::Xor)),
            "insert" => Ok(Self::Insert),
            _ => Err(Failure::Value(format!("there is no insert {name}"))),
        }
    }
}

#[pymethods]
impl Table {
    #[new]
    #[pyo3(signature = (kind, width, capacity, gpu=None, budget=0, ranks=1))]
    fn new(
        py: Python<'_>,
        kind: &str,
        width: u32,
        capacity: u64,
        gpu: Option<&Gpu>,
        budget: u64,
        ranks: u32,
    ) -> PyResult<Self> {
        let kind = Kind::named(kind)?;
        let device = gpu.map(|gpu| gpu.device().clone());
        let recipe = Recipe { kind, width, capacity, budget, ranks, device: device.as_ref() };
        let made = RwLock::new(py.detach(|| Made::new(&recipe))?);
        Ok(Self { made, kind, width, room: RwLock::new(capacity), device })
    }

    /// Opens the file of a paged map.
    #[staticmethod]
    #[pyo3(signature = (width, path, budget, gpu=None))]
    fn open(py: Python<'_>, width: u32, path: PathBuf, budget: u64, gpu: Option<&Gpu>) -> PyResult<Self> {
        let device = gpu.map(|gpu| gpu.device().clone());
        let made = py.detach(|| Made::open(width, &path, budget, device.as_ref()))?;
        Ok(Self { made: RwLock::new(made), kind: Kind::PagedMap, width, room: RwLock::new(0), device })
    }

    /// The number of entries.
    fn len(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(py.detach(|| self.read().len())?)
    }

    /// Takes out all entries.
    fn clear(&self, py: Python<'_>) -> PyResult<()> {
        Ok(py.detach(|| self.write().clear())?)
    }

    /// Inserts pairs. Returns for each whether it was stored as a new one.
    #[pyo3(signature = (how, keys, values, report=None))]
    fn put(
        &self,
        py: Python<'_>,
        how: &str,
        keys: Words,
        values: Words,
        report: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Column> {
        let how = Put::named(how)?;
        let mut new = room(keys.len())?;
        if self.kind == Kind::MultiMap {
            py.detach(|| self.make_room(keys.len() as u64))?;
        }
        in_parts(py, keys.len(), report, |part| match (&*self.read(), &keys, &values) {
            (Made::Map32(map), Words::W32(k), Words::W32(v)) => {
                put(map, how, (&k.get()[part.clone()], &v.get()[part]), &mut new)
            }
            (Made::Map64(map), Words::W64(k), Words::W64(v)) => {
                put(map, how, (&k.get()[part.clone()], &v.get()[part]), &mut new)
            }
            _ => Err(Failure::width()),
        })?;
        Ok(new.into())
    }

    /// Inserts keys into a set. Returns for each whether it is new.
    #[pyo3(signature = (keys, report=None))]
    fn add(&self, py: Python<'_>, keys: Words, report: Option<&Bound<'_, PyAny>>) -> PyResult<Column> {
        let mut new = room(keys.len())?;
        in_parts(py, keys.len(), report, |part| match (&*self.read(), &keys) {
            (Made::Set32(set), Words::W32(k)) => add(set, &k.get()[part], &mut new),
            (Made::Set64(set), Words::W64(k)) => add(set, &k.get()[part], &mut new),
            _ => Err(Failure::width()),
        })?;
        Ok(new.into())
    }

    /// The value of each key, or `missing`; and whether the key is there.
    #[pyo3(signature = (keys, missing, report=None))]
    fn search(
        &self,
        py: Python<'_>,
        keys: Words,
        missing: u64,
        report: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Column, Column)> {
        match &keys {
            Words::W32(k) => {
                let missing = missing as u32;
                searched(py, k.get(), missing, report, |keys| match &*self.read() {
                    Made::Map32(map) => Ok(map.search(keys)?),
                    _ => Err(Failure::width()),
                })
            }
            Words::W64(k) => searched(py, k.get(), missing, report, |keys| match &*self.read() {
                Made::Map64(map) => Ok(map.search(keys)?),
                _ => Err(Failure::width()),
            }),
        }
    }

    /// Whether each key is there.
    #[pyo3(signature = (keys, report=None))]
    fn contains(&self, py: Python<'_>, keys: Words, report: Option<&Bound<'_, PyAny>>) -> PyResult<Column> {
        self.each(
            py,
            &keys,
            report,
            (BulkMap::contains, BulkMap::contains),
            (BulkSet::contains, BulkSet::contains),
            |found| found,
        )
    }

    /// Deletes an entry of each key. Returns whether there was one.
    #[pyo3(signature = (keys, report=None))]
    fn delete(&self, py: Python<'_>, keys: Words, report: Option<&Bound<'_, PyAny>>) -> PyResult<Column> {
        self.each(
            py,
            &keys,
            report,
            (BulkMap::delete, BulkMap::delete),
            (BulkSet::delete, BulkSet::delete),
            |outcome| outcome == Delete::Deleted,
        )
    }

    /// How many values each key has.
    #[pyo3(signature = (keys, report=None))]
    fn count(&self, py: Python<'_>, keys: Words, report: Option<&Bound<'_, PyAny>>) -> PyResult<Column> {
        let mut counts: Vec<u32> = room(keys.len())?;
        in_parts(py, keys.len(), report, |part| {
            let found = match (&*self.read(), &keys) {
                (Made::Map32(map), Words::W32(k)) => map.count(&k.get()[part])?,
                (Made::Map64(map), Words::W64(k)) => map.count(&k.get()[part])?,
                _ => return Err(Failure::width()),
            };
            counts.extend(found);
            Ok(())
        })?;
        Ok(counts.into())
    }

    /// All values of each key: where those of each key begin and where the last ones end, and the values.
    fn search_all(&self, py: Python<'_>, keys: Words) -> PyResult<(Column, Column)> {
        let found = py.detach(|| match (&*self.read(), &keys) {
            (Made::Map32(map), Words::W32(k)) => all_of(map, k.get()),
            (Made::Map64(map), Words::W64(k)) => all_of(map, k.get()),
            _ => Err(Failure::width()),
        });
        Ok(found?)
    }

    /// Deletes all pairs of each key. Returns how many there were.
    fn delete_all(&self, py: Python<'_>, keys: Words) -> PyResult<Column> {
        let deleted = py.detach(|| match (&*self.read(), &keys) {
            (Made::Map32(map), Words::W32(k)) => Ok(matches(map)?.delete_all(k.get())?),
            (Made::Map64(map), Words::W64(k)) => Ok(matches(map)?.delete_all(k.get())?),
            _ => Err(Failure::width()),
        });
        Ok(deleted?.into())
    }

    /// All entries: keys, and values; those of a set are none.
    fn retrieve_all(&self, py: Python<'_>) -> PyResult<(Column, Column)> {
        let columns = py.detach(|| match &*self.read() {
            Made::Map32(map) => split(map.retrieve_all()?),
            Made::Map64(map) => split(map.retrieve_all()?),
            Made::Set32(set) => Ok((set.retrieve_all()?.into(), Vec::<u8>::new().into())),
            Made::Set64(set) => Ok((set.retrieve_all()?.into(), Vec::<u8>::new().into())),
        });
        Ok(columns?)
    }

    /// Saves a paged map to a file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let saved = py.detach(|| {
            let made = self.read();
            let save = match &*made {
                Made::Map32(map) => map.save(),
                Made::Map64(map) => map.save(),
                _ => None,
            };
            let save = save.ok_or_else(|| Failure::Value("only a paged map is saved".into()))?;
            Ok::<_, Failure>(save.save(&path)?)
        });
        Ok(saved?)
    }

    /// Of a paged map: bytes that were copied to device memory, and from it.
    fn copied(&self, py: Python<'_>) -> Option<(u64, u64)> {
        py.detach(|| match &*self.read() {
            Made::Map32(map) => map.paged().map(|paged| paged.paging().bytes()),
            Made::Map64(map) => map.paged().map(|paged| paged.paging().bytes()),
            _ => None,
        })
    }

    /// Of a map in shards: how many entries each has.
    fn shards(&self, py: Python<'_>) -> PyResult<Option<Vec<u64>>> {
        let stats = py.detach(|| match &*self.read() {
            Made::Map32(map) => map.stats().map(Some),
            Made::Map64(map) => map.stats().map(Some),
            _ => Ok(None),
        });
        match stats.map_err(Failure::from)? {
            Some(Stats::Sharded(stats)) => Ok(Some(stats.entries)),
            _ => Ok(None),
        }
    }
}

/// A call of a table on keys, with an answer for each.
type Call<T, K, A> = fn(&T, &[K]) -> Result<Vec<A>, warpproof::any::Error>;
/// A call of maps of both widths.
type MapCall<A> = (Call<Map<u32, u32>, u32, A>, Call<Map<u64, u64>, u64, A>);
/// A call of sets of both widths.
type SetCall<A> = (Call<Set<u32>, u32, A>, Call<Set<u64>, u64, A>);

impl Table {
    /// Whether it is one of those of the functions on columns, of a fixed size.
    pub(crate) fn is_fixed(&self) -> bool {
        matches!(self.kind, Kind::FixedMap | Kind::FixedSet)
    }

    /// The table, for calls of any number of threads.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Made> {
        // A panic in a call leaves a table as it was between two operations.
        self.made.read().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// The table, for one call.
    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, Made> {
        self.made.write().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Runs a call on each part of the keys.
    fn each<A: Copy>(
        &self,
        py: Python<'_>,
        keys: &Words,
        report: Option<&Bound<'_, PyAny>>,
        map: MapCall<A>,
        set: SetCall<A>,
        is: impl Fn(A) -> bool + Send + Sync,
    ) -> PyResult<Column> {
        let mut answers: Vec<bool> = room(keys.len())?;
        in_parts(py, keys.len(), report, |part| {
            let found = match (&*self.read(), keys) {
                (Made::Map32(table), Words::W32(k)) => map.0(table, &k.get()[part])?,
                (Made::Map64(table), Words::W64(k)) => map.1(table, &k.get()[part])?,
                (Made::Set32(table), Words::W32(k)) => set.0(table, &k.get()[part])?,
                (Made::Set64(table), Words::W64(k)) => set.1(table, &k.get()[part])?,
                _ => return Err(Failure::width()),
            };
            answers.extend(found.into_iter().map(&is));
            Ok(())
        })?;
        Ok(answers.into())
    }

    /// Makes room in a multimap for so many more pairs: moves all to a larger one if there is none.
    fn make_room(&self, more: u64) -> Result<(), Failure> {
        let mut room = self.room.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut made = self.write();
        let wanted = made.len()?.saturating_add(more);
        if wanted <= *room {
            return Ok(());
        }
        let capacity = wanted.max(*room * 2);
        let (kind, width, device) = (self.kind, self.width, self.device.as_ref());
        let larger = Made::new(&Recipe { kind, width, capacity, budget: 0, ranks: 1, device })?;
        match (&*made, &larger) {
            (Made::Map32(from), Made::Map32(to)) => move_pairs(from, to)?,
            (Made::Map64(from), Made::Map64(to)) => move_pairs(from, to)?,
            _ => return Err(Failure::width()),
        }
        (*made, *room) = (larger, capacity);
        Ok(())
    }
}

impl Made {
    fn len(&self) -> Result<u64, Failure> {
        Ok(match self {
            Self::Map32(map) => map.len()?,
            Self::Map64(map) => map.len()?,
            Self::Set32(set) => set.len()?,
            Self::Set64(set) => set.len()?,
        })
    }

    fn clear(&mut self) -> Result<(), Failure> {
        match self {
            Self::Map32(map) => map.clear()?,
            Self::Map64(map) => map.clear()?,
            Self::Set32(set) => set.clear()?,
            Self::Set64(set) => set.clear()?,
        }
        Ok(())
    }
}

fn put<W: Key + Word>(
    map: &Map<W, W>,
    how: Put,
    (keys, values): (&[W], &[W]),
    new: &mut Vec<bool>,
) -> Result<(), Failure> {
    let lacks = |what| Failure::Value(format!("this table has no {what}"));
    let codes: Vec<u8> = match how {
        Put::Unique => codes(map.insert_unique(keys, values)?, Insert::code),
        Put::Assign => codes(map.insert_or_assign(keys, values)?, Assign::code),
        Put::Update(Update::Add) => {
            let counter = map.counter().ok_or_else(|| lacks("insert_or_add"))?;
            codes(counter.insert_or_add(keys, values)?, Add::code)
        }
        Put::Update(update) => {
            let updates = map.updates().ok_or_else(|| lacks("insert_or_update"))?;
            codes(updates.insert_or_update(update, keys, values)?, Add::code)
        }
        Put::Insert => {
            let multimap = map.multimap().ok_or_else(|| lacks("insert"))?;
            codes(multimap.insert(keys, values)?, Insert::code)
        }
    };
    note(&codes, new)
}

fn add<W: Key>(set: &Set<W>, keys: &[W], new: &mut Vec<bool>) -> Result<(), Failure> {
    note(&codes(set.insert(keys)?, Insert::code), new)
}

/// The codes of outcomes: they have one byte each, and the list is made in place.
fn codes<T>(outcomes: Outcomes<T>, code: impl Fn(T) -> u8) -> Vec<u8> {
    outcomes.into_iter().map(code).collect()
}

/// Notes which entries are new. All three kinds of outcomes have the same codes for new and full.
fn note(codes: &[u8], new: &mut Vec<bool>) -> Result<(), Failure> {
    new.extend(codes.iter().map(|&code| code == Insert::Inserted.code()));
    match codes.iter().filter(|&&code| code == Insert::Full.code()).count() {
        0 => Ok(()),
        full => Err(Failure::Full(full, codes.len())),
    }
}

fn searched<W: Word + Plain>(
    py: Python<'_>,
    keys: &[W],
    missing: W,
    report: Option<&Bound<'_, PyAny>>,
    search: impl Fn(&[W]) -> Result<Vec<Option<W>>, Failure> + Send + Sync,
) -> PyResult<(Column, Column)> {
    let (mut values, mut found) = (room(keys.len())?, room(keys.len())?);
    in_parts(py, keys.len(), report, |part| {
        let answers = search(&keys[part])?;
        values.par_extend(answers.par_iter().map(|answer| answer.unwrap_or(missing)));
        found.par_extend(answers.par_iter().map(Option::is_some));
        Ok(())
    })?;
    Ok((values.into(), found.into()))
}

fn matches<W: Key>(map: &Map<W, W>) -> Result<&dyn Matches<W, W>, Failure> {
    map.matches().ok_or_else(|| Failure::Value("this table has one value for each key".into()))
}

fn all_of<W: Key + Plain>(map: &Map<W, W>, keys: &[W]) -> Result<(Column, Column), Failure> {
    let found = matches(map)?.search_all(keys)?;
    Ok((found.offsets.into(), found.values.into()))
}

fn split<W: Plain>(pairs: Vec<(W, W)>) -> Result<(Column, Column), Failure> {
    let (mut keys, mut values) = (room(pairs.len())?, room(pairs.len())?);
    keys.par_extend(pairs.par_iter().map(|pair| pair.0));
    values.par_extend(pairs.par_iter().map(|pair| pair.1));
    Ok((keys.into(), values.into()))
}

/// Copies all pairs of a multimap.
fn move_pairs<W: Key>(from: &Map<W, W>, to: &Map<W, W>) -> Result<(), Failure> {
    let pairs = from.retrieve_all()?;
    let (mut keys, mut values) = (room(pairs.len())?, room(pairs.len())?);
    keys.extend(pairs.iter().map(|pair| pair.0));
    values.extend(pairs.iter().map(|pair| pair.1));
    put(to, Put::Insert, (&keys, &values), &mut room(pairs.len())?)
}
