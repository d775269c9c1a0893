//! Lattice searches against brute force: every node of small lattices, by a plain reading of the
//! definitions.

use crate::support::requirement_of;
use proptest::prelude::*;
use sfumato::anonymize::{ChosenMethod, Generalization, Task, Transformation};
use sfumato::candidate::Histogram;
use sfumato::criterion::{Bound, Codes, Evidence, KINDS, Requirement};
use sfumato::data::hierarchy::{Hierarchy, Ladder, Rule};
use sfumato::data::{Column, ColumnSpec, Role, Schema, Table};
use sfumato::error::Result;
use sfumato::kind::Raw;
use sfumato::utility::{self, ChosenMetric};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// A hierarchy given by the parent of every value on every level.
struct Given {
    /// For each level, what each of the values 0, 1, … becomes; values that are equal stay equal.
    levels: Vec<Vec<u32>>,
}

impl Rule for Given {
    fn ladder(&self, column: &Column) -> Result<Ladder> {
        let value = |code: u32| column.domain().label(code).parse::<usize>().expect("a number");
        let leaves = self.levels[0].len();
        let path = |leaf: usize| {
            let label = |at: usize| format!("{at}:{}", self.levels[at][leaf]);
            (0..self.levels.len()).map(label).chain(["*".to_string()]).collect()
        };
        Ok(Ladder {
            paths: (0..leaves).map(path).collect(),
            leaf_of_code: (0..column.domain().len() as u32).map(|code| Some(value(code) as u32)).collect(),
        })
    }

    fn makes(&self, label: &str) -> bool {
        label.contains(':') || label == "*"
    }
}

/// A random table with random hierarchies.
#[derive(Clone, Debug)]
struct Case {
    /// For each quasi-identifier its hierarchy's levels below the top.
    hierarchies: Vec<Vec<Vec<u32>>>,
    /// How much each quasi-identifier counts.
    weights: Vec<&'static str>,
    /// Quasi-identifiers, then disease and drug.
    rows: Vec<(Vec<u32>, u32, u32)>,
}

const VALUES: u32 = 6;

/// Levels that nest: each maps the classes of the one before.
fn hierarchy() -> impl Strategy<Value = Vec<Vec<u32>>> {
    let maps = proptest::collection::vec(proptest::collection::vec(0u32..3, VALUES as usize), 0..3);
    maps.prop_map(|maps| {
        let mut levels: Vec<Vec<u32>> = vec![(0..VALUES).collect()];
        for map in maps {
            let last = levels.last().expect("a level");
            levels.push(last.iter().map(|&class| map[class as usize]).collect());
        }
        levels
    })
}

fn case(columns: std::ops::Range<usize>, rows: std::ops::Range<usize>) -> impl Strategy<Value = Case> {
    (columns, rows).prop_flat_map(|(columns, rows)| {
        let row = (proptest::collection::vec(0..VALUES, columns), 0u32..4, 0u32..3);
        let weight = proptest::sample::select(&["1", "1", "3", "0.25", "17.5"][..]);
        let weights = proptest::collection::vec(weight, columns);
        (proptest::collection::vec(hierarchy(), columns), weights, proptest::collection::vec(row, rows))
            .prop_map(|(hierarchies, weights, rows)| Case { hierarchies, weights, rows })
    })
}

impl Case {
    fn schema(&self) -> Schema {
        let quasi = self.hierarchies.iter().enumerate().map(|(at, levels)| {
            let mut spec = ColumnSpec::new(format!("q{at}"), Role::Quasi);
            // The first level of a ladder is the one above the values.
            spec.rule = Some(Arc::new(Given { levels: levels.clone() }));
            spec.weight = self.weights[at].parse().unwrap();
            spec
        });
        let sensitive = ["disease", "drug"].map(|name| ColumnSpec::new(name, Role::Sensitive));
        Schema::new(quasi.chain(sensitive).collect())
    }

    fn table(&self) -> Table {
        let diseases = ["flu", "cancer", "hiv", "asthma"];
        let mut columns: Vec<Column> = (0..self.hierarchies.len())
            .map(|at| Column::from_values(format!("q{at}"), self.rows.iter().map(|row| row.0[at].to_string())))
            .collect();
        columns.push(Column::from_values("disease", self.rows.iter().map(|row| diseases[row.1 as usize])));
        columns.push(Column::from_values("drug", self.rows.iter().map(|row| format!("drug {}", row.2))));
        Table::new(columns).expect("a table")
    }
}

