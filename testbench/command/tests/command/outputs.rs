//! Standard output and the files that a command writes: whole or not at all, nothing of the user's
//! destroyed, nothing temporary left.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::symlink;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::desk::{Desk, wait_until};
use crate::two_gpus::{REUSE, TWO_GPUS, kept_trace};

/// A short run.
const RUN: &str = "run --system stc-8cu-small --workload copy --set workload.size=1024";

/// A command in the desk's folder, whose temporary files lie there, too.
fn command(desk: &Desk, words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_duet"));
    command.args(words.split_whitespace()).current_dir(desk.file("."));
    command.env("TMPDIR", desk.file(".")).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn names(desk: &Desk) -> Vec<String> {
    let entries = fs::read_dir(desk.file(".")).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn command_whose_reader_has_gone_ends_without_a_word() {
    let desk = Desk::on_any_build("out-pipe");
    for words in ["list", "--help", &format!("{RUN} --json r.json"), "run --system nosuch"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let left = command(&desk, words).stdout(writer).output().unwrap();
        let said = String::from_utf8(left.stderr).unwrap();
        match words.contains("nosuch") {
            // What is wrong with the command line goes elsewhere.
            true => assert_eq!(left.status.code(), Some(2), "{said}"),
            false => assert_eq!((left.status.code(), &said[..]), (Some(141), ""), "{words}"),
        }
    }
    assert_eq!(names(&desk), [""; 0]);
}

#[test]
fn full_standard_output_ends_with_status_5_and_a_message() {
    let desk = Desk::on_any_build("out-full");
    for words in ["list", "list --json", "--help", "doctor", RUN] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let left = command(&desk, words).stdout(full).output().unwrap();
        let said = String::from_utf8(left.stderr).unwrap();
        let expected = "duet: standard output: No space left on device";
        assert!(left.status.code() == Some(5) && said.contains(expected), "{words}: {said}");
        assert!(!said.contains("panicked"), "{words}: {said}");
    }
}

#[test]
fn full_standard_error_loses_messages_and_nothing_else() {
    let desk = Desk::on_any_build("out-error");
    let full = || File::options().write(true).open("/dev/full").unwrap();
    let left = command(&desk, "run --system nosuch --workload copy").stderr(full()).output();
    assert_eq!(left.unwrap().status.code(), Some(2));
}

#[test]
fn devices_fifos_and_links_are_written_through() {
    let desk = Desk::on_any_build("out-through");
    desk.passes(&format!("{RUN} --json plain.json"));
    let plain = desk.read("plain.json");

    let left = desk.duet(&format!("{RUN} --json /dev/stdout"));
    assert!(left.status == 0 && left.stdout.contains(&plain), "{}", left.stdout);
    // Where standard output is a file, each part keeps its place.
    let file = File::create(desk.file("all.txt")).unwrap();
    let words = format!("{RUN} --json /dev/stdout");
    assert!(command(&desk, &words).stdout(file).status().unwrap().success());
    assert_eq!(desk.read("all.txt"), left.stdout);

    assert!(Command::new("mkfifo").arg(desk.file("fifo")).status().unwrap().success());
    let path = desk.file("fifo");
    let reader = thread::spawn(move || fs::read_to_string(path).unwrap());
    desk.passes(&format!("{RUN} --json fifo"));
    assert_eq!(reader.join().unwrap(), plain);

    fs::write(desk.file("target.json"), "old").unwrap();
    for target in ["target.json", "new.json"] {
        symlink(target, desk.file("link.json")).unwrap();
        desk.passes(&format!("{RUN} --json link.json"));
        assert!(desk.file("link.json").is_symlink());
        assert_eq!(desk.read(target), plain);
        fs::remove_file(desk.file("link.json")).unwrap();
    }
    // Nothing is put beside a device.
    desk.passes(&format!("{RUN} --json /dev/null --wave /dev/null --wave-from 1"));
    for path in ["/dev/null.system.toml", "/dev/null.gtkw", "/dev/stdout.system.toml"] {
        assert!(!fs::exists(path).unwrap(), "{path}");
    }
}

/// No signal can be caught here: the next command removes what the killed one has left.
#[test]
fn what_a_killed_run_leaves_goes_with_the_next_start_and_that_of_a_living_one_stays() {
    let desk = Desk::on_any_build("out-killed");
    fs::create_dir(desk.file("tmp")).unwrap();
    let temporary = desk.file("tmp").display().to_string();
    // They wait for a reader that never comes, with the program's trace in a folder.
    let start = |fifo: &str| {
        assert!(Command::new("mkfifo").arg(desk.file(fifo)).status().unwrap().success());
        let before = used_folders(&desk);
        let mut waiting = command(&desk, &format!("{RUN} --json {fifo}"));
        let child = waiting.env("TMPDIR", &temporary).stdout(Stdio::null()).spawn().unwrap();
        let new = || used_folders(&desk).into_iter().find(|name| !before.contains(name));
        loop {
            match new() {
                Some(name) => break (child, name),
                None => thread::sleep(Duration::from_millis(5)),
            }
        }
    };
    let (mut killed, _) = start("first");
    let (mut living, stays) = start("second");
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(used_folders(&desk).len(), 2);
    let next = || desk.duet_in(&[("TMPDIR", &temporary)], "list blocks");
    assert_eq!(next().status, 0);
    assert_eq!(folders(&desk), [stays]);
    living.kill().unwrap();
    living.wait().unwrap();
    assert_eq!(next().status, 0);
    assert!(folders(&desk).is_empty());
}

/// The folders for temporary files of this desk.
fn folders(desk: &Desk) -> Vec<String> {
    let all = fs::read_dir(desk.file("tmp")).unwrap();
    all.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Those that hold something: they are locked.
fn used_folders(desk: &Desk) -> Vec<String> {
    let is_used = |name: &String| {
        let held = fs::read_dir(desk.file("tmp").join(name));
        held.is_ok_and(|mut held| held.next().is_some())
    };
    folders(desk).into_iter().filter(is_used).collect()
}

#[test]
fn outputs_that_are_inputs_or_one_another_are_refused_and_nothing_changes() {
    let desk = Desk::on_any_build("out-inputs");
    let system = include_str!("../../../machine/systems/stc-8cu.toml");
    fs::write(desk.file("my.system.toml"), system).unwrap();
    fs::write(desk.file("t.trace"), kept_trace()).unwrap();
    fs::write(desk.file("elf"), "firmware").unwrap();
    symlink("t.trace", desk.file("link")).unwrap();
    fs::create_dir_all(desk.file("rtl/common")).unwrap();
    fs::write(desk.file("rtl/common/a.sv"), "module").unwrap();
    fs::write(desk.file("raw.bin"), "records").unwrap();
    fs::write(desk.file("note.txt"), "note").unwrap();
    let before = names(&desk);
    let run = "run --system my.system.toml --workload t.trace";
    for (words, message) in [
        (format!("{run} --json t.trace"), "--json t.trace: it would replace what --workload names"),
        (format!("{run} --json ./link"), "--json ./link: it would replace what --workload names"),
        (format!("{run} --audit my.system.toml"), "what --system names"),
        (format!("{run} --json my.json"), "would replace what --system names"),
        (format!("{run} --cp iss --firmware elf --dump-tlp elf"), "what --firmware names"),
        (format!("{run} --rtl rtl --json rtl/common/a.sv"), "what --rtl names"),
        (format!("{run} --json a --audit a"), "--audit a: --json writes that file"),
        (format!("{run} --json rtl/../a --audit ./a"), "--json writes that file"),
        (format!("{run} --wave a.gtkw"), "--wave writes that file"),
        (format!("{run} --json r.json --wave r.system.toml"), "--wave writes that file"),
        (format!("compare {} --json t.trace", &run[4..]), "what --workload names"),
        ("cosim packetizer --json a --wave a".into(), "--wave a: --json writes that file"),
        ("controls --document note.txt --json note.txt".into(), "what --document names"),
        ("trace convert raw -o raw.bin".into(), "-o raw.bin: exists and is no trace"),
        ("trace capture -o note.txt -- true".into(), "-o note.txt: exists and is no trace"),
        ("trace convert raw -o /dev/null".into(), "-o /dev/null: must be a file"),
    ] {
        desk.refuses(2, &words, &[message]);
    }
    let into = File::create(desk.file("note.txt")).unwrap();
    let left = command(&desk, &format!("{run} --json note.txt")).stdout(into).output().unwrap();
    let said = String::from_utf8(left.stderr).unwrap();
    assert!(said.contains("--json note.txt: standard output goes there"), "{said}");
    assert_eq!(names(&desk), before);
    assert_eq!(desk.read("my.system.toml"), system);
    assert_eq!(fs::read(desk.file("t.trace")).unwrap(), kept_trace());
    assert_eq!([desk.read("elf"), desk.read("raw.bin")], ["firmware", "records"]);
}

#[test]
fn files_of_the_users_own_beside_an_output_stay() {
    let desk = Desk::on_any_build("out-beside");
    fs::write(desk.file("my.system.toml"), "mine").unwrap();
    let message = "my.system.toml: --json writes the resolved configuration there";
    desk.refuses(2, &format!("{RUN} --json my.json"), &[message, "not one that duet wrote"]);
    assert_eq!(desk.read("my.system.toml"), "mine");
    fs::write(desk.file("w.gtkw"), "[*]\n[*] GTKWave Analyzer\n").unwrap();
    fs::write(desk.file("w.vcd.part"), "mine").unwrap();
    desk.passes(&format!("{RUN} --wave w.vcd --wave-from 1 --wave-to 9"));
    assert!(desk.read("w.gtkw").contains("GTKWave Analyzer"));
    assert_eq!(desk.read("w.vcd.part"), "mine");
    // Its own it replaces.
    for _ in 0..2 {
        desk.passes(&format!("{RUN} --json r.json --wave v.vcd --wave-from 1 --wave-to 9"));
    }
    assert!(desk.read("v.gtkw").contains("v.vcd"));
}

#[test]
fn result_of_an_earlier_run_does_not_outlive_one_that_fails() {
    let desk = Desk::on_any_build("out-old");
    let files = "--json r.json --audit a.txt --wave w.vcd --wave-from 1 --wave-to 9";
    for fails in ["--set l2.ways=0", "--impl nothing=rtl", "--cp nothing", "--wave-of nothing"] {
        desk.passes(&format!("{RUN} {files}"));
        assert_eq!(names(&desk), ["a.txt", "r.json", "r.system.toml", "w.gtkw", "w.sucl", "w.vcd"]);
        desk.refuses(2, &format!("{RUN} {files} {fails}"), &[]);
        assert_eq!(names(&desk), [""; 0], "{fails}");
    }
    // What is wrong with the words themselves is found before any file is looked at.
    desk.passes(&format!("{RUN} {files}"));
    desk.refuses(2, &format!("{RUN} {files} --nothing"), &["--nothing"]);
    assert_eq!(names(&desk).len(), 6);
}

#[test]
fn runs_with_the_same_outputs_at_a_time_leave_a_whole_one() {
    let desk = Desk::on_any_build("out-same");
    desk.passes(&format!("{RUN} --json whole.json --audit whole.txt"));
    let words = format!("{RUN} --json r.json --audit a.txt");
    let runs: Vec<Child> = (0..4).map(|_| command(&desk, &words).spawn().unwrap()).collect();
    for run in runs {
        let left = run.wait_with_output().unwrap();
        assert!(left.status.success(), "{}", String::from_utf8_lossy(&left.stderr));
    }
    assert_eq!(desk.read("r.json"), desk.read("whole.json"));
    assert_eq!(desk.read("a.txt"), desk.read("whole.txt"));
    let left = ["a.txt", "r.json", "r.system.toml", "whole.json", "whole.system.toml", "whole.txt"];
    assert_eq!(names(&desk), left);
}

#[test]
fn ended_run_leaves_nothing_and_its_status_is_the_signal() {
    let desk = Desk::on_any_build("out-signal");
    // Minutes of work: while the program's trace is recorded, and while the machine runs.
    let words = "run --system cpelide-4 --workload stream \
                 --json r.json --wave w.vcd --audit a.txt --dump-tlp t.txt --set machine.gpus=2";
    for (signal, status, size, begins) in
        [("INT", 130, 1_000_000, 1), ("TERM", 143, 60_000, 5), ("HUP", 129, 60_000, 5)]
    {
        let words = format!("{words} --set workload.size={size}");
        let mut run = command(&desk, &words).spawn().unwrap();
        wait_until(&mut run, || names(&desk).len() >= begins);
        let kill = Command::new("kill").args(["-s", signal, &run.id().to_string()]).status();
        assert!(kill.unwrap().success());
        assert_eq!(run.wait().unwrap().code(), Some(status), "{signal}");
        let mut said = String::new();
        run.stderr.unwrap().read_to_string(&mut said).unwrap();
        assert!(said.contains("ended by signal"), "{said}");
        assert_eq!(names(&desk), [""; 0], "{signal}");
    }
}

#[test]
fn mismatch_is_reported_where_its_files_cannot_be_written() {
    let Some(desk) = Desk::new("out-mismatch") else { return };
    let told = |words: &str, message: &[&str]| {
        let left = desk.duet(words);
        assert_eq!(left.status, 1, "{words}: {}", left.stderr);
        assert!(left.stdout.contains("MISMATCH"), "{words}: {}", left.stdout);
        for part in message {
            assert!(left.stderr.contains(part), "{words}: {}", left.stderr);
        }
    };
    let full = "No space left on device";
    let flip = "cosim packetizer --cycles 2000 --flip tlp@300";
    told(&format!("{flip} --wave /dev/full"), &["/dev/full", full]);
    told(&format!("{flip} --json /dev/full"), &["/dev/full", full]);
    told("cosim finepack --cycles 6000 --flip packetizer.tlp@4500 --dump-tlp /dev/full", &[full]);
    // Where the window around it goes by itself.
    fs::remove_dir_all(desk.file("out")).unwrap();
    fs::write(desk.file("out"), "a file").unwrap();
    told(flip, &["out/packetizer-small-1.vcd"]);
    let run = format!("run {TWO_GPUS} {REUSE} --impl gpu0/packetizer=lockstep");
    let run = format!("{run} --flip gpu0/packetizer.tlp@300");
    told(&format!("{run} --json /dev/full"), &["/dev/full", full, "out/run-packetizer-1.vcd"]);
    // Without a difference it is what has failed.
    desk.refuses(5, "cosim packetizer --cycles 2000 --wave /dev/full", &["/dev/full", full]);
}

#[test]
fn result_of_a_run_whose_flip_was_never_shown_says_that_it_failed() {
    let Some(desk) = Desk::new("out-flip") else { return };
    let run = format!("run {TWO_GPUS} {REUSE} --impl gpu0/packetizer=lockstep");
    let words = format!("{run} --flip gpu0/packetizer.tlp@900000000 --json r.json");
    desk.refuses(2, &words, &["900000000"]);
    assert_eq!(desk.json("r.json")["verdict"], "FAIL");
}
