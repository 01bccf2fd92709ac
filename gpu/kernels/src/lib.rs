#![no_std]
//! ker
