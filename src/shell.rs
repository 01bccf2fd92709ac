//! `warpproof completions` and `warpproof man`: what shells and man(1) know of the command line.

use crate::failure::Failure;
use crate::target::{stdout, write_whole};
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use std::io::Write;
use std::path::PathBuf;

/// Print the completions of commands and options for a shell
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  warpproof completions bash > ~/.local/share/bash-completion/completions/warpproof")]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

/// Write the manual pages: warpproof.1, and one for each command
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  warpproof man ~/.local/share/man/man1")]
pub(crate) struct Pages {
    /// The folder, which is made if it is not there
    folder: PathBuf,
}

/// Completions.
pub(crate) fn completions(args: &Completions, mut command: Command) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "warpproof", &mut text);
    stdout().and_then(|mut out| out.write_all(&text)).map_err(|e| Failure::write("stdout", &e))
}

/// Manual pages.
pub(crate) fn pages(args: &Pages, mut command: Command) -> Result<(), Failure> {
    let failed = |e: std::io::Error| Failure::write(args.folder.display(), &e);
    std::fs::create_dir_all(&args.folder).map_err(failed)?;
    // This names the commands as they are called: the page of `warpproof join` is `warpproof-join.1`.
    command.build();
    let for_people = |command: &&Command| !command.is_hide_set() && command.get_name() != "help";
    let commands: Vec<Command> = command.get_subcommands().filter(for_people).cloned().collect();
    for command in commands.into_iter().chain([command]) {
        let man = Man::new(command);
        let mut text = Vec::new();
        man.render(&mut text).map_err(failed)?;
        write_whole(&args.folder.join(man.get_filename()), &String::from_utf8_lossy(&text))?;
    }
    Ok(())
}
