//! The calls of one key, sorted into values with the calls that see them, deletes, and calls that see only
//! whether the key is present. Contradictions between two values, or between a value and one call, are found
//! here.

use super::ops::{Class, Op};

/// The place of what never happens.
pub(super) const NEVER: u32 = u32::MAX;

/// Whether a value is current when a window begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AtFirst {
    No,
    /// The call that writes it is under way.
    May,
    /// The call that wrote it has returned.
    Must,
}

/// A value: the call that wrote it and the calls that read it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    /// Whether it replaces a value; otherwise the key was absent.
    pub(super) assign: bool,
    /// Whether it is current when the window begins.
    pub(super) at_first: AtFirst,
    /// Call of the write: the value becomes current later.
    pub(super) call: u32,
    /// The first return of a call that has it: the value becomes current earlier.
    pub(super) due: u32,
    /// The last call that has it: the value stays current until then.
    pub(super) settle: u32,
    /// The write, the call that returned first, the one that was called last.
    pub(super) write: u32,
    pub(super) first: u32,
    pub(super) last: u32,
}

impl Value {
    /// Its write, the call that returned first and the one that was called last.
    fn ops(&self) -> [u32; 3] {
        [self.write, self.first, self.last]
    }

    /// Whether it is current at every instant of some interval, whatever the order.
    pub(super) fn forward(&self) -> bool {
        self.due < self.settle
    }
}

/// A call that has no value: it takes effect between its call and when it is due.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) call: u32,
    pub(super) due: u32,
    pub(super) op: u32,
}

/// Operations that contradict each other, whatever else happened.
#[derive(Clone, Debug)]
pub(super) struct Conflict {
    pub(super) why: &'static str,
    pub(super) ops: Vec<u32>,
}

/// The part of a history that is looked at: its places `from..until`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) from: u32,
    pub(super) until: u32,
}

impl Span {
    /// All of it.
    pub(super) const ALL: Self = Self { from: 0, until: NEVER };

    /// Whether an operation takes effect in it. One that is called right before it can do so in its first
    /// gap.
    pub(super) fn has(self, op: &Op) -> bool {
        !self.early(op) && op.ret >= self.from && op.ret < self.until
    }

    /// Whether an operation is under way when it begins, and may have taken effect before.
    pub(super) fn early(self, op: &Op) -> bool {
        op.call + 1 < self.from && op.ret >= self.from
    }
}

/// The parts.
#[derive(Default)]
pub(super) struct Problem {
    pub(super) values: Vec<Value>,
    pub(super) downs: Vec<Item>,
    pub(super) present: Vec<Item>,
    pub(super) absent: Vec<Item>,
    names: Vec<(u64, u32)>,
    zones: Vec<Zone>,
}

impl Problem {
    /// Takes `ops` apart. A call that is under way at an end of the span may have taken effect outside of it:
    /// if it writes it is never due, if it reads it is left out. With `named` values each read belongs to its
    /// write.
    pub(super) fn take_apart(&mut self, ops: &[Op], span: Span, named: bool) -> Result<(), Conflict> {
        for items in [&mut self.downs, &mut self.present, &mut self.absent] {
            items.clear();
        }
        self.values.clear();
        self.names.clear();
        for (number, op) in ops.iter().enumerate().filter(|(_, op)| op.call < span.until) {
            let inside = span.has(op);
            let call = op.call.max(span.from.saturating_sub(1));
            let (due, op_number) = (if inside { op.ret } else { NEVER }, number as u32);
            let item = Item { call, due, op: op_number };
            match op.class {
                Class::Up | Class::Assign => {
                    if named {
                        self.names.push((op.value, self.values.len() as u32));
                    }
                    let assign = op.class == Class::Assign;
                    let at_first = match op {
                        _ if op.ret < span.from => AtFirst::Must,
                        _ if span.early(op) => AtFirst::May,
                        _ => AtFirst::No,
                    };
                    let (write, first, last) = (op_number, op_number, op_number);
                    self.values.push(Value { assign, at_first, call, due, settle: call, write, first, last });
                }
                Class::Down if op.ret >= span.from => self.downs.push(item),
                Class::Present if inside => self.present.push(item),
                Class::Absent if inside => self.absent.push(item),
                _ => {}
            }
        }
        self.names.sort_unstable();
        let reads = ops.iter().enumerate().filter(|(_, op)| op.class == Class::Reads);
        for (number, op) in reads.filter(|(_, op)| span.has(op)) {
            self.read(number as u32, op)?;
        }
        self.values.retain(|v| v.at_first != AtFirst::Must || v.due != NEVER);
        Ok(())
    }

