//! Mutants of a block's RTL. yosys reads the block, draws faults in its cells, and writes one
//! netlist that holds all of them; a body made of it has the fault that the environment names. So
//! hundreds of mutants take one call of Verilator.
//!
//! Faults are drawn in what synthesis sees, and the netlist has the block's assertions, but for
//! those that look into an array, which yosys does not read.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use ports::Port;

use super::error::VerilatedError;
use super::request::Request;
use super::sources::{self, Origin, Source, Sources};
use super::{ibex, tools};

/// Environment variable with the number of the mutant, from 1 on; none has the block as it is.
pub const SELECT: &str = "DUET_MUTANT";

/// What calls yosys.
const SCRIPT: &str = "main.py";
const SCRIPTS: [(&str, &str); 7] = [
    (SCRIPT, include_str!("netlist/main.py")),
    ("ports.py", include_str!("netlist/ports.py")),
    ("counters.py", include_str!("netlist/counters.py")),
    ("counterparts.py", include_str!("netlist/counterparts.py")),
    ("loops.py", include_str!("netlist/loops.py")),
    ("mutants.py", include_str!("netlist/mutants.py")),
    ("proofs.py", include_str!("netlist/proofs.py")),
];
/// Folders, in that of the netlist: what yosys reads, and what bodies are made of.
const READ: &str = "rtl";
const MADE: &str = "made";
/// File with yosys' commands for the mutants.
const MUTANTS: &str = "mutants";
/// Most seconds of processor time that a netlist takes.
const READ_SECONDS: u32 = 1200;
/// Loops that initialise arrays have more steps than slang unrolls unasked.
const UNROLL: u32 = 1 << 16;
/// How slang reads a block as synthesis does, and with its assertions (`duet_assert.svh`).
const SYNTHESIS: &str = "-DSYNTHESIS";
const CHECKED: &str = "--no-synthesis-define -DDUET_MEMORIES";
/// What Verilator warns of in any netlist.
const WARNINGS: [&str; 8] = [
    "WIDTH",
    "UNUSED",
    "UNOPTFLAT",
    "CASEOVERLAP",
    "CASEINCOMPLETE",
    "DECLFILENAME",
    "UNDRIVEN",
    "PROCASSINIT",
];

/// A fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// Its number in the netlist, from 1 on.
    pub number: u32,
    /// What is changed: a bit of a wire, or of a cell's port, that is inverted, constant, or
    /// inverted where another bit of the port is 0 or 1.
    pub change: String,
    /// File and line of the RTL that the cell stands for; `no line` where yosys made it of several.
    pub source: String,
}

impl Mutant {
    /// Of a command `mutate -mode M -cell C -port P -portbit B [-wire W -wirebit N] -src S...`.
    fn of(number: u32, command: &str) -> Self {
        let words: Vec<_> = command.split_whitespace().collect();
        let after = |name: &str| {
            let at = words.iter().rposition(|word| *word == name)?;
            words.get(at + 1).copied()
        };
        let mode = after("-mode").unwrap_or_default();
        let place = match (after("-wire"), after("-wirebit")) {
            (Some(wire), Some(bit)) => format!("{wire}[{bit}]"),
            _ => {
                let [cell, port, bit] =
                    ["-cell", "-port", "-portbit"].map(|name| after(name).unwrap_or_default());
                format!("{cell}.{port}[{bit}]")
            }
        };
        let control = after("-ctrlbit").map_or(String::new(), |bit| format!(", bit {bit}"));
        let line = match after("-src").map(|source| source.rsplit_once(':').unwrap_or((source, "")))
        {
            // The last is the cell's own.
            Some((file, at)) => format!("{file}:{}", at.split('.').next().unwrap_or(at)),
            // What yosys has made of several lines.
            None => "no line".into(),
        };
        let change = format!("{mode} {place}{control}");
        Self { number, change, source: line }
    }
}

/// What is known of a mutant for all inputs, behind a reset and with memories that begin with 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// No output ever shows it.
    Equivalent,
    /// Some inputs, which the block's neighbours may never give, show it in this cycle.
    Shown(u32),
    /// Nothing, within the time.
    Open,
}

/// A block's RTL in a folder of its own, for yosys.
#[derive(Debug)]
pub struct Netlist<'a> {
    request: &'a Request,
    folder: PathBuf,
    /// Commands by which yosys reads the block as synthesis does, and with its assertions.
    read: String,
    checked: String,
    python: PathBuf,
    /// What proofs are about, once one is wanted. Errors: yosys did not make it, or not in time.
    proof_files: OnceLock<Result<String, VerilatedError>>,
}

