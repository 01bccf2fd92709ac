//! How processes find each other.

use super::library::{ID_BYTES, RawId, functions};
use crate::error::Error;
use core::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

/// The id of an exchange over NCCL. Rank 0 makes it, and all ranks begin with it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct NcclId([u8; ID_BYTES]);

impl NcclId {
    /// A new id.
    ///
    /// # Errors
    /// [`Error::NoNccl`], [`Error::Nccl`].
    pub fn new() -> Result<Self, Error> {
        Ok(Self(functions()?.unique_id()?.0))
    }

    /// The id as bytes, to be sent to other ranks in a way of your own.
    pub const fn bytes(&self) -> &[u8; ID_BYTES] {
        &self.0
    }

    /// The id of these bytes.
    pub const fn from_bytes(bytes: [u8; ID_BYTES]) -> Self {
        Self(bytes)
    }

    pub(super) const fn raw(self) -> RawId {
        RawId(self.0)
    }

    /// The id of an exchange whose ranks share a file, on a file system that all hosts see: rank 0 makes the
    /// id and writes the file, and the others wait for it. The file must not be there before the ranks start;
    /// rank 0 refuses one that is.
    ///
    /// # Errors
    /// [`Error::Ranks`] if the file cannot be written, is there before, or does not come within `time`;
    /// [`Error::NoNccl`], [`Error::Nccl`].
    pub fn by_file(path: &Path, rank: u32, time: Duration) -> Result<Self, Error> {
        let wrong =
            |what: &str| Error::Ranks(format!("the file of the ranks' id, {}, {what}", path.display()));
        if rank == 0 {
            if path.exists() {
                return Err(wrong("is there already: it may be of other ranks; remove it first"));
            }
            let id = Self::new()?;
            // Written whole, and then named: the others never see a part of it.
            let part = path.with_extension("part");
            let written = std::fs::write(&part, id.0).and_then(|()| std::fs::rename(&part, path));
            written.map_err(|error| wrong(&format!("cannot be written: {error}")))?;
            return Ok(id);
        }
        let start = Instant::now();
        loop {
            if let Ok(bytes) = std::fs::read(path) {
                let bytes = bytes.try_into().map_err(|_| wrong("is no id"))?;
                return Ok(Self(bytes));
            }
            if start.elapsed() >= time {
                return Err(wrong(&format!("did not come within {} s", time.as_secs_f64())));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl fmt::Debug for NcclId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NcclId")
    }
}

/// The place of a process among the ranks, as launchers tell it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) rank: u32,
    pub(super) ranks: u32,
    /// Its number on its host: which GPU it takes.
    pub(super) local: u32,
}

/// The names of the variables in which launchers tell rank, ranks and number on the host: torchrun, Open MPI,
/// MPICH and its kin, Slurm.
const LAUNCHERS: [[&str; 3]; 4] = [
    ["RANK", "WORLD_SIZE", "LOCAL_RANK"],
    ["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"],
    ["PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"],
    ["SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"],
];

impl Place {
    /// The place that the launcher of this process tells.
    ///
    /// # Errors
    /// [`Error::Ranks`] if no launcher tells it, or a value is no number.
    pub(super) fn from_launcher(variable: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let names = LAUNCHERS.iter().find(|names| variable(names[0]).is_some());
        let Some(names) = names else {
            let all: Vec<&str> = LAUNCHERS.iter().map(|names| names[0]).collect();
            return Err(Error::Ranks(format!(
                "no launcher tells this process its rank: none of {}",
                all.join(", ")
            )));
        };
        let number = |name: &str| {
            let text =
                variable(name).ok_or_else(|| Error::Ranks(format!("the launcher does not set {name}")))?;
            text.parse().map_err(|_| Error::Ranks(format!("{name} is {text}, which is no number of a rank")))
        };
        let [rank, ranks] = [number(names[0])?, number(names[1])?];
        if rank >= ranks {
            return Err(Error::Ranks(format!("{} is {rank}, and {} is {ranks}", names[0], names[1])));
        }
        Ok(Self { rank, ranks, local: number(names[2])? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(set: &[(&str, &str)]) -> Result<Place, Error> {
        let of = |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        Place::from_launcher(of)
    }

    #[test]
    fn launchers_tell_the_place() {
        let torch = [("RANK", "3"), ("WORLD_SIZE", "4"), ("LOCAL_RANK", "1")];
        assert_eq!(place(&torch), Ok(Place { rank: 3, ranks: 4, local: 1 }));
        let slurm = [("SLURM_PROCID", "0"), ("SLURM_NTASKS", "2"), ("SLURM_LOCALID", "0")];
        assert_eq!(place(&slurm), Ok(Place { rank: 0, ranks: 2, local: 0 }));
        let said = |set: &[(&str, &str)]| place(set).expect_err("an error").to_string();
        assert!(said(&[]).contains("SLURM_PROCID"));
        assert_eq!(said(&[("RANK", "x")]), "RANK is x, which is no number of a rank");
        assert_eq!(said(&[("RANK", "1")]), "the launcher does not set WORLD_SIZE");
        assert_eq!(said(&[("RANK", "2"), ("WORLD_SIZE", "2")]), "RANK is 2, and WORLD_SIZE is 2");
    }

    #[test]
    fn an_id_that_does_not_come_is_an_error() {
        let path = std::env::temp_dir().join(format!("warpproof-id-{}", std::process::id()));
        let late = NcclId::by_file(&path, 1, Duration::from_millis(20)).expect_err("no file");
        assert!(late.to_string().ends_with("did not come within 0.02 s"), "{late}");
        std::fs::write(&path, [7; ID_BYTES]).expect("a file");
        assert_eq!(NcclId::by_file(&path, 1, Duration::ZERO).map(|id| *id.bytes()), Ok([7; ID_BYTES]));
        let there = NcclId::by_file(&path, 0, Duration::ZERO).expect_err("a file that is there");
        assert!(there.to_string().contains("is there already"), "{there}");
        std::fs::write(&path, [7; 3]).expect("a file");
        let short = NcclId::by_file(&path, 1, Duration::ZERO).expect_err("no id");
        assert!(short.to_string().ends_with("is no id"), "{short}");
        std::fs::remove_file(&path).expect("a file");
    }
}
