//! Errors of the GPU backend.

use core::fmt;
use cudarc::driver::{DriverError, sys::CUresult};
use std::path::PathBuf;
use warpproof_model::host::{NotStored, Refused};
use warpproof_model::paged::file::FileError;

/// An error code of the CUDA driver.
///
/// It is printed by its name, without a call of the driver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CudaError(CUresult);

impl CudaError {
    /// The number of the code.
    pub fn code(self) -> u32 {
        self.0 as u32
    }
}

impl From<DriverError> for CudaError {
    fn from(error: DriverError) -> Self {
        Self(error.0)
    }
}

impl fmt::Display for CudaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} ({})", self.0, self.code())
    }
}

impl core::error::Error for CudaError {}

/// An error of the GPU backend.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// This machine has no NVIDIA driver: its library cannot be loaded.
    NoDriver,
    /// There is no such device.
    NoDevice {
        /// The number asked for.
        ordinal: usize,
        /// How many devices there are.
        devices: usize,
    },
    /// The driver does not support the kernels' instructions, or lacks a function.
    DriverTooOld {
        /// The CUDA version that the driver supports, as 1000 * major + 10 * minor; 0 if unknown.
        driver: u32,
        /// The kernel or function that it refused.
        what: String,
    },
    /// The device is older than the kernels.
    DeviceTooOld {
        /// Name of the device.
        name: String,
        /// Its compute capability.
        capability: (u32, u32),
    },
    /// There is not enough device memory or host memory.
    OutOfMemory {
        /// What the memory was for.
        what: &'static str,
        /// How many bytes it would take.
        bytes: u64,
        /// How many operations of the batch had run: the first ones. 0 unless the batch runs in parts, as
        /// where a table grows or is paged.
        ran: u64,
    },
    /// The device, or its driver, has no 128-bit words, and the structure needs them for u64 pairs.
    NoWideWords {
        /// Name of the device.
        name: String,
        /// Its compute capability.
        capability: (u32, u32),
        /// The CUDA version that the driver supports, as 1000 * major + 10 * minor.
        driver: u32,
    },
    /// A bulk build found no room: no slab was left, or no slot in a neighbourhood.
    TableFull {
        /// Pairs of the input.
        pairs: u64,
        /// How many of them did not fit.
        left_out: u64,
    },
    /// The input was refused; nothing ran.
    Refused(Refused),
    /// The table changed during a call that reads it twice.
    Changed {
        /// The number that differed.
        what: &'static str,
        /// What the first pass counted.
        first: u64,
        /// What the second pass counted.
        second: u64,
    },
    /// A slice or stream belongs to another device than the table.
    OtherDevice {
        /// Which of them.
        what: &'static str,
    },
    /// There is no such kernel for the table's tuning.
    NoKernel {
        /// Name of the kernel.
        kernel: String,
    },
    /// Kernels that are no part of the library are not there ([`Extra`](crate::bench::Extra)).
    NotBuilt {
        /// The name that they are built by.
        name: &'static str,
        /// The file that is missing.
        file: PathBuf,
    },
    /// A kernel did not start, or failed while it ran. After a failure of the second kind the driver refuses
    /// every later call of the process on this device.
    Kernel {
        /// Name of the kernel.
        kernel: String,
        /// The error of the driver.
        error: CudaError,
    },
    /// A kernel wrote a code that is no outcome of its operation.
    Code {
        /// Name of the kernel.
        kernel: String,
        /// The number of the operation.
        index: usize,
        /// The code.
        code: u8,
    },
    /// Another call of the driver failed.
    Driver {
        /// What the call was for.
        what: &'static str,
        /// The error of the driver.
        error: CudaError,
    },
    /// NCCL is not there: its library cannot be loaded, or lacks a function.
    NoNccl {
        /// The files or functions that were looked for.
        what: String,
    },
    /// A call of NCCL failed.
    Nccl {
        /// What the call was for.
        what: &'static str,
        /// The code that it returned.
        code: u32,
    },
    /// The ranks of an exchange cannot find each other: a setting is missing, or a file.
    Ranks(String),
    /// Some entries of a batch found no room ([`all_stored`](warpproof_model::host::Outcomes::all_stored)).
    NotStored(NotStored),
    /// A table cannot be saved to a file, or opened.
    File(FileError),
}

impl Error {
    /// Turns the error of a driver call into an error of this crate; the call was for `what`.
    pub(crate) fn driver(what: &'static str) -> impl Fn(DriverError) -> Self {
        move |error| Self::Driver { what, error: error.into() }
    }

    /// This error, which came when so many operations of the batch had run.
    pub(crate) fn after(self, ran: usize) -> Self {
        match self {
            Self::OutOfMemory { what, bytes, .. } => Self::OutOfMemory { what, bytes, ran: ran as u64 },
            other => other,
        }
    }

