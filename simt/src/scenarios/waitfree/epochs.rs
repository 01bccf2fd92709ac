//! Scenarios whose nodes are used again while calls run: when the epochs have passed in which somebody may be
//! at them.

use super::places::{self, NEVER, full, patient, with};
use super::tables::EPOCHS64;
use crate::check::Scenario;
use crate::scenarios::table::Name;
use warpproof_model::spec::Call;
use warpproof_model::spec::Op::{self, Delete, InsertUnique, Search};

/// Tables whose nodes are used again while calls run. A call is a turn there. Every pair of operations; a
/// warp that looks for a key which is there all the time, while another one replaces its node and uses that
/// again in the other bucket; two that take the same nodes; one that goes on for long.
pub(super) fn used_again() -> Vec<Scenario> {
    let mut all = patient(&EPOCHS64.pairs(&[places::ROOM]), 0);
    let fourth = [&REPLACE[..2], &REPLACE[1..]].concat();
    all.push(by_epochs(4, &[&fourth, &[(Search, KEY)]]));
    all.push(by_epochs(4, &[&REPLACE, &[(Search, OTHER), (Search, KEY)]]));
    let late = by_epochs(4, &[&[(Search, KEY)], &fourth]);
    all.extend(EPOCHS64.stalls([&late]));
    let mut both = by_epochs(4, &[&[(InsertUnique, BESIDE)], &[(InsertUnique, OTHER)]]);
    all.push(by_epochs(4, &[&[(InsertUnique, BESIDE)], &[(Delete, OTHER)]]));
    // All nodes are retired, one of them long enough ago.
    let preload = &mut both.preload;
    let keys = [preload[1].key, preload[0].key];
    preload.extend(keys.map(|key| Call::new(Delete, key, 0)));
    preload.extend([keys[1]; 2].map(|key| Call::new(Search, key, 0)));
    both.name += "_retired";
    all.push(both);
    // One warp always finds a node.
    let mut alone = by_epochs(6, &[&[(Delete, KEY), (InsertUnique, KEY)].repeat(4)]);
    alone.allows.full = false;
    all.push(alone);
    all
}

/// A key that is there all the time, one that comes into its node, and one of the other bucket.
pub(super) const KEY: Name = (0, 0);
const BESIDE: Name = (0, 1);
pub(super) const OTHER: Name = (1, 0);

/// Replaces the node of the key, and uses it again in the other bucket, if the epoch allows it.
pub(super) const REPLACE: [(Op, Name); 3] = [(InsertUnique, BESIDE), (Delete, OTHER), (InsertUnique, OTHER)];

/// Programs on two buckets, with so many nodes.
pub(super) fn by_epochs(nodes: u32, programs: &[&[(Op, Name)]]) -> Scenario {
    let mut scenario = EPOCHS64.of_names(places::BOTH, programs);
    scenario.config.bitmap = vec![u32::MAX << nodes];
    scenario.name += &format!("_of{nodes}");
    with(&full(scenario), NEVER)
}
