//! The transition table of specification 5.2, row by row.

use super::*;

/// A directory in which GPUs 1 and 2 share the line at 0x40. In rec its entry tracks 0x80 for GPU 3
/// too.
fn tracked(config: &Config) -> Bench {
    let mut b = Bench::new(config);
    b.run(rrd(1, 0x40));
    b.run(rrd(2, 0x40));
    if config.variant == Variant::Rec {
        b.run(rrd(3, 0x80));
    }
    b
}

/// Runs a request. Returns (hit, alloc, evicted, sharers before) and its invalidations.
fn run(b: &mut Bench, req: Req) -> ((bool, bool, bool, u16), Vec<Inv>) {
    let (rsp, invalidations) = b.run(req);
    assert!(!rsp.err && rsp.reserved == 0);
    ((rsp.hit, rsp.alloc, rsp.evicted, rsp.sharers), invalidations)
}

const NOTHING: (bool, bool, bool, u16) = (false, false, false, 0);
/// A hit on the line that GPUs 1 and 2 share.
const HIT: (bool, bool, bool, u16) = (true, false, false, 0b110);

/// The lines of the WRITE job for the line at 0x40 with destinations `dest`.
fn write_job(config: &Config, dest: u16) -> Vec<(u64, u16, bool)> {
    match config.variant {
        Variant::Hmg => (0..4).map(|k| (64 * k, dest, k == 3)).collect(),
        _ => vec![(0x40, dest, true)],
    }
}

#[test]
fn lrd_does_nothing() {
    for config in variants() {
        let mut b = tracked(&config);
        assert_eq!(run(&mut b, lrd(0xC00)), (NOTHING, vec![]));
        assert_eq!(run(&mut b, lrd(0x40)), (HIT, vec![]));
        assert_eq!((b.dir.sharers(0xC00), b.dir.sharers(0x40)), (None, Some(0b110)));
    }
}

#[test]
fn lrd_of_an_untracked_line_of_an_entry_does_nothing() {
    let mut b = tracked(&rec());
    assert_eq!(run(&mut b, lrd(0xC0)), (NOTHING, vec![]));
    assert_eq!(b.dir.sharers(0xC0), None);
}

#[test]
fn rrd_of_an_absent_entry_allocates() {
    for config in variants() {
        let mut b = Bench::new(&config);
        assert_eq!(run(&mut b, rrd(3, 0x80)), ((false, true, false, 0), vec![]));
        assert_eq!(b.dir.sharers(0x80), Some(0b1000));
    }
}

#[test]
fn rrd_of_an_untracked_line_of_an_entry_tracks_it() {
    let mut b = tracked(&rec());
    assert_eq!(run(&mut b, rrd(1, 0xC0)), (NOTHING, vec![]));
    assert_eq!(b.dir.sharers(0xC0), Some(0b10));
    assert_eq!(b.dir.sharers(0x40), Some(0b110), "the other lines keep theirs");
}

#[test]
fn rrd_of_a_tracked_line_adds_its_source() {
    for config in variants() {
        let mut b = tracked(&config);
        assert_eq!(run(&mut b, rrd(3, 0x40)), (HIT, vec![]));
        assert_eq!(b.dir.sharers(0x40), Some(0b1110));
        assert_eq!(run(&mut b, rrd(3, 0x40)), ((true, false, false, 0b1110), vec![]));
        assert_eq!(b.dir.sharers(0x40), Some(0b1110));
    }
}

#[test]
fn lwr_of_an_absent_entry_does_nothing() {
    for config in variants() {
        let mut b = tracked(&config);
        assert_eq!(run(&mut b, lwr(0xC00)), (NOTHING, vec![]));
        assert_eq!(b.dir.sharers(0xC00), None);
    }
}

#[test]
fn lwr_of_an_untracked_line_of_an_entry_does_nothing() {
    let mut b = tracked(&rec());
    assert_eq!(run(&mut b, lwr(0xC0)), (NOTHING, vec![]));
    assert_eq!((b.dir.sharers(0xC0), b.dir.sharers(0x40)), (None, Some(0b110)));
}

