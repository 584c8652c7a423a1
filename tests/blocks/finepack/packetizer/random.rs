//! Random packets, and a link that stalls.

use hwmodel::finepack::packetizer::Packetizer;
use ports::finepack::packetizer::{Config, In};
use ports::finepack::types::{Drain, LineData, Tlp, drain_kind};

use super::Bodies;
use super::encoder::{Sent, tlp};
use crate::finepack::{Random, ensure, named, runs};

pub fn check(bodies: &Bodies<Packetizer>) -> Result<(), String> {
    for name in ["small", "single-bank", "paper"] {
        for seed in 0..bodies.runs {
            let run = run(bodies, &named(name), seed);
            run.map_err(|wrong| format!("{name}, run {seed}: {wrong}"))?;
        }
    }
    Ok(())
}

fn run(bodies: &Bodies<Packetizer>, config: &Config, seed: u64) -> Result<(), String> {
    let mut random = Random::new(seed);
    let self_id = random.below(16) as u8;
    let packets: Vec<_> = (0..12).map(|_| packet(&mut random, config)).collect();
    let expected: Vec<_> = packets.iter().map(|beats| tlp(config, self_id, beats)).collect();
    let beats: Vec<_> = packets.into_iter().flatten().collect();
    let (offer_every, take_every) = (random.pick(&[1, 1, 3]), random.pick(&[1, 1, 2, 9]));
    let mut body = (bodies.make)(config);
    let mut link = Link { config, sent: Vec::new(), open: None };
    let (mut at, mut waits, mut ended) = (0, None, false);
    for _ in 0..30_000 {
        let out = body.outputs();
        ensure(waits.is_none() || waits == out.tlp, || format!("{waits:?} becomes {:?}", out.tlp))?;
        // Bytes of two packets never share the accumulator (5.5).
        ensure(!ended || out.tlp.is_none(), || "a beat behind an end".into())?;
        let tlp_ready = random.once_in(take_every);
        let drain = beats.get(at).copied().filter(|_| random.once_in(offer_every));
        body.tick(&In { drain, tlp_ready, self_id });
        ensure(!body.failed(), || "an assertion of the RTL fails".into())?;
        at += usize::from(drain.is_some() && out.drain_ready);
        waits = out.tlp.filter(|_| !tlp_ready);
        let taken = out.tlp.filter(|_| tlp_ready);
        ended = taken.is_some_and(|beat| beat.eop);
        if let Some(beat) = taken {
            link.take(&beat)?;
            if let Some((seen, right)) =
                link.sent.iter().zip(&expected).find(|(seen, right)| seen != right)
            {
                return Err(format!("{seen:x?}, not {right:x?}"));
            }
        }
        if link.sent.len() == expected.len() {
            break;
        }
    }
    let (sent, all) = (link.sent.len(), expected.len());
    ensure(sent == all, || format!("{sent} TLPs, not {all}"))
}

/// A packet as the remote write queue may drain it.
fn packet(random: &mut Random, config: &Config) -> Vec<Drain> {
    let (line, sh) = (u64::from(config.line), config.sub_header_bytes as usize);
    let lines = (1 << config.offset_width) / line;
    let window = random.below(1 << 20);
    let base = window << config.offset_width;
    let head = Drain { dest: random.below(16) as u8, id: random.next() as u8, ..Drain::default() };
    let alone = Drain { sop: true, eop: true, ..head };
    let first = base / line + random.below(lines);
    match random.below(8) {
        0 => {
            let (kind, mask) = (drain_kind::READ, random.mask(config.line));
            return vec![Drain { kind, line: first, mask, ..alone }];
        }
        1 => {
            let (size, aop) = (random.pick(&[4, 8]), random.below(8) as u8);
            let at = u64::from(size) * random.below(line / u64::from(size));
            let mask = duet_tests::ones(at as u32, size);
            let kind = drain_kind::ATOMIC;
            let data = bytes(random, 0xFFFF);
            return vec![Drain { kind, aop, line: first, mask, data, ..alone }];
        }
        2 => return vec![Drain { kind: drain_kind::MARK, ..alone }],
        _ => (),
    }
    let mut beats = Vec::new();
    let mut plen = 0;
    // Neighbours, whose runs meet, and others; each line once.
    for entry in 0..1 + random.below(lines.min(8)) {
        let mask = random.mask(config.line);
        let at = (first + entry) % lines + base / line;
        let cost = runs(mask).iter().map(|(_, len)| len + sh).sum::<usize>();
        if plen + cost > 4096 {
            break;
        }
        plen += cost;
        let data = bytes(random, mask);
        beats.push(Drain { kind: drain_kind::PACK, base, line: at, mask, data, ..head });
    }
    let last = beats.len() - 1;
    beats.iter_mut().for_each(|beat| beat.plen = plen as u16);
    (beats[0].sop, beats[last].eop) = (true, true);
    beats
}

fn bytes(random: &mut Random, mask: u128) -> LineData {
    let mut data = LineData::default();
    for k in (0..128).filter(|k| mask >> k & 1 == 1) {
        data.0[k] = random.next() as u8;
    }
    data
}

/// The other end of the link.
struct Link<'a> {
    config: &'a Config,
    sent: Vec<Sent>,
    /// The packet whose beats come.
    open: Option<Sent>,
}

impl Link<'_> {
    fn take(&mut self, beat: &Tlp) -> Result<(), String> {
        let (n, size) = (usize::from(beat.nbytes), self.config.beat as usize);
        let whole = n == size || beat.eop && n < size;
        let clear = beat.data.0[n.min(128)..].iter().all(|&byte| byte == 0);
        let headed = beat.sop == self.open.is_none() && (beat.sop || beat.hdr == 0);
        ensure(whole && clear && headed, || format!("{beat:x?}"))?;
        let mut packet = self.open.take().unwrap_or_else(|| Sent {
            dest: beat.dest,
            header: beat.hdr.to_le_bytes(),
            payload: Vec::new(),
        });
        ensure(beat.dest == packet.dest, || format!("another GPU: {beat:x?}"))?;
        packet.payload.extend(&beat.data.0[..n]);
        if beat.eop {
            self.sent.push(packet);
        } else {
            self.open = Some(packet);
        }
        Ok(())
    }
}

/// Runs are appended while fewer than two beats are held (5.5).
pub fn stalled(bodies: &Bodies<Packetizer>) -> Result<(), String> {
    for name in ["small", "single-bank", "paper"] {
        let config: Config = named(name);
        let mut body = (bodies.make)(&config);
        let mut accepted = 0;
        for _ in 0..200 {
            // Entries of one byte.
            let beat = Drain { sop: accepted == 0, plen: 4096, mask: 1, ..Drain::default() };
            let drain = Some(Drain { line: u64::from(accepted), ..beat });
            accepted += u32::from(body.outputs().drain_ready);
            body.tick(&In { drain, ..In::default() });
        }
        let run = 1 + config.sub_header_bytes;
        let right = (2 * config.beat).div_ceil(run) + 1;
        ensure(accepted == right, || format!("{name}: {accepted} entries, not {right}"))?;
    }
    Ok(())
}
