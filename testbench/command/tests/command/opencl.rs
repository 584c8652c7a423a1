//! Captures of OpenCL programs. Where Oclgrind is not installed only the kept capture is looked at.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use traces::opencl::{self, Tools};
use traces::trace::{
    ArgKind, Event, FirstUse, Instr, InstrKind, KernelHead, Mode, Reader, Totals, verify,
};

const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../traces/workloads/bfs.trace");

/// What the kept capture was made with.
const OCLGRIND: &str = "Oclgrind 21.10";

/// The project's programs, built once for all tests.
struct Programs {
    folder: PathBuf,
    tools: Tools,
}

static PROGRAMS: LazyLock<Option<Programs>> = LazyLock::new(Programs::build);

impl Programs {
    /// None, with a notice, where something that they need is not installed.
    fn build() -> Option<Self> {
        let tools = match Tools::find() {
            Ok(tools) => tools,
            Err(error) => {
                eprintln!("skipped: {error}");
                return None;
            }
        };
        let library = Command::new("g++").arg("-print-file-name=libOpenCL.so").output().unwrap();
        if !Path::new(String::from_utf8_lossy(&library.stdout).trim()).is_absolute() {
            eprintln!("skipped: ocl-icd-opencl-dev is missing: {}", opencl::INSTALL);
            return None;
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("opencl");
        let mut make = Command::new("make");
        make.arg("-C").arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../traces/workloads/opencl"));
        let made = make.arg(format!("OUT={}", folder.display())).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        Some(Self { folder, tools })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn capture(&self, output: &Path, name: &str, args: &[&str]) -> Output {
        capture(output).arg(self.path(name)).args(args).output().unwrap()
    }

    fn gpu_capture(&self, output: &Path, name: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_duet"));
        command.args(["trace", "capture", "--gpu", "-o"]).arg(output).arg("--");
        command.arg(self.path(name)).output().unwrap()
    }
}

fn capture(output: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_duet"));
    command.args(["trace", "capture", "-o"]).arg(output).arg("--");
    command
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn heads(reader: &mut Reader) -> Vec<KernelHead> {
    reader.rewind();
    let mut heads = Vec::new();
    while let Some(event) = reader.next_event().unwrap() {
        if let Event::Kernel(head) = event {
            heads.push(head);
        }
    }
    heads
}

/// Arguments of a kernel: name, and `r` (read), `w` (perhaps written) or `-` (no memory).
fn modes(head: &KernelHead) -> String {
    let arg = |arg: &traces::trace::Arg| {
        let mode = match arg.kind {
            ArgKind::Buffer { mode: Mode::Read, .. } => 'r',
            ArgKind::Buffer { .. } => 'w',
            _ => '-',
        };
        format!("{}:{mode}", arg.name)
    };
    head.args.iter().map(arg).collect::<Vec<_>>().join(" ")
}

/// The trace agrees with itself, and with what is known of the program.
fn check(path: &Path, kernels: u64, atomics: bool) -> Reader {
    let mut reader = Reader::open(path).unwrap();
    let outcome = verify(&mut reader).unwrap();
    assert_eq!(outcome.wrong, 0, "{}: {:#?}", path.display(), outcome.described);
    let Totals { kernels: launched, loads, loads_determined, atomics: found, .. } =
        *reader.totals();
    assert_eq!((launched, found > 0), (kernels, atomics), "{}", path.display());
    assert_eq!(loads, loads_determined, "{}", path.display());
    reader
}

#[test]
fn the_kept_capture_verifies_and_its_modes_are_right() {
    let mut reader = check(Path::new(KEPT), 24, false);
    assert!(fs::metadata(KEPT).unwrap().len() < 310_000);
    for (number, head) in heads(&mut reader).iter().enumerate() {
        let expected = match number % 2 {
            0 => "expand first:r edges:r frontier:w found:w visited:r level:w nodes:-",
            _ => "advance frontier:w found:w visited:w again:w nodes:-",
        };
        assert_eq!(format!("{} {}", head.name, modes(head)), expected);
    }
}

#[test]
fn captures_of_programs_verify_and_are_the_same_each_time() {
    let Some(programs) = &*PROGRAMS else { return };
    let folder = tempfile::tempdir().unwrap();
    let list = [
        ("bfs", 24, false, "first:r edges:r frontier:w found:w visited:r level:w nodes:-"),
        ("stencil", 4, false, "from:r to:w width:- height:-"),
        ("histogram", 1, true, "values:r count:- bins:w bin_count:- greatest:w counts:-"),
        ("reduce", 2, false, "values:r count:- sums:w partial:-"),
        ("corners", 4, true, "values:r sums:w count:-"),
        ("loops", 1, false, "digits:r values:r count:- limit:- results:w"),
        ("vectors", 1, false, "results:w words:-"),
    ];
    for (name, kernels, atomics, expected) in list {
        let traces = [1, 2].map(|n| {
            let trace = folder.path().join(format!("{n}.trace"));
            let output = programs.capture(&trace, name, &[]);
            assert!(output.status.success(), "{name}: {output:?}");
            // The program's own output, then ours.
            let said = stdout(&output);
            assert!(said.starts_with(&format!("PASS {name}\nPASS {name}: ")), "{said}");
            trace
        });
        let mut reader = check(&traces[0], kernels, atomics);
        assert_eq!(modes(&heads(&mut reader)[0]), expected, "{name}");
        let [first, second] = traces.map(|trace| fs::read(trace).unwrap());
        assert!(first == second, "{name}: two captures differ");
        if name == "bfs" && programs.tools.oclgrind == OCLGRIND && programs.tools.llvm == "14" {
            let kept = fs::read(KEPT).unwrap();
            assert!(first == kept, "workloads/bfs.trace is not what `make traces` gives");
        }
    }
}

#[test]
fn a_capture_without_kernels_leaves_nothing() {
    if PROGRAMS.is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("new/out.trace");
    let output = capture(&trace).arg("false").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = stdout(&output);
    assert!(said.starts_with("FAIL false used no OpenCL memory and ended with exit status 1"));
    assert_eq!(fs::read_dir(folder.path().join("new")).unwrap().count(), 0);
}

#[test]
fn a_program_that_aborts_after_its_kernels_is_captured() {
    let Some(programs) = &*PROGRAMS else { return };
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("aborted.trace");
    let output = programs.capture(&trace, "corners", &["2"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("corners was ended by signal 6"));
    check(&trace, 4, true);
}

/// The passes for `--gpu` keep what a program computes, also where a counter wraps, counts down or
/// is none.
#[test]
fn programs_compute_the_same_when_compiled_for_a_gpu() {
    let Some(programs) = &*PROGRAMS else { return };
    let folder = tempfile::tempdir().unwrap();
    for name in ["loops", "vectors", "bfs", "stencil", "histogram", "reduce", "corners"] {
        let output = programs.gpu_capture(&folder.path().join("gpu.trace"), name);
        assert!(stdout(&output).starts_with(&format!("PASS {name}\n")), "{name}: {output:?}");
        assert!(output.status.success(), "{name}: {output:?}");
    }
}

/// The loop of `reduce` is `for (uint at = a; at < count; at += size) sum += values[at]`. Its eight
/// iterations become two of four.
#[test]
fn loops_are_unrolled_by_four_and_their_loads_hoisted() {
    let Some(programs) = &*PROGRAMS else { return };
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("reduce.trace");
    let output = programs.gpu_capture(&trace, "reduce");
    assert!(output.status.success(), "{output:?}");
    let mut reader = check(&trace, 2, false);
    let group = reader.group(0, 0).unwrap();
    let (mut cursor, mut instr) = (group.cursor(0), Instr::default());
    let mut loads = Vec::new();
    while cursor.next(&group, &mut instr).unwrap() && instr.kind == InstrKind::Load {
        loads.push((instr.work.instructions, instr.first_use));
    }
    // An addition and an address lie before each load but the first; the four sums come last.
    let four = [10, 8, 6, 4].map(FirstUse::After);
    assert_eq!(loads.iter().map(|load| load.1).collect::<Vec<_>>(), [four, four].concat());
    let before = [&loads[1..4], &loads[5..]].concat();
    assert!(before.iter().all(|load| load.0 == 2), "{loads:?}");
}

/// A load of four words of local memory is served for a quarter of the lanes at a time, one of two
/// for half of them, whether they read the same words or not.
#[test]
fn vectors_of_local_memory_take_passes_for_parts_of_a_warp() {
    let Some(programs) = &*PROGRAMS else { return };
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("vectors.trace");
    let output = programs.gpu_capture(&trace, "vectors");
    assert!(output.status.success(), "{output:?}");
    let mut reader = check(&trace, 1, false);
    let group = reader.group(0, 0).unwrap();
    let (mut cursor, mut instr) = (group.cursor(0), Instr::default());
    let mut works = Vec::new();
    while cursor.next(&group, &mut instr).unwrap() {
        works.push((instr.kind, instr.work.local, instr.work.passes));
    }
    // Four stores, a pass each, stand before the barrier; behind it 4 + 4 + 2 + 1 passes.
    assert_eq!(works, [(InstrKind::Barrier, 4, 4), (InstrKind::Store, 4, 4 + 4 + 2 + 1)]);
}

#[test]
fn a_capture_that_cannot_be_written_says_so() {
    let Some(programs) = &*PROGRAMS else { return };
    let folder = tempfile::tempdir().unwrap();
    let plugin = programs.tools.plugin(folder.path()).unwrap();
    let program = programs.path("reduce").into_os_string();
    // A raw capture of before is not written over either.
    fs::write(folder.path().join("raw.bin"), "").unwrap();
    for prefix in ["no/such/folder", "raw"].map(|name| folder.path().join(name)) {
        let error =
            opencl::run(std::slice::from_ref(&program), &plugin, &prefix, false).unwrap_err();
        assert!(matches!(error, opencl::Error::CannotWrite(_)), "{error}");
    }
}

#[test]
fn passes_in_a_path_with_a_space_are_refused() {
    let plugin = Path::new("a folder/memtrace.so");
    let error = opencl::run(&["program".into()], plugin, Path::new("raw"), true).unwrap_err();
    assert!(matches!(&error, opencl::Error::Space(path) if path.ends_with("a folder/memtrace.so")));
    assert!(error.to_string().contains("a path with a space"), "{error}");
}

#[test]
fn without_oclgrind_the_way_to_install_it_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = capture(&folder.path().join("trace"));
    let output = command.arg("true").env("PATH", folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(5));
    assert!(stdout(&output).starts_with("FAIL oclgrind is missing"), "{output:?}");
    assert!(stdout(&output).contains("apt-get install oclgrind "), "{output:?}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
