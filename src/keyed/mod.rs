//! Files of rows with keys: what `join`, `group` and `dedup` have in common.

mod index;
mod names;
pub(crate) mod number;
mod rows;
mod source;

pub(crate) use index::Index;
pub(crate) use names::{Columns, Header, Pairs};
pub(crate) use rows::{Reader, Rows};
pub(crate) use source::{Parts, Source};

use crate::backend::{Choice, Opened};
use crate::failure::Failure;
use crate::output::Effort;
use crate::packed::delimiter;
use crate::parquet::{Kind, is_parquet};
use crate::target::Target;
use clap::ValueEnum;
use std::path::{Path, PathBuf};
use warpproof::files::{Coder, KeyType};

/// How cells of keys are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum As {
    /// Byte for byte, without the quotes around a cell: 007 is not 7, and an empty cell equals another one
    #[default]
    Text,
    /// As integers of 64 bits: 007 equals 7, and anything else is an error
    Integer,
}

impl As {
    /// A coder for the files of a command.
    pub(crate) fn coder(self) -> Coder {
        Coder::new(match self {
            Self::Text => KeyType::Text,
            Self::Integer => KeyType::Integer,
        })
    }
}

/// Where the table of keys is, and what is said about the work.
#[derive(Default, clap::Args)]
pub(crate) struct TableArgs {
    /// Where the table lives
    #[arg(long, value_enum, default_value_t)]
    pub(crate) backend: Choice,
    /// Keep the keys in shards, one on each of the first N GPUs of this machine
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64), conflicts_with_all = ["backend", "budget"])]
    pub(crate) gpus: Option<u32>,
    /// Output file, written whole or not at all [default: stdout]
    ///
    /// A name that ends in .tsv or .tab gets tabs in place of commas; one that ends in .gz or .zst is packed.
    /// One that ends in .parquet gets Parquet, packed with snappy.
    #[arg(short, long, value_name = "OUT.csv")]
    pub(crate) output: Option<PathBuf>,
    /// What the table's hash depends on [default: chosen at random]
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    /// Keep the keys in a paged table, which may be larger than the memory of a GPU, with this budget: 64M,
    /// 1G
    ///
    /// The result is the same as without a budget. The table is in the memory of the host; parts of it are
    /// copied to frames in the memory of the device. A fourth of the budget is for batches. If it is too
    /// small for a frame, nothing is copied, and all work is done in place. What was copied is told on
    /// stderr. On a CPU frames are ordinary memory: there a table without a budget is faster.
    #[arg(long, value_name = "BYTES", value_parser = crate::bytes::bytes)]
    pub(crate) budget: Option<u64>,
    /// Tell for how many operations on a paged table a child table was copied, and why, on stderr
    #[arg(long, requires = "budget")]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) effort: Effort,
}

impl TableArgs {
    /// Prepares the work: finds errors now that would otherwise come at the end.
    pub(crate) fn open(&self) -> Result<Opened, Failure> {
        self.effort.begin()?;
        self.output.as_deref().map(is_parquet).transpose()?;
        self.output.as_deref().map(Target::admit).transpose()?;
        let on = self.gpus.map_or_else(|| Opened::open(self.backend), Opened::open_gpus)?;
        on.admit_budget(self.budget)?;
        Ok(on)
    }

    /// Whether all cells of this file have to be read before the output begins: its columns have a type.
    pub(crate) fn needs_kinds(&self, file: &Path) -> Result<bool, Failure> {
        let output = self.output.as_deref().map(is_parquet).transpose()?;
        Ok(output == Some(true) && !is_parquet(file)?)
    }

    /// Begins the output with a header, for rows like those of a file. `kinds` tells what the cells of each
    /// column are, if that is of interest.
    pub(crate) fn target(
        &self,
        like: &Path,
        header: &Header,
        kinds: impl FnOnce() -> Vec<Kind>,
    ) -> Result<Target, Failure> {
        let output = self.output.as_deref();
        if let Some(path) = output
            && is_parquet(path)?
        {
            return Target::parquet(path, header.names(), &kinds());
        }
        let mut target = Target::open(output, delimiter(output.unwrap_or(like)))?;
        target.row(header.names())?;
        Ok(target)
    }
}
