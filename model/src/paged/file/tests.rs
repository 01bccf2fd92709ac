use super::*;
use crate::outcome::Insert;
use crate::partition::HashPartitions;
use core::fmt::Debug;
use std::io::{self, Cursor, Seek, SeekFrom, Write};
use std::path::Path;
use std::string::{String, ToString as _};
use std::vec;

const SEED: Seed = Seed::new(5);
const SLOTS: Slots = Slots { bucket_slots: 4, slot_bytes: 16 };

fn path() -> &'static Path {
    Path::new("t.table")
}

fn size(children: u32) -> PagedGeometry {
    let child = OpenGeometry { bucket_slots: 4, buckets: 11 };
    PagedGeometry { children, child, frame_bytes: 0, batch_bytes: 0, board: false }
}

/// Pairs, by the child tables they belong to.
fn pairs(children: u32, n: u64) -> Vec<Vec<(u64, u64)>> {
    let cut = HashPartitions::new(children, SEED);
    let mut all = vec![Vec::new(); children as usize];
    for i in 0..n {
        let pair = (u64::MAX - i, i);
        all[pair.child(cut) as usize].push(pair);
    }
    all
}

/// The file of a table with these entries.
fn file<E: FileEntry>(all: &[Vec<E>]) -> Vec<u8> {
    let writer = Writer::new(Cursor::new(Vec::new()), path(), size(all.len() as u32), SEED);
    let mut writer = writer.expect("a header");
    for (child, entries) in (0..).zip(all) {
        // Child tables without entries may be left out.
        if !entries.is_empty() {
            writer.child(child, entries).expect("entries");
        }
    }
    writer.finish().expect("a file").into_inner()
}

/// The entries of a file.
fn read<E: FileEntry>(bytes: &[u8]) -> Result<Vec<E>, FileError> {
    let mut all = Vec::new();
    Reader::new(bytes, bytes.len() as u64, path())?.entries(|entries: &[E]| {
        all.extend_from_slice(entries);
        Ok::<_, FileError>(vec![Insert::Inserted; entries.len()])
    })?;
    Ok(all)
}

fn wrong<E: FileEntry + Debug>(bytes: &[u8]) -> (Part, Problem) {
    let FileError { path: of, part, problem } = read::<E>(bytes).expect_err("a wrong file");
    assert_eq!(of, path());
    (part, problem)
}

/// Changes bytes of the header, and its checksum with them.
fn changed(file: &[u8], at: usize, to: &[u8]) -> Vec<u8> {
    let mut file = file.to_vec();
    file[at..at + to.len()].copy_from_slice(to);
    let children = u32::from_le_bytes(*file[32..].first_chunk().expect("a number"));
    let end = FIXED + OF_CHILD * children as usize;
    let checksum = crc32fast::hash(&file[..end]);
    file[end..end + 4].copy_from_slice(&checksum.to_le_bytes());
    file
}

#[test]
fn a_file_is_what_is_said_of_it() {
    let keys = vec![vec![0x0102_0304u32, 7], vec![]];
    let checksum = crc32fast::hash(&[4, 3, 2, 1, 7, 0, 0, 0]);
    let mut expected = b"warpproof paged\n\x01\0\0\0\x01\0\0\0\x04\0\0\0\x0b\0\0\0\x02\0\0\0".to_vec();
    expected.extend(SEED.words().map(u64::to_le_bytes).concat());
    expected.extend(2u64.to_le_bytes());
    expected.extend(checksum.to_le_bytes());
    expected.extend([0; 12]);
    expected.extend(crc32fast::hash(&expected).to_le_bytes());
    expected.extend([4, 3, 2, 1, 7, 0, 0, 0]);
    assert_eq!(file(&keys), expected);
    assert_eq!(checksum, 0x3dff_7b0c, "the CRC-32 of gzip");
}

