//! What the minimality attack takes.

use super::L;
use super::formed::{QUASI, SENSITIVE, VALUES, diversity};
use crate::adult::Adult;
use crate::page::{Cell, Column, Section, Table};
use crate::{Setting, clock};
use sfumato::chance::Chance;
use sfumato::publish::{Made, make};
use sfumato::{Result, TablePlan};
use std::time::Duration;

const METHODS: [&str; 4] = ["greedy-grouping", "randomized-greedy-grouping", "symmetric-grouping", "mondrian"];

pub fn section(setting: &Setting<'_>, adult: &Adult) -> Result<Section> {
    let columns = [
        Column::text("method"),
        Column::time("without it"),
        Column::time("with it"),
        Column::count("groups"),
        Column::share("vulnerable", 2),
        Column::share("undecided", 2),
        Column::number("highest belief, times l", 3),
    ];
    let mut table = Table::new("From a table in memory to a release, audited and attacked", columns);
    for method in METHODS {
        setting.now(&format!("the time of the attack on {method}"));
        let (without, _) = timed(setting, adult, method, "linkage")?;
        let (with, made) = timed(setting, adult, method, "minimality")?;
        let details = made.publication.attacks.first().map_or(&[][..], |finding| &finding.details);
        let detail = |name: &str| details.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        let undecided = detail("undecided_people").map(|people| people / made.publication.published as f64);
        table.row([
            Cell::from(method),
            without.into(),
            with.into(),
            made.publication.groups.into(),
            detail("vulnerable_share").into(),
            undecided.into(),
            detail("max_belief_times_l").into(),
        ]);
    }
    let words = format!(
        "Publishing with {L}-diversity for {}, each method as it is by default (records sorted by the column with \
         the fewest values first), once with the linkage attack alone and once with the minimality attack instead: \
         all threads, the shortest of {} runs.",
        VALUES[0],
        runs(setting)
    );
    Ok(Section::new("attack-time", "What the minimality attack takes", adult.source.clone())
        .timing()
        .words(words)
        .table(table))
}

fn runs(setting: &Setting<'_>) -> usize {
    setting.pick(1, 3)
}

/// How long a release takes that one attack is tried on.
fn timed(setting: &Setting<'_>, adult: &Adult, method: &str, attack: &str) -> Result<(Duration, Made)> {
    let quasi: String = QUASI.iter().map(|name| format!("{name} = \"quasi\"\n")).collect();
    let text = format!(
        "[columns]\n{quasi}{SENSITIVE} = {{ role = \"sensitive\", sensitive_values = [\"{}\"] }}\n[[require]]\n{}\n\
         [method]\nname = \"{method}\"\n[release]\nform = \"bucketized\"\n[[attack]]\nattack = \"{attack}\"\n",
        VALUES[0],
        diversity(L)
    );
    let mut plan = TablePlan::parse(&text, ".".as_ref())?;
    plan.publishing.chance = Chance::insecure(1);
    let (time, made) = clock::best(runs(setting), || make(&plan, &adult.table, &Default::default()));
    Ok((time, made?.pass()?))
}
