//! Copies of the project, and cargo in them.

use crate::shell::{Outcome, output, root};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Makes `tree` a copy of the project, except that the files in `changed` have the texts given there. Files
/// that are already right keep their times, so that little is built again.
pub(super) fn copy(tree: &Path, changed: &HashMap<String, String>) -> Outcome<()> {
    let listed =
        output(Command::new("git").current_dir(root()).args(["ls-files", "-co", "--exclude-standard"]))?;
    let names: HashSet<&str> = listed.lines().chain(changed.keys().map(String::as_str)).collect();
    prune(tree, tree, &names)?;
    for name in names {
        let to = tree.join(name);
        let wanted = match changed.get(name) {
            Some(text) => text.clone().into_bytes(),
            None => match std::fs::read(root().join(name)) {
                Ok(have) => have,
                Err(_) => continue,
            },
        };
        if std::fs::read(&to).is_ok_and(|have| have == wanted) {
            continue;
        }
        let made = to.parent().map_or(Ok(()), std::fs::create_dir_all);
        made.and_then(|()| std::fs::write(&to, wanted))
            .map_err(|e| format!("cannot write {}: {e}", to.display()))?;
    }
    Ok(())
}

/// Removes from a folder of `tree` the files that the project no longer has.
fn prune(tree: &Path, folder: &Path, names: &HashSet<&str>) -> Outcome<()> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() {
            prune(tree, &path, names)?;
        } else if !path.strip_prefix(tree).is_ok_and(|name| names.contains(&*name.to_string_lossy())) {
            std::fs::remove_file(&path).map_err(|e| format!("cannot remove {}: {e}", path.display()))?;
        }
    }
    Ok(())
}

/// Cargo in a copy.
pub(super) fn cargo(tree: &Path, target: &Path) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").map_or_else(|| "cargo".into(), PathBuf::from));
    cargo.current_dir(tree).env("CARGO_TARGET_DIR", target);
    cargo
}

/// Returns the output of a command, and whether it succeeded.
pub(super) fn ran(command: &mut Command) -> Outcome<(String, bool)> {
    let output = command.output().map_err(|e| format!("cannot run {command:?}: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    Ok((text.into_owned(), output.status.success()))
}