#[test]
fn lwr_of_a_tracked_line_invalidates_all_its_sharers() {
    for config in variants() {
        let mut b = tracked(&config);
        let (rsp, invalidations) = run(&mut b, lwr(0x40));
        assert_eq!(rsp, HIT);
        assert_eq!(lines(&invalidations), write_job(&config, 0b110));
        assert!(invalidations.iter().all(|inv| inv.cause == cause::WRITE));
        assert_eq!(b.dir.sharers(0x40), None);
    }
}

#[test]
fn lwr_leaves_an_entry_only_while_it_has_another_line() {
    let mut b = tracked(&rec());
    b.run(lwr(0x40));
    assert_eq!(run(&mut b, rrd(1, 0x40)).0, NOTHING, "the entry still tracks 0x80");
    b.run(lwr(0x40));
    b.run(lwr(0x80));
    assert!(run(&mut b, rrd(1, 0x40)).0.1, "the entry is gone");
    for config in [hmg(), baseline(), ideal()] {
        let mut b = tracked(&config);
        b.run(lwr(0x40));
        assert!(run(&mut b, rrd(1, 0x40)).0.1, "the entry is gone");
    }
}

#[test]
fn rwr_of_an_absent_entry_allocates() {
    for config in variants() {
        let mut b = Bench::new(&config);
        assert_eq!(run(&mut b, rwr(2, 0x80)), ((false, true, false, 0), vec![]));
        assert_eq!(b.dir.sharers(0x80), Some(0b100));
    }
}

#[test]
fn rwr_of_an_untracked_line_of_an_entry_tracks_it() {
    let mut b = tracked(&rec());
    assert_eq!(run(&mut b, rwr(2, 0xC0)), (NOTHING, vec![]));
    assert_eq!(b.dir.sharers(0xC0), Some(0b100));
}

#[test]
fn rwr_of_a_tracked_line_invalidates_the_other_sharers() {
    for config in variants() {
        let mut b = tracked(&config);
        let (rsp, invalidations) = run(&mut b, rwr(2, 0x40));
        assert_eq!(rsp, HIT);
        assert_eq!(lines(&invalidations), write_job(&config, 0b010));
        assert!(invalidations.iter().all(|inv| inv.cause == cause::WRITE));
        assert_eq!(b.dir.sharers(0x40), Some(0b100));
        // A writer that was no sharer.
        let (rsp, invalidations) = run(&mut b, rwr(3, 0x40));
        assert_eq!(rsp, (true, false, false, 0b100));
        assert_eq!(lines(&invalidations), write_job(&config, 0b100));
        assert_eq!(b.dir.sharers(0x40), Some(0b1000));
    }
}

#[test]
fn evict_of_an_absent_entry_does_nothing() {
    for config in variants() {
        let mut b = tracked(&config);
        assert_eq!(run(&mut b, evict(0xC00)), (NOTHING, vec![]));
        assert_eq!(b.dir.sharers(0x40), Some(0b110));
    }
}

#[test]
fn evict_sends_the_whole_entry_and_removes_it() {
    for config in with_entries() {
        let mut b = tracked(&config);
        let (rsp, invalidations) = run(&mut b, evict(0x40));
        assert_eq!(rsp, (true, false, true, 0b110));
        let expected = match config.variant {
            Variant::Rec => vec![(0x40, 0b110, false), (0x80, 0b1000, true)],
            _ => write_job(&config, 0b110),
        };
        assert_eq!(lines(&invalidations), expected);
        assert!(invalidations.iter().all(|inv| inv.cause == cause::EVICT));
        assert_eq!((b.dir.sharers(0x40), b.dir.sharers(0x80)), (None, None));
        assert!(run(&mut b, rrd(1, 0x40)).0.1);
    }
}

#[test]
fn evict_of_an_untracked_line_sends_its_entry_and_reports_no_hit() {
    let mut b = tracked(&rec());
    let (rsp, invalidations) = run(&mut b, evict(0xC0));
    assert_eq!(rsp, (false, false, true, 0));
    assert_eq!(lines(&invalidations), [(0x40, 0b110, false), (0x80, 0b1000, true)]);
    assert_eq!(b.dir.sharers(0x40), None);
}

