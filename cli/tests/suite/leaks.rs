//! What a release could tell beside its cells: the order of rows, numbers of groups, small counts,
//! pages that run something, seeds, and threads.

use crate::support::Folder;
use crate::support::publishing::{self, cells, columns_for, contents, names, publish, released};
use html5gum::{Token, Tokenizer};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

fn members(family: &str) -> Vec<String> {
    let listed = Folder::new(&[]).json(&format!("list {family} --json"), 0);
    listed[family].as_array().unwrap().iter().map(|member| member["name"].as_str().unwrap().to_string()).collect()
}

/// So many cases, more with SFUMATO_CASES.
fn cases(usual: usize) -> usize {
    std::env::var("SFUMATO_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

/// Numbers without order, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31) % end
    }
}

const DISEASES: [&str; 5] = ["cold", "flu", "gout", "pox", "ulcer"];

/// A row of the table: a key that nobody can order, quasi-identifiers, and a sensitive value.
struct Row {
    key: u64,
    age: u64,
    job: &'static str,
    disease: usize,
}

/// Rows in the order of their sensitive values: the order of the input is what nobody may learn.
fn rows(count: usize) -> Vec<Row> {
    let mut numbers = Numbers(7);
    let mut rows: Vec<Row> = (0..count)
        .map(|_| Row {
            key: numbers.below(1 << 40),
            age: 20 + numbers.below(60),
            job: ["clerk", "cook", "nurse", "pilot"][numbers.below(4) as usize],
            disease: numbers.below(5) as usize,
        })
        .collect();
    rows.sort_by_key(|row| row.disease);
    rows
}

fn table(rows: &[Row]) -> String {
    let line = |row: &Row| format!("k{},{},{},{}\n", row.key, row.age, row.job, DISEASES[row.disease]);
    format!("key,age,job,disease\n{}", rows.iter().map(line).collect::<String>())
}

const COLUMNS: &str = "key = \"insensitive\"\nage = { role = \"quasi\", hierarchy = { intervals = [5, 10, 20] } }\njob = \"quasi\"\ndisease = \"sensitive\"\n";

/// The key tells every record from all others, on purpose: it shows which row is whose.
const ACCEPTED: &str = "[release.insensitive]\naccept = [\"key\"]\n";

const CRITERIA: &str = "[[require]]\ncriterion = \"k-anonymity\"\nk = 5\n[[require]]\ncriterion = \"frequency-l-diversity\"\non = \"disease\"\nl = 2\n";

fn plan(sections: &str) -> String {
    let columns = columns_for(COLUMNS, sections);
    format!("[data]\npath = \"table.csv\"\n[columns]\n{columns}{CRITERIA}{sections}{ACCEPTED}")
}

/// The same plan without the column that tells rows apart.
fn without_key(plan: &str) -> String {
    plan.replace("key = \"insensitive\"", "key = \"identifier\"").replace(ACCEPTED, "")
}

fn folder(rows: &[Row], sections: &str) -> Folder {
    Folder::new(&[("table.csv", &table(rows)), ("plan.toml", &plan(sections))])
}

// The order of rows

/// How many standard deviations two lists are from being in an order that has nothing to do with
/// the other.
fn deviation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len() as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let sum = |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(a, b)| f(a - mean_a, b - mean_b)).sum::<f64>();
    let (both, a2, b2) = (sum(&|a, b| a * b), sum(&|a, _| a * a), sum(&|_, b| b * b));
    if a2 * b2 == 0.0 { 0.0 } else { both / (a2 * b2).sqrt() * ((a.len() - 1) as f64).sqrt() }
}

/// Further away than this is chance less than once in 500 million times.
const TOO_FAR: f64 = 6.0;

fn assert_no_order(a: &[f64], b: &[f64], what: &str) {
    if a.len() < 40 {
        // Not even the order itself would be that far.
        return;
    }
    let away = deviation(a, b);
    assert!(away.abs() < TOO_FAR, "{what}: {away} standard deviations");
}

/// The same inside groups: places and figures of each group, over all of them.
fn assert_no_order_inside(groups: &BTreeMap<String, Vec<(f64, f64)>>, what: &str) {
    let (mut sum, mut variance) = (0.0, 0.0);
    for group in groups.values().filter(|group| group.len() > 1) {
        let count = group.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| group.iter().map(of).sum::<f64>() / count;
        let (a, b) = (mean(|pair| pair.0), mean(|pair| pair.1));
        let squares = |of: &dyn Fn(&(f64, f64)) -> f64| group.iter().map(|pair| of(pair).powi(2)).sum::<f64>();
        sum += group.iter().map(|pair| (pair.0 - a) * (pair.1 - b)).sum::<f64>();
        variance += squares(&|pair| pair.0 - a) * squares(&|pair| pair.1 - b) / (count - 1.0);
    }
    let away = if variance == 0.0 { 0.0 } else { sum / variance.sqrt() };
    assert!(away.abs() < TOO_FAR, "{what}, inside groups: {away} standard deviations");
}

