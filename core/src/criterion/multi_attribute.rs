//! Multi-attribute l-diversity: several sensitive columns, each diverse even when the others are
//! known.
//!
//! **Promises** that learning one sensitive value of a person does not give away another.
//! **Threat**: sensitive columns that determine each other inside a group. **Definition**: for
//! every sensitive column, the table is diverse in it when the other sensitive columns are counted
//! among the quasi-identifiers. Any of the distinct, frequency, entropy and recursive diversities
//! can be meant: `multi-attribute-distinct-l-diversity` and so on. **Cost**: the groups are split
//! once more for each sensitive column. **Reference**: Machanavajjhala et al. 2007, Definition 4.6.
//!
//! ```
//! let verdict = sfumato::example("multi-attribute-distinct-l-diversity", &[("l", "2")])?;
//! assert!(!verdict.holds); // whoever has the flu in the second group takes drug A
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::{
    Bound, Build, Combinations, Context, Criterion, Evidence, Holders, Merging, On, Properties, Subject, Verdict,
    distinct, entropy, frequency, recursive,
};
use crate::candidate::{Counter, Histogram, dense_ids};
use crate::error::Result;
use crate::kind::{Kind, Param, Params};
use std::cell::RefCell;
use std::sync::Arc;

type Make = fn(&Params, Vec<bool>) -> Result<Box<dyn Criterion>>;

const fn described(
    name: &'static str,
    summary: &'static str,
    params: &'static [Param],
    example: &'static [(&'static str, &'static str)],
    bind: fn(&Context<'_>) -> Result<Bound>,
) -> Kind<Build> {
    let reference = "Machanavajjhala et al. 2007, Definition 4.6";
    Kind { name, summary, reference, params, example, build: Build { on: On::Columns, bind } }
}

/// With distinct l-diversity.
pub const DISTINCT: Kind<Build> = described(
    "multi-attribute-distinct-l-diversity",
    "Distinct l-diversity of every sensitive column, the others being known",
    distinct::PARAMS,
    &[("l", "2")],
    |context| bind(context, distinct::make),
);

/// With frequency l-diversity.
pub const FREQUENCY: Kind<Build> = described(
    "multi-attribute-frequency-l-diversity",
    "Frequency l-diversity of every sensitive column, the others being known",
    frequency::PARAMS,
    &[("l", "2")],
    |context| bind(context, frequency::make),
);

/// With entropy l-diversity.
pub const ENTROPY: Kind<Build> = described(
    "multi-attribute-entropy-l-diversity",
    "Entropy l-diversity of every sensitive column, the others being known",
    entropy::PARAMS,
    &[("l", "2")],
    |context| bind(context, entropy::make),
);

/// With recursive (c,l)-diversity.
pub const RECURSIVE: Kind<Build> = described(
    "multi-attribute-recursive-cl-diversity",
    "Recursive (c,l)-diversity of every sensitive column, the others being known",
    recursive::PARAMS,
    &[("c", "3"), ("l", "2")],
    |context| bind(context, recursive::make),
);

fn bind(context: &Context<'_>, make: Make) -> Result<Bound> {
    let table = context.records.rows();
    let columns = context.on.iter().map(|name| table.column(name)).collect::<Result<Vec<_>>>()?;
    let coded: Vec<(&[u32], usize)> = columns.iter().map(|column| (column.codes(), column.domain().len())).collect();
    let (subject, joint) = Combinations::of(&columns, table.rows());
    let combinations = subject.domain();
    let mut row_of = vec![0; combinations];
    joint.iter().enumerate().for_each(|(row, &combination)| row_of[combination as usize] = row);
    // From here on a row stands for each combination.
    let values: Vec<(Vec<u32>, usize)> =
        coded.iter().map(|(codes, domain)| (row_of.iter().map(|&row| codes[row]).collect(), *domain)).collect();
    let mut sides = Vec::with_capacity(columns.len());
    for (at, (own, _)) in values.iter().enumerate() {
        let others = values.iter().enumerate().filter(|(other, _)| *other != at);
        let others: Vec<(&[u32], usize)> = others.map(|(_, (codes, domain))| (codes.as_slice(), *domain)).collect();
        let (rest, _) = dense_ids(&others, combinations);
        let cared_for = Context { on: &context.on[at..=at], ..*context }.cared_for()?;
        sides.push(Side { own: own.clone(), rest, inner: make(context.params, cared_for)? });
    }
    Ok(Bound {
        subject: Subject::Columns(subject),
        criterion: Arc::new(MultiAttribute { sides }),
        holders: Holders::OneEach,
        goes_by: None,
    })
}

/// One sensitive column, seen with the others known.
struct Side {
    /// For each combination of sensitive values this column's value.
    own: Vec<u32>,
    /// And the number of the combination of the others.
    rest: Vec<u32>,
    inner: Box<dyn Criterion>,
}

/// Memory that is used again from group to group.
#[derive(Default)]
struct Scratch {
    /// Number of the other values, own value, count.
    parts: Vec<(u32, u32, u64)>,
    counter: Option<Counter>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl Side {
    /// Adds what the parts of a group with equal other values tell.
    fn add_evidence(&self, group: &Histogram<'_>, scratch: &mut Scratch, evidence: &mut Evidence) {
        scratch.parts.clear();
        scratch.parts.extend(
            group
                .entries()
                .iter()
                .map(|&(combination, count)| (self.rest[combination as usize], self.own[combination as usize], count)),
        );
        scratch.parts.sort_unstable();
        let counter = scratch.counter.get_or_insert_with(|| Counter::new(0));
        for part in scratch.parts.chunk_by(|a, b| a.0 == b.0) {
            let entries = part.iter().map(|&(_, own, count)| (own, count));
            evidence.absorb(&self.inner.evidence(&counter.take(group.group(), entries)));
        }
    }
}

struct MultiAttribute {
    sides: Vec<Side>,
}

impl Criterion for MultiAttribute {
    /// # Claim
    /// Merging groups merges their parts with equal other values, and keeps the rest as they are;
    /// every inner criterion is monotone, so this one is.
    fn evidence(&self, group: &Histogram<'_>) -> Evidence {
        let mut together = Evidence::none();
        SCRATCH.with_borrow_mut(|scratch| {
            self.sides.iter().for_each(|side| side.add_evidence(group, scratch, &mut together));
        });
        // Parts are not groups of the release: what is counted is the group that they are part of.
        Evidence::of(group, together.holds(), together.measures().iter().copied())
    }

    fn verdict(&self, evidence: &Evidence) -> Verdict {
        self.sides[0].inner.verdict(evidence)
    }

    fn properties(&self) -> Properties {
        Properties::of(Merging::Monotone)
    }
}
