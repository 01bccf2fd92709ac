//! A batch, run chunk by chunk.

use super::chunks::{Chunk, Places, Step, steps};
use super::{CopyThreads, Staging};
use crate::arguments::{Head, Listed, Span};
use crate::device::{Slot, Slots, bytes, bytes_mut, is_page_locked, numbers};
use crate::error::Error;
use crate::layout::Scalar;
use crate::operations::launch::{Arrays, Launch};
use crate::sink::Sink;
use crate::table::DeviceTable;
use core::ops::Range;
use cudarc::driver::result;
use warpproof_model::host::{Op, Refused, same_length};

/// The input of a batch.
#[derive(Clone, Copy)]
pub(crate) struct Batch<'a, K, V> {
    pub(crate) keys: &'a [K],
    /// As many as the keys, if the operation takes values.
    pub(crate) values: Option<&'a [V]>,
    /// As many as the keys, if the operations are of all kinds.
    pub(crate) ops: Option<&'a [Op]>,
}

impl<'a, K: Scalar, V> Batch<'a, K, V> {
    /// A batch of keys only.
    pub(crate) fn of(keys: &'a [K]) -> Self {
        Self { keys, values: None, ops: None }
    }

    /// Some of its operations.
    pub(crate) fn part(self, range: Range<usize>) -> Self {
        Self {
            keys: &self.keys[range.clone()],
            values: self.values.map(|values| &values[range.clone()]),
            ops: self.ops.map(|ops| &ops[range]),
        }
    }

    /// Refuses a batch that must not run, for a sink of this room.
    pub(crate) fn admit(&self, room: Option<usize>) -> Result<(), Refused> {
        self.ops.map_or(Ok(()), |ops| same_length(self.keys, "operations", ops))?;
        self.values.map_or(Ok(()), |values| same_length(self.keys, "values", values))?;
        let keys = self.keys.len();
        match room {
            Some(found) if found != keys => Err(Refused::Length { keys, what: "answers", found }),
            _ => Ok(()),
        }
    }
}

/// The answers that the kernel writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Back {
    /// A code for each operation.
    Codes,
    /// A number for each operation.
    Numbers,
    /// Both.
    CodesAndNumbers,
}

/// An operation on a table: how its kernel is called, and how its answers are read.
pub(crate) struct Task<'a, L, D> {
    pub(crate) table: &'a DeviceTable,
    pub(crate) launch: Launch<L>,
    pub(crate) back: Back,
    /// Makes an answer of the operation's number in the batch, its code, and its value or count; code or
    /// value are 0 if there are none.
    pub(crate) decode: D,
}

impl Staging {
    /// Runs a batch and passes the answers to `sink`.
    ///
    /// # Safety
    ///
    /// The table's keys are `K` and its values `V`. The kernel writes answers of the form that `back` names,
    /// with numbers of type `N`.
    ///
    /// # Errors
    /// [`Error::Refused`], [`Error::OtherDevice`], [`Error::OutOfMemory`], [`Error::NoKernel`]: nothing has
    /// run. After [`Error::Kernel`], [`Error::Driver`] and [`Error::Code`] nothing runs any more, and any of
    /// the operations may have run.
    pub(crate) unsafe fn run<K: Scalar, V: Scalar, N: Scalar, T: Copy + Send + Sync>(
        &mut self,
        task: &Task<
            '_,
            impl Fn(&Head, &Arrays<K, V, N>) -> Listed,
            impl Fn(usize, u8, N) -> Option<T> + Sync,
        >,
        batch: Batch<'_, K, V>,
        mut sink: impl Sink<T>,
    ) -> Result<(), Error> {
        if self.admit(task, batch, sink.room())? {
            return Ok(());
        }
        sink.reserve(batch.keys.len())?;
        let locked = Locked::of(batch);
        let flight = Flight(&mut self.slots);
        for step in steps(batch.keys.len(), self.elements) {
            match step {
                // SAFETY: the contract of this function; `flight` keeps the slots until their streams were
                // waited for.
                Step::Put(chunk) => unsafe {
                    put(&mut flight.0[chunk.slot], task, batch, chunk, (self.threads, locked), None)?
                },
                Step::Take(chunk) => take(&mut flight.0[chunk.slot], task, chunk, &mut sink, self.threads)?,
            }
        }
        Ok(())
    }

