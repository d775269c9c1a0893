//! `sfumato publish`: from a plan to a release directory, or to nothing.

use super::recording::{RecordArguments, Recording};
use super::{check_written, formats, reading, write_whole};
use crate::output::Output;
use crate::progress::working;
use clap::Args;
use serde_json::Value;
use sfumato::certificate::Certificate;
use sfumato::chance::Chance;
use sfumato::plan::{Plan, SetPlan, TablePlan};
use sfumato::publish::Gated;
use sfumato::release::directory::check_target;
use sfumato::release::record::Content;
use sfumato::release::{Certified, Destination, Signer};
use sfumato::report::html::{Audience, report_html, transactions_html};
use sfumato::{Error, Fault, Result, publish, release, report};
use sfumato_signing::SecretKey;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Publish a table, or transactions, by a plan: change, audit, attack, and write a release
/// directory if it survives
///
/// The directory holds what is published (data.csv or another format; data.dat of transactions),
/// certificate.json and report.html; with --sign also certificate.json.sig. It appears whole or not
/// at all.
///
/// The certificate holds the hashes of all other files, and a seal over itself, which is printed.
/// Give recipients the seal, or your public key, in another way than the release: with neither of
/// them they cannot distinguish your release from a forger's.
///
/// Releases are noted in a record on this machine, for yourself: date, seal, place and names of
/// columns, and a fingerprint by which the same table is recognised again. If it was published
/// before, a warning and the certificate say so: what two releases disclose together is not limited
/// by the criteria (`sfumato compare`).
#[derive(Args)]
#[command(after_long_help = "EXAMPLES\n  \
    sfumato publish plan.toml --out release\n  \
    sfumato publish plan.toml --data patients-2026.csv --out release-2026\n  \
    sfumato publish plan.toml --out release --replace --internal-report internal.html\n  \
    sfumato publish plan.toml --out release --sign release-key\n  \
    sfumato publish plan.toml --out release --replace --never-out all\n  \
    sfumato publish plan.toml --out release --json | jq .method.levels")]
pub struct Arguments {
    /// The plan.
    plan: PathBuf,
    /// The release directory to make.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The table; by default the one that the plan names.
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// Replace a release that is there.
    #[arg(long)]
    replace: bool,
    /// Sign the certificate with this private key (Ed25519, of `sfumato keygen` or `ssh-keygen`,
    /// without a passphrase), into certificate.json.sig.
    #[arg(long, value_name = "KEY")]
    sign: Option<PathBuf>,
    /// Also write a report with every figure, for yourself: a page (.html) or one document (.json).
    /// It is not for release.
    #[arg(long, value_name = "FILE")]
    internal_report: Option<PathBuf>,
    /// Make random choices with this seed, for experiments: anybody who knows it can undo them, and
    /// the certificate says so.
    #[arg(long, value_name = "SEED")]
    insecure_seed: Option<u64>,
    #[command(flatten)]
    record: RecordArguments,
    /// Print the certificate as one JSON document.
    #[arg(long)]
    pub json: bool,
}

impl Arguments {
    /// The file to publish: the one that the user names, else the plan's.
    fn data<'a>(&'a self, planned: Option<&'a Path>) -> Result<&'a Path> {
        self.data.as_deref().or(planned).ok_or_else(|| {
            let error = Error::plan("no table is named").file(&self.plan);
            error.help("name one with --data, or under [data] path in the plan")
        })
    }

    /// Every file that this run reads: none is overwritten. `named` are those that the plan names.
    fn inputs(&self, data: &Path, named: impl IntoIterator<Item = PathBuf>) -> Result<Vec<PathBuf>> {
        let own = formats().files(data)?.into_iter().chain([self.plan.clone()]);
        Ok(own.chain(self.sign.clone()).chain(named).collect())
    }

    /// Refuses an internal report that cannot be written where it is to be.
    fn check_internal_report(&self, inputs: &[PathBuf]) -> Result<()> {
        let path = self.internal_report.as_ref();
        path.map_or(Ok(()), |path| check_written(path, inputs, Some(&self.out), &["html", "htm", "json"]))
    }

    /// Writes the internal report, if there is to be one.
    fn write_internal_report(&self, page: impl FnOnce() -> String, document: impl FnOnce() -> Value) -> Result<()> {
        let Some(path) = &self.internal_report else { return Ok(()) };
        let is_json = path.extension().is_some_and(|ending| ending == "json");
        let text = if is_json { format!("{:#}\n", document()) } else { page() };
        write_whole(path, &text)
    }
}

