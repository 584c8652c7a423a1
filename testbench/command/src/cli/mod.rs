//! Command line: one module for each verb. Results go to stdout, messages to stderr.

mod bodies;
mod bundled;
mod check;
mod choice;
mod compare;
mod completions;
mod controls;
mod correlate;
mod cosim;
mod counters;
mod difference;
mod doctor;
mod explain;
mod files_of_rtl;
mod flip;
mod help;
mod job;
mod keep;
mod list;
mod litmus;
mod live;
mod mutate;
mod new;
mod output;
mod outputs;
mod pages;
mod plot;
mod points;
mod progress;
mod record;
mod replay;
mod reproduce;
mod run;
mod schema;
mod sweep;
mod systems;
mod text;
mod trace;
mod waves;

use std::ffi::OsString;
use std::process::ExitCode;
use std::{env, fs};

use ::cosim::RtlError;
use clap::{FromArgMatches, Parser, Subcommand};
use ports::{is_hidden, known_names};
use reproductions::paper;

use crate::{ending, out};

/// Models and RTL of multi-GPU memory systems, side by side.
#[derive(Parser)]
#[command(name = "duet", version)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

/// One lives, for as long as the process.
#[allow(clippy::large_enum_variant)]
#[derive(Subcommand)]
enum Verb {
    List(list::Args),
    Systems(systems::Args),
    Schema(schema::Args),
    Cosim(cosim::Args),
    Run(run::Args),
    Compare(compare::Args),
    Replay(replay::Args),
    Explain(explain::Args),
    Report(pages::Args),
    Sweep(sweep::Args),
    Plot(plot::Args),
    Reproduce(reproduce::Args),
    Correlate(correlate::Args),
    Controls(controls::Args),
    Litmus(litmus::Args),
    Check(check::Args),
    Mutate(mutate::Args),
    New(new::Args),
    Bodies(bodies::Args),
    /// What is installed, what is missing, how to get it.
    Doctor,
    Trace(trace::Args),
    Completions(completions::Args),
    Man(completions::ManArgs),
}

impl Verb {
    /// It ends with a verdict.
    fn is_run(&self) -> bool {
        match self {
            Self::Cosim(_)
            | Self::Run(_)
            | Self::Compare(_)
            | Self::Replay(_)
            | Self::Sweep(_)
            | Self::Reproduce(_)
            | Self::Correlate(_)
            | Self::Litmus(_)
            | Self::Check(_)
            | Self::Controls(_)
            | Self::Mutate(_) => true,
            Self::Trace(args) => args.is_run(),
            Self::Bodies(args) => args.is_run(),
            Self::List(_)
            | Self::Systems(_)
            | Self::Schema(_)
            | Self::Explain(_)
            | Self::New(_)
            | Self::Report(_)
            | Self::Plot(_)
            | Self::Doctor
            | Self::Completions(_)
            | Self::Man(_) => false,
        }
    }

    fn run(self) -> Result<u8, Failure> {
        match self {
            Self::List(args) => list::run(&args),
            Self::Systems(args) => systems::run(&args),
            Self::Schema(args) => schema::run(&args),
            Self::Cosim(args) => cosim::run(&args),
            Self::Run(args) => run::run(&args),
            Self::Compare(args) => compare::run(&args),
            Self::Replay(args) => replay::run(&args),
            Self::Explain(args) => explain::run(&args),
            Self::Report(args) => pages::run(&args),
            Self::Sweep(args) => sweep::run(&args),
            Self::Plot(args) => plot::run(&args),
            Self::Reproduce(args) => reproduce::run(&args),
            Self::Correlate(args) => correlate::run(&args),
            Self::Controls(args) => controls::run(&args),
            Self::Litmus(args) => litmus::run(&args),
            Self::Check(args) => check::run(&args),
            Self::Mutate(args) => mutate::run(&args),
            Self::New(args) => new::run(&args),
            Self::Bodies(args) => bodies::run(&args),
            Self::Doctor => doctor::run(),
            Self::Trace(args) => trace::run(&args),
            Self::Completions(args) => completions::run(&args),
            Self::Man(args) => completions::man(&args),
        }
    }

    /// The same, out of a bundle.
    fn of_bundle(mut self, again: keep::Again, bundled: bodies::Bundled) -> Self {
        let (own, rtl) = match &mut self {
            Self::Cosim(args) => (&mut args.again, &mut args.rtl),
            Self::Run(args) => (&mut args.again, &mut args.rtl),
            Self::Compare(args) => (&mut args.again, &mut args.rtl),
            _ => unreachable!("no other verb is in a bundle"),
        };
        (*own, rtl.bundled) = (Some(again), Some(bundled));
        self
    }
}

/// Why a command ends without a pass: the message for stderr and the exit status.
#[derive(Clone, Debug)]
pub struct Failure {
    status: u8,
    message: String,
}

