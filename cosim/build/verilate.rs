//! Runs Verilator and the C++ compiler.

use std::fs;
use std::path::{Path, PathBuf};

use crate::catalog::Body;
use crate::verilator::Verilator;
use crate::{ibex, shim, wrapper};

/// Builds again when a source of this folder changes; its documents do not count.
pub fn watch(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|e| ["sv", "svh", "f", "vlt"].iter().any(|of| e == *of)) {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
}

/// Verilates one body into its own folder below `out`; returns the C++ files to compile. `ibex` is the folder
/// of the core, for a block that has it inside.
pub fn verilate(
    tool: &Verilator,
    ibex: Option<&Path>,
    rtl: &Path,
    out: &Path,
    body: &Body,
) -> Result<Vec<PathBuf>, String> {
    let prefix = shim::prefix(body);
    let dir = out.join(&prefix);
    // Files of an earlier run with another split would be compiled too.
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    let top = wrapper::top_name(&body.block);
    let top_file = dir.join(format!("{top}.sv"));
    write(&top_file, &wrapper::wrapper(&body.block))?;

    let folder = rtl.join(body.block.name);
    let mut command = tool.command();
    if let Some(ibex) = ibex.filter(|_| ibex::is_wanted(&folder)) {
        ibex::arguments(&mut command, &folder, ibex);
    }
    let output = command
        .args(["--cc", "-O3", "--x-assign", "fast", "--x-initial", "fast", "--assert"])
        // Assertions sample `rst_ni` at the clock edge, which is meant.
        .args(["-Wall", "-Wno-SYNCASYNCNET"])
        .args(["--prefix", &prefix, "--top-module", &top, "--Mdir"])
        .arg(&dir)
        .arg("-y")
        .arg(&folder)
        .arg("-y")
        .arg(rtl.join("common"))
        .arg(format!("-I{}", rtl.join("common").display()))
        .args(packages(&rtl.join("common"))?)
        .args(packages(&folder)?)
        .arg(&top_file)
        .output()
        .map_err(|e| format!("{}: {e}", tool.program.display()))?;
    if !output.status.success() {
        return Err(format!(
            "Verilator refuses {} in configuration {}:\n{}",
            body.block.name,
            body.config,
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    classes(&dir, &prefix)
}

/// The package files of a folder: they must be read before the modules that import them.
fn packages(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut files: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.to_string_lossy().ends_with("_pkg.sv"))
        .collect();
    files.sort();
    Ok(files)
}

/// The C++ files that Verilator lists in its makefile fragment.
fn classes(dir: &Path, prefix: &str) -> Result<Vec<PathBuf>, String> {
    let path = dir.join(format!("{prefix}_classes.mk"));
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(text
        .lines()
        .filter_map(|line| line.trim().strip_prefix(prefix))
        .map(|rest| dir.join(format!("{prefix}{}.cpp", rest.trim_end_matches(['\\', ' ', '\t']))))
        .filter(|file| file.exists())
        .collect())
}

/// Compiles the Verilated files, Verilator's runtime, the shims and the bridge into one library.
pub fn compile(
    tool: &Verilator,
    manifest: &Path,
    out: &Path,
    bodies: &[Body],
    sources: &[PathBuf],
) -> Result<(), String> {
    let include = tool.root.join("include");
    let shims = out.join("shims.cpp");
    write(&shims, &shim::shims(bodies))?;
    let mut build = cxx_build::bridge("src/bridge/mod.rs");
    build
        .std("c++17")
        .opt_level(3)
        .warnings(false)
        // The level that .cargo/config.toml gives the models.
        .flag_if_supported(if cfg!(target_arch = "x86_64") {
            "-march=x86-64-v3"
        } else {
            "-march=native"
        })
        .flag_if_supported("-fno-strict-aliasing")
        .define("VM_COVERAGE", "0")
        .define("VM_SC", "0")
        .define("VM_TRACE", "0")
        // Verilator's messages go into the report and not to stdout.
        .define("VL_PRINTF", "duet_printf")
        .flag("-include")
        .flag(manifest.join("src/bridge/printf.h").to_string_lossy().as_ref())
        .include(manifest.join("src/bridge"))
        .include(&include)
        .include(include.join("vltstd"))
        .include(out)
        .file(manifest.join("src/bridge/body.cpp"))
        .file(include.join("verilated.cpp"))
        .file(include.join("verilated_threads.cpp"))
        .file(shims)
        .files(sources);
    build.try_compile("duet_rtl").map_err(|e| e.to_string())
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}
