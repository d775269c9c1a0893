//! Somebody who knows the method: beliefs against whole runs of it over every possible world.

use sfumato::anonymize::{self, Class, Task, Transformation};
use sfumato::attack::Finding;
use sfumato::candidate::Groups;
use sfumato::chance::Chance;
use sfumato::criterion::{About, Bound, Knowledge, Limit};
use sfumato::data::{Column, Formats, Table, sample};
use sfumato::exact::Fraction;
use sfumato::plan::TablePlan;
use sfumato::publish::{self, Draft};
use sfumato::utility;
use sfumato::watch::Watch;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Numbers that are the same in every run.
struct Draws(u64);

impl Draws {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// A small table in which quasi-identifiers tell something about the sensitive values; some
/// records may be alike.
fn table(draws: &mut Draws, alike: bool) -> Table {
    let size = 4 + draws.below(5) as usize;
    let mut rows: Vec<(u64, u64, u64)> = Vec::new();
    while rows.len() < size {
        let (x, y) = (draws.below(4), draws.below(7));
        if alike || !rows.iter().any(|row| (row.0, row.1) == (x, y)) {
            rows.push((x, y, if draws.below(2) == 0 { (x + y) % 3 } else { draws.below(3) }));
        }
    }
    let texts = ["aa", "ab", "ba", "bb"];
    Table::new(vec![
        Column::from_values("x", rows.iter().map(|row| texts[row.0 as usize].to_string())),
        Column::from_values("y", rows.iter().map(|row| (10 + 7 * row.1).to_string())),
        Column::from_values("s", rows.iter().map(|row| format!("v{}", row.2))),
    ])
    .unwrap()
}

/// Ranges joined from intervals are left out: for these a method sees intervals, not values.
const COLUMNS: [&str; 2] = [
    "x = { role = \"quasi\", hierarchy = { redact = 2 } }\ny = \"quasi\"\n",
    "x = { role = \"quasi\", hierarchy = { redact = 2 } }\ny = { role = \"quasi\", hierarchy = { redact = 2 } }\n",
];

const CRITERIA: [&str; 8] = [
    "criterion = \"frequency-l-diversity\"\nl = 2",
    "criterion = \"entropy-l-diversity\"\nl = 1.8",
    "criterion = \"recursive-cl-diversity\"\nc = 2\nl = 2",
    "criterion = \"distinct-l-diversity\"\nl = 2",
    "criterion = \"t-closeness\"\nt = 0.35",
    "criterion = \"beta-likeness\"\nbeta = 1",
    "criterion = \"delta-disclosure\"\ndelta = 1.5",
    "criterion = \"k-anonymity\"\nk = 2\n[[require]]\ncriterion = \"frequency-l-diversity\"\nl = 1.5",
];

/// The methods that draw nothing by lot, with what is written of each. Some do where records are
/// alike.
fn methods(alike: bool) -> Vec<String> {
    let mut written = Vec::new();
    for kind in anonymize::KINDS {
        let params = kind.check(&[]).unwrap();
        let is_drawn =
            (kind.build)(&params).class() == Class::SaOnly || kind.params.iter().any(|param| param.name == "p");
        let chooses_levels = kind.params.iter().any(|param| param.name == "budget");
        let puts_in_order = kind.params.iter().any(|param| param.name == "sort");
        if is_drawn || kind.name == anonymize::DEFAULT.name || alike && puts_in_order {
            continue;
        }
        let metrics =
            utility::KINDS.iter().filter(|metric| chooses_levels && !utility::reads_sensitive_values(metric.name));
        let with_metric = metrics.map(|metric| format!("name = \"{}\"\nmetric = \"{}\"\n", kind.name, metric.name));
        let mut own: Vec<String> = with_metric.collect();
        if !chooses_levels {
            own.push(format!("name = \"{}\"\n", kind.name));
        }
        if kind.params.iter().any(|param| param.name == "blind") {
            own.extend(own.clone().iter().map(|text| format!("{text}blind = true\n")));
        }
        written.extend(own);
    }
    written
}

/// What a whole run leads to: the groups of rows that are published.
fn published(plan: &TablePlan, table: &Table, bound: &[Bound], limit: u64) -> Option<BTreeSet<Vec<u32>>> {
    let task = Task {
        table,
        schema: &plan.schema,
        requirements: &plan.requirements,
        bound,
        limit,
        metric: &plan.publishing.metric,
        chance: Chance::insecure(1),
        watch: Watch::NONE,
    };
    match plan.publishing.method.run(&task).unwrap()? {
        Transformation::Groups(found) => Some(sets(&found.groups)),
        // Levels tell the groups, and which of them are suppressed.
        Transformation::Levels(found) => {
            Some(BTreeSet::from([found.levels.iter().map(|&level| level as u32).collect()]))
        }
    }
}

fn sets(groups: &Groups) -> BTreeSet<Vec<u32>> {
    let sorted = |group: usize| groups.rows(group).iter().copied().collect::<BTreeSet<u32>>().into_iter().collect();
    (0..groups.len()).map(sorted).collect()
}

/// Every different way to give rows of each group its values.
fn worlds(values: &[u32], groups: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut all = vec![values.to_vec()];
    for rows in groups {
        let mut own = BTreeSet::new();
        arrange(&mut rows.iter().map(|&row| values[row as usize]).collect(), 0, &mut own);
        all = all
            .iter()
            .flat_map(|world| {
                own.iter().map(|arranged| {
                    let mut world = world.clone();
                    rows.iter().zip(arranged).for_each(|(&row, &value)| world[row as usize] = value);
                    world
                })
            })
            .collect();
    }
    all
}

fn arrange(values: &mut Vec<u32>, at: usize, all: &mut BTreeSet<Vec<u32>>) {
    if at == values.len() {
        all.insert(values.clone());
    }
    for other in at..values.len() {
        values.swap(at, other);
        arrange(values, at + 1, all);
        values.swap(at, other);
    }
}

/// What brute force says of one release.
struct Truth {
    highest: Fraction,
    vulnerable: u64,
    possible: u64,
    all: u64,
}

fn truth(plan: &TablePlan, table: &Table, kept: &[Vec<u32>], groups: &[Vec<u32>], limit: u64) -> Option<Truth> {
    let column = table.column("s").unwrap();
    let bound: Vec<Bound> =
        plan.requirements.iter().map(|wanted| wanted.bind(table, &plan.schema, &plan.folder).unwrap()).collect();
    let truly = published(plan, table, &bound, limit)?;
    // Groups with equal labels are one in the release; the attacker is granted which is which.
    if !plan.publishing.method.chooses_levels() && truly != kept.iter().cloned().collect() {
        return None;
    }
    let all = worlds(column.codes(), groups);
    let count = all.len() as u64;
    let is_possible = |world: &Vec<u32>| {
        let other = table.clone().with_column(Column::new("s", world.clone(), column.domain().clone())).unwrap();
        published(plan, &other, &bound, limit).as_ref() == Some(&truly)
    };
    let possible: Vec<Vec<u32>> = all.into_iter().filter(is_possible).collect();
    let promised = |code: u32| {
        let limits = bound.iter().filter_map(|bound| bound.criterion.promise(About::Value(code), Knowledge::Nothing));
        limits.min_by(|a: &Limit, b: &Limit| a.belief.cmp(&b.belief))
    };
    let mut found = Truth { highest: Fraction::ZERO, vulnerable: 0, possible: possible.len() as u64, all: count };
    for rows in kept {
        for &row in rows {
            let mut is_vulnerable = false;
            for code in 0..column.domain().len() as u32 {
                let having = possible.iter().filter(|world| world[row as usize] == code).count();
                let belief = Fraction::new(having as u128, possible.len() as u128);
                let held = rows.iter().filter(|&&row| column.codes()[row as usize] == code).count();
                let share = Limit { belief: Fraction::new(held as u128, rows.len() as u128), strict: false };
                is_vulnerable |= held > 0 && !promised(code).unwrap_or(share).allows(belief);
                found.highest = found.highest.max(belief);
            }
            found.vulnerable += u64::from(is_vulnerable);
        }
    }
    Some(found)
}

struct Release {
    finding: Finding,
    /// Published groups, and those with the suppressed ones.
    kept: Vec<Vec<u32>>,
    groups: Vec<Vec<u32>>,
}

fn publish(plan: &TablePlan, table: &Table) -> Option<Release> {
    let made = publish::make(plan, table, &Formats::default()).and_then(Draft::pass).ok()?;
    let finding = made.publication.attacks.iter().find(|finding| finding.attack == "minimality").cloned()?;
    let kept: Vec<Vec<u32>> = sets(&made.recoded.groups.mapped(&made.recoded.row_of)).into_iter().collect();
    let published: BTreeSet<u32> = kept.iter().flatten().copied().collect();
    let mut groups = kept.clone();
    let suppressed: Vec<u32> = (0..table.rows() as u32).filter(|row| !published.contains(row)).collect();
    if !suppressed.is_empty() {
        // Groups of what is suppressed are known by levels alone.
        let levels = &made.publication.method.chosen.as_ref()?.levels;
        let coarse: Vec<Column> = ["x", "y"]
            .iter()
            .zip(levels)
            .map(|(name, level)| {
                let column = table.column(name).unwrap();
                plan.schema.quasi_hierarchy(column).unwrap().generalize(column, level.1)
            })
            .collect();
        let mut by_labels: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        for &row in &suppressed {
            by_labels.entry(coarse.iter().map(|column| column.codes()[row as usize]).collect()).or_default().push(row);
        }
        groups.extend(by_labels.into_values());
    }
    Some(Release { finding, kept, groups })
}

fn detail(finding: &Finding, name: &str) -> f64 {
    finding.details.iter().find(|(known, _)| *known == name).unwrap().1
}

/// More tables with SFUMATO_CASES.
fn cases(usual: u64) -> u64 {
    std::env::var("SFUMATO_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

#[test]
fn beliefs_are_those_of_whole_runs_over_all_worlds() {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let mut draws = Draws(5);
    for case in 0..cases(14) {
        let alike = case % 2 == 1;
        let table = table(&mut draws, alike);
        for method in methods(alike) {
            for (number, criterion) in CRITERIA.iter().enumerate() {
                let share = ["0", "0.3"][(case as usize + number) % 2];
                let columns = COLUMNS[(case as usize / 3 + number) % 2];
                let form = ["generalized", "bucketized"][(case as usize / 2 + number) % 2];
                let efforts = ["", "budget = 0\nsamples = 400\n", "", "budget = 0\nsamples = 20\n"];
                let samples = efforts[(case as usize / 4 + number) % 4];
                let text = format!(
                    "[columns]\n{columns}s = \"sensitive\"\n[[require]]\n{criterion}\n[method]\n{method}[release]\nform = \"{form}\"\nmax_suppressed = {share}\n\
                     [[attack]]\nattack = \"minimality\"\n{samples}"
                );
                let Ok(plan) = TablePlan::parse(&text, Path::new(".")) else { continue };
                let Some(release) = publish(&plan, &table) else { continue };
                let limit = if share == "0" { 0 } else { table.rows() as u64 * 3 / 10 };
                let Some(truth) = truth(&plan, &table, &release.kept, &release.groups, limit) else { continue };
                check(&release, &truth, &mut counts, &text);
            }
        }
    }
    eprintln!("{counts:?}");
    for way in ["immune", "bounded", "exact", "sampled"] {
        assert!(counts[way] > 50, "{way}: {counts:?}");
    }
    assert!(counts["breached"] > 50 && counts["releases"] > 1000, "{counts:?}");
}

fn check(release: &Release, truth: &Truth, counts: &mut BTreeMap<&'static str, u64>, text: &str) {
    let finding = &release.finding;
    let decided = finding.decided_by.expect("it says in which ways");
    let people: u64 = release.kept.iter().map(|rows| rows.len() as u64).sum();
    let all = decided.immune + decided.bounded + decided.exact + decided.sampled + decided.undecided;
    assert_eq!(all, people, "{text}");
    let said = || format!("{text}\n{finding:?}\nhighest {:?}, vulnerable {}", truth.highest, truth.vulnerable);
    assert!(detail(finding, "max_belief_upper") >= truth.highest.to_f64() - 1e-9, "{}", said());
    assert!(finding.highest.to_f64() <= truth.highest.to_f64() + 1e-9, "{}", said());
    assert!(finding.people <= truth.vulnerable, "{}", said());
    if decided.bounded + decided.sampled == 0 {
        assert!(finding.people + decided.undecided >= truth.vulnerable, "{}", said());
        if decided.undecided == 0 {
            assert_eq!(finding.highest, truth.highest, "{}", said());
        }
    }
    // Of two equal halves, symmetry says that nothing is learnt although some worlds are impossible.
    if decided.immune == people && text.contains("metric = ") && !text.contains("blind") {
        assert_eq!(truth.possible, truth.all, "{}", said());
    }
    for (way, people) in [
        ("immune", decided.immune),
        ("bounded", decided.bounded),
        ("exact", decided.exact),
        ("sampled", decided.sampled),
        ("undecided", decided.undecided),
    ] {
        *counts.entry(way).or_default() += people;
    }
    *counts.entry("breached").or_default() += u64::from(truth.vulnerable > 0);
    *counts.entry("releases").or_default() += 1;
}

/// A value of the only quasi-identifier, how many people have it, and how many of them are ill.
type Kin<'a> = (&'a str, usize, usize);

fn people(of: &[Kin<'_>]) -> Table {
    let all: Vec<(&str, &str)> = of
        .iter()
        .flat_map(|&(value, count, ill)| (0..count).map(move |at| (value, if at < ill { "ill" } else { "well" })))
        .collect();
    let column = |name: &str, cells: Vec<&str>| Column::from_values(name, cells.into_iter().map(str::to_string));
    let (q, s) = all.into_iter().unzip();
    Table::new(vec![column("q", q), column("s", s)]).unwrap()
}

/// Full-domain generalization of Wong et al. 2007 and METHODS.md: that records were generalized at
/// all tells who is ill.
#[test]
fn generalizing_tells_why() {
    let text = "[columns]\nq = { role = \"quasi\", hierarchy = { suppress = true } }\n\
                s = { role = \"sensitive\", sensitive_values = [\"ill\"] }\n\
                [[require]]\ncriterion = \"frequency-l-diversity\"\nl = 2\n[method]\nname = \"optimal\"\n";
    let plan = TablePlan::parse(text, Path::new(".")).unwrap();
    let cases: [(&[Kin<'_>], Fraction, u64); 4] = [
        (&[("q1", 2, 2), ("q2", 4, 0)], Fraction::ONE, 2),
        (&[("q1", 2, 2), ("q2", 5, 0)], Fraction::ONE, 2),
        (&[("q1", 4, 4), ("q2", 8, 0)], Fraction::new(25, 33), 4),
        // Somebody who sees seven people in one group, two of them with HIV.
        (&[("primary", 2, 2), ("secondary", 5, 0)], Fraction::ONE, 2),
    ];
    for (of, belief, vulnerable) in cases {
        let release = publish(&plan, &people(of)).unwrap();
        assert_eq!((release.finding.highest, release.finding.people), (belief, vulnerable), "{of:?}");
        assert!(!release.finding.is_lower_bound);
        let right = release.finding.right.unwrap();
        assert_eq!(right[19], if belief == Fraction::ONE { vulnerable } else { 0 });
    }
}

/// Nine records in MODELS.md: 144 of 360 worlds lead to the levels that were chosen, and in all of
/// them one person has the value y.
#[test]
fn nine_records_tell_one_value() {
    let a = ["p0", "p1", "p1", "p1", "q0", "q0", "q0", "q0", "q1"];
    let b = ["0", "0", "0", "0", "1", "1", "1", "1", "0"];
    let s = ["y", "y", "z", "x", "y", "z", "x", "x", "y"];
    let column = |name: &str, cells: [&str; 9]| Column::from_values(name, cells.map(str::to_string));
    let table = Table::new(vec![column("x", a), column("y", b), column("s", s)]).unwrap();
    let text = "[columns]\nx = { role = \"quasi\", hierarchy = { redact = 2 } }\n\
                y = { role = \"quasi\", type = \"text\", hierarchy = { suppress = true } }\ns = \"sensitive\"\n\
                [[require]]\ncriterion = \"k-anonymity\"\nk = 2\n\
                [[require]]\ncriterion = \"frequency-l-diversity\"\nl = 2\n[method]\nname = \"optimal\"\n";
    let plan = TablePlan::parse(text, Path::new(".")).unwrap();
    let release = publish(&plan, &table).unwrap();
    assert_eq!(release.finding.highest, Fraction::ONE);
    let truth = truth(&plan, &table, &release.kept, &release.groups, 0).unwrap();
    assert_eq!((truth.possible, truth.all), (144, 360));
}

/// Levels that sizes choose are published only if they are safe; what was passed over is not.
#[test]
fn blind_searches_go_by_sizes() {
    let table = sample::hospital(3000, 4);
    let chosen = |blind: bool, criterion: &str| {
        let text = format!(
            "[columns]\nage = {{ role = \"quasi\", hierarchy = {{ intervals = [5, 10, 20] }} }}\nsex = \"quasi\"\n\
             zip = {{ role = \"quasi\", hierarchy = {{ redact = 5 }} }}\ndisease = \"sensitive\"\n\
             [[require]]\ncriterion = \"k-anonymity\"\nk = 5\n{criterion}[method]\nname = \"optimal\"\n{}",
            if blind { "blind = true\n" } else { "" }
        );
        let plan = TablePlan::parse(&text, Path::new(".")).unwrap();
        let made = publish::make(&plan, &table, &Formats::default()).and_then(Draft::pass).unwrap();
        let finding = made.publication.attacks.iter().find(|finding| finding.attack == "minimality").unwrap().clone();
        (made.publication.method.chosen.unwrap().levels, finding)
    };
    let (by_sizes, _) = chosen(false, "");
    let diverse = "[[require]]\ncriterion = \"t-closeness\"\nt = 0.15\n";
    let (by_all, _) = chosen(false, diverse);
    let (blind, finding) = chosen(true, diverse);
    assert_ne!(by_sizes, by_all, "the criterion matters");
    assert_ne!(blind, by_sizes, "levels that are not safe are passed over");
    let decided = finding.decided_by.unwrap();
    assert!(decided.undecided < 3000, "{decided:?}");
    // Where sizes choose what is safe, nothing is learnt.
    let (blind, finding) = chosen(true, "[[require]]\ncriterion = \"distinct-l-diversity\"\nl = 2\n");
    assert_eq!((blind, finding.decided_by.unwrap().immune), (by_sizes, 3000));
}
