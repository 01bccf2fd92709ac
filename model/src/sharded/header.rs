//! The first word of a message.

/// A collective call. All ranks must make the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kind {
    /// Which call it is.
    pub code: u8,
    /// Words of an item.
    pub width: u8,
    /// Whether an answer has a value besides its code.
    pub valued: bool,
}

impl Kind {
    /// The most words of an item.
    pub const MOST_WIDTH: u8 = 3;

    /// This call with a batch whose items stay where they are. It is another one than that with messages of
    /// items: their words would be taken for places, and places for items.
    pub(super) const fn carried(self) -> Self {
        Self { code: self.code | CARRIED, ..self }
    }

    /// How many items a message of so many words holds, with their answers in another one of the same size.
    pub const fn per_bin(self, words: usize) -> usize {
        // Eight codes take a word; one item alone takes a whole one.
        let answer = if self.valued { 2 } else { 1 };
        let width = if self.width as usize > answer { self.width as usize } else { answer };
        words.saturating_sub(1) / width
    }
}

/// The bit of a call's code that says that a carrier moves its items.
const CARRIED: u8 = 1 << 7;

/// The first word of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Header {
    /// The call.
    pub(super) kind: Kind,
    /// Whether the sender has items for a further round.
    pub(super) more: bool,
    /// Whether the message has answers, and not items.
    pub(super) answers: bool,
    /// Whether the sender could not run its items.
    pub(super) failed: bool,
    /// How many items or answers follow.
    pub(super) items: u32,
}

/// In the high bits: a number that no word of a table begins with by chance more often than once in 2^16.
const MAGIC: u64 = 0x5a8d;

impl Header {
    /// The header as a word.
    pub(super) const fn word(self) -> u64 {
        let Kind { code, width, valued } = self.kind;
        let flags =
            valued as u64 | (self.more as u64) << 1 | (self.answers as u64) << 2 | (self.failed as u64) << 3;
        MAGIC << 48 | flags << 44 | (width as u64) << 40 | (code as u64) << 32 | self.items as u64
    }

    /// The header of a word, if it is one.
    pub(super) const fn of_word(word: u64) -> Option<Self> {
        if word >> 48 != MAGIC {
            return None;
        }
        let flags = word >> 44 & 0xf;
        Some(Self {
            kind: Kind { code: (word >> 32) as u8, width: (word >> 40 & 0xf) as u8, valued: flags & 1 != 0 },
            more: flags & 2 != 0,
            answers: flags & 4 != 0,
            failed: flags & 8 != 0,
            items: word as u32,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_words() {
        for code in [0, 7, 255] {
            for (width, items) in [(0, 0), (1, 5), (Kind::MOST_WIDTH, u32::MAX)] {
                for flags in 0..16 {
                    let header = Header {
                        kind: Kind { code, width, valued: flags & 1 != 0 },
                        more: flags & 2 != 0,
                        answers: flags & 4 != 0,
                        failed: flags & 8 != 0,
                        items,
                    };
                    assert_eq!(Header::of_word(header.word()), Some(header));
                }
            }
        }
        assert_eq!(Header::of_word(0), None);
    }

    #[test]
    fn a_call_whose_items_are_carried_is_another_one() {
        let kind = Kind { code: 5, width: 2, valued: true };
        assert_eq!(kind.carried(), Kind { code: 0x85, ..kind });
        assert_eq!(kind.carried().carried(), kind.carried());
    }

    #[test]
    fn a_bin_holds_the_longer_of_items_and_answers() {
        let per_bin = |width, valued| Kind { code: 0, width, valued }.per_bin(13);
        assert_eq!([0, 1, 2, 3].map(|width| per_bin(width, false)), [12, 12, 6, 4]);
        assert_eq!([0, 1, 2, 3].map(|width| per_bin(width, true)), [6, 6, 6, 4]);
    }

    #[test]
    fn items_and_answers_fit_a_bin() {
        for width in 1..=Kind::MOST_WIDTH {
            for valued in [false, true] {
                let kind = Kind { code: 0, width, valued };
                for words in 1 + Kind::MOST_WIDTH as usize..60 {
                    let items = kind.per_bin(words);
                    assert!(items > 0);
                    assert!(items * (width as usize) < words);
                    assert!(items.div_ceil(8) + if valued { items } else { 0 } < words);
                }
            }
        }
    }
}
