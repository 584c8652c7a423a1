//! Captures OpenCL programs: a plugin for Oclgrind, built where it is needed, records them.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output};

/// Installs all that a capture needs, where Oclgrind uses LLVM 14 (Debian 12).
pub const INSTALL: &str =
    "apt-get install oclgrind liboclgrind-dev llvm-14-dev opencl-headers ocl-icd-opencl-dev g++";

/// Names and texts of the plugin's sources.
const SOURCES: [(&str, &str); 3] = [
    ("gpu_cost.hpp", include_str!("../opencl/gpu_cost.hpp")),
    ("memtrace.cpp", include_str!("../opencl/memtrace.cpp")),
    ("gpu_passes.cpp", include_str!("../opencl/gpu_passes.cpp")),
];

/// Exit status by which the plugin says that it cannot write; it has said why.
const CANNOT_WRITE: i32 = 74;

/// Changes with the plugin and the text of a program: traces captured under another version may
/// differ.
pub fn version(program: &str) -> u32 {
    crc32fast::hash((SOURCES.map(|(_, text)| text).concat() + program).as_bytes())
}

/// Why a program is not captured.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A tool or a header is not installed.
    #[error("{0} is missing, which captures of OpenCL programs need: {INSTALL}")]
    Missing(String),
    /// The compiler refuses this source, and what it says.
    #[error("{0} does not compile:\n{1}")]
    Build(String, String),
    /// The operating system refuses.
    #[error("{0}: {1}")]
    Io(String, io::Error),
    /// Path of the plugin with white space: build options are split at it.
    #[error("{0}: Oclgrind loads no passes from a path with a space; move duet elsewhere")]
    Space(String),
    /// The plugin could not write.
    #[error("the capture could not be written; a record takes 60 bytes, in {0}")]
    CannotWrite(String),
}

/// What builds and runs the plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tools {
    /// What Oclgrind calls itself.
    pub oclgrind: String,
    /// Compiler and its first arguments.
    compiler: Vec<String>,
    /// The LLVM that Oclgrind uses: the plugin must use the same.
    pub llvm: String,
    include: String,
    lib: String,
}

impl Tools {
    /// Looks for all of them.
    pub fn find() -> Result<Self, Error> {
        let missing = |what: &str| Error::Missing(what.to_string());
        let version = text("oclgrind", ["--version"]).ok_or_else(|| missing("oclgrind"))?;
        let oclgrind = version.lines().find(|line| line.contains("Oclgrind"));
        let oclgrind = oclgrind.unwrap_or("Oclgrind").trim().to_string();

        let named = env::var("CXX").unwrap_or_default();
        let mut compiler: Vec<String> = named.split_whitespace().map(String::from).collect();
        if compiler.is_empty() {
            compiler.push("g++".to_string());
        }
        let (program, first) = (&compiler[0], &compiler[1..]);
        let arguments = first.iter().map(String::as_str).chain(["-print-file-name=liboclgrind.so"]);
        let library = text(program, arguments).ok_or_else(|| missing(program))?;
        // The compiler gives the bare name back when it finds no such library.
        let library = Path::new(library.trim());
        if !library.is_absolute() {
            return Err(missing("liboclgrind-dev"));
        }
        let libraries = text("ldd", [library.as_os_str()]).ok_or_else(|| missing("ldd"))?;
        let llvm = libraries.lines().find_map(|line| {
            let name = line.trim().strip_prefix("libLLVM-")?;
            Some(name.split(['.', ' ']).next()?.to_string())
        });
        let llvm = llvm.ok_or_else(|| missing("an Oclgrind with a shared LLVM"))?;
        let config = format!("llvm-config-{llvm}");
        let folder = |what: &str| {
            let folder = text(&config, [what]).ok_or_else(|| missing(&format!("llvm-{llvm}-dev")));
            Ok(folder?.trim().to_string())
        };
        let (include, lib) = (folder("--includedir")?, folder("--libdir")?);
        if !Path::new(&include).join("llvm/IR/Module.h").exists() {
            return Err(missing(&format!("llvm-{llvm}-dev")));
        }
        Ok(Self { oclgrind, compiler, llvm, include, lib })
    }