    /// Runs a batch whose answers are numbers alone, which overwrite `to`. If that is page-locked, the device
    /// writes them there by itself.
    ///
    /// # Safety
    ///
    /// As [`run`](Self::run).
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub(crate) unsafe fn run_to<K: Scalar, V: Scalar, N: Scalar>(
        &mut self,
        table: &DeviceTable,
        launch: Launch<impl Fn(&Head, &Arrays<K, V, N>) -> Listed>,
        batch: Batch<'_, K, V>,
        to: &mut [N],
    ) -> Result<(), Error> {
        let task = Task { table, launch, back: Back::Numbers, decode: |_, _, number| Some(number) };
        if self.admit(&task, batch, Some(to.len()))? {
            return Ok(());
        }
        if !is_page_locked(to) {
            // SAFETY: the contract of this function.
            return unsafe { self.run(&task, batch, to) };
        }
        let (locked, mut rest) = (Locked::of(batch), to);
        let flight = Flight(&mut self.slots);
        for step in steps(batch.keys.len(), self.elements) {
            match step {
                Step::Put(chunk) => {
                    let (part, others) = rest.split_at_mut(chunk.elements.len());
                    rest = others;
                    let (slot, how) = (&mut flight.0[chunk.slot], (self.threads, locked));
                    // SAFETY: as in `run`; the part is borrowed until the call has waited for the stream.
                    unsafe { put(slot, &task, batch, chunk, how, Some(bytes_mut(part)))? }
                }
                Step::Take(chunk) => wait(&mut flight.0[chunk.slot], &task)?,
            }
        }
        Ok(())
    }

    /// Refuses a batch that must not run, for a sink of this room. Whether it has no operations.
    fn admit<K: Scalar, V: Scalar, L, D>(
        &self,
        task: &Task<'_, L, D>,
        batch: Batch<'_, K, V>,
        room: Option<usize>,
    ) -> Result<bool, Error> {
        if *self.context != **task.table.device().context() {
            return Err(Error::OtherDevice { what: "staging buffers" });
        }
        batch.admit(room)?;
        if !batch.keys.is_empty() {
            task.table.kernel(task.launch.operation())?;
            task.table.ready()?;
            self.context.bind_to_thread().map_err(Error::driver("binding the device"))?;
        }
        Ok(batch.keys.is_empty())
    }
}

/// The columns of a batch in page-locked memory, which the device copies by itself.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Locked {
    keys: bool,
    values: bool,
}

impl Locked {
    /// Those of a batch. The context of the device is bound.
    fn of<K, V>(batch: Batch<'_, K, V>) -> Self {
        Self { keys: is_page_locked(batch.keys), values: batch.values.is_some_and(is_page_locked) }
    }
}

/// Queues a chunk. Its answers go to `to`, as many bytes as there are of them, or to the slot.
///
/// # Safety
///
/// As [`Staging::run`]; the slot's stream is waited for before its memory is used or freed.
unsafe fn put<K: Scalar, V: Scalar, N: Scalar, D>(
    slot: &mut Slot,
    task: &Task<'_, impl Fn(&Head, &Arrays<K, V, N>) -> Listed, D>,
    batch: Batch<'_, K, V>,
    Chunk { elements, .. }: Chunk,
    (threads, locked): (CopyThreads, Locked),
    to: Option<&mut [u8]>,
) -> Result<(), Error> {
    let n = elements.len();
    let each = |given: bool| if given { n } else { 0 };
    let mut input = Places::default();
    let keys = input.next::<K>(n);
    let values = input.next::<V>(each(batch.values.is_some()));
    let ops = input.next::<u8>(each(batch.ops.is_some()));
    let output = Output::new::<N>(task.back, n);
    // The places of keys and values, and those that the device copies by itself.
    let columns = [
        (keys.clone(), bytes(&batch.keys[elements.clone()]), locked.keys),
        (values.clone(), batch.values.map_or(&[][..], |all| bytes(&all[elements.clone()])), locked.values),
    ];
    let host = slot.host()?;
    for (place, from, _) in columns.iter().filter(|(.., locked)| !locked) {
        threads.copy(&mut host[place.clone()], from, |&byte| byte);
    }
    if let Some(all) = batch.ops {
        threads.copy(&mut host[ops.clone()], &all[elements], |&op| op as u8);
    }
    let (from, answers) = slot.addresses();
    let arrays = Arrays {
        ops: Span::new(from + ops.start as u64, ops.len()),
        keys: Span::new(from + keys.start as u64, n),
        values: Span::new(from + values.start as u64, each(batch.values.is_some())),
        codes: Span::new(answers + output.codes.start as u64, output.codes.len()),
        numbers: Span::new(answers + output.numbers.start as u64, output.numbers.len() / size_of::<N>()),
    };
    let arguments = task.launch.arguments(task.table.head(), &arrays)?;
    slot.busy = true;
    if locked == Locked::default() {
        slot.copy_in(0..input.bytes())?;
    } else {
        for (place, from, locked) in columns {
            match locked {
                // SAFETY: the batch is borrowed until the call has waited for the slot's stream.
                true => unsafe { slot.copy_from(place, from)? },
                false => slot.copy_in(place)?,
            }
        }
        slot.copy_in(ops)?;
    }
    // SAFETY: the contract of this function; `Staging::run` waited until the table was ready.
    unsafe { task.table.queue(task.launch.operation(), &slot.stream, &arguments)? };
    match to {
        // SAFETY: the answers begin with the numbers, of which there are as many; the caller waits.
        Some(to) => unsafe { slot.copy_to(to) },
        None => slot.copy_out(output.bytes),
    }
}

