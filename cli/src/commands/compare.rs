//! `sfumato compare`: releases side by side.

use super::{check_page, formats, write_whole};
use crate::output::{Output, working};
use clap::Args;
use sfumato::release::{certificate, verify};
use sfumato::report::html::compare_html;
use sfumato::report::{compare_text, transactions};
use sfumato::{Error, Result};
use std::path::PathBuf;
use std::process::ExitCode;

/// Compare releases: what each holds, keeps and risks, side by side
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
    json: bool,
}

pub fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    if let Some(path) = &arguments.html {
        check_page(path, &[], None)?;
    }
    let mut releases = Vec::new();
    let mut doubtful = Vec::new();
    for folder in &arguments.releases {
        let name = folder.display().to_string();
        let document = certificate(folder)?;
        if !working(&format!("verifying {name}"), || verify(folder, &formats()))?.holds() {
            doubtful.push(name.clone());
        }
        releases.push((name, document));
    }
    let is_sets = are_transactions(&releases)?;
    if is_sets && arguments.html.is_some() {
        let error = Error::plan("there is no page for releases of transactions yet");
        return Err(error.help("leave out --html: the text and --json compare them"));
    }
    if let Some(path) = &arguments.html {
        write_whole(path, &compare_html(&releases))?;
    }
    if arguments.json {
        let all = releases.into_iter().collect::<serde_json::Map<_, _>>();
        output.json(&serde_json::json!({ "releases": all, "do_not_verify": doubtful }))?;
    } else {
        let text = if is_sets { transactions::compare_text(&releases) } else { compare_text(&releases) };
        output.text(&text)?;
        for name in doubtful {
            output.text(&format!(
                "\n✗ {name} does not verify: its figures cannot be relied on (`sfumato verify {name}`)\n"
            ))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether all certificates are about transactions; an error if only some are.
fn are_transactions(releases: &[(String, serde_json::Value)]) -> Result<bool> {
    let count = releases.iter().filter(|(_, document)| document["kind"] == "transactions").count();
    if count > 0 && count < releases.len() {
        let error = Error::plan("some of these releases are of transactions, and some of tables");
        return Err(error.help("compare each sort by itself"));
    }
    Ok(count > 0)
}
