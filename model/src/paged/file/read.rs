//! Reads files.

use super::write::room;
use super::{
    BUFFER, CHECKSUM, FIXED, FileEntry, FileError, Header, MAGIC, OF_CHILD, Opening, Part, Problem, VERSION,
};
use crate::hash::Seed;
use crate::host::structure::Paged;
use crate::host::{BulkTable, OpenGeometry, Outcomes, PagedGeometry, Refused};
use crate::outcome::Insert;
use crate::paged::host::Slots;
use crate::partition::HashPartitions;
use std::fs::File;
use std::io::Read;
use std::marker::PhantomData;
use std::path::Path;
use std::vec::Vec;

/// The most entries that a table gets at a time.
const BATCH: usize = 1 << 20;

/// A file of entries `E` whose header was read and checked.
#[derive(Debug)]
pub struct Reader<'a, R, E> {
    from: R,
    path: &'a Path,
    len: u64,
    header: Header,
    entries: PhantomData<fn() -> E>,
}

/// Opens a file and reads its header.
///
/// # Errors
/// As [`Reader::new`]; [`Problem::NotRegular`] if it is not a regular file.
pub fn open<E: FileEntry>(path: &Path) -> Result<Reader<'_, File, E>, FileError> {
    let io = |doing| FileError::io(path, Part::File, doing);
    // Checked before it is opened: to open a pipe would wait for a writer.
    let metadata = std::fs::metadata(path).map_err(io("opening"))?;
    if !metadata.is_file() {
        return Err(FileError::new(path, Part::File, Problem::NotRegular));
    }
    let file = File::open(path).map_err(io("opening"))?;
    let len = file.metadata().map_err(io("opening"))?.len();
    Reader::new(file, len, path)
}

