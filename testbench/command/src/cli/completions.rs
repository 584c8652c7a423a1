//! `duet completions SHELL` and `duet man DIR`: what shells complete, and man pages, from the
//! parser of the command line.

use std::io;
use std::path::PathBuf;

use clap::Command;
use clap::builder::PossibleValuesParser;
use clap_complete::Shell;
use cosim::blocks;
use machine::systems;
use reproductions::{controls, paper};
use traces::kernels;

use super::cosim::FINEPACK;
use super::{Failure, help};

/// Print what a shell needs to complete the words of duet
#[derive(clap::Args)]
pub struct Args {
    /// The shell
    shell: Shell,
}

/// Write a man page for each verb
#[derive(clap::Args)]
pub struct ManArgs {
    /// Folder to write them to
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// The parser with the names that arguments may have, files aside.
fn with_names(command: Command) -> Command {
    let command = command.mut_args(|arg| {
        let names: Vec<String> = match arg.get_id().as_str() {
            "system" | "from" => systems::names(),
            "workload" => kernels::all().map(|program| program.name.to_string()).collect(),
            "block" | "blocks" => {
                let blocks = blocks::all().into_iter().map(|block| block.name);
                blocks.chain([FINEPACK]).map(String::from).collect()
            }
            "paper" => {
                let names = paper::all().into_iter().map(|paper| paper.name);
                names.chain(["all"]).map(String::from).collect()
            }
            "names" => controls::all().map(|control| control.name.to_string()).collect(),
            _ => return arg,
        };
        arg.value_parser(PossibleValuesParser::new(names))
    });
    command.mut_subcommands(with_names)
}

pub fn run(args: &Args) -> Result<u8, Failure> {
    let mut command = with_names(help::command());
    // In memory first: the reader may stop.
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "duet", &mut text);
    io::Write::write_all(&mut io::stdout(), &text).map_err(Failure::environment)?;
    Ok(0)
}

pub fn man(args: &ManArgs) -> Result<u8, Failure> {
    let failure = |e: io::Error| Failure::environment(format!("{}: {e}", args.folder.display()));
    std::fs::create_dir_all(&args.folder).map_err(failure)?;
    clap_mangen::generate_to(help::command(), &args.folder).map_err(failure)?;
    Ok(0)
}
