//! Mutants that no test need notice, as somebody has found out by thinking.

use crate::mutant::Mutant;
use crate::run::Fate;
use std::collections::BTreeMap;

/// Names without places, below a line with `#` that says why; `2 × ` before one that stands for two
/// mutants.
const LIST: &str = include_str!("../justified.txt");

/// How many mutants with a name are justified.
pub struct Justified(BTreeMap<String, usize>);

impl Justified {
    pub fn read() -> Justified {
        let lines = LIST.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        Justified(lines.map(entry).collect())
    }

    /// Takes the fates of those that nobody has to look at for what they are. Where more are left
    /// than were justified, all are shown: somebody has to find out which is new.
    pub fn excuse(&self, fates: &mut [(&Mutant, Fate)]) {
        let mut left: BTreeMap<String, Vec<&mut Fate>> = BTreeMap::new();
        for (mutant, fate) in fates.iter_mut().filter(|(_, fate)| fate.is_of_interest()) {
            left.entry(mutant.placeless()).or_default().push(fate);
        }
        for (name, fates) in left {
            if fates.len() <= self.0.get(&name).copied().unwrap_or(0) {
                fates.into_iter().for_each(|fate| *fate = Fate::Justified);
            }
        }
    }

    /// The names of which fewer were left than were justified: they need not stand in the list any
    /// more.
    pub fn superfluous(&self, fates: &[(&Mutant, Fate)]) -> Vec<&str> {
        let left = |name: &str| {
            let own = fates.iter().filter(|(mutant, fate)| *fate == Fate::Justified && mutant.placeless() == name);
            own.count()
        };
        self.0.iter().filter(|(name, count)| left(name) < **count).map(|(name, _)| name.as_str()).collect()
    }
}

fn entry(line: &str) -> (String, usize) {
    let counted = line.split_once(" × ").and_then(|(times, name)| Some((name.to_string(), times.parse().ok()?)));
    counted.unwrap_or_else(|| (line.to_string(), 1))
}
