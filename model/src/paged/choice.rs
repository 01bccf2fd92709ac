//! The choice of the way of a job.

use super::{Access, Pager, Way};
use alloc::collections::TryReserveError;
use alloc::vec::Vec;

/// The costs of the ways on a device, in nanoseconds.
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
    /// A byte of a copy back: the additional cost, as it runs beside copies to other frames.
    pub copy_back_byte: f64,
}

/// How the ways of jobs are chosen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Choose {
    /// Always this one.
    Always(Way),
    /// The cheaper one, for this batch or for later ones.
    Cheaper(Prices),
}

/// The number of batches for which a table should be worth its copy, if later ones are like earlier ones.
const BATCHES: f64 = 4.0;

/// Why a job took its way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// In a frame: its child table was already there.
    WasInFrame,
    /// Copied to a frame: [`Choose::Always`] demands it.
    AlwaysCopied,
    /// In place: [`Choose::Always`] demands it.
    AlwaysInPlace,
    /// In place: there are no frames.
    NoFrames,
    /// Copied to a frame: that was cheaper for this batch.
    CopyCheaper,
    /// Copied to a frame: that was not cheaper for this batch, but is if a few more batches are like the
    /// earlier ones.
    CopyPaysLater,
    /// In place: that was cheaper.
    InPlaceCheaper,
    /// In place: a copy would pay later, but it would displace a child table with more than half as many
    /// operations.
    WouldDisplace,
}

impl Reason {
    /// All reasons, in their order.
    pub const ALL: [Self; 8] = [
        Self::WasInFrame,
        Self::AlwaysCopied,
        Self::AlwaysInPlace,
        Self::NoFrames,
        Self::CopyCheaper,
        Self::CopyPaysLater,
        Self::InPlaceCheaper,
        Self::WouldDisplace,
    ];

    /// The way of the job: in place or in a frame.
    pub const fn way(self) -> Way {
        match self {
            Self::WasInFrame | Self::AlwaysCopied | Self::CopyCheaper | Self::CopyPaysLater => Way::Resident,
            Self::AlwaysInPlace | Self::NoFrames | Self::InPlaceCheaper | Self::WouldDisplace => Way::InPlace,
        }
    }
}

/// Jobs that took their way for one reason.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// The number of jobs: one for each child table of a batch.
    pub jobs: u64,
    /// Their operations.
    pub operations: u64,
    /// The cost of the chosen way by the [`Prices`], in nanoseconds; 0 without prices.
    pub taken_ns: u64,
    /// The cost of the other way.
    pub other_ns: u64,
}

/// The ways of the jobs of batches, and the reasons: a [`Tally`] for each [`Access`] and [`Reason`].
///
/// Other work on a child table is not counted: a rebuild, operations that run again after one, a retrieval,
/// statistics.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Choices([[Tally; Reason::ALL.len()]; 2]);

impl Choices {
    /// The jobs of this access that took their way for this reason.
    pub const fn of(&self, access: Access, reason: Reason) -> Tally {
        self.0[access as usize][reason as usize]
    }

    /// The tallies that are not empty.
    pub fn iter(&self) -> impl Iterator<Item = (Access, Reason, Tally)> + '_ {
        let accesses = [Access::Reads, Access::Writes].into_iter();
        let all = accesses.flat_map(|access| Reason::ALL.map(|reason| (access, reason)));
        all.map(|(access, reason)| (access, reason, self.of(access, reason))).filter(|(.., t)| t.jobs > 0)
    }

    /// These without those that were counted in `before`.
    #[must_use]
    pub fn since(mut self, before: &Self) -> Self {
        for (now, then) in self.0.iter_mut().flatten().zip(before.0.iter().flatten()) {
            now.jobs = now.jobs.saturating_sub(then.jobs);
            now.operations = now.operations.saturating_sub(then.operations);
            now.taken_ns = now.taken_ns.saturating_sub(then.taken_ns);
            now.other_ns = now.other_ns.saturating_sub(then.other_ns);
        }
        self
    }

    /// These and those of another table.
    #[must_use]
    pub fn and(mut self, others: &Self) -> Self {
        for (ours, other) in self.0.iter_mut().flatten().zip(others.0.iter().flatten()) {
            ours.jobs = ours.jobs.saturating_add(other.jobs);
            ours.operations = ours.operations.saturating_add(other.operations);
            ours.taken_ns = ours.taken_ns.saturating_add(other.taken_ns);
            ours.other_ns = ours.other_ns.saturating_add(other.other_ns);
        }
        self
    }

    /// Counts a job.
    fn note(&mut self, access: Access, reason: Reason, job: Tally) {
        let mut of_job = Self::default();
        of_job.0[access as usize][reason as usize] = job;
        *self = self.and(&of_job);
    }
}

/// Chooses the way of each job, by its number of operations, and those of earlier jobs on its child table.
#[derive(Clone, Debug)]
pub struct Choice {
    choose: Choose,
    /// Bytes of a child table.
    child_bytes: u64,
    /// Operations of a batch on each child table, on average: the last batch counts as much as all before it.
    demand: Vec<f64>,
    /// The choices so far.
    choices: Choices,
}

