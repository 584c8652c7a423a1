//! The tools of this process, found once.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::compiler::Compiler;
use super::error::VerilatedError;
use super::ibex;
use super::verilator::Verilator;

struct Found {
    verilator: Result<Verilator, String>,
    compiler: Result<Compiler, String>,
    ibex: Result<PathBuf, String>,
}

fn found() -> &'static Found {
    static FOUND: OnceLock<Found> = OnceLock::new();
    FOUND.get_or_init(|| Found {
        verilator: Verilator::find().and_then(|found| {
            let how = "no Verilator was found; run `make setup`, or set VERILATOR to its path";
            found.ok_or_else(|| how.to_string())
        }),
        compiler: Compiler::find(),
        ibex: ibex::find().and_then(|found| {
            let how = "no Ibex was found; run `make setup`, or set IBEX to its folder";
            found.ok_or_else(|| how.to_string())
        }),
    })
}

/// Verilator, for a body of `block`. Errors: there is none.
pub fn verilator(block: &str) -> Result<&'static Verilator, VerilatedError> {
    found().verilator.as_ref().map_err(|problem| VerilatedError::Verilator {
        block: block.to_string(),
        problem: problem.clone(),
    })
}

/// The C++ compiler, for a body of `block`. Errors: there is none.
pub fn compiler(block: &str) -> Result<&'static Compiler, VerilatedError> {
    found().compiler.as_ref().map_err(|problem| VerilatedError::Compiler {
        block: block.to_string(),
        problem: problem.clone(),
    })
}

/// Ibex's folder, for a body of `block`. Errors: there is none.
pub fn ibex_folder(block: &str) -> Result<&'static Path, VerilatedError> {
    match &found().ibex {
        Ok(folder) => Ok(folder),
        Err(problem) => {
            Err(VerilatedError::Ibex { block: block.to_string(), problem: problem.clone() })
        }
    }
}

/// Verilator and the compiler that bodies are made with, by their versions; empty where one is
/// missing.
pub fn versions() -> String {
    match (&found().verilator, &found().compiler) {
        (Ok(verilator), Ok(compiler)) => {
            format!("Verilator {}, {}", verilator.release, compiler.version)
        }
        _ => String::new(),
    }
}
