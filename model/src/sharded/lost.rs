//! Why an exchange is lost.

use core::fmt;

/// An exchange between ranks that is lost: every later call on it returns this error.
///
/// Operations of the batch that was under way may have taken effect, each of them wholly or not at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lost {
    /// What happened.
    pub why: Why,
    /// The rank to which it happened, or which was waited for.
    pub rank: u32,
    /// The number of the message, counted from 1 since the exchange began: a batch takes two in each round.
    pub message: u32,
}

/// Why an exchange is lost.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Why {
    /// The rank did not come within the time limit.
    Late = 1,
    /// The rank gave up.
    Failed = 2,
    /// The rank made another call than the others, or one with other types.
    Differs = 3,
    /// A message of the rank is not what its sender promised.
    Malformed = 4,
    /// The rank waited in vain for another one, and does not know for which.
    Alone = 5,
}

/// The bits of a rank in a word, above those of a message's number.
const RANK_BITS: u32 = 24;

impl Lost {
    /// The error as a word that is not zero. A rank has 24 bits.
    pub(super) const fn word(self) -> u64 {
        let rank = self.rank as u64 & ((1 << RANK_BITS) - 1);
        (self.why as u64) << (32 + RANK_BITS) | rank << 32 | self.message as u64
    }

    /// The error of a word, if there is one.
    pub(super) const fn from_word(word: u64) -> Option<Self> {
        let why = match word >> (32 + RANK_BITS) {
            1 => Why::Late,
            2 => Why::Failed,
            3 => Why::Differs,
            4 => Why::Malformed,
            5 => Why::Alone,
            _ => return None,
        };
        let rank = (word >> 32) as u32 & ((1 << RANK_BITS) - 1);
        Some(Self { why, rank, message: word as u32 })
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { why, rank, message } = self;
        match why {
            Why::Late => write!(f, "rank {rank} did not come in time for message {message}"),
            Why::Failed => write!(f, "rank {rank} gave up in message {message}"),
            Why::Differs => {
                write!(f, "rank {rank} made another call than the others, seen in message {message}")
            }
            Why::Malformed => write!(f, "message {message} of rank {rank} is malformed"),
            Why::Alone => write!(f, "rank {rank} waited in vain for message {message} of another one"),
        }?;
        f.write_str("; the ranks can exchange nothing more")
    }
}

impl core::error::Error for Lost {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_a_word_that_is_not_zero() {
        for why in [Why::Late, Why::Failed, Why::Differs, Why::Malformed, Why::Alone] {
            for (rank, message) in [(0, 0), (1, u32::MAX), ((1 << RANK_BITS) - 1, 7)] {
                let lost = Lost { why, rank, message };
                assert_ne!(lost.word(), 0);
                assert_eq!(Lost::from_word(lost.word()), Some(lost));
            }
        }
        let lost = Lost { why: Why::Failed, rank: 0xff00_0005, message: 7 };
        assert_eq!(lost.word(), 0x0200_0005_0000_0007);
        assert_eq!(Lost::from_word(0), None);
        assert_eq!(Lost::from_word(u64::MAX), None);
    }
}
