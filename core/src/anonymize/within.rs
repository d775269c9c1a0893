//! Groups within cells: records that do not share the label on the highest permitted level of a
//! quasi-identifier never share a group.

use super::{
    Along, ChosenMethod, Class, CrossedPart, Crossing, Grouping, Method, Replay, Replayer, Safety, Task,
    Transformation, View,
};
use crate::audit::audit_bound;
use crate::candidate::Groups;
use crate::criterion::Bound;
use crate::data::{Column, Role, Schema, Table};
use crate::error::{Error, ErrorCode, Fault, Result};

/// A method that forms groups of records, run on each cell by itself.
///
/// # Claim
/// Which cell a record is in depends on its quasi-identifiers alone, so that cells tell nothing
/// about sensitive values; what is learnt by knowing the method is what it tells within each cell.
pub struct Within {
    wanted: ChosenMethod,
    cells: Groups,
    /// The quasi-identifiers whose highest level makes the cells.
    columns: Vec<String>,
}

impl Within {
    /// The cells of a table; `None` if the plan's highest levels keep no records apart.
    pub fn new(wanted: &ChosenMethod, table: &Table, schema: &Schema) -> Result<Option<Within>> {
        let mut coarse: Vec<Column> = Vec::new();
        for column in schema.select(table, Role::Quasi)? {
            let ((_, high), hierarchy) = (schema.level_range(column)?, schema.quasi_hierarchy(column)?);
            if high < hierarchy.height() {
                coarse.push(hierarchy.generalize(column, high));
            }
        }
        let cells = Groups::by_columns(&coarse.iter().collect::<Vec<_>>(), table.rows());
        let columns = coarse.iter().map(|column| column.name().to_string()).collect();
        Ok((cells.len() > 1).then(|| Within { wanted: wanted.clone(), cells, columns }))
    }

    /// The same cells, with the parameters that the method worked out itself.
    pub fn with_method(self, wanted: &ChosenMethod) -> Within {
        Within { wanted: wanted.clone(), ..self }
    }

    /// What the plan says that keeps records apart.
    fn words(&self) -> String {
        let names: Vec<String> = self.columns.iter().map(|name| format!("\"{name}\"")).collect();
        format!("`levels` of {}", names.join(", "))
    }

    fn too_many(&self, cells: usize, records: u64, limit: u64) -> Error {
        let message = format!(
            "{} keep {} parts of the table apart, and in {cells} of them, with {records} records, there is no safe group; \
             the plan allows to suppress {limit}",
            self.words(),
            self.cells.len(),
        );
        Error::of(ErrorCode::TooManySuppressed, message)
            .help("permit higher levels, allow more suppression ([release] max_suppressed), or loosen a criterion")
    }

    /// Refuses groups that are safe in each cell but not together. Most criteria look at one group
    /// at a time; a method that goes by all groups so far sees only those of a cell.
    fn check_together(&self, task: &Task<'_>, groups: &Groups) -> Result<()> {
        if !task.bound.iter().any(|bound| bound.criterion.is_cross_group()) {
            return Ok(());
        }
        let audit = audit_bound(task.table, groups, task.requirements, task.bound)?;
        match audit.criteria.iter().find(|answer| !answer.verdict.holds) {
            None => Ok(()),
            Some(answer) => {
                let (words, method) = (self.words(), self.wanted.kind.name);
                let name = answer.requirement.criterion.kind.name;
                let message = format!(
                    "{words} keep parts of the table apart, and {name} does not hold for the groups that {method} forms in them, all together"
                );
                Err(Error::plan(message).help("permit every level up to the top, or use another method"))
            }
        }
    }
}

impl Method for Within {
    fn run(&self, task: &Task<'_>) -> Result<Option<Transformation>> {
        let mut wanted = self.wanted.clone();
        let mut lists: Vec<Vec<u32>> = Vec::new();
        let (mut resolved, mut withheld) = (None, 0);
        let (mut unsafe_cells, mut unsafe_records) = (0, 0);
        for cell in 0..self.cells.len() {
            let rows = self.cells.rows(cell);
            let part = Part::new(task, rows);
            let Some(found) = part.run(&wanted, task)? else {
                (unsafe_cells, unsafe_records) = (unsafe_cells + 1, unsafe_records + rows.len() as u64);
                continue;
            };
            // What the method works out itself must be the same in every cell: one method is
            // stated.
            if resolved.is_none() {
                wanted = wanted.resolved(&found.resolved)?;
                resolved = Some(found.resolved);
            }
            withheld += found.withheld;
            let in_table = |group| found.groups.rows(group).iter().map(|&row| rows[row as usize]).collect();
            lists.extend((0..found.groups.len()).map(in_table));
        }
        if unsafe_records > task.limit {
            return Err(self.too_many(unsafe_cells, unsafe_records, task.limit));
        }
        let Some(resolved) = resolved else { return Ok(None) };
        let groups = Groups::of_lists(&lists);
        self.check_together(task, &groups)?;
        Ok(Some(Transformation::Groups(Grouping {
            groups,
            whole: None,
            withheld: withheld + unsafe_records,
            resolved,
        })))
    }

