//! What the release looks like, how useful it is, and how it was made.

use super::charts::{Axes, Bar, Line, Point, Row, Words, bars, figure, rows, scatter, table};
use super::disclosure::{Guard, Shares, Sizes, asked_k, smallest_group};
use super::evidence::fact;
use super::lead::suppressed_words;
use super::words::{compact, counted, grouped, listed, many, number, percent, settings, tick};
use crate::data::{Role, Weight};
use crate::publish::{ChosenLevels, Class, Classification, ColumnReport, Distribution, Publication, SearchReport};
use crate::recode::Form;
use crate::utility;
use maud::{Markup, html};

/// Group sizes and sensitive values.
pub(super) fn look(publication: &Publication, guard: &Guard) -> Markup {
    html! {
        h2 { "What the release looks like" }
        p.lead { "How large groups are, and which sensitive values there are." }
        div.pictures {
            (group_sizes(publication, guard))
            @for (at, distribution) in publication.sensitive.iter().enumerate() { (sensitive(at, distribution, publication, guard)) }
        }
        @if publication.sensitive.is_empty() { p { "No column is declared sensitive, so there is no distribution to show." } }
    }
}

fn group_sizes(publication: &Publication, guard: &Guard) -> Markup {
    let steps = guard.sizes(&publication.group_sizes);
    let (Some(first), Some(last)) = (steps.first(), steps.last()) else {
        return html! { p { "The release has no group: no record is published." } };
    };
    let drawn: Vec<Bar> =
        steps.iter().map(|step| Bar { value: Some(step.groups as f64), label: compact(step.groups) }).collect();
    let mut edges: Vec<String> =
        steps.iter().map(|step| if step.folded { String::new() } else { tick(step.from) }).collect();
    edges.push(tick(last.below));
    let line = asked_k(publication).and_then(|k| {
        let at = steps.iter().position(|step| (step.from..step.below).contains(&k))?;
        let within = (k - steps[at].from) as f64 / (steps[at].below - steps[at].from) as f64;
        Some(Line { at: (at as f64 + within) / steps.len() as f64, label: format!("k = {}", grouped(k)) })
    });
    let axes =
        Axes { across: "people in a group", up: "groups", number: &|value| tick(value.round() as u64), whole: true };
    let words = Words {
        id: "group-sizes",
        title: "How large groups are".into(),
        alternative: format!(
            "Bars over group sizes, from {} to {}. {}",
            if first.folded { "the smallest".into() } else { grouped(first.from) },
            grouped(last.below - 1),
            line.as_ref().map_or_else(String::new, |line| format!(
                "A dashed line marks the smallest size that the plan allows, {}.",
                line.label
            ))
        ),
        caption: format!(
            "Each bar counts the groups of a range of sizes; ranges grow to the right. People in larger groups are hidden better.{}",
            if line.is_some() { " No group may stand to the left of the dashed line." } else { "" }
        ),
        header: vec!["People in a group", "Groups"],
        rows: steps.iter().map(|step| vec![range(step), grouped(step.groups)]).collect(),
        legend: html! {},
    };
    let (height, drawing) = bars(&drawn, &edges, &axes, line.as_ref());
    figure(&words, height, &drawing)
}

fn range(step: &Sizes) -> String {
    match step {
        step if step.folded => format!("fewer than {}", grouped(step.below)),
        step if step.from + 1 == step.below => grouped(step.from),
        step => format!("{} to {}", grouped(step.from), grouped(step.below - 1)),
    }
}

