//! Compiles the bridge to Verilated bodies. The bodies themselves are built when they are asked
//! for.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/bridge");
    cxx_build::bridge("src/bridge/mod.rs")
        .std("c++17")
        .opt_level(3)
        .include("src/bridge")
        .compile("duet_bridge");
}
