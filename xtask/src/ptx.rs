//! `cargo xtask ptx [NAME ...] [--check]`: the device code as PTX text.

use crate::modules::{MODULES, Module, version_file};
use crate::ptx_form::normal;
use crate::shell::{Outcome, read, root, run, scratch, write as write_file};
use crate::toolchain::{self, Toolchain};
use crate::{ptx_orders, ptxas};
use rayon::prelude::*;

/// Builds the modules with these names and writes each where it belongs. Without names it builds all, and
/// also records the version of the compiler.
pub(crate) fn write(names: &[&str]) -> Outcome<()> {
    if let Some(unknown) = names.iter().find(|name| MODULES.iter().all(|module| module.name != **name)) {
        return Err(format!("there is no module {unknown}; {}", known()));
    }
    let modules: Vec<_> =
        MODULES.iter().filter(|module| names.is_empty() || names.contains(&module.name)).collect();
    let toolchain = Toolchain::find(read(&version_file()).ok().as_deref())?;
    for (module, text) in modules.iter().zip(build_all(&toolchain, &modules)?) {
        write_file(&module.path(), &text)?;
        println!("{}: {} kernels, {} KiB", module.file_name(), kernels(&text), text.len() / 1024);
    }
    if names.is_empty() {
        write_file(&version_file(), &toolchain.version)?;
    }
    print!("{}", toolchain.version);
    Ok(())
}

/// Builds every module and compares those of the library with `gpu/ptx`: the texts must be equal, whichever
/// compiler built them. Otherwise nobody knows whether GPUs run what the sources say. Writes the other
/// modules to where tests look for them. Checks the instructions of all of them.
pub(crate) fn check() -> Outcome<()> {
    let recorded = read(&version_file())?;
    let toolchain = Toolchain::find(Some(&recorded))?;
    let modules: Vec<_> = MODULES.iter().collect();
    let (mut differing, mut faults) = (Vec::new(), Vec::new());
    for (module, text) in modules.iter().zip(build_all(&toolchain, &modules)?) {
        let said = if !module.shipped {
            write_file(&module.path(), &text)?;
            "built"
        } else if read(&module.path()).is_ok_and(|checked_in| checked_in == text) {
            "equal"
        } else {
            differing.push(module.file_name());
            "differs"
        };
        println!("{}: {} kernels, {said}", module.file_name(), kernels(&text));
        faults.extend(ptxas::inspect(&module.file_name(), &text));
        faults.extend(ptx_orders::faults(module, &text));
    }
    if !differing.is_empty() {
        let what = if toolchain.version == recorded {
            "gpu/ptx differs from what the sources give. Run `cargo xtask ptx` and commit it.".to_owned()
        } else {
            toolchain::other(&recorded, &toolchain.version)
        };
        faults.push(format!("{}: {what}", differing.join(", ")));
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

/// The names of all modules.
fn known() -> String {
    let mut names: Vec<_> = MODULES.iter().map(|module| module.name).collect();
    names.dedup();
    format!("the modules are {}", names.join(", "))
}

/// Builds modules and returns their texts, in order. Targets are built in parallel, each in a folder of its
/// own.
fn build_all(toolchain: &Toolchain, modules: &[&Module]) -> Outcome<Vec<String>> {
    let mut targets: Vec<&str> = modules.iter().map(|module| module.target).collect();
    targets.sort_unstable();
    targets.dedup();
    let of = |target: &&str| {
        let modules = modules.iter().enumerate().filter(|(_, module)| module.target == *target);
        modules.map(|(at, module)| Ok((at, build(toolchain, module)?))).collect::<Outcome<Vec<_>>>()
    };
    let mut built = targets.par_iter().map(of).collect::<Outcome<Vec<_>>>()?.concat();
    built.sort_unstable_by_key(|(at, _)| *at);
    Ok(built.into_iter().map(|(_, text)| text).collect())
}

/// Builds one module and returns its text.
fn build(toolchain: &Toolchain, module: &Module) -> Outcome<String> {
    // One folder per target: Cargo does not track the flags that `core` was built with.
    let target = scratch().join("ptx").join(module.target);
    let emitted = target.join(module.file_name());
    let mut flags = module.flags();
    flags.push(format!("--remap-path-prefix={}=.", root().display()));
    let mut cargo = toolchain.cargo();
    cargo
        .current_dir(root())
        .env("RUSTFLAGS", flags.join(" "))
        .args(["rustc", "--quiet", "--package", "warpproof-kernels", "--lib", "--crate-type", "lib"])
        .args(["--profile", "ptx", "--target", "nvptx64-nvidia-cuda", "-Zbuild-std=core"])
        .args(["--features", module.features])
        .arg("--target-dir")
        .arg(&target)
        .arg("--")
        .arg(format!("--emit=asm={}", emitted.display()));
    run(&mut cargo)?;
    normal(&read(&emitted)?)
}

/// Number of entry points.
fn kernels(text: &str) -> usize {
    text.matches(".entry ").count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modules::folder;

    /// The most bytes of `gpu/ptx`: what everybody who clones the repository gets.
    const MOST_BYTES: u64 = 4_500_000;

    #[test]
    fn the_modules_of_the_library_are_checked_in() {
        let shipped: Vec<_> = MODULES.iter().filter(|module| module.shipped).collect();
        for module in &shipped {
            let text = read(&module.path()).unwrap();
            assert!(kernels(&text) > 2, "{}", module.file_name());
            assert!(text.contains(&format!(".target {}", module.target)), "{}", module.file_name());
            assert_eq!(normal(&text).unwrap(), text, "{} is in another form", module.file_name());
        }
        assert!(read(&version_file()).unwrap().starts_with("rustc "));
        let files = std::fs::read_dir(folder()).unwrap().count();
        assert_eq!(files, shipped.len() + 1, "gpu/ptx holds a file that no module gives");
    }

    #[test]
    fn the_checked_in_text_is_small() {
        let bytes = crate::counts::ptx_bytes();
        assert!(bytes > 0 && bytes <= MOST_BYTES, "{bytes} bytes, of {MOST_BYTES} at most");
    }

    #[test]
    fn unknown_modules_are_refused() {
        assert!(
            write(&["tables"]).unwrap_err().ends_with("warpproof, kept, cold, tuning, stress, paper, probes")
        );
    }
}
