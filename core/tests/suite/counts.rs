//! Deciding from counts alone gives what the table gives.

use crate::support::{COUNT_PEOPLE, requirement_of};
use proptest::prelude::*;
use sfumato::anonymize::{ChosenMethod, Generalization, Judge, LevelTask, Transformation};
use sfumato::audit::{Audit, audit_counts};
use sfumato::candidate::{Counts, MOST_RECORDS, Records};
use sfumato::chance::Chance;
use sfumato::criterion::{Bound, KINDS, Requirement};
use sfumato::data::{Column, ReadOptions, Schema, Table, csv};
use sfumato::error::Result;
use sfumato::kind::Raw;
use sfumato::recode::{Recipe, Recoding, generalize};
use sfumato::utility::{self, ChosenMetric};
use sfumato::watch::Watch;
use sfumato::{TablePlan, audit};
use std::collections::BTreeMap;
use std::path::Path;

/// Age, postal code, sex (sometimes missing), disease, drug.
type Row = (u8, u8, u8, u8, u8);

const DISEASES: [&str; 4] = ["flu", "cancer", "hiv", "asthma"];

fn rows(most: usize) -> impl Strategy<Value = Vec<Row>> {
    proptest::collection::vec((0u8..6, 0u8..4, 0u8..3, 0u8..4, 0u8..3), 1..most)
}

fn table(rows: &[Row]) -> Table {
    let mut text = "age,zip,sex,disease,drug\n".to_string();
    for &(age, zip, sex, disease, drug) in rows {
        let sex = ["f", "m", ""][sex as usize];
        text += &format!("{},130{zip}{zip},{sex},{},drug {drug}\n", 20 + 7 * age, DISEASES[disease as usize]);
    }
    csv::read_from(text.as_bytes(), &ReadOptions::default()).unwrap()
}

/// The order of diseases is declared where criteria may go by it, so that codes change on the way.
fn schema(with_order: bool) -> Schema {
    let order = if with_order { r#", order = ["hiv", "cancer", "asthma", "flu"]"# } else { "" };
    let plan = format!(
        r#"
        [columns]
        age     = {{ role = "quasi", hierarchy = {{ intervals = [10, 20] }} }}
        zip     = {{ role = "quasi", hierarchy = {{ redact = 2 }} }}
        sex     = "quasi"
        disease = {{ role = "sensitive"{order} }}
        drug    = "sensitive"
        [[require]]
        criterion = "k-anonymity"
        k = 2
        "#
    );
    TablePlan::parse(&plan, Path::new(".")).unwrap().schema
}

/// What somebody else would count: distinct values sorted here, vectors in any order, some of them
/// more than once.
fn counted(table: &Table, schema: &Schema) -> Counts {
    let names: Vec<&str> = schema.columns().iter().map(|spec| spec.name.as_str()).collect();
    let columns: Vec<&Column> = names.iter().map(|name| table.column(name).unwrap()).collect();
    let mut found: BTreeMap<Vec<&str>, u64> = BTreeMap::new();
    for row in 0..table.rows() {
        *found.entry(columns.iter().map(|column| column.value(row)).collect()).or_default() += 1;
    }
    let mut vectors: Vec<(Vec<&str>, u64)> = Vec::new();
    for (vector, count) in found.into_iter().rev() {
        vectors.extend((count > 1).then(|| (vector.clone(), count - 1)));
        vectors.insert(0, (vector, 1));
    }
    let code = |at: usize, value: &str| columns[at].domain().code(value).unwrap();
    let codes = (0..columns.len()).map(|at| vectors.iter().map(|vector| code(at, vector.0[at])).collect::<Vec<u32>>());
    let domains = columns.iter().map(|column| (column.name().to_string(), column.domain().clone())).collect();
    Counts::new(domains, codes.collect(), vectors.iter().map(|vector| vector.1).collect()).unwrap()
}

/// The same with every count multiplied.
fn multiplied(counts: &Counts, factor: u64) -> Counts {
    let columns = || counts.columns();
    let domains = columns().map(|column| (column.name().to_string(), column.domain().clone())).collect();
    let codes = columns().map(|column| column.codes().to_vec()).collect();
    Counts::new(domains, codes, counts.counts().iter().map(|count| count * factor).collect()).unwrap()
}

/// Every criterion of the list, alone; with distances that a plan must ask for.
fn requirements(schema: &Schema) -> Vec<Requirement> {
    let mut all: Vec<Requirement> = KINDS.iter().flat_map(|kind| requirement_of(kind, schema)).collect();
    let on = ["disease".to_string()];
    let ordered = [("t", Raw::Number("0.3".into())), ("distance", Raw::from("ordered"))];
    if schema.find("disease").is_some_and(|spec| !spec.order.is_empty()) {
        all.push(Requirement::new("t-closeness", &ordered, &on, schema).unwrap());
    }
    let cells = r#"criterion = "skyline"
        on = "disease"
        points = [{ l = 1, k = 1, m = 1, c = "0.9" }]
        case = "set"
        separator = "c""#;
    all.push(sfumato::plan::requirement(cells, schema).unwrap());
    all
}

fn bind<'a>(wanted: &[Requirement], records: impl Into<Records<'a>>, schema: &Schema) -> Vec<Bound> {
    let records = records.into();
    wanted.iter().map(|wanted| wanted.bind(records, schema, Path::new(".")).unwrap()).collect()
}

