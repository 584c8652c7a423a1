//! Finds Ibex, the RISC-V core inside the command processor: the folder that `IBEX` names, or the
//! one of the project's own package under `.tools/`, in this order.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::sources::Source;
use super::tools;

/// Environment variable with the folder that holds Ibex's `rtl/`. The file lists beside a block's
/// sources name Ibex's files by it.
pub const VARIABLE: &str = "IBEX";

/// Where the package lies in the folder of tools.
const PACKAGE: &str = "python/pythondata_cpu_ibex/system_verilog";
/// A file that Ibex's folder has.
const TOP: &str = "rtl/ibex_top.sv";
/// The list of Ibex's files in the folder of a block that instantiates it, and the waiver of their
/// warnings.
const FILES: [&str; 2] = ["ibex.vlt", "ibex.f"];

/// Looks for Ibex's folder. `Ok(None)` where there is none. Errors: `IBEX` names a folder without
/// it.
pub fn find() -> Result<Option<PathBuf>, String> {
    if let Some(folder) = env::var_os(VARIABLE).filter(|f| !f.is_empty()) {
        let folder = PathBuf::from(folder);
        return match folder.join(TOP).exists() {
            true => folder.canonicalize().map(Some).map_err(|e| e.to_string()),
            false => Err(format!("{VARIABLE} = {}: has no {TOP}", folder.display())),
        };
    }
    Ok(tools::find(PACKAGE)?.filter(|folder| folder.join(TOP).exists()))
}

/// True for the sources of a block that instantiates Ibex.
pub fn is_wanted(sources: &[Source]) -> bool {
    let has = |name: &str| sources.iter().any(|s| s.path.rsplit('/').next() == Some(name));
    FILES.iter().all(|name| has(name))
}

/// Has Verilator read Ibex for the block of this folder. Before all other sources: a waiver counts
/// for what is read after it.
pub fn arguments(verilator: &mut Command, block: &Path, ibex: &Path) {
    let [waiver, list] = FILES.map(|file| block.join(file));
    verilator.env(VARIABLE, ibex).arg(waiver).arg("-f").arg(list);
}

/// What Verilator's preprocessor needs to know for the sources of a block that instantiates Ibex:
/// what the list defines, and where included files lie.
pub fn preprocessor_arguments(sources: &[Source], ibex: &Path) -> Vec<String> {
    let list = sources.iter().find(|source| source.path.ends_with(FILES[1]));
    let text = list.map_or_else(Default::default, |list| String::from_utf8_lossy(&list.content));
    let lines = text.lines().filter(|line| line.starts_with('+'));
    let variable = format!("${{{VARIABLE}}}");
    lines.map(|line| line.replace(&variable, &ibex.display().to_string())).collect()
}

/// What tells one version of Ibex from another: the files below its `rtl` and what they include, by
/// content. Errors: one cannot be read.
pub(super) fn contents(ibex: &Path) -> Result<Vec<Vec<u8>>, String> {
    let mut folders = vec![ibex.join("rtl"), ibex.join("vendor/lowrisc_ip/ip")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        let error = |e: std::io::Error| format!("{}: {e}", folder.display());
        for entry in fs::read_dir(&folder).map_err(error)? {
            let path = entry.map_err(error)?.path();
            match path.extension().and_then(|e| e.to_str()) {
                _ if path.is_dir() => folders.push(path),
                Some("sv" | "svh" | "vlt") => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    let read = |path: PathBuf| fs::read(&path).map_err(|e| format!("{}: {e}", path.display()));
    files.into_iter().map(read).collect()
}
