//! What goes wrong in an exchange on purpose.

use std::thread;
use std::time::Duration;
use warpproof_model::Seed;

/// What goes wrong in an exchange, for tests: by a seed, so that it can be repeated.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// Decides how long ranks dawdle before each message, and in which order they turn to their peers.
    /// Without a seed they do neither.
    pub seed: Option<u64>,
    /// The longest time that a rank dawdles before a message.
    pub dawdles: Duration,
    /// Ranks that vanish without a word, and before which message, counted from 1.
    pub vanish: Vec<(u32, u32)>,
    /// Ranks that stop for a time before a message, counted from 1, and go on.
    pub stop: Vec<(u32, u32, Duration)>,
}

impl Faults {
    /// Those of one rank.
    pub(super) fn of(&self, rank: u32) -> Moods {
        Moods {
            dice: self.seed.map(|seed| Dice { seed: Seed::new(seed ^ u64::from(rank)), rolled: 0 }),
            dawdles: self.dawdles,
            vanishes: self.vanish.iter().filter(|(of, _)| *of == rank).map(|&(_, message)| message).min(),
            stops: self.stop.iter().filter(|stop| stop.0 == rank).map(|stop| (stop.1, stop.2)).collect(),
        }
    }
}

/// What goes wrong on one rank.
pub(super) struct Moods {
    dice: Option<Dice>,
    dawdles: Duration,
    vanishes: Option<u32>,
    stops: Vec<(u32, Duration)>,
}

impl Moods {
    /// A message begins. Returns whether the rank goes on.
    pub(super) fn begin(&mut self, number: u32, peers: &mut [u32]) -> bool {
        if self.vanishes.is_some_and(|message| number >= message) {
            return false;
        }
        for &(_, time) in self.stops.iter().filter(|(message, _)| *message == number) {
            thread::sleep(time);
        }
        if let Some(dice) = &mut self.dice {
            // A random order: Fisher and Yates.
            for last in (1..peers.len()).rev() {
                peers.swap(last, dice.below(last as u64 + 1) as usize);
            }
            let nanos = self.dawdles.as_nanos().min(u64::MAX.into()) as u64;
            thread::sleep(Duration::from_nanos(dice.below(nanos.max(1))));
        }
        true
    }
}

/// Random numbers: the hashes of 1, 2, 3 and so on.
struct Dice {
    seed: Seed,
    rolled: u64,
}

impl Dice {
    /// A number below `end`.
    fn below(&mut self, end: u64) -> u64 {
        self.rolled += 1;
        self.seed.hash(self.rolled).bits() % end
    }
}