/// One node by brute force.
struct Node {
    levels: Vec<usize>,
    safe: bool,
    values: BTreeMap<String, f64>,
}

/// Everything about every node, by the definitions.
fn brute_force(case: &Case, table: &Table, schema: &Schema, bound: &[Bound], limit: usize) -> Vec<Node> {
    let quasi: Vec<&Column> = schema.select(table, Role::Quasi).unwrap();
    let hierarchies: Vec<Hierarchy> = quasi.iter().map(|column| schema.hierarchy(column).unwrap()).collect();
    let mut nodes = vec![Vec::new()];
    for hierarchy in &hierarchies {
        nodes = nodes
            .into_iter()
            .flat_map(|levels: Vec<usize>| {
                (0..=hierarchy.height()).map(move |level| levels.iter().copied().chain([level]).collect())
            })
            .collect();
    }
    nodes.into_iter().map(|levels| node(case, table, &quasi, &hierarchies, bound, limit, levels)).collect()
}

fn node(
    case: &Case,
    table: &Table,
    quasi: &[&Column],
    hierarchies: &[Hierarchy],
    bound: &[Bound],
    limit: usize,
    levels: Vec<usize>,
) -> Node {
    let label = |row: usize, at: usize| hierarchies[at].label(levels[at], quasi[at].codes()[row]).to_string();
    let mut groups: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
    for row in 0..table.rows() {
        groups.entry((0..quasi.len()).map(|at| label(row, at)).collect()).or_default().push(row);
    }
    // What all groups keep together needs no more of any of them.
    let kept_together =
        |bound: &&Bound| bound.criterion.is_cross_group() && hold_together(bound, table, groups.values());
    let asked: Vec<&Bound> = bound.iter().filter(|bound| !kept_together(bound)).collect();
    let is_violating = |rows: &[usize]| asked.iter().any(|bound| !holds(bound, table, rows));
    let (out, kept): (Vec<_>, Vec<_>) = groups.into_iter().partition(|(_, rows)| is_violating(rows));
    let suppressed: usize = out.iter().map(|(_, rows)| rows.len()).sum();
    let values = measures(case, hierarchies, &levels, &kept, &out);
    Node { levels, safe: suppressed <= limit, values }
}

fn holds(bound: &Bound, table: &Table, rows: &[usize]) -> bool {
    with_histogram(bound, table, rows, |group| match bound.criterion.is_cross_group() {
        true => bound.criterion.holds_among(group),
        false => bound.criterion.evidence(group).holds(),
    })
}

fn hold_together<'a>(bound: &Bound, table: &Table, groups: impl Iterator<Item = &'a Vec<usize>>) -> bool {
    let evidence = groups.map(|rows| with_histogram(bound, table, rows, |group| bound.criterion.evidence(group)));
    bound.criterion.verdict(&evidence.fold(Evidence::none(), Evidence::combine)).holds
}

