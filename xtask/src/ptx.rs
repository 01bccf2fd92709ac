//! `cargo xtask ptx [--check]`: the device code as PTX text.

use crate::modules::{MODULES, Module, version_file};
use crate::shell::{Outcome, read, root, run, scratch, write as write_file};
use crate::toolchain::{self, Toolchain};
use rayon::prelude::*;

/// Builds every module and writes it to `gpu/ptx`, with the version of the compiler.
pub(crate) fn write() -> Outcome<()> {
    let toolchain = Toolchain::find(None)?;
    for (module, text) in MODULES.iter().zip(build_all(&toolchain)?) {
        write_file(&module.path(), &text)?;
        println!("{}: {} kernels, {} KiB", module.file_name(), kernels(&text), text.len() / 1024);
    }
    write_file(&version_file(), &toolchain.version)?;
    print!("{}", toolchain.version);
    Ok(())
}

/// Builds every module and compares it with `gpu/ptx`: the texts must be equal, even if the compiler is not
/// the recorded one. Otherwise it is not certain that GPUs run what the sources say.
pub(crate) fn check() -> Outcome<()> {
    let recorded = read(&version_file())?;
    let toolchain = Toolchain::find(Some(&recorded))?;
    let mut differing = Vec::new();
    for (module, text) in MODULES.iter().zip(build_all(&toolchain)?) {
        let equal = read(&module.path()).is_ok_and(|checked_in| checked_in == text);
        println!(
            "{}: {} kernels, {}",
            module.file_name(),
            kernels(&text),
            if equal { "equal" } else { "differs" }
        );
        if !equal {
            differing.push(module.file_name());
        }
    }
    if differing.is_empty() {
        return Ok(());
    }
    let list = differing.join(", ");
    let what = if toolchain.version == recorded {
        "gpu/ptx is not what the sources give. Run `cargo xtask ptx` and commit it.".to_owned()
    } else {
        toolchain::other(&recorded, &toolchain.version)
    };
    Err(format!("{list}: {what}"))
}

/// The texts of all modules. Those of different targets are built at once, each target in its own folder.
fn build_all(toolchain: &Toolchain) -> Outcome<Vec<String>> {
    let mut targets: Vec<&str> = MODULES.iter().map(|module| module.target).collect();
    targets.sort_unstable();
    targets.dedup();
    let of = |target: &&str| {
        let modules = MODULES.iter().enumerate().filter(|(_, module)| module.target == *target);
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
    tidy(&read(&emitted)?)
}

/// The text without noise and without what differs between machines.
fn tidy(text: &str) -> Outcome<String> {
    let mut tidy = String::with_capacity(text.len());
    for line in text.lines().map(str::trim_end) {
        let noise = ["// begin inline asm", "// end inline asm", "// .globl"];
        if line.is_empty() || noise.iter().any(|n| line.trim_start().starts_with(n)) {
            continue;
        }
        tidy.push_str(line);
        tidy.push('\n');
    }
    match absolute_path(&tidy) {
        Some(path) => Err(format!("the emitted PTX names a path of this machine ({path})")),
        None => Ok(tidy),
    }
}

/// Finds a path that begins at the root of a file system. `//` begins a comment.
fn absolute_path(text: &str) -> Option<&str> {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && !"/._-".contains(c));
    words.find(|word| word.len() > 1 && word.starts_with('/') && !word.starts_with("//"))
}

/// Number of entry points.
fn kernels(text: &str) -> usize {
    text.matches(".entry ").count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modules::folder;

    #[test]
    fn every_module_is_checked_in() {
        for module in &MODULES {
            let text = read(&module.path()).unwrap();
            assert!(kernels(&text) > 2, "{}", module.file_name());
            assert!(text.contains(&format!(".target {}", module.target)), "{}", module.file_name());
        }
        assert!(read(&version_file()).unwrap().starts_with("rustc "));
        let files = std::fs::read_dir(folder()).unwrap().count();
        assert_eq!(files, MODULES.len() + 1, "gpu/ptx holds a file that no module gives");
    }

    #[test]
    fn tidy_drops_noise_and_refuses_paths() {
        let text = "\t// begin inline asm\n\tld.b32 a;  \n\t// end inline asm\n\n";
        assert_eq!(tidy(text).unwrap(), "\tld.b32 a;\n");
        assert!(tidy("// /home/somebody/x.rs").is_err());
        assert!(tidy("\t.file 1 \"/src/x.rs\"").is_err());
        assert!(tidy("// a comment\n\t.file 1 \"src/x.rs\"").is_ok());
    }
}
