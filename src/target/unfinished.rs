//! A file that is not whole yet. It takes its name at the end; if the program ends before, it is removed,
//! also when a signal ends the program. SIGKILL and a power failure leave the file, whose name is
//! `.warpproof-` and six letters. A file that had the name before is whole in any case.

use std::io::{Result, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::NamedTempFile;

/// The unfinished files.
static FILES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file that takes its name when it is whole.
#[derive(Debug)]
pub(super) struct Unfinished {
    file: NamedTempFile,
    path: PathBuf,
    /// After the file: as long as this exists, a signal removes the file.
    _known: Known,
}

impl Unfinished {
    /// A new file in the folder of `path`, whose name it will take. It has the owner, group and mode of a
    /// file of that name, as far as the system allows; if there is none, the user's mask decides the mode.
    pub(super) fn new(path: &Path) -> Result<Self> {
        #[cfg(unix)]
        signals::watch();
        let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let mut builder = tempfile::Builder::new();
        builder.prefix(".warpproof-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        // Held until the file is recorded: a signal waits for that.
        let mut files = files();
        let file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
        files.push(file.path().to_path_buf());
        drop(files);
        let known = Known(file.path().to_path_buf());
        if let Ok(before) = std::fs::metadata(path) {
            #[cfg(unix)]
            own(&file, &before);
            if file.as_file().metadata()?.permissions() != before.permissions() {
                file.as_file().set_permissions(before.permissions())?;
            }
        }
        Ok(Self { file, path: path.to_path_buf(), _known: known })
    }

    /// Ends the file: it takes its name, and replaces the file that had it.
    pub(super) fn finish(self) -> Result<()> {
        self.file.as_file().sync_all()?;
        self.file.persist(&self.path).map_err(|e| e.error)?;
        Ok(())
    }
}

impl Write for Unfinished {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> Result<()> {
        self.file.flush()
    }
}

/// A file that is in [`FILES`].
#[derive(Debug)]
struct Known(PathBuf);

impl Drop for Known {
    fn drop(&mut self) {
        files().retain(|file| *file != self.0);
    }
}

fn files() -> MutexGuard<'static, Vec<PathBuf>> {
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives a file the owner and the group of another one. A user who may not give files away at least keeps the
/// group, if it is one of theirs.
#[cfg(unix)]
fn own(file: &NamedTempFile, like: &std::fs::Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let (user, group) = (Some(like.uid()), Some(like.gid()));
    // Neither is an error: then the file belongs to the user, as any new file does.
    let _ = fchown(file, user, group).or_else(|_| fchown(file, None, group));
}

#[cfg(unix)]
mod signals {
    use super::files;
    use signal_hook::consts::signal::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;
    use std::sync::Once;

    /// Signals that by default end a program.
    const ENDING: [i32; 6] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ];

    static WATCH: Once = Once::new();

    /// From now on these signals remove the files before they end the program. A signal that was ignored when
    /// the program started stays ignored.
    pub(super) fn watch() {
        WATCH.call_once(|| {
            let (tell, told) = std::sync::mpsc::channel();
            // Without the thread, or without the handlers in it, signals end the program as before.
            let thread = std::thread::Builder::new().name("signals".into()).spawn(move || {
                let signals = Signals::new(ENDING.into_iter().filter(|&signal| !is_ignored(signal)));
                let _ = tell.send(());
                let Ok(mut signals) = signals else { return };
                for signal in signals.forever() {
                    // Held to the end, so that no other file is made.
                    let mut files = files();
                    for file in files.drain(..) {
                        let _ = std::fs::remove_file(file);
                    }
                    let _ = emulate_default_handler(signal);
                }
            });
            if thread.is_ok() {
                let _ = told.recv();
            }
        });
    }

    /// Whether the program was started with this signal ignored, as `nohup` and the shell's `&` do.
    fn is_ignored(signal: i32) -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
    }
}
