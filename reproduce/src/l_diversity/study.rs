//! Searching all full-domain generalizations of a table, and measuring what is found.

use sfumato::anonymize::{ChosenMethod, Generalization, Judge, Task, Transformation};
use sfumato::attack;
use sfumato::criterion::Requirement;
use sfumato::data::hierarchy::Rule;
use sfumato::data::{ColumnSpec, Role, Schema, Table};
use sfumato::kind::Raw;
use sfumato::recode::{Recoding, generalize};
use sfumato::utility::ChosenMetric;
use sfumato::{Result, chance::Chance};
use std::sync::Arc;

/// What tables must satisfy, with its k or l.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wish {
    /// k-anonymity.
    Anonymous(usize),
    /// Entropy l-diversity.
    Entropy(usize),
    /// Recursive (3, l)-diversity.
    Recursive(usize),
}

/// A criterion's name, and the wish for a k or l.
pub type Named = (&'static str, fn(usize) -> Wish);

/// The three criteria that the paper compares.
pub const WISHES: [Named; 3] =
    [("k-anonymity", Wish::Anonymous), ("entropy l", Wish::Entropy), ("recursive (3, l)", Wish::Recursive)];

impl Wish {
    fn requirement(self, schema: &Schema) -> Result<Requirement> {
        let number = |number: usize| Raw::Number(number.to_string());
        match self {
            Wish::Anonymous(k) => Requirement::new("k-anonymity", &[("k", number(k))], &[], schema),
            Wish::Entropy(l) => Requirement::new("entropy-l-diversity", &[("l", number(l))], &[], schema),
            Wish::Recursive(l) => {
                Requirement::new("recursive-cl-diversity", &[("c", number(3)), ("l", number(l))], &[], schema)
            }
        }
    }
}

/// How a column's values are made coarser.
pub type Rules = fn(&str) -> Result<Option<Arc<dyn Rule>>>;

/// A table with quasi-identifiers and a sensitive column.
pub struct Study<'t> {
    table: &'t Table,
    schema: Schema,
    /// Only says which of several safe tables comes first: here all are taken.
    metric: ChosenMetric,
}

/// What a generalization is worth. Smaller is better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worth {
    /// The sum of levels.
    pub height: f64,
    /// Records over groups.
    pub group_size: f64,
    /// The sum of squares of group sizes.
    pub discernibility: f64,
    /// The divergence from the table's joint distribution.
    pub divergence: f64,
}

impl Worth {
    fn least(self, other: Worth) -> Worth {
        Worth {
            height: self.height.min(other.height),
            group_size: self.group_size.min(other.group_size),
            discernibility: self.discernibility.min(other.discernibility),
            divergence: self.divergence.min(other.divergence),
        }
    }
}

/// What a homogeneity attack affects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Affected {
    /// Groups.
    pub groups: u64,
    /// Records in them.
    pub records: u64,
}