#[test]
fn what_was_written_is_read() {
    for (children, n) in [(1, 0), (1, 1), (3, 0), (3, 1), (3, 100), (7, 100_000)] {
        let all = pairs(children, n);
        let file = file(&all);
        assert_eq!(file.len() as u64, 56 + 12 * u64::from(children) + 16 * n);
        let reader = Reader::<_, (u64, u64)>::new(&file[..], file.len() as u64, path()).expect("a header");
        let header = reader.header();
        assert_eq!((header.children(), header.entries(), header.seed), (children, n, SEED));
        assert_eq!(header.child, size(children).child);
        assert!((0..children).all(|child| header.entries_of(child) == all[child as usize].len() as u64));
        assert_eq!(header.entries_of(children), 0);
        assert_eq!(read::<(u64, u64)>(&file), Ok(all.concat()));
    }
    let all = vec![vec![(-1i32, -0.5f32), (i32::MIN, f32::MAX)]];
    assert_eq!(read(&file(&all)), Ok(all.concat()));
    let all = vec![vec![(-1i64, 7u32), (i64::MIN, 0)]];
    assert_eq!(file(&all).len(), 56 + 12 + 2 * 12);
    assert_eq!(read(&file(&all)), Ok(all.concat()));
}

#[test]
fn entries_come_in_batches_of_a_bounded_length() {
    let n = (5 << 18) as u32;
    let all = vec![(0..n).collect::<Vec<_>>()];
    let (file, mut lengths) = (file(&all), Vec::new());
    let reader = Reader::<_, u32>::new(&file[..], file.len() as u64, path()).expect("a header");
    let took = reader.entries(|entries| {
        lengths.push(entries.len());
        Ok::<_, FileError>(vec![Insert::Inserted; entries.len()])
    });
    assert_eq!((took, lengths), (Ok(()), vec![1 << 20, 1 << 18]));
}

/// The part that byte `at` of a file belongs to.
fn part_of(all: &[Vec<(u64, u64)>], at: usize) -> Part {
    let mut end = FIXED + OF_CHILD * all.len() + CHECKSUM;
    if at < end {
        return Part::Header;
    }
    for (child, entries) in (0..).zip(all) {
        end += 16 * entries.len();
        if at < end {
            return Part::Child(child);
        }
    }
    Part::File
}

#[test]
fn a_file_of_any_other_length_is_refused() {
    let all = pairs(3, 20);
    let file = file(&all);
    for len in 0..file.len() {
        let (part, problem) = wrong::<(u64, u64)>(&file[..len]);
        assert!(
            matches!(problem, Problem::Length { found, expected } if found == len as u64 && expected > found)
        );
        assert_eq!(part, part_of(&all, len), "{len} bytes");
    }
    let longer = [&file[..], &[0]].concat();
    let expected = Problem::Length { found: longer.len() as u64, expected: file.len() as u64 };
    assert_eq!(wrong::<(u64, u64)>(&longer), (Part::File, expected));
    // It is cut off while it is read.
    let reader = Reader::<_, (u64, u64)>::new(&file[..file.len() - 1], file.len() as u64, path());
    let took = reader.expect("a header").entries(|entries| Ok(vec![Insert::Inserted; entries.len()]));
    let FileError { part, problem, .. } = took.expect_err("an end");
    assert!(matches!(problem, Problem::Io { kind: io::ErrorKind::UnexpectedEof, .. }), "{problem}");
    assert_eq!(part, Part::Child(2));
}

#[test]
fn a_changed_byte_is_refused_where_it_is() {
    let all = pairs(3, 20);
    let file = file(&all);
    for at in 0..file.len() {
        for change in [1, 0x80, 0xff] {
            let mut file = file.clone();
            file[at] ^= change;
            let (part, problem) = wrong::<(u64, u64)>(&file);
            let expected = if at < MAGIC.len() { Part::File } else { part_of(&all, at) };
            assert_eq!(part, expected, "byte {at}: {problem}");
            let is = match at {
                0..16 => problem == Problem::Foreign,
                16..20 => matches!(problem, Problem::Version { found } if found != VERSION),
                // More child tables than the file has room for, or fewer.
                32..36 => matches!(problem, Problem::Length { .. } | Problem::Checksum { .. }),
                _ => matches!(problem, Problem::Checksum { .. }),
            };
            assert!(is, "byte {at}: {problem}");
        }
    }
}