/// The distribution of a sensitive column: before and after for the custodian, published shares for
/// everybody.
fn sensitive(at: usize, distribution: &Distribution, publication: &Publication, guard: &Guard) -> Markup {
    let values = guard.values(distribution);
    if values.is_empty() {
        return html! {};
    }
    let longest =
        values.iter().flat_map(|row| [Some(row.after), row.before]).flatten().map(|share| share.1).fold(0.0, f64::max);
    let named = distribution.values.len().saturating_sub(values.iter().filter(|row| row.value.is_some()).count());
    let name = |row: &Shares| match &row.value {
        Some(value) if value.is_empty() => "(empty)".to_string(),
        Some(value) => value.clone(),
        None if guard.internal => format!("other ({})", counted(named as u64, "value")),
        None => "other values".to_string(),
    };
    let bar = |share: (u64, f64)| (share.1 / longest.max(f64::MIN_POSITIVE), guard.share(share.1));
    let drawn: Vec<Row> = values
        .iter()
        .map(|row| Row { name: name(row), bars: row.before.iter().copied().chain([row.after]).map(bar).collect() })
        .collect();
    let count = |share: (u64, f64)| [grouped(share.0), guard.share(share.1)];
    let numbers = values.iter().map(|row| {
        let cells = match row.before {
            Some(before) => count(before).into_iter().chain(count(row.after)).collect::<Vec<_>>(),
            None => vec![guard.share(row.after.1)],
        };
        std::iter::once(name(row)).chain(cells).collect()
    });
    let legend = html! {
        @if guard.internal {
            p.legend { span.key.before {} span { "before: all records" } span.key.after {} span { "after: published records" } }
        }
    };
    let id = format!("sensitive-{at}");
    let words = Words {
        id: &id,
        title: format!("Values of {}", distribution.column),
        alternative: format!(
            "Lying bars, one {}for each of {}, most frequent first.",
            if guard.internal { "pair (before and after) " } else { "" },
            counted(values.len() as u64, "value")
        ),
        caption: sensitive_caption(publication, guard),
        header: if guard.internal {
            vec!["Value", "Before", "Share", "After", "Share"]
        } else {
            vec!["Value", "Share of published records"]
        },
        rows: numbers.collect(),
        legend,
    };
    let (height, drawing) = rows(&drawn, false);
    figure(&words, height, &drawing)
}

fn sensitive_caption(publication: &Publication, guard: &Guard) -> String {
    if guard.internal {
        return "Which share of the records has each value. Bars of a pair that differ much mean that suppression changed the picture.".into();
    }
    let same = match (&publication.skew, publication.suppressed) {
        (Some(_), _) => {
            " Records of frequent values were withheld first: the original table has other shares, which are not published."
        }
        (None, 0) => " No record was suppressed, so the original table has the same shares.",
        (None, _) => "",
    };
    format!(
        "Which share of the published records has each value, in whole percent. Values that few people have are among the others.{same}"
    )
}

/// Metrics, prediction, and what is left of each column.
pub(super) fn useful(publication: &Publication, guard: &Guard) -> Markup {
    let rows = publication.utility.iter().map(|(name, value)| (*name, number(*value), metric_words(name)));
    html! {
        h2 { "Utility" }
        p.lead { "Generalization costs information. These metrics say how much; for each of them, smaller is better." }
        @if !publication.utility.is_empty() {
            div.scroll tabindex="0" role="group" aria-label="Table: usefulness" {
                table {
                    caption.unseen { "Usefulness of the release" }
                    thead { tr { th scope="col" { "Metric" } th.number scope="col" { "Value" } th scope="col" { "What it means" } } }
                    tbody {
                        @for (name, value, words) in rows {
                            tr { th scope="row" { (name) } td.number { (value) } td.wide { (words) } }
                        }
                    }
                }
            }
        }
        @if let Some(found) = publication.classification.as_ref().filter(|_| guard.internal) { (prediction(found)) }
        (kept(publication))
    }
}

/// What a metric says of itself.
fn metric_words(name: &str) -> String {
    utility::meaning(name).map_or_else(String::new, |words| format!("{}.", words.trim_end_matches('.')))
}

fn prediction(found: &Classification) -> Markup {
    html! {
        p {
            "A program that learns to predict " bdi { (found.target) } " from the other columns is right for " strong { (percent(found.after)) }
            " of the people of the original when it learns from the release, for " (percent(found.before)) " when it learns from the original, and for "
            (percent(found.baseline)) " when it always says the most frequent value. Each person is predicted by a program that has not seen them. "
            "The closer the first number is to the second, the more of the structure of the table is left; differences below " (percent(found.margin))
            " may be chance."
            @if let Some(why) = found.explained() { " " (why) }
        }
    }
}

