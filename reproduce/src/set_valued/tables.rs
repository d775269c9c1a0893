//! Tables 1 and 2: the example, and the shape of the data.

use super::data::{Data, sources};
use super::run::{DIST, MINE, Run, Way};
use crate::page::{Cell, Column, Section, Source, Table, Unit};
use sfumato::Result;
use sfumato::exact::Fraction;
use sfumato::transactions::{Sensitive, Transactions, sample};

/// A release of Table 1, as the paper describes it.
struct Printed {
    way: Way,
    /// How many of each kind are deleted.
    deleted: &'static [(&'static str, u64)],
    /// Why ours has another number of deletions, if it has.
    why: &'static str,
}

const PRINTED: [Printed; 3] = [
    Printed {
        way: Way::Global,
        deleted: &[("condom", 4)],
        why: "Our Global deletes other kinds of items whole than condom.",
    },
    Printed {
        way: DIST,
        deleted: &[("condom", 1), ("flour", 1)],
        why: "The paper shows one release; our Dist draws by lot which records it decides about anew and where it deletes what is left too much of, and among seven records an unlucky draw costs a deletion more.",
    },
    Printed {
        way: MINE,
        deleted: &[("condom", 2)],
        why: "The paper shows one release, and where our Mine deletes is drawn by lot.",
    },
];

impl Printed {
    fn deletions(&self) -> u64 {
        self.deleted.iter().map(|(_, count)| count).sum()
    }

    /// As in `1 × condom, 1 × flour`.
    fn in_words(&self) -> String {
        self.deleted.iter().map(|(kind, count)| format!("{count} × {kind}")).collect::<Vec<_>>().join(", ")
    }

    /// Whether a release lacks just what the printed one lacks, in whatever records.
    fn is_like(&self, table: &Transactions, run: &Run<'_>) -> bool {
        let printed = |name: &str| self.deleted.iter().find(|(kind, _)| *kind == name).map_or(0, |(_, count)| *count);
        let lost = table.supports().into_iter().zip(run.released.supports()).map(|(had, has)| had - has);
        table.names().iter().zip(lost).all(|(name, lost)| lost == printed(name))
    }
}

/// ρ of Table 1.
const THIRD: Fraction = Fraction { num: 1, den: 3 };
/// How often Table 1 is made, with other choices by lot.
const CHOICES: u64 = 50;

/// Seven purchases, of which two items have to go.
pub fn table_1() -> Result<Section> {
    let table = sample::purchases();
    let sensitive = Sensitive::named(&table, ["condom"]);
    let data =
        Data::with("Table 1", table, sensitive, Source::synthetic("the seven purchases of the paper's Table 1"))?;
    let chosen: Vec<Data> = (1..=CHOICES).map(|seed| data.with_seed(seed)).collect();
    let (mut first, mut fewest) = (Vec::new(), u64::MAX);
    let columns =
        ["fewest", "most", "runs with as many as printed", "runs with the same of each kind"].map(Column::count);
    let columns = [Column::text("method")].into_iter().chain(columns).chain([Column::count("paper").printed()]);
    let mut counts = Table::new(format!("Deletions in {CHOICES} runs"), columns);
    let mut section = Section::new("table-1", "Table 1: a retail data set and its releases", data.source.clone()).words(format!(
        "Condom is sensitive and ρ = 1/3. {CHOICES} releases by each method, which differ in what is chosen by lot; all were checked by the exact criterion. The first one is shown. \
         The paper tells which kinds are deleted from and how many deletions there are; for Dist that is two of two kinds, so one of each."
    ));
    for printed in PRINTED {
        let runs: Result<Vec<Run<'_>>> = chosen.iter().map(|data| data.suppress(printed.way, THIRD)).collect();
        let runs = runs?;
        let counted = Counted::new(&printed, &data.table, &runs);
        counts.row(counted.row(&printed));
        section = counted.compare(section, &printed);
        fewest = fewest.min(counted.fewest);
        first.extend(runs.into_iter().next().map(|run| (printed.way, run)));
    }
    let least = (data.least_deleted(THIRD) * data.table.occurrences() as f64).round();
    let section = section.verify(
        "the fewest deletions that are proven to be needed",
        (least, Unit::Count),
        &format!("{fewest}, the fewest of all these runs"),
        least == fewest as f64,
    );
    Ok(section.table(records(&data.table, &first)).table(counts))
}

/// Deletions in all runs of a method.
struct Counted {
    fewest: u64,
    most: u64,
    /// Runs with as many deletions as printed.
    same: usize,
    /// Those with as many of each kind.
    alike: usize,
}

