//! Verilates every body of the catalog and compiles it with the bridge. Without Verilator the crate
//! still builds: `cfg(rtl_bodies)` is then off and the library says so where a body is asked for. Without
//! Ibex the blocks that instantiate it have no RTL body.

// The library's own sources, so that build and library cannot differ.
#[path = "../src/catalog.rs"]
mod catalog;
#[path = "../src/ibex.rs"]
mod ibex;
mod shim;
mod verilate;
#[path = "../src/verilator.rs"]
mod verilator;
#[path = "../src/wrapper.rs"]
mod wrapper;

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

use verilator::Verilator;

fn main() -> ExitCode {
    match build() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(5)
        }
    }
}

fn build() -> Result<(), String> {
    println!("cargo::rustc-check-cfg=cfg(rtl_bodies)");
    println!("cargo::rerun-if-env-changed=VERILATOR");
    println!("cargo::rerun-if-env-changed={}", ibex::VARIABLE);
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=configs.toml");
    // What the build itself uses of the library; the rest must not cause another Verilation.
    for used in ["bridge", "catalog.rs", "ibex.rs", "verilator.rs", "wrapper.rs"] {
        println!("cargo::rerun-if-changed=src/{used}");
    }
    if env::var_os("CARGO_FEATURE_RTL").is_none() {
        return Ok(());
    }
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let root = manifest.parent().expect("the crate lies in the workspace").to_path_buf();
    // The set-up may come after a build without Verilator.
    println!("cargo::rerun-if-changed={}", root.join(".tools/installed").display());
    let verilator = match Verilator::find(&root)? {
        Some(verilator) => verilator,
        None => {
            println!(
                "cargo::warning=no Verilator found: models only. `make setup` installs it, or set VERILATOR to its path."
            );
            return Ok(());
        }
    };
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo"));
    let catalog = catalog::Catalog::load().map_err(|e| e.to_string())?;
    let rtl = root.join("rtl");

    verilate::watch(&rtl.join("common"));
    let ibex = ibex::find(&root)?;
    let (bodies, without): (Vec<_>, Vec<_>) = catalog
        .bodies()
        .into_iter()
        .partition(|body| ibex.is_some() || !ibex::is_wanted(&rtl.join(body.block.name)));
    if let Some(body) = without.first() {
        println!(
            "cargo::warning=no Ibex found: {} has no RTL body. `make setup` installs it, or set {} to its folder.",
            body.block.name,
            ibex::VARIABLE
        );
    }
    let mut sources = Vec::new();
    for body in &bodies {
        verilate::watch(&rtl.join(body.block.name));
        if body.config == body.built_as {
            sources.extend(verilate::verilate(&verilator, ibex.as_deref(), &rtl, &out, body)?);
        }
    }
    verilate::compile(&verilator, &manifest, &out, &bodies, &sources)?;
    println!("cargo::rustc-cfg=rtl_bodies");
    Ok(())
}
