//! The spine of every publication: one order of stages, for tables and for sets of items.
//!
//! Load, withhold, form, recode, read back and audit, attack, measure: [`make`] runs them, and the
//! gate comes next ([`Draft::pass`]). Writing is the last stage and another layer's work
//! (`release`).

use super::choice::first_that_passes;
use super::gate::{Draft, Gated};
use crate::data::Formats;
use crate::error::Result;

/// What the two kinds of data do differently in each stage. A plan knows how its own kind is
/// published, so plans implement it.
pub trait Stages: Sized {
    /// What is published.
    type Data;
    /// Data that were checked against the plan.
    type Loaded<'a>
    where
        Self: 'a;
    /// What is left of them once records of too frequent values are withheld.
    type Kept<'a>
    where
        Self: 'a;
    /// What the method decided.
    type Formed;
    /// What would be published.
    type Recoded;
    /// What holds for it, whatever the method believed.
    type Audited;
    /// What attacks found in it.
    type Attacked;
    /// All of that, for the gate.
    type Made: Gated;

    /// The plans that this one may be carried out by, the first to be tried first; none if it
    /// leaves nothing open.
    fn choices(&self, _: &Self::Data, _: &Formats) -> Result<Vec<Self>> {
        Ok(Vec::new())
    }

    /// Checks that the plan can be carried out on these data.
    fn load<'a>(&'a self, data: &'a Self::Data, formats: &'a Formats) -> Result<Self::Loaded<'a>>;

    /// Withholds records of values that are too frequent for any grouping.
    fn withhold<'a>(&'a self, loaded: Self::Loaded<'a>) -> Result<Self::Kept<'a>>;

    /// Lets the method decide.
    fn form(&self, kept: &Self::Kept<'_>) -> Result<Self::Formed>;

    /// Carries the decision out.
    fn recode(&self, kept: &Self::Kept<'_>, formed: &mut Self::Formed) -> Result<Self::Recoded>;

    /// Audits what would be published as its readers have it. A criterion that does not hold there
    /// is a defect of the method ([`Fault::Internal`](crate::Fault::Internal)).
    fn audit(&self, work: &Work<'_, Self>) -> Result<Self::Audited>;

    /// Makes every attack of the plan once.
    fn attack(&self, work: &Work<'_, Self>, audited: &Self::Audited) -> Result<Self::Attacked>;

    /// Measures what is left, and says everything that is known.
    fn measure(&self, work: Work<'_, Self>, audited: Self::Audited, attacked: Self::Attacked) -> Result<Self::Made>;
}

/// What the stages up to recoding left.
pub struct Work<'a, P: Stages + 'a> {
    pub(super) kept: P::Kept<'a>,
    pub(super) formed: P::Formed,
    pub(super) recoded: P::Recoded,
}

/// Makes a publication: every stage up to the gate. Nothing is written.
///
/// ```
/// use sfumato::data::{Formats, sample};
///
/// let plan = sfumato::TablePlan::parse(r#"
///     [columns]
///     age     = { role = "quasi", hierarchy = { intervals = [5, 10, 20] } }
///     sex     = { role = "quasi" }
///     disease = { role = "sensitive" }
///
///     [[require]]
///     criterion = "k-anonymity"
///     k = 5
/// "#, ".".as_ref())?;
/// let made = sfumato::publish::make(&plan, &sample::hospital(1000, 1), &Formats::default())?;
/// let made = made.pass()?; // no attack found more than is promised
/// assert!(made.publication.criteria.iter().all(|answer| answer.verdict.holds));
/// assert_eq!(made.recoded.table.rows(), made.publication.published);
/// # Ok::<(), sfumato::Error>(())
/// ```
///
/// Sets of items take the same way:
///
/// ```
/// use sfumato::data::Formats;
///
/// let plan = sfumato::plan::SetPlan::parse(r#"
///     [data]
///     kind = "transactions"
///     sensitive = { items = ["beer"] }
///
///     [[require]]
///     criterion = "rho-uncertainty"
///     rho = "0.5"
/// "#, ".".as_ref())?;
/// let read = sfumato::transactions::read_lines(b"milk beer\nmilk beer\nmilk bread\nbread\n", None)?;
/// let made = sfumato::publish::make(&plan, &read, &Formats::default())?.pass()?;
/// assert_eq!(made.publication.records, 4);
/// assert!(made.publication.criteria.iter().all(|answer| answer.holds));
/// # Ok::<(), sfumato::Error>(())
/// ```
pub fn make<P: Stages>(plan: &P, data: &P::Data, formats: &Formats) -> Result<Draft<P::Made>> {
    formats.watch().run(|| {
        let choices = plan.choices(data, formats)?;
        match choices.is_empty() {
            true => draft(plan, data, formats),
            false => first_that_passes(choices.iter().map(|plan| draft(plan, data, formats))),
        }
    })
}

/// All stages up to the gate.
fn draft<P: Stages>(plan: &P, data: &P::Data, formats: &Formats) -> Result<Draft<P::Made>> {
    let kept = plan.withhold(plan.load(data, formats)?)?;
    let mut formed = plan.form(&kept)?;
    let recoded = plan.recode(&kept, &mut formed)?;
    let work = Work { kept, formed, recoded };
    let audited = plan.audit(&work)?;
    let attacked = plan.attack(&work, &audited)?;
    plan.measure(work, audited, attacked).map(Draft::new)
}
