//! What is asked of small tables: for every criterion of the list several parameters, many of which
//! lie exactly where some small group is.

use super::naive::{self, Measured, decimal, floor, ratio, written};
use dashu_ratio::RBig;
use sfumato::criterion::{Build, On};
use sfumato::kind::Kind;

/// A criterion with its parameters, as written in a plan.
#[derive(Clone)]
pub struct Asked {
    pub kind: &'static Kind<Build>,
    pub params: Vec<(&'static str, String)>,
}

impl Asked {
    pub fn new(kind: &'static Kind<Build>, params: &[(&'static str, &str)]) -> Asked {
        Asked { kind, params: params.iter().map(|(name, text)| (*name, text.to_string())).collect() }
    }

    /// The requirement as a plan writes it.
    pub fn text(&self) -> String {
        let lines: String = self.params.iter().map(|(name, value)| format!("{name} = {value}\n")).collect();
        let on = if self.kind.build.on == On::Column { "on = \"s\"\n" } else { "" };
        format!("criterion = \"{}\"\n{on}{lines}", self.kind.name)
    }

    fn with(&self, name: &'static str, text: String) -> Asked {
        let mut params = self.params.clone();
        params.retain(|(known, _)| *known != name);
        params.push((name, text));
        Asked { kind: self.kind, params }
    }
}