impl<'a> Netlist<'a> {
    /// Writes the RTL that a body of this request is made of into a folder. Errors: there is none,
    /// yosys is missing, or the block has a core inside, which yosys does not read.
    pub fn new(request: &'a Request, folder: &Path) -> Result<Self, VerilatedError> {
        let block = request.block.name;
        let missing = |problem: String| VerilatedError::Sources { block: block.into(), problem };
        let sources = Sources::current().and_then(|all| all.of_block(block)).map_err(missing)?;
        if ibex::is_wanted(&sources) {
            return Err(missing("it contains Ibex, of which no mutants are made".into()));
        }
        let python = tools::find("python").map_err(missing)?;
        let python = python.filter(|folder| folder.join("pyosys").is_dir());
        let python = python.ok_or_else(|| VerilatedError::Tool {
            block: block.into(),
            tool: "yosys",
            report: "no pyosys was found; run `make setup`".into(),
        })?;
        let folder = folder.to_path_buf();
        write_all(&folder.join(READ), &sources)?;
        for (name, text) in SCRIPTS {
            write(&folder.join(name), text.as_bytes())?;
        }
        let [read, checked] =
            [SYNTHESIS, CHECKED].map(|options| read_command(request, &sources, options));
        Ok(Self { request, folder, read, checked, python, proof_files: OnceLock::new() })
    }

    /// The folder that bodies with mutants are made of.
    pub fn rtl(&self) -> PathBuf {
        self.folder.join(MADE)
    }

    /// Makes a netlist with so many mutants, or with all that there are where they are fewer.
    /// Errors: yosys does not read the block.
    pub fn mutants(&self, count: u32, seed: u64) -> Result<Vec<Mutant>, VerilatedError> {
        let block = self.request.block.name;
        let verilog = self.folder.join("netlist.v");
        let task = format!(
            "read {}\nchecked {}\ncount {count}\nseed {seed}\nverilog {}\n",
            self.read,
            self.checked,
            verilog.display(),
        );
        let mutants = self.run(MUTANTS, &task, READ_SECONDS)?;
        let text = fs::read_to_string(&verilog).map_err(|e| cannot(&verilog, e))?;
        let own: PathBuf = self.folder.join(READ);
        let sources =
            Sources::of_folder(own, Origin::Own).of_block(block).map_err(|e| self.failed(e))?;
        let top = top_of(block, &sources).clone();
        let own = sources::folder_of(&top.path);
        let is_header =
            |file: &Source| sources::folder_of(&file.path) != own || file.path.ends_with(".svh");
        let headers: Vec<_> = sources.into_iter().filter(is_header).collect();
        write_all(&self.rtl(), &headers)?;
        write(&self.rtl().join(&top.path), self.module(&text).as_bytes())?;
        let each = (1..).zip(mutants.lines()).map(|(number, line)| Mutant::of(number, line));
        Ok(each.collect())
    }

    /// What yosys and ABC find out in so many seconds about a mutant of the last ones that were
    /// made, whatever the inputs are.
    pub fn prove(&self, mutant: &Mutant, seconds: u32) -> Proof {
        if seconds == 0 {
            return Proof::Open;
        }
        let Ok(files) = self.proof_files.get_or_init(|| self.prepare_proofs()) else {
            return Proof::Open;
        };
        let (number, name) = (mutant.number, format!("proof-{}", mutant.number));
        let task = format!("prove {number}\n{files}");
        let answer = self.run(&name, &task, seconds).unwrap_or_default();
        match answer.split_whitespace().collect::<Vec<_>>()[..] {
            ["equivalent"] => Proof::Equivalent,
            ["shown", cycle] => cycle.parse().map_or(Proof::Open, Proof::Shown),
            _ => Proof::Open,
        }
    }

    /// Why no proof was found of any mutant, where yosys made no circuit for them.
    pub fn no_proofs(&self) -> Option<&VerilatedError> {
        self.proof_files.get()?.as_ref().err()
    }

    /// Makes the circuit that all proofs are about. Returns the lines of a task that name it.
    fn prepare_proofs(&self) -> Result<String, VerilatedError> {
        let outputs = &self.request.block.outputs;
        let payload = |port: &Port| Some(format!("{}:{}", port.name, outputs[port.valid?].name));
        let payloads = outputs.iter().filter_map(payload).collect::<Vec<_>>().join(" ");
        let [mutants, gates] = [MUTANTS, "gates.aig"].map(|name| self.folder.join(name));
        let files = format!("gates {}\n", gates.display());
        let (read, mutants) = (&self.read, mutants.display());
        let task = format!("read {read}\nmutants {mutants}\npayloads {payloads}\n{files}");
        self.run("circuit", &task, READ_SECONDS)?;
        Ok(files)
    }

