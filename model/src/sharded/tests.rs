//! The rounds of one rank of two, to which the other one sends what a script says.

use super::carry::{Cargo, Carrier, PLACE_WORDS, Part, Prepared};
use super::exchange::Exchange;
use super::header::{Header, Kind};
use super::lost::{Lost, Why};
use super::rounds::{Exchanged, Failed, Rounds, Said};
use super::route::Route;
use crate::host::Refused;
use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;
use core::cell::RefCell;

/// Items of one word, answers with values.
const GET: Kind = Kind { code: 6, width: 1, valued: true };
/// Items of two words, answers without values.
const PUT: Kind = Kind { code: 5, width: 2, valued: false };

/// Rank 0, and rank 1 if there are two.
struct Scripted {
    ranks: u32,
    bin: usize,
    /// What rank 1 sends. It is late for what comes after that.
    script: VecDeque<Vec<u64>>,
    /// What rank 0 has sent.
    sent: Vec<Vec<Vec<u64>>>,
    lost: Option<Lost>,
}

impl Exchange for Scripted {
    fn rank(&self) -> u32 {
        0
    }
    fn ranks(&self) -> u32 {
        self.ranks
    }
    fn bin_words(&self) -> usize {
        self.bin
    }
    fn all_to_all(&mut self, messages: &mut [Vec<u64>]) -> Result<(), Lost> {
        self.sent.push(messages.to_vec());
        if let Some(lost) = self.lost {
            return Err(lost);
        }
        match self.script.pop_front() {
            Some(message) => messages[1] = message,
            None => return Err(self.lose(Why::Late, 1)),
        }
        Ok(())
    }
    fn lose(&mut self, why: Why, rank: u32) -> Lost {
        *self.lost.get_or_insert(Lost { why, rank, message: self.sent.len() as u32 })
    }
}

fn exchange(ranks: u32, bin: usize) -> Scripted {
    Scripted { ranks, bin, script: VecDeque::new(), sent: Vec::new(), lost: None }
}

/// Rounds with bins of so many words, in which rank 1 sends these messages.
fn rounds(bin: usize, script: impl IntoIterator<Item = Vec<u64>>) -> Rounds<Scripted> {
    Rounds::new(Scripted { script: script.into_iter().collect(), ..exchange(2, bin) }).expect("rounds")
}

/// The header of so many items.
const fn of(kind: Kind, items: u32) -> Header {
    Header { kind, more: false, answers: false, failed: false, items }
}

const fn more(kind: Kind, items: u32) -> Header {
    Header { more: true, ..of(kind, items) }
}

const fn answers(kind: Kind, items: u32) -> Header {
    Header { answers: true, ..of(kind, items) }
}

const fn failed(kind: Kind) -> Header {
    Header { failed: true, ..answers(kind, 0) }
}

fn message(header: Header, words: &[u64]) -> Vec<u64> {
    [&[header.word()], words].concat()
}

const fn lost(why: Why, rank: u32, message: u32) -> Lost {
    Lost { why, rank, message }
}

/// What a shard says: the last byte of an item, and its double.
fn said(items: &[u64]) -> Said {
    Said {
        codes: items.iter().map(|item| *item as u8).collect(),
        values: items.iter().map(|item| 2 * item).collect(),
    }
}

/// A batch of one item for rank 1.
fn one_item(rounds: &mut Rounds<Scripted>) -> Result<Said, Failed<&'static str>> {
    rounds.run(GET, Route::new(2, 1, |_| 1), |_, message| message.push(7), |items| Ok(said(items)))
}

const REFUSED: Refused = Refused::Nothing { what: "batch" };

#[test]
fn an_exchange_has_a_rank_and_room_for_an_item() {
    let refused = |ranks, bin| Rounds::new(exchange(ranks, bin)).err();
    assert_eq!(Rounds::<Scripted>::LEAST_BIN, 4);
    assert_eq!(refused(0, 4), Some(Refused::Nothing { what: "rank" }));
    let small = Refused::Nothing { what: "bin with room for a header and an item" };
    assert_eq!(refused(1, 3), Some(small));
    assert_eq!((refused(1, 4), refused(2, 4)), (None, None));
}

