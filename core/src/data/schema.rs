//! What a plan says about columns, checked against a table.

use super::hierarchy::{Hierarchy, Rule, keep_or_suppress};
use super::spelling::Written;
use super::{Center, Column, ReadOptions, Role, Table, ValueType, Weight};
use crate::error::{Error, Result};
use std::borrow::Cow;
use std::sync::Arc;

/// What a plan says about one column.
#[derive(Clone)]
pub struct ColumnSpec {
    /// The column's name.
    pub name: String,
    /// What it is to an attacker.
    pub role: Role,
    /// How its values are made coarser.
    pub rule: Option<Arc<dyn Rule>>,
    /// The values that need protection; empty for all.
    pub sensitive_values: Vec<String>,
    /// The order of its values; empty for the natural one.
    pub order: Vec<String>,
    /// Its type, if not detected.
    pub value_type: Option<ValueType>,
    /// How its values are written, if not detected.
    pub written: Option<Written>,
    /// The line of the plan that it stands on, for errors.
    pub line: Option<u64>,
    /// The lowest and the highest level that a release may use; all if nothing is said.
    pub levels: Option<(usize, usize)>,
    /// How much a quasi-identifier counts beside the others, where their losses are put together.
    pub weight: Weight,
    /// The number that is published for the numbers of a group, in the place of a label under
    /// which all of them stand.
    pub center: Option<Center>,
}

impl ColumnSpec {
    /// A column of which nothing but its role is said.
    pub fn new(name: impl Into<String>, role: Role) -> Self {
        ColumnSpec {
            name: name.into(),
            role,
            rule: None,
            sensitive_values: Vec::new(),
            order: Vec::new(),
            value_type: None,
            written: None,
            line: None,
            levels: None,
            weight: Weight::ONE,
            center: None,
        }
    }
}

/// Rules are told apart by what plans say for them; one that no plan can name equals itself alone.
impl PartialEq for ColumnSpec {
    fn eq(&self, other: &Self) -> bool {
        let same_rule = match (&self.rule, &other.rule) {
            (None, None) => true,
            (Some(own), Some(its)) => match (own.stated(), its.stated()) {
                (None, None) => Arc::ptr_eq(own, its),
                (own, its) => own == its,
            },
            _ => false,
        };
        let ColumnSpec {
            name,
            role,
            rule: _,
            sensitive_values,
            order,
            value_type,
            written,
            line: _,
            levels,
            weight,
            center,
        } = self;
        same_rule
            && (name, role, sensitive_values) == (&other.name, &other.role, &other.sensitive_values)
            && (order, value_type, levels) == (&other.order, &other.value_type, &other.levels)
            && (weight, center, written) == (&other.weight, &other.center, &other.written)
    }
}

/// The columns that a plan names, in its order. Columns that it does not name take no part.
#[derive(Clone, Default, PartialEq)]
pub struct Schema(Vec<ColumnSpec>);

impl Schema {
    /// A schema of these columns.
    pub fn new(columns: Vec<ColumnSpec>) -> Self {
        Schema(columns)
    }

    /// Shorthand for quasi-identifiers and sensitive columns without further words.
    ///
    /// ```
    /// use sfumato::data::{Role, Schema};
    ///
    /// let schema = Schema::of(&["zip", "age"], &["disease"]);
    /// assert_eq!(schema.names(Role::Quasi), ["zip", "age"]);
    /// ```
    pub fn of(quasi: &[&str], sensitive: &[&str]) -> Self {
        let quasi = quasi.iter().map(|name| ColumnSpec::new(*name, Role::Quasi));
        Schema(quasi.chain(sensitive.iter().map(|name| ColumnSpec::new(*name, Role::Sensitive))).collect())
    }

    /// The columns in order.
    pub fn columns(&self) -> &[ColumnSpec] {
        &self.0
    }

    /// The column with a name.
    pub fn find(&self, name: &str) -> Option<&ColumnSpec> {
        self.0.iter().find(|column| column.name == name)
    }

    /// The same schema with other words on one of its columns.
    pub fn with_spec(mut self, spec: ColumnSpec) -> Schema {
        self.0.iter_mut().filter(|known| known.name == spec.name).for_each(|known| *known = spec.clone());
        self
    }

