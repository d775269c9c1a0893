//! The report of a release as one page: no script, nothing from elsewhere, fit for screen and
//! paper.

mod charts;
mod compare;
mod disclosure;
mod evidence;
mod lead;
mod outcome;
mod series;
mod skyline;
mod style;
mod transactions;
mod words;

pub use compare::compare_html;
pub use series::{Plot, Series, Shape};
pub use skyline::skyline_html;
pub use transactions::transactions_html;

use crate::attack::Finding;
use crate::publish::Publication;
use crate::report::terminal::criteria_clause;
use disclosure::Guard;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use words::{counted, grouped};

/// Who reads a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Everybody: no count that is small enough to point at somebody.
    External,
    /// The custodian: everything.
    Internal,
}

const INTERNAL: &str = "INTERNAL — not for release";

/// The report of a release.
///
/// For [`Audience::External`], counts of people below the release's k are not shown, nor anything
/// from which they follow by subtraction: `k` is what the plan asks for or the size of the smallest
/// group, whichever is larger, at least 3; the size of the smallest group counts up to 20. The
/// re-identification risk is stated whatever it is.
pub fn report_html(publication: &Publication, audience: Audience) -> String {
    let guard = Guard::of(publication, audience);
    let body = html! {
        header.top {
            (lead::head(&publication.heading))
            (verdict(publication))
        }
        main {
            (lead::answered(&lead::about_table(publication, &guard)))
            (evidence::promised(publication, &guard))
            (evidence::attacked(publication, &guard))
            (outcome::look(publication, &guard))
            (outcome::useful(publication, &guard))
            (outcome::done(publication, &guard))
            (outcome::columns(publication))
            (evidence::not_promised(publication))
            @if !publication.notes.is_empty() {
                h2 { "Notes" }
                ul.plain { @for note in &publication.notes { li { (note) } } }
            }
            (evidence::glossary())
        }
        footer {
            @if guard.internal {
                p { (INTERNAL) ". This report holds counts of few people and row numbers." }
            } @else {
                p {
                    "Made for everybody: every figure is computed from the published files and the plan, and nothing here depends on what they hide. Counts of "
                    "people below " (grouped(guard.k)) " are written as “" (guard.few()) "”; the number of records left out and the re-identification risk are stated as they are."
                }
            }
        }
    };
    page(lead::title(&publication.heading), audience, &body)
}

/// A whole page for everybody around a body, in the style of the reports: no script, nothing from
/// elsewhere, and a policy that forbids both.
///
/// ```
/// let page = sfumato::report::html::document("Figures", &maud::html! { main { p { "1 < 2" } } });
/// assert!(page.contains("<p>1 &lt; 2</p>") && page.contains("default-src 'none'"));
/// ```
pub fn document(title: &str, body: &Markup) -> String {
    page(title, Audience::External, body)
}

/// A whole page around a body.
fn page(title: &str, audience: Audience, body: &Markup) -> String {
    let internal = audience == Audience::Internal;
    let policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { @if internal { (INTERNAL) ": " } (title) }
                style { (PreEscaped(style::CSS)) }
            }
            body.internal[internal] {
                @if internal {
                    div.internal-banner role="note" { (INTERNAL) span { "It shows small counts and row numbers. Publish the external report instead." } }
                    div.internal-edge aria-hidden="true" { (INTERNAL) }
                }
                (charts::hatch())
                (body)
            }
        }
    };
    page.into_string()
}

/// Whether an attack found more than was promised or is tolerated. Values have limits of their own,
/// so the highest belief alone does not tell.
fn exceeds(finding: &Finding) -> bool {
    finding.above_limit > 0
}

/// The verdict in one sentence.
fn verdict(publication: &Publication) -> Markup {
    let failed = publication.criteria.iter().filter(|answer| !answer.verdict.holds).count();
    let exceeding = publication.excessive().count();
    let criteria = criteria_clause(failed, publication.criteria.len());
    let attacks = attacks_clause(publication, exceeding);
    if failed > 0 || (exceeding > 0 && publication.attacks_refuse) {
        let sentence = format!("this release must not be published: {criteria}, and {attacks}.");
        return lead::verdict('✗', &sentence, &[]);
    }
    let caveats = publication.caveats();
    lead::verdict(publication.mark(), &format!("{criteria}, and {attacks}."), &caveats)
}

