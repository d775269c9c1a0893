//! Attacks: what somebody who reads the release, and knows more, comes to believe.
//!
//! An attack is granted stated knowledge and reports the highest belief it reaches and how many
//! people are concerned. The gate compares beliefs with what the plan's criteria promise against
//! that knowledge, and with what the plan tolerates.

pub mod background_knowledge;
pub mod definetti;
pub mod demographic;
pub mod eligibility;
pub mod homogeneity;
mod joint;
pub mod linkage;
pub mod minimality;
pub mod register;
mod reidentification;
mod shared;
pub mod together;
pub mod worlds;

pub use reidentification::Reidentification;

use crate::anonymize::{Class, Method, View};
use crate::candidate::Groups;
use crate::criterion::{About, Bound, Budget, Knowledge, Limit, Requirement};
use crate::data::{Column, Formats, Role, Schema, Table, sample};
use crate::error::{Error, Result};
use crate::exact::Fraction;
use crate::kind::{self, Kind, Member, Params, Raw};
use crate::skew::{self, PublishedCounts, Ranked};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::path::Path;

/// The attacks: whose record it is, then which value it has, by attackers who know more and more.
pub const KINDS: [&Kind<Build>; 7] = [
    &linkage::KIND,
    &homogeneity::KIND,
    &background_knowledge::KIND,
    &definetti::KIND,
    &demographic::KIND,
    &minimality::KIND,
    &eligibility::KIND,
];

/// The attack that computes a belief for each group and value.
pub const BY_GROUP: &Kind<Build> = &background_knowledge::KIND;

/// The attack with a name; the error offers the nearest.
pub fn find(name: &str) -> Result<&'static Kind<Build>> {
    kind::find(&KINDS, "attack", name)
}

/// The attacks where a plan names none: each as it is by default, and, where criteria have points
/// of knowledge, somebody who knows just as much.
pub fn usual(requirements: &[Requirement]) -> Vec<ChosenAttack> {
    let usual = Member::defaults(&KINDS).into_iter();
    let points = requirements.iter().flat_map(Requirement::points);
    let mut budgets: Vec<Budget> = points.map(|point| Budget::new(point.l, point.k, point.m)).collect();
    budgets.sort_unstable();
    budgets.dedup();
    let kind = BY_GROUP;
    let granted = budgets.into_iter().map(|budget| Member { kind, params: background_knowledge::with(budget) });
    usual.chain(granted).collect()
}

/// Makes an attack from checked parameters.
pub type Build = fn(&Params) -> Box<dyn Attack>;

/// The stage of work in which a release is attacked; every attack is a step.
pub const ATTACKING: &str = "attacking";

/// An attack with its parameters.
pub type ChosenAttack = Member<Build>;

/// What the attacker works on.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    /// The published records (without starred ones), quasi-identifiers recoded.
    pub release: &'a Table,
    /// Published records that look alike.
    pub groups: &'a Groups,
    /// Whether quasi-identifiers are published as they are, apart from sensitive values: then the
    /// records of a group do not look alike.
    pub bucketized: bool,
    /// Roles and further words of the plan on columns.
    pub schema: &'a Schema,
    /// The original, where it is at hand: when a release is made, not when it is verified.
    pub original: Option<Original<'a>>,
    /// How it was made, for an attacker who knows that and everybody's quasi-identifiers; nothing
    /// where too little is at hand.
    pub making: Option<Making<'a>>,
    /// What the method's choices depend on, where that is known.
    pub class: Option<Class>,
    /// Whether the release was chosen, or let pass, by something else that depends on sensitive
    /// values: a metric that reads them, or a limit on an attack that does. No attack that counts
    /// worlds knows what that leaves out.
    pub is_conditioned: bool,
    /// How many records are missing: suppressed by the method, or withheld before.
    pub missing: u64,
    /// Whether some of them may be missing because of their sensitive values: withheld where one
    /// was too frequent.
    pub is_missing_by_value: bool,
    /// Which records were withheld before because a value was too frequent, if that is known and
    /// was done.
    pub suppressed: Option<Suppressed<'a>>,
    /// What the criteria promise.
    pub promises: &'a Promises<'a>,
    /// How files such as registers are read.
    pub formats: &'a Formats,
    /// The folder that files are relative to.
    pub folder: &'a Path,
}

/// The table that a release was made from.
#[derive(Clone, Copy)]
pub struct Original<'a> {
    /// The table, as criteria see it.
    pub table: &'a Table,
    /// For each published record its row there.
    pub row_of: &'a [u32],
}

