//! l-Diversity (Machanavajjhala et al. 2007): homogeneity attacks on k-anonymous tables, what a
//! search for diverse tables costs, and what diverse tables are worth.

mod claims;
mod divergence;
mod homogeneity;
mod lands_end;
mod study;
mod times;
mod utility;

use crate::adult::{self, Adult};
use crate::page::{Section, Source, Unit};
use crate::subject::Subject;
use crate::{Setting, files};
use sfumato::Result;
use sfumato::data::hierarchy::Rule;
use sfumato::data::{Column, Table};
use std::sync::Arc;
use study::Rules;

pub const SUBJECT: Subject = Subject {
    name: "l-diversity",
    title: "l-Diversity: Privacy Beyond k-Anonymity",
    summary: "Homogeneity attacks on every minimal k-anonymous table, the time to find all diverse tables, and their utility by four metrics (Figures 9 to 20)",
    reference: "Ashwin Machanavajjhala, Daniel Kifer, Johannes Gehrke and Muthuramakrishnan Venkitasubramaniam: \
                l-Diversity: Privacy Beyond k-Anonymity. ACM Transactions on Knowledge Discovery from Data 1(1), \
                Article 3, 2007",
    needs: &files::ADULT,
    experiments,
};

/// The attributes of the paper's Figure 7, in its order.
const ADULT: [&str; 8] = ["age", "sex", "race", "marital-status", "education", "native-country", "workclass", "salary"];

/// The quasi-identifiers of Figures 15 to 20, as the paper names them and as the file does.
const QUASI: [(&str, &[&str]); 4] = [
    ("{age, gender, race}", &["age", "sex", "race"]),
    ("{age, gender, race, marital status}", &["age", "sex", "race", "marital-status"]),
    ("{age, gender, race, marital status, education}", &["age", "sex", "race", "marital-status", "education"]),
    (
        "{age, gender, race, marital status, education, work class, native country}",
        &["age", "sex", "race", "marital-status", "education", "workclass", "native-country"],
    ),
];

/// The values of k and l in Figures 15 to 20.
const LEVELS: [usize; 5] = [2, 4, 6, 8, 10];

fn experiments(setting: &Setting<'_>) -> Result<Vec<Section>> {
    let people = Adult::load(setting)?;
    let sales = lands_end::Sales::make(setting);
    let samples = Samples::draw(&people, setting);
    let mut sections = homogeneity::sections(setting, &people, &sales)?;
    sections.push(times::on_adult(setting, &people)?);
    sections.push(times::on_lands_end(setting, &sales)?);
    sections.push(claims::section(setting, &people, &samples)?);
    sections.extend(utility::sections(setting, &people, &samples)?);
    sections.extend(divergence::sections(setting, &people, &samples)?);
    Ok(sections)
}

/// Bernoulli samples of the people.
struct Samples {
    tables: Vec<Table>,
    source: Source,
}

impl Samples {
    /// Samples of about the size of the paper's, 5 % of 45,222.
    fn draw(people: &Adult, setting: &Setting<'_>) -> Samples {
        let percent = setting.pick(50, 5);
        let count = setting.pick(3, 20);
        let tables: Vec<Table> = (0..count).map(|seed| sample(&people.table, percent, seed)).collect();
        let name = format!("{count} samples of {percent} % of {}", people.source.name);
        Samples { tables, source: Source { name, ..people.source.clone() } }
    }
}

/// Each row with a chance of so many percent. Columns keep all values of the whole table: what a
/// value stands for does not depend on who is in the sample.
fn sample(table: &Table, percent: u32, seed: u64) -> Table {
    use rand::{RngExt, SeedableRng};
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    let rows: Vec<usize> = (0..table.rows()).filter(|_| random.random_range(0..100) < percent).collect();
    let column = |column: &Column| {
        let codes = rows.iter().map(|&row| column.codes()[row]).collect();
        Column::new(column.name(), codes, column.domain().clone())
    };
    Table::new(table.columns().iter().map(column).collect()).expect("columns of equal length")
}

/// Where ranges of ages start, with the rules that make them. The text of the paper has them start
/// at 1; the numbers of minimal tables that it prints are those of ranges from 0.
const ORIGINS: [(&str, Rules); 2] = [("ages from 1", adult::hierarchy), ("ages from 0", from_zero)];

fn from_zero(column: &str) -> Result<Option<Arc<dyn Rule>>> {
    if column == "age" { adult::ages("0") } else { adult::hierarchy(column) }
}

/// The mean; nothing of nothing.
fn mean(numbers: &[f64]) -> Option<f64> {
    (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
}

/// The share of what holds; nothing of nothing.
fn share(holds: &[bool]) -> Option<f64> {
    mean(&holds.iter().map(|holds| f64::from(u8::from(*holds))).collect::<Vec<f64>>())
}

/// Sets the share of what holds beside what the paper says; nothing if there is nothing to hold.
fn compare_share(
    section: Section,
    what: impl Into<String>,
    holds: &[bool],
    (paper, agrees): (&str, fn(f64) -> bool),
    otherwise: &str,
) -> Section {
    let Some(share) = share(holds) else { return section };
    section.compare(what, (share, Unit::Share(0)), paper, agrees(share), otherwise)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_repeat_and_keep_the_values_of_the_whole() {
        let whole = crate::adult::made_up(2000, 1);
        let (one, again, other) = (sample(&whole, 5, 1), sample(&whole, 5, 1), sample(&whole, 5, 2));
        assert_eq!(one.columns()[0].codes(), again.columns()[0].codes());
        assert_ne!(one.columns()[0].codes(), other.columns()[0].codes());
        assert!((60..140).contains(&one.rows()), "{} rows", one.rows());
        assert_eq!(one.columns()[0].domain().len(), whole.columns()[0].domain().len());
    }

    #[test]
    fn shares_are_of_something() {
        assert_eq!(share(&[true, false]), Some(0.5));
        assert_eq!(share(&[]), None);
    }

    /// Whatever people are made up, the facts of the criteria hold.
    #[test]
    fn every_figure_is_made_from_made_up_people() {
        let sections = experiments(&Setting::made_up().quick()).unwrap();
        let ids: Vec<&str> = sections.iter().map(|section| section.id.as_str()).collect();
        for figure in 9..=20 {
            assert!(ids.contains(&format!("figure-{figure}").as_str()), "Figure {figure} is missing");
        }
        let recursive = sections.iter().flat_map(|section| &section.compared).find(|one| one.what.contains("(3, 12)"));
        assert_eq!(recursive.map(|one| one.ours), Some(0.0));
    }
}
