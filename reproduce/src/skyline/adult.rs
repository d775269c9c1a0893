//! Section 7.3: what a (3, 6)-diverse release of Adult withstands, and how many people are within
//! reach of somebody who knows a little more.

use super::{Knowledge, PRIORITIES, form::form, point};
use crate::Setting;
use crate::adult::Adult;
use crate::page::{Cell, Chart, Column, Filled, Section, Table, Unit};
use sfumato::Result;
use sfumato::audit::audit_groups;
use sfumato::candidate::Groups;
use sfumato::criterion::{Budget, Requirement};
use sfumato::data::{Schema, Table as Records};
use sfumato::exact::Fraction;
use sfumato::explore::{Explorer, Exposed, Values};
use sfumato::kind::Raw;
use std::collections::BTreeMap;
use std::path::Path;

const QUASI: [&str; 7] = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"];
const SENSITIVE: &str = "occupation";
const VALUE: &str = "Exec-managerial";

/// What the paper prints: skyline points of its candidate for Exec-managerial at 95 %.
const PRINTED: [Knowledge; 7] = [(0, 4, 0), (1, 3, 1), (2, 2, 2), (3, 1, 2), (2, 1, 3), (4, 0, 3), (3, 0, 4)];

/// Why our points are not the printed ones.
const OTHER_GROUPS: &str = "the paper names neither the quasi-identifiers nor the order in which its algorithm tries \
                            cuts, and points depend on the groups that come of it";

fn confidence() -> Fraction {
    Fraction::new(95, 100)
}

/// A diverse release and what is found about the value in it.
struct Release<'a> {
    priority: &'static str,
    groups: &'a Groups,
    explorer: Explorer<'a>,
    points: Vec<Budget>,
    is_diverse: bool,
}

pub fn sections(setting: &Setting<'_>) -> Result<Vec<Section>> {
    let adult = Adult::load(setting)?;
    setting.now("diverse releases of Adult");
    let schema = Schema::of(&QUASI, &[SENSITIVE]);
    let table = &*schema.prepare(&adult.table)?;
    let formed: Vec<Groups> =
        PRIORITIES.iter().map(|priority| diverse_groups(table, &schema, priority)).collect::<Result<_>>()?;
    let releases: Vec<Release<'_>> = PRIORITIES
        .into_iter()
        .zip(&formed)
        .map(|(priority, groups)| Release::new(table, &schema, priority, groups))
        .collect::<Result<_>>()?;
    setting.now("people within reach");
    Ok(vec![case_study(&adult, &releases), exposure(&adult, table, &releases)?])
}

/// Groups of a (3, 6)-diverse release, which is the skyline point (4, 0, 0) at 75 % for every value
/// (Proposition 4).
fn diverse_groups(table: &Records, schema: &Schema, priority: &str) -> Result<Groups> {
    let criterion = point((4, 0, 0), "0.75");
    Ok(form(table, schema, &criterion, "skyline-anonymize", &[("priority", priority)])?.groups)
}

impl<'a> Release<'a> {
    fn new(table: &'a Records, schema: &Schema, priority: &'static str, groups: &'a Groups) -> Result<Release<'a>> {
        let written = [("c", Raw::from("3")), ("l", Raw::from("6"))];
        let diverse = Requirement::new("recursive-cl-diversity", &written, &[], schema)?;
        let is_diverse = audit_groups(table, schema, groups, &[diverse], Path::new("."))?.holds();
        let explorer = Explorer::new(table, groups, SENSITIVE, Values::One, VALUE)?;
        let points = explorer.skyline(confidence());
        Ok(Release { priority, groups, explorer, points, is_diverse })
    }

    fn belief(&self, knowledge: Knowledge) -> f64 {
        self.explorer.breach(budget(knowledge)).map_or(0.0, |breach| breach.belief)
    }

    /// The most others that may be known with nothing else; nothing if even none is too many.
    fn most_others(&self) -> Option<u64> {
        self.explorer.surface(confidence()).largest(0, 0)
    }

    fn place(&self, knowledge: Knowledge) -> &'static str {
        let budget = budget(knowledge);
        match (self.points.contains(&budget), self.explorer.is_safe(budget, confidence())) {
            (true, _) => "on the skyline",
            (false, true) => "below it",
            (false, false) => "beyond it",
        }
    }

