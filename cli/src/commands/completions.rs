//! `sfumato completions`: what a shell needs to complete commands and options.

use crate::output::Output;
use clap::Args;
use clap_complete::Shell;
use sfumato::{Error, Fault, Result};
use std::process::ExitCode;

/// Print a script that lets your shell complete commands and options
#[derive(Args)]
#[command(after_long_help = "EXAMPLES\n  \
    sfumato completions bash > ~/.local/share/bash-completion/completions/sfumato\n  \
    sfumato completions zsh > ~/.zfunc/_sfumato\n  \
    sfumato completions fish > ~/.config/fish/completions/sfumato.fish")]
pub struct Arguments {
    /// The shell.
    shell: Shell,
}

pub fn run(arguments: &Arguments, mut command: clap::Command, output: &mut Output) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "sfumato", &mut script);
    let script = String::from_utf8(script).map_err(|_| Error::new(Fault::Internal, "the script is not UTF-8"))?;
    output.text(&script)?;
    Ok(ExitCode::SUCCESS)
}