/// The share of information that is left of each quasi-identifier.
fn kept(publication: &Publication) -> Markup {
    let kept: Vec<(&ColumnReport, f64)> =
        publication.columns.iter().filter_map(|column| Some((column, column.kept?))).collect();
    if kept.is_empty() {
        return html! {};
    }
    let level = |column: &ColumnReport| column.level.map(|of| format!("level {} of {}", of.level, of.height));
    let weight = |column: &ColumnReport| (column.weight != Weight::ONE).then(|| format!("weight {}", column.weight));
    let drawn: Vec<Row> = kept
        .iter()
        .map(|(column, kept)| {
            let words = [Some(percent(*kept)), level(column), weight(column)];
            let words = words.into_iter().flatten().collect::<Vec<_>>().join(" · ");
            Row { name: column.name.clone(), bars: vec![(*kept, words)] }
        })
        .collect();
    let sentences: Vec<String> = kept
        .iter()
        .map(|(column, kept)| {
            let words = level(column).into_iter().chain(weight(column)).map(|word| format!("{word}, "));
            format!("{}: {}{} kept", column.name, words.collect::<String>(), percent(*kept))
        })
        .collect();
    let cells = |column: &ColumnReport| match column.level {
        Some(of) => [of.level.to_string(), of.height.to_string()],
        None if publication.form == Form::Bucketized => ["lowest".into(), "–".into()],
        None => ["by group".into(), "–".into()],
    };
    let words = Words {
        id: "kept",
        title: "How much of each column is left".into(),
        alternative: format!("Lying bars, one for each quasi-identifier. {}.", sentences.join("; ")),
        caption: "100 % means that the values of all records are as they were, 0 % that nothing of them is left (*). Level 0 is the finest, the last level the coarsest.".into(),
        header: vec!["Column", "Level", "Of", "Kept"],
        rows: kept
            .iter()
            .map(|(column, kept)| {
                let [level, of] = cells(column);
                vec![column.name.clone(), level, of, percent(*kept)]
            })
            .collect(),
        legend: html! {},
    };
    let (height, drawing) = rows(&drawn, true);
    figure(&words, height, &drawing)
}

/// Method, search and suppression.
pub(super) fn done(publication: &Publication, guard: &Guard) -> Markup {
    let method = &publication.method;
    let search = method.search.as_ref().filter(|_| guard.internal);
    let set = settings(&method.params);
    let share = percent(publication.suppressed as f64 / publication.records.max(1) as f64);
    html! {
        h2 { "What was done" }
        @if let Some(skew) = &publication.skew { p { (skew.sentence()) } }
        @if let Some(chosen) = &method.chosen {
            p {
                "The method " strong { (method.name) } " chose one level of generalization for each quasi-identifier: among the candidates "
                "that it found to keep every criterion, one that is best by " strong { (chosen.metric) } "."
            }
            @if let Some(search) = search { p { (search_words(search)) } }
        } @else {
            p { "The method " strong { (method.name) } " formed the groups record by record. " (class_words(method.class)) }
        }
        @if let Some(choice) = method.choice() { p { (choice) } }
        p { (form_words(publication.form)) }
        p { (suppressed_words(publication, &share)) @if publication.suppressed > 0 && publication.skew.is_none() { " In what is published, no group that satisfies the criteria holds them." } }
        dl.facts {
            @if let Some(skew) = &publication.skew {
                (fact("Withheld first by", skew.method.name))
                (fact("Hidden among", &counted(skew.l, "value")))
            }
            (fact("Method", method.name))
            @if !set.is_empty() { (fact("Set to", &set.join(", "))) }
            (fact("Class", method.class.name()))
            @if let Some(chosen) = &method.chosen { (fact("Chosen by", chosen.metric)) }
            @if let Some(search) = search {
                (fact("Candidates in all", &many(search.nodes)))
                (fact("Looked at one by one", &grouped(search.checked)))
                (fact("Known to be safe", &grouped(search.safe)))
                @if !search.minimal.is_empty() { (fact("Minimal among these", &grouped(search.minimal.len() as u64))) }
                (fact("Whole search decided", if search.exhaustive { "yes" } else { "no" }))
                @if !search.exhaustive { (fact("Value found, and at least", &format!("{}, {}", number(search.value), number(search.bound)))) }
            }
        }
        @if let Some(chosen) = &method.chosen {
            @if !chosen.levels.is_empty() {
                p { "Levels chosen: " bdi { (listed(&chosen.levels.iter().map(|(name, level)| format!("{name} {level}")).collect::<Vec<_>>())) } "." }
            }
            @if let Some(search) = search { (candidates(publication, chosen, search)) }
        }
    }
}

/// What somebody learns who knows the method, in a sentence.
fn class_words(class: Class) -> &'static str {
    match class {
        Class::QiOnly => {
            "It looks at quasi-identifiers alone, so knowing the method discloses nothing about sensitive values."
        }
        Class::SaOnly => {
            "It looks at sensitive values alone and draws records at random, so knowing the method discloses nothing about who has which."
        }
        Class::EvenSplit => {
            "It looks at both, but halves groups evenly: knowing the method discloses little about who has which sensitive value."
        }
        Class::Asymmetric => {
            "It looks at both, and its steps are uneven: an attacker who knows the method can learn more than from the release alone."
        }
    }
}

