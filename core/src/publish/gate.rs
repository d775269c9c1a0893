//! The gate: only a publication that survived its attacks shows what it would publish.

use super::{Publication, transactions};
use crate::anonymize::{self, ChosenMethod, Class};
use crate::attack::Finding;
use crate::error::{Error, ErrorCode, Result};
use crate::kind::Kind;

/// Something that was made to be published, and that a gate may refuse.
pub trait Gated {
    /// What is known about it.
    type Publication;

    /// What is known about it.
    fn publication(&self) -> &Self::Publication;

    /// Refuses it if attacks found more than the plan lets pass.
    fn gate(&self) -> Result<()>;
}

/// A publication before its gate: what is known about it can be read, what it would publish cannot.
pub struct Draft<M: Gated>(M);

impl<M: Gated> Draft<M> {
    pub(super) fn new(made: M) -> Draft<M> {
        Draft(made)
    }

    /// What is known about it.
    pub fn publication(&self) -> &M::Publication {
        self.0.publication()
    }

    /// Whether it may be published.
    pub(super) fn passes(&self) -> bool {
        self.0.gate().is_ok()
    }

    /// What is published, if no attack found more than the plan lets pass.
    pub fn pass(self) -> Result<M> {
        self.0.gate()?;
        Ok(self.0)
    }
}

/// Refuses a table of which attacks found too much.
pub(super) fn gate_table(publication: &Publication) -> Result<()> {
    if !publication.attacks_refuse {
        return Ok(());
    }
    let excessive: Vec<String> = publication
        .excessive()
        .map(|finding| {
            let on = finding.on.as_ref().map_or(String::new(), |on| format!(" on {on}"));
            let limit = finding.limit.map_or(1.0, |limit| limit.belief.to_f64());
            let (attack, reached) = (finding.attack, finding.highest.to_f64());
            match (finding.undecided_people(), finding.undecided_suppressed()) {
                (None, Some(gone)) if gone == finding.above_limit => format!(
                    "{attack}{on} decides nothing about {gone} suppressed people, who count as above the limit of {limit:.4}"
                ),
                (None, _) => format!(
                    "{attack}{on} reaches a belief of {reached:.4} where {limit:.4} is the limit; {} people are above it",
                    finding.above_limit
                ),
                (Some(open), _) => format!(
                    "{attack}{on} is inconclusive for {open} people, who count as above the limit of {limit:.4}, and reaches at least {reached:.4}"
                ),
            }
        })
        .collect();
    if excessive.is_empty() {
        return Ok(());
    }
    let message = format!("attacks exceed their limits: {}", excessive.join("; "));
    let is_open = |finding: &Finding| finding.undecided_people().is_some();
    let is_withheld = |finding: &Finding| finding.undecided_suppressed().is_some();
    let help = match () {
        () if publication.excessive().any(is_open) => format!(
            "use a method that the attack can decide ({}), leave out metrics and limits that read sensitive values,",
            decidable_methods().join(", ")
        ),
        () if publication.excessive().any(is_withheld) => "use a method that suppresses nobody,".to_string(),
        () => "require a criterion that keeps to the limit (`sfumato list criteria`), use a method that discloses less (`sfumato list methods`),".to_string(),
    };
    let help = format!("{help} leave out the limit, or publish all the same: [gate] attacks = \"report\"");
    Err(Error::of(ErrorCode::AttackLimit, message).help(help))
}

/// Methods whose choices an attacker can replay, whatever the criteria.
fn decidable_methods() -> Vec<&'static str> {
    let class =
        |kind: &&'static Kind<anonymize::Build>| ChosenMethod::new(kind.name, &[]).map(|one| one.build().class());
    let is_decidable = |kind: &&'static Kind<anonymize::Build>| {
        matches!(class(kind), Ok(Class::QiOnly | Class::SaOnly | Class::EvenSplit))
    };
    anonymize::KINDS.into_iter().filter(is_decidable).map(|kind| kind.name).collect()
}

/// Refuses a publication in which attacks found more than is demanded.
pub(super) fn gate_sets(publication: &transactions::Publication) -> Result<()> {
    let excessive = publication.attacks.iter().filter(|found| found.is_excessive());
    let found: Vec<String> = excessive
        .map(|after| format!("{} discloses a sensitive item of {} people", after.attack.kind.name, after.people))
        .collect();
    if found.is_empty() || !publication.attacks_refuse {
        return Ok(());
    }
    let message = format!("attacks found more than is demanded: {}", found.join("; "));
    let help = "require a criterion that keeps to it (`sfumato list transaction-criteria`), or tolerate it: [gate] attacks = \"report\"";
    Err(Error::of(ErrorCode::AttackLimit, message).help(help))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::SetPlan;
    use crate::transactions::read_lines;

    #[test]
    fn attacks_that_find_more_than_is_demanded_refuse() {
        let plan = r#"
            data = { kind = "transactions", sensitive = { items = ["wine"] } }
            require = [{ criterion = "rho-uncertainty", rho = "0.5" }]
        "#;
        let plan = SetPlan::parse(plan, ".".as_ref()).unwrap();
        let read = read_lines(b"bread wine\nbread milk\nmilk wine\nmilk bread\n", None).unwrap();
        let formats = crate::data::Formats::default();
        let mut publication = crate::publish::make(&plan, &read, &formats).unwrap().publication().clone();
        assert!(gate_sets(&publication).is_ok());
        publication.attacks[0].people = 2;
        assert!(gate_sets(&publication).unwrap_err().to_string().contains("of 2 people"));
        publication.attacks_refuse = false;
        assert!(gate_sets(&publication).is_ok());
    }
}