#[test]
fn other_files_are_refused() {
    let file = file(&pairs(3, 20));
    for text in [&b"PK\x03\x04"[..], b"w", b"key,value\n1,2\n", &[0; 5000]] {
        let expected = if text == b"w" { Part::Header } else { Part::File };
        assert_eq!(wrong::<u32>(text).0, expected);
    }
    assert_eq!(wrong::<(u64, u64)>(&changed(&file, 16, &[2])), (Part::Header, Problem::Version { found: 2 }));
    fn types<E: FileEntry + Debug>(file: &[u8]) {
        assert_eq!(wrong::<E>(file), (Part::Header, Problem::Entries { found: [3, 3], expected: E::TYPES }));
    }
    types::<(u32, u32)>(&file);
    types::<(u64, u32)>(&file);
    types::<(i64, u64)>(&file);
    types::<(u64, f64)>(&file);
    types::<u64>(&file);
    let said = wrong::<(u64, f64)>(&file).1.to_string();
    assert_eq!(said, "it holds a map of u64 to u64, not a map of u64 to f64");
    let said = wrong::<(u64, u64)>(&changed(&file, 20, &[9, 0, 7])).1.to_string();
    assert_eq!(said, "it holds entries of the unknown types 9 and 7, not a map of u64 to u64");
    let said = wrong::<(u64, u64)>(&changed(&file, 20, &[1, 0, 0])).1.to_string();
    assert_eq!(said, "it holds a set of u32, not a map of u64 to u64");
}

/// Numbers that no accident makes, with a valid checksum.
#[test]
fn numbers_of_the_header_are_not_trusted() {
    let file = file(&pairs(3, 20));
    let header = |at, to: &[u8]| wrong::<(u64, u64)>(&changed(&file, at, to));
    for (buckets, refused) in [
        (0u32, Refused::Nothing { what: "bucket" }),
        (12, Refused::NotPrime { what: "buckets", found: 12 }),
        (u32::MAX, Refused::NotPrime { what: "buckets", found: u32::MAX.into() }),
    ] {
        assert_eq!(header(28, &buckets.to_le_bytes()), (Part::Header, Problem::Size(refused)));
    }
    let nothing = |what| (Part::Header, Problem::Size(Refused::Nothing { what }));
    assert_eq!(header(24, &[0; 4]), nothing("slot"));
    assert_eq!(header(32, &[0; 4]).1, nothing("child table").1);
    // Child tables that the file has no room for; entries, whose sum is more than 64 bits have.
    let mut many = file.clone();
    many[32..36].copy_from_slice(&u32::MAX.to_le_bytes());
    let expected = 56 + 12 * u64::from(u32::MAX);
    let length = Problem::Length { found: file.len() as u64, expected };
    assert_eq!(wrong::<(u64, u64)>(&many), (Part::Header, length));
    let first = FIXED;
    for entries in [u64::MAX, u64::MAX / 16, 1 << 40] {
        let (part, problem) = header(first, &entries.to_le_bytes());
        assert!(matches!(problem, Problem::Length { .. }), "{problem}");
        assert_eq!(part, Part::Child(0));
        let (part, problem) = header(first + 2 * OF_CHILD, &entries.to_le_bytes());
        assert!(matches!(problem, Problem::Length { .. }), "{problem}");
        assert_eq!(part, Part::Child(2));
    }
}

