//! What the text of Section 6 says about Adult.

use super::study::{Study, Wish};
use super::{ADULT, Samples, mean};
use crate::Setting;
use crate::adult::{self, Adult};
use crate::page::{Section, Unit};
use sfumato::Result;
use sfumato::criterion::Requirement;
use sfumato::data::{Schema, Table, parse_decimal};
use sfumato::kind::Raw;
use std::ops::RangeInclusive;

/// The figures in the text.
pub fn section(setting: &Setting<'_>, people: &Adult, samples: &Samples) -> Result<Section> {
    setting.now("what the text says about Adult");
    let table = &people.table;
    let why = people.because("It is counted in the same records: a difference would be an error here or there.");
    let trees = people.because("The trees are ours; those that the paper takes are not printed.");
    let words = "Counts in the whole table; the diversity of occupation is measured by the audit of a table in which all records are one \
                 group. For the minimal 4-anonymous tables the quasi-identifier is {age, gender, race, marital status, education}. Shares of \
                 age values are means over the samples of Figures 15 to 19.";
    let mut section = Section::new("section-6", "Section 6: Adult in figures", people.source.clone()).words(words);

    let diversity = diversity(table)?;
    let shown = format!("{diversity:.2}");
    section = section.compare(
        "entropy diversity of occupation",
        (diversity, Unit::Number(2)),
        "10.57",
        shown == "10.57",
        &why,
    );
    let safe = Study::new(table, &ADULT[..7], "occupation", adult::hierarchy)?.search(Wish::Recursive(12))?;
    let safe = safe.map_or(0, |found| found.safe);
    section = section.compare(
        "recursive (3, 12)-diverse generalizations",
        (safe as f64, Unit::Count),
        "there is no generalization",
        safe == 0,
        &why,
    );
    for (ages, paper) in [(81..=90, "114"), (31..=40, "12,291")] {
        let what = format!("tuples with age between {} and {}", ages.start(), ages.end());
        let count = count_ages(table, ages)?;
        let agrees = Unit::Count.show(count as f64) == paper;
        section = section.compare(what, (count as f64, Unit::Count), paper, agrees, &why);
    }
    let study = Study::new(table, &ADULT[..5], "occupation", adult::hierarchy)?;
    let sizes = study.worth(&study.minimal(Wish::Anonymous(4))?)?.into_iter().map(|worth| worth.group_size);
    let largest = sizes.fold(0.0, f64::max);
    let section = section.compare(
        "largest average group size of a minimal 4-anonymous table",
        (largest, Unit::Count),
        "average group sizes larger than 1,000",
        largest > 1000.0,
        &trees,
    );
    ages_of_samples(section, people, samples)
}

/// How even ages are in the samples of Figures 15 to 19.
fn ages_of_samples(section: Section, people: &Adult, samples: &Samples) -> Result<Section> {
    let why = people.because(
        "A Bernoulli sample keeps the skew of ages, so that old ages are as rare in it as before: these words do not describe one of 5 % of Adult.",
    );
    let share = |asked: fn(u64) -> bool| -> Result<f64> {
        let of_sample = |table: &Table| {
            let counts = table.column("age")?.counts();
            // Ages of the whole table that nobody in the sample has did not appear at all.
            let appearing: Vec<u64> = counts.into_iter().filter(|count| *count > 0).collect();
            Ok(appearing.iter().filter(|count| asked(**count)).count() as f64 / appearing.len().max(1) as f64)
        };
        Ok(mean(&samples.tables.iter().map(of_sample).collect::<Result<Vec<f64>>>()?).unwrap_or(f64::NAN))
    };
    let (around, few) = (share(|count| (10..=30).contains(&count))?, share(|count| count < 10)?);
    Ok(section
        .compare(
            "age values with 10 to 30 tuples in a sample",
            (around, Unit::Share(0)),
            "most of the age values appeared in around 20 tuples each",
            around > 0.5,
            &why,
        )
        .compare(
            "age values with fewer than 10 tuples in a sample",
            (few, Unit::Share(0)),
            "only a few values appeared in less than 10 tuples each",
            few <= 0.1,
            &why,
        ))
}

/// The largest l for which all records together are entropy l-diverse on occupation.
fn diversity(table: &Table) -> Result<f64> {
    let schema = Schema::of(&[], &["occupation"]);
    let wanted = Requirement::new("entropy-l-diversity", &[("l", Raw::from("1"))], &[], &schema)?;
    let whole = sfumato::candidate::Groups::by_columns(&[], table.rows());
    let audit = sfumato::audit::audit_groups(table, &schema, &whole, &[wanted], ".".as_ref())?;
    Ok(audit.criteria[0].verdict.measured.unwrap_or(f64::NAN))
}

fn count_ages(table: &Table, ages: RangeInclusive<usize>) -> Result<usize> {
    let column = table.column("age")?;
    let within = |label: &str| {
        parse_decimal(label).is_some_and(|age| (*ages.start() as f64..=*ages.end() as f64).contains(&age))
    };
    let counted = column.domain().labels().iter().zip(column.counts()).filter(|(label, _)| within(label));
    Ok(counted.map(|(_, count)| count as usize).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sfumato::data::Column;

    #[test]
    fn ages_and_diversity_are_those_of_all_records() {
        let ages = Column::from_values("age", ["30", "31", "40", "41"]);
        let jobs = Column::from_values("occupation", ["a", "b", "c", "d"]);
        let table = Table::new(vec![ages, jobs]).unwrap();
        assert_eq!(count_ages(&table, 31..=40).unwrap(), 2);
        assert!((diversity(&table).unwrap() - 4.0).abs() < 1e-9);
    }
}
