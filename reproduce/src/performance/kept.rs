//! What each method keeps, and what publishing by it takes.

use super::search;
use crate::Setting;
use crate::adult::Adult;
use crate::clock::{best, ratio, with_threads};
use crate::page::{Cell, Column, Section, Source, Table};
use sfumato::data::{self, Formats, sample};
use sfumato::report::grouped;
use sfumato::{Result, TablePlan, publish};
use std::path::Path;
use std::time::Duration;

/// A label, and what a plan says under `[method]` and `[release]`.
const METHODS: [(&str, &str); 5] = [
    ("optimal, nobody suppressed", "[method]\nname = \"optimal\"\n"),
    ("optimal, 2 % suppressed at most", "[method]\nname = \"optimal\"\n[release]\nmax_suppressed = \"2%\"\n"),
    ("mondrian", "[method]\nname = \"mondrian\"\n"),
    ("local-recoding", "[method]\nname = \"local-recoding\"\n"),
    ("auto", "[method]\nname = \"auto\"\n"),
];

const K: &str = "[[require]]\ncriterion = \"k-anonymity\"\nk = 5\n";

/// Criteria beside 5-anonymity.
const CRITERIA: [(&str, &str); 3] = [
    ("5-anonymity", ""),
    ("5-anonymity, entropy 3", "[[require]]\ncriterion = \"entropy-l-diversity\"\nl = 3\n"),
    ("5-anonymity, t = 0.2", "[[require]]\ncriterion = \"t-closeness\"\nt = 0.2\n"),
];

const HOSPITAL: &str = "age = { role = \"quasi\", hierarchy = { intervals = [5, 10, 20], top = 90 } }\n\
    sex = { role = \"quasi\", hierarchy = { suppress = true } }\n\
    zip = { role = \"quasi\", hierarchy = { redact = 5 } }\n\
    nationality = { role = \"quasi\", hierarchy = { suppress = true } }\n\
    marital-status = { role = \"quasi\", hierarchy = { suppress = true } }\n\
    admitted = { role = \"quasi\", hierarchy = { dates = true } }\ndisease = \"sensitive\"\n";

/// A table, and a plan for criteria and a method.
struct Case<'a> {
    table: &'a data::Table,
    plan: &'a dyn Fn(&str) -> Result<TablePlan>,
}

pub fn keeping(setting: &Setting<'_>) -> Result<Vec<Section>> {
    let adult = Adult::load(setting)?;
    let adult_table = adult.training();
    let of_adult = |sections: &str| {
        let mut plan = TablePlan::parse(
            &format!("[columns]\nage = \"quasi\"\noccupation = \"sensitive\"\n{sections}"),
            Path::new("."),
        )?;
        plan.schema = search::schema(7)?;
        Ok(plan)
    };
    let hospital = sample::hospital(*setting.pick(&2_000, &20_000), 1);
    let of_hospital = |sections: &str| TablePlan::parse(&format!("[columns]\n{HOSPITAL}{sections}"), Path::new("."));
    Ok(vec![
        section(setting, "kept-adult", adult.source.clone(), &Case { table: &adult_table, plan: &of_adult })?,
        section(
            setting,
            "kept-hospital",
            Source::synthetic(format!("a made-up hospital, {} records", grouped(hospital.rows()))),
            &Case { table: &hospital, plan: &of_hospital },
        )?,
    ])
}

fn section(setting: &Setting<'_>, id: &str, source: Source, case: &Case<'_>) -> Result<Section> {
    let mut section = Section::new(id, "What methods keep", source).timing().words(format!(
        "{} records. *Information kept* is the mean over quasi-identifiers, suppressed records counting as lost. The time is that of forming groups, recoding, auditing and attacking, with two threads. *Undecided* is the share of people for whom the minimality attack is inconclusive.",
        grouped(case.table.rows())
    ));
    for (label, criteria) in CRITERIA {
        setting.now(&format!("publishing with {label}"));
        section = section.table(by_method(case, label, &format!("{K}{criteria}"))?);
    }
    Ok(section)
}

fn by_method(case: &Case<'_>, label: &str, criteria: &str) -> Result<Table> {
    let mut figures = Table::new(
        label,
        [
            Column::text("method"),
            Column::share("information kept", 1),
            Column::count("suppressed"),
            Column::count("groups"),
            Column::share("undecided", 1),
            Column::time("time"),
            Column::times("over the first"),
        ],
    );
    let mut first: Option<Duration> = None;
    for (method, sections) in METHODS {
        let plan = (case.plan)(&format!("{criteria}{sections}"))?;
        let make = || publish::make(&plan, case.table, &Formats::default());
        let (time, made) = with_threads(2, || best(1, make));
        let (made, baseline) = (made?, *first.get_or_insert(time));
        let publication = made.publication();
        let undecided = publication.attacks.iter().filter_map(|finding| finding.undecided_people()).max().unwrap_or(0);
        figures.row([
            method.into(),
            Cell::from(publication.information_kept.overall),
            publication.suppressed.into(),
            publication.groups.into(),
            Cell::from(undecided as f64 / publication.published.max(1) as f64),
            Cell::from(time),
            ratio(time, baseline).into(),
        ]);
    }
    Ok(figures)
}
