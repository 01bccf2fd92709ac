//! The pages of a column, unpacked.

use super::shared::Shared;
use crate::packed::zstd::Frames;
use parquet::basic::Compression;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;
use std::io::Read;
use std::sync::Arc;

/// A reader of the pages of a column in one group of rows.
pub(super) fn pages(
    file: &Arc<Shared>,
    column: &ColumnChunkMetaData,
    rows: usize,
) -> Result<Box<dyn PageReader>> {
    if !matches!(column.compression(), Compression::ZSTD(_)) {
        return Ok(Box::new(SerializedPageReader::new(Arc::clone(file), column, rows, None)?));
    }
    // The crate would unpack zstd by a library in C. So it reads the pages as if they were not packed.
    let plain = column.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
    let pages = SerializedPageReader::new(Arc::clone(file), &plain, rows, None)?;
    let most = usize::try_from(column.uncompressed_size()).unwrap_or(0);
    Ok(Box::new(Zstd { pages, most }))
}

/// Unpacks pages.
struct Zstd {
    pages: SerializedPageReader<Shared>,
    /// The bytes of all pages of the column, unpacked.
    most: usize,
}

impl Zstd {
    fn unpack(&self, packed: &[u8], levels: usize) -> Result<Vec<u8>> {
        let broken = |what: String| ParquetError::General(format!("broken zstd data: {what}"));
        let (levels, packed) =
            packed.split_at_checked(levels).ok_or_else(|| broken("a page ends in its levels".into()))?;
        let mut out = levels.to_vec();
        // A page of empty cells may have no data.
        if !packed.is_empty() {
            let most = self.most as u64;
            let read = Frames::new(packed).take(most.saturating_add(1)).read_to_end(&mut out);
            if read.map_err(|e| broken(e.to_string()))? as u64 > most {
                return Err(broken("a page has more data than its column".into()));
            }
        }
        Ok(out)
    }
}

impl PageReader for Zstd {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let Some(mut page) = self.pages.get_next_page()? else { return Ok(None) };
        match &mut page {
            Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => {
                *buf = self.unpack(buf, 0)?.into();
            }
            Page::DataPageV2 { buf, is_compressed, def_levels_byte_len, rep_levels_byte_len, .. } => {
                if *is_compressed {
                    let levels = *def_levels_byte_len as usize + *rep_levels_byte_len as usize;
                    *buf = self.unpack(buf, levels)?.into();
                }
            }
        }
        Ok(Some(page))
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.pages.at_record_boundary()
    }
}

impl Iterator for Zstd {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}
