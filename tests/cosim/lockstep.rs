//! Model and RTL of every block in lockstep in every configuration, and proofs that the comparison
//! would find a difference.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use bodies::{Request, Variant};
use cosim::blocks;
use cosim::catalog::Pair;
use cosim::flip::Flip;
use cosim::report::Difference;
use cosim::runner::{Options, Outcome};
use cosim::stimulus::{self, Random, Statics, Stimulus};
use cosim::value::{full_name, is_shown};
use duet_tests::{Scratch, configs, has_rtl, model, parameters, rtl};
use hwmodel::{Block, Model};
use ports::{Leaf, Port, Ports, image_words};

const SEEDS: [u64; 2] = [1, 2];
const CYCLES: u64 = 300_000;
/// Least share of the busiest cycles of a channel, in per cent.
const BUSY: u64 = 20;
/// Channels that are never as busy: what the firmware sends and takes, releases, which each wait
/// for a whole queue, and errors that stimuli of legal inputs make rarely. An L2 bank has several
/// actions for each line that it asks for, and one for each set at a release.
const RARE: [(&str, &str); 13] = [
    ("remote_write_queue", "rel"),
    ("remote_write_queue", "cpl"),
    ("command_processor", "aql"),
    ("command_processor", "sig"),
    ("command_processor", "tx"),
    ("coherence_directory", "err"),
    ("cp_crossbar", "err"),
    ("timestamp_l1", "ask"),
    ("timestamp_l2", "dram_req"),
    ("timestamp_l2", "dram_rsp"),
    ("timestamp_l2", "sync"),
    ("timestamp_l2", "ask"),
    ("timestamp_l2", "err"),
];

fn options(cycles: u64, seed: u64) -> Options {
    Options { cycles, seed, ..Options::default() }
}

/// Runs one block in each of its configurations. Every row of the coverage must be reached in each,
/// and each channel must be busy for a while.
fn agree(name: &str) {
    if !has_rtl() {
        return;
    }
    for config in (blocks::find(name).expect("a block of this name").family.configs)() {
        let mut reached: BTreeMap<&str, u64> = BTreeMap::new();
        let mut busiest: BTreeMap<&str, u64> = BTreeMap::new();
        for seed in SEEDS {
            let outcome = run_block(name, &config, &options(CYCLES, seed));
            if let Some(mismatch) = outcome.mismatch {
                panic!("{mismatch}");
            }
            assert!(outcome.cycles >= CYCLES);
            for (row, count) in outcome.coverage.iter().chain(&outcome.transfers) {
                *reached.entry(row).or_default() += count;
            }
            for (channel, share) in &outcome.busiest {
                let most = busiest.entry(channel).or_default();
                *most = (*most).max(*share);
            }
        }
        let missed: Vec<_> = reached.iter().filter(|(_, count)| **count == 0).collect();
        assert!(missed.is_empty(), "{name}, {config}, seeds {SEEDS:?}: never reached: {missed:?}");
        busiest.retain(|&channel, share| *share < BUSY && !RARE.contains(&(name, channel)));
        assert!(busiest.is_empty(), "{name}, {config}: at most these shares: {busiest:?}");
        println!("{name}, {config}: {} rows reached", reached.len());
    }
}

fn run_block(name: &str, config: &str, options: &Options) -> Outcome {
    let block = blocks::find(name).expect("a block of this name");
    let (chosen, _) = block.family.apply(config, &[], &[]).expect("a configuration");
    (block.run)(&chosen, options).unwrap_or_else(|error| panic!("{error}"))
}

macro_rules! tests_of_blocks {
    ($($family:ident::$block:ident;)*) => {$(
        mod $block {
            use super::*;

            #[test]
            fn agrees_and_reaches_every_case() {
                agree(stringify!($block));
            }

            #[test]
            fn flipped_bit_of_any_output_is_found() {
                flips_are_found::<stimulus::$family::$block::Inputs>();
            }

            #[test]
            fn outputs_are_registered() {
                random_inputs_move_nothing::<stimulus::$family::$block::Inputs>();
            }

            #[test]
            fn rests_only_where_nothing_changes() {
                rests_only_where_nothing_changes_of::<stimulus::$family::$block::Inputs>();
            }
        }
    )*};
}