impl Choice {
    /// A choice for so many child tables of so many bytes, on which no job has run.
    ///
    /// # Errors
    /// If there is no memory for a number for each of them.
    pub fn new(children: u32, child_bytes: u64, choose: Choose) -> Result<Self, TryReserveError> {
        let mut demand = Vec::new();
        demand.try_reserve_exact(children as usize)?;
        demand.resize(children as usize, 0.0);
        Ok(Self { choose, child_bytes, demand, choices: Choices::default() })
    }

    /// Chooses in another way from now on. The demand of earlier batches stays known.
    pub fn set(&mut self, choose: Choose) {
        self.choose = choose;
    }

    /// Records that a batch has so many operations on a child table, perhaps none. Call it once for each
    /// child table and batch, before its way is asked for.
    pub fn note(&mut self, child: u32, operations: u64) {
        if let Some(demand) = self.demand.get_mut(child as usize) {
            *demand = (*demand + operations as f64) / 2.0;
        }
    }

    /// Bytes of a child table.
    pub fn child_bytes(&self) -> u64 {
        self.child_bytes
    }

    /// The choices so far.
    pub fn choices(&self) -> Choices {
        self.choices
    }

    /// The way of a job of so many operations on a child table. It is counted, so ask once for each job.
    ///
    /// A table that is in no frame is copied to one if that is cheaper than the operations in place, counting
    /// the copy back if the job writes; or if a few batches like the earlier ones would pay for the copy, and
    /// it displaces no table that had more than half as many operations.
    pub fn way<E: Clone>(
        &mut self,
        pager: &Pager<E>,
        child: u32,
        (access, operations): (Access, u64),
    ) -> Way {
        let reason = self.reason(pager, child, (access, operations));
        self.count(reason, 1, (access, operations));
        reason.way()
    }

    /// Records jobs that ran at once, all of them on tables in frames, with so many operations in all.
    pub fn note_in_frames(&mut self, jobs: u64, (access, operations): (Access, u64)) {
        self.count(Reason::WasInFrame, jobs, (access, operations));
    }

    /// The reason why a job should take its way.
    fn reason<E: Clone>(&self, pager: &Pager<E>, child: u32, (access, operations): (Access, u64)) -> Reason {
        if pager.is_resident(child) {
            return Reason::WasInFrame;
        }
        let prices = match self.choose {
            Choose::Always(Way::InPlace) => return Reason::AlwaysInPlace,
            _ if pager.frames() == 0 => return Reason::NoFrames,
            Choose::Always(Way::Resident) => return Reason::AlwaysCopied,
            Choose::Cheaper(prices) => prices,
        };
        let demand = |child: u32| self.demand.get(child as usize).copied().unwrap_or(0.0);
        let copies = prices.copies(access, self.child_bytes);
        let saved = |operations: f64| operations * (prices.in_place(access) - prices.in_frame);
        if saved(operations as f64) > copies {
            return Reason::CopyCheaper;
        }
        if saved(BATCHES * demand(child)) <= copies {
            return Reason::InPlaceCheaper;
        }
        let displaced = pager.next_evicted().map_or(0.0, demand);
        if demand(child) > 2.0 * displaced { Reason::CopyPaysLater } else { Reason::WouldDisplace }
    }

    /// Counts jobs.
    fn count(&mut self, reason: Reason, jobs: u64, (access, operations): (Access, u64)) {
        let (taken_ns, other_ns) = match self.choose {
            Choose::Always(_) => (0, 0),
            Choose::Cheaper(prices) => {
                let in_place = operations as f64 * prices.in_place(access);
                let in_frame = operations as f64 * prices.in_frame;
                let copied = in_frame + prices.copies(access, self.child_bytes) * jobs as f64;
                let (taken, other) = match reason.way() {
                    Way::InPlace => (in_place, copied),
                    Way::Resident if reason == Reason::WasInFrame => (in_frame, in_place),
                    Way::Resident => (copied, in_place),
                };
                (taken as u64, other as u64)
            }
        };
        self.choices.note(access, reason, Tally { jobs, operations, taken_ns, other_ns });
    }
}

impl Prices {
    /// The cost of an operation in place.
    fn in_place(&self, access: Access) -> f64 {
        if access == Access::Writes { self.writes_in_place } else { self.reads_in_place }
    }

