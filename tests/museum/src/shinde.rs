//! A list of SIMD nodes as Shinde prints it ("Wait-free set", 2016; pseudo-code), reduced: exhibits 18 to 21.
//!
//! A bucket is a list of nodes of as many values as a warp has lanes, in no order within a node; a lane
//! without a value is empty. Nodes hold ascending ranges; the last one holds infinity. The values of a node
//! that is linked never change: add and remove *clone* it and *replace* it. A link has bits beside it: the
//! node is free, or the link is retained, so that no other warp replaces what follows.
//!
//! Operations: FIND walks and asks of each node whether it is the WINDOW of the key; CLONE copies the node
//! with the key or without it, and splits a full one; REPLACE retains the link of the old node, and
//! exchanges the link before it.
//!
//! What is left out: marks, which no printed operation sets. Where a form waits for another warp it says so.

use warpproof_model::spec::{Call, Op, Ret, Spec};
use warpproof_model::{IntegerWords, Order, ReadOrder, Warp, Words, WriteOrder};
use warpproof_simt::check::{Array, Breach, Kind, Memory, SimWarp, Subject};

/// The value that is above all keys.
const INFINITY: u32 = u32::MAX;
/// No node.
const NIL: u64 = 0xffff;
/// The node before the first one: it holds nothing.
const HEAD: u64 = 0;
const RETAINED: u64 = 1;
const FREE: u64 = 2;

const fn link(node: u64, bits: u64) -> u64 {
    node << 2 | bits
}

const fn unlink(link: u64) -> (u64, u64) {
    (link >> 2, link & 3)
}

/// What becomes of a full node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Split {
    /// REPLACE links the lower half and nothing after it.
    LosesUpper,
    /// The key goes into the upper half, which may have no room.
    IntoUpper,
    /// The key goes into the half that has room, and both are linked.
    Whole,
}

/// A form of the list.
#[derive(Clone, Debug)]
pub(crate) struct List {
    pub(crate) lanes: usize,
    /// What the nodes after the head hold at first; the last one has infinity.
    pub(crate) held: &'static [&'static [u32]],
    /// Nodes that are free at first.
    pub(crate) spare: usize,
    /// Whether a node is asked for keys up to its largest, or, as printed, for those beyond.
    pub(crate) window: bool,
    pub(crate) split: Split,
    /// Whether REPLACE compares what follows with the node that was cloned.
    pub(crate) expects: bool,
    /// Whether a node that was replaced is free at once, or never.
    pub(crate) frees: bool,
}

impl List {
    /// The list with everything as it should be, but for the retained link and for nodes that are never used
    /// again.
    pub(crate) const RIGHT: Self = Self {
        lanes: 4,
        held: &[&[INFINITY]],
        spare: 12,
        window: true,
        split: Split::Whole,
        expects: true,
        frees: false,
    };

    const fn nodes(&self) -> usize {
        1 + self.held.len() + self.spare
    }
}

/// A set, some keys of which are there at first.
#[derive(Clone, Debug)]
pub(crate) struct Held(&'static [&'static [u32]]);

impl Spec for Held {
    type State = bool;

    fn initial(&self, key: u64) -> bool {
        self.0.iter().any(|node| node.iter().any(|&held| u64::from(held) == key))
    }

    fn step(&self, there: &bool, call: &Call, ret: Option<&Ret>, next: &mut Vec<bool>) {
        let (after, answer) = match (call.op, there) {
            (Op::InsertUnique, false) => (true, Ret::Inserted),
            (Op::InsertUnique, true) => (true, Ret::Present),
            (Op::Delete, true) => (false, Ret::Deleted),
            (Op::Delete, false) => (false, Ret::Absent),
            (_, there) => (*there, Ret::Value(there.then_some(0))),
        };
        if ret.is_none_or(|ret| *ret == answer) {
            next.push(after);
        }
    }

    fn show(&self, key: u64, there: &bool) -> String {
        format!("key {key} is {}", if *there { "there" } else { "absent" })
    }
}

/// The list in some memory.
struct On<'l, L, V> {
    links: L,
    values: V,
    form: &'l List,
}

/// A place in the list: the node before, the node that is the window, and whether it has the key.
struct Place {
    before: u64,
    node: u64,
    has: bool,
}