/// How a release was made.
#[derive(Clone, Copy)]
pub enum Making<'a> {
    /// Records were put into groups.
    Groups(Grouped<'a>),
    /// The best of all choices of levels was looked for.
    Levels(minimality::Searched<'a>),
}

/// How records were put into groups.
#[derive(Clone, Copy)]
pub struct Grouped<'a> {
    /// The method with the parameters that it worked with.
    pub method: &'a dyn Method,
    /// Records with exact quasi-identifiers, in the groups that the method is replayed on.
    pub view: View<'a>,
    /// The published groups of the same records: parts of the former where large groups were
    /// divided by their sensitive values, else the same.
    pub published: &'a Groups,
    /// The criteria, bound to those records or to the table that they come from.
    pub bound: &'a [Bound],
}

/// How records of frequent values were withheld.
#[derive(Clone, Copy)]
pub struct Suppressed<'a> {
    /// The way.
    pub method: &'static Kind<skew::Build>,
    /// The sensitive column, as far as it was left.
    pub on: &'a Column,
    /// Among how many values the most frequent one is to hide.
    pub l: u64,
    /// How many records there were.
    pub records: u64,
    /// Whether all that was left is published.
    pub is_published: bool,
}

impl Suppressed<'_> {
    /// What everybody sees of it.
    pub fn seen(&self) -> PublishedCounts {
        PublishedCounts { counts: Ranked::new(&self.on.counts()).frequencies, records: self.records, l: self.l }
    }
}

/// What criteria that hold promise, and what the plan tolerates beyond.
#[derive(Clone)]
pub struct Promises<'a> {
    /// The criteria, bound to the table that the release was made from.
    pub criteria: Vec<(&'a Requirement, &'a Bound)>,
    /// Whether these are all of the plan's criteria: from a release alone some cannot be told.
    pub all: bool,
    /// The most that anybody who knows nothing else may believe in a sensitive value, if the plan
    /// says so.
    pub max_belief: Option<Fraction>,
    /// The largest chance to pick a person's record, if the plan says so.
    pub max_risk: Option<Fraction>,
    /// The most that this very attack may reach, whatever it knows, if the plan says so.
    pub max_here: Option<Fraction>,
}

impl Promises<'_> {
    /// Of a release whose maker promises nothing.
    pub fn nothing() -> Self {
        Promises { criteria: Vec::new(), all: true, max_belief: None, max_risk: None, max_here: None }
    }

    /// The tightest limit on a belief about a sensitive column, or about identity if no column is
    /// named.
    pub fn limit(&self, column: Option<&str>, about: About, knowledge: Knowledge) -> Option<Limit> {
        let limits = [self.promised(column, about, knowledge), self.tolerated(about, knowledge)];
        limits.into_iter().flatten().min_by(tighter)
    }

    /// The tightest limit that the plan sets beside its criteria.
    pub fn tolerated(&self, about: About, knowledge: Knowledge) -> Option<Limit> {
        let everywhere = match (about, knowledge) {
            (About::Identity, _) => self.max_risk,
            (About::Value(_), Knowledge::Nothing) => self.max_belief,
            (About::Value(_), _) => None,
        };
        everywhere.into_iter().chain(self.max_here).min().map(|belief| Limit { belief, strict: false })
    }

    /// The tightest limit that a criterion promises.
    pub fn promised(&self, column: Option<&str>, about: About, knowledge: Knowledge) -> Option<Limit> {
        let concerned = self.criteria.iter().filter(|(wanted, _)| match column {
            None => true,
            Some(column) => wanted.on.len() == 1 && wanted.on[0] == column,
        });
        concerned.filter_map(|(_, bound)| bound.criterion.promise(about, knowledge)).min_by(tighter)
    }
}

/// Less for the tighter limit.
fn tighter(a: &Limit, b: &Limit) -> Ordering {
    a.belief.cmp(&b.belief).then(b.strict.cmp(&a.strict))
}

/// Finds out what can be believed.
///
/// Obligations: the finding depends on the release, the stated knowledge and nothing else; neither
/// the order of rows nor the number of threads changes it; `people` counts published records.
pub trait Attack: Send + Sync {
    /// Attacks the release; one finding for each sensitive column, or one in all.
    fn run(&self, target: &Target<'_>) -> Result<Vec<Finding>>;

    /// Whether it is about records that were withheld for a frequent value.
    fn is_about_withheld(&self) -> bool {
        false
    }

    /// Whether what it finds depends on original sensitive values beyond what is published: that a
    /// release keeps to a limit on it tells something about them.
    fn reads_hidden_values(&self) -> bool {
        false
    }

    /// Whether it is by somebody who knows the method.
    fn knows_the_method(&self) -> bool {
        false
    }

    /// Whether it is about such a release at all. By default, it is about sensitive columns.
    fn is_made(&self, target: &Target<'_>) -> bool {
        !target.schema.names(Role::Sensitive).is_empty()
    }

    /// What it believes about each group and each of its values that needs protection; nothing if
    /// it does not look at groups that way.
    fn each(&self, _target: &Target<'_>) -> Result<Option<Vec<Believed>>> {
        Ok(None)
    }
}

/// A belief about the people of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Believed {
    /// The sensitive column.
    pub on: String,
    /// The group's number.
    pub group: usize,
    /// Its first published record, from 1.
    pub first_record: usize,
    /// How many people are in it.
    pub people: u64,
    /// The value.
    pub value: String,
    /// How far it is believed in.
    pub belief: f64,
}

