//! A table together with its size and place: what the handles of every structure hold.

use super::Table;
use crate::error::Error;
use crate::layout::Layout;

/// A table of size `G`, whose memory lies where `P` says.
pub(crate) struct Placed<G, P> {
    table: Table,
    geometry: G,
    parts: P,
}

impl<G: Copy, P: Copy> Placed<G, P> {
    /// A table that was made of this size, there.
    pub(crate) fn new(table: Table, geometry: G, parts: P) -> Self {
        Self { table, geometry, parts }
    }

    /// What all structures share.
    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    /// The same, to be changed.
    pub(crate) fn table_mut(&mut self) -> &mut Table {
        &mut self.table
    }

    /// Makes the table empty, on our own stream, and waits for it.
    pub(crate) fn clear_and_wait(&mut self) -> Result<(), Error> {
        let stream = self.table.device().stream().clone();
        self.table.clear(&stream)?;
        stream.synchronize().map_err(Error::driver("waiting for a table to be cleared"))
    }

    /// The layout.
    pub(crate) fn layout(&self) -> Layout {
        self.table.family().layout
    }

    /// The size.
    pub(crate) fn geometry(&self) -> G {
        self.geometry
    }

    /// Where the table lies.
    pub(crate) fn parts(&self) -> P {
        self.parts
    }
}
