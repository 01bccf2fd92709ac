//! The slots of the reserved keys as a subject, for every entry type.

use crate::check::{Array, Breach, Config, Kind, Memory, Scenario, SimWarp, Subject, View};
use crate::scenarios::applied::{AppliedMap, adds, update_of};
use crate::scenarios::home::{plural, run};
use crate::scenarios::open::{Layout, ReservedLayout};
use std::marker::PhantomData;
use warpproof_model::entry::Packed;
use warpproof_model::open::OpenSlots;
use warpproof_model::reserved::ReservedSlots;
use warpproof_model::spec::{Call, Map, Op, Ret};
use warpproof_model::{UserKey, Word};

/// Slots of reserved keys, as many as the configuration has buckets; key `i` has slot `i`.
#[derive(Clone, Debug)]
pub struct ReservedSubject<L> {
    config: Config,
    /// Whether a call adds to a value.
    adds: bool,
    kind: PhantomData<L>,
}

type Key<L> = <<L as Layout>::Entry as Packed>::Key;
type Value<L> = <<L as Layout>::Entry as Packed>::Value;
/// The slots of a layout, for looking at single words.
type Seen<L> = <L as Layout>::Slots<View<'static>>;

impl<L: Layout> ReservedSubject<L> {
    /// The slots that a scenario asks for.
    pub fn new(scenario: &Scenario) -> Self {
        Self { config: scenario.config.clone(), adds: adds(scenario), kind: PhantomData }
    }

    /// What the first word of a slot says: its key, and whether a value is being written.
    fn key(word: u128) -> (Key<L>, bool) {
        let word = Word::from_bits(word);
        (Seen::<L>::key(word), Seen::<L>::is_pending(word))
    }

    /// Whether this is the first word of slot `at`: it holds no key, its own, or is locked.
    fn is_own(at: usize, word: u128) -> bool {
        let (key, locked) = Self::key(word);
        locked || key == L::Entry::key(L::Entry::EMPTY) || key == Key::<L>::from_bits(at as u128)
    }
}

impl<L: ReservedLayout> Subject for ReservedSubject<L> {
    type Spec = AppliedMap;

    /// Each key has its slot.
    fn spec(&self) -> AppliedMap {
        AppliedMap { map: Map { may_fill: false }, applies: false }
    }

    fn arrays(&self) -> Vec<Array> {
        let array = |&(name, width): &_| Array::ones(name, width, self.config.buckets as usize);
        L::ARRAYS.iter().map(array).collect()
    }

    /// Values are only stored, unless some are added.
    fn exchangeable(&self) -> bool {
        !self.adds
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        use warpproof_model::map::CounterMap as _;
        let map = ReservedSlots::<L::Entry, _>::new(L::reserved(m));
        match (call.op, UserKey::new(Key::<L>::from_bits(call.key.into()))) {
            (Op::InsertOrAdd, Some(key)) => {
                map.insert_or_add(w, key, Value::<L>::from_bits(call.value.into())).into()
            }
            (op, Some(key)) if let Some(update) = update_of(op) => {
                let value = Value::<L>::from_bits(call.value.into());
                map.insert_or_update(w, update, key, value).into()
            }
            _ => run(map, w, call),
        }
    }

    /// A call reads its slot once, and changes it once.
    fn bound(&self, call: &Call) -> Option<u32> {
        let updates = call.op == Op::InsertOrAdd || update_of(call.op).is_some();
        (!L::LOCKS && !updates).then_some(2)
    }

    /// With a lock word who reads a slot waits until it is let go.
    fn reads_after_stall(&self) -> bool {
        !L::LOCKS
    }

    fn check_state<W: SimWarp, M: Memory>(&self, _: &mut W, m: M) -> Result<(), Breach> {
        let slots = L::slots(m);
        for at in 0..self.config.buckets as usize {
            // Read alone.
            let [word] = slots.probe::<1>(at);
            if !Self::is_own(at, word.to_bits()) {
                return Err(Breach::new(Kind::Invariant, format!("slot {at} holds another key")));
            }
        }
        Ok(())
    }

    /// Nobody is in the middle of an action.
    fn check_quiescent<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Result<(), Breach> {
        let slots = L::slots(m);
        let mut words = (0..self.config.buckets as usize).flat_map(|at| slots.probe::<1>(at));
        if words.any(L::Slots::<M>::is_pending) {
            return Err(Breach::new(Kind::Invariant, "a slot is locked".to_owned()));
        }
        self.check_state(w, m)
    }

    /// A slot that is locked is let go with its key there.
    fn transition(&self, array: usize, at: usize, old: u128, new: u128) -> bool {
        if array != 0 {
            return true;
        }
        let (key, locked) = Self::key(new);
        let shown = key == Key::<L>::from_bits(at as u128);
        Self::is_own(at, new) && (!Self::key(old).1 || (shown && !locked))
    }

    /// A key always finds its slot.
    fn exhausted<M: Memory>(&self, _: M, _: u64) -> Option<bool> {
        Some(false)
    }

    fn show(&self, array: usize, _: usize, value: u128) -> String {
        if array != 0 {
            return value.to_string();
        }
        match Self::key(value) {
            (_, true) => "locked".to_string(),
            (key, _) if key == L::Entry::key(L::Entry::EMPTY) => "absent".to_string(),
            _ => L::show(value),
        }
    }

    fn word(&self, array: usize, index: usize) -> String {
        format!("{} {index}", if array == 0 { "slot" } else { "value" })
    }

    fn about(&self) -> Vec<String> {
        let entries = match (L::ARRAYS.len(), size_of::<Value<L>>()) {
            (1, 0) => "a slot holds its key",
            (1, _) => "0:10 in a slot is key 0 with value 10",
            _ => "a key and its value are two words, and the key's is locked until the value is there",
        };
        let slots = plural(self.config.buckets as usize, "reserved key");
        vec![format!("A slot for each of {slots}, by number: {entries}.")]
    }
}