fn attacks_clause(publication: &Publication, exceeding: usize) -> String {
    let all = publication.attacks.len();
    let tried = counted(all as u64, "attack");
    let unlimited = publication.attacks.iter().filter(|finding| finding.limit.is_none() && !exceeds(finding)).count();
    let found = match (exceeding, all) {
        (_, 0) => return "no attack was tried".into(),
        (0, _) if unlimited == all => return format!("no limit is set for the {tried} that were tried"),
        (0, _) => "no attack exceeds its limit".to_string(),
        (1, _) if publication.attacks_refuse => format!("1 of {tried} exceeds its limit"),
        (found, _) if publication.attacks_refuse => format!("{found} of {tried} exceed their limits"),
        (1, _) => format!("1 of {tried} exceeds its limit, which the plan lets pass"),
        (found, _) => format!("{found} of {tried} exceed their limits, which the plan lets pass"),
    };
    // Where there is no limit none can be exceeded: that is said where it matters.
    match unlimited {
        0 => found,
        1 => format!("{found}; 1 of {tried} has no limit"),
        some => format!("{found}; {some} of {tried} have no limit"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::Reidentification;
    use crate::audit::Answer;
    use crate::criterion::{Limit, Requirement, Verdict, Violating, WorstGroup};
    use crate::data::{ColumnSpec, Role, Schema};
    use crate::exact::Fraction;
    use crate::kind::{Params, Raw};
    use crate::plan::Heading;
    use crate::publish::{
        ChosenLevels, Class, Classification, ColumnLevel, ColumnReport, Considered, Disclosure, Distribution, Exposure,
        MethodReport, SearchReport,
    };
    use crate::recode::Form;
    use crate::utility::information::Kept;

    const BOTH: [Audience; 2] = [Audience::External, Audience::Internal];

    fn answer(name: &str, written: &[(&str, Raw)], measured: f64, size: u64) -> Answer {
        let schema = Schema::of(&["age"], &["disease"]);
        let verdict = Verdict {
            holds: true,
            measured: Some(measured),
            also: Default::default(),
            worst: Some(WorstGroup { holds: true, size, group: 0 }),
            violating: Violating::default(),
            points: Vec::new(),
        };
        let requirement = Requirement::new(name, written, &[], &schema).expect("a requirement");
        Answer { requirement, verdict, worst_record: Some(987_654), eligibility: None, is_checked: true }
    }

    fn finding(on: Option<&str>) -> Finding {
        let mut beliefs = [0; 20];
        (beliefs[3], beliefs[4], beliefs[6]) = (500, 400, 91);
        Finding {
            attack: "homogeneity",
            params: Params::default(),
            on: on.map(String::from),
            knowledge: "everybody's quasi-identifiers".into(),
            highest: Fraction::new(1, 3),
            is_lower_bound: false,
            people: 400,
            groups: 40,
            limit: Some(Limit { belief: Fraction::new(1, 2), strict: false }),
            above_limit: 0,
            details: vec![],
            decided_by: None,
            beliefs,
            is_claim: false,
            right: None,
            repeatable: true,
            warning: None,
        }
    }

    fn column(name: &str, role: Role, level: Option<ColumnLevel>) -> ColumnReport {
        let kept = level.map(|_| 0.35);
        ColumnReport { level, kept, ..ColumnReport::new(&ColumnSpec::new(name, role), role != Role::Identifier) }
    }

    fn sample() -> Publication {
        let level = |level, height| Some(ColumnLevel { level, height });
        Publication {
            heading: Heading { title: Some("Patients".into()), date: Some("2026-11-18".into()) },
            records: 1000,
            published: 991,
            suppressed: 9,
            skew: None,
            starred: false,
            form: Form::Generalized,
            groups: 60,
            columns: vec![
                column("name", Role::Identifier, None),
                column("age", Role::Quasi, level(3, 4)),
                column("disease", Role::Sensitive, None),
                column("ward", Role::Insensitive, None),
            ],
            method: MethodReport {
                among: Vec::new(),
                name: "optimal",
                params: Params::default(),
                class: Class::Asymmetric,
                insecure_seed: false,
                chosen: Some(ChosenLevels { metric: "loss", levels: vec![("age".into(), 3)] }),
                search: Some(SearchReport {
                    value: 0.226,
                    nodes: 5,
                    checked: 4,
                    safe: 2,
                    minimal: vec![vec![3]],
                    exhaustive: true,
                    bound: 0.5,
                    considered: vec![
                        Considered { levels: vec![3], value: 0.226, risk: 0.1, suppressed: 9 },
                        Considered { levels: vec![4], value: 1.0, risk: 0.001, suppressed: 0 },
                    ],
                }),
            },
            criteria: vec![
                answer("k-anonymity", &[("k", Raw::from("10"))], 10.0, 10),
                answer("t-closeness", &[("t", Raw::from("0.3"))], 0.25, 12),
            ],
            risk: Reidentification::of([10; 40].into_iter().chain([20; 19]).chain([211])),
            attacks: vec![finding(Some("disease"))],
            undisclosed: vec![],
            exposure: Exposure {
                is_separated: false,
                records: 991,
                columns: vec![],
                together: Disclosure { unique: 0, smallest: 0, sensitive: vec![] },
                accepted: None,
                others: None,
            },
            attacks_refuse: true,
            information_kept: Kept { overall: 0.35, at_least_half: 0.25, least: 0.125 },
            utility: vec![("loss", 0.226)],
            classification: None,
            group_sizes: vec![(10, 40), (20, 19), (211, 1)],
            sensitive: vec![Distribution {
                column: "disease".into(),
                values: vec!["flu".into(), "gout".into()],
                before: Some(vec![600, 400]),
                after: vec![595, 396],
            }],
            earlier: 0,
            notes: vec!["Missing values are a value of their own.".into()],
        }
    }

    /// Nothing where something could be.
    fn bare() -> Publication {
        let method = MethodReport { chosen: None, search: None, ..sample().method };
        Publication {
            records: 0,
            published: 0,
            suppressed: 0,
            groups: 0,
            columns: vec![],
            method,
            criteria: vec![],
            risk: None,
            attacks: vec![],
            utility: vec![],
            group_sizes: vec![],
            sensitive: vec![],
            notes: vec![],
            ..sample()
        }
    }

    /// What a reader sees: without style sheet, tags and coordinates.
    fn seen(page: &str) -> String {
        let body = &page[page.find("<body").expect("a body")..];
        let mut text = String::new();
        for piece in body.split('<').skip(1) {
            text.push_str(piece.split_once('>').map_or("", |piece| piece.1));
            text.push('\n');
        }
        text.replace('\u{a0}', " ")
    }

    fn headings(page: &str) -> Vec<u32> {
        let found = page.match_indices("<h").filter_map(|(at, _)| page[at + 2..].chars().next()?.to_digit(10));
        found.collect()
    }

    /// Terminal and page bear the same mark, also where the plan lets an excess pass.
    #[test]
    fn the_headline_has_one_mark() {
        let excess = |attacks_refuse: bool| {
            let mut publication = Publication { attacks_refuse, ..sample() };
            publication.attacks[0].above_limit = 3;
            publication
        };
        for (publication, mark) in [(excess(false), '✗'), (excess(true), '✗'), (sample(), sample().mark())] {
            assert_eq!(publication.mark(), mark);
            let page = report_html(&publication, Audience::External);
            assert!(page.contains(&format!("{mark} </span>")) || page.contains(&format!("{mark}</span>")), "{mark}");
            assert!(crate::report::publication_text(&publication).starts_with(mark));
        }
    }

    #[test]
    fn the_verdict_is_one_sentence() {
        let check = |publication: &Publication, sentence: &str| {
            let page = report_html(publication, Audience::External);
            assert!(seen(&page).contains(sentence), "{sentence}");
        };
        let good = sample();
        check(&good, "Both criteria hold, and no attack exceeds its limit.");
        let unlimited = Publication { attacks: vec![Finding { limit: None, ..finding(None) }], ..sample() };
        check(&unlimited, "no limit is set for the 1 attack");
        let mixed = Publication { attacks: vec![finding(None), Finding { limit: None, ..finding(None) }], ..sample() };
        check(&mixed, "no attack exceeds its limit; 1 of 2 attacks has no limit.");
        let exceeding = Finding { highest: Fraction::ONE, above_limit: 12, ..finding(None) };
        let refused = Publication { attacks: vec![exceeding.clone()], ..sample() };
        check(&refused, "This release must not be published: both criteria hold, and 1 of 1 attack exceeds its limit.");
        check(&Publication { attacks_refuse: false, ..refused }, "which the plan lets pass");
        let mut failing = sample();
        failing.criteria[0].verdict.holds = false;
        check(&failing, "must not be published: 1 of 2 criteria does not hold");
        check(&bare(), "The plan asks for no criterion, and no attack was tried.");
    }

    #[test]
    fn the_lead_answers_what_is_asked_first() {
        let text = seen(&report_html(&sample(), Audience::External));
        let asked = [
            "Patients",
            "Release report · 2026-11-18",
            "Who could be re-identified?",
            "Prosecutor risk",
            "10.0 %",
            "Journalist risk",
            "at most 10.0 %",
            "Marketer risk",
            "6.1 %",
            "What could be learned about a person?",
            "33.3 %",
            "What was lost?",
            "991",
            "35.0 %",
            "What is promised",
        ];
        let mut rest = text.as_str();
        for part in asked {
            rest = rest.split_once(part).unwrap_or_else(|| panic!("{part} is missing, or not in order")).1;
        }
        assert_eq!(text.matches("equivalence class").count(), 1);
    }

    #[test]
    fn names_and_values_are_inert() {
        let evil = r#""><script>alert('x')</script><img src=x onerror=alert(1)>"#;
        let mut publication = sample();
        publication.columns.iter_mut().for_each(|column| column.name = evil.into());
        publication.criteria[1].requirement.on = vec![evil.into()];
        publication.method.chosen.as_mut().unwrap().levels[0].0 = evil.into();
        publication.sensitive[0].column = evil.into();
        publication.sensitive[0].values[0] = evil.into();
        publication.notes = vec![evil.into()];
        publication.heading.title = Some(evil.into());
        publication.classification =
            Some(Classification { target: evil.into(), before: 0.8, after: 0.7, baseline: 0.5, margin: 0.01 });
        publication.attacks = vec![Finding { knowledge: evil.into(), ..finding(Some(evil)) }];
        for audience in BOTH {
            let page = report_html(&publication, audience);
            assert!(page.contains("&lt;script&gt;"));
            for live in ["<script", "<img", "http://", "https://", "javascript:", "@import", "<link", "<iframe"] {
                assert!(!page.contains(live), "{live}");
            }
        }
    }

    #[test]
    fn the_page_loads_nothing() {
        for audience in BOTH {
            let page = report_html(&sample(), audience);
            assert!(page.contains("default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'"));
            for loading in [" src=", " href=", "<script", "http://", "https://"] {
                assert!(!page.contains(loading), "{loading}");
            }
        }
    }

    #[test]
    fn small_counts_are_for_the_custodian_only() {
        let mut publication = sample();
        publication.classification =
            Some(Classification { target: "disease".into(), before: 0.777, after: 0.7, baseline: 0.606, margin: 0.01 });
        // Counts that occur nowhere else: 7 people, 983 of 991, row 987,654, 6 suppressed
        // elsewhere, 8 records of a value.
        publication.sensitive[0] = Distribution {
            column: "disease".into(),
            values: ["flu", "gout", "rare-published", "only-withheld"].map(String::from).to_vec(),
            before: Some(vec![592, 393, 8, 7]),
            after: vec![590, 393, 8, 0],
        };
        publication.attacks[0].people = 983;
        publication.attacks[0].beliefs[19] = 7;
        publication.attacks[0].details = vec![("people_alone", 7.0)];
        publication.attacks.push(Finding { people: 7, above_limit: 7, groups: 1, ..finding(None) });
        publication.method.search.as_mut().unwrap().considered[1].suppressed = 6;
        let [external, internal] = BOTH.map(|audience| seen(&report_html(&publication, audience)));
        let shows = |text: &str, wanted: &str| text.lines().any(|line| line == wanted);
        for canary in
            ["7", "8", "6", "983", "row 987,654", "rare-published", "only-withheld", "592", "77.7 %", "60.6 %"]
        {
            assert!(internal.contains(canary), "the internal report lacks {canary}");
            assert!(!shows(&external, canary), "the external report shows {canary}");
        }
        for canary in ["rare-published", "only-withheld", "987,654", "983", "592", "77.7", "60.6"] {
            assert!(!external.contains(canary), "the external report holds {canary}");
        }
        assert!(external.contains("fewer than 10") && external.contains("all but fewer than 10"));
    }

    #[test]
    fn groups_below_the_floor_are_not_sized() {
        let publication = Publication {
            criteria: vec![answer("k-anonymity", &[("k", Raw::from("2"))], 2.0, 2)],
            attacks: vec![],
            risk: Reidentification::of([2].into_iter().chain([30; 29]).chain([119])),
            group_sizes: vec![(2, 1), (30, 29), (119, 1)],
            ..sample()
        };
        let [external, internal] = BOTH.map(|audience| seen(&report_html(&publication, audience)));
        assert!(internal.contains("k = 2") && internal.contains("1 in 2 (50.0 %)"));
        assert!(external.contains("fewer than 3") && !external.contains("1 in 2 "));
        let smallest = "the smallest class, of 2 records";
        assert!(internal.contains(smallest) && !external.contains(smallest));
        assert!(external.contains("Highest in the smallest class; 3.1 % on average"), "a risk is no count");
    }

    #[test]
    fn the_internal_report_says_so_on_every_page() {
        let [external, internal] = BOTH.map(|audience| report_html(&sample(), audience));
        assert_eq!(internal.matches(INTERNAL).count(), 4); // title, banner, edge of printed pages, foot
        assert!(internal.contains("internal-edge") && internal.contains("position: fixed"));
        assert!(!seen(&external).contains("INTERNAL"));
    }

    #[test]
    fn headings_are_in_order() {
        let certificates = [("a".to_string(), serde_json::Value::Null)];
        let pages =
            BOTH.map(|audience| report_html(&sample(), audience)).into_iter().chain([compare_html(&certificates, &[])]);
        for page in pages {
            let found = headings(&page);
            assert_eq!(found.iter().filter(|level| **level == 1).count(), 1);
            assert_eq!(found[0], 1);
            assert!(found.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{found:?}");
        }
    }

    #[test]
    fn every_picture_has_words() {
        for audience in BOTH {
            let page = report_html(&sample(), audience);
            let pictures: Vec<&str> = page.split("<svg role=\"img\"").skip(1).collect();
            assert_eq!(pictures.len(), page.matches("<figure").count());
            // How other candidates fared is for the custodian.
            assert_eq!(pictures.len(), if audience == Audience::Internal { 5 } else { 4 });
            for picture in pictures {
                let picture = &picture[..picture.find("</svg>").expect("an end")];
                let title = picture.split("<title id=").nth(1).expect("a title");
                let words = picture.split("<desc id=").nth(1).expect("a description");
                assert!(picture.starts_with(" aria-labelledby="));
                assert!(!title.contains("></title>") && !words.starts_with("></desc>"));
            }
            assert!(page.contains("<html lang=\"en\">"));
            assert!(
                page.matches("<th").count() > 10
                    && page.matches("<th").count() <= page.matches("scope=").count() + page.matches("<thead").count()
            );
            let mut ids: Vec<&str> = page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
            let all = ids.len();
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(ids.len(), all);
        }
    }

    #[test]
    fn what_is_missing_is_left_out() {
        for audience in BOTH {
            for publication in
                [bare(), Publication { group_sizes: vec![(991, 1)], groups: 1, suppressed: 0, ..sample() }]
            {
                let page = report_html(&publication, audience);
                assert!(page.ends_with("</html>"));
                let text = seen(&page);
                let mut words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '∞');
                assert!(!words.any(|word| ["NaN", "inf", "∞"].contains(&word)), "{text}");
            }
        }
        let many = Publication { group_sizes: (1..=100_000).map(|size| (size, 1)).collect(), ..sample() };
        assert!(report_html(&many, Audience::Internal).len() < 200_000);
    }
}
