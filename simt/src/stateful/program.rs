//! The positions of warps in their programs. The values that a warp has read in its call decide its next
//! step, so each list of such values is a *node*. A node is computed once, by running the call; after that,
//! going from node to node is a table lookup.

use super::memories::Memories;
use super::replay::{Mark, Next, Replay, Step};
use crate::check::{Access, Breach, Case, Event, Kind};
use crate::engine::Options;
use rustc_hash::FxHashMap;
use warpproof_model::spec::Ret;

/// The most warps.
pub(super) const WARPS: usize = 4;

/// The number of a node.
pub(super) type Node = u32;

/// How many calls of each warp had returned when a call began, as far as they are of its history.
pub(super) type After = [u16; WARPS];

/// A warp, up to what it does next.
enum State {
    /// Between calls. The call that returned last: the node before it, when it began, and what it returned.
    Idle { last: Option<(Node, After, Ret)> },
    /// In a call, which began after an idle node.
    Within { from: Node, after: After, past: Past, next: Next },
}

/// What led to a node in a call.
#[derive(Clone, Copy)]
struct Past {
    /// The node before, and what was read there; none at the beginning of a call.
    read: Option<(Node, u128)>,
    /// Whether the warp says that it waits, between what it read last and what comes next.
    paused: bool,
}

/// The warps' programs.
pub(super) struct Programs<'c> {
    case: &'c Case,
    step_bound: u32,
    /// Whether marks count.
    marked: bool,
    /// After how many steps of a call a test has planted a mark.
    planted: Option<usize>,
    nodes: Vec<State>,
    /// The warp of each node, and which of its calls it is in or comes next.
    places: Vec<(u8, u16)>,
    begun: FxHashMap<(Node, After), Node>,
    /// Where reading a value leads, and how many steps that takes back.
    read: FxHashMap<(Node, u128), (Node, u32)>,
    returned: FxHashMap<(Node, After, Ret), Node>,
    /// The first node at each mark of a call.
    marks: FxHashMap<(Node, After, Mark), Node>,
}

/// How many further turns of a loop must be equal to the first before the loop counts as one that only waits.
const TURNS: usize = 8;

impl<'c> Programs<'c> {
    /// The node at which a warp's program begins has the number of the warp.
    pub(super) fn new(case: &'c Case, options: &Options) -> Self {
        let warps = case.scenario.programs.len();
        Self {
            case,
            step_bound: options.step_bound,
            // A warp that stops does so after each number of steps, and marks make steps fewer.
            marked: options.marks && case.stall.is_none(),
            planted: super::planted(),
            nodes: (0..warps).map(|_| State::Idle { last: None }).collect(),
            places: (0..warps).map(|warp| (warp as u8, 0)).collect(),
            begun: FxHashMap::default(),
            read: FxHashMap::default(),
            returned: FxHashMap::default(),
            marks: FxHashMap::default(),
        }
    }

    fn add(&mut self, state: State, place: (u8, u16)) -> Node {
        self.nodes.push(state);
        self.places.push(place);
        self.nodes.len() as Node - 1
    }

    /// How many calls have returned.
    pub(super) fn calls(&self, node: Node) -> usize {
        self.places[node as usize].1.into()
    }

    /// Whether the whole program has ended.
    pub(super) fn is_over(&self, node: Node) -> bool {
        let (warp, calls) = self.places[node as usize];
        usize::from(calls) == self.case.scenario.programs[usize::from(warp)].len()
    }

    pub(super) fn is_idle(&self, node: Node) -> bool {
        matches!(self.nodes[node as usize], State::Idle { .. })
    }

    /// What comes next in the call that the warp is in; `None` between calls.
    pub(super) fn next(&self, node: Node) -> Option<&Next> {
        match &self.nodes[node as usize] {
            State::Idle { .. } => None,
            State::Within { next, .. } => Some(next),
        }
    }

    /// Whether the warp waits at a barrier.
    pub(super) fn meets(&self, node: Node) -> bool {
        matches!(self.next(node), Some(Next::Step(Step::Meet)))
    }

    /// Whether the warp says that it waits here.
    pub(super) fn is_paused(&self, node: Node) -> bool {
        matches!(self.nodes[node as usize], State::Within { past: Past { paused: true, .. }, .. })
    }

    /// The next call begins.
    pub(super) fn begin(&mut self, from: Node, after: After) -> Node {
        if let Some(&node) = self.begun.get(&(from, after)) {
            return node;
        }
        let place = self.places[from as usize];
        let (replay, end) = self.replay(place, &[]);
        let past = Past { read: None, paused: false };
        let node = self.add(State::Within { from, after, past, next: end }, place);
        if let Some(mark) = replay.marked(0) {
            self.marks.insert((from, after, mark), node);
        }
        self.begun.insert((from, after), node);
        node
    }

    /// The call that the warp is in reads a value, in the step that comes next; how many steps were taken
    /// back: a turn of a loop that waits, and that was as the turn before, might not have been.
    pub(super) fn reads(&mut self, memories: &Memories, node: Node, value: u128) -> (Node, u32) {
        if let Some(&to) = self.read.get(&(node, value)) {
            return to;
        }
        let place = self.places[node as usize];
        let values = self.values(node, value);
        let (replay, end) = self.replay(place, &values);
        let planted = self.planted.filter(|&steps| steps == values.len()).map(|_| Mark(u32::MAX, 0));
        if let Some(mark) = planted.or(replay.marked(values.len())).filter(|_| self.marked) {
            let to = self.marked(node, mark, value, end);
            self.read.insert((node, value), (to, 0));
            return (to, 0);
        }
        let paused = replay.pauses.last() == Some(&values.len());
        let turn = if paused { self.turn_again(place, memories, &replay, &values) } else { None };
        let to = match (turn, &self.nodes[node as usize]) {
            (Some(turn), _) => (self.before(node, turn - 1), turn as u32),
            (None, &State::Within { from, after, .. }) => {
                let past = Past { read: Some((node, value)), paused };
                (self.add(State::Within { from, after, past, next: end }, place), 0)
            }
            // Nothing is read between calls.
            (None, State::Idle { .. }) => (node, 0),
        };
        self.read.insert((node, value), to);
        to
    }

