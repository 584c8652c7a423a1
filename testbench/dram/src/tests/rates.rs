//! Rates under load, against the bounds that the parameters give.

use super::*;

/// Least cycles a request if each needs a row of its own and banks rotate.
fn bound(p: &Parameters) -> f64 {
    let (o, t) = (&p.organization, &p.timing);
    let (ranks, banks) = (f64::from(o.all_ranks()), f64::from(o.all_ranks() * o.rank_banks()));
    let of_rank = f64::from(t.rrd_s).max(f64::from(t.faw) / 4.0) / ranks;
    let bus = f64::from(t.act_cycles + 1 + u32::from(!p.organization.dual_bus));
    let data = f64::from(t.ccd_s) / f64::from(o.pseudo_channels);
    [f64::from(t.rc) / banks, of_rank, bus, data].into_iter().fold(0.0, f64::max)
}

fn assert_near(measured: f64, expected: f64, tolerance: f64, what: &str) {
    let off = measured / expected - 1.0;
    assert!(off.abs() <= tolerance, "{what}: {measured}, expected {expected}");
}

#[test]
fn an_h100_has_3_35_terabytes_per_second() {
    let peak = |name, channels| Parameters::named(name).unwrap().peak() * channels;
    // 5 stacks of 16 channels: 5120 bits, 2 * 2619 MHz.
    assert_eq!(peak("HBM3", 80), 5120 / 8 * 2 * 2_619_000_000);
    // A100: 5120 bits, 2 * 1512 MHz.
    assert_eq!(peak("HBM2E", 40), 5120 / 8 * 2 * 1_512_000_000);
    // A stack of 1024 bits of 2 Gb/s; 32 bits of 7 Gb/s; 16 bits of 14 Gb/s.
    assert_eq!(peak("HBM2", 8), 256_000_000_000);
    assert_eq!(peak("GDDR5", 1), 28_000_000_000);
    assert_eq!(peak("GDDR6", 1), 28_000_000_000);
    assert_eq!(Parameters::named("HBM3").unwrap().organization.bytes() * 80, 80 << 30);
    assert_eq!(Parameters::named("HBM2E").unwrap().organization.bytes() * 40, 80 << 30);
}

#[test]
fn a_stream_of_row_hits_reaches_the_peak() {
    for (name, p) in SETS {
        for kind in [read, write] {
            let mut bench = Bench::new(p, PLAIN, STREAM);
            bench.stream(20_000, kind);
            let (o, t) = (&p.organization, &p.timing);
            let peak = f64::from(t.bl) / f64::from(o.pseudo_channels);
            // Only after the columns of a bank in each group, the stream goes to the other rank.
            let gap = if o.ranks > 1 { t.ccd_r - t.bl } else { 0 };
            let gaps = f64::from(gap) / f64::from(t.bl * o.columns * o.groups);
            assert_near(bench.cycles_each(), peak * (1.0 + gaps), 0.0002, name);
        }
    }
}

#[test]
fn all_bank_refresh_takes_its_fraction_of_a_stream() {
    for (name, p) in SETS.into_iter().filter(|(_, p)| p.organization.ranks == 1) {
        let t = p.timing;
        // One pseudo-channel, so that the other's refreshes take nothing.
        let policy = Policy { refresh: Refresh::AllBank, ..PLAIN };
        let mut bench = Bench::new(p, policy, "pseudo:row:bank:column:group");
        bench.stream(100_000, read);
        let peak = f64::from(t.bl);
        let refi = f64::from(t.refi);
        let lost = 1.0 - peak / bench.cycles_each();
        // Around a refresh, the rank is precharged and a row activated again.
        let least = f64::from(t.rfc) / refi;
        let most = f64::from(t.rfc + t.ras + t.rp + t.rcd_rd) / refi;
        assert!((least..most).contains(&lost), "{}: {lost} of {least} to {most}", name);
    }
}

#[test]
fn one_bank_streams_at_ccd_l() {
    for (name, p) in SETS {
        let mut bench = Bench::new(p, PLAIN, IN_BANK);
        let columns = u64::from(p.organization.columns);
        bench.stream(columns, read);
        assert_near(bench.cycles_each(), p.timing.ccd_l.into(), 0.0, name);
    }
}

#[test]
fn ranks_alternate_at_ccd_r() {
    let p = Parameters::named("HBM3").unwrap();
    // One entry, so that FR-FCFS does not serve a rank's hits first.
    let policy = Policy { read_queue: 1, ..PLAIN };
    let mut bench = Bench::new(p, policy, "row:pseudo:bank:group:column:rank");
    bench.stream(64, read);
    assert_near(bench.cycles_each(), p.timing.ccd_r.into(), 0.0, "HBM3");
}

