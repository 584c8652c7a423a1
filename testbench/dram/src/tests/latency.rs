//! Latencies of single requests, refresh and fairness, by value.

use super::*;

#[test]
fn idle_latency_is_the_sum_of_its_parts() {
    for (name, p) in SETS {
        let t = p.timing;
        let (row, far) = (p.organization.columns * p.organization.access_bytes, 10_000);
        let mut bench = Bench::new(p, PLAIN, IN_BANK);
        let mut latency = |request: Request| {
            let now = bench.now + far;
            bench.alone(now, request) - now
        };
        let [read_part, write_part] = [t.cl + t.bl, t.cwl + t.bl].map(u64::from);
        let (rp, rcd_rd, rcd_wr) = (u64::from(t.rp), u64::from(t.rcd_rd), u64::from(t.rcd_wr));
        assert_eq!(latency(read(0, 0)), rcd_rd + read_part, "{}, closed", name);
        assert_eq!(latency(read(1, 32)), read_part, "{}, hit", name);
        assert_eq!(latency(write(2, 64)), write_part, "{}, hit", name);
        assert_eq!(latency(write(3, row.into())), rp + rcd_wr + write_part, "{}, conflict", name);
        assert_eq!(latency(read(4, 0)), rp + rcd_rd + read_part, "{}, conflict", name);
    }
}

#[test]
fn an_early_conflict_waits_for_ras_or_write_recovery() {
    for (name, p) in SETS {
        let t = p.timing;
        let row = u64::from(p.organization.columns * p.organization.access_bytes);
        let mut bench = Bench::new(p, PLAIN, IN_BANK);
        bench.saturate([read(0, 0), read(1, row)]);
        let close = t.ras.max(t.rcd_rd + t.rtp);
        let at = close + t.rp + t.rcd_rd + t.cl + t.bl;
        assert_eq!(bench.done[1], (1, at.into()), "{}", name);
        let mut bench = Bench::new(p, PLAIN, IN_BANK);
        bench.saturate([write(0, 0), write(1, row)]);
        let close = t.ras.max(t.rcd_wr + t.cwl + t.bl + t.wr);
        let at = close + t.rp + t.rcd_wr + t.cwl + t.bl;
        assert_eq!(bench.done[1], (1, at.into()), "{}", name);
    }
}

#[test]
fn a_closed_policy_closes_idle_rows() {
    let p = Parameters::named("GDDR6").unwrap();
    let t = p.timing;
    let conflict = u64::from(t.rp + t.rcd_rd + t.cl + t.bl);
    let (closed, hit) = (u64::from(t.rcd_rd + t.cl + t.bl), u64::from(t.cl + t.bl));
    let row = u64::from(p.organization.columns * p.organization.access_bytes);
    for (page, after, address, latency) in [
        (Page::Open, 5000, row, conflict),
        (Page::Closed, 5000, row, closed),
        (Page::Open, 5000, 0, hit),
        (Page::Closed, 5000, 0, closed),
    ] {
        let policy = Policy { page, ..PLAIN };
        let mut bench = Bench::new(p, policy, "bank:group:row:column");
        bench.alone(0, read(0, 0));
        assert_eq!(bench.alone(after, read(1, address)) - after, latency, "{page:?}, {address}");
    }
}

#[test]
fn refreshes_come_every_refi_while_idle() {
    for (name, p) in SETS {
        let (ranks, banks) = (p.organization.all_ranks(), p.organization.rank_banks());
        let (refi, end) = (u64::from(p.timing.refi), 20 * u64::from(p.timing.refi) + 100);
        for (refresh, each) in [(Refresh::AllBank, 1), (Refresh::PerBank, banks)] {
            let mut bench = Bench::new(p, Policy { refresh, ..PLAIN }, STREAM);
            bench.now = end;
            bench.advance().unwrap();
            // The first of each rank is staggered, the others come in equal intervals.
            let firsts = (1..=u64::from(ranks)).map(|rank| rank * refi / u64::from(ranks));
            let due = firsts.map(|first| (end - first) / (refi / u64::from(each)) + 1).sum();
            let is_refresh = |issued: &&Issued| {
                matches!(issued.command, Command::RefreshAll | Command::RefreshBank)
            };
            let issued = bench.trace.iter().filter(is_refresh).count() as u64;
            assert_eq!(
                (issued, bench.controller.refreshes(end)),
                (due, due),
                "{name}, {refresh:?}"
            );
        }
    }
}

