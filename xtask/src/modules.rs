//! The PTX modules: which features of `warpproof-kernels` each is built with, for which GPUs, and where its
//! text is.

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
    /// Whether it is part of the library, and so checked in. The others are for benches and tests.
    pub(crate) shipped: bool,
}

/// PTX is forward compatible: the sm_75 files run on sm_75 and on every newer GPU. The sm_90 files hold
/// only the kernels on 128-bit words, and the sm_80 file has kernels of the sm_75 files again, with hints
/// to the L2 cache.
pub(crate) const MODULES: [Module; 12] = [
    Module { name: "warpproof", target: "sm_75", features: "tables", shipped: true },
    Module { name: "warpproof", target: "sm_90", features: "tables,b128", shipped: true },
    Module { name: "kept", target: "sm_80", features: "kept", shipped: true },
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

/// The folder of the PTX that is not checked in. `warpproof-gpu` looks for it beside the running program.
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
        // If a loop over the slots of a lane is not unrolled, the slots go to local memory instead of
        // registers. A loop that hashes eight keys is longer than LLVM unrolls by default. The kernels of
        // `cold` have no such loop.
        let unroll = if self.name == "cold" { 200 } else { 450 };
        // Since PTX 7.1 an instruction can move one half of a register and leave out the other half. Drivers
        // accept it since CUDA 11.1; the calls of cudarc need 11.2. Hints to the L2 cache need PTX 7.4, and
        // 128-bit words PTX 8.3.
        let version = match self.features {
            features if features.contains("b128") => "ptx83",
            "kept" => "ptx74",
            _ => "ptx71",
        };
        vec![
            format!("-Ctarget-cpu={}", self.target),
            format!("-Ctarget-feature=+{version}"),
            // Optimisations on MIR do not know that a collective must stay at one place: jump threading
            // copies it into both arms of a branch, and lanes no longer meet. LLVM knows, so it optimises
            // alone.
            "-Zmir-opt-level=0".to_owned(),
            format!("-Cllvm-args=-unroll-threshold={unroll}"),
        ]
    }
}