fn with_histogram<T>(bound: &Bound, table: &Table, rows: &[usize], look: impl FnOnce(&Histogram<'_>) -> T) -> T {
    let (any, codes) = (&table.columns()[0], bound.codes(table).unwrap());
    let (codes, domain) = codes.as_ref().map_or((any.codes(), any.domain().len()), Codes::as_coded);
    let mut counter = sfumato::candidate::Counter::new(domain);
    look(&counter.count(rows[0], rows.iter().map(|&row| codes[row])))
}

type Groups = [(Vec<String>, Vec<usize>)];

/// The name here of `loss` with `mean = "arithmetic"`.
const ARITHMETIC: &str = "arithmetic loss";

/// The name here of what the first column loses.
const FIRST_COLUMN: &str = "loss of the first column";

/// Weights above all that cases have.
const HEAVIER: [&str; 3] = ["18", "40.125", "1000"];

/// METHODS, section 7, word by word.
fn measures(
    case: &Case,
    hierarchies: &[Hierarchy],
    levels: &[usize],
    kept: &Groups,
    out: &Groups,
) -> BTreeMap<String, f64> {
    let n = case.rows.len() as f64;
    let size = |groups: &Groups| groups.iter().map(|(_, rows)| rows.len()).sum::<usize>() as f64;
    let squares = |groups: &Groups| groups.iter().map(|(_, rows)| (rows.len() * rows.len()) as f64).sum::<f64>();
    let (kept_rows, s) = (size(kept), size(out));
    let weights: Vec<f64> = case.weights.iter().map(|weight| weight.parse().unwrap()).collect();
    let all_weights: f64 = weights.iter().sum();
    let share = |at: usize, label: &str| {
        if levels[at] == 0 {
            return 1.0 / f64::from(hierarchies[at].leaves());
        }
        let labels = hierarchies[at].labels(levels[at]);
        let code = labels.iter().position(|known| known == label).expect("a label");
        f64::from(hierarchies[at].leaves_under(levels[at])[code]) / f64::from(hierarchies[at].leaves())
    };
    let lost = |at: usize| {
        let leaves = f64::from(hierarchies[at].leaves());
        let sum = kept.iter().map(|(key, rows)| rows.len() as f64 * share(at, &key[at])).sum::<f64>() + s;
        if leaves == 1.0 { 0.0 } else { ((sum - n / leaves) / (n - n / leaves)).max(0.0) }
    };
    let columns = 0..levels.len();
    let precision = columns
        .clone()
        .map(|at| weights[at] * (kept_rows * levels[at] as f64 / hierarchies[at].height() as f64 + s) / n)
        .sum::<f64>()
        / all_weights;
    let loss = columns.clone().map(|at| (1.0 + lost(at)).powf(weights[at] / all_weights)).product::<f64>() - 1.0;
    let arithmetic = columns.clone().map(|at| weights[at] * lost(at)).sum::<f64>() / all_weights;
    let mut values = BTreeMap::from([
        ("height".to_string(), levels.iter().sum::<usize>() as f64),
        ("precision".to_string(), precision),
        ("loss".to_string(), loss),
        (ARITHMETIC.to_string(), arithmetic),
        (FIRST_COLUMN.to_string(), lost(0)),
        ("discernibility".to_string(), squares(kept) + s * n),
        ("discernibility-star".to_string(), squares(kept) + squares(out)),
        ("average-group-size".to_string(), n / (kept.len() as f64 + if s > 0.0 { 1.0 } else { 0.0 })),
        ("suppressed-share".to_string(), s / n),
    ]);
    let mut all_bits = 0.0;
    for at in columns.clone() {
        let mut entropy = 0.0;
        let mut original: BTreeMap<u32, f64> = BTreeMap::new();
        let mut generalized: BTreeMap<&str, f64> = BTreeMap::new();
        let mut of_suppressed: BTreeMap<&str, f64> = BTreeMap::new();
        case.rows.iter().for_each(|row| *original.entry(row.0[at]).or_default() += 1.0);
        kept.iter().chain(out).for_each(|(key, rows)| *generalized.entry(&key[at]).or_default() += rows.len() as f64);
        out.iter().for_each(|(key, rows)| *of_suppressed.entry(&key[at]).or_default() += rows.len() as f64);
        for (key, rows) in kept.iter().chain(out) {
            entropy -= rows
                .iter()
                .map(|&row| (original[&case.rows[row].0[at]] / generalized[key[at].as_str()]).log2())
                .sum::<f64>();
        }
        entropy -= of_suppressed.values().map(|count| count * (count / s).log2()).sum::<f64>();
        all_bits += weights[at] * entropy;
    }
    values.insert("non-uniform-entropy".into(), all_bits);
    values.insert("kl-divergence".into(), divergence(case, &share, hierarchies, kept, out));
    values
}

/// Σ over records of ln(F/F*)/n, every record with its own cell; a suppressed record's cell is `*`
/// in every quasi-identifier.
fn divergence(
    case: &Case,
    share: &dyn Fn(usize, &str) -> f64,
    hierarchies: &[Hierarchy],
    kept: &Groups,
    out: &Groups,
) -> f64 {
    let n = case.rows.len() as f64;
    let sensitive = |row: usize| (case.rows[row].1, case.rows[row].2);
    let like = |row: usize| case.rows.iter().filter(|other| **other == case.rows[row]).count() as f64;
    let leaves: Vec<f64> = hierarchies.iter().map(|hierarchy| f64::from(hierarchy.leaves())).collect();
    let mut sum = 0.0;
    for (key, rows) in kept {
        let area: f64 = key.iter().enumerate().map(|(at, label)| share(at, label) * leaves[at]).product();
        for &row in rows {
            let cell = rows.iter().filter(|&&other| sensitive(other) == sensitive(row)).count() as f64;
            sum += ((like(row) / n) / (cell / (n * area))).ln();
        }
    }
    let suppressed: Vec<usize> = out.iter().flat_map(|(_, rows)| rows.iter().copied()).collect();
    for &row in &suppressed {
        let cell = suppressed.iter().filter(|&&other| sensitive(other) == sensitive(row)).count() as f64;
        sum += ((like(row) / n) / (cell / (n * leaves.iter().product::<f64>()))).ln();
    }
    sum / n
}

/// What a method finds.
fn search(case: &Case, requirements: &[Requirement], limit: u64, method: &str, metric: &str) -> Option<Generalization> {
    let (table, schema) = (case.table(), case.schema());
    let bound: Vec<Bound> =
        requirements.iter().map(|wanted| wanted.bind(&table, &schema, Path::new(".")).unwrap()).collect();
    let metric = match metric {
        ARITHMETIC => ChosenMetric::new("loss", &[("mean", Raw::from("arithmetic"))]),
        name => ChosenMetric::new(name, &[]),
    };
    let metric = metric.unwrap();
    let task = Task {
        watch: sfumato::watch::Watch::NONE,
        table: &table,
        schema: &schema,
        requirements,
        bound: &bound,
        limit,
        metric: &metric,
        chance: Default::default(),
    };
    match method {
        BEYOND => run("optimal", &[("budget", Raw::from("1")), ("seconds", Raw::from("1"))], &task),
        method => run(method, &[], &task),
    }
}

/// The search beyond the budget.
const BEYOND: &str = "beyond the budget";

/// The methods that choose levels.
const BY_LEVELS: [&str; 2] = ["incognito", "optimal"];

fn run(method: &str, params: &[(&str, Raw)], task: &Task<'_>) -> Option<Generalization> {
    match ChosenMethod::new(method, params).unwrap().build().run(task).unwrap() {
        Some(Transformation::Groups(_)) => panic!("{method} chooses levels"),
        Some(Transformation::Levels(found)) => Some(found),
        None => None,
    }
}

/// The best node: the least value, then the least height, then the least levels.
fn best<'n>(nodes: &'n [Node], metric: &str) -> Option<&'n Node> {
    let safe = || nodes.iter().filter(|node| node.safe);
    let least = safe().map(|node| node.values[metric]).min_by(f64::total_cmp)?;
    let ties = safe().filter(|node| node.values[metric] - least <= 1e-10 * least.abs().max(1.0));
    ties.min_by_key(|node| (node.levels.iter().sum::<usize>(), node.levels.clone()))
}