pub fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    // A key that cannot sign is found before anybody has worked for it.
    let key = arguments.sign.as_deref().map(SecretKey::read).transpose()?;
    let mut plan = Plan::read(&arguments.plan)?;
    if let Some(seed) = arguments.insecure_seed {
        plan.set_chance(Chance::insecure(seed));
    }
    check_target(&arguments.out, arguments.replace)?;
    let data = arguments.data(plan.data())?;
    let inputs = arguments.inputs(data, plan.files())?;
    arguments.check_internal_report(&inputs)?;
    let run = Run { arguments, data, inputs: &inputs, key: key.as_ref() };
    let (certificate, text) = match &plan {
        Plan::Table(plan) => run.publish_table(plan)?,
        Plan::Sets(plan) => run.publish_sets(plan)?,
    };
    let fingerprint = key.as_ref().map(SecretKey::fingerprint);
    print(arguments, output, &certificate, &text, fingerprint.as_deref())
}

/// Prints the certificate, or a text, where the release is, and who signed it.
fn print(
    arguments: &Arguments,
    output: &mut Output,
    certificate: &Certificate,
    text: &str,
    signer: Option<&str>,
) -> Result<ExitCode> {
    let printed = if arguments.json {
        output.json(&certificate.document)
    } else {
        let seal = &certificate.head.seal;
        let signed = signer.map_or(String::new(), |key| format!("Signed:  by {key}\n"));
        output.text(&format!("{text}\nRelease: {}\nSeal:    {seal}\n{signed}", arguments.out.display()))
    };
    // Whoever reads this error must not publish again.
    let is_there =
        |error: Error| error.help(format!("the release is whole and in its place: {}", arguments.out.display()));
    printed.map(|()| ExitCode::SUCCESS).map_err(is_there)
}

/// A certificate, and what is printed of its release.
type Published = (Certificate, String);

/// One run: what is read, and who signs.
struct Run<'a> {
    arguments: &'a Arguments,
    data: &'a Path,
    inputs: &'a [PathBuf],
    key: Option<&'a SecretKey>,
}

impl Run<'_> {
    fn publish_table(&self, plan: &TablePlan) -> Result<Published> {
        let table = self.reading(|| formats().read(self.data, &plan.options))?;
        self.publish(plan, &table, Content::Table(&table), &TABLE)
    }

    fn publish_sets(&self, plan: &SetPlan) -> Result<Published> {
        let read = self.reading(|| plan.layout.read(self.data, &formats())).map_err(|error| self.blame(error))?;
        self.publish(plan, &read, Content::Sets(&read.table), &SETS)
    }

    fn publish<P, K>(&self, plan: &P, data: &P::Data, content: Content<'_>, texts: &Texts<K>) -> Result<Published>
    where
        P: Certified<Data: Sync, Made: Gated<Publication = K> + Send + Sync> + Sync,
        K: Clone,
    {
        let recording = Recording::look_up(&self.arguments.record, content, self.data, &self.arguments.out)?;
        let draft = self.making(texts.making, || publish::make(plan, data, &formats()))?;
        let mut known = draft.publication().clone();
        (texts.set_earlier)(&mut known, recording.earlier().len());
        let page = || (texts.page)(&known, Audience::Internal);
        self.arguments.write_internal_report(page, || (texts.document)(&known))?;
        let made = draft.pass()?;
        let place = self.place(&recording);
        let written = || release::write(&made, plan, &place, &formats());
        let certificate = working("writing and verifying the release", written)?;
        let note = recording.finish(content, &certificate, &self.arguments.out);
        (texts.set_earlier)(&mut known, certificate.head.earlier_releases.len());
        Ok((certificate, (texts.text)(&known) + &note))
    }

    fn reading<T: Send>(&self, read: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        working(&reading(self.data), read)
    }

    fn making<T: Send>(&self, what: &str, make: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        working(what, make).map_err(|error| self.blame(error))
    }

    /// Whose fault an error is.
    fn blame(&self, error: Error) -> Error {
        match error.fault() {
            Fault::Plan => error.file(&self.arguments.plan),
            Fault::Data => error.file(self.data),
            _ => error,
        }
    }

    fn place<'a>(&'a self, recording: &'a Recording) -> Destination<'a> {
        Destination {
            target: &self.arguments.out,
            replace: self.arguments.replace,
            inputs: self.inputs,
            earlier: recording.earlier(),
            signer: self.key.map(|key| key as &dyn Signer),
        }
    }
}

/// What the custodian reads about a publication, of either kind of data.
struct Texts<P> {
    /// What is being done.
    making: &'static str,
    set_earlier: fn(&mut P, usize),
    text: fn(&P) -> String,
    page: fn(&P, Audience) -> String,
    document: fn(&P) -> Value,
}

const TABLE: Texts<publish::Publication> = Texts {
    making: "forming safe groups, attacking the result",
    set_earlier: |known, earlier| known.earlier = earlier,
    text: report::publication_text,
    page: report_html,
    document: report::internal_json,
};

const SETS: Texts<publish::transactions::Publication> = Texts {
    making: "changing records until they are safe, attacking the result",
    set_earlier: |known, earlier| known.earlier = earlier,
    text: report::transactions::publication_text,
    page: transactions_html,
    document: report::transactions::internal_json,
};
