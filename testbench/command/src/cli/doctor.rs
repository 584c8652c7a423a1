//! `duet doctor`: what is installed, what is missing, how to get it.

use std::fmt::Display;
use std::process::Command;

use bodies::compiler::Compiler;
use bodies::verilator::Verilator;
use bodies::{Cache, Sources, ibex, tools};
use firmware::image::Image;
use traces::opencl::Tools;

use super::Failure;

/// Tools beside Verilator: name, arguments that print a version, what it is for, how to get it.
const TOOLS: [(&str, &[&str], &str, &str); 3] = [
    ("python3", &["--version"], "make setup", "apt-get install python3"),
    ("gtkwave", &["--version"], "shows waveforms (optional)", "apt-get install gtkwave"),
    (
        "ccache",
        &["--version"],
        "faster builds of Verilated libraries (optional)",
        "apt-get install ccache",
    ),
];

/// Where everything of ours comes from.
const SETUP: &str = "`make setup` in the project's folder";

/// A tool that may be there, be missing, or be of no use.
fn tool<T, E: Display>(
    found: Result<Option<T>, E>,
    show: impl Fn(T) -> String,
    missing: &str,
) -> Result<String, String> {
    match found {
        Ok(Some(tool)) => Ok(show(tool)),
        Ok(None) => Err(format!("MISSING: {SETUP}{missing}")),
        Err(error) => Err(format!("UNUSABLE: {error}")),
    }
}

pub fn run() -> Result<u8, Failure> {
    let mut missing = false;
    let mut tell = |name: &str, found: Result<String, String>| {
        missing |= found.is_err();
        let (Ok(text) | Err(text)) = found;
        println!("{name:<12} {text}");
    };
    let cache = Cache::find().map(|cache| format!("in {}", cache.folder().display()));
    tell("Verilated libraries", cache.map_err(|error| error.to_string()));
    let sources = Sources::current().map(|sources| sources.to_string());
    tell("RTL", sources.map_err(|error| format!("MISSING: {error}")));
    let none = || "no folder of the project's own; DUET_TOOLS names one".to_string();
    let folder = tools::folder()
        .map(|found| found.map_or_else(none, |(folder, by)| format!("{}, {by}", folder.display())));
    tell("tools", folder.map_err(|error| format!("UNUSABLE: {error}")));
    let image = Image::built().map(|Image { code_bytes, data_bytes, .. }| {
        format!("in this build: {code_bytes} bytes of code and constants, {data_bytes} of globals")
    });
    tell("firmware", image.map_err(|error| format!("MISSING: {error}; {SETUP}")));
    let verilator =
        |v: Verilator| format!("{}.{:03}, {}", v.version.0, v.version.1, v.program.display());
    tell("verilator", tool(Verilator::find(), verilator, ", or apt-get install verilator"));
    let no_ibex = "; the RTL of command_processor cannot be built";
    tell("ibex", tool(ibex::find(), |folder| folder.display().to_string(), no_ibex));
    let compiler = Compiler::find().map(|compiler| compiler.version).map_err(|error| {
        format!("MISSING: {error}; it builds the Verilated libraries: apt-get install g++")
    });
    tell("c++", compiler);
    for (name, args, purpose, how) in TOOLS {
        let version = Command::new(name).args(args).output().ok().map(|found| {
            let text = String::from_utf8_lossy(&found.stdout);
            // Without a display GTKWave says how it is used.
            let is_version = |line: &&str| found.status.success() && !line.starts_with("Usage");
            let line = text.lines().next().filter(is_version);
            line.unwrap_or("installed, version unknown").to_string()
        });
        let absent = format!("missing, {purpose}: {how}");
        match purpose.contains("optional") {
            true => tell(name, Ok(version.unwrap_or(absent))),
            false => tell(name, version.ok_or(absent)),
        }
    }
    let oclgrind = match Tools::find() {
        Ok(tools) => format!("{}, headers of LLVM {}", tools.oclgrind, tools.llvm),
        Err(error) => format!("(optional) {error}"),
    };
    tell("oclgrind", Ok(oclgrind));
    if missing {
        return Err(Failure::environment("a tool that builds Verilated libraries is missing"));
    }
    Ok(0)
}
