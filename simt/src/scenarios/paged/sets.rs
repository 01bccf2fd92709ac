//! The sets of scenarios.

use super::device::Failed;
use super::{PagedSubject, partition};
use crate::check::{Config, Scenario};
use std::collections::HashSet;
use warpproof_model::paged::Access::{Reads, Writes};
use warpproof_model::paged::Way::{InPlace, Resident};
use warpproof_model::paged::{DeviceMemory, Pager, Place, STREAM, Step, Stream};
use warpproof_model::spec::Call;

/// What a job does to its child table: adds in a frame, looks there, adds in place, looks in place.
const JOBS: [fn(u32) -> Step; 4] = [
    |child| Step::Job(child, Writes, Resident),
    |child| Step::Job(child, Reads, Resident),
    |child| Step::Job(child, Writes, InPlace),
    |child| Step::Job(child, Reads, InPlace),
];
/// Adds in a frame, and looks there.
const PAGED: &[fn(u32) -> Step] = JOBS.split_at(2).0;
/// One job on all child tables.
const ALL: [fn(u32) -> Step; 2] = [|_| Step::All(Writes), |_| Step::All(Reads)];
/// What the host does: it reads all images, or changes one.
const HOSTS: [fn(u32) -> Step; 2] = [|_| Step::ReadAll, Step::Change];

/// All rows of so many steps on at most `children` child tables. Child tables are named in the order in which
/// they come up.
fn rows(length: usize, steps: &[fn(u32) -> Step], children: u32) -> Vec<Vec<Step>> {
    let Some(length) = length.checked_sub(1) else { return vec![Vec::new()] };
    let longer = |row: Vec<Step>| {
        let known = row.iter().filter_map(|step| child(*step)).max().map_or(0, |most| most + 1);
        let mut next = Vec::new();
        for step in steps {
            let of = (0..children.min(known + 1)).map(step);
            // A step that is of no child table is one.
            of.for_each(|step| {
                if !next.contains(&step) {
                    next.push(step)
                }
            });
        }
        next.into_iter().map(move |step| [row.as_slice(), &[step]].concat())
    };
    rows(length, steps, children).into_iter().flat_map(longer).collect()
}

fn child(step: Step) -> Option<u32> {
    match step {
        Step::Job(child, ..) | Step::Change(child) => Some(child),
        Step::ReadAll | Step::All(_) => None,
    }
}

/// How many child tables these steps are of.
fn children(steps: &[Step]) -> u32 {
    steps.iter().filter_map(|step| child(*step)).max().map_or(1, |most| most + 1)
}

/// A host that makes these steps and then reads all images. Bit `i` of `fails` is set if call number `i` of
/// the device fails: a copy, a job, or the host's wait for an event.
fn scenario(frames: u32, steps: &[Step], fails: u32) -> Scenario {
    // What is refused at the end is asked for once more.
    let last = vec![Step::ReadAll; if fails == 0 { 1 } else { 2 }];
    let steps = [steps, &last].concat();
    let children = children(&steps);
    let call = Step::call(&steps);
    let failing = if fails == 0 { String::new() } else { format!("_fails{fails:b}") };
    let name = format!("{}/{}_frames{frames}{failing}", PagedSubject::STRUCTURE, call.value);
    let config = Config {
        lanes: 1,
        slots: 1,
        buckets: frames,
        reach: children,
        bitmap: vec![fails],
        ..Config::default()
    };
    let streams = (0..3).map(|stream| vec![Call::new(STREAM, stream, 0)]);
    let programs = [vec![call]].into_iter().chain(streams).collect();
    let mut scenario = Scenario::new(name, PagedSubject::STRUCTURE, config, programs);
    scenario.allows.full = fails != 0;
    scenario
}

fn all(frames: &[u32], rows: &[Vec<Step>], fails: u32) -> Vec<Scenario> {
    frames.iter().flat_map(|&frames| rows.iter().map(move |row| scenario(frames, row, fails))).collect()
}

/// Each of these rows with each call of the device failing in turn, those at the end included.
fn each_fails(frames: u32, rows: &[Vec<Step>]) -> Vec<Scenario> {
    let mut scenarios = Vec::new();
    for row in rows {
        scenarios.extend((0..calls(frames, row)).map(|call| scenario(frames, row, 1 << call)));
    }
    scenarios
}

/// How many calls that may fail a host makes of the device in these steps, and when it reads all images then.
fn calls(frames: u32, steps: &[Step]) -> u32 {
    let (mut device, children) = (Counting(0), children(steps));
    let Ok(mut pager) = Pager::new(children, frames) else { return 0 };
    for step in steps.iter().chain(&[Step::ReadAll]) {
        let _: Result<(), Failed> = match *step {
            Step::Job(child, access, way) => {
                pager.run(&mut device, child, (access, way), |device, _| device.call())
            }
            Step::All(access) => {
                let mut tables: Vec<_> = (0..children).map(|child| (child, Place::Image)).collect();
                pager.run_where_they_are(&mut device, &mut tables, access, |device, _| device.call())
            }
            Step::ReadAll => pager.write_back(&mut device),
            Step::Change(_) => pager.release(&mut device),
        };
    }
    device.0
}

/// A device that does nothing but count the calls that may fail.
struct Counting(u32);

impl Counting {
    fn call(&mut self) -> Result<(), Failed> {
        self.0 += 1;
        Ok(())
    }
}

impl DeviceMemory for Counting {
    type Event = ();
    type Error = Failed;