    /// The cost of the copies of a child table of so many bytes: to a frame, and back if the job writes.
    fn copies(&self, access: Access, child_bytes: u64) -> f64 {
        let back = if access == Access::Writes { self.copy_back_byte } else { 0.0 };
        (self.copy_in_byte + back) * child_bytes as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paged::device::idle::Idle;

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
        pager.run(&mut Idle, 0, (Access::Reads, Way::Resident), |_, _| Ok(())).expect("a job");
        (0..8).for_each(|_| choice.note(1, 500));
        assert_eq!(choice.way(&pager, 1, reads(500)), Way::InPlace, "not twice as many as table 0");
        (0..8).for_each(|_| choice.note(1, 700));
        assert_eq!(choice.way(&pager, 1, reads(500)), Way::Resident);

        assert_eq!(choice.way(&pager, 0, reads(7)), Way::Resident, "it is in a frame");
        choice.note_in_frames(2, reads(20));
        let of = |access, reason| choice.choices().of(access, reason);
        let tally = |jobs, operations, taken_ns, other_ns| Tally { jobs, operations, taken_ns, other_ns };
        // A copy of a table to a frame costs 1000, and 500 more if it is to be copied back.
        assert_eq!(of(Access::Reads, Reason::CopyCheaper), tally(1, 1001, 2001, 2002));
        assert_eq!(of(Access::Writes, Reason::InPlaceCheaper), tally(1, 1001, 2002, 2501));
        assert_eq!(of(Access::Reads, Reason::InPlaceCheaper), tally(2, 1399, 2798, 3399));
        assert_eq!(of(Access::Reads, Reason::CopyPaysLater), tally(2, 900, 2900, 1800));
        assert_eq!(of(Access::Reads, Reason::WouldDisplace), tally(1, 500, 1000, 1500));
        assert_eq!(of(Access::Reads, Reason::WasInFrame), tally(3, 27, 27, 54));
        assert_eq!(choice.choices().iter().map(|(.., tally)| tally.jobs).sum::<u64>(), 10);
        let before = choice.choices();
        choice.way(&pager, 0, (Access::Writes, 7));
        let since: Vec<_> = choice.choices().since(&before).iter().collect();
        assert_eq!(since, [(Access::Writes, Reason::WasInFrame, tally(1, 7, 7, 14))]);
        assert_eq!(before.and(&choice.choices().since(&before)), choice.choices());
    }

    /// What costs as much as the other way is not chosen for that.
    #[test]
    fn a_copy_must_cost_less_than_it_saves() {
        let prices = Prices {
            reads_in_place: 3.0,
            writes_in_place: 5.0,
            in_frame: 1.0,
            copy_in_byte: 2.0,
            copy_back_byte: 1.0,
        };
        let choice = || Choice::new(2, 500, Choose::Cheaper(prices)).expect("memory");
        let mut pager = Pager::<()>::new(2, 1).expect("memory");
        // A copy costs 1000, and 1500 with one back.
        for (access, most) in [(Access::Reads, 500), (Access::Writes, 375)] {
            let way = |operations| choice().way(&pager, 0, (access, operations));
            assert_eq!([most, most + 1].map(way), [Way::InPlace, Way::Resident], "{access:?}");
        }
        // The average is half of the first batch, and four batches are counted.
        let later = |operations: u64| {
            let mut choice = choice();
            choice.note(0, operations);
            choice.way(&pager, 0, (Access::Reads, operations))
        };
        assert_eq!([250, 252].map(later), [Way::InPlace, Way::Resident]);
        pager.run(&mut Idle, 1, (Access::Reads, Way::Resident), |_, _| Ok(())).expect("a job");
        let displacing = |operations: u64| {
            let mut choice = choice();
            choice.note(1, 200);
            choice.note(0, operations);
            choice.way(&pager, 0, (Access::Reads, operations))
        };
        assert_eq!([400, 402].map(displacing), [Way::InPlace, Way::Resident]);
    }

    #[test]
    fn another_way_may_be_set() {
        let pager = Pager::<()>::new(1, 1).expect("memory");
        let mut choice = Choice::new(1, 500, Choose::Always(Way::InPlace)).expect("memory");
        choice.set(Choose::Always(Way::Resident));
        assert_eq!((choice.way(&pager, 0, (Access::Reads, 1)), choice.child_bytes()), (Way::Resident, 500));
    }

    #[test]
    fn a_way_that_was_chosen_is_taken() {
        let pager = Pager::<()>::new(1, 1).expect("memory");
        for (way, reason) in [(Way::InPlace, Reason::AlwaysInPlace), (Way::Resident, Reason::AlwaysCopied)] {
            let mut choice = Choice::new(1, 500, Choose::Always(way)).expect("memory");
            assert_eq!(choice.way(&pager, 0, (Access::Reads, 1)), way);
            let tally = Tally { jobs: 1, operations: 1, ..Tally::default() };
            assert_eq!(choice.choices().iter().collect::<Vec<_>>(), [(Access::Reads, reason, tally)]);
        }
        // Without frames jobs run in place.
        let pager = Pager::<()>::new(1, 0).expect("memory");
        let mut choice = Choice::new(1, 500, Choose::Always(Way::Resident)).expect("memory");
        assert_eq!(choice.way(&pager, 0, (Access::Reads, 1)), Way::InPlace);
        assert_eq!(choice.choices().of(Access::Reads, Reason::NoFrames).jobs, 1);
    }
}
