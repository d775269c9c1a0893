//! `sfumato check`: does a table, whoever made it, satisfy the criteria of a plan?

use super::formats;
use crate::output::{Output, working};
use clap::Args;
use sfumato::candidate::Groups;
use sfumato::data::{Formats, Role, check_pair, one_row_per_person};
use sfumato::report::{audit_json, audit_text};
use sfumato::{Audit, Error, Fault, Plan, Result, audit, audit::audit_groups, release};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Check whether a table satisfies the criteria of a plan
///
/// Rows with equal quasi-identifiers, as they stand in the file, form a group; every criterion is checked on all groups. This works on raw data and on any tool's release. For
/// each criterion the measured value is the strongest parameter that would hold.
#[derive(Args)]
#[command(after_long_help = "EXAMPLES\n  \
    sfumato check patients.csv --plan plan.toml\n  \
    sfumato check release.parquet --plan plan.toml --json | jq .holds\n  \
    sfumato check release --plan plan.toml                             (the folder of a release)\n  \
    sfumato check release/quasi.csv --plan plan.toml --groups group    (with sensitive.csv beside it)\n  \
    sfumato check table.csv --plan plan.toml --groups cluster          (groups are given by a column)\n\n\
    EXIT CODES\n  0 every criterion holds, 1 one does not, 2 usage or plan, 3 input data, 7 reading")]
pub struct Arguments {
    /// The table: .csv, .tsv, .parquet, .arrow; or the folder of a release. The plan's own table if not said.
    data: Option<PathBuf>,
    /// The plan with the columns' roles and the criteria.
    #[arg(long, value_name = "PLAN")]
    plan: PathBuf,
    /// Rows with the same value in this column form a group, instead of rows with equal quasi-identifiers.
    #[arg(long, value_name = "COLUMN")]
    groups: Option<String>,
    /// The table of sensitive values of a bucketized release: group, value, count.
    #[arg(long, value_name = "FILE", requires = "groups")]
    sensitive: Option<PathBuf>,
    /// The table was recoded in another way than by the plan's hierarchies: do not compare its values with them.
    #[arg(long)]
    recoded: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let plan = Plan::read(&arguments.plan)?;
    let files = Files::find(arguments, &plan)?;
    // What is wrong by now is the plan's fault or the table's; errors about other files name them.
    let found = look(arguments, &plan, &files).map_err(|error| match error.fault() {
        Fault::Plan => error.file(&arguments.plan),
        Fault::Data => error.file(&files.table),
        _ => error,
    })?;
    if arguments.json {
        output.json(&audit_json(&found))?;
    } else {
        output.text(&audit_text(&found))?;
    }
    Ok(ExitCode::from(u8::from(!found.holds())))
}

fn look(arguments: &Arguments, plan: &Plan, files: &Files) -> Result<Audit> {
    let read = |path: &Path| working(&format!("reading {}", path.display()), || formats().read(path, &plan.options));
    let table = match &files.release {
        // A release is read as it was written, not as the plan's own table is.
        Some(folder) => working(&format!("reading {}", folder.display()), || release::table(folder, &formats()))?,
        None => read(&files.table)?,
    };
    let Some(group) = &files.groups else {
        let needed = plan.requirements.iter().flat_map(|wanted| wanted.on.iter().map(String::as_str));
        for name in plan.schema.names(Role::Quasi).into_iter().chain(needed) {
            table.column(name).map_err(|error| error.file(&files.table))?;
        }
        if !arguments.recoded {
            plan.schema.check_hierarchies(&table)?;
        }
        plan.check_requires()?;
        return working("checking", || audit(&table, &plan.schema, &plan.requirements, &plan.folder));
    };
    table.column(group).map_err(|error| error.file(&files.table))?;
    let people = match &files.sensitive {
        None => one_row_per_person(&table, &plan.schema, group).map_err(|error| error.file(&files.table))?,
        Some(path) => {
            let people = one_row_per_person(&read(path)?, &plan.schema, group).map_err(|error| error.file(path))?;
            // What it says of a record is about the quasi-identifiers' table.
            check_pair(&table, &people, group).map_err(|error| error.file(&files.table))?;
            people
        }
    };
    plan.check_requires()?;
    let groups = Groups::by_columns(&[people.column(group)?], people.rows());
    working("checking", || audit_groups(&people, &plan.schema, &groups, &plan.requirements, &plan.folder))
}

/// The table to check, the sensitive half of a bucketized pair, and the column that tells groups.
struct Files {
    table: PathBuf,
    /// The release directory that it is in, if it has a certificate.
    release: Option<PathBuf>,
    sensitive: Option<PathBuf>,
    groups: Option<String>,
}

impl Files {
    fn find(arguments: &Arguments, plan: &Plan) -> Result<Files> {
        let data = arguments.data.as_ref().or(plan.data.as_ref()).ok_or_else(|| {
            let error = Error::plan("no table is named").file(&arguments.plan);
            error.help("name one on the command line, or under [data] path in the plan")
        })?;
        let formats = formats();
        let groups = arguments.groups.clone();
        if data.is_dir() {
            return Files::in_folder(data, groups, &formats);
        }
        let is_quasi = data.file_stem().is_some_and(|stem| stem == "quasi") && groups.is_some();
        let sibling = || data.parent().and_then(|folder| beside(folder, "sensitive", &formats)).filter(|_| is_quasi);
        let sensitive = arguments.sensitive.clone().or_else(sibling);
        Ok(Files { table: data.clone(), release: None, sensitive, groups })
    }

    /// The tables of a release: data.*, or quasi.* and sensitive.* with groups told by the column `group`.
    fn in_folder(folder: &Path, groups: Option<String>, formats: &Formats) -> Result<Files> {
        let [table, quasi, sensitive] = ["data", "quasi", "sensitive"].map(|stem| beside(folder, stem, formats));
        match (table, quasi, sensitive) {
            (Some(table), ..) if groups.is_none() => {
                let release = folder.join(release::directory::CERTIFICATE).is_file().then(|| folder.to_owned());
                Ok(Files { table, release, sensitive: None, groups })
            }
            (_, Some(table), Some(sensitive)) => {
                let groups = Some(groups.unwrap_or("group".into()));
                Ok(Files { table, release: None, sensitive: Some(sensitive), groups })
            }
            _ => {
                let message = "the folder has neither data.csv nor quasi.csv and sensitive.csv, in any known format";
                Err(Error::plan(message).file(folder).help("name a file, or the folder of a release"))
            }
        }
    }
}

/// A table called `stem` in a folder, in any known format.
fn beside(folder: &Path, stem: &str, formats: &Formats) -> Option<PathBuf> {
    let endings = formats.iter().flat_map(|format| format.endings());
    endings.map(|ending| folder.join(format!("{stem}.{ending}"))).find(|path| path.is_file())
}