/// What is the same for both: everything but which record shows it.
fn told(audit: &Audit) -> Vec<String> {
    let answer = |answer: &sfumato::audit::Answer| {
        let eligibility = answer.eligibility.map(|one| (one.l, one.too_frequent));
        format!("{:?} {eligibility:?}", answer.verdict)
    };
    let sizes = format!("{} {}", audit.records, audit.groups);
    std::iter::once(sizes).chain(audit.criteria.iter().map(answer)).collect()
}

fn from_table(
    method: &ChosenMethod,
    table: &Table,
    schema: &Schema,
    wanted: &[Requirement],
    metric: &ChosenMetric,
    limit: u64,
) -> Result<Option<Generalization>> {
    let prepared = schema.prepare(table)?;
    let bound = bind(wanted, &*prepared, schema);
    let task = sfumato::anonymize::Task {
        table: &prepared,
        schema,
        requirements: wanted,
        bound: &bound,
        limit,
        metric,
        chance: Chance::default(),
        watch: Watch::NONE,
    };
    Ok(method.run(&task)?.map(|found| match found {
        Transformation::Groups(_) => panic!("it chooses levels"),
        Transformation::Levels(found) => found,
    }))
}

/// The methods that choose levels, the second also beyond its budget.
fn methods() -> Vec<ChosenMethod> {
    let beyond = [("budget", Raw::Number("9".into())), ("seconds", Raw::Number("1".into()))];
    let made = [("incognito", &[][..]), ("optimal", &[][..]), ("optimal", &beyond[..])];
    made.map(|(name, written)| ChosenMethod::new(name, written).unwrap()).to_vec()
}

/// A search beyond the budget may find nothing, and says so.
fn outcome(found: Result<Option<Generalization>>) -> std::result::Result<Option<Generalization>, String> {
    found.map_err(|error| error.to_string())
}

