//! `duet bodies`, and what goes wrong when an RTL body has to be made.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::desk::{Desk, wait_until};

const RUN: &str = "cosim packetizer --cycles 1000";
const BUILD: &str = "bodies build packetizer --config small";

/// A desk with an empty cache.
struct Fresh {
    desk: Desk,
    cache: String,
    /// The C++ compiler.
    cxx: String,
}

impl Fresh {
    fn new(test: &str) -> Option<Self> {
        let desk = Desk::new(test)?;
        let cache = desk.file("cache").display().to_string();
        let cxx = std::env::var("CXX").unwrap_or("c++".into());
        Some(Self { desk, cache, cxx })
    }

    /// Its bodies are built again and again, and run for a few cycles.
    fn variables<'a>(&'a self, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
        let own = [("DUET_CACHE", &self.cache[..]), ("CXX", &self.cxx), ("CXXFLAGS", "-O0")];
        own.into_iter().chain(more.iter().copied()).collect()
    }

    /// A command that must pass, with what it prints on stderr.
    fn passes(&self, words: &str) -> String {
        let left = self.desk.duet_in(&self.variables(&[]), words);
        assert_eq!(left.status, 0, "{words}: {}", left.stderr);
        assert!(left.last_line().starts_with("PASS "), "{words}: {}", left.stdout);
        left.stderr
    }

    fn refuses(&self, status: i32, words: &str, more: &[(&str, &str)], message: &[&str]) {
        self.desk.refuses_in(&self.variables(more), status, words, message);
    }

    /// The folders of finished bodies of the packetizer.
    fn entries(&self) -> Vec<PathBuf> {
        let version = Path::new(&self.cache).join("1");
        let all = fs::read_dir(version).unwrap().map(|entry| entry.unwrap().path());
        let is_body = |p: &PathBuf| p.file_name().unwrap().to_string_lossy().starts_with("packet");
        all.filter(is_body).collect()
    }

    /// What is being built, or was left behind.
    fn unfinished(&self) -> usize {
        let folder = Path::new(&self.cache).join("1/build");
        fs::read_dir(folder).map_or(0, Iterator::count)
    }
}

