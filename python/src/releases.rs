//! Looking at release directories, whoever made them.

use crate::errors::OrRaise;
use crate::frame::Frame;
use crate::plan::raw;
use crate::published::NativeRelease;
use crate::work;
use pyo3::prelude::*;
use serde_json::{Value, json};
use sfumato::attack::{self as attacks, Believed, ChosenAttack};
use sfumato::kind::{Kind, Member, Raw};
use sfumato::release::{self, side_by_side};
use sfumato::report::html::compare_html;
use sfumato::report::transactions::finding_json;
use sfumato::report::{attack_json, attacks_text, compare_text, together_text, transactions as sets_report};
use sfumato::{Error, Result, transactions as sets};
use sfumato_signing::{Asked, TrustedKeys, authenticate};
use std::path::PathBuf;
use std::sync::Arc;

/// Opens a release directory. Nothing in it is believed before it is verified.
#[pyfunction]
pub fn open_release(py: Python<'_>, folder: PathBuf) -> PyResult<NativeRelease> {
    NativeRelease::open(&folder).or_raise(py)
}

/// Verifies a release directory; gives every claim, as JSON.
#[pyfunction]
#[pyo3(signature = (folder, key=None, seal=None, progress=None))]
pub fn verify(
    py: Python<'_>,
    folder: PathBuf,
    key: Option<PathBuf>,
    seal: Option<String>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    work::run(py, progress, move |formats| {
        let keys = key.as_deref().map(TrustedKeys::read).transpose()?;
        let seal = seal.map(|seal| seal.to_ascii_lowercase());
        let mut found = release::verify(&folder, formats)?;
        let shown = authenticate(&folder, &mut found, Asked { keys: keys.as_ref(), seal: seal.as_deref() })?;
        let claims = found
            .claims
            .iter()
            .map(|one| json!({ "claim": one.name, "holds": one.holds, "detail": one.detail, "about": one.about }));
        let document = json!({
            "holds": found.holds(),
            "criteria_confirmed": found.confirmed,
            "authenticity": shown.to_string(),
            "authenticity_sentence": shown.sentence(),
            "seal": found.seal,
            "earlier_releases": found.earlier,
            "claims": claims.collect::<Vec<_>>(),
        });
        Ok(document.to_string())
    })
}

/// Attacks a release directory by some attacks, or by all; `wanted` is a JSON list of objects with a
/// name and parameters. Gives the findings as JSON, and as text.
#[pyfunction]
#[pyo3(signature = (folder, wanted=None, progress=None))]
pub fn attack(
    py: Python<'_>,
    folder: PathBuf,
    wanted: Option<String>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(String, String)> {
    work::run(py, progress, move |formats| {
        let verifies = release::verify(&folder, formats)?.holds();
        let (found, text): (Vec<Value>, String) = match release::certificate(&folder)?.is_sets() {
            true => {
                let found = release::transactions::attack(&folder, &chosen(wanted.as_deref(), &sets::attack::KINDS)?)?;
                (found.iter().map(finding_json).collect(), sets_report::attacks_text(&found))
            }
            false => {
                let found = release::attack(&folder, &chosen(wanted.as_deref(), &attacks::KINDS)?, formats)?;
                (found.iter().map(attack_json).collect(), attacks_text(&found))
            }
        };
        Ok((json!({ "attacks": found, "verifies": verifies }).to_string(), text))
    })
}

/// What an attacker believes about each group and value, as a table.
#[pyfunction]
#[pyo3(signature = (folder, wanted, progress=None))]
pub fn beliefs(
    py: Python<'_>,
    folder: PathBuf,
    wanted: String,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Frame> {
    let table = work::run(py, progress, move |formats| {
        let wanted: Vec<ChosenAttack> = chosen(Some(&wanted), &attacks::KINDS)?;
        let [one] = &wanted[..] else { return Err(Error::plan("beliefs are those of one attack")) };
        Believed::table(&release::beliefs(&folder, one, formats)?)
    })?;
    Ok(Frame(Arc::new(table)))
}

/// Members of a family with their parameters; all of them, with the usual ones, if none is named.
fn chosen<B>(wanted: Option<&str>, kinds: &[&'static Kind<B>]) -> Result<Vec<Member<B>>> {
    let Some(wanted) = wanted else { return kinds.iter().map(|kind| Member::of(kind, &[])).collect() };
    let wrong = |_| Error::plan("attacks are a list of objects, each with a name");
    let wanted: Vec<Value> = serde_json::from_str(wanted).map_err(wrong)?;
    wanted.iter().map(|one| member(one, kinds)).collect()
}

fn member<B>(wanted: &Value, kinds: &[&'static Kind<B>]) -> Result<Member<B>> {
    let name = wanted["name"].as_str().unwrap_or_default();
    let names = kinds.iter().map(|kind| kind.name);
    let found = kinds.iter().find(|kind| kind.name == name);
    let kind = found.ok_or_else(|| Error::unknown(format!("there is no attack \"{name}\""), name, names))?;
    let keys = wanted.as_object().into_iter().flatten().filter(|(key, _)| *key != "name");
    let written: Vec<(&str, Raw)> = keys.map(|(key, value)| (key.as_str(), raw(value))).collect();
    Member::of(kind, &written)
}

/// Puts release directories side by side: as JSON, as text and as a page.
#[pyfunction]
#[pyo3(signature = (releases, progress=None))]
pub fn compare(
    py: Python<'_>,
    releases: Vec<(String, PathBuf)>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(String, String, String)> {
    work::run(py, progress, move |formats| {
        let found = side_by_side(&releases, formats)?;
        let text = compare_text(&found.documents) + &together_text(&found.pairs);
        let page = compare_html(&found.documents, &found.pairs);
        Ok((found.json().to_string(), text, page))
    })
}
