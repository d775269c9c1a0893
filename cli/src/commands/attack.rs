//! `sfumato attack`: what can be learnt from a release directory.

use super::formats;
use super::transactions::{self, is_transactions};
use crate::output::Output;
use crate::progress::working;
use clap::Args;
use sfumato::attack::{Believed, ChosenAttack};
use sfumato::data::Formulas;
use sfumato::kind::{Kind, Member, Raw, Shape};
use sfumato::plan::Plan;
use sfumato::publish::transactions::Finding;
use sfumato::release::{attack, beliefs, refuse_inside_release, verify};
use sfumato::report::transactions::finding_json;
use sfumato::report::{attack_json, attacks_text};
use sfumato::{Error, ErrorCode, Fault, Result, attack as attacks, release, report, transactions as sets};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Attack a release directory: what does an attacker believe who knows how it was made?
///
/// Runs every attack of `sfumato list attacks` that the release alone is enough for. One that needs
/// the original cannot be repeated, and is left out unless the certificate states what it found.
/// Exits with 5 if the release does not verify. For transactions, a release or with --plan a file,
/// it lists the rules that an attacker would infer.
#[derive(Args)]
#[command(after_long_help = examples())]
pub struct Arguments {
    /// The release directory; with --plan, a file of transactions that is not published yet.
    release: PathBuf,
    /// The plan that says how to read a file of transactions, and what is demanded.
    #[arg(long, value_name = "PLAN")]
    plan: Option<PathBuf>,
    /// Only this attack; may be given several times.
    #[arg(long, value_name = "ATTACK")]
    only: Vec<String>,
    /// A parameter of the one attack under --only; may be given several times.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_setting)]
    set: Vec<(String, String)>,
    #[arg(long, value_name = "FILE", help = each_help())]
    each: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
}

/// Every attack, with the parameters of its example.
fn examples() -> String {
    let mut text = "EXAMPLES\n  sfumato attack release\n".to_string();
    for kind in attacks::KINDS {
        text += &format!("  sfumato attack release{}\n", only(kind));
    }
    text += &format!("  sfumato attack release --only {} --each beliefs.csv\n", attacks::BY_GROUP.name);
    text + "  sfumato attack release --json | jq '.attacks[] | {attack, max_belief, source}'"
}

/// The options that choose an attack with the parameters of its example.
fn only(kind: &Kind<attacks::Build>) -> String {
    let set = kind.example.iter().map(|(name, value)| format!(" --set {name}={}", value.trim_matches('"')));
    format!(" --only {}{}", kind.name, set.collect::<String>())
}

fn each_help() -> String {
    format!(
        "With --only {}: write the belief about each group and value to this table; it names values of the release",
        attacks::BY_GROUP.name
    )
}

fn parse_setting(text: &str) -> std::result::Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    Ok((name.trim().to_string(), value.trim().to_string()))
}

impl Arguments {
    /// The attacks of a family with their parameters.
    fn wanted<B>(&self, all: &[&'static Kind<B>], find: Find<B>) -> Result<Vec<Member<B>>> {
        if self.only.is_empty() {
            self.refuse_settings()?;
            return all.iter().map(|kind| Member::of(kind, &[])).collect();
        }
        if self.only.len() > 1 {
            self.refuse_settings()?;
        }
        let kinds = self.only.iter().map(|name| find(name));
        kinds.map(|kind| kind.and_then(|kind| Member::of(kind, &self.written(kind)?))).collect()
    }

    /// What --set says. Files are relative to where the command is run, not to the release.
    fn written<B>(&self, kind: &Kind<B>) -> Result<Vec<(&str, Raw)>> {
        let mut written: Vec<(&str, Raw)> = Vec::new();
        for (name, value) in &self.set {
            if written.iter().any(|(known, _)| known == name) {
                return Err(Error::plan(format!("--set {name} is given twice")).help("give it once"));
            }
            let param = kind.params.iter().find(|param| param.name == name);
            let is_file = match param.map(|param| param.shape) {
                Some(Shape::File) => true,
                Some(Shape::FileOr(word)) => value != word,
                _ => false,
            };
            let value = if is_file { absolute(value)? } else { value.clone() };
            written.push((name, Raw::Text(value)));
        }
        Ok(written)
    }

    fn refuse_settings(&self) -> Result<()> {
        if self.set.is_empty() && self.each.is_none() {
            return Ok(());
        }
        Err(Error::plan("--set and --each are about one attack").help("name it with --only"))
    }

    /// The plan that says what is demanded of a file, which is no release yet.
    fn plan_of_file(&self) -> Result<Option<&Path>> {
        match &self.plan {
            Some(_) if self.release.is_dir() => {
                let error = Error::plan("a release directory has its own certificate").file(&self.release);
                Err(error.help("leave out --plan"))
            }
            plan => Ok(plan.as_deref()),
        }
    }

    /// Whether the release is what was published.
    fn verified(&self) -> Result<bool> {
        Ok(working("verifying", || verify(&self.release, &formats()))?.holds())
    }

    /// Writes what is believed about each group.
    fn write_each(&self, path: &Path, wanted: &[ChosenAttack]) -> Result<()> {
        let [one] = wanted else { unreachable!("--each is refused without one attack") };
        refuse_inside_release(path)?;
        if path.symlink_metadata().is_ok() {
            let error = Error::plan("is there already, and no table is ever replaced").file(path);
            return Err(error.help("choose another name"));
        }
        let found = working("attacking each group", || beliefs(&self.release, one, &formats()))?;
        let table = Believed::table(&found)?;
        let formulas = if formats().of(path)?.is_text() { Formulas::Escape } else { Formulas::Keep };
        formats().of(path)?.write(&*formulas.apply(&table)?, path)
    }
}

fn absolute(path: &str) -> Result<String> {
    let found = std::path::absolute(path).map_err(|error| Error::io(&error, Path::new(path)))?;
    let named = found.to_str().map(str::to_string);
    named.ok_or_else(|| Error::plan("the folder's name is not valid UTF-8").file(path).help("run it in another folder"))
}

/// What finds the member of a family with a name.
type Find<B> = fn(&str) -> Result<&'static Kind<B>>;

pub fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    match arguments.plan_of_file()? {
        Some(plan) => attack_file(arguments, plan, output),
        None if is_transactions(&arguments.release)? => attack_transactions(arguments, output),
        None => attack_table(arguments, output),
    }
}

