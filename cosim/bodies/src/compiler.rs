//! Finds a C++ compiler: what `CXX` names, which may be several words, or `g++`, `c++`, `clang++`.
//! `CXXFLAGS` are flags besides, which win over those of a body: with `-O1` one is built in two
//! thirds of the time and runs slower.

use std::env;
use std::process::Command;

/// A C++ compiler that can be run.
#[derive(Clone, Debug)]
pub struct Compiler {
    words: Vec<String>,
    /// What `CXXFLAGS` says.
    pub flags: Vec<String>,
    /// The first line that it prints of its version.
    pub version: String,
    /// It is GCC. A header that GCC has compiled can be read in another folder than its own; one of
    /// Clang names the files that it was made of by their paths, and needs them there. Clang also
    /// calls libatomic where GCC knows the answer.
    pub is_gcc: bool,
}

impl Compiler {
    /// Looks for one. Errors: none runs, with what was tried.
    pub fn find() -> Result<Self, String> {
        let named = env::var("CXX").ok().filter(|text| !text.trim().is_empty());
        if let Some(named) = named {
            let problem = || format!("CXX = {named}: does not run");
            return Self::probe(words(&named)).ok_or_else(problem);
        }
        let tried = ["g++", "c++", "clang++"];
        let found = tried.into_iter().find_map(|name| Self::probe(words(name)));
        found.ok_or_else(|| format!("none of {} runs", tried.join(", ")))
    }

    /// A command that runs it.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]);
        command
    }

    fn probe(words: Vec<String>) -> Option<Self> {
        let flags = self::words(&env::var("CXXFLAGS").unwrap_or_default());
        let mut compiler = Self { words, flags, version: String::new(), is_gcc: false };
        let output = compiler.command().arg("--version").output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        compiler.version = text.lines().next()?.to_string();
        compiler.is_gcc = text.contains("Free Software Foundation");
        output.status.success().then_some(compiler)
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_string).collect()
}
