//! What commands share about transactions: where they are, and reading them.

use super::{ReadArguments, formats};
use crate::progress::working;
use sfumato::plan::{SensitiveItems, SetPlan};
use sfumato::publish::transactions::{ObservedSets, sensitive_items};
use sfumato::release::directory::CERTIFICATE;
use sfumato::transactions::{Layout, Read};
use sfumato::{Error, Fault, Result, release};
use std::path::Path;

/// Whether a file, for which there is no plan, has a name that transactions have.
pub fn has_transactions(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("dat"))
}

/// Whether a folder is a release of transactions; whatever else it is, other commands say.
pub fn is_transactions(folder: &Path) -> Result<bool> {
    if folder.join(CERTIFICATE).is_file() { release::transactions::is_release(folder) } else { Ok(false) }
}

/// Reads transactions for which there is no plan.
pub fn read(path: &Path, arguments: &ReadArguments) -> Result<Read> {
    let layout = Layout::Lines(arguments.letter());
    working(&format!("reading {}", path.display()), || layout.read(path, &formats()))
}

/// Transactions as a plan sees them: in a file, or in a release directory. Without either, those of
/// the plan.
pub fn see(plan: &SetPlan, plan_path: &Path, data: Option<&Path>) -> Result<ObservedSets> {
    let data = data.or(plan.data.as_deref()).ok_or_else(|| {
        let error = Error::plan("no data are named").file(plan_path);
        error.help("name a file on the command line, or under [data] path in the plan")
    })?;
    let blame = |error: Error| match error.fault() {
        Fault::Plan => error.file(plan_path),
        Fault::Data => error.file(data),
        _ => error,
    };
    working(&format!("reading {}", data.display()), || {
        if data.is_dir() { see_release(plan, data) } else { see_file(plan, data) }
    })
    .map_err(blame)
}

fn see_release(plan: &SetPlan, folder: &Path) -> Result<ObservedSets> {
    if !is_transactions(folder)? {
        let error = Error::plan("is no release of transactions, and the plan is about transactions").file(folder);
        return Err(error.help("name a file of transactions, or the folder of a release of such"));
    }
    // A lot among items that are left would draw others: the release tells which it drew.
    let names = plan.listed_names()?;
    release::transactions::read(folder, names.as_deref())
}

fn see_file(plan: &SetPlan, data: &Path) -> Result<ObservedSets> {
    let read = plan.layout.read(data, &formats())?;
    let is_own = |own: &Path| own.canonicalize().ok() == data.canonicalize().ok();
    let names = match (&plan.sensitive, plan.data.as_deref()) {
        // A lot is drawn among the items of the plan's own data, whatever somebody made of them.
        (SensitiveItems::Share { .. }, Some(own)) if own.is_file() && !is_own(own) => {
            plan.sensitive_names(&plan.layout.read(own, &formats())?.table)?
        }
        _ => plan.sensitive_names(&read.table)?,
    };
    let sensitive = sensitive_items(&read.table, &names)?;
    Ok(ObservedSets::raw(&read.table, &sensitive))
}
