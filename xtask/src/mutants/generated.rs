//! `cargo xtask mutants --generated`: mutants of the model that a program generates.
//!
//! All are in one program, which is told which mutant to run as. Each is judged by the scenarios that reach
//! its place, the shortest first, within a number of seconds, and by the unit tests of the model, after the
//! first of these scenarios. The table is written for the selected files; the others keep their rows.

use super::asker::{Asker, Question, Reached, Set};
use super::copy::ran;
use super::files;
use super::judge::{Fate, UNIT_TEST, asker, explored};
use super::program::Program;
use super::reach::{ByTests, Reach};
use super::reasons;
use super::schemata::{Generated, Left, Schema};
use super::store::{Judged, Store};
use super::table::{Row, table};
use crate::shell::{Outcome, read, root, write};
use rayon::prelude::*;
use serde_json::Value;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The least CPU time limit of a worker.
const LEAST: Duration = Duration::from_secs(20);

/// The ends of the parts of the scenarios, in seconds; the shortest scenarios come first. All mutants are
/// judged by the first part before any is judged by the next: most are killed there, and a mutant that loops
/// loops there. The unit tests come after the first part.
const PARTS: [f64; 3] = [1.0, 5.0, f64::INFINITY];

/// Seconds of the scenarios that have killed other mutants of a file. They come before the last part, also
/// those that take longer than all parts may.
const KIN: f64 = 120.0;

/// Seconds that the scenarios of one mutant may take together, by default.
pub(crate) const WITHIN: u32 = 60;

/// Checks the mutants of the files with `filter` in their path, and writes their rows. Of the scenarios that
/// reach a mutant, those are explored that take the original so many seconds together, the shortest first.
pub(crate) fn run_generated(filter: &str, within: u32) -> Outcome<()> {
    let schemas = schemas()?;
    let mutants: Vec<Generated> = schemas.iter().flat_map(Schema::mutants).collect();
    let names: HashSet<&str> = mutants.iter().map(|mutant| &*mutant.name).collect();
    let reasons_path = root().join("tests/mutants/generated.txt");
    let reasons = reasons::parse(&read(&reasons_path)?, &names)
        .map_err(|error| format!("{}: {error}", reasons_path.display()))?;
    let asked: Vec<&Generated> = mutants.iter().filter(|mutant| mutant.file.contains(filter)).collect();
    if asked.is_empty() {
        return Err(format!("no file of model/src with {filter} in its path has mutants"));
    }
    let store = Store::open(&mutants, within, |name| reasons.contains_key(name))?;
    let all = judge_all(&schemas, mutants.len(), &asked, within, store)?;
    let rows: Vec<Row<'_>> = asked
        .iter()
        .zip(&all)
        .map(|(mutant, judged)| Row { mutant, judged, reason: reasons.get(&mutant.name) })
        .collect();
    let path = root().join("tests/mutants/generated.md");
    write(&path, &table(&read(&path)?, &rows)?)?;
    let faults: Vec<String> = rows.iter().filter_map(Row::fault).collect();
    println!("{} mutants, {} not as they should be", rows.len(), faults.len());
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

/// The files that mutants are made of.
fn schemas() -> Outcome<Vec<Schema>> {
    let mut next = 1;
    let files = files::all()?;
    let with_mutants = files.iter().filter(|file| files::excluded(file).is_none());
    let schemas = with_mutants.map(|file| Schema::new(file, read(&root().join(file))?, &mut next));
    schemas.collect()
}

/// The fate of each mutant.
fn judge_all(
    schemas: &[Schema],
    count: usize,
    mutants: &[&Generated],
    within: u32,
    store: Store,
) -> Outcome<Vec<Judged>> {
    let known = mutants.iter().filter(|mutant| store.get(mutant).is_some()).count();
    println!("{} mutants of {count}, {known} known from an earlier run", mutants.len());
    if known == mutants.len() {
        return Ok(mutants.iter().filter_map(|mutant| store.get(mutant)).collect());
    }
    let court = Court::new(schemas, count, mutants, &store, within)?;
    let start = Instant::now();
    let unknown = mutants.iter().filter(|mutant| store.get(mutant).is_none());
    let mut pending: Vec<Pending<'_>> = unknown.map(|mutant| Pending::new(mutant)).collect();
    for one in &mut pending {
        one.kin = court.killers_of_kin(one.mutant, &store);
    }
    let store = Mutex::new(store);
    for part in 0..PARTS.len() {
        println!("{} mutants are judged by part {part} of their scenarios", pending.len());
        pending.par_iter_mut().with_max_len(1).try_for_each(|one| {
            let Some(judged) = court.judge(one, part)? else { return Ok(()) };
            let mutant = one.mutant;
            println!("{} ({}): {:?}  {:.1} s", mutant.name, mutant.place, judged.fate, judged.seconds);
            one.is_judged = true;
            store.lock().unwrap_or_else(PoisonError::into_inner).put(mutant, &judged)
        })?;
        pending.retain(|one| !one.is_judged);
    }
    println!("{:.0} s", start.elapsed().as_secs_f64());
    let store = store.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(mutants.iter().filter_map(|mutant| store.get(mutant)).collect())
}

/// A mutant that nothing has killed so far.
struct Pending<'a> {
    mutant: &'a Generated,
    /// The scenarios that it is judged by before the last part.
    kin: Vec<Reached>,
    executions: u64,
    seconds: f64,
    is_judged: bool,
}

