//! One warp alone: memory and a warp for sequential runs, and the shadow on which the checkers look at
//! invariants.

use crate::check::{Access, Array, ArrayWarp, Cells, Hooks, View};
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use warpproof_model::{Block, IntegerWords, Order, ReadOrder, Words, WriteOrder};

/// A warp of `L` lanes that runs alone. `SeqWarp::<4>::default()`.
pub type SeqWarp<const L: usize> = ArrayWarp<L, Alone>;

impl<const L: usize> Default for SeqWarp<L> {
    fn default() -> Self {
        Self::new(Alone::default())
    }
}

/// The hooks of a warp with nobody to wait for.
#[derive(Default, Debug)]
pub struct Alone {
    block: AloneBlock,
}

impl Hooks for Alone {
    type Block = AloneBlock;

    fn id(&self) -> u32 {
        0
    }
    fn fence(&mut self) {}
    fn pause(&mut self) {}
    fn block(&mut self) -> &mut AloneBlock {
        &mut self.block
    }
}

/// A block of one warp, without shared words.
#[derive(Default, Debug)]
pub struct AloneBlock;

impl Block for AloneBlock {
    type Shared = NoWords;

    fn rank(&self) -> u32 {
        0
    }
    fn warps(&self) -> u32 {
        1
    }
    fn shared(&self) -> NoWords {
        NoWords
    }
    fn sync(&mut self) {}
}

/// An array of no words: every access is out of bounds.
#[derive(Clone, Copy, Debug)]
pub struct NoWords;

impl NoWords {
    fn none(self, index: usize) -> ! {
        resume_unwind(Box::new(SeqError::OutOfBounds { array: usize::MAX, index }))
    }
}

impl Words<u32> for NoWords {
    fn len(self) -> usize {
        0
    }
    fn load(self, index: usize, _: ReadOrder) -> u32 {
        self.none(index)
    }
    fn store(self, index: usize, _: u32, _: WriteOrder) {
        self.none(index)
    }
    fn compare_exchange(self, index: usize, _: u32, _: u32, _: Order) -> u32 {
        self.none(index)
    }
    fn swap(self, index: usize, _: u32, _: Order) -> u32 {
        self.none(index)
    }
}

impl IntegerWords<u32> for NoWords {
    fn fetch_add(self, index: usize, _: u32, _: Order) -> u32 {
        self.none(index)
    }
    fn fetch_or(self, index: usize, _: u32, _: Order) -> u32 {
        self.none(index)
    }
    fn fetch_and(self, index: usize, _: u32, _: Order) -> u32 {
        self.none(index)
    }
}

/// Why a sequential run did not end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
}

impl core::fmt::Display for SeqError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::OutOfBounds { array, index } => write!(f, "index {index} is beyond array {array}"),
            Self::StepBound => f.write_str("the step bound was exceeded"),
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

/// How many accesses one guarded run may make.
const STEP_BOUND: u32 = 100_000;

impl SeqMemory {
    /// Memory laid out as `arrays`.
    pub fn new(arrays: &[Array]) -> Self {
        let words = arrays.iter().map(|array| array.initial.clone()).collect();
        Self::with_words(arrays, words)
    }

    /// Memory laid out as `arrays` that holds `words`.
    pub fn with_words(arrays: &[Array], words: Vec<Vec<u128>>) -> Self {
        let widths = arrays.iter().map(|array| array.width).collect();
        Self { widths, words: RefCell::new(words), steps: Cell::new(0) }
    }

    /// The view that a structure takes.
    pub const fn view(&self) -> View<'_, Self> {
        View(self)
    }

    /// All words, array by array.
    pub fn words(&self) -> Vec<Vec<u128>> {
        self.words.borrow().clone()
    }

    /// Runs `f` on this memory. A wild index or an endless loop ends the run.
    ///
    /// # Errors
    /// [`SeqError`] says which.
    pub fn guard<T>(&self, f: impl FnOnce(View<'_, Self>) -> T) -> Result<T, SeqError> {
        self.steps.set(0);
        catch_unwind(AssertUnwindSafe(|| f(self.view()))).map_err(|payload| {
            match payload.downcast::<SeqError>() {
                Ok(error) => *error,
                Err(other) => resume_unwind(other),
            }
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
