//! The rate of accesses of which each opens a row of DRAM, beside what the timing parameters allow.

use dram::Parameters;

use super::programs::{Program, Rows};
use super::rates::eager;
use super::row::Row;
use super::runner::{Runner, Spec};
use super::{Control, Kind};

pub const CONTROLS: &[Control] = &[Control {
    name: "rate-dram-rows",
    about: "CUs load a word of each row once, in one bank of each channel or in all: the time of a \
            row is the one that the DRAM timing parameters allow",
    kind: Kind::SystemFile,
    rows,
}];

/// Banks above rows, so that all rows lie in one bank; and rows above banks, which take turns.
const ONE_BANK: &str = "bank:group:rank:pseudo:channel:row:column";
const ALL_BANKS: &str = "row:bank:group:rank:pseudo:channel:column";

/// Command cycles of a row in one bank: from activate to activate.
fn of_bank(p: &Parameters, bursts: u32) -> f64 {
    let t = &p.timing;
    let open = t.ras.max(t.rcd_rd + (bursts - 1) * t.ccd_l + t.rtp);
    t.rc.max(open + t.rp).into()
}

/// Command cycles of a row of a channel, where all banks take turns: what its scarcest part needs.
fn of_channel(p: &Parameters, bursts: u32) -> (f64, &'static str) {
    let (o, t) = (&p.organization, &p.timing);
    let [ranks, pseudo] = [o.all_ranks(), o.pseudo_channels].map(f64::from);
    let [faw, rrd, bursts] = [t.faw, t.rrd_s, bursts].map(f64::from);
    // An activate and a precharge.
    let row_bus = f64::from(t.act_cycles) + 1.0;
    let buses = match o.dual_bus {
        true => [(row_bus, "the row bus"), (bursts, "the column bus")],
        false => [(row_bus + bursts, "the command bus"); 2],
    };
    let banks = ranks * f64::from(o.rank_banks());
    let parts = [
        (of_bank(p, bursts as u32) / banks, "tRC of all banks"),
        (rrd / ranks, "tRRD"),
        (faw / 4.0 / ranks, "tFAW"),
        (bursts * f64::from(t.ccd_s) / pseudo, "the data buses"),
        buses[0],
        buses[1],
    ];
    parts.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).expect("parts")
}

/// What whole cycles and the ends of a run shift.
const SHIFT: f64 = 0.002;

fn rows(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    let some = [("h100-small", "")];
    let all = [
        ("h100-small", ""),
        ("h100", ""),
        ("h200-small", ""),
        ("h100-small", "HBM2"),
        ("h100-small", "HBM2E"),
        ("h100-small", "GDDR5"),
        ("h100-small", "GDDR6"),
    ];
    for (name, set) in r.either(&some, &all) {
        let spec = Spec::placed(name).l2("none").with("l2.policy", "home-forward");
        let spec = eager(&spec).with("l2.misses", 1024).with("machine.hash", "none");
        let spec = if set.is_empty() { spec } else { spec.set("dram.set", set) };
        for refresh in ["off", "per-bank"] {
            let spec = spec.clone().set("dram.refresh", refresh);
            rows.push(one_bank(r, &spec, refresh == "off"));
            rows.push(all_banks(r, &spec, if refresh == "off" { LONG } else { RANDOM }));
        }
        if spec.system().l3.slices == 1 {
            rows.push(all_banks(r, &spec.set("dram.refresh", "off"), IN_TURN));
        }
    }
    rows
}

/// Command cycles of a row, as measured: what twice as many rows take longer.
fn each(r: &mut Runner, spec: &Spec, rows: u32, shuffled: bool) -> (f64, Parameters, u32, Row) {
    let s = spec.system();
    let p = s.dram().expect("it has DRAM");
    let row_bytes = p.organization.columns * p.organization.access_bytes;
    let (chiplets, line, slices) = (spec.chiplets(), s.machine.line, s.l3.slices.into());
    let of = |rows| Program::Rows(Rows { chiplets, line, slices, row_bytes, rows, shuffled });
    let (one, two) = (r.run(spec, &of(rows)), r.run(spec, &of(2 * rows)));
    let cycles = two.last_cycles() - one.last_cycles();
    let clocks = f64::from(p.timing.clock_khz) / 1000.0 / f64::from(s.machine.clock_mhz);
    let row = Row::of("command cycles of a row", spec, &of(rows));
    let granule = s.memory.granule.max(s.l2.sector);
    let bursts = granule / p.organization.access_bytes;
    (cycles * clocks / f64::from(rows), p, bursts, row)
}

fn one_bank(r: &mut Runner, spec: &Spec, is_quiet: bool) -> Row {
    const ROWS: u32 = 1024;
    let spec = spec.clone().with("dram.mapping", ONE_BANK);
    let (value, p, bursts, row) = each(r, &spec, ROWS, true);
    let each = of_bank(&p, bursts);
    let row = row.designs("one bank");
    if is_quiet {
        return row.why("tRC, or a read and a precharge").equal(value, each, SHIFT);
    }
    // Each refresh takes the bank from the end of a row on, or from as late as one takes.
    let (rows, t) = (f64::from(ROWS), &p.timing);
    let [refresh, interval] = [t.rfc_pb, t.refi].map(f64::from);
    let time = |lost: f64| rows * each / (1.0 - lost / interval);
    let [least, most] = [refresh, refresh + each].map(|lost| time(lost) / interval);
    let low = each * (1.0 - SHIFT) + least.floor() * refresh / rows;
    let high = each * (1.0 + SHIFT) + (most.ceil() + 1.0) * (refresh + each) / rows;
    row.why("tRC, and tRFCpb every tREFI").between(value, low, high)
}

/// Whether the order of rows is random, their number, and how much of the rate they must reach. Of
/// rows in random banks the queue of a controller does not always have one whose bank is idle. With
/// more than one slice those of a slice do not come in turn.
type Order = (bool, u32, f64);
const RANDOM: Order = (true, 2048, 0.8);
/// So many that the ends of a run, where the queue is not full, are short.
const LONG: Order = (true, 8192, 0.8);
const IN_TURN: Order = (false, 2048, 0.95);

fn all_banks(r: &mut Runner, spec: &Spec, (shuffled, rows, reached): Order) -> Row {
    let spec = spec.clone().with("dram.mapping", ALL_BANKS);
    let (value, p, bursts, row) = each(r, &spec, rows, shuffled);
    let (least, why) = of_channel(&p, bursts);
    let row = row.designs(if shuffled { "all banks, random" } else { "all banks, in turn" });
    row.why(why).between(value, least * (1.0 - SHIFT), least / reached)
}
