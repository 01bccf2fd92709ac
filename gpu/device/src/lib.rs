#![no_std]
//! dev
