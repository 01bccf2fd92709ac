//! A row of the suite: how tables of a structure are made on a backend.

use super::facts::{Facts, typed};
use super::number::Number;
use super::table::Table;
use std::path::Path;
use warpproof::any::{Error, Geometry, Map};
use warpproof::model::host::{BulkTable, GeometryOf, Refused};

/// Makes an empty table of a size.
type Make<K> = Box<dyn Fn(Geometry) -> Result<Table<K>, Error>>;
/// Makes a table of entries; a set leaves the values.
type Build<K> = Box<dyn Fn(&[K], &[K]) -> Result<Table<K>, Error>>;

/// Opens the table of a file, with a budget.
type Open<K> = Box<dyn Fn(&Path, u64) -> Result<Table<K>, Error>>;

/// How tables of a structure are made on a backend, and what is known of the structure.
pub(crate) struct Row<K> {
    /// What is known of the structure.
    pub(crate) facts: &'static Facts,
    make: Make<K>,
    size: Box<dyn Fn(u64, f64) -> Geometry>,
    build: Option<Build<K>>,
    /// On its backend, and elsewhere.
    open: Option<[Open<K>; 2]>,
    tidy: fn(&mut Table<K>),
}

impl<K: Number> Row<K> {
    /// Tables that `make` makes of a size, and `size` says the size for so many entries at a load; `any`
    /// hides their type.
    pub(crate) fn new<T: BulkTable<Error: Send + Sync + 'static> + 'static>(
        facts: &'static Facts,
        any: fn(T) -> Table<K>,
        make: impl Fn(GeometryOf<T>) -> Result<T, T::Error> + 'static,
        size: impl Fn(u64, f64) -> Result<GeometryOf<T>, Refused> + 'static,
    ) -> Self
    where
        GeometryOf<T>: TryFrom<Geometry> + Into<Geometry>,
    {
        Self {
            facts,
            make: Box::new(move |size| make(typed(size)).map(any).map_err(Error::new)),
            size: Box::new(move |entries, load| size(entries, load).expect("a small table").into()),
            build: None,
            open: None,
            tidy: |_| {},
        }
    }

    /// This row, with `build` to make tables of entries.
    pub(crate) fn with_build<T: 'static, E: std::error::Error + Send + Sync + 'static>(
        self,
        any: fn(T) -> Table<K>,
        build: impl Fn(&[K], &[K]) -> Result<T, E> + 'static,
    ) -> Self {
        let build = move |keys: &[K], values: &[K]| build(keys, values).map(any).map_err(Error::new);
        Self { build: Some(Box::new(build)), ..self }
    }