    /// Turns the error of an allocation into an error of this crate.
    pub(crate) fn memory(what: &'static str, bytes: u64) -> impl Fn(DriverError) -> Self {
        move |error| match error.0 {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => Self::OutOfMemory { what, bytes, ran: 0 },
            _ => Self::Driver { what, error: error.into() },
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDriver => f.write_str("no NVIDIA driver: the CUDA driver library cannot be loaded"),
            Self::NoDevice { ordinal, devices } => {
                write!(f, "no CUDA device {ordinal}: this machine has {devices}")
            }
            Self::DriverTooOld { driver: 0, what } => {
                write!(f, "the NVIDIA driver is too old: {what}")
            }
            Self::DriverTooOld { driver, what } => {
                let (major, minor) = (driver / 1000, driver % 1000 / 10);
                write!(f, "the NVIDIA driver (CUDA {major}.{minor}) is too old: {what}")
            }
            Self::DeviceTooOld { name, capability: (major, minor) } => {
                write!(f, "{name} has compute capability {major}.{minor}; the kernels need 7.5")
            }
            Self::OutOfMemory { what, bytes, ran: 0 } => {
                write!(f, "out of memory for {what} ({bytes} bytes)")
            }
            Self::OutOfMemory { what, bytes, ran } => {
                write!(f, "out of memory for {what} ({bytes} bytes), after {ran} operations of the batch")
            }
            Self::NoWideWords { name, capability: (major, minor), driver } => {
                let (cuda, point) = (driver / 1000, driver % 1000 / 10);
                write!(
                    f,
                    "hopscotch and cuckoo tables of u64 pairs need compute capability 9.0 and a driver for CUDA 12.3 \
                     (128-bit words); {name} has compute capability {major}.{minor}, and its driver is for CUDA \
                     {cuda}.{point}"
                )
            }
            Self::TableFull { pairs, left_out } => {
                write!(f, "the table is full: {left_out} of {pairs} pairs did not fit")
            }
            Self::Refused(refused) => refused.fmt(f),
            Self::Changed { what, first, second } => {
                write!(f, "the table was changed during the call: {what} went from {first} to {second}")
            }
            Self::OtherDevice { what } => write!(f, "the {what} and the table are on different devices"),
            Self::NoKernel { kernel } => write!(
                f,
                "there is no kernel {kernel} for this tuning; some tunings need the kernels that `cargo xtask ptx tuning` builds"
            ),
            Self::NotBuilt { name, file } => write!(
                f,
                "the {name} kernels are not built: there is no {}; `cargo xtask ptx {name}` builds them",
                file.display()
            ),
            Self::Kernel { kernel, error } => write!(f, "kernel {kernel} failed: {error}"),
            Self::Code { kernel, index, code } => {
                write!(f, "kernel {kernel}: operation {index} answered with the unknown code {code}")
            }
            Self::Driver { what, error } => write!(f, "{what}: {error}"),
            Self::NoNccl { what } => write!(
                f,
                "NCCL cannot be loaded ({what}); install it (as package or as the wheel nvidia-nccl), or set \
                 WARPPROOF_NCCL to the path of libnccl.so.2"
            ),
            Self::Nccl { what, code } => {
                let name = match code {
                    1 => "a CUDA call failed",
                    2 => "a system call failed",
                    3 => "internal error",
                    4 => "invalid argument",
                    5 => "invalid usage, as by two ranks with one GPU",
                    6 => "another rank failed",
                    7 => "it did not end in its time limit",
                    _ => "unknown error",
                };
                write!(f, "{what}: NCCL returned {code} ({name})")
            }
            Self::Ranks(what) => f.write_str(what),
            Self::NotStored(error) => error.fmt(f),
            Self::File(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Refused(refused) => Some(refused),
            Self::NotStored(error) => Some(error),
            Self::File(error) => Some(error),
            Self::Kernel { error, .. } | Self::Driver { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

impl From<NotStored> for Error {
    fn from(error: NotStored) -> Self {
        Self::NotStored(error)
    }
}

impl From<FileError> for Error {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_what_and_where() {
        let error = Error::memory("slots", 42)(DriverError(CUresult::CUDA_ERROR_OUT_OF_MEMORY));
        assert_eq!(error.to_string(), "out of memory for slots (42 bytes)");
        let error = Error::memory("slots", 42)(DriverError(CUresult::CUDA_ERROR_INVALID_VALUE));
        assert_eq!(error.to_string(), "slots: CUDA_ERROR_INVALID_VALUE (1)");
        let error = Error::DriverTooOld { driver: 11040, what: "ptx".into() };
        assert_eq!(error.to_string(), "the NVIDIA driver (CUDA 11.4) is too old: ptx");
        let error = Error::DriverTooOld { driver: 0, what: "it lacks cuInit".into() };
        assert_eq!(error.to_string(), "the NVIDIA driver is too old: it lacks cuInit");
        let error = Error::NoWideWords { name: "T4".into(), capability: (7, 5), driver: 12020 };
        let said = error.to_string();
        assert!(
            said.contains("need compute capability 9.0")
                && said.ends_with("T4 has compute capability 7.5, and its driver is for CUDA 12.2"),
            "{said}"
        );
    }
}
