//! Table 3 and Figure 4: how long it takes, and how that grows.

use super::data::{Data, sources};
use super::grid::{Row, at};
use super::run::{B_MAX, DIST, MINE, Timed, Way};
use crate::page::{Cell, Chart, Column, Section, Table, Unit};
use crate::{Setting, clock};
use sfumato::Result;
use sfumato::exact::Fraction;

/// ρ of all measurements of time.
pub const RHO: Fraction = Fraction { num: 7, den: 10 };
/// t_max of Table 3, and the product's own.
const T_MAX: Option<u64> = Some(300);
const OWN_T_MAX: Option<u64> = Some(7_000);

/// The rows of Table 3, and ours besides.
const WAYS: [(Way, &str); 7] = [
    (Way::TdControl, "TDControl"),
    (Way::Global, "Global"),
    (Way::Dist { t_max: T_MAX, b_max: B_MAX }, "Dist"),
    (Way::Mine { t_max: T_MAX, b_max: B_MAX }, "Mine"),
    (Way::Dist { t_max: OWN_T_MAX, b_max: B_MAX }, "Dist, t_max = 7,000"),
    (Way::Mine { t_max: OWN_T_MAX, b_max: B_MAX }, "Mine, t_max = 7,000"),
    (Way::Permutation, "Permutation"),
];
/// The places of Dist and Mine with our own limit.
const OWN: [usize; 2] = [4, 5];

/// Seconds in Table 3, in the order of its rows; Global ran out of memory on Syn.
const PRINTED: [(&str, [Option<f64>; 4]); 4] = [
    ("POS", [Some(183.0), Some(1_027.0), Some(395.0), Some(1_554.0)]),
    ("WV", [Some(30.0), Some(81.0), Some(151.0), Some(478.0)]),
    ("Retail", [Some(156.0), Some(646.0), Some(171.0), Some(256.0)]),
    ("Syn", [Some(476.0), None, Some(130.0), Some(132.0)]),
];

/// More occurrences than this are too many for TDControl within minutes.
const TDCONTROL_MOST: u64 = 1_000_000;
/// And these for more than a hundred parts, over which is given back in the end.
const PARTS_MOST: u64 = 3_000_000;

/// What stands where a way was not tried for the time it takes.
const LEFT_OUT: &str = "left out";
/// Time that grows with at most this power of the number of records grows reasonably: the paper
/// gives no number.
const REASONABLE: f64 = 1.5;

/// Whether a way takes too long on a table.
fn takes_too_long(way: Way, data: &Data) -> bool {
    match way {
        Way::TdControl => data.table.occurrences() > TDCONTROL_MOST,
        Way::Dist { t_max: T_MAX, .. } | Way::Mine { t_max: T_MAX, .. } => data.table.occurrences() > PARTS_MOST,
        _ => false,
    }
}

/// One table with the times of all ways, in the order of [`WAYS`].
struct Line<'a> {
    data: &'a Data,
    times: Vec<Option<Timed>>,
    printed: [Option<f64>; 4],
}

/// Seconds of every way on every table.
pub fn table_3(setting: &Setting<'_>, all: &[Data], known: &[Row<'_>]) -> Result<Section> {
    let lines: Result<Vec<Line<'_>>> = all.iter().map(|data| line(setting, data, known)).collect();
    let lines = lines?;
    let section = Section::new("table-3", "Table 3: seconds at ρ = 0.7", sources(all)).timing().words(format!(
        "The paper's t_max = 300 for Dist and Mine, which bounds the same estimate of cost as there, and the product's own; the other methods have no such limit. Our times are of one run and include the exact check of what was made. The paper's are of 16 cores at 2.4 GHz; \
         its algorithms end when they find no unsafe rule. Two are left out for the time they take: TDControl above {} occurrences of items, and t_max = 300 above {}. Permutation is not in the paper's table.",
        Unit::Count.show(TDCONTROL_MOST as f64),
        Unit::Count.show(PARTS_MOST as f64)
    ));
    let section = section.table(seconds(&lines)).table(checks(&lines));
    let section = match clock::peak_memory() {
        Some(bytes) => {
            section.words(format!("At most {} of memory were held until here.", Unit::Memory.show(bytes as f64)))
        }
        None => section,
    };
    Ok(compare(section, &lines))
}

