//! `sfumato manual`: the manual as pages for `man`.

use crate::output::Output;
use clap::Args;
use sfumato::{Error, Result};
use std::path::PathBuf;
use std::process::ExitCode;

/// Write the manual into a folder, as pages for `man`
#[derive(Args)]
#[command(after_long_help = "EXAMPLES\n  \
    sfumato manual ~/.local/share/man/man1\n  \
    man sfumato-publish")]
pub struct Arguments {
    /// The folder; pages that are there are replaced.
    folder: PathBuf,
}

pub fn run(arguments: &Arguments, command: clap::Command, output: &mut Output) -> Result<ExitCode> {
    let folder = &arguments.folder;
    std::fs::create_dir_all(folder).map_err(|error| Error::io(&error, folder))?;
    clap_mangen::generate_to(command, folder).map_err(|error| Error::io(&error, folder))?;
    output.text(&format!("Wrote the manual to {}.\n", folder.display()))?;
    Ok(ExitCode::SUCCESS)
}
