//! Specs.
