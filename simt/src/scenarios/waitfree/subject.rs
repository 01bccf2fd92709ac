//! The wait-free table as a subject, for every entry type.

use super::counted::{Counted, Narrow};
use super::spec::{IN_PLACE, RECLAIM, WaitFreeSpec};
use super::together::{self, Rounds, TOGETHER};
use crate::check::{Access, Array, Breach, Config, Kind, Memory, Scenario, SimWarp, Subject};
use crate::scenarios::entry::Entry;
use crate::scenarios::home::{SEED, home_of, homes_of_keys, plural, show};
use crate::scenarios::listing::check_list;
use std::collections::BTreeSet;
use std::marker::PhantomData;
use warpproof_model::reclaim::{
    Counters, EPOCH_BITMAPS, EPOCH_WORDS, EpochPool, Epochs, NodeIndex, NodePool, Pool, Stash, Wide,
};
use warpproof_model::spec::{Call, Op, Ret};
use warpproof_model::waitfree::{Broken, EMPTY_HEAD, WaitFreeTable, WaitFreeWords, rounds};
use warpproof_model::{ReadOrder, UserKey, Word, Words};

/// The arrays.
const HEADS: usize = 0;
const ANNOUNCED: usize = 1;
const REQUESTS: usize = 2;
const STASHES: usize = 3;
const RETIRED: usize = 4;
const USED: usize = 5;
const NODES: usize = 6;
const EPOCHS: usize = 7;

/// How nodes are used again.
pub trait Reuse: Clone + Send + Sync + core::fmt::Debug + 'static {
    /// How wide the counters of the table are.
    type Counters: Counters;

    /// The pool.
    type Pool<M: Memory>: Pool<Counters = Self::Counters>;

    /// The pool in this memory, whose stashes are filled with up to `most` nodes at once.
    fn pool<M: Memory>(m: M, most: u32) -> Self::Pool<M>;

    /// Bitmaps of retired nodes.
    const RETIRED: usize = 1;

    /// The arrays after those that every table has.
    fn arrays() -> Vec<Array> {
        Vec::new()
    }

    /// Makes retired nodes free, if this is a phase of its own. Nothing else runs.
    fn reclaim<M: Memory>(m: M, word: usize) {
        _ = (m, word);
    }
}

/// When nothing else runs.
#[derive(Clone, Debug)]
pub struct AtEnd;

impl Reuse for AtEnd {
    type Counters = Wide;

    type Pool<M: Memory> = NodePool<M::W32, M::W64>;

    fn pool<M: Memory>(m: M, most: u32) -> Self::Pool<M> {
        NodePool::new(m.w32(USED), m.w32(RETIRED), m.w64(STASHES), most)
    }

    fn reclaim<M: Memory>(m: M, word: usize) {
        Self::pool(m, 1).reclaim(word);
    }
}

/// When nothing else runs, in a table with narrow counters.
impl<const ANNOUNCEMENTS: u32, const CALLS: u32> Reuse for Narrow<ANNOUNCEMENTS, CALLS> {
    type Counters = Self;

    type Pool<M: Memory> = Counted<NodePool<M::W32, M::W64>, Self>;

    fn pool<M: Memory>(m: M, most: u32) -> Self::Pool<M> {
        Counted::new(AtEnd::pool(m, most))
    }

    fn reclaim<M: Memory>(m: M, word: usize) {
        AtEnd::reclaim(m, word);
    }
}

/// When the turns have ended that may have come to them. A call is a turn, and knows so many bits of its
/// epoch.
#[derive(Clone, Debug)]
pub struct ByEpochs<const BITS: u32 = 62>;

impl<const BITS: u32> Reuse for ByEpochs<BITS> {
    type Counters = Wide;

    type Pool<M: Memory> = EpochPool<M::W32, M::W64, BITS>;

    fn pool<M: Memory>(m: M, most: u32) -> Self::Pool<M> {
        let epochs = Epochs::new(m.w64(EPOCHS)).with_bits();
        EpochPool::new(m.w32(USED), m.w32(RETIRED), m.w64(STASHES), epochs, most)
    }

