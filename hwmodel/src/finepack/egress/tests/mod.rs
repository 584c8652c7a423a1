//! Paths and link together: bytes on the wire against the worked examples of the specification
//! (section 10), timing and errors.

mod memory;

use ports::Bytes;
use ports::finepack::types::{FinePack, Req, SubHeader, Tlp, TlpHeader, op, tlp_fmt};
use ports::finepack::{packetizer, remote_write_queue as queue};

use super::*;
use crate::block::Block;
use crate::finepack::tlp_header::{PACKET, Sender};
use crate::finepack::tlp_link::{self, LINK_LAT_SMALL, TlpLink, WireClass};

/// Any egress path.
trait Egress: Block<In = In, Out = Out> {}

impl<T: Block<In = In, Out = Out>> Egress for T {}

const BASE: u64 = 0x4000_0000;

fn params() -> FinePack {
    FinePack {
        num_gpus: 4,
        entries: 64,
        line: 128,
        banks: 2,
        sub_header_bytes: 5,
        offset_width: 30,
        max_payload: 4096,
        beat: 32,
        order_queue_depth: 4,
        output_depth: 64,
        ecrc: 1,
        pcie_generation: 4,
    }
}

fn config() -> Config {
    Config::from(&params())
}

fn link_config(cfg_extra: Option<u32>) -> tlp_link::Config {
    let mut cfg = tlp_link::Config::new(&params(), LINK_LAT_SMALL).unwrap();
    cfg.framing.cfg_extra = cfg_extra;
    cfg
}

/// `len` bytes at `addr`, within one line.
fn store(dest: u8, addr: u64, len: u32) -> Req {
    let first = addr % 128;
    let mask = (u128::MAX >> (128 - len)) << first;
    let mut data = Bytes::default();
    (0..len).for_each(|k| data.0[(first as u32 + k) as usize] = (addr as u32 + k) as u8 | 1);
    Req { op: op::STORE, dest, addr, mask, data, ..Req::default() }
}

/// Sends the requests of GPU 0 over its link until both are empty. Wire bytes do not depend on
/// time.
fn wire(path: &mut dyn Egress, cfg_extra: Option<u32>, reqs: &[Req]) -> tlp_link::Counters {
    let mut link = TlpLink::new(&link_config(cfg_extra), 0).unwrap();
    let mut reqs = reqs.iter().copied().peekable();
    for _ in 0..1_000_000 {
        let (out, ready) = (path.outputs(), link.outputs().tlp_ready);
        let i = In { req: reqs.peek().copied(), tlp_ready: ready, ..In::default() };
        path.tick(&i);
        link.tick(&tlp_link::In { tlp: out.tlp, tlp_ready: true, crc_error: false });
        if out.req_ready {
            reqs.next();
        }
        if reqs.peek().is_none() && path.is_idle() && link.is_empty() {
            assert_eq!(link.counters().context_errors, 0);
            return *link.counters();
        }
    }
    panic!("link is not empty after 1,000,000 cycles");
}

/// The FinePack packet that holds one run of `len` bytes at each address.
fn packet_wire(addrs: &[u64], len: u32) -> tlp_link::Counters {
    let mut payload = Vec::new();
    for addr in addrs {
        let sub = SubHeader::new().with_len(len as u16).with_offset(addr - BASE);
        payload.extend_from_slice(&sub.into_bits().to_le_bytes()[..5]);
        payload.resize(payload.len() + len as usize, 0xA5);
    }
    let hdr = Sender { gpu: 0, ecrc: true }.packet(0, BASE, payload.len() as u32, &PACKET);
    let mut link = TlpLink::new(&link_config(None), 0).unwrap();
    let last = payload.len().div_ceil(32) - 1;
    for (k, bytes) in payload.chunks(32).enumerate() {
        let hdr = if k == 0 { hdr.into_bits() } else { 0 };
        let nbytes = bytes.len() as u8;
        let mut beat = Tlp { sop: k == 0, eop: k == last, dest: 1, hdr, nbytes, ..Tlp::default() };
        beat.data.0[..bytes.len()].copy_from_slice(bytes);
        link.tick(&tlp_link::In { tlp: Some(beat), tlp_ready: true, crc_error: false });
    }
    (0..1000).for_each(|_| {
        link.tick(&tlp_link::In { tlp_ready: true, ..Default::default() });
    });
    assert!(link.is_empty());
    *link.counters()
}

fn spread(count: u64, len: u32) -> (Vec<u64>, Vec<Req>) {
    let addrs: Vec<u64> = (0..count).map(|k| BASE + 256 * k).collect();
    let reqs = addrs.iter().map(|&a| store(1, a, len)).collect();
    (addrs, reqs)
}

#[test]
fn average_packet_costs_what_worked_example_4_says() {
    for (len, packed, raw) in [(4, 408, 1344), (8, 576, 1512), (16, 912, 1848), (32, 1584, 2520)] {
        let (addrs, reqs) = spread(42, len);
        assert_eq!(packet_wire(&addrs, len).wire_bytes(), packed, "{len} B stores, packed");
        let plain = wire(&mut P2p::new(&config()), None, &reqs);
        assert_eq!(plain.wire_bytes(), raw, "{len} B stores, plain");
    }
}

