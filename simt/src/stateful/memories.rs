//! The contents that memory can have, each with a number.

use crate::check::{Breach, Case, KeySet};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The contents of memory that were seen; the invariants hold in each.
pub(super) struct Memories {
    widths: Vec<u32>,
    words: Vec<Rc<[u128]>>,
    numbers: FxHashMap<Rc<[u128]>, u32>,
    /// The keys for which there is no room in each.
    exhausted: Vec<KeySet>,
}

impl Memories {
    /// The memory of a case when its programs begin has the number 0.
    pub(super) fn new(case: &Case) -> Self {
        let widths = case.arrays.iter().flat_map(|array| array.initial.iter().map(|_| array.width));
        let words: Rc<[u128]> = case.initial.clone().into();
        Self {
            widths: widths.collect(),
            numbers: [(Rc::clone(&words), 0)].into_iter().collect(),
            words: vec![words],
            exhausted: vec![case.exhausted],
        }
    }

    pub(super) fn width(&self, word: usize) -> u32 {
        self.widths[word]
    }

    pub(super) fn words(&self, memory: u32) -> &[u128] {
        &self.words[memory as usize]
    }

    /// The keys for which there is no room.
    pub(super) fn exhausted(&self, memory: u32) -> KeySet {
        self.exhausted[memory as usize]
    }

    /// The memory in which one word is another one.
    ///
    /// # Errors
    /// What does not hold in it.
    pub(super) fn with(&mut self, case: &Case, memory: u32, word: usize, value: u128) -> Result<u32, Breach> {
        let mut words = self.words[memory as usize].to_vec();
        words[word] = value;
        if let Some(&number) = self.numbers.get(words.as_slice()) {
            return Ok(number);
        }
        self.exhausted.push(case.judge_state(&words)?);
        let (words, number): (Rc<[u128]>, _) = (words.into(), self.words.len() as u32);
        self.words.push(Rc::clone(&words));
        self.numbers.insert(words, number);
        Ok(number)
    }
}