/// What each criterion is asked for. A criterion that this does not know is an error: nothing new
/// goes untested.
pub fn of(kind: &'static Kind<Build>) -> Vec<Asked> {
    let one = |name: &'static str, texts: &[&str]| texts.iter().map(|text| Asked::new(kind, &[(name, text)])).collect();
    let all = |sets: &[&[(&'static str, &str)]]| sets.iter().map(|set| Asked::new(kind, set)).collect();
    let inner = kind.name.strip_prefix("multi-attribute-").unwrap_or(kind.name);
    match inner {
        "k-anonymity" => one("k", &["1", "2", "3", "6", "7"]),
        "alpha-k-anonymity" => all(&[
            &[("alpha", "0.5"), ("k", "1")],
            &[("alpha", "0.5"), ("k", "3")],
            &[("alpha", "1"), ("k", "2")],
            &[("alpha", "0.6"), ("k", "2")],
            &[("alpha", "0.3333333333333333"), ("k", "1")],
            &[("alpha", "0.33333333333333333333333334"), ("k", "1")],
            &[("alpha", "0.2"), ("k", "5")],
        ]),
        "distinct-l-diversity" => one("l", &["1", "2", "3", "6", "7"]),
        "frequency-l-diversity" => {
            one("l", &["1", "1.2", "1.25", "1.5", "1.6666666666666667", "2", "2.0000000001", "3"])
        }
        "entropy-l-diversity" => one("l", &["1", "1.5", "1.88988157", "1.88988158", "2", "2.0000000000001", "3", "5"]),
        "recursive-cl-diversity" => recursive(kind, "c", &[]),
        "pd-recursive-cl-diversity" => [
            recursive(kind, "c", &[]),
            recursive(kind, "c", &[("dont_care", "[\"a\"]")]),
            recursive(kind, "c", &[("dont_care", "[\"b\", \"c\"]")]),
        ]
        .concat(),
        "npd-recursive-cl-diversity" => [
            recursive(kind, "c1", &[("c2", "0")]),
            recursive(kind, "c1", &[("c2", "20"), ("keep", "[\"a\"]")]),
            recursive(kind, "c1", &[("c2", "33.333333333333333333333334"), ("keep", "[\"a\"]")]),
            recursive(kind, "c1", &[("c2", "50"), ("keep", "[\"a\", \"b\"]"), ("dont_care", "[\"a\"]")]),
            recursive(kind, "c1", &[("c2", "25"), ("keep", "[\"b\"]"), ("dont_care", "[\"c\"]")]),
        ]
        .concat(),
        "entropy-l-diversity-dont-care" => ["[]", "[\"a\"]", "[\"b\"]", "[\"a\", \"b\"]", "[\"b\", \"c\"]"]
            .iter()
            .flat_map(|free| ["1", "2", "2.5", "3"].map(|l| Asked::new(kind, &[("l", l), ("dont_care", free)])))
            .collect(),
        "t-closeness" => one("t", &["0", "0.16666666666666666", "0.1666666666666666666667", "0.25", "0.3", "0.5", "1"]),
        "delta-disclosure" => ["\"breach\"", "\"ignore\""]
            .iter()
            .flat_map(|absent| {
                // ln 2 = 0.693147180559945309417232…, ln 1.5 = 0.405465108108164381978013…
                let deltas = [
                    "0.1",
                    "0.4054651081081643",
                    "0.4054651081081644",
                    "0.69314718055994530941723",
                    "0.69314718055994530941724",
                    "1.5",
                ];
                deltas.map(|delta| Asked::new(kind, &[("delta", delta), ("absent", absent)]))
            })
            .collect(),
        "beta-likeness" => ["\"basic\"", "\"enhanced\""]
            .iter()
            .flat_map(|variant| {
                ["0.5", "1", "0.9999999999999999999999", "0.3333333333333333333333333334", "2", "5"]
                    .map(|beta| Asked::new(kind, &[("beta", beta), ("variant", variant)]))
            })
            .collect(),
        "bayes-optimal" => all(&[
            &[("rho1", "0.3"), ("rho2", "0.6")],
            &[("rho1", "0.5"), ("rho2", "0.5000000000000000000001")],
            &[("rho1", "0.33333333333333333334"), ("rho2", "0.5")],
            &[("rho1", "0.2"), ("rho2", "0.4")],
            &[("rho1", "0.6"), ("rho2", "0.75")],
            &[("rho1", "0"), ("rho2", "1")],
        ]),
        "ck-safety" => ["0", "1", "2", "3"]
            .iter()
            .flat_map(|k| ["0.5", "0.75", "0.8", "1"].map(|c| Asked::new(kind, &[("k", k), ("c", c)])))
            .collect(),
        "skyline" => one("points", SKYLINES),
        other => panic!("nothing is asked of {other} here: write some parameters"),
    }
}

const SKYLINES: &[&str] = &[
    "[{ c = 0.5 }]",
    "[{ c = 1 }]",
    "[{ l = 1, c = 0.66666666666666666667 }]",
    "[{ l = 2, c = 1 }]",
    "[{ k = 1, c = 0.6 }]",
    "[{ k = 2, c = 0.75 }]",
    "[{ m = 1, c = 0.8 }]",
    "[{ m = 2, c = 1 }]",
    "[{ l = 1, k = 1, m = 1, c = 1 }]",
    "[{ k = 1, m = 2, c = 0.9 }, { l = 1, m = 1, c = 0.75 }]",
    "[{ value = \"a\", k = 1, c = 0.5 }, { l = 1, c = 1 }]",
    "[{ value = \"a\", m = 1, c = 0.6 }]",
];

fn recursive(kind: &'static Kind<Build>, c_name: &'static str, more: &[(&'static str, &str)]) -> Vec<Asked> {
    let pairs = [
        ("1", "1"),
        ("1", "2"),
        ("0.5", "2"),
        ("2", "2"),
        ("2.0000000000000000001", "2"),
        ("3", "3"),
        ("1", "3"),
        ("0.2", "2"),
        ("2", "4"),
    ];
    pairs.iter().map(|(c, l)| Asked::new(kind, &[&[(c_name, *c), ("l", *l)], more].concat())).collect()
}

/// The parameter that a measured value is about, and what kind of number it is.
fn scalar(name: &str) -> Option<&'static str> {
    let inner = name.strip_prefix("multi-attribute-").unwrap_or(name);
    Some(match inner {
        "k-anonymity" => "k",
        "alpha-k-anonymity" => "alpha",
        "distinct-l-diversity" | "frequency-l-diversity" => "l",
        "entropy-l-diversity" | "entropy-l-diversity-dont-care" => "l",
        "recursive-cl-diversity" | "pd-recursive-cl-diversity" => "c",
        "npd-recursive-cl-diversity" => "c1",
        "t-closeness" => "t",
        "delta-disclosure" => "delta",
        "beta-likeness" => "beta",
        "bayes-optimal" => "rho2",
        "ck-safety" => "c",
        // Its points are asked by themselves.
        "skyline" => return None,
        other => panic!("which parameter of {other} is measured?"),
    })
}

/// Decimals of the parameters around a measured value.
const PLACES: usize = 24;

/// The same question with the parameter at what was measured, and a hair to either side. Nothing
/// where no parameter is near.
pub fn around(asked: &Asked, found: &naive::Found) -> Vec<Asked> {
    let Some(name) = scalar(asked.kind.name) else { return around_points(asked, found) };
    let (measured, places) = match &found.measured {
        Measured::Nothing => return Vec::new(),
        Measured::Exactly(number) => (number, PLACES),
        // Floats are right to fifteen digits; the definition decides on which side each is.
        Measured::About(number) if asked.kind.name.contains("entropy") => (number, 13),
        Measured::About(number) => (number, PLACES),
    };
    if matches!(name, "k") || asked.kind.name.contains("distinct") {
        let whole = measured.floor();
        return [whole.to_string(), (whole + dashu_int::IBig::ONE).to_string()]
            .into_iter()
            .map(|text| asked.with(name, text))
            .collect();
    }
    let hair = ratio(1, 10).pow(places as isize);
    // What may be written is above this: rho2 above rho1, and l from one on.
    let least = match name {
        "rho2" => decimal(&asked.params[0].1),
        "l" => RBig::ONE - hair,
        _ => RBig::ZERO,
    };
    hairs(measured, places, &least, is_share(asked.kind.name)).map(|text| asked.with(name, text)).collect()
}

/// Whether the parameter is at most one.
fn is_share(name: &str) -> bool {
    matches!(name, "alpha-k-anonymity" | "t-closeness" | "ck-safety" | "bayes-optimal" | "skyline")
}

/// Decimals at and about a number, within what may be written.
fn hairs(measured: &RBig, places: usize, least: &RBig, is_share: bool) -> impl Iterator<Item = String> {
    let hair = ratio(1, 10).pow(places as isize);
    let at = floor(measured, places);
    let near = [&at - &hair, at.clone(), &at + &hair];
    let least = least.clone();
    let fits = move |number: &RBig| *number > least && (!is_share || *number <= RBig::ONE);
    near.into_iter().filter(fits).map(move |number| written(&number, places))
}

fn around_points(asked: &Asked, found: &naive::Found) -> Vec<Asked> {
    let text = &asked.params[0].1;
    if found.points.len() != 1 {
        return Vec::new();
    }
    let before = text.split("c = ").next().expect("some text");
    hairs(&found.points[0].1, PLACES, &RBig::ZERO, true)
        .map(|c| asked.with("points", format!("{before}c = {c} }}]")))
        .collect()
}
