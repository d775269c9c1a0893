//! Pictures of tables: what is drawn, from which columns.

use serde::{Deserialize, Serialize};
use sfumato::report::html::Shape;

/// A picture of some columns of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chart {
    /// What can be seen.
    pub title: String,
    /// How it is drawn.
    pub shape: Shape,
    /// The column that is along the picture.
    pub across: String,
    /// What goes up, in words.
    pub up: String,
    /// The columns that are drawn.
    pub series: Vec<String>,
    /// Whether numbers go up by factors.
    pub log: bool,
    /// A dashed line across, with its name.
    pub limit: Option<(f64, String)>,
}

impl Chart {
    /// Lines over the numbers of a column.
    pub fn lines<S: Into<String>>(title: &str, across: &str, up: &str, series: impl IntoIterator<Item = S>) -> Chart {
        Chart {
            title: title.into(),
            shape: Shape::Lines,
            across: across.into(),
            up: up.into(),
            series: series.into_iter().map(Into::into).collect(),
            log: false,
            limit: None,
        }
    }

    /// Bars side by side for each row.
    pub fn bars<S: Into<String>>(title: &str, across: &str, up: &str, series: impl IntoIterator<Item = S>) -> Chart {
        Chart { shape: Shape::Bars, ..Chart::lines(title, across, up, series) }
    }

    /// Numbers go up by factors: what differs by orders of magnitude can be seen.
    pub fn log(mut self) -> Chart {
        self.log = true;
        self
    }

    /// A dashed line across, with its name.
    pub fn limit(mut self, at: f64, name: &str) -> Chart {
        self.limit = Some((at, name.into()));
        self
    }
}
