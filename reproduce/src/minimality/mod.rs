//! Minimality attacks (Cormode, Srivastava, Li and Li 2010): what is believed by somebody who knows
//! the method, and what releases are worth that withstand it.

mod beliefs;
mod closeness;
mod formed;
mod greedy;
mod monte_carlo;
mod queries;
mod randomized;
mod times;
mod worked;

use crate::adult::Adult;
use crate::page::{Cell, Column, Section, Table};
use crate::subject::Subject;
use crate::{Setting, files};
use formed::VALUES;
use sfumato::Result;

pub const SUBJECT: Subject = Subject {
    name: "minimality",
    title: "Minimality attacks: what knowing the method tells",
    summary: "Beliefs under greedy and randomized grouping, l-diversity and t-closeness, counted exactly beside the \
     paper's Monte Carlo estimate, \
              and the error of counting queries (Figures 3 to 5)",
    reference: "Graham Cormode, Divesh Srivastava, Ninghui Li, Tiancheng Li: Minimizing Minimality and Maximizing \
     Utility: Analyzing Method-based \
                attacks on Anonymized Data. Proceedings of the VLDB Endowment 3(1), 2010",
    needs: &files::ADULT,
    experiments,
};

/// The l of the experiments that do not vary it.
const L: u32 = 6;

/// How many possible worlds are drawn for a group.
fn worlds(setting: &Setting<'_>) -> u64 {
    setting.pick(100, 300)
}

fn experiments(setting: &Setting<'_>) -> Result<Vec<Section>> {
    let adult = Adult::load(setting)?;
    let mut sections = vec![worked::section()?];
    let greedy = greedy::run(setting, &adult)?;
    sections.extend(greedy::sections(setting, &adult, &greedy)?);
    sections.extend(closeness::sections(setting, &adult)?);
    sections.extend(randomized::sections(setting, &adult, &greedy)?);
    sections.extend(queries::sections(setting, &adult)?);
    sections.push(times::section(setting, &adult)?);
    Ok(sections)
}

/// What was found for both values, line by line: a figure of what was counted, and of what was
/// estimated.
fn compared<'f, F: 'f>(
    title: &str,
    across: Column,
    kind: fn(String) -> Column,
    lines: impl Iterator<Item = (f64, &'f [Option<F>; 2])>,
    figures: impl Fn(&F) -> [Option<f64>; 2],
) -> Table {
    let of_value = |value: &str| ["counted", "estimated"].map(|how| kind(format!("{value}, {how}")));
    let columns = VALUES.into_iter().flat_map(of_value);
    let mut table = Table::new(title, std::iter::once(across).chain(columns));
    for (at, pair) in lines {
        let cells = pair.iter().flat_map(|found| found.as_ref().map_or([None; 2], &figures));
        table.row(std::iter::once(Cell::from(at)).chain(cells.map(Cell::from)));
    }
    table
}

/// All columns but the first that have a number: what is drawn over it.
fn series(table: &Table) -> Vec<String> {
    let is_known = |at: &usize| table.rows.iter().any(|row| matches!(row[*at], Cell::Number(_)));
    (1..table.columns.len()).filter(is_known).map(|at| table.columns[at].name.clone()).collect()
}

/// What a parameter is that is written as in a plan.
fn number(written: &str) -> f64 {
    written.parse().unwrap_or(f64::NAN)
}

/// Whether each step from one number to the next is as asked, where both are known.
fn steps(numbers: &[Option<f64>], asked: fn(&f64, &f64) -> bool) -> Vec<bool> {
    numbers.windows(2).filter_map(|pair| Some(asked(&pair[0]?, &pair[1]?))).collect()
}

/// The share of what holds; nothing of nothing.
fn share(holds: &[bool]) -> Option<f64> {
    let held = holds.iter().filter(|holds| **holds).count();
    (!holds.is_empty()).then(|| held as f64 / holds.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_between_known_neighbours_and_ties_are_none() {
        let numbers = [Some(3.0), Some(2.0), None, Some(1.0), Some(1.0), Some(2.0)];
        assert_eq!(steps(&numbers, f64::gt), [true, false, false]);
        assert_eq!(share(&steps(&numbers, f64::lt)), Some(1.0 / 3.0));
        assert_eq!(share(&steps(&[Some(1.0), None, Some(0.0)], f64::gt)), None);
    }
}
