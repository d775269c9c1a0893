//! `sfumato skyline`: how much background knowledge does a value withstand?

use super::grouped::{Files, Source};
use super::{check_page, write_whole};
use crate::output::Output;
use crate::progress::working;
use clap::Args;
use clap::builder::PossibleValuesParser;
use sfumato::criterion::people::{Several, refuse_unused};
use sfumato::criterion::{Case, Requirement};
use sfumato::data::Role;
use sfumato::exact::{Decimal, Fraction};
use sfumato::explore::{Exploration, Explorer, Grounding, Values};
use sfumato::report::html::skyline_html;
use sfumato::report::{skyline_json, skyline_text};
use sfumato::{Error, Result, TablePlan};
use std::path::PathBuf;
use std::process::ExitCode;

/// Find how much background knowledge a value withstands before an attacker believes in it with a
/// confidence
///
/// An attacker may know l things about the target, k other people, and m of the target's relatives.
/// The knowledge skyline of a sensitive value is all the largest (l, k, m) with which the belief
/// still stays below the confidence, whichever values and people she knows about. The smallest
/// sufficient knowledge is shown with the group and the records that it works on, so the output is
/// not for release.
#[derive(Args)]
#[command(after_long_help = "EXAMPLES\n  \
    sfumato skyline patients.csv --plan plan.toml --value flu --confidence 0.95\n  \
    sfumato skyline release --plan plan.toml --value flu --confidence 95% --html skyline.html\n  \
    sfumato skyline table.csv --plan plan.toml --groups cluster --value flu --confidence 0.9\n  \
    sfumato skyline patients.csv --plan plan.toml --value flu --confidence 1 --case set --person name\n  \
    sfumato skyline patients.csv --plan plan.toml --value flu --confidence 0.95 --json | jq .points\n\n\
    EXIT CODES\n  0 done, 2 usage or plan, 3 input data, 7 reading or writing")]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
    /// The sensitive value.
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    value: String,
    /// The belief that must not be reached: above 0, at most 1; as in 0.95 or 95%.
    #[arg(long, value_name = "C", value_parser = parse_confidence, allow_negative_numbers = true)]
    confidence: Fraction,
    /// The sensitive column, if there are several.
    #[arg(long, value_name = "COLUMN")]
    on: Option<String>,
    /// How many sensitive values a person has: one, a set, or a multiset. By default as the plan's
    /// skyline says, else one.
    #[arg(long, value_parser = PossibleValuesParser::new(Case::NAMES))]
    case: Option<String>,
    /// For sets and multisets: the column that says whose record it is.
    #[arg(long, value_name = "COLUMN")]
    person: Option<String>,
    /// For sets and multisets in one cell: what stands between values.
    #[arg(long, value_name = "TEXT", conflicts_with = "person", allow_hyphen_values = true)]
    separator: Option<String>,
    /// Also write a page with pictures, for yourself: it is not for release.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
}

fn parse_confidence(text: &str) -> std::result::Result<Fraction, String> {
    let wrong = "a decimal above 0 and at most 1, as in 0.95 or 95%";
    let decimal: Decimal = text.parse().map_err(|_| wrong.to_string())?;
    let share = decimal.fraction();
    if decimal.is_negative() || share.num == 0 || share > Fraction::ONE { Err(wrong.into()) } else { Ok(share) }
}

