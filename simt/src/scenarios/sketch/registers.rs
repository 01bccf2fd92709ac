//! The registers of a HyperLogLog, as a subject.

use super::{ABSORB, Absorbs, added, all_are, unfit};
use crate::check::{Array, Breach, Memory, Scenario, ScenarioError, SimWarp, Subject};
use warpproof_model::sketch::Registers;
use warpproof_model::spec::{Call, Highest, Op, Ret};
use warpproof_model::{ReadOrder, Words};

/// Words, and the registers of one.
const LEN: usize = 2;
const OF_WORD: u64 = 8;
/// The highest rank.
const MOST: u64 = 61;
/// The arrays.
const WORDS: usize = 0;
const OTHER: usize = 1;

/// Registers in two words. A call's key is the number of a register, its value a rank. In the configuration
/// `bitmap` are registers of the second sketch, each 256 times its number plus its rank.
#[derive(Clone, Debug)]
pub struct RegistersSubject {
    /// The words when all calls have returned.
    all: [u64; LEN],
    /// Those of the second sketch.
    other: [u64; LEN],
    /// How many calls of programs may change a word.
    changes: u32,
}

impl RegistersSubject {
    /// The registers of a scenario.
    ///
    /// # Errors
    /// If it has other operations, or registers that do not exist.
    pub fn new(scenario: &Scenario) -> Result<Self, ScenarioError> {
        let is_known = |call: &Call| {
            [Op::Insert, Op::Count, ABSORB].contains(&call.op)
                && call.key < OF_WORD * LEN as u64
                && call.value <= MOST
        };
        if !scenario.calls().all(is_known) {
            return Err(unfit("calls insert, count and absorb ranks up to 61 of 16 registers"));
        }
        let held: Vec<(u64, u64)> =
            scenario.config.bitmap.iter().map(|&of| (u64::from(of >> 8), u64::from(of & 0xff))).collect();
        let all = words(&added(scenario, &held, word_of)?);
        let changes = scenario.programs.iter().flatten().filter(|call| call.op != Op::Count).count();
        Ok(Self { all, other: words(&held), changes: changes as u32 })
    }
}

const fn word_of(register: u64) -> usize {
    (register / OF_WORD) as usize
}

/// The words of registers with these ranks, the higher ones if there are several.
fn words(ranks: &[(u64, u64)]) -> [u64; LEN] {
    let mut bytes = [[0; OF_WORD as usize]; LEN];
    for &(register, rank) in ranks.iter().filter(|of| word_of(of.0) < LEN) {
        let byte = &mut bytes[word_of(register)][(register % OF_WORD) as usize];
        *byte = (*byte).max(rank as u8);
    }
    bytes.map(u64::from_le_bytes)
}

impl Subject for RegistersSubject {
    type Spec = Absorbs<Highest>;

    fn spec(&self) -> Absorbs<Highest> {
        Absorbs(Highest)
    }

    fn arrays(&self) -> Vec<Array> {
        let other = self.other.iter().map(|&word| word.into()).collect();
        vec![Array::new("registers", 64, vec![0; LEN]), Array::new("other", 64, other)]
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let registers = |array| Registers::new(m.w64(array));
        match call.op {
            Op::Insert => registers(WORDS).raise(w, call.key as u32, call.value as u8),
            ABSORB => registers(WORDS).absorb(w, registers(OTHER), word_of(call.key)),
            _ => return Ret::Count(registers(WORDS).rank(w, call.key as u32).into()),
        }
        Ret::Done
    }

    /// A word is read, and exchanged. An exchange fails only if another call has changed the word, which each
    /// does once at most.
    fn bound(&self, call: &Call) -> Option<u32> {
        match call.op {
            Op::Insert => Some(1 + self.changes.max(1)),
            ABSORB => Some(2 + self.changes.max(1)),
            _ => Some(1),
        }
    }

    fn reads_after_stall(&self) -> bool {
        true
    }

    /// Registers only rise.
    fn transition(&self, array: usize, _: usize, old: u128, new: u128) -> bool {
        array == WORDS && old.to_le_bytes().iter().zip(new.to_le_bytes()).all(|(old, new)| *old <= new)
    }

    fn check_quiescent<W: SimWarp, M: Memory>(&self, _: &mut W, m: M) -> Result<(), Breach> {
        all_are(&self.all, |at| m.w64(WORDS).load(at, ReadOrder::Relaxed), ranks)
    }

    fn show(&self, _: usize, _: usize, value: u128) -> String {
        ranks(value as u64)
    }

    fn about(&self) -> Vec<String> {
        let about =
            "Sixteen registers, eight in a word. 3:20 in a word says that its register 3 has rank 20.";
        vec![about.to_string()]
    }
}

/// The registers of a word that have a rank.
fn ranks(word: u64) -> String {
    let bytes = word.to_le_bytes().into_iter().enumerate().filter(|(_, rank)| *rank != 0);
    let ranks: Vec<_> = bytes.map(|(at, rank)| format!("{at}:{rank}")).collect();
    if ranks.is_empty() { "no rank".to_string() } else { ranks.join(" ") }
}