#[test]
fn parts_of_the_average_packet_add_up() {
    let c = packet_wire(&spread(42, 4).0, 4);
    assert_eq!((c.header_bytes, c.framing_bytes()), (16, 12));
    assert_eq!((c.subheader_bytes, c.subheaders), (42 * 5, 42));
    assert_eq!((c.data_bytes, c.padding_bytes), (42 * 4, 2));
}

#[test]
fn goodput_of_plain_writes_is_that_of_worked_example_5() {
    let percent = |c: tlp_link::Counters| {
        (1000.0 * c.data_bytes as f64 / c.wire_bytes() as f64).round() / 10.0
    };
    for (len, goodput) in [(4, 12.5), (32, 53.3), (64, 69.6), (128, 82.1)] {
        let c = wire(&mut P2p::new(&config()), None, &[store(1, BASE, len)]);
        assert_eq!(percent(c), goodput, "{len} B");
    }
    let mut dma = Dma::new(&config(), 0);
    dma.copy(1, BASE, &[7; 4096]);
    assert_eq!(percent(wire(&mut dma, None, &[])), 99.3);
}

#[test]
fn config_packets_cost_what_worked_example_6_says() {
    let (addrs, reqs) = spread(42, 40);
    assert_eq!(packet_wire(&addrs, 40).wire_bytes(), 1920);
    let c = wire(&mut ConfigPacket::new(&config()), Some(CFG_EXTRA), &reqs);
    assert_eq!(c.wire_bytes(), 2338);
    assert_eq!((c.packets, c.store_tlps, c.tlps), (42, 42, 43));
    assert_eq!(c.store_wire_bytes(), c.wire_bytes());
}

#[test]
fn config_packet_goes_again_when_the_window_changes() {
    let window = 1 << 30;
    let reqs = [store(1, 0, 8), store(2, 8, 8), store(1, window, 8), store(2, 16, 8)];
    let c = wire(&mut ConfigPacket::new(&config()), Some(CFG_EXTRA), &reqs);
    assert_eq!(c.wire_bytes(), 3 * 28 + 4 * (5 + 8 + 10));
}

#[test]
fn write_combining_sends_overwritten_bytes_once() {
    let mut reqs = vec![store(1, BASE, 8); 100];
    reqs.push(Req { op: op::RELEASE_SYS, ..Req::default() });
    let c = wire(&mut WriteCombineOnce::new(), None, &reqs);
    // One write of 8 B and one MARK.
    assert_eq!((c.wire_bytes(), c.data_bytes), (28 + 8 + 28, 8));
    assert_eq!((c.store_wire_bytes(), c.store_tlps), (28 + 8, 1));
}

/// [`WriteCombine`] that completes its MARKs by itself, so that it comes to rest in [`wire`].
#[derive(Debug)]
struct WriteCombineOnce(WriteCombine, Option<u8>);

impl WriteCombineOnce {
    fn new() -> Self {
        Self(WriteCombine::new(&config()), None)
    }
}

impl Block for WriteCombineOnce {
    type In = In;
    type Out = Out;
    fn outputs(&self) -> Out {
        self.0.outputs()
    }
    fn tick(&mut self, i: &In) -> Out {
        let out = self.0.tick(&In { cpl: self.1, ..*i });
        let mark = out.tlp.filter(|t| i.tlp_ready && is_mark(t));
        self.1 = mark.map(|t| t.dest);
        out
    }
    fn is_idle(&self) -> bool {
        self.0.is_idle() && self.1.is_none()
    }
}

fn is_mark(tlp: &Tlp) -> bool {
    let hdr = TlpHeader::from_bits(tlp.hdr);
    tlp.sop && hdr.fmt() == tlp_fmt::NO_DATA && hdr.first_be() == 0 && hdr.last_be() == 0
}

#[test]
fn plain_stores_of_one_beat_follow_each_other_in_each_cycle() {
    let mut path = P2p::new(&config());
    let mut beats = 0;
    for k in 0..102 {
        let req = Some(store(1, BASE + 128 * k, 4));
        let i = In { req, tlp_ready: true, ..In::default() };
        beats += u32::from(path.tick(&i).tlp.is_some());
    }
    // Accepted in cycle t, shown in t+2.
    assert_eq!(beats, 100);
}

#[test]
fn infinite_store_is_at_its_destination_one_cycle_later() {
    let mut path = Infinite::new(&config());
    path.tick(&In { req: Some(store(3, BASE, 4)), ..In::default() });
    let out = path.outputs();
    assert_eq!((out.st_dest, out.st.unwrap().addr, out.st.unwrap().mask), (3, BASE, 0xF));
    assert_eq!(out.tlp, None);
}

#[test]
fn copies_start_after_their_software_cost() {
    let mut dma = Dma::new(&config(), DMA_START);
    dma.copy(1, BASE, &[1; 8]);
    dma.copy(2, BASE, &[2; 8]);
    let mut sops = Vec::new();
    for cycle in 0..12_000 {
        let out = dma.tick(&In { tlp_ready: true, ..In::default() });
        sops.extend(out.tlp.map(|t| (cycle, t.dest)));
    }
    // The software takes 5000 cycles for each; the beat is shown in the cycle after it is loaded.
    assert_eq!(sops, [(5001, 1), (10_001, 2)]);
}