duet_tests::for_each_block!(tests_of_blocks);

/// RTL is left alone once the ports say that it rests: then nothing must change any more. In the
/// midst of traffic all valids become 0, all readies 1; what always has a value keeps it.
fn rests_only_where_nothing_changes_of<S>()
where
    S: Stimulus<Model: Pair>,
{
    // Some never do, as their clock goes on.
    let (mut rested, mut can_rest) = (0, false);
    for seed in 1..=80 {
        let c = S::Model::config(&parameters("small"));
        let mut model = model::<S::Model>("small");
        let mut stimulus = S::new(&c, &Statics::default(), seed);
        let mut random = Random::new(seed);
        for _ in 0..3000 + random.below(3000) {
            model.tick(&stimulus.inputs(&model.outputs()));
        }
        let last = stimulus.inputs(&model.outputs());
        let mut image = vec![0; image_words(&<S::Model as Block>::In::declare(&c))];
        last.store(&c, &mut image);
        for port in &S::Model::describe(&c).inputs {
            match port.name.as_str() {
                name if name.ends_with("_ready_i") => image[port.word] = u32::MAX,
                name if name.ends_with("_valid_i") || port.width == 1 => image[port.word] = 0,
                _ => {}
            }
        }
        let idle = <S::Model as Block>::In::load(&c, &image);
        let period = S::Model::period(&c) as usize;
        let mut ports = vec![Default::default(); period];
        let mut still = 0;
        for cycle in 0..400_000 {
            let out = model.tick(&idle);
            still = if ports[cycle % period] == out { still + 1 } else { 0 };
            ports[cycle % period] = out;
            can_rest |= S::Model::rests(&c, &out, u64::MAX);
            if S::Model::rests(&c, &out, still) {
                let state = |model: &S::Model| {
                    let mut line = String::new();
                    model.write_state(&mut line).map(|()| line)
                };
                // A model may leave open whether it waits.
                let (before, quiet) = (state(&model), model.quiet_cycles());
                for _ in 0..period {
                    model.tick(&idle);
                }
                let waits = quiet == u64::MAX || state(&model) == before;
                assert!(waits, "seed {seed}, {still} cycles: {before:?}");
                rested += 1;
                break;
            }
        }
    }
    // What waits for ever may count the cycles.
    assert!(rested > 10 || !can_rest, "only {rested} of 80 came to rest");
}

/// A block is a folder of a family in `rtl/`, with a top of the same name; the tests run each, and
/// each has registered itself.
#[test]
fn no_block_is_left_out() {
    let folders = |path: &Path| {
        let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.is_dir()).collect::<Vec<_>>()
    };
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_string();
    let (mut places, mut names) = (Vec::new(), Vec::new());
    for family in folders(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../rtl")) {
        for block in folders(&family) {
            if block.join(format!("{}.sv", name(&block))).exists() {
                places.push(format!("{}::{}", name(&family), name(&block)));
                names.push(name(&block));
            }
        }
    }
    places.sort();
    names.sort();
    let mut tested = duet_tests::for_each_block!(places).to_vec();
    tested.sort_unstable();
    assert_eq!(tested, places);
    let listed: Vec<_> = blocks::all().into_iter().map(|block| block.name).collect();
    assert_eq!(listed, names);
}

macro_rules! places {
    ($($family:ident::$block:ident;)*) => {
        [$(concat!(stringify!($family), "::", stringify!($block))),*]
    };
}
use places;

#[test]
fn same_seed_gives_the_same_outcome_and_another_seed_another() {
    if !has_rtl() {
        return;
    }
    // Some episodes.
    let cycles = 50_000;
    for block in blocks::all() {
        let run = |seed| run_block(block.name, "small", &options(cycles, seed));
        assert!(run(3) == run(3), "{}", block.name);
        assert!(run(3) != run(4), "{}", block.name);
    }
}

