//! Mailboxes in shared memory: one for each rank and each rank that it sends to.

use super::lost::{Lost, Why};
use crate::memory::{Order, ReadOrder, Words, WriteOrder};

/// The mailboxes of so many ranks, in words that all of them share.
///
/// A mailbox holds one message. Its *flags* are two numbers: of the last message that was sent, and of the
/// last one that was taken. A message may be written when the one before it is taken, and read when it is
/// sent. The words begin with zeros; the first message has number 1, and numbers wrap around.
///
/// One word says whether the exchange is lost, and why. It is written once.
#[derive(Clone, Copy, Debug)]
pub struct Mailboxes<F, D> {
    flags: F,
    data: D,
    ranks: u32,
    bin: usize,
}

/// The word that says whether the exchange is lost.
const LOST: usize = 0;

/// How many flags the mailboxes of so many ranks need.
pub const fn flag_words(ranks: u32) -> usize {
    2 * ranks as usize * ranks as usize
}

/// How many words they need besides, if messages have at most `bin` words: a message has one more, its
/// length.
pub const fn data_words(ranks: u32, bin: usize) -> usize {
    1 + ranks as usize * ranks as usize * (1 + bin)
}

impl<F: Words<u32>, D: Words<u64>> Mailboxes<F, D> {
    /// Mailboxes of `ranks` ranks whose messages have at most `bin` words, in [`flag_words`] flags and
    /// [`data_words`] words.
    #[inline(always)]
    pub const fn new(flags: F, data: D, ranks: u32, bin: usize) -> Self {
        Self { flags, data, ranks, bin }
    }

    /// The number of ranks.
    pub const fn ranks(self) -> u32 {
        self.ranks
    }

    /// The most words of a message.
    pub const fn bin(self) -> usize {
        self.bin
    }

    /// The number of the mailbox from one rank to another.
    const fn mailbox(self, from: u32, to: u32) -> usize {
        from as usize * self.ranks as usize + to as usize
    }

    const fn sent(self, mailbox: usize) -> usize {
        2 * mailbox
    }

    const fn taken(self, mailbox: usize) -> usize {
        2 * mailbox + 1
    }

    const fn message(self, mailbox: usize) -> usize {
        1 + mailbox * (1 + self.bin)
    }

    /// Sends message `number` from one rank to another, when that has taken the one before. `wait` waits a
    /// little, and returns whether to go on waiting.
    ///
    /// # Errors
    /// [`Lost`] if the exchange is lost: now, as `wait` gave up or the message is too long, or before.
    pub fn send(
        self,
        (from, to): (u32, u32),
        number: u32,
        message: &[u64],
        wait: impl FnMut() -> bool,
    ) -> Result<(), Lost> {
        let mailbox = self.mailbox(from, to);
        if message.len() > self.bin {
            return Err(self.lose(Lost { why: Why::Malformed, rank: from, message: number }));
        }
        let late = Lost { why: Why::Late, rank: to, message: number };
        self.wait_for(self.taken(mailbox), number.wrapping_sub(1), late, wait)?;
        let first = self.message(mailbox);
        // Relaxed, all: the Release of the flag orders them.
        self.data.store(first, message.len() as u64, WriteOrder::Relaxed);
        for (at, &word) in message.iter().enumerate() {
            self.data.store(first + 1 + at, word, WriteOrder::Relaxed);
        }
        // Release: pairs with the Acquire of `wait_for` in `receive`.
        self.flags.store(self.sent(mailbox), number, WriteOrder::Release);
        Ok(())
    }

    /// Takes message `number` from one rank to another, when it is sent, and passes its words to `take`.
    /// `wait` waits a little, and returns whether to go on waiting.
    ///
    /// # Errors
    /// [`Lost`] if the exchange is lost: now, as `wait` gave up or the message is too long, or before.
    pub fn receive(
        self,
        (from, to): (u32, u32),
        number: u32,
        mut take: impl FnMut(u64),
        wait: impl FnMut() -> bool,
    ) -> Result<(), Lost> {
        let mailbox = self.mailbox(from, to);
        let late = Lost { why: Why::Late, rank: from, message: number };
        self.wait_for(self.sent(mailbox), number, late, wait)?;
        let first = self.message(mailbox);
        // Relaxed, all: the Acquire of the flag orders them.
        let len = self.data.load(first, ReadOrder::Relaxed);
        if len > self.bin as u64 {
            return Err(self.lose(Lost { why: Why::Malformed, rank: from, message: number }));
        }
        for at in 0..len as usize {
            take(self.data.load(first + 1 + at, ReadOrder::Relaxed));
        }
        // Release: pairs with the Acquire of `wait_for` in `send`, which may then overwrite what was read.
        self.flags.store(self.taken(mailbox), number, WriteOrder::Release);
        Ok(())
    }