#[test]
fn writes_of_a_copy_engine_have_no_start() {
    let mut dma = Dma::new(&config(), DMA_START);
    dma.write(1, BASE, &[1; 8]);
    dma.copy(2, BASE, &[2; 8]);
    dma.write(3, BASE, &[3; 8]);
    let mut sops = Vec::new();
    for cycle in 0..6000 {
        let out = dma.tick(&In { tlp_ready: true, ..In::default() });
        sops.extend(out.tlp.map(|t| (cycle, t.dest)));
    }
    // One descriptor is looked at in a cycle; nothing overtakes a copy.
    assert_eq!(sops, [(2, 1), (5002, 2), (5003, 3)]);
    assert_eq!(dma.pending(), 0);
}

#[test]
fn illegal_requests_are_dropped_with_their_codes() {
    let release = |op| Req { op, ..Req::default() };
    let cases = [
        (Req { mask: 0, ..store(1, BASE, 4) }, 1),
        (store(0, BASE, 4), 2),
        (store(4, BASE, 4), 2),
        (release(5), 3),
        (Req { op: op::ATOMIC, mask: 0x3, ..store(1, BASE, 4) }, 1),
        (Req { op: op::ATOMIC, aop: 8, ..store(1, BASE, 4) }, 3),
    ];
    for path in paths() {
        let mut path = path;
        for (req, code) in cases {
            let mut i = In { req: Some(req), tlp_ready: true, ..In::default() };
            let mut codes = Vec::new();
            for _ in 0..6 {
                let out = path.tick(&i);
                codes.extend(out.err);
                assert!(out.tlp.is_none() && out.st.is_none());
                i.req = None;
            }
            assert_eq!(codes, [code], "{req:?}");
        }
    }
}

#[test]
fn completion_without_mark_has_code_9() {
    for mut path in paths() {
        path.tick(&In { cpl: Some(1), ..In::default() });
        assert_eq!(path.outputs().err, Some(9));
    }
}

fn paths() -> Vec<Box<dyn Egress>> {
    let c = config();
    vec![
        Box::new(P2p::new(&c)),
        Box::new(WriteCombine::new(&c)),
        Box::new(ConfigPacket::new(&c)),
        Box::new(Dma::new(&c, 3)),
        Box::new(Infinite::new(&c)),
    ]
}

#[test]
fn load_travels_behind_the_line_that_it_overlaps() {
    let load = Req { op: op::LOAD, id: 5, ..store(1, BASE, 4) };
    let i = |req| In { req, tlp_ready: true, ..In::default() };
    for path in [&mut P2p::new(&config()) as &mut dyn Egress, &mut WriteCombine::new(&config())] {
        let mut classes = Vec::new();
        for req in [Some(store(1, BASE, 8)), Some(load), None, None, None, None, None] {
            let tlp = path.tick(&i(req)).tlp;
            classes.extend(tlp.map(|t| WireClass::of(TlpHeader::from_bits(t.hdr))));
        }
        assert_eq!(classes, [WireClass::Write, WireClass::Other]);
    }
}

/// A block that shows its last input, to see who is wired to whom.
struct Echo<I, O>(O, fn(&I) -> O);

impl<I: ports::Ports, O: ports::Ports> Block for Echo<I, O> {
    type In = I;
    type Out = O;
    fn outputs(&self) -> O {
        self.0
    }
    fn tick(&mut self, i: &I) -> O {
        std::mem::replace(&mut self.0, self.1(i))
    }
}

#[test]
fn finepack_path_joins_queue_and_packetizer() {
    use ports::finepack::types::Drain;
    let queue = Echo::<queue::In, queue::Out>(queue::Out::default(), |i| queue::Out {
        req_ready: i.drain_ready,
        drain: i.req.map(|r| Drain {
            dest: r.dest,
            plen: i.timeout,
            kind: i.acct,
            ..Drain::default()
        }),
        rel: i.cpl,
        ..queue::Out::default()
    });
    let packetizer = Echo::<packetizer::In, packetizer::Out>(packetizer::Out::default(), |i| {
        let beat =
            |d: Drain| Tlp { dest: d.dest, hdr: d.plen.into(), nbytes: d.kind, ..Tlp::default() };
        packetizer::Out { drain_ready: i.tlp_ready, tlp: i.drain.map(beat) }
    });
    let mut path = FinePackPath::new(queue, packetizer, 77, 1);
    let i = In { req: Some(store(2, BASE, 4)), tlp_ready: true, cpl: Some(3), self_id: 0 };
    path.tick(&i);
    assert_eq!((path.outputs().rel, path.outputs().req_ready), (Some(3), false));
    path.tick(&i);
    let out = path.outputs();
    let tlp = out.tlp.expect("request, drain beat, TLP beat");
    assert_eq!((tlp.dest, tlp.hdr, tlp.nbytes, out.req_ready), (2, 77, 1, true));
}
