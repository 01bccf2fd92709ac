//! Makes three things from one list of calls: the virtual functions of a table, their implementation for
//! every type that has the calls, and the calls of the type that holds such a table.

/// A trait `$dyn` with the calls of the bulk trait `$bulk` and those of a table; its implementation for every
/// table that has them; and `$bulk` for `$own`, whose field `table` is a `Box<dyn $dyn>`.
macro_rules! erased {
    ($dyn:ident<$($p:ident: $bound:path),*>: $bulk:path, $entry:ty, $own:ty {
        $(fn $call:ident($($arg:ident: $from:ty),*) -> $to:ty;)*
    }) => {
        /// The virtual functions of a table.
        pub(super) trait $dyn<$($p: $bound),*>: Any + Send + Sync {
            fn retrieve_all(&self) -> Result<Vec<$entry>, Error>;
            fn len(&self) -> Result<u64, Error>;
            fn stats(&self) -> Result<Stats, Error>;
            fn geometry(&self) -> Geometry;
            fn clear(&mut self) -> Result<(), Error>;
            $(fn $call(&self, $($arg: $from),*) -> Result<$to, Error>;)*
        }

        impl<$($p: $bound,)* T: $bulk + Any + Send + Sync> $dyn<$($p),*> for T
        where
            T::Error: Send + Sync + 'static,
            StatsOf<T>: Into<Stats>,
            GeometryOf<T>: Into<Geometry>,
        {
            fn retrieve_all(&self) -> Result<Vec<$entry>, Error> {
                BulkTable::retrieve_all(self).map_err(Error::new)
            }
            fn len(&self) -> Result<u64, Error> {
                BulkTable::len(self).map_err(Error::new)
            }
            fn stats(&self) -> Result<Stats, Error> {
                BulkTable::stats(self).map(Into::into).map_err(Error::new)
            }
            fn geometry(&self) -> Geometry {
                BulkTable::geometry(self).into()
            }
            fn clear(&mut self) -> Result<(), Error> {
                BulkTable::clear(self).map_err(Error::new)
            }
            $(fn $call(&self, $($arg: $from),*) -> Result<$to, Error> {
                <T as $bulk>::$call(self, $($arg),*).map_err(Error::new)
            })*
        }

        impl<$($p: $bound),*> BulkTable for $own {
            type Error = Error;
            type Structure = AnyStructure;
            type Entry = $entry;

            fn retrieve_all(&self) -> Result<Vec<$entry>, Error> {
                self.table.retrieve_all()
            }
            fn len(&self) -> Result<u64, Error> {
                self.table.len()
            }
            fn stats(&self) -> Result<Stats, Error> {
                self.table.stats()
            }
            fn geometry(&self) -> Geometry {
                self.table.geometry()
            }
            fn clear(&mut self) -> Result<(), Error> {
                self.table.clear()
            }
        }

        impl<$($p: $bound),*> $bulk for $own {
            $(fn $call(&self, $($arg: $from),*) -> Result<$to, Error> {
                self.table.$call($($arg),*)
            })*
        }
    };
}

pub(super) use erased;
