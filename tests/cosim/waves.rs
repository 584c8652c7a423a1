//! What is inside both bodies: registers of one name have one value in every cycle, and waveforms
//! hold what is there, whatever their format.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use bodies::Variant;
use cosim::blocks;
use cosim::catalog::Pair;
use cosim::flip::Flip;
use cosim::lockstep::Lockstep;
use cosim::registers::model_name;
use cosim::report::RunName;
use cosim::runner::Options;
use cosim::stimulus::{self, Statics, Stimulus};
use cosim::value::Value;
use cosim::wave::Internals;
use cosim::{Rtl, RtlOptions};
use duet_tests::{Scratch, configs, has_rtl_of, model, parameters};
use hwmodel::Block;

/// Cycles in which the registers of a block are compared.
const CYCLES: u64 = 4000;

/// Bits of a value as characters, highest first.
fn bits(value: &Value) -> Vec<u8> {
    (0..value.width).rev().map(|i| if value.bit(i) { b'1' } else { b'0' }).collect()
}

/// Runs a block in lockstep in its first two configurations, and compares the model's registers
/// with the RTL's of the same names. A third of them at least must have one, and most of these
/// another value than 0 at some time.
fn registers_agree<S>()
where
    S: Stimulus<Model: Pair>,
{
    if !has_rtl_of::<S::Model>() {
        return;
    }
    for config in configs::<<S::Model as Pair>::Family>().iter().filter(|c| *c == "small") {
        let c = S::Model::config(&parameters(config));
        let options = RtlOptions { variant: Variant::traced(), registers: 77 };
        let rtl = Rtl::<S::Model>::with(&c, &options).unwrap();
        let model = model::<S::Model>(config);
        let mut pair = Lockstep::new(RunName::default(), &c, model, rtl, 0);
        let inside = pair.look_inside();
        pair.start_tracing();
        let mut internals = Internals::new(inside.trace.as_deref().expect("a body for traces"));
        let registers = internals.variables.iter().filter(|v| inside.of_rtl.has(&v.path()));
        let of_rtl: BTreeMap<_, _> = registers.map(|v| (model_name(&v.path()), v.signal)).collect();
        let shared: Vec<_> = inside
            .registers
            .iter()
            .enumerate()
            .filter_map(|(at, (name, width))| Some((at, name, *width, *of_rtl.get(name)?)))
            .collect();
        let mut moved = BTreeSet::new();
        let mut stimulus = S::new(&c, &Statics::default(), 5);
        for cycle in 0..CYCLES {
            let inputs = stimulus.inputs(&pair.outputs());
            pair.tick(&inputs);
            assert!(pair.mismatch().is_none());
            let now = pair.last_cycle().expect("it is traced");
            internals.take(&now.trace);
            for &(at, name, width, signal) in &shared {
                let Some(value) = &now.registers[at] else { continue };
                let (model, rtl) = (bits(value), internals.bits(signal));
                assert_eq!(model.len(), width as usize, "{name}");
                assert!(
                    model == rtl,
                    "{}, cycle {cycle}: {name}: model {}, rtl {}",
                    <S::Model as hwmodel::Model>::NAME,
                    String::from_utf8_lossy(&model),
                    String::from_utf8_lossy(&rtl)
                );
                if model.contains(&b'1') {
                    moved.insert(name.as_str());
                }
            }
        }
        let (all, both) = (inside.registers.len(), shared.len());
        println!("{config}: {all} shown, {both} shared, {} moved: {moved:?}", moved.len());
        assert!(3 * both >= all && 2 * moved.len() > both, "{config}: {both} of {all} shared");
    }
}

macro_rules! registers_of {
    ($($family:ident::$block:ident;)*) => {
        $(
            #[test]
            fn $block() {
                registers_agree::<stimulus::$family::$block::Inputs>();
            }
        )*
    };
}

/// Registers that both bodies have under one name hold the same.
mod registers_of_one_name_agree {
    use super::*;

    duet_tests::for_each_block!(registers_of);
}

/// Changes of each variable by its dotted name: times, and bits as characters.
type Changes = BTreeMap<String, Vec<(u64, String)>>;

/// Adds a change unless the variable has these bits already.
fn change(all: &mut Vec<(u64, String)>, time: u64, bits: String) {
    if all.last().is_none_or(|(_, last)| *last != bits) {
        all.push((time, bits));
    }
}

fn read_vcd(path: &Path) -> Changes {
    let mut parser = vcd::Parser::new(BufReader::new(File::open(path).unwrap()));
    let header = parser.parse_header().unwrap();
    let mut names: BTreeMap<vcd::IdCode, Vec<String>> = BTreeMap::new();
    fn walk(items: &[vcd::ScopeItem], path: &str, names: &mut BTreeMap<vcd::IdCode, Vec<String>>) {
        for item in items {
            match item {
                vcd::ScopeItem::Var(var) => {
                    names.entry(var.code).or_default().push(format!("{path}{}", var.reference));
                }
                vcd::ScopeItem::Scope(scope) => {
                    walk(&scope.items, &format!("{path}{}.", scope.identifier), names);
                }
                _ => {}
            }
        }
    }
    walk(&header.items, "", &mut names);
    let mut changes = Changes::new();
    let mut now = 0;
    for command in parser {
        let (id, bits) = match command.unwrap() {
            vcd::Command::Timestamp(time) => {
                now = time;
                continue;
            }
            vcd::Command::ChangeScalar(id, bit) => (id, bit.to_string()),
            vcd::Command::ChangeVector(id, bits) => {
                (id, bits.iter().map(|bit| bit.to_string()).collect())
            }
            _ => continue,
        };
        for name in &names[&id] {
            change(changes.entry(name.clone()).or_default(), now, bits.clone());
        }
    }
    changes
}