#[test]
fn an_order_that_was_kept_is_found() {
    let places: Vec<f64> = (0..600).map(f64::from).collect();
    assert!(deviation(&places, &places) > TOO_FAR);
    let kept: BTreeMap<String, Vec<(f64, f64)>> = (0..100)
        .map(|group| (format!("{group}"), (0..6).map(|at| (f64::from(at), f64::from(group * 7 % 11 + at))).collect()))
        .collect();
    assert!(std::panic::catch_unwind(|| assert_no_order_inside(&kept, "kept")).is_err());
}

/// In a generalized release rows are in the order of what is published, so the input's can only
/// show in rows that look alike, and those nobody can tell apart.
fn assert_canonical(header: &[String], rows: &[Vec<String>], what: &str) {
    // Which rows follow each other must not depend on anything but cells: the same cells, the same
    // order.
    let mut seen: BTreeSet<&Vec<String>> = BTreeSet::new();
    let mut last = None;
    for row in rows {
        assert!(last == Some(row) || seen.insert(row), "{what}: equal rows of {header:?} are apart");
        last = Some(row);
    }
    // Groups stand together, column by column from the left.
    for width in 1..=header.len() {
        let mut seen = BTreeSet::new();
        let mut last: Option<&[String]> = None;
        for row in rows {
            let start = &row[..width];
            assert!(last == Some(start) || seen.insert(start), "{what}: rows with {start:?} are apart");
            last = Some(start);
        }
    }
}

#[test]
fn the_order_of_rows_tells_nothing_of_the_input() {
    let rows = rows(600);
    let of_key: BTreeMap<String, usize> = (0..).zip(&rows).map(|(at, row)| (format!("k{}", row.key), at)).collect();
    for (nth, method) in members("methods").iter().enumerate() {
        for form in ["generalized", "bucketized"] {
            let format = ["csv", "parquet", "arrow", "tsv"][nth % 4];
            let what = format!("{method}, {form}, {format}");
            let folder = folder(
                &rows,
                &format!("[method]\nname = \"{method}\"\n[release]\nform = \"{form}\"\nformat = \"{format}\"\n"),
            );
            folder.run("publish plan.toml --out release").code(0);
            let name = if form == "generalized" { "data" } else { "quasi" };
            let (header, published) = cells(&folder, &format!("release/{name}.{format}"));
            let key = header.iter().position(|column| column == "key").unwrap();
            let came_from: Vec<usize> = published.iter().map(|row| of_key[&row[key]]).collect();
            let places: Vec<f64> = (0..published.len()).map(|at| at as f64).collect();
            let inputs: Vec<f64> = came_from.iter().map(|at| *at as f64).collect();
            if form == "generalized" {
                // The first column is a key that has nothing to do with the input.
                assert_no_order(&places, &inputs, &what);
                assert_canonical(&header, &published, &what);
            } else {
                let diseases: Vec<f64> = came_from.iter().map(|at| rows[*at].disease as f64).collect();
                check_groups(&published, &inputs, &diseases, &what);
            }
        }
    }
}

/// Neither the numbers of groups nor places inside them go with the input or with values.
fn check_groups(published: &[Vec<String>], inputs: &[f64], diseases: &[f64], what: &str) {
    for (figures, name) in [(inputs, "input"), (diseases, "values")] {
        let mut groups: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
        for (place, (row, figure)) in published.iter().zip(figures).enumerate() {
            groups.entry(row.last().unwrap().clone()).or_default().push((place as f64, *figure));
        }
        assert_no_order_inside(&groups, &format!("{what}: {name}"));
        let numbers: Vec<f64> = groups.keys().map(|number| number.parse().unwrap()).collect();
        let means: Vec<f64> =
            groups.values().map(|group| group.iter().map(|pair| pair.1).sum::<f64>() / group.len() as f64).collect();
        if numbers.len() > 10 {
            assert_no_order(&numbers, &means, &format!("{what}: numbers of groups and {name}"));
            let sizes: Vec<f64> = groups.values().map(|group| group.len() as f64).collect();
            assert_no_order(&numbers, &sizes, &format!("{what}: numbers and sizes of groups"));
        }
    }
}

