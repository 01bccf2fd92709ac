//! Writes files.

use super::{BUFFER, CHECKSUM, FIXED, FileEntry, FileError, Header, MAGIC, OF_CHILD, Part, Problem, VERSION};
use crate::hash::Seed;
use crate::host::{OpenGeometry, PagedGeometry};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::Path;
use std::vec::Vec;

/// A file that is being written: one child table after the other, and the header last.
#[derive(Debug)]
pub struct Writer<'a, W, E> {
    out: W,
    path: &'a Path,
    header: Header,
    /// The first child table that has not been written.
    next: u32,
    buffer: Vec<u8>,
    entries: PhantomData<fn(E)>,
}

impl<'a, W: Write + Seek, E: FileEntry> Writer<'a, W, E> {
    /// Writes a table of this size and seed to `out`; errors name `path`.
    ///
    /// # Errors
    /// If there is no memory, or it cannot be written; so for all calls.
    pub fn new(out: W, path: &'a Path, size: PagedGeometry, seed: Seed) -> Result<Self, FileError> {
        let mut this = Self {
            out,
            path,
            header: Header { child: size.child, seed, of_children: Vec::new() },
            next: 0,
            buffer: Vec::new(),
            entries: PhantomData,
        };
        let all = &mut this.header.of_children;
        room(all, size.children as usize).map_err(|problem| FileError::new(path, Part::Header, problem))?;
        all.resize(size.children as usize, (0, crc32fast::hash(&[])));
        room(&mut this.buffer, BUFFER).map_err(|problem| FileError::new(path, Part::File, problem))?;
        this.seek(SeekFrom::Start(Header::bytes(size.children)))?;
        Ok(this)
    }

    /// Writes the entries of a child table, which comes after those that were written. A child table that is
    /// left out has none.
    ///
    /// # Errors
    /// As [`new`](Self::new); [`Problem::Elsewhere`] if there is no such child table or a later one was
    /// written.
    pub fn child(&mut self, child: u32, entries: &[E]) -> Result<(), FileError> {
        let Self { out, path, header, next, buffer, .. } = self;
        let part = Part::Child(child);
        let elsewhere = || FileError::new(path, part, Problem::Elsewhere);
        let of_child = header.of_children.get_mut(child as usize).filter(|_| child >= *next);
        let of_child = of_child.ok_or_else(elsewhere)?;
        let mut checksum = crc32fast::Hasher::new();
        for some in entries.chunks((BUFFER / E::BYTES).max(1)) {
            buffer.clear();
            buffer.resize(some.len() * E::BYTES, 0);
            for (&entry, to) in some.iter().zip(buffer.chunks_exact_mut(E::BYTES)) {
                entry.put(to);
            }
            checksum.update(buffer);
            out.write_all(buffer).map_err(FileError::io(path, part, "writing"))?;
        }
        *of_child = (entries.len() as u64, checksum.finalize());
        *next = child + 1;
        Ok(())
    }

    /// Ends the file after all child tables that have entries: writes the header.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn finish(mut self) -> Result<W, FileError> {
        let path = self.path;
        let mut bytes = Vec::new();
        let len = Header::bytes(self.header.children()) as usize;
        room(&mut bytes, len).map_err(|problem| FileError::new(path, Part::Header, problem))?;
        self.header.put::<E>(&mut bytes);
        debug_assert_eq!(bytes.len(), len, "no number of the header is forgotten");
        self.seek(SeekFrom::Start(0))?;
        let failed = FileError::io(path, Part::Header, "writing");
        self.out.write_all(&bytes).and_then(|()| self.out.flush()).map_err(failed)?;
        Ok(self.out)
    }

    fn seek(&mut self, to: SeekFrom) -> Result<(), FileError> {
        let failed = FileError::io(self.path, Part::Header, "writing");
        self.out.seek(to).map(drop).map_err(failed)
    }
}

impl Header {
    /// Appends its bytes to a list that has room for them.
    fn put<E: FileEntry>(&self, to: &mut Vec<u8>) {
        let OpenGeometry { bucket_slots, buckets } = self.child;
        to.extend_from_slice(&MAGIC);
        to.extend_from_slice(&VERSION.to_le_bytes());
        E::TYPES.iter().for_each(|number| to.extend_from_slice(&number.to_le_bytes()));
        [bucket_slots, buckets, self.children()].iter().for_each(|n| to.extend_from_slice(&n.to_le_bytes()));
        self.seed.words().iter().for_each(|word| to.extend_from_slice(&word.to_le_bytes()));
        const { assert!(FIXED == 16 + 4 + 2 * 2 + 3 * 4 + 2 * 8 && OF_CHILD == 8 + CHECKSUM) };
        for (entries, checksum) in &self.of_children {
            to.extend_from_slice(&entries.to_le_bytes());
            to.extend_from_slice(&checksum.to_le_bytes());
        }
        let checksum = crc32fast::hash(to);
        to.extend_from_slice(&checksum.to_le_bytes());
    }
}

/// Makes room for so many elements.
pub(super) fn room<T>(list: &mut Vec<T>, len: usize) -> Result<(), Problem> {
    let bytes = len.saturating_mul(size_of::<T>()) as u64;
    list.try_reserve_exact(len).map_err(|_| Problem::Memory { bytes })
}

/// Writes a table of this size and seed to a file; `each` writes its child tables.
///
/// The file takes its name when it is complete and on the disk. Until then it is a temporary file beside that
/// name, which is removed if anything fails; an older file of the name stays as it was. If the process is
/// killed, the temporary file stays: its name begins with `.warpproof-`.
///
/// # Errors
/// [`FileError`]; any error of `each`.
pub fn save<E: FileEntry, F: From<FileError>>(
    path: &Path,
    (size, seed): (PagedGeometry, Seed),
    each: impl FnOnce(&mut Writer<'_, &File, E>) -> Result<(), F>,
) -> Result<(), F> {
    let io = |doing| FileError::io(path, Part::File, doing);
    let before = match std::fs::metadata(path) {
        Ok(before) if before.is_file() => Some(before),
        Ok(_) => return Err(FileError::new(path, Part::File, Problem::NotRegular).into()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(io("looking for the file before")(error).into()),
    };
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".warpproof-");
    // The user's mask decides, as for every new file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let file = builder.tempfile_in(folder).map_err(io("making a file beside it"))?;
    let mut writer = Writer::new(file.as_file(), path, size, seed)?;
    each(&mut writer)?;
    writer.finish()?;
    if let Some(before) = before {
        file.as_file()
            .set_permissions(before.permissions())
            .map_err(io("giving it the mode of the file before"))?;
    }
    file.as_file().sync_all().map_err(io("writing it to the disk"))?;
    file.persist(path).map_err(|failed| io("giving it its name")(failed.error))?;
    // The name should be on the disk too. If that fails, the file is complete under one name or the other.
    #[cfg(unix)]
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}
