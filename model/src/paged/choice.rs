//! Which way a job takes.

use super::{Access, Pager, Way};
use alloc::collections::TryReserveError;
use alloc::vec::Vec;

/// What ways cost on a device, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Prices {
    /// An operation that reads, in place.
    pub reads_in_place: f64,
    /// An operation that may write, in place.
    pub writes_in_place: f64,
    /// An operation in a frame.
    pub in_frame: f64,
    /// A byte of a copy to a frame.
    pub copy_in_byte: f64,
    /// A byte of a copy back: what it takes besides, as it runs beside copies to other frames.
    pub copy_back_byte: f64,
}

/// How the ways of jobs are found.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Choose {
    /// Always this one.
    Always(Way),
    /// The one that is cheaper, for this batch or for those to come.
    Cheaper(Prices),
}

/// Batches for which a table should be worth its copy, if later ones are like those before.
const BATCHES: f64 = 4.0;

/// Chooses the way of each job, by how many operations it has, and how many its child table had before.
#[derive(Clone, Debug)]
pub struct Choice {
    choose: Choose,
    /// Bytes of a child table.
    child_bytes: u64,
    /// Operations of a batch on each child table, on average: the last batch counts as much as all before it.
    demand: Vec<f64>,
}

impl Choice {
    /// For so many child tables of so many bytes, on which no job has run.
    ///
    /// # Errors
    /// If there is no memory for a number for each of them.
    pub fn new(children: u32, child_bytes: u64, choose: Choose) -> Result<Self, TryReserveError> {
        let mut demand = Vec::new();
        demand.try_reserve_exact(children as usize)?;
        demand.resize(children as usize, 0.0);
        Ok(Self { choose, child_bytes, demand })
    }

    /// Chooses in another way from now on. What is known of the batches before stays.
    pub fn set(&mut self, choose: Choose) {
        self.choose = choose;
    }

    /// A batch has so many operations on a child table, perhaps none: to be said of each child table once for
    /// each batch, before its way is asked for.
    pub fn note(&mut self, child: u32, operations: u64) {
        if let Some(demand) = self.demand.get_mut(child as usize) {
            *demand = (*demand + operations as f64) / 2.0;
        }
    }

    /// The way of a job of so many operations on a child table which is in no frame.
    ///
    /// It is copied to a frame if that is cheaper than the operations in place, counting the copy back if the
    /// job writes; or if a few batches like those before would pay for the copy, and it displaces no table
    /// that had more than half as many operations.
    pub fn way<E: Clone>(&self, pager: &Pager<E>, child: u32, (access, operations): (Access, u64)) -> Way {
        let prices = match self.choose {
            Choose::Always(way) => return way,
            Choose::Cheaper(prices) => prices,
        };
        let demand = |child: u32| self.demand.get(child as usize).copied().unwrap_or(0.0);
        let back = if access == Access::Writes { prices.copy_back_byte } else { 0.0 };
        let copies = (prices.copy_in_byte + back) * self.child_bytes as f64;
        let in_place = if access == Access::Writes { prices.writes_in_place } else { prices.reads_in_place };
        let saved = |operations: f64| operations * (in_place - prices.in_frame);
        let pays_later = || {
            let displaced = pager.next_evicted().map_or(0.0, demand);
            saved(BATCHES * demand(child)) > copies && demand(child) > 2.0 * displaced
        };
        if saved(operations as f64) > copies || pays_later() { Way::Resident } else { Way::InPlace }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Refused;
    use crate::paged::{DeviceMemory, Stream};

    /// A device that does nothing.
    struct Nothing;

    impl DeviceMemory for Nothing {
        type Event = ();
        type Error = Refused;

        fn copy_in(&mut self, _: u32, _: u32) -> Result<(), Refused> {
            Ok(())
        }
        fn copy_out(&mut self, _: u32, _: u32) -> Result<(), Refused> {
            Ok(())
        }
        fn record(&mut self, _: Stream) {}
        fn wait(&mut self, _: Stream, (): &()) {}
        fn join(&mut self, (): &()) -> Result<(), Refused> {
            Ok(())
        }
    }

    #[test]
    fn tables_are_copied_when_that_pays() {
        let prices = Prices {
            reads_in_place: 2.0,
            writes_in_place: 2.0,
            in_frame: 1.0,
            copy_in_byte: 2.0,
            copy_back_byte: 1.0,
        };
        let mut choice = Choice::new(3, 500, Choose::Cheaper(prices)).expect("memory");
        let mut pager = Pager::<()>::new(3, 1).expect("memory");
        let reads = |operations| (Access::Reads, operations);
        assert_eq!(choice.way(&pager, 0, reads(999)), Way::InPlace);
        assert_eq!(choice.way(&pager, 0, reads(1001)), Way::Resident, "cheaper at once");
        assert_eq!(choice.way(&pager, 0, (Access::Writes, 1001)), Way::InPlace, "it is to be copied back");
        choice.note(0, 400);
        assert_eq!(choice.way(&pager, 0, reads(400)), Way::InPlace, "200 on average");
        choice.note(0, 400);
        assert_eq!(choice.way(&pager, 0, reads(400)), Way::Resident, "300 on average pay in four batches");
        pager.run(&mut Nothing, 0, (Access::Reads, Way::Resident), |_, _| Ok(())).expect("a job");
        (0..8).for_each(|_| choice.note(1, 500));
        assert_eq!(choice.way(&pager, 1, reads(500)), Way::InPlace, "not twice as many as table 0");
        (0..8).for_each(|_| choice.note(1, 700));
        assert_eq!(choice.way(&pager, 1, reads(500)), Way::Resident);
    }

    #[test]
    fn a_way_that_was_chosen_is_taken() {
        let pager = Pager::<()>::new(1, 1).expect("memory");
        for way in [Way::InPlace, Way::Resident] {
            let choice = Choice::new(1, 500, Choose::Always(way)).expect("memory");
            assert_eq!(choice.way(&pager, 0, (Access::Reads, 1)), way);
        }
    }
}
