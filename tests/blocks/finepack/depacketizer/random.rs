//! Random TLPs: good ones, and such with one thing broken.

use hwmodel::finepack::depacketizer::Depacketizer;
use ports::finepack::depacketizer::{Config, In};
use ports::finepack::types::{BeatData, Tlp};

use super::Bodies;
use super::decoder::decode;
use crate::finepack::{Random, ensure, named};

pub fn check(bodies: &Bodies<Depacketizer>) -> Result<(), String> {
    for name in ["small", "single-bank", "paper"] {
        for seed in 0..2 * bodies.runs {
            let run = run(bodies, &named(name), seed);
            run.map_err(|wrong| format!("{name}, run {seed}: {wrong}"))?;
        }
    }
    Ok(())
}

fn run(bodies: &Bodies<Depacketizer>, config: &Config, seed: u64) -> Result<(), String> {
    let mut random = Random::new(seed);
    let mut body = (bodies.make)(config);
    let (offer_every, take_every) = (random.pick(&[1, 1, 3]), random.pick(&[1, 1, 2, 7]));
    // Nothing is under way between two groups: so the order of errors is known.
    for _ in 0..12 {
        let beats = group(&mut random, config);
        let expected = decode(config, &beats);
        let (mut at, mut accesses, mut errors, mut quiet) = (0, 0, 0, 0);
        while at < beats.len() || quiet < 60 {
            let out = body.outputs();
            let st_ready = random.once_in(take_every);
            let tlp = beats.get(at).copied().filter(|_| random.once_in(offer_every));
            body.tick(&In { tlp, st_ready });
            ensure(!body.failed(), || "an assertion of the RTL fails".into())?;
            let moves = tlp.is_some() && out.tlp_ready;
            at += usize::from(moves);
            if let (Some(access), true) = (out.st, st_ready) {
                let right = expected.accesses.get(accesses);
                ensure(right == Some(&access), || format!("{access:x?}, not {right:x?}"))?;
                accesses += 1;
            }
            if let Some(code) = out.err {
                let right = expected.errors.get(errors);
                ensure(right == Some(&code), || format!("code {code}, not {right:?}"))?;
                errors += 1;
            }
            quiet = if moves || out.st.is_some() || out.err.is_some() { 0 } else { quiet + 1 };
            ensure(quiet < 1000, || "it takes no beat".into())?;
        }
        let (seen, right) = ((accesses, errors), (expected.accesses.len(), expected.errors.len()));
        ensure(seen == right, || format!("accesses and errors: {seen:?}, not {right:?}"))?;
    }
    Ok(())
}

/// The beats of a few packets, or one that belongs to none.
fn group(random: &mut Random, config: &Config) -> Vec<Tlp> {
    if random.once_in(12) {
        let beat = Tlp { eop: random.once_in(2), ..Tlp::default() };
        return vec![Tlp { nbytes: random.below(u64::from(config.beat) + 1) as u8, ..beat }];
    }
    (0..1 + random.below(4)).flat_map(|_| packet(random, config)).collect()
}

/// A header's bytes, and its payload.
fn content(random: &mut Random, config: &Config) -> ([u8; 16], Vec<u8>) {
    let line = u64::from(config.line);
    let mut header = [0; 16];
    (header[5], header[6]) = (random.next() as u8, random.next() as u8);
    let mut address = random.next() & 0xFFFF_FFFC;
    let (mut dws, mut payload);
    match random.below(10) {
        0 => {
            // A plain write.
            dws = 1 + random.below(line);
            header[0] = 0b011_00000;
            header[7] = if dws == 1 { random.below(16) as u8 } else { random.next() as u8 };
            payload = 4 * dws;
        }
        1 => {
            dws = 1 + random.below(line / 4);
            address = (address & !(line - 1)) + 4 * random.below(line / 4 - dws + 1);
            header[0] = 0b001_00000;
            header[7] = if dws == 1 { random.below(16) as u8 } else { random.next() as u8 };
            payload = 0;
            if random.once_in(6) {
                dws += random.below(line);
            }
        }
        2 => {
            (header[0], dws, payload) = (0b001_00000, 1, 0);
        }
        3 => {
            let operation = random.below(3) as u8;
            let operands = if operation == 2 { 2 } else { 1 };
            dws = operands * random.pick(&[1, 2]);
            header[0] = 0b011_01100 + operation;
            header[1] = random.next() as u8 & 0x34;
            let size = if random.once_in(6) { 4 } else { 4 * dws / operands };
            address &= !(size - 1);
            payload = 4 * dws;
        }
        4 if random.once_in(3) => {
            header[0] = random.pick(&[0b000_00000, 0b011_00100, 0b001_01111, 0b111_00000]);
            dws = 1 + random.below(20);
            payload = 4 * dws;
        }
        _ => return sub_packets(random, config, header),
    }
    if random.once_in(20) {
        dws += 1;
    }
    if random.once_in(20) {
        payload += 4;
    }
    header[2] = (dws >> 8) as u8 & 3;
    header[3] = dws as u8;
    header[8..].copy_from_slice(&address.to_be_bytes());
    (header, (0..payload).map(|_| random.next() as u8).collect())
}