/// Without a column that tells rows apart, another order of the input changes no byte of what
/// methods without chance publish.
#[test]
fn another_order_of_the_input_changes_nothing_in_a_generalized_release() {
    let mut rows = rows(300);
    for method in ["optimal", "incognito", "mondrian", "skyline-anonymize"] {
        let plan = without_key(&plan(&format!("[method]\nname = \"{method}\"\n")));
        let mut seen = BTreeSet::new();
        for _ in 0..3 {
            rows.rotate_left(101);
            rows.reverse();
            let folder = Folder::new(&[("table.csv", &table(&rows)), ("plan.toml", &plan)]);
            folder.run("publish plan.toml --out release").code(0);
            seen.insert(
                contents(&folder).into_iter().filter(|(name, _)| name.starts_with("release/")).collect::<Vec<_>>(),
            );
        }
        assert_eq!(seen.len(), 1, "{method}");
    }
}

// Transactions

/// Records with an item of their own, some common ones and a few sensitive ones, in the order of
/// the sensitive ones.
fn baskets(records: usize) -> Vec<(String, usize, String)> {
    let mut numbers = Numbers(11);
    let mut baskets: Vec<(String, usize, String)> = (0..records)
        .map(|_| {
            let own = format!("own{}", numbers.below(1 << 40));
            let secret = numbers.below(12) as usize;
            let common = (0..2).map(|_| format!(" c{}", numbers.below(9))).collect::<String>();
            let line = format!("{own}{common}{}", if secret < 3 { format!(" s{secret}") } else { String::new() });
            (own, secret.min(3), line)
        })
        .collect();
    baskets.sort_by_key(|basket| basket.1);
    baskets
}

fn sets(baskets: &[(String, usize, String)], method: &str) -> Folder {
    let data: String = baskets.iter().map(|basket| format!("{}\n", basket.2)).collect();
    let more = if method == "tdcontrol" { "taxonomy = \"tree.txt\"\n" } else { "" };
    let plan = format!(
        "[data]\nkind = \"transactions\"\npath = \"data.dat\"\nsensitive = {{ items = [\"s0\", \"s1\", \"s2\"] }}\n\
         [[require]]\ncriterion = \"rho-uncertainty\"\nrho = \"0.5\"\n[method]\nname = \"{method}\"\n{more}"
    );
    let items: BTreeSet<&str> =
        baskets.iter().flat_map(|basket| basket.2.split(' ')).filter(|item| !item.starts_with('s')).collect();
    let tree: String = items
        .iter()
        .map(|item| format!("{item};{};*\n", if item.starts_with("own") { "own" } else { "common" }))
        .collect();
    Folder::new(&[("data.dat", &data), ("plan.toml", &plan), ("tree.txt", &tree)])
}

#[test]
fn the_order_of_lines_tells_nothing_of_the_input() {
    let baskets = baskets(400);
    let of_item: BTreeMap<&str, (f64, f64)> =
        baskets.iter().enumerate().map(|(at, basket)| (basket.0.as_str(), (at as f64, basket.1 as f64))).collect();
    for method in members("transaction-methods") {
        let folder = sets(&baskets, &method);
        folder.run("publish plan.toml --out release").code(0);
        let text = released(&folder, "data.dat");
        let known = |line: &str| line.split(' ').find_map(|item| of_item.get(item)).copied();
        let lines: Vec<(f64, (f64, f64))> =
            text.lines().enumerate().filter_map(|(place, line)| Some((place as f64, known(line)?))).collect();
        // Where items are published under another name, nobody can tell lines apart by them.
        assert!(method == "tdcontrol" || lines.len() > 100, "{method}: {} lines", lines.len());
        if lines.len() < 3 {
            continue;
        }
        let starts = starts_of_groups(&folder);
        let group = |place: f64| starts.partition_point(|start| *start <= place + 1.0) as f64;
        for (figures, name) in [(0, "input"), (1, "sensitive items")] {
            let figure = |line: &(f64, (f64, f64))| if figures == 0 { line.1.0 } else { line.1.1 };
            let mut groups: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
            for line in &lines {
                // Where lines stand in groups, those are in any order, and lines in each; elsewhere
                // all lines are one group.
                groups.entry(format!("{:09}", group(line.0))).or_default().push((line.0, figure(line)));
            }
            assert_eq!(groups.len() > 1, !starts.is_empty(), "{method}");
            assert_no_order_inside(&groups, &format!("{method}: lines and {name}"));
            let numbers: Vec<f64> = groups.keys().map(|number| number.parse().unwrap()).collect();
            let mean = |group: &Vec<(f64, f64)>| group.iter().map(|line| line.1).sum::<f64>() / group.len() as f64;
            let means: Vec<f64> = groups.values().map(mean).collect();
            assert_no_order(&numbers, &means, &format!("{method}: groups and {name}"));
        }
    }
}

