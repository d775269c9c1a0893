//! Values that lie exactly on a threshold, one count above and one below, for thresholds as plans
//! write them: the verdict is that of fractions. What is no number is refused.

use crate::small_world::naive::{self, Case, Person, decimal, judge, ratio};
use crate::support::settings::Asked;
use dashu_ratio::RBig;
use sfumato::criterion::KINDS;
use sfumato::data::{Column, Formats, Schema, Table};
use sfumato::kind::{Raw, Shape};
use sfumato::plan::requirement;
use sfumato::transactions::{self, Released, Sensitive, Together, Transactions};
use sfumato::{Fault, TablePlan, publish};
use std::path::Path;
use std::time::{Duration, Instant};

/// Thresholds that binary fractions round, beside what they are rounded to.
const SHARES: [&str; 20] = [
    "0.1",
    "0.09999999999999999999",
    "0.10000000000000000555",
    "0.3",
    "0.30000000000000004",
    "0.29999999999999998",
    "0.3333333333333333",
    "0.33333333333333337",
    "0.333333333333333333333333333333333333",
    "0.333333333333333333333333333333333334",
    "0.6666666666666666",
    "0.66666666666666667",
    "0.55",
    "0.1666666666666667",
    "0.7",
    "0.70000000000000001",
    "0.07",
    "0.57",
    "0.29",
    "1",
];

/// Counts whose ratios are at, just above and just below those.
const COUNTS: [(u64, u64); 22] = [
    (1, 10),
    (2, 20),
    (3, 10),
    (4, 13),
    (30, 100),
    (31, 100),
    (29, 100),
    (1, 3),
    (2, 3),
    (67, 100),
    (33, 100),
    (34, 100),
    (11, 20),
    (1, 6),
    (7, 10),
    (70, 100),
    (7, 100),
    (8, 100),
    (57, 100),
    (58, 100),
    (56, 100),
    (20, 20),
];

/// A number as a plan may write it: bare, in quotes, with an exponent, with more zeros.
fn spellings(text: &str) -> Vec<String> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{part}");
    let digits = digits.trim_start_matches('0');
    let mut all = vec![text.to_string(), format!("\"{text}\""), format!("\"+{text}\"")];
    if digits.len() < 18 {
        all.push(format!("{digits}e-{}", part.len()));
        all.push(format!("\"{digits}E-{}\"", part.len()));
    }
    if !part.is_empty() && part.len() < 30 {
        all.push(format!("{text}000"));
        all.push(format!("\"00{text}00\""));
    }
    all
}

/// People with values a, b, c, … as often as counted, group by group.
fn case_of(groups: &[&[u64]]) -> Case {
    let people = |group: usize, counts: &[u64]| {
        let person = move |value: u8| Person { quasi: [group as u8, 0], values: [value, 0] };
        (0u8..).zip(counts).flat_map(|(value, &count)| std::iter::repeat_n(person(value), count as usize)).collect()
    };
    let groups = groups.iter().enumerate().map(|(group, counts)| people(group, counts)).collect();
    Case { groups, ..Case::default() }
}

fn letter(value: u8) -> String {
    format!("v{value:03}")
}

fn table_of(case: &Case) -> Table {
    let people = || case.groups.iter().flatten();
    Table::new(vec![
        Column::from_values("q", people().map(|person| person.quasi[0].to_string())),
        Column::from_values("s", people().map(|person| letter(person.values[0]))),
    ])
    .unwrap()
}