#[test]
fn entries_that_no_table_has_are_refused() {
    let mut all = pairs(3, 20);
    let stray = all[0][0];
    all[2].push(stray);
    assert_eq!(wrong::<(u64, u64)>(&file(&all)), (Part::Child(2), Problem::Elsewhere));
    let of = |outcome| {
        let file = file(&pairs(3, 20));
        let reader = Reader::<_, (u64, u64)>::new(&file[..], file.len() as u64, path()).expect("a header");
        let mut times = 0;
        let took = reader.entries(|entries| {
            times += 1;
            let mut said = vec![Insert::Inserted; entries.len()];
            said[entries.len() / 2] = if times == 2 { outcome } else { Insert::Inserted };
            Ok::<_, FileError>(said)
        });
        let FileError { part, problem, .. } = took.expect_err("an entry too many");
        (part, problem, times)
    };
    assert_eq!(of(Insert::Present), (Part::Child(1), Problem::Twice, 2));
    assert_eq!(of(Insert::Full), (Part::Child(1), Problem::Full, 2));
}

#[test]
fn a_table_that_is_large_beside_its_file_needs_leave() {
    let child = OpenGeometry { bucket_slots: 4, buckets: OpenGeometry::MOST_BUCKETS };
    let writer = Writer::new(Cursor::new(Vec::new()), path(), PagedGeometry { child, ..size(2) }, SEED);
    let writer: Writer<'_, _, u64> = writer.expect("a header");
    let file = writer.finish().expect("a file").into_inner();
    let reader = Reader::<_, u64>::new(&file[..], file.len() as u64, path()).expect("a header");
    let opening = Opening::new(0, Choose::Always(crate::paged::Way::InPlace));
    let bytes = 2 * 16 * child.slots() as u64;
    let refused = |most_bytes| {
        let FileError { part, problem, .. } =
            reader.geometry(SLOTS, Opening { most_bytes, ..opening }).expect_err("it is large");
        assert_eq!(part, Part::Header);
        problem
    };
    assert_eq!(refused(None), Problem::TooLarge { bytes, most: 1 << 30 });
    assert_eq!(refused(Some(bytes - 1)), Problem::TooLarge { bytes, most: bytes - 1 });
    let size = reader.geometry(SLOTS, Opening { most_bytes: Some(bytes), ..opening }).expect("leave");
    assert_eq!((size.children, size.child), (2, child));
}

#[test]
fn tables_have_room_for_what_their_files_hold() {
    let header = |entries: &[u64]| Header {
        child: OpenGeometry { bucket_slots: 4, buckets: 251 },
        seed: SEED,
        of_children: entries.iter().map(|&entries| (entries, 0)).collect(),
    };
    let of = |entries: &[u64], bucket_slots| {
        let size = header(entries).geometry(Slots { bucket_slots, ..SLOTS }, 1 << 20).expect("a size");
        assert_eq!(size.children as usize, entries.len());
        assert_eq!(size.frame_bytes + size.batch_bytes, 1 << 20);
        size.child
    };
    let same = header(&[]).child;
    assert_eq!((of(&[0, 0], 4), of(&[900, 980], 4)), (same, same));
    let wide = of(&[900, 980], 8);
    assert!(wide.bucket_slots == 8 && (1004..1100).contains(&wide.slots()), "{wide:?}");
    for entries in [990, 1004, 100_000] {
        let child = of(&[1, entries, 2], 4);
        assert!(child.slots() as f64 * 0.95 >= entries as f64, "{child:?}");
    }
    let most = OpenGeometry { bucket_slots: u32::MAX, buckets: OpenGeometry::MOST_BUCKETS };
    let huge = Header { child: most, ..header(&[0]) };
    assert!(matches!(huge.geometry(SLOTS, 0), Err(Refused::TooLarge { what: "buckets", .. })));
}