impl Believed {
    /// Beliefs as a table, a row for each group and value.
    pub fn table(found: &[Believed]) -> Result<Table> {
        let column = |name: &str, text: fn(&Believed) -> String| Column::from_values(name, found.iter().map(text));
        Table::new(vec![
            column("on", |one| one.on.clone()),
            column("first_record", |one| one.first_record.to_string()),
            column("people", |one| one.people.to_string()),
            column("value", |one| one.value.clone()),
            column("belief", |one| one.belief.to_string()),
        ])
    }
}

/// What an attack found.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Which attack.
    pub attack: &'static str,
    /// Its parameters, as written or by default.
    pub params: Params,
    /// The sensitive column that it is about, if it is about one.
    pub on: Option<String>,
    /// What the attacker was granted, in a sentence.
    pub knowledge: String,
    /// The highest belief reached; zero where there is nothing to believe.
    pub highest: Fraction,
    /// Whether that is a lower bound only: about somebody it could not be decided how much is
    /// believed.
    pub is_lower_bound: bool,
    /// People (published records) whom the attack affects, by its own definition.
    pub people: u64,
    /// Groups that they are in.
    pub groups: u64,
    /// The tightest limit on such a belief that any criterion or the plan sets.
    pub limit: Option<Limit>,
    /// People about whom more is believed than the limit allows.
    pub above_limit: u64,
    /// Further numbers, by name.
    pub details: Vec<(&'static str, f64)>,
    /// In which way it was found what is believed about how many people, if there are several.
    pub decided_by: Option<DecidedBy>,
    /// How many people have which highest belief: twenty steps, (0, 0.05] first.
    pub beliefs: [u64; 20],
    /// Whether beliefs are claims: of somebody who guesses how people are, and may be sure and
    /// wrong.
    pub is_claim: bool,
    /// Of the people in each of these steps, those who have the value that is most believed in;
    /// where it was compared with the truth, which the custodian alone knows.
    pub right: Option<[u64; 20]>,
    /// Whether it can be repeated from the release alone.
    pub repeatable: bool,
    /// What a reader of the release should know about it.
    pub warning: Option<String>,
}

/// About how many people it was found what is believed, in which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecidedBy {
    /// By a proof that nothing is learnt about them.
    pub immune: u64,
    /// By a bound that holds for everybody at once.
    pub bounded: u64,
    /// By counting.
    pub exact: u64,
    /// By drawing, with intervals that hold all together.
    pub sampled: u64,
    /// Not at all.
    pub undecided: u64,
}

impl Finding {
    /// The share of records about whom somebody who knows the method believes more than is
    /// promised, if it found any.
    pub fn vulnerable_share(&self) -> Option<f64> {
        self.detail(VULNERABLE_SHARE).filter(|share| *share > 0.0)
    }

    /// Refuses a register of which no record fits the release: it is written in another way, and an
    /// attack with it proves nothing.
    pub fn check_register(&self) -> Result<()> {
        if self.detail(REGISTER_FITTING) != Some(0.0) {
            return Ok(());
        }
        let message = format!("{}: no record of the register fits any group of the release", self.attack);
        Err(Error::plan(message).help("are its values written as in the table, or as labels of the hierarchies?"))
    }

    /// How many people something could not be decided about, if any.
    pub fn undecided_people(&self) -> Option<u64> {
        self.detail(UNDECIDED_PEOPLE).filter(|people| *people > 0.0).map(|people| people as u64)
    }

    /// How many suppressed people nothing is known about, if any.
    pub fn undecided_suppressed(&self) -> Option<u64> {
        self.detail(SUPPRESSED_UNDECIDED).map(|people| people as u64)
    }

    /// What it was claimed that the belief in which value was the most frequent is not above;
    /// nothing for beliefs about people.
    pub fn claimed_belief(&self) -> Option<f64> {
        self.detail(CLAIMED_BELIEF)
    }

    /// The same, if it is above that.
    pub fn broken_claim(&self) -> Option<f64> {
        let is_known = self.undecided_people().is_none();
        self.claimed_belief().filter(|claimed| is_known && self.highest.to_f64() > *claimed)
    }

