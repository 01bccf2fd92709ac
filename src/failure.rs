//! How a command ends when it does not succeed.

use std::fmt::Display;
use std::process::ExitCode;

/// Why a command ends with a code other than 0.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A violation was found, or a result failed its verification: exit code 1.
    Violation(String),
    /// Bad usage or input, or the machine cannot do it: exit code 2.
    Input(String),
    /// The reader of the output has closed it. This is not an error: the program has written what was wanted.
    Closed,
}

impl From<warpproof::simt::cpu::Error> for Failure {
    fn from(error: warpproof::simt::cpu::Error) -> Self {
        Self::backend(error)
    }
}

impl Failure {
    /// Bad input.
    pub(crate) fn input(message: impl Display) -> Self {
        Self::Input(message.to_string())
    }

    /// An error of a backend.
    pub(crate) fn backend(error: impl std::error::Error) -> Self {
        Self::Input(error.to_string())
    }

    /// An error while writing to `what`.
    pub(crate) fn write(what: impl Display, error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Input(format!("{what}: cannot write: {error}")),
        }
    }

    /// Prints the failure and returns the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        match self {
            Self::Violation(message) => {
                eprintln!("warpproof: {message}");
                ExitCode::from(1)
            }
            Self::Input(message) => {
                eprintln!("warpproof: error: {message}");
                ExitCode::from(2)
            }
            Self::Closed => ExitCode::SUCCESS,
        }
    }
}
