//! Everything that one body is made of, and how it is made: Verilator, then the C++ compiler.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::cache::{Cache, Kept};
use super::compiler::Compiler;
use super::error::VerilatedError;
use super::evaluation;
use super::foreign::{self, Refused};
use super::key::Key;
use super::request::Request;
use super::shim::{self, PREFIX};
use super::sources::{self, Origin, Source, Sources};
use super::verilator::Verilator;
use super::{ibex, toolset, wrapper};

/// Flags of the C++ compiler. Nothing but the three exported functions leaves a body: each has a
/// runtime of its own.
const CXX_FLAGS: [&str; 8] = [
    "-std=c++17",
    "-O3",
    "-fPIC",
    "-fvisibility=hidden",
    "-fvisibility-inlines-hidden",
    "-fno-strict-aliasing",
    "-w",
    "-DVM_SC=0",
];
/// The level that .cargo/config.toml gives the models.
const LEVEL: &str = if cfg!(target_arch = "x86_64") { "-march=x86-64-v3" } else { "-march=native" };
/// Flags of Verilator. Assertions sample `rst_ni` at the clock edge, which is meant. `unique`:
/// registers are what the context says before their reset, 0 or random.
const VERILATOR_FLAGS: [&str; 11] = [
    "--cc",
    "-O3",
    "--x-assign",
    "fast",
    "--x-initial",
    "unique",
    "--assert",
    "-Wall",
    "-Wno-SYNCASYNCNET",
    "--prefix",
    PREFIX,
];
/// What the RTL has for simulation, and the oldest Verilator that knows it: loops that are not
/// unrolled.
const KEEP_LOOPS: (&str, (u32, u32)) = ("+define+DUET_KEEP_LOOPS", (5, 30));
/// Flags of a body whose signals can be traced: fields of structs one by one, arrays of moderate
/// size too.
const TRACE_FLAGS: [&str; 6] =
    ["--trace", "--trace-structs", "--trace-max-array", "256", "--trace-max-width", "4096"];

/// Environment variable with the folder that bodies write what they have reached into, each a file
/// of Verilator's format when it goes. Where it is set all bodies count lines and toggles.
const COVERAGE: &str = "DUET_COVERAGE";
/// Flags of such a body.
const COVERAGE_FLAGS: [&str; 2] = ["--coverage-line", "--coverage-toggle"];

/// How the name of a header that GCC has compiled ends; it looks for it beside the header.
const COMPILED: &str = ".gch";

/// Everything that one body is made of.
pub struct Plan<'a> {
    request: &'a Request,
    verilator: &'static Verilator,
    compiler: &'static Compiler,
    ibex: Option<&'static Path>,
    coverage: bool,
    sources: Vec<Source>,
    /// Where Verilator looks for modules and headers.
    folders: Vec<String>,
    /// The path of each source as Verilator's messages have it, and as the user can open it.
    shown: Vec<[String; 2]>,
    top: String,
}

impl<'a> Plan<'a> {
    /// Errors: a tool or the block's RTL is missing.
    pub fn new(request: &'a Request, all: &Sources) -> Result<Self, VerilatedError> {
        let block = request.block.name;
        let (verilator, compiler) = (toolset::verilator(block)?, toolset::compiler(block)?);
        let sources = all
            .of_block(block)
            .map_err(|problem| VerilatedError::Sources { block: block.to_string(), problem })?;
        let ibex = match ibex::is_wanted(&sources) {
            true => Some(toolset::ibex_folder(block)?),
            false => None,
        };
        let top = wrapper::wrapper(&request.block);
        let coverage = std::env::var_os(COVERAGE).map(PathBuf::from);
        if let Some(folder) = coverage.as_ref().filter(|folder| !folder.is_dir()) {
            return Err(VerilatedError::Coverage { folder: folder.clone() });
        }
        let coverage = coverage.is_some();
        let shown = sources.iter().map(|s| [s.path.clone(), all.shown(&s.path)]).collect();
        let folders = sources::folders_of(&sources).into_iter().map(String::from).collect();
        let plan =
            Self { request, verilator, compiler, ibex, coverage, sources, folders, shown, top };
        match all.origin() {
            Origin::Own => Ok(plan),
            Origin::Foreign => plan.expanded(),
        }
    }