    /// The same schema with quasi-identifiers that are kept or replaced by `*`, whatever their
    /// hierarchy.
    pub fn with_quasi_suppressed(mut self) -> Schema {
        let rule: Arc<dyn Rule> = keep_or_suppress().into();
        let quasi = self.0.iter_mut().filter(|spec| spec.role == Role::Quasi);
        quasi.for_each(|spec| spec.rule = Some(Arc::clone(&rule)));
        self
    }

    /// The same schema of a plan that nobody wrote as text: its columns stand on no line.
    pub fn without_lines(mut self) -> Schema {
        self.0.iter_mut().for_each(|spec| spec.line = None);
        self
    }

    /// How a table with these columns is read: as the types and spellings say that are declared.
    pub fn reading(&self) -> ReadOptions {
        let mut options = ReadOptions::default();
        for spec in &self.0 {
            options.types.extend(spec.value_type.map(|kind| (spec.name.clone(), kind)));
            options.written.extend(spec.written.map(|written| (spec.name.clone(), written)));
        }
        options
    }

    /// How much a quasi-identifier counts beside the others.
    ///
    /// ```
    /// use sfumato::data::{ColumnSpec, Role, Schema};
    ///
    /// let age = ColumnSpec { weight: "3".parse().unwrap(), ..ColumnSpec::new("age", Role::Quasi) };
    /// let schema = Schema::of(&["zip", "age"], &[]).with_spec(age);
    /// assert_eq!([schema.weight_of("zip"), schema.weight_of("age")], [1.0, 3.0]);
    /// ```
    pub fn weight_of(&self, name: &str) -> f64 {
        self.find(name).map_or(Weight::ONE, |spec| spec.weight).to_f64()
    }

    /// The names of the columns in a role.
    pub fn names(&self, role: Role) -> Vec<&str> {
        self.0.iter().filter(|column| column.role == role).map(|column| column.name.as_str()).collect()
    }

