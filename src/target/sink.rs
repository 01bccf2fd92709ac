//! Output to a path that a user names.

use super::stdout::stdout;
use super::unfinished::Unfinished;
use std::fs::File;
use std::io::{Result, Write};
use std::path::{Path, PathBuf};

/// An output.
pub(super) enum Sink {
    /// A file, which takes its name when it is whole.
    File(Unfinished),
    /// Not a file: a device, a pipe or an open descriptor has no name to take.
    Stream(Box<dyn Write + Send>),
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Stream(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Stream(stream) => stream.flush(),
        }
    }
}

impl Sink {
    /// `path`, or stdout.
    pub(super) fn open(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else { return Ok(Self::Stream(Box::new(stdout()?))) };
        Ok(match place(path)? {
            Place::File(path) => Self::File(Unfinished::new(&path)?),
            Place::Stream(path) => Self::Stream(Box::new(File::options().write(true).open(path)?)),
            #[cfg(unix)]
            Place::Descriptor(number) => Self::Stream(Box::new(descriptor(number)?)),
        })
    }

    /// Checks that `path` can be written: makes a file beside it and removes it again; a descriptor must be
    /// open. Does not touch a device or a pipe.
    pub(super) fn admit(path: &Path) -> Result<()> {
        match place(path)? {
            Place::File(path) => Unfinished::new(&path).map(drop),
            Place::Stream(_) => Ok(()),
            #[cfg(unix)]
            Place::Descriptor(number) => descriptor(number).map(drop),
        }
    }

    /// Ends the output: a file takes its name.
    pub(super) fn finish(self) -> Result<()> {
        match self {
            Self::File(file) => file.finish(),
            Self::Stream(mut stream) => stream.flush(),
        }
    }
}

/// What a path refers to.
enum Place {
    /// A file, there or not, with its links followed.
    File(PathBuf),
    /// A device or a pipe.
    Stream(PathBuf),
    /// An open descriptor of this program, as /dev/stdout and /dev/fd/3 are.
    #[cfg(unix)]
    Descriptor(std::os::fd::RawFd),
}

fn place(path: &Path) -> Result<Place> {
    #[cfg(unix)]
    if let Some(number) = named_descriptor(path) {
        return Ok(Place::Descriptor(number));
    }
    // A link stays a link: the file that it points to is replaced.
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    match std::fs::metadata(&path) {
        Ok(found) if found.is_dir() => Err(std::io::ErrorKind::IsADirectory.into()),
        Ok(found) if !found.is_file() => Ok(Place::Stream(path)),
        Ok(_) | Err(_) => Ok(Place::File(path)),
    }
}

/// The number of the descriptor to which a path leads by its links. If they were followed to the end, they
/// would lead to the file that is open there, and it would be replaced.
#[cfg(unix)]
fn named_descriptor(path: &Path) -> Option<std::os::fd::RawFd> {
    /// As many links as Linux follows.
    const LINKS: u32 = 40;
    let descriptors = std::fs::canonicalize("/dev/fd").ok()?;
    let mut path = path.to_path_buf();
    for _ in 0..LINKS {
        let folder = path.parent()?;
        if std::fs::canonicalize(folder).is_ok_and(|folder| folder == descriptors) {
            return path.file_name()?.to_str()?.parse().ok();
        }
        path = folder.join(std::fs::read_link(&path).ok()?);
    }
    None
}

/// Another descriptor for an open one; it continues at the same position.
#[cfg(unix)]
fn descriptor(number: std::os::fd::RawFd) -> Result<File> {
    use std::os::fd::{AsFd, BorrowedFd};
    if number == 1 {
        return Ok(File::from(stdout()?.as_fd().try_clone_to_owned()?));
    }
    // SAFETY: the system duplicates the number; that is an error if it is not open.
    let open = unsafe { BorrowedFd::borrow_raw(number) };
    Ok(File::from(open.try_clone_to_owned()?))
}
