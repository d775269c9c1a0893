//! What is left of a hierarchy above one of its levels.

use super::{Hierarchy, Ladder, Rule, not_treated};
use crate::data::Column;
use crate::error::Result;
use std::collections::{HashMap, HashSet};

/// The levels above one level of a hierarchy: for a column whose values are the labels of that
/// level.
///
/// ```
/// use sfumato::data::hierarchy::{Hierarchy, Lifted, rule};
/// use sfumato::data::Column;
/// use sfumato::kind::Raw;
///
/// let zip = Column::from_values("zip", ["13053", "13068"]);
/// let redact = rule(&[("redact", Raw::Number("3".into()))], ".".as_ref())?;
/// let levels = Hierarchy::bind(&*redact, &zip)?;
/// let coarse = levels.generalize(&zip, 1);
/// let above = Hierarchy::bind(&Lifted::new(&levels, 1), &coarse)?;
/// assert_eq!(above.label(1, 0), "130**"); // level 2 of the postal code
/// # Ok::<(), sfumato::Error>(())
/// ```
pub struct Lifted {
    above: HashMap<String, Vec<String>>,
    labels: HashSet<String>,
}

impl Lifted {
    /// The levels above a level.
    pub fn new(hierarchy: &Hierarchy, level: usize) -> Lifted {
        let mut above = HashMap::new();
        for base in 0..hierarchy.codes(level).len() as u32 {
            let label = hierarchy.label(level, base);
            if !above.contains_key(label) {
                let path = (level + 1..=hierarchy.height()).map(|level| hierarchy.label(level, base).to_string());
                above.insert(label.to_string(), path.collect::<Vec<_>>());
            }
        }
        let labels = above.values().flatten().cloned().collect();
        Lifted { above, labels }
    }
}

impl Rule for Lifted {
    fn ladder(&self, column: &Column) -> Result<Ladder> {
        let mut ladder = Ladder::default();
        for (code, label) in (0u32..).zip(column.domain().labels().iter()) {
            let path = self.above.get(label);
            if path.is_none() && column.domain().missing() == Some(code) {
                ladder.leaf_of_code.push(None);
                continue;
            }
            let path = path.ok_or_else(|| not_treated(column, code, "a label of its hierarchy"))?;
            ladder.leaf_of_code.push(Some(ladder.paths.len() as u32));
            ladder.paths.push(path.clone());
        }
        Ok(ladder)
    }

    fn makes(&self, label: &str) -> bool {
        self.labels.contains(label)
    }
}
