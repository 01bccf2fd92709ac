//! The groups of columns in device memory: distinct keys, how many rows each has, and the sums of their
//! values.

mod plan;
mod run;

use crate::arguments::columns::GroupColumns;
use crate::arguments::{Span, same};
use crate::device::Device;
use crate::error::Error;
use crate::layout::KeyScalar;
use crate::module::Kernel;
use crate::slices::{Call, Input, Output};
use crate::sorter::named;
use core::marker::PhantomData;
use cudarc::driver::CudaStream;
use plan::Layout;
use run::Run;
use std::sync::Arc;
use warpproof_model::aggregate::{MOST_HOT, Told};
use warpproof_model::host::{Refused, at_most};

/// The most rows of a column.
const MOST_ROWS: usize = 1 << 31;

/// The kernels that make groups, for keys of one width.
struct Kernels {
    sample: Kernel,
    count: Kernel,
    scatter: Kernel,
    group: Kernel,
    among: Kernel,
}

/// Makes the groups of columns in device memory.
///
/// A *group* is a distinct key with its rows. The rows are partitioned by the hashes of their keys until a
/// partition fits the shared memory of a block, which makes its groups there
/// ([`aggregate`](mod@warpproof_model::aggregate)). So each row is read and written a few times, always next
/// to others, and no table is necessary. Keys of many rows, found by a sample, are counted while rows are
/// partitioned.
///
/// A call queues its kernels on a stream of the caller and waits for the number of groups. Groups are in no
/// order. It allocates no device memory: the caller passes scratch memory of
/// [`scratch_bytes`](Self::scratch_bytes), about two columns for each column of the input.
///
/// Keys are equal if their bits are. Time is linear in the rows, whatever the keys are. Dropping it waits for
/// the device.
///
/// ```no_run
/// use warpproof_gpu::{Device, Grouping};
///
/// let device = Device::open(0)?;
/// let stream = device.context().default_stream();
/// let grouping = Grouping::<u32>::new(&device)?;
/// let keys = stream.clone_htod(&[30u32, 10, 30])?;
/// let mut scratch = stream.alloc_zeros::<u8>(grouping.scratch_bytes(keys.len(), false) as usize)?;
/// let (mut found, mut rows) = (stream.alloc_zeros::<u32>(3)?, stream.alloc_zeros::<u64>(3)?);
/// let groups = grouping.count(&stream, &keys, &mut scratch, (&mut found, &mut rows))?;
/// assert_eq!(groups, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Grouping<K> {
    device: Device,
    kernels: Kernels,
    keys: PhantomData<fn() -> K>,
}