    /// The netlist's module with the block's parameters, whose values are in it, and without the
    /// port that chooses the mutant.
    fn module(&self, netlist: &str) -> String {
        let block = self.request.block.name;
        let names = self.request.block.parameters.iter().map(|(name, _)| name);
        let parameters = names.map(|name| format!("parameter int unsigned {name} = 0"));
        let parameters = parameters.collect::<Vec<_>>().join(", ");
        let select = format!(
            "  reg [15:0] mutant_sel;\n  initial mutant_sel = \
             16'($c(\"(getenv(\\\"{SELECT}\\\") ? atoi(getenv(\\\"{SELECT}\\\")) : 0)\"));"
        );
        let mut text: String =
            WARNINGS.iter().map(|name| format!("/* verilator lint_off {name} */\n")).collect();
        // The list of ports goes over several lines where it is long.
        let mut in_ports = false;
        for line in netlist.lines() {
            let trimmed = line.trim();
            let mut line = line.to_string();
            if trimmed.starts_with(&format!("module {block}(")) {
                in_ports = true;
                line = line.replacen('(', &format!(" #({parameters}) ("), 1);
            }
            if in_ports {
                in_ports = !line.ends_with(");");
                line = line.replace("mutant_sel, ", "").replace(", mutant_sel", "");
            }
            match trimmed {
                "input [15:0] mutant_sel;" => text += &select,
                "wire [15:0] mutant_sel;" => {}
                _ => text += &line,
            }
            text.push('\n');
        }
        text
    }

    /// Runs the script on a task; its answer.
    fn run(&self, name: &str, task: &str, seconds: u32) -> Result<String, VerilatedError> {
        let result = self.folder.join(name);
        let task = format!("seconds {seconds}\nresult {}\n{task}", result.display());
        let mut command = Command::new("python3");
        command.arg(SCRIPT).current_dir(&self.folder).env("PYTHONPATH", &self.python);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|e| self.failed(format!("python3: {e}")))?;
        let mut stdin = child.stdin.take().expect("it is piped");
        // A script that ends before it has read says why.
        let _ = stdin.write_all(task.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().map_err(|e| self.failed(e))?;
        let answer = fs::read_to_string(&result).ok().filter(|_| output.status.success());
        answer.ok_or_else(|| {
            let log = fs::read(self.folder.join(format!("{name}.log"))).unwrap_or_default();
            let said = [output.stdout, output.stderr, log].concat();
            let said = String::from_utf8_lossy(&said);
            let is_error = |line: &&str| line.contains("ERROR") || line.contains(" error: ");
            let lines: Vec<_> = said.lines().filter(is_error).collect();
            let (block, report) = (self.request.block.name.to_string(), lines.join("\n"));
            match report.is_empty() {
                true => {
                    let last = said.lines().last().unwrap_or_default();
                    self.failed(format!("{}: {last}", output.status))
                }
                false => VerilatedError::NotRead { block, report },
            }
        })
    }

    fn failed(&self, report: impl ToString) -> VerilatedError {
        let (block, report) = (self.request.block.name.into(), report.to_string());
        VerilatedError::Tool { block, tool: "yosys", report }
    }
}

/// The command by which yosys reads a block with its parameters, from the folder above [`READ`].
fn read_command(request: &Request, sources: &[Source], options: &str) -> String {
    let block = request.block.name;
    let mut command = format!("read_slang {options} --unroll-limit {UNROLL} --top {block}");
    for folder in sources::folders_of(sources) {
        command += &format!(" -I {READ}/{folder} -y {READ}/{folder}");
    }
    for (name, value) in &request.block.parameters {
        command += &format!(" -G {name}={value}");
    }
    let own = sources::folder_of(&top_of(block, sources).path);
    let is_package = |file: &&Source| file.path.ends_with("_pkg.sv");
    let is_own =
        |file: &&Source| sources::folder_of(&file.path) == own && file.path.ends_with(".sv");
    let modules = sources.iter().filter(is_own).filter(|file| !is_package(file));
    for file in sources.iter().filter(is_package).chain(modules) {
        command += &format!(" {READ}/{}", file.path);
    }
    command
}

fn top_of<'a>(block: &str, all: &'a [Source]) -> &'a Source {
    sources::top_of(block, all).expect("a block's sources have its top")
}

fn write_all(folder: &Path, sources: &[Source]) -> Result<(), VerilatedError> {
    sources.iter().try_for_each(|file| write(&folder.join(&file.path), &file.content))
}

fn write(path: &Path, content: &[u8]) -> Result<(), VerilatedError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(path, content));
    written.map_err(|e| cannot(path, e))
}

fn cannot(path: &Path, error: io::Error) -> VerilatedError {
    VerilatedError::cache(path, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutant_says_what_it_changes_and_where() {
        let of = |text: &str| {
            let Mutant { change, source, .. } = Mutant::of(3, text);
            (change, source)
        };
        let wire = "mutate -mode const0 -module m -cell $117 -port Y -portbit 19 -wire u.end \
                    -wirebit 18 -src rtl/m/n.sv:58.16 -src rtl/m/n.sv:78.22-78.47";
        assert_eq!(of(wire), ("const0 u.end[18]".into(), "rtl/m/n.sv:78".into()));
        let port = "mutate -mode cnot1 -module m -cell $134 -port A -portbit 4 -ctrlbit 24 \
                    -src rtl/m/m.sv:9.1-10.2";
        assert_eq!(of(port), ("cnot1 $134.A[4], bit 24".into(), "rtl/m/m.sv:9".into()));
        let made = "mutate -mode inv -module m -cell $auto$opt_expr.cc:768$20 -port A -portbit 2";
        assert_eq!(of(made).1, "no line");
    }
}
