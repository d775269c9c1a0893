//! Partial suppression on the data of Jia et al., where they are at hand: what is deleted, and what
//! has to be.

use super::real_data;
use sfumato::chance::Chance;
use sfumato::exact::Fraction;
use sfumato::kind::Raw;
use sfumato::transactions::method::partial_suppression::least_deleted;
use sfumato::transactions::method::{self, Task};
use sfumato::transactions::metric::{self, Compared};
use sfumato::transactions::{Demand, Released, Sensitive, Transactions, criterion};
use std::path::Path;

struct Data {
    table: Transactions,
    sensitive: Sensitive,
}

impl Data {
    fn read(name: &str) -> Option<Data> {
        let folder = real_data::folder()?.join("sets");
        let read =
            |ending: &str| std::fs::read_to_string(folder.join(format!("{name}.{ending}"))).expect("a data file");
        let (records, names) = (read("dat"), read("sens"));
        let table = Transactions::from_names(records.lines().map(str::split_whitespace));
        let sensitive = Sensitive::named(&table, names.split_whitespace());
        Some(Data { table, sensitive })
    }

    fn task(&self) -> Task<'_> {
        let demand = Demand::at_most(Fraction::new(7, 10));
        let chance = Chance::insecure(1);
        Task {
            table: &self.table,
            sensitive: &self.sensitive,
            demand,
            chance,
            folder: Path::new("."),
            watch: sfumato::watch::Watch::NONE,
        }
    }

    /// A release at ρ = 0.7, checked.
    fn release(&self, name: &str, written: &[(&str, Raw)]) -> Released {
        let kind = method::find(name).expect("a method");
        let made = (kind.build)(&kind.check(written).expect("parameters")).make(&self.task()).expect("a release");
        let kind = criterion::find("rho-uncertainty").expect("a criterion");
        let params = kind.check(&[("rho", Raw::from("0.7"))]).expect("parameters");
        assert!((kind.build)(&params).check(&made, &self.sensitive).unwrap().holds, "{name}");
        made
    }

    fn measure(&self, made: &Released, name: &str) -> f64 {
        let kind = metric::find(name).expect("a metric");
        let metric = (kind.build)(&kind.check(&[]).expect("parameters"));
        metric.measure(&Compared::new(&self.table, &self.sensitive, made))
    }
}

/// The paper deletes 26 % and 35 %, of data in which other items were sensitive.
#[test]
fn few_items_are_deleted_and_fewer_than_the_bound_cannot_be() {
    for (name, most, least) in [("BMS-WebView-2", 0.2725, 0.2225), ("retail", 0.3235, 0.315)] {
        let Some(data) = Data::read(name) else { continue };
        let made = data.release("partial-suppression", &[]);
        let deleted = data.measure(&made, "deleted-share");
        let bound = least_deleted(&data.task()) as f64 / data.table.occurrences() as f64;
        assert!(least < bound && bound < deleted && deleted < most, "{name}: {bound} {deleted}");
    }
}

#[test]
fn shares_of_items_are_kept_a_hundred_times_better_than_by_global_suppression() {
    for name in ["BMS-WebView-2", "retail"] {
        let Some(data) = Data::read(name) else { continue };
        let [dist, global] = [
            data.release("partial-suppression", &[("objective", Raw::from("dist"))]),
            data.release("global-suppression", &[]),
        ]
        .map(|made| data.measure(&made, "symmetric-kl"));
        assert!(dist * 100.0 < global, "{name}: {dist} {global}");
    }
}
