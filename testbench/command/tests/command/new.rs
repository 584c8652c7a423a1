//! `duet new`: what it writes, what it refuses, and that new crates build and pass lockstep.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::bodies::replace;
use crate::desk::Desk;

#[test]
fn an_existing_folder_or_file_stays_as_it_is() {
    let desk = Desk::on_any_build("new-existing");
    fs::create_dir(desk.file("my_block")).unwrap();
    fs::write(desk.file("my_design"), "mine").unwrap();
    desk.refuses(2, "new block my_block", &["my_block: exists already"]);
    desk.refuses(2, "new design my_design", &["my_design: exists already"]);
    assert!(fs::read_dir(desk.file("my_block")).unwrap().next().is_none());
    assert_eq!(desk.read("my_design"), "mine");
    desk.refuses(5, "new block my_block --into none", &["--into none: No such file"]);
    desk.refuses(5, "new block my_block --into my_design", &["--into my_design: must be a folder"]);
    assert_eq!(fs::read_dir(desk.file(".")).unwrap().count(), 2);
}

/// The clone that is named, or that the current folder lies in, or of the build.
#[test]
fn crate_is_built_with_the_clone_that_was_named_or_is_around() {
    let desk = Desk::on_any_build("new-clone");
    let clone = |folder: &str, version: &str| {
        let command = desk.file(folder).join("testbench/command");
        fs::create_dir_all(&command).unwrap();
        fs::write(command.join("Cargo.toml"), "[package]\nname = \"duet\"\n").unwrap();
        let text = format!("[workspace.package]\nversion = \"{version}\"\n");
        fs::write(desk.file(folder).join("Cargo.toml"), text).unwrap();
        fs::canonicalize(desk.file(folder)).unwrap().display().to_string()
    };
    let own = clone("own", env!("CARGO_PKG_VERSION"));
    clone("other", "9.9.9");
    let of_build = fs::canonicalize(root()).unwrap().display().to_string();
    let into = fs::canonicalize(desk.file("own/testbench")).unwrap().display().to_string();
    for (words, expected) in
        [("new block one --duet own".to_string(), &own), ("new block two".to_string(), &of_build)]
    {
        assert_eq!(desk.duet(&words).status, 0, "{words}");
        let name = words.split_whitespace().nth(2).unwrap();
        let manifest = desk.read(&format!("{name}/Cargo.toml"));
        assert!(manifest.contains(&format!("path = \"{expected}/hwmodel\"")), "{manifest}");
    }
    let around = Command::new(env!("CARGO_BIN_EXE_duet"))
        .args(["new", "block", "three"])
        .current_dir(into)
        .output()
        .unwrap();
    assert!(around.status.success());
    let manifest = desk.read("own/testbench/three/Cargo.toml");
    assert!(manifest.contains(&format!("path = \"{own}/hwmodel\"")), "{manifest}");
    let version = ["--duet other: version 9.9.9; must be ", env!("CARGO_PKG_VERSION")];
    desk.refuses(2, "new block four --duet other", &version);
    desk.refuses(2, "new block four --duet own/testbench", &["must be a clone of duet"]);
    assert!(!desk.file("four").exists());
}

