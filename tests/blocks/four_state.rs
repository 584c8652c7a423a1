//! Each block in a four-state simulator (`rtl/four_state.py`), under its random stimulus: no output
//! is X where it means something, and all outputs are the model's. The stimulus is recorded from a
//! run of the model, as what a block receives depends on what it shows.
//!
//! `DUET_FOUR_STATE_CYCLES` says how many cycles each block runs, `DUET_FOUR_STATE_CONFIG` in which
//! named configuration, and `DUET_FOUR_STATE_SEED` under which seed.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use cosim::catalog::Pair;
use cosim::stimulus::{self, Random, Statics, Stimulus};
use duet_tests::parameters;
use hwmodel::{Block, Model};
use ports::{Port, Ports, image_words};

/// Cycles of each block, with some resets in them.
const CYCLES: u64 = 800;
/// An episode is at most this part of a run.
const PART: u64 = 3;

fn setting(name: &str) -> Option<String> {
    env::var(format!("DUET_FOUR_STATE_{name}")).ok()
}

fn number(name: &str, default: u64) -> u64 {
    setting(name).map_or(default, |value| value.parse().expect("a number"))
}

/// The bits of all ports, those of the first one last; payloads whose valid is 0 are X.
fn bits(ports: &[Port], image: &[u32]) -> String {
    let bit_at = |at: usize| if image[at / 32] >> (at % 32) & 1 == 0 { '0' } else { '1' };
    let bits_of = |port: &Port| -> String {
        let shown = port.valid.is_none_or(|valid| image[ports[valid].word] & 1 != 0);
        let at = |bit| if shown { bit_at(32 * port.word + bit as usize) } else { 'x' };
        (0..port.width).rev().map(at).collect()
    };
    ports.iter().rev().map(bits_of).collect()
}

/// A run of the model as `rtl/four_state.py` reads it.
fn record<S: Stimulus<Model: Pair>>(name: &str, cycles: u64, seed: u64) -> String {
    let config = S::Model::config(&parameters::<<S::Model as Pair>::Family>(name));
    let block = S::Model::describe(&config);
    let mut text = format!("block {}\n", block.name);
    for (name, value) in &block.parameters {
        writeln!(text, "parameter {name}={value}").unwrap();
    }
    for (kind, ports) in [("input", &block.inputs), ("output", &block.outputs)] {
        for port in ports {
            writeln!(text, "{kind} {} {}", port.name, port.width).unwrap();
        }
    }
    let mut stimulus = S::new(&config, &Statics::default(), seed);
    let mut model = S::Model::new(&config).expect("the configurations are legal");
    let mut random = Random::new(!seed);
    let mut input = vec![0; image_words(&block.inputs)];
    let mut output = vec![0; image_words(&block.outputs)];
    let mut left = 0;
    for cycle in 0..cycles {
        let is_first = left == 0;
        if is_first {
            left = 1 + u64::from(random.below((cycles / PART) as u32));
            stimulus.restart(left);
            if cycle > 0 {
                model.reset(&config).expect("the configurations are legal");
            }
        }
        left -= 1;
        let shown = model.outputs();
        let given = stimulus.inputs(&shown);
        model.tick(&given);
        given.store(&config, &mut input);
        shown.store(&config, &mut output);
        let kind = if is_first { "reset" } else { "run" };
        let [given, shown] = [(&block.inputs, &input), (&block.outputs, &output)]
            .map(|(ports, image)| bits(ports, image));
        writeln!(text, "{kind} {given} {shown}").unwrap();
    }
    text
}

fn rtl() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../rtl")
}

/// Simulates the blocks of a folder.
fn simulate(rtl: &Path, recording: &str) -> Output {
    let script = self::rtl().join("four_state.py");
    let mut command = Command::new("python3");
    command.arg(script).arg("--rtl").arg(rtl).stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("python3");
    // A script that ends before it has read says why.
    let _ = child.stdin.take().expect("it is piped").write_all(recording.as_bytes());
    child.wait_with_output().expect("it ends")
}

fn is_clean<S: Stimulus<Model: Pair>>() {
    let config = setting("CONFIG").unwrap_or("small".into());
    let recording = record::<S>(&config, number("CYCLES", CYCLES), number("SEED", 1));
    let output = simulate(&rtl(), &recording);
    let log = String::from_utf8_lossy(&output.stdout);
    let errors: Vec<_> = log.lines().filter(|line| line.contains("ERROR")).collect();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {said}{}", output.status, errors.join("\n"));
}

macro_rules! tests {
    ($($family:ident::$block:ident;)*) => {
        $(
            #[test]
            fn $block() {
                is_clean::<stimulus::$family::$block::Inputs>();
            }
        )*
    };
}

duet_tests::for_each_block!(tests);

/// The register that says which buffer is the signature, without its reset.
#[test]
fn a_register_that_is_never_written_is_found() {
    const FILES: [&str; 3] = ["common", "race", "race/race_detection_unit"];
    const PART: &str = "race/race_detection_unit/race_detection_unit_signature.sv";
    let folder = env::temp_dir().join(format!("duet-four-state-{}", std::process::id()));
    for name in FILES {
        fs::create_dir_all(folder.join(name)).unwrap();
        let entries = fs::read_dir(rtl().join(name)).unwrap().map(Result::unwrap);
        for file in entries.filter(|file| file.path().is_file()) {
            fs::copy(file.path(), folder.join(name).join(file.file_name())).unwrap();
        }
    }
    let text = fs::read_to_string(rtl().join(PART)).unwrap();
    let without = text.replacen("      active_q      <= 1'b0;\n", "", 1);
    assert_ne!(text, without, "the reset is there");
    fs::write(folder.join(PART), without).unwrap();
    let recording = record::<stimulus::race::race_detection_unit::Inputs>("small", 300, 1);
    let output = simulate(&folder, &recording);
    fs::remove_dir_all(&folder).unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    for part in ["four_state: race_detection_unit: ", "_o[0] is x in cycle ", "the model shows"] {
        assert!(said.contains(part), "{said}");
    }
}
