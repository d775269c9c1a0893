//! Mutation testing in one build: what `cargo mutants` would change one spot at a time, building
//! everything anew for each, is planted as branches of one program, of which an environment
//! variable chooses one. A mutant then costs a run of the tests that reach it, not a build.
//!
//! ```text
//! tools/mutants.sh -f 'core/src/criterion/**'     arguments are those of `cargo mutants`
//! ```

mod build;
mod fates;
mod justified;
mod mutant;
mod plant;
mod run;

use build::Tree;
use fates::Fates;
use run::{Fate, Suite, on_lanes};
use std::path::PathBuf;
use std::sync::Mutex;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let root = std::env::current_dir().expect("a folder");
    let listed = mutant::list(&root, &arguments);
    println!("{} mutants", listed.len());
    let work =
        std::env::var_os("SFUMATO_MUTANTS").map_or_else(|| std::env::temp_dir().join("sfumato-mutants"), PathBuf::from);
    let tree = Tree::copied(&root, &work);
    let mut fates = Fates::read(&work.join("fates"));
    let mutants = if std::env::var_os("SFUMATO_AGAIN").is_some() { fates.open(&listed) } else { listed.clone() };
    println!("{} are tried", mutants.len());
    let built = tree.build(&mutants);
    println!("{} planted, in one build", built.planted.len());
    let suite = Suite::new(&built.programs, &work);
    let (all, done) = (mutants.len(), Mutex::new((0, &mut fates)));
    on_lanes(all, |at, _| {
        let mutant = &mutants[at];
        let (fate, by) = match mutant.number {
            number if built.planted.contains(&number) => suite.fate(number, &mutant.file),
            number if built.refused.contains(&number) => (Fate::Unviable, ""),
            _ => (Fate::NotPlanted, ""),
        };
        let mut done = done.lock().expect("nobody panicked");
        done.0 += 1;
        if fate.is_of_interest() {
            println!("{}/{all} {fate:?}: {}", done.0, mutant.name);
        }
        done.1.set(&mutant.name, fate, by);
    });
    fates.print(&listed);
}
