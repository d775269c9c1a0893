//! Jia et al. 2014: ρ-uncertainty by partial suppression, beside global suppression, generalization
//! and permutation.

mod data;
mod grid;
mod parameters;
mod permuted;
mod run;
mod speed;
mod tables;
mod utility;

use crate::Setting;
use crate::page::Section;
use crate::subject::Subject;
use data::Size;
use sfumato::Result;

/// The experiments on set-valued data.
pub const SUBJECT: Subject = Subject {
    name: "set-valued",
    title: "Set-valued data: ρ-uncertainty by partial suppression",
    summary: "Tables 1–3 and Figures 1–7: what is lost, how long it takes, what the limits do, every release checked exactly",
    reference: "Xiao Jia, Chao Pan, Xinhui Xu, Kenny Q. Zhu, Eric Lo: ρ-uncertainty Anonymization by Partial Suppression. Database Systems for Advanced Applications (DASFAA), 2014",
    needs: &data::NEEDS,
    experiments,
};

/// The most made-up records in experiments that run every method several times.
const SOME: usize = 20_000;
/// The items that records are cut to for Figure 3.
const CUTOFF: usize = 5;

fn experiments(setting: &Setting<'_>) -> Result<Vec<Section>> {
    setting.now("reading transactions");
    let whole = data::tables(setting, Size::WHOLE)?;
    let [_, web_view, retail, _] = &whole;
    let mut sections = vec![tables::table_1()?, tables::table_2(&whole)];
    let some = data::tables(setting, Size { records: SOME, ..Size::WHOLE })?;
    let cut = data::tables(setting, Size { records: SOME, items: CUTOFF })?;
    let rows = utility::whole_records(setting, &some)?;
    sections.extend(utility::figures(setting, &some, &rows, &cut)?);
    sections.push(speed::table_3(setting, &whole, &rows)?);
    sections.push(speed::figure_4(setting, retail)?);
    sections.push(parameters::figure_5(setting, retail)?);
    sections.push(parameters::figure_6(setting, web_view)?);
    sections.push(permuted::figure_7(setting, web_view)?);
    Ok(sections)
}