    /// Of RTL from elsewhere: with each file as the preprocessor leaves it, which is checked.
    /// Errors: as of `verilate`, and what a file may not hold.
    fn expanded(mut self) -> Result<Self, VerilatedError> {
        let block = self.request.block.name;
        let foreign = |Refused { place, problem }| VerilatedError::Foreign {
            block: block.to_string(),
            place,
            problem,
        };
        let top = format!("{}.sv", wrapper::top_name(&self.request.block));
        let mut all = std::mem::take(&mut self.sources);
        foreign::check_lists(&all).map_err(foreign)?;
        let (rtl, lists): (Vec<_>, Vec<_>) =
            all.iter().cloned().partition(|s| foreign::is_verilog(&s.path));
        rtl.iter().try_for_each(foreign::check_includes).map_err(foreign)?;
        all.push(Source { path: top.clone(), content: self.top.clone().into_bytes() });
        let place = Cache::find()?.scratch()?;
        make_folders(place.folder(), &self.folders)?;
        all.iter().try_for_each(|s| write(&place.folder().join(&s.path), &s.content))?;
        let files: BTreeSet<&str> = all.iter().map(|s| s.path.as_str()).collect();
        self.sources = lists;
        // Headers stand in the files that include them.
        for path in files.iter().filter(|path| path.ends_with(".sv")) {
            let text = self.preprocess(place.folder(), path, &all)?;
            foreign::check(path, &text, &files).map_err(foreign)?;
            match *path == top {
                true => self.top = String::from_utf8_lossy(&text).into_owned(),
                false => self.sources.push(Source { path: path.to_string(), content: text }),
            }
        }
        Ok(self)
    }

    fn search(&self) -> impl Iterator<Item = &str> {
        self.folders.iter().flat_map(|folder| ["-y", folder])
    }

    /// A file as Verilator's preprocessor leaves it.
    fn preprocess(
        &self,
        folder: &Path,
        path: &str,
        sources: &[Source],
    ) -> Result<Vec<u8>, VerilatedError> {
        let mut command = self.verilator.command();
        command.current_dir(folder).arg("-E").args(self.verilator_flags());
        if let Some(ibex) = self.ibex {
            command.args(ibex::preprocessor_arguments(sources, ibex));
        }
        command.args(self.search()).arg(path);
        let output = command.output().map_err(|e| self.failed("Verilator", e))?;
        self.read_by_verilator(&output)?;
        Ok(output.stdout)
    }

    fn tools(&self) -> String {
        format!("Verilator {}, {}", self.verilator.release, self.compiler.version)
    }

    /// The flags that depend on the variant alone, and on Verilator's version.
    fn verilator_flags(&self) -> impl Iterator<Item = String> {
        let loops = (self.verilator.version >= KEEP_LOOPS.1).then_some(&KEEP_LOOPS.0);
        let trace: &[&str] = if self.request.variant.trace { &TRACE_FLAGS } else { &[] };
        let coverage: &[&str] = if self.coverage { &COVERAGE_FLAGS } else { &[] };
        let defines = self.request.variant.defines.iter().map(|name| format!("+define+{name}"));
        let flags = VERILATOR_FLAGS.iter().chain(loops).chain(trace).chain(coverage);
        flags.map(|flag| flag.to_string()).chain(defines)
    }

    fn cxx_flags(&self) -> impl Iterator<Item = String> {
        let trace = format!("-DVM_TRACE={}", u8::from(self.request.variant.trace));
        let coverage = format!("-DVM_COVERAGE={}", u8::from(self.coverage));
        let ours = CXX_FLAGS.iter().chain([&LEVEL]).map(|flag| flag.to_string());
        let ours = ours.chain([trace, coverage]);
        ours.chain(self.compiler.flags.iter().cloned())
    }

    /// The name in the cache.
    pub fn name(&self) -> Result<String, VerilatedError> {
        let mut key = Key::default();
        self.add_tools(&mut key);
        self.verilator_flags().for_each(|flag| key.add(flag));
        key.add(&self.top);
        key.add(shim::shim(&self.request.block, &[], None));
        key.add(evaluation::SOURCE);
        for source in &self.sources {
            key.add(&source.path);
            key.add(&source.content);
        }
        if let Some(ibex) = self.ibex {
            let contents = ibex::contents(ibex).map_err(|problem| VerilatedError::Ibex {
                block: self.request.block.name.to_string(),
                problem,
            })?;
            contents.iter().for_each(|content| key.add(content));
        }
        Ok(format!("{}-{}", self.request.block.name, key.finish()))
    }

    fn add_tools(&self, key: &mut Key) {
        key.add(&self.verilator.release);
        key.add(&self.compiler.version);
        key.add(std::env::consts::ARCH);
        self.cxx_flags().for_each(|flag| key.add(flag));
        for (name, text) in shim::HEADERS.into_iter().chain([shim::RUNTIME]) {
            key.add(name);
            key.add(text);
        }
    }

