//! Answers as words of a message.

use super::header::Kind;
use super::rounds::Said;
use super::route::zeros;
use crate::host::Refused;
use alloc::vec::Vec;
use core::ops::Range;

/// Codes in a word.
const CODES: usize = size_of::<u64>();

impl Said {
    /// Room for the answers to so many items.
    pub(super) fn of(kind: Kind, len: usize) -> Result<Self, Refused> {
        Ok(Self { codes: zeros(len)?, values: zeros(if kind.valued { len } else { 0 })? })
    }

    /// Whether they are of so many items.
    pub(super) fn is_of(&self, kind: Kind, len: usize) -> bool {
        self.codes.len() == len && self.values.len() == if kind.valued { len } else { 0 }
    }

    /// Appends the answers to some items to a message: their codes, and then their values.
    pub(super) fn put(&self, items: Range<usize>, message: &mut Vec<u64>) {
        for codes in self.codes[items.clone()].chunks(CODES) {
            let mut bytes = [0; CODES];
            bytes[..codes.len()].copy_from_slice(codes);
            message.push(u64::from_le_bytes(bytes));
        }
        if !self.values.is_empty() {
            message.extend_from_slice(&self.values[items]);
        }
    }

    /// Takes the answers to the items at these places out of the words of a message. Returns whether it has
    /// as many words as they need.
    pub(super) fn take(&mut self, kind: Kind, places: &[u32], words: &[u64]) -> bool {
        let (codes, values) = words.split_at(places.len().div_ceil(CODES).min(words.len()));
        let valued = if kind.valued { places.len() } else { 0 };
        if codes.len() != places.len().div_ceil(CODES) || values.len() != valued {
            return false;
        }
        let codes = codes.iter().flat_map(|word| word.to_le_bytes());
        places.iter().zip(codes).for_each(|(&place, code)| self.codes[place as usize] = code);
        places.iter().zip(values).for_each(|(&place, &value)| self.values[place as usize] = value);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_to_their_places() {
        for valued in [false, true] {
            let kind = Kind { code: 1, width: 1, valued };
            for len in [0usize, 1, 7, 8, 9, 30] {
                let values =
                    if valued { (0..len as u64).map(|at| at << 40 | 3).collect() } else { Vec::new() };
                let said = Said { codes: (0..len as u8).collect(), values };
                let mut message = Vec::new();
                said.put(0..len, &mut message);
                let places: Vec<u32> = (0..len as u32).rev().collect();
                let mut to = Said::of(kind, len).expect("memory");
                assert!(to.is_of(kind, len) && to.take(kind, &places, &message));
                to.codes.reverse();
                to.values.reverse();
                assert_eq!(to, said);
                message.push(0);
                assert!(!to.take(kind, &places, &message), "a word too many");
                message.truncate(message.len().saturating_sub(2));
                assert!(len == 0 || !to.take(kind, &places, &message), "a word too few");
            }
        }
    }
}