#[test]
fn crate_of_a_repository_names_the_tag_of_this_version() {
    let desk = Desk::on_any_build("new-repository");
    let url = "https://host.example/duet.git";
    assert_eq!(desk.duet(&format!("new design mine --duet {url}")).status, 0);
    let manifest: toml::Table = desk.read("mine/Cargo.toml").parse().unwrap();
    for name in ["bodies", "cosim", "duet", "hwmodel", "machine", "ports"] {
        let of_duet = &manifest["dependencies"][name];
        assert_eq!(of_duet["git"].as_str(), Some(url));
        assert_eq!(of_duet["tag"].as_str(), Some(concat!("v", env!("CARGO_PKG_VERSION"))));
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A workspace of duet's crates, by links, with these crates beside them. Cargo takes what it has
/// built of the project for it, so only the new crates are built.
fn workspace(desk: &Desk, crates: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let folder = folder.canonicalize().unwrap();
    let root = root().canonicalize().unwrap();
    for entry in fs::read_dir(&root).unwrap().map(|entry| entry.unwrap()) {
        let name = entry.file_name();
        let is_crates = entry.path().is_dir() && name != "target" && name != ".git";
        // Cargo reads its settings in each folder above.
        if is_crates && (name != ".cargo" || !folder.starts_with(&root)) {
            symlink(entry.path(), folder.join(name)).unwrap();
        }
    }
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let members: String = crates.iter().map(|name| format!("\"{name}\", ")).collect();
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let manifest = manifest.replacen("members = [", &format!("members = [{members}"), 1);
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    for name in crates {
        let kind = name.rsplit('_').next().unwrap();
        let (duet, into) = (folder.display(), folder.display());
        let left = desk.duet(&format!("new {kind} {name} --duet {duet} --into {into}"));
        assert_eq!(left.status, 0, "{name}: {}", left.stderr);
        let path = folder.join(name).join("Cargo.toml");
        let own = fs::read_to_string(&path).unwrap();
        let (member, _) = own.split_once("\n# A workspace of its own").unwrap();
        fs::write(path, member).unwrap();
    }
    folder
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

#[test]
fn new_crates_build_and_pass_lockstep_and_a_fault_in_the_rtl_is_found() {
    let Some(desk) = Desk::new("new-build") else { return };
    let folder = workspace(&desk, &["fresh_block", "fresh_design"]);
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let words = "build --release --offline --workspace --bin fresh-block --bin fresh-design";
    let built = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()))
        .args(words.split(' '))
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", target)
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", text(&built));
    let run = |command: &str, words: &str| {
        let mut command = Command::new(target.join("release").join(command));
        command.args(words.split_whitespace()).current_dir(desk.file(".")).output().unwrap()
    };
    let lockstep = "cosim fresh_block --cycles 20000 --brief";
    let passed = run("fresh-block", lockstep);
    let last = "PASS fresh_block: 20000 cycles, 0 mismatches\n";
    assert!(passed.status.success() && text(&passed).ends_with(last), "{}", text(&passed));

    // Rule 1 of the block: a free entry.
    let rtl = folder.join("fresh_block/rtl");
    let file = rtl.join("fresh_block/fresh_block.sv");
    replace(&file, "count_q < 5'(Depth)", "count_q < 5'(Depth - 1)");
    fs::write(rtl.join("fresh_block/part.svh"), "").unwrap();
    // The program has the RTL of its build.
    let passed = run("fresh-block", lockstep);
    let warning = format!(
        "runs the RTL of its build; since then {} has been edited, {} is not in the program. Run \
         `cargo build --release`, or use --rtl DIR",
        file.display(),
        rtl.join("fresh_block/part.svh").display()
    );
    assert!(passed.status.success() && text(&passed).contains(&warning), "{}", text(&passed));
    let found = run("fresh-block", &format!("{lockstep} --rtl {}", rtl.display()));
    assert_eq!(found.status.code(), Some(1), "{}", text(&found));
    assert!(text(&found).contains("fresh_block.push_ready_o at cycle "), "{}", text(&found));
    assert!(!text(&found).contains("warning"), "{}", text(&found));
    // A register of any name is compared, and one without a counterpart is listed.
    replace(&file, "count_q < 5'(Depth - 1)", "count_q < 5'(Depth)");
    let rtl_text = fs::read_to_string(&file).unwrap();
    let flip = "cosim fresh_block --cycles 20000 --flip pop[0]@500 --rtl";
    for (name, lists_count) in [("count", false), ("held", true)] {
        fs::write(&file, rtl_text.replace("count_q", name)).unwrap();
        let found = run("fresh-block", &format!("{flip} {}", rtl.display()));
        assert!(text(&found).contains(&format!(" {name}=0x")), "{}", text(&found));
        let only = text(&found).contains("  state  only in the model: count\n");
        assert_eq!(only, lists_count, "{}", text(&found));
    }

    let machine = "run --system cpelide-2-small --workload copy --set l1.design=fresh-design \
                   --impl fresh_design_limiter=lockstep";
    let passed = run("fresh-design", machine);
    assert!(passed.status.success(), "{}", text(&passed));
    assert!(text(&passed).contains("PASS copy: "), "{}", text(&passed));
}