    /// This row, with `open` to open the table of a file, and `elsewhere` to open it on another backend or in
    /// another shape.
    pub(crate) fn with_open<T: 'static, O: 'static, E, F>(
        self,
        (any, open): (fn(T) -> Table<K>, impl Fn(&Path, u64) -> Result<T, E> + 'static),
        (other, elsewhere): (fn(O) -> Table<K>, impl Fn(&Path, u64) -> Result<O, F> + 'static),
    ) -> Self
    where
        E: std::error::Error + Send + Sync + 'static,
        F: std::error::Error + Send + Sync + 'static,
    {
        let open = move |path: &Path, budget| open(path, budget).map(any).map_err(Error::new);
        let elsewhere = move |path: &Path, budget| elsewhere(path, budget).map(other).map_err(Error::new);
        Self { open: Some([Box::new(open), Box::new(elsewhere)]), ..self }
    }

    /// This row, with `tidy` to give back what deleted entries take, which is not done where the table grows.
    #[allow(dead_code, reason = "tables on a GPU do it where they grow")]
    pub(crate) fn with_tidy(self, tidy: fn(&mut Table<K>)) -> Self {
        Self { tidy, ..self }
    }

    /// The size for so many entries at a load.
    pub(crate) fn size(&self, entries: usize, load: f64) -> Geometry {
        (self.size)(entries as u64, load)
    }

    /// An empty table, if there can be one of this size.
    pub(crate) fn try_table(&self, size: Geometry) -> Result<Table<K>, Error> {
        (self.make)(size)
    }

    /// An empty table.
    pub(crate) fn table(&self, size: impl Into<Geometry>) -> Table<K> {
        self.try_table(size.into()).expect("memory for a test table")
    }

    /// An empty table with room for so many entries, whatever its structure.
    pub(crate) fn roomy(&self, entries: usize) -> Table<K> {
        self.table(self.size(entries, 0.6))
    }

    /// An empty map of a size, in a row of maps.
    pub(crate) fn map(&self, size: Geometry) -> Map<K, K> {
        match self.table(size) {
            Table::Map(map) => map,
            Table::Set(_) => panic!("a body about maps runs for sets"),
        }
    }

    /// An empty map with room for so many pairs, in a row of maps.
    pub(crate) fn roomy_map(&self, pairs: usize) -> Map<K, K> {
        self.map(self.size(pairs, 0.6))
    }

    /// A table of these entries, in a row of tables that are built.
    pub(crate) fn build(&self, keys: &[K], values: &[K]) -> Result<Table<K>, Error> {
        self.build.as_ref().expect("a body about tables that are built runs for others")(keys, values)
    }

    /// The table of a file, in a row of tables that are saved.
    pub(crate) fn open(&self, path: &Path, budget: u64) -> Result<Table<K>, Error> {
        let [open, _] = self.open.as_ref().expect("a body about files runs for others");
        open(path, budget)
    }

    /// The table of a file, on another backend or in another shape.
    pub(crate) fn open_elsewhere(&self, path: &Path, budget: u64) -> Result<Table<K>, Error> {
        let [_, elsewhere] = self.open.as_ref().expect("a body about files runs for others");
        elsewhere(path, budget)
    }

    /// Gives back what deleted entries take.
    pub(crate) fn tidy(&self, table: &mut Table<K>) {
        (self.tidy)(table);
    }

    /// The groups of bodies that the row calls for, by what its tables can do and what is known of them.
    fn called_for(&self) -> Vec<&'static str> {
        let mut table = self.roomy(10);
        let (facts, hopscotch) = (self.facts, matches!(table.geometry(), Geometry::Hopscotch(_)));
        let (is_map, crowded, flush) =
            (table.map().is_some(), !facts.crowds.is_empty(), table.flush().is_some());
        let can = |can: fn(&Map<K, K>) -> bool| table.map().is_some_and(can);
        let counts = can(|map| map.counter().is_some());
        let all = [
            ("tables", true),
            ("maps", is_map),
            ("built", self.build.is_some()),
            ("sizes", !facts.grows),
            ("chains", flush),
            ("matches", can(|map| map.matches().is_some())),
            ("multimaps", can(|map| map.multimap().is_some())),
            ("crowds", crowded),
            ("crowded_maps", crowded && is_map && facts.fills),
            ("full_at_last", facts.full_at_last),
            ("reuses", crowded && facts.reuses),
            ("tombstones", crowded && !facts.reuses),
            ("moves", hopscotch),
            ("counters", counts && crowded),
            ("ordered", table.in_order().is_some() && !facts.grows),
            ("grows", facts.grows),
            ("growing_maps", facts.grows && counts),
            ("saves", table.is_saved()),
        ];
        all.into_iter().filter(|(_, called_for)| *called_for).map(|(group, _)| group).collect()
    }

    /// Checks that the row has the groups of bodies that it calls for, and no others.
    pub(crate) fn has_its_bodies(&self, groups: &[&str]) {
        let (mut called_for, mut groups) = (self.called_for(), groups.to_vec());
        called_for.sort_unstable();
        groups.sort_unstable();
        assert_eq!(groups, called_for);
    }
}
