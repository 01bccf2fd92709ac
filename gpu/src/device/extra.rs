//! Kernels that benches and stress tests need and tables do not: they are built where they are needed.

use crate::error::Error;
use std::env;
use std::path::PathBuf;

/// Kernels that are no part of the library. `cargo xtask ptx NAME` builds them into `target/kernels`, where
/// programs that Cargo builds find them; elsewhere the environment variable `WARPPROOF_KERNELS` names their
/// folder.
///
/// Who uses them answers for what is in that folder: kernels of another version may do anything to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extra {
    /// Other shapes of maps of u32 pairs, and the published ways to copy all entries.
    Tuning,
    /// The operations between two stamps of a clock.
    Stress,
    /// The tables that ours are compared with.
    Paper,
}

/// The variable that names the folder.
const FOLDER: &str = "WARPPROOF_KERNELS";
/// A file of each folder that Cargo builds into.
const OF_CARGO: &str = "CACHEDIR.TAG";

impl Extra {
    /// The name that they are built by.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tuning => "tuning",
            Self::Stress => "stress",
            Self::Paper => "paper",
        }
    }

    /// Says that they are not built and how to build them, if they are not there. Where `WARPPROOF_KERNELS`
    /// is set they are said to be there, so that who uses them fails and is not skipped.
    pub fn missing(self) -> Option<String> {
        let there = env::var_os(FOLDER).is_some() || self.folder().is_some();
        let name = self.name();
        (!there).then(|| format!("{name} kernels are not built (cargo xtask ptx {name})"))
    }

    /// Their folder: that of the variable, or `kernels` in the folder that Cargo has built this program into.
    fn folder(self) -> Option<PathBuf> {
        if let Some(folder) = env::var_os(FOLDER) {
            return Some(folder.into());
        }
        let program = env::current_exe().ok()?;
        let target = program.ancestors().find(|above| above.join(OF_CARGO).exists())?;
        Some(target.join("kernels")).filter(|folder| folder.join(self.file("sm_75")).exists())
    }

    fn file(self, target: &str) -> String {
        format!("{}.{target}.ptx", self.name())
    }

    /// Their text, which ends in a zero byte: first that of the kernels on 128-bit words, if `wide` and there
    /// are any.
    ///
    /// # Errors
    /// [`Error::NotBuilt`].
    pub(crate) fn images(self, wide: bool) -> Result<Vec<String>, Error> {
        // The tables that ours are compared with have no 128-bit words.
        let targets: &[&str] = if wide && self != Self::Paper { &["sm_90", "sm_75"] } else { &["sm_75"] };
        let read = |target: &&str| {
            let file = self.file(target);
            let path = self.folder().map_or_else(|| file.clone().into(), |folder| folder.join(&file));
            let text = std::fs::read_to_string(&path);
            text.map(|text| text + "\0").map_err(|_| Error::NotBuilt { name: self.name(), file: path })
        };
        targets.iter().map(read).collect()
    }
}