#[test]
fn body_is_built_once_by_two_processes_and_again_when_its_entry_is_damaged() {
    let Some(fresh) = Fresh::new("bodies_once") else { return };
    let start = |more: &[(&str, &str)]| {
        Command::new(env!("CARGO_BIN_EXE_duet"))
            .args(BUILD.split(' '))
            .envs(fresh.variables(more))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    // What a killed build leaves is not used. The compiler waits with the body itself until nothing
    // writes into the pipe any more.
    let file = |name| fresh.desk.file(name).display().to_string();
    assert!(Command::new("mkfifo").arg(file("pipe")).status().unwrap().success());
    let pipe = fs::File::options().read(true).write(true).open(file("pipe")).unwrap();
    let waits = format!(
        "case \"$*\" in *-shared*) : > {}; read end < {}; exit 1;; esac\nexec {} \"$@\"\n",
        file("reached"),
        file("pipe"),
        fresh.cxx
    );
    fs::write(file("cxx"), waits).unwrap();
    let mut killed = start(&[("CXX", &format!("sh {}", file("cxx")))]);
    wait_until(&mut killed, || fresh.desk.file("reached").exists());
    killed.kill().unwrap();
    killed.wait().unwrap();
    drop(pipe);
    assert_eq!((fresh.entries().len(), fresh.unfinished()), (0, 1));
    let outputs = [start(&[]), start(&[])].map(|child| child.wait_with_output().unwrap());
    assert!(outputs.iter().all(|output| output.status.success()));
    let told = outputs.map(|output| String::from_utf8(output.stderr).unwrap());
    let built = told.iter().filter(|text| text.contains("built packetizer in ")).count();
    assert_eq!(built, 1, "{told:?}");
    assert_eq!((fresh.entries().len(), fresh.unfinished()), (1, 0));
    assert_eq!(fresh.passes(BUILD), "", "it is in the cache");
    damaged_body_is_built_again(&fresh);
}

/// Bodies with and without signals that can be traced, by compilers that are not the default as
/// well.
#[test]
fn each_compiler_that_is_installed_builds_bodies_that_run() {
    let Some(fresh) = Fresh::new("bodies_compilers") else { return };
    let mut built = 0;
    for cxx in ["g++", "clang++"] {
        if Command::new(cxx).arg("--version").output().is_err() {
            println!("skipped: {cxx} is not installed");
            continue;
        }
        for words in [RUN, "cosim packetizer --cycles 1000 --wave w.vcd --wave-internals"] {
            let left = fresh.desk.duet_in(&fresh.variables(&[("CXX", cxx)]), words);
            assert_eq!(left.status, 0, "{cxx}: {}", left.stderr);
            built += 1;
            assert_eq!(fresh.entries().len(), built, "{cxx}: {words}");
        }
    }
}

/// The one body of this cache.
fn damaged_body_is_built_again(fresh: &Fresh) {
    let [entry] = &fresh.entries()[..] else { panic!("{:?}", fresh.entries()) };
    let (object, manifest) = (entry.join("made.so"), entry.join("made.toml"));
    let whole = fs::read(&object).unwrap();
    let text = fs::read_to_string(&manifest).unwrap();
    assert!(text.contains("block = \"packetizer\"\n"), "{text}");

    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    for damaged in [&flipped[..], &whole[..whole.len() / 2], b""] {
        fs::write(&object, damaged).unwrap();
        // Never loaded: a flipped bit might not even crash.
        assert!(fresh.passes(BUILD).contains("built packetizer"), "{} bytes", damaged.len());
        assert_eq!(fs::read(&object).unwrap().len(), whole.len());
    }
    fs::write(&manifest, text.replace("bytes = ", "bites = ")).unwrap();
    assert!(fresh.passes(BUILD).contains("built packetizer"), "a manifest of another kind");
    fs::remove_file(&manifest).unwrap();
    assert!(fresh.passes(BUILD).contains("built packetizer"), "no manifest");
    assert_eq!((fresh.entries().len(), fresh.unfinished()), (1, 0));
    fresh.passes(RUN);

    body_that_others_could_have_written_is_not_loaded(fresh, entry);

    let list = fresh.desk.duet_in(&fresh.variables(&[]), "bodies list").stdout;
    assert!(list.contains("packetizer") && list.contains("plain   Line=16"), "{list}");
    // What another version has left is not touched.
    fs::create_dir(Path::new(&fresh.cache).join("0")).unwrap();
    let clean = fresh.desk.duet_in(&fresh.variables(&[]), "bodies clean");
    assert_eq!((clean.status, &clean.stderr[..]), (0, ""));
    assert!(!Path::new(&fresh.cache).join("1").exists());
    assert!(Path::new(&fresh.cache).join("0").exists());
}

/// What is loaded runs as the user.
fn body_that_others_could_have_written_is_not_loaded(fresh: &Fresh, entry: &Path) {
    let refuses = |path: &Path, problem: &str| {
        let message = format!("{}: {problem}", path.display());
        fresh.refuses(5, RUN, &[], &[&message, "DUET_CACHE sets another folder"]);
    };
    let version = Path::new(&fresh.cache).join("1");
    let (object, manifest) = (entry.join("made.so"), entry.join("made.toml"));
    for path in [Path::new(&fresh.cache), &version, entry, &object, &manifest] {
        let mode = fs::metadata(path).unwrap().permissions();
        for bit in [0o020, 0o002] {
            fs::set_permissions(path, Permissions::from_mode(mode.mode() | bit)).unwrap();
            refuses(path, "can be written by others (mode ");
        }
        fs::set_permissions(path, mode).unwrap();
        let (owner, other) = (fs::metadata(path).unwrap().uid(), 65534);
        // Root alone may give files away.
        if chown(path, Some(other), None).is_ok() {
            refuses(path, "belongs to user 65534; must belong to you");
            chown(path, Some(owner), None).unwrap();
        }
    }
    // A folder above, in which it could be replaced.
    let above = fresh.desk.file("");
    let mode = fs::metadata(&above).unwrap().permissions();
    fs::set_permissions(&above, Permissions::from_mode(0o777)).unwrap();
    fresh.refuses(5, RUN, &[], &["where all users may replace it (mode 777)"]);
    fs::set_permissions(&above, Permissions::from_mode(0o1777)).unwrap();
    fresh.passes(RUN);
    fs::set_permissions(&above, mode).unwrap();
    let text = fs::read_to_string(&manifest).unwrap();
    let elsewhere = fresh.desk.file("x.so");
    fs::copy(&object, &elsewhere).unwrap();
    let up = "../../../x.so";
    for name in [up, &elsewhere.display().to_string(), "./made.so", "", ".", "..", "made.so/"] {
        let named = text.replace("file = \"made.so\"", &format!("file = {name:?}"));
        assert_ne!(named, text);
        fs::write(&manifest, named).unwrap();
        refuses(&manifest, &format!("file = {name:?}: must be the name of a file"));
    }
    fs::write(&manifest, &text).unwrap();
    for (path, problem) in [(entry, "must be a folder, and no link"), (&object, "must be a file")] {
        let aside = fresh.desk.file("aside");
        fs::rename(path, &aside).unwrap();
        symlink(&aside, path).unwrap();
        refuses(path, problem);
        fs::remove_file(path).unwrap();
        fs::rename(&aside, path).unwrap();
    }
    fresh.passes(RUN);
}

#[test]
fn clean_removes_entries_of_the_cache_and_nothing_else() {
    let desk = Desk::on_any_build("bodies_clean");
    let hash = "0123456789abcdef0123456789abcdef";
    let ours = ["1/locks/a-HASH", "1/build/a-HASH/obj_dir/x", "1/build/read-1-2/x"];
    let ours = ours.into_iter().chain(["1/runtime-HASH/made.o", "1/a_b-HASH/made.toml"]);
    let theirs = ["1/thesis.txt", "1/a/b", "1/build/mine/x", "1/locks/mine", "1/c-HASH/thesis"];
    let theirs = theirs.into_iter().chain(["1/a-1234/made.toml", "1/-HASH/made.so", "0/x", "x"]);
    let place = |name: &str| desk.file(&name.replace("HASH", hash));
    for name in ours.clone().chain(theirs.clone()) {
        fs::create_dir_all(place(name).parent().unwrap()).unwrap();
        fs::write(place(name), "").unwrap();
    }
    let here = desk.file("").display().to_string();
    let left = desk.duet_in(&[("DUET_CACHE", &here)], "bodies clean");
    assert_eq!(left.status, 0, "{}", left.stderr);
    ours.for_each(|name| assert!(!place(name).exists(), "{name}"));
    theirs.for_each(|name| assert!(place(name).exists(), "{name}"));
    let told = format!("{}: is no entry of the cache, and stays", place("1/thesis.txt").display());
    assert!(left.stderr.contains(&told), "{}", left.stderr);
    assert_eq!(left.stderr.lines().count(), 7, "{}", left.stderr);
}

#[test]
fn environment_without_what_a_body_needs_is_status_5() {
    let Some(fresh) = Fresh::new("bodies_environment") else { return };
    let missing = |variable, message: &[&str]| {
        fresh.refuses(5, RUN, &[(variable, "nosuch")], message);
    };
    missing("VERILATOR", &["packetizer: no Verilated library: VERILATOR = nosuch: does not run"]);
    missing(
        "CXX",
        &["packetizer: no Verilated library: no C++ compiler: CXX = nosuch: does not run"],
    );
    let words = "cosim command_processor --cycles 1000";
    let problem =
        ["command_processor: no Verilated library: IBEX = nosuch: has no rtl/ibex_top.sv"];
    fresh.refuses(5, words, &[("IBEX", "nosuch")], &problem);
    // A compiler that cannot compile: the last words are its own.
    let script = fresh.desk.file("cxx");
    fs::write(
        &script,
        "#!/bin/sh\n[ $1 = --version ] && echo 1.0 && exit\necho no space >&2\nexit 1\n",
    )
    .unwrap();
    let script = format!("sh {}", script.display());
    fresh.refuses(5, RUN, &[("CXX", &script)], &["the C++ compiler failed", "no space"]);
    assert!(fresh.entries().is_empty() && fresh.unfinished() == 0);
    // A cache that cannot be written.
    fs::write(fresh.desk.file("plain"), "").unwrap();
    let problem =
        ["plain/cache/1/locks: ", "DUET_CACHE sets another folder for Verilated libraries"];
    fresh.refuses(5, RUN, &[("DUET_CACHE", "plain/cache")], &problem);
}

#[test]
fn full_disk_is_status_5_and_nothing_half_made_stays() {
    let Some(fresh) = Fresh::new("bodies_full_disk") else { return };
    let place = Path::new(&fresh.cache);
    fs::create_dir(place).unwrap();
    let mount = |words: &[&str]| Command::new(words[0]).args(&words[1..]).arg(place).output();
    let mounted = mount(&["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs"]);
    if !mounted.is_ok_and(|output| output.status.success()) {
        println!("skipped: only root can make a small disk");
        return;
    }
    let left = fresh.desk.duet_in(&fresh.variables(&[]), RUN);
    let clean = fresh.unfinished() == 0 && fresh.entries().is_empty();
    mount(&["umount"]).unwrap();
    assert_eq!(left.status, 5, "{}", left.stderr);
    assert!(left.stderr.contains("No space left on device"), "{}", left.stderr);
    assert!(clean);
}

/// A copy of the project's RTL, by the path that a command names it with.
pub fn copy_of_rtl(desk: &Desk) -> PathBuf {
    copy_of(desk, &["common", "finepack", "finepack/packetizer"])
}

/// The RTL in these folders, to be changed.
pub fn copy_of(desk: &Desk, folders: &[&str]) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rtl");
    for folder in folders {
        fs::create_dir_all(desk.file("rtl").join(folder)).unwrap();
        let entries = fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        for path in entries.filter(|path| path.is_file()) {
            fs::copy(&path, desk.file("rtl").join(folder).join(path.file_name().unwrap())).unwrap();
        }
    }
    desk.file("rtl")
}