fn is_finer(a: &Node, b: &Node) -> bool {
    a.levels != b.levels && a.levels.iter().zip(&b.levels).all(|(a, b)| a <= b)
}

fn check(case: &Case, requirements: &[Requirement], limit: u64) {
    let (table, schema) = (case.table(), case.schema());
    let bound: Vec<Bound> =
        requirements.iter().map(|wanted| wanted.bind(&table, &schema, Path::new(".")).unwrap()).collect();
    let nodes = brute_force(case, &table, &schema, &bound, limit as usize);
    let names: Vec<&str> = requirements.iter().map(|wanted| wanted.criterion.kind.name).collect();
    let mut safe: Vec<Vec<usize>> = Vec::new();
    for node in nodes.iter().filter(|node| node.safe) {
        if !nodes.iter().any(|other| other.safe && is_finer(other, node)) {
            safe.push(node.levels.clone());
        }
    }
    for metric in utility::KINDS.iter().map(|kind| kind.name).chain([ARITHMETIC]) {
        let wanted = best(&nodes, metric);
        check_beyond(&nodes, wanted, search(case, requirements, limit, BEYOND, metric), metric);
        for method in BY_LEVELS {
            let context = format!("{method} by {metric} for {names:?}, limit {limit}");
            let found = search(case, requirements, limit, method, metric);
            let (Some(wanted), Some(found)) = (wanted, &found) else {
                assert_eq!(wanted.is_none(), found.is_none(), "{context}");
                continue;
            };
            assert_eq!(found.levels, wanted.levels, "{context}: {} ≠ {}", found.value, wanted.values[metric]);
            let close = (found.value - wanted.values[metric]).abs() < 1e-8 * found.value.abs().max(1.0);
            assert!(close, "{context}: {} ≠ {}", found.value, wanted.values[metric]);
            assert!(found.exhaustive && found.nodes == nodes.len() as u64, "{context}");
            if method == "incognito" {
                assert_eq!(found.safe, nodes.iter().filter(|node| node.safe).count() as u64, "{context}");
                assert_eq!(found.minimal, safe, "{context}");
                let all: Vec<&Vec<usize>> = nodes.iter().filter(|node| node.safe).map(|node| &node.levels).collect();
                assert!(found.all_safe.iter().eq(all.into_iter().cloned()), "{context}");
            }
        }
    }
}