    const RETIRED: usize = EPOCH_BITMAPS;

    fn arrays() -> Vec<Array> {
        vec![Array::new("epochs", 64, vec![0; EPOCH_WORDS])]
    }
}

/// A wait-free table with `S` words per lane in a node, whose nodes are used again as `R` says.
#[derive(Clone, Debug)]
pub struct WaitFreeSubject<E, R, const S: usize> {
    config: Config,
    warps: usize,
    /// Nodes that each warp has at first, where the scenario sets no bitmap.
    held: usize,
    /// Nodes that the first warp has for the preload besides.
    before: usize,
    may_fill: bool,
    /// Calls of the programs.
    calls: u32,
    /// Whether one warp runs alone, and its first node is enough for all keys of a bucket.
    is_decided: bool,
    /// Whether nodes may be left without entries, by deletes in place.
    may_be_empty: bool,
    /// Whether a call stands for several. Their keys differ, so the calls of all keys are one history then.
    together: bool,
    kind: PhantomData<(E, R)>,
}

/// Bits of a word of the bitmap.
const WORD: usize = 32;

type Table<E, R, M, const S: usize> =
    WaitFreeTable<E, <E as Entry>::Words<M>, <M as Memory>::W64, <R as Reuse>::Pool<M>, S>;

impl<E: Entry, R: Reuse, const S: usize> WaitFreeSubject<E, R, S> {
    /// A table for the programs of `scenario`.
    pub fn new(scenario: &Scenario) -> Self {
        let calls = scenario.programs.iter().flatten().map(together::len).sum::<usize>();
        // The most that an exchange of a head publishes: a chain with a node for each key, and the receipts.
        let keys: BTreeSet<u64> = scenario.calls().flat_map(together::calls).map(|call| call.key).collect();
        let chain = keys.len() + 1;
        Self {
            config: scenario.config.clone(),
            warps: scenario.programs.len(),
            // One warp may run all calls. A draft has two nodes more in between.
            held: chain * calls + 2,
            before: chain * scenario.preload.len(),
            may_fill: scenario.allows.full,
            calls: calls as u32,
            is_decided: scenario.programs.len() == 1
                && scenario.config.bitmap.is_empty()
                && keys.len() < scenario.config.lanes as usize * S,
            may_be_empty: scenario.calls().any(|call| call.op == IN_PLACE),
            together: scenario.calls().any(|call| call.op == TOGETHER),
            kind: PhantomData,
        }
    }

    fn table<M: Memory>(&self, m: M) -> Table<E, R, M, S> {
        let words = WaitFreeWords {
            nodes: E::words(m, NODES),
            heads: m.w64(HEADS),
            announcements: m.w64(ANNOUNCED),
            requests: E::words(m, REQUESTS),
            pool: self.pool(m),
        };
        WaitFreeTable::new(words, self.config.reach, SEED)
    }

    fn pool<M: Memory>(&self, m: M) -> R::Pool<M> {
        // Warps that have no nodes at first take two at a time, where others do too.
        let most = if self.config.bitmap.is_empty() { 1 } else { 2 };
        R::pool(m, most)
    }

    /// The bitmap of nodes that are in use at first, the stashes, and how many nodes there are: those of all
    /// warps are in one word of the bitmap where they have room there, else each warp has words for itself.
    fn at_first(&self) -> (Vec<u32>, Vec<Stash>, usize) {
        let nodes = |count: usize| ((1_u64 << count) - 1) as u32;
        if let Some(last) = self.config.bitmap.last() {
            // The memory ends with the last free node.
            let count = WORD * self.config.bitmap.len() - last.leading_ones() as usize;
            return (self.config.bitmap.clone(), vec![Stash::from_bits(0); self.warps], count);
        }
        // As the preload is run by the first warp, it has more.
        let counts = (0..self.warps).map(|warp| self.held + if warp == 0 { self.before } else { 0 });
        let total = counts.clone().sum();
        if total <= WORD {
            let stashes = counts.scan(0, |first, count| {
                *first += count;
                Some(Stash::from_bits(u64::from(nodes(count)) << (*first - count)))
            });
            return (vec![u32::MAX], stashes.collect(), total);
        }
        let (mut used, mut stashes) = (Vec::new(), Vec::new());
        for count in counts {
            // What the stash has no room for, and what is left of a word, is free.
            let held = nodes(count.min(WORD));
            stashes.push(Stash::from_bits((used.len() as u64) << WORD | u64::from(held)));
            used.push(held);
            used.extend((WORD..count).step_by(WORD).map(|_| 0));
        }
        let count = WORD * used.len();
        (used, stashes, count)
    }

