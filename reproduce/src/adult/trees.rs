//! How the values of Adult are made coarser: ages by ranges of 5, 10 and 20 years, the others by
//! taxonomies of the heights that the papers give.
//!
//! The papers take the taxonomies of LeFevre et al. (2005) and do not print them. Ranges of ages
//! are those of the text on l-diversity (1 to 5, 6 to 10, …). Marital status and education are
//! divided so that, with ranges that start at 0 instead, Adult has as many minimal k-anonymous
//! tables as its Figures 9 and 11 print at every k; the tuples affected are others.

use sfumato::data::Column;
use sfumato::data::hierarchy::{Ladder, Rule, TOP, rule};
use sfumato::kind::Raw;
use sfumato::{Error, Result};
use std::path::Path;
use std::sync::Arc;

/// Leaves with their ancestors below the top.
type Tree = &'static [(&'static [&'static str], &'static [&'static str])];

const WORK: Tree = &[
    (&["Private"], &["Private"]),
    (&["Self-emp-not-inc", "Self-emp-inc"], &["Self-employed"]),
    (&["Federal-gov", "Local-gov", "State-gov"], &["Government"]),
    (&["Without-pay"], &["Without pay"]),
];

/// Married in law, whether or not they live together, or not.
const MARITAL: Tree = &[
    (&["Married-civ-spouse", "Married-AF-spouse", "Married-spouse-absent", "Separated"], &["Married"]),
    (&["Divorced", "Widowed", "Never-married"], &["Not married"]),
];

const EDUCATION: Tree = &[
    (&["Preschool", "1st-4th", "5th-6th", "7th-8th"], &["Elementary school", "School"]),
    (&["9th", "10th", "11th", "12th", "HS-grad"], &["High school", "School"]),
    (&["Some-college", "Assoc-voc", "Assoc-acdm"], &["Some college", "College"]),
    (&["Bachelors"], &["Bachelor", "College"]),
    (&["Masters", "Prof-school", "Doctorate"], &["Graduate", "College"]),
];

const COUNTRY: Tree = &[
    (&["United-States", "Canada", "Outlying-US(Guam-USVI-etc)", "Puerto-Rico", "Mexico"], &["North America"]),
    (
        &[
            "El-Salvador",
            "Cuba",
            "Jamaica",
            "Dominican-Republic",
            "Guatemala",
            "Columbia",
            "Haiti",
            "Nicaragua",
            "Peru",
            "Ecuador",
            "Trinadad&Tobago",
            "Honduras",
        ],
        &["Central and South America"],
    ),
    (
        &[
            "Germany",
            "England",
            "Italy",
            "Poland",
            "Portugal",
            "Greece",
            "France",
            "Ireland",
            "Yugoslavia",
            "Scotland",
            "Hungary",
            "Holand-Netherlands",
        ],
        &["Europe"],
    ),
    (
        &[
            "Philippines",
            "India",
            "China",
            "South",
            "Japan",
            "Vietnam",
            "Iran",
            "Taiwan",
            "Thailand",
            "Hong",
            "Cambodia",
            "Laos",
        ],
        &["Asia"],
    ),
];

/// How the values of a column of Adult are made coarser; nothing for columns that have no steps
/// between: as quasi-identifiers these are kept or suppressed.
pub fn hierarchy(column: &str) -> Result<Option<Arc<dyn Rule>>> {
    let tree = match column {
        "age" => return ages("1"),
        "sex" | "race" => return plain(&[("suppress", Raw::Flag(true))]),
        "workclass" => WORK,
        "marital-status" => MARITAL,
        "education" => EDUCATION,
        "native-country" => COUNTRY,
        _ => return Ok(None),
    };
    Ok(Some(Arc::new(Taxonomy(tree))))
}

/// Ages by ranges of 5, 10 and 20 years that start at some age.
pub(crate) fn ages(origin: &str) -> Result<Option<Arc<dyn Rule>>> {
    plain(&[("intervals", numbers(["5", "10", "20"])), ("origin", Raw::Number(origin.into()))])
}

fn plain(written: &[(&str, Raw)]) -> Result<Option<Arc<dyn Rule>>> {
    Ok(Some(Arc::from(rule(written, Path::new("."))?)))
}

fn numbers<const N: usize>(list: [&str; N]) -> Raw {
    Raw::List(list.map(|number| Raw::Number(number.into())).into())
}

/// A taxonomy that the program brings along.
struct Taxonomy(Tree);

impl Rule for Taxonomy {
    fn ladder(&self, column: &Column) -> Result<Ladder> {
        let mut leaves: Vec<&str> = Vec::new();
        let mut paths: Vec<Vec<String>> = Vec::new();
        for (values, ancestors) in self.0 {
            for value in *values {
                leaves.push(value);
                paths.push(ancestors.iter().map(|label| label.to_string()).collect());
            }
        }
        let leaf = |label: &str| leaves.iter().position(|leaf| *leaf == label).map(|at| at as u32);
        let known = column.domain().labels().iter().map(|label| leaf(label).ok_or_else(|| unknown(column)).map(Some));
        Ok(Ladder { paths, leaf_of_code: known.collect::<Result<_>>()? })
    }

    fn makes(&self, label: &str) -> bool {
        label == TOP || self.0.iter().any(|(_, ancestors)| ancestors.contains(&label))
    }
}

fn unknown(column: &Column) -> Error {
    Error::data(format!("column \"{}\" has a value that Adult's taxonomy does not know", column.name()))
        .help("take the files of the UCI repository as they are")
}

#[cfg(test)]
mod tests {
    use super::*;
    use sfumato::data::hierarchy::Hierarchy;

    /// The heights of Figure 7 of the paper on l-diversity.
    #[test]
    fn trees_have_the_heights_of_the_papers() {
        let people = crate::adult::made_up(5000, 1);
        for (name, height) in [
            ("age", 4),
            ("sex", 1),
            ("race", 1),
            ("marital-status", 2),
            ("education", 3),
            ("native-country", 2),
            ("workclass", 2),
        ] {
            let rule = hierarchy(name).unwrap().unwrap();
            assert_eq!(Hierarchy::bind(&*rule, people.column(name).unwrap()).unwrap().height(), height, "{name}");
        }
    }

    #[test]
    fn ages_are_joined_from_one_to_five_and_from_one_to_ten() {
        let ages = Column::from_values("age", ["35", "36", "40", "41"]);
        let levels = Hierarchy::bind(&*hierarchy("age").unwrap().unwrap(), &ages).unwrap();
        let joined = |level: usize, a: u32, b: u32| levels.label(level, a) == levels.label(level, b);
        assert!(!joined(1, 0, 1) && joined(1, 1, 2) && !joined(1, 2, 3));
        assert!(joined(2, 0, 2) && !joined(2, 2, 3) && joined(3, 0, 2));
    }

    #[test]
    fn foreign_values_are_refused() {
        let column = Column::from_values("education", ["HS-grad", "Kindergarten"]);
        assert!(Hierarchy::bind(&*hierarchy("education").unwrap().unwrap(), &column).is_err());
    }
}