    pub fn kept(&self, file: &str) -> Kept {
        Kept {
            block: self.request.block.name.to_string(),
            parameters: self.request.parameters(),
            variant: self.request.variant.to_string(),
            tools: self.tools(),
            file: file.to_string(),
            bytes: 0,
            sha256: String::new(),
        }
    }

    fn failed(&self, tool: &'static str, report: impl ToString) -> VerilatedError {
        let report = report.to_string().trim().to_string();
        VerilatedError::Tool { block: self.request.block.name.to_string(), tool, report }
    }

    /// Verilates and compiles in `folder`; returns the shared object.
    pub fn build(&self, cache: &Cache, folder: &Path) -> Result<PathBuf, VerilatedError> {
        let runtime = self.runtime(cache)?;
        self.verilate(folder)?;
        let classes = classes(folder).map_err(|e| self.failed("Verilator", e))?;
        let last = evaluation::join(&folder.join("obj_dir"), &classes);
        let last = last.map_err(|e| VerilatedError::cache(folder, e))?;
        let shim = shim::shim(&self.request.block, &classes, last.as_deref());
        write(&folder.join("shim.cpp"), shim.as_bytes())?;
        write_headers(folder)?;
        if self.compiler.is_gcc {
            let headers = self.headers(cache)?;
            // Where it cannot be linked the compiler reads the text.
            let _ = fs::hard_link(headers, folder.join(shim::ALL.to_string() + COMPILED));
        }
        let mut command = self.compile_with(shim::ALL);
        command.arg("-Iobj_dir").args(["-shared", "-o", "made.so", "shim.cpp"]).arg(&runtime);
        if cfg!(target_os = "linux") && !self.compiler.is_gcc {
            command.arg("-latomic");
        }
        self.run("the C++ compiler", command.current_dir(folder))?;
        Ok(folder.join("made.so"))
    }

    /// Writes the RTL into `folder` and verilates it there.
    pub fn verilate(&self, folder: &Path) -> Result<(), VerilatedError> {
        make_folders(folder, &self.folders)?;
        self.sources.iter().try_for_each(|s| write(&folder.join(&s.path), &s.content))?;
        let top = wrapper::top_name(&self.request.block);
        write(&folder.join(format!("{top}.sv")), self.top.as_bytes())?;
        let mut command = self.verilator.command();
        command.current_dir(folder);
        if let Some(ibex) = self.ibex {
            let top = sources::top_of(self.request.block.name, &self.sources);
            let place = top.map_or("", |top| sources::folder_of(&top.path));
            ibex::arguments(&mut command, Path::new(place), ibex);
        }
        let packages = self.sources.iter().filter(|s| s.path.ends_with("_pkg.sv"));
        command
            .args(self.verilator_flags())
            .args(["--top-module", &top, "--Mdir", "obj_dir"])
            .args(self.search())
            .args(packages.map(|s| &s.path))
            .arg(format!("{top}.sv"));
        let output = command.output().map_err(|e| self.failed("Verilator", e))?;
        self.read_by_verilator(&output)
    }

    /// Errors: Verilator has refused the RTL, or could not do its work.
    fn read_by_verilator(&self, output: &Output) -> Result<(), VerilatedError> {
        let mut report = String::from_utf8_lossy(&output.stderr).trim().to_string();
        for [path, shown] in self.shown.iter().filter(|[path, shown]| path != shown) {
            report = report.replace(&format!(" {path}:"), &format!(" {shown}:"));
        }
        match output.status.code() {
            Some(0) => Ok(()),
            // It says so of each file that it cannot write.
            Some(_) if !report.contains("Can't write") && report.contains(".sv") => {
                Err(VerilatedError::Refused {
                    block: self.request.block.name.to_string(),
                    parameters: self.request.parameters(),
                    report,
                })
            }
            _ => Err(self.failed("Verilator", format!("{}: {report}", output.status))),
        }
    }

    /// A call of the compiler that reads a header before all else.
    fn compile_with(&self, first: &str) -> Command {
        let mut command = self.compile();
        command.args(["-include", first]);
        command
    }

    fn compile(&self) -> Command {
        let include = self.verilator.root.join("include");
        let mut command = self.compiler.command();
        command.args(self.cxx_flags()).arg("-I.");
        command.arg("-isystem").arg(&include).arg("-isystem").arg(include.join("vltstd"));
        command
    }

