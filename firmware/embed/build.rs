//! Builds the images for the RISC-V core. Without its target the crate still builds, and says so where an image is asked for.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "riscv32imc-unknown-none-elf";
/// Name of an image, and the feature that makes it.
const IMAGES: [(&str, Option<&str>); 3] =
    [("cached", None), ("indexed", Some("indexed")), ("paper", Some("paper"))];

fn main() {
    println!("cargo::rustc-check-cfg=cfg(images)");
    println!("cargo::rerun-if-env-changed=FIRMWARE_RUSTC");
    for watched in ["build.rs", "../src", "../Cargo.toml", "../image", "../../.tools/installed"] {
        println!("cargo::rerun-if-changed={watched}");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo"));
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let manifest = here.parent().expect("it lies in firmware").join("image/Cargo.toml");
    for (name, feature) in IMAGES {
        if let Err(problem) = build(&manifest, &out, name, feature) {
            println!(
                "cargo::warning=no firmware image: {problem}. `rustup target add {TARGET}`, or Debian's rustc-web, rust-web-src and lld, provide what is missing."
            );
            return;
        }
    }
    println!("cargo::rustc-cfg=images");
}

/// With the toolchain of this build, then with one whose core library is built from its source.
fn build(manifest: &Path, out: &Path, name: &str, feature: Option<&str>) -> Result<(), String> {
    let first = run(manifest, out, name, feature, None);
    let second = || {
        let rustc = env::var("FIRMWARE_RUSTC").unwrap_or_else(|_| "/usr/bin/rustc".into());
        match Path::new(&rustc).exists() {
            true => run(manifest, out, name, feature, Some(&rustc)),
            false => Err(format!("the target {TARGET} is not installed")),
        }
    };
    first.or_else(|_| second())
}

fn run(
    manifest: &Path,
    out: &Path,
    name: &str,
    feature: Option<&str>,
    rustc: Option<&str>,
) -> Result<(), String> {
    let mut cargo = Command::new(env::var_os("CARGO").expect("set by cargo"));
    // Nothing of the build around it.
    for (key, _) in env::vars_os() {
        let key = key.to_string_lossy();
        if (key.starts_with("CARGO_") && key != "CARGO_HOME" && !key.starts_with("CARGO_REGISTR"))
            || key.starts_with("RUSTC")
            || key == "RUSTFLAGS"
            || key == "CLIPPY_ARGS"
        {
            cargo.env_remove(key.as_ref());
        }
    }
    cargo.args(["build", "--release", "--locked", "--target", TARGET, "--manifest-path"]);
    cargo.arg(manifest).arg("--target-dir").arg(out.join("build"));
    cargo.args(feature.iter().flat_map(|feature| ["--features", feature]));
    if let Some(rustc) = rustc {
        cargo.arg("-Zbuild-std=core").env("RUSTC", rustc).env("RUSTC_BOOTSTRAP", "1");
    }
    let done = cargo.output().map_err(|e| e.to_string())?;
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).trim().to_string());
    }
    let built = out.join("build").join(TARGET).join("release/firmware-image");
    let image = out.join(format!("{name}.elf"));
    std::fs::copy(&built, &image).map_err(|e| format!("{}: {e}", built.display()))?;
    Ok(())
}