fn config() -> ProptestConfig {
    let cases = std::env::var("SFUMATO_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(60);
    ProptestConfig::with_cases(cases)
}

proptest! {
    #![proptest_config(config())]

    /// Every criterion, on the groups as they stand.
    #[test]
    fn verdicts_and_eligibility_are_those_of_the_table(rows in rows(40), with_order: bool) {
        let (table, schema) = (table(&rows), schema(with_order));
        let wanted = requirements(&schema);
        let expected = told(&audit(&table, &schema, &wanted, Path::new(".")).unwrap());
        for counts in [counted(&table, &schema), Counts::of_table(&table, &schema).unwrap()] {
            prop_assert_eq!(&told(&audit_counts(&counts, &schema, &wanted, Path::new(".")).unwrap()), &expected);
        }
    }

    /// Every criterion, method and metric, with and without suppression.
    #[test]
    fn searches_find_what_they_find_in_the_table(rows in rows(40), share in 0u64..4, with_order: bool) {
        let (table, schema) = (table(&rows), schema(with_order));
        let (counts, limit) = (counted(&table, &schema), rows.len() as u64 * share / 8);
        for (at, wanted) in requirements(&schema).into_iter().enumerate() {
            let wanted = [wanted];
            for method in methods() {
                // Every criterion meets every metric as cases go on.
                let kind = utility::KINDS[(at + rows.len()) % utility::KINDS.len()];
                let metric = ChosenMetric::new(kind.name, &[]).unwrap();
                let context = format!("{} by {} for {}", method.kind.name, kind.name, wanted[0].criterion.kind.name);
                let found = outcome(method.run_on_counts(&counts, &schema, &wanted, &metric, limit));
                let expected = outcome(from_table(&method, &table, &schema, &wanted, &metric, limit));
                prop_assert_eq!(&found, &expected, "{}", context);
            }
        }
    }

    /// Metrics of levels, and the recipe that carries them out.
    #[test]
    fn metrics_and_recipes_are_those_of_the_table(
        rows in rows(40), levels in (0usize..4, 0usize..4, 0usize..2), which in 0usize..60, drop: bool,
    ) {
        let (table, schema) = (table(&rows), schema(false));
        let counts = counted(&table, &schema);
        let levels = [levels.0.min(3), levels.1.min(3), levels.2];
        let all = requirements(&schema);
        let wanted = [all[which % all.len()].clone()];
        let of_table = bind(&wanted, &table, &schema);
        let of_counts = bind(&wanted, &counts, &schema);
        let metric = ChosenMetric::new("loss", &[]).unwrap();
        let measured = |records: Records<'_>, bound: &[Bound]| {
            let task = LevelTask { records, schema: &schema, bound, limit: 3, metric: &metric, watch: Watch::NONE };
            Judge::for_all_metrics(&task).unwrap().measure_all(&levels)
        };
        prop_assert_eq!(measured((&counts).into(), &of_counts), measured((&table).into(), &of_table));

        let insensitive = if drop { sfumato::recode::Insensitive::Drop } else { Default::default() };
        let recoding = Recoding { insensitive, ..Recoding::default() };
        let recipe = Recipe::new(&counts, &schema, &of_counts, &levels, recoding).unwrap();
        prop_assert_eq!(&recipe, &Recipe::new(&table, &schema, &of_table, &levels, recoding).unwrap());
        let (made, plain) = (recipe.apply(&table).unwrap(), generalize(&table, &schema, &of_table, &levels, recoding).unwrap());
        prop_assert_eq!((&made.table, &made.groups, &made.row_of), (&plain.table, &plain.groups, &plain.row_of));
        prop_assert_eq!(recipe.suppressed, made.suppressed as u64);
        // Published and suppressed are all; and counting what is published gives what was foretold.
        let foretold = recipe.apply_to_counts(&counts).unwrap();
        prop_assert_eq!(foretold.records() + recipe.suppressed, counts.records());
        let recounted = counted(&made.table, &schema);
        let hold_for = |counts: &Counts| told(&audit_counts(counts, &schema, &wanted, Path::new(".")).unwrap());
        if made.table.rows() > 0 {
            prop_assert_eq!(by_labels(&foretold), by_labels(&recounted));
            prop_assert_eq!(hold_for(&foretold), hold_for(&recounted));
        }
        check_labels(&table, &schema, &recipe, &levels);
    }

    /// Counts beyond 32 bits: what asks for shares alone is decided as before, sizes grow.
    #[test]
    fn large_counts_are_counted_exactly(rows in rows(40), share in 0u64..4) {
        const FACTOR: u64 = 1 << 33;
        let (table, schema) = (table(&rows), schema(false));
        let small = counted(&table, &schema);
        let large = multiplied(&small, FACTOR);
        let limit = rows.len() as u64 * share / 8;
        let metric = ChosenMetric::new("loss", &[]).unwrap();
        let method = ChosenMethod::new("incognito", &[]).unwrap();
        for wanted in requirements(&schema) {
            let name = wanted.criterion.kind.name;
            let wanted = [wanted];
            let holds = |counts: &Counts| {
                audit_counts(counts, &schema, &wanted, Path::new(".")).unwrap().criteria.remove(0).verdict
            };
            let (before, after) = (holds(&small), holds(&large));
            if COUNT_PEOPLE.contains(&name) {
                prop_assert!(after.holds || !before.holds, "{}: {:?} {:?}", name, before, after);
                continue;
            }
            prop_assert_eq!(before.holds, after.holds, "{}: {:?} {:?}", name, before, after);
            prop_assert_eq!(before.violating.records * FACTOR, after.violating.records);
            let search = |counts: &Counts, limit: u64| method.run_on_counts(counts, &schema, &wanted, &metric, limit).unwrap();
            let decided = |found: Option<Generalization>| found.map(|found| (found.minimal, found.safe));
            // A few more records than so many times the limit still are fewer than one more.
            let found = search(&large, limit * FACTOR + FACTOR / 2);
            let suppressed = found.as_ref().map(|found| found.suppressed);
            let expected = search(&small, limit);
            prop_assert_eq!(suppressed, expected.as_ref().map(|found| found.suppressed * FACTOR));
            prop_assert_eq!(decided(found), decided(expected), "{}", name);
        }
    }
}

