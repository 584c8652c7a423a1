//! Strides over L2 banks, L3 slices and L1 sets, beside the hash of docs/machine.md, which is
//! computed here again.

use std::collections::BTreeMap;

use super::programs::{Chase, Program};
use super::row::Row;
use super::runner::{Outcome, Runner, Spec};
use super::{Control, Kind};

pub const CONTROLS: &[Control] = &[Control {
    name: "hash-strides",
    about: "loads at a stride use the L2 banks, L3 slices and L1 sets that the configured hash \
            gives",
    kind: Kind::SystemFile,
    rows,
}];

/// The hash of a round: a multiplication by the golden ratio x 2^64, of which the upper half is
/// left.
fn hash(round: u64) -> u64 {
    const GOLDEN: u128 = 0x9E37_79B9_7F4A_7C15;
    (u128::from(round) * GOLDEN) as u64 / (1 << 32)
}

/// The place of a number among places that take turns, without a hash or with it.
fn place(number: u64, places: u64, is_hashed: bool) -> u64 {
    let (round, turn) = (number / places, number % places);
    let hash = hash(round);
    let folded = hash ^ (hash / (1 << 16));
    match (is_hashed, places.is_power_of_two()) {
        (false, _) => turn,
        (true, true) => turn ^ (folded % places),
        (true, false) => (turn + folded) % places,
    }
}

/// The L2 bank of an address: banks take turns in all machines, from a hashed first one on.
fn bank(addr: u64, banks: u64, interleave: u64) -> u64 {
    let turn = addr / interleave;
    (turn + hash(turn / banks)) % banks
}

/// What each unit of a kind does, by number.
type Uses = BTreeMap<u64, u64>;

/// Answers of so many bytes that units have sent: those of one chiplet, where all pages lie.
fn answers(outcome: &Outcome, unit: &str, bytes: u64) -> Uses {
    let number = |name: &str| {
        let (_, number) = name.split_once(unit)?;
        number.strip_suffix(".answer")?.parse().ok()
    };
    let sent = outcome.ports.iter().filter_map(|(name, sent)| Some((number(name)?, sent / bytes)));
    sent.collect()
}

fn count(units: impl Iterator<Item = u64>) -> Uses {
    let mut uses = Uses::new();
    units.for_each(|unit| *uses.entry(unit).or_default() += 1);
    uses
}

fn of_units(row: Row, value: &Uses, right: &Uses) -> Row {
    let shown = |uses: &Uses| {
        let most = uses.values().max().copied().unwrap_or(0);
        format!("{} used, at most {most} times", uses.len())
    };
    row.same(shown(value), shown(right), value == right)
}

fn rows(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    let some = ["cpelide-4-small", "h100-small", "h100"];
    let all = ["cpelide-4-small", "cpelide-4", "rec-4gpu", "fermi-16sm", "h100-small", "h100"];
    for name in r.either(&some, &all) {
        for hash in ["none", "xor"] {
            let spec = Spec::placed(name).l2("none").with("l2.policy", "home-forward");
            let spec = spec.with("cu.loads", 1).set("machine.hash", hash);
            let s = spec.system();
            let turns = [
                u64::from(s.l2.banks) * u64::from(s.l2.interleave),
                u64::from(s.l3.slices) * u64::from(s.machine.line),
            ];
            let powers = (s.machine.line.ilog2()..=15).map(|log| 1 << log);
            let mut strides: Vec<u64> = powers.chain(turns).collect();
            strides.sort_unstable();
            strides.dedup();
            let strides = if r.quick() { turns.to_vec() } else { strides };
            for stride in strides {
                rows.extend(of_stride(r, &spec, stride as u32, hash == "xor"));
            }
            rows.push(of_sets(r, &spec, hash == "xor"));
        }
    }
    rows
}

fn of_stride(r: &mut Runner, spec: &Spec, stride: u32, is_hashed: bool) -> Vec<Row> {
    let s = spec.system();
    let (banks, slices) = (u64::from(s.l2.banks), u64::from(s.l3.slices));
    let loads = 8 * banks.max(slices) as u32;
    let program = Program::Chase(Chase::Stride { stride, loads, rounds: 1 });
    let first = r.facts(&program).base;
    let outcome = r.run(spec, &program);
    let addresses = (0..u64::from(loads)).map(|i| first + i * u64::from(stride));
    let (line, n) = (s.machine.line, &s.network);
    // A word is loaded: the L1 has its sector, the L2 one of its own, or the line.
    let bytes = |sector: u32| {
        let sector = if sector == 0 { line } else { sector };
        u64::from(n.header_bytes + sector.next_multiple_of(n.sector_bytes))
    };
    let l2_sector = s.l2.sector.max(s.l1.sector);
    let l2_sector = if s.l2.sector == 0 || s.l1.sector == 0 { 0 } else { l2_sector };
    let of_banks = count(addresses.clone().map(|at| bank(at, banks, s.l2.interleave.into())));
    let of_slices = count(addresses.map(|at| place(at / u64::from(line), slices, is_hashed)));
    let row = |case| Row::of(case, spec, &program);
    let own = answers(&outcome, "l2.bank", bytes(s.l1.sector));
    let mut rows = vec![of_units(row("L2 banks"), &own, &of_banks).needs([&*outcome])];
    let own = answers(&outcome, "l3.slice", bytes(l2_sector));
    rows.push(of_units(row("L3 slices"), &own, &of_slices).needs([&*outcome]));
    if u64::from(stride) == slices * u64::from(line) {
        let right = if is_hashed { slices } else { 1 };
        rows.push(
            row("L3 slices used at a stride of a round")
                .why("without a hash one; with it all")
                .equal(own.len() as f64, right as f64, 0.0)
                .needs([&*outcome]),
        );
    }
    rows
}

/// Two rounds over a line more than an L1 has ways, at a stride of its sets: without a hash no load
/// hits.
fn of_sets(r: &mut Runner, spec: &Spec, is_hashed: bool) -> Row {
    let s = spec.system();
    let (line, ways) = (s.machine.line, s.l1.ways);
    let sets = s.l1.bytes / line / ways;
    let (stride, loads) = (sets * line, ways + 1);
    let program = Program::Chase(Chase::Stride { stride, loads, rounds: 2 });
    let first = r.facts(&program).base / u64::from(line);
    let outcome = r.run(spec, &program);
    let lines = (0..u64::from(loads)).map(|i| first + i * u64::from(sets));
    let of_sets = count(lines.map(|number| place(number, sets.into(), is_hashed)));
    // A set that has to hold more lines than its ways, in turn, holds none long enough.
    let hits: u64 = of_sets.values().filter(|lines| **lines <= u64::from(ways)).sum();
    Row::of("L1 hits in the second of two rounds", spec, &program)
        .why("a line more than ways, at a stride of all sets")
        .equal(outcome.count("l1.hits"), hits as f64, 0.0)
        .needs([&*outcome])
}
