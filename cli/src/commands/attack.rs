//! `sfumato attack`: what can be learnt from a release directory.

use super::formats;
use crate::output::{Output, working};
use clap::Args;
use sfumato::attack::Believed;
use sfumato::data::{Column, Table};
use sfumato::kind::Raw;
use sfumato::release::{Wanted, attack, beliefs, refuse_inside_release, verify};
use sfumato::report::attacks_text;
use sfumato::{Error, Result, attack as attacks};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Attack a release directory: what somebody who reads it, and knows how it was made, comes to believe
///
/// Every attack of `sfumato list attacks` is made with what the directory tells. One that needs more (the original, a register) cannot be made again: for it stands what the certificate says it found when
/// the release was made.
#[derive(Args)]
#[command(after_long_help = "EXAMPLES\n  \
    sfumato attack release\n  \
    sfumato attack release --only minimality\n  \
    sfumato attack release --only background-knowledge --set eliminate=2 --set others=3 --set family=1\n  \
    sfumato attack release --only background-knowledge --set others=5 --each beliefs.csv\n  \
    sfumato attack release --json | jq '.attacks[] | {attack, max_belief, source}'")]
pub struct Arguments {
    /// The release directory.
    release: PathBuf,
    /// Only this attack; may be given several times.
    #[arg(long, value_name = "ATTACK")]
    only: Vec<String>,
    /// A parameter of the one attack under --only, such as eliminate=2; may be given several times.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_setting)]
    set: Vec<(String, String)>,
    /// With --only background-knowledge: write what is believed about each group and value to this table; it names values of the release.
    #[arg(long, value_name = "FILE")]
    each: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

fn parse_setting(text: &str) -> std::result::Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE, such as eliminate=2")?;
    Ok((name.trim().to_string(), value.trim().to_string()))
}

impl Arguments {
    /// The attacks with their parameters.
    fn wanted(&self) -> Result<Vec<Wanted>> {
        if self.only.is_empty() {
            self.refuse_settings()?;
            return attacks::KINDS.iter().map(|kind| Ok((*kind, kind.check(&[])?))).collect();
        }
        if self.only.len() > 1 {
            self.refuse_settings()?;
        }
        let written: Vec<(&str, Raw)> =
            self.set.iter().map(|(name, value)| (name.as_str(), Raw::from(value.as_str()))).collect();
        let kinds = self.only.iter().map(|name| attacks::find(name));
        kinds.map(|kind| kind.and_then(|kind| Ok((kind, kind.check(&written)?)))).collect()
    }

    fn refuse_settings(&self) -> Result<()> {
        if self.set.is_empty() && self.each.is_none() {
            return Ok(());
        }
        Err(Error::plan("--set and --each are about one attack").help("name it: --only background-knowledge"))
    }

    /// Writes what is believed about each group.
    fn write_each(&self, path: &Path, wanted: &[Wanted]) -> Result<()> {
        let [one] = wanted else { unreachable!("--each is refused without one attack") };
        refuse_inside_release(path)?;
        let found = working("attacking each group", || beliefs(&self.release, one, &formats()))?;
        formats().of(path)?.write(&table_of(&found)?, path)
    }
}

fn table_of(found: &[Believed]) -> Result<Table> {
    let column = |name: &str, text: fn(&Believed) -> String| Column::from_values(name, found.iter().map(text));
    Table::new(vec![
        column("on", |one| one.on.clone()),
        column("first_record", |one| one.first_record.to_string()),
        column("people", |one| one.people.to_string()),
        column("value", |one| one.value.clone()),
        column("belief", |one| one.belief.to_string()),
    ])
}

pub fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let wanted = arguments.wanted()?;
    let found = working("attacking", || attack(&arguments.release, &wanted, &formats()))?;
    if let Some(path) = &arguments.each {
        arguments.write_each(path, &wanted)?;
    }
    let verified = working("verifying", || verify(&arguments.release, &formats()))?.holds();
    if arguments.json {
        output.json(&serde_json::json!({ "attacks": found, "verifies": verified }))?;
    } else {
        output.text(&attacks_text(&found))?;
        if let Some(path) = &arguments.each {
            output.text(&format!("\nWrote {}\n", path.display()))?;
        }
        if !verified {
            let name = arguments.release.display();
            output.text(&format!(
                "\n✗ {name} does not verify: it is not what was published (`sfumato verify {name}`)\n"
            ))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
