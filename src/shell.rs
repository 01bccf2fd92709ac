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
pub(crate) fn completions(args: &Completions, command: &Command) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut for_people(command), "warpproof", &mut text);
    stdout().and_then(|mut out| out.write_all(&text)).map_err(|e| Failure::write("stdout", &e))
}

/// Manual pages.
pub(crate) fn pages(args: &Pages, command: &Command) -> Result<(), Failure> {
    let failed = |e: std::io::Error| Failure::write(args.folder.display(), &e);
    std::fs::create_dir_all(&args.folder).map_err(failed)?;
    // This names the commands as they are called: the page of `warpproof join` is `warpproof-join.1`.
    let mut command = for_people(command);
    command.build();
    let commands = command.get_subcommands().filter(|command| command.get_name() != "help");
    let commands: Vec<Command> = commands.cloned().collect();
    for command in commands.into_iter().chain([command]) {
        let man = Man::new(command);
        let mut text = Vec::new();
        man.render(&mut text).map_err(failed)?;
        write_whole(&args.folder.join(man.get_filename()), &String::from_utf8_lossy(&text))?;
    }
    Ok(())
}

/// The command line without the commands that are not for people.
fn for_people(command: &Command) -> Command {
    let mut shown = Command::new("warpproof")
        .version(env!("CARGO_PKG_VERSION"))
        .args(command.get_arguments().cloned())
        .subcommands(command.get_subcommands().filter(|command| !command.is_hide_set()).cloned());
    if let Some(about) = command.get_about() {
        shown = shown.about(about.clone());
    }
    if let Some(about) = command.get_long_about() {
        shown = shown.long_about(about.clone());
    }
    if let Some(help) = command.get_after_help() {
        shown = shown.after_help(help.clone());
    }
    shown
}
