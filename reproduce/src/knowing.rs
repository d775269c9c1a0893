//! What somebody learns who knows the method: Adult by methods that form groups and by searches over
//! levels, with every kind of diversity.

use crate::Setting;
use crate::adult::Adult;
use crate::clock::{best, with_threads};
use crate::files;
use crate::page::{Cell, Column, Section, Table};
use crate::performance;
use crate::subject::Subject;
use sfumato::attack::Finding;
use sfumato::data::Formats;
use sfumato::plan::TablePlan;
use sfumato::publish::{self, Draft};
use sfumato::{Fault, Result};
use std::path::Path;

pub const SUBJECT: Subject = Subject {
    name: "knowing",
    title: "What knowing the method tells",
    summary: "The attack by somebody who knows the method, on Adult for each method and criterion: for how many people each way decides, the highest belief, and what it takes",
    reference: "sfumato's own measurements; the attack is that of Wong, Fu, Wang and Pei, VLDB 2007, and of Cormode, Srivastava, Li and Li, VLDB 2010, for whole methods (docs/guide/knowing-the-method.md)",
    needs: &files::ADULT,
    experiments,
};

/// Methods, as in a plan.
const METHODS: [(&str, &str); 6] = [
    ("local-recoding", "name = \"local-recoding\""),
    ("local-recoding, blind", "name = \"local-recoding\"\nblind = true"),
    ("mondrian", "name = \"mondrian\""),
    ("mondrian, blind", "name = \"mondrian\"\nblind = true"),
    ("optimal", "name = \"optimal\""),
    ("optimal, blind", "name = \"optimal\"\nblind = true"),
];

/// Criteria beside 5-anonymity, as in a plan; a quick run has the first.
const CRITERIA: [(&str, &str); 8] = [
    ("frequency, l = 3", "criterion = \"frequency-l-diversity\"\nl = 3"),
    ("frequency, l = 2", "criterion = \"frequency-l-diversity\"\nl = 2"),
    ("frequency, l = 4", "criterion = \"frequency-l-diversity\"\nl = 4"),
    ("entropy, l = 3", "criterion = \"entropy-l-diversity\"\nl = 3"),
    ("entropy, l = 5", "criterion = \"entropy-l-diversity\"\nl = 5"),
    ("recursive, c = 3, l = 3", "criterion = \"recursive-cl-diversity\"\nc = 3\nl = 3"),
    ("t = 0.3", "criterion = \"t-closeness\"\nt = 0.3"),
    ("t = 0.2", "criterion = \"t-closeness\"\nt = 0.2"),
];

fn experiments(setting: &Setting<'_>) -> Result<Vec<Section>> {
    let adult = Adult::load(setting)?;
    let table = adult.training();
    let mut section = Section::new("methods", "By method and criterion", adult.source.clone()).timing().words(
        "Adult's training part, seven quasi-identifiers, occupation; 5-anonymity and one more criterion, nothing suppressed. \
         A world gives the records of every published group its values in some way, and is possible if the method would \
         have published the same; the belief in a value is its share of the possible worlds. *Above* is the share of people \
         about whom more is believed than the criterion promises. The next columns say for how many people which way is \
         enough: a proof that nothing is learnt, a bound for everybody at once, counting all worlds, drawing some. \
         The highest belief is over those who are decided. The time is that of forming groups, recoding, auditing and \
         all attacks, with two threads on two cores that others use too.",
    );
    for (label, criterion) in CRITERIA.into_iter().take(setting.pick(1, CRITERIA.len())) {
        let shares = ["above", "immune", "bounded", "exact", "sampled", "undecided"];
        let columns =
            [Column::text("method"), Column::share("information kept", 1), Column::number("highest belief", 3)];
        let columns = columns.into_iter().chain(shares.map(|name| Column::share(name, 1)));
        let mut figures = Table::new(label, columns.chain([Column::time("time")]));
        for (name, method) in METHODS {
            setting.now(&format!("{label}, {name}"));
            figures.row(std::iter::once(name.into()).chain(cells(&table, criterion, method)?));
        }
        section = section.table(figures);
    }
    Ok(vec![section])
}

fn cells(table: &sfumato::data::Table, criterion: &str, method: &str) -> Result<Vec<Cell>> {
    let text = format!(
        "[columns]\nage = \"quasi\"\noccupation = \"sensitive\"\n[[require]]\ncriterion = \"k-anonymity\"\nk = 5\n\
         [[require]]\n{criterion}\non = \"occupation\"\n[method]\n{method}\n"
    );
    let mut plan = TablePlan::parse(&text, Path::new("."))?;
    plan.schema = performance::adult_schema(7)?;
    let make = || publish::make(&plan, table, &Formats::default()).and_then(Draft::pass);
    let (time, made) = with_threads(2, || best(1, make));
    let made = match made {
        Ok(made) => made,
        Err(error) if error.fault() == Fault::Infeasible => return Ok(vec![Cell::Nothing; 9]),
        Err(error) => return Err(error),
    };
    let publication = &made.publication;
    let decided = |finding: &Finding| finding.decided_by.map(|decided| (finding.clone(), decided));
    let (found, decided) = publication.attacks.iter().find_map(decided).expect("the attack is made on every release");
    let share = |people: u64| Cell::from(people as f64 / publication.published.max(1) as f64);
    let mut cells = vec![publication.information_kept.overall.into(), found.highest.to_f64().into()];
    cells.push(share(found.people));
    let ways = [decided.immune, decided.bounded, decided.exact, decided.sampled, decided.undecided];
    cells.extend(ways.map(share));
    cells.push(time.into());
    Ok(cells)
}
