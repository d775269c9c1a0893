//! The deFinetti attack from outside: what its figures depend on, and what limits it. Its beliefs
//! are compared with the definition beside the code.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sfumato::attack::{Finding, GUESSED_RIGHT, LEFT_OUT, Original, Promises, RIGHT_BY_SHARES, Target, find};
use sfumato::candidate::Groups;
use sfumato::chance::Chance;
use sfumato::data::{Column, Formats, Schema, Table, sample};
use sfumato::publish::{self, Draft};
use sfumato::release::{self, Destination};
use sfumato::{Fault, TablePlan};
use std::path::Path;

/// Somebody in a group: two quasi-identifiers, and two sensitive values that depend on them.
#[derive(Clone)]
struct Person {
    age: u32,
    town: u32,
    values: [u32; 2],
}

/// People in groups of different sizes, one of them too large to learn from.
fn groups(seed: u64) -> Vec<Vec<Person>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let sizes = [51, 20, 10, 11, 2].into_iter().chain((0..160).map(|at| 3 + at % 4));
    let mut person = || {
        let (age, town) = (random.random_range(20..80), random.random_range(0..5));
        let value = if random.random_range(0..4) > 0 { age / 15 } else { random.random_range(1..6) };
        Person { age, town, values: [value, (town + random.random_range(0..2)) % 4] }
    };
    sizes.map(|size| (0..size).map(|_| person()).collect()).collect()
}

/// Attacks the groups, published in this order.
fn attack(groups: &[Vec<Person>], bucketized: bool, with_original: bool) -> Vec<Finding> {
    let people: Vec<&Person> = groups.iter().flatten().collect();
    let column = |name: &str, cell: &dyn Fn(&Person) -> String| {
        Column::from_values(name, people.iter().map(|person| cell(person)))
    };
    let original = Table::new(vec![
        column("age", &|person| person.age.to_string()),
        column("town", &|person| format!("t{}", person.town)),
        column("disease", &|person| format!("d{}", person.values[0])),
        column("job", &|person| format!("j{}", person.values[1])),
    ]);
    let original = original.unwrap();
    let mut release = original.clone();
    if !bucketized {
        for name in ["age", "town"] {
            release = release.with_column(Column::from_values(name, people.iter().map(|_| "*"))).unwrap();
        }
    }
    let mut rows = 0u32..;
    let lists: Vec<Vec<u32>> = groups.iter().map(|group| rows.by_ref().take(group.len()).collect()).collect();
    let row_of: Vec<u32> = (0..people.len() as u32).collect();
    let kind = find("definetti").unwrap();
    let target = Target {
        release: &release,
        groups: &Groups::of_lists(&lists),
        bucketized,
        schema: &Schema::of(&["age", "town"], &["disease", "job"]),
        original: with_original.then_some(Original { table: &original, row_of: &row_of }),
        making: None,
        class: None,
        is_conditioned: false,
        missing: 0,
        is_missing_by_value: false,
        suppressed: None,
        promises: &Promises::nothing(),
        formats: &Formats::default(),
        folder: Path::new("."),
    };
    (kind.build)(&kind.check(&[]).unwrap()).run(&target).unwrap()
}

fn on_threads(threads: usize, groups: &[Vec<Person>], bucketized: bool) -> Vec<Finding> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| attack(groups, bucketized, true))
}

#[test]
fn not_a_bit_depends_on_the_order_of_records_or_on_threads() {
    for seed in 0..3 {
        let mut shuffled = groups(seed);
        let first = on_threads(1, &shuffled, true);
        assert_eq!(first.len(), 2, "one for each sensitive column");
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        for threads in [1, 2, 3] {
            shuffled.shuffle(&mut random);
            shuffled.iter_mut().for_each(|group| group.shuffle(&mut random));
            // Exact quasi-identifiers are what a bucketized release has, and the original.
            for bucketized in [true, false] {
                let mut found = on_threads(threads, &shuffled, bucketized);
                found.iter_mut().for_each(|one| one.repeatable = true);
                assert_eq!(found, first);
            }
        }
    }
}

/// Without the original the same is claimed, and nothing is said about who is right.
#[test]
fn the_truth_changes_no_claim() {
    let mut groups = groups(9);
    let public = attack(&groups, true, false);
    let mut random = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..5 {
        // Another truth behind the same release: values of a group go to others of it.
        for group in &mut groups {
            for at in 0..2 {
                let mut values: Vec<u32> = group.iter().map(|person| person.values[at]).collect();
                values.shuffle(&mut random);
                group.iter_mut().zip(values).for_each(|(person, value)| person.values[at] = value);
            }
        }
        assert_eq!(attack(&groups, true, false), public);
        for (mut told, public) in attack(&groups, true, true).into_iter().zip(&public) {
            assert!(told.right.take().is_some() && told.detail(GUESSED_RIGHT).is_some());
            told.details.truncate(public.details.len());
            assert_eq!(&told, public);
        }
    }
    let names: Vec<&str> = public[0].details.iter().map(|detail| detail.0).collect();
    assert_eq!(names, ["share_affected", "people_sure", "people_left_out", "rounds"]);
    assert!(public.iter().all(|found| found.right.is_none() && found.is_claim && found.repeatable));
    assert_eq!(attack(&groups, false, false), [], "labels alone are not enough");
}

