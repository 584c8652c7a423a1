//! Remote write queue and packetizer wired together: the timing figures and the bytes of worked
//! example 1 of the FinePack specification (sections 5.1, 5.5 and 10), with both models and both
//! RTLs.

use duet_tests::{Bench, Body, counting, has_rtl, model, ones, rtl};
use hwmodel::Block;
use hwmodel::finepack::egress::FinePackPath;
use hwmodel::finepack::packetizer::Packetizer;
use hwmodel::finepack::remote_write_queue::RemoteWriteQueue;
use ports::finepack::egress::{In, Out};
use ports::finepack::types::{Req, TlpHeader, acct, flush_cause, op, tlp_fmt, tlp_type};

const BASE: u64 = 0x4000_0000;

type Path = FinePackPath<Body<RemoteWriteQueue>, Body<Packetizer>>;

/// Runs a check with both models, then with both RTL bodies.
fn on_both_paths(check: impl Fn(Bench<Path>)) {
    let (queue, packetizer) = (model::<RemoteWriteQueue>("paper"), model::<Packetizer>("paper"));
    check(bench(Box::new(queue), Box::new(packetizer)));
    if has_rtl() {
        let (queue, packetizer) = (rtl::<RemoteWriteQueue>("paper"), rtl::<Packetizer>("paper"));
        check(bench(Box::new(queue), Box::new(packetizer)));
    }
}

fn bench(queue: Body<RemoteWriteQueue>, packetizer: Body<Packetizer>) -> Bench<Path> {
    Bench::new(FinePackPath::new(queue, packetizer, 0, acct::EXACT))
}

const IDLE: In = In { req: None, tlp_ready: true, cpl: None, self_id: 0 };

/// Offers a request that is accepted at once; returns that cycle.
fn send(bench: &mut Bench<Path>, req: Req) -> usize {
    let cycle = bench.cycle(&In { req: Some(Req { dest: 1, ..req }), ..IDLE });
    assert!(bench.out[cycle].req_ready);
    cycle
}

fn store(bench: &mut Bench<Path>, addr: u64, len: u32) -> usize {
    let mask = ones((addr % 128) as u32, len);
    send(bench, Req { op: op::STORE, addr, mask, data: counting(mask, 1), ..Req::default() })
}

fn run_on(bench: &mut Bench<Path>, cycles: usize) -> &[Out] {
    let last = bench.out.len() + cycles - 1;
    bench.at(last, &IDLE);
    &bench.out
}

#[test]
fn store_shows_in_occ_and_avail_three_cycles_after_it_is_accepted() {
    on_both_paths(|mut bench| {
        let accepted = store(&mut bench, BASE, 8);
        let out = run_on(&mut bench, 5);
        let shown = |cycle: usize| (out[cycle].occ[0], out[cycle].avail[0]);
        assert_eq!(shown(accepted + 2), (0, 4096));
        assert_eq!(shown(accepted + 3), (1, 4096 - 13));
    });
}

#[test]
fn flush_shows_drain_beat_after_four_cycles_and_tlp_beat_after_six() {
    on_both_paths(|mut bench| {
        store(&mut bench, BASE, 8);
        run_on(&mut bench, 10);
        // Another window.
        let accepted = store(&mut bench, 2 * BASE, 8);
        let mut drained = None;
        for cycle in accepted + 1..accepted + 12 {
            if bench.body.queue().outputs().drain.is_some() {
                drained.get_or_insert(cycle);
            }
            bench.cycle(&IDLE);
        }
        assert_eq!(drained, Some(accepted + 4));
        assert_eq!(bench.out[accepted + 3].evt.flush_cause[0], flush_cause::WINDOW);
        let sent: Vec<_> = (0..bench.out.len()).filter(|&c| bench.out[c].tlp.is_some()).collect();
        assert_eq!(sent, [accepted + 6]);
    });
}

#[test]
fn example_1_leaves_as_the_bytes_of_examples_8_and_9_and_a_mark() {
    on_both_paths(|mut bench| {
        for (offset, len) in [(0, 8), (16, 8), (8, 8), (4, 4), (120, 8)] {
            store(&mut bench, BASE + offset, len);
            run_on(&mut bench, 2);
        }
        let released = send(&mut bench, Req { op: op::RELEASE_SYS, id: 0x21, ..Req::default() });
        run_on(&mut bench, 20);
        let sent = bench.out.iter().enumerate();
        let sent: Vec<_> = sent.filter_map(|(cycle, out)| Some((cycle, out.tlp?))).collect();
        // Two runs make the first beat: one cycle more than the minimum.
        assert_eq!(sent[0].0, released + 7);
        assert_eq!(sent.len(), 3);
        let header =
            [0x6f, 0x00, 0x80, 0x0b, 0, 0, 0, 0x30, 0x00, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00];
        assert_eq!(sent[0].1.hdr.to_le_bytes(), header);
        let mut payload = vec![0x18, 0, 0, 0, 0];
        payload.extend(1..=24);
        payload.extend([0x08, 0xe0, 0x01, 0, 0]);
        payload.extend(121..=128);
        let bytes = |i: usize| &sent[i].1.data.0[..usize::from(sent[i].1.nbytes)];
        assert_eq!([bytes(0), bytes(1)].concat(), payload);
        // MARK: a read of length 1 without byte enables, with the release's id.
        let mark = TlpHeader::from_bits(sent[2].1.hdr);
        assert_eq!((mark.fmt(), mark.tlp_type()), (tlp_fmt::NO_DATA, tlp_type::MEM));
        assert_eq!((mark.length_dw(), mark.first_be(), mark.last_be()), (1, 0, 0));
        assert_eq!((mark.tag(), bytes(2).len()), (0x21, 0));

        assert!(bench.out.iter().all(|out| out.rel.is_none()), "the MARK is not yet completed");
        let completed = bench.cycle(&In { cpl: Some(1), ..IDLE });
        let out = run_on(&mut bench, 3);
        let done: Vec<_> = out.iter().enumerate().filter_map(|(c, o)| Some((c, o.rel?))).collect();
        assert_eq!(done, [(completed + 1, 0x21)]);
    });
}
