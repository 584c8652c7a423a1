//! Why there is no RTL body.

use std::path::{Path, PathBuf};

/// Why a body could not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerilatedError {
    /// No Verilator, or one that cannot be used.
    #[error("{block}: no RTL body: {problem}")]
    Verilator {
        /// The block that was asked for.
        block: String,
        /// What is wrong.
        problem: String,
    },
    /// No C++ compiler.
    #[error(
        "{block}: no RTL body: no C++ compiler: {problem}; install g++, or set CXX to its path"
    )]
    Compiler {
        /// The block that was asked for.
        block: String,
        /// What is wrong.
        problem: String,
    },
    /// The block instantiates Ibex, and there is none.
    #[error("{block}: no RTL body: {problem}")]
    Ibex {
        /// The block that was asked for.
        block: String,
        /// What is wrong.
        problem: String,
    },
    /// No RTL to make it of.
    #[error("{block}: no RTL body: {problem}")]
    Sources {
        /// The block that was asked for.
        block: String,
        /// What is wrong.
        problem: String,
    },
    /// RTL from elsewhere holds what could run a program or open a file.
    #[error("{block}: RTL from elsewhere is not built: {place}: {problem}")]
    Foreign {
        /// The block that was asked for.
        block: String,
        /// File and line.
        place: String,
        /// What stands there.
        problem: String,
    },
    /// Verilator reads the RTL and refuses it.
    #[error("{block}: Verilator refuses the RTL with {parameters}:\n{report}")]
    Refused {
        /// The block that was asked for.
        block: String,
        /// Its parameters.
        parameters: String,
        /// What Verilator says.
        report: String,
    },
    /// yosys does not read the RTL.
    #[error("{block}: yosys does not read the RTL:\n{report}")]
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
    #[error("{}: {problem}; DUET_CACHE sets another folder for RTL bodies", path.display())]
    Cache {
        /// Where.
        path: PathBuf,
        /// Why.
        problem: String,
    },
    /// Where bodies write what they have reached is no folder.
    #[error("DUET_COVERAGE={}: must be a folder that exists", folder.display())]
    Coverage {
        /// What is named.
        folder: PathBuf,
    },
    /// The finished body cannot be loaded.
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
