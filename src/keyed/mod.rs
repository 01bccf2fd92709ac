//! Files of rows with keys: what `join`, `group` and `dedup` have in common.

mod index;
mod names;

pub(crate) use index::Index;
pub(crate) use names::{Columns, Header, Pairs};

use crate::backend::{Choice, Opened};
use crate::failure::Failure;
use crate::output::{Effort, Progress};
use crate::packed::{self, delimiter};
use crate::target::Target;
use clap::ValueEnum;
use std::path::{Path, PathBuf};
use warpproof::files::{Coder, KeyType, Layout, Malformed, Table};

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
    /// Output file, written whole or not at all [default: stdout]
    ///
    /// A name that ends in .tsv or .tab gets tabs in place of commas; one that ends in .gz or .zst is packed.
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
        self.output.as_deref().map(Target::admit).transpose()?;
        let on = Opened::open(self.backend)?;
        on.admit_budget(self.budget)?;
        Ok(on)
    }

    /// Opens the output, for rows like those of a file.
    pub(crate) fn target(&self, like: &Path) -> Result<Target, Failure> {
        let output = self.output.as_deref();
        Target::open(output, delimiter(output.unwrap_or(like)))
    }
}

/// Reads a file with a code for the key of each row. An error names file, line and column.
pub(crate) fn read(path: &Path, keys: &[String], coder: &Coder) -> Result<Table, Failure> {
    let bytes = packed::read(path)?;
    let mut progress = Progress::new("reading", bytes.len() as u64);
    let layout = Layout { delimiter: delimiter(path), keys: keys.to_vec(), coder: coder.clone() };
    Table::parse(bytes, &layout, |read| progress.at(read)).map_err(|error| malformed(path, &error))
}

/// The failure for a file that is malformed.
pub(crate) fn malformed(path: &Path, error: &Malformed) -> Failure {
    Failure::input(format_args!("{}:{error}", path.display()))
}
