//! The device of GPU tests.

use std::sync::OnceLock;
use warpproof::gpu::{Device, Error};

/// The first device, opened once; `None`, with a word printed, if this machine has none.
pub(crate) fn device() -> Option<&'static Device> {
    static DEVICE: OnceLock<Option<Device>> = OnceLock::new();
    let opened = DEVICE.get_or_init(|| match Device::open(0) {
        Ok(device) => Some(device),
        Err(Error::NoDriver | Error::NoDevice { .. }) => None,
        Err(error) => panic!("{error}"),
    });
    if opened.is_none() {
        println!("skipped: no CUDA device");
    }
    opened.as_ref()
}