    fn class(&self) -> Class {
        self.wanted.build().class()
    }

    fn along(&self, at: usize, column: &Column, schema: &Schema) -> Result<Along> {
        self.wanted.build().along(at, column, schema)
    }

    fn withholds(&self) -> bool {
        true
    }

    /// The replays of each cell. They are all made at once, since the tables of cells are not kept.
    fn replayer<'a>(&self, view: &View<'a>) -> Result<Option<Replayer<'a>>> {
        let method = self.wanted.build();
        let mut replays: Vec<Option<Replay>> = vec![None; view.groups.len()];
        let all = self.each_cell(view, |rows, own, inside| {
            let Some(replay) = method.replayer(inside)? else { return Ok(false) };
            for (at, &group) in own.iter().enumerate() {
                replays[group] = replay(at).map(|replay| in_table(replay, rows));
            }
            Ok(true)
        })?;
        Ok(if all { Some(Box::new(move |group| replays[group].clone())) } else { None })
    }

    fn crossings(&self, view: &View<'_>) -> Result<Option<Vec<Crossing>>> {
        let (method, mut crossings) = (self.wanted.build(), Vec::new());
        let all = self.each_cell(view, |rows, own, inside| {
            let Some(found) = method.crossings(inside)? else { return Ok(false) };
            crossings.extend(found.into_iter().map(|crossing| crossing_in_table(crossing, rows, own)));
            Ok(true)
        })?;
        Ok(all.then_some(crossings))
    }
}

impl Within {
    /// Visits every cell with groups: its rows, the numbers of its groups, and what there is to see
    /// of it; false as soon as a visit says so.
    fn each_cell(
        &self,
        view: &View<'_>,
        mut visit: impl FnMut(&[u32], &[usize], &View<'_>) -> Result<bool>,
    ) -> Result<bool> {
        let mut place = vec![(0u32, 0u32); view.table.rows()];
        for cell in 0..self.cells.len() {
            (0u32..).zip(self.cells.rows(cell)).for_each(|(at, &row)| place[row as usize] = (cell as u32, at));
        }
        let mut own: Vec<Vec<usize>> = vec![Vec::new(); self.cells.len()];
        (0..view.groups.len()).for_each(|group| own[place[view.groups.rows(group)[0] as usize].0 as usize].push(group));
        for (cell, own) in own.iter().enumerate().filter(|(_, own)| !own.is_empty()) {
            let rows = self.cells.rows(cell);
            let table = view.table.part(rows);
            let inside = |&group: &usize| view.groups.rows(group).iter().map(|&row| place[row as usize].1).collect();
            let groups = Groups::of_lists(&own.iter().map(inside).collect::<Vec<_>>());
            if !visit(rows, own, &View { table: &table, groups: &groups, ..*view })? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// A division with the rows and groups of the table in the place of those of a cell.
fn crossing_in_table(crossing: Crossing, rows: &[u32], groups: &[usize]) -> Crossing {
    let part = |part: CrossedPart| CrossedPart {
        whole: part.whole.into_iter().map(|group| groups[group as usize] as u32).collect(),
        rows: part.rows.into_iter().map(|row| rows[row as usize]).collect(),
    };
    Crossing { parts: crossing.parts.into_iter().map(part).collect() }
}

/// A replay with the rows of the table in the place of those of a cell.
fn in_table(replay: Replay, rows: &[u32]) -> Replay {
    let mapped = |block: Vec<u32>| block.into_iter().map(|row| rows[row as usize]).collect();
    Replay { blocks: replay.blocks.into_iter().map(mapped).collect(), ..replay }
}

/// The records of a cell.
struct Part {
    table: Table,
    bound: Vec<Bound>,
}

impl Part {
    fn new(task: &Task<'_>, rows: &[u32]) -> Part {
        Part { table: task.table.part(rows), bound: task.bound.iter().map(|bound| bound.part(rows)).collect() }
    }

    /// The groups that a method forms of them; `None` if none is safe.
    fn run(&self, wanted: &ChosenMethod, task: &Task<'_>) -> Result<Option<Grouping>> {
        let task = Task { table: &self.table, bound: &self.bound, ..*task };
        // Too few records for any group: no method need be asked.
        if (self.table.rows() as u64) < Safety::new(&self.table, &self.bound)?.least_size() {
            return Ok(None);
        }
        match wanted.build().run(&task)? {
            Some(Transformation::Groups(grouping)) => Ok(Some(grouping)),
            Some(Transformation::Levels(_)) => Err(Error::new(Fault::Internal, "a choice of levels has no cells")),
            None => Ok(None),
        }
    }
}
