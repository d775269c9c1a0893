//! The method is chosen by what it keeps.
//!
//! **Finds** what the best of several methods finds. **How**: `publish` lets every method that
//! suits the form of the release form groups as if sizes of groups were all that mattered, and
//! orders the methods by the information that is kept then, the most first. The first one that
//! leads to a release within all criteria and limits of the plan is taken. In a bucketized release
//! nothing is lost of quasi-identifiers; there the order is fixed. **Class**: asymmetric; a release
//! states the method that was taken, and its class. The order tells nothing about sensitive values.
//! That a method was passed over does, unless it reads sensitive values alone. **Reference**: ours.

use super::{Build, ChosenMethod, Class, Method, Task, Transformation, anatomy, local_recoding, mondrian, optimal};
use super::{skyline_anonymize, symmetric_grouping};
use crate::criterion::{Bound, Scope};
use crate::error::Result;
use crate::kind::Kind;
use crate::recode::Form;

/// The description of the method.
pub const KIND: Kind<Build> = Kind {
    name: "auto",
    summary: "Takes the method that keeps most information where sizes of groups alone matter, and the next one if it leads to no release",
    reference: "ours",
    params: &[],
    example: &[],
    build: |_| Box::new(Auto),
};

/// A search over more choices of levels takes longer than it may win.
const MOST_NODES: u128 = 20_000;

struct Auto;

impl Method for Auto {
    /// Without a release to compare, the first method that finds anything.
    fn run(&self, task: &Task<'_>) -> Result<Option<Transformation>> {
        for method in candidates(Form::Generalized, task, false)? {
            if let Some(found) = method.run(task)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn class(&self) -> Class {
        Class::Asymmetric
    }

    fn weighs_columns(&self) -> bool {
        true
    }

    fn withholds(&self) -> bool {
        true
    }
}

/// The methods to choose among. What they are depends on the plan and on quasi-identifiers alone.
/// Where what is learnt by knowing the method is limited, those that hardly tell anything.
pub fn candidates(form: Form, task: &Task<'_>, is_limited: bool) -> Result<Vec<ChosenMethod>> {
    let mut kinds = match form {
        Form::Bucketized => vec![&anatomy::KIND, &symmetric_grouping::KIND, &mondrian::KIND],
        Form::Generalized => vec![&local_recoding::KIND, &mondrian::KIND],
    };
    // Whether a method that reads values alone leads to a release then depends on who has which.
    let reads_both = |bound: &Bound| bound.criterion.properties().scope == Scope::Original;
    if task.bound.iter().any(reads_both) {
        kinds.retain(|kind| {
            !ChosenMethod::new(kind.name, &[]).is_ok_and(|method| method.build().class() == Class::SaOnly)
        });
    }
    kinds.extend((super::nodes(&task.levels())? <= MOST_NODES).then_some(&optimal::KIND));
    let methods = kinds.into_iter().map(|kind| ChosenMethod::new(kind.name, &[]));
    let blinded = |method: ChosenMethod| if is_limited { method.blinded().unwrap_or(method) } else { method };
    methods.map(|method| Ok(blinded(method?))).collect()
}

/// The method that goes before all others where criteria look at several groups together.
pub fn of_several_groups() -> Result<ChosenMethod> {
    ChosenMethod::new(skyline_anonymize::KIND.name, &[])
}

/// Whether it tells something about who has which value that a method was taken and those before it
/// were not.
///
/// # Claim
/// A method that reads quasi-identifiers alone, or sensitive values alone, comes to a release or to
/// none alike in every world: worlds differ in who has which value, not in how many have it. Where
/// criteria read both together, no method of the second kind is a candidate.
pub fn tells(among: &[&str], taken: &str) -> bool {
    let passed_over = among.iter().take_while(|name| **name != taken);
    let class = |name: &&str| ChosenMethod::new(name, &[]).map(|method| method.build().class());
    passed_over.map(class).any(|class| !matches!(class, Ok(Class::QiOnly | Class::SaOnly)))
}