/// The first cycle from `from` on in which the model shows `port`.
fn first_shown<S>(config: &str, seed: u64, port: &Port, from: u64) -> Option<u64>
where
    S: Stimulus<Model: Pair>,
{
    let c = S::Model::config(&parameters(config));
    let mut model = model::<S::Model>(config);
    let mut stimulus = S::new(&c, &Statics::default(), seed);
    let ports = S::Model::describe(&c).outputs;
    let mut image = vec![0; image_words(&ports)];
    (0..1 << 16).find(|&cycle| {
        let out = model.tick(&stimulus.inputs(&model.outputs()));
        out.store(&c, &mut image);
        cycle >= from && is_shown(&ports, port, &image)
    })
}

/// Inverts one bit; checks that the report names the cycle, the field and the bit, and nothing
/// else.
fn flip_is_found<S>(config: &str, port: &Port, leaf: &Leaf, bit: u32)
where
    S: Stimulus<Model: Pair>,
{
    const FROM: u64 = 777;
    let field = port.name.strip_suffix("_o").expect("an output").to_string();
    let flip = Flip { field, bit: leaf.lsb + bit, cycle: FROM };
    let name = format!("{config}: {flip:?}");
    // Seeds are added until the port is shown.
    let shown = |seed| first_shown::<S>(config, seed, port, FROM).map(|due| (seed, due));
    let (seed, due) = (6..=20).find_map(shown).expect("the port is shown at some time");
    let run = Options { flip: Some(flip), one_episode: true, ..options(due + 100, seed) };
    let outcome = run_block(S::Model::NAME, config, &run);
    let found = outcome.mismatch.unwrap_or_else(|| panic!("{name} is not found"));
    assert_eq!(found.cycle, due, "{name}");
    assert_eq!(outcome.cycles, due + 1, "{name}: cycles that were compared");
    let [Difference { field, model, rtl }] = &found.differences[..] else {
        panic!("{name}: {:?}", found.differences);
    };
    assert_eq!(*field, full_name(port, leaf), "{name}");
    assert_eq!(model.differing_bits(rtl), [bit], "{name}");
    assert_eq!(found.assertions, "", "{name}");
}

/// Inverts the lowest and the highest bit of every field of every output port.
fn flips_are_found<S>()
where
    S: Stimulus<Model: Pair>,
{
    if !has_rtl() {
        return;
    }
    for config in configs::<<S::Model as Pair>::Family>() {
        let c = S::Model::config(&parameters(&config));
        let stimulus = S::new(&c, &Statics::default(), 1);
        let outputs = S::Model::describe(&c).outputs;
        // Not the payload of a channel on which nothing can come.
        let channel = |port: &Port| port.valid.map_or("", |_| port.field);
        for port in outputs.iter().filter(|port| stimulus.can_reach(channel(port))) {
            for leaf in &port.leaves {
                flip_is_found::<S>(&config, port, leaf, 0);
                if leaf.width > 1 {
                    flip_is_found::<S>(&config, port, leaf, leaf.width - 1);
                }
            }
        }
    }
}

/// Evaluations in a cycle of a block. Ibex gates its clock.
fn evaluations_of(block: &str) -> u32 {
    1 + u32::from(block == "command_processor")
}