/// What the search beyond the budget finds is safe and measured right; nothing safe is below its
/// bound; and if it says that nothing was missed, nothing was.
fn check_beyond(nodes: &[Node], wanted: Option<&Node>, found: Option<Generalization>, metric: &str) {
    let (Some(wanted), Some(found)) = (wanted, &found) else {
        // A lattice of one is within every budget.
        assert_eq!(wanted.is_none(), found.is_none(), "{metric}");
        return;
    };
    let least = wanted.values[metric];
    let rounding = 1e-8 * least.abs().max(1.0);
    let chosen = nodes.iter().find(|node| node.levels == found.levels).expect("a node");
    assert!(chosen.safe && (chosen.values[metric] - found.value).abs() < rounding, "{metric}");
    assert!(found.bound <= least + rounding && least <= found.value + rounding, "{metric}: {found:?}, {least}");
    assert!(!found.exhaustive || found.value <= least + rounding, "{metric}: {found:?}, {least}");
    // By metrics that are sums over columns, so small a lattice is searched whole.
    if ["height", "precision", "loss", "non-uniform-entropy"].contains(&metric) {
        assert!(found.value <= least + rounding, "{metric}: {found:?}, {least}");
    }
}

fn k_anonymity(k: &str, schema: &Schema) -> Requirement {
    Requirement::new("k-anonymity", &[("k", Raw::from(k))], &[], schema).unwrap()
}

