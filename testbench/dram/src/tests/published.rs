//! Cycles that users of other simulators report.

use super::*;

/// Issue 109 of `CMU-SAFARI/ramulator`: 9000 reads of `DDR3_1600H`, `DDR3_4Gb_x16`, each 8 bytes
/// after the one before, take 37 159 cycles. The preset's values are those of its `src/DDR3.h` and
/// `.cpp`.
#[test]
fn reads_of_words_take_as_long_as_in_ramulator() {
    let gddr5 = Parameters::named("GDDR5").unwrap();
    let organization = Organization {
        groups: 1,
        banks: 8,
        rows: 32768,
        columns: 128,
        access_bytes: 64,
        ..gddr5.organization
    };
    let columns = Timing { cl: 9, cwl: 8, bl: 4, ccd_s: 4, ccd_l: 4, ccd_r: 6, ..gddr5.timing };
    let turns = Timing { rtw: 7, wtr_s: 6, wtr_l: 6, rtp: 6, wr: 12, ..columns };
    let rows = Timing { rcd_rd: 9, rcd_wr: 9, rp: 9, ras: 28, rc: 37, rrd_s: 6, rrd_l: 6, ..turns };
    // 260 ns.
    let timing = Timing { clock_khz: 800_000, faw: 32, refi: 6240, rfc: 208, rfc_pb: 208, ..rows };
    let p = Parameters { organization, timing };
    let policy = Policy { read_queue: 32, refresh: Refresh::AllBank, ..Policy::GPU };
    let mut bench = Bench::new(p, policy, "row:bank:column");
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
