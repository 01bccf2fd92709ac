//! The scenarios of a batch that is inserted bin by bin.
//!
//! All warps, of one lane each, are one block, which runs every block of every launch, one after the other: a
//! barrier of the block represents the end of a launch. Blocks that run at once differ from that only in the
//! counters of bins, each of which is one word. A call of `search_all` is one warp's share of the whole.

mod sets;
mod shaped;
mod subject;

pub(super) use sets::random;
pub use sets::{deep, default_set};
pub(super) use shaped::subject;
pub use subject::{BulkSubject, STRUCTURE, TOLD};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::ScenarioError;

    #[test]
    fn a_warp_has_one_share() {
        let mut scenario = default_set().swap_remove(0);
        let share = scenario.programs[0][0].clone();
        scenario.programs[0].push(share);
        assert_eq!(subject(&scenario).err(), Some(ScenarioError::Programs));
    }
}