    /// The node of a warp that has just called `mark`, which says that nothing before matters: the first node
    /// with the same mark.
    fn marked(&mut self, node: Node, mark: Mark, value: u128, next: Next) -> Node {
        let State::Within { from, after, .. } = self.nodes[node as usize] else { return node };
        let place = self.places[node as usize];
        let mut new =
            State::Within { from, after, past: Past { read: Some((node, value)), paused: false }, next };
        if let Some(&known) = self.marks.get(&(from, after, mark)) {
            let State::Within { next, .. } = &mut new else { return known };
            if self.next(known) == Some(next) {
                return known;
            }
            let detail = format!(
                "warp {} passed {mark:?} twice in one call and went on differently: the mark does not name one state",
                place.0
            );
            *next = Next::Breach(Breach::new(Kind::Panic, detail));
            return self.add(new, place);
        }
        let node = self.add(new, place);
        self.marks.insert((from, after, mark), node);
        node
    }

    /// The call that the warp is in returns.
    pub(super) fn returns(&mut self, node: Node, ret: Ret) -> Node {
        let State::Within { from, after, .. } = self.nodes[node as usize] else { return node };
        let key = (from, after, ret);
        if let Some(&node) = self.returned.get(&key) {
            return node;
        }
        let (warp, calls) = self.places[node as usize];
        let idle = self.add(State::Idle { last: Some(key.clone()) }, (warp, calls + 1));
        self.returned.insert(key, idle);
        idle
    }

    /// Adds the calls of a warp to a history; a warp that is in a call has not returned from it.
    pub(super) fn events(&self, node: Node, events: &mut Vec<Event>) {
        let (warp, number) = self.places[node as usize];
        let (warp, mut number) = (usize::from(warp), usize::from(number));
        let mut at = node;
        if let State::Within { from, after, .. } = self.nodes[node as usize] {
            events.push(self.event(warp, number, after, None));
            at = from;
        }
        while let State::Idle { last: Some((before, after, ret)) } = &self.nodes[at as usize] {
            number -= 1;
            events.push(self.event(warp, number, *after, Some(ret.clone())));
            at = *before;
        }
    }

    fn event(&self, warp: usize, number: usize, after: After, ret: Option<Ret>) -> Event {
        let call = self.case.scenario.programs[warp][number].clone();
        let after = self.known(after);
        // Behind the preload. Of calls of warps, `after` says what came first.
        let start = 2 * self.case.before.len() as u64;
        let end = if ret.is_some() { start + 1 } else { u64::MAX };
        Event { warp: Some(warp), number, call, ret, after, start, end }
    }

    /// How many calls of each warp had returned, as a history has it.
    pub(super) fn known(&self, after: After) -> Vec<u64> {
        after[..self.case.scenario.programs.len()].iter().map(|&calls| calls.into()).collect()
    }

    fn replay(&self, (warp, number): (u8, u16), values: &[u128]) -> (Replay, Next) {
        Replay::of(self.case, (warp.into(), number.into()), values, self.step_bound)
    }

    /// What the call read up to a node, and there.
    fn values(&self, node: Node, value: u128) -> Vec<u128> {
        let mut values = vec![value];
        let mut at = node;
        while let State::Within { past: Past { read: Some((before, value)), .. }, .. } =
            self.nodes[at as usize]
        {
            values.push(value);
            at = before;
        }
        values.reverse();
        values
    }

    /// The node so many steps before, or at the beginning of the call.
    fn before(&self, mut node: Node, steps: usize) -> Node {
        for _ in 0..steps {
            let State::Within { past: Past { read: Some((before, _)), .. }, .. } = self.nodes[node as usize]
            else {
                break;
            };
            node = before;
        }
        node
    }

    /// The length of a loop's iteration that ends with these values, with a pause before it and one after it,
    /// if it changes nothing, equals the iteration before, and would repeat for ever.
    fn turn_again(
        &self,
        place: (u8, u16),
        memories: &Memories,
        replay: &Replay,
        values: &[u128],
    ) -> Option<usize> {
        let (&end, &begin) = (replay.pauses.last()?, replay.pauses.iter().rev().nth(1)?);
        let turn = end - begin;
        let first = begin.checked_sub(turn)?;
        let (steps, read) = (&replay.steps[begin..], &values[begin..]);
        let changes = |(step, &value): (&Step, &u128)| match step {
            // What it overwrites is not among the values.
            Step::Access(_, Access::Store(..)) | Step::Meet => true,
            Step::Access(word, access) => {
                access.apply(value, memories.width(*word)).is_some_and(|new| new != value)
            }
        };
        let alike = (&replay.steps[first..begin], &values[first..begin]) == (steps, read);
        if !alike || steps.iter().zip(read).any(changes) {
            return None;
        }
        let (imagined, _) = self.replay(place, &[values, &read.repeat(TURNS)].concat());
        let same = imagined.steps[end..].chunks(turn).all(|next| next == steps)
            && imagined.steps.len() == end + TURNS * turn
            && imagined.pauses.ends_with(&(0..=TURNS).map(|turns| end + turns * turn).collect::<Vec<_>>());
        same.then_some(turn)
    }
}