pub fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let source = &arguments.source;
    let plan = TablePlan::read(&source.plan)?;
    let files = Files::find(source, &plan)?;
    if let Some(path) = &arguments.html {
        let inputs = [Some(source.plan.clone()), Some(files.table.clone()), files.sensitive.clone()];
        check_page(path, &inputs.into_iter().flatten().collect::<Vec<_>>(), None)?;
    }
    let column = column(arguments, &plan)?;
    let wanted = asked_by(&plan, column);
    let values = values(arguments, wanted)?;
    let found = look(arguments, &plan, &files, column, values).map_err(|error| source.blame(&files, error))?;
    if found.having == 0 {
        let typed = &arguments.value;
        let error = Error::plan(format!("column \"{column}\": no record in a group has the value \"{typed}\""));
        return Err(error
            .file(&files.table)
            .help("check its spelling, capitals included; a value that does not occur needs no protection"));
    }
    if let Some(path) = &arguments.html {
        write_whole(path, &skyline_html(&found))?;
    }
    if arguments.json {
        output.json(&skyline_json(&found))?;
    } else {
        output.text(&skyline_text(&found))?;
        if let Some(path) = &arguments.html {
            output.text(&format!("\nWrote {}\n", path.display()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn look(
    arguments: &Arguments,
    plan: &TablePlan,
    files: &Files,
    column: &str,
    values: Values<'_>,
) -> Result<Exploration> {
    let grouped = arguments.source.read(plan, files, &[column])?;
    if let Values::Set(Several::Cell(separator)) | Values::Multiset(Several::Cell(separator)) = values {
        refuse_unused(grouped.table.column(column)?, separator)?;
    }
    working("exploring", || {
        let groups = grouped.groups(&plan.schema)?;
        let table = plan.schema.prepare(&grouped.table)?;
        let mut found = Explorer::new(&table, &groups, column, values, &arguments.value)?.explore(arguments.confidence);
        if !grouped.rows_are_records {
            found.worst = found.worst.map(Grounding::without_records);
        }
        Ok(found)
    })
}

/// The sensitive column that is meant.
fn column<'a>(arguments: &Arguments, plan: &'a TablePlan) -> Result<&'a str> {
    let sensitive = plan.schema.names(Role::Sensitive);
    let in_plan = |error: Error| error.file(&arguments.source.plan);
    match (&arguments.on, sensitive.as_slice()) {
        (_, []) => {
            Err(in_plan(Error::plan("the plan has no sensitive column").help("give a column role = \"sensitive\"")))
        }
        (None, [only]) => Ok(only),
        (None, _) => Err(in_plan(Error::plan("the plan has several sensitive columns"))
            .help(format!("say which: --on {}", sensitive[0]))),
        (Some(named), all) => all.iter().copied().find(|name| name == named).ok_or_else(|| {
            let message = format!("--on: \"{named}\" is not a sensitive column of the plan");
            in_plan(Error::unknown(message, named, all.iter().copied()))
        }),
    }
}

/// The plan's own skyline of the column, if it asks for one.
fn asked_by<'a>(plan: &'a TablePlan, column: &str) -> Option<&'a Requirement> {
    let is_it = |wanted: &&Requirement| !wanted.points().is_empty() && wanted.on == [column];
    plan.requirements.iter().find(is_it)
}

/// How many values people have: as the user says, else as the plan's skyline says, else one.
fn values<'a>(arguments: &'a Arguments, wanted: Option<&'a Requirement>) -> Result<Values<'a>> {
    let planned = |name: &str| wanted.map_or("", |wanted| wanted.criterion.params.text(name));
    let case = match (&arguments.case, wanted) {
        (Some(name), _) => name.as_str(),
        (None, Some(wanted)) => wanted.criterion.params.choice("case"),
        (None, None) => Case::Single.name(),
    };
    let case = Case::find(case).expect("one of the choices");
    let (person, separator) = match (&arguments.person, &arguments.separator) {
        (None, None) => (planned("person"), planned("separator")),
        (person, separator) => (person.as_deref().unwrap_or(""), separator.as_deref().unwrap_or("")),
    };
    let is_typed = arguments.person.is_some() || arguments.separator.is_some();
    let several = match (case, person, separator) {
        (Case::Single, ..) if is_typed => {
            let error = Error::plan("--person and --separator are for people with several values");
            return Err(error.help("add --case set or --case multiset, or leave them out"));
        }
        (Case::Single, ..) => return Ok(Values::One),
        (_, "", "") => {
            let error = Error::plan("where are a person's several values?");
            return Err(error.help(
                "name the column that says whose record it is (--person COLUMN), or what stands between values in a cell (--separator ';')",
            ));
        }
        (_, person, "") => Several::Records(person),
        (_, _, separator) => Several::Cell(separator),
    };
    Ok(if case == Case::Set { Values::Set(several) } else { Values::Multiset(several) })
}