/// Random bits on all inputs, without a clock edge, never move the outputs; and a cycle of one
/// evaluation shows the same as one whose inputs were evaluated before the edge.
fn random_inputs_move_nothing<S>()
where
    S: Stimulus<Model: Pair>,
{
    if !has_rtl() {
        return;
    }
    for config in configs::<<S::Model as Pair>::Family>() {
        let c = S::Model::config(&parameters(&config));
        let request = Request::new(S::Model::describe(&c), Variant::default());
        let evaluations = bodies::body(&request).expect("it is built").evaluations();
        assert_eq!(evaluations, evaluations_of(S::Model::NAME), "{config}");
        // Without a policy it is not queried.
        let mut statics = Statics::default();
        let policy = S::STATICS.iter().find(|(name, _)| *name == "policy");
        policy.into_iter().for_each(|(name, most)| statics.fix(name, *most));
        let mut random = Random::new(12);
        let words = image_words(&<<S::Model as Block>::In as Ports>::declare(&c));
        let mut transfers: BTreeMap<&str, u64> = BTreeMap::new();
        // Seeds are added until each channel was used.
        for seed in 11..=20 {
            let mut body = rtl::<S::Model>(&config);
            // Evaluated once in most cycles, and not with other inputs before.
            let mut once = rtl::<S::Model>(&config);
            let mut stimulus = S::new(&c, &statics, seed);
            for cycle in 0..20_000 {
                let out = body.outputs();
                for _ in 0..3 {
                    let image: Vec<u32> = (0..words).map(|_| random.word() as u32).collect();
                    let inputs = Ports::load(&c, &image);
                    assert_eq!(body.settle(&inputs), out, "{config}, cycle {cycle}: {inputs:?}");
                }
                let inputs = stimulus.inputs(&out);
                body.settle(&inputs);
                assert_eq!(body.tick(&inputs), out, "{config}, cycle {cycle}");
                assert_eq!(once.tick(&inputs), out, "{config}, cycle {cycle}: one evaluation");
            }
            assert!(!body.failed(), "{config}: {}", body.messages());
            assert!(!once.failed(), "{config}: {}", once.messages());
            for (channel, count) in stimulus.transfers() {
                *transfers.entry(channel).or_default() += count;
            }
            if transfers.values().all(|count| *count > 0) {
                break;
            }
        }
        assert!(transfers.values().all(|count| *count > 0), "{config}: {transfers:?}");
    }
}

#[test]
fn flip_writes_a_waveform_window_around_its_cycle() {
    if !has_rtl() {
        return;
    }
    let scratch = Scratch::new("flip_window");
    for (block, field) in
        [("remote_write_queue", "evt"), ("packetizer", "tlp_valid"), ("depacketizer", "tlp_ready")]
    {
        let path = scratch.path().join(block).join("window.vcd");
        let flip = Flip { field: field.into(), bit: 0, cycle: 1234 };
        let run =
            Options { flip: Some(flip), mismatch_wave: Some(path.clone()), ..options(2000, 1) };
        let outcome = run_block(block, "small", &run);
        let found = outcome.mismatch.expect("the flip is found");
        assert_eq!(found.waves.as_ref(), Some(&path));
        let (times, differ) = differences_in_vcd(&path);
        // 32 cycles before, the cycle, 4 after: one time stamp for each clock level.
        assert_eq!(times.first(), Some(&(10 * (1234 - 32))));
        assert!(times.contains(&12340) && times.contains(&(12340 + 45)));
        assert_eq!(differ.first(), Some(&12340), "{block}: the first 1 in scope diff");
        assert!(path.with_extension("gtkw").exists());
    }
}

/// Time stamps of a waveform, and those at which a variable below `diff` becomes other than 0.
fn differences_in_vcd(path: &std::path::Path) -> (Vec<u64>, Vec<u64>) {
    use vcd::{Command, Parser, ScopeItem, Value};
    let file = std::fs::File::open(path).unwrap();
    let mut parser = Parser::new(std::io::BufReader::new(file));
    let header = parser.parse_header().unwrap();
    fn ids(items: &[ScopeItem], into: &mut Vec<vcd::IdCode>) {
        for item in items {
            match item {
                ScopeItem::Var(var) => into.push(var.code),
                ScopeItem::Scope(scope) => ids(&scope.items, into),
                _ => {}
            }
        }
    }
    let mut diff = Vec::new();
    ids(&header.find_scope(&["diff"]).expect("scope diff").items, &mut diff);
    let (mut times, mut differ) = (Vec::new(), Vec::new());
    for command in parser {
        let mut change = |id, set: bool| {
            if set && diff.contains(&id) {
                differ.extend(times.last());
            }
        };
        match command.unwrap() {
            Command::Timestamp(time) => times.push(time),
            Command::ChangeScalar(id, value) => change(id, value == Value::V1),
            Command::ChangeVector(id, value) => change(id, value.iter().any(|v| v == Value::V1)),
            _ => {}
        }
    }
    (times, differ)
}
