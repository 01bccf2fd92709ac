//! Processes and files, with error messages that name what failed.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The result of a task. An error message tells what to do.
pub(crate) type Outcome<T> = Result<T, String>;

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// The folder where tasks leave files that can be made again.
pub(crate) fn scratch() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(target) => root().join(target),
        None => root().join("target"),
    }
}

/// A cargo command in the root of the project.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root()).args(arguments);
    cargo
}

/// Runs a command with its output shown.
pub(crate) fn run(command: &mut Command) -> Outcome<()> {
    let status = command.status().map_err(|e| format!("cannot run {command:?}: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} failed: {status}")) }
}

/// Runs a command and returns what it wrote to stdout and then to stderr.
pub(crate) fn output(command: &mut Command) -> Outcome<String> {
    let output = command.output().map_err(|e| format!("cannot run {command:?}: {e}"))?;
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    if output.status.success() {
        Ok(text)
    } else {
        Err(format!("{command:?} failed: {}\n{text}", output.status))
    }
}

/// Reads a text file.
pub(crate) fn read(path: &Path) -> Outcome<String> {
    std::fs::read_to_string(path).map_err(|e| format!("cannot read {}: {e}", path.display()))
}

/// Writes a text file, and creates its folder if needed.
pub(crate) fn write(path: &Path, text: &str) -> Outcome<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    }
    std::fs::write(path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))
}