    /// Its name, with the parameters that are not the default ones.
    pub fn title(&self) -> String {
        let described = find(self.attack).map_or(&[][..], |kind| kind.params);
        let set = self.params.iter().map(|(name, setting)| (name, setting.to_string())).filter(|(name, written)| {
            let param = described.iter().find(|param| param.name == *name);
            param.is_some_and(|param| param.default != Some(written.as_str()))
        });
        let set: Vec<String> = set.map(|(name, written)| format!("{name} {written}")).collect();
        if set.is_empty() { self.attack.to_string() } else { format!("{} ({})", self.attack, set.join(", ")) }
    }

    /// A further number, if it was found.
    pub fn detail(&self, name: &str) -> Option<f64> {
        self.details.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}

/// The detail that tells about how many people nothing is known, because their records were
/// suppressed.
pub const SUPPRESSED_UNDECIDED: &str = "suppressed_people_undecided";

/// The detail that tells about how many people something could not be decided.
pub const UNDECIDED_PEOPLE: &str = "undecided_people";

/// The detail that tells how many people of a register fit groups of the release.
pub const REGISTER_FITTING: &str = "register_fitting";

/// The detail that tells what the authors of a way to withhold records claim about the highest
/// belief.
pub const CLAIMED_BELIEF: &str = "claimed_belief";

/// The detail that tells how many records were withheld because a value was too frequent.
pub const WITHHELD: &str = "withheld";

/// The detail that tells the share of records about whom more is believed than is promised to
/// somebody who does not know the method.
pub const VULNERABLE_SHARE: &str = "vulnerable_share";

/// The detail that tells how many people are in groups that were not attacked, because they are too
/// large.
pub const LEFT_OUT: &str = "people_left_out";

/// The detail that tells for which share of people the best guess is right: for the custodian, as
/// are the next two.
pub const GUESSED_RIGHT: &str = "guessed_right";

/// The detail that tells how often it is right to guess the most frequent value of a group.
pub const RIGHT_BY_SHARES: &str = "guessed_right_by_shares";

/// The detail that tells how often somebody is right who claims a belief above 90 %.
pub const RIGHT_WHEN_SURE: &str = "right_when_sure";

/// What an attack finds in a release of which nothing else is known and whose maker promises
/// nothing: any tool's, with records of a group that look alike.
///
/// ```
/// use sfumato::candidate::Groups;
/// use sfumato::data::{Role, Schema, sample};
///
/// let (release, schema) = (sample::clinic(), Schema::of(&["zip"], &["disease"]));
/// let groups = Groups::by_columns(&schema.select(&release, Role::Quasi)?, release.rows());
/// let found = sfumato::attack::on_release("homogeneity", &[], &release, &groups, &schema)?;
/// assert_eq!(found[0].highest.to_f64(), 2.0 / 3.0); // in one of the groups two of three have the flu
/// # Ok::<(), sfumato::Error>(())
/// ```
pub fn on_release(
    name: &str,
    written: &[(&str, Raw)],
    release: &Table,
    groups: &Groups,
    schema: &Schema,
) -> Result<Vec<Finding>> {
    let kind = find(name)?;
    (kind.build)(&kind.check(written)?).run(&Target {
        release,
        groups,
        bucketized: false,
        schema,
        original: None,
        making: None,
        class: None,
        is_conditioned: false,
        missing: 0,
        is_missing_by_value: false,
        suppressed: None,
        promises: &Promises::nothing(),
        formats: &Formats::default(),
        folder: Path::new("."),
    })
}

/// What an attack finds in [`sample::clinic`], six records in two groups of which the original has
/// all five digits of the postal code: for trying and for documentation. The sensitive column is
/// `disease`, and nothing is promised.
pub fn example(name: &str, written: &[(&str, &str)]) -> Result<Vec<Finding>> {
    let schema = Schema::of(&["zip"], &["disease"]);
    let release = sample::clinic();
    let zip = Column::from_values("zip", ["13053", "13068", "13053", "14850", "14853", "14850"]);
    let original = release.clone().with_column(zip)?;
    let kind = find(name)?;
    let written: Vec<(&str, Raw)> = written.iter().map(|(param, value)| (*param, Raw::from(*value))).collect();
    let attack = (kind.build)(&kind.check(&written)?);
    attack.run(&Target {
        release: &release,
        groups: &Groups::by_columns(&schema.select(&release, Role::Quasi)?, release.rows()),
        bucketized: false,
        schema: &schema,
        original: Some(Original { table: &original, row_of: &[0, 1, 2, 3, 4, 5] }),
        making: None,
        class: None,
        is_conditioned: false,
        missing: 0,
        is_missing_by_value: false,
        suppressed: None,
        promises: &Promises::nothing(),
        formats: &Formats::default(),
        folder: Path::new("."),
    })
}