/// The first lines of groups, where sensitive items are told apart from lines; groups without any
/// stand between them.
fn starts_of_groups(folder: &Folder) -> Vec<f64> {
    if !names(folder, "release").contains(&"sensitive.csv".to_string()) {
        return Vec::new();
    }
    let bounds = cells(folder, "release/sensitive.csv").1.into_iter();
    let bounds = bounds.flat_map(|row| [row[0].parse::<u64>().unwrap(), row[1].parse::<u64>().unwrap() + 1]);
    bounds.collect::<BTreeSet<u64>>().into_iter().map(|start| start as f64).collect()
}

// Small counts

/// Every number in a document, with the key that it stands under.
fn numbers<'v>(value: &'v Value, key: &'v str, found: &mut Vec<(&'v str, f64)>) {
    match value {
        Value::Number(number) => found.push((key, number.as_f64().unwrap())),
        Value::Array(items) => items.iter().for_each(|item| numbers(item, key, found)),
        Value::Object(entries) => entries.iter().for_each(|(key, value)| numbers(value, key, found)),
        _ => {}
    }
}

/// Rows of which some are like no other: they are suppressed.
fn with_outliers(count: usize, outliers: u64) -> Vec<Row> {
    let mut rows = rows(count);
    rows.extend((0..outliers).map(|at| Row {
        key: at,
        age: 7001 + 1003 * at,
        job: "zookeeper",
        disease: (at % 5) as usize,
    }));
    rows
}

const SUPPRESSING: &str = "[release]\nmax_suppressed = \"10%\"\n";

/// What is told of how many records there were, were published, and were not, is allowed by
/// docs/decisions: nobody is pointed at by it.
#[test]
fn a_certificate_counts_no_few_people() {
    let k = 5.0;
    for (method, form, outliers) in [
        ("optimal", "generalized", 0),
        ("optimal", "generalized", 1),
        ("incognito", "generalized", 3),
        ("optimal", "bucketized", 2),
        ("mondrian", "generalized", 2),
        ("mondrian", "bucketized", 0),
        ("anatomy", "bucketized", 0),
        ("greedy-grouping", "bucketized", 0),
        ("symmetric-grouping", "generalized", 0),
        ("skyline-anonymize", "generalized", 0),
    ] {
        // Apart from quasi-identifiers nothing predicts sensitive values, and some methods suppress
        // nothing.
        let target = if form == "generalized" { "disease" } else { "job" };
        let suppresses = ["optimal", "incognito", "anatomy", "greedy-grouping"].contains(&method);
        let release = if suppresses { SUPPRESSING } else { "[release]\n" };
        let folder = folder(
            &with_outliers(400, outliers),
            &format!(
                "[method]\nname = \"{method}\"\n{release}form = \"{form}\"\n[[utility]]\nmetric = \"classification\"\ntarget = \"{target}\"\n"
            ),
        );
        let certificate = folder.json("publish plan.toml --out release --json", 0);
        let published = certificate["published"].as_f64().unwrap();
        let (mut found, mut seen) = (Vec::new(), 0);
        numbers(&certificate, "", &mut found);
        for (key, number) in found {
            if ["people", "above_limit", "size", "smallest_group", "people_above", "undecided_people"].contains(&key) {
                seen += 1;
                assert!(number == 0.0 || number >= k, "{method}, {form}: {key} = {number}");
                let rest = published - number;
                assert!(
                    ["size", "smallest_group"].contains(&key) || rest <= 0.0 || rest >= k,
                    "{method}, {form}: all but {rest} are {key}"
                );
            }
        }
        assert!(seen > 10, "{method}: {seen} counts of people");
        // What may be told: that some are missing, and how many.
        let [records, suppressed] = ["records", "suppressed"].map(|key| certificate[key].as_f64().unwrap());
        assert_eq!(records, published + suppressed);
    }
}

/// Two tables that differ in who is suppressed only: everything that leaves the house is the same,
/// but for what depends on groups.
#[test]
fn nothing_about_suppressed_people_follows_from_certificate_or_report() {
    let publish_with = |disease: usize, age: u64| {
        let mut rows = with_outliers(400, 1);
        let last = rows.last_mut().unwrap();
        (last.disease, last.age) = (disease, age);
        let sections = format!(
            "[method]\nname = \"optimal\"\n{SUPPRESSING}[[utility]]\nmetric = \"classification\"\ntarget = \"disease\"\n"
        );
        let plan = without_key(&plan(&sections));
        let folder = Folder::new(&[("table.csv", &table(&rows)), ("plan.toml", &plan)]);
        publish(&folder);
        contents(&folder).into_iter().filter(|(name, _)| name.starts_with("release/")).collect::<BTreeMap<_, _>>()
    };
    let first = publish_with(0, 7001);
    for disease in 1..5 {
        assert!(
            publish_with(disease, 7001) == first,
            "the release tells the value of somebody who was suppressed: {disease}"
        );
    }
    let text = |name: &str| String::from_utf8_lossy(&first[name]).into_owned();
    for file in ["release/report.html", "release/certificate.json", "release/data.csv"] {
        assert!(
            !text(file).contains("7001") && !text(file).contains("zookeeper"),
            "{file} tells of somebody who was suppressed"
        );
    }
}

