//! Tables in shards as files: a folder with a file for each shard, and one that says which those are.
//!
//! The file `ranks` names the others: it is replaced last, as a whole, when all shards are on the disk. Files
//! of an older save are deleted then. So a save that fails leaves the older one as it was.

use super::Sharded;
use super::calls::Call;
use super::error::Error;
use crate::hash::Seed;
use crate::host::{BulkSave, BulkTable};
use crate::paged::file::{FileError, Part, Problem};
use crate::sharded::exchange::Exchange;
use alloc::format;
use alloc::string::{String, ToString as _};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The name of the file that names the others.
const RANKS: &str = "ranks";
/// The first line of that file.
const FIRST: &str = "warpproof sharded 1";

/// What a folder says of the table in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Saved {
    ranks: u32,
    seed: u64,
    /// A number that the names of the files have: another one for each save.
    id: u64,
}

impl Saved {
    fn text(self) -> String {
        let Self { ranks, seed, id } = self;
        format!("{FIRST}\nranks {ranks}\nseed {seed}\nid {id:016x}\n")
    }

    fn of_text(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let mut field = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ').map(str::to_string);
        let (first, version) = FIRST.rsplit_once(' ')?;
        if field(first)? != version {
            return None;
        }
        let (ranks, seed) = (field("ranks")?.parse().ok()?, field("seed")?.parse().ok()?);
        let id = u64::from_str_radix(&field("id")?, 16).ok()?;
        lines.next().is_none().then_some(Self { ranks, seed, id })
    }

    fn read(folder: &Path) -> Result<Self, FileError> {
        let path = folder.join(RANKS);
        let text = fs::read_to_string(&path).map_err(|error| failed(&path, "read it", &error))?;
        Self::of_text(&text).ok_or(FileError { path, part: Part::File, problem: Problem::NoShards })
    }

    fn shard(self, folder: &Path, rank: u32) -> PathBuf {
        folder.join(format!("shard-{rank}-of-{}-{:016x}", self.ranks, self.id))
    }
}

fn failed(path: &Path, doing: &'static str, error: &io::Error) -> FileError {
    let problem = Problem::Io { doing, kind: error.kind(), said: error.to_string() };
    FileError { path: path.to_path_buf(), part: Part::File, problem }
}

/// How many ranks the table in a folder has: as many must open it.
///
/// # Errors
/// [`FileError`] if the folder holds no such table, or it cannot be read.
pub fn saved_ranks(folder: &Path) -> Result<u32, FileError> {
    Saved::read(folder).map(|saved| saved.ranks)
}

impl<T, X> BulkSave for Sharded<T, X>
where
    T: BulkSave<Error: 'static>,
    X: Exchange,
    Self: BulkTable<Error = Error<T::Error>>,
{
    /// Saves all shards in the folder `path`, which is made if there is none. Every rank writes its own file,
    /// so all of them must see the same folder.
    fn save(&self, path: &Path) -> Result<(), Self::Error> {
        // The number of rank 0 is that of the save.
        let id = self.words(Call::Save, Seed::random().bits())?[0];
        let saved = Saved { ranks: self.ranks(), seed: self.seed().bits(), id };
        let file = saved.shard(path, self.rank());
        let made = fs::create_dir_all(path).map_err(|error| failed(path, "make the folder", &error));
        let own = made.map_err(Error::File).and_then(|()| self.shard.save(&file).map_err(Error::Shard));
        let rank = self.all_did(Call::Save, own.is_ok())?;
        let named = match rank {
            None if self.rank() == 0 => name(path, saved).map_err(Error::File),
            _ => Ok(()),
        };
        let rank = rank.or(self.all_did(Call::Save, named.is_ok())?);
        if rank.is_some() {
            // It is named by nothing. What cannot be deleted is only in the way.
            let _ = fs::remove_file(&file);
        }
        own?;
        named?;
        rank.map_or(Ok(()), |rank| Err(Error::Peer { call: Call::Save.name(), rank }))
    }
}

/// Replaces the file that names the others, and deletes those of an older save.
fn name(folder: &Path, saved: Saved) -> Result<(), FileError> {
    let path = folder.join(RANKS);
    let before = Saved::read(folder).ok();
    let write = || -> io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(saved.text().as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(&path)?;
        fs::File::open(folder)?.sync_all()
    };
    write().map_err(|error| failed(&path, "write it", &error))?;
    for rank in 0..before.map_or(0, |before| before.ranks) {
        if let Some(before) = before {
            // What cannot be deleted is only in the way.
            let _ = fs::remove_file(before.shard(folder, rank));
        }
    }
    Ok(())
}

impl<T: BulkTable, X: Exchange> Sharded<T, X> {
    /// The first rank that failed, if one did.
    fn all_did(&self, call: Call, did: bool) -> Result<Option<u32>, Error<T::Error>> {
        let all = self.words(call, did.into())?;
        Ok(all.iter().position(|&did| did == 0).map(|rank| rank as u32))
    }

    /// Opens the table in a folder that [`save`](BulkSave::save) wrote. `open` opens the file of this rank's
    /// shard. There must be as many ranks as saved it ([`saved_ranks`]).
    ///
    /// Collective. A rank that cannot open its shard returns the reason, and others do not wait for it for
    /// longer than their time limit.
    ///
    /// # Errors
    /// [`Error::File`] if the folder cannot be read or holds no such table; the errors of `open`;
    /// [`Error::Lost`] if there are more or fewer ranks, or one of them has failed.
    pub fn open(
        folder: &Path,
        mut exchange: X,
        open: impl FnOnce(&Path) -> Result<T, T::Error>,
    ) -> Result<Self, Error<T::Error>> {
        use crate::sharded::lost::Why;
        let (rank, ranks) = (exchange.rank(), exchange.ranks());
        let opened = Saved::read(folder).map_err(Error::File).and_then(|saved| {
            let problem = Problem::Ranks { found: saved.ranks, expected: ranks };
            if saved.ranks != ranks {
                let path = folder.join(RANKS);
                return Err(Error::File(FileError { path, part: Part::File, problem }));
            }
            Ok((open(&saved.shard(folder, rank)).map_err(Error::Shard)?, Seed::new(saved.seed)))
        });
        match opened {
            Ok((shard, seed)) => Self::new(shard, exchange, seed),
            Err(error) => {
                // The others learn of it, and do not wait.
                exchange.lose(Why::Failed, rank);
                Err(error)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_folder_says_is_text_and_back() {
        let saved = Saved { ranks: 3, seed: u64::MAX, id: 0xab };
        assert_eq!(Saved::of_text(&saved.text()), Some(saved));
        let text = saved.text();
        for wrong in [
            String::new(),
            text.replace("sharded 1", "sharded 2"),
            text.replace("ranks 3", "ranks x"),
            text.replace("seed", "sees"),
            format!("{text}more\n"),
            text.replace("id ", "id x"),
        ] {
            assert_eq!(Saved::of_text(&wrong), None, "{wrong}");
        }
    }
}
