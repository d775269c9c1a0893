//! Mutation testing in one build: what `cargo mutants` would change one spot at a time, building everything anew for each, is planted as branches of one program, of which an environment variable
//! chooses one. A mutant then costs a run of the tests that reach it, not a build.
//!
//! ```text
//! tools/mutants.sh -f 'core/src/criterion/**'     arguments are those of `cargo mutants`
//! ```

mod build;
mod mutant;
mod plant;
mod run;

use build::Tree;
use mutant::Mutant;
use run::{Fate, Suite};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many mutants are tried at once.
const LANES: usize = 2;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let root = std::env::current_dir().expect("a folder");
    let mutants = mutant::list(&root, &arguments);
    println!("{} mutants", mutants.len());
    let work =
        std::env::var_os("SFUMATO_MUTANTS").map_or_else(|| std::env::temp_dir().join("sfumato-mutants"), PathBuf::from);
    let tree = Tree::copied(&root, &work);
    let built = tree.build(&mutants);
    println!("{} planted, in one build", built.planted.len());
    let suite = Suite::new(built.tests, &work);
    let fates = try_all(&mutants, &built.planted, &suite);
    report(&fates);
}

fn try_all<'a>(mutants: &'a [Mutant], planted: &BTreeSet<usize>, suite: &Suite) -> Vec<(&'a Mutant, Fate)> {
    let (next, fates) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(|| {
                while let Some(mutant) = mutants.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let fate =
                        if planted.contains(&mutant.number) { suite.fate(mutant.number) } else { Fate::NotPlanted };
                    let mut fates = fates.lock().expect("nobody panicked");
                    fates.push((mutant, fate));
                    if fate.is_of_interest() {
                        println!("{}/{} {fate:?}: {}", fates.len(), mutants.len(), mutant.name);
                    }
                }
            });
        }
    });
    fates.into_inner().expect("nobody panicked")
}

fn report(fates: &[(&Mutant, Fate)]) {
    for fate in [Fate::Caught, Fate::TimedOut, Fate::Survived, Fate::Unreached, Fate::NotPlanted] {
        println!("{fate:?}: {}", fates.iter().filter(|(_, found)| *found == fate).count());
    }
}