/// The visible text of a page, without tags.
fn visible(page: &str) -> String {
    let mut text = String::new();
    for Ok(token) in Tokenizer::new(page) {
        match token {
            Token::String(own) => text += &String::from_utf8_lossy(&own),
            _ => text.push(' '),
        }
    }
    text
}

#[test]
fn the_report_for_everybody_shows_no_few_people_and_no_extremes() {
    let mut rows = with_outliers(400, 2);
    // The oldest and the youngest who are published, and a value that three have.
    (rows[0].age, rows[1].age) = (93, 3);
    for row in &mut rows[10..13] {
        row.disease = 9;
    }
    let line = |row: &Row| {
        format!("k{},{},{},{}\n", row.key, row.age, row.job, DISEASES.get(row.disease).unwrap_or(&"plague"))
    };
    let table = format!("key,age,job,disease\n{}", rows.iter().map(line).collect::<String>());
    let plan = plan(&format!("[method]\nname = \"optimal\"\n{SUPPRESSING}"));
    let folder = Folder::new(&[("table.csv", &table), ("plan.toml", &plan)]);
    folder.run("publish plan.toml --out release --internal-report internal.html").code(0);
    let report = visible(&released(&folder, "report.html"));
    for secret in ["plague", "7001", "8004", "zookeeper"] {
        assert!(!report.contains(secret), "the report tells {secret}");
    }
    let words: Vec<&str> = report.split(|letter: char| !letter.is_alphanumeric() && letter != '.').collect();
    assert!(!words.contains(&"93"), "the report tells the greatest age");
    for pair in words.windows(2) {
        let is_count = ["people", "person", "records", "record", "patients"].contains(&pair[1]);
        if let (true, Ok(count)) = (is_count, pair[0].parse::<u64>()) {
            assert!(
                count == 0 || count >= 5 || allowed_small(&report, count, pair[1]),
                "the report counts {count} {}",
                pair[1]
            );
        }
    }
    let internal = visible(&std::fs::read_to_string(folder.path("internal.html")).unwrap());
    assert!(internal.contains("plague"), "the internal report has it all");
}

/// Sentences that speak of one record in general.
fn allowed_small(report: &str, count: u64, word: &str) -> bool {
    report.contains("One record is about one person") && count == 1 && word == "record" && !report.contains("1 record ")
}

/// Four hundred people in groups of ten, and three who stand alone: all three alike, or each
/// different.
fn with_three_apart(zips: [&str; 3], metric: &str) -> Value {
    let row = |at: usize| format!("{},{}\n", 10_000 + at % 40, ["flu", "cold", "cancer"][at % 3]);
    let others: String = zips.iter().map(|zip| format!("{zip},flu\n")).collect();
    let table = format!("zip,disease\n{}{others}", (0..400).map(row).collect::<String>());
    let sections = format!(
        "[[require]]\ncriterion = \"k-anonymity\"\nk = 5\n[method]\nname = \"optimal\"\nmetric = \"{metric}\"\n[release]\nmax_suppressed = \"1%\"\n"
    );
    publish(&publishing::folder(&table, "zip = \"quasi\"\ndisease = \"sensitive\"\n", &sections))
}

#[test]
fn how_large_suppressed_groups_were_is_not_told() {
    for metric in ["loss", "discernibility-star"] {
        let [alike, different] = [["99991"; 3], ["99991", "99992", "99993"]].map(|zips| with_three_apart(zips, metric));
        assert_eq!(alike["suppressed"], 3);
        for certificate in [&alike, &different] {
            assert!(certificate["method"].get("value").is_none(), "{certificate:#}");
            assert!(certificate["utility"].get("discernibility-star").is_none(), "{certificate:#}");
        }
    }
}

// Pages

const HOSTILE: [&str; 8] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "--><svg onload=alert(1)>",
    "</style><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "javascript:alert(1)",
    "' onmouseover='alert(1)",
    "</text></svg><iframe src=//evil.example>",
];

const ELEMENTS: &str = "html head meta title style body header footer main h1 h2 h3 h4 p ul ol li dl dt dd div span table thead tbody tfoot tr th td caption figure figcaption \
    svg g rect line path text tspan circle polyline polygon title desc defs pattern details summary strong em b code br small section a abbr bdi nav article input label fieldset legend";