/// How many cases: more with SFUMATO_CASES.
fn cases() -> u32 {
    std::env::var("SFUMATO_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(16)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    /// For every criterion alone and with k-anonymity, every metric, with and without suppression.
    #[test]
    fn searches_find_what_brute_force_finds(case in case(1..4, 1..24), share in 0u64..5) {
        let schema = case.schema();
        let limit = case.rows.len() as u64 * share / 8;
        for kind in KINDS {
            let alone = requirement_of(kind, &schema).swap_remove(0);
            check(&case, std::slice::from_ref(&alone), limit);
            check(&case, &[k_anonymity("2", &schema), alone], limit);
        }
    }

    /// Lattices of thousands of nodes, with one criterion each time.
    #[test]
    fn large_lattices_too(case in case(5..8, 10..60), share in 0u64..4, kind in 0..KINDS.len()) {
        let nodes: usize = case.hierarchies.iter().map(|levels| levels.len() + 1).product();
        prop_assume!(nodes <= 5000);
        let schema = case.schema();
        let limit = case.rows.len() as u64 * share / 12;
        check(&case, &[k_anonymity("3", &schema), requirement_of(KINDS[kind], &schema).swap_remove(0)], limit);
    }

    /// Where only some values need protection, groups without them hold, and growth can spoil them.
    #[test]
    fn dont_care_values_are_pruned_rightly(case in case(1..4, 1..24), share in 0u64..5) {
        let mut specs = case.schema().columns().to_vec();
        let present = case.table().column("disease").unwrap().domain().label(0).to_string();
        specs.iter_mut().find(|spec| spec.name == "disease").unwrap().sensitive_values = vec![present];
        let schema = Schema::new(specs);
        let limit = case.rows.len() as u64 * share / 8;
        for name in ["distinct-l-diversity", "frequency-l-diversity", "entropy-l-diversity", "recursive-cl-diversity"] {
            let kind = sfumato::criterion::find(name).unwrap();
            for wanted in requirement_of(kind, &schema) {
                check_with(&case, &schema, &[wanted], limit);
            }
        }
    }

    /// Levels that a plan sets are kept to, and the best within them is found.
    #[test]
    fn levels_are_kept_to(case in case(1..4, 1..24), low in 0usize..3, high in 0usize..3, share in 0u64..5) {
        let mut specs = case.schema().columns().to_vec();
        let height = case.hierarchies[0].len();
        let range = (low.min(high).min(height), low.max(high).min(height));
        specs[0].levels = Some(range);
        let schema = Schema::new(specs);
        let (table, limit) = (case.table(), case.rows.len() as u64 * share / 8);
        let requirements = [k_anonymity("3", &schema)];
        let bound: Vec<Bound> = requirements.iter().map(|wanted| wanted.bind(&table, &schema, Path::new(".")).unwrap()).collect();
        let mut nodes = brute_force(&case, &table, &schema, &bound, limit as usize);
        nodes.retain(|node| (range.0..=range.1).contains(&node.levels[0]));
        for method in BY_LEVELS {
            let metric = ChosenMetric::new("loss", &[]).unwrap();
            let task = Task { table: &table, schema: &schema, requirements: &requirements, bound: &bound, limit, metric: &metric, chance: Default::default(), watch: sfumato::watch::Watch::NONE };
            let found = run(method, &[], &task);
            prop_assert_eq!(found.map(|found| found.levels), best(&nodes, "loss").map(|node| node.levels.clone()));
        }
    }

    /// The claim beside the metric: by the arithmetic mean, a column that counts more does not lose
    /// more.
    #[test]
    fn a_larger_weight_never_costs_its_column(case in case(2..4, 1..24), share in 0u64..5, by in 2u32..50) {
        let heavier = |mut case: Case| {
            case.weights[0] = HEAVIER[by as usize % HEAVIER.len()];
            case
        };
        let schema = case.schema();
        let requirements = [k_anonymity("3", &schema)];
        let limit = case.rows.len() as u64 * share / 8;
        let lost = |case: &Case| {
            let (table, schema) = (case.table(), case.schema());
            let bound = [requirements[0].bind(&table, &schema, Path::new(".")).unwrap()];
            let nodes = brute_force(case, &table, &schema, &bound, limit as usize);
            let found = search(case, &requirements, limit, "optimal", ARITHMETIC)?;
            let node = nodes.into_iter().find(|node| node.levels == found.levels).unwrap();
            Some(node.values[FIRST_COLUMN])
        };
        let (before, after) = (lost(&case), lost(&heavier(case)));
        prop_assert_eq!(before.is_none(), after.is_none());
        prop_assert!(after.unwrap_or(0.0) <= before.unwrap_or(0.0) + 1e-9, "{:?} {:?}", before, after);
    }

    /// Neither the order of rows nor the number of threads changes anything.
    #[test]
    fn order_and_threads_do_not_matter(case in case(1..4, 1..24), turn in 0usize..24) {
        let mut turned = case.clone();
        turned.rows.rotate_left(turn % case.rows.len());
        let schema = case.schema();
        let wanted = [k_anonymity("2", &schema)];
        let run = |case: &Case, threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let found = pool.install(|| ["optimal", BEYOND].map(|method| search(case, &wanted, 2, method, "loss")));
            found.map(|found| found.map(|found| (found.levels, found.value.to_bits(), found.suppressed)))
        };
        prop_assert_eq!(run(&case, 1), run(&turned, 3));
    }
}

fn check_with(case: &Case, schema: &Schema, requirements: &[Requirement], limit: u64) {
    let table = case.table();
    let bound: Vec<Bound> =
        requirements.iter().map(|wanted| wanted.bind(&table, schema, Path::new(".")).unwrap()).collect();
    let nodes = brute_force(case, &table, schema, &bound, limit as usize);
    for method in BY_LEVELS {
        let metric = ChosenMetric::new("loss", &[]).unwrap();
        let task = Task {
            watch: sfumato::watch::Watch::NONE,
            table: &table,
            schema,
            requirements,
            bound: &bound,
            limit,
            metric: &metric,
            chance: Default::default(),
        };
        let found = run(method, &[], &task);
        let wanted = best(&nodes, "loss").map(|node| node.levels.clone());
        assert_eq!(found.map(|found| found.levels), wanted, "{method} {}", requirements[0].criterion.kind.name);
    }
}
