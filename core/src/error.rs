//! What went wrong, where, and who must act.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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

/// What kind of error it is, for programs that act on it. Each belongs to one [`Fault`]; names stay
/// as they are from version to version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// Something else is wrong with the plan or the command line.
    Plan,
    /// The plan is not TOML.
    NotToml,
    /// There is nothing of the name: no such key, member, parameter, word or column.
    UnknownName,
    /// A key of the plan would do nothing.
    NoEffect,
    /// The plan requires nothing.
    RequiresNothing,
    /// Something else is wrong with the input data.
    Data,
    /// A record has another number of fields than the others.
    RaggedRow,
    /// A text is not UTF-8, and nothing says what else it is.
    NotUtf8,
    /// No release satisfies the plan for another reason.
    Infeasible,
    /// A sensitive value or item is too frequent for any grouping.
    TooFrequent,
    /// More records would have to be suppressed than the plan allows.
    TooManySuppressed,
    /// A search beyond the budget looked at no safe candidate.
    NoneFound,
    /// A release was refused for another reason.
    Gate,
    /// An attack reached more than its limit.
    AttackLimit,
    /// Columns declared insensitive single people out.
    Exposed,
    /// A release is not what its certificate says, or not signed by the key.
    NotVerified,
    /// The machine is too small for another reason.
    Resources,
    /// The job takes more memory than it may.
    Memory,
    /// The search has more candidates than its budget.
    LatticeTooLarge,
    /// Reading or writing failed for another reason.
    Io,
    /// There is no such file or folder.
    NotFound,
    /// Somebody stopped the work.
    Cancelled,
    /// A defect of this program.
    Internal,
}

impl ErrorCode {
    /// Every code with its fault and its name; the first of a fault is the one that says no more.
    const TABLE: [(ErrorCode, Fault, &'static str); 23] = [
        (ErrorCode::Plan, Fault::Plan, "plan"),
        (ErrorCode::NotToml, Fault::Plan, "plan/not-toml"),
        (ErrorCode::UnknownName, Fault::Plan, "plan/unknown-name"),
        (ErrorCode::NoEffect, Fault::Plan, "plan/no-effect"),
        (ErrorCode::RequiresNothing, Fault::Plan, "plan/requires-nothing"),
        (ErrorCode::Data, Fault::Data, "data"),
        (ErrorCode::RaggedRow, Fault::Data, "data/ragged-row"),
        (ErrorCode::NotUtf8, Fault::Data, "data/not-utf-8"),
        (ErrorCode::Infeasible, Fault::Infeasible, "infeasible"),
        (ErrorCode::TooFrequent, Fault::Infeasible, "infeasible/too-frequent"),
        (ErrorCode::TooManySuppressed, Fault::Infeasible, "infeasible/too-many-suppressed"),
        (ErrorCode::NoneFound, Fault::Infeasible, "infeasible/none-found"),
        (ErrorCode::Gate, Fault::Gate, "gate"),
        (ErrorCode::AttackLimit, Fault::Gate, "gate/attack-limit"),
        (ErrorCode::Exposed, Fault::Gate, "gate/exposed"),
        (ErrorCode::NotVerified, Fault::Gate, "gate/not-verified"),
        (ErrorCode::Resources, Fault::Resources, "resources"),
        (ErrorCode::Memory, Fault::Resources, "resources/memory"),
        (ErrorCode::LatticeTooLarge, Fault::Resources, "resources/lattice-too-large"),
        (ErrorCode::Io, Fault::Io, "io"),
        (ErrorCode::NotFound, Fault::Io, "io/not-found"),
        (ErrorCode::Cancelled, Fault::Cancelled, "cancelled"),
        (ErrorCode::Internal, Fault::Internal, "internal"),
    ];

    /// Every code.
    pub fn all() -> impl Iterator<Item = ErrorCode> {
        ErrorCode::TABLE.into_iter().map(|(code, ..)| code)
    }

    /// The fault that it belongs to.
    pub fn fault(self) -> Fault {
        self.entry().1
    }

    /// Its name: that of the fault, then what is the matter.
    pub fn name(self) -> &'static str {
        self.entry().2
    }

    fn entry(self) -> (ErrorCode, Fault, &'static str) {
        // The order of the table is that of the codes, which a test keeps.
        ErrorCode::TABLE[self as usize]
    }
}

impl From<Fault> for ErrorCode {
    /// The code that says no more than the fault.
    fn from(fault: Fault) -> ErrorCode {
        let of_fault = ErrorCode::TABLE.into_iter().find(|(_, its, _)| *its == fault);
        of_fault.map_or(ErrorCode::Internal, |(code, ..)| code)
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An error: what is wrong, in which file and line, and what to do about it.
///
/// Messages carry names, keys and positions, and never a cell of the input data.
///
/// ```
/// use sfumato::{Error, ErrorCode, Fault};
///
/// let error = Error::of(ErrorCode::RaggedRow, "the row has 3 fields, the header has 4")
///     .file("patients.csv")
///     .line(17)
///     .help("quote fields that contain the delimiter");
/// assert_eq!((error.fault(), error.code().name()), (Fault::Data, "data/ragged-row"));
/// assert_eq!(
///     error.to_string(),
///     "patients.csv, line 17: the row has 3 fields, the header has 4\n  help: quote fields that contain the delimiter",
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Details>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Details {
    code: ErrorCode,
    message: String,
    file: Option<PathBuf>,
    line: Option<u64>,
    help: Option<String>,
    could_meet: Vec<CouldMeet>,
    cause: Option<Cause>,
}

/// A criterion that no release satisfies, and what of it could be met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CouldMeet {
    /// The criterion's name.
    pub criterion: String,
    /// The columns that it is about.
    pub on: Vec<String>,
    /// The strictest parameter that could be met, as a number; `None` if none could.
    pub best: Option<String>,
}

/// The error of the system behind an error.
#[derive(Clone, Debug)]
struct Cause(Arc<io::Error>);

impl Cause {
    /// The same error again: one of the system is told by its number, others by kind and words.
    fn of(error: &io::Error) -> Cause {
        let again = error.raw_os_error().map(io::Error::from_raw_os_error);
        Cause(Arc::new(again.unwrap_or_else(|| io::Error::new(error.kind(), error.to_string()))))
    }
}

impl PartialEq for Cause {
    fn eq(&self, other: &Cause) -> bool {
        self.0.kind() == other.0.kind() && self.0.to_string() == other.0.to_string()
    }
}

impl Eq for Cause {}

impl Error {
    /// An error with a code.
    pub fn of(code: ErrorCode, message: impl Into<String>) -> Self {
        let message = message.into();
        Error(Box::new(Details {
            code,
            message,
            file: None,
            line: None,
            help: None,
            could_meet: Vec::new(),
            cause: None,
        }))
    }