/// Waits for a chunk.
fn wait<L, D>(slot: &mut Slot, task: &Task<'_, L, D>) -> Result<(), Error> {
    let kernel = task.table.kernel(task.launch.operation())?;
    slot.stream.synchronize().map_err(|error| kernel.fault(error))?;
    slot.busy = false;
    Ok(())
}

/// Waits for a chunk and takes its answers.
fn take<N: Scalar, L, T: Copy + Send + Sync>(
    slot: &mut Slot,
    task: &Task<'_, L, impl Fn(usize, u8, N) -> Option<T> + Sync>,
    Chunk { elements, .. }: Chunk,
    sink: &mut impl Sink<T>,
    threads: CopyThreads,
) -> Result<(), Error> {
    wait(slot, task)?;
    let kernel = task.table.kernel(task.launch.operation())?;
    let output = Output::new::<N>(task.back, elements.len());
    let host = &*slot.host()?;
    let (codes, numbers) = (&host[output.codes], numbers::<N>(&host[output.numbers]));
    let chunk = (elements.start, elements.len());
    let given = give_said((task.back, (codes, numbers)), chunk, &task.decode, sink, threads);
    given.map_err(|(index, code)| Error::Code { kernel: kernel.name().into(), index, code })
}

/// Passes the answers of `n` operations from number `first` on to the sink: `n` codes, numbers or both, as
/// `back` says. A code that is not that of an answer is an error, with the number of the first such
/// operation.
pub(super) fn give_said<N: Scalar, T: Copy + Send + Sync>(
    (back, (codes, numbers)): (Back, (&[u8], &[N])),
    chunk: (usize, usize),
    decode: impl Fn(usize, u8, N) -> Option<T> + Sync,
    sink: &mut impl Sink<T>,
    threads: CopyThreads,
) -> Result<(), (usize, u8)> {
    // One loop for each form, so that no loop asks for every answer which parts it has.
    match back {
        Back::Codes => {
            let said = |range: Range<usize>| codes[range].iter().map(|&code| (code, N::default()));
            give(chunk, said, decode, sink, threads)
        }
        Back::Numbers => {
            let said = |range: Range<usize>| numbers[range].iter().map(|&number| (0, number));
            give(chunk, said, decode, sink, threads)
        }
        Back::CodesAndNumbers => {
            let said = |range: Range<usize>| {
                codes[range.clone()].iter().copied().zip(numbers[range].iter().copied())
            };
            give(chunk, said, decode, sink, threads)
        }
    }
}