impl<'t> Study<'t> {
    /// The table with some of its columns as quasi-identifiers, and a sensitive one.
    pub fn new(table: &'t Table, quasi: &[&str], sensitive: &str, rules: Rules) -> Result<Study<'t>> {
        let spec = |name: &&str| Ok(ColumnSpec { rule: rules(name)?, ..ColumnSpec::new(*name, Role::Quasi) });
        let mut columns = quasi.iter().map(spec).collect::<Result<Vec<_>>>()?;
        columns.push(ColumnSpec::new(sensitive, Role::Sensitive));
        Ok(Study { table, schema: Schema::new(columns), metric: ChosenMetric::new("height", &[])? })
    }

    /// All generalizations that satisfy a wish, by Incognito; nothing if none does.
    pub fn search(&self, wish: Wish) -> Result<Option<Generalization>> {
        let requirements = [wish.requirement(&self.schema)?];
        let method = ChosenMethod::new("incognito", &[])?;
        Ok(match method.run_on(self.table, &self.schema, &requirements, &self.metric, Chance::insecure(1))? {
            Some(Transformation::Levels(found)) => Some(found),
            Some(Transformation::Groups(_)) | None => None,
        })
    }

    /// The minimal generalizations that satisfy a wish.
    pub fn minimal(&self, wish: Wish) -> Result<Vec<Vec<usize>>> {
        Ok(self.search(wish)?.map_or(Vec::new(), |found| found.minimal))
    }

    /// The least that safe tables measure, metric by metric; nothing if none is safe. What is
    /// coarser is worth no more, so that minimal tables tell.
    pub fn best(&self, wish: Wish) -> Result<Option<Worth>> {
        let minimal = self.minimal(wish)?;
        Ok(self.worth(&minimal)?.into_iter().reduce(Worth::least))
    }

    /// What generalizations are worth.
    pub fn worth(&self, nodes: &[Vec<usize>]) -> Result<Vec<Worth>> {
        let judge = Judge::for_all_metrics(&self.task().levels())?;
        Ok(nodes.iter().map(|levels| worth(&judge.measure_all(levels))).collect())
    }

    /// The generalization that suppresses every quasi-identifier.
    pub fn top(&self) -> Result<Vec<usize>> {
        let quasi = self.schema.select(self.table, Role::Quasi)?;
        quasi.iter().map(|column| Ok(self.schema.level_range(column)?.1)).collect()
    }

    /// What homogeneity attacks at these thresholds affect in a generalization.
    pub fn attack(&self, levels: &[usize], thresholds: &[&str]) -> Result<Vec<Affected>> {
        let recoded = generalize(self.table, &self.schema, &[], levels, Recoding::default())?;
        let run = |threshold: &&str| {
            let written = [("threshold", Raw::from(*threshold))];
            let found = attack::on_release("homogeneity", &written, &recoded.table, &recoded.groups, &self.schema)?;
            let groups = found.iter().map(|found| found.groups).sum();
            Ok(Affected { groups, records: found.iter().map(|found| found.people).sum() })
        };
        thresholds.iter().map(run).collect()
    }

    /// A task that asks for nothing.
    fn task(&self) -> Task<'_> {
        Task {
            watch: sfumato::watch::Watch::NONE,
            table: self.table,
            schema: &self.schema,
            requirements: &[],
            bound: &[],
            limit: 0,
            metric: &self.metric,
            chance: Chance::insecure(1),
        }
    }
}

fn worth(measured: &[(&str, f64)]) -> Worth {
    let of = |name: &str| measured.iter().find(|(own, _)| *own == name).map_or(f64::NAN, |(_, value)| *value);
    Worth {
        height: of("height"),
        group_size: of("average-group-size"),
        discernibility: of("discernibility"),
        divergence: of("kl-divergence"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sfumato::data::Column;

    fn patients() -> Table {
        let zip = Column::from_values("zip", ["1", "1", "2", "2", "2", "3"]);
        let sex = Column::from_values("sex", ["m", "m", "f", "f", "m", "m"]);
        let disease = Column::from_values("disease", ["flu", "flu", "flu", "cancer", "cold", "flu"]);
        Table::new(vec![zip, sex, disease]).unwrap()
    }

    fn study(table: &Table) -> Study<'_> {
        Study::new(table, &["zip", "sex"], "disease", |_| Ok(None)).unwrap()
    }

    #[test]
    fn minimal_tables_are_found_and_attacked() {
        let table = patients();
        let study = study(&table);
        assert_eq!(study.minimal(Wish::Anonymous(2)).unwrap(), [[1, 0]]);
        let attacked = study.attack(&[0, 1], &["1", "0.3"]).unwrap();
        // Both with zip 1, and the one with zip 3, have the flu.
        assert_eq!(attacked, [Affected { groups: 2, records: 3 }, Affected { groups: 3, records: 6 }]);
    }

    #[test]
    fn the_best_of_nothing_is_nothing() {
        let table = patients();
        let study = study(&table);
        assert_eq!(study.best(Wish::Recursive(12)).unwrap(), None);
        let best = study.best(Wish::Anonymous(2)).unwrap().unwrap();
        assert_eq!((best.height, best.group_size, best.discernibility), (1.0, 3.0, 20.0));
        assert_eq!(study.top().unwrap(), [1, 1]);
    }
}