    /// The most exchanges of a head that a call makes.
    fn rounds(&self) -> u32 {
        let receipts = (self.node_words() as u32 - 1) / if E::WIDTH < 64 { 2 } else { 1 };
        let most = rounds(self.config.reach, self.warps as u32, receipts);
        // A call that finds no node after it was announced costs the others two exchanges.
        if self.may_fill { most + 2 * self.calls } else { most }
    }

    /// Runs calls by the lanes, then one by one those that these leave, as two kernels do.
    fn run_together<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let (table, pool) = (self.table(m), self.pool(m));
        let calls = together::calls(call);
        let job = |number: u32| {
            let call = calls.get(number as usize)?;
            let key = UserKey::new(E::Key::from_bits(call.key.into()))?;
            Some((number, together::kind(call.op)?, key, E::Value::from_bits(call.value.into())))
        };
        // Of those that have come to an end: the answer, or none if the call is left.
        let mut ended = vec![None; calls.len()];
        pool.turn(w, |w, stash| {
            let mut given = 0;
            let next = |_: u32| {
                given += 1;
                job(given - 1)
            };
            let done = |_: u32, number: u32, answer| {
                let before = ended[number as usize].replace(answer);
                assert!(before.is_none(), "call {number} of the lanes has ended twice");
            };
            let mut rounds = Rounds::default();
            table.each_lane(w, (None, stash, &mut rounds), next, done);
            self.check_together(&calls, &ended, rounds.0);
            for (number, ended) in ended.iter_mut().enumerate() {
                if let (Some(None), Some((_, op, key, value))) = (*ended, job(number as u32)) {
                    *ended = Some(table.mixed(w, (op, key, value), stash).map(|said| said.tell(w)));
                }
            }
        });
        let said = |(call, answer): (&Call, &Option<_>)| together::ret(call.op, answer.flatten());
        Ret::Each(calls.iter().zip(&ended).map(said).collect())
    }

    /// Keys are where their hash says, and the nodes that buckets count are those that are neither private
    /// nor retired nor hold receipts.
    fn check_buckets<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Result<(), Breach> {
        let (table, pool, heads) = (self.table(m), self.pool(m), m.w64(HEADS));
        let buckets = self.config.buckets;
        let breach = |text: String| Err(Breach::new(Kind::Invariant, text));
        let (mut nodes, mut astray) = (0, None);
        for bucket in 0..buckets {
            nodes += table.bucket_stats(w, bucket).1;
            table.visit(w, bucket, |_, _, key, _| {
                let home = home_of::<E::Key>(buckets, key.to_bits() as u64);
                astray = astray.take().or_else(|| (home != bucket).then(|| format!("key {key:?}")));
            });
            // Relaxed: read alone. Bit 31 says that the first node holds receipts.
            nodes += (heads.load(bucket as usize, ReadOrder::Relaxed) >> 31) as u32 & 1;
        }
        if let Some(key) = astray {
            return breach(format!("{key} is not in its bucket"));
        }
        let linked = (0..table.nodes::<W>())
            .map(NodeIndex)
            .filter(|&node| pool.is_used(node) && !pool.is_retired(node) && pool.stashes(node) == 0);
        let linked = linked.count();
        if nodes as usize == linked {
            return Ok(());
        }
        breach(format!("buckets count {nodes} nodes, with those of receipts, and there are {linked}"))
    }

    /// Checks what calls of lanes promise: how many rounds there are, and which calls have an answer.
    fn check_together<V>(&self, calls: &[Call], ended: &[Option<Option<V>>], rounds: u32) {
        let patience = self.config.reach;
        let most = calls.len() as u32 * patience.max(1);
        assert!(rounds <= most, "the lanes have run {rounds} rounds, and {most} are the most");
        for (number, (call, ended)) in calls.iter().zip(ended).enumerate() {
            let Some(answer) = ended else { panic!("call {number} of the lanes has not ended") };
            let is_search = call.op == Op::Search;
            // A call loses to each of the others of its warp once.
            let is_decided = self.is_decided && patience >= calls.len() as u32;
            if is_search || is_decided {
                assert!(answer.is_some(), "call {number} of the lanes has no answer");
            } else if patience == 0 {
                assert!(answer.is_none(), "call {number} of the lanes has an answer without patience");
            }
        }
    }

    const fn node_words(&self) -> usize {
        self.config.lanes as usize * S
    }
}

