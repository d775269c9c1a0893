//! What is to be done with a table, as data: somebody else can carry it out.

use super::{Published, Recoded, Recoding, published, violating};
use crate::candidate::{Counts, Groups, Records};
use crate::criterion::Bound;
use crate::data::{Column, Domain, Role, Schema, Table};
use crate::error::{Error, Result};
use rayon::prelude::*;
use std::collections::HashSet;

/// How records are recoded on levels: every quasi-identifier gets a label for its value, records
/// whose labels together are not listed are suppressed, and the rest is put in the order of all
/// published columns, so that the order tells nothing that the values do not.
///
/// It is made from a table or from counts alone, and does not depend on which of them.
///
/// ```
/// use sfumato::candidate::Counts;
/// use sfumato::criterion::Requirement;
/// use sfumato::data::{Schema, sample};
/// use sfumato::recode::{Recipe, Recoding};
///
/// let (table, schema) = (sample::clinic(), Schema::of(&["zip"], &["disease"]));
/// let counts = Counts::of_table(&table, &schema)?;
/// let recipe = Recipe::new(&counts, &schema, &[], &[1], Recoding::default())?;
/// assert!(recipe.columns[0].pairs().all(|(_, label)| label == "*"));
/// assert_eq!(recipe.apply(&table)?.groups.len(), 1);
/// # Ok::<(), sfumato::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// The quasi-identifiers in the order of the plan, with their labels.
    pub columns: Vec<Relabelled>,
    /// The combinations of labels that are published, by their codes; records with any other are
    /// suppressed.
    pub kept: Vec<Vec<u32>>,
    /// How many records are suppressed.
    pub suppressed: u64,
    /// The columns that are published, in the order of the table; quasi-identifiers with their
    /// labels, all others as they are.
    pub published: Vec<Published>,
}

/// A quasi-identifier with labels for its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relabelled {
    /// Its name.
    pub name: String,
    /// Its values.
    pub values: Domain,
    /// Its labels.
    pub labels: Domain,
    /// For each value the code of its label; `None` for a value that no record has.
    pub code_of: Vec<Option<u32>>,
}

impl Relabelled {
    fn new(records: Records<'_>, schema: &Schema, column: &Column, level: usize) -> Result<Relabelled> {
        let is_present: Vec<bool> = records.counts_of(column).iter().map(|&count| count > 0).collect();
        let (labels, code_of) = schema.quasi_hierarchy(&records.described(column))?.relabel(column, level, &is_present);
        Ok(Relabelled { name: column.name().to_string(), values: column.domain().clone(), labels, code_of })
    }

    /// Each value that occurs with its label.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let labelled = (0u32..).zip(&self.code_of);
        labelled.filter_map(|(code, label)| Some((self.values.label(code), self.labels.label((*label)?))))
    }

    /// The labels of a column's rows.
    fn apply(&self, table: &Table) -> Result<Column> {
        let column = table.column(&self.name)?;
        let other = || {
            Error::data(format!("column \"{}\" has other values than those that were decided on", self.name))
                .help("count the data anew, decide, and recode the data that was counted")
        };
        if *column.domain() != self.values {
            return Err(other());
        }
        let codes = column.codes().iter().map(|&code| self.code_of[code as usize]).collect::<Option<Vec<u32>>>();
        Ok(Column::new(&*self.name, codes.ok_or_else(other)?, self.labels.clone()))
    }
}

impl Recipe {
    /// What becomes of records on levels, of which the groups that violate a criterion are
    /// suppressed. The criteria are bound to the records; groups are formed anew from the labels,
    /// whatever a search believed.
    pub fn new<'a>(
        records: impl Into<Records<'a>>,
        schema: &Schema,
        bound: &[Bound],
        levels: &[usize],
        recoding: Recoding,
    ) -> Result<Recipe> {
        let records = records.into();
        let quasi = schema.select(records.rows(), Role::Quasi)?;
        let columns: Vec<Relabelled> = quasi
            .par_iter()
            .zip(levels)
            .map(|(column, &level)| Relabelled::new(records, schema, column, level))
            .collect::<Result<_>>()?;
        let coarse = coarse(&columns, records.rows())?;
        let groups = grouped(&coarse, records.rows());
        let violating = violating(records, bound, &groups)?;
        let (gone, kept): (Vec<usize>, Vec<usize>) = (0..groups.len()).partition(|&group| violating[group]);
        Ok(Recipe {
            kept: kept.into_iter().map(|group| labels_of(&coarse, groups.rows(group)[0])).collect(),
            suppressed: gone.into_iter().map(|group| records.weight_of(groups.rows(group))).sum(),
            published: recoding.published(schema),
            columns,
        })
    }

    /// Carries it out on the table that it was made from, or that was counted.
    pub fn apply(&self, table: &Table) -> Result<Recoded> {
        let (coarse, is_kept) = self.recode(table)?;
        published(table, &self.published, &coarse, is_kept)
    }

    /// What counting the published records must give: quasi-identifiers with their labels, and the
    /// sensitive columns.
    pub fn apply_to_counts(&self, counts: &Counts) -> Result<Counts> {
        let vectors = Records::from(counts).rows();
        let (coarse, is_kept) = self.recode(vectors)?;
        let rows: Vec<u32> = (0..vectors.rows() as u32).filter(|&row| is_kept[row as usize]).collect();
        let label =
            |column: &Column| coarse.iter().find(|coarse| coarse.name() == column.name()).unwrap_or(column).rows(&rows);
        let columns: Vec<Column> = counts.columns().map(label).collect();
        let domains = columns.iter().map(|column| (column.name().to_string(), column.domain().clone())).collect();
        let codes = columns.iter().map(|column| column.codes().to_vec()).collect();
        Counts::new(domains, codes, rows.iter().map(|&row| counts.counts()[row as usize]).collect())
    }

    /// The labels of each row, and whether it is published.
    fn recode(&self, table: &Table) -> Result<(Vec<Column>, Vec<bool>)> {
        let coarse = coarse(&self.columns, table)?;
        let kept: HashSet<&[u32]> = self.kept.iter().map(Vec::as_slice).collect();
        let groups = grouped(&coarse, table);
        let mut is_kept = vec![false; table.rows()];
        for group in 0..groups.len() {
            let rows = groups.rows(group);
            if kept.contains(&*labels_of(&coarse, rows[0])) {
                rows.iter().for_each(|&row| is_kept[row as usize] = true);
            }
        }
        Ok((coarse, is_kept))
    }
}

fn coarse(columns: &[Relabelled], table: &Table) -> Result<Vec<Column>> {
    columns.par_iter().map(|column| column.apply(table)).collect()
}

fn grouped(coarse: &[Column], table: &Table) -> Groups {
    Groups::by_columns(&coarse.iter().collect::<Vec<_>>(), table.rows())
}

fn labels_of(coarse: &[Column], row: u32) -> Vec<u32> {
    coarse.iter().map(|column| column.codes()[row as usize]).collect()
}
