//! What the memory model allows and forbids, with the source of each verdict.
//!
//! *RC11*: Lahav, Vafeiadis, Kang, Hur, Dreyer, "Repairing sequential consistency in C/C++11",
//! PLDI 2017. *PTX*: NVIDIA, "PTX ISA", chapter "Memory Consistency Model", and Lustig, Sahasrabuddhe,
//! Giroux, "A formal analysis of the NVIDIA PTX memory consistency model", ASPLOS 2019. The names of the
//! shapes are those of herd (Alglave, Maranget, Tautschnig, "Herding cats", TOPLAS 2014).

use super::*;

mod buffering;
mod causality;
mod coherence;
mod lanes;
mod message;
mod order;
mod ptx;
mod rmw;
mod scopes;
mod waiting;

/// All four outcomes of a writer that reads nothing and a reader that reads twice.
const ANY: [&str; 4] = ["- | 0 0", "- | 0 1", "- | 1 0", "- | 1 1"];

/// Those in which a message that was seen brings what was written before it.
const CAUSAL: [&str; 3] = ["- | 0 0", "- | 0 1", "- | 1 1"];