impl<K: KeyScalar> Grouping<K> {
    /// Looks up the kernels.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn new(device: &Device) -> Result<Self, Error> {
        let find = |step: &str| named(device, format!("columns_{step}_{}", 8 * size_of::<K>()), 1);
        let kernels = Kernels {
            sample: named(device, "columns_sample".into(), 1)?,
            count: find("count")?,
            scatter: find("scatter")?,
            group: find("group")?,
            among: find("among")?,
        };
        Ok(Self { device: device.clone(), kernels, keys: PhantomData })
    }

    /// How many bytes of scratch memory a call on `rows` rows, at most 2^31, needs, if it adds up values
    /// (`sums`) or not.
    pub fn scratch_bytes(&self, rows: usize, sums: bool) -> u64 {
        let rows = rows.min(MOST_ROWS) as u32;
        let bytes = |told| Layout::new(rows, size_of::<K>() as u64, told).bytes;
        // Rows may be counted, too.
        bytes(Told { rows: false, sum: false }).max(bytes(Told { rows: true, sum: sums }))
    }

    /// Writes each distinct key once. Returns how many there are.
    ///
    /// # Errors
    /// [`Error::Refused`] if there are more keys than `distinct` has room for, if the scratch memory is too
    /// small, or if there are more than 2^31 rows; [`Error::OutOfMemory`] on the host;
    /// [`Error::OtherDevice`], [`Error::Kernel`], [`Error::Driver`]. After an error the output means nothing.
    pub fn distinct(
        &self,
        stream: &Arc<CudaStream>,
        keys: &impl Input<K>,
        scratch: &mut impl Output<u8>,
        distinct: &mut impl Output<K>,
    ) -> Result<usize, Error> {
        let mut call = Call::new(self.device.context(), stream)?;
        let keys = call.input("keys", keys.view())?;
        let scratch = call.output("scratch memory", scratch.view_mut())?;
        let to = Outputs { keys: call.output("distinct keys", distinct.view_mut())?, rows: None, sums: None };
        self.run(call, (keys, None), scratch, to)
    }

    /// Writes each distinct key once, and how many rows have it. Returns how many keys there are.
    ///
    /// # Errors
    /// As [`distinct`](Self::distinct); and if the outputs differ in length.
    pub fn count(
        &self,
        stream: &Arc<CudaStream>,
        keys: &impl Input<K>,
        scratch: &mut impl Output<u8>,
        (distinct, rows): (&mut impl Output<K>, &mut impl Output<u64>),
    ) -> Result<usize, Error> {
        let mut call = Call::new(self.device.context(), stream)?;
        let keys = call.input("keys", keys.view())?;
        let scratch = call.output("scratch memory", scratch.view_mut())?;
        let to = Outputs {
            keys: call.output("distinct keys", distinct.view_mut())?,
            rows: Some(call.output("numbers of rows", rows.view_mut())?),
            sums: None,
        };
        self.run(call, (keys, None), scratch, to)
    }

    /// Writes each distinct key once, how many rows have it, and the sum of their values modulo 2^64. Returns
    /// how many keys there are. The sum of signed numbers is that of their bits.
    ///
    /// # Errors
    /// As [`count`](Self::count); and if there are not as many values as keys.
    pub fn sum(
        &self,
        stream: &Arc<CudaStream>,
        (keys, values): (&impl Input<K>, &impl Input<u64>),
        scratch: &mut impl Output<u8>,
        (distinct, rows, sums): (&mut impl Output<K>, &mut impl Output<u64>, &mut impl Output<u64>),
    ) -> Result<usize, Error> {
        let mut call = Call::new(self.device.context(), stream)?;
        let keys = call.input("keys", keys.view())?;
        let values = call.input("values", values.view())?;
        let scratch = call.output("scratch memory", scratch.view_mut())?;
        let to = Outputs {
            keys: call.output("distinct keys", distinct.view_mut())?,
            rows: Some(call.output("numbers of rows", rows.view_mut())?),
            sums: Some(call.output("sums", sums.view_mut())?),
        };
        self.run(call, (keys, Some(values)), scratch, to)
    }

    /// The most keys of [`among`](Self::among).
    pub const MOST_FEW: usize = MOST_HOT as usize;

    /// Writes to `found` whether each key is among a few others: 1 or 0. Needs `scratch_bytes(0, false)`
    /// bytes of scratch memory, and returns before it has run. Each block copies an index of the few keys to
    /// shared memory; the keys themselves are read through the cache.
    ///
    /// # Errors
    /// [`Error::Refused`] if there are more than [`MOST_FEW`](Self::MOST_FEW) others or 2^31 keys, if the
    /// scratch memory is too small, or if `found` has another length; [`Error::OtherDevice`],
    /// [`Error::Kernel`], [`Error::Driver`]. After an error the output means nothing.
    pub fn among(
        &self,
        stream: &Arc<CudaStream>,
        (keys, few): (&impl Input<K>, &[K]),
        scratch: &mut impl Output<u8>,
        found: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        let mut call = Call::new(self.device.context(), stream)?;
        let keys = call.input("keys", keys.view())?;
        let scratch = call.output("scratch memory", scratch.view_mut())?;
        let found = call.output("found", found.view_mut())?;
        let layout = check_rows(keys.len())
            .and_then(|()| at_most("keys to be found", few.len() as u64, u64::from(MOST_HOT)))
            .and_then(|()| same(keys.len(), "found", found.len()))
            .and_then(|()| self.layout(0, Told { rows: false, sum: false }, scratch))
            .map_err(Error::from);
        let to = Outputs { keys: Span::new(0, 0), rows: None, sums: None };
        let queued = layout.and_then(|layout| {
            let run = Run {
                kernels: &self.kernels,
                stream: call.stream(),
                layout,
                keys,
                values: None,
                scratch,
                to,
            };
            // SAFETY: as in `run`; a found row for each key.
            unsafe { run.among(few, found) }
        });
        call.finish().and(queued)
    }

    fn run(
        &self,
        call: Call<'_>,
        (keys, values): (Span<K>, Option<Span<u64>>),
        scratch: Span<u8>,
        to: Outputs<K>,
    ) -> Result<usize, Error> {
        let checked = self.check(keys, values, scratch, &to).map_err(Error::from);
        let made = checked.and_then(|layout| {
            let run =
                Run { kernels: &self.kernels, stream: call.stream(), layout, keys, values, scratch, to };
            // SAFETY: the spans that `call` gave, of the kernels' key type, with the lengths and the scratch
            // memory that were checked. `Call` makes the stream of each slice, on which it is freed, wait
            // for the kernels; the borrows of the slices last until all is queued.
            let groups = unsafe { run.groups() };
            if groups.is_err() {
                // Some of the kernels may be running, and this may be dropped next.
                let _ = call.stream().synchronize();
            }
            groups
        });
        call.finish().and(made)
    }

    /// Refuses columns of other lengths than they must have, and too little scratch memory.
    fn check(
        &self,
        keys: Span<K>,
        values: Option<Span<u64>>,
        scratch: Span<u8>,
        to: &Outputs<K>,
    ) -> Result<Layout, Refused> {
        check_rows(keys.len())?;
        values.map_or(Ok(()), |values| same(keys.len(), "values", values.len()))?;
        let to_write = |what, numbers: Option<Span<u64>>| {
            numbers.map_or(Ok(()), |numbers| same(to.keys.len(), what, numbers.len()))
        };
        to_write("numbers of rows to write", to.rows)?;
        to_write("sums to write", to.sums)?;
        self.layout(keys.len() as u32, to.told(), scratch)
    }

    /// The layout of scratch memory for so many rows, if it is large enough.
    fn layout(&self, rows: u32, told: Told, scratch: Span<u8>) -> Result<Layout, Refused> {
        let layout = Layout::new(rows, size_of::<K>() as u64, told);
        at_most("bytes of scratch memory", layout.bytes, scratch.len() as u64)?;
        Ok(layout)
    }
}

fn check_rows(rows: usize) -> Result<(), Refused> {
    at_most("rows of a column", rows as u64, MOST_ROWS as u64)
}

impl<K> Drop for Grouping<K> {
    fn drop(&mut self) {
        // A look-up among few keys may still be running, and its kernel may be unloaded next.
        self.device.wait_idle();
    }
}

/// Where groups are written to.
#[derive(Clone, Copy)]
struct Outputs<K> {
    keys: Span<K>,
    rows: Option<Span<u64>>,
    sums: Option<Span<u64>>,
}

impl<K> Outputs<K> {
    fn told(&self) -> Told {
        Told { rows: self.rows.is_some(), sum: self.sums.is_some() }
    }

    fn columns(&self) -> GroupColumns {
        let address = |numbers: Option<Span<u64>>| numbers.map_or(0, |numbers| numbers.at(0));
        GroupColumns {
            told: self.told(),
            keys: self.keys.at(0),
            rows: address(self.rows),
            sums: address(self.sums),
            room: self.keys.len().min(MOST_ROWS) as u32,
        }
    }
}
