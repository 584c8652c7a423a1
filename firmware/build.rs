//! Builds the images for the RISC-V core. Without its target the crate still builds, and says so
//! where an image is asked for.

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
    for watched in ["build.rs", "src", "Cargo.toml", "image", "../.tools/installed"] {
        println!("cargo::rerun-if-changed={watched}");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo"));
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let manifest = here.join("image/Cargo.toml");
    for (name, feature) in IMAGES {
        match build(&manifest, &out, name, feature) {
            Ok(()) => {}
            Err(Problem::Missing(what)) => {
                println!(
                    "cargo::warning=no firmware image: {what}. `rustup target add {TARGET}`, or \
                     Debian's rustc-web, rust-web-src and lld, provide what is missing."
                );
                return;
            }
            Err(Problem::Source(report)) => {
                let lines = report.lines();
                lines.for_each(|line| println!("cargo::error=firmware image {name}: {line}"));
                return;
            }
        }
    }
    println!("cargo::rustc-cfg=images");
}

/// Why there is no image.
enum Problem {
    /// Something is not installed.
    Missing(String),
    /// The firmware does not compile or link.
    Source(String),
}

impl Problem {
    /// What a build that failed has reported.
    fn of(report: &str) -> Self {
        let missing = ["can't find crate for `core`", "linker `"];
        let is_source = report.contains("could not compile `firmware");
        if is_source && !missing.iter().any(|text| report.contains(text)) {
            Self::Source(report.trim().into())
        } else {
            Self::Missing(report.trim().into())
        }
    }
}

/// With the toolchain of this build, then with one whose core library is built from its source.
fn build(manifest: &Path, out: &Path, name: &str, feature: Option<&str>) -> Result<(), Problem> {
    let first = run(manifest, out, name, feature, None);
    let Err(Problem::Missing(_)) = first else { return first };
    let rustc = env::var("FIRMWARE_RUSTC").unwrap_or_else(|_| "/usr/bin/rustc".into());
    match Path::new(&rustc).exists() {
        true => run(manifest, out, name, feature, Some(&rustc)),
        false => Err(Problem::Missing(format!("the target {TARGET} is not installed"))),
    }
}

fn run(
    manifest: &Path,
    out: &Path,
    name: &str,
    feature: Option<&str>,
    rustc: Option<&str>,
) -> Result<(), Problem> {
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
    let done = cargo.output().map_err(|e| Problem::Missing(e.to_string()))?;
    if !done.status.success() {
        return Err(Problem::of(&String::from_utf8_lossy(&done.stderr)));
    }
    let built = out.join("build").join(TARGET).join("release/firmware-image");
    let image = out.join(format!("{name}.elf"));
    let unread = |e| Problem::Source(format!("{}: {e}", built.display()));
    std::fs::copy(&built, &image).map_err(unread)?;
    Ok(())
}
