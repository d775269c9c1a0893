//! Checking criteria, against the time to form the groups.

use crate::Setting;
use crate::adult::Adult;
use crate::clock::{best, ratio, with_threads};
use crate::page::{Cell, Column, Section, Source, Table};
use sfumato::Result;
use sfumato::audit::audit_groups;
use sfumato::candidate::Groups;
use sfumato::criterion::{KINDS, On, Requirement};
use sfumato::data::{self, ColumnSpec, Role, Schema, hierarchy, sample};
use sfumato::kind::Raw;
use sfumato::plan::requirement;
use sfumato::report::grouped;
use std::path::Path;

const ADULT: [&str; 7] = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"];
const HOSPITAL: [&str; 5] = ["age", "sex", "zip", "nationality", "marital-status"];

/// Criteria that most plans ask for.
const USUAL: [&str; 5] =
    ["k-anonymity", "distinct-l-diversity", "entropy-l-diversity", "recursive-cl-diversity", "t-closeness"];

pub fn checking(setting: &Setting<'_>) -> Result<Vec<Section>> {
    let adult = Adult::load(setting)?;
    setting.now("checking every criterion on Adult");
    let raw = every_criterion(&adult.training(), adult.source)?;
    Ok(vec![raw, by_size(setting)?])
}

/// Every criterion alone, and all of them at once, on a table as it stands.
fn every_criterion(table: &data::Table, source: Source) -> Result<Section> {
    let schema = schema(table, &ADULT, "occupation", "salary")?;
    let quasi = schema.select(table, Role::Quasi)?;
    let (grouping, groups) = best(5, || Groups::by_columns(&quasi, table.rows()));
    let wanted = requirements(&schema)?;
    let mut figures =
        Table::new("", [Column::text("what"), Column::time("time"), Column::times("over forming groups")]);
    let mut line = |what: String, time| figures.row([what.into(), Cell::from(time), ratio(time, grouping).into()]);
    line(format!("forming {} groups", grouped(groups.len())), grouping);
    let check = |wanted: &[Requirement]| audit_groups(table, &schema, &groups, wanted, Path::new("."));
    let (all, checked) = best(5, || check(&wanted));
    checked?;
    line(format!("all {} criteria in one check", wanted.len()), all);
    for one in &wanted {
        let (time, checked) = best(5, || check(std::slice::from_ref(one)));
        checked?;
        line(in_words(one), time);
    }
    let words = format!(
        "The training part as it stands, {} records: every criterion of the product with the parameters of its example, t-closeness with every distance; the best of five runs.",
        grouped(table.rows())
    );
    Ok(Section::new("checking", "Checking every criterion on raw Adult", source).timing().words(words).table(figures))
}

/// As in `k-anonymity, k = 5`.
fn in_words(wanted: &Requirement) -> String {
    let settings = wanted.criterion.params.iter().map(|(name, setting)| (name, setting.to_string()));
    let written = settings.filter(|(_, text)| !text.is_empty()).map(|(name, text)| format!(", {name} = {text}"));
    format!("{}{}", wanted.criterion.kind.name, written.collect::<String>())
}

fn by_size(setting: &Setting<'_>) -> Result<Section> {
    let most = setting.pick(20_000, 5_000_000);
    let mut figures = Table::new(
        "",
        [
            Column::count("records"),
            Column::count("groups"),
            Column::count("threads"),
            Column::time("forming groups"),
            Column::time("usual five"),
            Column::times("five over forming groups"),
            Column::time("all criteria"),
        ],
    );
    for rows in [most / 10, most / 3, most] {
        setting.now(&format!("checking {} made-up patients", grouped(rows)));
        let table = sample::hospital(rows, 1);
        let schema = schema(&table, &HOSPITAL, "disease", "stay")?;
        let quasi = schema.select(&table, Role::Quasi)?;
        let all = requirements(&schema)?;
        let five: Vec<Requirement> = USUAL
            .iter()
            .filter_map(|name| all.iter().find(|wanted| wanted.criterion.kind.name == *name).cloned())
            .collect();
        for threads in [1, 2] {
            with_threads(threads, || -> Result<()> {
                let (grouping, groups) = best(3, || Groups::by_columns(&quasi, rows));
                let check = |wanted: &[Requirement]| audit_groups(&table, &schema, &groups, wanted, Path::new("."));
                let (few, checked) = best(3, || check(&five));
                checked?;
                let (every, checked) = best(2, || check(&all));
                checked?;
                let counts = [rows, groups.len(), threads].map(Cell::from);
                let times = [grouping.into(), few.into(), ratio(few, grouping).into(), every.into()];
                figures.row(counts.into_iter().chain(times));
                Ok(())
            })?;
        }
    }
    let source = Source::synthetic(format!("a made-up hospital, up to {} records", grouped(most)));
    Ok(Section::new("checking-by-size", "Checking more and more records", source)
        .timing()
        .words(format!(
            "Five quasi-identifiers; the usual five are {}; the best of three runs, two for all criteria.",
            USUAL.join(", ")
        ))
        .table(figures))
}

fn schema(table: &data::Table, quasi: &[&str], sensitive: &str, second: &str) -> Result<Schema> {
    let mut specs: Vec<ColumnSpec> = quasi.iter().map(|name| ColumnSpec::new(*name, Role::Quasi)).collect();
    let mut first = ColumnSpec::new(sensitive, Role::Sensitive);
    first.order = table.column(sensitive)?.domain().labels().iter().map(String::from).collect();
    first.rule = Some(hierarchy::rule(&[("suppress", Raw::Flag(true))], Path::new("."))?.into());
    specs.push(first);
    specs.push(ColumnSpec::new(second, Role::Sensitive));
    Ok(Schema::new(specs))
}

/// Every criterion of the list with its example parameters, and t-closeness with every distance.
fn requirements(schema: &Schema) -> Result<Vec<Requirement>> {
    let sensitive = schema.names(Role::Sensitive)[0];
    let on = format!("on = \"{sensitive}\"\n");
    let examples = KINDS.iter().map(|kind| {
        let on = if kind.build.on == On::Column { on.as_str() } else { "" };
        let params: String = kind.example.iter().map(|(name, value)| format!("{name} = {value}\n")).collect();
        format!("criterion = \"{}\"\n{on}{params}", kind.name)
    });
    let distances = ["ordered", "hierarchical"]
        .map(|distance| format!("criterion = \"t-closeness\"\n{on}t = 0.3\ndistance = \"{distance}\""));
    examples.chain(distances).map(|text| requirement(&text, schema)).collect()
}
