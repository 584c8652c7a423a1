//! Paths, links and destinations together: memory against an in-order machine.

use std::collections::VecDeque;

use ports::finepack::types::{Ingress, ingress_kind};

use super::*;
use crate::block::Model;
use crate::finepack::packetizer::Packetizer;
use crate::finepack::remote_write_queue::RemoteWriteQueue;
use crate::finepack::tlp_link::Fabric;

/// Memory of one GPU, and what arrives for it.
struct Memory {
    bytes: Vec<u8>,
    hdr: TlpHeader,
    payload: Vec<u8>,
}

impl Memory {
    fn new() -> Self {
        Self { bytes: vec![0; 0x4000], hdr: TlpHeader::default(), payload: Vec::new() }
    }

    fn write(&mut self, addr: u64, bytes: &[u8]) {
        let at = (addr - BASE) as usize;
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Takes a beat; returns the header of a MARK.
    fn take(&mut self, beat: &Tlp) -> Option<TlpHeader> {
        if beat.sop {
            (self.hdr, self.payload) = (TlpHeader::from_bits(beat.hdr), Vec::new());
        }
        self.payload.extend_from_slice(&beat.data.0[..usize::from(beat.nbytes)]);
        if !beat.eop {
            return None;
        }
        let (hdr, payload) = (self.hdr, std::mem::take(&mut self.payload));
        match WireClass::of(hdr) {
            WireClass::Write => {
                let last = hdr.length_dw() as usize - 1;
                for (k, byte) in payload.iter().enumerate() {
                    let be = match k / 4 {
                        0 => hdr.first_be(),
                        dw if dw == last => hdr.last_be(),
                        _ => 0xF,
                    };
                    if be >> (k % 4) & 1 == 1 {
                        self.write(hdr.address() + k as u64, &[*byte]);
                    }
                }
            }
            WireClass::FinePack => {
                let mut rest = &payload[..];
                while !rest.is_empty() {
                    let (sub, tail) = rest.split_at(5);
                    let word = sub.iter().rev().fold(0, |w, b| w << 8 | u64::from(*b));
                    let sub = SubHeader::from_bits(word);
                    let (bytes, tail) = tail.split_at(sub.len().into());
                    self.write(hdr.address() + sub.offset(), bytes);
                    rest = tail;
                }
            }
            WireClass::Other if is_mark(beat) => return Some(hdr),
            _ => {}
        }
        None
    }

    fn apply(&mut self, st: &Ingress) {
        for k in (0..128).filter(|k| st.mask >> k & 1 == 1) {
            self.write(st.addr + k, &[st.data.0[k as usize]]);
        }
    }
}

/// A small generator: splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % n
    }

    fn request(&mut self) -> Req {
        let mask = (0..128).map(|k| u128::from(self.below(3) == 0) << k).sum::<u128>() | 1;
        let mut data = Bytes::default();
        data.0.iter_mut().for_each(|b| *b = self.below(256) as u8);
        let addr = BASE + 128 * self.below(0x80);
        let dest = 1 + self.below(3) as u8;
        let op = if self.below(60) == 0 { op::RELEASE_SYS } else { op::STORE };
        Req { op, id: self.below(256) as u8, dest, addr, mask, data, ..Req::default() }
    }
}

