//! Errors of any backend.

use core::fmt;
use std::error::Error as StdError;
use warpproof_model::host::{NotStored, Refused};

/// An error of any backend: the backend's own error, with its text.
#[derive(Debug)]
pub struct Error(Box<dyn StdError + Send + Sync>);

impl Error {
    /// An error of a backend.
    pub fn new(error: impl StdError + Send + Sync + 'static) -> Self {
        Self(Box::new(error))
    }

    /// The backend's own error, if it is an `E`.
    pub fn downcast_ref<E: StdError + 'static>(&self) -> Option<&E> {
        self.0.downcast_ref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source()
    }
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        Self::new(refused)
    }
}

impl From<NotStored> for Error {
    fn from(error: NotStored) -> Self {
        Self::new(error)
    }
}
