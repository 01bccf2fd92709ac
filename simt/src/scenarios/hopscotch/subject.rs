//! The hopscotch table as a subject, for every entry type.

use crate::check::{Array, Breach, Config, Kind, Memory, SimWarp, Subject};
use crate::scenarios::entry::Entry;
use crate::scenarios::home::{SEED, entries, home_of, homes_of_keys, plural, run, run_tried, show};
use crate::scenarios::listing::{check_list, entries_among};
use std::marker::PhantomData;
use warpproof_model::hopscotch::{Broken, Home, HopscotchTable};
use warpproof_model::spec::{Call, Map, Op, Ret};
use warpproof_model::{ReadOrder, WarpMap, Word, Words};

/// A hopscotch table with `S` words per lane in a group, `N` groups in a neighbourhood, and versions of `V`
/// bits at most.
#[derive(Clone, Debug)]
pub struct HopscotchSubject<E, const S: usize, const N: u32, const V: u32 = { u64::BITS }> {
    config: Config,
    may_fill: bool,
    /// Whether operations go through `try_mixed` first, as those of kernels do, and then through `mixed`.
    tries: bool,
    kind: PhantomData<E>,
}

type Table<E, M, const S: usize, const N: u32, const V: u32> =
    HopscotchTable<E, <E as Entry>::Words<M>, S, N, V>;

impl<E: Entry, const S: usize, const N: u32> HopscotchSubject<E, S, N> {
    /// A table of the size of `config`.
    pub const fn new(config: Config, may_fill: bool) -> Self {
        Self { config, may_fill, tries: false, kind: PhantomData }
    }

    /// A table of the size of `config`, with operations as kernels run them: tried first, then run whole.
    pub const fn tried(config: Config, may_fill: bool) -> Self {
        Self { config, may_fill, tries: true, kind: PhantomData }
    }

    /// This table with versions of `V` bits.
    pub fn with_version_bits<const V: u32>(self) -> HopscotchSubject<E, S, N, V> {
        let Self { config, may_fill, tries, kind } = self;
        HopscotchSubject { config, may_fill, tries, kind }
    }
}

impl<E: Entry, const S: usize, const N: u32, const V: u32> HopscotchSubject<E, S, N, V> {
    fn table<M: Memory>(&self, m: M) -> Table<E, M, S, N, V> {
        HopscotchTable::new(E::words(m, 0), self.config.buckets, SEED).with_version_bits()
    }

    const fn group_words(&self) -> usize {
        self.config.lanes as usize * S
    }

    const fn groups(&self) -> u32 {
        self.config.buckets + N - 1
    }

    const fn is_home(&self, index: usize) -> bool {
        index.is_multiple_of(self.group_words())
    }

    fn is_empty(word: E::Word) -> bool {
        word == E::EMPTY
    }

    fn is_reserved(word: E::Word) -> bool {
        E::key(word) == E::key(E::MARK)
    }
}

impl<E: Entry, const S: usize, const N: u32, const V: u32> Subject for HopscotchSubject<E, S, N, V> {
    type Spec = Map;

    fn spec(&self) -> Map {
        Map { may_fill: self.may_fill }
    }

    fn arrays(&self) -> Vec<Array> {
        vec![Array::ones("words", E::WIDTH, self.groups() as usize * self.group_words())]
    }

    /// Values are only stored.
    fn exchangeable(&self) -> bool {
        true
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let table = self.table(m);
        if self.tries && call.op != Op::SearchAll { run_tried(table, w, call) } else { run(table, w, call) }
    }

    /// A search reads the groups of a neighbourhood at most, and the word of the home after each of them.
    fn bound(&self, call: &Call) -> Option<u32> {
        (call.op == Op::Search).then_some(N * (self.group_words() as u32 + 1))
    }

    /// A search never waits.
    fn reads_after_stall(&self) -> bool {
        true
    }

    fn check_state<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Result<(), Breach> {
        self.table(m).check_state(w).map_err(breach)
    }

    /// The table is right by its own account, and lists all entries of its slots.
    fn check_quiescent<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Result<(), Breach> {
        let (table, words) = (self.table(m), E::words(m, 0));
        table.check_quiescent(w).map_err(breach)?;
        let slots = (0..words.len()).filter(|&at| !self.is_home(at));
        // Relaxed: read alone.
        let held = entries_among::<E>(slots.map(|at| words.load(at, ReadOrder::Relaxed)));
        let live = |w: &mut W, part| table.live(w, part);
        check_list(w, table.parts(), held, live, |w, part, sink| table.visit(w, part, sink))
    }

    /// An entry goes before another key comes.
    fn transition(&self, _: usize, index: usize, old: u128, new: u128) -> bool {
        let (old, new) = (E::Word::from_bits(old), E::Word::from_bits(new));
        let holds = |word| !Self::is_empty(word) && !Self::is_reserved(word);
        self.is_home(index) || !holds(old) || !holds(new) || E::key(old) == E::key(new)
    }

    /// No slot is empty or reserved that displacements lead to: in the neighbourhood, or in that of an entry
    /// of a group that they do.
    fn exhausted<M: Memory>(&self, m: M, key: u64) -> Option<bool> {
        let (words, homes) = (E::words(m, 0), self.config.buckets);
        let mut group = home_of::<E::Key>(homes, key);
        let mut last = group + N - 1;
        while group <= last {
            for slot in 1..self.group_words() {
                // Relaxed: read alone.
                let word = words.load(group as usize * self.group_words() + slot, ReadOrder::Relaxed);
                if Self::is_empty(word) || Self::is_reserved(word) {
                    return Some(false);
                }
                last = last.max(home_of::<E::Key>(homes, E::key(word).to_bits() as u64) + N - 1);
            }
            group += 1;
        }
        Some(true)
    }

    fn show(&self, _: usize, index: usize, value: u128) -> String {
        let word = E::Word::from_bits(value);
        if self.is_home(index) {
            return Home::<E::Word, N, V>::from_word(word).to_string();
        }
        if Self::is_empty(word) {
            return "empty".to_string();
        }
        if Self::is_reserved(word) {
            return "reserved".to_string();
        }
        show::<E>(word)
    }

    fn word(&self, _: usize, index: usize) -> String {
        let (group, word) = (index / self.group_words(), index % self.group_words());
        match word {
            0 if group < self.config.buckets as usize => format!("group {group}, home"),
            0 => format!("group {group}, unused"),
            _ => format!("group {group}, slot {}", word - 1),
        }
    }

    fn about(&self) -> Vec<String> {
        let (homes, slots) = (self.config.buckets, self.group_words() - 1);
        let entries = entries::<E>();
        vec![
            format!(
                "A hopscotch table of {} and {}, each with its home word and {}: a key stands in one of the {N} groups \
                 from its home on, and the home word says in which there are members.",
                plural(homes as usize, "home"),
                plural(self.groups() as usize, "group"),
                plural(slots, "slot"),
            ),
            format!(
                "Of the words, {entries}; a reserved slot is taken and has no entry. The home of a key: {}.",
                homes_of_keys::<E::Key>(homes),
            ),
        ]
    }
}

fn breach(broken: Broken) -> Breach {
    let kind = match broken {
        Broken::DuplicateKey { .. } => Kind::DuplicateKey,
        _ => Kind::Invariant,
    };
    Breach::new(kind, broken.to_string())
}