#[test]
fn a_batch_goes_to_owners_and_answers_come_to_their_places() {
    let mut rounds = rounds(
        5,
        [
            message(of(GET, 1), &[77]),
            message(answers(GET, 2), &[0x6664, 200, 204]),
            message(of(GET, 0), &[]),
            message(answers(GET, 1), &[0x67, 206]),
        ],
    );
    let route = Route::new(2, 5, |item| [1, 0, 1, 1, 0][item]);
    let mut ran = Vec::new();
    let whole = rounds.run(
        GET,
        route,
        |place, message| message.push(100 + place as u64),
        |items| {
            ran.push(items.to_vec());
            Ok::<_, ()>(said(items))
        },
    );
    assert_eq!(whole, Ok(said(&[100, 101, 102, 103, 104])));
    assert_eq!(ran, [vec![101, 104, 77], vec![]]);
    let sent = [
        [message(more(GET, 2), &[101, 104]), message(more(GET, 2), &[100, 102])],
        [message(answers(GET, 2), &[0x6865, 202, 208]), message(answers(GET, 1), &[77, 154])],
        [message(of(GET, 0), &[]), message(of(GET, 1), &[103])],
        [message(answers(GET, 0), &[]), message(answers(GET, 0), &[])],
    ];
    assert_eq!(rounds.exchange().sent, sent);
    assert_eq!(rounds.exchanged(), Exchanged { batches: 1, rounds: 2, items: 3, words: 9 });
}

#[test]
fn a_rank_whose_batch_is_refused_takes_part() {
    let round = || [message(of(GET, 1), &[77]), message(answers(GET, 0), &[])];
    let own = [message(of(GET, 0), &[]), message(answers(GET, 1), &[7, 14])];
    let mut rounds = rounds(5, [round(), round(), own].concat());
    for batch in 1..=2 {
        let mut ran = 0;
        let run = |items: &[u64]| {
            ran += 1;
            assert_eq!(items, [77]);
            Ok::<_, ()>(said(items))
        };
        let refused = rounds.run(GET, Err(REFUSED), |_, _| panic!("an item"), run);
        assert_eq!((refused, ran), (Err(Failed::Refused(REFUSED)), 1));
        let nothing = [message(of(GET, 0), &[]), message(of(GET, 0), &[])];
        let sent = &rounds.exchange().sent;
        assert_eq!(sent[sent.len() - 2], nothing);
        assert_eq!(sent[sent.len() - 1][1], message(answers(GET, 1), &[77, 154]));
        assert_eq!(rounds.exchanged(), Exchanged { batches: 0, rounds: batch, items: 0, words: 4 * batch });
    }
    assert_eq!(one_item(&mut rounds), Ok(said(&[7])));
    assert_eq!(rounds.exchanged(), Exchanged { batches: 1, rounds: 3, items: 1, words: 11 });
}

/// A rank whose `run` panics may go on, as others see that it differs.
#[test]
fn a_refused_batch_after_a_panic_is_refused() {
    let round = || [message(of(GET, 1), &[77]), message(answers(GET, 0), &[])];
    let mut rounds = rounds(5, [message(of(GET, 1), &[76])].into_iter().chain(round()));
    std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
        let _ = rounds.run(GET, Ok(Route::empty()), |_, _| (), |_| -> Result<Said, ()> { panic!("a shard") });
    }))
    .expect_err("a panic");
    let refused = rounds.run(GET, Err(REFUSED), |_, _| (), |items| Ok::<_, ()>(said(items)));
    assert_eq!(refused, Err(Failed::Refused(REFUSED)));
}