impl<'a> Pending<'a> {
    const fn new(mutant: &'a Generated) -> Self {
        Self { mutant, kin: Vec::new(), executions: 0, seconds: 0.0, is_judged: false }
    }
}

/// Everything that judges a mutant.
struct Court {
    asker: Asker,
    program: Program,
    left: Left,
    /// What each set reaches.
    reach: HashMap<String, Reach>,
    tests: ByTests,
    structures: Vec<String>,
    within: u32,
}

/// A part of the scenarios that reach a mutant.
struct Part<'a> {
    scenarios: Vec<&'a Reached>,
    /// How many others come behind it.
    later: usize,
    /// How many reach the mutant too, and take too long.
    left: usize,
}

impl Court {
    /// Builds the program, and runs the original.
    fn new(
        schemas: &[Schema],
        count: usize,
        mutants: &[&Generated],
        store: &Store,
        within: u32,
    ) -> Outcome<Self> {
        let structures = super::structures()?;
        let asker = asker()?;
        let mut left = store.left()?;
        let program = Program::build(schemas, count, &mut left)?;
        store.keep_left(&left)?;
        println!("{} mutants of {count} do not compile", left.out.len());
        let mut reach: HashMap<String, Reach> = HashMap::new();
        for mutant in mutants {
            for set in files::sets(&mutant.file, &structures) {
                if let Entry::Vacant(new) = reach.entry(name_of(&set)) {
                    new.insert(Reach::of(&set, &asker, &program, store.version())?);
                }
            }
        }
        let tests = ByTests::of(&program)?;
        Ok(Self { asker, program, left, reach, tests, structures, within })
    }

    /// The fate of a mutant, if this part of its scenarios decides it.
    fn judge(&self, one: &mut Pending<'_>, part: usize) -> Outcome<Option<Judged>> {
        let start = Instant::now();
        let fate = self.fate(one, part)?;
        one.seconds += start.elapsed().as_secs_f64();
        Ok(fate.map(|fate| Judged { fate, seconds: one.seconds }))
    }

    fn fate(&self, one: &mut Pending<'_>, part: usize) -> Outcome<Option<Fate>> {
        let mutant = one.mutant;
        if self.left.out.contains(&mutant.number) {
            return Ok(Some(Fate::Unviable));
        }
        let Part { scenarios, later, left } = self.part(mutant, part);
        if part == PARTS.len() - 1
            && let killed @ Fate::Killed { .. } = self.explored(mutant, &one.kin)?
        {
            return Ok(Some(killed));
        }
        match self.explored(mutant, scenarios)? {
            Fate::Lives { executions } => one.executions += executions,
            killed => return Ok(Some(killed)),
        }
        if part == 0
            && self.tests.numbers.contains(&mutant.number)
            && let Some(test) = self.failed_test(mutant)?
        {
            return Ok(Some(Fate::Killed { how: UNIT_TEST.to_owned(), scenario: test, executions: None }));
        }
        if later > 0 {
            return Ok(None);
        }
        let executions = one.executions;
        Ok(Some(match (executions, left) {
            (0, 0) => Fate::NotReached,
            (_, 0) => Fate::Lives { executions },
            _ => Fate::Undecided { executions, left, within: self.within },
        }))
    }