/// Vectors of labels with their counts.
fn by_labels(counts: &Counts) -> BTreeMap<Vec<String>, u64> {
    let mut names: Vec<&Column> = counts.columns().collect();
    names.sort_by_key(|column| column.name());
    let mut found = BTreeMap::new();
    for (row, count) in counts.counts().iter().enumerate() {
        *found.entry(names.iter().map(|column| column.value(row).to_string()).collect()).or_insert(0) += count;
    }
    found
}

/// The labels of a recipe are those of the hierarchies.
fn check_labels(table: &Table, schema: &Schema, recipe: &Recipe, levels: &[usize]) {
    for (relabelled, &level) in recipe.columns.iter().zip(levels) {
        let column = table.column(&relabelled.name).unwrap();
        let hierarchy = schema.quasi_hierarchy(column).unwrap();
        let pairs: BTreeMap<&str, &str> = relabelled.pairs().collect();
        assert_eq!(pairs.len(), column.domain().len());
        for code in 0..column.domain().len() as u32 {
            assert_eq!(pairs[column.domain().label(code)], hierarchy.label(level, code));
        }
    }
}

/// One record less than k is one too few, and 32 bits never run over.
#[test]
fn sizes_beyond_32_bits_are_compared_exactly() {
    let schema = Schema::of(&["zip"], &["disease"]);
    let domains = ["zip", "disease"].map(|name| (name.to_string(), Column::from_values(name, ["1"]).domain().clone()));
    let most = u64::from(u32::MAX);
    for (k, count, holds) in [(most, most - 1, false), (most, most, true), (3, most + 3, true), (3, 2, false)] {
        let counts = Counts::new(domains.to_vec(), vec![vec![0], vec![0]], vec![count]).unwrap();
        let k = Raw::Number(k.to_string());
        let wanted = [Requirement::new("k-anonymity", &[("k", k)], &[], &schema).unwrap()];
        let audit = audit_counts(&counts, &schema, &wanted, Path::new(".")).unwrap();
        assert_eq!((audit.holds(), audit.records), (holds, count));
        let metric = ChosenMetric::new("discernibility", &[]).unwrap();
        let method = ChosenMethod::new("optimal", &[]).unwrap();
        let found = method.run_on_counts(&counts, &schema, &wanted, &metric, 0).unwrap();
        let squared = (u128::from(count) * u128::from(count)) as f64;
        assert_eq!(found.map(|found| found.value), holds.then_some(squared));
    }
}