fn read_fst(path: &Path) -> Changes {
    use fst_reader::{FstFilter, FstHierarchyEntry, FstReader, FstSignalValue};
    let mut reader = FstReader::open(BufReader::new(File::open(path).unwrap())).unwrap();
    assert_eq!(reader.get_header().timescale_exponent, -9);
    let mut scopes: Vec<String> = Vec::new();
    let mut names: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    reader
        .read_hierarchy(|entry| match entry {
            FstHierarchyEntry::Scope { name, .. } => scopes.push(name),
            FstHierarchyEntry::UpScope => drop(scopes.pop()),
            FstHierarchyEntry::Var { name, handle, .. } => {
                let path: String = scopes.iter().map(|scope| format!("{scope}.")).collect();
                names.entry(handle.get_index()).or_default().push(path + &name);
            }
            _ => {}
        })
        .unwrap();
    let mut changes = Changes::new();
    let take = |time, handle: fst_reader::FstSignalHandle, value: FstSignalValue| {
        let FstSignalValue::String(bits) = value else { panic!("a real number") };
        let bits = String::from_utf8_lossy(bits).into_owned();
        for name in &names[&handle.get_index()] {
            change(changes.entry(name.clone()).or_default(), time, bits.clone());
        }
        Ok::<(), std::io::Error>(())
    };
    reader.read_signals(&FstFilter::all(), take).unwrap();
    changes
}

fn run_block(block: &str, run: &Options) -> cosim::runner::Outcome {
    let block = blocks::find(block).expect("a block of this name");
    let (chosen, _) = block.family.apply("small", &[], &[]).expect("a configuration");
    (block.run)(&chosen, run).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn waveforms_hold_registers_in_both_formats() {
    if !has_rtl_of::<hwmodel::finepack::remote_write_queue::RemoteWriteQueue>() {
        return;
    }
    let scratch = Scratch::new("waves_inside");
    let write = |name: &str| {
        let path = scratch.path().join(name);
        let run = Options {
            cycles: 3000,
            seed: 3,
            wave: Some(path.clone()),
            inside: true,
            ..Options::default()
        };
        assert!(run_block("remote_write_queue", &run).mismatch.is_none());
        path
    };
    let text = read_vcd(&write("a.vcd"));
    let of = |name: &str| text.get(name).unwrap_or_else(|| panic!("no {name}"));
    // A register that is an output port, from the trace and from the image.
    for (register, port) in [
        ("u_release.done_q", "rel_done_o"),
        ("u_release.err_valid_q", "err_valid_o"),
        ("u_drain.beat_q.valid", "drain_valid_o"),
    ] {
        let (register, port) = (
            of(&format!("rtl.remote_write_queue.{register}")),
            of(&format!("rtl.remote_write_queue.{port}")),
        );
        assert!(register.len() > 20 && register == port);
    }
    // A FIFO's count in the RTL and in the model.
    let counts = [
        "rtl.remote_write_queue.u_input.u_fifo.count_q",
        "model.remote_write_queue.state.input.fifo.count",
    ];
    assert!(of(counts[0]).len() > 100 && of(counts[0]) == of(counts[1]));
    // The block's clock is that of the file.
    assert!(of("clk_i") == of("rtl.remote_write_queue.u_input.clk_i"));
    let fst = read_fst(&write("a.fst"));
    let names = |all: &Changes| all.keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(names(&text), names(&fst));
    for (name, changes) in &text {
        assert!(fst[name] == *changes, "{name}");
    }
}

/// Where bodies differ the report has both bodies' registers in that cycle, and the window its
/// insides.
#[test]
fn report_of_a_difference_has_the_registers_of_both_bodies() {
    if !has_rtl_of::<hwmodel::finepack::packetizer::Packetizer>() {
        return;
    }
    let scratch = Scratch::new("waves_report");
    let path = scratch.path().join("window.vcd");
    let flip = Flip { field: "drain_ready".into(), bit: 0, cycle: 700 };
    let run = Options {
        cycles: 2000,
        seed: 1,
        flip: Some(flip),
        mismatch_wave: Some(path.clone()),
        inspect: true,
        ..Options::default()
    };
    let found = run_block("packetizer", &run).mismatch.expect("a flipped bit");
    let inside = found.inside.as_ref().expect("a second run");
    // A flip is behind the registers: they do not differ.
    assert_eq!(inside.differing(), []);
    let waves = read_vcd(&path);
    let at = |name: &str| {
        let changes = waves.get(name).unwrap_or_else(|| panic!("no {name}"));
        let (_, bits) = changes.iter().rfind(|(time, _)| *time <= 7000).expect("a value");
        u64::from_str_radix(bits, 2).unwrap()
    };
    let acc = at("rtl.packetizer.u_accumulator.acc_q");
    assert_eq!(acc, at("model.packetizer.state.accumulator.acc"));
    assert!(acc > 0, "another cycle would show more");
    let text = found.to_string();
    for expected in
        [format!("u_accumulator.acc_q=0x{acc:02x}"), format!(" accumulator.acc=0x{acc:02x}")]
    {
        assert!(text.contains(&expected), "{expected}: {text}");
    }
}
