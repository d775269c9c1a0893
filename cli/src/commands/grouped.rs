//! Where records and their groups are: a table, a bucketized pair, or the folder of a release.
//! Shared by the commands that look at groups, whoever made them.

use super::{formats, reading};
use crate::progress::working;
use clap::Args;
use sfumato::candidate::Groups;
use sfumato::criterion::Requirement;
use sfumato::data::{Formats, Role, Schema, Table, check_pair, one_row_per_person};
use sfumato::{Error, Fault, Result, TablePlan, release};
use std::path::{Path, PathBuf};

/// What the user says about the table and its groups.
#[derive(Args)]
pub struct Source {
    /// The table: .csv, .tsv, .jsonl, also .gz or .zst, .parquet, .arrow, .xlsx, .sqlite; several files
    /// as one by a pattern in quotes or by their folder; - for standard input; or the folder of a
    /// release. The plan's own table by default.
    data: Option<PathBuf>,
    /// The plan with the columns' roles and the criteria.
    #[arg(long, value_name = "PLAN")]
    pub plan: PathBuf,
    /// Rows with the same value in this column form a group, instead of rows with equal
    /// quasi-identifiers.
    #[arg(long, value_name = "COLUMN")]
    groups: Option<String>,
    /// The table of sensitive values of a bucketized release: group, value, count.
    #[arg(long, value_name = "FILE", requires = "groups")]
    sensitive: Option<PathBuf>,
    /// The table was recoded in another way than by the plan's hierarchies: do not compare its
    /// values with them.
    #[arg(long)]
    recoded: bool,
}

/// Records, and their groups if they are given.
pub struct Grouped {
    pub table: Table,
    given: Option<Groups>,
    /// Whether the rows are the records of the file that was named: those of a bucketized pair are
    /// made from counts.
    pub rows_are_records: bool,
}

impl Grouped {
    /// The groups: those given, or rows with equal quasi-identifiers.
    pub fn groups(&self, schema: &Schema) -> Result<Groups> {
        match &self.given {
            Some(groups) => Ok(groups.clone()),
            None => Ok(Groups::by_columns(&schema.quasi(&self.table)?, self.table.rows())),
        }
    }
}

impl Source {
    /// Reads records and groups; columns that are needed must be there.
    pub fn read(&self, plan: &TablePlan, files: &Files, needed: &[&str]) -> Result<Grouped> {
        let read = |path: &Path| working(&reading(path), || formats().read(path, &plan.options));
        if files.release.is_some() && plan.requirements.iter().any(Requirement::several_records) {
            let error = Error::plan("a release does not say whose record each is, and in the plan people have several");
            return Err(error.help("name the table that it was made from"));
        }
        let table = match &files.release {
            // A release is read as it was written, not as the plan's own table is.
            Some(folder) => working(&format!("reading {}", folder.display()), || release::table(folder, &formats()))?,
            None => read(&files.table)?,
        };
        let Some(group) = &files.groups else {
            for name in plan.schema.names(Role::Quasi).iter().chain(needed) {
                plan.schema.column(&table, name).map_err(|error| error.file(&self.plan))?;
            }
            // The labels of a release are its own business: groups of records have some that no
            // hierarchy has.
            if !self.recoded && files.release.is_none() {
                plan.schema.check_hierarchies(&table)?;
            }
            return Ok(Grouped { table, given: None, rows_are_records: true });
        };
        table.column(group).map_err(|error| error.file(&files.table))?;
        let mut people = match &files.sensitive {
            None => one_row_per_person(&table, &plan.schema, group).map_err(|error| error.file(&files.table))?,
            Some(path) => {
                let people = one_row_per_person(&read(path)?, &plan.schema, group).map_err(|error| error.file(path))?;
                // What it says of a record is about the quasi-identifiers' table.
                check_pair(&table, &people, group).map_err(|error| error.file(&files.table))?;
                people
            }
        };
        let rows_are_records = files.sensitive.is_none() && people.rows() == table.rows();
        if rows_are_records {
            // Whose record it is may be told by a column of any role.
            let further = table.columns().iter().filter(|column| people.find(column.name()).is_none());
            people = Table::new(people.columns().iter().chain(further).cloned().collect())?;
        }
        let groups = Groups::by_columns(&[people.column(group)?], people.rows());
        Ok(Grouped { table: people, given: Some(groups), rows_are_records })
    }

    /// The file or folder that the user names, where there are no groups to tell: a plan about
    /// transactions.
    pub fn without_groups(&self) -> Result<Option<&Path>> {
        if self.groups.is_some() || self.sensitive.is_some() || self.recoded {
            let error = Error::plan("--groups, --sensitive and --recoded are about tables").file(&self.plan);
            return Err(error.help("leave them out: the plan is about transactions"));
        }
        Ok(self.data.as_deref())
    }

    /// What is wrong by now is the plan's fault or the table's; errors about other files name them.
    pub fn blame(&self, files: &Files, error: Error) -> Error {
        match error.fault() {
            Fault::Plan => error.file(&self.plan),
            Fault::Data => error.file(&files.table),
            _ => error,
        }
    }
}

/// The table to look at, the sensitive half of a bucketized pair, and the column that tells groups.
pub struct Files {
    pub table: PathBuf,
    /// The release directory that it is in, if it has a certificate.
    release: Option<PathBuf>,
    pub sensitive: Option<PathBuf>,
    groups: Option<String>,
}

impl Files {
    /// Finds the files that the user means.
    pub fn find(source: &Source, plan: &TablePlan) -> Result<Files> {
        let data = source.data.as_ref().or(plan.data.as_ref()).ok_or_else(|| {
            let error = Error::plan("no table is named").file(&source.plan);
            error.help("name one on the command line, or under [data] path in the plan")
        })?;
        let formats = formats();
        let groups = source.groups.clone();
        if data.is_dir() {
            return Files::in_folder(data, groups, &formats);
        }
        let is_quasi = data.file_stem().is_some_and(|stem| stem == "quasi") && groups.is_some();
        let sibling = || data.parent().and_then(|folder| beside(folder, "sensitive", &formats)).filter(|_| is_quasi);
        let sensitive = source.sensitive.clone().or_else(sibling);
        Ok(Files { table: data.clone(), release: None, sensitive, groups })
    }

    /// The tables of a release: data.*, or quasi.* and sensitive.* with groups told by the column
    /// `group`.
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
            // Not a release, so files of one table.
            _ if formats.files(folder).is_ok() => {
                Ok(Files { table: folder.to_owned(), release: None, sensitive: None, groups })
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
