//! Finds a compiler for the device code: one that accepts unstable features and has the source of `core`.

use crate::shell::{Outcome, output};
use std::path::Path;
use std::process::Command;

/// The advice if there is none.
const ADVICE: &str = "\
no compiler for the device code was found. It takes unstable features and builds `core` from source, so it needs
rustc 1.96 or newer with the source of its standard library. Install one of:
  - on Debian:    apt-get install -y --no-install-recommends rustc-web rust-web-src
  - with rustup:  rustup toolchain install nightly --component rust-src";

/// The oldest compiler that marks every function of a GPU target as convergent. Without that mark LLVM may
/// copy or move a collective that is still inside a function.
const OLDEST: (u32, u32) = (1, 96);

/// A compiler for the device code.
pub(crate) struct Toolchain {
    kind: Kind,
    /// Its version and that of its LLVM, one line each.
    pub(crate) version: String,
}

enum Kind {
    /// A stable compiler of the system, told to accept unstable features.
    System(&'static str),
    /// rustup's nightly.
    Nightly,
}

impl Toolchain {
    /// The toolchain whose version is `preferred`, otherwise the first that works.
    pub(crate) fn find(preferred: Option<&str>) -> Outcome<Self> {
        let mut found: Vec<Self> = [Kind::System("/usr/bin/rustc"), Kind::Nightly]
            .into_iter()
            .filter_map(|kind| Self::inspect(kind).ok())
            .collect();
        if found.is_empty() {
            return Err(ADVICE.to_owned());
        }
        let best = found.iter().position(|t| Some(t.version.as_str()) == preferred).unwrap_or(0);
        Ok(found.swap_remove(best))
    }

    /// Cargo, set to use this compiler.
    pub(crate) fn cargo(&self) -> Command {
        let mut cargo = match self.kind {
            Kind::System(rustc) => {
                let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
                cargo.env("RUSTC", rustc).env("RUSTC_BOOTSTRAP", "1");
                cargo
            }
            Kind::Nightly => {
                let mut cargo = Command::new("rustup");
                cargo.args(["run", "nightly", "cargo"]).env_remove("RUSTC").env_remove("CARGO");
                cargo
            }
        };
        for name in ["RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "CARGO_ENCODED_RUSTFLAGS"] {
            cargo.env_remove(name);
        }
        cargo
    }

    fn inspect(kind: Kind) -> Outcome<Self> {
        let rustc = |argument: &[&str]| match kind {
            Kind::System(rustc) => output(Command::new(rustc).args(argument)),
            Kind::Nightly => output(Command::new("rustup").args(["run", "nightly", "rustc"]).args(argument)),
        };
        let sysroot = rustc(&["--print", "sysroot"])?;
        let core = Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library/core/src/lib.rs");
        if !core.exists() {
            return Err(format!("{} is missing", core.display()));
        }
        let version = describe(&rustc(&["--version", "--verbose"])?)?;
        Ok(Self { kind, version })
    }
}

/// The message that the compiler that was `found` builds other text than the `recorded` one.
pub(crate) fn other(recorded: &str, found: &str) -> String {
    let line = |version: &str| version.trim().replace('\n', ", ");
    let (release, recorded, found) = (release(recorded), line(recorded), line(found));
    format!(
        "gpu/ptx was built by {recorded}. The compiler found here is {found}; what it builds is different.\n\
         On Debian, `apt-get install 'rustc-web={release}*' 'rust-web-src={release}*'` installs the recorded one; \
         versions that are superseded are at snapshot.debian.org.\n\
         To change to the compiler found here, run `cargo xtask ptx` with it, `cargo xtask ptxas` and the tests on a GPU, \
         and commit gpu/ptx."
    )
}

/// The release in a version.
fn release(version: &str) -> &str {
    version.strip_prefix("rustc ").and_then(|rest| rest.split(' ').next()).unwrap_or("unknown")
}

/// The two lines of a version that decide what the compiler emits, if it is new enough.
fn describe(verbose: &str) -> Outcome<String> {
    let field = |name: &str| verbose.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("unknown");
    let (release, llvm) = (field("release: "), field("LLVM version: "));
    let commit = field("commit-hash: ");
    let mut parts = release.split(['.', '-']).map_while(|part| part.parse::<u32>().ok());
    match (parts.next(), parts.next()) {
        (Some(major), Some(minor)) if (major, minor) >= OLDEST => {
            Ok(format!("rustc {release} ({commit})\nLLVM {llvm}\n"))
        }
        _ => Err(format!("rustc {release} is older than {}.{}", OLDEST.0, OLDEST.1)),
    }
}

#[cfg(test)]
mod tests {
    use super::{describe, other};

    #[test]
    fn another_compiler_is_named_with_the_way_to_the_recorded_one() {
        let said = other("rustc 1.96.0 (abc)\nLLVM 22.1.8\n", "rustc 1.97.1 (def)\nLLVM 22.1.9\n");
        for part in ["by rustc 1.96.0 (abc), LLVM 22.1.8.", "rustc 1.97.1 (def)", "'rustc-web=1.96.0*'"] {
            assert!(said.contains(part), "{part} is not in {said}");
        }
    }

    #[test]
    fn a_version_is_described_or_refused() {
        let new = "rustc 1.96.0 (x)\nrelease: 1.96.0\ncommit-hash: abc\nLLVM version: 22.1.8\n";
        assert_eq!(describe(new).unwrap(), "rustc 1.96.0 (abc)\nLLVM 22.1.8\n");
        assert!(describe("release: 1.97.0-nightly\n").is_ok());
        assert!(describe("release: 1.95.0\n").is_err());
        assert!(describe("").is_err());
    }
}