/// Parses a page as browsers do, and looks for whatever could act or load.
fn assert_inert(page: &str, what: &str) {
    let known: BTreeSet<&str> = ELEMENTS.split_whitespace().collect();
    let (mut policy, mut styles, mut elements, mut in_style) = (None, 0, 0, false);
    for Ok(token) in Tokenizer::new(page) {
        match token {
            Token::StartTag(tag) => {
                let name = String::from_utf8(tag.name.to_vec()).unwrap();
                elements += 1;
                assert!(known.contains(name.as_str()), "{what}: an element <{name}>");
                styles += u32::from(name == "style");
                in_style = name == "style";
                let attribute = |wanted: &str| {
                    tag.attributes
                        .iter()
                        .find(|(key, _)| key.as_slice() == wanted.as_bytes())
                        .map(|(_, value)| String::from_utf8_lossy(value).into_owned())
                };
                for (key, value) in &tag.attributes {
                    let (key, value) = (String::from_utf8_lossy(key), String::from_utf8_lossy(value));
                    assert!(!key.starts_with("on"), "{what}: <{name} {key}>");
                    assert!(
                        ![
                            "src",
                            "href",
                            "xlink:href",
                            "action",
                            "formaction",
                            "srcdoc",
                            "data",
                            "poster",
                            "background",
                            "ping",
                            "srcset"
                        ]
                        .contains(&&*key)
                            || value.starts_with('#'),
                        "{what}: <{name} {key}={value}>"
                    );
                    assert!(
                        key.bytes().all(|byte| byte.is_ascii_lowercase()
                            || byte.is_ascii_digit()
                            || matches!(byte, b'-' | b':'))
                            || key == "viewBox"
                            || key == "viewbox"
                            || name != "script",
                        "{what}: <{name} {key}>"
                    );
                    if key == "style" || key == "fill" || key == "stroke" {
                        assert!(
                            !value.contains("url(") || value.starts_with("url(#"),
                            "{what}: <{name} {key}={value}>"
                        );
                        assert!(!value.contains("expression"), "{what}: {value}");
                    }
                }
                if attribute("http-equiv").is_some_and(|name| name.eq_ignore_ascii_case("Content-Security-Policy")) {
                    assert_eq!(styles, 0, "{what}: the policy comes first");
                    policy = attribute("content");
                }
            }
            Token::EndTag(_) => in_style = false,
            Token::String(text) if in_style => {
                // Patterns of the page itself have addresses that start with #.
                let text = String::from_utf8_lossy(&text).replace("url(#", "");
                let loads = ["url(", "@import", "alert", "javascript", "expression(", "<"];
                assert!(
                    loads.iter().all(|part| !text.contains(part)),
                    "{what}: a style loads something or holds a name"
                );
            }
            Token::Comment(_) => panic!("{what}: a comment"),
            _ => {}
        }
    }
    assert!(elements > 20, "{what}: {elements} elements");
    let policy = policy.unwrap_or_else(|| panic!("{what}: no policy"));
    let directives: BTreeMap<&str, &str> = policy.split(';').filter_map(|part| part.trim().split_once(' ')).collect();
    assert_eq!(directives["default-src"], "'none'", "{what}");
    for (directive, sources) in directives {
        let allowed: &[&str] = match directive {
            "style-src" => &["'unsafe-inline'"],
            _ => &["'none'"],
        };
        assert!(allowed.contains(&sources), "{what}: {directive} {sources}");
    }
    assert!(styles > 0, "{what}");
}

#[test]
fn a_page_that_acts_is_found() {
    let page = |body: &str| {
        format!(
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"><style></style>{}{body}",
            "<p>".repeat(20)
        )
    };
    assert_inert(&page("<p class=x>"), "a page");
    for evil in [
        "<script>",
        "<p onclick=x>",
        "<a href=javascript:x>",
        "<svg onload=x>",
        "<img src=x>",
        "<p style='background:url(//x)'>",
        "<style>@import '//x'</style>",
        "<!-- x -->",
    ] {
        assert!(std::panic::catch_unwind(|| assert_inert(&page(evil), "evil")).is_err(), "{evil}");
    }
}

/// A field of a CSV file.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