/// Exit status: model and RTL differ.
pub const DIFFER: u8 = 1;
/// Exit status: wrong use or configuration.
pub const USAGE: u8 = 2;
/// Exit status: deadlock or cycle limit.
pub const STUCK: u8 = 3;
/// Exit status: wrong value.
pub const WRONG_VALUE: u8 = 4;
/// Exit status: a tool is missing, a file cannot be written.
pub const ENVIRONMENT: u8 = 5;

impl Failure {
    /// A failure with this exit status.
    pub fn new(status: u8, message: impl ToString) -> Self {
        Self { status, message: message.to_string() }
    }

    /// One of wrong use or configuration.
    pub fn usage(message: impl ToString) -> Self {
        Self::new(USAGE, message)
    }

    /// A name that means nothing, and those that do: the command `all` shows them.
    pub fn unknown(what: &str, name: &str, known: &[&str], all: &str) -> Self {
        let known = known_names(name, known.iter().copied(), Some(all));
        Self::usage(format!("{what} {name}: must be one of {known}"))
    }

    /// One of the environment.
    pub fn environment(message: impl ToString) -> Self {
        Self::new(ENVIRONMENT, message)
    }
}

/// A message in one line: with what its first line announces.
fn headline(message: &str) -> String {
    let mut lines = message.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    match (first.ends_with(':'), lines.next()) {
        (true, Some(second)) => format!("{first} {second}"),
        _ => first.to_string(),
    }
}

/// This program as the user has called it, for commands that it shows.
pub fn program() -> String {
    let typed = env::args_os().next().and_then(|word| word.into_string().ok());
    // Another name would have to be quoted.
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+".contains(c);
    let typed = typed.filter(|name| !name.is_empty() && name.chars().all(is_plain));
    typed.unwrap_or_else(|| "duet".to_string())
}

/// A checksum of this program.
pub fn build() -> Result<String, Failure> {
    let own = env::current_exe().and_then(fs::read);
    let own = own.map_err(|e| Failure::environment(format!("this program: {e}")))?;
    Ok(::bodies::checksum(&own)[..16].to_string())
}

/// The status of a run without a Verilated library that it needs.
pub fn rtl_status(error: &RtlError) -> u8 {
    if error.is_wrong_use() { USAGE } else { ENVIRONMENT }
}

/// Each file of `rtl/` that Verilator reads, and each README: path in `rtl/` and content.
const RTL: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// Checks that the families of this program have names of their own.
fn check_names() -> Result<(), Failure> {
    let blocks = ::cosim::blocks::check_names();
    blocks
        .and_then(|()| machine::check_names())
        .and_then(|()| paper::check_names())
        .map_err(Failure::usage)
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    ::bodies::embed(RTL);
    ::bodies::on_step(bodies::show_step);
    if let Some(columns) = out::terminal_columns() {
        ::cosim::fold::set_columns(columns);
    }
    let verb = match help::command().try_get_matches().and_then(|w| Cli::from_arg_matches(&w)) {
        Ok(cli) => cli.verb,
        Err(answer) => return say(&answer),
    };
    if let Err(error) = ending::on_signals() {
        eprintln!("duet: signals: {error}");
        return ExitCode::from(ENVIRONMENT);
    }
    files::remove_stale();
    let is_run = verb.is_run();
    let result = check_names().and_then(|()| verb.run());
    let status = result.unwrap_or_else(|Failure { status, message }| {
        // Every run ends with its verdict.
        let (_, others) = message.split_once('\n').unwrap_or((&message, ""));
        match is_run && out::is_one_stream() {
            // There the verdict says it once.
            true if others.is_empty() => {}
            true => eprintln!("{others}"),
            false => eprintln!("duet: {message}"),
        }
        if is_run {
            println!("FAIL {}", headline(&message));
        }
        status
    });
    out::flush();
    ExitCode::from(status)
}

/// A help text for standard output, or what is wrong with the command line.
fn say(answer: &clap::Error) -> ExitCode {
    match answer.use_stderr() {
        true => {
            // A file's name can be an argument. Colours are such characters as it may not have.
            let is_plain = |word: OsString| !word.to_string_lossy().contains(is_hidden);
            match env::args_os().all(is_plain) {
                true => drop(answer.print()),
                false => eprint!("{}", answer.render()),
            }
            ExitCode::from(USAGE)
        }
        false => {
            out::check(answer.print());
            ExitCode::SUCCESS
        }
    }
}

#[cfg(test)]
mod tests {
    use super::headline;

    #[test]
    fn a_verdict_has_what_its_message_announces() {
        for (message, line) in [
            (
                "b: refused:\n\n  %Error: b.sv:3:1: unknown\n  more",
                "b: refused: %Error: b.sv:3:1: unknown",
            ),
            ("wrong value\nlife of it", "wrong value"),
            ("announces nothing:", "announces nothing:"),
        ] {
            assert_eq!(headline(message), line);
        }
    }
}