impl Counted {
    fn new(printed: &Printed, table: &Transactions, runs: &[Run<'_>]) -> Counted {
        let deleted = || runs.iter().map(|run| table.occurrences() - run.released.table().occurrences());
        Counted {
            fewest: deleted().min().unwrap_or(0),
            most: deleted().max().unwrap_or(0),
            same: deleted().filter(|count| *count == printed.deletions()).count(),
            alike: runs.iter().filter(|run| printed.is_like(table, run)).count(),
        }
    }

    fn row(&self, printed: &Printed) -> Vec<Cell> {
        let deletions = |count: u64| Cell::from(count as usize);
        let ours = [deletions(self.fewest), deletions(self.most), self.same.into(), self.alike.into()];
        [Cell::from(printed.way.name())].into_iter().chain(ours).chain([deletions(printed.deletions())]).collect()
    }

    fn compare(&self, section: Section, printed: &Printed) -> Section {
        let (name, all) = (printed.way.name(), CHOICES as usize);
        let others = format!(
            "Of the others {} delete another number of items, and {} as many but of other kinds.",
            all - self.same,
            self.same - self.alike
        );
        section
            .compare(
                format!("runs of {all} in which {name} deletes as many as printed"),
                (self.same as f64, Unit::Count),
                &format!("{} deletions", printed.deletions()),
                self.same == all,
                printed.why,
            )
            .compare(
                format!("runs of {all} in which {name} deletes as many of each kind"),
                (self.alike as f64, Unit::Count),
                &printed.in_words(),
                self.alike == all,
                &others,
            )
    }
}

fn records(table: &Transactions, runs: &[(Way, Run<'_>)]) -> Table {
    let columns = ["TID", "original"].into_iter().chain(runs.iter().map(|(way, _)| way.name())).map(Column::text);
    let mut shown = Table::new("", columns);
    let named = |table: &Transactions, at: usize| {
        table.record(at).iter().map(|item| table.names()[*item as usize].as_str()).collect::<Vec<_>>().join(", ")
    };
    for at in 0..table.len() {
        let released = runs.iter().map(|(_, run)| Cell::from(named(run.released.table(), at)));
        shown.row([Cell::from(at + 1), Cell::from(named(table, at))].into_iter().chain(released).collect::<Vec<_>>());
    }
    shown
}

/// Records, kinds of items, and occurrences of sensitive and other items in Table 2.
const PRINTED_SHAPES: [(&str, [f64; 4]); 4] = [
    ("POS", [515_597.0, 1_657.0, 1_183_355.0, 2_183_665.0]),
    ("WV", [77_512.0, 3_340.0, 137_605.0, 220_673.0]),
    ("Retail", [88_162.0, 16_470.0, 340_462.0, 568_114.0]),
    ("Syn", [493_193.0, 5_000.0, 828_435.0, 1_242_917.0]),
];

/// The shape of the data.
pub fn table_2(all: &[Data]) -> Section {
    let names = ["records", "kinds", "sensitive", "others"];
    let both =
        names.into_iter().flat_map(|name| [Column::count(name), Column::count(format!("{name}, paper")).printed()]);
    let more = [Column::number("items a record", 2), Column::count("longest"), Column::share("sensitive share", 1)];
    let mut table = Table::new("", [Column::text("data")].into_iter().chain(both).chain(more));
    let mut section = Section::new("table-2", "Table 2: the data", sources(all)).words(
        "Kinds are those that occur; sensitive and others are occurrences. 40 % of the kinds of items were drawn at random as sensitive, for the paper and for us, and not the same ones. \
         BMS-POS is not at hand: made-up purchases stand in for it. Syn is made as the paper's: every item equally likely, at most 50 a record; how long its records are the paper does not say, and ours have the same mean.",
    );
    for data in all {
        let Some((_, printed)) = PRINTED_SHAPES.into_iter().find(|(name, _)| *name == data.name) else { continue };
        let supports = data.table.supports();
        let sensitive = data.sensitive_in(&supports);
        let occurrences = data.table.occurrences();
        let ours = [data.table.len() as f64, data.kinds() as f64, sensitive as f64, (occurrences - sensitive) as f64];
        let pairs = ours.into_iter().zip(printed).flat_map(|(ours, printed)| [Cell::from(ours), Cell::from(printed)]);
        let mean = occurrences as f64 / data.table.len().max(1) as f64;
        let longest = data.table.iter().map(<[u32]>::len).max().unwrap_or(0);
        let more = [Cell::from(mean), Cell::from(longest), Cell::from(data.sensitive_share())];
        table.row([Cell::from(data.label())].into_iter().chain(pairs).chain(more).collect::<Vec<_>>());
        if !data.source.made_up {
            let all = printed[2] + printed[3];
            section = section.compare(
                format!("occurrences of items in {}", data.name),
                (occurrences as f64, Unit::Count),
                &Unit::Count.show(all),
                occurrences as f64 == all,
                &data.why("A file of another origin may hold other records."),
            );
        }
    }
    section.table(table)
}
