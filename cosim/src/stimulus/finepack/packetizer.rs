//! Drain beats for the packetizer, as the remote write queue may send them, and back-pressure.

use hwmodel::Block;
use hwmodel::finepack::packetizer::Packetizer;
use ports::finepack::packetizer::{Config, In, Out};
use ports::finepack::types::{Drain, cost, drain_kind};

use crate::blocks;
use crate::seen;
use crate::stimulus::draws::draws;
use crate::stimulus::random::MaskForm;
use crate::stimulus::requests::{costs, dearest};
use crate::stimulus::{NewStimulus, Random, Reached, Statics, Stimulus, masked_bytes};

crate::pair!(Packetizer: ports::finepack::types::FinePack);

inventory::submit! {
    blocks::entry::<Inputs>("FinePack: packs drained entries into one TLP with sub-headers")
}

/// Largest payload that a packet may have.
const MOST_PAYLOAD: u32 = 4096;
/// Most entries of a packet.
const MOST_ENTRIES: u32 = 64;

draws! {
    /// What one phase draws. Chances are parts of 256.
    struct Phase(random: &mut Random) {
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
#[derive(Clone, Debug)]
pub struct Inputs {
    config: Config,
    random: Random,
    phase: Phase,
    self_id: u8,
    /// The beats of the packet being sent, last one first.
    packet: Vec<Drain>,
    held: Option<Drain>,
    seen: Seen,
}

seen! {
    transfers: drain, tlp;
    rows:
        kind["kind_pack", "kind_read", "kind_atomic", "kind_mark"],
        pack_of_one_entry, largest_payload, full_last_beat, short_last_beat, drain_held, tlp_held,
}

impl Inputs {
    fn draw_packet(&mut self) {
        let (c, r) = (&self.config, &mut self.random);
        let head = Drain {
            dest: r.below(16) as u8,
            id: r.word() as u8,
            line: r.word() >> c.line.ilog2(),
            ..Default::default()
        };
        self.packet.clear();
        if r.chance(self.phase.raw) {
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
        let masks = if r.chance(self.phase.largest) {
            costs(r, c.line, c.sub_header_bytes, MOST_PAYLOAD, MOST_ENTRIES)
        } else {
            let count = 1 + r.below(self.phase.entries);
            (0..count).map(|_| r.mask(c.line, self.phase.form)).collect()
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

    fn observe(&mut self, input: &In, out: &Out) {
        let seen = &mut self.seen;
        if let Some(drain) = &input.drain {
            if out.drain_ready {
                seen.drain += 1;
                if drain.sop {
                    seen.kind[usize::from(drain.kind)] += 1;
                    let most =
                        MOST_ENTRIES * dearest(self.config.line, self.config.sub_header_bytes);
                    let largest = u32::from(drain.plen) == most.min(MOST_PAYLOAD);
                    seen.largest_payload += u64::from(largest);
                    seen.pack_of_one_entry +=
                        u64::from(drain.kind == drain_kind::PACK && drain.eop);
                }
            } else {
                seen.drain_held += 1;
            }
        }
        if let Some(tlp) = &out.tlp {
            if input.tlp_ready {
                seen.tlp += 1;
                if tlp.eop && tlp.nbytes > 0 {
                    let full = u32::from(tlp.nbytes) == self.config.beat;
                    *(if full { &mut seen.full_last_beat } else { &mut seen.short_last_beat }) += 1;
                }
            } else {
                seen.tlp_held += 1;
            }
        }
    }
}

impl Stimulus for Inputs {
    type Model = Packetizer;

    fn restart(&mut self, _cycles: u64) {
        self.self_id = self.random.below(16) as u8;
        self.held = None;
        self.packet.clear();
        self.phase = Phase::draw(&mut self.random);
    }

    fn inputs(&mut self, out: &<Packetizer as Block>::Out) -> In {
        if self.phase.left == 0 {
            self.phase = Phase::draw(&mut self.random);
        }
        self.phase.left -= 1;
        if self.held.is_none() && self.random.chance(self.phase.valid) {
            if self.packet.is_empty() {
                self.draw_packet();
            }
            self.held = self.packet.pop();
        }
        let tlp_ready = self.random.chance(self.phase.ready);
        let input = In { drain: self.held, tlp_ready, self_id: self.self_id };
        if out.drain_ready {
            self.held = None;
        }
        self.observe(&input, out);
        input
    }

    fn seen(&self) -> &dyn Reached {
        &self.seen
    }
}

impl NewStimulus for Inputs {
    fn unstarted(config: &Config, _statics: &Statics, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let phase = Phase::draw(&mut random);
        Self {
            config: config.clone(),
            random,
            phase,
            self_id: 0,
            packet: Vec::with_capacity(MOST_ENTRIES as usize),
            held: None,
            seen: Seen::default(),
        }
    }
}
