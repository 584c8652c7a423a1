//! Makes a body: the cache's, or a new one.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, RwLock};
use std::thread;
use std::time::Instant;

use hwmodel::Description;

use crate::bridge::library::BodyLibrary;

use super::cache::{Cache, Kept};
use super::compiler::Compiler;
use super::error::VerilatedError;
use super::key::Key;
use super::request::{Request, Variant};
use super::shim::{self, PREFIX};
use super::sources::{COMMON, Source, Sources};
use super::verilator::Verilator;
use super::{ibex, wrapper};

/// Flags of the C++ compiler. Nothing but the three exported functions leaves a body: each has a
/// runtime of its own.
const CXX_FLAGS: [&str; 9] = [
    "-std=c++17",
    "-O3",
    "-fPIC",
    "-fvisibility=hidden",
    "-fvisibility-inlines-hidden",
    "-fno-strict-aliasing",
    "-w",
    "-DVM_SC=0",
    "-DVM_COVERAGE=0",
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
/// Flags of a body whose signals can be traced: fields of structs one by one, arrays of moderate
/// size too.
const TRACE_FLAGS: [&str; 6] =
    ["--trace", "--trace-structs", "--trace-max-array", "256", "--trace-max-width", "4096"];

/// What happens while bodies are made, for a person who waits.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// It is not in the cache, and is being built.
    Building(&'a Request),
    /// Another process builds it.
    Waiting(&'a Request),
    /// It was built, in so many seconds.
    Built(&'a Request, f64),
}

/// Who is told of steps.
type Listener = fn(Step);

static LISTENER: RwLock<Option<Listener>> = RwLock::new(None);

/// Tells `listener` of each step from now on.
pub fn on_step(listener: Listener) {
    *LISTENER.write().unwrap_or_else(|e| e.into_inner()) = Some(listener);
}

fn tell(step: Step) {
    if let Some(listener) = *LISTENER.read().unwrap_or_else(|e| e.into_inner()) {
        listener(step);
    }
}

/// The tools of this process, found once.
struct Tools {
    verilator: Result<Verilator, String>,
    compiler: Result<Compiler, String>,
    ibex: Result<PathBuf, String>,
}

fn tools() -> &'static Tools {
    static TOOLS: OnceLock<Tools> = OnceLock::new();
    TOOLS.get_or_init(|| Tools {
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

/// Everything that one body is made of.
struct Plan<'a> {
    request: &'a Request,
    verilator: &'static Verilator,
    compiler: &'static Compiler,
    ibex: Option<&'static Path>,
    sources: Vec<Source>,
    top: String,
}

impl<'a> Plan<'a> {
    fn new(request: &'a Request, all: &Sources) -> Result<Self, VerilatedError> {
        let block = || request.block.name.to_string();
        let Tools { verilator, compiler, ibex } = tools();
        let verilator = verilator.as_ref().map_err(|problem| VerilatedError::Verilator {
            block: block(),
            problem: problem.clone(),
        })?;
        let compiler = compiler.as_ref().map_err(|problem| VerilatedError::Compiler {
            block: block(),
            problem: problem.clone(),
        })?;
        let missing = |problem| VerilatedError::Sources { block: block(), problem };
        let sources = all.of_block(request.block.name).map_err(missing)?;
        let ibex = match (ibex::is_wanted(&sources), ibex) {
            (false, _) => None,
            (true, Ok(folder)) => Some(folder.as_path()),
            (true, Err(problem)) => {
                return Err(VerilatedError::Ibex { block: block(), problem: problem.clone() });
            }
        };
        let top = wrapper::wrapper(&request.block);
        Ok(Self { request, verilator, compiler, ibex, sources, top })
    }

    fn tools(&self) -> String {
        format!("Verilator {}, {}", self.verilator.release, self.compiler.version)
    }

    /// The flags that depend on the variant alone.
    fn verilator_flags(&self) -> impl Iterator<Item = String> {
        let trace: &[&str] = if self.request.variant.trace { &TRACE_FLAGS } else { &[] };
        let defines = self.request.variant.defines.iter().map(|name| format!("+define+{name}"));
        VERILATOR_FLAGS.iter().chain(trace).map(|flag| flag.to_string()).chain(defines)
    }

    fn cxx_flags(&self) -> impl Iterator<Item = String> {
        let trace = format!("-DVM_TRACE={}", u8::from(self.request.variant.trace));
        CXX_FLAGS.iter().chain([&LEVEL]).map(|flag| flag.to_string()).chain([trace])
    }

    /// The name in the cache.
    fn name(&self) -> Result<String, VerilatedError> {
        let mut key = Key::default();
        self.add_tools(&mut key);
        self.verilator_flags().for_each(|flag| key.add(flag));
        key.add(&self.top);
        key.add(shim::shim(&self.request.block, &[]));
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

    /// The name in the cache of Verilator's runtime, which bodies of one kind have in common.
    fn runtime_name(&self) -> String {
        let mut key = Key::default();
        self.add_tools(&mut key);
        format!("runtime-{}", key.finish())
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

    fn kept(&self, file: &str) -> Kept {
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
    fn build(&self, cache: &Cache, folder: &Path) -> Result<PathBuf, VerilatedError> {
        let runtime = self.runtime(cache)?;
        self.verilate(folder)?;
        let classes = classes(folder).map_err(|e| self.failed("Verilator", e))?;
        write(&folder.join("shim.cpp"), shim::shim(&self.request.block, &classes).as_bytes())?;
        shim::HEADERS
            .iter()
            .try_for_each(|(name, text)| write(&folder.join(name), text.as_bytes()))?;
        let mut command = self.compile();
        command.arg("-Iobj_dir").args(["-shared", "-o", "made.so", "shim.cpp"]).arg(&runtime);
        self.run("the C++ compiler", command.current_dir(folder))?;
        Ok(folder.join("made.so"))
    }

    /// Writes the RTL into `folder` and verilates it there.
    fn verilate(&self, folder: &Path) -> Result<(), VerilatedError> {
        let block = self.request.block.name;
        for name in [COMMON, block] {
            let folder = folder.join(name);
            fs::create_dir_all(&folder).map_err(|e| VerilatedError::cache(&folder, e))?;
        }
        self.sources.iter().try_for_each(|s| write(&folder.join(&s.path), &s.content))?;
        let top = wrapper::top_name(&self.request.block);
        write(&folder.join(format!("{top}.sv")), self.top.as_bytes())?;
        let mut command = self.verilator.command();
        command.current_dir(folder);
        if let Some(ibex) = self.ibex {
            ibex::arguments(&mut command, Path::new(block), ibex);
        }
        let packages = self.sources.iter().filter(|s| s.path.ends_with("_pkg.sv"));
        command
            .args(self.verilator_flags())
            .args(["--top-module", &top, "--Mdir", "obj_dir", "-y", block, "-y", COMMON])
            .arg(format!("-I{COMMON}"))
            .args(packages.map(|s| &s.path))
            .arg(format!("{top}.sv"));
        let output = command.output().map_err(|e| self.failed("Verilator", e))?;
        let report = String::from_utf8_lossy(&output.stderr).trim().to_string();
        match output.status.code() {
            Some(0) => Ok(()),
            // It says so of each file that it cannot write.
            Some(_) if !report.contains("Can't write") && report.contains(".sv") => {
                Err(VerilatedError::Refused {
                    block: block.to_string(),
                    parameters: self.request.parameters(),
                    report,
                })
            }
            _ => Err(self.failed("Verilator", format!("{}: {report}", output.status))),
        }
    }

    fn compile(&self) -> Command {
        let include = self.verilator.root.join("include");
        let mut command = self.compiler.command();
        command.args(self.cxx_flags()).args(["-include", "verilated_prelude.h", "-I."]);
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

    /// Verilator's runtime as one object file, made once for all bodies of this kind.
    fn runtime(&self, cache: &Cache) -> Result<PathBuf, VerilatedError> {
        let name = self.runtime_name();
        if let Some(path) = cache.get(&name) {
            return Ok(path);
        }
        let _lock = cache.lock(&name, || ())?;
        if let Some(path) = cache.get(&name) {
            return Ok(path);
        }
        let place = cache.start(&name)?;
        let folder = place.folder();
        let mut all = String::new();
        for (file, text) in shim::HEADERS.iter().chain([&shim::RUNTIME]) {
            write(&folder.join(file), text.as_bytes())?;
        }
        let trace = self.request.variant.trace.then_some("verilated_vcd_c.cpp");
        let parts = ["verilated.cpp", "verilated_threads.cpp"].into_iter().chain(trace);
        for (number, part) in parts.enumerate() {
            let mut command = self.compile();
            command.arg("-c").arg(self.verilator.root.join("include").join(part));
            command.arg("-o").arg(format!("{number}.o"));
            self.run("the C++ compiler", command.current_dir(folder))?;
            all += &format!("{number}.o ");
        }
        let mut command = self.compile();
        command.args(["-c", shim::RUNTIME.0, "-o", "own.o"]);
        self.run("the C++ compiler", command.current_dir(folder))?;
        let mut command = self.compile();
        command.args(["-r", "-nostdlib", "-o", "made.o", "own.o"]).args(all.split_whitespace());
        self.run("the C++ compiler", command.current_dir(folder))?;
        let kept = Kept { block: String::new(), parameters: String::new(), ..self.kept("made.o") };
        let made = folder.join("made.o");
        place.finish(&made, kept)
    }
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

/// The RTL that bodies are made of now.
fn current_sources(block: &str) -> Result<Sources, VerilatedError> {
    let missing = |problem| VerilatedError::Sources { block: block.to_string(), problem };
    Sources::current().map_err(missing)
}

/// Has Verilator read a block's RTL as for a body, and builds none. Errors: what it says.
pub fn lint(request: &Request, sources: &Sources) -> Result<(), VerilatedError> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let plan = Plan::new(request, sources)?;
    let (process, number) = (std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    let place = Cache::find()?.start(&format!("lint-{process}-{number}"))?;
    plan.verilate(place.folder())
}

/// Builds what is not in the cache; returns the file.
fn find(request: &Request) -> Result<PathBuf, VerilatedError> {
    let cache = Cache::find()?;
    let plan = Plan::new(request, &current_sources(request.block.name)?)?;
    let name = plan.name()?;
    if let Some(path) = cache.get(&name) {
        return Ok(path);
    }
    let _lock = cache.lock(&name, || tell(Step::Waiting(request)))?;
    // Another process may have built it meanwhile.
    if let Some(path) = cache.get(&name) {
        return Ok(path);
    }
    tell(Step::Building(request));
    let start = Instant::now();
    let place = cache.start(&name)?;
    let built = plan.build(&cache, place.folder())?;
    let path = place.finish(&built, plan.kept("made.so"))?;
    tell(Step::Built(request, start.elapsed().as_secs_f64()));
    Ok(path)
}

/// Whether bodies of a block can be made here. Errors: what is missing.
pub fn ready(block: &'static str) -> Result<(), VerilatedError> {
    let block = Description { name: block, parameters: vec![], inputs: vec![], outputs: vec![] };
    let request = Request { block, variant: Variant::default() };
    Plan::new(&request, &current_sources(request.block.name)?).map(|_| ())
}

/// What makes a request another one for the bodies that this process has loaded. The ports follow
/// from the parameters.
fn identity(request: &Request) -> String {
    format!("{request} {:?}", Sources::current().map(|sources| sources.to_string()))
}

/// The body, loaded; built first where the cache has none. Errors: it cannot be made.
pub fn body(request: &Request) -> Result<BodyLibrary, VerilatedError> {
    static LOADED: Mutex<Option<HashMap<String, BodyLibrary>>> = Mutex::new(None);
    let identity = identity(request);
    let loaded = || LOADED.lock().unwrap_or_else(|e| e.into_inner());
    if let Some(library) = loaded().get_or_insert_default().get(&identity) {
        return Ok(*library);
    }
    let path = find(request)?;
    let library = BodyLibrary::load(&path);
    let library = library.map_err(|problem| VerilatedError::Load { path, problem })?;
    loaded().get_or_insert_default().insert(identity, library);
    Ok(library)
}

/// Builds all bodies that the cache does not have, so many at a time. Errors: the first in the
/// order of the requests.
pub fn build(requests: &[Request], jobs: usize) -> Result<(), VerilatedError> {
    let next = AtomicUsize::new(0);
    let failed: Mutex<Option<(usize, VerilatedError)>> = Mutex::new(None);
    thread::scope(|scope| {
        for _ in 0..jobs.min(requests.len()) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(request) = requests.get(at) else { return };
                    if let Err(error) = find(request) {
                        let mut failed = failed.lock().unwrap_or_else(|e| e.into_inner());
                        if failed.as_ref().is_none_or(|(first, _)| at < *first) {
                            *failed = Some((at, error));
                        }
                        return;
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap_or_else(|e| e.into_inner());
    failed.map_or(Ok(()), |(_, error)| Err(error))
}
