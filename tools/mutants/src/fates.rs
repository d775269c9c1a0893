//! What became of mutants, kept in a file between runs.

use crate::justified::Justified;
use crate::mutant::Mutant;
use crate::run::Fate;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What became of mutants, by their names.
pub struct Fates {
    path: PathBuf,
    /// The fate, and the test that decided it.
    known: BTreeMap<String, (Fate, String)>,
}

impl Fates {
    /// What earlier runs have written: a line for each mutant with its fate, its name and the test,
    /// between tabs.
    pub fn read(path: &Path) -> Fates {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let known = text.lines().filter_map(|line| {
            let mut parts = line.split('\t');
            let word = parts.next()?;
            let fate = Fate::ALL.into_iter().find(|fate| format!("{fate:?}") == word)?;
            Some((parts.next()?.to_string(), (fate, parts.next()?.to_string())))
        });
        Fates { path: path.into(), known: known.collect() }
    }

    pub fn set(&mut self, name: &str, fate: Fate, by: &str) {
        self.known.insert(name.to_string(), (fate, by.to_string()));
        let mut text = String::new();
        for (name, (fate, by)) in &self.known {
            let _ = writeln!(text, "{fate:?}\t{name}\t{by}");
        }
        std::fs::write(&self.path, text).expect("fates can be written");
    }

    /// Those of mutants that were tried, with justified ones taken for what they are.
    fn of<'a>(&self, mutants: &'a [Mutant]) -> Vec<(&'a Mutant, Fate)> {
        let known = mutants.iter().filter_map(|mutant| Some((mutant, self.known.get(&mutant.name)?.0)));
        let mut fates: Vec<(&Mutant, Fate)> = known.collect();
        Justified::read().excuse(&mut fates);
        fates
    }

    /// The mutants that no run has caught yet, nor found to need no test.
    pub fn open(&self, mutants: &[Mutant]) -> Vec<Mutant> {
        let settled = self.of(mutants).into_iter().filter(|(_, fate)| !fate.is_of_interest());
        let settled: Vec<usize> = settled.map(|(mutant, _)| mutant.number).collect();
        mutants.iter().filter(|mutant| settled.binary_search(&mutant.number).is_err()).cloned().collect()
    }

    /// Those that somebody has to look at, and how many had which fate.
    pub fn print(&self, mutants: &[Mutant]) {
        let fates = self.of(mutants);
        for (mutant, fate) in fates.iter().filter(|(_, fate)| fate.is_of_interest()) {
            println!("{fate:?}: {}", mutant.name);
        }
        for name in Justified::read().superfluous(&fates) {
            println!("No longer to be justified: {name}");
        }
        for fate in Fate::ALL {
            println!("{}\t{fate:?}", fates.iter().filter(|(_, found)| *found == fate).count());
        }
    }
}
