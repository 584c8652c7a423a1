//! Finds Ibex, the RISC-V core inside the command processor: the folder that `IBEX` names, or the one of the project's
//! own package under `.tools/`, in this order.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Environment variable with the folder that holds Ibex's `rtl/`. The file lists beside a block's sources name Ibex's files
/// by it.
pub const VARIABLE: &str = "IBEX";

/// Where the package lies below the workspace.
const PACKAGE: &str = ".tools/python/pythondata_cpu_ibex/system_verilog";
/// A file that Ibex's folder has.
const TOP: &str = "rtl/ibex_top.sv";
/// The list of Ibex's files in the folder of a block that instantiates it, and the waiver of their warnings.
const FILES: [&str; 2] = ["ibex.vlt", "ibex.f"];

/// Looks for Ibex's folder; `workspace` is the folder that may hold `.tools/`. `Ok(None)` where there is none. Errors:
/// `IBEX` names a folder without it.
pub fn find(workspace: &Path) -> Result<Option<PathBuf>, String> {
    if let Some(folder) = env::var_os(VARIABLE).filter(|f| !f.is_empty()) {
        let folder = PathBuf::from(folder);
        return match folder.join(TOP).exists() {
            true => Ok(Some(folder)),
            false => Err(format!("{VARIABLE} = {}: has no {TOP}", folder.display())),
        };
    }
    Ok(Some(workspace.join(PACKAGE)).filter(|folder| folder.join(TOP).exists()))
}

/// True for the folder of a block that instantiates Ibex.
pub fn is_wanted(block: &Path) -> bool {
    FILES.iter().all(|file| block.join(file).exists())
}

/// Has Verilator read Ibex for the block of this folder. Before all other sources: a waiver counts for what is
/// read after it.
pub fn arguments(verilator: &mut Command, block: &Path, ibex: &Path) {
    let [waiver, list] = FILES.map(|file| block.join(file));
    verilator.env(VARIABLE, ibex).arg(waiver).arg("-f").arg(list);
}
