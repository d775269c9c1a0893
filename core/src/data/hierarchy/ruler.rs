//! How wide a published label is: what can be told from the label itself, without the original
//! table.

use crate::data::Center;
use std::collections::BTreeMap;

/// What the width of a column's labels is measured by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruler {
    /// Labels are numbers or ranges of numbers.
    Numbers {
        /// The range that all labels together leave open at most, written as a label. By default
        /// from the least to the greatest end of a published label.
        whole: Option<String>,
    },
    /// Labels are dates, calendar units, or ranges of them.
    Dates {
        /// As for numbers.
        whole: Option<String>,
    },
    /// Labels have some of their characters replaced by `*`.
    Characters,
    /// Labels stand over leaves of a hierarchy that the plan gives.
    Leaves {
        /// How many leaves the hierarchy has.
        all: u32,
        /// How many stand under each published label that is not a leaf itself.
        under: BTreeMap<String, u32>,
    },
    /// Labels are values, or sets of them.
    Values,
    /// Labels are texts, or ranges of them in their order.
    Spans,
    /// Labels are means or medians: they do not say between which values a group lies.
    Center(Center),
}

impl Ruler {
    /// Its name in certificates.
    pub fn name(&self) -> &'static str {
        match self {
            Ruler::Numbers { .. } => "numbers",
            Ruler::Dates { .. } => "dates",
            Ruler::Characters => "characters",
            Ruler::Leaves { .. } => "leaves",
            Ruler::Values => "values",
            Ruler::Spans => "spans",
            Ruler::Center(center) => center.name(),
        }
    }

    /// The whole range, if it is said.
    pub fn whole(&self) -> Option<&str> {
        match self {
            Ruler::Numbers { whole } | Ruler::Dates { whole } => whole.as_deref(),
            _ => None,
        }
    }
}