impl<L: IntegerWords<u64>, V: IntegerWords<u32>> On<'_, L, V> {
    fn next<W: Warp>(&self, w: &mut W, node: u64) -> (u64, u64) {
        // Acquire: what is linked was written before.
        let next = w.elect(0, || self.links.load(node as usize, ReadOrder::Acquire));
        w.sync();
        unlink(next)
    }

    fn row<W: Warp>(&self, w: &mut W, node: u64) -> W::Lanes<u32> {
        let base = node as usize * W::LANES as usize;
        // Relaxed: ordered by the link.
        w.each(|lane| self.values.load(base + lane as usize, ReadOrder::Relaxed))
    }

    fn write<W: Warp>(&self, w: &mut W, node: u64, row: W::Lanes<u32>) {
        let base = node as usize * W::LANES as usize;
        // Relaxed: published by a link.
        w.map(row, |lane, value| self.values.store(base + lane as usize, value, WriteOrder::Relaxed));
        w.sync();
    }

    fn allocate<W: Warp>(&self, w: &mut W) -> Option<u64> {
        for node in 1..self.links.len() {
            let taken = w.elect(0, || {
                let seen = self.links.load(node, ReadOrder::Relaxed);
                // AcqRel: with the Release of `free`.
                unlink(seen).1 & FREE != 0
                    && self.links.compare_exchange(node, seen, link(NIL, 0), Order::AcqRel) == seen
            });
            w.sync();
            if taken {
                return Some(node as u64);
            }
        }
        None
    }

    fn free<W: Warp>(&self, w: &mut W, node: u64) {
        w.sync();
        // Release: what was read of the node was read before.
        w.elect(0, || self.links.store(node as usize, link(NIL, FREE), WriteOrder::Release));
    }

    fn find<W: Warp>(&self, w: &mut W, key: u32) -> Place {
        'restart: loop {
            let mut before = HEAD;
            loop {
                let (node, bits) = self.next(w, before);
                if bits != 0 {
                    // Free, or retained: by whom, the link does not say.
                    w.pause();
                    continue 'restart;
                }
                let row = self.row(w, node);
                let reaches = w.map(row, |_, value| value >= key);
                if w.ballot(reaches).any() == self.form.window {
                    let same = w.map(row, |_, value| value == key);
                    return Place { before, node, has: w.ballot(same).any() };
                }
                before = node;
            }
        }
    }

    /// The first and the last node of what takes the place of a node.
    fn clone<W: Warp>(&self, w: &mut W, node: u64, key: u32) -> Option<(u64, u64)> {
        let first = self.allocate(w)?;
        let row = self.row(w, node);
        let same = w.map(row, |_, value| value == key);
        let empty = w.map(row, |_, value| value == 0);
        let (same, empty) = (w.ballot(same), w.ballot(empty));
        if same.any() || empty.any() {
            let (from, to) = if same.any() { (key, 0) } else { (0, key) };
            let at = if same.any() { same.ffs() } else { empty.ffs() };
            let new = w.map(row, |lane, value| if value == from && Some(lane) == at { to } else { value });
            self.write(w, first, new);
            return Some((first, first));
        }
        let Some(second) = self.allocate(w) else {
            self.free(w, first);
            return None;
        };
        let lower = w.map(row, |_, value| if value < key { value } else { 0 });
        let upper = w.map(row, |_, value| if value > key { value } else { 0 });
        let room = w.map(lower, |_, value| value == 0);
        let into_lower = self.form.split == Split::Whole && w.ballot(room).any();
        let half = if into_lower { lower } else { upper };
        let empty = w.map(half, |_, value| value == 0);
        // As printed: without an empty lane the first one is taken.
        let at = w.ballot(empty).ffs().unwrap_or(0);
        let half = w.map(half, |lane, value| if lane == at { key } else { value });
        let (lower, upper) = if into_lower { (half, upper) } else { (lower, half) };
        self.write(w, first, lower);
        self.write(w, second, upper);
        if self.form.split == Split::LosesUpper {
            return Some((first, first));
        }
        // Relaxed: published by REPLACE.
        w.elect(0, || self.links.store(first as usize, link(second, 0), WriteOrder::Relaxed));
        Some((first, second))
    }

    /// Puts new nodes in the place of what follows `before`.
    fn replace<W: Warp>(&self, w: &mut W, before: u64, cloned: u64, (first, last): (u64, u64)) -> bool {
        let (node, bits) = self.next(w, before);
        if bits != 0 || node == NIL || self.form.expects && node != cloned {
            return false;
        }
        let (behind, bits) = self.next(w, node);
        if bits & FREE != 0 {
            return false;
        }
        let was = link(behind, bits);
        // AcqRel: a stronger order than printed, here and below.
        let exchange = |at: u64, old: u64, new: u64| {
            self.links.compare_exchange(at as usize, old, new, Order::AcqRel) == old
        };
        if !w.elect(0, || exchange(node, was, link(behind, RETAINED))) {
            return false;
        }
        w.elect(0, || self.links.store(last as usize, link(behind, 0), WriteOrder::Release));
        let done = w.elect(0, || exchange(before, link(node, 0), link(first, 0)));
        if done && self.form.frees {
            self.free(w, node);
        }
        done
    }

    fn update<W: Warp>(&self, w: &mut W, key: u32, adds: bool) -> Ret {
        loop {
            let place = self.find(w, key);
            if place.has == adds {
                return if adds { Ret::Present } else { Ret::Absent };
            }
            let Some(new) = self.clone(w, place.node, key) else { return Ret::Full };
            if self.replace(w, place.before, place.node, new) {
                return if adds { Ret::Inserted } else { Ret::Deleted };
            }
            // A failed replacement leaks its nodes.
            w.pause();
        }
    }
}

