//! Kernels for benches and stress tests. They are not part of the library and are built only when needed.

use crate::error::Error;
use std::env;
use std::path::PathBuf;

/// Kernels that are not part of the library. `cargo xtask ptx NAME` builds them into `target/kernels`, where
/// programs that Cargo builds find them. Other programs name the folder in the environment variable
/// `WARPPROOF_KERNELS`.
///
/// The kernels must be of the same version as this library, which nothing checks: kernels of another version
/// may read and write any memory of the device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extra {
    /// Maps of u32 pairs with other numbers of lanes, and published ways to copy all entries out.
    Tuning,
    /// Operations that record the time before and after each.
    Stress,
    /// Tables of others that benches compare with.
    Paper,
}

/// The variable that names the folder.
const FOLDER: &str = "WARPPROOF_KERNELS";
/// A file that Cargo writes into each folder it builds into.
const OF_CARGO: &str = "CACHEDIR.TAG";

impl Extra {
    /// The name that `cargo xtask ptx` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tuning => "tuning",
            Self::Stress => "stress",
            Self::Paper => "paper",
        }
    }

    /// A message that the kernels are not built and how to build them; `None` if they are built. It is also
    /// `None` if `WARPPROOF_KERNELS` is set: then a test that does not find them fails instead of being
    /// skipped.
    pub fn missing(self) -> Option<String> {
        let there = env::var_os(FOLDER).is_some() || self.folder().is_some();
        let name = self.name();
        (!there).then(|| format!("{name} kernels are not built (cargo xtask ptx {name})"))
    }

    /// The folder of the kernels: the one that the variable names, or `kernels` in Cargo's target folder.
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

    /// The texts of the modules, each of which ends in a zero byte. With `wide` the kernels on 128-bit words
    /// come first, if there are any.
    ///
    /// # Errors
    /// [`Error::NotBuilt`].
    pub(crate) fn images(self, wide: bool) -> Result<Vec<String>, Error> {
        // The tables of others have no 128-bit words.
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
