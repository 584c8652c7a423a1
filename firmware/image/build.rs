//! Places the image in the core's memory map.

fn main() {
    println!("cargo::rerun-if-changed=image.ld");
    let folder = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    println!("cargo::rustc-link-arg-bins=-T{folder}/image.ld");
}
