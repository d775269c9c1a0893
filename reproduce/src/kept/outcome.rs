//! One publication in figures, made by a process of its own, so that its memory is nobody else's.

use super::cases::Case;
use super::tables::Loaded;
use crate::Setting;
use crate::clock::{best, peak_memory, with_threads};
use crate::page::{Cell, Column};
use serde::{Deserialize, Serialize};
use sfumato::data::Formats;
use sfumato::publish::{Draft, Made};
use sfumato::{Error, Fault, Result, publish};
use std::process::Command;
use std::time::Duration;

/// What is said of a publication.
pub(super) fn columns() -> [Column; 6] {
    [
        Column::share("information kept", 1),
        Column::count("suppressed"),
        Column::count("groups"),
        Column::share("undecided", 1),
        Column::time("time"),
        Column::memory("memory"),
    ]
}

/// The figures of a publication.
#[derive(Serialize, Deserialize)]
struct Outcome {
    release: Option<Figures>,
    seconds: f64,
    /// Where a process made nothing else.
    memory: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct Figures {
    kept: f64,
    suppressed: usize,
    groups: usize,
    undecided: f64,
}

impl Outcome {
    fn cells(self) -> [Cell; 6] {
        let time = Cell::from(Duration::from_secs_f64(self.seconds));
        let nothing = || Cell::Nothing;
        let [kept, suppressed, groups, undecided] = match self.release {
            None => ["no release".into(), nothing(), nothing(), nothing()],
            Some(one) => [one.kept.into(), one.suppressed.into(), one.groups.into(), one.undecided.into()],
        };
        [kept, suppressed, groups, undecided, time, self.memory.into()]
    }
}

/// A case in figures: by a process of its own where that is possible.
pub(super) fn outcome(setting: &Setting<'_>, case: &Case, loaded: Option<&Loaded>) -> Result<[Cell; 6]> {
    match setting.program() {
        None => Ok(make(setting, case, loaded)?.cells()),
        Some(program) => {
            let mut command = Command::new(program);
            command.args([super::SUBJECT.name, "--case", &case.to_string()]);
            setting.folder.iter().for_each(|folder| {
                command.arg("--data").arg(folder.path());
            });
            if setting.is_quick() {
                command.arg("--quick");
            }
            let output = command.output().map_err(|error| Error::io(&error, program))?;
            let read = serde_json::from_slice::<Outcome>(&output.stdout).ok().filter(|_| output.status.success());
            let wrong = || {
                let said = String::from_utf8_lossy(&output.stderr);
                Error::new(Fault::Internal, format!("case {case} failed: {}", said.trim()))
            };
            Ok(read.ok_or_else(wrong)?.cells())
        }
    }
}

/// Makes one case in this process, and says as JSON what came of it.
pub fn run_case(setting: &Setting<'_>, case: &str) -> Result<String> {
    let outcome = make(setting, &Case::read(case)?, None)?;
    let outcome = Outcome { memory: peak_memory(), ..outcome };
    Ok(serde_json::to_string(&outcome).expect("figures can be written"))
}

fn make(setting: &Setting<'_>, case: &Case, loaded: Option<&Loaded>) -> Result<Outcome> {
    let Some((plan, table)) = case.prepare(setting, loaded)? else {
        return Err(Error::data(format!("the table of {case} is not there")));
    };
    let make = || publish::make(&plan, &table, &Formats::default()).and_then(Draft::pass);
    let (time, made) = with_threads(2, || best(1, make));
    let release = match made {
        Ok(made) => Some(figures(&made)),
        Err(error) if error.fault() == Fault::Infeasible => None,
        Err(error) => return Err(error),
    };
    Ok(Outcome { release, seconds: time.as_secs_f64(), memory: None })
}

fn figures(made: &Made) -> Figures {
    let publication = &made.publication;
    let undecided = publication.attacks.iter().filter_map(|finding| finding.undecided_people()).max().unwrap_or(0);
    Figures {
        kept: publication.information_kept.overall,
        suppressed: publication.suppressed,
        groups: publication.groups,
        undecided: undecided as f64 / publication.published.max(1) as f64,
    }
}