/// Passes `n` answers from number `first` on to the sink, if every code is that of an answer. Otherwise the
/// first other code is the error.
///
/// There are two passes. Each is a loop without an exit, so that the compiler can run several answers at a
/// time.
fn give<N, T: Copy + Send + Sync, I: Iterator<Item = (u8, N)>>(
    (first, n): (usize, usize),
    said: impl Fn(Range<usize>) -> I + Sync,
    decode: impl Fn(usize, u8, N) -> Option<T> + Sync,
    sink: &mut impl Sink<T>,
    threads: CopyThreads,
) -> Result<(), (usize, u8)> {
    let (said, decode) = (&said, &decode);
    let answers = |range: Range<usize>| {
        range.clone().zip(said(range)).map(move |(at, (code, number))| decode(first + at, code, number))
    };
    let known = |range| answers(range).fold(true, |known, answer| known & answer.is_some());
    if !threads.all(n, known) {
        let unknown = answers(0..n).zip(said(0..n)).enumerate().find(|(_, (answer, _))| answer.is_none());
        return unknown.map_or(Ok(()), |(at, (_, (code, _)))| Err((first + at, code)));
    }
    if let Some(any) = answers(0..n).next().flatten() {
        // All codes are known to be valid here.
        sink.take(first, n, |range| answers(range).map(move |answer| answer.unwrap_or(any)), threads);
    }
    Ok(())
}

/// The places of the answers of a chunk, in bytes.
pub(super) struct Output {
    pub(super) numbers: Range<usize>,
    pub(super) codes: Range<usize>,
    bytes: usize,
}

impl Output {
    pub(super) fn new<N>(back: Back, n: usize) -> Self {
        let mut places = Places::default();
        let numbers = places.next::<N>(if back == Back::Codes { 0 } else { n });
        let codes = places.next::<u8>(if back == Back::Numbers { 0 } else { n });
        Self { numbers, codes, bytes: places.bytes() }
    }
}

/// The slots of a call. When it is over, also by an error or a panic, nothing of the call runs any more.
struct Flight<'a>(&'a mut Slots);

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        for slot in self.0.iter_mut().filter(|slot| slot.busy) {
            // cudarc reports an error of an earlier drop first and forgets it; the second call binds.
            let context = slot.stream.context();
            let _ = context.bind_to_thread().or_else(|_| context.bind_to_thread());
            // After an error of the driver nothing runs any more.
            // SAFETY: the stream is the slot's.
            let _ = unsafe { result::stream::synchronize(slot.stream.cu_stream()) };
            slot.busy = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpproof_model::outcome::Insert;

    #[test]
    fn answers_are_given_if_all_codes_have_one() {
        let mut outcomes = Vec::new();
        let mut given = |codes: &[u8]| {
            let said = |range: Range<usize>| codes[range].iter().map(|&code| (code, ()));
            let decode = |_, code, ()| Insert::from_code(code);
            give((5, codes.len()), said, decode, &mut &mut outcomes, CopyThreads::One)
        };
        assert_eq!(given(&[0, 2, 9, 1, 9]), Err((7, 9)));
        assert_eq!(given(&[9]), Err((5, 9)));
        assert_eq!((given(&[]), given(&[0, 2])), (Ok(()), Ok(())));
        assert_eq!(outcomes, [Insert::Inserted, Insert::Full]);
    }

    #[test]
    fn input_is_looked_at_before_anything_runs() {
        let batch = |values, ops| Batch { keys: &[1u32, 2, u32::MAX], values, ops };
        let refused = |what, found| Err(Refused::Length { keys: 3, what, found });
        assert_eq!(batch(None, Some(&[Op::Search][..])).admit(None), refused("operations", 1));
        assert_eq!(batch(Some(&[1u32][..]), None).admit(None), refused("values", 1));
        assert_eq!(batch(None::<&[u32]>, None).admit(Some(4)), refused("answers", 4));
        assert_eq!(batch(None, None).admit(Some(3)), Ok(()));
        assert_eq!(Batch { keys: &[1u32, 2], values: Some(&[1u32, 2][..]), ops: None }.admit(None), Ok(()));
    }

    #[test]
    fn answers_lie_apart() {
        let places = |back| {
            let Output { numbers, codes, bytes } = Output::new::<u32>(back, 3);
            (numbers, codes, bytes)
        };
        assert_eq!(places(Back::Codes), (0..0, 0..3, 3));
        assert_eq!(places(Back::Numbers), (0..12, 16..16, 16));
        assert_eq!(places(Back::CodesAndNumbers), (0..12, 16..19, 19));
    }
}