#[test]
fn evict_changes_nothing_in_ideal() {
    let mut b = tracked(&ideal());
    assert_eq!(run(&mut b, evict(0x40)), (HIT, vec![]));
    assert_eq!(b.dir.sharers(0x40), Some(0b110));
}

#[test]
fn evict_may_come_from_any_gpu() {
    for src in 0..4 {
        let mut b = tracked(&baseline());
        assert!(b.run(req(op::EVICT, src, 0x40)).0.evicted);
    }
}

#[test]
fn fence_sends_one_marker_to_all_other_gpus() {
    for config in variants() {
        for (self_id, dest) in [(0, 0b1110), (2, 0b1011)] {
            let mut b = Bench::of_gpu(&config, self_id);
            for src in 0..4 {
                // Its address is not looked at, in ideal not even whether it is covered.
                let addr = [0x40, 0xFFFF_FFFF_FFFF][usize::from(src) % 2];
                let (rsp, invalidations) = run(&mut b, Req { addr, ..fence(src) });
                assert_eq!(rsp, NOTHING);
                assert_eq!(lines(&invalidations), [(0, dest, true)]);
                assert_eq!((invalidations[0].cause, invalidations[0].seq), (cause::FENCE, src));
            }
        }
    }
}

#[test]
fn fence_reports_and_changes_nothing_of_a_tracked_line() {
    for config in variants() {
        let mut b = tracked(&config);
        assert_eq!(run(&mut b, Req { addr: 0x40, ..fence(1) }).0, NOTHING);
        assert_eq!(b.dir.sharers(0x40), Some(0b110));
    }
}

#[test]
fn allocation_over_a_valid_entry_evicts_it_whole() {
    for config in with_entries() {
        for write in [false, true] {
            let mut b = tracked(&Config { entries: 1, ways: 1, ..config.clone() });
            let req = if write { rwr(3, 0x9040) } else { rrd(3, 0x9040) };
            let (rsp, invalidations) = run(&mut b, req);
            assert_eq!(rsp, (false, true, true, 0));
            let expected = match config.variant {
                Variant::Rec => vec![(0x40, 0b110, false), (0x80, 0b1000, true)],
                _ => write_job(&config, 0b110),
            };
            assert_eq!(lines(&invalidations), expected);
            assert!(invalidations.iter().all(|inv| inv.cause == cause::EVICT));
            assert_eq!((b.dir.sharers(0x40), b.dir.sharers(0x9040)), (None, Some(0b1000)));
            let next_line = if config.variant == Variant::Hmg { Some(0b1000) } else { None };
            assert_eq!(b.dir.sharers(0x9080), next_line, "nothing is left of the old entry");
        }
    }
}

#[test]
fn ideal_never_evicts() {
    let mut b = Bench::new(&ideal());
    for line in 0..64 {
        assert_eq!(run(&mut b, rrd(1, 64 * line)), ((false, true, false, 0), vec![]));
    }
    assert!((0..64).all(|line| b.dir.sharers(64 * line) == Some(0b10)));
}

#[test]
fn hmg_shares_one_field_among_four_lines() {
    for line in [64, 128] {
        let mut b = Bench::new(&Config { line, range: 4 * line, ..hmg() });
        let line = u64::from(line);
        b.run(rrd(1, 4 * line));
        assert_eq!(run(&mut b, rrd(2, 7 * line)).0, (true, false, false, 0b010));
        assert!((4..8).all(|k| b.dir.sharers(k * line) == Some(0b110)));
        assert_eq!((b.dir.sharers(3 * line), b.dir.sharers(8 * line)), (None, None));
    }
}

#[test]
fn responses_carry_the_id_of_their_request() {
    for config in variants() {
        let mut b = Bench::new(&config);
        for (n, op) in (0..8).enumerate() {
            let src = op & 1;
            let (rsp, _) = b.run(Req { id: 0xA0 + n as u8, ..req(op, src, 0x40) });
            assert_eq!((rsp.id, rsp.seq), (0xA0 + n as u8, n as u8));
        }
    }
}
