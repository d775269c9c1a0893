//! The `sfumato` command: a thin layer over the library. It reads arguments, calls the library and
//! prints; what can be asked for comes from the library's own lists.

mod commands;
mod memory;
mod output;
mod progress;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use output::Output;
use std::process::ExitCode;

/// Publish tables about people with a stated privacy guarantee, and check anyone's.
#[derive(Parser)]
#[command(
    name = "sfumato",
    version,
    after_help = "Exit codes: 0 holds or done · 1 checked and does not hold · 2 usage or plan · 3 input data · 4 infeasible · \
                  5 verification or attack gate failed · 6 resources · 7 reading or writing · \
                  8 verified, but nothing could be confirmed · 70 internal · 130 cancelled",
    after_long_help = "EXAMPLES\n  \
        sfumato demo                                 see it work on made-up patients\n  \
        sfumato inspect patients.csv                 what is in the table, and who stands out\n  \
        sfumato init patients.csv                    draft plan.toml\n  \
        sfumato publish plan.toml --out release      make a release, if there is a safe one\n  \
        sfumato keygen release-key                   make a key to sign releases with\n  \
        sfumato publish plan.toml --out release --sign release-key  the same, signed\n  \
        sfumato verify release                       is it what its certificate says?\n  \
        sfumato verify release --key publisher.pub   and did the holder of this key sign it?\n  \
        sfumato attack release                       what does an attacker learn who knows the method?\n  \
        sfumato compare release-a release-b          side by side\n  \
        sfumato check patients.csv --plan plan.toml  does every criterion of the plan hold?\n  \
        sfumato skyline --plan plan.toml --value flu --confidence 0.95  how much may an attacker know?\n  \
        sfumato list criteria                        what a plan can require\n\n\
        EXIT CODES\n  0 holds or done\n  1 checked and does not hold\n  2 usage or plan\n  3 input data\n  4 infeasible\n  \
        5 verification or attack gate failed\n  6 resources\n  7 reading or writing\n  8 verified, but nothing could be confirmed\n  70 internal\n  130 cancelled"
)]
struct Arguments {
    /// How many threads to use; all cores by default.
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// The memory limit, as in 800MB or 4GiB, at least 16MB; nine tenths of free memory by
    /// default. A run that needs more ends, and publishes nothing.
    #[arg(long, global = true, value_name = "SIZE", value_parser = memory::parse)]
    memory: Option<u64>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Demo(commands::demo::Arguments),
    Inspect(commands::inspect::Arguments),
    Init(commands::init::Arguments),
    Publish(commands::publish::Arguments),
    Keygen(commands::keygen::Arguments),
    Verify(commands::verify::Arguments),
    Attack(commands::attack::Arguments),
    Compare(commands::compare::Arguments),
    Check(commands::check::Arguments),
    Skyline(Box<commands::skyline::Arguments>),
    List(commands::list::Arguments),
    Completions(commands::completions::Arguments),
    Manual(commands::manual::Arguments),
}

/// What the codes mean that every command may end with.
const EXIT_CODES: &str = "EXIT CODES\n  0 holds or done\n  1 checked and does not hold\n  2 usage or plan\n  3 input data\n  \
    4 infeasible\n  5 verification or attack gate failed\n  6 resources\n  7 reading or writing\n  \
    8 verified, but nothing could be confirmed\n  70 internal\n  130 cancelled";

/// The command line, with the exit codes in the help of each command that does not say its own.
fn command_line() -> clap::Command {
    Arguments::command().mut_subcommands(|command| {
        let help = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
        match help.contains("EXIT CODES") {
            true => command,
            false => command.after_long_help(format!("{help}\n\n{EXIT_CODES}").trim_start().to_string()),
        }
    })
}

impl Command {
    /// Whether programs read what it prints.
    fn is_json(&self) -> bool {
        match self {
            Command::Demo(_) | Command::Completions(_) | Command::Manual(_) => false,
            Command::Init(arguments) => arguments.json,
            Command::Inspect(arguments) => arguments.json,
            Command::Publish(arguments) => arguments.json,
            Command::Keygen(arguments) => arguments.json,
            Command::Verify(arguments) => arguments.json,
            Command::Attack(arguments) => arguments.json,
            Command::Compare(arguments) => arguments.json,
            Command::Check(arguments) => arguments.json,
            Command::Skyline(arguments) => arguments.json,
            Command::List(arguments) => arguments.json,
        }
    }
}

fn main() -> ExitCode {
    output::hide_panic_messages();
    let parsed = Arguments::from_arg_matches(&command_line().get_matches());
    let arguments = parsed.unwrap_or_else(|error| error.exit());
    if arguments.command.is_json() {
        Output::errors_as_json();
    }
    let run = std::panic::catch_unwind(|| {
        // Without random numbers the standard library panics on its own, further down: said here,
        // it is an error like others.
        sfumato::chance::Chance::System.generator(0)?;
        use_threads(arguments.threads)?;
        memory::limit(arguments.memory)?;
        progress::end_on_interrupt()?;
        let mut output = Output::new();
        match arguments.command {
            Command::Demo(arguments) => commands::demo::run(&arguments, &mut output),
            Command::Inspect(arguments) => commands::inspect::run(&arguments, &mut output),
            Command::Init(arguments) => commands::init::run(&arguments, &mut output),
            Command::Publish(arguments) => commands::publish::run(&arguments, &mut output),
            Command::Keygen(arguments) => commands::keygen::run(&arguments, &mut output),
            Command::Verify(arguments) => commands::verify::run(&arguments, &mut output),
            Command::Attack(arguments) => commands::attack::run(&arguments, &mut output),
            Command::Compare(arguments) => commands::compare::run(&arguments, &mut output),
            Command::Check(arguments) => commands::check::run(&arguments, &mut output),
            Command::Skyline(arguments) => commands::skyline::run(&arguments, &mut output),
            Command::List(arguments) => commands::list::run(&arguments, &mut output),
            Command::Completions(arguments) => commands::completions::run(&arguments, command_line(), &mut output),
            Command::Manual(arguments) => commands::manual::run(&arguments, command_line(), &mut output),
        }
    });
    match run {
        Ok(Ok(code)) => code,
        Ok(Err(error)) => {
            Output::error(&error);
            ExitCode::from(error.fault().exit_code())
        }
        Err(_) => ExitCode::from(sfumato::Fault::Internal.exit_code()),
    }
}

/// Starts the threads that work is spread over: so many, or one for each core.
fn use_threads(threads: Option<u16>) -> sfumato::Result<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.map_or(0, usize::from));
    pool.build_global().map_err(|_| {
        let error = sfumato::Error::new(sfumato::Fault::Resources, "the system does not give enough threads");
        error.help("use fewer, as in --threads 1, or raise what a process may have (`ulimit -u`, `ulimit -v`)")
    })
}
