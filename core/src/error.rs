//! What went wrong, where, and who must act.

use std::fmt;
use std::path::{Path, PathBuf};

/// The result of anything that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// Who must act on an error; decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The command line or the plan is wrong: its author must change it.
    Plan,
    /// The input data is wrong: whoever delivered it must mend it.
    Data,
    /// No release can satisfy the plan: the custodian must relax it.
    Infeasible,
    /// A release failed its verification or its attack gate.
    Gate,
    /// The machine is too small for the job as asked.
    Resources,
    /// Reading or writing failed: the administrator must help.
    Io,
    /// Somebody stopped the work: nobody must act.
    Cancelled,
    /// A defect of this program.
    Internal,
}

impl Fault {
    /// The exit code that scripts rely on.
    pub fn exit_code(self) -> u8 {
        match self {
            Fault::Plan => 2,
            Fault::Data => 3,
            Fault::Infeasible => 4,
            Fault::Gate => 5,
            Fault::Resources => 6,
            Fault::Io => 7,
            Fault::Internal => 70,
            // As shells report a program that the interrupt key stopped.
            Fault::Cancelled => 130,
        }
    }
}

/// An error: what is wrong, in which file and line, and what to do about it.
///
/// Messages carry names, keys and positions, and never a cell of the input data.
///
/// ```
/// use sfumato::{Error, Fault};
///
/// let error = Error::data("the row has 3 fields, the header has 4")
///     .file("patients.csv")
///     .line(17)
///     .help("quote fields that contain the delimiter");
/// assert_eq!(error.fault(), Fault::Data);
/// assert_eq!(
///     error.to_string(),
///     "patients.csv, line 17: the row has 3 fields, the header has 4\n  help: quote fields that contain the delimiter",
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Details>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Details {
    fault: Fault,
    message: String,
    file: Option<PathBuf>,
    line: Option<u64>,
    help: Option<String>,
}

impl Error {
    /// An error that `fault` must act on.
    pub fn new(fault: Fault, message: impl Into<String>) -> Self {
        let message = message.into();
        Error(Box::new(Details { fault, message, file: None, line: None, help: None }))
    }

    /// The plan or command line is wrong.
    pub fn plan(message: impl Into<String>) -> Self {
        Error::new(Fault::Plan, message)
    }

    /// The input data is wrong.
    pub fn data(message: impl Into<String>) -> Self {
        Error::new(Fault::Data, message)
    }

    /// Reading or writing `path` failed. A folder in place of a file is the fault of whoever named
    /// it.
    pub fn io(error: &std::io::Error, path: &Path) -> Self {
        use std::io::ErrorKind;
        let (fault, message, help) = match error.kind() {
            ErrorKind::NotFound => {
                (Fault::Io, "no such file".to_string(), "check the path and the folder it is relative to")
            }
            ErrorKind::IsADirectory => (Fault::Plan, "is a folder, not a file".to_string(), "name a file inside it"),
            _ => (Fault::Io, error.to_string(), "check permissions and free space, then run again"),
        };
        Error::new(fault, message).file(path).help(help)
    }

    /// Names the file concerned, unless one is named already.
    pub fn file(mut self, path: impl AsRef<Path>) -> Self {
        self.0.file.get_or_insert_with(|| path.as_ref().to_owned());
        self
    }

    /// Names the line concerned (counted from 1).
    pub fn line(mut self, line: u64) -> Self {
        self.0.line = Some(line);
        self
    }

    /// Names the line of the file at hand, unless the error is about a place already: a line there
    /// or another file.
    pub fn or_line(self, line: u64) -> Self {
        if self.0.file.is_some() || self.0.line.is_some() { self } else { self.line(line) }
    }

    /// Says what to do.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// Who must act.
    pub fn fault(&self) -> Fault {
        self.0.fault
    }

    /// What is wrong, without place and help.
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Details { message, file, line, help, .. } = &*self.0;
        match (file, line) {
            (Some(file), Some(line)) => write!(f, "{}, line {line}: ", file.display())?,
            (Some(file), None) => write!(f, "{}: ", file.display())?,
            (None, Some(line)) => write!(f, "line {line}: ")?,
            (None, None) => {}
        }
        f.write_str(message)?;
        match help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

/// `name`, and the closest of `known` if one is close: for "unknown …" messages.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(score, _)| *score > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate.to_string())
}

/// The help line for an unknown name: the nearest known one, or all of them.
pub fn suggest<'a>(name: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    match did_you_mean(name, known.clone()) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => format!("known: {}", known.into_iter().collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_name_is_offered() {
        let known = ["entropy-l-diversity", "t-closeness"];
        assert_eq!(suggest("entropy-diversity", known), "did you mean \"entropy-l-diversity\"?");
        assert_eq!(suggest("zzz", known), "known: entropy-l-diversity, t-closeness");
    }

    #[test]
    fn every_fault_has_its_own_exit_code() {
        use Fault::*;
        let codes = [Plan, Data, Infeasible, Gate, Resources, Io, Internal, Cancelled].map(Fault::exit_code);
        assert_eq!(codes, [2, 3, 4, 5, 6, 7, 70, 130]);
    }
}
