//! Drain beats for the packetizer, as the remote write queue may send them, and back-pressure.

use hwmodel::finepack::packetizer::Packetizer;
use ports::finepack::packetizer::{In, Out};
use ports::finepack::types::{Drain, cost, drain_kind};

use crate::stimulus::random::MaskForm;
use crate::stimulus::requests::{costs, dearest};
use crate::stimulus::{Driver, Random, Stimulus, count, masked_bytes};
use crate::{blocks, phase, seen};

crate::pair!(Packetizer: ports::finepack::types::FinePack);

inventory::submit! {
    blocks::entry::<Inputs>("FinePack: packs drained entries into one TLP with sub-headers")
}

/// Largest payload that a packet may have.
const MOST_PAYLOAD: u32 = 4096;
/// Most entries of a packet.
const MOST_ENTRIES: u32 = 64;

phase! {
    /// What one phase draws. Chances are parts of 256.
    pub struct Phase(random: &mut Random) {
        left: u32 = 64 + random.below(1024),
        valid: u32 = random.pick(&[256, 256, 160, 24]),
        ready: u32 = random.pick(&[256, 256, 200, 80, 8]),
        /// Chance that a packet is not a FinePack packet.
        raw: u32 = random.pick(&[0, 16, 128, 256]),
        form: Option<MaskForm> = random.form(),
        entries: u32 = random.pick(&[1, 2, 4, 64]),
        /// Chance of a packet of the largest payload that the most entries have.
        largest: u32 = random.pick(&[0, 0, 4, 64]),
    }
}

/// The stimulus.
pub struct Inputs {
    self_id: u8,
    /// The beats of the packet that is sent, last one first.
    packet: Vec<Drain>,
}

seen! {
    transfers: drain, tlp;
    rows:
        kind["kind_pack", "kind_read", "kind_atomic", "kind_mark"],
        pack_of_one_entry, largest_payload, full_last_beat, short_last_beat, drain_held, tlp_held,
}

impl Inputs {
    fn draw_packet(&mut self, d: &mut Driver<Self>) {
        let Driver { config: c, random: r, phase: p, .. } = d;
        let head = Drain {
            dest: r.below(16) as u8,
            id: r.word() as u8,
            line: r.word() >> c.line.ilog2(),
            ..Default::default()
        };
        self.packet.clear();
        if r.chance(p.raw) {
            let mut raw = Drain { sop: true, eop: true, kind: 1 + r.below(3) as u8, ..head };
            match raw.kind {
                drain_kind::READ => raw.mask = r.mask(c.line, Some(MaskForm::Noise)),
                drain_kind::ATOMIC => {
                    raw.mask = r.atomic_mask(c.line);
                    raw.aop = r.below(8) as u8;
                    raw.data = masked_bytes(r, 16, 0xffff);
                }
                _ => raw.line = 0,
            }
            self.packet.push(raw);
            return;
        }
        let shift = c.offset_width - c.line.ilog2();
        let base = head.line >> shift << c.offset_width;
        let masks = if r.chance(p.largest) {
            costs(r, c.line, c.sub_header_bytes, MOST_PAYLOAD, MOST_ENTRIES)
        } else {
            let count = 1 + r.below(p.entries);
            (0..count).map(|_| r.mask(c.line, p.form)).collect()
        };
        let mut plen = 0;
        for mask in masks {
            let bytes = cost(mask, c.sub_header_bytes);
            if plen + bytes > MOST_PAYLOAD {
                break;
            }
            plen += bytes;
            let line = (base >> c.line.ilog2()) + (r.word() & ((1 << shift) - 1));
            let data = masked_bytes(r, c.line, mask);
            self.packet.push(Drain { base, line, mask, data, ..head });
        }
        let last = self.packet.len() - 1;
        self.packet.iter_mut().for_each(|beat| beat.plen = plen as u16);
        // Sent from the back.
        self.packet[last].sop = true;
        self.packet[0].eop = true;
    }

    fn observe(d: &mut Driver<Self>, input: &In, out: &Out) {
        let Driver { config: c, seen, .. } = d;
        let drain = count(input.drain, out.drain_ready, &mut seen.drain, &mut seen.drain_held);
        if let Some(drain) = drain.filter(|drain| drain.sop) {
            seen.kind[usize::from(drain.kind)] += 1;
            let most = MOST_ENTRIES * dearest(c.line, c.sub_header_bytes);
            let largest = u32::from(drain.plen) == most.min(MOST_PAYLOAD);
            seen.largest_payload += u64::from(largest);
            seen.pack_of_one_entry += u64::from(drain.kind == drain_kind::PACK && drain.eop);
        }
        let tlp = count(out.tlp, input.tlp_ready, &mut seen.tlp, &mut seen.tlp_held);
        if let Some(tlp) = tlp.filter(|tlp| tlp.eop && tlp.nbytes > 0) {
            let full = u32::from(tlp.nbytes) == c.beat;
            *(if full { &mut seen.full_last_beat } else { &mut seen.short_last_beat }) += 1;
        }
    }
}

impl Stimulus for Inputs {
    type Model = Packetizer;
    type Phase = Phase;
    type Seen = Seen;

    fn start(d: &mut Driver<Self>) -> Self {
        let packet = Vec::with_capacity(MOST_ENTRIES as usize);
        Self { self_id: d.random.below(16) as u8, packet }
    }

    fn phase(&mut self, d: &mut Driver<Self>) -> Phase {
        Phase::draw(&mut d.random)
    }

    fn inputs(&mut self, d: &mut Driver<Self>, out: &Out) -> In {
        let drain = d.offer(d.last.drain, d.before.drain_ready, d.phase.valid, |d| {
            if self.packet.is_empty() {
                self.draw_packet(d);
            }
            self.packet.pop().expect("a packet has beats")
        });
        let tlp_ready = d.random.chance(d.phase.ready);
        let input = In { drain, tlp_ready, self_id: self.self_id };
        Self::observe(d, &input, out);
        input
    }
}