/// The verdict on a case for every spelling of a parameter, against the definition.
fn check(case: &Case, criterion: &str, threshold: (&'static str, &str), more: &[(&'static str, &str)]) -> usize {
    let (name, text) = threshold;
    let others = more.iter().map(|(name, text)| (*name, text.to_string()));
    let params: Vec<(&'static str, String)> = others.chain([(name, text.to_string())]).collect();
    let asked = Asked { kind: sfumato::criterion::find(criterion).unwrap(), params, on: "s" };
    let holds = judge(&asked, case).holds.expect("an exact definition");
    check_is(holds, case, criterion, threshold, more)
}

/// The same against what is known to be right.
fn check_is(
    wanted: bool,
    case: &Case,
    criterion: &str,
    (name, text): (&'static str, &str),
    more: &[(&'static str, &str)],
) -> usize {
    let schema = Schema::of(&["q"], &["s"]);
    let others: String = more.iter().map(|(name, text)| format!("{name} = {text}\n")).collect();
    let read = |spelling: &String| {
        let text = format!("criterion = \"{criterion}\"\n{others}{name} = {spelling}\n");
        requirement(&text, &schema).unwrap_or_else(|error| panic!("{text}: {error}"))
    };
    let spellings = spellings(text);
    let asked: Vec<_> = spellings.iter().map(read).collect();
    let found = sfumato::audit(&table_of(case), &schema, &asked, Path::new(".")).unwrap();
    for (spelling, answer) in spellings.iter().zip(&found.criteria) {
        let sizes: Vec<usize> = case.groups.iter().map(Vec::len).collect();
        let measured = answer.verdict.measured;
        assert_eq!(
            answer.verdict.holds, wanted,
            "{criterion} {name} = {spelling}, {measured:?} in groups of {sizes:?}"
        );
    }
    spellings.len()
}

/// So many ones.
fn ones(count: u64) -> Vec<u64> {
    vec![1; count as usize]
}

/// One value x times and y − x others once.
fn one_of(x: u64, y: u64) -> Vec<u64> {
    [vec![x], ones(y - x)].concat()
}

#[test]
fn shares_at_their_thresholds() {
    let mut verdicts = 0;
    for text in SHARES {
        for (x, y) in COUNTS {
            let at_most = |measured: RBig| measured <= decimal(text);
            let one = case_of(&[&one_of(x, y)]);
            verdicts += check_is(at_most(ratio(x, y)), &one, "alpha-k-anonymity", ("alpha", text), &[("k", "1")]);
            // Two groups of which one has x more of a value: a distance of x/2y.
            let two = case_of(&[&[x, y - x], &[0, y]]);
            verdicts += check_is(at_most(ratio(x, 2 * y)), &two, "t-closeness", ("t", text), &[]);
            let percent = decimal(text) * ratio(100, 1);
            let percent = naive::written(&percent, 36 - 2);
            let keep = [("c1", "1000"), ("l", "2"), ("keep", "[\"v000\"]")];
            verdicts += check_percent(&case_of(&[&one_of(x, y)]), &percent, &keep);
        }
    }
    assert!(verdicts > 4_000, "{verdicts}");
}

/// The value a is called v000 in the table; the definition knows it as a.
fn check_percent(case: &Case, percent: &str, more: &[(&'static str, &str)]) -> usize {
    let schema = Schema::of(&["q"], &["s"]);
    let lines: String = more.iter().map(|(name, text)| format!("{name} = {text}\n")).collect();
    let text = format!("criterion = \"npd-recursive-cl-diversity\"\nc2 = \"{percent}\"\n{lines}");
    let asked = requirement(&text, &schema).unwrap();
    let holds = sfumato::audit(&table_of(case), &schema, &[asked], Path::new(".")).unwrap().holds();
    let has = case.groups[0].iter().filter(|person| person.values[0] == 0).count() as u64;
    let total = case.groups[0].len() as u64;
    let is_kept = ratio(100 * has, total) >= decimal(percent);
    // A group of one value has no tail.
    let has_tail = has < total;
    assert_eq!(holds, is_kept && has_tail, "{percent} {has} of {total}");
    1
}

/// Beliefs must stay below the confidence: at it they do not.
#[test]
fn confidences_are_not_reached() {
    let schema = Schema::of(&["q"], &["s"]);
    let mut verdicts = 0;
    for text in SHARES {
        for (x, y) in COUNTS {
            let table = table_of(&case_of(&[&one_of(x, y)]));
            for spelling in spellings(text) {
                let asked = [
                    format!("criterion = \"skyline\"\npoints = [{{ c = {spelling} }}]\n"),
                    format!("criterion = \"ck-safety\"\nk = 0\nc = {spelling}\n"),
                ];
                let asked = asked.map(|text| requirement(&text, &schema).unwrap());
                let found = sfumato::audit(&table, &schema, &asked, Path::new(".")).unwrap();
                for answer in found.criteria {
                    let wanted = ratio(x, y) < decimal(text);
                    assert_eq!(
                        answer.verdict.holds, wanted,
                        "{} c = {spelling}, {x} of {y}",
                        answer.requirement.criterion.kind.name
                    );
                    verdicts += 1;
                }
            }
        }
    }
    assert!(verdicts > 4_000, "{verdicts}");
}

#[test]
fn ratios_at_their_thresholds() {
    // r₁ = 55 and a tail of 50 against 1.1 is the classic.
    let counts =
        [(55, 50), (56, 50), (54, 50), (3, 2), (1, 3), (4, 3), (7, 5), (70, 50), (2, 1), (3, 1), (10, 3), (21, 10)];
    let cs = [
        "1.1",
        "1.1000000000000000888",
        "1.0999999999999999",
        "1.5",
        "0.3333333333333333",
        "0.34",
        "1.3333333333333333",
        "1.3333333333333334",
        "1.4",
        "2",
        "3",
        "3.3333333333333335",
        "2.1",
    ];
    let mut verdicts = 0;
    for (top, tail) in counts {
        let case = case_of(&[&[vec![top], ones(tail)].concat()]);
        for c in cs {
            verdicts += check(&case, "recursive-cl-diversity", ("c", c), &[("l", "2")]);
            verdicts += check(&case, "pd-recursive-cl-diversity", ("c", c), &[("l", "2")]);
            // Some 1.x of a group are y/x of its records.
            if decimal(c) >= RBig::ONE {
                verdicts += check(&case, "frequency-l-diversity", ("l", c), &[]);
                let smaller = case_of(&[&[tail.min(top), top.max(tail)]]);
                verdicts += check(&smaller, "frequency-l-diversity", ("l", c), &[]);
            }
        }
        for beta in ["0.1", "0.3333333333333333", "0.33333333333333334", "0.2", "0.20000000000000001", "1", "0.5"] {
            let case = case_of(&[&[top, 3 * top + tail], &[tail, 3 * top + tail]]);
            verdicts += check(&case, "beta-likeness", ("beta", beta), &[]);
        }
    }
    assert!(verdicts > 1_500, "{verdicts}");
}

/// Equal counts have exactly the entropy of as many values as there are.
#[test]
fn entropies_at_their_thresholds() {
    let mut verdicts = 0;
    for counts in [&[1, 1, 1][..], &[7, 7, 7], &[1000, 1000, 1000], &[1000, 1000, 1001], &[1, 1, 2], &[3, 3, 3, 1]] {
        // e to the entropy of 1, 1, 2 is 2.8284271247461900976…, the square root of eight.
        for l in [
            "3",
            "2.9999999999999999999",
            "3.0000000000000000001",
            "2.99999999",
            "2.82842712474619009",
            "2.8284271247461901",
            "1",
        ] {
            verdicts += check(&case_of(&[counts]), "entropy-l-diversity", ("l", l), &[]);
        }
    }
    assert!(verdicts > 150, "{verdicts}");
}

#[test]
fn confidences_of_rules_at_rho() {
    let kind = transactions::criterion::find("rho-uncertainty").unwrap();
    for text in SHARES {
        for (x, y) in COUNTS {
            // Of y records with bread, x have wine too.
            let records = (0..y).map(|at| if at < x { vec!["bread", "wine"] } else { vec!["bread"] });
            let table = Transactions::from_names(records.collect::<Vec<_>>());
            let sensitive = Sensitive::named(&table, ["wine"]);
            let released = Released::Together(Together { table, published_as: None });
            for strict in [false, true] {
                let params = kind.check(&[("rho", Raw::from(text)), ("strict", Raw::Flag(strict))]).unwrap();
                let holds = (kind.build)(&params).check(&released, &sensitive).unwrap().holds;
                let (share, rho) = (ratio(x, y), decimal(text));
                assert_eq!(
                    holds,
                    if strict { share < rho } else { share <= rho },
                    "{x} of {y}, rho = {text}, {strict}"
                );
            }
        }
    }
}

const COLUMNS: &str = "[columns]\nq = { role = \"quasi\", levels = [0, 0] }\ns = \"sensitive\"\n";

/// x people alone and all others in pairs: x of y records must go, or nothing can be published.
#[test]
fn suppression_at_its_limit() {
    for (x, y) in COUNTS.into_iter().filter(|(x, y)| x < y && (y - x) % 2 == 0) {
        let group = |at: u64| if at < x { at } else { x + (at - x) / 2 };
        let table = Table::new(vec![
            Column::from_values("q", (0..y).map(|at| format!("g{}", group(at)))),
            Column::from_values("s", (0..y).map(|at| format!("v{}", at % 3))),
        ])
        .unwrap();
        for text in SHARES {
            let percent = naive::written(&(decimal(text) * ratio(100, 1)), 34);
            for written in spellings(text).into_iter().chain([format!("\"{percent}%\"")]) {
                let plan = format!(
                    "{COLUMNS}[[require]]\ncriterion = \"k-anonymity\"\nk = 2\n[release]\nmax_suppressed = {written}\n"
                );
                let plan = TablePlan::parse(&plan, Path::new(".")).unwrap();
                let made = publish::make(&plan, &table, &Formats::default());
                let wanted = ratio(x, y) <= decimal(text);
                match made {
                    Ok(made) => assert!(wanted && made.publication().suppressed as u64 == x, "{x} of {y}, {written}"),
                    Err(error) => {
                        assert!(!wanted && error.fault() == Fault::Infeasible, "{x} of {y}, {written}: {error}")
                    }
                }
            }
        }
    }
}

/// One group in which x of y have a value: who sees it believes x/y, and picks the right record
/// with 1/y.
#[test]
fn gates_let_through_what_is_at_their_limit() {
    let passes = |table: &Table, gate: &str| {
        let plan = format!(
            "{COLUMNS}[[require]]\ncriterion = \"k-anonymity\"\nk = 1\n[method]\nname = \"base\"\n[gate]\n{gate}\n"
        );
        let plan = TablePlan::parse(&plan, Path::new(".")).unwrap();
        let made = publish::make(&plan, table, &Formats::default()).unwrap();
        match made.pass() {
            Ok(_) => true,
            Err(error) => {
                assert_eq!(error.fault(), Fault::Gate, "{error}");
                false
            }
        }
    };
    let column = |name: &str, values: Vec<String>| Column::from_values(name, values);
    for (x, y) in COUNTS {
        let values = (0..y).map(|at| if at < x { "v".to_string() } else { format!("w{at}") });
        let table =
            Table::new(vec![column("q", vec!["same".into(); y as usize]), column("s", values.collect())]).unwrap();
        for text in SHARES {
            let is_fine = ratio(x, y) <= decimal(text);
            assert_eq!(passes(&table, &format!("max_belief = {text}")), is_fine, "{x} of {y}, max_belief = {text}");
            let is_fine = ratio(1, y) <= decimal(text);
            assert_eq!(passes(&table, &format!("max_risk = \"{text}\"")), is_fine, "1 of {y}, max_risk = {text}");
        }
    }
}

/// What is no number, or one that nobody means.
fn odd_numbers() -> Vec<String> {
    let mut odd: Vec<String> = [
        "nan",
        "NaN",
        "-nan",
        "inf",
        "+inf",
        "-inf",
        "Infinity",
        "-0.0",
        "-0",
        "1e400",
        "-1e400",
        "5e-324",
        "2.2250738585072014e-308",
        "-1",
        "-0.5",
        "",
        " ",
        "1/3",
        "0x10",
        "0b11",
        "0o17",
        "1,5",
        "1.2.3",
        "1e",
        "e5",
        "--1",
        "+-1",
        "１",
        "½",
        "∞",
        "1e-2147483649",
        "1e99999999999999999999",
        "1e2147483648",
        ".",
        "_",
        "_1",
        "1__0",
        "1 000",
        "33.3%",
        "33,3 %",
        "%",
        "null",
        "true",
        "0.1f64",
        "1d",
        "\u{0}1",
        "1\u{0}",
    ]
    .map(str::to_string)
    .to_vec();
    let long = 100_000;
    odd.push("9".repeat(long));
    odd.push(format!("0.{}", "3".repeat(long)));
    odd.push(format!("0.{}1", "0".repeat(long)));
    odd.push(format!("{}.5", "0".repeat(long)));
    odd.push(format!("1e{}", "9".repeat(long)));
    odd.push(format!("1e-{}", "9".repeat(long)));
    odd
}

/// The exact value of what may be accepted: plain decimals, with an exponent, with underscores
/// between digits.
fn value_of(text: &str) -> Option<RBig> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: isize = exponent.parse().ok().filter(|exponent: &isize| exponent.abs() < 1000)?;
    let mantissa = mantissa.strip_prefix('+').unwrap_or(mantissa);
    let is_digit = |byte: u8| byte.is_ascii_digit() || byte == b'.' || byte == b'_';
    if !mantissa.bytes().all(is_digit) || !mantissa.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(decimal(&mantissa.replace('_', "")) * ratio(10, 1).pow(exponent))
}

/// Refused as the plan's fault, in few words and at once; or meant exactly.
fn check_odd<T>(
    text: &str,
    key: &str,
    read: impl FnOnce() -> sfumato::Result<T>,
    exact: impl FnOnce(&T) -> Option<RBig>,
) {
    let short: String = text.chars().take(30).collect();
    let start = Instant::now();
    let result = read();
    assert!(start.elapsed() < Duration::from_secs(2), "{key} = {short}: {:?}", start.elapsed());
    match result {
        Err(error) => {
            assert_eq!(error.fault(), Fault::Plan, "{key} = {short}: {error}");
            assert_eq!(error.fault().exit_code(), 2);
        }
        Ok(found) => {
            let found = exact(&found);
            let wanted = value_of(text);
            assert!(found.is_some() && found == wanted, "{key} = {short}: {found:?}, not {wanted:?}");
        }
    }
}

/// A text as a TOML string, and bare.
fn as_toml(text: &str) -> [String; 2] {
    let escaped: String = text.chars().map(|c| if c == '\0' { "\\u0000".to_string() } else { c.to_string() }).collect();
    [format!("\"{escaped}\""), text.to_string()]
}

#[test]
fn odd_numbers_are_refused_or_meant_exactly() {
    let schema = Schema::of(&["q"], &["s", "d"]);
    let fraction = |decimal: &sfumato::exact::Decimal| {
        let value = decimal.fraction();
        let number = |number: u128| dashu_int::UBig::from(number);
        (!decimal.is_negative()).then(|| RBig::from_parts(number(value.num).into(), number(value.den)))
    };
    let mut tried = 0;
    for text in odd_numbers() {
        for written in as_toml(&text) {
            for kind in KINDS {
                for param in kind.params {
                    let is_count = match param.shape {
                        Shape::Count(_) | Shape::CountOr(..) => true,
                        Shape::Decimal(_) => false,
                        _ => continue,
                    };
                    let others = kind.example.iter().filter(|(name, _)| *name != param.name);
                    let lines: String = others.map(|(name, text)| format!("{name} = {text}\n")).collect();
                    let on = if kind.build.on == sfumato::criterion::On::Column { "on = \"s\"\n" } else { "" };
                    let plan = format!("criterion = \"{}\"\n{on}{lines}{} = {written}\n", kind.name, param.name);
                    let read = || requirement(&plan, &schema);
                    check_odd(&text, param.name, read, |asked| match is_count {
                        true => Some(ratio(asked.criterion.params.count(param.name), 1)),
                        false => fraction(asked.criterion.params.decimal(param.name)),
                    });
                    tried += 1;
                }
            }
            let points = format!("criterion = \"skyline\"\non = \"s\"\npoints = [{{ c = {written} }}]\n");
            check_odd(&text, "c", || requirement(&points, &schema), |asked| fraction(&asked.points()[0].c));
            let known = format!("criterion = \"skyline\"\non = \"s\"\npoints = [{{ k = {written}, c = 0.5 }}]\n");
            check_odd(
                &text,
                "k of a point",
                || requirement(&known, &schema),
                |asked| Some(ratio(asked.points()[0].k, 1)),
            );
            tried += 2;
        }
    }
    assert!(tried > 2_000, "{tried}");
}

/// Shares of [release] and [gate] may be percentages, criteria's parameters may not.
#[test]
fn odd_shares_are_refused_or_meant_exactly() {
    for text in odd_numbers() {
        for written in as_toml(&text) {
            for (section, key) in [("release", "max_suppressed"), ("gate", "max_belief"), ("gate", "max_risk")] {
                let plan = format!("{COLUMNS}[{section}]\n{key} = {written}\n");
                let read = || TablePlan::parse(&plan, Path::new("."));
                let number =
                    text.trim().strip_suffix('%').map(|digits| value_of(digits.trim()).map(|v| v / ratio(100, 1)));
                let found = |plan: &TablePlan| {
                    let publishing = &plan.publishing;
                    let share = match key {
                        "max_suppressed" => publishing.max_suppressed,
                        "max_belief" => publishing.gate.max_belief,
                        _ => publishing.gate.max_risk,
                    };
                    let share = share.expect("it was written");
                    let number = |number: u128| dashu_int::UBig::from(number);
                    RBig::from_parts(number(share.num).into(), number(share.den))
                };
                // A bare percentage is no TOML.
                match number.flatten().filter(|_| written.starts_with('"')) {
                    Some(share) => assert_eq!(read().map(|one| found(&one)).unwrap(), share, "{key} = {text}"),
                    None => check_odd(&text, key, read, |publishing| Some(found(publishing))),
                }
            }
        }
    }
}

/// Checks what was written for a member of a family, and tells how one parameter is written then.
type Check<'a> = dyn Fn(&[(&str, Raw)]) -> sfumato::Result<String> + 'a;

/// Parameters of methods and of transactions too.
#[test]
fn odd_parameters_of_other_families_are_refused_or_meant_exactly() {
    let is_number = |shape: Shape| matches!(shape, Shape::Count(_) | Shape::CountOr(..) | Shape::Decimal(_));
    let check_kind = |name: &str, param: &sfumato::kind::Param, check: &Check<'_>| {
        for text in odd_numbers() {
            for raw in [Raw::Text(text.clone()), Raw::Number(text.clone())] {
                let key = format!("{name} {}", param.name);
                check_odd(&text, &key, || check(&[(param.name, raw)]), |written| value_of(written));
            }
        }
    };
    let mut params = 0;
    for kind in sfumato::anonymize::KINDS {
        for param in kind.params.iter().filter(|param| is_number(param.shape)) {
            let written = |raw: &[(&str, Raw)]| kind.check(raw).map(|found| setting(&found, param.name));
            check_kind(kind.name, param, &written);
            params += 1;
        }
    }
    for kind in transactions::criterion::KINDS {
        for param in kind.params.iter().filter(|param| is_number(param.shape)) {
            let needed = kind.example.iter().filter(|(name, _)| *name != param.name);
            let needed: Vec<(&str, Raw)> = needed.map(|(name, text)| (*name, Raw::from(*text))).collect();
            let written = |raw: &[(&str, Raw)]| {
                kind.check(&[raw, needed.as_slice()].concat()).map(|found| setting(&found, param.name))
            };
            check_kind(kind.name, param, &written);
            params += 1;
        }
    }
    assert!(params > 5, "{params}");
}

fn setting(params: &sfumato::kind::Params, name: &str) -> String {
    params.iter().find(|(known, _)| *known == name).expect("a parameter").1.to_string()
}
