//! Suppression only: the value, or `*`.

use super::{Build, Ladder, Rule, TOP, ladder_of};
use crate::data::{Column, ValueType};
use crate::error::{Error, Result};
use crate::kind::{Kind, Param, Shape};

pub(super) const KIND: Kind<Build> = Kind {
    name: "suppress",
    summary: "Keep the value or replace it by *",
    reference: "Samarati 2001",
    params: &[Param { name: "suppress", summary: "must be true", shape: Shape::Flag, default: None }],
    example: &[("suppress", "true")],
    build: Build {
        make: |params, _| match params.flag("suppress") {
            true => Ok(Box::new(Suppress)),
            false => Err(Error::plan("`suppress = false` makes no hierarchy").help("leave the hierarchy out")),
        },
        draft: |domain| {
            let has_ranges = matches!(domain.value_type(), ValueType::Decimal | ValueType::Time);
            let are_ranges = has_ranges && domain.present() > 2;
            (!are_ranges).then(|| "true".into())
        },
    },
};

pub(super) struct Suppress;

impl Rule for Suppress {
    fn ladder(&self, column: &Column) -> Result<Ladder> {
        ladder_of(column, "a value", |_| Some(Vec::new()))
    }

    fn makes(&self, label: &str) -> bool {
        label == TOP
    }
}