impl<E: Entry, R: Reuse, const S: usize> Subject for WaitFreeSubject<E, R, S> {
    type Spec = WaitFreeSpec;

    fn spec(&self) -> WaitFreeSpec {
        WaitFreeSpec { may_fill: self.may_fill }
    }

    fn arrays(&self) -> Vec<Array> {
        let (used, stashes, nodes) = self.at_first();
        let used: Vec<u128> = used.into_iter().map(u128::from).collect();
        let stashes = stashes.into_iter().map(|stash| stash.bits().into()).collect();
        let mut arrays = vec![
            Array::new("heads", 64, vec![EMPTY_HEAD.into(); self.config.buckets as usize]),
            Array::new("announced", 64, vec![0; self.warps]),
            Array::new("requests", E::WIDTH, vec![0; self.warps]),
            Array::new("stashes", 64, stashes),
            Array::new("retired", 32, vec![0; R::RETIRED * used.len()]),
            Array::new("used", 32, used),
            Array::new("nodes", E::WIDTH, vec![0; nodes * self.node_words()]),
        ];
        arrays.extend(R::arrays());
        arrays
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        if call.op == RECLAIM {
            for word in 0..m.w32(USED).len() {
                R::reclaim(m, word);
            }
            return Ret::Done;
        }
        if call.op == TOGETHER {
            return self.run_together(w, m, call);
        }
        let Some(key) = UserKey::new(E::Key::from_bits(call.key.into())) else { return Ret::Done };
        let (table, value) = (self.table(m), E::Value::from_bits(call.value.into()));
        match call.op {
            Op::InsertUnique => table.insert_unique(w, key, value).into(),
            Op::InsertOrAssign => table.insert_or_assign(w, key, value).into(),
            Op::Delete => table.delete(w, key).map_or(Ret::Full, Ret::from),
            IN_PLACE => table.delete_in_place(w, key).into(),
            _ => Ret::Value(table.search(w, key).map(|value| value.to_bits() as u64)),
        }
    }

    fn key(&self, call: &Call) -> u64 {
        if self.together { 0 } else { call.key }
    }

    /// An exchange, or an announcement, ends a round.
    fn bound(&self, call: &Call) -> Option<u32> {
        match call.op {
            Op::Search | IN_PLACE => Some(0),
            _ if self.config.reach >= super::places::NEVER => None,
            // What lanes leave begins again with the patience.
            TOGETHER => Some(together::len(call) as u32 * (self.config.reach + self.rounds())),
            _ => Some(self.rounds()),
        }
    }

    fn counts(&self, array: usize, access: Access) -> bool {
        array == HEADS && matches!(access, Access::Exchange { .. })
    }

    /// A search never waits.
    fn reads_after_stall(&self) -> bool {
        true
    }

    fn check_state<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Result<(), Breach> {
        let table = self.table(m);
        table.check_state(w).map_err(breach)?;
        if self.may_be_empty { Ok(()) } else { table.check_occupied(w).map_err(breach) }
    }

