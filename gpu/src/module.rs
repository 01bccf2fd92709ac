//! Modules of kernels, and the one place that launches kernels.

use crate::arguments::{Arguments, List};
use crate::driver;
use crate::error::Error;
use core::ffi::c_void;
use core::ops::Range;
use core::ptr;
use cudarc::driver::sys::{self, CUdevice_attribute, CUjit_option, CUresult};
use cudarc::driver::{CudaContext, CudaStream, DriverError, result};
use std::ffi::CString;
use std::sync::Arc;

/// PTX, loaded into a context.
pub(crate) struct Module {
    raw: sys::CUmodule,
    /// Entry points, sorted. They are looked up here first, as the driver records an error for a name that
    /// the module does not have.
    names: Vec<Box<str>>,
    context: Arc<CudaContext>,
}

// SAFETY: a module handle belongs to a context, not to a thread.
unsafe impl Send for Module {}
// SAFETY: as above; the driver has its own locks.
unsafe impl Sync for Module {}

/// Bytes kept of the messages of the driver's compiler.
const LOG_BYTES: usize = 4096;

impl Module {
    /// Compiles and loads `image`: PTX that ends in a zero byte.
    ///
    /// # Errors
    /// [`Error::DriverTooOld`] if the driver does not know the PTX.
    pub(crate) fn load(context: &Arc<CudaContext>, image: &str) -> Result<Arc<Self>, Error> {
        const WHAT: &str = "loading the kernels";
        if !image.ends_with('\0') {
            return Err(Error::driver(WHAT)(DriverError(CUresult::CUDA_ERROR_INVALID_IMAGE)));
        }
        context.bind_to_thread().map_err(Error::driver(WHAT))?;
        let mut log = vec![0u8; LOG_BYTES];
        let mut options =
            [CUjit_option::CU_JIT_ERROR_LOG_BUFFER, CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), ptr::without_provenance_mut(LOG_BYTES)];
        let mut raw = ptr::null_mut();
        // SAFETY: the image ends in a zero byte; there are two options with two values, a buffer and its
        // size, and the buffer lives until after the call.
        let loaded = unsafe {
            sys::cuModuleLoadDataEx(
                &raw mut raw,
                image.as_ptr().cast(),
                options.len() as u32,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        match loaded.result() {
            Ok(()) => Ok(Arc::new(Self { raw, names: names(image), context: context.clone() })),
            Err(DriverError(
                code @ (CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION
                | CUresult::CUDA_ERROR_INVALID_PTX
                | CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU
                | CUresult::CUDA_ERROR_JIT_COMPILER_NOT_FOUND),
            )) => {
                let end = log.iter().position(|&byte| byte == 0).unwrap_or(LOG_BYTES);
                let said = String::from_utf8_lossy(&log[..end]);
                let what = format!("{code:?} {}", said.trim());
                Err(Error::DriverTooOld { driver: driver::version(), what })
            }
            Err(error) => Err(Error::driver(WHAT)(error)),
        }
    }

    /// The kernel `name`, for tiles of `lanes` lanes; `None` if the module has none.
    pub(crate) fn kernel(self: &Arc<Self>, name: &str, lanes: u32) -> Result<Option<Kernel>, Error> {
        let failed = Error::driver("looking up a kernel");
        if self.names.binary_search_by(|own| (**own).cmp(name)).is_err() {
            return Ok(None);
        }
        let Ok(symbol) = CString::new(name) else { return Ok(None) };
        self.context.bind_to_thread().map_err(&failed)?;
        // SAFETY: the module is loaded as long as `self` lives.
        let raw = unsafe { result::module::get_function(self.raw, symbol) }.map_err(&failed)?;
        Ok(Some(Kernel {
            raw,
            name: name.into(),
            lanes,
            span: 1,
            threads: None,
            most_tiles: None,
            module: self.clone(),
        }))
    }
}

/// The entry points of PTX, sorted.
fn names(image: &str) -> Vec<Box<str>> {
    let mut names: Vec<_> =
        image.split(".entry ").skip(1).filter_map(|rest| Some(rest.split('(').next()?.into())).collect();
    names.sort_unstable();
    names
}

/// Several modules. No two of them have a kernel of the same name.
#[derive(Clone)]
pub(crate) struct Modules(Vec<Arc<Module>>);

impl Modules {
    /// Compiles and loads images, as [`Module::load`].
    pub(crate) fn load<'a>(
        context: &Arc<CudaContext>,
        images: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, Error> {
        images.into_iter().map(|image| Module::load(context, image)).collect::<Result<_, _>>().map(Self)
    }

    /// The kernel `name`, run by tiles of `lanes`; `None` if no module has one.
    pub(crate) fn kernel(&self, name: &str, lanes: u32) -> Result<Option<Kernel>, Error> {
        for module in &self.0 {
            if let Some(kernel) = module.kernel(name, lanes)? {
                return Ok(Some(kernel));
            }
        }
        Ok(None)
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: `load` loaded it, and no kernel of it exists, as each kernel keeps its module. No
            // kernel runs either: a table or a `Grouping` waits for the device before it drops its kernels.
            // After an error the module stays loaded until the context ends.
            let _ = unsafe { result::module::unload(self.raw) };
        }
    }
}

/// An entry point.
#[derive(Clone)]
pub(crate) struct Kernel {
    raw: sys::CUfunction,
    name: Arc<str>,
    /// Threads per tile.
    lanes: u32,
    /// Operations per tile.
    span: u32,
    /// Threads per block, if the kernel has a fixed number.
    threads: Option<u32>,
    /// The most tiles of a launch; then each runs several operations.
    most_tiles: Option<u32>,
    module: Arc<Module>,
}

