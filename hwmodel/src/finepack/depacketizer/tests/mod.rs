//! What all tests of the de-packetizer use: TLPs made by hand, and a run that collects what comes
//! out.

mod accesses;
mod errors;
mod random;

use ports::finepack::packetizer;
use ports::finepack::types::{
    BeatData, Drain, Ingress, LineData, SubHeader, Tlp, TlpHeader, aop, cost, drain_kind,
    ingress_kind, tlp_fmt, tlp_type,
};

use super::*;
use crate::finepack::packetizer::Packetizer;

const PAPER: Config =
    Config { line: 128, sub_header_bytes: 5, offset_width: 30, beat: 32, output_depth: 64 };
const SMALL: Config =
    Config { line: 16, sub_header_bytes: 3, offset_width: 14, beat: 8, output_depth: 4 };
const FINEPACK: (u8, u8) = (tlp_fmt::WITH_DATA, tlp_type::FINEPACK);
const WRITE: (u8, u8) = (tlp_fmt::WITH_DATA, tlp_type::MEM);
const READ: (u8, u8) = (tlp_fmt::NO_DATA, tlp_type::MEM);

fn ones(start: u32, len: u32) -> u128 {
    (u128::MAX >> (128 - len)) << start
}

fn header((fmt, kind): (u8, u8), dw: u32, last_be: u8, first_be: u8, addr: u64) -> TlpHeader {
    TlpHeader::new()
        .with_fmt(fmt)
        .with_tlp_type(kind)
        .with_length_dw(dw)
        .with_last_be(last_be)
        .with_first_be(first_be)
        .with_requester(0x0020)
        .with_tag(0x77)
        .with_address(addr)
}

/// Header of a FinePack packet of `bytes` bytes.
fn finepack(bytes: usize, base: u64) -> TlpHeader {
    let last_be = [0b1111, 0b0001, 0b0011, 0b0111][bytes % 4];
    header(FINEPACK, bytes.div_ceil(4) as u32, last_be, 0, base)
}

/// One sub-packet; its bytes count up from `seed`.
fn sub(cfg: &Config, offset: u64, len: u16, seed: u8) -> Vec<u8> {
    let header = SubHeader::new().with_len(len).with_offset(offset).into_bits();
    let mut bytes = header.to_le_bytes()[..cfg.sub_header_bytes as usize].to_vec();
    bytes.extend((0..len).map(|k| seed.wrapping_add(k as u8)));
    bytes
}

fn beat(bytes: &[u8]) -> Tlp {
    let mut data = BeatData::default();
    data.0[..bytes.len()].copy_from_slice(bytes);
    Tlp { nbytes: bytes.len() as u8, data, ..Tlp::default() }
}

/// The beats of a whole TLP.
fn tlp(cfg: &Config, header: TlpHeader, payload: &[u8]) -> Vec<Tlp> {
    let mut beats: Vec<_> = payload.chunks(cfg.beat as usize).map(beat).collect();
    if beats.is_empty() {
        beats.push(Tlp::default());
    }
    beats[0].sop = true;
    beats[0].hdr = header.into_bits();
    beats.last_mut().unwrap().eop = true;
    beats
}

/// What a run gave, each with its cycle.
#[derive(Default)]
struct Seen {
    accepted: Vec<usize>,
    stores: Vec<(usize, Ingress)>,
    errors: Vec<(usize, u8)>,
}

impl Seen {
    fn codes(&self) -> Vec<u8> {
        self.errors.iter().map(|e| e.1).collect()
    }

    fn accesses(&self) -> Vec<Ingress> {
        self.stores.iter().map(|s| s.1).collect()
    }
}

/// Offers the beats back to back until nothing happens any more. `st_ready` by cycle.
fn run_with(cfg: &Config, beats: &[Tlp], st_ready: impl Fn(usize) -> bool) -> Seen {
    let mut block = Depacketizer::new(cfg).unwrap();
    let (mut seen, mut at) = (Seen::default(), 0);
    for cycle in 0..8 * beats.len() + 500 {
        let inputs = In { tlp: beats.get(at).copied(), st_ready: st_ready(cycle) };
        let shown = block.outputs();
        let out = block.tick(&inputs);
        assert_eq!(shown, out);
        if inputs.tlp.is_some() && out.tlp_ready {
            seen.accepted.push(cycle);
            at += 1;
        }
        if let (Some(access), true) = (out.st, inputs.st_ready) {
            seen.stores.push((cycle, access));
        }
        seen.errors.extend(out.err.map(|code| (cycle, code)));
    }
    assert_eq!(at, beats.len(), "all beats are accepted in the end");
    assert!(block.is_idle(), "all slots are freed in the end: {block:?}");
    seen
}

fn run(cfg: &Config, beats: &[Tlp]) -> Seen {
    run_with(cfg, beats, |_| true)
}

/// A packet that must pass unharmed behind whatever was wrong before it.
fn good(cfg: &Config) -> Vec<Tlp> {
    let bytes = sub(cfg, 0x20, 4, 0xa0);
    tlp(cfg, finepack(bytes.len(), 0x4000), &bytes)
}

/// Runs the beats of a faulty packet and a good one behind them: the errors and how many accesses
/// came before the good packet's.
fn faulty(cfg: &Config, beats: &[Tlp]) -> (Vec<u8>, usize) {
    let seen = run(cfg, &[beats, &good(cfg)].concat());
    let last = seen.stores.last().expect("the good packet arrives").1;
    assert_eq!(last.addr + u64::from(last.mask.trailing_zeros()), 0x4020);
    (seen.codes(), seen.stores.len() - 1)
}