/// Attacks on transactions with their parameters.
fn on_transactions(arguments: &Arguments) -> Result<Vec<Member<sets::attack::Build>>> {
    if arguments.each.is_some() {
        return Err(Error::plan("--each is about groups of a table, and transactions have none").help("leave it out"));
    }
    arguments.wanted(&sets::attack::KINDS, sets::attack::find)
}

/// Attacks transactions that are not published yet.
fn attack_file(arguments: &Arguments, path: &Path, output: &mut Output) -> Result<ExitCode> {
    let Plan::Sets(plan) = Plan::read(path)? else {
        let error = Error::plan("the plan is about a table: attacks on tables are made on releases").file(path);
        return Err(error.help("publish it first, or look at it with `sfumato check` and `sfumato skyline`"));
    };
    let wanted = on_transactions(arguments)?;
    let demand = plan.demand().map_err(|error| error.file(path))?;
    let seen = transactions::see(&plan, path, Some(&arguments.release))?;
    let found = working("attacking", || seen.findings(&wanted, demand))?;
    print_found(arguments, output, &found, None)
}

fn attack_transactions(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let wanted = on_transactions(arguments)?;
    let verified = arguments.verified()?;
    let found = working("attacking", || release::transactions::attack(&arguments.release, &wanted));
    print_found(arguments, output, &found.map_err(|error| blamed(error, verified))?, Some(verified))
}

fn print_found(
    arguments: &Arguments,
    output: &mut Output,
    found: &[Finding],
    verified: Option<bool>,
) -> Result<ExitCode> {
    if arguments.json {
        let found: Vec<_> = found.iter().map(finding_json).collect();
        output.json(&serde_json::json!({ "attacks": found, "verifies": verified }))?;
    } else {
        output.text(&report::transactions::attacks_text(found))?;
    }
    conclude(arguments, output, verified != Some(false))
}

/// Says so, and fails, if a release is not what was published.
fn conclude(arguments: &Arguments, output: &mut Output, verified: bool) -> Result<ExitCode> {
    if verified {
        return Ok(ExitCode::SUCCESS);
    }
    if !arguments.json {
        let name = arguments.release.display();
        output
            .text(&format!("\n✗ {name} does not verify: it is not what was published (`sfumato verify {name}`)\n"))?;
    }
    Ok(ExitCode::from(Fault::Gate.exit_code()))
}

/// A release that cannot be attacked because somebody changed it failed its verification: nobody
/// need mend the data.
fn blamed(error: Error, verified: bool) -> Error {
    if verified || error.fault() != Fault::Data {
        return error;
    }
    let message = format!("the release does not verify, and cannot be attacked: {}", error.message());
    Error::of(ErrorCode::NotVerified, message).help("`sfumato verify` says what was changed")
}

fn attack_table(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let wanted = arguments.wanted(&attacks::KINDS, attacks::find)?;
    let verified = arguments.verified()?;
    let found = working("attacking", || attack(&arguments.release, &wanted, &formats()));
    let found = found.map_err(|error| blamed(error, verified))?;
    if let Some(path) = &arguments.each {
        arguments.write_each(path, &wanted)?;
    }
    if arguments.json {
        let found: Vec<_> = found.iter().map(attack_json).collect();
        output.json(&serde_json::json!({ "attacks": found, "verifies": verified }))?;
    } else {
        output.text(&attacks_text(&found))?;
        if let Some(path) = &arguments.each {
            output.text(&format!("\nWrote {}\n", path.display()))?;
        }
    }
    conclude(arguments, output, verified)
}
