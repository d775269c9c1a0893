//! `sfumato compare`: releases side by side.

use super::{check_page, formats, write_whole};
use crate::output::Output;
use crate::progress::working;
use clap::Args;
use sfumato::Result;
use sfumato::release::side_by_side;
use sfumato::report::html::compare_html;
use sfumato::report::{compare_text, together_text};
use std::path::PathBuf;
use std::process::ExitCode;

/// Compare releases: what each holds, keeps and risks, side by side; and what two of the same
/// people disclose together
///
/// Releases of one table may disclose together what each of them hides: a person in a group of one
/// and in a group of another has a value that both groups have. For every two releases of tables,
/// this says how many people at least become certain and which belief is reached, as far as the
/// releases alone show it, or why that cannot be computed.
#[derive(Args)]
#[command(
    after_long_help = "EXAMPLES\n  sfumato compare release-a release-b\n  sfumato compare release-a release-b --html comparison.html"
)]
pub struct Arguments {
    /// Release directories, at least one.
    #[arg(required = true, value_name = "DIR")]
    releases: Vec<PathBuf>,
    /// Write a page with pictures.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
}

pub fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    if let Some(path) = &arguments.html {
        check_page(path, &[], None)?;
    }
    let named: Vec<(String, PathBuf)> =
        arguments.releases.iter().map(|folder| (folder.display().to_string(), folder.clone())).collect();
    let found = working("comparing", || side_by_side(&named, &formats()))?;
    if let Some(path) = &arguments.html {
        write_whole(path, &compare_html(&found.documents, &found.pairs))?;
    }
    if arguments.json {
        output.json(&found.json())?;
    } else {
        output.text(&compare_text(&found.documents))?;
        output.text(&together_text(&found.pairs))?;
        for name in found.doubtful {
            output.text(&format!(
                "\n✗ {name} does not verify: its figures cannot be relied on (`sfumato verify {name}`)\n"
            ))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