#[test]
fn counts_that_cannot_be_are_refused() {
    let domains = || vec![("zip".to_string(), Column::from_values("zip", ["1", "2"]).domain().clone())];
    let refused =
        |codes: Vec<Vec<u32>>, counts: Vec<u64>| Counts::new(domains(), codes, counts).unwrap_err().to_string();
    assert!(refused(vec![vec![0, 2]], vec![1, 1]).contains("the code of vector 2 is not in its domain"));
    assert!(refused(vec![vec![0, 1]], vec![1, 0]).contains("vector 2 has no record"));
    assert!(refused(vec![vec![0]], vec![1, 1]).contains("1 codes for 2 vectors"));
    assert!(refused(vec![], vec![]).contains("codes of 0"));
    assert!(refused(vec![vec![0, 1]], vec![MOST_RECORDS, 1]).contains("records"));
    assert!(refused(vec![vec![0, 1]], vec![u64::MAX, u64::MAX]).contains("records"));
    assert!(Counts::new(domains(), vec![vec![0]], vec![MOST_RECORDS]).is_ok());
}

/// What counts are not enough for is refused, and says why; and no message names a record.
#[test]
fn what_needs_records_is_refused() {
    let rows: Vec<Row> = (0..24).map(|at| (at % 6, at % 4, at % 3, at % 4, at % 3)).collect();
    let (table, schema) = (table(&rows), schema(false));
    let counts = counted(&table, &schema);
    let (metric, k) = (ChosenMetric::new("loss", &[]).unwrap(), Raw::Number("2".into()));
    let wanted = [Requirement::new("k-anonymity", &[("k", k)], &[], &schema).unwrap()];
    for kind in sfumato::anonymize::KINDS {
        let method = ChosenMethod::new(kind.name, &[]).unwrap();
        let found = method.run_on_counts(&counts, &schema, &wanted, &metric, 0);
        match method.chooses_levels() {
            true => assert!(found.is_ok(), "{}", kind.name),
            false => assert!(found.unwrap_err().to_string().contains("counts are not enough"), "{}", kind.name),
        }
    }
    let skyline = r#"criterion = "skyline"
        on = "disease"
        points = [{ l = 1, k = 1, m = 0, c = "0.9" }]
        case = "multiset"
        person = "name""#;
    let wanted = sfumato::plan::requirement(skyline, &schema).unwrap();
    let error = audit_counts(&counts, &schema, &[wanted], Path::new(".")).err().unwrap().to_string();
    assert!(error.contains("which records are one person's"), "{error}");
}

#[test]
fn messages_about_counts_name_no_record() {
    let table = table(&[(0, 0, 0, 0, 0), (1, 1, 1, 1, 1)]);
    let plan = |columns: &str| {
        let text = format!("[columns]\n{columns}\n[[require]]\ncriterion = \"k-anonymity\"\nk = 2");
        TablePlan::parse(&text, Path::new(".")).unwrap()
    };
    let metric = ChosenMetric::new("loss", &[]).unwrap();
    let refused = |columns: &str| {
        let plan = plan(columns);
        let counts = Counts::of_table(&table, &plan.schema).unwrap();
        let method = ChosenMethod::new("optimal", &[]).unwrap();
        method.run_on_counts(&counts, &plan.schema, &plan.requirements, &metric, 0).unwrap_err().to_string()
    };
    for columns in [
        "sex = { role = \"quasi\", hierarchy = { intervals = [5] } }\ndisease = \"sensitive\"",
        "sex = \"quasi\"\ndisease = { role = \"sensitive\", order = [\"flu\"] }",
    ] {
        let error = refused(columns);
        assert!(error.contains("of its domain") && !error.contains("record"), "{error}");
    }
}