#[test]
fn rows_in_rotating_banks_come_at_the_rate_that_the_parameters_allow() {
    let gddr6 = Parameters::named("GDDR6").unwrap();
    let few = Organization { groups: 2, banks: 2, ..gddr6.organization };
    // tRC of four banks, tFAW, tRRD.
    let by_bank = Parameters { organization: few, ..gddr6 };
    let by_window = Parameters { timing: Timing { faw: 60, ..gddr6.timing }, ..gddr6 };
    let by_activate =
        Parameters { timing: Timing { rrd_s: 12, rrd_l: 12, ..gddr6.timing }, ..gddr6 };
    assert_eq!([by_bank, by_window, by_activate].map(|p| bound(&p)), [79.0 / 4.0, 15.0, 12.0]);
    let own = [("banks", by_bank), ("window", by_window), ("activate", by_activate)];
    for (name, p) in SETS.into_iter().chain(own) {
        let mut bench = Bench::new(p, PLAIN, ROTATE);
        bench.stream(20_000, read);
        // A command bus that is taken delays some activates by a cycle.
        assert_near(bench.cycles_each(), bound(&p), 0.03, name);
        assert_eq!(bench.controller.counters().row_hits, 0, "{name}");
    }
}

#[test]
fn random_rows_come_at_nearly_that_rate() {
    for (name, p) in SETS {
        let mut bench = Bench::new(p, PLAIN, STREAM);
        bench.saturate(noise(3).take(20_000).enumerate().map(|(id, at)| read(id as u64, at)));
        let over = bench.cycles_each() / bound(&p);
        // A queue of 64 entries does not reach all banks at all times.
        assert!((0.99..1.06).contains(&over), "{}: {over} times the bound", name);
    }
}

#[test]
fn alternating_reads_and_writes_pay_both_turnarounds() {
    for (name, p) in SETS {
        let t = p.timing;
        let policy = Policy { read_queue: 1, write_queue: 1, write_high: 1, write_low: 0, ..PLAIN };
        let mut bench = Bench::new(p, policy, IN_BANK);
        bench.saturate((0..1001).map(|at| if at % 2 == 0 { read(at, 0) } else { write(at, 32) }));
        let reads: Vec<u64> =
            bench.done.iter().filter(|done| done.0 % 2 == 0).map(|done| done.1).collect();
        let period = u64::from(t.rtw + t.cwl + t.bl + t.wtr_l);
        let regular = reads.windows(2).skip(4).filter(|pair| pair[1] - pair[0] == period).count();
        assert!(regular >= reads.len() - 6, "{}: {regular} of {}", name, reads.len());
    }
}

#[test]
fn a_stride_over_banks_shows_the_hash() {
    let p = Parameters::named("GDDR6").unwrap();
    let o = p.organization;
    let stride = u64::from(o.columns * o.rank_banks() * o.access_bytes);
    let run = |mapping: &str| {
        let mut bench = Bench::new(p, PLAIN, mapping);
        bench.saturate((0..4000).map(|at| read(at, at * stride)));
        let mut banks = [0; 16];
        for issued in bench.trace.iter().filter(|issued| issued.command == Command::Activate) {
            banks[(issued.place.group * 4 + issued.place.bank) as usize] += 1;
        }
        (banks.iter().filter(|&&activates| activates > 0).count(), bench.cycles_each())
    };
    let (banks, each) = run("row:bank:group:column");
    assert_eq!((banks, each), (1, f64::from(p.timing.rc)));
    let (banks, each) = run("row:bank:group^row:column");
    assert_eq!(banks, 4);
    assert_near(each, f64::from(p.timing.rc) / 4.0, 0.02, "groups");
    let (banks, each) = run("row:bank^row:group^row:column");
    assert_eq!(banks, 16);
    assert_near(each, bound(&p), 0.02, "banks");
}

#[test]
fn a_pseudo_channel_does_not_slow_the_other() {
    let p = Parameters::named("HBM3").unwrap();
    let mapping = "pseudo:row:bank:rank:column:group";
    let half = p.organization.bytes() / 2;
    let mut alone = Bench::new(p, PLAIN, mapping);
    alone.stream(10_000, read);
    let mut both = Bench::new(p, PLAIN, mapping);
    both.saturate((0..20_000).map(|at| read(at, at / 2 * 32 + at % 2 * half)));
    assert_near(both.cycles_each(), alone.cycles_each() / 2.0, 0.001, "both");
}
