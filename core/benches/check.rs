//! Checking criteria: all of them on a table like raw Adult, and on millions of rows against the time to group them.
//!
//! `cargo bench -p sfumato --bench check [-- --rows N --each]`

mod support;

use sfumato::audit::audit_groups;
use sfumato::candidate::Groups;
use sfumato::criterion::{KINDS, Requirement};
use sfumato::data::{Column, ColumnSpec, Formats, ReadOptions, Role, Schema, Table, hierarchy, sample};
use sfumato::plan::requirement;
use std::path::Path;
use std::time::Duration;
use support::{best, line, rows, with_threads};

fn main() {
    let adult = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/adult-arx/adult.csv");
    match Formats::default().read(&adult, &ReadOptions::default()) {
        Ok(table) => {
            let quasi = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"];
            every_criterion("raw Adult", &table, &schema(&table, &quasi, "occupation", "salary-class"));
        }
        Err(_) => println!("raw Adult: skipped, {} is not there", adult.display()),
    }
    let quasi = ["age", "sex", "zip", "nationality", "marital-status"];
    let table = sample::hospital(30_162, 1);
    every_criterion("made-up hospital, 30,162 rows", &table, &schema(&table, &quasi, "disease", "stay"));

    let most = rows(5_000_000);
    for rows in [most / 10, most / 3, most] {
        let table = sample::hospital(rows, 1);
        large(&table, &schema(&table, &quasi, "disease", "stay"));
    }
}

fn schema(table: &Table, quasi: &[&str], sensitive: &str, second: &str) -> Schema {
    let mut specs: Vec<ColumnSpec> = quasi.iter().map(|name| ColumnSpec::new(*name, Role::Quasi)).collect();
    let mut first = ColumnSpec::new(sensitive, Role::Sensitive);
    let labels: Vec<String> =
        table.column(sensitive).expect("there").domain().labels().iter().map(String::from).collect();
    first.order = labels;
    let suppress = [("suppress", sfumato::kind::Raw::Flag(true))];
    first.rule = Some(hierarchy::rule(&suppress, Path::new(".")).expect("a rule").into());
    specs.push(first);
    specs.push(ColumnSpec::new(second, Role::Sensitive));
    Schema::new(specs)
}

/// Every criterion of the list with its example parameters, and t-closeness with every distance.
fn requirements(schema: &Schema) -> Vec<Requirement> {
    let sensitive = schema.names(Role::Sensitive)[0].to_string();
    let mut wanted = Vec::new();
    for kind in KINDS {
        let on = if kind.build.on == sfumato::criterion::On::Column {
            format!("on = \"{sensitive}\"")
        } else {
            String::new()
        };
        let params: String = kind.example.iter().map(|(name, value)| format!("{name} = {value}\n")).collect();
        wanted.push(format!("criterion = \"{}\"\n{on}\n{params}", kind.name));
    }
    for distance in ["ordered", "hierarchical"] {
        wanted.push(format!("criterion = \"t-closeness\"\non = \"{sensitive}\"\nt = 0.3\ndistance = \"{distance}\""));
    }
    wanted.iter().map(|text| requirement(text, schema).expect("an example is valid")).collect()
}

fn check(table: &Table, schema: &Schema, groups: &Groups, wanted: &[Requirement]) {
    audit_groups(table, schema, groups, wanted, Path::new(".")).expect("a check");
}

fn every_criterion(name: &str, table: &Table, schema: &Schema) {
    let quasi = schema.select(table, Role::Quasi).expect("the columns");
    let (grouping, groups) = best(5, || Groups::by_columns(&quasi, table.rows()));
    println!("\n{name}: {} rows, {} quasi-identifiers, {} groups", table.rows(), quasi.len(), groups.len());
    line("grouping (baseline)", grouping, grouping);
    let wanted = requirements(schema);
    let mut slowest = (Duration::ZERO, "");
    for one in &wanted {
        let (time, ()) = best(5, || check(table, schema, &groups, std::slice::from_ref(one)));
        slowest = slowest.max((time, one.kind.name));
    }
    line(&format!("slowest single criterion: {}", slowest.1), slowest.0, grouping);
    let (all, ()) = best(5, || check(table, schema, &groups, &wanted));
    line(&format!("all {} criteria in one check", wanted.len()), all, grouping);
}

fn large(table: &Table, schema: &Schema) {
    let quasi: Vec<&Column> = schema.select(table, Role::Quasi).expect("the columns");
    println!("\nmade-up hospital: {} rows, {} quasi-identifiers", table.rows(), quasi.len());
    let sensitive = schema.names(Role::Sensitive)[0].to_string();
    let usual: Vec<Requirement> =
        ["k-anonymity", "distinct-l-diversity", "entropy-l-diversity", "recursive-cl-diversity", "t-closeness"]
            .iter()
            .map(|name| requirements(schema).into_iter().find(|wanted| wanted.kind.name == *name).expect("listed"))
            .collect();
    for threads in [1, 2] {
        with_threads(threads, || {
            let (grouping, groups) = best(3, || Groups::by_columns(&quasi, table.rows()));
            line(&format!("{} groups formed, {threads} thread(s) (baseline)", groups.len()), grouping, grouping);
            let column = table.column(&sensitive).expect("there");
            let (counting, _) = best(3, || column.counts());
            line("plain scan of the sensitive column", counting, grouping);
            let (few, ()) = best(3, || check(table, schema, &groups, &usual));
            line("k, distinct, entropy, recursive, t checked", few, grouping);
            if std::env::args().any(|argument| argument == "--each") {
                for one in requirements(schema) {
                    let (time, ()) = best(3, || check(table, schema, &groups, std::slice::from_ref(&one)));
                    line(&format!("  {}", one.kind.name), time, grouping);
                }
            }
            let (all, ()) = best(3, || check(table, schema, &groups, &requirements(schema)));
            line("every criterion checked", all, grouping);
        });
    }
}