/// A disk with room for so many bytes.
struct Disk {
    file: Cursor<Vec<u8>>,
    room: usize,
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.room.saturating_sub(self.file.position() as usize);
        if room == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.file.write(&bytes[..bytes.len().min(room)])
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Disk {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

#[test]
fn a_full_disk_is_told_of() {
    let all = pairs(3, 20);
    let len = file(&all).len();
    for room in 0..=len {
        let disk = Disk { file: Cursor::new(Vec::new()), room };
        let mut writer = Writer::new(disk, path(), size(3), SEED).expect("memory");
        let mut wrote = Ok(());
        for (child, entries) in (0..).zip(&all) {
            wrote = wrote.and_then(|()| writer.child(child, entries));
        }
        match wrote.and_then(|()| writer.finish()) {
            Ok(disk) => assert_eq!((room, disk.file.into_inner()), (len, file(&all))),
            Err(FileError { part, problem, .. }) => {
                assert!(matches!(problem, Problem::Io { kind: io::ErrorKind::StorageFull, .. }), "{problem}");
                assert!(room < len && matches!(part, Part::Child(_)), "{room} bytes: {part}");
            }
        }
    }
}

#[test]
fn child_tables_are_written_in_their_order() {
    let all = pairs(3, 20);
    let mut writer = Writer::new(Cursor::new(Vec::new()), path(), size(3), SEED).expect("memory");
    writer.child(1, &all[1]).expect("entries");
    for child in [0, 1, 3] {
        let FileError { part, problem, .. } = writer.child(child, &all[1]).expect_err("its turn is over");
        assert_eq!((part, problem), (Part::Child(child), Problem::Elsewhere));
    }
}

fn names(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<_> =
        names.map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    names
}

#[test]
fn a_file_takes_its_name_when_it_is_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.table");
    let all = pairs(3, 20);
    let saved = |fails_at: u32, n: u64| {
        let all = pairs(3, n);
        save(&path, (size(3), SEED), |file| {
            for (child, entries) in (0..).zip(&all) {
                if child == fails_at {
                    return Err(FileError::new(&path, Part::Child(child), Problem::Full));
                }
                file.child(child, entries)?;
            }
            Ok(())
        })
    };
    assert_eq!(saved(2, 20).expect_err("it fails").problem, Problem::Full);
    assert!(names(folder.path()).is_empty());
    saved(9, 20).expect("a file");
    assert_eq!(std::fs::read(&path).expect("a file"), file(&all));
    assert!(saved(1, 5).is_err());
    assert_eq!(names(folder.path()), ["t.table"]);
    assert_eq!(std::fs::read(&path).expect("the file before"), file(&all));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |mode| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode));
        mode(0o640).expect("another mode");
        saved(9, 5).expect("a file");
        assert_eq!(std::fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o640);
    }
    saved(9, 5).expect("a file");
    assert_eq!(std::fs::read(&path).expect("a file"), file(&pairs(3, 5)));
    assert_eq!(names(folder.path()), ["t.table"]);
}

#[test]
fn what_is_no_file_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let none = folder.path().join("none/t.table");
    let write = |path: &Path| save::<u64, FileError>(path, (size(3), SEED), |_| Ok(())).expect_err("no file");
    let is = |error: FileError, path: &Path| {
        assert_eq!((error.path.as_path(), error.part), (path, Part::File));
        assert!(error.to_string().starts_with(&path.display().to_string()), "{error}");
        error.problem
    };
    let kind = |problem| match problem {
        Problem::Io { kind, .. } => kind,
        other => panic!("{other}"),
    };
    assert_eq!(is(write(folder.path()), folder.path()), Problem::NotRegular);
    assert_eq!(kind(is(write(&none), &none)), io::ErrorKind::NotFound);
    assert_eq!(is(open::<u64>(folder.path()).expect_err("a folder"), folder.path()), Problem::NotRegular);
    assert_eq!(kind(is(open::<u64>(&none).expect_err("nothing"), &none)), io::ErrorKind::NotFound);
    if cfg!(unix) {
        let full = Path::new("/dev/full");
        assert_eq!(is(write(full), full), Problem::NotRegular);
        assert_eq!(is(open::<u64>(full).expect_err("a device"), full), Problem::NotRegular);
    }
    assert!(names(folder.path()).is_empty());
}
