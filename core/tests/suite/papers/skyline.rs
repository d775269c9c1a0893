//! Privacy skyline (Chen, LeFevre and Ramakrishnan 2007): the case study of Section 7.3 on Adult.

use super::real_data::adult_complete;
use sfumato::TablePlan;
use sfumato::audit::audit_groups;
use sfumato::criterion::{Budget, Requirement};
use sfumato::exact::Fraction;
use sfumato::explore::{Explorer, Values};
use sfumato::kind::Raw;
use sfumato::publish::{Made, make};
use std::path::Path;
use std::time::Instant;

const COLUMNS: &str = "age = \"quasi\"\nworkclass = \"quasi\"\neducation = \"quasi\"\nmarital-status = \"quasi\"\nrace = \"quasi\"\nsex = \"quasi\"\nnative-country = \"quasi\"\noccupation = \"sensitive\"";

/// What the paper prints for its (3,6)-diverse candidate, Exec-managerial, 95 %.
const PRINTED: [(u64, u64, u64); 7] = [(0, 4, 0), (1, 3, 1), (2, 2, 2), (3, 1, 2), (2, 1, 3), (4, 0, 3), (3, 0, 4)];

/// A (3,6)-diverse candidate, which is the skyline point (4,0,0) at 75 % for every value
/// (Proposition 4).
fn diverse(priority: &str) -> Option<(TablePlan, Made)> {
    let text = format!(
        "[columns]\n{COLUMNS}\n[[require]]\ncriterion = \"skyline\"\npoints = [{{ l = 4, k = 0, m = 0, c = \"0.75\" }}]\n\
         [method]\nname = \"skyline-anonymize\"\npriority = \"{priority}\"\n[release]\nform = \"bucketized\"\n"
    );
    let table = adult_complete()?;
    let plan = TablePlan::parse(&text, ".".as_ref()).expect("a plan");
    let made = make(&plan, &table, &Default::default());
    Some((plan, made.expect("a release").pass().expect("no limit is exceeded")))
}

#[test]
fn a_diverse_release_of_adult_withstands_little_knowledge() {
    for priority in ["widest", "round-robin"] {
        let Some((plan, made)) = diverse(priority) else { return };
        let (table, groups) = (&made.recoded.table, &made.recoded.groups);
        let recursive = Requirement::new(
            "recursive-cl-diversity",
            &[("c", Raw::from("3")), ("l", Raw::from("6"))],
            &[],
            &plan.schema,
        );
        let audit = audit_groups(table, &plan.schema, groups, &[recursive.unwrap()], Path::new(".")).unwrap();
        assert!(audit.holds(), "Proposition 4");

        let start = Instant::now();
        let explorer = Explorer::new(table, groups, "occupation", Values::One, "Exec-managerial").unwrap();
        let confidence = Fraction::new(95, 100);
        let points = explorer.skyline(confidence);
        let took = start.elapsed();
        let list: Vec<(u64, u64, u64)> = points.iter().map(|point| (point.l, point.k, point.m)).collect();
        println!(
            "{priority}: {} groups, explored in {took:.2?}\n  ours      {list:?}\n  the paper {PRINTED:?}",
            groups.len()
        );
        // Four values ruled out leave less than 75 %: the release was made so.
        assert!(explorer.breach(Budget::new(4, 0, 0)).unwrap().belief < 0.75);
        assert!(points.iter().any(|point| point.covers(Budget::new(4, 0, 0))));
        // And yet a handful of people asked is enough for 95 %.
        let handful = points.iter().filter(|point| point.l == 0 && point.m == 0).map(|point| point.k).max();
        assert!(handful.is_some_and(|known| known < 20), "{list:?}");
        for point in &points {
            assert!(explorer.is_safe(*point, confidence));
            for more in [(1, 0, 0), (0, 1, 0), (0, 0, 1)] {
                let beyond = Budget::new(point.l + more.0, point.k + more.1, point.m + more.2);
                assert!(!explorer.is_safe(beyond, confidence), "{point:?} is not the last");
            }
        }
    }
}