    /// The plugin, from the folder beside this executable; built when it is not there. Where that
    /// folder cannot be written, it stays in `work`.
    pub fn plugin(&self, work: &Path) -> Result<PathBuf, Error> {
        let texts = SOURCES.map(|(_, text)| text).concat();
        let made_of = [texts.as_str(), &self.oclgrind, &self.llvm].concat();
        let name = format!("memtrace-{:08x}.so", crc32fast::hash(made_of.as_bytes()));
        let beside = env::current_exe().ok().and_then(|exe| Some(exe.parent()?.join("opencl")));
        let kept = beside.map(|folder| folder.join(&name));
        if let Some(kept) = kept.as_ref().filter(|kept| kept.exists()) {
            return Ok(kept.clone());
        }
        let built = work.join(name);
        self.build(work, &built)?;
        Ok(kept.filter(|kept| keep(&built, kept).is_ok()).unwrap_or(built))
    }

    fn build(&self, work: &Path, library: &Path) -> Result<(), Error> {
        let mut command = self.compiler();
        command.args(["-O2", "-std=c++17", "-fPIC", "-shared", "-fno-rtti"]);
        // A context that ends closes its plugins; what they know of the program must stay.
        command.arg("-Wl,-z,nodelete");
        for (name, text) in SOURCES {
            let source = work.join(name);
            fs::write(&source, text).map_err(io_error(&source))?;
            if name.ends_with(".cpp") {
                command.arg(source);
            }
        }
        command.arg("-isystem").arg(&self.include).arg("-o").arg(library);
        command.args(["-loclgrind", &format!("-L{}", self.lib), &format!("-lLLVM-{}", self.llvm)]);
        self.compile("the plugin for Oclgrind", command)
    }

    /// The C++ compiler, for [`Tools::compile`].
    pub fn compiler(&self) -> Command {
        let mut command = Command::new(&self.compiler[0]);
        command.args(&self.compiler[1..]);
        command
    }

    /// Runs the compiler. `what`: what it makes.
    pub fn compile(&self, what: &str, mut compiler: Command) -> Result<(), Error> {
        let output = compiler.output().map_err(io_error(Path::new(&self.compiler[0])))?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        // Of a package that `find` does not look for: a header, or the library of OpenCL.
        let is_missing = |line: &&str| {
            line.contains("fatal error") && line.contains("No such file or directory")
                || line.contains("cannot find -l")
        };
        match said.lines().find(is_missing) {
            Some(line) => Err(Error::Missing(line.to_string())),
            None => Err(Error::Build(what.to_string(), said)),
        }
    }
}

/// Copies a file; it appears whole or not at all, also when two do it at a time.
fn keep(built: &Path, kept: &Path) -> io::Result<()> {
    if let Some(folder) = kept.parent() {
        fs::create_dir_all(folder)?;
    }
    let part = kept.with_extension(std::process::id().to_string());
    let copied = fs::copy(built, &part).and_then(|_| fs::rename(&part, kept));
    if copied.is_err() {
        // It may not even be there.
        let _ = fs::remove_file(&part);
    }
    copied
}

/// Runs a program (path and arguments) and leaves its raw capture at `prefix`. The program's input
/// and output are ours. `gpu`: its kernels are compiled as a GPU's compiler does it, and each
/// instruction of LLVM counts as those that it makes of it.
pub fn run(
    program: &[OsString],
    plugin: &Path,
    prefix: &Path,
    gpu: bool,
) -> Result<ExitStatus, Error> {
    // The program may change its folder.
    let absolute = |path: &Path| std::path::absolute(path).map_err(io_error(path));
    let (plugin, prefix) = (absolute(plugin)?, absolute(prefix)?);
    let mut command = Command::new("oclgrind");
    command.arg("--plugins").arg(&plugin).env("DUET_CAPTURE", &prefix);
    if gpu {
        let plugin = plugin.display().to_string();
        if plugin.contains(char::is_whitespace) {
            return Err(Error::Space(plugin));
        }
        let options = format!("-O3 -fpass-plugin={plugin}");
        command.args(["--build-options", &options]).env("DUET_CAPTURE_COSTS", "gpu");
    }
    command.args(program);
    let status = command.status().map_err(io_error(Path::new("oclgrind")))?;
    if status.code() == Some(CANNOT_WRITE) {
        let folder = prefix.parent().unwrap_or(&prefix);
        return Err(Error::CannotWrite(folder.display().to_string()));
    }
    Ok(status)
}

fn io_error(path: &Path) -> impl Fn(io::Error) -> Error + '_ {
    |error| Error::Io(path.display().to_string(), error)
}

/// What a program prints; none when it does not run.
fn text<A: AsRef<OsStr>>(program: &str, args: impl IntoIterator<Item = A>) -> Option<String> {
    let Output { status, stdout, .. } = Command::new(program).args(args).output().ok()?;
    status.success().then(|| String::from_utf8_lossy(&stdout).into_owned())
}