pub fn replace(file: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains(from), "{from:?} is not in {}", file.display());
    fs::write(file, text.replace(from, to)).unwrap();
}

#[test]
fn rtl_of_ones_own_replaces_the_projects() {
    let Some(desk) = Desk::new("bodies_own_rtl") else { return };
    let folder = copy_of_rtl(&desk).join("finepack/packetizer");
    let (top, entry) = (folder.join("packetizer.sv"), folder.join("packetizer_entry.sv"));
    let whole = fs::read_to_string(&top).unwrap();
    assert_eq!(desk.duet(&format!("{RUN} --rtl rtl")).status, 0);
    // Another behaviour, found by lockstep.
    replace(&entry, "assign drain_ready_o = ", "assign drain_ready_o = held_q && ");
    let left = desk.duet(&format!("{RUN} --rtl rtl"));
    assert_eq!(left.status, 1, "{}{}", left.stdout, left.stderr);
    assert!(left.stdout.contains("MISMATCH packetizer.drain_ready_o"), "{}", left.stdout);
    // Right behind each edge, and then it follows its input: a comparison alone would pass it.
    let own = fs::read_to_string(&entry).unwrap().replace("= held_q && ", "= ");
    let follows = "logic last_q;\n  always_ff @(posedge clk_i) last_q <= drain_valid_i;\n  \
                   assign drain_ready_o = (drain_valid_i ^ last_q) ^ ";
    fs::write(&entry, own.replace("assign drain_ready_o = ", follows)).unwrap();
    let left = desk.duet(&format!("{RUN} --rtl rtl"));
    assert_eq!(left.status, 1, "{}{}", left.stdout, left.stderr);
    let words = "outputs must be functions of registers; an input changes drain_ready_o";
    let report: Vec<_> = left.stdout.split_whitespace().collect();
    assert!(report.join(" ").contains(words), "{}", left.stdout);
    assert!(left.last_line().contains("assertion RegisteredOutputs"), "{}", left.stdout);
    // Other ports: it does not get so far.
    fs::write(&top, whole.replace("drain_ready_o", "drain_take_o")).unwrap();
    let refused = ["Verilator rejects the RTL with Line=16", "drain_ready_o"];
    desk.refuses(2, &format!("{RUN} --rtl rtl"), &refused);
    // A message names the file in the user's folder, its line and the column.
    let number =
        1 + whole.lines().position(|line| line.starts_with("  packetizer_run #(")).unwrap();
    fs::write(&top, whole.replace("packetizer_run #(", "packetizer_walk #(")).unwrap();
    let place = format!("%Error-MODMISSING: rtl/finepack/packetizer/packetizer.sv:{number}:3: ");
    desk.refuses(2, &format!("{RUN} --rtl rtl"), &[&place, "packetizer_walk"]);
    let verdict = desk.duet(&format!("{RUN} --rtl rtl")).last_line().to_string();
    let refused = verdict.split_once(": Verilator rejects the RTL with ").expect(&verdict).1;
    assert!(refused.contains(&format!(": {place}")), "{verdict}");
    let folder = desk.file("rtl").display().to_string();
    let file = format!("{folder}/finepack/packetizer/packetizer.sv");
    let place = format!("%Error-MODMISSING: {file}:{number}:3: ");
    desk.refuses(2, &format!("{RUN} --rtl {folder}"), &[&place]);
    desk.refuses(2, &format!("{RUN} --rtl nosuch"), &["--rtl nosuch: No such file"]);
    fs::create_dir(desk.file("empty")).unwrap();
    desk.refuses(
        2,
        &format!("{RUN} --rtl empty"),
        &["--rtl empty: has no folder with SystemVerilog in it"],
    );
    let block = "cosim depacketizer --cycles 10 --rtl rtl";
    desk.refuses(2, block, &["no Verilated library", "has no depacketizer/depacketizer.sv"]);
}

#[test]
fn every_legal_parameter_set_has_a_body_and_others_are_refused_by_name() {
    let Some(desk) = Desk::new("bodies_parameters") else { return };
    for words in [
        "cosim packetizer --set beat=16 --cycles 20000",
        "cosim coherence_directory --set gpus=5 --set entries=48 --set ways=6 --cycles 20000",
        "cosim cp_crossbar --set chiplets=5 --cycles 20000",
        "cosim finepack --set num_gpus=5 --cycles 5000",
    ] {
        let left = desk.duet(words);
        assert_eq!(left.status, 0, "{words}: {}{}", left.stdout, left.stderr);
        assert!(left.stdout.contains("config small,"), "{}", left.stdout);
    }
    let refuses = |words: &str, message: &[&str]| desk.refuses(2, words, message);
    refuses("bodies build nosuch", &["block nosuch: must be one of gtsc_rst, "]);
    refuses("bodies build packetizer --set bit=16", &["--set bit: must be one of "]);
    refuses("bodies build packetizer --set beat=15", &["beat = 15: must be 8, 16, 32"]);
    refuses("bodies build packetizer --config nosuch", &["--config nosuch: must be one of "]);
}