impl Subject for List {
    type Spec = Held;

    fn spec(&self) -> Held {
        Held(self.held)
    }

    fn arrays(&self) -> Vec<Array> {
        let held = self.held.len() as u64;
        let mut links: Vec<u128> = (1..=held).map(|node| link(node, 0).into()).collect();
        links.push(link(NIL, 0).into());
        links.resize(self.nodes(), link(NIL, FREE).into());
        let mut values = vec![0; self.lanes * self.nodes()];
        for (node, keys) in self.held.iter().enumerate() {
            for (lane, &key) in keys.iter().enumerate() {
                values[(node + 1) * self.lanes + lane] = key.into();
            }
        }
        vec![Array::new("links", 64, links), Array::new("values", 32, values)]
    }

    fn about(&self) -> Vec<String> {
        vec![
            "A list of nodes in the order of their values. A node never changes: an update replaces it by a new one.".into(),
            "A link that is retained is about to be replaced; a node that is free may be taken for a new one.".into(),
        ]
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let list = On { links: m.w64(0), values: m.w32(1), form: self };
        let key = call.key as u32;
        match call.op {
            Op::InsertUnique => list.update(w, key, true),
            Op::Delete => list.update(w, key, false),
            _ => Ret::Value(list.find(w, key).has.then_some(0)),
        }
    }

    /// No node that is linked is free.
    fn check_state<W: SimWarp, M: Memory>(&self, _w: &mut W, m: M) -> Result<(), Breach> {
        let mut node = HEAD;
        for _ in 0..=self.nodes() {
            // Relaxed: read alone.
            let (next, bits) = unlink(m.w64(0).load(node as usize, ReadOrder::Relaxed));
            if bits & FREE != 0 {
                return Err(Breach::new(Kind::Invariant, format!("node {node} is linked and free")));
            }
            if next == NIL {
                return Ok(());
            }
            node = next;
        }
        Err(Breach::new(Kind::Invariant, "the list has a cycle"))
    }

    fn show(&self, array: usize, _index: usize, value: u128) -> String {
        if array == 1 {
            return match value as u32 {
                0 => "empty".to_string(),
                INFINITY => "infinity".to_string(),
                key => key.to_string(),
            };
        }
        let (node, bits) = unlink(value as u64);
        let node = if node == NIL { "end".to_string() } else { format!("node {node}") };
        let bit = |bit, name| if bits & bit != 0 { name } else { "" };
        format!("{node}{}{}", bit(RETAINED, ", retained"), bit(FREE, ", free"))
    }

    fn word(&self, array: usize, index: usize) -> String {
        if array == 0 {
            return format!("node {index}, link");
        }
        format!("node {}, value {}", index / self.lanes, index % self.lanes)
    }
}