    fn exposed(&self, knowledge: Knowledge) -> Exposed {
        self.explorer.exposed(budget(knowledge), confidence())
    }
}

fn budget((l, k, m): Knowledge) -> Budget {
    Budget::new(l as u64, k as u64, m as u64)
}

// The skyline.

fn case_study(adult: &Adult, releases: &[Release<'_>]) -> Section {
    let title = "Section 7.3: the skyline of a (3, 6)-diverse release";
    let section = Section::new("section-7-3", title, adult.source.clone())
        .words(format!(
            "SkylineAnonymize with the point (4, 0, 0) at 75 % for every occupation, which is recursive (3, 6)-diversity. Quasi-identifiers: {}. The release is explored for {VALUE} at 95 %: (l, k, m) is safe if nobody who can rule out l occupations, knows those of k others and m of the family reaches that belief.",
            QUASI.join(", ")
        ))
        .table(summaries(releases))
        .table(printed_points(releases));
    releases.iter().fold(section, compare_points)
}

fn summaries(releases: &[Release<'_>]) -> Table {
    let point = |point: &Budget| format!("({}, {}, {})", point.l, point.k, point.m);
    let columns: [Filled<'_, &Release<'_>>; 6] = [
        (Column::text("cuts tried first"), &|release| release.priority.into()),
        (Column::count("groups"), &|release| release.groups.len().into()),
        (Column::text("(3, 6)-diverse"), &|release| if release.is_diverse { "yes" } else { "no" }.into()),
        (Column::share("belief at (4, 0, 0)", 1), &|release| release.belief((4, 0, 0)).into()),
        (Column::count("others that may be known"), &|release| release.most_others().into()),
        (Column::text("skyline points"), &|release| {
            release.points.iter().map(point).collect::<Vec<String>>().join(", ").into()
        }),
    ];
    Table::of("Releases", releases, columns)
}

fn printed_points(releases: &[Release<'_>]) -> Table {
    let of_release = |release: &Release<'_>| {
        [Column::text(release.priority), Column::share(format!("{}: belief", release.priority), 1)]
    };
    let columns = [Column::text("printed point").printed()].into_iter().chain(releases.iter().flat_map(of_release));
    let mut table = Table::new("Where the printed points are in our releases", columns);
    for point in PRINTED {
        let cells = releases.iter().flat_map(|release| [release.place(point).into(), release.belief(point).into()]);
        table.row([Cell::from(format!("{point:?}"))].into_iter().chain(cells));
    }
    table
}

fn compare_points(section: Section, release: &Release<'_>) -> Section {
    let cuts = release.priority;
    let most = release.most_others();
    let common = PRINTED.iter().filter(|point| release.points.contains(&budget(**point))).count();
    let five = release.belief((0, 5, 0));
    section
        .compare(
            format!("{cuts}: others that may be known, with nothing else"),
            (most.unwrap_or(0) as f64, Unit::Count),
            "4, from the point (0, 4, 0)",
            most == Some(4),
            OTHER_GROUPS,
        )
        .compare(
            format!("{cuts}: belief of somebody who knows five others"),
            (five, Unit::Share(1)),
            "“confidence at least 95%”",
            five >= 0.95,
            OTHER_GROUPS,
        )
        .compare(
            format!("{cuts}: printed points that are on our skyline of {}", release.points.len()),
            (common as f64, Unit::Count),
            "all of 7",
            common == PRINTED.len(),
            OTHER_GROUPS,
        )
}

// People within reach.

/// How many others are known at most in the picture.
const MOST_OTHERS: usize = 30;

fn exposure(adult: &Adult, table: &Records, releases: &[Release<'_>]) -> Result<Section> {
    let title = "Section 7.3: how many people a little knowledge reaches";
    let reach = releases.iter().map(|release| Reach::new(table, release)).collect::<Result<Vec<_>>>()?;
    let section = Section::new("section-7-3-exposed", title, adult.source.clone())
        .words(format!(
            "The paper says that the skyline is not just a worst case, since an attacker can find it with the same tool, but not how many people it is about. For each amount of knowledge: the groups in which it is enough to believe by 95 % or more that somebody is {VALUE}, and the people in them. Each needs its own inquiry: others that are known are in the target's group, or in that of the family."
        ))
        .table(by_knowledge(releases))
        .table(by_others(releases, &reach));
    Ok(section)
}

/// The printed points, what is just beyond them, and what is just beyond our own.
fn by_knowledge(releases: &[Release<'_>]) -> Table {
    let of_release =
        |release: &Release<'_>| ["groups", "people"].map(|what| Column::count(format!("{}: {what}", release.priority)));
    let first = [Column::text("known (l, k, m)"), Column::text("what it is")];
    let columns = first.into_iter().chain(releases.iter().flat_map(of_release));
    let mut table = Table::new("Within reach of 95 %", columns);
    let mut beyond: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for release in releases {
        if let Some(most) = release.most_others() {
            beyond.entry(most as usize + 1).or_default().push(release.priority);
        }
    }
    let own = beyond.into_iter().map(|(k, cuts)| ((0, k, 0), format!("just beyond our skyline ({})", cuts.join(", "))));
    let printed = PRINTED.into_iter().flat_map(|(l, k, m)| {
        [((l, k, m), "printed point".to_string()), ((l, k + 1, m), format!("one other more than ({l}, {k}, {m})"))]
    });
    let mut rows: Vec<(Knowledge, String)> = Vec::new();
    for (knowledge, what) in own.chain(printed) {
        match rows.iter_mut().find(|row| row.0 == knowledge) {
            Some((_, known)) => *known += &format!("; {what}"),
            None => rows.push((knowledge, what)),
        }
    }
    for (knowledge, what) in rows {
        let cells = releases.iter().flat_map(|release| {
            let Exposed { groups, people } = release.exposed(knowledge);
            [groups, people].map(|count| Cell::from(count as usize))
        });
        table.row([format!("{knowledge:?}").into(), what.into()].into_iter().chain(cells));
    }
    table
}

/// By how many others are known: the people in groups where that is enough, and how many of them
/// have the value.
struct Reach(Vec<(usize, usize)>);

impl Reach {
    /// Without a family a group is as much exposed alone as beside others: so that those who have
    /// the value can be counted.
    fn new(table: &Records, release: &Release<'_>) -> Result<Reach> {
        let column = table.column(SENSITIVE)?;
        let code = column.domain().code(VALUE);
        let mut reach = vec![(0, 0); MOST_OTHERS + 1];
        for group in 0..release.groups.len() {
            let rows = release.groups.rows(group);
            let holders = rows.iter().filter(|&&row| Some(column.codes()[row as usize]) == code).count();
            let alone = Groups::of_lists(&[rows.to_vec()]);
            let explorer = Explorer::new(table, &alone, SENSITIVE, Values::One, VALUE)?;
            let is_enough = |known: &usize| !explorer.is_safe(budget((0, *known, 0)), confidence());
            let least = (0..=MOST_OTHERS).find(is_enough).unwrap_or(MOST_OTHERS + 1);
            for (people, having) in &mut reach[least..] {
                *people += rows.len();
                *having += holders;
            }
        }
        Ok(Reach(reach))
    }
}

fn by_others(releases: &[Release<'_>], reach: &[Reach]) -> Table {
    let people = |release: &Release<'_>| format!("{}: people", release.priority);
    let of_release = |release: &Release<'_>| {
        [Column::count(people(release)), Column::count(format!("{}: {VALUE}", release.priority))]
    };
    let columns = [Column::count("others known")].into_iter().chain(releases.iter().flat_map(of_release));
    let chart = Chart::lines(
        "People in groups where a few others known are enough",
        "others known",
        "people",
        releases.iter().map(people),
    );
    let mut table = Table::new("By how many others are known, and nothing else", columns).chart(chart);
    for known in 0..=MOST_OTHERS {
        let cells = reach.iter().flat_map(|reach| [reach.0[known].0, reach.0[known].1].map(Cell::from));
        table.row([Cell::from(known)].into_iter().chain(cells));
    }
    table
}