    /// What these scenarios say of a mutant.
    fn explored<'a>(
        &self,
        mutant: &Generated,
        scenarios: impl IntoIterator<Item = &'a Reached>,
    ) -> Outcome<Fate> {
        let scenarios: Vec<&Reached> = scenarios.into_iter().collect();
        if scenarios.is_empty() {
            return Ok(Fate::Lives { executions: 0 });
        }
        let script = format!("export WARPPROOF_MUTANT={}; ", mutant.number);
        let seconds: f64 = scenarios.iter().map(|one| one.seconds).sum();
        let limit = Duration::from_secs_f64(seconds * 10.0).max(LEAST);
        let given: Vec<Value> = scenarios.iter().map(|one| one.scenario.clone()).collect();
        let question = Question { given: &given, workers: 1, ..Question::default() };
        explored(&self.asker, question, &self.program.worker, &script, limit)
    }

    /// The scenarios that reach a mutant and have killed others of its file, the shortest first, as far as
    /// [`KIN`] goes.
    fn killers_of_kin(&self, mutant: &Generated, store: &Store) -> Vec<Reached> {
        let kills = |one: &&Reached| {
            one.scenario["name"].as_str().is_some_and(|name| store.kills(&mutant.file, name))
        };
        let mut killers: Vec<&Reached> = self.reaching(mutant).filter(kills).collect();
        killers.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        let mut seconds = 0.0;
        let fits = |one: &&&Reached| {
            seconds += one.seconds;
            seconds <= KIN
        };
        killers.iter().take_while(fits).map(|one| (*one).clone()).collect()
    }

    /// The scenarios that reach a mutant.
    fn reaching(&self, mutant: &Generated) -> impl Iterator<Item = &Reached> {
        let sets = files::sets(&mutant.file, &self.structures);
        let reaches = sets.into_iter().filter_map(|set| self.reach.get(&name_of(&set)));
        let number = mutant.number;
        reaches.flat_map(|reach| &reach.scenarios).filter(move |one| one.numbers.contains(&number))
    }

    /// A part of the scenarios that reach a mutant, the shortest first.
    fn part(&self, mutant: &Generated, part: usize) -> Part<'_> {
        cut(self.reaching(mutant).collect(), part, self.within)
    }

    /// A unit test of the model that a mutant fails.
    fn failed_test(&self, mutant: &Generated) -> Outcome<Option<String>> {
        let mut tests = self.program.unit_tests();
        tests.env("WARPPROOF_MUTANT", mutant.number.to_string());
        let (text, passed) = ran(&mut tests)?;
        if passed {
            return Ok(None);
        }
        // `slab::packed::tests::entries_pack_and_unpack` is in the list of failures.
        let list = text.rsplit("failures:\n").next().unwrap_or_default();
        let name = list.lines().map(str::trim).find(|line| line.contains("::tests::") && !line.contains(' '));
        // If there is no list, the program was ended during a test.
        Ok(Some(name.unwrap_or("-").to_owned()))
    }
}

/// A part of these scenarios, of which all that are explored take so many seconds together.
fn cut(mut scenarios: Vec<&Reached>, part: usize, within: u32) -> Part<'_> {
    scenarios.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let (mut seconds, mut cut) = (0.0, Part { scenarios: Vec::new(), later: 0, left: 0 });
    for one in scenarios {
        seconds += one.seconds;
        let of = PARTS.iter().position(|most| seconds <= *most).unwrap_or(PARTS.len() - 1);
        if seconds > f64::from(within) {
            cut.left += 1;
        } else if of > part {
            cut.later += 1;
        } else if of == part {
            cut.scenarios.push(one);
        }
    }
    cut
}

fn name_of(set: &Set) -> String {
    format!("{} {:?}", set.structure, set.which)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_take_the_shortest_scenarios_first_as_far_as_the_time_goes() {
        let one = |seconds| Reached { scenario: Value::from(seconds), seconds, numbers: Vec::new() };
        let all = [30.0, 0.6, 3.0, 0.3, 40.0].map(one);
        let of = |part, within| {
            let Part { scenarios, later, left } = cut(all.iter().collect(), part, within);
            (scenarios.iter().map(|one| one.seconds).collect::<Vec<_>>(), later, left)
        };
        assert_eq!([0, 1, 2].map(|part| of(part, 60).0), [vec![0.3, 0.6], vec![3.0], vec![30.0]]);
        assert_eq!([0, 1, 2].map(|part| of(part, 60).1), [2, 1, 0]);
        assert_eq!([0, 1, 2].map(|part| of(part, 60).2), [1, 1, 1], "40 s are beyond 60 s");
        assert_eq!(of(2, 100), (vec![30.0, 40.0], 0, 0));
        assert_eq!(of(0, 1), (vec![0.3, 0.6], 0, 3));
    }

    #[test]
    fn every_reason_is_of_one_of_thousands_of_mutants() {
        let schemas = schemas().expect("files");
        let mutants: Vec<Generated> = schemas.iter().flat_map(Schema::mutants).collect();
        assert!(mutants.len() > 3000, "{}", mutants.len());
        assert!((1..).zip(&mutants).all(|(number, mutant)| mutant.number == number));
        let names: HashSet<&str> = mutants.iter().map(|mutant| &*mutant.name).collect();
        assert_eq!(names.len(), mutants.len(), "no name stands twice");
        let text = read(&root().join("tests/mutants/generated.txt")).expect("reasons");
        assert!(reasons::parse(&text, &names).expect("reasons").len() > 20);
    }
}
