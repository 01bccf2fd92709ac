//! The PTX modules: which features of `warpproof-kernels` for which GPUs, and where their text is.

use crate::shell::{root, scratch};
use std::path::PathBuf;

/// One PTX file.
pub(crate) struct Module {
    /// The name of the file, without its target.
    pub(crate) name: &'static str,
    /// The oldest GPU that it runs on.
    pub(crate) target: &'static str,
    /// Features of `warpproof-kernels`.
    pub(crate) features: &'static str,
    /// Whether it is part of the library, and so checked in. Benches and tests need the others.
    pub(crate) shipped: bool,
}

/// PTX is forward compatible: the sm_75 files run on every GPU from there on. The sm_90 files have the
/// kernels on 128-bit words, and no others.
pub(crate) const MODULES: [Module; 11] = [
    Module { name: "warpproof", target: "sm_75", features: "tables", shipped: true },
    Module { name: "warpproof", target: "sm_90", features: "tables,b128", shipped: true },
    Module { name: "cold", target: "sm_75", features: "cold", shipped: true },
    Module { name: "cold", target: "sm_90", features: "cold,b128", shipped: true },
    Module { name: "tuning", target: "sm_75", features: "tuning", shipped: false },
    Module { name: "tuning", target: "sm_90", features: "tuning,b128", shipped: false },
    Module { name: "stress", target: "sm_75", features: "stress", shipped: false },
    Module { name: "stress", target: "sm_90", features: "stress,b128", shipped: false },
    Module { name: "paper", target: "sm_75", features: "paper", shipped: false },
    Module { name: "probes", target: "sm_75", features: "probes", shipped: false },
    Module { name: "probes", target: "sm_90", features: "probes,b128", shipped: false },
];

/// The folder of the checked-in PTX.
pub(crate) fn folder() -> PathBuf {
    root().join("gpu/ptx")
}

/// The folder of the PTX that is not checked in: `warpproof-gpu` looks for it beside the programs that are
/// built.
pub(crate) fn built() -> PathBuf {
    scratch().join("kernels")
}

/// The file that names the compiler of the checked-in PTX.
pub(crate) fn version_file() -> PathBuf {
    folder().join("VERSION")
}

impl Module {
    /// Name of the file.
    pub(crate) fn file_name(&self) -> String {
        format!("{}.{}.ptx", self.name, self.target)
    }

    /// Where the file is.
    pub(crate) fn path(&self) -> PathBuf {
        if self.shipped { folder() } else { built() }.join(self.file_name())
    }

    /// Code generation flags.
    pub(crate) fn flags(&self) -> Vec<String> {
        // A loop over the slots of a lane that hashes each key has to be unrolled, or the slots are put into
        // memory: eight hashes are more than LLVM would unroll by itself. In the kernels that run seldom no
        // lane hashes so many.
        let unroll = if self.name == "cold" { 200 } else { 450 };
        // PTX 7.1 moves one half of a register without a second one for the other half. Drivers know it since
        // CUDA 11.1; the calls of cudarc need 11.2. 128-bit words need 8.3.
        let version = if self.features.contains("b128") { "ptx83" } else { "ptx71" };
        vec![
            format!("-Ctarget-cpu={}", self.target),
            format!("-Ctarget-feature=+{version}"),
            // Optimisations on MIR know nothing of convergence: jump threading copies a collective into both
            // arms of a branch among lanes. LLVM knows, and does the work alone.
            "-Zmir-opt-level=0".to_owned(),
            format!("-Cllvm-args=-unroll-threshold={unroll}"),
        ]
    }
}
