//! What every page keeps to: the pages behind the documents, and those of a run
//! (`SFUMATO_PAGES=DIR`).

use sfumato_reproduce::page::{Cell, Page, Section, Shape, Table};
use sfumato_reproduce::{Documents, SUBJECTS};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The figures and tables that each paper's page has, by the beginning of their names.
const FIGURES: [(&str, &[&str]); 5] = [
    (
        "l-diversity",
        &[
            "figure-9",
            "figure-10",
            "figure-11",
            "figure-12",
            "figure-13",
            "figure-15",
            "figure-16",
            "figure-17",
            "figure-18",
            "figure-19",
            "figure-20",
        ],
    ),
    (
        "minimality",
        &[
            "figure-3a",
            "figure-3b",
            "figure-3c",
            "figure-3d",
            "figure-4a",
            "figure-4b",
            "figure-4c",
            "figure-4d",
            "figure-5a",
            "figure-5b",
            "figure-5c",
            "figure-5d",
        ],
    ),
    ("skyline", &["figure-7a", "figure-7b", "figure-7c", "figure-7d", "figure-8", "section-7-3"]),
    ("skewed", &["figure-5", "figure-6", "figure-7", "figure-8a", "figure-8b", "eligibility-attack"]),
    ("set-valued", &["figure-1", "figure-2", "figure-3", "figure-4", "figure-5", "figure-6", "figure-7", "table-3"]),
];

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

fn read(folder: &Path) -> Vec<Page> {
    let page = |name: &str| {
        let path = folder.join(format!("{name}.json"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Page::from_json(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    SUBJECTS.iter().map(|subject| page(subject.name)).collect()
}

/// The pages behind the documents, and those of a run if there is one.
fn pages() -> Vec<Page> {
    let run = std::env::var_os("SFUMATO_PAGES").map(|folder| read(Path::new(&folder)));
    run.into_iter().flatten().chain(read(&docs().join("reproduction"))).collect()
}

#[test]
fn documents_are_what_their_records_say() {
    let documents = Documents::open(&docs()).unwrap();
    let mut expected = BTreeSet::new();
    for (path, text) in documents.files() {
        let written = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(written == text, "{} is not what `sfumato-reproduce --docs docs` writes", path.display());
        expected.insert(path);
    }
    for entry in std::fs::read_dir(docs().join("reproduction")).unwrap() {
        let path = entry.unwrap().path();
        assert!(expected.contains(&path), "{} belongs to no page", path.display());
    }
}

#[test]
fn the_documents_are_of_whole_runs_on_real_data() {
    for page in read(&docs().join("reproduction")) {
        assert!(!page.quick, "{}", page.command);
        assert!(page.command.contains("--data"), "{}", page.command);
    }
}

#[test]
fn every_figure_of_the_papers_is_there() {
    for page in pages() {
        let Some((_, figures)) = FIGURES.iter().find(|(name, _)| *name == page.subject) else { continue };
        for figure in *figures {
            let section = page.sections.iter().find(|section| section.id == *figure);
            let section = section.unwrap_or_else(|| panic!("{} has no {figure}", page.subject));
            assert!(section.tables.iter().any(|table| !table.rows.is_empty()), "{} {figure} is empty", page.subject);
        }
        let has_pictures = page.pictures().len();
        assert!(has_pictures >= figures.len() / 2, "{} has {has_pictures} pictures", page.subject);
        assert!(page.compared().next().is_some(), "{} stands beside nothing", page.subject);
    }
}

#[test]
fn what_differs_has_a_reason_and_what_agrees_has_none() {
    for page in pages() {
        for (section, one) in page.compared() {
            let why = one.why.as_deref();
            assert_eq!(one.agrees, why.is_none(), "{} {}: {}", page.subject, section.id, one.what);
            assert!(
                why.is_none_or(|why| why.len() > 30 && why.ends_with('.')),
                "{} {}: {why:?}",
                page.subject,
                section.id
            );
            assert!(one.ours.is_finite() && !one.beside.is_empty(), "{} {}: {}", page.subject, section.id, one.what);
        }
    }
}

#[test]
fn what_is_computed_in_two_ways_agrees() {
    for page in pages() {
        for section in &page.sections {
            for one in &section.verified {
                assert!(one.agrees, "{} {}: {} is not {}", page.subject, section.id, one.what, one.beside);
            }
        }
    }
}

#[test]
fn sections_are_told_apart_and_tables_are_whole() {
    for page in pages() {
        let ids: BTreeSet<&str> = page.sections.iter().map(|section| section.id.as_str()).collect();
        assert_eq!(ids.len(), page.sections.len(), "{}", page.subject);
        for section in &page.sections {
            assert!(!section.title.is_empty() && !section.data.name.is_empty(), "{}", section.id);
            section.tables.iter().for_each(|table| check_table(&page, section, table));
        }
    }
}

fn check_table(page: &Page, section: &Section, table: &Table) {
    let place = format!("{} {} {}", page.subject, section.id, table.title);
    let names: BTreeSet<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names.len(), table.columns.len(), "{place}: two columns have one name");
    for row in &table.rows {
        assert_eq!(row.len(), table.columns.len(), "{place}");
    }
    let Some(chart) = &table.chart else { return };
    for name in chart.series.iter().chain([&chart.across]) {
        assert!(names.contains(name.as_str()), "{place}: the picture shows {name}, which is not there");
    }
    let column = |name: &str| table.columns.iter().position(|column| column.name == name).unwrap();
    for name in &chart.series {
        let drawn = table.rows.iter().any(|row| matches!(row[column(name)], Cell::Number(_)));
        assert!(drawn, "{place}: the picture has nothing of {name}");
        let unit = |name: &str| std::mem::discriminant(&table.columns[column(name)].unit);
        assert_eq!(unit(name), unit(&chart.series[0]), "{place}: {name} has another unit");
    }
    assert!(chart.shape == Shape::Bars || table.rows.len() > 1 || page.quick, "{place}: a line of one point");
}

#[test]
fn subjects_are_told_apart_and_described() {
    let names: BTreeSet<&str> = SUBJECTS.iter().map(|subject| subject.name).collect();
    assert_eq!(names.len(), SUBJECTS.len());
    for subject in SUBJECTS {
        for text in [subject.title, subject.summary, subject.reference] {
            assert!(text.len() > 10, "{}", subject.name);
        }
        assert!(subject.needs.iter().all(|need| !need.from.is_empty() && !need.file.starts_with('/')));
    }
}
