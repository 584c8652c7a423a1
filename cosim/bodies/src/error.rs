//! Why there is no Verilated library.

use std::path::{Path, PathBuf};

/// Why a Verilated library could not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerilatedError {
    /// No Verilator, or one that cannot be used.
    #[error("{block}: no Verilated library: {problem}")]
    Verilator {
        /// The block that was asked for.
        block: String,
        /// What is wrong.
        problem: String,
    },
    /// No C++ compiler.
    #[error(
        "{block}: no Verilated library: no C++ compiler: {problem}; install g++, or set CXX to its \
         path"
    )]
    Compiler {
        /// The block that was asked for.
        block: String,
        /// What is wrong.
        problem: String,
    },
    /// The block instantiates Ibex, and there is none.
    #[error("{block}: no Verilated library: {problem}")]
    Ibex {
        /// The block that was asked for.
        block: String,
        /// What is wrong.
        problem: String,
    },
    /// No RTL to make it of.
    #[error("{block}: no Verilated library: {problem}")]
    Sources {
        /// The block that was asked for.
        block: String,
        /// What is wrong.
        problem: String,
    },
    /// RTL from elsewhere holds what could run a program or open a file.
    #[error("{block}: foreign RTL is not built: {place}: {problem}")]
    Foreign {
        /// The block that was asked for.
        block: String,
        /// File and line.
        place: String,
        /// What stands there.
        problem: String,
    },
    /// Verilator reads the RTL and refuses it.
    #[error("{block}: Verilator rejects the RTL with {parameters}:\n{report}")]
    Refused {
        /// The block that was asked for.
        block: String,
        /// Its parameters.
        parameters: String,
        /// What Verilator says.
        report: String,
    },
    /// yosys does not read the RTL.
    #[error("{block}: yosys rejects the RTL:\n{report}")]
    NotRead {
        /// The block that was asked for.
        block: String,
        /// What yosys says.
        report: String,
    },
    /// A tool did not finish its work, for a reason that does not lie in the RTL.
    #[error("{block}: {tool} failed: {report}")]
    Tool {
        /// The block that was asked for.
        block: String,
        /// The tool.
        tool: &'static str,
        /// What it says.
        report: String,
    },
    /// The cache cannot be read or written.
    #[error(
        "{}: {problem}; DUET_CACHE sets another folder for Verilated libraries",
        path.display()
    )]
    Cache {
        /// Where.
        path: PathBuf,
        /// Why.
        problem: String,
    },
    /// The folder for coverage does not exist.
    #[error("DUET_COVERAGE={}: must be a folder that exists", folder.display())]
    Coverage {
        /// What is named.
        folder: PathBuf,
    },
    /// The finished library cannot be loaded.
    #[error("{}: cannot be loaded: {problem}", path.display())]
    Load {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: String,
    },
}

impl VerilatedError {
    /// The RTL or the parameters are at fault, not the environment.
    pub fn is_wrong_use(&self) -> bool {
        matches!(
            self,
            Self::Refused { .. }
                | Self::Foreign { .. }
                | Self::NotRead { .. }
                | Self::Sources { .. }
                | Self::Coverage { .. }
        )
    }

    pub(super) fn cache(path: &Path, problem: impl ToString) -> Self {
        Self::Cache { path: path.to_path_buf(), problem: problem.to_string() }
    }
}