#[test]
fn guesses_gain_where_values_depend_on_quasi_identifiers() {
    let found = &attack(&groups(5), true, true)[0];
    let (right, by_shares) = (found.detail(GUESSED_RIGHT).unwrap(), found.detail(RIGHT_BY_SHARES).unwrap());
    assert!(right > by_shares + 0.05, "{right} {by_shares}");
    assert_eq!(found.detail(LEFT_OUT), Some(51.0));
    let steps = found.beliefs.iter().zip(found.right.unwrap());
    assert!(steps.clone().all(|(people, right)| right <= *people));
    assert_eq!(found.beliefs.iter().sum::<u64>(), groups(5).iter().map(Vec::len).sum::<usize>() as u64);
}

const PLAN: &str = "[columns]\npatient = \"identifier\"\nage = \"quasi\"\nsex = \"quasi\"\nzip = \"quasi\"\n\
                    nationality = \"quasi\"\nmarital-status = \"quasi\"\nadmitted = \"identifier\"\nstay = \"identifier\"\n\
                    disease = \"sensitive\"\n[[require]]\ncriterion = \"frequency-l-diversity\"\nl = 4\n\
                    [method]\nname = \"anatomy\"\n[release]\nform = \"bucketized\"\n";

/// More is claimed than the criterion promises, which is said and stops no release; a limit of the
/// plan does.
#[test]
fn only_a_limit_of_the_plan_stops_a_release() {
    let (table, formats) = (sample::hospital(1500, 1), Formats::default());
    let mut plan = TablePlan::parse(PLAN, Path::new(".")).unwrap();
    plan.publishing.chance = Chance::insecure(1);
    let made = publish::make(&plan, &table, &formats).and_then(Draft::pass).unwrap();
    let own = |found: &&Finding| found.attack == "definetti";
    let found = made.publication.attacks.iter().find(own).unwrap();
    assert_eq!((found.limit, found.above_limit), (None, 0));
    assert!(found.detail("people_above_promise").unwrap() > 1000.0 && found.highest.to_f64() > 0.5);

    // What is written says the same, but for what only the custodian knows.
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("release");
    release::write(&made, &plan, &Destination::new(&target), &formats).unwrap();
    let certificate = std::fs::read_to_string(target.join("certificate.json")).unwrap();
    let document: serde_json::Value = serde_json::from_str(&certificate).unwrap();
    let stated = document["attacks"].as_array().unwrap().iter().find(|one| one["attack"] == "definetti").unwrap();
    assert_eq!(stated["highest_belief"], found.highest.to_f64());
    assert_eq!(stated["highest_belief_is"], "claimed");
    assert_eq!((&stated["people"], &stated["repeatable"]), (&found.people.into(), &true.into()));
    assert_eq!(stated["details"].as_object().unwrap().len(), 5, "{stated}");
    let report = std::fs::read_to_string(target.join("report.html")).unwrap();
    for text in [&certificate, &report] {
        assert!(!["guessed", "right_", "right for", "calibration"].iter().any(|word| text.contains(word)));
    }
    assert!(report.contains("Such claims are often wrong"));
    assert!(release::verify(&target, &formats).unwrap().failed().next().is_none());

    let limited = format!("{PLAN}[[attack]]\nattack = \"definetti\"\nmax_belief = \"30%\"\n");
    let plan = TablePlan::parse(&limited, Path::new(".")).unwrap();
    let refused = publish::make(&plan, &table, &formats).and_then(Draft::pass).err().unwrap();
    assert_eq!(refused.fault(), Fault::Gate, "{refused}");
    assert!(refused.to_string().contains("definetti on disease"), "{refused}");
}

/// The internal report says beside each belief how often it is right.
#[test]
fn the_internal_report_has_the_calibration() {
    let (table, formats) = (sample::hospital(1500, 1), Formats::default());
    let plan = TablePlan::parse(PLAN, Path::new(".")).unwrap();
    let draft = publish::make(&plan, &table, &formats).unwrap();
    let document = sfumato::report::internal_json(draft.publication());
    let attacks = document["attacks"].as_array().unwrap();
    let own = attacks.iter().find(|one| one["attack"] == "definetti").unwrap();
    let steps = own["calibration"].as_array().unwrap();
    let sum = |key: &str| steps.iter().map(|step| step[key].as_u64().unwrap()).sum::<u64>();
    assert_eq!(sum("people"), 1500);
    assert!(sum("right") > 300 && sum("right") < 1500);
    let page = sfumato::report::html::report_html(draft.publication(), sfumato::report::html::Audience::Internal);
    assert!(page.contains("The best guess is right for") && page.contains("Right about"));
    let text = sfumato::report::publication_text(draft.publication());
    assert!(text.contains("definetti on disease\n  The best guess is right for"), "{text}");
}
