//! Transactions: how long methods and the exact check take, against counting items and against what Jia et al. report; what is lost, against the bound on what has to be; and growth.
//!
//! `cargo bench -p sfumato --bench transactions [-- --rows N --full]`: made-up data of N records; with `--full` BMS-WebView-2 and Retail where they are at hand, all methods and confidences on them, and made-up data of the size of
//! BMS-POS and of the paper's Syn. Every output is checked, here too.

mod support;

use sfumato::chance::Chance;
use sfumato::exact::Fraction;
use sfumato::kind::Raw;
use sfumato::transactions::method::partial_suppression::least_deleted;
use sfumato::transactions::method::{self, Task};
use sfumato::transactions::metric::{self, Compared};
use sfumato::transactions::{Demand, Released, Sensitive, Transactions, criterion, sample};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;
use support::{best, peak_memory_mib, rows};

struct Data {
    name: &'static str,
    table: Transactions,
    sensitive: Sensitive,
    taxonomy: Option<PathBuf>,
    /// Seconds of Dist and Mine in Table 3 of the paper, on 16 cores.
    paper: Option<[f64; 2]>,
}

impl Data {
    fn made_up(name: &'static str, table: Transactions, paper: Option<[f64; 2]>) -> Data {
        let sensitive = Sensitive::share(&table, Fraction::new(4, 10), 1).expect("sensitive items");
        Data { name, table, sensitive, taxonomy: None, paper }
    }

    fn real(name: &'static str, paper: [f64; 2]) -> Option<Data> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/sets");
        let text = std::fs::read_to_string(folder.join(format!("{name}.dat"))).ok()?;
        let table = Transactions::from_names(text.lines().map(str::split_whitespace));
        let names = std::fs::read_to_string(folder.join(format!("{name}.sens"))).ok()?;
        let sensitive = Sensitive::named(&table, names.split_whitespace());
        let taxonomy = Some(folder.join(format!("{name}_hierarchy_fanout5.txt"))).filter(|path| path.exists());
        Some(Data { name, table, sensitive, taxonomy, paper: Some(paper) })
    }

    /// The first so many fifths.
    fn fifths(&self, count: usize) -> Data {
        let records: Vec<u32> = (0..(self.table.len() * count / 5) as u32).collect();
        let (table, sensitive) = (self.table.select(&records), self.sensitive.clone());
        Data { name: self.name, table, sensitive, taxonomy: None, paper: None }
    }

    fn task(&self, tenths: u128) -> Task<'_> {
        let demand = Demand::at_most(Fraction::new(tenths, 10));
        Task {
            table: &self.table,
            sensitive: &self.sensitive,
            demand,
            chance: Chance::insecure(7),
            folder: Path::new("/"),
        }
    }

    fn make(&self, name: &str, written: &[(&str, String)], tenths: u128) -> Released {
        let kind = method::find(name).expect("a method");
        let written: Vec<(&str, Raw)> = written.iter().map(|(key, text)| (*key, Raw::from(text.as_str()))).collect();
        (kind.build)(&kind.check(&written).expect("parameters")).make(&self.task(tenths)).expect("a release")
    }

    /// Panics if the release does not satisfy the criterion.
    fn check(&self, made: &Released, tenths: u128) -> u64 {
        let kind = criterion::find("rho-uncertainty").expect("a criterion");
        let params = kind.check(&[("rho", Raw::Text(format!("0.{tenths}")))]).expect("parameters");
        let verdict = (kind.build)(&params).check(made, &self.sensitive).expect("rules that can be counted");
        assert!(verdict.holds, "a release of {} is not safe", self.name);
        verdict.looked_at
    }

    fn measure(&self, made: &Released, metric: &str, written: &[(&str, &str)]) -> f64 {
        let kind = metric::find(metric).expect("a metric");
        let written: Vec<(&str, Raw)> = written.iter().map(|(key, text)| (*key, Raw::from(*text))).collect();
        let metric = (kind.build)(&kind.check(&written).expect("parameters"));
        metric.measure(&Compared::new(&self.table, &self.sensitive, made))
    }
}

const OBJECTIVES: [&str; 2] = ["dist", "mine"];

