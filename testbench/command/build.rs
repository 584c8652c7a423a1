//! Lists the files of `rtl/` that Verilator reads, and the README of each block. Only the command
//! embeds them: after a change of the RTL no other crate is compiled again.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder, seen from this crate: cargo resolves it wherever the project lies.
const RTL: &str = "../../rtl";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // All below it: also the folder of a new family.
    println!("cargo::rerun-if-changed={RTL}");
    let (mut folders, mut paths) = (folders(Path::new(RTL)), Vec::new());
    while let Some(folder) = folders.pop() {
        let endings = ["sv", "svh", "f", "vlt", "md"];
        let is_read =
            |path: &PathBuf| path.extension().is_some_and(|e| endings.iter().any(|of| e == *of));
        paths.extend(entries(&folder).into_iter().filter(is_read));
        folders.extend(self::folders(&folder));
    }
    paths.sort();
    let mut text = String::from("&[\n");
    for path in &paths {
        let name = path.strip_prefix(RTL).expect("it lies there").display();
        let absolute = fs::canonicalize(path).unwrap_or_else(|e| panic!("{name}: {e}"));
        writeln!(text, "    ({:?}, include_bytes!({absolute:?})),", name.to_string()).unwrap();
    }
    text.push(']');
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo")).join("files.rs");
    fs::write(&out, text).unwrap_or_else(|e| panic!("{}: {e}", out.display()));
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    entries(folder).into_iter().filter(|path| path.is_dir()).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let all = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<_> = all.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}