/// The times of a table; where the same was made for Figure 1 it is not made again.
fn line<'a>(setting: &Setting<'_>, data: &'a Data, known: &[Row<'_>]) -> Result<Line<'a>> {
    let is_same = |row: &&Row<'_>| row.data.name == data.name && row.data.table.len() == data.table.len();
    let known = at(known, RHO).find(is_same);
    let one = |(way, name): &(Way, &str)| {
        if takes_too_long(*way, data) {
            return Ok(None);
        }
        if let Some(outcome) = known.and_then(|row| row.of(*way)) {
            return Ok(Some(outcome.timed));
        }
        setting.now(&format!("Table 3: {name} of {}", data.name));
        Ok(data.run(*way, RHO)?.map(|run| run.timed))
    };
    let times: Result<Vec<Option<Timed>>> = WAYS.iter().map(one).collect();
    let printed = PRINTED.iter().find(|(name, _)| *name == data.name).map_or([None; 4], |(_, printed)| *printed);
    Ok(Line { data, times: times?, printed })
}

fn seconds(lines: &[Line<'_>]) -> Table {
    let columns = lines.iter().flat_map(|line| {
        let label = line.data.label();
        [Column::time(&label), Column::number(format!("{}, paper's seconds", line.data.name), 0).printed()]
    });
    let mut table = Table::new("Seconds", [Column::text("method")].into_iter().chain(columns)).chart(
        Chart::bars("Seconds with the exact check", "method", "seconds", lines.iter().map(|line| line.data.label()))
            .log(),
    );
    for (place, (_, name)) in WAYS.into_iter().enumerate() {
        let cells = lines.iter().flat_map(|line| {
            let ours = line.times[place].map(|timed| timed.all());
            let left_out = takes_too_long(WAYS[place].0, line.data);
            [
                if left_out { LEFT_OUT.into() } else { Cell::from(ours) },
                Cell::from(line.printed.get(place).copied().flatten()),
            ]
        });
        table.row([Cell::from(name)].into_iter().chain(cells).collect::<Vec<_>>());
    }
    table
}

/// What the exact check costs, and what a count of all items does.
fn checks(lines: &[Line<'_>]) -> Table {
    let columns = [
        Column::text("data"),
        Column::time("to count all items"),
        Column::time("Dist, making"),
        Column::time("Dist, checking"),
        Column::count("Dist, rules checked"),
        Column::time("Mine, making"),
        Column::time("Mine, checking"),
        Column::count("Mine, rules checked"),
        Column::count("parts"),
    ];
    let mut table = Table::new("What the exact check takes, t_max = 7,000", columns);
    for line in lines {
        let (count, _) = clock::best(3, || std::hint::black_box(line.data.table.supports()));
        let of = |place: usize| {
            let timed = line.times[place].as_ref();
            let number = |value: fn(&Timed) -> f64| Cell::from(timed.map(value));
            [number(|timed| timed.making), number(|timed| timed.checking), number(|timed| timed.looked_at as f64)]
        };
        let parts = Cell::from(line.data.parts(OWN_T_MAX).ok());
        table.row(
            [Cell::from(line.data.label()), count.into()]
                .into_iter()
                .chain(OWN.into_iter().flat_map(of))
                .chain([parts]),
        );
    }
    table
}

fn compare(section: Section, lines: &[Line<'_>]) -> Section {
    compare_memory(compare_winner(section, lines), lines)
}

/// Whether the first of some times is the shortest; nothing if it is not there.
fn is_first(times: [Option<f64>; 4]) -> Option<bool> {
    let first = times[0]?;
    Some(times[1..].iter().flatten().all(|other| first < *other))
}

/// On how many of the paper's tables TDControl is faster than the others of Table 3.
fn compare_winner(section: Section, lines: &[Line<'_>]) -> Section {
    let ours = |line: &Line<'_>| is_first([0, 1, 2, 3].map(|place| line.times[place].map(|timed| timed.all())));
    let tried: Vec<&Line<'_>> =
        lines.iter().filter(|line| line.data.is_comparable() && line.times[0].is_some()).collect();
    if tried.is_empty() {
        return section;
    }
    let names = tried.iter().map(|line| line.data.label()).collect::<Vec<_>>().join(", ");
    let [own, papers] = [
        tried.iter().filter(|line| ours(line) == Some(true)).count(),
        tried.iter().filter(|line| is_first(line.printed) == Some(true)).count(),
    ];
    section.compare(
        format!("of the paper's tables on which TDControl was run here ({names}), it is the fastest in"),
        (own as f64, Unit::Count),
        &format!("{papers} by the numbers printed; \"the clear winner for two of the four datasets\""),
        own == papers,
        "Our Dist and Mine enumerate no subsets of records, which the paper calls the most time-consuming part of its own; our TDControl has to check every node of a taxonomy.",
    )
}

fn compare_memory(section: Section, lines: &[Line<'_>]) -> Section {
    let syn = lines.iter().find(|line| line.data.name == "Syn");
    let Some((line, global)) = syn.and_then(|line| Some((line, line.times[1]?))) else { return section };
    section.compare(
        format!("seconds of Global on {}", line.data.label()),
        (global.all(), Unit::Time),
        "N/A: \"it runs out of memory\"",
        false,
        &line.data.why(
            "Our Global searches closed sets of items and keeps none of them, where enumerated rules have to be stored.",
        ),
    )
}

/// Time over one to five fifths of Retail.
pub fn figure_4(setting: &Setting<'_>, retail: &Data) -> Result<Section> {
    let ways =
        [(DIST, "Dist"), (MINE, "Mine"), (DIST.parts(None), "Dist, undivided"), (MINE.parts(None), "Mine, undivided")];
    let times = ways.map(|(_, name)| Column::time(name));
    let columns = [Column::count("records"), Column::count("parts")].into_iter().chain(times);
    let names = ways.map(|(_, name)| name);
    let mut table = Table::new("", columns).chart(Chart::lines(
        "Seconds with the exact check, over records",
        "records",
        "seconds",
        names,
    ));
    let mut all: Vec<[f64; 4]> = Vec::new();
    for count in 1..=5 {
        setting.now(&format!("Figure 4: {count} of 5 parts of Retail"));
        let part = retail.fifths(count);
        let mut seconds = [0.0; 4];
        for (seconds, (way, _)) in seconds.iter_mut().zip(ways) {
            *seconds = part.suppress(way, RHO)?.timed.all();
        }
        all.push(seconds);
        let cells = [Cell::from(part.table.len()), Cell::from(part.parts(super::run::T_MAX)?)];
        table.row(cells.into_iter().chain(seconds.map(Cell::from)));
    }
    let section = Section::new("figure-4", "Figure 4: growth with the data, ρ = 0.7", retail.source.clone()).timing().words(
        "The first fifths of Retail; divided with the paper's t_max = 500, and undivided. Times include the exact check. Parts are made side by side on as many threads as there are, then the whole is looked through for what can be given back.",
    );
    compare_growth(section.table(table), retail, &all)
}

fn compare_growth(section: Section, retail: &Data, all: &[[f64; 4]]) -> Result<Section> {
    let (first, last) = (all[0], all[all.len() - 1]);
    let parts = retail.parts(super::run::T_MAX)?;
    let exponents: [f64; 4] = std::array::from_fn(|way| (last[way] / first[way]).ln() / 5f64.ln());
    let steepest = exponents.into_iter().fold(f64::MIN, f64::max);
    let mut section = section
        .compare(
            "parts of the whole at t_max = 500",
            (parts as f64, Unit::Count),
            "32 (4, 8 and 16 at 1/5, 2/5 and 3/5)",
            parts == 32,
            &retail.why("The estimate has 2 to the power of the mean length, and the paper does not say how records come into halves: divided by lot, as here, some halves fall below the limit one step later than others; divided in the order of the file, Retail falls into thousands of parts."),
        )
        .compare(
            "the highest power of the number of records with which time grows, of both methods, divided and undivided",
            (steepest, Unit::Number(2)),
            &format!("\"increases reasonably with the input data size\", read here as at most {REASONABLE}"),
            steepest <= REASONABLE,
            "Lists of records that share an item grow with the table, and each is looked up more often.",
        );
    if parts == 1 {
        return Ok(section.words(
            "This table is so small that it is one part whatever is taken of it: division cannot speed anything up.",
        ));
    }
    for (exponent, name) in exponents.into_iter().zip(["Dist", "Mine"]) {
        section = section.compare(
            format!("power of the number of records with which time grows, {name}, divided"),
            (exponent, Unit::Number(2)),
            "\"superlinear speedup\" as parts become more, read here as below 1",
            exponent < 1.0,
            "Ours enumerates no subsets of records, whose number division was meant to bound, so that division saves less; and in the end the whole is looked through for what can be given back.",
        );
    }
    Ok(section)
}
