//! The program in a folder of its own.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The program, in this folder.
pub(crate) fn warpproof(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpproof"));
    command.current_dir(folder);
    command
}

/// An empty folder with this name.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

pub(crate) fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) {
    std::fs::write(folder.join(name), content).expect("the folder is writable");
}

pub(crate) fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).expect("it was written")
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
