//! What moves messages between ranks.

use super::lost::{Lost, Why};
use super::mailbox::Mailboxes;
use crate::memory::Words;
use alloc::vec::Vec;

/// One rank's end of an exchange between ranks. Calls are *collective*: every rank makes the same ones, in
/// the same order.
pub trait Exchange {
    /// The number of this rank, counted from 0.
    fn rank(&self) -> u32;

    /// How many ranks there are.
    fn ranks(&self) -> u32;

    /// The most words of a message.
    fn bin_words(&self) -> usize;

    /// Sends `messages[i]` to rank `i`, and replaces it by the message of rank `i` to this one. There are as
    /// many messages as ranks; the one to itself comes back.
    ///
    /// # Errors
    /// [`Lost`] if a rank does not come in time, or if the exchange is lost already.
    fn all_to_all(&mut self, messages: &mut [Vec<u64>]) -> Result<(), Lost>;

    /// Loses the exchange for all ranks: this one cannot go on, or `rank` is not to be trusted. Returns the
    /// error that all of them get.
    fn lose(&mut self, why: Why, rank: u32) -> Lost;
}

/// How a rank waits for others.
pub trait Pace {
    /// An exchange of message `number` begins. May change the order in which this rank turns to its peers.
    /// Returns whether it goes on: a rank that does not vanishes without a word, as one whose machine fails.
    fn begin(&mut self, _number: u32, _peers: &mut [u32]) -> bool {
        true
    }

    /// Waits a little. Returns whether to go on waiting.
    fn wait(&mut self) -> bool;
}

/// One rank's end of an exchange through [`Mailboxes`]: what it knows besides the words that all ranks share.
#[derive(Debug)]
pub struct MailboxEnd {
    rank: u32,
    number: u32,
    peers: Vec<u32>,
}

impl MailboxEnd {
    /// The end of `rank` among `ranks`, which has exchanged `number` messages.
    pub fn new(rank: u32, ranks: u32, number: u32) -> Self {
        Self { rank, number, peers: (0..ranks).filter(|&peer| peer != rank).collect() }
    }

    /// The number of the rank.
    pub const fn rank(&self) -> u32 {
        self.rank
    }

    /// How many messages it has exchanged with each rank.
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// Sends to all peers, and then receives from all: [`Exchange::all_to_all`].
    ///
    /// # Errors
    /// As there.
    pub fn all_to_all<F: Words<u32>, D: Words<u64>>(
        &mut self,
        mailboxes: Mailboxes<F, D>,
        pace: &mut impl Pace,
        messages: &mut [Vec<u64>],
    ) -> Result<(), Lost> {
        self.number = self.number.wrapping_add(1);
        if messages.len() != mailboxes.ranks() as usize {
            return Err(self.lose(mailboxes, Why::Malformed, self.rank));
        }
        if !pace.begin(self.number, &mut self.peers) {
            return Err(Lost { why: Why::Failed, rank: self.rank, message: self.number });
        }
        if let Some(lost) = mailboxes.lost() {
            return Err(lost);
        }
        let Self { rank, number, ref peers } = *self;
        for &peer in peers {
            mailboxes.send((rank, peer), number, &messages[peer as usize], || pace.wait())?;
        }
        for &peer in peers {
            let message = &mut messages[peer as usize];
            message.clear();
            mailboxes.receive((peer, rank), number, |word| message.push(word), || pace.wait())?;
        }
        Ok(())
    }

    /// Loses the exchange for all ranks: [`Exchange::lose`].
    pub fn lose<F: Words<u32>, D: Words<u64>>(
        &self,
        mailboxes: Mailboxes<F, D>,
        why: Why,
        rank: u32,
    ) -> Lost {
        mailboxes.lose(Lost { why, rank, message: self.number })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::noted::Noted;

    struct Never;

    impl Pace for Never {
        fn wait(&mut self) -> bool {
            false
        }
    }

    #[test]
    fn an_end_sends_a_message_to_each_rank() {
        let (flags, data) = (Noted::<u32, 8>::new(), Noted::<u64, 9>::new());
        let mailboxes = Mailboxes::new(&flags, &data, 2, 1);
        let mut ends = [0, 1].map(|rank| MailboxEnd::new(rank, 2, 6));
        assert_eq!([ends[0].rank(), ends[1].rank(), MailboxEnd::new(5, 6, 0).rank()], [0, 1, 5]);
        let lost = Lost { why: Why::Malformed, rank: 1, message: 7 };
        assert_eq!(ends[1].all_to_all(mailboxes, &mut Never, &mut [Vec::new()]), Err(lost));
        assert_eq!((ends[1].number(), mailboxes.lost()), (7, Some(lost)));
        let mut messages = [const { Vec::new() }; 2];
        assert_eq!(ends[0].all_to_all(mailboxes, &mut Never, &mut messages), Err(lost));
    }

    #[test]
    fn a_rank_goes_on_unless_its_pace_says_otherwise() {
        let mut peers = [2, 0];
        assert!(Never.begin(1, &mut peers));
        assert_eq!(peers, [2, 0]);
    }
}