#[test]
fn a_shard_that_fails_says_so_to_all() {
    let mut rounds = rounds(
        5,
        [
            message(of(GET, 1), &[77]),
            message(answers(GET, 1), &[7, 14]),
            message(of(GET, 1), &[77]),
            message(failed(GET), &[]),
        ],
    );
    let route = || Route::new(2, 1, |_| 1);
    let own = rounds.run(GET, route(), |_, message| message.push(7), |_| Err("no memory"));
    assert_eq!(own, Err(Failed::Shard("no memory")));
    assert_eq!(rounds.exchange().sent[1], [message(failed(GET), &[]), message(failed(GET), &[])]);
    assert_eq!(one_item(&mut rounds), Err(Failed::Peer(1)));
    assert_eq!(rounds.exchanged(), Exchanged { batches: 0, rounds: 2, items: 2, words: 8 });
}

#[test]
fn a_shard_that_leaves_out_an_answer_loses_the_exchange() {
    let mut rounds = rounds(5, [message(of(GET, 2), &[77, 78])]);
    let fewer = rounds.run(GET, Ok(Route::empty()), |_, _| (), |items| Ok::<_, ()>(said(&items[1..])));
    let lost = lost(Why::Malformed, 0, 1);
    assert_eq!(fewer, Err(Failed::Lost(lost)));
    assert_eq!(rounds.words(PUT, 1), Err(lost));
}

#[test]
fn a_shard_that_leaves_out_a_value_loses_the_exchange() {
    let mut rounds = rounds(5, [message(of(GET, 2), &[77, 78])]);
    let codes = |items: &[u64]| Ok::<_, ()>(Said { values: vec![154], ..said(items) });
    let fewer = rounds.run(GET, Ok(Route::empty()), |_, _| (), codes);
    assert_eq!(fewer, Err(Failed::Lost(lost(Why::Malformed, 0, 1))));
}

#[test]
fn a_message_has_as_many_words_as_its_items_need() {
    for words in [&[][..], &[77], &[77, 1, 78], &[77, 1, 78, 2, 79]] {
        let mut rounds = rounds(6, [message(of(PUT, 2), words)]);
        let ran = rounds.run(PUT, Ok(Route::empty()), |_, _| (), |_| -> Result<Said, ()> { panic!("items") });
        assert_eq!(ran, Err(Failed::Lost(lost(Why::Malformed, 1, 1))));
    }
}

#[test]
fn each_rank_gets_a_word_of_all() {
    let mut rounds = rounds(4, [message(of(PUT, 1), &[22]), message(of(PUT, 1), &[44])]);
    assert_eq!(rounds.words(PUT, 11), Ok(&[11, 22][..]));
    assert_eq!(rounds.words(PUT, 33), Ok(&[33, 44][..]));
    let sent = [11, 33].map(|word| [message(of(PUT, 1), &[word]), message(of(PUT, 1), &[word])]);
    assert_eq!(rounds.exchange().sent, sent);
    assert_eq!(rounds.exchanged(), Exchanged { batches: 0, rounds: 0, items: 0, words: 4 });
    assert_eq!(rounds.words(PUT, 55), Err(lost(Why::Late, 1, 3)));
}

#[test]
fn a_word_of_another_call_or_none_loses_the_exchange() {
    for (wrong, why) in [
        (message(of(GET, 1), &[22]), Why::Differs),
        (message(answers(PUT, 1), &[22]), Why::Differs),
        (message(of(PUT, 1), &[]), Why::Malformed),
        (vec![22, 22], Why::Malformed),
        (vec![], Why::Malformed),
    ] {
        let mut rounds = rounds(4, [wrong]);
        assert_eq!(rounds.words(PUT, 11), Err(lost(why, 1, 1)));
    }
}

#[test]
fn entries_of_all_ranks_come_a_bin_of_each_at_a_time() {
    let script = || {
        [message(more(PUT, 1), &[10, 20]), message(more(PUT, 0), &[]), message(of(PUT, 2), &[11, 21, 12, 22])]
    };
    let mut all = rounds(5, script());
    let entries = [(1u64, 2u64), (3, 4), (5, 6)];
    let mut taken = Vec::new();
    all.gather(PUT, &entries, |words| taken.push(words.to_vec())).expect("entries");
    assert_eq!(taken, [vec![1, 2, 3, 4, 10, 20], vec![5, 6], vec![11, 21, 12, 22]]);
    let both = |message: Vec<u64>| [message.clone(), message];
    let sent = [message(more(PUT, 2), &[1, 2, 3, 4]), message(of(PUT, 1), &[5, 6]), message(of(PUT, 0), &[])];
    assert_eq!(all.exchange().sent, sent.map(both));
    assert_eq!(all.exchanged(), Exchanged { batches: 0, rounds: 0, items: 0, words: 9 });

    let mut late = rounds(5, script().into_iter().take(2));
    let mut taken = 0;
    assert_eq!(late.gather(PUT, &entries, |_| taken += 1), Err(lost(Why::Late, 1, 3)));
    assert_eq!(taken, 2);
}

