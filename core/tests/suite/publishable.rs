//! What can be made can be published: whatever the method, the form, ties among quasi-identifiers and values that only
//! withheld records have, what is written can be read back and verifies.

use sfumato::anonymize;
use sfumato::chance::Chance;
use sfumato::data::{Column, Formats, Table};
use sfumato::release::{self, Order};
use sfumato::{Fault, Plan, publish};
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

/// Sixty to two hundred people of whom many have equal quasi-identifiers; the last one has a value of its own.
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
                    let plan = Plan::parse(&text, Path::new(".")).unwrap_or_else(|error| panic!("{text}\n{error}"));
                    let Ok(mut publishing) = plan.publishing() else { continue };
                    publishing.chance = Chance::insecure(seed);
                    let made = match publish::make(&plan, &publishing, &table, &formats) {
                        Ok(made) => made,
                        Err(error) => {
                            let is_answer = matches!(error.fault(), Fault::Infeasible | Fault::Plan);
                            assert!(is_answer, "seed {seed}\n{text}\n{error}");
                            infeasible += 1;
                            continue;
                        }
                    };
                    let order = Order {
                        plan: &plan,
                        publishing: &publishing,
                        target: &target,
                        replace: true,
                        inputs: &[],
                        earlier: &[],
                    };
                    let written = release::write(&made, &order, &formats);
                    assert!(written.is_ok(), "seed {seed}\n{text}\n{}", written.unwrap_err());
                    published += 1;
                }
            }
        }
    }
    eprintln!("{published} published, {infeasible} infeasible or refused");
    assert!(published > infeasible, "the test tests little");
}

const SEVEN: &str = "[columns]\nq = \"quasi\"\nedu = \"quasi\"\ns = { role = \"sensitive\", sensitive_values = [\"HIV\"] }\n\
    [[require]]\ncriterion = \"frequency-l-diversity\"\nl = 2\n";

/// Two people of q1, both ill, and five of q2: whoever knows that the method publishes the best safe generalization is
/// certain about the two. Nothing decides that yet, so every limit on it refuses.
#[test]
fn what_is_undecided_passes_no_limit() {
    let table = Table::new(vec![
        Column::from_values("q", ["q1", "q1", "q2", "q2", "q2", "q2", "q2"]),
        Column::from_values("edu", ["e"; 7]),
        Column::from_values("s", ["HIV", "HIV", "none", "none", "none", "none", "none"]),
    ])
    .unwrap();
    let gate = |sections: &str| {
        let plan = Plan::parse(&format!("{SEVEN}{sections}"), Path::new(".")).unwrap();
        let made = publish::make(&plan, &plan.publishing().unwrap(), &table, &Formats::default()).unwrap();
        let found = made.publication.attacks.iter().find(|one| one.attack == "minimality").unwrap().clone();
        (release::pass_gate(&made.publication), found)
    };
    for limit in ["[gate]\nmax_belief = 0.5\n", "[[attack]]\nattack = \"minimality\"\nmax_belief = 0.5\n"] {
        for method in ["optimal", "incognito"] {
            let (passed, found) = gate(&format!("[method]\nname = \"{method}\"\n{limit}"));
            let error = passed.unwrap_err();
            assert_eq!(error.fault(), Fault::Gate);
            assert!(error.to_string().contains("inconclusive for 7 people"), "{error}");
            assert_eq!((found.above_limit, found.is_lower_bound), (7, true));
        }
    }
    let (passed, found) = gate("");
    assert!(passed.is_ok() && found.is_lower_bound, "without a limit it is only said");
}
