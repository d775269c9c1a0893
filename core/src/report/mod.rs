//! What people and programs read: terminal text and JSON, from the same values.

mod attacks;
mod comparison;
mod eligibility;
pub mod html;
mod json;
mod population;
mod release;
mod skyline;
mod terminal;
mod together;
pub mod transactions;

pub use attacks::{Reported, Source, attack_json, attacks_text};
pub use comparison::compare_text;
pub use eligibility::{eligibility_json, eligibility_text};
pub use json::{answer_json, audit_json, internal_json, list_json, profile_json};
pub use population::{population_json, population_text};
pub use release::publication_text;
pub use skyline::{skyline_json, skyline_text};
pub use terminal::{audit_text, counted, grouped, list_text, profile_text};
pub use together::{Pair, Related, together_json, together_text};

use crate::anonymize;
use crate::attack;
use crate::criterion;
use crate::data::{Formats, hierarchy};
use crate::kind::{Kind, Param};
use crate::skew;
use crate::transactions as sets;
use crate::utility;

/// One member of a family, for listings.
pub struct Listed {
    /// Its name.
    pub name: &'static str,
    /// One sentence about it.
    pub summary: &'static str,
    /// Where it is defined.
    pub reference: &'static str,
    /// What can be set.
    pub params: &'static [Param],
    /// An example, as written in a plan.
    pub example: String,
}

/// A family with its members.
pub struct Family {
    /// The word on the command line.
    pub name: &'static str,
    /// What its members are.
    pub summary: &'static str,
    /// The members in order.
    pub members: Vec<Listed>,
}

/// Every family that plans and commands can name.
pub fn families(formats: &Formats) -> Vec<Family> {
    let inline = |kind: &Kind<hierarchy::Build>| format!("hierarchy = {{ {} }}", assignments(kind.example).join(", "));
    let format = |format: &dyn crate::data::Format| Listed {
        name: format.name(),
        summary: format.summary(),
        reference: "",
        params: &[],
        example: format.endings().iter().map(|ending| format!("table.{ending}")).collect::<Vec<_>>().join(", "),
    };
    vec![
        Family {
            name: "criteria",
            summary: "What must hold for a release ([[require]])",
            members: criterion::KINDS.iter().map(|kind| named("criterion", kind)).collect(),
        },
        Family {
            name: "methods",
            summary: "How groups are formed ([method])",
            members: anonymize::KINDS.iter().map(|kind| named("name", kind)).collect(),
        },
        Family {
            name: "skews",
            summary: "Which records are withheld where one value is too frequent for any grouping ([skew])",
            members: skew::KINDS.iter().map(|kind| skew_member(kind)).collect(),
        },
        Family {
            name: "metrics",
            summary: "What a release is still worth, smaller is better ([method] metric = …)",
            members: utility::KINDS.iter().map(|kind| member(kind, metric_example(kind))).collect(),
        },
        Family {
            name: "attacks",
            summary: "What is tried on a release before it is published ([[attack]])",
            members: attack::KINDS.iter().map(|kind| named("attack", kind)).collect(),
        },
        Family {
            name: "hierarchies",
            summary: "How values are made coarser (hierarchy = { … })",
            members: hierarchy::KINDS.iter().map(|kind| member(kind, inline(kind))).collect(),
        },
        Family {
            name: "transaction-criteria",
            summary: "What must hold for a release of transactions ([[require]] where [data] kind = \"transactions\")",
            members: sets::criterion::KINDS.iter().map(|kind| named("criterion", kind)).collect(),
        },
        Family {
            name: "transaction-methods",
            summary: "How transactions are changed until it holds ([method])",
            members: sets::method::KINDS.iter().map(|kind| named("name", kind)).collect(),
        },
        Family {
            name: "transaction-metrics",
            summary: "What a release of transactions is still worth ([[utility]])",
            members: sets::metric::KINDS.iter().map(|kind| named("metric", kind)).collect(),
        },
        Family {
            name: "transaction-attacks",
            summary: "What is tried on a release of transactions before it is published ([[attack]])",
            members: sets::attack::KINDS.iter().map(|kind| named("attack", kind)).collect(),
        },
        Family {
            name: "formats",
            summary: "Files that tables are read from and written to, by their ending",
            members: formats.iter().map(format).collect(),
        },
    ]
}

/// A way to withhold records; of one that is only a bound there is no example.
fn skew_member(kind: &Kind<skew::Build>) -> Listed {
    let is_publishable = skew::make(kind).is_publishable();
    if is_publishable { named("method", kind) } else { member(kind, String::new()) }
}

/// A member with its example as a section of a plan, in which a key names it.
fn named<B>(key: &str, kind: &Kind<B>) -> Listed {
    let mut lines = vec![format!("{key} = \"{}\"", kind.name)];
    lines.extend(assignments(kind.example));
    member(kind, lines.join("; "))
}

fn metric_example(kind: &Kind<utility::Build>) -> String {
    match assignments(kind.example).as_slice() {
        [] => format!("metric = \"{}\"", kind.name),
        settings => format!("metric = {{ name = \"{}\", {} }}", kind.name, settings.join(", ")),
    }
}

fn member<B>(kind: &Kind<B>, example: String) -> Listed {
    Listed { name: kind.name, summary: kind.summary, reference: kind.reference, params: kind.params, example }
}

fn assignments(example: &[(&str, &str)]) -> Vec<String> {
    example.iter().map(|(name, value)| format!("{name} = {value}")).collect()
}
