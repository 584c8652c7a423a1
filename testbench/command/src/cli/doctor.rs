//! `duet doctor`: what is installed, what is missing, how to get it.

use std::process::Command;

use bodies::compiler::Compiler;
use bodies::verilator::Verilator;
use bodies::{Cache, Sources, ibex, tools};
use firmware_embed::Image;
use traces::opencl::Tools;

use super::{ENVIRONMENT, Failure};

/// Tools beside Verilator: name, arguments that print a version, what it is for, how to get it.
const TOOLS: [(&str, &[&str], &str, &str); 3] = [
    ("python3", &["--version"], "make setup", "apt-get install python3"),
    ("gtkwave", &["--version"], "shows waveforms (optional)", "apt-get install gtkwave"),
    (
        "ccache",
        &["--version"],
        "faster rebuilds of the RTL bodies (optional)",
        "apt-get install ccache",
    ),
];

pub fn run() -> Result<u8, Failure> {
    let mut missing = false;
    match Cache::find() {
        Ok(cache) => println!("RTL bodies   in {}", cache.folder().display()),
        Err(error) => {
            missing = true;
            println!("RTL bodies   {error}");
        }
    }
    match Sources::current() {
        Ok(sources) => println!("RTL          {sources}"),
        Err(error) => {
            missing = true;
            println!("RTL          MISSING: {error}");
        }
    }
    match tools::folder() {
        Some(folder) => println!("tools        {}", folder.display()),
        None => println!("tools        no folder of the project's own; DUET_TOOLS names one"),
    }
    match Image::built() {
        Ok(image) => println!(
            "firmware     in this build: {} bytes of code and constants, {} of globals",
            image.code_bytes, image.data_bytes
        ),
        Err(error) => {
            missing = true;
            println!("firmware     MISSING: {error}; `make setup` in the project's folder");
        }
    }
    match Verilator::find() {
        Ok(Some(v)) => {
            println!("verilator    {}.{:03}, {}", v.version.0, v.version.1, v.program.display())
        }
        Ok(None) => {
            missing = true;
            println!(
                "verilator    MISSING: `make setup` in the project's folder, or apt-get install \
                 verilator"
            );
        }
        Err(error) => {
            missing = true;
            println!("verilator    UNUSABLE: {error}");
        }
    }
    match ibex::find() {
        Ok(Some(folder)) => println!("ibex         {}", folder.display()),
        Ok(None) => {
            missing = true;
            println!(
                "ibex         MISSING: `make setup` in the project's folder; command_processor has \
                 no RTL body"
            );
        }
        Err(error) => {
            missing = true;
            println!("ibex         UNUSABLE: {error}");
        }
    }
    match Compiler::find() {
        Ok(compiler) => println!("c++          {}", compiler.version),
        Err(error) => {
            missing = true;
            println!(
                "c++          MISSING: {error}; it builds the RTL bodies: apt-get install g++"
            );
        }
    }
    for (name, args, purpose, how) in TOOLS {
        let found = Command::new(name).args(args).output().ok();
        let version = found.map(|found| {
            let text = String::from_utf8_lossy(&found.stdout);
            let line = text.lines().next().filter(|_| found.status.success());
            line.unwrap_or("installed, of a version that it does not tell").to_string()
        });
        match version {
            Some(version) => println!("{name:<12} {version}"),
            None => {
                missing |= !purpose.contains("optional");
                println!("{name:<12} missing, {purpose}: {how}");
            }
        }
    }
    match Tools::find() {
        Ok(tools) => {
            println!("{:<12} {}, headers of LLVM {}", "oclgrind", tools.oclgrind, tools.llvm)
        }
        Err(error) => println!("{:<12} (optional) {error}", "oclgrind"),
    }
    if missing {
        return Err(Failure::new(ENVIRONMENT, "something that the RTL bodies need is missing"));
    }
    Ok(0)
}
