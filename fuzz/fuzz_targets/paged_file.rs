//! Arbitrary bytes as the file of a paged map. There is never a panic. An error names the file and a part of
//! it. A map that is opened holds as many entries as the file states, and is equal after it is saved and
//! opened again. The first byte decides whether the target corrects the checksums: otherwise most files would
//! be rejected for them before anything else is read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use tempfile::TempDir;
use warpproof::model::paged::file::{Opening, Problem};
use warpproof::model::paged::{Choose, Way};
use warpproof::simt::cpu::{Error, PagedMap};
use warpproof::{BulkSave, BulkTable};

type Map = PagedMap<u32, u32>;

/// Bytes before those of child tables, and of each of them: its entries, their checksum.
const FIXED: usize = 52;
const OF_CHILD: usize = 12;
/// Bytes of an entry.
const ENTRY: usize = 8;
/// Bytes of slots that a map may take.
const MOST: u64 = 1 << 20;

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| TempDir::new().expect("a folder"));

fuzz_target!(|bytes: &[u8]| {
    let Some((&how, file)) = bytes.split_first() else { return };
    let mut file = file.to_vec();
    if how % 2 == 1 {
        seal(&mut file);
    }
    let (path, again) = (FOLDER.path().join("a"), FOLDER.path().join("b"));
    fs::write(&path, &file).expect("the folder is there");
    let budget = u64::from(how) << 8;
    let opening = Opening { most_bytes: Some(MOST), ..Opening::new(budget, Choose::Always(Way::Resident)) };
    match Map::open_with(&path, opening) {
        Ok(map) => {
            let pairs = entries(&map);
            assert_eq!(map.len(), Ok(pairs.len() as u64));
            let children = u32::from_le_bytes(*file[32..].first_chunk().expect("a number")) as usize;
            assert_eq!(file.len(), FIXED + OF_CHILD * children + 4 + ENTRY * pairs.len());
            map.save(&again).expect("a file");
            assert_eq!(entries(&open(&again)), pairs);
        }
        Err(Error::File(error)) => {
            assert_eq!(error.path, path);
            assert!(!matches!(error.problem, Problem::Io { .. } | Problem::Memory { .. }), "{error}");
        }
        Err(error) => panic!("{error}"),
    }
});

/// Makes all checksums right, as far as the file has what they are of.
fn seal(file: &mut [u8]) {
    let Some(&children) = file.get(32..).and_then(|bytes| bytes.first_chunk()) else { return };
    let Some(end) = OF_CHILD.checked_mul(u32::from_le_bytes(children) as usize).map(|len| FIXED + len) else {
        return;
    };
    if file.len() < end + 4 {
        return;
    }
    let (header, mut entries) = file.split_at_mut(end + 4);
    for of_child in header[FIXED..end].chunks_exact_mut(OF_CHILD) {
        let n = u64::from_le_bytes(*of_child.first_chunk().expect("a number"));
        let n = usize::try_from(n).unwrap_or(usize::MAX).saturating_mul(ENTRY).min(entries.len());
        let (these, rest) = entries.split_at_mut(n);
        of_child[8..].copy_from_slice(&crc32fast::hash(these).to_le_bytes());
        entries = rest;
    }
    let checksum = crc32fast::hash(&header[..end]);
    header[end..].copy_from_slice(&checksum.to_le_bytes());
}

fn open(path: &Path) -> Map {
    Map::open(path, 0).expect("what was saved")
}

fn entries(map: &Map) -> Vec<(u32, u32)> {
    let mut pairs = map.retrieve_all().expect("memory");
    pairs.sort_unstable();
    pairs
}
