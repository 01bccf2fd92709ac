//! The kernels of `examples/own_kernel`, built by the command that its page shows.

use crate::modules::version_file;
use crate::shell::{Outcome, read, root, run};
use crate::toolchain::Toolchain;

const FOLDER: &str = "examples/own_kernel";

/// Builds them, with a compiler that is here in place of rustup's nightly.
pub(crate) fn build() -> Outcome<()> {
    let page = read(&root().join(FOLDER).join("README.md"))?;
    let (flags, arguments) =
        command(&page).ok_or("examples/own_kernel/README.md has no command of cargo +nightly")?;
    let mut cargo = Toolchain::find(read(&version_file()).ok().as_deref())?.cargo();
    println!("-- cargo {}", arguments.join(" "));
    run(cargo.current_dir(root().join(FOLDER)).env("RUSTFLAGS", flags).arg("--quiet").args(arguments))
}

/// The flags and the arguments of the command, which stands on several lines.
fn command(page: &str) -> Option<(&str, Vec<&str>)> {
    let block = page
        .split("```sh\n")
        .skip(1)
        .find_map(|rest| rest.split("```").next()?.strip_prefix("RUSTFLAGS=\""))?;
    let (flags, rest) = block.split_once('"')?;
    let mut words = rest.split_whitespace().filter(|word| *word != "\\");
    (words.next() == Some("cargo") && words.next() == Some("+nightly")).then(|| (flags, words.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_of_the_page_is_found() {
        let page = "```sh\nRUSTFLAGS=\"-A -B\" \\\n  cargo +nightly rustc -p x \\\n  -- --emit\n```\n";
        assert_eq!(command(page), Some(("-A -B", vec!["rustc", "-p", "x", "--", "--emit"])));
        assert_eq!(command("```sh\ncargo run\n```\n"), None);
    }
}