// SAFETY: a function handle belongs to its module, not to a thread.
unsafe impl Send for Kernel {}
// SAFETY: as above; launching does not change it.
unsafe impl Sync for Kernel {}

/// The most operations of one launch. A kernel counts operations and tiles in a u32, and a grid may have a
/// few more tiles than operations.
const MOST: u64 = 1 << 31;

impl Kernel {
    /// Name of the entry point.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// This kernel, with `span` operations for each tile.
    pub(crate) fn with_span(self, span: u32) -> Self {
        Self { span, ..self }
    }

    /// This kernel, in blocks of `threads` threads (a multiple of 32), whatever a launch asks for.
    pub(crate) fn with_threads(self, threads: u32) -> Self {
        Self { threads: Some(threads), ..self }
    }

    /// This kernel, in blocks of `threads` threads. A launch has at most `tiles` tiles, and no more than the
    /// device runs at one time.
    ///
    /// # Errors
    /// [`Error::Kernel`].
    pub(crate) fn with_most_tiles(self, tiles: u32, threads: u32) -> Result<Self, Error> {
        self.module.context.bind_to_thread().map_err(|error| self.fault(error))?;
        let processors = self
            .module
            .context
            .attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
            .map_err(|error| self.fault(error))?;
        let (threads, mut blocks) = (self.threads.unwrap_or(threads), 0);
        // SAFETY: the function's module is loaded; the call writes a number.
        unsafe {
            sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(&raw mut blocks, self.raw, threads as i32, 0)
        }
        .result()
        .map_err(|error| self.fault(error))?;
        let at_once = blocks.max(1) as u32 * processors.max(1) as u32 * (threads / self.lanes);
        Ok(Self { most_tiles: Some(tiles.min(at_once)), ..self })
    }

    /// Queues the kernel on `stream` and does not wait. Its blocks have `threads` threads (a multiple of 32),
    /// unless the kernel has a fixed number.
    ///
    /// # Safety
    ///
    /// `arguments` have the number, order and types that this kernel declares, and point to arrays as long as
    /// it needs. The arrays live until the stream has run the kernel.
    ///
    /// # Errors
    /// [`Error::Kernel`].
    pub(crate) unsafe fn launch(
        &self,
        stream: &CudaStream,
        threads: u32,
        arguments: &Arguments,
    ) -> Result<(), Error> {
        // SAFETY: the contract of this function.
        unsafe { self.launch_part(stream, threads, arguments, 0..arguments.tiles) }
    }

    /// Launches the kernel for a part of the operations.
    ///
    /// # Safety
    ///
    /// As [`launch`](Self::launch). The operations are among those of the arguments.
    ///
    /// # Errors
    /// [`Error::Kernel`].
    pub(crate) unsafe fn launch_part(
        &self,
        stream: &CudaStream,
        threads: u32,
        arguments: &Arguments,
        part: Range<u64>,
    ) -> Result<(), Error> {
        self.module.context.bind_to_thread().map_err(|error| self.fault(error))?;
        let threads = self.threads.unwrap_or(threads);
        let most = if arguments.in_parts() { MOST } else { part.end - part.start };
        let mut first = part.start;
        while first < part.end {
            let tiles = most.min(part.end - first);
            let wanted = tiles.div_ceil(self.span as u64);
            let in_grid = self.most_tiles.map_or(wanted, |most| wanted.min(most.into()));
            let blocks = (in_grid * self.lanes as u64).div_ceil(threads as u64);
            // The driver reads the low bytes of each word, as many as its argument has.
            const { assert!(cfg!(target_endian = "little")) };
            let mut words = [0u64; List::MOST];
            let mut pointers = [ptr::null_mut::<c_void>(); List::MOST];
            for (at, argument) in arguments.list.iter().enumerate() {
                words[at] = argument.bits(first, tiles as u32);
                pointers[at] = ptr::from_ref(&words[at]).cast_mut().cast();
            }
            // SAFETY: one pointer per argument, to a word that lives until the call returns, by when the
            // driver has copied it; the rest is the contract of this function.
            unsafe {
                result::launch_kernel(
                    self.raw,
                    (blocks as u32, 1, 1),
                    (threads, 1, 1),
                    arguments.shared,
                    stream.cu_stream(),
                    &mut pointers,
                )
            }
            .map_err(|error| self.fault(error))?;
            first += tiles;
        }
        Ok(())
    }

    /// The error of this kernel.
    pub(crate) fn fault(&self, error: DriverError) -> Error {
        Error::Kernel { kernel: self.name.to_string(), error: error.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{BASE_IMAGES, KEPT_IMAGES, WIDE_IMAGES};

    #[test]
    fn entry_points_are_read_from_the_text() {
        assert_eq!(names(".visible .entry b(\n.param x\n)\n{}\n.entry a()\n"), ["a".into(), "b".into()]);
        for image in BASE_IMAGES.into_iter().chain(KEPT_IMAGES).chain(WIDE_IMAGES) {
            let names = names(image);
            assert!(names.len() > 10 && names.len() == image.matches(".entry ").count());
            let plain = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            assert!(names.iter().all(|name| plain(name)) && names.is_sorted(), "{names:?}");
        }
        assert!(names(BASE_IMAGES[0]).binary_search(&"slab_map32_search_l2".into()).is_ok());
    }
}
