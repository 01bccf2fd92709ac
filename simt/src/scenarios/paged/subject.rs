//! The pager and its device as a subject.

use super::device::{
    ANSWERS, Command, Device, EVENTS, FRAMES, Failed, IMAGES, QUEUES, STREAMS, TABLE, run_job, run_stream,
};
use crate::check::{Array, Config, Memory, Scenario, SimWarp, Subject};
use warpproof_model::paged::{Access, Children, JOBS, Pager, Place, Step};
use warpproof_model::spec::{Call, Ret};

/// A host whose pager puts jobs on three streams. Warp 0 is the host, the others are the streams.
///
/// The configuration says: `buckets` is the number of frames, `reach` that of child tables. Bit `i` of word 0
/// of `bitmap` is set if call number `i` of the device fails: a copy, a job, or the host's wait for an event.
#[derive(Clone, Debug)]
pub struct PagedSubject {
    config: Config,
    steps: usize,
    may_fail: bool,
}

impl PagedSubject {
    /// The name in scenarios.
    pub const STRUCTURE: &'static str = "paged";

    /// The subject of a scenario.
    pub fn new(scenario: &Scenario) -> Self {
        let steps = scenario.calls().map(|call| Step::of_call(call).len()).max();
        Self { config: scenario.config.clone(), steps: steps.unwrap_or(0), may_fail: scenario.allows.full }
    }

    fn run_host<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let Config { buckets, reach, ref bitmap, .. } = self.config;
        let mut device = Device::new(w, m, bitmap.first().copied().unwrap_or(0));
        let Ok(mut pager) = Pager::new(reach, buckets) else { return Ret::Full };
        let images = m.w32(IMAGES);
        let said: Vec<Result<Option<Ret>, Failed>> = Step::of_call(call)
            .into_iter()
            .enumerate()
            .map(|(at, step)| match step {
                Step::All(access) => {
                    let mut tables: Vec<_> = (0..reach).map(|child| (child, Place::Image)).collect();
                    let all = |device: &mut Device<'_, W, M>, tables: &[(u32, Place)]| {
                        device.jobs(tables, access, at * reach as usize)
                    };
                    pager.run_where_they_are(&mut device, &mut tables, access, all).map(|()| None)
                }
                Step::Job(child, access, way) => {
                    let job = |device: &mut Device<'_, W, M>, place| {
                        device.job((child, place, access), at * reach as usize)
                    };
                    pager.run(&mut device, child, (access, way), job).map(|()| None)
                }
                Step::ReadAll => pager.write_back(&mut device).map(|()| {
                    let numbers = (0..reach).map(|child| run_job(images, child, Access::Reads).into());
                    Some(Ret::Values(numbers.collect()))
                }),
                Step::Change(child) => pager
                    .release(&mut device)
                    .map(|()| Some(Ret::Count(run_job(images, child, Access::Writes).into()))),
            })
            .collect();
        device.end();
        let steps = Step::of_call(call);
        let ret = |(at, said)| match (said, steps.get(at)) {
            (Ok(Some(ret)), _) => ret,
            (Ok(None), Some(Step::All(_))) => {
                Ret::Values((0..reach as usize).map(|i| device.answer(at * reach as usize + i)).collect())
            }
            (Ok(None), _) => Ret::Count(device.answer(at * reach as usize)),
            (Err(Failed), _) => Ret::Full,
        };
        Ret::Each(said.into_iter().enumerate().map(ret).collect())
    }
}

impl Subject for PagedSubject {
    type Spec = Children;

    fn spec(&self) -> Children {
        Children { children: self.config.reach, may_fail: self.may_fail }
    }

    /// A call is of several child tables.
    fn key(&self, _: &Call) -> u64 {
        0
    }

    fn arrays(&self) -> Vec<Array> {
        let Config { buckets: frames, reach: children, .. } = self.config;
        // What a step puts on a stream at most: four waits, a copy and a record; or a wait and a job for each
        // child table, and a record.
        let commands = (8 + 2 * children as usize) * self.steps + 4;
        let zeros = |name, words| Array::new(name, 32, vec![0; words]);
        vec![
            zeros("image", children as usize * TABLE),
            // A frame holds anything at first.
            Array::new("frame", 32, (0..frames as usize * TABLE).map(|word| 40 + word as u128).collect()),
            zeros("answer", self.steps * children as usize),
            zeros("event", 3 * commands),
            zeros("queue in", commands),
            zeros("queue run", commands),
            zeros("queue out", commands),
        ]
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        if call.op == JOBS {
            return self.run_host(w, m, call);
        }
        run_stream(w, m, call.key as usize);
        Ret::Done
    }

    fn show(&self, array: usize, _: usize, value: u128) -> String {
        match (array, Command::of(value as u32)) {
            (IMAGES | FRAMES | ANSWERS, _) => value.to_string(),
            (EVENTS, _) => if value == 0 { "not yet" } else { "has come" }.to_string(),
            (_, Some(command)) => command.to_string(),
            (_, None) => "nothing".to_string(),
        }
    }

    fn word(&self, array: usize, index: usize) -> String {
        let (table, word) = (index / TABLE, index % TABLE);
        match array {
            IMAGES => format!("image {table}, word {word}"),
            FRAMES => format!("frame {table}, word {word}"),
            ANSWERS => format!("answer of job {index}"),
            EVENTS => format!("event {index}"),
            _ => match STREAMS.get(array - QUEUES) {
                Some(stream) => format!("queue of stream {stream:?}[{index}]"),
                None => "?".to_string(),
            },
        }
    }

    fn about(&self) -> Vec<String> {
        vec![
            "A host puts copies and jobs on three streams of a device (In, Run, Out), a warp each."
                .to_string(),
            "Streams run beside each other; events are all that orders them.".to_string(),
            "A child table is two words that hold the same number; its image is in the host's memory."
                .to_string(),
        ]
    }
}
