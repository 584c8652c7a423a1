//! How much the block takes of what it cannot pass on, and when it finds an error.

use hwmodel::finepack::depacketizer::Depacketizer;
use ports::finepack::depacketizer::{Config, In};
use ports::finepack::types::{BeatData, Tlp, error_code};

use super::Bodies;
use crate::finepack::{ensure, named};

/// Beats of FinePack packets of `count` sub-packets, each of `len` bytes and a beat of its own.
fn beats(config: &Config, count: usize, len: u16, packets: usize) -> Vec<Tlp> {
    let bytes = count * config.beat as usize;
    let dws = bytes / 4;
    let mut header = [0; 16];
    header[0] = 0b011_01111;
    (header[2], header[3], header[7]) = ((dws >> 8) as u8 & 3, dws as u8, 0xF0);
    let mut data = BeatData::default();
    data.0[..2].copy_from_slice(&len.to_le_bytes());
    let beat = |at: usize| {
        let (sop, eop) = (at == 0, at + 1 == count);
        let hdr = if sop { u128::from_le_bytes(header) } else { 0 };
        Tlp { sop, eop, hdr, nbytes: config.beat as u8, data, ..Tlp::default() }
    };
    (0..packets).flat_map(|_| (0..count).map(beat)).collect()
}

/// Beats that are taken while the memory takes nothing, and the errors with their cycles.
fn taken(
    bodies: &Bodies<Depacketizer>,
    config: &Config,
    beats: &[Tlp],
) -> (usize, Vec<(usize, u8)>) {
    let mut body = (bodies.make)(config);
    let (mut at, mut errors) = (0, Vec::new());
    for cycle in 0..600 {
        let out = body.outputs();
        errors.extend(out.err.map(|code| (cycle, code)));
        let tlp = beats.get(at).copied();
        body.tick(&In { tlp, st_ready: false });
        at += usize::from(tlp.is_some() && out.tlp_ready);
    }
    (at, errors)
}

/// The output buffer takes as many accesses as it has places, the window what it holds (5.6).
pub fn memory(bodies: &Bodies<Depacketizer>) -> Result<(), String> {
    let config: Config = named("small");
    let Config { line, sub_header_bytes, beat, output_depth, .. } = config;
    let capacity = (2 * beat + sub_header_bytes + line).next_multiple_of(8);
    let len = (beat - sub_header_bytes) as u16;
    let (seen, errors) = taken(bodies, &config, &beats(&config, 100, len, 1));
    let right = (output_depth + capacity / beat) as usize;
    ensure(seen == right, || format!("{seen} beats, not {right}; {errors:?}"))
}

/// Two packets hold slots; those that have left for the output buffer hold none (5.6, 5.8 i).
pub fn slots(bodies: &Bodies<Depacketizer>) -> Result<(), String> {
    let config: Config = named("small");
    let len = (config.beat - config.sub_header_bytes) as u16;
    let (seen, errors) = taken(bodies, &config, &beats(&config, 1, len, 100));
    let right = config.output_depth as usize + 2;
    ensure(seen == right, || format!("{seen} packets, not {right}; {errors:?}"))
}

/// A length that no window holds is told of as soon as the sub-header is there; the rest of its
/// packet is accepted and dropped (5.6).
pub fn early_error(bodies: &Bodies<Depacketizer>) -> Result<(), String> {
    let config: Config = named("small");
    let (seen, errors) = taken(bodies, &config, &beats(&config, 200, 1023, 1));
    let right = [(2, error_code::BAD_SUBHEADER)];
    ensure(seen == 200 && errors == right, || format!("{seen} beats, errors {errors:?}"))
}
