//! Which backend runs a command.

use crate::failure::Failure;
use clap::ValueEnum;
#[cfg(feature = "gpu")]
use warpproof::gpu::Device;

/// What `--backend` accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Choice {
    /// The GPU if one can be opened, else the CPU
    #[default]
    Auto,
    /// All cores of this machine
    Cpu,
    /// The first NVIDIA GPU
    Gpu,
}

/// A backend that was opened.
pub(crate) enum Opened {
    /// The CPU.
    Cpu,
    /// A GPU.
    #[cfg(feature = "gpu")]
    Gpu(Device),
}

impl Opened {
    /// Opens a backend.
    ///
    /// # Errors
    /// If it is a GPU, and there is none.
    pub(crate) fn open(choice: Choice) -> Result<Self, Failure> {
        match choice {
            Choice::Cpu => Ok(Self::Cpu),
            Choice::Gpu => Self::open_gpu(),
            Choice::Auto => Ok(Self::open_gpu().unwrap_or(Self::Cpu)),
        }
    }

    #[cfg(feature = "gpu")]
    fn open_gpu() -> Result<Self, Failure> {
        Device::open(0).map(Self::Gpu).map_err(Failure::backend)
    }

    #[cfg(not(feature = "gpu"))]
    fn open_gpu() -> Result<Self, Failure> {
        Err(Failure::input("this program was built without the feature `gpu`"))
    }

    /// Why there is no GPU, or its name.
    pub(crate) fn probe_gpu() -> Result<String, String> {
        match Self::open_gpu() {
            Ok(opened) => Ok(opened.device()),
            Err(Failure::Input(why) | Failure::Violation(why)) => Err(why),
            Err(Failure::Closed) => Err(String::new()),
        }
    }

    /// `cpu` or `gpu`.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            #[cfg(feature = "gpu")]
            Self::Gpu(_) => "gpu",
        }
    }

    /// The device in words.
    pub(crate) fn device(&self) -> String {
        match self {
            Self::Cpu => {
                let threads = std::thread::available_parallelism().map_or(1, usize::from);
                format!("{threads} threads")
            }
            #[cfg(feature = "gpu")]
            Self::Gpu(device) => {
                let (major, minor) = device.capability();
                format!("{}, sm_{major}{minor}", device.name())
            }
        }
    }

    /// The GPU whose kernels can be timed apart from copies, if this is one.
    #[cfg(feature = "gpu")]
    pub(crate) fn kernels(&self) -> Option<&Device> {
        match self {
            Self::Cpu => None,
            Self::Gpu(device) => Some(device),
        }
    }
}
