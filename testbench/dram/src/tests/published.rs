//! Against published figures of other simulators.
//!
//! Kim et al., "Ramulator: A Fast and Extensible DRAM Simulator", IEEE CAL 2015, table 3: cycles of
//! 100 million requests in saturation mode, nine reads to a write, of five simulators. The set-up is
//! `README.md` and `test_ddr3.py` of `CMU-SAFARI/ramulator`. The papers of Ramulator 2 and DRAMsim3
//! have no such figures of HBM or GDDR; reports of users are the other source.

use super::*;

const POLICY: Policy = Policy {
    read_queue: 32,
    write_queue: 32,
    write_high: 28,
    write_low: 16,
    age_cap: 1 << 20,
    page: Page::Open,
    refresh: Refresh::AllBank,
};

const REQUESTS: u64 = 200_000;

/// Runs requests, and compares cycles a request with the figures of Ramulator, DRAMSim2, USIMM,
/// DrSim and NVMain: no more than 1 % below the least or above the greatest.
fn compare(requests: impl Iterator<Item = Request>, figures: [f64; 5]) {
    let mut bench = Bench::new(Parameters::named("DDR3").unwrap(), POLICY, "row:bank:column");
    bench.saturate(requests);
    let each = bench.done.iter().map(|done| done.1).max().unwrap() as f64 / REQUESTS as f64;
    let [least, most] = [f64::min, f64::max].map(|of| figures.into_iter().reduce(of).unwrap());
    assert!((least * 0.99..most * 1.01).contains(&each), "{each}");
}

#[test]
fn a_stream_takes_as_long_as_in_five_simulators() {
    let kind = |at| if at < REQUESTS / 10 * 9 { read(at, at * 64) } else { write(at, at * 64) };
    compare((0..REQUESTS).map(kind), [4.11, 4.13, 4.09, 4.06, 4.13]);
}

#[test]
fn random_requests_take_as_long_as_in_five_simulators() {
    let requests = noise(4).take(REQUESTS as usize).zip(0..).map(|(at, id)| {
        let kind = if at >> 40 & 1023 < 922 { read } else { write };
        kind(id, at & 0x7fff_ffc0)
    });
    compare(requests, [6.52, 6.45, 6.61, 6.47, 6.66]);
}

/// Issue 109 of `CMU-SAFARI/ramulator`: 9000 reads of `DDR3_1600H`, `DDR3_4Gb_x16`, each 8 bytes
/// after the one before, take 37 159 cycles.
#[test]
fn reads_of_words_take_as_long_as_in_ramulator() {
    let mut p = Parameters::named("DDR3").unwrap();
    let rows = Timing { rcd_rd: 9, rcd_wr: 9, rp: 9, rc: 37, rrd_s: 6, rrd_l: 6, ..p.timing };
    p.timing = Timing { cl: 9, rtw: 7, faw: 32, rfc: 208, ..rows };
    let mut bench = Bench::new(p, POLICY, "row:bank:column");
    bench.saturate((0..9000).map(|id| read(id, id * 8)));
    let cycles = bench.done.iter().map(|done| done.1).max().unwrap();
    assert!(cycles.abs_diff(37_159) <= 1, "{cycles}");
}

/// Issue 104 of `CMU-SAFARI/ramulator2`: 32 768 reads on 8 channels of its preset `HBM2_2Gbps`,
/// 91 % of them row hits, take 8370 cycles. The preset's tRC of 19 contradicts tRAS + tRP and is 24
/// here.
#[test]
fn row_hits_take_as_long_as_in_ramulator_2() {
    let mut p = Parameters::named("HBM2").unwrap();
    let columns = Timing { cl: 7, cwl: 2, bl: 4, ccd_s: 4, ccd_l: 4, ccd_r: 5, rtp: 2, ..p.timing };
    let rows = Timing { rcd_rd: 7, rp: 7, ras: 17, rc: 24, rrd_s: 2, rrd_l: 3, ..columns };
    p.timing = rows;
    let mut bench = Bench::new(p, PLAIN, "row:bank:group:column:pseudo");
    // 4096 a channel; 11 columns of a row in turn.
    let reads = (0..4096).map(|id| read(id, (id / 22 * 64 + id % 22) * 32));
    bench.saturate(reads);
    let cycles = bench.done.iter().map(|done| done.1).max().unwrap() as f64;
    assert!((8370.0 * 0.97..8370.0).contains(&cycles), "{cycles}");
}
