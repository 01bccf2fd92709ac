//! The operations of an engine in one execution, and how a warp's program runs on it.

use super::case::WordRef;
use super::execution::{Execution, Halt};
use super::record::Action;
use super::{Access, Breach, Cells, Handle, Hooks, Kind, Memory, View, is_thrown, thrown};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The part of an execution that differs between engines: which warp goes next, and what a read returns.
pub(crate) trait Machine {
    /// The part that all engines share.
    fn execution(&self) -> &Execution;

    /// Performs an access and returns the value that `warp` sees in the word. Other warps may run first.
    fn perform(&self, warp: usize, word_ref: WordRef, access: Access) -> u128;

    /// A fence of `warp`.
    fn fence(&self, warp: usize);

    /// An acquire fence of `warp`: not a step, because no other warp can see it.
    fn fence_acquire(&self, warp: usize);

    /// `warp` waits for another one.
    fn pause(&self, warp: usize);

    /// Called before a call of `warp` begins. Returns, for each warp, how many of its calls `warp` knows to
    /// have returned. They precede this one in real time.
    fn returned(&self, warp: usize) -> Vec<u64>;

    /// Called before a call of `warp` returns.
    fn returns(&self, warp: usize);

    /// Calls `arrive` and waits until `ready`, which the arrival of another warp or [`Machine::wake`] can
    /// change.
    fn meet(&self, arrive: &dyn Fn(), ready: &dyn Fn() -> bool);

    /// A warp has ended while others wait.
    fn wake(&self);

    /// Called when all warps have ended: the newest value of every word must be known.
    fn settle(&self) {}
}

/// Runs the program of one warp. The last one to end judges the execution.
pub(crate) fn run_warp(machine: &dyn Machine, warp: usize) {
    let execution = machine.execution();
    let case = &execution.case;
    let view = MachineWarp { machine, warp };
    let program = || {
        for (number, call) in case.scenario.programs[warp].iter().enumerate() {
            execution.go_on();
            let after = machine.returned(warp);
            execution.record().begin_call(case, warp, number, after);
            let ret = case.run(&view, &view, call);
            machine.returns(warp);
            execution.end_call(warp, ret);
        }
    };
    if let Err(payload) = catch_unwind(AssertUnwindSafe(program))
        && !payload.is::<Halt>()
    {
        if !is_thrown(&*payload) {
            // Not a panic: the engine ends its threads.
            resume_unwind(payload);
        }
        execution.breach(thrown(warp, &*payload));
    }
    let (last, waiting) = {
        let mut record = execution.record();
        record.running -= 1;
        (record.running == 0, record.waiting > 0)
    };
    if waiting {
        machine.wake();
    }
    if last {
        judge(machine);
    }
}

/// Judges an execution whose warps have all ended.
fn judge(machine: &dyn Machine) {
    let Execution { case, .. } = machine.execution();
    let mut breach = machine.execution().record().breach.take();
    if breach.is_none() {
        machine.settle();
        breach = case.judge(&mut machine.execution().record()).err();
    }
    let record = machine.execution().record();
    if record.halted {
        case.stall_reached();
    }
    if let Some(breach) = breach {
        case.violated(breach, &record);
    }
}

/// The execution as one warp sees it.
struct MachineWarp<'m> {
    machine: &'m dyn Machine,
    warp: usize,
}

impl MachineWarp<'_> {
    fn execution(&self) -> &Execution {
        self.machine.execution()
    }
}

impl Hooks for MachineWarp<'_> {
    fn backwards(&self) -> bool {
        self.machine.execution().case.scenario.backwards
    }
    fn id(&self) -> u32 {
        self.warp as u32
    }

    fn warps(&self) -> u32 {
        self.execution().warps() as u32
    }

    fn begin_each(&self) {
        self.execution().begin_each(self.warp);
    }

    fn end_each(&self) {
        self.execution().end_each(self.warp);
    }

    fn fence(&self) {
        self.execution().begin_step(self.warp);
        self.machine.fence(self.warp);
        self.execution().record().note(self.warp, Action::Fence);
    }

    fn fence_acquire(&self) {
        self.machine.fence_acquire(self.warp);
    }

    fn pause(&self) {
        self.execution().begin_step(self.warp);
        self.execution().record().note(self.warp, Action::Pause);
        self.machine.pause(self.warp);
    }

    /// Arrives at a barrier and waits for all. A warp that has ended never arrives.
    fn meet(&self) {
        let (warp, execution) = (self.warp, self.execution());
        execution.begin_step(warp);
        if execution.case.scenario.apart {
            // In a block of one warp there is nothing to wait for.
            execution.record().note(warp, Action::Barrier);
            return;
        }
        let number = execution.record().arrived[warp] + 1;
        let arrive = || {
            let mut record = execution.record();
            record.note(warp, Action::Barrier);
            record.arrived[warp] = number;
            record.waiting += 1;
        };
        self.machine.meet(&arrive, &|| execution.is_met(number).is_some());
        execution.record().waiting -= 1;
        if execution.is_met(number) != Some(true) {
            let detail = format!("warp {warp} waits at barrier {number}, another warp has ended");
            execution.fail(Breach::new(Kind::BarrierDivergence, detail));
        }
    }

    /// The array named `shared`.
    fn shared(&self) -> Handle<'_, u32> {
        View(self).w32(self.execution().case.shared())
    }
}

impl Cells for MachineWarp<'_> {
    fn len(&self, array: usize) -> usize {
        self.execution().case.len(array)
    }

    fn access(&self, array: usize, index: usize, access: Access) -> u128 {
        self.execution().begin_step(self.warp);
        let word_ref = self.execution().word_ref(self.warp, array, index);
        let read = self.machine.perform(self.warp, word_ref, access);
        self.execution().accessed(self.warp, word_ref, access, read)
    }
}