impl<'a, R: Read, E: FileEntry> Reader<'a, R, E> {
    /// Reads the header of `from`, which has `len` bytes; errors name `path`. Allocates 12 bytes for each
    /// child table.
    ///
    /// # Errors
    /// If it holds no such table, if it was changed, or if its length differs from that in its header.
    pub fn new(mut from: R, len: u64, path: &'a Path) -> Result<Self, FileError> {
        let wrong = |part, problem| FileError::new(path, part, problem);
        let io = FileError::io(path, Part::Header, "reading");
        let mut bytes = Vec::new();
        room(&mut bytes, FIXED).map_err(|problem| wrong(Part::Header, problem))?;
        from.by_ref().take(FIXED as u64).read_to_end(&mut bytes).map_err(&io)?;
        let magic = bytes.len().min(MAGIC.len());
        if bytes[..magic] != MAGIC[..magic] {
            return Err(wrong(Part::File, Problem::Foreign));
        }
        let Some(&fixed) = bytes.first_chunk::<FIXED>() else {
            return Err(wrong(Part::Header, Problem::Length { found: len, expected: FIXED as u64 }));
        };
        let mut numbers = Numbers(&fixed[MAGIC.len()..]);
        let version = numbers.u32();
        if version != VERSION {
            return Err(wrong(Part::Header, Problem::Version { found: version }));
        }
        let types = [numbers.u16(), numbers.u16()];
        let [bucket_slots, buckets, children] = [numbers.u32(), numbers.u32(), numbers.u32()];
        let seed = Seed::from_words([numbers.u64(), numbers.u64()]);
        let header_len = Header::bytes(children);
        if len < header_len {
            return Err(wrong(Part::Header, Problem::Length { found: len, expected: header_len }));
        }

        // The file is that long, so this takes less memory than the file.
        let mut more = Vec::new();
        let more_len = OF_CHILD * children as usize + CHECKSUM;
        room(&mut more, more_len).map_err(|problem| wrong(Part::Header, problem))?;
        from.by_ref().take(more_len as u64).read_to_end(&mut more).map_err(&io)?;
        let Some((of_children, expected)) = more.split_last_chunk::<CHECKSUM>() else {
            return Err(wrong(Part::Header, Problem::Length { found: len, expected: header_len }));
        };
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(&fixed);
        checksum.update(of_children);
        let (found, expected) = (checksum.finalize(), u32::from_le_bytes(*expected));
        if found != expected {
            return Err(wrong(Part::Header, Problem::Checksum { found, expected }));
        }
        if types != E::TYPES {
            return Err(wrong(Part::Header, Problem::Entries { found: types, expected: E::TYPES }));
        }
        let child = OpenGeometry { bucket_slots, buckets };
        let size = |refused| wrong(Part::Header, Problem::Size(refused));
        child.admit(bucket_slots).map_err(size)?;
        for (number, what) in [(children, "child table"), (bucket_slots, "slot")] {
            if number == 0 {
                return Err(size(Refused::Nothing { what }));
            }
        }
        let mut header = Header { child, seed, of_children: Vec::new() };
        room(&mut header.of_children, children as usize).map_err(|problem| wrong(Part::Header, problem))?;
        let of_child = |bytes: &[u8]| {
            let mut numbers = Numbers(bytes);
            (numbers.u64(), numbers.u32())
        };
        header.of_children.extend(of_children.chunks_exact(OF_CHILD).map(of_child));

        // Where each child table ends. No sum of 2^32 numbers of 64 bits, times a few bytes, overflows.
        let mut end = u128::from(header_len);
        for (child, (entries, _)) in (0u32..).zip(&header.of_children) {
            end += u128::from(*entries) * E::BYTES as u128;
            if end > u128::from(len) {
                let expected = u64::try_from(end).unwrap_or(u64::MAX);
                return Err(wrong(Part::Child(child), Problem::Length { found: len, expected }));
            }
        }
        if end != u128::from(len) {
            return Err(wrong(Part::File, Problem::Length { found: len, expected: end as u64 }));
        }
        Ok(Self { from, path, len, header, entries: PhantomData })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The size of the opened table, with these buckets and slots.
    ///
    /// # Errors
    /// As [`Header::geometry`]; as [`PagedGeometry::with_board`], if it is to have a board;
    /// [`Problem::TooLarge`] if it would take more than `opening` allows.
    pub fn geometry(&self, slots: Slots, opening: Opening) -> Result<PagedGeometry, FileError> {
        let geometry =
            self.header.geometry(slots, opening.budget).map_err(|refused| self.refused(refused))?;
        let most = opening
            .most_bytes
            .unwrap_or_else(|| self.len.saturating_mul(Opening::TIMES_FILE).max(Opening::LEAST_MOST));
        let bytes =
            u128::from(geometry.children) * geometry.child.slots() as u128 * u128::from(slots.slot_bytes);
        if bytes > u128::from(most) {
            let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
            return Err(FileError::new(self.path, Part::Header, Problem::TooLarge { bytes, most }));
        }
        let with_board =
            opening.board.then(|| geometry.with_board().map_err(|refused| self.refused(refused)));
        with_board.unwrap_or(Ok(geometry))
    }

    /// The error that a backend has no table of the size that the header asks for.
    pub fn refused(&self, refused: Refused) -> FileError {
        FileError::new(self.path, Part::Header, Problem::Size(refused))
    }

    /// Reads all entries, and passes them to `take`, one child table after the other, up to 2^20 at a time.
    /// `take` returns the outcome of each.
    ///
    /// # Errors
    /// The first child table whose bytes differ from those that were written, or with an entry that was not
    /// inserted or belongs to another one; any error of `take`.
    pub fn entries<O: IntoIterator<Item = Insert>, F: From<FileError>>(
        self,
        mut take: impl FnMut(&[E]) -> Result<O, F>,
    ) -> Result<(), F> {
        let Self { mut from, path, header, .. } = self;
        let children = HashPartitions::new(header.children(), header.seed);
        let no_memory = |problem| FileError::new(path, Part::File, problem);
        let fullest = header.of_children.iter().map(|&(entries, _)| entries).max().unwrap_or(0);
        let most = usize::try_from(fullest).unwrap_or(usize::MAX).min(BATCH);
        let (mut bytes, mut batch) = (Vec::new(), Vec::new());
        room(&mut bytes, BUFFER.min(most.saturating_mul(E::BYTES))).map_err(no_memory)?;
        room(&mut batch, most).map_err(no_memory)?;
        for (child, &(mut left, expected)) in (0u32..).zip(&header.of_children) {
            let (part, mut checksum, mut problem) = (Part::Child(child), crc32fast::Hasher::new(), None);
            while left > 0 {
                batch.clear();
                while left > 0 && batch.len() < most {
                    let n = left.min((BUFFER / E::BYTES).min(most - batch.len()) as u64) as usize;
                    bytes.clear();
                    bytes.resize(n * E::BYTES, 0);
                    from.read_exact(&mut bytes).map_err(FileError::io(path, part, "reading"))?;
                    checksum.update(&bytes);
                    batch.extend(bytes.chunks_exact(E::BYTES).map(E::get));
                    left -= n as u64;
                }
                // After a problem the rest is read only for its checksum: a changed byte is the cause to
                // report.
                if problem.is_none() && batch.iter().any(|entry| entry.child(children) != child) {
                    problem = Some(Problem::Elsewhere);
                }
                if problem.is_none() {
                    problem = take(&batch)?.into_iter().find_map(|outcome| match outcome {
                        Insert::Inserted => None,
                        Insert::Present => Some(Problem::Twice),
                        Insert::Full => Some(Problem::Full),
                    });
                }
            }
            let found = checksum.finalize();
            if found != expected {
                problem = Some(Problem::Checksum { found, expected });
            }
            if let Some(problem) = problem {
                return Err(FileError::new(path, part, problem).into());
            }
        }
        Ok(())
    }
}

/// A paged table that takes in the entries of a file.
#[doc(hidden)]
pub trait TakesIn: BulkTable<Structure = Paged, Entry: FileEntry, Error: From<FileError>> + Sized {
    /// Inserts entries. Returns their outcomes.
    fn take_in(&self, entries: &[Self::Entry]) -> Result<Outcomes<Insert>, Self::Error>;
}

/// The table in a file, in child tables of these slots. `make` makes an empty one of a size and a seed.
///
/// # Errors
/// [`FileError`]; any error of `make` and of inserts.
#[doc(hidden)]
pub fn fill<T: TakesIn>(
    path: &Path,
    (slots, opening): (Slots, Opening),
    make: impl FnOnce(PagedGeometry, Seed) -> Result<Result<T, Refused>, T::Error>,
) -> Result<T, T::Error> {
    let reader = open::<T::Entry>(path)?;
    let table = make(reader.geometry(slots, opening)?, reader.header().seed)?;
    let table = table.map_err(|refused| reader.refused(refused))?;
    reader.entries(|entries| table.take_in(entries))?;
    Ok(table)
}

/// Little-endian numbers of a list of bytes, one after the other; zeros after its end.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn next<const N: usize>(&mut self) -> [u8; N] {
        match self.0.split_first_chunk() {
            Some((&number, rest)) => {
                self.0 = rest;
                number
            }
            None => [0; N],
        }
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.next())
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.next())
    }

    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.next())
    }
}