    /// The table is right by its own account, and lists what searches find. Nodes that were left still have
    /// their entries, so the words alone do not say what the table holds.
    fn check_quiescent<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Result<(), Breach> {
        let (table, nodes) = (self.table(m), E::words(m, NODES));
        table.check_quiescent(w).map_err(breach)?;
        let slots = (0..nodes.len()).filter(|at| (at + 1) % self.node_words() != 0);
        // Relaxed: read alone.
        let named = slots.map(|at| E::key(nodes.load(at, ReadOrder::Relaxed)));
        let named: BTreeSet<u128> = named.map(Word::to_bits).collect();
        let find = |key| {
            let value = table.search(w, UserKey::new(E::Key::from_bits(key))?)?;
            Some((key, value.to_bits()))
        };
        let held = named.into_iter().filter_map(find).collect();
        self.check_buckets(w, m)?;
        let live = |w: &mut W, part| table.bucket_stats(w, part).0;
        check_list(w, table.buckets(), held, live, |w, part, sink| table.visit(w, part, sink))
    }

    /// There is no free node.
    fn exhausted<M: Memory>(&self, m: M, _key: u64) -> Option<bool> {
        let used = m.w32(USED);
        // Relaxed: read alone.
        Some((0..used.len()).all(|at| used.load(at, ReadOrder::Relaxed) == u32::MAX))
    }

    fn show(&self, array: usize, index: usize, value: u128) -> String {
        let bits = value as u64;
        match array {
            HEADS => warpproof_model::waitfree::show_head::<R::Counters>(bits),
            ANNOUNCED => warpproof_model::waitfree::show_announcement::<R::Counters>(bits),
            STASHES => nodes_of(Stash::from_bits(bits)),
            EPOCHS => bits.to_string(),
            USED | RETIRED => format!("{value:#b}"),
            _ if index % self.node_words() == self.node_words() - 1 && array == NODES => {
                match value as u32 & 0x7fff_ffff {
                    0x7fff_ffff => "end".to_string(),
                    node => format!("to {node}"),
                }
            }
            _ => match E::key(Word::from_bits(value)) {
                key if key == E::key(E::EMPTY) => "empty".to_string(),
                _ => show::<E>(Word::from_bits(value)),
            },
        }
    }

    fn word(&self, array: usize, index: usize) -> String {
        match array {
            HEADS => format!("head {index}"),
            ANNOUNCED => format!("announced, of warp {index}"),
            REQUESTS => format!("request, of warp {index}"),
            STASHES => format!("stash, of warp {index}"),
            USED => format!("used {index}"),
            RETIRED => format!("retired {index}"),
            EPOCHS => ["epoch", "inside, of even epochs", "inside, of odd epochs"][index].to_string(),
            _ => format!("node {}, word {}", index / self.node_words(), index % self.node_words()),
        }
    }

    fn about(&self) -> Vec<String> {
        vec![
            format!(
                "{}, each a chain of nodes that do not change once the head leads to them: who changes something writes new \
                 nodes and exchanges the head.",
                plural(self.config.buckets as usize, "bucket"),
            ),
            format!(
                "Nodes have room for {}; a node with receipts comes first in its chain and says what was answered to calls \
                 that other warps have announced. The bucket of a key: {}.",
                plural(self.node_words() - 1, "key"),
                homes_of_keys::<E::Key>(self.config.buckets),
            ),
        ]
    }
}

/// The nodes of a stash, in words.
fn nodes_of(stash: Stash) -> String {
    // Scenarios have fewer.
    let held: Vec<String> = (0..64).filter(|&node| stash.has(node)).map(|node| node.to_string()).collect();
    format!("nodes {}", held.join(" "))
}

/// What does not hold of the table.
fn breach(broken: Broken) -> Breach {
    let kind = match broken {
        Broken::LostNode { .. } => Kind::LostSlab,
        _ => Kind::Invariant,
    };
    Breach::new(kind, broken.to_string())
}