fn form_words(form: Form) -> &'static str {
    match form {
        Form::Generalized => "The release is generalized: one table, with coarser quasi-identifiers.",
        Form::Bucketized => {
            "The release is bucketized: one table has quasi-identifiers record by record, on the lowest levels that the plan permits, with group numbers; the other how often each group has which sensitive value."
        }
    }
}

fn search_words(search: &SearchReport) -> String {
    let space = format!(
        "A candidate is one way to choose a level for every quasi-identifier; there are {}, of which {} looked at one by one.",
        many(search.nodes),
        if search.checked == 1 { "1 was".into() } else { format!("{} were", grouped(search.checked)) }
    );
    let decided = if search.exhaustive {
        "The others were decided by what these imply, so nothing was missed."
    } else {
        "Not every candidate was decided, so a better one may exist; none can be below the bound."
    };
    let safe = match (search.safe, search.minimal.len()) {
        (0, _) => "None is known to be safe.".to_string(),
        (safe, 0) => format!("Known to be safe (every criterion holds): {}.", grouped(safe)),
        (safe, minimal) => format!(
            "Known to be safe (every criterion holds): {}; {} of them minimal: no column of theirs can be made finer without becoming unsafe.",
            grouped(safe),
            grouped(minimal as u64)
        ),
    };
    format!("{space} {decided} {safe}")
}

/// Risk against utility of the candidates: for the custodian.
fn candidates(publication: &Publication, chosen: &ChosenLevels, search: &SearchReport) -> Markup {
    let metric = chosen.metric;
    let chosen: Vec<usize> = chosen.levels.iter().map(|level| level.1).collect();
    let Some(smallest) =
        smallest_group(publication).filter(|_| !search.considered.is_empty() && search.value.is_finite())
    else {
        return html! {};
    };
    let others = search.considered.iter().filter(|other| other.levels != chosen && other.value.is_finite());
    let mut points: Vec<Point> =
        others.clone().map(|other| Point { x: other.value, y: other.risk, label: None }).collect();
    let risk = 1.0 / smallest as f64;
    points.push(Point { x: search.value, y: risk, label: Some("chosen".into()) });
    let across = format!("{metric} (smaller is better)");
    let axes = Axes { across: &across, up: "risk: chance to pick a person's record", number: &percent, whole: false };
    let mut best: Vec<_> = search.considered.iter().filter(|other| other.value.is_finite()).collect();
    best.sort_by(|a, b| a.value.total_cmp(&b.value).then_with(|| a.levels.cmp(&b.levels)));
    let rows: Vec<Vec<String>> = best
        .iter()
        .take(20)
        .map(|other| {
            let levels: Vec<String> = other.levels.iter().map(ToString::to_string).collect();
            let mark = if other.levels == chosen { " (chosen)" } else { "" };
            let name = format!("{}{mark}", levels.join(", "));
            vec![name, number(other.value), percent(other.risk), grouped(other.suppressed)]
        })
        .collect();
    let words = Words {
        id: "candidates",
        title: "Risk against usefulness of the candidates".into(),
        alternative: format!(
            "{} drawn by {metric} and by risk. The chosen one has the value {} and a risk of {}.",
            counted(points.len() as u64, "safe candidate"),
            number(search.value),
            percent(risk)
        ),
        caption: "Each circle is a safe candidate that was looked at: farther left keeps more detail, farther down hides people better. The diamond is \
                  the one that was chosen. The risk is one over the size of the smallest group. The table lists at most twenty, best first."
            .into(),
        header: vec!["Levels", "Value", "Risk", "Suppressed"],
        rows,
        legend: html! {},
    };
    let (height, drawing) = scatter(&points, &axes, &number);
    figure(&words, height, &drawing)
}

/// Columns with their roles.
pub(super) fn columns(publication: &Publication) -> Markup {
    let rows: Vec<Vec<String>> = publication
        .columns
        .iter()
        .map(|column| {
            let level = column.level.map_or_else(|| "–".into(), |of| format!("{} of {}", of.level, of.height));
            vec![
                column.name.clone(),
                role_words(column.role).into(),
                if column.published { "yes" } else { "no" }.into(),
                level,
            ]
        })
        .collect();
    html! {
        h2 { "Columns and their roles" }
        p.lead { "The role says what a column is to an attacker: known, secret, or neither. The custodian decides it; the promises are only as good as this list." }
        div.words-only { (table("Columns and their roles", &["Column", "Role", "Published", "Level"], &rows)) }
    }
}

fn role_words(role: Role) -> &'static str {
    match role {
        Role::Identifier => "identifier",
        Role::Quasi => "quasi-identifier",
        Role::Sensitive => "sensitive",
        Role::Insensitive => "insensitive",
    }
}