/// Both objectives with the exact check, against a count of all items.
fn time(data: &Data) {
    let (count, _) = best(3, || black_box(data.table.supports()));
    println!(
        "\n{}: {} records, {} items in them, ρ = 0.7; to count items takes {}",
        data.name,
        data.table.len(),
        data.table.occurrences(),
        milliseconds(count)
    );
    for (place, objective) in OBJECTIVES.into_iter().enumerate() {
        let written = [("objective", objective.to_string())];
        let (making, made) = best(1, || data.make("partial-suppression", &written, 7));
        let (checking, rules) = best(1, || data.check(&made, 7));
        let all = (making + checking).as_secs_f64();
        let paper = data.paper.map_or(String::new(), |seconds| {
            format!(", {:.0} times as fast as the paper's {:.0} s", seconds[place] / all, seconds[place])
        });
        println!(
            "  {objective}: {all:.2} s with the check ({} for {rules} rules), {:.0} counts{paper}; {:.2} % deleted",
            milliseconds(checking),
            all / count.as_secs_f64(),
            100.0 * data.measure(&made, "deleted-share", &[])
        );
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

/// What every method loses, at each confidence.
fn compare(data: &Data, tenths: u128) {
    let (time, least) = best(1, || least_deleted(&data.task(tenths)));
    let share = 100.0 * least as f64 / data.table.occurrences() as f64;
    println!(
        "\n{} at ρ = 0.{tenths}: whatever is deleted, at least {share:.2} % is ({:.1} s to find that out)",
        data.name,
        time.as_secs_f64()
    );
    println!(
        "  {:<28} {:>8} {:>9} {:>12} {:>12} {:>9} {:>9}",
        "method", "seconds", "deleted", "kl", "symmetric-kl", "rules 30%", "rules 70%"
    );
    let mut methods: Vec<(&str, Vec<(&str, String)>)> =
        OBJECTIVES.map(|objective| ("partial-suppression", vec![("objective", objective.to_string())])).to_vec();
    methods.extend([("global-suppression", Vec::new()), ("permutation", Vec::new())]);
    methods.extend(
        data.taxonomy.iter().map(|path| ("tdcontrol", vec![("taxonomy", path.to_string_lossy().into_owned())])),
    );
    for (name, written) in methods {
        let (time, made) = best(1, || data.make(name, &written, tenths));
        data.check(&made, tenths);
        let objective = written.iter().find(|(key, _)| *key == "objective").map_or("", |(_, word)| word);
        println!(
            "  {:<28} {:>8.2} {:>8.2}% {:>12.6} {:>12.6} {:>9.3} {:>9.3}",
            format!("{name} {objective}"),
            time.as_secs_f64(),
            100.0 * data.measure(&made, "deleted-share", &[]),
            data.measure(&made, "kl", &[]),
            data.measure(&made, "symmetric-kl", &[]),
            data.measure(&made, "rules-jaccard", &[("confidence", "0.3")]),
            data.measure(&made, "rules-jaccard", &[("confidence", "0.7")]),
        );
    }
}

/// Time over one to five fifths of the records.
fn growth(data: &Data) {
    println!("\ngrowth, {}, ρ = 0.7, seconds with the check", data.name);
    for count in 1..=5 {
        let part = data.fifths(count);
        let seconds = OBJECTIVES.map(|objective| {
            let run = || {
                let made = part.make("partial-suppression", &[("objective", objective.to_string())], 7);
                part.check(&made, 7)
            };
            best(1, run).0.as_secs_f64()
        });
        println!("  {count}/5 ({} records): dist {:.2}, mine {:.2}", part.table.len(), seconds[0], seconds[1]);
    }
}

fn main() {
    let full = std::env::args().any(|word| word == "--full");
    let mut data: Vec<Data> = Vec::new();
    if full {
        data.extend([("BMS-WebView-2", [151.0, 478.0]), ("retail", [171.0, 256.0])].into_iter().filter_map(
            |(name, paper)| {
                let found = Data::real(name, paper);
                if found.is_none() {
                    println!("{name} is not at hand");
                }
                found
            },
        ));
    } else {
        data.push(Data::made_up("shop", sample::shop(rows(20_000), 1), None));
    }
    data.iter().for_each(time);
    if full {
        time(&Data::made_up("shop, the size of BMS-POS", sample::shop(515_597, 1), Some([395.0, 1554.0])));
        time(&Data::made_up("even, the size of Syn", sample::even(493_193, 5_000, 1), Some([130.0, 132.0])));
    }
    data.iter().for_each(|data| [3, 5, 7].into_iter().for_each(|tenths| compare(data, tenths)));
    data.last().into_iter().for_each(growth);
    if let Some(memory) = peak_memory_mib() {
        println!("\nat most {memory} MiB of memory");
    }
}