/// A FinePack packet.
fn sub_packets(random: &mut Random, config: &Config, mut header: [u8; 16]) -> ([u8; 16], Vec<u8>) {
    let (line, sh) = (u64::from(config.line), config.sub_header_bytes as usize);
    let range = 1u64 << config.offset_width;
    let mut base = random.below(1 << 20) << config.offset_width;
    if random.once_in(10) {
        base |= 4 * random.below(range / 4);
    }
    if random.once_in(12) {
        base = u64::MAX - random.below(range);
    }
    let base = base & !3;
    let mut payload = Vec::new();
    for _ in 0..1 + random.below(8) {
        let offset = random.below(range);
        let first = base.wrapping_add(offset) % line;
        let mut len = 1 + random.below(line - first);
        if random.once_in(30) {
            len = random.pick(&[0, line - first + 1, line + 1, 1023]);
        }
        payload.extend(&(offset << 10 | len).to_le_bytes()[..sh]);
        payload.extend((0..len.min(line)).map(|_| random.next() as u8));
    }
    if random.once_in(12) {
        payload.truncate(1 + random.below(payload.len() as u64) as usize);
    }
    let mut announced = payload.len();
    match random.below(24) {
        0 => announced += 1 + random.below(30) as usize,
        1 => announced = 1 + random.below(announced as u64) as usize,
        _ => (),
    }
    let dws = announced.div_ceil(4);
    header[0] = 0b011_01111;
    (header[2], header[3]) = ((dws >> 8) as u8 & 3, dws as u8);
    header[7] = [0xF0, 0x10, 0x30, 0x70][announced % 4];
    if random.once_in(16) {
        header[7] = random.next() as u8;
    }
    header[8..].copy_from_slice(&base.to_be_bytes());
    (header, payload)
}

/// The beats of a packet.
fn packet(random: &mut Random, config: &Config) -> Vec<Tlp> {
    let (mut header, payload) = content(random, config);
    header[2] |= random.pick(&[0, 0x80]);
    if random.once_in(16) {
        header[2] |= 0x40;
    }
    let mut beats: Vec<_> = payload.chunks(config.beat as usize).map(beat).collect();
    if beats.is_empty() {
        beats.push(Tlp::default());
    }
    let last = beats.len() - 1;
    (beats[0].sop, beats[0].hdr, beats[last].eop) = (true, u128::from_le_bytes(header), true);
    match random.below(40) {
        // Its end is missing: the next one's start ends it.
        0 => beats[last].eop = false,
        1 => beats.truncate(1 + random.below(beats.len() as u64) as usize),
        2 => {
            let at = random.below(beats.len() as u64) as usize;
            beats[at].nbytes = random.below(u64::from(config.beat) + 2) as u8;
        }
        3 => {
            beats[last].eop = false;
            beats.push(Tlp { eop: true, ..beat(&[1, 2, 3]) });
        }
        _ => (),
    }
    // Whatever is open ends here.
    if !beats[beats.len() - 1].eop {
        beats.extend(good(config));
    }
    beats
}

fn beat(bytes: &[u8]) -> Tlp {
    let mut data = BeatData::default();
    data.0[..bytes.len()].copy_from_slice(bytes);
    Tlp { nbytes: bytes.len() as u8, data, ..Tlp::default() }
}

/// A FinePack packet of one byte.
fn good(config: &Config) -> Vec<Tlp> {
    let mut header = [0; 16];
    let sh = config.sub_header_bytes as usize;
    (header[0], header[3]) = (0b011_01111, (sh as u8 + 1).div_ceil(4));
    header[7] = [0xF0, 0x10, 0x30, 0x70][(sh + 1) % 4];
    let mut bytes = vec![0; sh + 1];
    (bytes[0], bytes[sh]) = (1, 0xA5);
    vec![Tlp { sop: true, eop: true, hdr: u128::from_le_bytes(header), ..beat(&bytes) }]
}