/// What a carrier was asked for.
#[derive(Clone, PartialEq, Debug)]
enum Asked {
    Take(Cargo, [Part; 2], [Part; 2]),
    Run(usize),
    Wait,
}

/// A carrier that writes down what it is asked for, and fails the first time that it is asked for `fails`.
struct Noted<'a> {
    asked: &'a RefCell<Vec<Asked>>,
    fails: Option<usize>,
}

impl Noted<'_> {
    fn note(&self, asked: Asked) -> Result<(), &'static str> {
        let mut all = self.asked.borrow_mut();
        all.push(asked);
        if self.fails == Some(all.len()) { Err("failed") } else { Ok(()) }
    }
}

/// Where items are, and answers, of rank 0.
const fn place(cargo: Cargo, first: usize) -> [u64; PLACE_WORDS] {
    [if matches!(cargo, Cargo::Items) { 1 } else { 2 }, first as u64, 0]
}

const fn items(first: usize, items: usize) -> Part {
    Part { place: place(Cargo::Items, first), first, items }
}

const fn answered(first: usize, items: usize) -> Part {
    Part { place: place(Cargo::Answers, first), first, items }
}

/// What rank 1 has, at a place of its own.
const fn of_peer(word: u64, first: usize, items: usize) -> Part {
    Part { place: [word; PLACE_WORDS], first, items }
}

impl Carrier for Noted<'_> {
    type Error = &'static str;

    fn place(&self, cargo: Cargo, first: usize) -> [u64; PLACE_WORDS] {
        place(cargo, first)
    }
    fn take(&mut self, cargo: Cargo, given: &[Part], taken: &[Part]) -> Result<(), Self::Error> {
        let two = |parts: &[Part]| parts.try_into().expect("a part of each rank");
        self.note(Asked::Take(cargo, two(given), two(taken)))
    }
    fn run(&mut self, items: usize) -> Result<(), Self::Error> {
        self.note(Asked::Run(items))
    }
    fn wait(&mut self) -> Result<(), Self::Error> {
        self.note(Asked::Wait)
    }
}