/// GPU 0 sends random stores and releases; at each `rel` the memories hold every store before it.
fn releases_are_honest(mut path: Box<dyn Egress>, cfg_extra: Option<u32>, seed: u64) {
    let (mut random, mut fabric) = (Random(seed), Fabric::new(4, &link_config(cfg_extra)).unwrap());
    let mut memories: Vec<Memory> = (0..4).map(|_| Memory::new()).collect();
    let mut reference: Vec<Memory> = (0..4).map(|_| Memory::new()).collect();
    // After a release is accepted nothing is offered until it is done, so the memories are equal.
    let (mut offered, mut waits, mut done) = (Some(random.request()), None, 0);
    let mut completions = VecDeque::new();
    for _ in 0..60_000 {
        let out = path.outputs();
        if let Some(id) = out.rel {
            assert_eq!(waits.take(), Some(id), "seed {seed}");
            for gpu in 1..4 {
                assert!(memories[gpu].bytes == reference[gpu].bytes, "seed {seed}, GPU {gpu}");
            }
            done += 1;
        }
        let ready: Vec<bool> = (0..4).map(|_| random.below(4) != 0).collect();
        let cpl = if random.below(8) == 0 { completions.pop_front() } else { None };
        let req = offered.filter(|_| waits.is_none());
        let i = In { req, tlp_ready: fabric.tlp_ready(0), cpl, self_id: 0 };
        for (gpu, memory) in memories.iter_mut().enumerate().filter(|(gpu, _)| ready[*gpu]) {
            if fabric.tlp(gpu).and_then(|beat| memory.take(beat)).is_some() {
                completions.push_back(gpu as u8);
            }
        }
        if let Some(st) = out.st {
            memories[usize::from(out.st_dest)].apply(&st);
            if st.kind == ingress_kind::MARK {
                completions.push_back(out.st_dest);
            }
        }
        path.tick(&i);
        let crc_error = u32::from(random.below(50) == 0);
        fabric.tick(&[out.tlp, None, None, None], out.tlp.is_some().into(), &ready, crc_error);
        if let Some(req) = req.filter(|_| out.req_ready) {
            if req.op == op::RELEASE_SYS {
                waits = Some(req.id);
            } else {
                let st = Ingress {
                    addr: req.addr,
                    mask: req.mask,
                    data: req.data,
                    ..Ingress::default()
                };
                reference[usize::from(req.dest)].apply(&st);
            }
            offered = Some(random.request());
        }
    }
    assert!(done >= 5, "seed {seed}: only {done} releases");
    assert_eq!(fabric.counters().next().unwrap().context_errors, 0);
}

#[test]
fn all_stores_are_in_memory_when_a_release_is_done() {
    for seed in 0..4 {
        let c = config();
        releases_are_honest(Box::new(P2p::new(&c)), None, seed);
        releases_are_honest(Box::new(WriteCombine::new(&c)), None, seed);
        releases_are_honest(Box::new(ConfigPacket::new(&c)), Some(CFG_EXTRA), seed);
        releases_are_honest(Box::new(Infinite::new(&c)), None, seed);
        for (timeout, acct) in [(0, 0), (3, 1)] {
            let queue = RemoteWriteQueue::new(&(&params()).into()).unwrap();
            let packetizer = Packetizer::new(&(&params()).into()).unwrap();
            let path = FinePackPath::new(queue, packetizer, timeout, acct);
            releases_are_honest(Box::new(path), None, seed);
        }
    }
}

#[test]
fn blocks_are_copied_to_unaligned_addresses_before_the_release_is_done() {
    let mut dma = Dma::new(&config(), 10);
    let data: Vec<u8> = (0..9001u32).map(|k| k as u8).collect();
    dma.copy(2, BASE + 0xFFD, &data);
    let mut memory = Memory::new();
    let mut i = In { req: Some(store(1, BASE, 4)), tlp_ready: true, ..In::default() };
    for cycle in 0..1000 {
        let out = dma.tick(&i);
        i.cpl = None;
        if let Some(beat) = out.tlp {
            let hdr = TlpHeader::from_bits(beat.hdr);
            let end = hdr.address() % 4096 + 4 * u64::from(hdr.length_dw());
            assert!(!beat.sop || end <= 4096, "a write crosses a page");
            assert_eq!(beat.dest, 2, "a store has left");
            i.cpl = memory.take(&beat).map(|_| 2);
        }
        i.req = (cycle == 0).then(|| Req { op: op::RELEASE_SYS, id: 77, ..Req::default() });
        if let Some(id) = out.rel {
            assert_eq!(id, 77);
            assert!(memory.bytes[0xFFD..0xFFD + 9001] == data);
            return;
        }
    }
    panic!("release is not done after 1000 cycles");
}
