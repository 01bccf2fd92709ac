//! What each call requires of its key, and the place of its interval among the others of the key.

use super::Refusal;
use crate::check::Event;
use warpproof_model::spec::{Op as Name, Ret};

/// What a call asks of the state of its key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// Absent before, the value after.
    Up,
    /// Present before, the value after.
    Assign,
    /// Present before, absent after.
    Down,
    /// The value, before and after.
    Reads,
    /// Present, whatever the value.
    Present,
    /// Absent.
    Absent,
}

/// A call with its interval: places in the sequence of all calls and returns of the key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Op {
    pub(super) class: Class,
    pub(super) value: u64,
    /// Place of the call.
    pub(super) call: u32,
    /// Place of the return.
    pub(super) ret: u32,
    /// Place in the list of events.
    pub(super) event: u32,
}

/// What a specification makes of a call and its return.
pub(super) enum Asks {
    /// The call asks something of the state.
    Of(Class, u64),
    /// The call asks nothing: every state allows it, and it changes none.
    Nothing,
    /// No state allows the call.
    Never,
}

/// Reads an event as one of a map, or of a set if there are no `values`.
pub(super) fn classify(values: bool, may_fill: bool, event: &Event) -> Result<Asks, Refusal> {
    let (call, Some(ret)) = (&event.call, &event.ret) else { return Err(Refusal::Pending) };
    if !event.after.is_empty() {
        return Err(Refusal::PartialOrder);
    }
    if event.end < event.start {
        return Err(Refusal::EndsEarly);
    }
    let reads = |value: u64| match values {
        true => Asks::Of(Class::Reads, value),
        false if value == 0 => Asks::Of(Class::Present, 0),
        false => Asks::Never,
    };
    let writes = |class| match values {
        true => Asks::Of(class, call.value),
        false if call.value != 0 => Asks::Never,
        false if class == Class::Assign => Asks::Of(Class::Present, 0),
        false => Asks::Of(class, 0),
    };
    Ok(match (call.op, ret) {
        (Name::InsertUnique | Name::InsertOrAssign, Ret::Full) if may_fill => Asks::Nothing,
        (Name::InsertUnique | Name::InsertOrAssign, Ret::Inserted) => writes(Class::Up),
        (Name::InsertOrAssign, Ret::Replaced) => writes(Class::Assign),
        (Name::InsertUnique, Ret::Present) | (Name::Count, Ret::Count(1)) => Asks::Of(Class::Present, 0),
        (Name::Search, Ret::Value(Some(value))) => reads(*value),
        (Name::Search, Ret::Value(None)) | (Name::Count, Ret::Count(0)) | (Name::Delete, Ret::Absent) => {
            Asks::Of(Class::Absent, 0)
        }
        (Name::SearchAll, Ret::Values(found)) => match found[..] {
            [] => Asks::Of(Class::Absent, 0),
            [value] => reads(value),
            _ => Asks::Never,
        },
        (Name::Delete, Ret::Deleted) => Asks::Of(Class::Down, 0),
        (
            Name::InsertUnique
            | Name::InsertOrAssign
            | Name::Search
            | Name::Count
            | Name::SearchAll
            | Name::Delete,
            _,
        ) => Asks::Never,
        _ => return Err(Refusal::Operation),
    })
}

/// How many calls of a key were under way at once, and how many began while another was.
pub(super) struct Crowd {
    pub(super) overlap: usize,
    pub(super) met: usize,
}

/// Numbers the calls and returns of one key in the order of their times, calls first where times are equal.
pub(super) fn place(ops: &mut [Op], events: &[Event], order: &mut Vec<(u64, u32)>) -> Crowd {
    const RETURN: u32 = 1 << 31;
    order.clear();
    for (i, op) in ops.iter().enumerate() {
        let event = &events[op.event as usize];
        order.push((event.start, i as u32));
        order.push((event.end, i as u32 | RETURN));
    }
    order.sort();
    let (mut open, mut crowd) = (0, Crowd { overlap: 0, met: 0 });
    for (place, &(_, what)) in order.iter().enumerate() {
        if what & RETURN == 0 {
            ops[what as usize].call = place as u32;
            open += 1;
            crowd.overlap = open.max(crowd.overlap);
            crowd.met += usize::from(open > 1);
        } else {
            ops[(what & !RETURN) as usize].ret = place as u32;
            open -= 1;
        }
    }
    crowd
}
