//! The method that is chosen where a plan leaves it open: by what it keeps, and never by who has
//! which sensitive value.

use sfumato::chance::Chance;
use sfumato::data::{Column, Formats, Table, sample};
use sfumato::plan::TablePlan;
use sfumato::publish::{self, Publication};
use sfumato::{ErrorCode, Result};
use std::path::Path;

const COLUMNS: &str = "[columns]\nage = { role = \"quasi\", hierarchy = { intervals = [5, 10, 20] } }\n\
    zip = { role = \"quasi\", hierarchy = { redact = 5 } }\nsex = \"quasi\"\ndisease = \"sensitive\"\n";
const CRITERIA: [&str; 5] = [
    "[[require]]\ncriterion = \"k-anonymity\"\nk = 5\n",
    "[[require]]\ncriterion = \"frequency-l-diversity\"\nl = 2\n",
    "[[require]]\ncriterion = \"entropy-l-diversity\"\nl = 3\n",
    "[[require]]\ncriterion = \"t-closeness\"\nt = 0.5\n",
    "[[require]]\ncriterion = \"skyline\"\npoints = [{ l = 1, k = 1, m = 1, c = \"0.9\" }]\n",
];

fn published(table: &Table, text: &str) -> Result<Publication> {
    let mut plan = TablePlan::parse(text, Path::new("."))?;
    plan.publishing.chance = Chance::insecure(3);
    Ok(publish::make(&plan, table, &Formats::default())?.publication().clone())
}

/// Two columns and what the two people of each pair have.
fn small(rows: &[(&str, &str)]) -> Table {
    let column = |name: &str, of: fn(&(&str, &str)) -> String| Column::from_values(name, rows.iter().map(of));
    Table::new(vec![column("q", |row| row.0.into()), column("s", |row| row.1.into())]).expect("a table")
}

/// Whoever has which disease, methods are tried in the same order; and the first is taken here.
#[test]
fn the_order_does_not_depend_on_who_has_which_value() {
    let table = sample::hospital(300, 5);
    let disease = table.column("disease").unwrap();
    let mut orders = 0;
    for criterion in CRITERIA {
        for more in ["", "[release]\nmax_suppressed = \"5%\"\n", "[release]\nform = \"bucketized\"\n"] {
            let columns = match more.contains("bucketized") {
                true => "[columns]\nage = \"quasi\"\nzip = \"quasi\"\nsex = \"quasi\"\ndisease = \"sensitive\"\n",
                false => COLUMNS,
            };
            let text = format!("{columns}{criterion}{more}");
            let among = |shift: u32| {
                let codes = (0..300u32).map(|row| disease.codes()[((row * 7 + shift * 41) % 300) as usize]).collect();
                let other = Column::new("disease", codes, disease.domain().clone());
                let found = published(&table.clone().with_column(other).unwrap(), &text).ok()?;
                assert!(found.method.among.contains(&found.method.name));
                assert!(found.method.choice().is_some());
                Some(found.method.among)
            };
            let found: Vec<Vec<&str>> = (0..4).filter_map(among).collect();
            assert!(found.iter().all(|one| *one == found[0]), "{text}: {found:?}");
            orders += found.len();
        }
    }
    assert!(orders > 40, "{orders} releases were compared");
}

/// It keeps at least what a method that it is chosen among keeps, where sizes alone matter.
#[test]
fn it_keeps_most_where_sizes_alone_matter() {
    let table = sample::hospital(2000, 6);
    let kept = |method: &str| {
        let text = format!("{COLUMNS}{}[method]\nname = \"{method}\"\n", CRITERIA[0]);
        published(&table, &text).unwrap().information_kept.overall
    };
    let best = ["local-recoding", "mondrian", "optimal"].map(kept).into_iter().fold(0.0, f64::max);
    assert_eq!(kept("auto"), best);
}

/// Where a criterion reads who has which value, a method that reads values alone leads to a release
/// in some worlds and not in others: nothing is claimed of it, and it is not chosen.
#[test]
fn criteria_on_both_leave_no_method_that_reads_values_alone() {
    let table = small(&[("a", "u"), ("a", "u"), ("a", "v"), ("a", "v"), ("b", "u"), ("b", "w")]);
    let plan = "[columns]\nq = \"quasi\"\ns = \"sensitive\"\n[[require]]\ncriterion = \"frequency-l-diversity\"\nl = 2\n\
        [[require]]\ncriterion = \"bayes-optimal\"\nrho1 = 0.3\nrho2 = 0.45\n";
    let bucketized = "[release]\nform = \"bucketized\"\n";
    if let Ok(found) = published(&table, &format!("{plan}{bucketized}")) {
        assert!(!found.method.among.contains(&"anatomy"), "{:?}", found.method.among);
    }
    for form in [bucketized, ""] {
        let found = published(&table, &format!("{plan}[method]\nname = \"anatomy\"\n{form}")).unwrap();
        let minimality = found.attacks.iter().find(|one| one.attack == "minimality").unwrap();
        assert_eq!((minimality.undecided_people(), minimality.is_lower_bound), (Some(6), true), "{form}");
    }
}

#[test]
fn suppression_that_no_candidate_makes_is_refused() {
    let table = sample::hospital(200, 7);
    let refused = |text: &str| published(&table, text).err().expect("refused").code();
    let starred = format!("{COLUMNS}{}[release]\nsuppressed = \"starred\"\n", CRITERIA[0]);
    assert_eq!(refused(&starred), ErrorCode::NoEffect);
    let ordered = "[columns]\nsex = { role = \"quasi\", order = [\"Male\", \"Female\"] }\ndisease = \"sensitive\"\n";
    let sexes =
        table.column("sex").unwrap().domain().labels().iter().map(|sex| format!("\"{sex}\"")).collect::<Vec<_>>();
    let ordered = ordered.replace("\"Male\", \"Female\"", &sexes.join(", "));
    let limited = format!("{ordered}{}[release]\nmax_suppressed = \"5%\"\n", CRITERIA[0]);
    assert_eq!(refused(&limited), ErrorCode::NoEffect);
}
