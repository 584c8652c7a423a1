//! Command line: one module for each verb. Results go to stdout, messages to stderr.

mod bodies;
mod choice;
mod compare;
mod completions;
mod controls;
mod cosim;
mod difference;
mod doctor;
mod flip;
mod help;
mod job;
mod list;
mod output;
mod progress;
mod record;
mod reproduce;
mod run;
mod schema;
mod systems;
mod trace;
mod waves;

use std::process::ExitCode;

use ::cosim::RtlError;
use clap::{FromArgMatches, Parser, Subcommand};
use ports::did_you_mean;

/// Models and RTL of multi-GPU memory systems, side by side.
#[derive(Parser)]
#[command(name = "duet", version)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    List(list::Args),
    Systems(systems::Args),
    Schema(schema::Args),
    Cosim(cosim::Args),
    Run(run::Args),
    Compare(compare::Args),
    Reproduce(reproduce::Args),
    Controls(controls::Args),
    Bodies(bodies::Args),
    /// What is installed, what is missing, how to get it.
    Doctor,
    Trace(trace::Args),
    Completions(completions::Args),
    Man(completions::ManArgs),
}

/// Why a command ends without a pass: the message for stderr and the exit status.
#[derive(Debug)]
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

    /// A name that means nothing, and those that do.
    pub fn unknown(what: &str, name: &str, known: &[&str]) -> Self {
        let near = did_you_mean(name, known.iter().copied());
        Self::usage(format!("{what} {name}: must be one of {}{near}", known.join(", ")))
    }

    /// One of the environment.
    pub fn environment(message: impl ToString) -> Self {
        Self::new(ENVIRONMENT, message)
    }
}

/// The status of a run without an RTL body that it needs.
pub fn rtl_status(error: &RtlError) -> u8 {
    if error.is_wrong_use() { USAGE } else { ENVIRONMENT }
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    ::bodies::embed(rtl_embed::FILES);
    ::bodies::on_step(bodies::show_step);
    let words = help::command().get_matches();
    let verb = Cli::from_arg_matches(&words).unwrap_or_else(|e| e.exit()).verb;
    let is_run = match &verb {
        Verb::Cosim(_)
        | Verb::Run(_)
        | Verb::Compare(_)
        | Verb::Reproduce(_)
        | Verb::Controls(_) => true,
        Verb::Trace(args) => args.is_run(),
        Verb::Bodies(args) => args.is_run(),
        Verb::List(_)
        | Verb::Systems(_)
        | Verb::Schema(_)
        | Verb::Doctor
        | Verb::Completions(_)
        | Verb::Man(_) => false,
    };
    let result = match verb {
        Verb::List(args) => list::run(&args),
        Verb::Systems(args) => systems::run(&args),
        Verb::Schema(args) => schema::run(&args),
        Verb::Cosim(args) => cosim::run(&args),
        Verb::Run(args) => run::run(&args),
        Verb::Compare(args) => compare::run(&args),
        Verb::Reproduce(args) => reproduce::run(&args),
        Verb::Controls(args) => controls::run(&args),
        Verb::Bodies(args) => bodies::run(&args),
        Verb::Doctor => doctor::run(),
        Verb::Trace(args) => trace::run(&args),
        Verb::Completions(args) => completions::run(&args),
        Verb::Man(args) => completions::man(&args),
    };
    match result {
        Ok(status) => ExitCode::from(status),
        Err(Failure { status, message }) => {
            eprintln!("duet: {message}");
            // Every run ends with its verdict.
            if is_run {
                println!("FAIL {}", message.lines().next().unwrap_or_default());
            }
            ExitCode::from(status)
        }
    }
}