    fn run(&self, tool: &'static str, command: &mut Command) -> Result<(), VerilatedError> {
        let output = command.output().map_err(|e| self.failed(tool, e))?;
        if output.status.success() {
            return Ok(());
        }
        // The last lines tell; a template's whole story does not.
        let text = String::from_utf8_lossy(&output.stderr);
        let lines: Vec<_> = text.lines().collect();
        let last = lines[lines.len().saturating_sub(12)..].join("\n");
        Err(self.failed(tool, format!("{}: {last}", output.status)))
    }

    /// Verilator's runtime as one object file.
    fn runtime(&self, cache: &Cache) -> Result<PathBuf, VerilatedError> {
        self.shared(cache, "runtime", "made.o", |folder| {
            write(&folder.join(shim::RUNTIME.0), shim::RUNTIME.1.as_bytes())?;
            let mut all = String::new();
            let trace = self.request.variant.trace.then_some("verilated_vcd_c.cpp");
            let coverage = self.coverage.then_some("verilated_cov.cpp");
            let parts = ["verilated.cpp", "verilated_threads.cpp"];
            let parts = parts.into_iter().chain(trace).chain(coverage);
            for (number, part) in parts.enumerate() {
                let mut command = self.compile_with(shim::PRELUDE);
                command.arg("-c").arg(self.verilator.root.join("include").join(part));
                command.arg("-o").arg(format!("{number}.o"));
                self.run("the C++ compiler", command.current_dir(folder))?;
                all += &format!("{number}.o ");
            }
            let mut command = self.compile_with(shim::PRELUDE);
            command.args(["-c", shim::RUNTIME.0, "-o", "own.o"]);
            self.run("the C++ compiler", command.current_dir(folder))?;
            let mut command = self.compile_with(shim::PRELUDE);
            command.args(["-r", "-nostdlib", "-o", "made.o", "own.o"]);
            self.run("the C++ compiler", command.args(all.split_whitespace()).current_dir(folder))
        })
    }

    /// The headers of bodies, compiled.
    fn headers(&self, cache: &Cache) -> Result<PathBuf, VerilatedError> {
        let file = format!("made{COMPILED}");
        self.shared(cache, "headers", &file, |folder| {
            let mut command = self.compile();
            command.args(["-x", "c++-header", shim::ALL, "-o", &file]);
            self.run("the C++ compiler", command.current_dir(folder))
        })
    }

    /// A file that is made once for all bodies of this kind, in a folder that has the headers.
    fn shared(
        &self,
        cache: &Cache,
        what: &str,
        file: &str,
        make: impl FnOnce(&Path) -> Result<(), VerilatedError>,
    ) -> Result<PathBuf, VerilatedError> {
        let mut key = Key::default();
        self.add_tools(&mut key);
        let name = format!("{what}-{}", key.finish());
        if let Some(path) = cache.get(&name)? {
            return Ok(path);
        }
        let _lock = cache.lock(&name, || ())?;
        if let Some(path) = cache.get(&name)? {
            return Ok(path);
        }
        let place = cache.start(&name)?;
        write_headers(place.folder())?;
        make(place.folder())?;
        let kept = Kept { block: String::new(), parameters: String::new(), ..self.kept(file) };
        let made = place.folder().join(file);
        place.finish(&made, kept)
    }
}

/// The folders of a block's sources.
fn make_folders(folder: &Path, names: &[String]) -> Result<(), VerilatedError> {
    names.iter().try_for_each(|name| {
        let folder = folder.join(name);
        fs::create_dir_all(&folder).map_err(|e| VerilatedError::cache(&folder, e))
    })
}

fn write_headers(folder: &Path) -> Result<(), VerilatedError> {
    let mut all = shim::HEADERS.iter();
    all.try_for_each(|(name, text)| write(&folder.join(name), text.as_bytes()))
}

fn write(path: &Path, content: &[u8]) -> Result<(), VerilatedError> {
    fs::write(path, content).map_err(|e| VerilatedError::cache(path, e))
}

/// The C++ files that Verilator lists in its makefile fragment, below `obj_dir`.
fn classes(folder: &Path) -> Result<Vec<String>, String> {
    let folder = folder.join("obj_dir");
    let path = folder.join(format!("{PREFIX}_classes.mk"));
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let names = text.lines().filter_map(|line| line.trim().strip_prefix(PREFIX));
    let files =
        names.map(|rest| format!("{PREFIX}{}.cpp", rest.trim_end_matches(['\\', ' ', '\t'])));
    Ok(files.filter(|file| folder.join(file).exists()).collect())
}