    /// Waits until a flag has this value.
    fn wait_for(
        self,
        flag: usize,
        value: u32,
        late: Lost,
        mut wait: impl FnMut() -> bool,
    ) -> Result<(), Lost> {
        loop {
            // Acquire: pairs with the Release of `send` or of `receive`.
            if self.flags.load(flag, ReadOrder::Acquire) == value {
                return Ok(());
            }
            if let Some(lost) = self.lost() {
                return Err(lost);
            }
            if !wait() {
                return Err(self.lose(late));
            }
        }
    }

    /// Why the exchange is lost, if it is.
    pub fn lost(self) -> Option<Lost> {
        // Relaxed: the word says all there is to know.
        Lost::from_word(self.data.load(LOST, ReadOrder::Relaxed))
    }

    /// Loses the exchange for all ranks, unless it is lost already. Returns why it is.
    pub fn lose(self, lost: Lost) -> Lost {
        // Relaxed: as in `lost`. The first reason stays.
        let before = self.data.compare_exchange(LOST, 0, lost.word(), Order::Relaxed);
        Lost::from_word(before).unwrap_or(lost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::noted::Noted;
    use alloc::vec::Vec;

    /// Mailboxes are in the order of their senders, and those of one in the order of their receivers.
    #[test]
    fn every_mailbox_has_two_flags_a_length_and_a_bin() {
        assert_eq!([1, 2, 3].map(flag_words), [2, 8, 18]);
        assert_eq!([data_words(1, 0), data_words(1, 4), data_words(3, 2)], [2, 6, 28]);
        let (flags, data) = (Noted::<u32, 8>::new(), Noted::<u64, 13>::new());
        let mailboxes = Mailboxes::new(&flags, &data, 2, 2);
        for (at, pair) in [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter().enumerate() {
            let word = 10 * at as u64;
            mailboxes.send(pair, 1, &[word + 1, word + 2], || false).expect("a free mailbox");
        }
        assert_eq!(flags.words(), [1, 0, 1, 0, 1, 0, 1, 0]);
        assert_eq!(data.words(), [0, 2, 1, 2, 2, 11, 12, 2, 21, 22, 2, 31, 32]);
        for (at, pair) in [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter().enumerate() {
            let mut words = Vec::new();
            mailboxes.receive(pair, 1, |word| words.push(word), || false).expect("a message");
            assert_eq!(words, [10 * at as u64 + 1, 10 * at as u64 + 2]);
        }
        assert_eq!(flags.words(), [1; 8]);
        assert_eq!(mailboxes.lost(), None);
    }

    #[test]
    fn a_message_that_is_too_long_loses_the_exchange() {
        let malformed = |rank| Lost { why: Why::Malformed, rank, message: 1 };
        let (flags, data) = (Noted::<u32, 8>::new(), Noted::<u64, 13>::new());
        let mailboxes = Mailboxes::new(&flags, &data, 2, 2);
        assert_eq!(mailboxes.send((0, 1), 1, &[1, 2, 3], || false), Err(malformed(0)));
        assert_eq!((flags.words(), mailboxes.lost()), ([0; 8], Some(malformed(0))));

        let (flags, data) = (Noted::<u32, 8>::new(), Noted::<u64, 13>::new());
        let mailboxes = Mailboxes::new(&flags, &data, 2, 2);
        mailboxes.send((1, 0), 1, &[1, 2], || false).expect("a free mailbox");
        (&data).store(7, 3, WriteOrder::Relaxed);
        let received = mailboxes.receive((1, 0), 1, |_| panic!("a word"), || false);
        assert_eq!((received, mailboxes.lost()), (Err(malformed(1)), Some(malformed(1))));
    }

    #[test]
    fn the_first_reason_stays() {
        let (flags, data) = (Noted::<u32, 8>::new(), Noted::<u64, 5>::new());
        let mailboxes = Mailboxes::new(&flags, &data, 2, 0);
        let late = |rank| Lost { why: Why::Late, rank, message: 1 };
        assert_eq!(mailboxes.receive((1, 0), 1, |_| (), || false), Err(late(1)));
        assert_eq!(mailboxes.receive((0, 1), 1, |_| (), || true), Err(late(1)));
        assert_eq!(mailboxes.lose(late(0)), late(1));
    }
}
