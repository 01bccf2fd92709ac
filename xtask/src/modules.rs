//! The PTX modules: the features of `warpproof-kernels` and the GPUs that each is built for.

use crate::shell::root;
use std::path::PathBuf;

/// One PTX file.
pub(crate) struct Module {
    /// The name of the file, without its target.
    pub(crate) name: &'static str,
    /// The oldest GPU that it runs on.
    pub(crate) target: &'static str,
    /// Features of `warpproof-kernels`.
    pub(crate) features: &'static str,
}

/// PTX is forward compatible: the baseline runs on every GPU from sm_75 on. The sm_90 files have 128-bit
/// words.
pub(crate) const MODULES: [Module; 8] = [
    Module { name: "warpproof", target: "sm_75", features: "" },
    Module { name: "warpproof", target: "sm_90", features: "b128" },
    Module { name: "tuning", target: "sm_75", features: "tuning" },
    Module { name: "stress", target: "sm_75", features: "stress" },
    Module { name: "stress", target: "sm_90", features: "stress,b128" },
    Module { name: "paper", target: "sm_75", features: "paper" },
    Module { name: "probes", target: "sm_75", features: "probes" },
    Module { name: "probes", target: "sm_90", features: "probes,b128" },
];

/// The folder of the checked-in PTX.
pub(crate) fn folder() -> PathBuf {
    root().join("gpu/ptx")
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

    /// The checked-in file.
    pub(crate) fn path(&self) -> PathBuf {
        folder().join(self.file_name())
    }

    /// Code generation flags.
    pub(crate) fn flags(&self) -> Vec<String> {
        let mut flags = vec![
            format!("-Ctarget-cpu={}", self.target),
            // Optimisations on MIR do not know convergence: jump threading copies a collective into both arms
            // of a branch among lanes. LLVM does know it, and does the work alone.
            "-Zmir-opt-level=0".to_owned(),
            // A loop over the slots of a lane that hashes each key has to be unrolled; otherwise the slots
            // are put into memory. Eight hashes are more than LLVM would unroll by default.
            "-Cllvm-args=-unroll-threshold=450".to_owned(),
        ];
        if self.features.contains("b128") {
            flags.push("-Ctarget-feature=+ptx83".to_owned());
        }
        flags
    }
}