    /// Two writes of the same value, if there are any.
    pub(super) fn twice(&self) -> Option<(u32, u32)> {
        let twice = self.names.windows(2).find(|pair| pair[0].0 == pair[1].0)?;
        Some((self.values[twice[0].1 as usize].write, self.values[twice[1].1 as usize].write))
    }

    /// Adds a read to its value.
    fn read(&mut self, number: u32, op: &Op) -> Result<(), Conflict> {
        let Ok(at) = self.names.binary_search_by_key(&op.value, |name| name.0) else {
            return Err(Conflict { why: "it returned a value that no call wrote", ops: vec![number] });
        };
        let value = &mut self.values[self.names[at].1 as usize];
        if op.ret < value.call {
            let why = "the value was read before the call that wrote it began";
            return Err(Conflict { why, ops: vec![value.write, number] });
        }
        if op.ret < value.due {
            (value.due, value.first) = (op.ret, number);
        }
        if op.call > value.settle {
            (value.settle, value.last) = (op.call, number);
        }
        Ok(())
    }

    /// Cuts out the intervals in which a value must be current: nothing else takes effect there. Then no two
    /// of them overlap, and none has another call inside. A value that is current `at_first` needs none of
    /// this.
    pub(super) fn cut(&mut self, at_first: Option<usize>) -> Result<(), Conflict> {
        self.zones.clear();
        let forward =
            self.values.iter().zip(0u32..).filter(|(v, i)| Some(*i as usize) != at_first && v.forward());
        self.zones.extend(forward.map(|(v, value)| Zone { from: v.due, to: v.settle, value }));
        if self.zones.is_empty() {
            return Ok(());
        }
        self.zones.sort_unstable_by_key(|zone| zone.from);
        if let Some(pair) = self.zones.windows(2).find(|pair| pair[1].from < pair[0].to) {
            let why = "each of two values had to be current over an interval, and the intervals overlap";
            let values = [pair[0], pair[1]].map(|zone| self.values[zone.value as usize]);
            return Err(Conflict { why, ops: values.iter().flat_map(Value::ops).collect() });
        }
        // A present read needs no cut: if it overlaps a zone it sees the value.
        let (zones, values) = (&self.zones, &self.values);
        for item in self.downs.iter_mut().chain(&mut self.absent) {
            let cut = Item { call: after(zones, item.call), due: earlier(zones, item.due), ..*item };
            if cut.call > cut.due {
                return Err(inside(zones, values, item.call, &[item.op]));
            }
            *item = cut;
        }
        for i in 0..self.values.len() {
            let v = self.values[i];
            let (call, due, settle) = (after(zones, v.call), earlier(zones, v.due), after(zones, v.settle));
            if !v.forward() && settle > due {
                return Err(inside(zones, &self.values, v.settle, &v.ops()));
            }
            self.values[i] = Value { call, due, settle, ..v };
        }
        Ok(())
    }
}

/// An interval in which a value must be current.
#[derive(Clone, Copy, Debug)]
struct Zone {
    from: u32,
    to: u32,
    value: u32,
}

/// The zone that has `place` in its inside.
fn around(zones: &[Zone], place: u32) -> Option<&Zone> {
    let before = zones.partition_point(|zone| zone.from < place);
    zones[..before].last().filter(|zone| place < zone.to)
}

/// When what was called at `place` can take effect at the earliest.
fn after(zones: &[Zone], place: u32) -> u32 {
    around(zones, place).map_or(place, |zone| zone.to)
}

/// When what is due at `place` takes effect at the latest.
fn earlier(zones: &[Zone], place: u32) -> u32 {
    around(zones, place).map_or(place, |zone| zone.from)
}

/// The operations of the zone around `place`, and others that lie inside.
fn inside(zones: &[Zone], values: &[Value], place: u32, ops: &[u32]) -> Conflict {
    let why = "one value had to be current without a break while another call took effect";
    let holds = around(zones, place).map(|zone| values[zone.value as usize].ops());
    Conflict { why, ops: holds.iter().flatten().chain(ops).copied().collect() }
}
