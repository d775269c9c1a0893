//! What can be made can be published: whatever the method, the form, ties among quasi-identifiers
//! and values that only withheld records have, what is written can be read back and verifies.

use sfumato::anonymize;
use sfumato::chance::Chance;
use sfumato::data::{Column, Encoding, Formats, Lexicon, Table};
use sfumato::publish::Draft;
use sfumato::release::{self, Destination};
use sfumato::{Fault, TablePlan, publish};
use std::path::Path;

/// More tables with SFUMATO_CASES.
fn cases(usual: u64) -> u64 {
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

/// Sixty to two hundred people of whom many have equal quasi-identifiers; the last one has a value
/// of its own.
fn table(seed: u64) -> Table {
    let mut numbers = Numbers(seed);
    let records = 60 + numbers.below(140);
    let (ages, jobs, values) = (2 + numbers.below(12), 1 + numbers.below(4), 3 + numbers.below(4));
    let column = |name: &str, end: u64, letter: &str, numbers: &mut Numbers| {
        let mut cells: Vec<String> = (0..records).map(|_| format!("{letter}{}", numbers.below(end))).collect();
        if name == "disease" {
            cells.push("plague".into());
        } else {
            cells.push(format!("{letter}{end}"));
        }
        Column::from_values(name, cells)
    };
    let columns = vec![
        column("age", ages, "", &mut numbers),
        column("job", jobs, "j", &mut numbers),
        column("disease", values, "d", &mut numbers),
    ];
    Table::new(columns).unwrap()
}

#[test]
fn every_release_that_can_be_made_can_be_published() {
    let folder = tempfile::tempdir().unwrap();
    let (target, formats) = (folder.path().join("release"), Formats::default());
    let (mut published, mut infeasible) = (0, 0);
    for seed in 0..cases(6) {
        let table = table(seed);
        for kind in anonymize::KINDS {
            for form in ["generalized", "bucketized"] {
                for more in ["", "split = \"relaxed\"\n", "anatomize = true\n"] {
                    let known = kind.params.iter().any(|param| more.starts_with(param.name));
                    if !more.is_empty() && !known {
                        continue;
                    }
                    let text = format!(
                        "[columns]\nage = \"quasi\"\njob = \"quasi\"\ndisease = \"sensitive\"\n\
                         [[require]]\ncriterion = \"frequency-l-diversity\"\nl = 2\n\
                         [method]\nname = \"{}\"\n{more}[release]\nform = \"{form}\"\nmax_suppressed = 0.3\n",
                        kind.name
                    );
                    let Ok(mut plan) = TablePlan::parse(&text, Path::new(".")) else { continue };
                    plan.publishing.chance = Chance::insecure(seed);
                    let made = match publish::make(&plan, &table, &formats).and_then(Draft::pass) {
                        Ok(made) => made,
                        Err(error) => {
                            let is_answer = matches!(error.fault(), Fault::Infeasible | Fault::Plan);
                            assert!(is_answer, "seed {seed}\n{text}\n{error}");
                            infeasible += 1;
                            continue;
                        }
                    };
                    let order = Destination { replace: true, ..Destination::new(&target) };
                    let written = release::write(&made, &plan, &order, &formats);
                    assert!(written.is_ok(), "seed {seed}\n{text}\n{}", written.unwrap_err());
                    published += 1;
                }
            }
        }
    }
    eprintln!("{published} published, {infeasible} infeasible or refused");
    assert!(published > infeasible, "the test tests little");
}

/// Texts that look like labels, missing values, one number in several spellings.
fn odd_table(seed: u64) -> Table {
    let mut numbers = Numbers(seed);
    let jobs = ["a..b", "{a}", "a, b", "{a, b}", "\"q\"", "=1+1", "c", "*x", ""];
    let ages = ["21", "22", "31", "35", "44", "1e2", "?"];
    let values = ["1", "1.0", "01", "9", "10", "x, y", "{x}", "-"];
    let mut pick = |name: &str, from: &[&str]| {
        let end = 2 + numbers.below(from.len() as u64 - 1);
        let missing = [String::new(), "?".to_string()];
        let mut lexicon = Lexicon::new();
        let codes: Vec<u32> = (0..48).map(|_| lexicon.code(from[numbers.below(end) as usize])).collect();
        let turns = [(0, codes.len())];
        Encoding { missing: &missing, ..Encoding::default() }.column(name.to_string(), vec![(lexicon, codes)], &turns)
    };
    Table::new(vec![pick("age", &ages), pick("job", &jobs), pick("disease", &values)]).unwrap()
}

/// Whatever values look like, and whatever is withheld first or limited: a plan is refused before
/// anything is written, or what is written verifies.
#[test]
fn odd_values_and_skewed_tables_can_be_published() {
    let folder = tempfile::tempdir().unwrap();
    let (target, formats) = (folder.path().join("release"), Formats::default());
    let (mut published, mut refused) = (0, 0);
    let columns = [
        "age = \"quasi\"\njob = \"quasi\"\n",
        "age = { role = \"quasi\", hierarchy = { intervals = [10] }, levels = [1, 2] }\njob = { role = \"quasi\", hierarchy = { fanout = [2] } }\n",
        "age = { role = \"quasi\", type = \"text\" }\njob = { role = \"quasi\", hierarchy = { redact = 2 }, levels = [1, 2] }\n",
    ];
    let more = [
        "",
        "[skew]\nmethod = \"calibrated\"\n",
        "[skew]\nmethod = \"safe-d\"\n[gate]\nmax_belief = 0.8\n",
        "[skew]\nmethod = \"r-suppression\"\n[[attack]]\nattack = \"minimality\"\nmax_belief = 0.9\n",
    ];
    let mut at = 0;
    for seed in 0..cases(8) {
        let table = odd_table(seed);
        for kind in anonymize::KINDS {
            for form in ["generalized", "bucketized"] {
                for (columns, more) in [(columns[at % 3], more[at % 4]), (columns[(at + 1) % 3], more[(at + 2) % 4])] {
                    at += 1;
                    let suppressed = if at % 2 == 0 { "max_suppressed = 0.4\n" } else { "" };
                    let text = format!(
                        "[columns]\n{columns}disease = \"sensitive\"\n\
                         [[require]]\ncriterion = \"frequency-l-diversity\"\nl = 2\n\
                         [method]\nname = \"{}\"\n[release]\nform = \"{form}\"\n{suppressed}{more}",
                        kind.name
                    );
                    let Ok(mut plan) = TablePlan::parse(&text, Path::new(".")) else { continue };
                    plan.publishing.chance = Chance::insecure(seed);
                    let made = match publish::make(&plan, &table, &formats).and_then(Draft::pass) {
                        Ok(made) => made,
                        Err(error) => {
                            let is_answer =
                                matches!(error.fault(), Fault::Infeasible | Fault::Plan | Fault::Gate | Fault::Data);
                            assert!(is_answer, "seed {seed}\n{text}\n{error}");
                            refused += 1;
                            continue;
                        }
                    };
                    let order = Destination { replace: true, ..Destination::new(&target) };
                    let written = release::write(&made, &plan, &order, &formats);
                    assert!(written.is_ok(), "seed {seed}\n{text}\n{}", written.unwrap_err());
                    published += 1;
                }
            }
        }
    }
    eprintln!("{published} published, {refused} infeasible or refused");
    assert!(published > 20, "the test tests little");
}

/// Nine people of whom six have one value; r-suppression withholds some of them. Whoever sees who
/// is missing believes of them with 0.71 that they had the frequent value, which no limit below
/// lets pass.
#[test]
fn people_withheld_for_a_frequent_value_pass_no_limit() {
    let table = Table::new(vec![
        Column::from_values("q", (0..9).map(|at| at.to_string())),
        Column::from_values("s", "aaaaaabbc".chars().map(String::from)),
    ])
    .unwrap();
    for limit in ["[gate]\nmax_belief = 0.7\n", "[[attack]]\nattack = \"minimality\"\nmax_belief = 0.7\n"] {
        for (method, form) in [("base", "bucketized"), ("anatomy", "bucketized"), ("base", "generalized")] {
            let text = format!(
                "[columns]\nq = \"quasi\"\ns = \"sensitive\"\n[[require]]\ncriterion = \"frequency-l-diversity\"\nl = 2\n\
                 [method]\nname = \"{method}\"\n[release]\nform = \"{form}\"\n[skew]\nmethod = \"r-suppression\"\n{limit}"
            );
            let mut plan = TablePlan::parse(&text, Path::new(".")).unwrap();
            for seed in 0..6 {
                plan.publishing.chance = Chance::insecure(seed);
                let made = publish::make(&plan, &table, &Formats::default()).unwrap();
                let found = made.publication().attacks.iter().find(|one| one.attack == "minimality").unwrap();
                assert!(found.is_lower_bound && found.above_limit >= 3, "{text}");
                assert_eq!(made.pass().err().expect("refused").fault(), Fault::Gate, "{text}");
            }
        }
    }
}

const SEVEN: &str = "[columns]\nq = \"quasi\"\nedu = \"quasi\"\ns = { role = \"sensitive\", sensitive_values = [\"HIV\"] }\n\
    [[require]]\ncriterion = \"frequency-l-diversity\"\nl = 2\n";

/// Two people of q1, both ill, and five of q2: whoever knows that the method publishes the best
/// safe generalization is certain about the two. A metric that reads sensitive values is not
/// modelled: nothing is decided then, and every limit refuses.
#[test]
fn what_is_certain_or_undecided_passes_no_limit() {
    let table = Table::new(vec![
        Column::from_values("q", ["q1", "q1", "q2", "q2", "q2", "q2", "q2"]),
        Column::from_values("edu", ["e"; 7]),
        Column::from_values("s", ["HIV", "HIV", "none", "none", "none", "none", "none"]),
    ])
    .unwrap();
    let gate = |sections: &str| {
        let plan = TablePlan::parse(&format!("{SEVEN}{sections}"), Path::new(".")).unwrap();
        let made = publish::make(&plan, &table, &Formats::default()).unwrap();
        let found = made.publication().attacks.iter().find(|one| one.attack == "minimality").unwrap().clone();
        (made.pass(), found)
    };
    for limit in ["[gate]\nmax_belief = 0.5\n", "[[attack]]\nattack = \"minimality\"\nmax_belief = 0.5\n"] {
        for method in ["optimal", "incognito"] {
            let (passed, found) = gate(&format!("[method]\nname = \"{method}\"\n{limit}"));
            let error = passed.err().expect("refused");
            assert_eq!(error.fault(), Fault::Gate);
            assert!(error.to_string().contains("reaches a belief of 1.0000"), "{error}");
            assert_eq!((found.above_limit, found.is_lower_bound), (2, false));
            let (passed, found) = gate(&format!("[method]\nname = \"{method}\"\nmetric = \"kl-divergence\"\n{limit}"));
            let error = passed.err().expect("refused");
            assert!(error.to_string().contains("inconclusive for 7 people"), "{error}");
            assert_eq!((found.above_limit, found.is_lower_bound), (7, true));
        }
    }
    let (passed, found) = gate("[method]\nname = \"optimal\"\n");
    assert!(passed.is_ok() && found.people == 2, "without a limit it is only said");
}

/// Whether a plan's own limits let a release of a small table pass.
fn passes(columns: &[(&str, &str)], plan: &str) -> bool {
    let cells = |(name, cells): &(&str, &str)| Column::from_values(*name, cells.split(' '));
    let table = Table::new(columns.iter().map(cells).collect()).unwrap();
    let plan = TablePlan::parse(plan, Path::new(".")).unwrap();
    let made = publish::make(&plan, &table, &Formats::default());
    made.is_ok_and(|made| made.pass().is_ok())
}

/// Each of these is a release in which somebody who counts worlds believes more than the limit,
/// because a choice beside the criteria reads sensitive values: of the first three people a metric
/// or priority, of the fourth the suppression of one record, of the last the limit on an attack
/// that reads the original.
#[test]
fn what_is_chosen_or_let_pass_by_hidden_values_passes_no_limit() {
    const TWO: &str = "[columns]\np = \"quasi\"\nq = \"quasi\"\ns = \"sensitive\"\n";
    const SIZES: &str = "[[require]]\ncriterion = \"k-anonymity\"\nk = 2\n";
    let (p, q) = (("p", "1 2 3 4 5 6"), ("q", "1 2 1 2 1 2"));
    let by_gain = "[method]\nname = \"skyline-anonymize\"\npriority = \"information-gain\"\ntarget = \"s\"\n\
                   [release]\nform = \"bucketized\"\n";
    let limit = "[gate]\nmax_belief = 0.7\n";
    assert!(!passes(&[p, q, ("s", "a b a b b a")], &format!("{TWO}{SIZES}{by_gain}{limit}")));
    let by_width = by_gain.replace("\npriority = \"information-gain\"\ntarget = \"s\"", "");
    assert!(passes(&[p, q, ("s", "a b a b b a")], &format!("{TWO}{SIZES}{by_width}{limit}")));

    let levels = TWO.replace("p = \"quasi\"", "p = { role = \"quasi\", hierarchy = { intervals = [2, 4] } }");
    for method in ["optimal", "incognito"] {
        let by = |metric: &str| format!("{levels}{SIZES}[method]\nname = \"{method}\"\nmetric = \"{metric}\"\n{limit}");
        assert!(!passes(&[p, q, ("s", "a a b a a b")], &by("kl-divergence")), "{method}");
        assert!(passes(&[p, q, ("s", "a a b a a b")], &by("loss")), "{method}");
    }

    let one = "[columns]\np = \"quasi\"\ns = \"sensitive\"\n";
    let withholding = format!(
        "{one}[[require]]\ncriterion = \"t-closeness\"\nt = 0.35\n[method]\nname = \"greedy-grouping\"\n\
         [release]\nform = \"bucketized\"\n[gate]\nmax_belief = 0.5\n"
    );
    assert!(!passes(&[("p", "1 2 3 4 5"), ("s", "a b a c a")], &withholding));

    let base = format!(
        "{one}[[require]]\ncriterion = \"k-anonymity\"\nk = 5\n[method]\nname = \"base\"\n[gate]\nmax_belief = 0.6\n"
    );
    let hidden = "[[attack]]\nattack = \"demographic\"\nmax_belief = 0.8\n";
    let table = [("p", "1 1 1 2 2"), ("s", "a a b a b")];
    assert!(!passes(&table, &format!("{base}{hidden}")));
    assert!(passes(&table, &base));
}

/// In a bucketized release nobody can measure what a column beside the quasi-identifiers discloses
/// about sensitive values: here it is the sensitive column under another name.
#[test]
fn insensitive_columns_of_a_bucketized_release_are_accepted_by_name_or_refused() {
    let diseases = ["flu", "hiv", "gout", "cold"];
    let column = |name: &str| Column::from_values(name, (0..200).map(|at| diseases[at % 4]));
    let ages = Column::from_values("age", (0..200).map(|at| at.to_string()));
    let table = Table::new(vec![ages, column("drug"), column("d")]).unwrap();
    let text = |release: &str| {
        format!(
            "[columns]\nage = \"quasi\"\ndrug = \"insensitive\"\nd = \"sensitive\"\n\
             [[require]]\ncriterion = \"frequency-l-diversity\"\nl = 4\n[method]\nname = \"anatomy\"\n\
             [release]\nform = \"bucketized\"\n{release}"
        )
    };
    let make = |release: &str| {
        let plan = TablePlan::parse(&text(release), Path::new(".")).unwrap();
        publish::make(&plan, &table, &Formats::default())
    };
    let error = make("").err().expect("refused");
    assert!(error.fault() == Fault::Gate && error.to_string().contains("cannot be measured"), "{error}");
    let accepted = make("insensitive = { accept = [\"drug\"] }\n").unwrap().publication().clone();
    assert!(accepted.caveats().iter().any(|caveat| caveat.contains("is not measured")), "{:?}", accepted.caveats());
    assert!(make("insensitive = \"drop\"\n").is_ok());
}
