//! Packed files: gzip and zstd.

pub(crate) mod blocks;
pub(crate) mod gzip;
mod input;
pub(crate) mod zstd;

pub(crate) use input::Input;

use gzip::GZIP;
use std::path::Path;

/// How a file is packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Packing {
    /// Not at all.
    None,
    /// gzip.
    Gzip,
    /// zstd.
    Zstd,
}

impl Packing {
    /// How a file of this name is to be packed, and its name without the suffix that says so.
    pub(crate) fn of(path: &Path) -> (Self, &Path) {
        let suffix = path.extension().map(|suffix| suffix.to_string_lossy().to_lowercase());
        let packing = match suffix.as_deref() {
            Some("gz") => Self::Gzip,
            Some("zst" | "zstd") => Self::Zstd,
            _ => return (Self::None, path),
        };
        (packing, path.file_stem().map_or(path, Path::new))
    }

    /// How a file that begins with these bytes is packed.
    pub(crate) fn at(bytes: &[u8]) -> Self {
        if bytes.starts_with(&GZIP) {
            return Self::Gzip;
        }
        if zstd::is_zstd(bytes) { Self::Zstd } else { Self::None }
    }
}

/// What is between the cells of a file of this name: a tab if it ends in .tsv or .tab, else a comma.
pub(crate) fn delimiter(path: &Path) -> u8 {
    let (_, path) = Packing::of(path);
    let suffix = path.extension().map(|suffix| suffix.to_string_lossy().to_lowercase());
    if matches!(suffix.as_deref(), Some("tsv" | "tab")) { b'\t' } else { b',' }
}
