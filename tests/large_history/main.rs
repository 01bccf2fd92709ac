//! Histories of a million calls: of real threads on the tables of the CPU backend, checked as a whole.
//!
//! The monitor that checks them is compared with the exhaustive search on small histories first.

mod oracle;
