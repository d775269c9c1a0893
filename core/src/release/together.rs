//! What two release directories tell together.

use super::stated::{Release, Stated};
use super::verify::certificate;
use crate::attack::together::{self, Depth, Published, Quasi};
use crate::certificate::Certificate;
use crate::data::{Formats, Role};
use crate::error::Result;
use crate::report::{Pair, Related};
use std::path::Path;

/// A release directory, read.
struct ReadRelease {
    stated: Stated,
    release: Release,
    seal: String,
}

impl ReadRelease {
    fn read(folder: &Path, certificate: &Certificate, formats: &Formats) -> Result<ReadRelease> {
        let stated = Stated::read(certificate.part()?)?;
        Ok(ReadRelease { release: stated.release(folder, formats)?, stated, seal: certificate.head.seal.clone() })
    }

    fn published<'a>(&'a self, sensitive: &str) -> Result<Published<'a>> {
        let mut quasi = Vec::new();
        for column in self.stated.columns.iter().filter(|column| column.spec.role == Role::Quasi) {
            // A bucketized release shows the lowest level that its plan permits.
            let depth = match column.level {
                _ if self.stated.sensitive.is_some() => Depth::One,
                Some(level) => Depth::On(level.level),
                None => Depth::Mixed,
            };
            if let (Some(ruler), Some(labels)) = (&column.ruler, self.release.table.find(&column.spec.name)) {
                quasi.push(Quasi { column: labels, ruler, depth });
            }
        }
        Ok(Published {
            groups: &self.release.groups,
            quasi,
            sensitive: self.release.table.column(sensitive)?,
            missing: self.stated.records.saturating_sub(self.release.table.rows() as u64),
        })
    }

    /// Whether its certificate declares the other as an earlier release of the same table.
    fn declares(&self, other: &ReadRelease) -> bool {
        self.stated.earlier.contains(&other.seal)
    }
}

/// What two release directories tell together about everybody who is in both.
pub fn together(releases: [(&str, &Path); 2], formats: &Formats) -> Result<Pair> {
    let names = releases.map(|release| release.0.to_string());
    let not =
        |reason: &'static str, names: [String; 2]| Ok(Pair { names, related: Related::Not(reason), columns: vec![] });
    let [first, second] = [certificate(releases[0].1)?, certificate(releases[1].1)?];
    if first.is_sets() || second.is_sets() {
        return not("there is no way to compute it for transactions yet", names);
    }
    if first.head.seal == second.head.seal {
        return not("it is one release", names);
    }
    let seen =
        [ReadRelease::read(releases[0].1, &first, formats)?, ReadRelease::read(releases[1].1, &second, formats)?];
    if seen.iter().any(|seen| seen.stated.several_records()) {
        return not("people have several records, and groups count records", names);
    }
    if seen[0].stated.records != seen[1].stated.records {
        return not(
            "their tables have different numbers of records; people who are in both are not known, and may be disclosed all the same",
            names,
        );
    }
    let columns = shared_sensitive(&seen);
    if columns.is_empty() {
        return not("no sensitive column is published in both", names);
    }
    let found = columns.into_iter().map(|on| {
        let outcome = together::together(&seen[0].published(on)?, &seen[1].published(on)?);
        Ok((on.to_string(), outcome))
    });
    let columns = found.collect::<Result<Vec<_>>>()?;
    let is_declared = seen[0].declares(&seen[1]) || seen[1].declares(&seen[0]);
    Ok(Pair { names, related: if is_declared { Related::Declared } else { Related::Assumed }, columns })
}

/// The sensitive columns that both publish.
fn shared_sensitive(seen: &[ReadRelease; 2]) -> Vec<&str> {
    let others = seen[1].stated.schema.names(Role::Sensitive);
    let is_there = |name: &&str| seen.iter().all(|seen| seen.release.table.find(name).is_some());
    let own = seen[0].stated.schema.names(Role::Sensitive).into_iter();
    own.filter(|name| others.contains(name)).filter(is_there).collect()
}
