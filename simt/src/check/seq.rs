//! One warp alone: memory and a warp for sequential runs. The checkers also use it to examine invariants on a
//! copy of the memory.

use crate::check::panics::explored;
use crate::check::{Access, Array, ArrayWarp, Cells, Handle, Hooks, Memory, View, message};
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// A warp of `L` lanes that runs alone. `SeqWarp::<4>::default()`.
pub type SeqWarp<const L: usize> = ArrayWarp<'static, L>;

impl<const L: usize> Default for SeqWarp<L> {
    fn default() -> Self {
        Self::new(&Alone(0))
    }
}

/// The hooks of the warp with this number, which never waits.
#[derive(Debug)]
pub struct Alone(pub u32);

impl Hooks for Alone {
    fn id(&self) -> u32 {
        self.0
    }
    fn warps(&self) -> u32 {
        1
    }
    fn fence(&self) {}
    fn fence_acquire(&self) {}
    fn pause(&self) {}
    fn meet(&self) {}
    fn shared(&self) -> Handle<'_, u32> {
        View(&NoCells).w32(usize::MAX)
    }
}

/// No words: every access is out of bounds.
struct NoCells;

impl Cells for NoCells {
    fn len(&self, _: usize) -> usize {
        0
    }

    fn access(&self, array: usize, index: usize, _: Access) -> u128 {
        resume_unwind(Box::new(SeqError::OutOfBounds { array, index }))
    }
}

/// Why a sequential run did not end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SeqError {
    /// An index beyond its array.
    OutOfBounds {
        /// The array.
        array: usize,
        /// The index.
        index: usize,
    },
    /// More accesses than the bound: the warp waits for itself.
    StepBound,
    /// A panic, with its message.
    Panic(String),
}

impl core::error::Error for SeqError {}

impl core::fmt::Display for SeqError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::OutOfBounds { array, index } => write!(f, "index {index} is beyond array {array}"),
            Self::StepBound => f.write_str("the step bound was exceeded"),
            Self::Panic(message) => write!(f, "panicked: {message}"),
        }
    }
}

/// Plain memory for one warp.
#[derive(Clone, Debug)]
pub struct SeqMemory {
    widths: Vec<u32>,
    words: RefCell<Vec<Vec<u128>>>,
    steps: Cell<u32>,
}

/// The most accesses of one guarded run.
const STEP_BOUND: u32 = 100_000;

impl SeqMemory {
    /// Memory laid out as `arrays`.
    pub fn new(arrays: &[Array]) -> Self {
        let words = arrays.iter().map(|array| array.initial.clone()).collect();
        Self::with_words(arrays, words)
    }

    /// Memory laid out as `arrays`, with the contents `words`.
    pub fn with_words(arrays: &[Array], words: Vec<Vec<u128>>) -> Self {
        let widths = arrays.iter().map(|array| array.width).collect();
        Self { widths, words: RefCell::new(words), steps: Cell::new(0) }
    }

    /// The view that a structure's code takes.
    pub fn view(&self) -> View<'_> {
        View(self)
    }

    /// All words, array by array.
    pub fn words(&self) -> Vec<Vec<u128>> {
        self.words.borrow().clone()
    }

    /// Runs `f` on this memory. A wild index, an endless loop or a panic ends the run.
    ///
    /// # Errors
    /// The [`SeqError`] tells what ended the run.
    pub fn guard<T>(&self, f: impl FnOnce(View<'_>) -> T) -> Result<T, SeqError> {
        self.steps.set(0);
        let ended = catch_unwind(AssertUnwindSafe(|| explored(|| f(self.view()))));
        ended.map_err(|payload| match payload.downcast::<SeqError>() {
            Ok(error) => *error,
            Err(other) => SeqError::Panic(message(&*other)),
        })
    }
}

impl Cells for SeqMemory {
    fn len(&self, array: usize) -> usize {
        self.words.borrow()[array].len()
    }

    fn access(&self, array: usize, index: usize, access: Access) -> u128 {
        self.steps.set(self.steps.get() + 1);
        if self.steps.get() > STEP_BOUND {
            resume_unwind(Box::new(SeqError::StepBound));
        }
        let mut words = self.words.borrow_mut();
        let Some(word) = words[array].get_mut(index) else {
            drop(words);
            resume_unwind(Box::new(SeqError::OutOfBounds { array, index }));
        };
        let old = *word;
        if let Some(new) = access.apply(old, self.widths[array]) {
            *word = new;
        }
        old
    }
}
