//! Which backend runs a command.

use crate::failure::Failure;
use clap::ValueEnum;
#[cfg(feature = "gpu")]
use warpproof::gpu::Device;

/// What `--backend` accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Choice {
    /// The GPU if one can be opened, else the CPU; also for a table with a --budget
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
    /// Several GPUs, each with a shard of the table.
    #[cfg(feature = "gpu")]
    Gpus(Vec<Device>),
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

    /// Opens the first GPUs of this machine, so many.
    ///
    /// # Errors
    /// If there are fewer.
    pub(crate) fn open_gpus(gpus: u32) -> Result<Self, Failure> {
        #[cfg(feature = "gpu")]
        {
            let opened: Result<Vec<Device>, _> = (0..gpus as usize).map(Device::open).collect();
            opened.map(Self::Gpus).map_err(|error| Failure::input(format_args!("--gpus {gpus}: {error}")))
        }
        #[cfg(not(feature = "gpu"))]
        {
            let _ = gpus;
            Err(Failure::input("--gpus: this program was built without the feature `gpu`"))
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

    /// Refuses a budget that is more than all the memory of the device. On a CPU every budget is fine: frames
    /// take no more memory than the table does.
    ///
    /// # Errors
    /// If it is too large; those of the driver.
    pub(crate) fn admit_budget(&self, budget: Option<u64>) -> Result<(), Failure> {
        let Some(budget) = budget else { return Ok(()) };
        self.device_memory()?.map_or(Ok(()), |all| within(budget, all, &self.device()))
    }

    /// All memory of the device in bytes, if this is a GPU.
    fn device_memory(&self) -> Result<Option<u64>, Failure> {
        match self {
            Self::Cpu => Ok(None),
            #[cfg(feature = "gpu")]
            Self::Gpu(device) => device.memory().map(|(_, all)| Some(all)).map_err(Failure::backend),
            // No budget comes with them.
            #[cfg(feature = "gpu")]
            Self::Gpus(_) => Ok(None),
        }
    }

    /// The name of the GPU, or the reason why there is none.
    pub(crate) fn probe_gpu() -> Result<String, String> {
        match Self::open_gpu() {
            Ok(opened) => Ok(opened.device()),
            Err(Failure::Input(why) | Failure::Violation(why)) => Err(why),
            Err(Failure::Closed) => Err(String::new()),
        }
    }

    /// `cpu`, `gpu` or `gpus`.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            #[cfg(feature = "gpu")]
            Self::Gpu(_) => "gpu",
            #[cfg(feature = "gpu")]
            Self::Gpus(_) => "gpus",
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
            Self::Gpu(device) => text(device),
            #[cfg(feature = "gpu")]
            Self::Gpus(devices) => match devices.as_slice() {
                [] => "no GPU".to_owned(),
                [one] => text(one),
                [first, ..] => format!("{} GPUs, the first is {}", devices.len(), text(first)),
            },
        }
    }

    /// The GPU, if this is one, whose kernels can be timed apart from copies.
    #[cfg(feature = "gpu")]
    pub(crate) fn kernels(&self) -> Option<&Device> {
        match self {
            Self::Cpu | Self::Gpus(_) => None,
            Self::Gpu(device) => Some(device),
        }
    }
}

/// A GPU in words.
#[cfg(feature = "gpu")]
fn text(device: &Device) -> String {
    let (major, minor) = device.capability();
    format!("{}, sm_{major}{minor}", device.name())
}

/// Refuses a budget of more than all memory of a device.
fn within(budget: u64, all: u64, name: &str) -> Result<(), Failure> {
    if budget <= all {
        return Ok(());
    }
    let (budget, all) = (crate::bytes::text(budget), crate::bytes::text(all));
    Err(Failure::input(format_args!("--budget: {budget} is more than the device memory of {name} ({all})")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_no_more_than_the_memory_of_the_device() {
        within(80 << 30, 80 << 30, "a GPU").unwrap();
        let Err(Failure::Input(said)) = within(1 << 40, 80 << 30, "a GPU") else { panic!("it is admitted") };
        assert_eq!(said, "--budget: 1.0 TiB is more than the device memory of a GPU (80.0 GiB)");
        Opened::Cpu.admit_budget(Some(u64::MAX)).unwrap();
    }
}