#[test]
fn a_conflict_among_hits_is_served_after_the_age_cap() {
    let p = Parameters::named("HBM3").unwrap();
    let row = u64::from(p.organization.columns * p.organization.access_bytes);
    let served = |age_cap: u32| {
        let mut bench = Bench::new(p, Policy { age_cap, ..PLAIN }, IN_BANK);
        // A row's hits again and again; the fifth request needs another row of the bank.
        let hits = (0..4000).map(|id| read(id, if id == 4 { row } else { id % 32 * 32 }));
        bench.saturate(hits);
        let t = p.timing;
        let own = t.rtp + t.rp + t.rcd_rd + t.cl + t.bl;
        (bench.done.iter().find(|done| done.0 == 4).unwrap().1, u64::from(own))
    };
    for cap in [100, 1000] {
        let (at, own) = served(cap);
        let cap = u64::from(cap);
        assert!((cap + own - 1..=cap + own + 10).contains(&at), "{at}, cap {cap}, own {own}");
    }
    // Without a cap after all hits, each tCCDL cycles.
    assert!(served(1 << 20).0 > 3999 * 4);
}

#[test]
fn neither_reads_nor_writes_starve() {
    let p = Parameters::named("HBM3").unwrap();
    // One request in 200 is of the other kind.
    let slowest = |rare_writes: bool, age_cap: u32| {
        let mut bench = Bench::new(p, Policy { age_cap, ..PLAIN }, STREAM);
        let mut random = noise(2).take(20_000).zip(0..).peekable();
        let mut queued = Vec::new();
        while random.peek().is_some() || bench.controller.next_event().is_some() {
            while let Some((address, id)) = random.peek() {
                let is_write = (id % 200 == 7) == rare_writes;
                let request = Request { id: *id, address: *address, is_write };
                if bench.controller.enqueue(bench.now, request).is_err() {
                    break;
                }
                queued.push(bench.now);
                random.next();
            }
            bench.advance().unwrap();
            bench.now += 1;
        }
        let rare = bench.done.iter().filter(|(id, _)| id % 200 == 7);
        rare.map(|(id, at)| at - queued[*id as usize]).max().unwrap()
    };
    let batch = u64::from((PLAIN.write_high - PLAIN.write_low) * p.timing.rc);
    for rare_writes in [true, false] {
        assert!(slowest(rare_writes, 500) < 500 + batch);
    }
    assert!(slowest(true, 1 << 20) > 10_000, "without a cap, all reads pass the write");
}

#[test]
fn requests_are_row_hits_misses_and_conflicts() {
    let p = Parameters::named("GDDR6").unwrap();
    let row = u64::from(p.organization.columns * p.organization.access_bytes);
    let mut bench = Bench::new(p, PLAIN, IN_BANK);
    // Closed bank; the same row; another row, twice; the first again.
    for (id, address) in [0, 32, row, row + 32, 0].into_iter().enumerate() {
        bench.alone(bench.now + 1000, read(id as u64, address));
    }
    bench.alone(bench.now + 1000, write(5, 64));
    let counters = bench.controller.counters();
    let expected = Counters { reads: 5, writes: 1, row_hits: 3, row_misses: 1, row_conflicts: 2 };
    assert_eq!(counters, expected);

    // A refresh closes the row: no conflict.
    let policy = Policy { refresh: Refresh::AllBank, ..PLAIN };
    let mut bench = Bench::new(p, policy, IN_BANK);
    bench.alone(0, read(0, 0));
    bench.alone(2 * u64::from(p.timing.refi), read(1, row));
    assert_eq!(bench.controller.counters().row_misses, 2);
}