/// Carries a batch whose items begin at `starts`, with a carrier that fails when it is asked for the
/// `fails`th time. Returns what came of it, and what the carrier was asked for.
fn carry(
    rounds: &mut Rounds<Scripted>,
    kind: Kind,
    (starts, most): (Result<Vec<usize>, &'static str>, usize),
    fails: Option<usize>,
) -> (Result<(), Failed<&'static str>>, Vec<Asked>) {
    let asked = RefCell::new(Vec::new());
    let prepare = |_: &Scripted| Prepared { carrier: Noted { asked: &asked, fails }, starts, most };
    let ended = rounds.carry(kind, prepare).map(|_| ());
    (ended, asked.into_inner())
}

/// The messages to both ranks: headers, and where these parts are.
fn told(header: Header, parts: [Part; 2]) -> [Vec<u64>; 2] {
    parts.map(|part| message(Header { items: part.items as u32, ..header }, &part.place))
}

#[test]
fn carried_items_take_as_many_rounds_as_they_need() {
    use Cargo::{Answers, Items};
    let kind = GET.carried();
    let mut rounds = rounds(
        4,
        [
            message(of(kind, 1), &[9, 9, 9]),
            message(answers(kind, 2), &[8, 8, 8]),
            message(of(kind, 0), &[7, 7, 7]),
            message(answers(kind, 1), &[6, 6, 6]),
        ],
    );
    let (ended, asked) = carry(&mut rounds, GET, (Ok(vec![0, 2, 5]), 2), None);
    assert_eq!(ended, Ok(()));
    let (given, back) = ([items(0, 2), items(2, 2)], [answered(0, 2), answered(2, 1)]);
    let (last, none) = ([items(2, 0), items(4, 1)], [answered(0, 0), answered(0, 0)]);
    let expected = [
        Asked::Wait,
        Asked::Take(Items, given, [items(0, 2), of_peer(9, 2, 1)]),
        Asked::Run(3),
        Asked::Wait,
        Asked::Take(Answers, back, [answered(0, 2), of_peer(8, 2, 2)]),
        Asked::Wait,
        Asked::Take(Items, last, [Part { first: 0, ..items(2, 0) }, of_peer(7, 0, 0)]),
        Asked::Run(0),
        Asked::Wait,
        Asked::Take(Answers, none, [Part { first: 2, ..answered(0, 0) }, of_peer(6, 4, 1)]),
    ];
    assert_eq!(asked, expected);
    let sent = [
        told(more(kind, 0), given),
        told(answers(kind, 0), back),
        told(of(kind, 0), last),
        told(answers(kind, 0), none),
    ];
    assert_eq!(rounds.exchange().sent, sent);
    // Four messages of four words. Of the first round, two items, and the code and the value of an answer; of
    // the second one, an item.
    assert_eq!(rounds.exchanged(), Exchanged { batches: 1, rounds: 2, items: 3, words: 16 + 4 + 1 });
}

#[test]
fn a_carrier_moves_an_item_at_least() {
    let kind = PUT.carried();
    let script = [message(of(kind, 1), &[9, 9, 9]), message(answers(kind, 1), &[8, 8, 8])];
    let mut rounds = rounds(4, script);
    let (ended, asked) = carry(&mut rounds, PUT, (Ok(vec![0, 0, 1]), 0), None);
    assert_eq!((ended, asked.len(), &asked[2]), (Ok(()), 5, &Asked::Run(1)));
    // Two messages, an item of two words, and the code of an answer.
    assert_eq!(rounds.exchanged(), Exchanged { batches: 1, rounds: 1, items: 1, words: 8 + 2 + 1 });
}

/// The codes of eight answers take a word.
#[test]
fn answers_of_a_carrier_are_counted_by_the_words_of_their_codes() {
    let kind = PUT.carried();
    for (answered, words) in [(7, 1), (8, 1), (9, 2)] {
        let script = [message(of(kind, answered), &[9, 9, 9]), message(answers(kind, 0), &[8, 8, 8])];
        let mut rounds = rounds(4, script);
        assert_eq!(carry(&mut rounds, PUT, (Ok(vec![0, 0, 0]), 9), None).0, Ok(()));
        assert_eq!(rounds.exchanged(), Exchanged { batches: 1, rounds: 1, items: 0, words: 8 + words });
    }
}

#[test]
fn a_rank_that_could_not_prepare_its_items_has_none() {
    let kind = GET.carried();
    let mut rounds = rounds(
        4,
        [
            message(more(kind, 1), &[9, 9, 9]),
            message(answers(kind, 0), &[8, 8, 8]),
            message(of(kind, 1), &[9, 9, 9]),
            message(answers(kind, 0), &[8, 8, 8]),
        ],
    );
    let (ended, asked) = carry(&mut rounds, GET, (Err("refused"), 1), None);
    assert_eq!(ended, Err(Failed::Shard("refused")));
    assert_eq!((&asked[2], &asked[7], asked.len()), (&Asked::Run(1), &Asked::Run(1), 10));
    let none = told(of(kind, 0), [items(0, 0), items(0, 0)]);
    assert_eq!([&rounds.exchange().sent[0], &rounds.exchange().sent[2]], [&none, &none]);
    // Four messages, and in each round an answer with its value.
    assert_eq!(rounds.exchanged(), Exchanged { batches: 0, rounds: 2, items: 0, words: 16 + 4 });
}

#[test]
fn a_carrier_that_fails_between_rounds_gives_nothing_more() {
    let kind = GET.carried();
    let mut rounds = rounds(
        4,
        [
            message(more(kind, 0), &[9, 9, 9]),
            message(answers(kind, 1), &[8, 8, 8]),
            message(of(kind, 0), &[9, 9, 9]),
            message(answers(kind, 0), &[8, 8, 8]),
        ],
    );
    // The sixth call is the wait at the beginning of the second of three rounds.
    let (ended, asked) = carry(&mut rounds, GET, (Ok(vec![0, 0, 3]), 1), Some(6));
    assert_eq!(ended, Err(Failed::Shard("failed")));
    assert_eq!((asked.len(), &asked[5]), (10, &Asked::Wait));
    let sent = &rounds.exchange().sent;
    assert_eq!(sent[0], told(more(kind, 0), [items(0, 0), items(0, 1)]));
    assert_eq!(sent[2], told(of(kind, 0), [items(0, 0), items(1, 0)]));
    assert_eq!(rounds.exchanged(), Exchanged { batches: 0, rounds: 2, items: 1, words: 16 + 1 });
}

#[test]
fn a_carrier_that_cannot_run_items_has_no_answers() {
    let kind = GET.carried();
    let mut rounds = rounds(
        4,
        [
            message(of(kind, 1), &[9, 9, 9]),
            message(answers(kind, 1), &[8, 8, 8]),
            message(of(kind, 1), &[9, 9, 9]),
            message(failed(kind), &[8, 8, 8]),
        ],
    );
    let (ended, asked) = carry(&mut rounds, GET, (Ok(vec![0, 1, 2]), 1), Some(3));
    assert_eq!(ended, Err(Failed::Shard("failed")));
    let none = [answered(0, 0), answered(1, 0)];
    let own = Part { first: 0, ..answered(0, 0) };
    assert_eq!(asked[2..], [Asked::Run(2), Asked::Take(Cargo::Answers, none, [own, of_peer(8, 1, 1)])]);
    assert_eq!(rounds.exchange().sent[1], told(failed(kind), none));
    let (ended, asked) = carry(&mut rounds, GET, (Ok(vec![0, 1, 2]), 1), None);
    assert_eq!((ended, asked.len()), (Err(Failed::Peer(1)), 5));
}

#[test]
fn a_carrier_that_cannot_take_the_last_answers_fails() {
    let kind = GET.carried();
    let script = [message(of(kind, 0), &[9, 9, 9]), message(answers(kind, 1), &[8, 8, 8])];
    let mut rounds = rounds(4, script);
    let (ended, asked) = carry(&mut rounds, GET, (Ok(vec![0, 0, 1]), 1), Some(5));
    assert_eq!((ended, asked.len()), (Err(Failed::Shard("failed")), 5));
    assert_eq!(rounds.exchanged().batches, 0);
}

#[test]
fn parts_are_as_long_as_promised() {
    let kind = GET.carried();
    let batch = || (Ok(vec![0, 0, 2]), 2);
    let mut long = rounds(4, [message(of(kind, 3), &[9, 9, 9])]);
    assert_eq!(carry(&mut long, GET, batch(), None).0, Err(Failed::Lost(lost(Why::Malformed, 1, 1))));
    let script = [message(of(kind, 0), &[9, 9, 9]), message(answers(kind, 1), &[8, 8, 8])];
    let mut short = rounds(4, script);
    assert_eq!(carry(&mut short, GET, batch(), None).0, Err(Failed::Lost(lost(Why::Malformed, 1, 2))));
}

/// Its items may still be read, so that it must not prepare others.
#[test]
fn a_rank_that_has_lost_the_exchange_carries_nothing() {
    let mut rounds = rounds(4, []);
    let late = lost(Why::Late, 1, 1);
    assert_eq!(rounds.words(PUT, 1), Err(late));
    let prepare = |_: &Scripted| -> Prepared<Noted<'_>> { panic!("items of a lost exchange") };
    assert_eq!(rounds.carry(GET, prepare).err(), Some(Failed::Lost(late)));
    assert_eq!(rounds.exchange().sent.len(), 1);
}
