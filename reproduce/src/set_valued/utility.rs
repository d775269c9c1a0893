//! Figures 1 to 3: what is lost, what becomes of the distribution of items, what becomes of rules.

use super::data::{Data, sources};
use super::grid::{
    ALL, PAPERS, RHOS, Row, RunFigures, WHOLE_DIST, at, cases, cells, comparable, exceptions, grid, heading, percent,
    table,
};
use super::run::{DIST, MINE, Way};
use crate::Setting;
use crate::page::{Cell, Column, Section, Table, Unit};
use sfumato::Result;
use sfumato::report::grouped;

/// What the paper says of Mine in Section 4.1, and the share of occurrences that is sensitive in
/// its Table 2.
const SAID_OF_MINE: [(&str, f64, f64); 2] =
    [("WV", 0.26, 137_605.0 / 358_278.0), ("Retail", 0.35, 340_462.0 / 908_576.0)];
/// How far "about 26 %" reaches, in percentage points.
const ABOUT: f64 = 0.015;

/// Every way on whole records, at both ρ: what Figures 1 and 2 are drawn from.
pub fn whole_records<'a>(setting: &Setting<'_>, all: &'a [Data]) -> Result<Vec<Row<'a>>> {
    grid(setting, all, &ALL, "Figures 1 and 2")
}

/// Figures 1 to 3: of whole records, and of cut ones.
pub fn figures(setting: &Setting<'_>, all: &[Data], whole: &[Row<'_>], cut: &[Data]) -> Result<Vec<Section>> {
    let cut = grid(setting, cut, &[&PAPERS[..], &[Way::Permutation]].concat(), "Figure 3, cutoff = 5")?;
    Ok(vec![
        figure_1(setting, all, whole),
        draws(setting, all)?,
        figure_2(all, whole),
        figure_3(all, &cut),
        figure_3_whole(all, whole),
    ])
}

/// The part of words that every section about ways shares.
const HOW: &str = "One release for each table, method and ρ, with the paper's t_max = 500 and b_max = 10⁶ for Mine and Dist; every release was checked by the exact criterion, for attackers who know anything, before it was measured. \
                   TDControl and Global are our own programs after Cao et al.; the paper ran theirs. Permutation, and Mine and Dist without division into parts, are ours besides. \
                   POS and Syn are made with at most 20,000 records here, because every method runs several times.";

fn figure_1(setting: &Setting<'_>, all: &[Data], rows: &[Row<'_>]) -> Section {
    let mut section = Section::new("figure-1", "Figure 1: information loss", sources(all)).words(HOW).words(
        "Information loss is the paper's equation (2), the share of all occurrences of items that are not published as themselves; an item that TDControl makes coarser is lost by that definition, and kept in the column besides. \
         \"At least\" is proven: whatever method deletes, no table with fewer deletions is safe. Permutation need not keep to it, because it separates sensitive items from records instead of deleting them; nor does what is made coarser.",
    );
    for (rho, letter) in RHOS.into_iter().zip(["a", "b"]) {
        let title = format!("({letter}) ρ = {}", rho.to_f64());
        let mut losses = table(title, "share of occurrences deleted", &ALL, |name| Column::share(name, 1), false);
        losses.columns.extend(["at least", "TDControl, coarser kept"].map(|name| Column::share(name, 1)));
        for row in at(rows, rho) {
            setting.now(&format!("Figure 1: the bound for {} at ρ = {}", row.data.name, rho.to_f64()));
            let mut cells = cells(row, &ALL, |way| row.of(way).map(|outcome| outcome.lost));
            let kept = row.of(Way::TdControl).map(|outcome| outcome.deleted);
            cells.extend([row.data.least_deleted(rho).into(), kept.into()]);
            losses.row(cells);
        }
        section = section.table(losses);
    }
    section = section.table(what_is_deleted(rows));
    compare_losses(compare_mine(section, rows), rows)
}

