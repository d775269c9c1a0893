//! A page as HTML: one file, no script, nothing from elsewhere.

use super::{Cell, Compared, OTHER, PAPER, Page, Section, Table, svg};
use maud::{Markup, html};
use sfumato::report::html::document;

impl Page {
    /// The page as one HTML file.
    pub fn html(&self) -> String {
        let body = html! {
            header.top {
                h1 { "sfumato-reproduce " (self.subject) }
                p.verdict { (self.title) }
                (self.facts())
            }
            main {
                @let compared: Vec<(&Section, &Compared)> = self.compared().collect();
                @if !compared.is_empty() {
                    h2 { "Beside what the paper printed" }
                    p.lead { (self.verdict()) }
                    (comparison(&compared, PAPER, true))
                }
                @for section in &self.sections { (drawn(section)) }
            }
            footer {
                p { "Made by “" (self.command) "” in " (super::Unit::Time.show(self.seconds)) "; the same figures as data are in " (self.subject) ".json." }
            }
        };
        document(&format!("{}: reproduced", self.title), &body)
    }

    fn facts(&self) -> Markup {
        html! {
            p.lead { (self.summary) }
            dl.words {
                div { dt { "Paper" } dd { (self.reference) } }
                div { dt { "Data" } dd { (self.sources()) } }
                div { dt { "Machine" } dd { (self.machine.in_words()) } }
                @if self.quick { div { dt { "Short run" } dd { "smaller tables, fewer runs: leave --quick out for the whole" } } }
            }
        }
    }
}

/// One experiment.
fn drawn(section: &Section) -> Markup {
    html! {
        h2 id=(section.id) { (section.title) }
        p.lead {
            @if section.data.is_stand_in() { strong { "Made-up data" } ", where the paper has real ones: " }
            (section.data.in_words())
        }
        @for words in &section.words { p { (words) } }
        @for (at, table) in section.tables.iter().enumerate() { (with_picture(section, table, at)) }
        @for (compared, with) in [(&section.compared, PAPER), (&section.verified, OTHER)] {
            @if !compared.is_empty() {
                @let compared: Vec<(&Section, &Compared)> = compared.iter().map(|compared| (section, compared)).collect();
                (comparison(&compared, with, false))
            }
        }
    }
}

fn with_picture(section: &Section, table: &Table, at: usize) -> Markup {
    html! {
        @if !table.title.is_empty() { p.figure-title { (table.title) } }
        @if let Some(picture) = svg::picture(table, &section.picture_name(at)) {
            figure {
                p.figure-title { (table.chart.as_ref().map_or("", |chart| &chart.title)) }
                div.scroll tabindex="0" role="group" aria-label="Picture" { (picture) }
            }
        }
        div.scroll tabindex="0" role="group" aria-label={ "Table: " (section.title) } {
            table {
                caption.unseen { (section.title) " " (table.title) }
                thead { tr {
                    @for (place, column) in table.columns.iter().enumerate() {
                        th.number[place > 0 && table.has_numbers(place)] scope="col" { (column.heading()) }
                    }
                } }
                tbody {
                    @for (at, row) in table.rows.iter().enumerate() {
                        tr { @for (place, cell) in row.iter().enumerate() {
                            @let shown = table.shown(at, place);
                            @if place == 0 { th scope="row" { (shown) } } @else { td.number[matches!(cell, Cell::Number(_))] { (shown) } }
                        } }
                    }
                }
            }
        }
    }
}

/// Our figures beside others.
fn comparison(compared: &[(&Section, &Compared)], with: &str, with_section: bool) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label={ "Table: beside " (with) } {
            table {
                thead { tr {
                    @if with_section { th scope="col" { "Where" } }
                    th scope="col" { "What" } th.number scope="col" { "Ours" } th scope="col" { (with) } th scope="col" { "" }
                } }
                tbody {
                    @for (section, one) in compared {
                        tr {
                            @if with_section { td { a href={ "#" (section.id) } { (section.place().replace(' ', "\u{a0}")) } } }
                            th scope="row" { (one.what) }
                            td.number { (one.unit.show(one.ours)) }
                            td { (one.beside) }
                            td.wide { (one.judgement(section, with)) }
                        }
                    }
                }
            }
        }
    }
}
