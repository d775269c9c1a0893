//! Keys that would do nothing for what else the plan says are refused.
//!
//! Here are the checks that need no table; those that do are made when a table is published.

use super::TablePlan;
use super::publishing::{Attempt, Publishing};
use super::section::{Section, number, share, text};
use crate::anonymize::Class;
use crate::criterion::Requirement;
use crate::data::{Role, Weight};
use crate::error::{Error, ErrorCode, Result};
use crate::exact::Fraction;
use crate::recode::{Form, Suppressed};

/// Refuses the first key that would do nothing.
pub(super) fn refuse_idle(plan: &TablePlan, root: &Section<'_>) -> Result<()> {
    let case = Case { plan, root, publishing: &plan.publishing };
    case.method()?;
    case.weights()?;
    case.suppression()?;
    case.utility()?;
    case.skew()?;
    case.gate()?;
    case.attacks()
}

struct Case<'a> {
    plan: &'a TablePlan,
    root: &'a Section<'a>,
    publishing: &'a Publishing,
}

impl Case<'_> {
    /// The error that a key of a section has no effect.
    fn idle(&self, section: &str, key: &str, why: &str, help: &str) -> Result<()> {
        let line = match self.root.section(section)? {
            Some(found) => found.line_of(key),
            None => self.root.line,
        };
        let error = Error::of(ErrorCode::NoEffect, format!("[{section}] `{key}` has no effect: {why}"));
        Err(error.line(line).help(help.to_string()))
    }

    fn is_written(&self, section: &str, key: &str) -> Result<bool> {
        Ok(self.root.section(section)?.is_some_and(|section| section.table.get(key).is_some()))
    }

    fn bucketized(&self) -> bool {
        self.publishing.recoding.form == Form::Bucketized
    }

    fn method(&self) -> Result<()> {
        let method = &self.publishing.method;
        let name = method.kind.name;
        if self.is_written("method", "metric")? && !method.chooses_levels() {
            let why = format!("{name} forms groups of records and does not choose among candidates");
            return self.idle("method", "metric", &why, "leave it out, or use a method that chooses levels");
        }
        if method.anatomizes() && method.build().class() == Class::SaOnly {
            let why = format!("{name} forms groups by sensitive values already");
            return self.idle("method", "anatomize", &why, "leave it out");
        }
        Ok(())
    }

    /// Weights compare quasi-identifiers: equal ones do nothing, nor do any where the method does not
    /// compare what columns lose.
    fn weights(&self) -> Result<()> {
        let quasi = || self.plan.schema.columns().iter().filter(|spec| spec.role == Role::Quasi);
        let Some(weighed) = quasi().find(|spec| spec.weight != Weight::ONE) else { return Ok(()) };
        let Publishing { method, metric, .. } = self.publishing;
        let (why, help) = if quasi().all(|spec| spec.weight == weighed.weight) {
            ("all quasi-identifiers have the same one".to_string(), "leave it out, or let another column have less")
        } else if method.chooses_levels() && !method.weighs_columns(metric) {
            let why = format!("the metric {} does not add up what columns lose", metric.kind.name);
            (why, "leave it out, or use a metric that does (`sfumato list metrics`), such as \"loss\"")
        } else if !method.weighs_columns(metric) {
            let why = format!("{}, as the plan sets it, does not compare what columns lose", method.kind.name);
            (why, "leave it out, or use a method that does, such as \"optimal\" or \"mondrian\"")
        } else {
            return Ok(());
        };
        let columns = self.root.section("columns")?;
        let line = columns.map_or(self.root.line, |columns| columns.line_of(&weighed.name));
        let message = format!("column \"{}\": `weight` has no effect: {why}", weighed.name);
        Err(Error::of(ErrorCode::NoEffect, message).line(line).help(help))
    }

    /// Whether records may be suppressed at all, whatever the table.
    fn may_suppress(&self) -> bool {
        let publishing = self.publishing;
        let limit = publishing.max_suppressed;
        let allowed = limit.is_some_and(|limit| limit > Fraction::ZERO);
        match publishing.method.chooses_levels() {
            true => allowed,
            false => self.withholds() && (limit.is_none() || allowed),
        }
    }

    /// Whether a method that forms groups may leave out records: by itself, or because `levels`
    /// keep parts of the table apart in which there is no safe group.
    fn withholds(&self) -> bool {
        let keeps_apart = self.plan.schema.columns().iter().any(|spec| spec.levels.is_some()) && !self.bucketized();
        self.publishing.method.build().withholds() || keeps_apart
    }

    fn suppression(&self) -> Result<()> {
        let name = self.publishing.method.kind.name;
        let some = self.publishing.max_suppressed.is_some_and(|limit| limit > Fraction::ZERO);
        if some && !self.withholds() {
            let why = format!("{name} suppresses no record");
            return self.idle("release", "max_suppressed", &why, "leave it out");
        }
        if self.publishing.recoding.suppressed == Suppressed::Starred && !self.may_suppress() {
            let why = format!("{name} suppresses no record by this plan");
            let help = "leave it out, or allow suppression, as in max_suppressed = \"2%\"";
            return self.idle("release", "suppressed", &why, help);
        }
        Ok(())
    }

    fn utility(&self) -> Result<()> {
        let sensitive = self.plan.schema.names(Role::Sensitive);
        if self.publishing.workload.is_some() && sensitive.is_empty() {
            let keys = ["queries", "dimensions", "selectivity"];
            let written = keys.into_iter().map(|key| Ok((key, self.is_written("utility", key)?)));
            let written = written.collect::<Result<Vec<_>>>()?;
            let key = written.iter().find(|(_, is_written)| *is_written).map_or(keys[0], |(key, _)| key);
            let why = "queries are about a sensitive column, and the plan has none";
            return self.idle("utility", key, why, "leave it out, or give a column role = \"sensitive\"");
        }
        Ok(())
    }

    fn skew(&self) -> Result<()> {
        let Some(section) = self.root.section("skew")?.filter(|_| self.publishing.skew.method.is_none()) else {
            return Ok(());
        };
        let keys = [section.get("l", number)?.map(|_| "l"), section.get("on", text)?.map(|_| "on")];
        match keys.into_iter().flatten().next() {
            None => Ok(()),
            Some(key) => {
                let why = "no records are withheld without a `method`";
                self.idle("skew", key, why, "add method = \"…\" (`sfumato list skews`), or leave it out")
            }
        }
    }

    fn gate(&self) -> Result<()> {
        let Some(section) = self.root.section("gate")? else { return Ok(()) };
        if share(&section, "max_belief")?.is_some() && self.plan.schema.names(Role::Sensitive).is_empty() {
            let why = "it limits beliefs in sensitive values, and the plan has no sensitive column";
            return self.idle("gate", "max_belief", why, "leave it out, or give a column role = \"sensitive\"");
        }
        Ok(())
    }

    fn attacks(&self) -> Result<()> {
        let sections = self.root.sections("attack")?;
        for (section, attempt) in sections.iter().zip(&self.publishing.attacks) {
            if let Some(why) = self.why_not(attempt) {
                let error = Error::plan(format!("[[attack]] {} cannot be made: {why}", attempt.attack.kind.name));
                return Err(error.line(section.line).help("leave it out"));
            }
        }
        Ok(())
    }

    fn why_not(&self, attempt: &Attempt) -> Option<&'static str> {
        if self.plan.requirements.iter().any(Requirement::several_records) {
            return Some("attacks take every record for a person, and here people have several");
        }
        let is_on_suppression = (attempt.attack.kind.build)(&attempt.attack.params).is_about_withheld();
        let nothing_withheld = is_on_suppression && self.publishing.skew.method.is_none();
        nothing_withheld.then_some("no records are withheld for a frequent value without [skew] method")
    }
}
