//! Exhibit 17: a frame that is used again too soon.
//!
//! Source: Starfish, the insert pipeline: child tables that are copied out while others come in.
//!
//! The daemon gives each child table a stream: copy the table to a frame, run the kernel, copy the frame
//! back. Where there are fewer frames than child tables, a later one gets the frame of one before. What is
//! published says that the kernel on that one has ended then, and nothing of its copy back: the copy in
//! overtakes it, and the image of the first child table holds words of the second.
//!
//! Reduced: two child tables of two words, one frame. A warp is a stream, and its call is the batch of the
//! child table with that number: the kernel writes the value of the call to all words. Streams delay as they
//! like; what orders them are events.

use crate::exhibit::{Exhibit, Repair, Snapshot, calls, repair, run};
use warpproof_model::paged::{Access, Step, Way};
use warpproof_model::spec::{Call, Map, Ret};
use warpproof_model::{ReadOrder, Words, WriteOrder};
use warpproof_simt::check::{Array, Breach, Config, Kind, Memory, Scenario, ScenarioError, SimWarp, Subject};
use warpproof_simt::engine::{Engine, Options};
use warpproof_simt::scenarios::paged;

const CHILDREN: usize = 2;
/// Words of a child table.
const WORDS: usize = 2;

const IMAGES: usize = 0;
const FRAME: usize = 1;
const RAN: usize = 2;
const SAVED: usize = 3;

/// The streams as the daemon fills them.
#[derive(Clone, Debug)]
struct Pipeline {
    /// The event for which a copy to a frame waits: that of the kernel, or of the copy, of the child table
    /// that had the frame before.
    waits_for: usize,
}

/// What the batch of a child table writes to its words.
fn written(child: usize) -> u64 {
    10 * (child as u64 + 1)
}

/// Copies the words of one table to another.
fn copy<W: Words<u32>>((from, at): (W, usize), (to, there): (W, usize)) {
    for word in 0..WORDS {
        // Relaxed: events order copies and kernels, or nothing does.
        let value = from.load(at * WORDS + word, ReadOrder::Relaxed);
        to.store(there * WORDS + word, value, WriteOrder::Relaxed);
    }
}

impl Subject for Pipeline {
    type Spec = Map;

    fn spec(&self) -> Map {
        Map::default()
    }

    fn arrays(&self) -> Vec<Array> {
        let zeros = |name, words| Array::new(name, 32, vec![0; words]);
        vec![
            zeros("image", CHILDREN * WORDS),
            zeros("frame", WORDS),
            zeros("ran", CHILDREN),
            zeros("saved", CHILDREN),
        ]
    }

    fn about(&self) -> Vec<String> {
        vec!["Two child tables of two words each, whose images are in the memory of the host, and one frame in that of the GPU.".into(), "A kernel writes 10 to all words of child table 0, and 20 to those of child table 1.".into()]
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let (images, frames, child) = (m.w32(IMAGES), m.w32(FRAME), call.key as usize);
        // All of them get the one frame, in the order of their numbers.
        if let Some(before) = child.checked_sub(1) {
            // Acquire: pairs with the Release of the events below.
            while m.w32(self.waits_for).load(before, ReadOrder::Acquire) == 0 {
                w.pause();
            }
        }
        copy((images, child), (frames, 0));
        for word in 0..WORDS {
            frames.store(word, call.value as u32, WriteOrder::Relaxed);
        }
        m.w32(RAN).store(child, 1, WriteOrder::Release);
        copy((frames, 0), (images, child));
        m.w32(SAVED).store(child, 1, WriteOrder::Release);
        Ret::Inserted
    }

    /// Every image is what its batch has written.
    fn check_quiescent<W: SimWarp, M: Memory>(&self, _w: &mut W, m: M) -> Result<(), Breach> {
        for child in 0..CHILDREN {
            // Relaxed: read alone.
            let words = (0..WORDS).map(|word| m.w32(IMAGES).load(child * WORDS + word, ReadOrder::Relaxed));
            let words: Vec<u32> = words.collect();
            if words.iter().any(|&word| u64::from(word) != written(child)) {
                let wrong = format!("image {child} is corrupt: it holds {words:?}, not {}", written(child));
                return Err(Breach::new(Kind::Invariant, wrong));
            }
        }
        Ok(())
    }

    fn show(&self, array: usize, _index: usize, value: u128) -> String {
        match (array, value) {
            (RAN | SAVED, 0) => "not yet".to_string(),
            (RAN | SAVED, _) => "has come".to_string(),
            (_, number) => number.to_string(),
        }
    }

    fn word(&self, array: usize, index: usize) -> String {
        let (table, word) = (index / WORDS, index % WORDS);
        match array {
            IMAGES => format!("image {table}, word {word}"),
            FRAME => format!("frame {table}, word {word}"),
            RAN => format!("kernel ended[{index}]"),
            _ => format!("copied back[{index}]"),
        }
    }
}

/// Our pager on the device of its own scenarios: two jobs that write, on two child tables, one frame.
fn ours() -> Repair {
    let run = |engine: &dyn Engine, _: &Scenario, options: &Options| {
        let jobs = [0, 1].map(|child| Step::Job(child, Access::Writes, Way::Resident));
        let host = Step::call(&[jobs[0], jobs[1], Step::ReadAll]);
        let mut scenarios = paged::quick();
        scenarios.retain(|scenario| scenario.programs.first().is_some_and(|calls| calls.contains(&host)));
        engine.explore(&scenarios.pop().ok_or(ScenarioError::Programs)?, options)
    };
    Repair { what: "our pager", run: Box::new(run), small: false }
}

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let programs = (0..CHILDREN).map(|child| calls(&format!("insert_unique {child} {}", written(child))));
    let config = Config { lanes: 1, ..Config::default() };
    vec![Exhibit {
        id: "17",
        source: "Starfish, insert pipeline",
        defect: "a frame is used again before its copy back has ended: the image is corrupt",
        kind: Kind::Invariant,
        shows: "frame",
        snapshot: Snapshot::Found,
        lanes: false,
        published: run(Pipeline { waits_for: RAN }),
        repairs: vec![
            repair("a copy to a frame waits for the copy back", Pipeline { waits_for: SAVED }),
            ours(),
        ],
        scenario: Scenario::new("museum/17", "starfish", config, programs.collect()),
    }]
}
