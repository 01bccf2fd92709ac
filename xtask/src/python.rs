//! `cargo xtask python`: builds the Python package in a virtual environment, and checks it: linters, types,
//! stubs, its tests, the examples of its documentation, and the tour. `cargo xtask python wheel` builds the
//! wheel that could be published, and checks that too.

use crate::shell::{Outcome, output, root, run, scratch};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The tools of the package, at fixed versions.
const REQUIREMENTS: &str = "requirements.txt";
/// The release of Ray that `warpproof.ray` is tested with.
const RAY: &str = "ray[data]==2.60.0";
/// How the names of platforms begin that the wheel may be for: Linux with the glibc of this system, or older.
const PLATFORM: &str = "manylinux_2_";

/// Checks the package, built as tests are.
pub(crate) fn check() -> Outcome<()> {
    let environment = Environment::open()?;
    run(environment.tool("ruff").args(["format", "--check", "."]))?;
    run(environment.tool("ruff").args(["check", "."]))?;
    run(environment.tool("maturin").args(["develop", "--profile", "dev", "--quiet"]))?;
    run(&mut environment.tool("mypy"))?;
    let module = ["-m", "mypy.stubtest", "warpproof._native", "--ignore-disjoint-bases"];
    run(environment.tool("python").args(module))?;
    run(&mut environment.tool("pytest"))
}

/// Tests the package on a cluster of Ray, in an environment of its own. [`check`] leaves that out: Ray is
/// large, and starts servers.
pub(crate) fn ray() -> Outcome<()> {
    let environment = Environment::at("ray")?;
    run(environment.tool("pip").args(["install", "--quiet", RAY]))?;
    run(environment.tool("maturin").args(["develop", "--profile", "dev", "--quiet"]))?;
    run(environment.tool("pytest").arg("tests/test_ray.py"))
}

/// Builds the wheel into target/wheels, and checks what it is for.
pub(crate) fn wheel() -> Outcome<()> {
    let environment = Environment::open()?;
    let wheels = scratch().join("wheels");
    let mut build = environment.tool("maturin");
    run(build.args(["build", "--release", "--out"]).arg(&wheels))?;
    let wheel = newest(&wheels)?;
    run(environment.tool("abi3audit").args(["--strict", "--verbose"]).arg(&wheel))?;
    let shown = output(environment.tool("auditwheel").arg("show").arg(&wheel))?;
    println!("{shown}");
    if shown.contains(PLATFORM) { Ok(()) } else { Err(format!("{} is for no {PLATFORM}", wheel.display())) }
}

/// A virtual environment in target.
struct Environment(PathBuf);

impl Environment {
    /// That of the requirements.
    fn open() -> Outcome<Self> {
        Self::at("python")
    }

    /// One of this name. Makes it if there is none, and installs what is missing of the requirements.
    fn at(name: &str) -> Outcome<Self> {
        let folder = scratch().join(name);
        if !folder.join("bin/python").exists() {
            run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        }
        let environment = Self(folder);
        run(environment.tool("pip").args(["install", "--quiet", "--requirement", REQUIREMENTS]))?;
        Ok(environment)
    }

    /// A program of the environment, which runs in the folder of the package.
    fn tool(&self, name: &str) -> Command {
        let mut command = Command::new(self.0.join("bin").join(name));
        command.current_dir(root().join("python")).env("VIRTUAL_ENV", &self.0);
        command
    }
}

/// The wheel that was built last.
fn newest(folder: &Path) -> Outcome<PathBuf> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut wheels = Vec::new();
    for file in std::fs::read_dir(folder).map_err(failed)? {
        let path = file.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == "whl") {
            wheels.push((path.metadata().and_then(|data| data.modified()).map_err(failed)?, path));
        }
    }
    wheels.into_iter().max().map(|(_, path)| path).ok_or_else(|| format!("{} has no wheel", folder.display()))
}