    /// An error that `fault` must act on, where no code says more.
    pub fn new(fault: Fault, message: impl Into<String>) -> Self {
        Error::of(fault.into(), message)
    }

    /// The plan or command line is wrong.
    pub fn plan(message: impl Into<String>) -> Self {
        Error::new(Fault::Plan, message)
    }

    /// The plan or command line has a name that is none of those known: the help offers the
    /// nearest.
    pub fn unknown<'a>(
        message: impl Into<String>,
        name: &str,
        known: impl IntoIterator<Item = &'a str> + Clone,
    ) -> Self {
        Error::of(ErrorCode::UnknownName, message).help(suggest(name, known))
    }

    /// The input data is wrong.
    pub fn data(message: impl Into<String>) -> Self {
        Error::new(Fault::Data, message)
    }

    /// Reading or writing `path` failed. A folder in place of a file is the fault of whoever named
    /// it.
    pub fn io(error: &io::Error, path: &Path) -> Self {
        use io::ErrorKind;
        let (code, message, help) = match error.kind() {
            ErrorKind::NotFound => {
                (ErrorCode::NotFound, "no such file".to_string(), "check the path and the folder it is relative to")
            }
            ErrorKind::IsADirectory => {
                (ErrorCode::Plan, "is a folder, not a file".to_string(), "name a file inside it")
            }
            _ => (ErrorCode::Io, error.to_string(), "check permissions and free space, then run again"),
        };
        Error::of(code, message).file(path).help(help).caused_by(error)
    }

    /// Keeps the error of the system behind it, as [`std::error::Error::source`].
    pub fn caused_by(mut self, error: &io::Error) -> Self {
        self.0.cause = Some(Cause::of(error));
        self
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

    /// Names no line: nobody wrote the text that it is of.
    pub fn without_line(mut self) -> Self {
        self.0.line = None;
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

    /// Says which criteria stand in the way, and what of them could be met.
    pub fn could_meet(mut self, criteria: Vec<CouldMeet>) -> Self {
        self.0.could_meet = criteria;
        self
    }

    /// The criteria that stand in the way, with what of them could be met, where that is known.
    pub fn attainable(&self) -> &[CouldMeet] {
        &self.0.could_meet
    }

    /// Who must act.
    pub fn fault(&self) -> Fault {
        self.0.code.fault()
    }

    /// What kind of error it is.
    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// The file concerned, if one is named.
    pub fn named_file(&self) -> Option<&Path> {
        self.0.file.as_deref()
    }

    /// The line concerned, if one is named.
    pub fn named_line(&self) -> Option<u64> {
        self.0.line
    }

    /// What to do, if it is said.
    pub fn advice(&self) -> Option<&str> {
        self.0.help.as_deref()
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

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.cause.as_ref().map(|cause| &*cause.0 as _)
    }
}

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

    /// Scripts rely on these: names may be added, and none changes.
    #[test]
    fn codes_are_in_order_and_each_has_a_name_below_its_fault() {
        for (at, (code, fault, name)) in ErrorCode::TABLE.into_iter().enumerate() {
            assert_eq!(code as usize, at, "{name}");
            let general = ErrorCode::from(fault).name();
            let is_below = name == general || name.strip_prefix(general).is_some_and(|rest| rest.starts_with('/'));
            assert!(is_below && !general.contains('/'), "{name} is below {general}");
            assert_eq!(Error::of(code, "").fault(), fault);
            assert_eq!(ErrorCode::all().filter(|other| other.name() == name).count(), 1, "{name} is one code");
        }
        let page = include_str!("../../docs/guide/reference/error-codes.md");
        let documented: Vec<&str> =
            page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
        assert_eq!(documented, ErrorCode::all().map(ErrorCode::name).collect::<Vec<_>>());
    }

    #[test]
    fn errors_of_the_system_are_kept() {
        use std::error::Error as _;
        let missing = std::fs::read("/no/such/file").unwrap_err();
        let error = Error::io(&missing, Path::new("/no/such/file"));
        assert_eq!(error.code(), ErrorCode::NotFound);
        let source = error.source().and_then(|source| source.downcast_ref::<io::Error>()).unwrap();
        assert_eq!(source.raw_os_error(), missing.raw_os_error());
        assert_eq!(error, error.clone());
        let other = Error::io(&io::Error::other("odd"), Path::new("/no/such/file"));
        assert_eq!((other.code(), other.source().unwrap().to_string()), (ErrorCode::Io, "odd".to_string()));
        assert!(Error::data("wrong").source().is_none());
    }
}