fn toml(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

#[test]
fn hostile_names_and_values_stay_text() {
    for (at, evil) in HOSTILE.iter().enumerate() {
        let [quasi, sensitive, note] = ["q", "s", "n"].map(|name| format!("{evil}{name}"));
        let mut data =
            format!("{},{},{},id{}\n", quoted(&quasi), quoted(&sensitive), quoted(&note), quoted("x").replace('"', ""));
        let mut tree = String::new();
        for row in 0..24 {
            data += &format!(
                "{},{},{},{row}\n",
                quoted(&format!("{evil}{}", row % 8)),
                quoted(&format!("{evil}v{}", row % 3)),
                quoted(&format!("{evil}i{row}"))
            );
        }
        for value in 0..8 {
            tree += &format!("{};{};*\n", quoted(&format!("{evil}{value}")), quoted(&format!("{evil}up{}", value / 4)));
        }
        let columns = format!(
            "{} = {{ role = \"quasi\", hierarchy = {{ file = \"tree.csv\" }} }}\n{} = \"sensitive\"\n{} = \"insensitive\"\n",
            toml(&quasi),
            toml(&sensitive),
            toml(&note)
        );
        let form = if at % 2 == 0 { "generalized" } else { "bucketized" };
        let plan = format!(
            "[data]\npath = \"table.csv\"\n[columns]\n{columns}{}[method]\nname = \"{}\"\n[release]\nform = \"{form}\"\nformulas = \"keep\"\ninsensitive = {{ accept = [{}] }}\n",
            CRITERIA.replace("k = 5", "k = 3").replace("\"disease\"", &toml(&sensitive)),
            if at % 2 == 0 { "optimal" } else { "mondrian" },
            toml(&note)
        );
        let folder = Folder::new(&[("table.csv", &data), ("tree.csv", &tree), ("plan.toml", &plan)]);
        folder.run("publish plan.toml --out release --internal-report internal.html").code(0);
        // The name of a folder is shown by `compare`.
        let name = evil.replace(['/', ' '], "_");
        std::fs::rename(folder.path("release"), folder.path(&name)).unwrap();
        let mut compare = folder.command("compare --html compare.html");
        compare.arg("--").arg(&name).arg(&name);
        compare.assert().code(0);
        let mut skyline = folder.command("skyline --plan plan.toml --confidence 0.9 --html skyline.html --value");
        skyline.arg(format!("{evil}v0"));
        skyline.assert().code(0);
        let mut shown = 0;
        for page in
            [format!("{name}/report.html"), "internal.html".into(), "compare.html".into(), "skyline.html".into()]
        {
            let text = std::fs::read_to_string(folder.path(&page)).unwrap();
            assert_inert(&text, &format!("{page} with {evil}"));
            shown += usize::from(visible(&text).contains(evil));
        }
        assert!(shown >= 2, "{evil} is shown as it is in {shown} pages");
    }
}

#[test]
fn hostile_items_stay_text() {
    for evil in HOSTILE {
        let item = |name: &str| format!("{evil}{name}").replace(',', "");
        let data: String = (0..30)
            .map(|at| {
                format!(
                    "{},{},{}\n",
                    item(&format!("a{}", at % 3)),
                    item(&format!("b{}", at % 4)),
                    item(if at % 3 == 0 { "s" } else { "c" })
                )
            })
            .collect();
        let plan = format!(
            "[data]\nkind = \"transactions\"\npath = \"data.dat\"\ndelimiter = \",\"\nsensitive = {{ items = [{}] }}\n[[require]]\ncriterion = \"rho-uncertainty\"\nrho = \"0.7\"\n",
            toml(&item("s"))
        );
        let folder = Folder::new(&[("data.dat", &data), ("plan.toml", &plan)]);
        folder.run("publish plan.toml --out release --internal-report internal.html").code(0);
        for page in ["release/report.html", "internal.html"] {
            assert_inert(&std::fs::read_to_string(folder.path(page)).unwrap(), &format!("{page} with {evil}"));
        }
    }
}

// Seeds

#[test]
fn a_seed_is_neither_told_nor_taken_unless_it_is_called_insecure() {
    let rows = rows(60);
    let folder = folder(&rows, "[method]\nname = \"anatomy\"\n[release]\nform = \"bucketized\"\n");
    for flag in ["--seed 7", "--random-seed 7", "--insecure-seed", "--insecure-seed x", "--insecure-seed -1"] {
        folder.run(&format!("publish plan.toml --out release {flag}")).code(2);
        assert!(!folder.path("release").exists());
    }
    for section in
        ["[method]\nname = \"anatomy\"\nseed = 7\n", "seed = 7\n", "[release]\nseed = 7\n", "[data]\nseed = 7\n"]
    {
        let text = plan("");
        let changed =
            if section.starts_with("[data]") { text.replace("[data]\n", section) } else { format!("{section}{text}") };
        folder.write(
            "seeded.toml",
            if section.starts_with("[method]") || section.starts_with("[release]") {
                format!("{text}{section}")
            } else {
                changed
            },
        );
        folder.run("publish seeded.toml --out release").code(2);
    }
    let mut seen = BTreeSet::new();
    for variable in ["SEED", "SFUMATO_SEED", "RAND_SEED", "SFUMATO_INSECURE_SEED"] {
        folder.run_with("publish plan.toml --out release --replace", &[(variable, "7")]).code(0);
        seen.insert(released(&folder, "quasi.csv"));
    }
    assert_eq!(seen.len(), 4, "no variable of the environment is a seed");
    let certificate = folder.json("publish plan.toml --out release --replace --json", 0);
    assert_eq!(certificate["method"]["insecure_seed"], false);
    assert!(!certificate["notes"].to_string().contains("seed"));
    assert!(!released(&folder, "report.html").contains("seed"));

    let certificate = folder.json("publish plan.toml --out release --replace --insecure-seed 918273645 --json", 0);
    assert_eq!(certificate["method"]["insecure_seed"], true);
    assert!(certificate["notes"].to_string().to_lowercase().contains("not for release"), "{}", certificate["notes"]);
    assert!(released(&folder, "report.html").to_lowercase().contains("not for release"));
    for (name, bytes) in contents(&folder) {
        assert!(!String::from_utf8_lossy(&bytes).contains("918273645"), "{name} tells the seed");
    }
}

// Threads

/// All files of a release that is made on so many threads.
fn on_threads(folder: &Folder, threads: usize, seed: &str) -> BTreeMap<String, Vec<u8>> {
    folder.run(&format!("publish plan.toml --out release --replace --threads {threads}{seed}")).code(0).stderr("");
    contents(folder).into_iter().filter(|(name, _)| name.starts_with("release/")).collect()
}

fn assert_same_on_threads(folder: &Folder, threads: &[usize], seed: &str, what: &str) {
    let first = on_threads(folder, threads[0], seed);
    assert!(first.len() >= 3, "{what}");
    for &threads in &threads[1..] {
        let other = on_threads(folder, threads, seed);
        assert_eq!(other.keys().collect::<Vec<_>>(), first.keys().collect::<Vec<_>>());
        for (name, bytes) in &other {
            assert!(*bytes == first[name], "{what}: {name} is another one on {threads} threads");
        }
    }
}

#[test]
fn threads_change_no_byte_whatever_the_method() {
    let rows = rows(240);
    for (nth, method) in members("methods").iter().enumerate() {
        for form in ["generalized", "bucketized"] {
            let format = ["csv", "parquet", "arrow"][nth % 3];
            let folder = folder(
                &rows,
                &format!("[method]\nname = \"{method}\"\n[release]\nform = \"{form}\"\nformat = \"{format}\"\n"),
            );
            let is_random = form == "bucketized"
                || !["optimal", "incognito", "mondrian", "skyline-anonymize", "base"].contains(&method.as_str());
            let seed = if is_random { " --insecure-seed 7" } else { "" };
            assert_same_on_threads(&folder, &[1, 2, 8], seed, &format!("{method}, {form}, {format}"));
            let documents: BTreeSet<String> = [1, 8]
                .iter()
                .map(|threads| folder.output(&format!("attack release --json --threads {threads}"), 0))
                .collect();
            assert_eq!(documents.len(), 1, "attack on {method}, {form}");
        }
    }
    for method in members("transaction-methods") {
        assert_same_on_threads(&sets(&baskets(300), &method), &[1, 2, 8], " --insecure-seed 7", &method);
    }
    for skew in ["calibrated", "safe-d", "r-suppression"] {
        let mut rows = self::rows(200);
        rows.iter_mut().take(150).for_each(|row| row.disease = 0);
        let folder = folder(&rows, &format!("[skew]\nmethod = \"{skew}\"\n"));
        assert_same_on_threads(&folder, &[1, 2, 8], " --insecure-seed 7", skew);
    }
}

#[test]
fn threads_change_no_byte_of_fifty_thousand_records() {
    let rows = rows(50_000);
    let threads: &[usize] = if cases(0) > 0 { &[1, 2, 8] } else { &[1, 8] };
    let mut all: Vec<String> = vec!["mondrian".into(), "optimal".into()];
    if cases(0) > 0 {
        all = members("methods");
    }
    for method in all {
        let folder = folder(
            &rows,
            &format!(
                "[method]\nname = \"{method}\"\n[release]\nformat = \"parquet\"\n[[attack]]\nattack = \"homogeneity\"\n"
            ),
        );
        assert_same_on_threads(&folder, threads, " --insecure-seed 7", &method);
    }
    let folder = folder(&rows, "");
    for (command, code) in [
        ("inspect table.csv --json", 0),
        ("check --plan plan.toml --json", 0),
        ("skyline --plan plan.toml --value flu --confidence 0.9 --json", 0),
    ] {
        let documents: BTreeSet<String> =
            [1, 2, 8].iter().map(|threads| folder.output(&format!("{command} --threads {threads}"), code)).collect();
        assert_eq!(documents.len(), 1, "{command}");
    }
}