    fn copy_in(&mut self, _: u32, _: u32) -> Result<(), Failed> {
        self.call()
    }
    fn copy_out(&mut self, _: u32, _: u32) -> Result<(), Failed> {
        self.call()
    }
    fn record(&mut self, _: Stream) {}
    fn wait(&mut self, _: Stream, (): &()) {}
    fn join(&mut self, (): &()) -> Result<(), Failed> {
        self.call()
    }
}

/// Two jobs in a row, one frame.
pub fn quick() -> Vec<Scenario> {
    all(&[1], &rows(2, &JOBS, 2), 0)
}

/// Two jobs without frames; three jobs in a row, with one frame and with two; a host that reads or changes
/// images before, between and after jobs; a device each of whose calls fails in turn.
pub fn default_set() -> Vec<Scenario> {
    let host = [&JOBS[..], &HOSTS].concat();
    let with_host = rows(3, &host, 2);
    let mut scenarios = all(&[0], &rows(2, &host, 2), 0);
    scenarios.extend(all(&[1], &with_host, 0));
    // With as many frames as child tables nothing is evicted.
    scenarios.extend(all(&[2], &rows(3, &JOBS, 3), 0));
    scenarios.extend(each_fails(1, &rows(3, &[PAGED[0], PAGED[1], JOBS[3], HOSTS[0]], 2)));
    scenarios.extend(each_fails(1, &rows(2, &[PAGED[0], JOBS[2], HOSTS[1]], 2)));
    // One job on all tables, with and after others, of which some are in frames.
    let with_all = [&JOBS[..], &ALL].concat();
    let mut with_all = rows(3, &with_all, 2);
    with_all.retain(|row| row.iter().any(|step| matches!(step, Step::All(_))));
    scenarios.extend(all(&[1], &with_all, 0));
    let mut with_all = rows(3, &[PAGED[0], JOBS[2], ALL[0]], 2);
    with_all.retain(|row| row.iter().any(|step| matches!(step, Step::All(_))));
    scenarios.extend(each_fails(1, &with_all));
    scenarios.push(scenario(2, &SWAPPED, 0));
    scenarios.extend(partition::default_set());
    scenarios
}

/// Two tables change their frames when the host has taken both out.
const SWAPPED: [Step; 6] = [
    Step::Job(0, Reads, Resident),
    Step::Job(1, Reads, Resident),
    Step::Change(0),
    Step::Job(1, Writes, Resident),
    Step::Job(0, Reads, Resident),
    // In place if it were in no frame.
    Step::Job(1, Reads, InPlace),
];

/// Four jobs in a row, on three child tables.
pub fn deep() -> Vec<Scenario> {
    let mut scenarios = all(&[1, 2], &rows(4, &JOBS, 3), 0);
    let mut with_host = rows(4, &[PAGED[0], PAGED[1], HOSTS[0], HOSTS[1]], 3);
    with_host.retain(|row| row.iter().any(|step| !matches!(step, Step::Job(..))));
    scenarios.extend(all(&[2], &with_host, 0));
    scenarios.extend(all(&[1, 2], &rows(5, PAGED, 3), 0));
    let known: HashSet<String> = default_set().into_iter().map(|scenario| scenario.name).collect();
    let one_fails = each_fails(1, &rows(3, &[PAGED[0], JOBS[2], HOSTS[0], HOSTS[1], ALL[0]], 2));
    scenarios.extend(one_fails.into_iter().filter(|scenario| !known.contains(&scenario.name)));
    // Two calls of a row fail.
    for row in rows(3, &[PAGED[0], JOBS[3]], 2) {
        let calls = calls(1, &row);
        let pairs = (0..calls).flat_map(|first| (0..first).map(move |second| 1 << first | 1 << second));
        scenarios.extend(pairs.map(|fails| scenario(1, &row, fails)));
    }
    scenarios.extend(partition::deep());
    scenarios
}

/// A random scenario: up to five steps of any kind on up to four child tables, with up to three frames.
pub(super) fn random(below: &mut dyn FnMut(u32) -> u32) -> Scenario {
    let kinds = [&JOBS[..], &HOSTS, &ALL].concat();
    let children = 1 + below(4);
    let steps: Vec<Step> =
        (0..1 + below(5)).map(|_| kinds[below(kinds.len() as u32) as usize](below(children))).collect();
    let frames = below(4);
    let fails = if below(4) == 0 { 1 << below(calls(frames, &steps)) } else { 0 };
    scenario(frames, &steps, fails)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_those_that_differ_in_more_than_names() {
        // One child table or two: 4 + 4 kinds in the second place.
        assert_eq!(rows(2, &JOBS, 2).len(), 4 * 8);
        assert_eq!(rows(2, &HOSTS, 2).len(), 2 + 3);
        // Five ways to name three tables.
        assert_eq!(rows(3, PAGED, 3).len(), 8 * 5);
    }

    #[test]
    fn calls_that_may_fail_are_counted() {
        let row =
            [Step::Job(0, Writes, Resident), Step::Job(1, Reads, Resident), Step::Job(1, Reads, InPlace)];
        // Two copies to a frame and one back, three jobs; and two waits at the end.
        assert_eq!((calls(1, &row), calls(2, &row)), (3 + 3 + 2, 2 + 3 + 1 + 2));
        // Without frames they work in place.
        assert_eq!(calls(0, &row), 3 + 2);
        assert_eq!(each_fails(1, &[row.to_vec()]).len(), 8);
        assert_eq!(calls(1, &[Step::Change(0), Step::All(Writes)]), 2 + 1 + 2);
    }
}
