//! `sfumato compare`: releases side by side.

use super::{check_page, formats, write_whole};
use crate::output::Output;
use crate::progress::working;
use clap::Args;
use sfumato::certificate::Certificate;
use sfumato::release::{certificate, compared, together, verify};
use sfumato::report::html::compare_html;
use sfumato::report::{Pair, compare_text, together_json, together_text};
use sfumato::{Error, Result};
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
    let mut releases = Vec::new();
    let mut doubtful = Vec::new();
    for folder in &arguments.releases {
        let name = folder.display().to_string();
        let certificate = certificate(folder)?;
        if !working(&format!("verifying {name}"), || verify(folder, &formats()))?.holds() {
            doubtful.push(name.clone());
        }
        releases.push((name, certificate));
    }
    refuse_mixed(&releases)?;
    let pairs = pairs(&arguments.releases, &doubtful)?;
    let documents = documents(&arguments.releases, &releases);
    if let Some(path) = &arguments.html {
        write_whole(path, &compare_html(&documents, &pairs))?;
    }
    if arguments.json {
        let all = releases.into_iter().map(|(name, certificate)| (name, certificate.document));
        let all = all.collect::<serde_json::Map<_, _>>();
        let document = serde_json::json!({
            "releases": all,
            "together": together_json(&pairs),
            "do_not_verify": doubtful,
        });
        output.json(&document)?;
    } else {
        output.text(&compare_text(&documents))?;
        output.text(&together_text(&pairs))?;
        for name in doubtful {
            output.text(&format!(
                "\n✗ {name} does not verify: its figures cannot be relied on (`sfumato verify {name}`)\n"
            ))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What every two releases disclose together; those that do not verify are left out.
fn pairs(folders: &[PathBuf], doubtful: &[String]) -> Result<Vec<Pair>> {
    let named: Vec<(String, &PathBuf)> = folders.iter().map(|folder| (folder.display().to_string(), folder)).collect();
    let sound: Vec<&(String, &PathBuf)> = named.iter().filter(|(name, _)| !doubtful.contains(name)).collect();
    let mut pairs = Vec::new();
    for (at, second) in sound.iter().enumerate() {
        for first in &sound[..at] {
            let both = [(first.0.as_str(), first.1.as_path()), (second.0.as_str(), second.1.as_path())];
            let what = format!("looking at {} and {} together", first.0, second.0);
            pairs.push(working(&what, || together(both, &formats()))?);
        }
    }
    Ok(pairs)
}

/// Certificates by name, each with what the others state as well.
fn documents(folders: &[PathBuf], releases: &[(String, Certificate)]) -> Vec<(String, serde_json::Value)> {
    let read: Vec<_> = folders.iter().map(PathBuf::as_path).zip(releases.iter().map(|(_, own)| own)).collect();
    let names = releases.iter().map(|(name, _)| name.clone());
    names.zip(compared(&read, &formats())).collect()
}

/// Refuses certificates of which only some are about transactions.
fn refuse_mixed(releases: &[(String, Certificate)]) -> Result<()> {
    let count = releases.iter().filter(|(_, certificate)| certificate.is_sets()).count();
    if count > 0 && count < releases.len() {
        let error = Error::plan("some of these releases are of transactions, and some of tables");
        return Err(error.help("compare each kind by itself"));
    }
    Ok(())
}