/// Of which items deletions are, at ρ = 0.7.
fn what_is_deleted(rows: &[Row<'_>]) -> Table {
    let of = ["sensitive", "others"].map(|what| move |row: &Row<'_>| format!("{}, {what}", row.data.label()));
    let columns = at(rows, RHOS[1]).flat_map(|row| of.map(|name| Column::share(name(row), 1)));
    let title = "ρ = 0.7: which share of the sensitive items is deleted, and of the others (what is made coarser counts as kept)";
    let mut table = Table::new(title, [Column::text("method")].into_iter().chain(columns));
    for way in ALL {
        let shares = at(rows, RHOS[1]).flat_map(|row| {
            let outcome = row.of(way);
            [outcome.map(|outcome| outcome.of_sensitive), outcome.map(|outcome| outcome.of_others)]
        });
        table.row([Cell::from(heading(way))].into_iter().chain(shares.map(Cell::from)).collect::<Vec<_>>());
    }
    table
}

fn compare_mine(mut section: Section, rows: &[Row<'_>]) -> Section {
    for (name, said, papers) in SAID_OF_MINE {
        for row in comparable(rows).into_iter().filter(|row| row.data.name == name) {
            let Some(outcome) = row.of(MINE) else { continue };
            let own = row.data.sensitive_share();
            let why = format!(
                "Of all occurrences {} are sensitive in the paper's draw and {} in ours, for which about {} becomes {}; the rest is unexplained.",
                shown(papers, 1),
                shown(own, 1),
                shown(said, 0),
                shown(said * own / papers, 1)
            );
            section = section.compare(
                format!("deleted by Mine from {}", row.case()),
                (outcome.deleted, Unit::Share(1)),
                &format!("about {}, ρ not stated", shown(said, 0)),
                (outcome.deleted - said).abs() <= ABOUT,
                &row.data.why(&why),
            );
        }
    }
    section
}

/// A share as a percentage.
fn shown(share: f64, decimals: usize) -> String {
    Unit::Share(decimals).show(share)
}

fn compare_losses(section: Section, rows: &[Row<'_>]) -> Section {
    let rows = comparable(rows);
    let lost = |row: &Row<'_>, way: Way| row.of(way).map(|outcome| outcome.lost);
    let peers = |row: &Row<'_>| [Way::TdControl, Way::Global, DIST].map(|way| lost(row, way));
    let others = exceptions(&rows, MINE, |outcome| outcome.lost);
    let more = |row: &&Row<'_>| {
        let mine = lost(row, MINE);
        peers(row).into_iter().filter_map(move |peer| Some(peer? - mine?))
    };
    let more: Vec<f64> = rows.iter().flat_map(more).collect();
    let mean = more.iter().sum::<f64>() / more.len().max(1) as f64;
    let worst = rows.iter().flat_map(|row| peers(row)).flatten().fold(0.0, f64::max);
    let both: Vec<(f64, f64)> = rows.iter().filter_map(|row| lost(row, DIST).zip(lost(row, Way::Global))).collect();
    let worse = both.iter().filter(|(dist, global)| dist > global).count();
    let cases = cases(&rows);
    section
        .compare(
            format!("of {cases}, Mine deletes least in"),
            ((rows.len() - others.len()) as f64, Unit::Count),
            "\"Mine is uniformly better\"",
            others.is_empty(),
            &format!("Another method deletes less in {}; TDControl and Global are not the programs that the paper ran.", others.join(", ")),
        )
        .compare(
            format!("what TDControl, Global and Dist delete more than Mine, in the mean of {cases}"),
            (mean, Unit::Share(1)),
            "\"on average 10% more losses\"",
            (mean - 0.1).abs() <= 0.025,
            "By equation (2) all that our TDControl makes coarser is lost, which weighs much in this mean; and the paper's has POS, and lacks the runs that did not end within two hours.",
        )
        .compare(
            "the most that one of them deletes",
            (worst, Unit::Share(1)),
            "\"up to 75% losses in the worst case\"",
            (worst - 0.75).abs() <= 0.025,
            "The paper does not tell of which method and table that is, nor whether what TDControl makes coarser counts as lost there, as it does here.",
        )
        .compare(
            format!("of {} such cases with releases of both, Dist deletes more than Global in", both.len()),
            (worse as f64, Unit::Count),
            "\"Dist performs worse than Global\"",
            worse == both.len(),
            "In the other cases an even loss of all kinds is below that of the sensitive kinds that our Global deletes whole.",
        )
}

/// What Mine deletes if other items are sensitive.
fn draws(setting: &Setting<'_>, all: &[Data]) -> Result<Section> {
    let tables = || all.iter().filter(|data| SAID_OF_MINE.iter().any(|(name, ..)| *name == data.name));
    let columns = tables().flat_map(|data| {
        let label = data.label();
        [
            Column::share(format!("{label}, sensitive"), 1),
            Column::share(format!("{label}, deleted"), 1),
            Column::number(format!("{label}, deleted per sensitive"), 3),
        ]
    });
    let mut table = Table::new("", [Column::count("draw")].into_iter().chain(columns));
    for seed in 1..=setting.pick(2, 5) {
        setting.now(&format!("Figure 1: draw {seed} of the sensitive items"));
        let mut cells = vec![Cell::from(seed as usize)];
        for data in tables() {
            let drawn = data.drawn_anew(seed)?;
            let deleted = drawn.suppress(MINE, RHOS[1])?.deleted()?;
            let sensitive = drawn.sensitive_share();
            cells.extend([sensitive, deleted, deleted / sensitive].map(Cell::from));
        }
        table.row(cells);
    }
    let title = "Section 4.1: information loss for other draws of the sensitive items";
    Ok(Section::new("section-4-1-draws", title, sources(tables())).words(
        "The paper draws 40 % of the kinds of items once and does not tell which. Here they are drawn anew, with seeds, and Mine is run as for Figure 1(b): the share of all occurrences that is sensitive, \
         the share that Mine deletes, and the one over the other. How much a draw matters bounds how far two papers on the same table can agree.",
    ).table(table))
}

fn figure_2(all: &[Data], rows: &[Row<'_>]) -> Section {
    let mut section =
        Section::new("figure-2", "Figure 2: symmetric divergence of the frequencies of items", sources(all)).words(
            "The releases of Figure 1. ½·KL(T‖M) + ½·KL(T'‖M) with T and T' the shares of items in all occurrences, before and after, and M their mean; a coarser item's share is divided equally among the items that it stands for.",
        );
    for (rho, letter) in RHOS.into_iter().zip(["a", "b"]) {
        let title = format!("({letter}) ρ = {}", rho.to_f64());
        let mut kept = table(title, "symmetric divergence", &ALL, |name| Column::number(name, 5), true);
        at(rows, rho).for_each(|row| kept.row(cells(row, &ALL, |way| row.of(way).map(|outcome| outcome.symmetric_kl))));
        section = section.table(kept);
    }
    compare_divergence(section, rows)
}

fn compare_divergence(mut section: Section, rows: &[Row<'_>]) -> Section {
    let rows = comparable(rows);
    let cases = cases(&rows);
    let nearer = exceptions(&rows, DIST, |outcome| outcome.symmetric_kl);
    let further = exceptions(&rows, Way::TdControl, |outcome| -outcome.symmetric_kl);
    section = section
        .compare(
            format!("of {cases}, Dist is nearest to the original in"),
            ((rows.len() - nearer.len()) as f64, Unit::Count),
            "\"Dist outperforms the peers\"",
            nearer.is_empty(),
            &format!("Another method is nearer in {}.", nearer.join(", ")),
        )
        .compare(
            format!("of {cases}, TDControl is furthest from the original in"),
            ((rows.len() - further.len()) as f64, Unit::Count),
            "\"TDControl is the worst performer\"",
            further.is_empty(),
            &format!("Another method is further in {}: a coarser item's share falls equally on the items below it here, so that TDControl loses little but the sensitive kinds that it deletes, as Global does.", further.join(", ")),
        );
    for row in rows {
        let [Some(global), Some(dist), Some(whole)] = [Way::Global, DIST, WHOLE_DIST].map(|way| row.of(way)) else {
            continue;
        };
        let below = |outcome: RunFigures| (global.symmetric_kl / outcome.symmetric_kl).log10();
        let why = format!(
            "Of a rare kind no even share can be left: {} of {} kinds of items are gone whole here, and undivided, where it is {:.1}, {} are.",
            grouped(dist.kinds_gone),
            grouped(row.data.kinds()),
            below(whole),
            grouped(whole.kinds_gone)
        );
        section = section.compare(
            format!("Dist below Global on {}, in powers of ten", row.case()),
            (below(dist), Unit::Number(1)),
            "\"two or three orders of magnitude\", ρ and table not stated",
            (1.5..3.5).contains(&below(dist)),
            &row.data.why(&why),
        );
    }
    section
}

fn figure_3(all: &[Data], rows: &[Row<'_>]) -> Section {
    let ways = [&PAPERS[..], &[Way::Permutation]].concat();
    let section = Section::new("figure-3", "Figure 3: association rules, records cut to five items", sources(all)).words(
        "Every record was cut to the five items that its line in the file begins with, and releases made of that; made-up records have no such order and keep the five items with the lowest numbers. Rules between items that are not sensitive, with support 0.05 % (0.5 % in tables of less than 10,000 records): those of both tables over those of either. \
         A rule of TDControl with coarser items stands for every rule between the items below. Where a table has no such rule there is nothing to compare.",
    );
    compare_rules(similarities(section, rows, &ways), rows)
}

fn figure_3_whole(all: &[Data], rows: &[Row<'_>]) -> Section {
    let section = Section::new("figure-3-whole", "Figure 3 on whole records", sources(all))
        .words("As before for the releases of Figure 1: records are not cut. The paper has no such figure.");
    similarities(section, rows, &ALL)
}

fn similarities(mut section: Section, rows: &[Row<'_>], ways: &[Way]) -> Section {
    for rho in RHOS {
        for confidence in 0..2 {
            let title = format!("ρ = {}, rules with confidence {}", rho.to_f64(), percent(confidence));
            let mut kept = table(title, "Jaccard similarity", ways, |name| Column::number(name, 3), false);
            kept.columns.push(Column::count("rules before"));
            for row in at(rows, rho) {
                let mut cells = cells(row, ways, |way| row.similarity(way, confidence));
                cells.push(row.rules[confidence].into());
                kept.row(cells);
            }
            section = section.table(kept);
        }
    }
    section
}

/// What the paper says of rules, beside the case of ours that is the furthest from it.
struct Claim<'a> {
    what: &'a str,
    found: Option<Found>,
    unit: Unit,
    paper: &'a str,
    agrees: fn(f64) -> bool,
    why: &'a str,
}

/// A value for the rules of one table, ρ and confidence.
struct Found {
    value: f64,
    case: String,
}

/// A value for every case that can be compared and has rules.
fn each(rows: &[&Row<'_>], value: impl Fn(&Row<'_>, usize) -> Option<f64>) -> Vec<Found> {
    let found = |row: &Row<'_>, at: usize| {
        let case = format!("{}, confidence {}: {} rules", row.case(), percent(at), Unit::Count.show(row.rules[at]));
        Some(Found { value: value(row, at).filter(|value| value.is_finite())?, case })
    };
    rows.iter().flat_map(|row| [found(row, 0), found(row, 1)]).flatten().collect()
}

fn most(found: Vec<Found>) -> Option<Found> {
    found.into_iter().max_by(|one, other| one.value.total_cmp(&other.value))
}

fn least(found: Vec<Found>) -> Option<Found> {
    found.into_iter().min_by(|one, other| one.value.total_cmp(&other.value))
}

fn compare_rules(mut section: Section, rows: &[Row<'_>]) -> Section {
    let rows = comparable(rows);
    let kept = |way: Way| each(&rows, |row, at| row.rules_kept(way, at));
    let leads = each(&rows, |row, at| Some(row.similarity(MINE, at)? - row.similarity(DIST, at)?));
    let ahead = leads.iter().filter(|lead| lead.value >= 0.0).count();
    let behind =
        format!("Mine is ahead or even in {ahead} of {} cases; why not in the others is unexplained.", leads.len());
    let claims = [
        Claim {
            what: "the most original rules left by Global",
            found: most(kept(Way::Global)),
            unit: Unit::Share(1),
            paper: "\"negligible number of original rules\"",
            agrees: |kept| kept <= 0.05,
            why: "Only rules without sensitive items count. Our Global never deletes more than all sensitive items, and where it deletes those alone every such rule stays; the program of Cao et al. must have deleted others.",
        },
        Claim {
            what: "the most left by TDControl, its rules made specific",
            found: most(kept(Way::TdControl)),
            unit: Unit::Share(1),
            paper: "\"negligible number of original rules\"",
            agrees: |kept| kept <= 0.05,
            why: "Our TDControl deletes sensitive kinds where that pays more than coarser items do, and then refines its cut down to single items.",
        },
        Claim {
            what: "the fewest left by Mine",
            found: least(kept(MINE)),
            unit: Unit::Share(1),
            paper: "\"retain most of the rules\"",
            agrees: |kept| kept > 0.5,
            why: "Of short records one item is much, and a rule that barely has its support is lost with the first deletions.",
        },
        Claim {
            what: "the fewest left by Dist",
            found: least(kept(DIST)),
            unit: Unit::Share(1),
            paper: "\"retain most of the rules\"",
            agrees: |kept| kept > 0.5,
            why: "Our Dist deletes from other kinds as large a share as sensitive ones lose, so that shares stay; support is lost with that, and rules are.",
        },
        Claim {
            what: "the highest similarity by Mine",
            found: most(each(&rows, |row, at| row.similarity(MINE, at))),
            unit: Unit::Share(0),
            paper: "\"reaches 80% in some datasets\"",
            agrees: |similarity| similarity >= 0.8,
            why: "The paper names neither the tables nor the confidence.",
        },
        Claim {
            what: "similarity by Mine less that by Dist, the least",
            found: least(leads),
            unit: Unit::Number(3),
            paper: "\"Mine performs the best among partial algorithms\"",
            agrees: |lead| lead >= 0.0,
            why: &behind,
        },
    ];
    for Claim { what, found, unit, paper, agrees, why } in claims {
        let Some(Found { value, case }) = found else { continue };
        section = section.compare(format!("{what} ({case})"), (value, unit), paper, agrees(value), why);
    }
    section
}
