//! A page as Markdown, for the documents of the repository.

use super::{Compared, OTHER, PAPER, Page, Section, Table, Unit};

impl Page {
    /// The whole page, under a heading of the second level. Pictures are links into a folder, by
    /// [`Page::pictures`].
    pub(crate) fn markdown(&self, folder: &str) -> String {
        let mut text = format!("## {}\n\n{}\n\n{}\n", self.title, self.reference, self.made());
        let compared: Vec<(&Section, &Compared)> = self.compared().collect();
        if !compared.is_empty() {
            text += &format!("\n{}\n\n{}", self.verdict(), comparison(&compared, PAPER));
        }
        for section in &self.sections {
            text += &section.markdown(&self.subject, folder);
        }
        text
    }

    /// The parts about time and memory alone; nothing if there are none.
    pub(crate) fn timing_markdown(&self, folder: &str) -> Option<String> {
        let sections: Vec<&Section> = self.sections.iter().filter(|section| section.timing).collect();
        if sections.is_empty() {
            return None;
        }
        let parts = sections.iter().map(|section| section.markdown(&self.subject, folder));
        Some(format!("## {}\n\n{}\n{}", self.title, self.made(), parts.collect::<String>()))
    }

    fn made(&self) -> String {
        let quick = if self.quick { " A short run: smaller tables, fewer runs." } else { "" };
        let time = Unit::Time.show(self.seconds);
        format!(
            "`{}` — {time} on {}; data: {}.{quick}",
            self.command,
            self.machine.in_words(),
            self.sources().trim_end_matches('.')
        )
    }
}

impl Section {
    fn markdown(&self, subject: &str, folder: &str) -> String {
        let made_up = if self.data.is_stand_in() { "**Made-up data**, where the paper has real ones: " } else { "" };
        let mut text = format!("\n### {}\n\n{made_up}{}\n", self.title, self.data.in_words());
        for words in &self.words {
            text += &format!("\n{words}\n");
        }
        for (at, table) in self.tables.iter().enumerate() {
            if !table.title.is_empty() {
                text += &format!("\n**{}**\n", table.title);
            }
            if let Some(chart) = &table.chart {
                text += &format!("\n![{}]({folder}/{subject}-{}.svg)\n", escaped(&chart.title), self.picture_name(at));
            }
            text += &format!("\n{}", rows(table));
        }
        for (compared, with) in [(&self.compared, PAPER), (&self.verified, OTHER)] {
            if !compared.is_empty() {
                let compared: Vec<(&Section, &Compared)> = compared.iter().map(|one| (self, one)).collect();
                text += &format!("\n{}", comparison(&compared, with));
            }
        }
        text
    }
}

fn rows(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut text = line(table.columns.iter().map(|column| escaped(&column.heading())).collect());
    let sides = (0..table.columns.len()).map(|place| if table.has_numbers(place) { "--:" } else { "---" });
    text += &line(sides.map(str::to_string).collect());
    for row in 0..table.rows.len() {
        text += &line((0..table.columns.len()).map(|place| escaped(&table.shown(row, place))).collect());
    }
    text
}

fn comparison(compared: &[(&Section, &Compared)], with: &str) -> String {
    let mut text = format!("| | what | ours | {} | |\n|---|---|--:|---|---|\n", with.to_lowercase());
    for (section, one) in compared {
        text += &format!(
            "| {} | {} | {} | {} | {} |\n",
            escaped(section.place()),
            escaped(&one.what),
            one.unit.show(one.ours),
            escaped(&one.beside),
            escaped(&one.judgement(section, with))
        );
    }
    text
}

/// Text that does not end a cell.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