    /// The table's columns in a role; a column that is not there is an error.
    pub fn select<'t>(&self, table: &'t Table, role: Role) -> Result<Vec<&'t Column>> {
        self.names(role).into_iter().map(|name| self.column(table, name)).collect()
    }

    /// The table's column of a name; that there is none is the plan's fault, on the line that names
    /// it.
    pub fn column<'t>(&self, table: &'t Table, name: &str) -> Result<&'t Column> {
        let line = self.find(name).and_then(|spec| spec.line);
        table.column(name).map_err(|error| line.into_iter().fold(error, |error, line| error.or_line(line)))
    }

    /// The table's quasi-identifiers; that there is none is an error.
    pub fn quasi<'t>(&self, table: &'t Table) -> Result<Vec<&'t Column>> {
        let quasi = self.select(table, Role::Quasi)?;
        if quasi.is_empty() {
            let error = Error::plan("the plan names no quasi-identifier");
            return Err(error.help("give at least one column role = \"quasi\""));
        }
        Ok(quasi)
    }

    /// The table as criteria must see it: values in their declared order, and ways to write one
    /// number as one value of a sensitive column. (Quasi-identifiers stay as they are written:
    /// whoever sees the release can tell 1.5 from 1.50.)
    pub fn prepare<'t>(&self, table: &'t Table) -> Result<Cow<'t, Table>> {
        self.prepare_columns(table, |_| true)
    }

    /// The same of a recoded table: quasi-identifiers have labels, which are in no declared order.
    pub fn prepare_recoded<'t>(&self, table: &'t Table) -> Result<Cow<'t, Table>> {
        self.prepare_columns(table, |spec| spec.role != Role::Quasi)
    }

    fn prepare_columns<'t>(&self, table: &'t Table, which: fn(&ColumnSpec) -> bool) -> Result<Cow<'t, Table>> {
        let mut prepared = Cow::Borrowed(table);
        for spec in self.0.iter().filter(|spec| which(spec)) {
            let Some(column) = table.find(&spec.name) else { continue };
            let mut changed = Cow::Borrowed(column);
            if spec.role == Role::Sensitive && column.has_equal_numbers() {
                changed = Cow::Owned(changed.with_equal_numbers_merged());
            }
            if !spec.order.is_empty() && !changed.is_in_order(&spec.order) {
                changed = Cow::Owned(changed.in_order(&spec.order)?);
            }
            if let Cow::Owned(column) = changed {
                prepared = Cow::Owned(prepared.into_owned().with_column(column)?);
            }
        }
        Ok(prepared)
    }

    /// The hierarchy of a column, bound to its values.
    pub fn hierarchy(&self, column: &Column) -> Result<Hierarchy> {
        let rule = self.find(column.name()).and_then(|spec| spec.rule.as_deref());
        let rule = rule.ok_or_else(|| {
            Error::plan(format!("column \"{}\" has no hierarchy", column.name()))
                .help("give it one in the plan: hierarchy = { … }, see `sfumato list hierarchies`")
        })?;
        Hierarchy::bind(rule, column)
    }

    /// The hierarchy of a quasi-identifier. One for which the plan gives none can be kept or
    /// replaced by `*`.
    pub fn quasi_hierarchy(&self, column: &Column) -> Result<Hierarchy> {
        if self.find(column.name()).is_some_and(|spec| spec.rule.is_some()) {
            return self.hierarchy(column);
        }
        Hierarchy::bind(&*keep_or_suppress(), column)
    }

    /// The lowest and the highest level on which a quasi-identifier may be published.
    pub fn level_range(&self, column: &Column) -> Result<(usize, usize)> {
        let height = self.quasi_hierarchy(column)?.height();
        let (low, high) = self.find(column.name()).and_then(|spec| spec.levels).unwrap_or((0, height));
        if high > height {
            let message = format!("column \"{}\": `levels` goes to {high}, its hierarchy to {height}", column.name());
            return Err(
                Error::plan(message).help(format!("levels = [{low}, {height}] at most; level 0 is the value itself"))
            );
        }
        Ok((low, high))
    }

    /// The rule of a column, if its labels are intervals of the order in which the column's values
    /// are: then neighbouring labels can be joined to a range.
    pub fn interval_rule(&self, column: &Column) -> Option<&dyn Rule> {
        let domain = column.domain();
        let spec = self.find(column.name()).filter(|spec| spec.order.is_empty())?;
        let value = (0..domain.len() as u32).find(|code| domain.missing() != Some(*code))?;
        let rule = spec.rule.as_deref().filter(|_| domain.value_type().is_ordered())?;
        rule.span(1, domain.label(value), domain.label(value)).is_some().then_some(rule)
    }

    /// Refuses quasi-identifier values that are neither base values of the column's hierarchy nor
    /// labels of it, so that a wrong hierarchy shows before anything is decided. Tables recoded by
    /// that hierarchy pass.
    pub fn check_hierarchies(&self, table: &Table) -> Result<()> {
        for column in self.select(table, Role::Quasi)? {
            let Some(rule) = self.find(column.name()).and_then(|spec| spec.rule.as_deref()) else { continue };
            if Hierarchy::bind(rule, column).is_ok() {
                continue;
            }
            let domain = column.domain();
            let known = |code: u32| {
                let alone = || Column::from_values(column.name(), [domain.label(code)]);
                domain.missing() == Some(code)
                    || rule.makes(domain.label(code))
                    || Hierarchy::bind(rule, &alone()).is_ok()
            };
            let foreign: Vec<bool> = (0..domain.len() as u32).map(|code| !known(code)).collect();
            if let Some(row) = column.codes().iter().position(|&code| foreign[code as usize]) {
                return Err(foreign_value(column, row, foreign.iter().filter(|&&is| is).count()));
            }
        }
        Ok(())
    }
}

fn foreign_value(column: &Column, row: usize, others: usize) -> Error {
    let message = format!(
        "column \"{}\": the value in record {} is not in its hierarchy, on any level ({others} of {} values are not)",
        column.name(),
        row + 1,
        column.domain().len(),
    );
    Error::data(message).help(
        "mend the value, extend the hierarchy, or list it under `missing`; for a table recoded in another way, `check --recoded`",
    )
}
